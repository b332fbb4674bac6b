import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

// Where suites leave pictures of what they saw.
export const artifacts = fileURLToPath(new URL('../artifacts/', import.meta.url));

export async function startBrowser() {
  await mkdir(artifacts, { recursive: true });
  return chromium.launch({
    executablePath: process.env.OCTAVO_CHROMIUM ?? '/usr/bin/chromium',
    // Nothing but the pages may reach for the network; root needs no-sandbox.
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
}

// Notes everything that a context of a browser complains of, and every request
// that leaves the server.
export class Watch {
  complaints = [];
  foreign = [];
  expected = new Set();

  constructor(context, server) {
    context.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') {
        this.#complain(message.location().url, message.text());
      }
    });
    context.on('weberror', (event) => this.complaints.push(event.error().stack));
    context.on('request', (request) => {
      if (!isOwn(request.url(), server)) {
        this.foreign.push(request.url());
      }
    });
    context.on('requestfailed', (request) => {
      // Whoever leaves a page gives up what it was loading.
      if (request.failure()?.errorText !== 'net::ERR_ABORTED') {
        this.#complain(request.url(), request.failure()?.errorText);
      }
    });
    context.on('response', (response) => {
      if (response.status() >= 400) {
        this.#complain(response.url(), `answers ${response.status()}`);
      }
    });
    // A violation is told to the page that it happens on.
    this.ready = context.addInitScript(() => {
      addEventListener('securitypolicyviolation', (event) => console.error(`violates ${event.violatedDirective}: ${event.blockedURI}`));
    });
  }

  #complain(url, text) {
    if (!this.expected.has(url)) {
      this.complaints.push(`${text} (${url})`);
    }
  }

  // The address is one that answers with an error, and is meant to.
  expect(url) {
    this.expected.add(url);
  }

  verify() {
    assert.deepEqual(this.complaints, [], 'nothing is complained of in the console');
    assert.deepEqual(this.foreign, [], 'nothing is asked of another host');
  }
}

function isOwn(address, server) {
  const { protocol, host } = new URL(address);
  return protocol === 'data:' || protocol === 'blob:' || host === new URL(server).host;
}
