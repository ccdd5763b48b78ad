import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Book } from '../../functions/ingest/books/book.ts';
import { Engine } from '../../functions/ingest/engine/engine.ts';
import type { PriceUpdate } from '../../functions/ingest/engine/price_update.ts';
import { MAX_QUEUED, MERGE_ABOVE, PriceUpdateQueue } from '../../functions/ingest/engine/price_update_queue.ts';
import type { WatchedPair } from '../../functions/ingest/engine/watch_list.ts';

/** The sizes of both sides of each book differ, in 1e-6 contract. */
const book = (bid: number | null, ask: number | null, size = 5_000_000): Book => {
  const made = new Book();
  if (bid !== null) made.bids.set(bid, size);
  if (ask !== null) made.asks.set(ask, size + 10_000);
  return made;
};
const terms = { fee_a: null, fee_b: null, min_a: 1, min_b: 500, delay_b: null };
const pair: WatchedPair = {
  shard: 'books:0',
  pair_id: 'p',
  outcomes: [
    { key: 'home', contract_a: 'A', side_a: 'yes', contract_b: 'B1', ...terms },
    { key: 'away', contract_a: 'A', side_a: 'no', contract_b: 'B2', ...terms },
  ],
  ladder: null,
  arb: false,
};
const opened = (): Engine => {
  const engine = new Engine();
  engine.setWatchList([pair], 0, 0);
  engine.acquireShard('books:0', 0);
  return engine;
};
const priced = (): Engine => {
  const engine = opened();
  engine.a.replace('A', book(400_000, 430_000), 10);
  engine.b.replace('B1', book(410_000, 420_000, 6_000_000), 11);
  engine.b.replace('B2', book(580_000, 590_000, 7_000_000), 12);
  return engine;
};
const taken = (engine: Engine): PriceUpdate[] => {
  const updates = engine.queue.take(1_000);
  engine.queue.done();
  return updates;
};

