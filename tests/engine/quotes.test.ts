import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Book } from '../../functions/ingest/books/book.ts';
import { Engine } from '../../functions/ingest/engine/engine.ts';
import { buildPriceUpdate } from '../../functions/ingest/engine/price_update.ts';
import { REPEAT_INTERVAL_MS } from '../../functions/ingest/engine/quote_queue.ts';
import { type Quote, quotedLegs, quotedTop } from '../../functions/ingest/engine/quotes.ts';
import type { WatchedPair } from '../../functions/ingest/engine/watch_list.ts';

/** The sizes of both sides of each book differ, in 1e-6 contract. */
const book = (bid: number | null, ask: number | null, size = 5_000_000): Book => {
  const made = new Book();
  if (bid !== null) made.bids.set(bid, size);
  if (ask !== null) made.asks.set(ask, size + 10_000);
  return made;
};
const terms = { fee_a: null, fee_b: null, min_a: 1, min_b: 500, delay_b: null };
const pair = (id: string, shard = 'books:0'): WatchedPair => ({
  shard,
  pair_id: id,
  outcomes: [
    { key: 'home', contract_a: `A-${id}`, side_a: 'yes', contract_b: `B1-${id}`, ...terms },
    { key: 'away', contract_a: `A-${id}`, side_a: 'no', contract_b: `B2-${id}`, ...terms },
  ],
  ladder: null,
  arb: false,
});
const opened = (...pairs: WatchedPair[]): Engine => {
  const engine = new Engine();
  engine.setWatchList(pairs, 0, 0);
  engine.acquireShard('books:0', 0);
  return engine;
};
const read = (engine: Engine, id = 'p'): Engine => {
  engine.a.replace(`A-${id}`, book(400_000, 430_000), 10, 7);
  engine.b.replace(`B1-${id}`, book(410_000, 420_000, 6_000_000), 11, 8);
  engine.b.replace(`B2-${id}`, book(580_000, 590_000, 7_000_000), 12, 9);
  return engine;
};
const taken = (engine: Engine, now = 0): Quote[] => {
  const quotes = engine.quotes.take(1_000, now);
  engine.quotes.done(now);
  return quotes;
};
const short = (quotes: readonly Quote[]) =>
  quotes.map((one) => [one.contract, one.side, one.bid, one.ask, one.void] as const);

