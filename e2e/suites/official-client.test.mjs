import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { hasLocation, isOfficial } from '../support/contract.mjs';
import { serveRepository } from '../support/git.mjs';
import { OfficialClient } from '../support/official.mjs';
import { databases, startServer } from '../support/server.mjs';

const patience = 30_000;
const pixel = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

// What the space is imported from: nested pages, a file with a backlink, a
// reusable content, a link that is broken.
const repository = {
  'SUMMARY.md': '# Table of contents\n\n* [Harbour](README.md)\n\n## Guides\n\n* [Arriving](guides/arriving.md)\n  * [By night](guides/by-night.md)\n',
  'README.md': '# Harbour\n\nThe lighthouse is lit. See [arriving](guides/arriving.md) and [leaving](guides/leaving.md).\n\n![Chart](.gitbook/assets/chart.png)\n',
  'guides/arriving.md': '# Arriving\n\nCall the pilot.\n\n{% include "../.gitbook/includes/notice.md" %}\n',
  'guides/by-night.md': '# By night\n\nKeep the red light to port.\n',
  '.gitbook/assets/chart.png': pixel,
  '.gitbook/includes/notice.md': '---\ntitle: Notice\n---\n\n{% hint style="warning" %}\nShallow water.\n{% endhint %}\n',
};

const description = {
  object: 'document',
  data: {},
  nodes: [{ object: 'block', type: 'paragraph', isVoid: false, data: {}, nodes: [{ object: 'text', leaves: [{ object: 'leaf', text: 'Why this is better.', marks: [] }] }] }],
};