describe('engine', () => {
  it('emits the first price update when the state of every book is known, with YES and NO prices', () => {
    const engine = opened();
    engine.a.replace('A', book(400_000, 430_000), 10);
    engine.b.replace('B1', book(410_000, 420_000, 6_000_000), 11);
    expect(taken(engine)).toEqual([]);
    engine.b.replace('B2', book(580_000, 590_000, 7_000_000), 12);
    expect(taken(engine)).toEqual([
      {
        pair: 'p',
        at: 12,
        // The NO ask is 1 - the YES bid, with the size of that bid. The NO bid is 1 - the YES ask,
        // with the size of that ask.
        ask_a: [430_000, 600_000],
        bid_a: [400_000, 570_000],
        size_a: [501, 500],
        ask_b: [420_000, 590_000],
        bid_b: [410_000, 580_000],
        size_b: [601, 701],
        bid_size_a: [500, 501],
        bid_size_b: [600, 700],
        ladder_a: null,
        read_a: 10,
        read_b: 12,
        void: null,
        opp: null,
      },
    ]);
  });

  it('emits nothing when no price or size at the top of a book changes', () => {
    const engine = priced();
    taken(engine);
    const deep = engine.a.get('A')?.book;
    deep?.bids.set(100_000, 1_000_000);
    engine.a.markUpdated('A', 20);
    engine.b.confirmRead('B1', 21);
    expect(taken(engine)).toEqual([]);
  });

  it('drops the prices of a venue with invalid books, and voids the update only when both venues have none', () => {
    const engine = priced();
    taken(engine);
    engine.a.invalidate('A', 'book.gap', 20);
    engine.b.invalidate('B1', 'feed.disconnected', 30);
    engine.b.invalidate('B2', 'feed.disconnected', 30);
    engine.a.replace('A', book(400_000, null), 40);
    const updates = taken(engine);
    expect(updates.map((update) => [update.ask_a, update.ask_b, update.void])).toEqual([
      [[null, null], [420_000, 590_000], null],
      [[null, null], [null, 590_000], null],
      [[null, null], [null, null], 'book.gap'],
      // A one-sided book is valid: YES has no ask, and NO can be bought.
      [[null, 600_000], [null, null], null],
    ]);
  });

  it('keeps a crossed book invalid until it is no longer crossed', () => {
    const engine = priced();
    taken(engine);
    expect(engine.a.replace('A', book(500_000, 500_000), 20)).toBe(false);
    expect(taken(engine).at(-1)?.ask_a).toEqual([null, null]);
    expect(engine.a.replace('A', book(490_000, 500_000), 30)).toBe(true);
    expect(taken(engine).at(-1)?.ask_a).toEqual([500_000, 510_000]);
  });

  it('never emits an earlier time for a pair, although an invalid book is dated from the last sign of life', () => {
    const engine = priced();
    taken(engine);
    engine.a.invalidate('A', 'feed.disconnected', 5);
    expect(taken(engine).map((update) => update.at)).toEqual([12]);
  });

  it('uses the earlier read times for an update that an invalid book dates back', () => {
    const engine = priced();
    taken(engine);
    // Books that are read again without a change: no update, but later read times.
    engine.b.get('B1')?.book?.bids.set(100_000, 1_000_000);
    engine.b.markUpdated('B1', 30);
    engine.b.confirmRead('B2', 31);
    engine.a.invalidate('A', 'feed.frozen', 20);
    expect(taken(engine).map(({ at, read_a, read_b }) => [at, read_a, read_b])).toEqual([[20, null, 12]]);
    engine.a.replace('A', book(400_000, 430_000), 32);
    expect(taken(engine).map(({ at, read_a, read_b }) => [at, read_a, read_b])).toEqual([[32, 32, 31]]);
  });

  it('dates the first update of a pair no earlier than its books, although an invalid book is older', () => {
    const engine = opened();
    engine.b.replace('B1', book(410_000, 420_000), 30);
    engine.b.replace('B2', book(580_000, 590_000), 31);
    engine.a.invalidate('A', 'feed.disconnected', 5);
    expect(taken(engine).map(({ at, read_a, read_b }) => [at, read_a, read_b])).toEqual([[31, null, 31]]);
  });

  it('never dates an update before the read time of a book in it, after any sequence of book events', () => {
    const event = fc.record({
      what: fc.constantFrom('replace', 'update', 'confirm', 'invalidate'),
      contract: fc.constantFrom('A', 'B1', 'B2'),
      back: fc.integer({ min: 0, max: 20 }),
      ask: fc.integer({ min: 42, max: 60 }),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        const engine = opened();
        let last = 0;
        for (const [turn, { what, contract, back, ask }] of events.entries()) {
          const at = 100 + 5 * turn;
          const store = contract === 'A' ? engine.a : engine.b;
          if (what === 'replace') store.replace(contract, book(400_000, ask * 10_000), at);
          else if (what === 'update') store.markUpdated(contract, at);
          else if (what === 'confirm') store.confirmRead(contract, at);
          else store.invalidate(contract, 'feed.silent', at - back);
          for (const update of taken(engine)) {
            expect(update.at).toBeGreaterThanOrEqual(Math.max(last, update.read_a ?? 0, update.read_b ?? 0));
            last = update.at;
          }
        }
      }),
    );
  });

  it('reads both venues of a shard when its own pairs have a price at each, and of a shard without pairs', () => {
    const engine = new Engine();
    const [a, b1, b2] = ['C', 'D1', 'D2'];
    const outcomes = pair.outcomes.map((one, n) => ({ ...one, contract_a: a, contract_b: n === 0 ? b1 : b2 }));
    engine.setWatchList([pair, { ...pair, shard: 'books:1', pair_id: 'q', outcomes }], 0, 0);
    const read = () => [0, 1, 2].map((shard) => engine.readsBothVenues(`books:${shard}`));
    expect(read()).toEqual([false, false, true]);
    engine.a.replace('A', book(400_000, 430_000), 10);
    engine.b.replace('B1', book(null, null), 11);
    engine.b.replace('B2', book(null, null), 12);
    expect(read()).toEqual([false, false, true]);
    engine.a.replace(a, book(null, null), 13);
    engine.b.replace(b1, book(410_000, 420_000), 14);
    engine.b.replace(b2, book(null, null), 15);
    // Venue_a has a price in one shard, venue_b in the other.
    expect(read()).toEqual([false, false, true]);
    engine.b.replace('B2', book(null, 590_000), 16);
    expect(read()).toEqual([true, false, true]);
  });

  it('emits nothing for a shard that it only warms up, and the whole shard after the takeover', () => {
    const engine = new Engine();
    engine.setWatchList([pair], 0, 0);
    engine.a.replace('A', book(400_000, 430_000), 10);
    engine.b.replace('B1', book(410_000, 420_000, 6_000_000), 11);
    expect(engine.isWarm('books:0')).toBe(false);
    engine.b.replace('B2', book(580_000, 590_000, 7_000_000), 12);
    expect(engine.isWarm('books:0')).toBe(true);
    expect(engine.queue.length).toBe(0);
    engine.acquireShard('books:0', 20);
    expect(taken(engine).map((update) => update.at)).toEqual([20]);
    engine.releaseShard('books:0');
    engine.a.replace('A', book(300_000, 330_000), 30);
    expect(engine.queue.length).toBe(0);
  });

  it('marks books missing that never arrive, and prices the pair without them', () => {
    const engine = opened();
    engine.a.replace('A', book(400_000, 430_000), 10);
    engine.expireMissingBooks(1, 50);
    expect(taken(engine).at(-1)).toMatchObject({ ask_a: [430_000, 600_000], ask_b: [null, null], void: null });
  });
});

