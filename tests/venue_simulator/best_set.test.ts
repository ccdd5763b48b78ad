import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bestSet, type Offer } from '../../local/venue_simulator/arbitrage/best_set.ts';
import { feeOnA, feeOnB } from '../../local/venue_simulator/arbitrage/fees.ts';
import type { EventA, MarketB, SeriesA } from '../../local/venue_simulator/universe/question.ts';

/**
 * Guarantee: the simulator computes fees as venues.md states them, and finds every profitable set.
 * The tests of the product compare its results with this implementation.
 */

const series = (fee_multiplier: unknown, fee_type = 'quadratic') =>
  ({ ticker: 'KX', fields: { fee_multiplier, fee_type } }) as SeriesA;
const eventWith = (fields: Record<string, unknown> = {}) => ({ fields }) as EventA;
const market = (rate: unknown, more: Record<string, unknown> = {}) =>
  ({ fields: { feeSchedule: { rate, exponent: 1 }, ...more } }) as unknown as MarketB;

describe('taker fees of the simulator', () => {
  // venues.md, "Fee drag": both fees of a pair at one price, in cents, before rounding.
  it.each([
    [0.5, 1, 0.05, 3],
    [0.5, 0.5, 0.05, 2.13],
    [0.3, 1, 0.05, 2.52],
    [0.3, 0.5, 0.05, 1.79],
    [0.1, 1, 0.07, 1.26],
    [0.5, 1, 0, 1.75],
  ])('are those of venues.md at price %s with multiplier %s and rate %s', (price, multiplier, rate, cents) => {
    const at = Math.round(price * 10_000);
    const a = feeOnA(series(multiplier), eventWith())?.(at) ?? Number.NaN;
    const b = feeOnB(market(rate))?.(at) ?? Number.NaN;
    expect(Math.abs((a + b) / 10_000 - cents)).toBeLessThan(0.02);
  });

  it('are rounded up, to $0.0001 on venue_a and to $0.00001 on venue_b', () => {
    expect(feeOnA(series(1), eventWith())?.(4_300)).toBe(17_200);
    expect(feeOnA(series(1), eventWith())?.(5_000)).toBe(17_500);
    expect(feeOnB(market(0.05))?.(4_300)).toBe(12_260);
    expect(feeOnB(market(0.05))?.(5_000)).toBe(12_500);
  });

  it('use the override of the event, and are null when the listing has an unknown fee type or no rate', () => {
    expect(feeOnA(series(1), eventWith({ fee_multiplier_override: 0.5 }))?.(5_000)).toBe(8_800);
    expect(feeOnA(series(1), eventWith({ fee_type_override: 'flat' }))).toBeNull();
    expect(feeOnA(series(undefined), eventWith())).toBeNull();
    expect(feeOnA(undefined, eventWith())).toBeNull();
    expect(feeOnB(market(null))).toBeNull();
    expect(feeOnB(market(0.05, { feesEnabled: false }))?.(5_000)).toBe(0);
  });
});

describe('bestSet', () => {
  const offer = (
    venue: 'a' | 'b',
    cents: number,
    contracts: number,
    minContracts = venue === 'b' ? 5 : 0.01,
  ): Offer => ({
    venue,
    ask: cents * 100,
    cost: cents * 10_000 + 5_000,
    size: contracts * 100,
    minSize: minContracts * 100,
  });

  it('returns a set with both venues, even when the offers of one venue alone are cheaper', () => {
    const cheapB = [
      [offer('a', 49, 50), offer('b', 45, 50)],
      [offer('a', 48, 50), offer('b', 45, 50)],
    ];
    expect(bestSet(cheapB)).toEqual({ cost: 940_000, size: 5_000, cheapest: true });
    expect(bestSet([[offer('b', 45, 50)], [offer('b', 45, 50)]])).toBeNull();
  });

  it.each([
    ['fewer than five contracts', 4.99, 45],
    ['an order below a dollar', 6, 10],
  ])('returns null for %s on venue_b', (_case, contracts, cents) => {
    const tooSmall = [[offer('b', cents, contracts)], [offer('a', 92 - cents, 500)]];
    expect(bestSet(tooSmall)).toBeNull();
    expect(bestSet([[offer('b', cents, 12)], [offer('a', 92 - cents, 500)]])).not.toBeNull();
  });

  it('returns null when cent rounding on venue_a takes the profit', () => {
    // The edge is 0.1 cent a contract: ten contracts earn one cent, which is not more than one
    // cent.
    const smallEdge = (contracts: number) => [
      [{ ...offer('a', 50, contracts), cost: 500_000 }],
      [{ ...offer('b', 49, contracts), cost: 499_000 }],
    ];
    expect(bestSet(smallEdge(10))).toBeNull();
    expect(bestSet(smallEdge(10.01))).not.toBeNull();
  });

  it('finds a set behind a cheaper offer that is too small, and returns cheapest as false', () => {
    const hidden = [
      [offer('a', 40, 1), offer('a', 44, 80)],
      [offer('b', 45, 30), offer('a', 60, 500)],
    ];
    expect(bestSet(hidden)).toEqual({ cost: 900_000, size: 3_000, cheapest: false });
  });

  it('returns a set exactly when a search of every combination finds one', () => {
    const one = fc.record({
      venue: fc.constantFrom('a' as const, 'b' as const),
      ask: fc.integer({ min: 100, max: 6_000 }),
      fee: fc.integer({ min: 0, max: 20_000 }),
      size: fc.integer({ min: 1, max: 3_000 }),
    });
    const offers = fc.array(one, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(offers, { minLength: 2, maxLength: 4 }), (drawn) => {
        const outcomes = drawn.map((row) =>
          row.map(
            ({ venue, ask, fee, size }): Offer => ({
              venue,
              ask,
              cost: ask * 100 + fee,
              size,
              minSize: venue === 'b' ? 500 : 1,
            }),
          ),
        );
        const all = outcomes.reduce<Offer[][]>(
          (sets, row) => sets.flatMap((set) => row.map((next) => [...set, next])),
          [[]],
        );
        const profitable = all.filter((set) => {
          const size = Math.min(...set.map((leg) => leg.size));
          const cost = set.reduce((sum, leg) => sum + leg.cost, 0);
          const legsOnA = set.filter((leg) => leg.venue === 'a').length;
          const isOrderable = set.every(
            (leg) => leg.venue === 'a' || (size >= leg.minSize && (size / 100) * (leg.ask / 10_000) >= 1),
          );
          return legsOnA > 0 && legsOnA < set.length && isOrderable && (1_000_000 - cost) * size > legsOnA * 1_000_000;
        });
        expect(bestSet(outcomes) !== null).toBe(profitable.length > 0);
      }),
      { numRuns: 3_000 },
    );
  });
});
