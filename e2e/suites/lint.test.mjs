import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import graphqlPlugin from '@graphql-eslint/eslint-plugin';
import spectralCore from '@stoplight/spectral-core';
import parsers from '@stoplight/spectral-parsers';
import rulesets from '@stoplight/spectral-rulesets';
import { ESLint } from 'eslint';

const { Document, Spectral } = spectralCore;
const repository = fileURLToPath(new URL('../..', import.meta.url));
const schemaFolder = `${repository}graph/schema`;

const relayRules = {
  '@graphql-eslint/relay-arguments': ['error', { includeBoth: true }],
  '@graphql-eslint/relay-connection-types': 'error',
  // Search hits, links and files of a revision have no global id, and every
  // connection has nodes beside its edges.
  '@graphql-eslint/relay-edge-types': ['error', { withEdgeSuffix: true, shouldImplementNode: false, listTypeCanWrapOnlyEdgeType: false }],
  '@graphql-eslint/relay-page-info': 'error',
};

test('the GraphQL schema keeps to the Relay conventions', async () => {
  const files = (await readdir(schemaFolder)).filter((name) => name.endsWith('.graphqls')).map((name) => `${schemaFolder}/${name}`);
  assert.notEqual(files.length, 0, 'there is a schema');
  const eslint = new ESLint({
    cwd: schemaFolder,
    overrideConfigFile: true,
    overrideConfig: [{
      files: ['**/*.graphqls'],
      plugins: { '@graphql-eslint': graphqlPlugin },
      languageOptions: { parser: graphqlPlugin.parser, parserOptions: { graphQLConfig: { schema: files } } },
      rules: relayRules,
    }],
  });
  const results = await eslint.lintFiles(files);
  assert.equal(results.length, files.length);
  assert.deepEqual(results.flatMap(({ filePath, messages }) => messages.map(({ line, message, ruleId }) => `${filePath}:${line}: ${message} (${ruleId})`)), []);
});

test('Spectral finds nothing in the OpenAPI document', async () => {
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [rulesets.oas] });
  const source = `${repository}rest/openapi.yaml`;
  const findings = await spectral.run(new Document(await readFile(source, 'utf8'), parsers.Yaml, source));
  assert.deepEqual(findings.map(({ code, message, path, range }) => `${range.start.line + 1}: ${message} (${code}, ${path.join('.')})`), []);
});