// The scenario: each row is one request, in order. A row names
//
// - operation: the operationId that the request is one of,
// - status: what it must answer,
// - call: how the official client, or request for an operation that the client
//   lacks, makes it; s is the state that the rows before have left,
// - check: what its body must say besides the contract, and what it leaves.
const scenario = [
  { operation: 'getApiInformation', status: 200, call: ({ api }) => api.getApiInformation(), check: (body) => assert.notEqual(body.version, '') },

  // Users
  { operation: 'getAuthenticatedUser', status: 200, call: ({ api }) => api.user.getAuthenticatedUser(), check: (body, s) => { s.user = body.id; } },
  { operation: 'updateUserById', status: 200, call: ({ api, user }) => api.users.updateUserById(user, { displayName: 'Ada Keeper' }), check: (body) => assert.equal(body.displayName, 'Ada Keeper') },
  { operation: 'getUserById', status: 200, call: ({ api, user }) => api.users.getUserById(user), check: (body) => assert.equal(body.displayName, 'Ada Keeper') },
  { operation: 'getUserById', status: 404, call: ({ api }) => api.users.getUserById('usr_unknown') },

  // Organizations
  { operation: 'listOrganizationsForAuthenticatedUser', status: 200, call: ({ api }) => api.orgs.listOrganizationsForAuthenticatedUser(), check: (body, s) => assert.ok(body.items.some(({ id }) => id === s.organization)) },
  { operation: 'getOrganizationById', status: 200, call: ({ api, organization }) => api.orgs.getOrganizationById(organization), check: (body, s) => assert.equal(body.id, s.organization) },

  { operation: 'updateOrganizationById', status: 200, call: ({ api, otherOrganization }) => api.orgs.updateOrganizationById(otherOrganization, { title: 'Second harbour', hostname: 'second-harbour', emailDomains: ['Example.com'], defaultRole: 'read', logo: 'https://example.com/logo.png', mergeRules: { type: 'none' } }), check: (body) => { assert.equal(body.title, 'Second harbour'); assert.deepEqual(body.emailDomains, ['example.com']); assert.equal(body.defaultRole, 'read'); } },
  { operation: 'updateOrganizationById', status: 400, call: ({ api, organization }) => api.orgs.updateOrganizationById(organization, { hostname: 'second-harbour' }) },
  { operation: 'getSubdomain', status: 200, call: ({ api }) => api.subdomains.getSubdomain('second-harbour'), check: (body, s) => assert.deepEqual(body.target, { type: 'organization', organization: s.otherOrganization }) },
  { operation: 'updateOrganizationAgentInstructions', status: 200, call: ({ api, otherOrganization }) => api.orgs.updateOrganizationAgentInstructions(otherOrganization, { instructions: description }), check: (body, s) => assert.equal(body.updatedBy, s.user) },
  { operation: 'getOrganizationAgentInstructions', status: 200, call: ({ api, otherOrganization }) => api.orgs.getOrganizationAgentInstructions(otherOrganization), check: (body) => assert.equal(body.instructions.nodes[0].type, 'paragraph') },

  // Its members
  { operation: 'joinOrganization', status: 204, as: 'reviewer', call: ({ api, otherOrganization }) => api.orgs.joinOrganization(otherOrganization) },
  { operation: 'joinOrganization', status: 404, as: 'reviewer', call: ({ api }) => api.orgs.joinOrganization('org_unknown') },
  { operation: 'updateOrganizationMemberLastSeenAt', status: 200, as: 'reviewer', call: ({ api, otherOrganization }) => api.orgs.updateOrganizationMemberLastSeenAt(otherOrganization) },
  { operation: 'listMembersInOrganizationById', status: 200, call: ({ api, otherOrganization }) => api.orgs.listMembersInOrganizationById(otherOrganization, { role: 'read', search: 'GRACE', sort: 'lastSeenAt', order: 'asc' }), check: (body, s) => { assert.deepEqual(body.items.map(({ id, user }) => [id, user.id]), [[s.reviewer.user, s.reviewer.user]]); assert.equal(body.count, 1); } },
  { operation: 'getMemberInOrganizationById', status: 200, call: ({ api, otherOrganization, reviewer }) => api.orgs.getMemberInOrganizationById(otherOrganization, reviewer.user), check: (body) => assert.equal(body.role, 'read') },
  { operation: 'updateMemberInOrganizationById', status: 200, call: ({ api, otherOrganization, reviewer }) => api.orgs.updateMemberInOrganizationById(otherOrganization, reviewer.user, { role: null }), check: (body) => assert.equal(body.role, null) },
  { operation: 'setUserAsSSOMemberForOrganization', status: 200, call: ({ api, otherOrganization, reviewer }) => api.orgs.setUserAsSsoMemberForOrganization(otherOrganization, reviewer.user), check: (body) => assert.equal(body.sso, true) },
  { operation: 'listSpacesForOrganizationMember', status: 200, call: ({ api, organization, reviewer }) => api.orgs.listSpacesForOrganizationMember(organization, reviewer.user, { order: 'asc' }), check: (body) => { assert.ok(body.items.length > 0); assert.equal(body.items[0].permission, 'review'); } },
  { operation: 'removeMemberFromOrganizationById', status: 205, call: ({ api, otherOrganization, reviewer }) => api.orgs.removeMemberFromOrganizationById(otherOrganization, reviewer.user) },
  { operation: 'removeMemberFromOrganizationById', status: 204, call: ({ api, otherOrganization, reviewer }) => api.orgs.removeMemberFromOrganizationById(otherOrganization, reviewer.user) },
  { operation: 'getOrganizationById', status: 404, as: 'reviewer', call: ({ api, otherOrganization }) => api.orgs.getOrganizationById(otherOrganization) },

  // Teams
  { operation: 'createOrganizationTeam', status: 201, call: ({ api, organization, reviewer }) => api.orgs.createOrganizationTeam(organization, { title: 'Pilots', members: [reviewer.user] }), check: (body, s) => { assert.equal(body.members, 1); s.team = body.id; } },
  { operation: 'listTeamsInOrganizationById', status: 200, call: ({ api, organization }) => api.orgs.listTeamsInOrganizationById(organization, { title: 'PILOT' }), check: (body, s) => assert.deepEqual(body.items.map(({ id }) => id), [s.team]) },
  { operation: 'listTeamsInOrganizationById', status: 200, call: ({ api, organization, reviewer }) => api.orgs.listTeamsInOrganizationById(organization, { owner: reviewer.user }), check: (body) => assert.deepEqual(body.items, []) },
  { operation: 'getTeamInOrganizationById', status: 200, call: ({ api, organization, team }) => api.orgs.getTeamInOrganizationById(organization, team), check: (body) => assert.deepEqual(body.permissions, { view: true, admin: true }) },
  { operation: 'getTeamInOrganizationById', status: 404, call: ({ api, organization }) => api.orgs.getTeamInOrganizationById(organization, 'tea_unknown') },
  { operation: 'addMemberToOrganizationTeamById', status: 204, call: ({ api, organization, team, reviewer }) => api.orgs.addMemberToOrganizationTeamById(organization, team, reviewer.user, { role: 'owner' }) },
  { operation: 'listTeamMembersInOrganizationById', status: 200, as: 'reviewer', call: ({ api, organization, team }) => api.orgs.listTeamMembersInOrganizationById(organization, team), check: (body, s) => assert.deepEqual(body.items.map(({ organization, team }) => [organization.user.id, team.role]), [[s.reviewer.user, 'owner']]) },
  { operation: 'listTeamsForOrganizationMember', status: 200, call: ({ api, organization, reviewer }) => api.orgs.listTeamsForOrganizationMember(organization, reviewer.user, { title: 'PILOT' }), check: (body, s) => assert.deepEqual(body.items.map(({ team, member }) => [team.id, member.role]), [[s.team, 'owner']]) },
  { operation: 'updateTeamInOrganizationById', status: 200, as: 'reviewer', call: ({ api, organization, team }) => api.orgs.updateTeamInOrganizationById(organization, team, { title: 'Harbour pilots' }), check: (body) => assert.equal(body.title, 'Harbour pilots') },
  { operation: 'updateMembersInOrganizationTeam', status: 204, call: ({ api, organization, team, user }) => api.orgs.updateMembersInOrganizationTeam(organization, team, { add: [user, 'grace@example.com'], memberships: { 'grace@example.com': { role: 'member' } } }) },
  { operation: 'getTeamInOrganizationById', status: 200, as: 'reviewer', call: ({ api, organization, team }) => api.orgs.getTeamInOrganizationById(organization, team), check: (body) => { assert.equal(body.members, 2); assert.equal(body.permissions.admin, false); } },
  { operation: 'deleteMemberFromOrganizationTeamById', status: 205, call: ({ api, organization, team, user }) => api.orgs.deleteMemberFromOrganizationTeamById(organization, team, user) },
  { operation: 'deleteMemberFromOrganizationTeamById', status: 204, call: ({ api, organization, team, user }) => api.orgs.deleteMemberFromOrganizationTeamById(organization, team, user) },
  { operation: 'removeTeamFromOrganizationById', status: 205, call: ({ api, organization, team }) => api.orgs.removeTeamFromOrganizationById(organization, team) },
  { operation: 'removeTeamFromOrganizationById', status: 204, call: ({ api, organization, team }) => api.orgs.removeTeamFromOrganizationById(organization, team) },

  // Invites
  { operation: 'createOrganizationInvite', status: 201, call: ({ api, organization }) => api.orgs.createOrganizationInvite(organization, { role: 'read' }), check: (body, s) => { assert.match(body.id, /^inv_\w+\.[\w-]{43}$/); s.secret = body.id; s.invite = body.id.split('.')[0]; } },
  { operation: 'createOrganizationInvite', status: 404, call: ({ api, organization }) => api.orgs.createOrganizationInvite(organization, { level: 'read', space: 'spc_unknown' }) },
  { operation: 'listOrganizationInviteLinks', status: 200, call: ({ api, organization }) => api.orgs.listOrganizationInviteLinks(organization), check: (body, s) => assert.deepEqual(body.items.map(({ id }) => id), [s.invite]) },
  { operation: 'getOrganizationInviteLink', status: 200, call: ({ api, organization, secret }) => api.orgs.getOrganizationInviteLink(organization, secret), check: (body, s) => { assert.equal(body.id, s.invite); assert.equal(body.role, 'read'); } },
  { operation: 'updateOrganizationInviteById', status: 200, call: ({ api, organization, invite }) => api.orgs.updateOrganizationInviteById(organization, invite, { role: 'comment' }), check: (body) => assert.equal(body.role, 'comment') },
  { operation: 'joinOrganizationWithInvite', status: 200, as: 'reviewer', call: ({ api, organization, secret }) => api.orgs.joinOrganizationWithInvite(organization, secret) },
  { operation: 'joinOrganizationWithInvite', status: 404, as: 'reviewer', call: ({ api, organization, invite }) => api.orgs.joinOrganizationWithInvite(organization, invite) },
  { operation: 'inviteUsersToOrganization', status: 200, call: ({ api, organization }) => api.orgs.inviteUsersToOrganization(organization, { emails: ['mary@example.com', { email: 'alan@example.com', role: 'edit' }] }), check: (body) => { assert.equal(body.invited, 2); assert.deepEqual(body.users, []); } },
  { operation: 'deleteOrganizationInviteById', status: 205, call: ({ api, organization, invite }) => api.orgs.deleteOrganizationInviteById(organization, invite) },
  { operation: 'deleteOrganizationInviteById', status: 204, call: ({ api, organization, invite }) => api.orgs.deleteOrganizationInviteById(organization, invite) },

  // A space, imported from a git repository
  { operation: 'createSpace', status: 201, call: ({ api, organization }) => api.orgs.createSpace(organization, { title: 'Harbour', emoji: '2693', editMode: 'live', language: 'en' }), check: (body, s) => { assert.equal(body.title, 'Harbour'); s.space = body.id; s.empty = body.revision; } },
  { operation: 'updateSpaceById', status: 200, call: ({ api, space }) => api.spaces.updateSpaceById(space, { title: 'Harbour guide' }), check: (body) => assert.equal(body.title, 'Harbour guide') },
  { operation: 'listSpacesInOrganizationById', status: 200, call: ({ api, organization }) => api.orgs.listSpacesInOrganizationById(organization, { limit: 1 }), check: (body, s) => { assert.equal(body.items.length, 1); s.next = body.next.page; } },
  { operation: 'listSpacesInOrganizationById', status: 200, call: ({ api, organization, next }) => api.orgs.listSpacesInOrganizationById(organization, { limit: 1, page: next }), check: (body) => assert.equal(body.items.length, 1) },
  { operation: 'importGitRepository', status: 204, call: ({ api, space, git }) => api.spaces.importGitRepository(space, { url: git.url, ref: git.ref }) },
  { operation: 'getSpaceById', status: 200, call: ({ api, space }) => api.spaces.getSpaceById(space), until: (body, s) => body.revision !== s.empty, check: (body, s) => { assert.equal(body.permissions.admin, true); s.revision = body.revision; } },
  { operation: 'getSpaceGitInfo', status: 200, call: ({ api, space }) => api.spaces.getSpaceGitInfo(space) },

  // Its content
  {
    operation: 'getCurrentRevision', status: 200, call: ({ api, space }) => api.spaces.getCurrentRevision(space),
    check: (body, s, { headers }) => {
      assert.equal(body.id, s.revision);
      assert.equal(headers.get('etag'), `"${s.revision}"`);
      assert.deepEqual(body.parents, [s.empty]);
      assert.equal(body.git.message.trim(), 'Write');
      s.file = body.files[0].id;
      s.reusable = body.reusableContents[0].id;
    },
  },
  { operation: 'getCurrentRevision', status: 200, call: ({ api, space }) => api.spaces.getCurrentRevision(space, { metadata: false, computed: false }) },
  {
    operation: 'listPages', status: 200, call: ({ api, space }) => api.spaces.listPages(space),
    check: (body, s) => {
      assert.deepEqual(body.pages.map(outline), [{ title: 'Harbour', pages: [] }, { title: 'Guides', pages: [{ title: 'Arriving', pages: [{ title: 'By night', pages: [] }] }] }]);
      s.home = body.pages[0].id;
      s.arriving = body.pages[1].pages[0].id;
      s.night = body.pages[1].pages[0].pages[0].id;
    },
  },
  { operation: 'getPageById', status: 200, call: ({ api, space, home }) => api.spaces.getPageById(space, home, { format: 'markdown' }), check: (body) => assert.match(body.markdown, /The lighthouse is lit/) },
  { operation: 'getPageById', status: 200, call: ({ api, space, arriving }) => api.spaces.getPageById(space, arriving, { format: 'document', evaluated: true }), check: (body) => assert.equal(body.document.object, 'document') },
  { operation: 'getPageById', status: 404, call: ({ api, space }) => api.spaces.getPageById(space, 'pag_unknown') },
  { operation: 'getPageByPath', status: 200, call: ({ api, space }) => api.spaces.getPageByPath(space, encodeURIComponent('guides/arriving/by-night'), { format: 'markdown' }), check: (body, s) => assert.equal(body.id, s.night) },
  { operation: 'listPageLinksInSpace', status: 200, call: ({ api, space, home }) => api.spaces.listPageLinksInSpace(space, home), check: (body) => { assert.equal(body.stats.total, 3); assert.equal(body.stats.broken.total, 1); } },
  { operation: 'listPageLinksInSpace', status: 200, call: ({ api, space, home }) => api.spaces.listPageLinksInSpace(space, home, { status: 'broken' }), check: (body) => assert.deepEqual(body.items.map(({ status }) => status), ['broken']) },
  { operation: 'listSpacePageBacklinks', status: 200, call: ({ api, space, arriving }) => api.spaces.listSpacePageBacklinks(space, arriving), check: (body) => assert.equal(body.items.length, 1) },
  { operation: 'listSpaceLinks', status: 200, call: ({ api, space }) => api.spaces.listSpaceLinks(space), check: (body) => assert.equal(body.stats.broken.total, 1) },
  { operation: 'listFiles', status: 200, call: ({ api, space }) => api.spaces.listFiles(space), check: (body, s) => assert.deepEqual(body.items.map(({ id }) => id), [s.file]) },
  {
    operation: 'getFileById', status: 200, call: ({ api, space, file }) => api.spaces.getFileById(space, file),
    check: async (body, s) => {
      assert.equal(body.contentType, 'image/png');
      assert.deepEqual(body.dimensions, { width: 1, height: 1 });
      const download = await s.server.fetch(body.downloadURL);
      assert.deepEqual(Buffer.from(await download.arrayBuffer()), pixel);
    },
  },
  { operation: 'listSpaceFileBacklinks', status: 200, call: ({ api, space, file }) => api.spaces.listSpaceFileBacklinks(space, file), check: (body) => assert.deepEqual(body.items.map(({ kind }) => kind), ['page']) },
  { operation: 'getReusableContentById', status: 200, call: ({ api, space, reusable }) => api.spaces.getReusableContentById(space, reusable), check: (body) => assert.equal(body.title, 'Notice') },
  { operation: 'searchSpaceContent', status: 200, call: ({ api, space }) => api.spaces.searchSpaceContent(space, { query: 'lighthouse' }), until: (body) => body.items.length > 0, check: (body, s) => assert.deepEqual(body.items.map(({ id }) => id), [s.home]) },
  { operation: 'searchOrganizationContent', status: 200, call: ({ api, organization }) => api.orgs.searchOrganizationContent(organization, { query: 'lighthouse' }), check: (body, s) => assert.ok(body.items.some(({ id, pages }) => id === s.space && pages.some((page) => page.id === s.home))) },

  // One of its revisions
  { operation: 'getRevisionById', status: 200, call: ({ api, space, revision }) => api.spaces.getRevisionById(space, revision), check: (body, s) => assert.equal(body.id, s.revision) },
  { operation: 'listPagesInRevisionById', status: 200, call: ({ api, space, revision }) => api.spaces.listPagesInRevisionById(space, revision), check: (body) => assert.equal(body.pages.length, 2) },
  { operation: 'listFilesInRevisionById', status: 200, call: ({ api, space, revision }) => api.spaces.listFilesInRevisionById(space, revision), check: (body) => assert.equal(body.items.length, 1) },
  { operation: 'getFileInRevisionById', status: 200, call: ({ api, space, revision, file }) => api.spaces.getFileInRevisionById(space, revision, file), check: (body) => assert.equal(body.name, 'chart.png') },
  { operation: 'getPageInRevisionById', status: 200, call: ({ api, space, revision, home }) => api.spaces.getPageInRevisionById(space, revision, home, { format: 'markdown' }), check: (body) => assert.match(body.markdown, /lighthouse/) },
  { operation: 'getPageDocumentInRevisionById', status: 200, call: ({ api, space, revision, home }) => api.spaces.getPageDocumentInRevisionById(space, revision, home), check: (body) => assert.equal(body.object, 'document') },
  { operation: 'getPageInRevisionByPath', status: 200, call: ({ api, space, revision }) => api.spaces.getPageInRevisionByPath(space, revision, encodeURIComponent('guides/arriving')), check: (body, s) => assert.equal(body.id, s.arriving) },
  { operation: 'getReusableContentInRevisionById', status: 200, call: ({ api, space, revision, reusable }) => api.spaces.getReusableContentInRevisionById(space, revision, reusable), check: (body) => assert.equal(body.title, 'Notice') },
  { operation: 'getReusableContentDocumentInRevisionById', status: 200, call: ({ api, space, revision, reusable }) => api.spaces.getReusableContentDocumentInRevisionById(space, revision, reusable), check: (body) => assert.equal(body.nodes[0].type, 'hint') },
  { operation: 'getRevisionSemanticChanges', status: 200, call: ({ api, space, revision }) => api.spaces.getRevisionSemanticChanges(space, revision), check: (body) => assert.ok(body.changes.some(({ type }) => type === 'page_created')) },

  // Edits without a change request
  { operation: 'updateSpaceContent', status: 200, request: ({ space }) => ['POST', `/spaces/${space}/content`, { changes: [{ operation: 'insert_page', title: 'Tides', document: { markdown: '# Tides\n\nTwice a day.\n' } }] }], check: (body, s) => { s.tides = body.changes[0].page.id; } },
  { operation: 'getPageById', status: 200, call: ({ api, space, tides }) => api.spaces.getPageById(space, tides, { format: 'markdown' }), check: (body) => assert.match(body.markdown, /Twice a day/) },
  { operation: 'applyTemplateToSpace', status: 201, call: ({ api, space, template }) => api.spaces.applyTemplateToSpace(space, { id: template }) },

  // A change request
  { operation: 'createChangeRequest', status: 201, call: ({ api, space }) => api.spaces.createChangeRequest(space, { subject: 'Name the pilot' }), check: (body, s) => { assert.equal(body.status, 'draft'); s.request = body.id; s.number = String(body.number); } },
  { operation: 'getChangeRequestById', status: 200, call: ({ api, space, request }) => api.spaces.getChangeRequestById(space, request), check: (body) => assert.equal(body.outdated, false) },
  { operation: 'getChangeRequestById', status: 200, call: ({ api, space, number }) => api.spaces.getChangeRequestById(space, number), check: (body, s) => assert.equal(body.id, s.request) },
  { operation: 'updateChangeRequestById', status: 200, call: ({ api, space, request }) => api.spaces.updateChangeRequestById(space, request, { subject: 'Name the pilots', description, status: 'open' }), check: (body) => { assert.equal(body.status, 'open'); assert.equal(body.description.nodes[0].type, 'paragraph'); } },
  {
    operation: 'updateChangeRequestContent', status: 200,
    request: ({ space, request, arriving, home }) => ['POST', `/spaces/${space}/change-requests/${request}/content?compat=false`, {
      changes: [
        { operation: 'update_page', page: arriving, document: { markdown: '# Arriving\n\nCall the pilot, Grace.\n' } },
        { operation: 'insert_page', ref: 'leaving', into: home, title: 'Leaving', document: { markdown: '# Leaving\n\nThank the pilot. [Home](/pages/' + home + ')\n' } },
        { operation: 'insert_files', files: [{ name: 'pilot.png', contentType: 'image/png', base64: pixel.toString('base64') }] },
      ],
    }],
    check: (body, s) => { assert.equal(body.changeRequest.id, s.request); s.leaving = body.changes[1].page.id; s.pilot = body.insertedFiles[0].id; },
  },
  { operation: 'listChangeRequestsForSpace', status: 200, call: ({ api, space }) => api.spaces.listChangeRequestsForSpace(space), check: (body, s) => assert.deepEqual(body.items.map(({ id }) => id), [s.request]) },
  { operation: 'listChangeRequestsForSpace', status: 200, call: ({ api, space }) => api.spaces.listChangeRequestsForSpace(space, { status: 'archived' }), check: (body) => assert.deepEqual(body.items, []) },
  { operation: 'listChangeRequestsForSpace', status: 200, call: ({ api, space, user }) => api.spaces.listChangeRequestsForSpace(space, { creator: user, contributor: user }), check: (body) => assert.equal(body.items.length, 1) },
  { operation: 'listChangeRequestsForOrganization', status: 200, call: ({ api, organization }) => api.orgs.listChangeRequestsForOrganization(organization), check: (body, s) => assert.deepEqual(body.items.map(({ id }) => id), [s.request]) },

  // Its content
  { operation: 'getRevisionOfChangeRequestById', status: 200, call: ({ api, space, request }) => api.spaces.getRevisionOfChangeRequestById(space, request), check: (body, s) => { assert.deepEqual(names(body.files, s), ['chart.png', 'pilot.png']); s.edited = body.id; } },
  { operation: 'listPagesInChangeRequest', status: 200, call: ({ api, space, request }) => api.spaces.listPagesInChangeRequest(space, request), check: (body, s) => assert.deepEqual(body.pages.find(({ id }) => id === s.home).pages.map(({ id }) => id), [s.leaving]) },
  { operation: 'getPageInChangeRequestById', status: 200, call: ({ api, space, number, arriving }) => api.spaces.getPageInChangeRequestById(space, number, arriving, { format: 'markdown' }), check: (body) => assert.match(body.markdown, /Grace/) },
  { operation: 'getPageInChangeRequestByPath', status: 200, call: ({ api, space, request }) => api.spaces.getPageInChangeRequestByPath(space, request, encodeURIComponent('readme/leaving')), check: (body, s) => assert.equal(body.id, s.leaving) },
  { operation: 'listPageLinksInChangeRequest', status: 200, call: ({ api, space, request, leaving }) => api.spaces.listPageLinksInChangeRequest(space, request, leaving), check: (body) => assert.deepEqual(body.items.map(({ status }) => status), ['ok']) },
  { operation: 'listChangeRequestPageBacklinks', status: 200, call: ({ api, space, request, home }) => api.spaces.listChangeRequestPageBacklinks(space, request, home), check: (body) => assert.equal(body.items.length, 1) },
  { operation: 'listChangeRequestLinks', status: 200, call: ({ api, space, request }) => api.spaces.listChangeRequestLinks(space, request) },
  { operation: 'listFilesInChangeRequestById', status: 200, call: ({ api, space, request }) => api.spaces.listFilesInChangeRequestById(space, request), check: (body, s) => assert.deepEqual(names(body.items, s), ['chart.png', 'pilot.png']) },
  { operation: 'getFileInChangeRequestById', status: 200, call: ({ api, space, request, pilot }) => api.spaces.getFileInChangeRequestById(space, request, pilot), check: (body) => assert.equal(body.name, 'pilot.png') },
  { operation: 'listChangeRequestFileBacklinks', status: 200, call: ({ api, space, request, file }) => api.spaces.listChangeRequestFileBacklinks(space, request, file), check: (body) => assert.equal(body.items.length, 1) },
  { operation: 'getReusableContentInChangeRequestById', status: 200, call: ({ api, space, request, reusable }) => api.spaces.getReusableContentInChangeRequestById(space, request, reusable), check: (body) => assert.equal(body.title, 'Notice') },
  { operation: 'getChangeRequestChanges', status: 200, call: ({ api, space, request }) => api.spaces.getChangeRequestChanges(space, request), check: (body) => assert.deepEqual(body.changes.map(({ type }) => type).sort(), ['file_created', 'page_created', 'page_edited']) },
  { operation: 'getContributorsByChangeRequestId', status: 200, call: ({ api, space, request }) => api.spaces.getContributorsByChangeRequestId(space, request), check: (body, s) => assert.ok(body.items.some(({ user }) => user.id === s.user)) },

  // Reviews
  { operation: 'requestReviewersForChangeRequest', status: 200, call: ({ api, space, request, reviewer }) => api.spaces.requestReviewersForChangeRequest(space, request, { users: [reviewer.user] }), check: (body, s) => assert.deepEqual(body.users.map(({ user }) => user.id), [s.reviewer.user]) },
  { operation: 'getRequestedReviewersByChangeRequestId', status: 200, call: ({ api, space, request }) => api.spaces.getRequestedReviewersByChangeRequestId(space, request), check: (body) => assert.equal(body.items.length, 1) },
  { operation: 'listChangeRequestsForSpace', status: 200, call: ({ api, space, reviewer }) => api.spaces.listChangeRequestsForSpace(space, { requestedReviewer: reviewer.user }), check: (body) => assert.equal(body.items.length, 1) },
  { operation: 'removeRequestedReviewerFromChangeRequest', status: 205, call: ({ api, space, request, reviewer }) => api.spaces.removeRequestedReviewerFromChangeRequest(space, request, reviewer.user) },
  { operation: 'removeRequestedReviewerFromChangeRequest', status: 204, call: ({ api, space, request, reviewer }) => api.spaces.removeRequestedReviewerFromChangeRequest(space, request, reviewer.user) },
  { operation: 'submitChangeRequestReview', status: 201, as: 'reviewer', call: ({ api, space, request }) => api.spaces.submitChangeRequestReview(space, request, { status: 'approved', comment: { markdown: 'Well put.' } }), check: (body, s) => { assert.equal(body.reviewer.id, s.reviewer.user); s.review = body.id; } },
  { operation: 'getReviewsByChangeRequestId', status: 200, call: ({ api, space, request }) => api.spaces.getReviewsByChangeRequestId(space, request), check: (body, s) => assert.deepEqual(body.items.map(({ id }) => id), [s.review]) },
  { operation: 'getChangeRequestReviewById', status: 200, call: ({ api, space, request, review }) => api.spaces.getChangeRequestReviewById(space, request, review, { format: 'markdown' }), check: (body) => assert.match(body.comment.body.markdown, /Well put/) },

  ...discussion({
    suffix: 'InChangeRequest',
    list: 'listCommentsInChangeRequest', place: (s) => [s.space, s.request], page: 'leaving',
    // The client sends the format of a new reply in the query here.
    replyQuery: [{ format: 'markdown' }],
  }),
  ...discussion({ suffix: 'InSpace', list: 'listCommentsInSpace', place: (s) => [s.space], page: 'home', replyQuery: [] }),

  // A second change request, which comes into conflict with the first
  { operation: 'createChangeRequest', status: 201, call: ({ api, space }) => api.spaces.createChangeRequest(space, { subject: 'Another pilot' }), check: (body, s) => { s.rival = body.id; } },
  { operation: 'updateChangeRequestContent', status: 200, request: ({ space, rival, arriving }) => ['POST', `/spaces/${space}/change-requests/${rival}/content`, { changes: [{ operation: 'update_page', page: arriving, document: { markdown: '# Arriving\n\nCall the pilot, Joan.\n' } }] }], check: (body, s) => assert.equal(body.id, s.rival) },
  { operation: 'previewChangeRequestMerge', status: 200, request: ({ space, request }) => ['GET', `/spaces/${space}/change-requests/${request}/merge-preview`], check: (body) => { assert.equal(body.mergeable, true); assert.deepEqual(body.conflicts, []); } },
  { operation: 'mergeChangeRequest', status: 200, call: ({ api, space, request }) => api.spaces.mergeChangeRequest(space, request), check: (body) => assert.equal(body.result, 'merge') },
  { operation: 'getPageById', status: 200, call: ({ api, space, arriving }) => api.spaces.getPageById(space, arriving, { format: 'markdown' }), check: (body) => assert.match(body.markdown, /Grace/) },
  { operation: 'getChangeRequestById', status: 200, call: ({ api, space, rival }) => api.spaces.getChangeRequestById(space, rival), check: (body) => assert.equal(body.outdated, true) },
  { operation: 'listChangeRequestConflicts', status: 200, request: ({ space, rival }) => ['GET', `/spaces/${space}/change-requests/${rival}/conflicts`], check: (body, s) => { assert.equal(body.items.length, 1); assert.equal(body.items[0].page.id, s.arriving); s.conflict = body.items[0].id; } },
  { operation: 'updateChangeRequest', status: 200, call: ({ api, space, rival }) => api.spaces.updateChangeRequest(space, rival), check: (body) => assert.equal(body.result, 'conflicts') },
  { operation: 'mergeChangeRequest', status: 200, call: ({ api, space, rival }) => api.spaces.mergeChangeRequest(space, rival), check: (body) => assert.equal(body.result, 'conflicts') },
  { operation: 'resolveChangeRequestConflicts', status: 200, request: ({ space, rival, conflict }) => ['POST', `/spaces/${space}/change-requests/${rival}/conflicts/resolve`, { resolutions: [{ conflict, choice: 'ours' }] }], check: (body) => assert.equal(body.result, 'update') },
  { operation: 'mergeChangeRequest', status: 200, call: ({ api, space, rival }) => api.spaces.mergeChangeRequest(space, rival), check: (body) => assert.equal(body.result, 'merge') },
  { operation: 'getPageById', status: 200, call: ({ api, space, arriving }) => api.spaces.getPageById(space, arriving, { format: 'markdown' }), check: (body) => assert.match(body.markdown, /Joan/) },
  { operation: 'revertChangeRequest', status: 200, request: ({ space, rival }) => ['POST', `/spaces/${space}/change-requests/${rival}/revert`] },
  { operation: 'getPageById', status: 200, call: ({ api, space, arriving }) => api.spaces.getPageById(space, arriving, { format: 'markdown' }), check: (body) => assert.match(body.markdown, /Grace/) },

  // Going back behind a merge that another one built on
  { operation: 'createChangeRequest', status: 201, call: ({ api, space }) => api.spaces.createChangeRequest(space, { subject: 'Call Amelia' }), check: (body, s) => { s.third = body.id; } },
  { operation: 'updateChangeRequestContent', status: 200, request: ({ space, third, arriving }) => ['POST', `/spaces/${space}/change-requests/${third}/content`, { changes: [{ operation: 'update_page', page: arriving, document: { markdown: '# Arriving\n\nCall the pilot, Amelia.\n' } }] }] },
  { operation: 'mergeChangeRequest', status: 200, call: ({ api, space, third }) => api.spaces.mergeChangeRequest(space, third), check: (body) => assert.equal(body.result, 'merge') },
  { operation: 'createChangeRequest', status: 201, call: ({ api, space }) => api.spaces.createChangeRequest(space, { subject: 'Call Bessie' }), check: (body, s) => { s.fourth = body.id; } },
  { operation: 'updateChangeRequestContent', status: 200, request: ({ space, fourth, arriving }) => ['POST', `/spaces/${space}/change-requests/${fourth}/content`, { changes: [{ operation: 'update_page', page: arriving, document: { markdown: '# Arriving\n\nCall the pilot, Bessie.\n' } }] }] },
  { operation: 'mergeChangeRequest', status: 200, call: ({ api, space, fourth }) => api.spaces.mergeChangeRequest(space, fourth), check: (body) => assert.equal(body.result, 'merge') },
  { operation: 'revertChangeRequest', status: 200, request: ({ space, third }) => ['POST', `/spaces/${space}/change-requests/${third}/revert`], check: (body, s) => { assert.equal(body.result, 'conflicts'); assert.equal(body.conflicts.length, 1); s.reversion = body.conflicts[0].id; } },
  { operation: 'getPageById', status: 200, call: ({ api, space, arriving }) => api.spaces.getPageById(space, arriving, { format: 'markdown' }), check: (body) => assert.match(body.markdown, /Bessie/) },
  { operation: 'revertChangeRequest', status: 200, request: ({ space, third, reversion }) => ['POST', `/spaces/${space}/change-requests/${third}/revert`, { resolutions: [{ conflict: reversion, choice: 'theirs' }] }], check: (body) => assert.notEqual(body.result, 'conflicts') },
  { operation: 'getPageById', status: 200, call: ({ api, space, arriving }) => api.spaces.getPageById(space, arriving, { format: 'markdown' }), check: (body) => assert.match(body.markdown, /Grace/) },

  // A single block goes back
  { operation: 'createChangeRequest', status: 201, call: ({ api, space }) => api.spaces.createChangeRequest(space, { subject: 'Half of it' }), check: (body, s) => { s.half = body.id; } },
  { operation: 'updateChangeRequestContent', status: 200, request: ({ space, half, arriving }) => ['POST', `/spaces/${space}/change-requests/${half}/content`, { changes: [{ operation: 'update_page', page: arriving, document: { markdown: '# Arriving\n\nCall the pilot, Harriet.\n\nWait outside.\n' } }] }] },
  { operation: 'getPageInChangeRequestById', status: 200, call: ({ api, space, half, arriving }) => api.spaces.getPageInChangeRequestById(space, half, arriving, { format: 'document' }), check: (body, s) => { s.waiting = body.document.nodes.at(-1).key; } },
  { operation: 'updateChangeRequestContent', status: 200, request: ({ space, half, arriving, waiting }) => ['POST', `/spaces/${space}/change-requests/${half}/content`, { changes: [{ operation: 'revert_page', page: arriving, block: [waiting] }] }] },
  { operation: 'getPageInChangeRequestById', status: 200, call: ({ api, space, half, arriving }) => api.spaces.getPageInChangeRequestById(space, half, arriving, { format: 'markdown' }), check: (body) => { assert.match(body.markdown, /Harriet/); assert.doesNotMatch(body.markdown, /Wait/); } },

  // Back to the repository
  {
    operation: 'exportToGitRepository', status: 204, call: ({ api, space, git }) => api.spaces.exportToGitRepository(space, { url: git.url, ref: git.ref, commitMessage: 'Export' }),
    check: async (_, { git }) => {
      await eventually(async () => (await git.head()) !== git.imported);
      assert.equal(await git.show('README.md'), repository['README.md'], 'what nobody touched is the same');
      assert.match(await git.show('guides/arriving.md'), /Grace/);
    },
  },

  // Who may do what
  { operation: 'createOrganizationTeam', status: 201, call: ({ api, organization, reviewer }) => api.orgs.createOrganizationTeam(organization, { title: 'Granted', members: [reviewer.user] }), check: (body, s) => { s.granted = body.id; } },
  ...permitted({ group: 'spaces', suffix: 'Space', id: (s) => s.space }),
  { operation: 'createCollection', status: 201, call: ({ api, organization }) => api.orgs.createCollection(organization, { title: 'Charts' }), check: (body, s) => { s.collection = body.id; } },
  ...permitted({ group: 'collections', suffix: 'Collection', id: (s) => s.collection }),

  // A site
  { operation: 'createSite', status: 201, call: ({ api, organization, space }) => api.orgs.createSite(organization, { title: 'Harbour docs', visibility: 'unlisted', spaces: [space] }), check: (body, s) => { assert.equal(body.siteSpaces, 1); assert.equal(body.published, false); assert.equal(body.urls.published, undefined); s.site = body.id; } },
  { operation: 'createSite', status: 400, call: ({ api, organization }) => api.orgs.createSite(organization, { title: 'x' }) },
  { operation: 'listSites', status: 200, call: ({ api, organization, space }) => api.orgs.listSites(organization, { space, title: 'harbour', published: false, type: ['basic'] }), check: (body, s) => assert.deepEqual(body.items.map(({ id }) => id), [s.site]) },
  { operation: 'listSites', status: 200, call: ({ api, organization }) => api.orgs.listSites(organization, { published: true }), check: (body) => assert.deepEqual(body.items, []) },
  { operation: 'getSiteById', status: 200, call: ({ api, organization, site }) => api.orgs.getSiteById(organization, site), check: (body, s) => assert.equal(body.id, s.site) },
  { operation: 'getSiteById', status: 404, call: ({ api, organization }) => api.orgs.getSiteById(organization, 'sit_unknown') },
  { operation: 'updateSiteById', status: 200, call: ({ api, organization, site }) => api.orgs.updateSiteById(organization, site, { basename: 'harbour-guide', visibility: 'public', proxy: 'example.com/docs/harbour' }), check: (body) => assert.equal(body.proxy.origin, 'example.com/docs/harbour') },
  { operation: 'updateSiteById', status: 400, call: ({ api, organization, site }) => api.orgs.updateSiteById(organization, site, { proxy: 'example.com/docs' }) },
  { operation: 'publishSite', status: 200, call: ({ api, organization, site }) => api.orgs.publishSite(organization, site), check: (body) => { assert.equal(body.published, true); assert.equal(body.urls.published, 'https://example.com/docs/harbour'); } },
  { operation: 'updateSiteById', status: 200, call: ({ api, organization, site }) => api.orgs.updateSiteById(organization, site, { proxy: null }), check: (body, s) => assert.equal(body.urls.published, `${s.server.url}/sites/harbour-guide`) },
  { operation: 'resolvePublishedContentByUrl', status: 200, call: ({ api, server }) => api.urls.resolvePublishedContentByUrl({ url: `${server.url}/sites/harbour-guide/guides/arriving`, visitor: { unsignedClaims: { beta: true } } }), check: (body, s) => assert.deepEqual([body.site, body.space, body.pathname, body.complete], [s.site, s.space, 'guides/arriving', true]) },
  { operation: 'resolvePublishedContentByUrl', status: 404, call: ({ api, server }) => api.urls.resolvePublishedContentByUrl({ url: `${server.url}/sites/unknown` }) },
  { operation: 'searchSiteContent', status: 200, call: ({ api, organization, site }) => api.orgs.searchSiteContent(organization, site, { query: 'pilot', mode: 'all' }), check: (body, s) => assert.deepEqual(body.items.map(({ id }) => id), [s.space]) },
  { operation: 'getEmbedByUrl', status: 200, call: ({ api, server }) => api.urls.getEmbedByUrl({ url: `${server.url}/` }), check: (body) => assert.equal(body.type, 'link') },
  { operation: 'getEmbedByUrlInSpace', status: 200, call: ({ api, server, space }) => api.spaces.getEmbedByUrlInSpace(space, { url: `${server.url}/` }), check: (body) => assert.equal(body.type, 'link') },
  { operation: 'getPublishedContentByUrl', status: 200, call: ({ api, server }) => api.urls.getPublishedContentByUrl({ url: `${server.url}/sites/harbour-guide` }), check: (body, s) => assert.equal(body.site, s.site) },
  { operation: 'getSpaceById', status: 200, call: ({ api, space }) => api.spaces.getSpaceById(space), check: (body, s) => { assert.equal(body.visibility, 'public'); assert.equal(body.urls.published, `${s.server.url}/sites/harbour-guide`); } },
  { operation: 'getSiteStructure', status: 200, call: ({ api, organization, site }) => api.orgs.getSiteStructure(organization, site), check: (body, s) => { assert.equal(body.type, 'siteSpaces'); s.siteSpace = body.structure[0].id; } },
  { operation: 'addSpaceToSite', status: 201, call: ({ api, organization, site, space }) => api.orgs.addSpaceToSite(organization, site, { spaceId: space }), check: (body, s) => { assert.equal(body.default, false); s.variant = body.id; } },
  { operation: 'getSiteSpaceById', status: 200, request: ({ organization, site, variant }) => ['GET', `/orgs/${organization}/sites/${site}/site-spaces/${variant}`] },
  { operation: 'listSiteSpaces', status: 200, call: ({ api, organization, site }) => api.orgs.listSiteSpaces(organization, site, { default: true }), check: (body, s) => assert.deepEqual(body.items.map(({ id }) => id), [s.siteSpace]) },
  { operation: 'updateSiteSpaceById', status: 200, call: ({ api, organization, site, variant }) => api.orgs.updateSiteSpaceById(organization, site, variant, { path: 'next', condition: 'visitor.claims.beta == true' }), check: (body, s) => assert.equal(body.urls.published, `${s.server.url}/sites/harbour-guide/next`) },
  { operation: 'moveSiteSpace', status: 200, call: ({ api, organization, site, siteSpace, variant }) => api.orgs.moveSiteSpace(organization, site, variant, { position: { before: { type: 'site-space', siteSpace } } }), check: (body) => assert.equal(body.default, false) },
  { operation: 'moveSiteSpace', status: 400, call: ({ api, organization, site, variant }) => api.orgs.moveSiteSpace(organization, site, variant, { position: { before: { type: 'site-space', siteSpace: 'ssp_unknown' } } }) },
  { operation: 'addSectionToSite', status: 201, call: ({ api, organization, site, space }) => api.orgs.addSectionToSite(organization, site, { spaceId: space, title: 'Pilots', icon: 'anchor' }), check: (body, s) => { assert.equal(body.default, false); s.section = body.id; } },
  { operation: 'getSiteSectionById', status: 200, request: ({ organization, site, section }) => ['GET', `/orgs/${organization}/sites/${site}/sections/${section}`] },
  { operation: 'listSiteSections', status: 200, call: ({ api, organization, site }) => api.orgs.listSiteSections(organization, site), check: (body, s) => { assert.equal(body.items.length, 2); assert.deepEqual(body.items[0].siteSpaces.map(({ id }) => id), [s.variant, s.siteSpace]); s.firstSection = body.items[0].id; } },
  { operation: 'updateSiteSectionById', status: 200, call: ({ api, organization, site, section }) => api.orgs.updateSiteSectionById(organization, site, section, { title: 'For pilots', path: 'pilots', icon: null, condition: null }), check: (body, s) => assert.equal(body.urls.published, `${s.server.url}/sites/harbour-guide/pilots`) },
  { operation: 'moveSiteSection', status: 200, call: ({ api, organization, site, section, firstSection }) => api.orgs.moveSiteSection(organization, site, section, { position: { before: { type: 'site-section', siteSection: firstSection } } }) },
  { operation: 'addSectionGroupToSite', status: 201, call: ({ api, organization, site, section }) => api.orgs.addSectionGroupToSite(organization, site, { title: 'People', sections: [section] }), check: (body, s) => { assert.deepEqual(body.sections.map(({ id }) => id), [s.section]); s.group = body.id; } },
  { operation: 'getSiteSectionGroupById', status: 200, request: ({ organization, site, group }) => ['GET', `/orgs/${organization}/sites/${site}/section-groups/${group}`] },
  { operation: 'listSiteSectionGroups', status: 200, call: ({ api, organization, site }) => api.orgs.listSiteSectionGroups(organization, site), check: (body) => assert.equal(body.items.length, 1) },
  { operation: 'updateSiteSectionGroupById', status: 200, call: ({ api, organization, site, group }) => api.orgs.updateSiteSectionGroupById(organization, site, group, { title: 'Crews' }), check: (body) => assert.equal(body.title, 'Crews') },
  { operation: 'addSectionToGroup', status: 201, call: ({ api, organization, site, group, firstSection }) => api.orgs.addSectionToGroup(organization, site, group, { sectionId: firstSection }), check: (body) => assert.equal(body.children.length, 2) },
  { operation: 'removeSectionFromGroup', status: 205, call: ({ api, organization, site, group, firstSection }) => api.orgs.removeSectionFromGroup(organization, site, group, firstSection) },
  { operation: 'removeSectionFromGroup', status: 204, call: ({ api, organization, site, group, firstSection }) => api.orgs.removeSectionFromGroup(organization, site, group, firstSection) },
  { operation: 'moveSiteSectionGroup', status: 200, call: ({ api, organization, site, group, firstSection }) => api.orgs.moveSiteSectionGroup(organization, site, group, { position: { after: { type: 'site-section', id: firstSection } } }) },
  { operation: 'sortSiteStructure', status: 200, call: ({ api, organization, site, group, firstSection }) => api.orgs.sortSiteStructure(organization, site, { item: { type: 'site-section-group', id: group }, position: { before: { type: 'site-section', id: firstSection } } }) },
  { operation: 'getSiteStructure', status: 200, call: ({ api, organization, site }) => api.orgs.getSiteStructure(organization, site), check: (body, s) => { assert.equal(body.type, 'sections'); assert.deepEqual(body.structure.map(({ id }) => id), [s.group, s.firstSection]); } },
  { operation: 'getSiteCustomizationById', status: 200, call: ({ api, organization, site }) => api.orgs.getSiteCustomizationById(organization, site), check: (body, s) => { s.customization = body; } },
  { operation: 'updateSiteCustomizationById', status: 200, call: ({ api, organization, site, customization }) => api.orgs.updateSiteCustomizationById(organization, site, { ...customization, styling: { ...customization.styling, theme: 'bold' }, favicon: { emoji: '2693' } }), check: (body) => assert.equal(body.styling.theme, 'bold') },
  { operation: 'updateSiteCustomizationById', status: 400, call: ({ api, organization, site, customization }) => api.orgs.updateSiteCustomizationById(organization, site, { ...customization, styling: { ...customization.styling, theme: 'loud' } }) },
  { operation: 'overrideSiteSpaceCustomizationById', status: 200, call: ({ api, organization, site, siteSpace }) => api.orgs.overrideSiteSpaceCustomizationById(organization, site, siteSpace, { styling: { theme: 'muted' } }), check: (body) => assert.equal(body.styling.theme, 'muted') },
  { operation: 'getSiteSpaceCustomizationById', status: 200, call: ({ api, organization, site, siteSpace }) => api.orgs.getSiteSpaceCustomizationById(organization, site, siteSpace), check: (body) => assert.deepEqual([body.styling.theme, body.favicon], ['muted', { emoji: '2693' }]) },
  { operation: 'getPublishedContentSite', status: 200, call: ({ api, organization, site }) => api.orgs.getPublishedContentSite(organization, site), check: (body, s) => { assert.equal(body.site.id, s.site); assert.deepEqual(Object.keys(body.customizations.siteSpaces), [s.siteSpace]); } },
  { operation: 'deleteSiteSpaceCustomizationById', status: 205, call: ({ api, organization, site, siteSpace }) => api.orgs.deleteSiteSpaceCustomizationById(organization, site, siteSpace) },
  { operation: 'getSiteAdaptiveSchema', status: 404, call: ({ api, organization, site }) => api.orgs.getSiteAdaptiveSchema(organization, site) },
  { operation: 'updateSiteAdaptiveSchema', status: 200, call: ({ api, organization, site }) => api.orgs.updateSiteAdaptiveSchema(organization, site, { jsonSchema: { type: 'object', properties: { beta: { type: 'boolean', description: 'Tries what is new' } }, additionalProperties: false } }) },
  { operation: 'getSiteAdaptiveSchema', status: 200, call: ({ api, organization, site }) => api.orgs.getSiteAdaptiveSchema(organization, site), check: (body) => assert.equal(body.jsonSchema.properties.beta.type, 'boolean') },
  { operation: 'listSiteAdaptiveTemplateConditions', status: 200, call: ({ api, organization, site }) => api.orgs.listSiteAdaptiveTemplateConditions(organization, site), check: (body) => assert.equal(body.items.length, 1) },
  { operation: 'createSiteShareLink', status: 201, call: ({ api, organization, site }) => api.orgs.createSiteShareLink(organization, site, { name: 'Friends' }), check: (body, s) => { s.shareLink = body.id; } },
  { operation: 'getSiteShareLinkById', status: 200, request: ({ organization, site, shareLink }) => ['GET', `/orgs/${organization}/sites/${site}/share-links/${shareLink}`] },
  { operation: 'listSiteShareLinks', status: 200, call: ({ api, organization, site }) => api.orgs.listSiteShareLinks(organization, site), check: (body) => assert.equal(body.items.length, 1) },
  { operation: 'updateSiteShareLinkById', status: 200, call: ({ api, organization, site, shareLink }) => api.orgs.updateSiteShareLinkById(organization, site, shareLink, { active: false }), check: (body) => { assert.equal(body.active, false); assert.equal(body.urls.published, undefined); } },
  { operation: 'deleteSiteShareLinkById', status: 205, call: ({ api, organization, site, shareLink }) => api.orgs.deleteSiteShareLinkById(organization, site, shareLink) },
  { operation: 'getSitePublishingAuthById', status: 200, call: ({ api, organization, site }) => api.orgs.getSitePublishingAuthById(organization, site), check: (body, s) => { s.privateKey = body.privateKey; } },
  { operation: 'updateSitePublishingAuthById', status: 200, call: ({ api, organization, site }) => api.orgs.updateSitePublishingAuthById(organization, site, { backend: 'custom', fallbackURL: 'https://example.com/login' }), check: (body) => assert.equal(body.fallbackURL, 'https://example.com/login') },
  { operation: 'regenerateSitePublishingAuthById', status: 200, call: ({ api, organization, site }) => api.orgs.regenerateSitePublishingAuthById(organization, site), check: (body, s) => assert.notEqual(body.privateKey, s.privateKey) },
  { operation: 'getSitePublishingPreviewById', status: 200, call: ({ api, organization, site, siteSpace }) => api.orgs.getSitePublishingPreviewById(organization, site, { siteSpace, claims: '{"beta":true}' }), check: (body) => assert.match(body.url, /preview=/) },
  { operation: 'listSiteIntegrationScripts', status: 200, call: ({ api, organization, site }) => api.orgs.listSiteIntegrationScripts(organization, site), check: (body) => assert.deepEqual(body, []) },
  { operation: 'createSiteRedirect', status: 201, call: ({ api, organization, site, siteSpace, home }) => api.orgs.createSiteRedirect(organization, site, { source: '/old', destination: { kind: 'site-page', siteSpaceId: siteSpace, pageId: home } }), check: (body, s) => { s.redirect = body.id; } },
  { operation: 'listSiteRedirects', status: 200, call: ({ api, organization, site }) => api.orgs.listSiteRedirects(organization, site, { search: 'ol' }), check: (body) => assert.equal(body.items.length, 1) },
  { operation: 'getSiteRedirectBySource', status: 200, call: ({ api, organization, site }) => api.orgs.getSiteRedirectBySource(organization, site, { source: '/old' }), check: (body, s) => assert.equal(body.redirect.id, s.redirect) },
  { operation: 'getSiteRedirectBySource', status: 404, call: ({ api, organization, site }) => api.orgs.getSiteRedirectBySource(organization, site, { source: '/unknown' }) },
  { operation: 'updateSiteRedirectById', status: 200, call: ({ api, organization, site, redirect, section }) => api.orgs.updateSiteRedirectById(organization, site, redirect, { source: '/older', destination: { kind: 'site-section', siteSectionId: section } }), check: (body) => assert.equal(body.source, '/older') },
  { operation: 'deleteSiteRedirectById', status: 205, call: ({ api, organization, site, redirect }) => api.orgs.deleteSiteRedirectById(organization, site, redirect) },
  { operation: 'listPermissionsAggregateInSite', status: 200, call: ({ api, organization, site }) => api.orgs.listPermissionsAggregateInSite(organization, site), check: (body, s) => assert.ok(body.items.some(({ user, permission }) => user.id === s.user && permission === 'admin')) },
  { operation: 'trackEventsInSiteById', status: 204, request: ({ organization, site }) => ['POST', `/orgs/${organization}/sites/${site}/insights/events`, { events: [{ type: 'page_view', session: {}, location: {} }] }] },
  { operation: 'deleteSiteSectionGroupById', status: 205, call: ({ api, organization, site, group }) => api.orgs.deleteSiteSectionGroupById(organization, site, group) },
  { operation: 'deleteSiteSectionById', status: 205, call: ({ api, organization, site, section }) => api.orgs.deleteSiteSectionById(organization, site, section) },
  { operation: 'deleteSiteSpaceById', status: 205, call: ({ api, organization, site, variant }) => api.orgs.deleteSiteSpaceById(organization, site, variant) },
  { operation: 'unpublishSite', status: 200, call: ({ api, organization, site }) => api.orgs.unpublishSite(organization, site), check: (body) => assert.equal(body.published, false) },
  { operation: 'deleteSiteById', status: 205, call: ({ api, organization, site }) => api.orgs.deleteSiteById(organization, site) },
  { operation: 'deleteSiteById', status: 204, call: ({ api, organization, site }) => api.orgs.deleteSiteById(organization, site) },

  // The space as a whole
  { operation: 'duplicateSpace', status: 201, call: ({ api, space }) => api.spaces.duplicateSpace(space), check: (body, s) => { assert.notEqual(body.id, s.space); s.copy = body.id; } },
  { operation: 'moveSpace', status: 200, call: ({ api, space, copy }) => api.spaces.moveSpace(copy, { position: { before: { type: 'space', space } } }) },
  { operation: 'moveSpace', status: 409, call: ({ api, space, copy }) => api.spaces.moveSpace(copy, { position: { before: { type: 'space', space } } }) },
  { operation: 'moveSpace', status: 400, call: ({ api, copy }) => api.spaces.moveSpace(copy, { position: { before: { type: 'space', space: 'spc_unknown' } } }) },

  // Collections
  { operation: 'createCollection', status: 201, call: ({ api, organization }) => api.orgs.createCollection(organization, { title: 'Shelf' }), check: (body, s) => { assert.equal(body.title, 'Shelf'); s.collection = body.id; } },
  { operation: 'createCollection', status: 201, call: ({ api, organization, collection }) => api.orgs.createCollection(organization, { title: 'Inner', parent: collection }), check: (body, s) => { assert.equal(body.parent, s.collection); s.inner = body.id; } },
  { operation: 'getCollectionById', status: 200, call: ({ api, collection }) => api.collections.getCollectionById(collection), check: (body) => assert.equal(body.permissions.create, true) },
  { operation: 'updateCollectionById', status: 200, call: ({ api, collection }) => api.collections.updateCollectionById(collection, { description: 'All of them', defaultLevel: 'read' }), check: (body) => assert.equal(body.defaultLevel, 'read') },
  { operation: 'listCollectionsInOrganizationById', status: 200, call: ({ api, organization }) => api.orgs.listCollectionsInOrganizationById(organization, { nested: false }), check: (body, s) => { const ids = body.items.map(({ id }) => id); assert.ok(ids.includes(s.collection)); assert.ok(!ids.includes(s.inner)); } },
  { operation: 'moveSpace', status: 200, call: ({ api, copy, inner }) => api.spaces.moveSpace(copy, { parent: inner }), check: (body, s) => assert.equal(body.parent, s.inner) },
  { operation: 'listSpacesInCollectionById', status: 200, call: ({ api, inner }) => api.collections.listSpacesInCollectionById(inner), check: (body, s) => assert.deepEqual(body.items.map(({ id }) => id), [s.copy]) },
  { operation: 'moveCollection', status: 400, call: ({ api, collection, inner }) => api.collections.moveCollection(collection, { parent: inner }) },
  { operation: 'moveCollection', status: 200, call: ({ api, inner, space }) => api.collections.moveCollection(inner, { parent: null, position: { before: { type: 'space', space } } }), check: (body) => assert.equal(body.parent, undefined) },
  { operation: 'transferCollection', status: 200, call: ({ api, collection, otherOrganization }) => api.collections.transferCollection(collection, { organization: otherOrganization }), check: (body, s) => assert.equal(body.organization, s.otherOrganization) },
  { operation: 'transferCollection', status: 409, call: ({ api, collection, otherOrganization }) => api.collections.transferCollection(collection, { organization: otherOrganization }) },
  { operation: 'deleteCollectionById', status: 205, call: ({ api, inner }) => api.collections.deleteCollectionById(inner) },
  { operation: 'deleteCollectionById', status: 204, call: ({ api, inner }) => api.collections.deleteCollectionById(inner) },
  { operation: 'transferSpace', status: 200, call: ({ api, copy, otherOrganization }) => api.spaces.transferSpace(copy, { organization: otherOrganization }), check: (body, s) => assert.equal(body.organization, s.otherOrganization) },
  { operation: 'transferSpace', status: 409, call: ({ api, copy, otherOrganization }) => api.spaces.transferSpace(copy, { organization: otherOrganization }) },
  { operation: 'deleteSpaceById', status: 205, call: ({ api, copy }) => api.spaces.deleteSpaceById(copy) },
  { operation: 'restoreSpace', status: 200, call: ({ api, copy }) => api.spaces.restoreSpace(copy), check: (body) => assert.equal(body.deletedAt, undefined) },
  { operation: 'deleteSpaceById', status: 204, call: ({ api }) => api.spaces.deleteSpaceById('spc_unknown') },
];

