// Writes the examples of the CommonMark specification as JSON, an array of
// {markdown, html, section, number}, into the file that is named as argument.
import { writeFile } from 'node:fs/promises';
import specification from 'commonmark-spec';

const [target] = process.argv.slice(2);
if (!target) {
  throw new Error('usage: node commonmark.mjs FILE');
}
// The specification writes a tab as an arrow, to show it.
const examples = specification.tests.map((example) => ({
  ...example,
  markdown: example.markdown.replaceAll('→', '\t'),
  html: example.html.replaceAll('→', '\t'),
}));
await writeFile(target, `${JSON.stringify(examples, null, 1)}\n`);
console.log(`${examples.length} examples`);
