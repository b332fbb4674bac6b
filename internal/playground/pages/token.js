// The access token lives in this tab's session storage: it is shared by both
// pages, survives a reload, and is gone when the tab is closed.
const key = 'octavo.token';

export function authorization() {
  const token = sessionStorage.getItem(key);
  return token ? { Authorization: `Bearer ${token}` } : {};
}

// Connects the form in the page's header; changed is called with every new token.
export function connectTokenForm(changed) {
  const field = document.getElementById('token');
  field.value = sessionStorage.getItem(key) ?? '';
  showState();
  document.getElementById('token-form').addEventListener('submit', (event) => {
    event.preventDefault();
    keep(field.value.trim());
    showState();
    changed();
  });
}

function keep(token) {
  if (token === '') {
    sessionStorage.removeItem(key);
    return;
  }
  sessionStorage.setItem(key, token);
}

function showState() {
  const state = document.getElementById('token-state');
  state.textContent = sessionStorage.getItem(key) ? 'in use' : 'none';
}