describe('engine, opportunities', () => {
  const fees = {
    fee_a: { model: 'quadratic', multiplier: '0', maker: false } as const,
    fee_b: { model: 'rate', rate: '0' } as const,
  };
  const watched = (arb: boolean): WatchedPair => ({
    ...pair,
    arb,
    outcomes: pair.outcomes.map((outcome) => ({ ...outcome, ...fees })),
  });
  /** YES on venue_a at .43 and o1 on venue_b at .52: five cents of edge at a size of 501. */
  const withEdge = (arb: boolean): Engine => {
    const engine = new Engine();
    engine.setWatchList([watched(arb)], 0, 0);
    engine.acquireShard('books:0', 0);
    engine.a.replace('A', book(400_000, 430_000), 10);
    engine.b.replace('B1', book(440_000, 480_000), 11);
    engine.b.replace('B2', book(500_000, 520_000), 12);
    return engine;
  };

  it('emits opportunities only while gates 1 to 3 are open, and checks again when they open', () => {
    const engine = withEdge(false);
    expect(taken(engine).at(-1)?.opp).toBeNull();
    engine.setWatchList([watched(true)], 20, 20);
    expect(taken(engine).at(-1)).toMatchObject({ at: 20, opp: { cost: 950_000, size: 501 } });
    engine.setWatchList([watched(false)], 30, 30);
    expect(taken(engine).at(-1)).toMatchObject({ at: 30, opp: null });
  });

  it('emits an update when only the size curve of the opportunity changes', () => {
    const engine = withEdge(true);
    expect(taken(engine).at(-1)?.opp).toMatchObject({ ladder: [{ size: 501 }] });
    engine.a.get('A')?.book?.asks.set(440_000, 1_000_000);
    engine.b.get('B2')?.book?.asks.set(530_000, 1_000_000);
    engine.a.markUpdated('A', 20);
    const [update, ...more] = taken(engine);
    expect([more.length, update?.opp]).toMatchObject([0, { ladder: [{ size: 501 }, { size: 601 }] }]);
    engine.a.markUpdated('A', 30);
    expect(taken(engine)).toEqual([]);
  });

  it('closes an opportunity with the invalid reason and its start, and emits nothing for the same reason again', () => {
    const engine = withEdge(true);
    taken(engine);
    engine.a.invalidate('A', 'feed.silent', 5);
    // The time of the update does not run backwards. `since` is the start of the invalid period.
    expect(taken(engine)).toMatchObject([{ at: 12, opp: { refused: 'feed.silent', about: 'A', since: 5 } }]);
    engine.b.replace('B1', book(440_000, 480_000), 40);
    expect(taken(engine)).toEqual([]);
  });

  it('voids a pair with inverted prices, emits none of them, and recovers when the prices agree', () => {
    const engine = withEdge(true);
    taken(engine);
    engine.a.replace('A', book(90_000, 110_000), 20);
    engine.b.replace('B1', book(880_000, 900_000), 21);
    expect(taken(engine).at(-1)).toMatchObject({
      void: 'price.inverted',
      ask_a: [null, null],
      bid_b: [null, null],
      size_b: [null, null],
      opp: { refused: 'price.inverted', about: 'home', since: null },
    });
    engine.b.replace('B1', book(90_000, 110_000), 22);
    expect(taken(engine).at(-1)).toMatchObject({ void: null, ask_a: [110_000, 910_000] });
  });
});

