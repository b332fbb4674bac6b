import { readConfiguration, showFailure } from './page.js';
import { authorization, connectTokenForm } from './token.js';

const container = document.getElementById('editor');
const configuration = readConfiguration();
const endpoint = new URL(configuration.endpoint, document.baseURI);
const subscriptions = new URL(endpoint);
subscriptions.protocol = endpoint.protocol === 'https:' ? 'wss:' : 'ws:';

if (window.GraphiQL) {
  start();
} else {
  showFailure(container, 'The editor could not be loaded. Build with its files embedded, or allow this page to reach their public address.');
}

function start() {
  const root = ReactDOM.createRoot(container);
  const show = () => root.render(editor());
  connectTokenForm(show);
  show();
}

// A new fetcher makes the editor read the schema again, as the new caller.
function editor() {
  return React.createElement(GraphiQL, {
    fetcher: createFetcher(),
    defaultTabs: configuration.examples?.map(tab),
    defaultEditorToolsVisibility: true,
  });
}

function createFetcher() {
  const caller = authorization();
  return GraphiQL.createFetcher({
    url: endpoint.href,
    headers: caller,
    subscriptionUrl: subscriptions.href,
    wsConnectionParams: caller,
  });
}

function tab({ title, query, variables }) {
  return {
    query: `# ${title}\n${query}`,
    variables: variables ? JSON.stringify(variables, null, 2) : undefined,
  };
}
