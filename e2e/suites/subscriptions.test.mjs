import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient as createSocketClient } from 'graphql-ws';
import { createClient as createEventClient } from 'graphql-sse';
import { WebSocket } from 'ws';
import { databases, startServer } from '../support/server.mjs';

const patience = 20_000;

// The transports, each driven by its usual client, without retries of its own.
const transports = [
  {
    name: 'graphql-transport-ws',
    connect: (url, token) => createSocketClient({
      url: `${url.replace(/^http/, 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: token && { Authorization: `Bearer ${token}` },
      retryAttempts: 0,
    }),
  },
  {
    name: 'SSE',
    connect: (url, token) => createEventClient({
      url: `${url}/graphql`,
      headers: token ? { Authorization: `Bearer ${token}` } : {},
      retryAttempts: 0,
    }),
  },
];

const commentAdded = `subscription Comments($space: ID!) {
  commentAdded(space: $space) {
    __typename
    ... on Comment { id body { markdown } }
    ... on CommentReply { id }
  }
}`;
const changeRequestUpdated = 'subscription Request($id: ID!) { changeRequestUpdated(changeRequest: $id) { id subject revision { id } } }';
const spaceContentUpdated = 'subscription Content($id: ID!) { spaceContentUpdated(space: $id) { id revision { id } } }';

for (const database of databases) {
  describe(`subscriptions on ${database.name}`, () => {
    let server;
    let space;
    before(async () => {
      server = await startServer(database);
      const { organizations } = await server.graphql('{ organizations(first: 1) { nodes { id } } }');
      const { createSpace } = await server.graphql(
        'mutation Create($input: CreateSpaceInput!) { createSpace(input: $input) { space { id } } }',
        { input: { organization: organizations.nodes[0].id, title: 'Watched', editMode: 'LIVE' } },
      );
      space = createSpace.space.id;
    });
    after(() => server?.stop());

    async function postComment(markdown) {
      const { postComment: { comment } } = await server.graphql(
        'mutation Post($input: PostCommentInput!) { postComment(input: $input) { comment { id } } }',
        { input: { space, body: { markdown } } },
      );
      return comment.id;
    }

    async function reply(comment) {
      const { postCommentReply } = await server.graphql(
        'mutation Reply($input: PostCommentReplyInput!) { postCommentReply(input: $input) { commentReply { id } } }',
        { input: { comment, body: { markdown: 'A reply' } } },
      );
      return postCommentReply.commentReply.id;
    }

    async function createChangeRequest() {
      const { createChangeRequest: { changeRequest } } = await server.graphql(
        'mutation Create($input: CreateChangeRequestInput!) { createChangeRequest(input: $input) { changeRequest { id } } }',
        { input: { space, subject: 'Watched' } },
      );
      return changeRequest.id;
    }

    async function rename(changeRequest, subject) {
      await server.graphql(
        'mutation Rename($input: UpdateChangeRequestInput!) { updateChangeRequest(input: $input) { changeRequest { id } } }',
        { input: { changeRequest, subject } },
      );
      return subject;
    }

    async function addPage(title) {
      const { updateSpaceContent } = await server.graphql(
        'mutation Add($input: UpdateSpaceContentInput!) { updateSpaceContent(input: $input) { revision { id } } }',
        { input: { space, changes: [{ insertPage: { document: { markdown: `# ${title}\n` } } }] } },
      );
      return updateSpaceContent.revision.id;
    }

    for (const { name, connect } of transports) {
      test(`comments and replies are told over ${name}, in order and once`, async () => {
        const events = await subscribe(connect(server.url, server.token), commentAdded, { space }, () => postComment('Is anybody there?'));
        const marker = await postComment('From here on');
        await events.until(({ commentAdded: { id } }) => id === marker);

        const comment = await postComment('The first');
        assert.deepEqual(await events.next(), { commentAdded: { __typename: 'Comment', id: comment, body: { markdown: 'The first' } } });
        const answer = await reply(comment);
        assert.deepEqual(await events.next(), { commentAdded: { __typename: 'CommentReply', id: answer } });
        await events.close();
      });

      test(`updates of a change request are told over ${name}`, async () => {
        const id = await createChangeRequest();
        const events = await subscribe(connect(server.url, server.token), changeRequestUpdated, { id }, () => rename(id, 'Is anybody there?'));
        await rename(id, 'Renamed');
        await events.until(({ changeRequestUpdated: updated }) => updated.id === id && updated.subject === 'Renamed');
        await events.close();
      });

      test(`new content of a space is told over ${name}`, async () => {
        const events = await subscribe(connect(server.url, server.token), spaceContentUpdated, { id: space }, () => addPage('Is anybody there?'));
        const revision = await addPage('New');
        await events.until(({ spaceContentUpdated: updated }) => updated.id === space && updated.revision.id === revision);
        await events.close();
      });

      for (const [caller, token] of [['nobody', undefined], ['an unknown token', 'oct_unknown']]) {
        test(`${caller} is told nothing over ${name}`, async () => {
          const client = connect(server.url, token);
          await assert.rejects(async () => {
            for await (const { data, errors } of client.iterate({ query: commentAdded, variables: { space } })) {
              assert.equal(data ?? null, null);
              throw new Error(errors[0].message);
            }
          });
          await client.dispose();
        });
      }
    }

    if (database.name === 'PostgreSQL') {
      test('what happens at one replica is told at another', async () => {
        const other = await server.replica();
        try {
          const events = await subscribe(transports[0].connect(other.url, server.token), commentAdded, { space }, () => postComment('Is anybody there?'));
          const comment = await postComment('Across');
          await events.until(({ commentAdded: { id } }) => id === comment);
          await events.close();
        } finally {
          await other.stop();
        }
      });
    }
  });
}

// Subscribes and returns once the subscription is known to be live. No client
// can tell that moment, so that call is repeated until an event of it comes
// back; events of its other calls may still follow.
async function subscribe(client, query, variables, call) {
  const iterator = client.iterate({ query, variables });
  const first = iterator.next();
  let heard = false;
  for (const deadline = Date.now() + patience; !heard && Date.now() < deadline;) {
    await call();
    heard = await Promise.race([first.then(() => true), delay(250, false)]);
  }
  dataOf(await within(first));

  const next = async () => dataOf(await within(iterator.next()));
  return { next, until: (holds) => until(next, holds), close: () => client.dispose() };
}

async function until(next, holds) {
  for (const deadline = Date.now() + patience; Date.now() < deadline;) {
    if (holds(await next())) {
      return;
    }
  }
  throw new Error(`the event did not come within ${patience} ms`);
}

function dataOf({ done, value }) {
  assert.equal(done, false, 'the subscription goes on');
  assert.equal(value.errors, undefined);
  return value.data;
}

function within(promise) {
  return Promise.race([promise, delay(patience, undefined, { ref: false }).then(() => { throw new Error(`nothing was told within ${patience} ms`); })]);
}
