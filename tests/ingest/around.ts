import WebSocket from 'ws';
import { surroundings } from '../../functions/_shared/runtime.ts';
import type { SocketMaker } from '../../functions/_shared/socket.ts';
import type { Surroundings } from '../../functions/_shared/surroundings.ts';
import type { SetAside } from '../../functions/ingest/listing.ts';
import type { FeedSurroundings } from '../../functions/ingest/wire/feed.ts';

/** WebSockets for Node 20, which has none of its own: npm's `ws`, the same package that the hosted function falls back to. */
export const nodeSocket: SocketMaker = (url, headers, on) => {
  const socket = new WebSocket(url, { headers });
  socket.on('open', () => on.open());
  socket.on('message', (data, binary) => {
    if (!binary) on.message(data.toString());
  });
  socket.on('error', () => {});
  socket.on('close', (code, reason) => on.close(`${code} ${reason.toString()}`));
  return {
    send: (text) => socket.send(text),
    close: () => socket.close(),
  };
};

export const around: Surroundings = surroundings;

/** Surroundings whose faults and lines are kept for the test to look at. */
export function watched(): FeedSurroundings & { asides: SetAside[]; lines: string[] } {
  const asides: SetAside[] = [];
  const lines: string[] = [];
  return {
    ...around,
    shown: () => Date.now(),
    segment: () => null,
    aside: (row) => asides.push(row),
    log: (line) => lines.push(line),
    asides,
    lines,
  };
}

/** Waits until `holds` gives something, and says what was waited for when it does not. */
export async function until<T>(what: string, holds: () => T | Promise<T>, most = 15_000): Promise<NonNullable<T>> {
  const began = Date.now();
  for (;;) {
    const value = await holds();
    if (value) return value as NonNullable<T>;
    if (Date.now() - began > most) throw new Error(`${what}: not within ${most} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
