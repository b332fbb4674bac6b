import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { serveMail } from '../support/mail.mjs';
import { OfficialClient } from '../support/official.mjs';
import { databases, startServer } from '../support/server.mjs';

for (const database of databases) {
  describe(`invites on ${database.name}`, () => {
    let mail;
    let server;
    let organization;
    let admin;
    before(async () => {
      mail = await serveMail({ user: 'octavo@example.com', password: 'p@ss word/1' });
      server = await startServer(database, { OCTAVO_SMTP_URL: mail.url, OCTAVO_SMTP_FROM: 'Octavo <octavo@example.com>' });
      await server.command('user', 'create', '--email', 'ada@example.com', '--name', 'Ada');
      organization = (await server.command('organization', 'create', '--title', 'Harbour', '--admin', 'ada@example.com')).trim();
      admin = new OfficialClient(server, await tokenOf('ada@example.com'));
    });
    after(async () => {
      await server?.stop();
      await mail?.close();
    });

    async function tokenOf(user) {
      return (await server.command('token', 'create', '--user', user)).match(/oct_[\w-]+/)[0];
    }

    async function drive(client, operation, status, call) {
      const { status: answered, body } = await client.drive(operation, call);
      assert.equal(answered, status, JSON.stringify(body));
      return body;
    }

    // Invites an address, and returns the secret in the message that arrives there.
    async function invite(email, role) {
      const body = await drive(admin, 'inviteUsersToOrganization', 200, (api) => api.orgs.inviteUsersToOrganization(organization, { emails: [{ email, role }] }));
      assert.equal(body.invited, 1);
      const message = await mail.next(email);
      assert.equal(message.subject, 'You are invited to Harbour');
      assert.deepEqual([message.from.name, message.from.address], ['Octavo', 'octavo@example.com']);
      const [link, secret] = message.text.match(/http:\S+\/invites\/(\S+)/);
      assert.ok(message.html.includes(`href="${link}"`));
      assert.ok(!JSON.stringify(body).includes(secret), 'whoever invites is not told the secret');
      const page = await fetch(link);
      assert.equal(page.status, 200);
      assert.match(await page.text(), /You are invited to Harbour/);
      return secret;
    }

    // Accepts an invite as somebody without an account.
    async function join(secret, displayName) {
      const response = await fetch(`${server.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          query: 'mutation Join($input: AcceptInviteInput!) { acceptInvite(input: $input) { accessToken user { id } } }',
          variables: { input: { secret, displayName } },
        }),
      });
      const { data, errors } = await response.json();
      assert.equal(errors, undefined, JSON.stringify(errors));
      return { id: data.acceptInvite.user.id, client: new OfficialClient(server, data.acceptInvite.accessToken) };
    }

    test('a newcomer becomes a member by the link in the message', async () => {
      const secret = await invite('grace@example.com', 'review');
      const grace = await join(secret, 'Grace');
      const user = await drive(grace.client, 'getAuthenticatedUser', 200, (api) => api.user.getAuthenticatedUser());
      assert.deepEqual([user.displayName, user.email], ['Grace', 'grace@example.com']);
      const member = await drive(grace.client, 'getMemberInOrganizationById', 200, (api) => api.orgs.getMemberInOrganizationById(organization, grace.id));
      assert.equal(member.role, 'review');
    });

    test('somebody with an account joins by the secret in the message', async () => {
      const id = (await server.command('user', 'create', '--email', 'mary@example.com', '--name', 'Mary')).trim();
      const mary = new OfficialClient(server, await tokenOf(id));
      await drive(mary, 'getOrganizationById', 404, (api) => api.orgs.getOrganizationById(organization));
      const secret = await invite('mary@example.com', 'edit');
      await drive(mary, 'joinOrganizationWithInvite', 200, (api) => api.orgs.joinOrganizationWithInvite(organization, secret));
      const member = await drive(admin, 'getMemberInOrganizationById', 200, (api) => api.orgs.getMemberInOrganizationById(organization, id));
      assert.equal(member.role, 'edit');
    });

    test('people form a team, see what it is granted, and nothing once that is revoked', async () => {
      const first = await join(await invite('alan@example.com', null), 'Alan');
      const second = await join(await invite('kay@example.com', null), 'Kay');
      const team = await drive(admin, 'createOrganizationTeam', 201, (api) => api.orgs.createOrganizationTeam(organization, { title: 'Pilots', members: [first.id, second.id] }));
      const collection = await drive(admin, 'createCollection', 201, (api) => api.orgs.createCollection(organization, { title: 'Charts' }));
      const space = await drive(admin, 'createSpace', 201, (api) => api.orgs.createSpace(organization, { title: 'North sea', parent: collection.id }));
      await drive(admin, 'createSpace', 201, (api) => api.orgs.createSpace(organization, { title: 'Accounts' }));

      for (const { client } of [first, second]) {
        assert.deepEqual(await seen(client), { collections: [], spaces: [] });
      }
      await drive(admin, 'inviteToCollection', 204, (api) => api.collections.inviteToCollection(collection.id, { role: 'read', teams: [team.id] }));
      for (const { client } of [first, second]) {
        assert.deepEqual(await seen(client), { collections: ['Charts'], spaces: ['North sea'] });
        await drive(client, 'getSpaceById', 200, (api) => api.spaces.getSpaceById(space.id));
        await drive(client, 'updateSpaceById', 403, (api) => api.spaces.updateSpaceById(space.id, { title: 'Mine' }));
      }
      await drive(admin, 'removeTeamFromCollection', 205, (api) => api.collections.removeTeamFromCollection(collection.id, team.id));
      for (const { client } of [first, second]) {
        assert.deepEqual(await seen(client), { collections: [], spaces: [] });
        await drive(client, 'getSpaceById', 404, (api) => api.spaces.getSpaceById(space.id));
      }
    });

    // The titles of what somebody sees in the organization.
    async function seen(client) {
      const titles = ({ items }) => items.map(({ title }) => title);
      return {
        collections: titles(await drive(client, 'listCollectionsInOrganizationById', 200, (api) => api.orgs.listCollectionsInOrganizationById(organization))),
        spaces: titles(await drive(client, 'listSpacesInOrganizationById', 200, (api) => api.orgs.listSpacesInOrganizationById(organization))),
      };
    }

    test('a revoked invite lets nobody in', async () => {
      const secret = await invite('eve@example.com', 'admin');
      await drive(admin, 'deleteOrganizationInviteById', 205, (api) => api.orgs.deleteOrganizationInviteById(organization, secret.split('.')[0]));
      assert.equal((await fetch(`${server.url}/invites/${secret}`)).status, 404);
      await assert.rejects(join(secret, 'Eve'), /NOT_FOUND/);
      assert.deepEqual(mail.messages, []);
    });
  });
}
