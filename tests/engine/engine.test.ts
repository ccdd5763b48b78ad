import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Book } from '../../functions/ingest/books/book.ts';
import { Engine } from '../../functions/ingest/engine/engine.ts';
import type { PriceUpdate } from '../../functions/ingest/engine/price_update.ts';
import { MERGE_ABOVE, PriceUpdateQueue } from '../../functions/ingest/engine/price_update_queue.ts';
import type { WatchedPair } from '../../functions/ingest/engine/watch_list.ts';

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
  engine.b.replace('B1', book(410_000, 420_000), 11);
  engine.b.replace('B2', book(580_000, 590_000), 12);
  return engine;
};
const taken = (engine: Engine): PriceUpdate[] => {
  const frames = engine.queue.take(1_000);
  engine.queue.done();
  return frames;
};

describe('the engine', () => {
  it('waits until something is known of every book, then prices both orientations', () => {
    const engine = opened();
    engine.a.replace('A', book(400_000, 430_000), 10);
    engine.b.replace('B1', book(410_000, 420_000), 11);
    expect(taken(engine)).toEqual([]);
    engine.b.replace('B2', book(580_000, 590_000), 12);
    expect(taken(engine)).toEqual([
      {
        pair: 'p',
        at: 12,
        // NO costs 1 - the YES bid and has that bid's size; selling it brings 1 - the YES ask, at that ask's size.
        ask_a: [430_000, 600_000],
        bid_a: [400_000, 570_000],
        size_a: [501, 500],
        ask_b: [420_000, 590_000],
        bid_b: [410_000, 580_000],
        size_b: [501, 501],
        bid_size_a: [500, 501],
        bid_size_b: [500, 500],
        ladder_a: null,
        read_a: 10,
        read_b: 12,
        void: null,
        opp: null,
      },
    ]);
  });

  it('says nothing when nothing that a reader could see has changed', () => {
    const engine = priced();
    taken(engine);
    const deep = engine.a.get('A')?.book;
    deep?.bids.set(100_000, 1_000_000);
    engine.a.markUpdated('A', 20);
    engine.b.confirmRead('B1', 21);
    expect(taken(engine)).toEqual([]);
  });

  it('takes a venue in doubt out of the frame and keeps the other; only without both is the frame void', () => {
    const engine = priced();
    taken(engine);
    engine.a.invalidate('A', 'book.gap', 20);
    engine.b.invalidate('B1', 'feed.disconnected', 30);
    engine.b.invalidate('B2', 'feed.disconnected', 30);
    engine.a.replace('A', book(400_000, null), 40);
    const frames = taken(engine);
    expect(frames.map((frame) => [frame.ask_a, frame.ask_b, frame.void])).toEqual([
      [[null, null], [420_000, 590_000], null],
      [[null, null], [null, 590_000], null],
      [[null, null], [null, null], 'book.gap'],
      // A one-sided book is a fact: no ask for YES, yet NO can be bought.
      [[null, 600_000], [null, null], null],
    ]);
  });

  it('keeps a crossed book in doubt until it is uncrossed', () => {
    const engine = priced();
    taken(engine);
    expect(engine.a.replace('A', book(500_000, 500_000), 20)).toBe(false);
    expect(taken(engine).at(-1)?.ask_a).toEqual([null, null]);
    expect(engine.a.replace('A', book(490_000, 500_000), 30)).toBe(true);
    expect(taken(engine).at(-1)?.ask_a).toEqual([500_000, 510_000]);
  });

  it('never lets time run backwards for a pair, though a doubt is dated from the last sign of life', () => {
    const engine = priced();
    taken(engine);
    engine.a.invalidate('A', 'feed.disconnected', 5);
    expect(taken(engine).map((frame) => frame.at)).toEqual([12]);
  });

  it('dates a frame that a doubt dates back by the readings before it, never by later ones', () => {
    const engine = priced();
    taken(engine);
    // Books that were read again and showed nothing new: no frame, but a later reading.
    engine.b.get('B1')?.book?.bids.set(100_000, 1_000_000);
    engine.b.markUpdated('B1', 30);
    engine.b.confirmRead('B2', 31);
    engine.a.invalidate('A', 'feed.frozen', 20);
    expect(taken(engine).map(({ at, read_a, read_b }) => [at, read_a, read_b])).toEqual([[20, null, 12]]);
    engine.a.replace('A', book(400_000, 430_000), 32);
    expect(taken(engine).map(({ at, read_a, read_b }) => [at, read_a, read_b])).toEqual([[32, 32, 31]]);
  });

  it('dates its first frame of a pair not before the books in it, although a doubt is older', () => {
    const engine = opened();
    engine.b.replace('B1', book(410_000, 420_000), 30);
    engine.b.replace('B2', book(580_000, 590_000), 31);
    engine.a.invalidate('A', 'feed.disconnected', 5);
    expect(taken(engine).map(({ at, read_a, read_b }) => [at, read_a, read_b])).toEqual([[31, null, 31]]);
  });

  it('never prices a frame before it has read a book in it, whatever happens to the books', () => {
    const happening = fc.record({
      what: fc.constantFrom('put', 'touch', 'confirm', 'doubt'),
      contract: fc.constantFrom('A', 'B1', 'B2'),
      back: fc.integer({ min: 0, max: 20 }),
      ask: fc.integer({ min: 42, max: 60 }),
    });
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 60 }), (happenings) => {
        const engine = opened();
        let last = 0;
        for (const [turn, { what, contract, back, ask }] of happenings.entries()) {
          const at = 100 + 5 * turn;
          const store = contract === 'A' ? engine.a : engine.b;
          if (what === 'put') store.replace(contract, book(400_000, ask * 10_000), at);
          else if (what === 'touch') store.markUpdated(contract, at);
          else if (what === 'confirm') store.confirmRead(contract, at);
          else store.invalidate(contract, 'feed.silent', at - back);
          for (const frame of taken(engine)) {
            expect(frame.at).toBeGreaterThanOrEqual(Math.max(last, frame.read_a ?? 0, frame.read_b ?? 0));
            last = frame.at;
          }
        }
      }),
    );
  });

  it('writes nothing of a slice that it only warms up for, and all of it from the take-over on', () => {
    const engine = new Engine();
    engine.setWatchList([pair], 0, 0);
    engine.a.replace('A', book(400_000, 430_000), 10);
    engine.b.replace('B1', book(410_000, 420_000), 11);
    expect(engine.isWarm('books:0')).toBe(false);
    engine.b.replace('B2', book(580_000, 590_000), 12);
    expect(engine.isWarm('books:0')).toBe(true);
    expect(engine.queue.length).toBe(0);
    engine.acquireShard('books:0', 20);
    expect(taken(engine).map((frame) => frame.at)).toEqual([20]);
    engine.releaseShard('books:0');
    engine.a.replace('A', book(300_000, 330_000), 30);
    expect(engine.queue.length).toBe(0);
  });

  it('gives up waiting for books that never came, by name', () => {
    const engine = opened();
    engine.a.replace('A', book(400_000, 430_000), 10);
    engine.expireMissingBooks(1, 50);
    expect(taken(engine).at(-1)).toMatchObject({ ask_a: [430_000, 600_000], ask_b: [null, null], void: null });
  });
});