// The same steps through the permissions of a space and of a collection: group
// is where the client has them.
function permitted({ group, suffix, id }) {
  const step = (operation, status, arguments_, check) => ({ operation: operation + suffix, status, call: (s) => s.api[group][operation + suffix](id(s), ...arguments_(s)), check });
  const person = (s) => s.reviewer.user;
  return [
    step('inviteTo', 204, (s) => [{ role: 'edit', users: [person(s)] }]),
    step('inviteTo', 404, () => [{ role: 'edit', users: ['usr_unknown'] }]),
    step('listUserPermissionsIn', 200, () => [{}], (body, s) => assert.deepEqual(body.items.map(({ user, permission }) => [user.id, permission]), [[person(s), 'edit']])),
    step('updateUserPermissionIn', 204, (s) => [person(s), { role: 'comment' }]),
    step('listPermissionsAggregateIn', 200, () => [{ role: 'comment' }], (body, s) => assert.deepEqual(body.items.map(({ user }) => user.id), [person(s)])),
    step('listPermissionsAggregateIn', 200, () => [{}], (body, s) => assert.deepEqual(body.items.map(({ user, permission }) => [user.id, permission]), [[s.user, 'admin'], [person(s), 'comment']])),
    step('removeUserFrom', 205, (s) => [person(s)]),
    step('removeUserFrom', 204, (s) => [person(s)]),
    step('updateUserPermissionIn', 404, (s) => [person(s), { role: 'comment' }]),
    step('inviteTo', 204, (s) => [{ role: 'edit', teams: [s.granted] }]),
    step('inviteTo', 404, () => [{ role: 'edit', teams: ['tea_unknown'] }]),
    step('listTeamPermissionsIn', 200, () => [{}], (body, s) => assert.deepEqual(body.items.map(({ team, permission }) => [team.id, team.title, permission]), [[s.granted, 'Granted', 'edit']])),
    step('updateTeamPermissionIn', 204, (s) => [s.granted, { role: 'comment' }]),
    step('listPermissionsAggregateIn', 200, () => [{ role: 'comment' }], (body, s) => assert.deepEqual(body.items.map(({ user }) => user.id), [person(s)])),
    step('removeTeamFrom', 205, (s) => [s.granted]),
    step('removeTeamFrom', 204, (s) => [s.granted]),
    step('updateTeamPermissionIn', 404, (s) => [s.granted, { role: 'comment' }]),
  ];
}

