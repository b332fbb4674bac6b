import { EventEmitter, once } from 'node:events';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';

const patience = 30_000;

// Starts a mail server that lets one user in and keeps what it is given. next
// waits for the message to an address and takes it.
export async function serveMail({ user, password }) {
  const messages = [];
  const arrivals = new EventEmitter();
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password: given }, _session, callback) => {
      callback(username === user && given === password ? null : new Error('wrong password'), { user });
    },
    onData: async (stream, { envelope }, callback) => {
      messages.push({ ...await PostalMime.parse(await bytes(stream)), recipients: envelope.rcptTo.map(({ address }) => address) });
      arrivals.emit('message');
      callback();
    },
  });
  server.on('error', () => {}); // a client that goes away
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    url: `smtp://${encodeURIComponent(user)}:${encodeURIComponent(password)}@127.0.0.1:${server.server.address().port}`,
    messages,
    next: async (address) => {
      const signal = AbortSignal.timeout(patience);
      for (;;) {
        const found = messages.findIndex(({ recipients }) => recipients.includes(address));
        if (found >= 0) {
          return messages.splice(found, 1)[0];
        }
        await once(arrivals, 'message', { signal });
      }
    },
    close: () => new Promise((resolve) => { server.close(resolve); }),
  };
}

async function bytes(stream) {
  const chunks = [];
  for await (const chunk of stream) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
