import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, test } from 'vitest';
import { startMailCatcher } from '../../local/platform/auth/gotrue/mail_catcher.ts';
import { untilMail } from '../support/mails.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';

const folder = temporaryFolder('mails');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Sends one line after each answer of the server. Resolves to the codes of its answers. */
function talk(port: number, lines: readonly string[]): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const codes: string[] = [];
    const socket = connect(port, '127.0.0.1').on('error', reject);
    const left = [...lines];
    createInterface(socket)
      .on('line', (line) => {
        if (line[3] === '-') return;
        codes.push(line.slice(0, 3));
        const next = left.shift();
        if (next === undefined) socket.end();
        else socket.write(`${next}\r\n`);
      })
      .on('close', () => resolve(codes));
  });
}

test('a mail becomes a file that only the owner reads, and nothing is delivered to the outside', async () => {
  const paths: string[] = [];
  const mails = await startMailCatcher(join(folder, 'whole'), (path) => paths.push(path));
  const content =
    'To: a@example.com\r\nSubject: Hello\r\nContent-Type: text/html\r\n\r\n<a href="http://x/?a=1&amp;b=2">go</a>';
  const codes = await talk(mails.port, [
    'EHLO test',
    'MAIL FROM:<auth@example.com>',
    'RCPT TO:<a@example.com>',
    'DATA',
    `${content}\r\n.`,
    'QUIT',
  ]);
  expect(codes).toEqual(['220', '250', '250', '250', '354', '250', '221']);
  expect(await untilMail(join(folder, 'whole'), 'a@example.com')).toMatchObject({
    subject: 'Hello',
    link: 'http://x/?a=1&b=2',
  });
  expect(paths.map((path) => statSync(path).mode & 0o077)).toEqual([0]);
  await mails.stop();
});

test('a client that breaks off leaves no file, and the next mail arrives', async () => {
  const place = join(folder, 'broken');
  mkdirSync(place);
  const mails = await startMailCatcher(place);
  const half = connect(mails.port, '127.0.0.1').on('error', () => {});
  await new Promise((resolve) => half.once('data', resolve));
  half.write('EHLO test\r\nMAIL FROM:<a@example.com>\r\nRCPT TO:<b@example.com>\r\nDATA\r\nSubject: half\r\n');
  await new Promise((resolve) => half.once('data', resolve));
  half.resetAndDestroy();
  const codes = await talk(mails.port, [
    'EHLO test',
    'MAIL FROM:<a@example.com>',
    'RCPT TO:<c@example.com>',
    'DATA',
    'To: c@example.com\r\nSubject: whole\r\n\r\nx\r\n.',
    'QUIT',
  ]);
  expect(codes.at(-2)).toBe('250');
  expect(readdirSync(place)).toHaveLength(1);
  await mails.stop();
});