// The same steps through the comments of a space and of a change request:
// place are the leading arguments of each call, page what the comment is on.
function discussion({ suffix, list, place, page, replyQuery }) {
  const methods = Object.fromEntries(['postComment', 'getComment', 'updateComment', 'deleteComment', 'postCommentReply', 'getCommentReply', 'updateCommentReply', 'deleteCommentReply', 'listCommentReplies', 'listCommenters'].map((name) => [name, `${name}${suffix}`]));
  const step = (operation, status, arguments_, check) => ({ operation, status, call: (s) => s.api.spaces[operation](...place(s), ...arguments_(s)), check });
  return [
    step(methods.postComment, 200, (s) => [{ page: s[page], body: { markdown: 'Is this **still** so?' } }], (body, s) => { assert.equal(body.target.page.id, s[page]); assert.equal(body.status, 'open'); s.comment = body.id; }),
    step(list, 200, () => [{ format: 'markdown', status: 'open', order: 'asc' }], (body, s) => assert.match(body.items.find(({ id }) => id === s.comment).body.markdown, /\*\*still\*\*/)),
    step(list, 200, (s) => [{ format: 'document', targetPage: s[page], authors: [s.user, s.reviewer.user] }], (body) => assert.equal(body.items[0].body.document.object, 'document')),
    step(methods.getComment, 200, (s) => [s.comment, { format: 'markdown' }], (body, s) => assert.equal(body.postedBy.id, s.user)),
    step(methods.updateComment, 200, (s) => [s.comment, { resolved: true, addedReactions: ['1f44d'] }], (body, s) => { assert.equal(body.status, 'resolved'); assert.equal(body.resolvedBy.id, s.user); assert.deepEqual(body.reactions.map(({ emoji, count }) => ({ emoji, count })), [{ emoji: '1f44d', count: 1 }]); }),
    step(methods.updateComment, 200, (s) => [s.comment, { resolved: false, removedReactions: ['1f44d'], body: { markdown: 'Is this so?' } }], (body) => { assert.equal(body.status, 'open'); assert.equal(body.resolvedAt, undefined); assert.deepEqual(body.reactions, []); assert.notEqual(body.editedAt, undefined); }),
    step(methods.postCommentReply, 200, (s) => [s.comment, { body: { markdown: 'It is.' } }, ...replyQuery], (body, s) => { s.reply = body.id; }),
    step(methods.listCommentReplies, 200, (s) => [s.comment, { format: 'markdown' }], (body) => assert.deepEqual(body.items.map((reply) => reply.body.markdown.trim()), ['It is.'])),
    step(methods.getCommentReply, 200, (s) => [s.comment, s.reply], (body, s) => assert.equal(body.id, s.reply)),
    step(methods.updateCommentReply, 200, (s) => [s.comment, s.reply, { body: { markdown: 'It is not.' }, addedReactions: ['1f440'] }], (body) => assert.equal(body.reactions.length, 1)),
    step(methods.getComment, 200, (s) => [s.comment], (body, s) => { assert.equal(body.replies, 1); assert.deepEqual(body.repliers.map(({ user, count }) => [user.id, count]), [[s.user, 1]]); }),
    step(methods.listCommenters, 200, () => [], (body, s) => assert.ok(body.items.some(({ user }) => user.id === s.user))),
    step(methods.deleteCommentReply, 205, (s) => [s.comment, s.reply]),
    step(methods.deleteCommentReply, 204, (s) => [s.comment, s.reply]),
    step(methods.deleteComment, 205, (s) => [s.comment]),
    step(methods.deleteComment, 204, (s) => [s.comment]),
  ];
}

