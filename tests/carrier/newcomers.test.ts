import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { Newcomers } from '../../local/platform/gateway/newcomers.ts';

const head = Buffer.from('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n');
const accepted = '{"id":1,"connect":{"client":"a","version":"6.9.1 OSS"}}';

/** A frame that the server sends. */
function frame(text: string, kind = 0x81): Buffer {
  const length = Buffer.byteLength(text);
  const size = length < 126 ? [length] : [126, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([kind, ...size]), Buffer.from(text)]);
}

/** Admits a socket whose upstream sends `bytes`, `chunk` at a time. */
function open(newcomers: Newcomers, bytes: Buffer, chunk = bytes.length) {
  const [socket, upstream] = [new PassThrough(), new PassThrough()];
  const admitted = newcomers.admit('192.0.2.1', socket);
  if ('status' in admitted) return { socket, status: admitted.status };
  admitted.joined(upstream);
  for (let at = 0; at < bytes.length; at += chunk) upstream.emit('data', bytes.subarray(at, at + chunk));
  return { socket, status: 101 };
}

const isFull = (newcomers: Newcomers) => open(newcomers, head).status === 429;

test('a socket stops counting when Centrifugo accepts its connect command, however the answer is split', () => {
  const long = accepted.replace('"a"', `"${'a'.repeat(300)}"`);
  for (const text of [accepted, long]) {
    for (const chunk of [1, 2, 7, 1_000]) {
      const newcomers = new Newcomers(1);
      expect(open(newcomers, Buffer.concat([head, frame(text)]), chunk).status).toBe(101);
      expect(isFull(newcomers), `${chunk} bytes at a time`).toBe(false);
    }
  }
});

test.each<[what: string, bytes: Buffer]>([
  ['gets no answer', head],
  ['gets an error', frame('{"id":1,"error":{"code":100,"message":"x","temporary":true}}')],
  [
    'gets an error that quotes a connect command',
    frame('{"id":1,"error":{"message":"{\\"id\\":1,\\"connect\\":{}}"}}'),
  ],
  ['is closed', frame('\u0011\u0001ticket', 0x88)],
  ['gets a binary answer', frame(accepted, 0x82)],
])('a socket that %s counts until it is gone', (_, bytes) => {
  const newcomers = new Newcomers(1);
  const { socket } = open(newcomers, Buffer.concat([head, bytes]));
  expect(isFull(newcomers)).toBe(true);
  socket.emit('close');
  expect(isFull(newcomers)).toBe(false);
});

test('an address has its own count, and a socket leaves it once', () => {
  const newcomers = new Newcomers(2);
  const { socket } = open(newcomers, Buffer.concat([head, frame(accepted)]));
  open(newcomers, head);
  // The accepted one does not count, and its end does not free the place of the other.
  socket.emit('close');
  open(newcomers, head);
  expect(isFull(newcomers)).toBe(true);
  expect('status' in newcomers.admit('192.0.2.2', new PassThrough())).toBe(false);
});
