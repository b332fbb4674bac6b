import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createDatabase, postgresAvailable } from './postgres.mjs';

const binary = process.env.OCTAVO_BINARY ?? fileURLToPath(new URL('../../octavo', import.meta.url));
const startLimit = 60_000;
const stopLimit = 30_000;

// The databases that the server is tested on: a name, and how to make an empty one.
export const databases = [
  { name: 'SQLite', create: async () => ({ url: undefined, drop: async () => {} }) },
  ...(postgresAvailable ? [{ name: 'PostgreSQL', create: createDatabase }] : []),
];

// Starts the program with an empty database and data directory.
// environment adds to what it is configured with.
export async function startServer(database = databases[0], environment = {}) {
  const directory = await mkdtemp(path.join(tmpdir(), 'octavo-e2e-'));
  const { url: databaseAddress, drop } = await database.create();
  const configuration = {
    PATH: process.env.PATH,
    HOME: directory,
    OCTAVO_DATA_DIR: directory,
    OCTAVO_ADMIN_TOKEN: `oct_${randomBytes(24).toString('hex')}`,
    ...(databaseAddress && { OCTAVO_DATABASE_URL: databaseAddress }),
    ...environment,
  };
  return launch(configuration, async () => {
    await drop();
    await rm(directory, { recursive: true, force: true });
  });
}

async function launch(configuration, cleanUp) {
  const address = `127.0.0.1:${await freePort()}`;
  const server = new Server(`http://${address}`, { ...configuration, OCTAVO_ADDR: address, OCTAVO_BASE_URL: `http://${address}` }, cleanUp);
  try {
    await server.ready();
  } catch (error) {
    await server.discard();
    throw error;
  }
  return server;
}

class Server {
  // Everything the program wrote, for the message of a failing test.
  output = '';

  constructor(url, environment, cleanUp) {
    this.url = url;
    this.environment = environment;
    this.cleanUp = cleanUp;
    this.token = environment.OCTAVO_ADMIN_TOKEN;
    this.process = spawn(binary, ['serve'], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
    this.exited = once(this.process, 'exit').then(([code, signal]) => code ?? signal, (error) => error.message);
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => { this.output += text; });
    }
    // A test run that is cut short leaves no server behind.
    process.once('exit', () => this.process.kill('SIGKILL'));
  }

  async ready() {
    let outcome;
    this.exited.then((value) => { outcome = value; });
    for (const deadline = Date.now() + startLimit; Date.now() < deadline;) {
      if (outcome !== undefined) {
        throw new Error(`the server ended with ${outcome} before it was ready:\n${this.output}`);
      }
      if (await answers(`${this.url}/readyz`)) {
        return;
      }
      await delay(50);
    }
    throw new Error(`the server was not ready after ${startLimit} ms:\n${this.output}`);
  }

  // Stops the program as an operator does; it must end by itself, without an error.
  async stop() {
    this.process.kill('SIGTERM');
    const outcome = await Promise.race([this.exited, delay(stopLimit, 'no exit', { ref: false })]);
    await this.discard();
    if (outcome !== 0) {
      throw new Error(`the server ended with ${outcome} after SIGTERM:\n${this.output}`);
    }
  }

  async discard() {
    this.process.kill('SIGKILL');
    await this.exited;
    await this.cleanUp();
  }

  // Starts a second server on the same database and data directory.
  replica() {
    return launch(this.environment, async () => {});
  }

  // Runs a command of the program on the same database; returns what it printed.
  async command(...arguments_) {
    const { stdout } = await promisify(execFile)(binary, arguments_, { env: this.environment });
    return stdout;
  }

  // Sends a request with the administrator's token; body is JSON.
  fetch(target, { body, headers, ...options } = {}) {
    return fetch(new URL(target, this.url), {
      ...options,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  // Runs a GraphQL operation that must succeed and returns its data.
  async graphql(query, variables) {
    const response = await this.fetch('/graphql', { method: 'POST', body: { query, variables } });
    const { data, errors } = await response.json();
    if (errors) {
      throw new Error(`GraphQL: ${JSON.stringify(errors)}`);
    }
    return data;
  }
}

async function answers(url) {
  try {
    const response = await fetch(url);
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

async function freePort() {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address();
  listener.close();
  await once(listener, 'close');
  return port;
}
