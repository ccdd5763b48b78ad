import { expect, it } from 'vitest';
import { Book } from '../../functions/ingest/books/book.ts';
import { Engine } from '../../functions/ingest/engine/engine.ts';
import type { PriceUpdate } from '../../functions/ingest/engine/price_update.ts';
import type { Quote } from '../../functions/ingest/engine/quotes.ts';
import { type FlushStats, flushUpdates } from '../../functions/ingest/flush.ts';
import { flat, pairFixture } from '../engine/fixture.ts';
import { runtime } from './runtime.ts';

/**
 * Guarantee: a flush that the database did not acknowledge is repeated whole, updates and quotes,
 * until one succeeds.
 */

type Flush = { tokens: Record<string, string>; updates: string[]; quotes: string[] };

const { pair } = pairFixture([
  { a: flat(430_000, 450_000), b: flat(480_000, 500_000) },
  { a: flat(530_000, 570_000), b: flat(490_000, 510_000) },
]);

/** An engine in which each contract has its first book, so that one update and four quotes wait. */
function read(): Engine {
  const engine = new Engine();
  engine.setWatchList([pair], 0, 0);
  engine.acquireShard('books:0', 0);
  for (const [at, contract] of ['A0', 'A1'].entries()) engine.a.replace(contract, bookAt(430_000 + at), 10 + at);
  for (const [at, contract] of ['B0', 'B1'].entries()) engine.b.replace(contract, bookAt(440_000 + at), 20 + at);
  return engine;
}

const bookAt = (bid: number): Book => {
  const book = new Book();
  book.bids.set(bid, 5_000_000);
  book.asks.set(bid + 20_000, 7_000_000);
  return book;
};

/** Runs flushes until `answer` has returned `undefined`, then the last one. */
async function flushes(
  engine: Engine,
  answer: (number: number) => { applied: number; held: string[] } | Error | undefined,
) {
  const calls: Flush[] = [];
  const pauses: number[] = [];
  const lost: string[][] = [];
  const stopping = new AbortController();
  const stats: FlushStats = { applied: 0, updates: 0, calls: 0, failures: 0, pendingSince: null };
  let now = 1_000;
  await flushUpdates({
    queue: engine.queue,
    quotes: engine.quotes,
    queries: {
      async apply(tokens, updates: readonly PriceUpdate[], quotes: readonly Quote[]) {
        calls.push({
          tokens,
          updates: updates.map(({ pair, at }) => `${pair} ${at}`),
          quotes: quotes.map(({ contract }) => contract).sort(),
        });
        const result = answer(calls.length);
        if (result === undefined) stopping.abort();
        if (result instanceof Error) throw result;
        return result ?? { applied: updates.length, held: ['books:0'] };
      },
      broadcastPending: async () => true,
      relayPending: async () => {},
    },
    leases: {
      tokens: (prefix) => ({ [`${prefix}0`]: '7' }),
      forgetLost: (tokens, held) => Object.keys(tokens).filter((name) => !held.includes(name)),
    },
    runtime: {
      ...runtime,
      now: () => now,
      random: () => 1,
      sleep: async (ms) => {
        now += ms;
        pauses.push(ms);
      },
    },
    log: () => {},
    signal: stopping.signal,
    flushMs: 50,
    onLost: (names) => lost.push(names),
    stats,
  });
  return { calls, pauses, lost, stats };
}

const ALL = ['A0', 'A1', 'B0', 'B1'];

it('a failed flush is repeated whole after a longer and longer pause, updates and quotes', async () => {
  const engine = read();
  const { calls, pauses, stats } = await flushes(engine, (number) => (number <= 2 ? new Error('cut') : undefined));
  const whole = { tokens: { 'books:0': '7' }, updates: ['p 21'], quotes: ALL };
  expect(calls).toEqual([whole, whole, whole]);
  expect(pauses).toEqual([100, 200, 50]);
  expect(stats).toEqual({ applied: 1, updates: 1, calls: 1, failures: 2, pendingSince: null });
  expect(engine.queue.length + engine.quotes.length).toBe(0);
});

it('a flush that succeeds after a failure resets the pauses, and nothing is sent twice', async () => {
  const engine = read();
  const { calls, pauses, stats } = await flushes(engine, (number) => {
    if (number === 2) engine.b.replace('B0', bookAt(445_000), 30);
    if (number === 3) engine.b.replace('B1', bookAt(446_000), 40);
    if (number === 2) return { applied: 1, held: ['books:0'] };
    return number === 4 ? undefined : new Error('cut');
  });
  expect(calls.map(({ updates, quotes }) => [updates, quotes])).toEqual([
    [['p 21'], ALL],
    [['p 21'], ALL],
    [['p 30'], ['B0']],
    // The quote of B1 came during the failed flush; that of B0 is still owed.
    [
      ['p 30', 'p 40'],
      ['B0', 'B1'],
    ],
  ]);
  expect(pauses).toEqual([100, 50, 100, 50]);
  expect(stats).toMatchObject({ failures: 2, calls: 2, updates: 3 });
});

it('a flush that wrote for fewer shards than it has reports the lost ones', async () => {
  const engine = read();
  const { lost } = await flushes(engine, (number) => {
    engine.b.replace('B0', bookAt(440_000 + number), 30);
    return number === 1 ? { applied: 0, held: [] } : undefined;
  });
  expect(lost).toEqual([['books:0']]);
});