for (const database of databases) {
  describe(`the official client on ${database.name}`, () => {
    const state = {};
    before(async () => {
      state.git = await serveRepository(repository);
      state.git.imported = await state.git.head();
      state.server = await startServer(database, { OCTAVO_ALLOW_PRIVATE_NETWORK: 'true' });
      await prepare(state);
    });
    after(async () => {
      await state.git?.close();
      await state.server?.stop();
    });

    for (const [index, row] of scenario.entries()) {
      test(`${index + 1}. ${row.operation} answers ${row.status}`, () => perform(row, state));
    }

    test('every operation of the server is in the scenario', async () => {
      const driven = new Set(scenario.map(({ operation }) => operation));
      const missing = (await servedOperations(state.server)).filter(({ operationId }) => !driven.has(operationId));
      assert.deepEqual(missing, []);
    });

    test('what the official document lacks is marked as an addition', async () => {
      for (const operation of await servedOperations(state.server)) {
        assert.equal(operation['x-octavo'] ?? false, !isOfficial(operation.operationId), operation.operationId);
      }
    });
  });
}

async function prepare(state) {
  const { organizations, templates } = await state.server.graphql('{ organizations(first: 1) { nodes { id } } templates { id } }');
  state.organization = organizations.nodes[0].id;
  state.template = templates[0].id;
  const { createOrganization } = await state.server.graphql('mutation Create($input: CreateOrganizationInput!) { createOrganization(input: $input) { organization { id } } }', { input: { title: 'Other harbour' } });
  state.otherOrganization = createOrganization.organization.id;
  state.admin = new OfficialClient(state.server);
  state.reviewer = await createReviewer(state.server, state.organization);
}

