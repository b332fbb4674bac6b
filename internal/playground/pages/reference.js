import { readConfiguration, showFailure } from './page.js';
import { authorization, connectTokenForm } from './token.js';

const container = document.getElementById('reference');

if (window.SwaggerUIBundle) {
  start();
} else {
  showFailure(container, 'The reference could not be loaded. Build with its files embedded, or allow this page to reach their public address.');
}

async function start() {
  connectTokenForm(() => {});
  const address = new URL(readConfiguration().document, document.baseURI);
  try {
    show(await read(address));
  } catch (error) {
    showFailure(container, `${address} could not be read: ${error.message}`);
  }
}

async function read(address) {
  const response = await fetch(address, { headers: authorization() });
  if (!response.ok) {
    throw new Error(`${response.status} ${response.statusText}`);
  }
  return response.json();
}

function show(description) {
  SwaggerUIBundle({
    spec: { ...description, servers: description.servers?.map(here) },
    domNode: container,
    presets: [SwaggerUIBundle.presets.apis],
    deepLinking: true,
    docExpansion: 'none',
    filter: true,
    displayRequestDuration: true,
    validatorUrl: null,
    requestInterceptor: authorize,
  });
}

// The document names the server by its configured address; requests go to the
// one that this page was opened at, which the browser may know by another name.
function here(server) {
  const address = new URL(server.url, document.baseURI);
  return { ...server, url: location.origin + address.pathname };
}

function authorize(request) {
  const own = new URL(request.url, document.baseURI).origin === location.origin;
  if (own && !request.headers.Authorization) {
    Object.assign(request.headers, authorization());
  }
  return request;
}
