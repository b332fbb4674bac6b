import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { databases, startServer } from '../support/server.mjs';

// OCTAVO_CORPUS names directories of real documentation.
const corpora = (process.env.OCTAVO_CORPUS ?? '').split(path.delimiter).filter(Boolean);
const sentence = 'This sentence is new.';

for (const corpus of corpora) {
  for (const database of databases) {
    describe(`${path.basename(corpus)} on ${database.name}`, () => {
      const original = new Map();
      let server;
      let exports;
      let space;
      let page;
      let request;
      before(async () => {
        exports = await mkdtemp(path.join(tmpdir(), 'octavo-e2e-export-'));
        await readInto(original, corpus);
        server = await startServer(database);
      });
      after(async () => {
        await server?.stop();
        await rm(exports, { recursive: true, force: true });
      });

      async function rest(method, target, body) {
        const response = await server.fetch(`/v1/spaces/${space}${target}`, { method, body });
        const answer = await response.json();
        assert.equal(response.status, 200, JSON.stringify(answer));
        return answer;
      }

      async function exported(name) {
        const directory = path.join(exports, name);
        await server.command('export', '--space', space, directory);
        return readInto(new Map(), directory);
      }

      test('is imported by command while the server runs', async () => {
        const { organizations } = await server.graphql('{ organizations(first: 1) { nodes { id } } }');
        const printed = await server.command('import', '--organization', organizations.nodes[0].id, '--title', 'Corpus', corpus);
        space = printed.match(/^space (spc_\w+)$/m)[1];
        const { pages } = await rest('GET', '/content/pages');
        assert.equal(Number(printed.match(/^(\d+) pages/m)[1]), count(pages));
      });

      test('is exported byte for byte', async () => {
        assert.deepEqual(differences(original, await exported('untouched')), []);
      });

      test('reads the same by GraphQL and REST', async () => {
        const { space: { revision: { pages } } } = await server.graphql(
          'query Pages($id: ID!) { space(id: $id) { revision { pages { ...outline markdown pages { ...outline pages { ...outline } } } } } } fragment outline on Page { id title path }', { id: space });
        const listed = await rest('GET', '/content/pages');
        assert.deepEqual(outlines(pages, 3), outlines(listed.pages, 3));
        for (const { id, markdown } of pages.filter(({ markdown }) => markdown !== null)) {
          assert.equal((await rest('GET', `/content/page/${id}?format=markdown`)).markdown, markdown);
        }
        page = documents(listed.pages).find(({ pages: below }) => below.length === 0);
      });

      test('is edited in a change request, which is merged', async () => {
        const created = await server.graphql(
          'mutation Create($input: CreateChangeRequestInput!) { createChangeRequest(input: $input) { changeRequest { id } } }',
          { input: { space, subject: 'Add a sentence' } });
        request = created.createChangeRequest.changeRequest.id;
        const { markdown } = await rest('GET', `/content/page/${page.id}?format=markdown`);
        await rest('POST', `/change-requests/${request}/content`, {
          changes: [{ operation: 'update_page', page: page.id, document: { markdown: `${markdown.trimEnd()}\n\n${sentence}\n` } }],
        });
        const { changes } = await rest('GET', `/change-requests/${request}/changes`);
        assert.deepEqual(changes.map((change) => [change.type, change.page.id]), [['page_edited', page.id]]);
        assert.equal((await rest('POST', `/change-requests/${request}/merge`)).result, 'merge');
      });

      test('is exported with that edit alone', async () => {
        const files = await exported('edited');
        assert.deepEqual(differences(original, files), [page.git.path]);
        const lines = files.get(page.git.path).toString().split('\n');
        const before = original.get(page.git.path).toString().split('\n');
        assert.ok(lines.includes(sentence));
        assert.deepEqual(lines.filter((line) => line !== '' && line !== sentence), before.filter((line) => line !== ''));
      });
    });
  }
}

async function readInto(files, directory) {
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) {
      const name = path.join(entry.parentPath ?? entry.path, entry.name);
      files.set(path.relative(directory, name).replaceAll(path.sep, '/'), await readFile(name));
    }
  }
  return files;
}

// The names of the files that are not the same in both.
function differences(one, other) {
  return [...new Set([...one.keys(), ...other.keys()])].filter((name) => !(one.has(name) && other.get(name)?.equals(one.get(name)))).sort();
}

function count(pages) {
  return pages.reduce((sum, { pages: below = [] }) => sum + 1 + count(below), 0);
}

// What the first levels of a page tree are.
function outlines(pages, levels) {
  return levels === 0 ? [] : pages.map(({ id, title, path: location, pages: below }) => ({ id, title, location, below: outlines(below ?? [], levels - 1) }));
}

function documents(pages) {
  return pages.flatMap((each) => [...(each.type === 'document' ? [each] : []), ...documents(each.pages ?? [])]);
}
