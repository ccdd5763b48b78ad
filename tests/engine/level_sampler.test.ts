import { describe, expect, it } from 'vitest';
import { Book, levelsOf } from '../../functions/ingest/books/book.ts';
import { Engine } from '../../functions/ingest/engine/engine.ts';
import { type LevelSample, MAX_PAIRS } from '../../functions/ingest/engine/level_sampler.ts';
import type { WatchedPair } from '../../functions/ingest/engine/watch_list.ts';

/** Twelve levels a side: bids from 0.40 down (1 to 12 contracts), asks from 0.43 up (21 to 32). */
function deepBook(): Book {
  const book = new Book();
  for (let n = 0; n < 12; n += 1) {
    book.bids.set(400_000 - n * 10_000, (n + 1) * 1_000_000);
    book.asks.set(430_000 + n * 10_000, (n + 21) * 1_000_000 + 9_999);
  }
  return book;
}

const terms = { fee_a: null, fee_b: null, min_a: 1, min_b: 500, delay_b: null };
const pairOf = (id: string, shard = 'books:0'): WatchedPair => ({
  shard,
  pair_id: id,
  outcomes: [
    { key: 'home', contract_a: `A-${id}`, side_a: 'yes', contract_b: `B1-${id}`, ...terms },
    { key: 'away', contract_a: `A-${id}`, side_a: 'no', contract_b: null, ...terms },
  ],
  ladder: null,
  arb: false,
});
const engineOf = (...pairs: WatchedPair[]): Engine => {
  const engine = new Engine();
  engine.setWatchList(pairs, 0, 0);
  engine.acquireShard('books:0', 0);
  return engine;
};
const take = ({ levels, watchList, a, b }: Engine, now: number, isBusy = false): LevelSample[] =>
  levels.take(watchList.pairs, { a, b }, now, isBusy);

describe('the levels of a book', () => {
  it('are the best ones first, sizes rounded down to 0.01 contract', () => {
    const levels = levelsOf(deepBook(), 'yes', 10);
    expect([levels?.asks.length, levels?.bids.length]).toEqual([10, 10]);
    expect(levels?.asks.slice(0, 2)).toEqual([
      [430_000, 2_100],
      [440_000, 2_200],
    ]);
    expect(levels?.bids.at(-1)).toEqual([310_000, 1_000]);
  });

  it('are those of the other side of YES for NO', () => {
    const levels = levelsOf(deepBook(), 'no', 2);
    expect(levels).toEqual({
      asks: [
        [600_000, 100],
        [610_000, 200],
      ],
      bids: [
        [570_000, 2_100],
        [560_000, 2_200],
      ],
    });
    expect(levelsOf(null, 'no', 2)).toBeNull();
  });
});

describe('the sampler of levels', () => {
  it('samples a changed pair in the first call of the next step, and not again without a change', () => {
    const engine = engineOf(pairOf('p'));
    engine.a.replace('A-p', deepBook(), 10);
    engine.b.replace('B1-p', deepBook(), 11);
    expect(take(engine, 4_990)).toEqual([]);
    const [sample, ...others] = take(engine, 5_040);
    expect(others).toEqual([]);
    expect(sample).toMatchObject({ pair: 'p', step: 5_000, read_a: 10, read_b: 11 });
    expect(sample?.books[0]?.b).toEqual(levelsOf(deepBook(), null, 10));
    expect(sample?.books[1]).toEqual({ a: levelsOf(deepBook(), 'no', 10), b: null });
    expect([take(engine, 5_090), take(engine, 10_010)]).toEqual([[], []]);
    engine.a.get('A-p')?.book?.bids.set(310_000, 77_000_000);
    engine.a.markUpdated('A-p', 12_000);
    expect(take(engine, 15_010)[0]?.books[0]?.a?.bids).toContainEqual([310_000, 7_700]);
  });

  it('has null for an invalid book', () => {
    const engine = engineOf(pairOf('p'));
    engine.a.replace('A-p', deepBook(), 10);
    engine.a.invalidate('A-p', 'book.crossed', 20);
    take(engine, 4_990);
    const [sample] = take(engine, 5_010);
    expect(sample).toMatchObject({
      read_a: null,
      read_b: null,
      books: [
        { a: null, b: null },
        { a: null, b: null },
      ],
    });
  });

  it('takes no sample of a step whose start it missed, because a write took longer', () => {
    const engine = engineOf(pairOf('p'));
    engine.a.replace('A-p', deepBook(), 10);
    take(engine, 4_990);
    expect([take(engine, 5_010, true), take(engine, 9_000)]).toEqual([[], []]);
    expect(take(engine, 10_010)).toHaveLength(1);
  });

  it('leaves out pairs of other shards, and takes those above the limit in the next step', () => {
    const engine = engineOf(
      pairOf('other', 'books:1'),
      ...Array.from({ length: MAX_PAIRS + 3 }, (_, n) => pairOf(`p${n}`)),
    );
    take(engine, 4_990);
    expect(take(engine, 5_010)).toHaveLength(MAX_PAIRS);
    expect(take(engine, 10_010).map(({ pair }) => pair)).toEqual([0, 1, 2].map((n) => `p${MAX_PAIRS + n}`));
  });
});