async function createReviewer(server, organization) {
  const user = (await server.command('user', 'create', '--email', 'grace@example.com', '--name', 'Grace Reviewer', '--organization', organization, '--role', 'review')).match(/usr_\w+/)[0];
  const token = (await server.command('token', 'create', '--user', user)).match(/oct_[\w-]+/)[0];
  const client = new OfficialClient(server, token);
  return { user, client };
}

async function perform(row, state) {
  const client = row.as === 'reviewer' ? state.reviewer.client : state.admin;
  const once = () => row.request
    ? client.send(...row.request(state))
    : client.drive(row.operation, (api) => row.call({ ...state, api }));
  const exchange = await (row.until ? eventually(once, ({ body }) => row.until(body, state)) : once());
  assert.equal(exchange.status, row.status, JSON.stringify(exchange.body));
  if (isOfficial(row.operation) && hasLocation(row.operation, row.status)) {
    await checkLocation(client, exchange.headers.get('location'));
  }
  await row.check?.(exchange.body, state, exchange);
}

async function checkLocation(client, location) {
  assert.ok(location?.startsWith(`${client.server.url}/v1/`), `Location is ${location}`);
  const response = await client.server.fetch(location);
  assert.equal(response.status, 200, location);
}

// Repeats what happens in the background of the server is waited for with.
async function eventually(attempt, holds = Boolean) {
  for (const deadline = Date.now() + patience; Date.now() < deadline;) {
    const result = await attempt();
    if (holds(result)) {
      return result;
    }
    await delay(100);
  }
  throw new Error(`nothing came of it within ${patience} ms`);
}

async function servedOperations(server) {
  const document = await (await server.fetch('/v1/openapi.json')).json();
  return Object.values(document.paths).flatMap((item) => Object.values(item)).filter(({ operationId }) => operationId !== undefined);
}

// The names of the files that are the scenario's own; those of the template are not.
function names(files, { file, pilot }) {
  return files.filter(({ id }) => id === file || id === pilot).map(({ name }) => name).sort();
}

function outline({ title, pages = [] }) {
  return { title, pages: pages.map(outline) };
}