describe('price update queue', () => {
  const opportunity = { cost: 950_000, size: 501, wager: 4_759_500, legs: [], ladder: [] };
  const update = (id: string, at: number): PriceUpdate => ({
    pair: id,
    at,
    ask_a: [at],
    ask_b: [null],
    bid_a: [],
    bid_b: [],
    size_a: [],
    size_b: [],
    bid_size_a: [],
    bid_size_b: [],
    ladder_a: null,
    read_a: null,
    read_b: null,
    void: null,
    opp: null,
  });

  it('merges no updates while the database keeps up', () => {
    const queue = new PriceUpdateQueue();
    for (let at = 1; at <= MERGE_ABOVE; at += 1) queue.push(update('p', at));
    expect(queue.take(MERGE_ABOVE * 2)).toHaveLength(MERGE_ABOVE);
    expect(queue.merged).toBe(0);
  });

  it('above the limit keeps one update for each pair and step, and never merges across steps', () => {
    const queue = new PriceUpdateQueue();
    for (let at = 1; at <= MERGE_ABOVE + 1_000; at += 1) queue.push(update(`p${at % 2}`, at * 5));
    const kept = queue.take(MERGE_ABOVE * 2);
    const steps = new Set(kept.map((one) => `${one.pair} ${Math.ceil(one.at / 5_000)}`));
    expect(steps.size).toBe(kept.length);
    expect(kept.some((one) => one.at === 5_000)).toBe(true);
    expect(kept.map((one) => one.at)).toEqual(kept.map((one) => one.at).sort((a, b) => a - b));
  });

  it('returns the updates of a failed flush again, before newer ones', () => {
    const queue = new PriceUpdateQueue();
    queue.push(update('p', 1));
    queue.take(10);
    queue.push(update('p', 2));
    queue.failed();
    expect(queue.take(10).map((one) => one.at)).toEqual([1, 2]);
    queue.done();
    expect(queue.length).toBe(0);
  });

  it('counts the updates that it loses above the limit, the oldest first', () => {
    const queue = new PriceUpdateQueue();
    // No two updates of one pair and step, so that none are merged.
    const full = MERGE_ABOVE * 2 ** Math.ceil(Math.log2(MAX_QUEUED / MERGE_ABOVE));
    for (let at = 1; at <= full; at += 1) queue.push(update(`p${at}`, at));
    expect([queue.merged, queue.lost, queue.length]).toEqual([0, full - MAX_QUEUED, MAX_QUEUED]);
    expect(queue.take(1)[0]?.at).toBe(full - MAX_QUEUED + 1);
  });

  it('keeps the updates with which an opportunity opens, changes last and closes, in order', () => {
    const queue = new PriceUpdateQueue();
    const open = (at: number): void => queue.push({ ...update('w', at), opp: opportunity });
    for (let at = 1; at <= MERGE_ABOVE; at += 1) queue.push(update('p', at));
    for (const at of [100, 200]) queue.push(update('w', at));
    for (const at of [300, 400, 500]) open(at);
    for (const at of [600, 700, 800]) queue.push(update('w', at));
    open(900);
    queue.push({ ...update('w', 950), opp: { refused: 'book.gap', about: 'A', since: 940 } });
    const kept = queue.take(MERGE_ABOVE * 2).filter((one) => one.pair === 'w');
    expect(kept.map((one) => one.at)).toEqual([200, 300, 500, 600, 800, 900, 950]);
  });

  it('keeps the update that closes an opportunity whose opening was already flushed', () => {
    const queue = new PriceUpdateQueue();
    queue.push({ ...update('w', 100), opp: opportunity });
    queue.take(10);
    queue.done();
    for (let at = 1; at <= MERGE_ABOVE; at += 1) queue.push(update('p', at));
    for (const at of [200, 300, 400]) queue.push(update('w', at));
    expect(queue.take(MERGE_ABOVE * 2).flatMap((one) => (one.pair === 'w' ? one.at : []))).toEqual([200, 400]);
  });
});
