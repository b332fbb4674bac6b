import { createRequire } from 'node:module';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';

const require = createRequire(import.meta.url);

// The OpenAPI document that the official client is generated from.
const document = require('@gitbook/api/spec/openapi.json');
const methods = ['get', 'post', 'put', 'patch', 'delete'];

// The document is used as published, but for two things that no answer could
// satisfy otherwise:
//
// - Alternatives of its oneOf overlap (a page with documentId is also one
//   without), so that oneOf is read as anyOf.
// - The third alternative of Document, "Empty", forbids every property, and
//   with them the other properties of whatever it is combined with by allOf: a
//   page without a body would be invalid. It is opened.
//
// The rest is translation: OpenAPI 3.0 says nullable where JSON Schema says null.
const schemas = prepare(document);

function prepare(published) {
  const copy = structuredClone(published);
  const empty = copy.components.schemas.Document.oneOf[2];
  if (empty.title !== 'Empty' || empty.additionalProperties !== false) {
    throw new Error('the third alternative of Document is not the one that is known');
  }
  delete empty.additionalProperties;
  return translate(copy);
}

function translate(node) {
  if (Array.isArray(node)) {
    return node.map(translate);
  }
  if (node === null || typeof node !== 'object') {
    return node;
  }
  const translated = {};
  for (const [key, value] of Object.entries(node)) {
    translated[key === 'oneOf' && Array.isArray(value) ? 'anyOf' : key] = translate(value);
  }
  return translated.nullable === true ? orNull(translated) : translated;
}

function orNull({ nullable, ...schema }) {
  return { anyOf: [schema, { type: 'null' }] };
}

const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: true });
addFormats(ajv);
// Formats of the client's own, which say nothing that could be checked.
ajv.addFormat('emoji', true);
ajv.addFormat('icon', true);
ajv.addSchema(schemas, 'contract');

const operations = new Map();
for (const [path, item] of Object.entries(schemas.paths)) {
  for (const method of methods) {
    if (item[method]) {
      operations.set(item[method].operationId, { path, method, responses: item[method].responses });
    }
  }
}

export function isOfficial(operationId) {
  return operations.has(operationId);
}

// A pattern of the method and path of an operation's requests.
export function pathOf(operationId) {
  const { method, path } = known(operationId);
  const segments = path.split(/\{[^}]+\}/).map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${method} /v1${segments.join('[^/]+')}$`);
}

// Whether a status has a Location, as the document declares it.
export function hasLocation(operationId, status) {
  return resolve(known(operationId).responses[status])?.headers?.Location !== undefined;
}

// Reports what is wrong with an answer to an operation: nothing, or messages.
// body is the parsed JSON, undefined where the answer had no body.
export function violations(operationId, status, body) {
  const { responses } = known(operationId);
  const response = resolve(responses[status] ?? responses.default);
  if (!response) {
    return [`${operationId} does not declare the status ${status}`];
  }
  const schema = response.content?.['application/json']?.schema;
  if (!schema) {
    return body === undefined ? [] : [`${operationId} declares no body for ${status}`];
  }
  if (body === undefined) {
    return [`${operationId} declares a body for ${status}`];
  }
  return check(schema, body).map((message) => `${operationId} ${status}: ${message}`);
}

function known(operationId) {
  const operation = operations.get(operationId);
  if (!operation) {
    throw new Error(`${operationId} is not an operation of the official document`);
  }
  return operation;
}

function resolve(response) {
  const name = response?.$ref?.split('/').pop();
  return name ? schemas.components.responses[name] : response;
}

const validators = new WeakMap();

function check(schema, body) {
  if (!validators.has(schema)) {
    validators.set(schema, ajv.compile(absolute(schema)));
  }
  const validate = validators.get(schema);
  return validate(body) ? [] : validate.errors.map(({ instancePath, message, params }) => `${instancePath || '/'} ${message} ${JSON.stringify(params)}`);
}

// A schema that is compiled by itself refers to the document by its name.
function absolute(node) {
  if (Array.isArray(node)) {
    return node.map(absolute);
  }
  if (node === null || typeof node !== 'object') {
    return node;
  }
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [
    key,
    key === '$ref' && typeof value === 'string' && value.startsWith('#') ? `contract${value}` : absolute(value),
  ]));
}