describe('the engine and opportunities', () => {
  const fees = {
    fee_a: { model: 'quadratic', multiplier: '0', maker: false } as const,
    fee_b: { model: 'rate', rate: '0' } as const,
  };
  const watched = (arb: boolean): WatchedPair => ({
    ...pair,
    arb,
    outcomes: pair.outcomes.map((outcome) => ({ ...outcome, ...fees })),
  });
  /** YES on venue_a at .43 and o1 on venue_b at .52: five cents of edge, 501 of size. */
  const withEdge = (arb: boolean): Engine => {
    const engine = new Engine();
    engine.setWatchList([watched(arb)], 0, 0);
    engine.acquireShard('books:0', 0);
    engine.a.replace('A', book(400_000, 430_000), 10);
    engine.b.replace('B1', book(440_000, 480_000), 11);
    engine.b.replace('B2', book(500_000, 520_000), 12);
    return engine;
  };

  it('looks for them only where gates 1 to 3 are open, and looks again when they open', () => {
    const engine = withEdge(false);
    expect(taken(engine).at(-1)?.opp).toBeNull();
    engine.setWatchList([watched(true)], 20, 20);
    expect(taken(engine).at(-1)).toMatchObject({ at: 20, opp: { cost: 950_000, size: 501 } });
    engine.setWatchList([watched(false)], 30, 30);
    expect(taken(engine).at(-1)).toMatchObject({ at: 30, opp: null });
  });

  it('pushes a frame when the opportunity alone changed: a deeper level is a step of its ladder', () => {
    const engine = withEdge(true);
    expect(taken(engine).at(-1)?.opp).toMatchObject({ ladder: [{ size: 501 }] });
    engine.a.get('A')?.book?.asks.set(440_000, 1_000_000);
    engine.b.get('B2')?.book?.asks.set(530_000, 1_000_000);
    engine.a.markUpdated('A', 20);
    const [frame, ...more] = taken(engine);
    expect([more.length, frame?.opp]).toMatchObject([0, { ladder: [{ size: 501 }, { size: 601 }] }]);
    engine.a.markUpdated('A', 30);
    expect(taken(engine)).toEqual([]);
  });

  it('closes a window with the doubt about its book and since when; the same doubt said again pushes nothing', () => {
    const engine = withEdge(true);
    taken(engine);
    engine.a.invalidate('A', 'feed.silent', 5);
    // The frame does not run backwards, but says from when nobody vouched for the price.
    expect(taken(engine)).toMatchObject([{ at: 12, opp: { refused: 'feed.silent', about: 'A', since: 5 } }]);
    engine.b.replace('B1', book(440_000, 480_000), 40);
    expect(taken(engine)).toEqual([]);
  });

  it('is void where an outcome is on the wrong side, shows none of its prices and heals by itself', () => {
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

describe('the frame queue', () => {
  const window = { cost: 950_000, size: 501, wager: 4_759_500, legs: [], ladder: [] };
  const frame = (id: string, at: number): PriceUpdate => ({
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

  it('merges nothing while the database keeps up', () => {
    const queue = new PriceUpdateQueue();
    for (let at = 1; at <= MERGE_ABOVE; at += 1) queue.push(frame('p', at));
    expect(queue.take(MERGE_ABOVE * 2)).toHaveLength(MERGE_ABOVE);
    expect(queue.merged).toBe(0);
  });

  it('beyond that keeps of each pair and step what REST shows at the border, and never merges across one', () => {
    const queue = new PriceUpdateQueue();
    for (let at = 1; at <= MERGE_ABOVE + 1_000; at += 1) queue.push(frame(`p${at % 2}`, at * 5));
    const kept = queue.take(MERGE_ABOVE * 2);
    const steps = new Set(kept.map((one) => `${one.pair} ${Math.ceil(one.at / 5_000)}`));
    expect(steps.size).toBe(kept.length);
    expect(kept.some((one) => one.at === 5_000)).toBe(true);
    expect(kept.map((one) => one.at)).toEqual(kept.map((one) => one.at).sort((a, b) => a - b));
  });

  it('gives a failed flush again, before what came meanwhile', () => {
    const queue = new PriceUpdateQueue();
    queue.push(frame('p', 1));
    queue.take(10);
    queue.push(frame('p', 2));
    queue.failed();
    expect(queue.take(10).map((one) => one.at)).toEqual([1, 2]);
    queue.done();
    expect(queue.length).toBe(0);
  });

  it('swallows no window: the frames with which one opens, changes last and closes stay in order', () => {
    const queue = new PriceUpdateQueue();
    const open = (at: number): void => queue.push({ ...frame('w', at), opp: window });
    for (let at = 1; at <= MERGE_ABOVE; at += 1) queue.push(frame('p', at));
    for (const at of [100, 200]) queue.push(frame('w', at));
    for (const at of [300, 400, 500]) open(at);
    for (const at of [600, 700, 800]) queue.push(frame('w', at));
    open(900);
    queue.push({ ...frame('w', 950), opp: { refused: 'book.gap', about: 'A', since: 940 } });
    const kept = queue.take(MERGE_ABOVE * 2).filter((one) => one.pair === 'w');
    expect(kept.map((one) => one.at)).toEqual([200, 300, 500, 600, 800, 900, 950]);
  });

  it('knows the frame that closes a window whose opening has left already', () => {
    const queue = new PriceUpdateQueue();
    queue.push({ ...frame('w', 100), opp: window });
    queue.take(10);
    queue.done();
    for (let at = 1; at <= MERGE_ABOVE; at += 1) queue.push(frame('p', at));
    for (const at of [200, 300, 400]) queue.push(frame('w', at));
    expect(queue.take(MERGE_ABOVE * 2).flatMap((one) => (one.pair === 'w' ? one.at : []))).toEqual([200, 400]);
  });
});
