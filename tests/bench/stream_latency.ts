import WebSocket from 'ws';
import { holdBooks, putFrames, type SeedFrame } from '../api/support/catalog.ts';
import { keyOf, ticketOf } from '../stream/function/minted.ts';
import { startWorld, type World } from '../stream/function/fixture.ts';
import { topOf } from '../stream/published_frames.ts';
import { putPairs } from '../stream/fixture.ts';
import { holdsWithin, pause } from '../support/wait_until.ts';
import type { Row } from './result_row.ts';

const pairs = 3_000;
/** The last is the budget's; the others show how it grows. */
const rates = [250, 500, 1_000];
/** As ingest flushes in a container. */
const flushMs = 50;
const seconds = 20;
/** What may be spent at once of the message quota comes back in so long (docs/stream.md). */
const quotaMs = 5_000;

/**
 * From a book that was just read to a subscriber's frame: pipeline.apply_books, the log, the flush, Realtime, the stream function, the socket. Each
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
    const measured: Measured[] = [];
    for (const rate of rates) {
      await subscriber.heard(await topOf(world.sql, 'markets:all'));
      await pause(quotaMs);
      measured.push(await measure(world, subscriber, rate));
    }
    const grows = measured.map((one) => `${one.rate}/s p50 ${one.p50} p99 ${one.p99} ms`).join(', ');
    const full = measured.at(-1) as Measured;
    const row = (name: string, ratio: number, better: 'lower' | 'higher', words: string): Row => ({
      name: `venue frame to subscriber, ${full.rate.toLocaleString('en')} updates/s: ${name}`,
      ratio,
      target: 1,
      better,
      holds: better === 'lower' ? ratio <= 1 : ratio >= 1,
      detail: words,
    });
    return [
      row('p50 of 100 ms', full.p50 / 100, 'lower', grows),
      row('p99 of 250 ms', full.p99 / 250, 'lower', `of ${full.prices} prices`),
      row('delivered', full.heard / full.told, 'higher', `${full.heard} of ${full.told} frames of markets:all`),
    ];
  } finally {
    await world.stop();
  }
}

type Measured = { rate: number; p50: number; p99: number; prices: number; heard: number; told: number };
type Subscriber = Awaited<ReturnType<typeof listen>>;

async function measure(world: World, subscriber: Subscriber, rate: number): Promise<Measured> {
  const before = await topOf(world.sql, 'markets:all');
  subscriber.begin();
  await drive(world, rate);
  const top = await topOf(world.sql, 'markets:all');
  await subscriber.heard(top);
  const { took, heard } = subscriber.end();
  took.sort((a, b) => a - b);
  const at = (share: number) => Math.round(took[Math.floor((took.length - 1) * share)] ?? Number.POSITIVE_INFINITY);
  return { rate, p50: at(0.5), p99: at(0.99), prices: took.length, heard, told: top - before };
}

/** Updates at an even pace, flushed as they gather. */
async function drive(world: World, rate: number): Promise<void> {
  const began = Date.now();
  let made = 0;
  for (let due = began + flushMs; made < rate * seconds; due += flushMs) {
    await pause(due - Date.now());
    const upto = Math.min(rate * seconds, Math.floor(((Date.now() - began) / 1000) * rate));
    if (upto === made) continue;
    const read = Array.from({ length: upto - made }, (_, n) => Math.round(began + ((made + n) / rate) * 1000));
    await flush(world, made, upto - made, read);
    made = upto;
  }
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
  await world.sql`select stream.broadcast_pending()`;
}

async function listen(world: World, url: string) {
  const { ticket } = await ticketOf(world.sql, await keyOf(world.sql, 'basic'));
  const socket = new WebSocket(url);
  let took: number[] = [];
  let heard = 0;
  let offset = 0;
  socket.on('message', (text) => {
    const now = Date.now();
    for (const line of String(text).split('\n')) {
      if (line === '{}') socket.send('{}');
      const { push } = JSON.parse(line);
      if (push?.channel !== 'markets:all' || !push.pub) continue;
      heard += 1;
      offset = push.pub.offset;
      const { type, books_read_at } = push.pub.data;
      if (type === 'price') took.push(now - Date.parse(books_read_at.venue_a));
    }
  });
  await new Promise((resolve) => socket.once('open', resolve));
  socket.send(JSON.stringify({ id: 1, connect: { data: { t: ticket } } }));
  await new Promise((resolve) => socket.once('message', resolve));
  return {
    /** What came before is not counted. */
    begin() {
      took = [];
      heard = 0;
    },
    /** Until this offset has come, or half a minute is over. */
    async heard(upto: number) {
      await holdsWithin(() => offset >= upto, 30_000);
    },
    end: () => ({ took, heard }),
  };
}