describe('quotes', () => {
  it('cover each side of each contract once, contracts of the strike ladder included', () => {
    const ladder = { ...pair('p'), ladder: ['A-p', 'A-q'] };
    expect(quotedLegs(ladder).map(({ venue, contract, side }) => `${venue} ${contract} ${side}`)).toEqual([
      'venue_a A-p yes',
      'venue_b B1-p null',
      'venue_a A-p no',
      'venue_b B2-p null',
      'venue_a A-q yes',
    ]);
  });

  it('contain the best prices of each side of a contract, with sizes and both times', () => {
    const [yes, no, token] = taken(read(opened(pair('p'))));
    expect(yes).toMatchObject({ bid: 400_000, bid_size: 500, ask: 430_000, ask_size: 501, venue_time: 7, read_at: 10 });
    // A buyer of NO trades with the YES bid, a seller of NO with the YES ask.
    expect(no).toMatchObject({ side: 'no', bid: 570_000, bid_size: 501, ask: 600_000, ask_size: 500 });
    expect(token).toMatchObject({ contract: 'B1-p', side: null, venue_time: 8, read_at: 11, void: null });
  });

  it('are emitted when one of the two prices or two sizes changes, and only then', () => {
    const engine = read(opened(pair('p')));
    taken(engine);
    engine.b.replace('B1-p', book(410_000, 420_000, 6_000_000), 20);
    engine.b.get('B1-p')?.book?.bids.set(300_000, 9_000_000);
    engine.b.markUpdated('B1-p', 21);
    expect(taken(engine)).toEqual([]);
    engine.b.get('B1-p')?.book?.bids.set(410_000, 9_000_000);
    engine.b.markUpdated('B1-p', 22, 19);
    expect(taken(engine)).toMatchObject([{ contract: 'B1-p', bid_size: 900, read_at: 22, venue_time: 19 }]);
  });

  it('keep only the newest of each leg, also after a failed flush', () => {
    const engine = read(opened(pair('p')));
    for (const ask of [425_000, 424_000]) engine.b.replace('B1-p', book(410_000, ask), 20);
    const first = engine.quotes.take(1_000, 0);
    expect(first.filter((one) => one.contract === 'B1-p').map((one) => one.ask)).toEqual([424_000]);
    engine.b.replace('B1-p', book(410_000, 423_000), 21);
    engine.quotes.failed();
    const again = taken(engine);
    expect(again).toHaveLength(4);
    expect(again.filter((one) => one.contract === 'B1-p').map((one) => one.ask)).toEqual([423_000]);
    expect(new Set([...first, ...again].map((one) => one.no)).size).toBe(5);
  });

  it('have no prices while their book is invalid or their pair is void', () => {
    const engine = read(opened(pair('p')));
    taken(engine);
    engine.b.invalidate('B1-p', 'book.gap', 15);
    expect(short(taken(engine))).toEqual([['B1-p', null, null, null, 'book.gap']]);
    expect(engine.b.replace('B1-p', book(500_000, 500_000), 20)).toBe(false);
    engine.b.replace('B1-p', book(410_000, 420_000), 21);
    expect(short(taken(engine))).toEqual([['B1-p', null, 410_000, 420_000, null]]);
    // The venues price an outcome as each other's opposite. It is unknown which one is wrong.
    engine.a.replace('A-p', book(90_000, 110_000), 30);
    engine.b.replace('B1-p', book(880_000, 900_000), 31);
    engine.b.replace('B2-p', book(90_000, 110_000), 32);
    expect(short(taken(engine)).every(([, , bid, ask, why]) => `${bid}${ask}${why}` === 'nullnullprice.inverted')).toBe(
      true,
    );
  });

  it('do not wait for other books whose state is unknown', () => {
    const engine = opened(pair('p'));
    engine.a.replace('A-p', book(400_000, 430_000), 10);
    expect(short(taken(engine)).map(([contract]) => contract)).toEqual(['A-p', 'A-p']);
  });

  it('are emitted for owned shards only, and again for a shard that is acquired', () => {
    const engine = read(opened(pair('p'), pair('q', 'books:1')));
    read(engine, 'q');
    expect(taken(engine).every((one) => one.pair === 'p')).toBe(true);
    engine.acquireShard('books:1', 40);
    expect(taken(engine).map((one) => one.pair)).toEqual(['q', 'q', 'q', 'q']);
    engine.b.replace('B1-q', book(410_000, 421_000), 41);
    engine.releaseShard('books:1');
    expect(engine.quotes.take(1_000, REPEAT_INTERVAL_MS * 2).every((one) => one.pair === 'p')).toBe(true);
  });

  it('repeat after two minutes when they have prices, and not when they have none', () => {
    const engine = read(opened(pair('p')));
    expect(taken(engine, 1_000)).toHaveLength(4);
    engine.b.invalidate('B1-p', 'book.gap', 15);
    taken(engine, 2_000);
    expect(taken(engine, REPEAT_INTERVAL_MS)).toEqual([]);
    const again = taken(engine, 1_000 + REPEAT_INTERVAL_MS);
    expect(short(again).map(([contract]) => contract)).toEqual(['A-p', 'A-p', 'B2-p']);
    expect(Math.min(...again.map((one) => one.no))).toBe(6);
    engine.setWatchList([], 50, 0);
    expect(taken(engine, REPEAT_INTERVAL_MS * 9)).toEqual([]);
  });

  it('have no venue time when the timestamp is not plausible', () => {
    for (const stamp of [Number.NaN, Number.POSITIVE_INFINITY, -1, 0, 1e300]) {
      const engine = opened(pair('p'));
      engine.a.replace('A-p', book(400_000, 430_000), 10, stamp);
      expect(taken(engine)[0]?.venue_time).toBeNull();
    }
  });

  it('equal the books after any sequence of book events and failed flushes', () => {
    const legs = fc.constantFrom('A-p', 'B1-p', 'B2-p');
    const event = fc.oneof(
      fc.record({
        what: fc.constant('replace' as const),
        leg: legs,
        bid: fc.option(fc.integer({ min: 1, max: 99 })),
        ask: fc.option(fc.integer({ min: 1, max: 99 })),
      }),
      fc.record({ what: fc.constant('invalidate' as const), leg: legs }),
      fc.record({ what: fc.constant('flush' as const), fails: fc.boolean() }),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        const engine = read(opened(pair('p')));
        const sent = new Map<string, Quote>();
        const flush = (fails: boolean) => {
          const quotes = engine.quotes.take(1_000, 0);
          if (fails) return engine.quotes.failed();
          for (const one of quotes) sent.set(`${one.contract} ${one.side}`, one);
          engine.quotes.done(0);
        };
        for (const [at, one] of events.entries()) {
          if (one.what === 'flush') flush(one.fails);
          else {
            const store = one.leg.startsWith('A') ? engine.a : engine.b;
            if (one.what === 'invalidate') store.invalidate(one.leg, 'book.gap', 20 + at);
            else store.replace(one.leg, book(one.bid && one.bid * 10_000, one.ask && one.ask * 10_000), 20 + at);
          }
        }
        flush(false);
        expect(taken(engine)).toEqual([]);
        // A quote without prices keeps its first reason, also when its book is valid again.
        const voidReason = buildPriceUpdate(pair('p'), engine, 0)?.void ?? null;
        for (const leg of quotedLegs(pair('p'))) {
          const entry = (leg.venue === 'venue_a' ? engine.a : engine.b).get(leg.contract);
          const quote = sent.get(`${leg.contract} ${leg.side}`);
          const isValid = entry?.invalidReason === null && voidReason === null;
          const { bid, ask, bid_size, ask_size } = quotedTop(isValid ? entry.book : null, leg.side);
          expect(quote).toMatchObject({ bid, ask, bid_size, ask_size });
        }
      }),
    );
  });
});
