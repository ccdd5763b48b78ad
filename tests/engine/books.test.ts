import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Book, toHundredths, topOf } from '../../functions/ingest/books/book.ts';
import { formatMicro } from '../../functions/ingest/decimal.ts';
import { applyDelta, bookOf as bookOfA } from '../../functions/ingest/venue_a/books.ts';
import { applyChange, bookOf as bookOfB, booksMatch } from '../../functions/ingest/venue_b/books.ts';

/** A reference model: price → size, in integers of 1e-6. */
type Model = Map<number, number>;
const price = fc.integer({ min: 1, max: 999 }).map((tenth) => tenth * 1_000);
/** In 1e-6 contract. Half of the sizes are not whole hundredths of a contract. */
const size = fc.oneof(
  fc.integer({ min: 1, max: 1_000_000 }).map((centi) => centi * 10_000),
  fc.integer({ min: 1, max: 10_000_000_000 }),
);
const levels = fc.array(fc.tuple(price, size), { maxLength: 40 });
const text = ([at, much]: readonly [number, number]): [string, string] => [formatMicro(at), formatMicro(much)];
const best = (model: Model, pick: (...prices: number[]) => number): number | null =>
  model.size === 0 ? null : pick(...model.keys());
const sorted = (model: Model): [number, number][] => [...model].sort((a, b) => a[0] - b[0]);
const sideOf = (side: Book['bids']): [number, number][] => side.prices.map((at, index) => [at, side.sizes[index] ?? 0]);

describe('size at the top of a book', () => {
  const topSizes = (bid: number, ask: number) => {
    const book = new Book();
    book.bids.set(400_000, bid);
    book.asks.set(450_000, ask);
    return { yes: topOf(book, 'yes').size, no: topOf(book, 'no').size, token: topOf(book, null).size };
  };

  it.each([
    [1_009_999, 100],
    [1_010_000, 101],
    [9_999, 0],
    [10_000, 1],
  ])('rounds %i millionths of a contract down to %i hundredths, on YES and on NO', (size, hundredths) => {
    expect(topSizes(5_000_000, size)).toEqual({ yes: hundredths, no: 500, token: hundredths });
    expect(topSizes(size, 5_000_000)).toEqual({ yes: 500, no: hundredths, token: 500 });
  });

  it('is the largest number of whole hundredths within the offered size', () => {
    fc.assert(
      fc.property(size, (offered) => {
        const hundredths = toHundredths(offered);
        expect(hundredths * 10_000).toBeLessThanOrEqual(offered);
        expect((hundredths + 1) * 10_000).toBeGreaterThan(offered);
      }),
    );
  });
});

describe('order books of venue_a', () => {
  it('equal a plain map after any snapshot and signed deltas, in either NO price scale', () => {
    const change = fc.record({
      side: fc.constantFrom('yes' as const, 'no' as const),
      at: price,
      by: fc.integer({ min: -500_000, max: 500_000 }),
    });
    fc.assert(
      fc.property(
        levels,
        levels,
        fc.array(change, { maxLength: 60 }),
        fc.boolean(),
        (yes, no, changes, noInYesPrices) => {
          const ask = (at: number): number => (noInYesPrices ? at : 1_000_000 - at);
          const bids: Model = new Map(yes);
          const asks: Model = new Map(no.map(([at, much]) => [ask(at), much]));
          const book = bookOfA(yes.map(text), no.map(text), noInYesPrices);
          for (const { side, at, by } of changes) {
            const model = side === 'yes' ? bids : asks;
            const key = side === 'yes' ? at : ask(at);
            const left = (model.get(key) ?? 0) + by * 10_000;
            if (left > 0) model.set(key, left);
            else model.delete(key);
            applyDelta(
              book,
              { side, price_dollars: formatMicro(at), delta_fp: formatMicro(by * 10_000) },
              noInYesPrices,
            );
          }
          expect(sideOf(book.bids)).toEqual(sorted(bids));
          expect(sideOf(book.asks)).toEqual(sorted(asks));
          expect(book.bid?.price ?? null).toBe(best(bids, Math.max));
          expect(book.ask?.price ?? null).toBe(best(asks, Math.min));
        },
      ),
    );
  });

  it('parses an empty side given as [], null or absent', () => {
    for (const empty of [[], null, undefined]) {
      const book = bookOfA([['0.40', '5.00']], empty, false);
      expect([book.bid?.price, book.ask]).toEqual([400_000, null]);
      expect(bookOfA(empty, empty, false).bid).toBeNull();
    }
  });

  it('is crossed when the best YES and NO bids add up to a dollar or more, and not one step below', () => {
    expect(bookOfA([['0.60', '1.00']], [['0.40', '1.00']], false).isCrossed).toBe(true);
    expect(bookOfA([['0.60', '1.00']], [['0.3999', '1.00']], false).isCrossed).toBe(false);
    expect(bookOfA([['0.60', '1.00']], null, false).isCrossed).toBe(false);
  });

  it('removes a level when its deltas add up to zero', () => {
    const book = bookOfA([['0.43', '0.10']], null, false);
    for (const delta_fp of ['0.20', '-0.30']) applyDelta(book, { side: 'yes', price_dollars: '0.43', delta_fp }, false);
    expect(book.bid).toBeNull();
  });
});

describe('order books of venue_b', () => {
  it('take sizes as absolute after any earlier change, in any order of levels', () => {
    const change = fc.record({
      side: fc.constantFrom('BUY' as const, 'SELL' as const),
      at: price,
      to: fc.oneof(fc.constant(0), size),
    });
    fc.assert(
      fc.property(levels, levels, fc.array(change, { maxLength: 60 }), (bidLevels, askLevels, changes) => {
        const bids: Model = new Map(bidLevels);
        const asks: Model = new Map(askLevels);
        const toLevels = (rows: readonly [number, number][]) => rows.map(text).map(([p, s]) => ({ price: p, size: s }));
        const book = bookOfB(toLevels(bidLevels), toLevels(askLevels));
        for (const { side, at, to } of changes) {
          const model = side === 'BUY' ? bids : asks;
          if (to > 0) model.set(at, to);
          else model.delete(at);
          applyChange(book, { asset_id: '1', price: formatMicro(at), size: formatMicro(to), side });
        }
        expect(sideOf(book.bids)).toEqual(sorted(bids));
        expect(sideOf(book.asks)).toEqual(sorted(asks));
      }),
    );
  });

  it('match a change that names the same best prices or an empty side, and no other change', () => {
    const book = new Book();
    book.bids.set(600_000, 1_000_000);
    const change = { asset_id: '1', price: '0.6', size: '1', side: 'BUY' as const };
    expect(booksMatch(book, change)).toBe(true);
    for (const best_ask of ['', '0', '1'])
      expect(booksMatch(book, { ...change, best_bid: '0.60', best_ask })).toBe(true);
    expect(booksMatch(book, { ...change, best_bid: '0.59', best_ask: '1' })).toBe(false);
    expect(booksMatch(book, { ...change, best_bid: '0.6', best_ask: '0.7' })).toBe(false);
  });
});
