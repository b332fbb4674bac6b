import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { serverAudits } from 'graphql-http';
import { startServer } from '../support/server.mjs';

// The audits send no header but their own, so that each request is given the token.
function authorized(server) {
  return (url, init = {}) => fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${server.token}` } });
}

describe('GraphQL over HTTP', () => {
  let server;
  before(async () => { server = await startServer(); });
  after(() => server?.stop());

  const audits = serverAudits({ url: () => `${server.url}/graphql`, fetchFn: (url, init) => authorized(server)(url, init) });

  test('there are 61 audits', () => {
    assert.equal(audits.length, 61);
  });

  for (const audit of audits) {
    test(audit.name, async () => {
      const result = await audit.fn();
      assert.equal(result.status, 'ok', result.reason);
    });
  }
});
