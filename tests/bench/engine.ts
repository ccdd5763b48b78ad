import type { Book } from '../../functions/ingest/books/book.ts';
import { Engine } from '../../functions/ingest/engine/engine.ts';
import type { WatchedPair } from '../../functions/ingest/engine/watch_list.ts';
import { bookOf } from '../../functions/ingest/venue_b/books.ts';
import type { RawLevels } from '../../functions/ingest/venue_b/schemas.ts';
import { interleaved, progress } from './measure.ts';
import { type ResultRow, toResultRow } from './result_row.ts';

type Message = { asset_id: string; bids: RawLevels; asks: RawLevels; [key: string]: unknown };

const token = (outcome: number): string =>
  `7132104567925221259462638553270691275033272857194253${outcome}`.padEnd(77, '4');

/**
 * A `book` message of venue_b with this many levels a side and the best ask at `ask` (in 0.001
 * USD).
 */
function messageOf(outcome: number, levels: number, ask: number): Message {
  const level = (price: number, at: number) => ({ price: (price / 1000).toFixed(3), size: `${1200 + 37 * at}.25` });
  // With many levels the step is finer than a real tick size. Only the number of levels counts.
  const step = Math.min(1, 250 / levels);
  return {
    event_type: 'book',
    asset_id: token(outcome),
    market: '0xbd31dc8a20211944f6b70f31557f1001557b59905b7738480ca09bd4532f84af',
    bids: Array.from({ length: levels }, (_, at) => level(ask - 10 - at * step, at)),
    asks: Array.from({ length: levels }, (_, at) => level(ask + at * step, at)),
    timestamp: '1766789469958',
    hash: 'f91b71fd7c5c1c0a6d7f2a6f1d4a3f1e8d2c5b10',
  };
}

function pairOf(): WatchedPair {
  const outcomes = [0, 1, 2].map((at) => ({
    key: `o${at}`,
    contract_a: `KXBENCH-${at}`,
    side_a: 'yes' as const,
    contract_b: token(at),
    fee_a: { model: 'quadratic' as const, multiplier: '1', maker: false },
    fee_b: { model: 'rate' as const, rate: '0.05' },
    min_a: 1,
    min_b: 500,
    delay_b: 3,
  }));
  return { shard: 'books:0', pair_id: 'p', outcomes, ladder: null, arb: true };
}

/** Best asks in 0.001 USD. Three outcomes cost less than a dollar (an edge) or more. */
export const ASKS = { edge: 290, none: 340 };

export type EngineFixture = { engine: Engine; message: Message; book: Book };

/** An engine with the books of three outcomes at both venues, and the message of one of them. */
export function createEngine(levels: number, ask: number): EngineFixture {
  const engine = new Engine();
  engine.setWatchList([pairOf()], 0, 0);
  engine.acquireShard('books:0', 0);
  for (const outcome of [0, 1, 2]) {
    const { bids, asks: offers } = messageOf(outcome, levels, ask);
    engine.a.replace(`KXBENCH-${outcome}`, bookOf(bids, offers), 1);
    engine.b.replace(token(outcome), bookOf(bids, offers), 1);
  }
  const message = messageOf(0, levels, ask);
  return { engine, message, book: bookOf(message.bids, message.asks) };
}

/**
 * Nanoseconds of one call. The results are counted, so that the compiler cannot remove the work.
 */
function nanosecondsOf(times: number, work: (n: number) => unknown): number {
  let results = 0;
  const from = performance.now();
  for (let n = 0; n < times; n += 1) if (work(n) !== undefined) results += 1;
  const elapsedMs = performance.now() - from;
  if (results !== times) throw new Error('some calls returned no result');
  return (elapsedMs * 1e6) / times;
}

/**
 * Measures the engine from a parsed book to the decision about its pair: asks, spread, fees, the
 * opportunity with its size curve, and whether anything has changed. The baseline is JSON.parse of
 * the message with the book. `times` is the number of calls in a round.
 */
export async function measureEngine(levels: readonly number[], times = 3_000, rounds = 9): Promise<ResultRow[]> {
  const rows: ResultRow[] = [];
  for (const depth of levels) {
    for (const [name, ask] of Object.entries(ASKS)) {
      progress(`engine, ${depth} levels, ${name === 'edge' ? 'an edge' : 'no edge'}`);
      const { engine, message, book } = createEngine(depth, ask);
      const text = JSON.stringify(message);
      const best = book.asks.sizes;
      const decide = (n: number) => {
        // Change the best ask, so that every call makes a new decision and emits an update.
        best[0] = 50_000_000 + (n % 2) * 10_000_000;
        engine.b.replace(message.asset_id, book, n);
        if (n % 256 === 255) flushQueues(engine);
        return best[0];
      };
      const found = await interleaved(rounds, {
        parse: () => nanosecondsOf(times, () => JSON.parse(text)),
        decide: () => nanosecondsOf(times, decide),
        read: () => nanosecondsOf(times, () => bookOf(message.bids, message.asks)),
      });
      rows.push(
        toResultRow({
          name: `engine decision, 3 outcomes, ${depth} levels, ${name === 'edge' ? 'an edge' : 'no edge'}`,
          ratio: found.decide / found.parse,
          target: 1,
          better: 'lower',
          detail: `${us(found.decide)}; JSON.parse ${us(found.parse)}; reading the levels in between ${us(found.read)}`,
        }),
      );
    }
  }
  return rows;
}

const us = (ns: number): string => `${(ns / 1000).toFixed(1)} us`;

/** Takes the updates and quotes from the queues, as a flush does. */
function flushQueues(engine: Engine): void {
  engine.queue.take(1_000);
  engine.queue.done();
  engine.quotes.take(1_000, Number.MAX_SAFE_INTEGER);
  engine.quotes.done(Number.MAX_SAFE_INTEGER);
}
