import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countedReasons } from '../../dashboard/src/live/closed_reasons.ts';
import type { ClosedOpportunities } from '../../dashboard/src/live/frames.ts';
import { annualizedOf, parseStake, placeOf, resultOfStake, stakes } from '../../dashboard/src/live/stake.ts';
import { opportunityRow } from './support/rows.ts';

// 120 contracts for $117.59, 300 for $296.10: 0.9799… and 0.9917… a contract.
const opportunity = opportunityRow('o1');

describe('what a stake buys', () => {
  test('at the best asks is a part of the first point of the size curve, in whole contracts', () => {
    expect(resultOfStake(opportunity, 50)).toEqual({
      contracts: 51,
      cost_usd: 49.97575,
      profit_usd: 1.02425,
      edge_pct: 2.0083,
      limit: null,
    });
  });

  test('at a point of the curve is exactly that point', () => {
    expect(resultOfStake(opportunity, 117.59)).toMatchObject({ contracts: 120, cost_usd: 117.59, profit_usd: 2.41 });
  });

  test('between two points buys more at the dearer asks', () => {
    expect(resultOfStake(opportunity, 200)).toMatchObject({ contracts: 203, cost_usd: 199.90294445, limit: null });
  });

  test('never buys beyond the largest profit, and names the reason', () => {
    const falling = {
      ...opportunity,
      ladder: [...(opportunity.ladder ?? []), { contracts: 400, cost_usd: 398, edge_pct: 0.5 }],
    };
    expect(resultOfStake(opportunity, 5000)).toMatchObject({ contracts: 300, profit_usd: 3.9, limit: 'depth' });
    expect(resultOfStake(falling, 5000)).toMatchObject({ contracts: 300, profit_usd: 3.9, limit: 'profit' });
  });

  test('without a size curve ends at the quoted size, and is nothing below one contract', () => {
    const flat = { ...opportunity, ladder: null };
    expect(resultOfStake(flat, 5000)).toMatchObject({ contracts: 120, cost_usd: 117.588, limit: 'depth' });
    expect(resultOfStake(opportunity, 0.9)).toBeNull();
  });

  test('costs at most the stake and is the most that it buys, for any curve', () => {
    const step = fc.record({
      size: fc.integer({ min: 1, max: 90_000 }),
      price: fc.integer({ min: 100_000, max: 999_999 }),
    });
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 1_000_000 }),
        (steps, stake) => {
          let [size, cost] = [0, 0];
          const ladder = [...steps]
            .sort((one, other) => one.price - other.price)
            .map((one) => {
              size += one.size;
              cost += one.size * one.price;
              return { contracts: size / 100, cost_usd: cost / 1e8, edge_pct: 0 };
            });
          const result = resultOfStake({ ...opportunity, ladder }, stake / 100);
          if (!result) return;
          expect(result.cost_usd).toBeLessThanOrEqual(stake / 100);
          expect(result.profit_usd).toBeCloseTo(result.contracts - result.cost_usd, 7);
          expect(Number.isInteger(result.contracts)).toBe(true);
          const dearest = Math.max(...steps.map(({ price }) => price)) / 1e6;
          if (result.limit === null) expect(result.cost_usd + dearest * 2).toBeGreaterThan(stake / 100);
        },
      ),
    );
  });
});

test('an edge for a year follows the rule of annualized_pct, and is unknown without a settlement in the future', () => {
  const now = Date.parse('2026-11-20T00:00:00Z');
  expect(annualizedOf(2, '2026-11-30T00:00:00Z', now)).toBe(73);
  expect(annualizedOf(2, '2026-11-20T00:00:00Z', now)).toBeNull();
  expect(annualizedOf(2, null, now)).toBeNull();
});

test('a stake is read from text between its limits, and has a place on the slider', () => {
  expect(['1,000', '12.345', '9', '2000000', 'x', '', null].map(parseStake)).toEqual([
    1000,
    12.35,
    null,
    null,
    null,
    null,
    null,
  ]);
  expect(stakes).toEqual([...stakes].sort((one, other) => one - other));
  expect(stakes[placeOf(1000)]).toBe(1000);
  expect([placeOf(1), placeOf(1e9)]).toEqual([0, stakes.length - 1]);
});

test('the reasons of closed opportunities are counted, the most frequent first', () => {
  const rows = ['edge.gone', 'book.stale', 'edge.gone'].map((close_reason) => ({ close_reason }));
  expect(countedReasons(rows as ClosedOpportunities['opportunities'])).toEqual([
    ['edge.gone', 2],
    ['book.stale', 1],
  ]);
});
