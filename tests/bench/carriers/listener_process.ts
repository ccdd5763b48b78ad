// A child process with minimal WebSocket clients. Each looks for a marker in the last bytes that
// have arrived. Bytes cannot be counted, because Centrifugo puts up to 16 publications into one
// message, as they come.
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { masked } from '../stream/masked_text.ts';

export type ListenerTarget = {
  port: number;
  path: string;
  /** Sent after the handshake. */
  message: string;
  /** Part of what the server sends when it has accepted the client. */
  acceptedBy: string;
  /** Whether the client sends a pong every 5 s. Centrifugo disconnects a client that does so. */
  pongs: boolean;
};
export type ListenerCommand =
  | { connect: ListenerTarget[] }
  /** Report when the last bytes of every client contain this text. */
  | { awaitLast: string }
  /** Record when each text of MARKER_BYTES that begins so arrives. */
  | { recordEach: string }
  | { takeRecords: true };
export type ListenerEvent =
  | { event: 'ready' | 'connected' | 'waiting' | 'all' }
  | { event: 'failed'; why: string }
  /** Pairs of the number at the end of the text and the monotonic time in ms. */
  | { event: 'records'; records: [number, number][] };

/** More than two frames. */
const TAIL_BYTES = 1_024;
/** Sockets that connect at the same time. */
const MAX_CONNECTING = 32;
/** The length of an id with a prefix. */
const MARKER_BYTES = 40;

type Listener = { socket: Socket; target: ListenerTarget; tail: Buffer; isAccepted: boolean; hasMarker: boolean };

const listeners: Listener[] = [];
let queue: ListenerTarget[] = [];
let missing = 0;
let marker: Buffer | undefined;
let prefix: Buffer | undefined;
let records: [number, number][] = [];
const report = (event: ListenerEvent) => process.send?.(event);
const now = () => Number(process.hrtime.bigint()) / 1e6;
const readBuffer = Buffer.alloc(64 * 1024);

process.on('message', (command: ListenerCommand) => {
  if ('connect' in command) {
    queue = [...command.connect];
    missing = queue.length;
    for (let n = 0; n < MAX_CONNECTING; n += 1) connectNext();
  } else if ('awaitLast' in command) {
    marker = Buffer.from(command.awaitLast);
    missing = listeners.length;
    for (const listener of listeners) listener.hasMarker = false;
    report({ event: 'waiting' });
  } else if ('recordEach' in command) {
    prefix = Buffer.from(command.recordEach);
    records = [];
    report({ event: 'waiting' });
  } else {
    prefix = undefined;
    report({ event: 'records', records });
  }
});
process.on('disconnect', () => process.exit());

function connectNext(): void {
  const target = queue.shift();
  if (!target) return;
  const onread = {
    buffer: readBuffer,
    callback: (length: number) => {
      take(listener, readBuffer.subarray(0, length));
      return true;
    },
  };
  const socket = connect({ port: target.port, host: '127.0.0.1', onread }, () =>
    socket.write(
      `GET ${target.path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
    ),
  );
  const listener: Listener = { socket, target, tail: Buffer.alloc(0), isAccepted: false, hasMarker: true };
  listeners.push(listener);
  socket.on('error', () => {});
  socket.on('close', () =>
    report({ event: 'failed', why: `${target.port} closed a client after: ${listener.tail.toString('latin1')}` }),
  );
}

function take(listener: Listener, chunk: Buffer): void {
  if (prefix) record(listener, chunk);
  const before = listener.tail;
  const last =
    chunk.length >= TAIL_BYTES
      ? chunk.subarray(chunk.length - TAIL_BYTES)
      : Buffer.concat([before, chunk]).subarray(-TAIL_BYTES);
  listener.tail = Buffer.from(last);
  if (!listener.isAccepted) accept(listener, before);
  else if (!listener.hasMarker && marker && last.includes(marker)) {
    listener.hasMarker = true;
    missing -= 1;
    if (missing === 0) report({ event: 'all' });
  }
}

function accept(listener: Listener, before: Buffer): void {
  const { socket, target, tail } = listener;
  if (before.length === 0) socket.write(masked(target.message));
  if (!tail.includes(target.acceptedBy)) return;
  listener.isAccepted = true;
  missing -= 1;
  if (missing === 0) report({ event: 'connected' });
  else connectNext();
}

/** A marker may be divided between two chunks. */
function record({ tail }: Listener, chunk: Buffer): void {
  if (!prefix) return;
  const at = now();
  const bytes = Buffer.concat([tail.subarray(1 - MARKER_BYTES), chunk]);
  for (let place = bytes.indexOf(prefix); place !== -1; place = bytes.indexOf(prefix, place + 1)) {
    const text = bytes.toString('latin1', place + prefix.length, place + MARKER_BYTES);
    if (place + MARKER_BYTES <= bytes.length) records.push([Number(text), at]);
  }
}

// To detect pings, the process would have to parse the messages.
setInterval(() => {
  for (const { socket, target, isAccepted } of listeners) if (target.pongs && isAccepted) socket.write(masked('{}'));
}, 5_000);

report({ event: 'ready' });
