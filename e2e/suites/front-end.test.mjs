import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { OfficialClient } from '../support/official.mjs';
import { databases, startServer } from '../support/server.mjs';

// What the official front end asks of the API for one page, in its order, by the
// unmodified official client; each answer is held against the official document.
for (const database of databases) {
  describe(`the calls of the official front end on ${database.name}`, () => {
    const state = {};
    before(async () => {
      state.server = await startServer(database);
      state.admin = new OfficialClient(state.server);
      const { organizations } = await state.server.graphql('{ organizations(first: 1) { nodes { id spaces(first: 1) { nodes { id } } } } }');
      [{ id: state.organization, spaces: { nodes: [{ id: state.space }] } }] = organizations.nodes;
    });
    after(() => state.server?.stop());

    test('a public site', async () => {
      const site = await makeSite(state, 'Open docs', 'public');
      await render(state, `${site.address}/use/comments`);
    });

    test('a site by share link', async () => {
      const site = await makeSite(state, 'Shared docs', 'share-link');
      const { key } = await ask(state.admin, 'createSiteShareLink', (api) => api.orgs.createSiteShareLink(state.organization, site.id, { name: 'Friends' }));
      await assert.rejects(render(state, `${site.address}/use/comments`), /404/);
      const { found } = await render(state, `${site.address}/${key}/use/comments`);
      assert.equal(found.shareKey, key);
    });

    test('a site with sections and variants for authenticated visitors', async () => {
      const site = await makeSite(state, 'Closed docs', 'visitor-auth');
      const { organization, space, admin } = state;
      const variant = await ask(admin, 'addSpaceToSite', (api) => api.orgs.addSpaceToSite(organization, site.id, { spaceId: space }));
      await ask(admin, 'updateSiteSpaceById', (api) => api.orgs.updateSiteSpaceById(organization, site.id, variant.id, { path: 'next' }));
      const section = await ask(admin, 'addSectionToSite', (api) => api.orgs.addSectionToSite(organization, site.id, { spaceId: space, title: 'Reference' }));
      const auth = await ask(admin, 'updateSitePublishingAuthById', (api) => api.orgs.updateSitePublishingAuthById(organization, site.id, { backend: 'custom', fallbackURL: 'https://login.example.com/' }));
      const sent = await lookup(state, `${site.address}/next/use/comments`);
      assert.deepEqual(sent, { target: 'external', redirect: 'https://login.example.com/?location=%2Fnext%2Fuse%2Fcomments' });
      const visitor = { jwtToken: sign(auth.privateKey) };
      assert.equal((await render(state, `${site.address}/next/use/comments`, visitor)).found.siteSpace, variant.id);
      const { found, published } = await render(state, `${site.address}/${section.path}/use/comments`, visitor);
      assert.equal(found.siteSection, section.id);
      assert.equal(published.structure.type, 'sections');
    });
  });
}

// Performs one call and answers what it was answered with.
async function ask(client, operation, call) {
  const { status, body } = await client.drive(operation, call);
  assert.ok(status < 400, `${operation} answered ${status}`);
  return body;
}

async function makeSite({ admin, organization, space }, title, visibility) {
  const { id } = await ask(admin, 'createSite', (api) => api.orgs.createSite(organization, { title, visibility, spaces: [space] }));
  const { basename } = await ask(admin, 'publishSite', (api) => api.orgs.publishSite(organization, id));
  return { id, address: `${admin.server.url}/sites/${basename}` };
}

function sign(key) {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ exp: Math.floor(Date.now() / 1000) + 3600 })}`;
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
}

function lookup({ server }, url, visitor = {}) {
  const anonymous = new OfficialClient(server, null);
  return ask(anonymous, 'resolvePublishedContentByUrl', (api) => api.urls.resolvePublishedContentByUrl({ url, visitor, redirectOnError: false }));
}

async function render(state, url, visitor) {
  const found = await lookup(state, url, visitor);
  const claims = JSON.parse(Buffer.from(found.apiToken.split('.')[1], 'base64url'));
  assert.ok(claims.exp - Date.now() / 1000 > 120, 'the front end takes the token');
  assert.equal(claims.kind, 'site');
  assert.equal(found.pathname, 'use/comments');
  assert.equal(found.canonicalUrl, url);
  assert.equal(found.complete, true);

  const { organization } = found;
  const reader = new OfficialClient(state.server, found.apiToken);
  const published = await ask(reader, 'getPublishedContentSite', (api) => api.orgs.getPublishedContentSite(organization, found.site, { shareKey: found.shareKey }));
  assert.ok(published.customizations.site.header.preset && published.customizations.site.internationalization.locale && published.customizations.site.styling.background);
  assert.deepEqual(published.scripts, []);
  const space = await ask(reader, 'getSpaceById', (api) => api.spaces.getSpaceById(found.space, { shareKey: found.shareKey }));
  const revision = await ask(reader, 'getRevisionById', (api) => api.spaces.getRevisionById(found.space, space.revision, { metadata: true }));
  const page = await ask(reader, 'getPageInRevisionByPath', (api) => api.spaces.getPageInRevisionByPath(found.space, revision.id, encodeURIComponent(found.pathname)));
  const document = await ask(reader, 'getPageDocumentInRevisionById', (api) => api.spaces.getPageDocumentInRevisionById(found.space, revision.id, page.id, { evaluated: 'deterministic-only' }));
  assert.equal(document.object, 'document');
  const { markdown } = await ask(reader, 'getPageInRevisionById', (api) => api.spaces.getPageInRevisionById(found.space, revision.id, page.id, { format: 'markdown' }));
  assert.notEqual(markdown, '');
  const missing = await reader.drive('getSiteRedirectBySource', (api) => api.orgs.getSiteRedirectBySource(organization, found.site, { source: '/unknown', shareKey: found.shareKey }));
  assert.equal(missing.status, 404);
  const hits = await ask(reader, 'searchSiteContent', (api) => api.orgs.searchSiteContent(organization, found.site, { query: 'comments', mode: 'current', siteSpaceId: found.siteSpace }));
  assert.ok(hits.items.some(({ id }) => id === found.space));
  const embed = await ask(reader, 'getEmbedByUrlInSpace', (api) => api.spaces.getEmbedByUrlInSpace(found.space, { url: 'http://127.0.0.1:1/' }));
  assert.equal(embed.type, 'link');
  const forbidden = await reader.drive('listSpacesInOrganizationById', (api) => api.orgs.listSpacesInOrganizationById(organization));
  assert.equal(forbidden.status, 403);
  return { found, published };
}
