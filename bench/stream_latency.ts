import WebSocket from 'ws';
import { holdBooks, putFrames, type SeedFrame } from '../tests/api/support/catalog.ts';
import { keyOf, ticketOf } from '../tests/stream/function/minted.ts';
import { startWorld, type World } from '../tests/stream/function/stage.ts';
import { putPairs } from '../tests/stream/world.ts';
import type { Row } from './row.ts';

const pairs = 3_000;
const updatesPerSecond = 1_000;
/** As ingest flushes in a container. */
const flushMs = 50;
const seconds = 20;

/**
 * From a book that was just read to a subscriber's frame: price.apply, the log, the flush, Realtime, the stream function, the socket. Each
 * update is stamped when it comes in, spread over the 50 ms that ingest gathers them; what the engine adds before is measured elsewhere.
 */
export async function streamLatency(): Promise<Row[]> {
  const world = await startWorld();
  try {
    await world.sql`update stream.settings set messages_a_second = 80`;
    await putPairs(world.sql, pairs);
    await holdBooks(world.sql);
    const isolate = await world.isolate();
    const subscriber = await listen(world, isolate.url);
    // Every pair is told once as a market first; and everything is warm.
    for (let n = 0; n < pairs; n += 50) await flush(world, n, 50, [Date.now()]);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    subscriber.begin();
    const told = await drive(world);
    for (let waited = 0; subscriber.count() < told && waited < 20_000; waited += 50) await pause(50);
    const took = subscriber.took().sort((a, b) => a - b);
    const at = (share: number) => took[Math.floor((took.length - 1) * share)] ?? Number.POSITIVE_INFINITY;
    const detail = `p50 ${Math.round(at(0.5))} ms, p99 ${Math.round(at(0.99))} ms over ${took.length} frames`;
    const row = (name: string, ratio: number, better: 'lower' | 'higher', words: string): Row => ({
      name: `venue frame to subscriber, 1,000 updates/s: ${name}`,
      ratio,
      target: 1,
      better,
      holds: better === 'lower' ? ratio <= 1 : ratio >= 1,
      detail: words,
    });
    return [
      row('p50 of 120 ms', at(0.5) / 120, 'lower', detail),
      row('p99 of 300 ms', at(0.99) / 300, 'lower', detail),
      row('delivered', took.length / told, 'higher', `${took.length} of ${told} frames of markets:all`),
    ];
  } finally {
    await world.stop();
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));

/** Updates at an even pace, flushed as they gather; gives how many frames markets:all had of them. */
async function drive(world: World): Promise<number> {
  const top = async () => {
    const [row] = await world.sql<{ top: string }[]>`select top from stream.channels where channel = 'markets:all'`;
    return Number(row?.top);
  };
  const before = await top();
  const began = Date.now();
  let made = 0;
  for (let due = began + flushMs; made < updatesPerSecond * seconds; due += flushMs) {
    await pause(due - Date.now());
    const upto = Math.min(updatesPerSecond * seconds, Math.floor(((Date.now() - began) / 1000) * updatesPerSecond));
    if (upto === made) continue;
    const read = Array.from({ length: upto - made }, (_, n) =>
      Math.round(began + ((made + n) / updatesPerSecond) * 1000),
    );
    await flush(world, made, upto - made, read);
    made = upto;
  }
  return (await top()) - before;
}

/** What one call of ingest does. `read`: when each book was read, the last for the rest. */
async function flush(world: World, from: number, count: number, read: readonly number[]): Promise<void> {
  const frames = Array.from({ length: count }, (_, n): readonly [number, SeedFrame] => {
    const ask = 300_000 + (((from + n) * 7 + Math.floor((from + n) / pairs)) % 40) * 10_000;
    const asks = [ask, 990_000 - ask];
    const sizes = [100, 100];
    const at = new Date(read[n] ?? read.at(-1) ?? 0).toISOString();
    return [1 + ((from + n) % pairs), { at, ask_a: asks, ask_b: [...asks].reverse(), size_a: sizes, size_b: sizes }];
  });
  await putFrames(world.sql, frames);
  await world.sql`select stream.flush()`;
}

async function listen(world: World, url: string) {
  const { ticket } = await ticketOf(world.sql, await keyOf(world.sql, 'basic'));
  const socket = new WebSocket(url);
  const took: number[] = [];
  let counting = false;
  let count = 0;
  socket.on('message', (text) => {
    const now = Date.now();
    for (const line of String(text).split('\n')) {
      if (line === '{}') socket.send('{}');
      const { push } = JSON.parse(line);
      if (!counting || push?.channel !== 'markets:all' || !push.pub) continue;
      count += 1;
      const { type, books_read_at } = push.pub.data;
      if (type === 'price') took.push(now - Date.parse(books_read_at.venue_a));
    }
  });
  await new Promise((resolve) => socket.once('open', resolve));
  socket.send(JSON.stringify({ id: 1, connect: { data: { t: ticket } } }));
  await new Promise((resolve) => socket.once('message', resolve));
  return {
    begin: () => {
      counting = true;
    },
    count: () => count,
    took: () => took,
  };
}
