import WebSocket from 'ws';
import { holdShardLeases, putUpdates, type SeedUpdate } from '../api/support/catalog.ts';
import { putPairs } from '../stream/fixture.ts';
import { type StreamFixture, startStream } from '../stream/function/fixture.ts';
import { createKey, mintTicket } from '../stream/function/minted.ts';
import { lastOffset } from '../stream/published_frames.ts';
import { holdsWithin, pause } from '../support/wait_until.ts';
import type { ResultRow } from './result_row.ts';

const PAIRS = 3_000;
/** Updates a second. The targets are for the last rate. The others show the growth. */
const RATES = [250, 500, 1_000];
/** The flush interval of ingest in a container. */
const FLUSH_MS = 50;
const SECONDS = 20;
/** Time in which the message quota for bursts refills (docs/stream.md). */
const QUOTA_MS = 5_000;

/**
 * Measures the time from a book that was just read to the frame at a subscriber:
 * pipeline.apply_books, the publication log, the flush, Realtime, the stream function and the
 * socket. The times of the updates are spread over the 50 ms between two flushes. `npm run bench --
 * --only engine` measures the engine.
 */
export async function measureLatency(): Promise<ResultRow[]> {
  const stream = await startStream();
  try {
    await stream.sql`update stream.settings set messages_a_second = 80`;
    await putPairs(stream.sql, PAIRS);
    await holdShardLeases(stream.sql);
    const isolate = await stream.startIsolate();
    const subscriber = await subscribe(stream, isolate.url);
    // Warm up. The first publication of a pair is a market frame.
    for (let n = 0; n < PAIRS; n += 50) await flush(stream, n, 50, [Date.now()]);
    const measured: Measured[] = [];
    for (const rate of RATES) {
      await subscriber.untilOffset(await lastOffset(stream.sql, 'markets:all'));
      await pause(QUOTA_MS);
      measured.push(await measure(stream, subscriber, rate));
    }
    const byRate = measured.map((one) => `${one.rate}/s p50 ${one.p50} p99 ${one.p99} ms`).join(', ');
    const full = measured.at(-1) as Measured;
    const row = (name: string, ratio: number, better: 'lower' | 'higher', detail: string): ResultRow => ({
      name: `venue frame to subscriber, ${full.rate.toLocaleString('en')} updates/s: ${name}`,
      ratio,
      target: 1,
      better,
      passes: better === 'lower' ? ratio <= 1 : ratio >= 1,
      detail: detail,
    });
    return [
      row('p50 of 100 ms', full.p50 / 100, 'lower', byRate),
      row('p99 of 250 ms', full.p99 / 250, 'lower', `of ${full.prices} prices`),
      row('delivered', full.received / full.sent, 'higher', `${full.received} of ${full.sent} frames of markets:all`),
    ];
  } finally {
    await stream.stop();
  }
}

type Measured = { rate: number; p50: number; p99: number; prices: number; received: number; sent: number };
type Subscriber = Awaited<ReturnType<typeof subscribe>>;

async function measure(stream: StreamFixture, subscriber: Subscriber, rate: number): Promise<Measured> {
  const before = await lastOffset(stream.sql, 'markets:all');
  subscriber.reset();
  await applyUpdates(stream, rate);
  const top = await lastOffset(stream.sql, 'markets:all');
  await subscriber.untilOffset(top);
  const { latencies, received } = subscriber.counts();
  latencies.sort((a, b) => a - b);
  const at = (share: number) =>
    Math.round(latencies[Math.floor((latencies.length - 1) * share)] ?? Number.POSITIVE_INFINITY);
  return { rate, p50: at(0.5), p99: at(0.99), prices: latencies.length, received, sent: top - before };
}

/** Applies updates at a constant rate, one flush for each interval. */
async function applyUpdates(stream: StreamFixture, rate: number): Promise<void> {
  const startedAt = Date.now();
  let applied = 0;
  for (let due = startedAt + FLUSH_MS; applied < rate * SECONDS; due += FLUSH_MS) {
    await pause(due - Date.now());
    const upto = Math.min(rate * SECONDS, Math.floor(((Date.now() - startedAt) / 1000) * rate));
    if (upto === applied) continue;
    const read = Array.from({ length: upto - applied }, (_, n) =>
      Math.round(startedAt + ((applied + n) / rate) * 1000),
    );
    await flush(stream, applied, upto - applied, read);
    applied = upto;
  }
}

/**
 * Does what one call of ingest does. `read` has the read time of each book. The last one is for the
 * rest.
 */
async function flush(stream: StreamFixture, from: number, count: number, read: readonly number[]): Promise<void> {
  const updates = Array.from({ length: count }, (_, n): readonly [number, SeedUpdate] => {
    const ask = 300_000 + (((from + n) * 7 + Math.floor((from + n) / PAIRS)) % 40) * 10_000;
    const asks = [ask, 990_000 - ask];
    const sizes = [100, 100];
    const at = new Date(read[n] ?? read.at(-1) ?? 0).toISOString();
    return [1 + ((from + n) % PAIRS), { at, ask_a: asks, ask_b: [...asks].reverse(), size_a: sizes, size_b: sizes }];
  });
  await putUpdates(stream.sql, updates);
  await stream.sql`select stream.broadcast_pending()`;
}

async function subscribe(stream: StreamFixture, url: string) {
  const { ticket } = await mintTicket(stream.sql, await createKey(stream.sql, 'basic'));
  const socket = new WebSocket(url);
  let latencies: number[] = [];
  let received = 0;
  let offset = 0;
  socket.on('message', (text) => {
    const now = Date.now();
    for (const line of String(text).split('\n')) {
      if (line === '{}') socket.send('{}');
      const { push } = JSON.parse(line);
      if (push?.channel !== 'markets:all' || !push.pub) continue;
      received += 1;
      offset = push.pub.offset;
      const { type, books_read_at } = push.pub.data;
      if (type === 'price') latencies.push(now - Date.parse(books_read_at.venue_a));
    }
  });
  await new Promise((resolve) => socket.once('open', resolve));
  socket.send(JSON.stringify({ id: 1, connect: { data: { t: ticket } } }));
  await new Promise((resolve) => socket.once('message', resolve));
  return {
    /** Restarts the counts. */
    reset() {
      latencies = [];
      received = 0;
    },
    /** Waits for this offset for at most 30 s. */
    async untilOffset(upto: number) {
      await holdsWithin(() => offset >= upto, 30_000);
    },
    counts: () => ({ latencies, received }),
  };
}
