import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const branch = 'main';

// Serves a bare git repository over HTTP, to fetch from and to push to. Its
// one branch has one commit with the given files: a map of path to content.
export async function serveRepository(files) {
  const directory = await mkdtemp(path.join(tmpdir(), 'octavo-e2e-git-'));
  const work = path.join(directory, 'work');
  const bare = path.join(directory, 'docs.git');
  await git(directory, 'init', '--quiet', `--initial-branch=${branch}`, work);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(work, name)), { recursive: true });
    await writeFile(path.join(work, name), content);
  }
  await git(work, 'add', '--all');
  await git(work, '-c', 'user.name=Writer', '-c', 'user.email=writer@example.com', 'commit', '--quiet', '--message=Write');
  await git(directory, 'clone', '--quiet', '--bare', work, bare);
  await git(bare, 'config', 'http.receivepack', 'true');

  const backend = path.join((await git(directory, '--exec-path')).trim(), 'git-http-backend');
  const server = createServer((request, response) => passOn(backend, directory, request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/docs.git`,
    ref: `refs/heads/${branch}`,
    head: async () => (await git(bare, 'rev-parse', branch)).trim(),
    show: (name) => git(bare, 'show', `${branch}:${name}`),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function git(directory, ...arguments_) {
  const { stdout } = await promisify(execFile)('git', arguments_, { cwd: directory });
  return stdout;
}

// git-http-backend is a CGI program: the request in its environment and
// standard input, the response, headers first, on its standard output.
async function passOn(backend, root, request, response) {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  const program = spawn(backend, {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: request.method,
      PATH_INFO: pathname,
      QUERY_STRING: searchParams.toString(),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: request.headers['git-protocol'] ?? '',
      REMOTE_ADDR: request.socket.remoteAddress,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  request.pipe(program.stdin);
  const chunks = [];
  for await (const chunk of program.stdout) {
    chunks.push(chunk);
  }
  const output = Buffer.concat(chunks);
  const end = output.indexOf('\r\n\r\n');
  let status = 200;
  for (const line of output.subarray(0, end).toString().split('\r\n')) {
    const [, name, value] = line.match(/^([^:]+): *(.*)$/);
    if (name === 'Status') {
      status = Number.parseInt(value, 10);
    } else {
      response.setHeader(name, value);
    }
  }
  response.writeHead(status).end(output.subarray(end + 4));
}
