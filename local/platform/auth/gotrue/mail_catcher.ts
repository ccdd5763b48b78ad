import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

export type MailCatcher = { port: number; stop(): Promise<void> };

/**
 * An SMTP server on loopback that delivers nothing: each mail becomes a file in `folder`, which
 * sorts by its time. `caught` receives the path.
 */
export async function startMailCatcher(
  folder: string,
  caught: (path: string) => void = () => {},
): Promise<MailCatcher> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let count = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    size: 1_000_000,
    onData(stream, _session, done) {
      buffer(stream)
        .then((mail) => {
          const name = `${new Date().toISOString().replaceAll(':', '')}-${++count}.eml`;
          const path = join(folder, name);
          // A reader never sees a partial mail. It contains a link that signs in.
          writeFileSync(`${path}.new`, mail, { mode: 0o600 });
          renameSync(`${path}.new`, path);
          caught(path);
        })
        .then(() => done(), done);
    },
  });
  const listening = server.listen(0, '127.0.0.1');
  await new Promise<void>((resolve, reject) => listening.once('listening', resolve).once('error', reject));
  // A client that breaks off must not end this process.
  server.on('error', () => {});
  return {
    port: (listening.address() as AddressInfo).port,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
