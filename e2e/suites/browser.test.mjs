import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { artifacts, startBrowser, Watch } from '../support/browser.mjs';
import { startServer } from '../support/server.mjs';

describe('the pages in a browser', () => {
  let server;
  let browser;
  before(async () => {
    server = await startServer();
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  let context;
  let page;
  let watch;
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
    watch = new Watch(context, server.url);
    await watch.ready;
    page = await context.newPage();
  });
  afterEach(async ({ name }) => {
    await page.screenshot({ path: `${artifacts}${name.replaceAll(/\W+/g, '-')}.png` });
    await context.close();
    watch.verify();
  });

  async function giveToken() {
    await page.getByLabel('Access token').fill(server.token);
    await page.getByRole('button', { name: 'Use', exact: true }).click();
    assert.equal(await page.locator('#token-state').textContent(), 'in use');
  }

  async function type(query) {
    await page.locator('.graphiql-query-editor .CodeMirror').click();
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Delete');
    // insertText leaves out the completion of brackets that key presses set off.
    await page.keyboard.insertText(query);
  }

  // Runs what is in the editor and returns the result that it shows. The editor
  // takes a moment to notice which operation it holds.
  async function run(operationName) {
    await page.waitForFunction((name) => document.querySelector('.graphiql-query-editor .CodeMirror').CodeMirror.operationName === name, operationName);
    const answered = page.waitForResponse((response) => response.request().postDataJSON()?.operationName === operationName);
    await page.getByRole('button', { name: /^Execute query/ }).click();
    const result = await (await answered).json();
    assert.equal(result.errors, undefined, operationName);
    return result.data;
  }

  test('a query typed in the playground returns data', async () => {
    await page.goto(`${server.url}/playground`);
    await giveToken();
    await type('query Typed { viewer { id displayName } }');
    const { viewer } = await run('Typed');
    assert.match(viewer.id, /^usr_/);
    await page.locator('.result-window', { hasText: viewer.id }).waitFor();
  });

  test('every example of the playground runs', async () => {
    await page.goto(`${server.url}/playground`);
    await giveToken();
    const { examples } = JSON.parse(await page.locator('#configuration').textContent());
    assert.notEqual(examples.length, 0, 'there are examples');
    for (const { title, query } of examples) {
      const [, kind, name] = query.match(/^(query|mutation|subscription) (\w+)/) ?? [];
      assert.ok(name, `the operation of "${title}" has a name`);
      await page.locator('.graphiql-tab-button', { hasText: name }).click();
      // A subscription says nothing until something happens.
      if (kind !== 'subscription') {
        assert.notEqual(await run(name), null);
      }
    }
  });

  test('the token is shared by both pages, and by no other tab', async () => {
    await page.goto(`${server.url}/playground`);
    await giveToken();
    await page.goto(`${server.url}/reference`);
    assert.equal(await page.getByLabel('Access token').inputValue(), server.token);

    const other = await context.newPage();
    await other.goto(`${server.url}/playground`);
    assert.equal(await other.getByLabel('Access token').inputValue(), '');
  });

  test('an operation of the reference can be tried', async () => {
    await page.goto(`${server.url}/reference`);
    await giveToken();
    const operation = page.locator('#operations-users-getAuthenticatedUser');
    await page.locator('#operations-tag-users').click();
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
    const answered = page.waitForResponse(`${server.url}/v1/user`);
    await operation.getByRole('button', { name: 'Execute' }).click();
    const response = await answered;
    assert.equal(response.status(), 200);
    const { id } = await response.json();
    assert.match(id, /^usr_/);
    await operation.locator('.live-responses-table', { hasText: id }).waitFor();
  });
});
