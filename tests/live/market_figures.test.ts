import { describe, expect, test } from 'vitest';
import { depthRowsOf, largestSize } from '../../dashboard/src/live/depth_levels.ts';
import { edgeLinesOf, openTimesIn, timeAboveZero } from '../../dashboard/src/live/edge_lines.ts';
import type { History, MarketDetail } from '../../dashboard/src/live/frames.ts';
import { termsById } from '../../dashboard/src/live/market_terms.ts';

type Outcome = MarketDetail['outcomes'][number];

const outcome: Outcome = {
  key: 'home',
  name: 'Home',
  venue_a: 0.46,
  venue_b: 0.44,
  cheaper: 'venue_b',
  venue_a_book: { ask: 0.46, bid: 0.44, depth: 120, bid_depth: null, ticker: 'KX', side: 'yes' },
  venue_b_book: { ask: 0.44, bid: 0.42, depth: 300.5, bid_depth: 80, token_id: '1' },
};

describe('the depth of an outcome', () => {
  test('has one row for each price, the highest first, and both venues in the row of an equal price', () => {
    const rows = depthRowsOf(outcome);
    expect(rows).toEqual([
      { price: 0.46, venue_a: { side: 'ask', size: 120 }, venue_b: null },
      { price: 0.44, venue_a: { side: 'bid', size: null }, venue_b: { side: 'ask', size: 300.5 } },
      { price: 0.42, venue_a: null, venue_b: { side: 'bid', size: 80 } },
    ]);
    expect(largestSize(rows)).toBe(300.5);
  });

  test('shows every level where the book has levels, and nothing without a book', () => {
    const levels = {
      asks: [
        { price: 0.46, size: 1 },
        { price: 0.47, size: 2 },
      ],
      bids: [],
    };
    const deep = { ...outcome, venue_a_book: { ...outcome.venue_a_book, levels }, venue_b_book: null } as Outcome;
    expect(depthRowsOf(deep).map(({ price }) => price)).toEqual([0.47, 0.46]);
    expect(depthRowsOf({ ...outcome, venue_a_book: null, venue_b_book: null })).toEqual([]);
    expect(largestSize([])).toBe(0);
  });
});

describe('the edge over time', () => {
  const rate = { model: 'rate' as const, rate: '0' };
  const [terms] = termsById({
    fees: [rate],
    markets: [
      {
        id: 'm1',
        expected_settlement_at: null,
        volume: { venue_a: null, venue_b: null },
        outcomes: ['home', 'away'].map((key) => ({ key, fee_a: 0, fee_b: 0 })),
      },
    ],
  }).values();
  const minute = 60_000;
  const point = (t: number, venue_a: number | null, venue_b: number | null) => ({ t: t * minute, venue_a, venue_b });
  const history = (home: History['series'][number]['points'], away: typeof home): History => ({
    id: 'mkt_00000000-0000-4000-8000-000000000001',
    bucket_seconds: 60,
    delay_seconds: 120,
    from: 0,
    to: 10 * minute,
    series: [
      { outcome: 'home', name: 'Home', points: home },
      { outcome: 'away', name: 'Away', points: away },
    ],
  });
  const lines = (given: History, minutes = 10) => {
    if (!terms) throw new Error('no terms');
    return edgeLinesOf(['home', 'away'], given, new Map(), terms, { from: 0, to: minutes * minute });
  };

  test('is that of the asks of each minute, shaded above zero only', () => {
    const given = history(
      [point(1, 0.5, 0.45), point(2, 0.5, 0.48), point(3, 0.5, null)],
      [point(1, 0.5, 0.6), point(2, 0.54, 0.6), point(3, 0.5, 0.5)],
    );
    const found = lines(given);
    expect(found.t).toEqual([60, 120, 180]);
    expect(found.edge).toEqual([5, -2, null]);
    expect(found.tradable).toEqual([5, null, null]);
    expect(timeAboveZero(found)).toBe(minute);
  });

  test('is missing where an outcome has no sample', () => {
    const found = lines(history([point(1, 0.5, 0.45), point(2, 0.5, 0.45)], [point(1, 0.5, 0.6)]));
    expect(found.edge).toEqual([5, null]);
  });

  test('has a sample every five minutes over more than two days, without an interruption', () => {
    const samples = [5, 6, 10].map((t) => point(t, 0.5, 0.4));
    expect(lines(history(samples, samples), 3000).t).toEqual([300, 600]);
  });

  test('the times of opportunities are cut to the range', () => {
    const times = [
      { from: 0, to: 4 },
      { from: 5, to: 15 },
      { from: 21, to: 30 },
    ];
    expect(openTimesIn(times, { from: 10, to: 20 })).toEqual([{ from: 10, to: 15 }]);
  });
});
