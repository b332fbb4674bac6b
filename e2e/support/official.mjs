import assert from 'node:assert/strict';
import { GitBookAPI } from '@gitbook/api';
import { pathOf, violations } from './contract.mjs';

// The official client, as published, with a record of what it sent and received.
export class OfficialClient {
  exchanges = [];

  constructor(server, token = server.token) {
    this.server = server;
    this.token = token;
    this.api = new GitBookAPI({
      endpoint: server.url,
      authToken: token,
      serviceBinding: { fetch: (input, init) => this.#record(input, init) },
    });
  }

  async #record(input, init) {
    const response = await fetch(input, init);
    const text = await response.clone().text();
    this.exchanges.push({
      method: init.method,
      path: new URL(input).pathname,
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    });
    return response;
  }

  // Calls an operation and holds what went over the wire against the official
  // document. Returns the exchange.
  async drive(operation, call) {
    this.exchanges.length = 0;
    let failure;
    try {
      await call(this.api);
    } catch (error) {
      failure = error;
    }
    const [exchange] = this.exchanges;
    if (exchange === undefined) {
      throw failure;
    }
    const shown = `${exchange.method} ${exchange.path} answered ${exchange.status} ${JSON.stringify(exchange.body)}`;
    assert.match(`${exchange.method.toLowerCase()} ${exchange.path}`, pathOf(operation), `the call is one of ${operation}`);
    if (failure) {
      assert.equal(failure.name, 'GitBookAPIError', `${shown}\n${failure.stack}`);
      assert.equal(exchange.body?.error?.code, exchange.status, shown);
      assert.equal(exchange.body.error.message, failure.errorMessage, shown);
      return exchange;
    }
    assert.deepEqual(violations(operation, exchange.status, exchange.body), [], shown);
    return exchange;
  }

  // Sends a request that the client has no method for.
  async send(method, path, body) {
    const response = await this.server.fetch(`/v1${path}`, { method, body, headers: { authorization: `Bearer ${this.token}` } });
    const text = await response.text();
    return { method, path, status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  }
}
