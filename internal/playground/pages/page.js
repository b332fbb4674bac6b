export function readConfiguration() {
  return JSON.parse(document.getElementById('configuration').textContent);
}

export function showFailure(container, message) {
  const paragraph = document.createElement('p');
  paragraph.className = 'failure';
  paragraph.textContent = message;
  container.replaceChildren(paragraph);
}
