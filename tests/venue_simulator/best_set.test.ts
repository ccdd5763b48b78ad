import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bestSet, type Offer } from '../../local/venue_simulator/arbitrage/best_set.ts';
import { feeOnA, feeOnB } from '../../local/venue_simulator/arbitrage/fees.ts';
import type { EventA, MarketB, SeriesA } from '../../local/venue_simulator/universe/question.ts';

/** Guarantee: the simulator's own arithmetic, against which the product is held, is that of the fact sheet and misses no set. */

const series = (fee_multiplier: unknown, fee_type = 'quadratic') =>
  ({ ticker: 'KX', fields: { fee_multiplier, fee_type } }) as SeriesA;
const eventWith = (fields: Record<string, unknown> = {}) => ({ fields }) as EventA;
const market = (rate: unknown, more: Record<string, unknown> = {}) =>
  ({ fields: { feeSchedule: { rate, exponent: 1 }, ...more } }) as unknown as MarketB;

describe('what a taker pays', () => {
  // venues.md, "Fee drag": both fees of a pair at one price, in cents, before rounding.
  it.each([
    [0.5, 1, 0.05, 3],
    [0.5, 0.5, 0.05, 2.13],
    [0.3, 1, 0.05, 2.52],
    [0.3, 0.5, 0.05, 1.79],
    [0.1, 1, 0.07, 1.26],
    [0.5, 1, 0, 1.75],
  ])('is what the fact sheet says at %s with %s and %s', (price, multiplier, rate, cents) => {
    const at = Math.round(price * 10_000);
    const a = feeOnA(series(multiplier), eventWith())?.(at) ?? Number.NaN;
    const b = feeOnB(market(rate))?.(at) ?? Number.NaN;
    expect(Math.abs((a + b) / 10_000 - cents)).toBeLessThan(0.02);
  });

  it('is rounded up, to $0.0001 on venue A and to $0.00001 on venue B', () => {
    expect(feeOnA(series(1), eventWith())?.(4_300)).toBe(17_200);
    expect(feeOnA(series(1), eventWith())?.(5_000)).toBe(17_500);
    expect(feeOnB(market(0.05))?.(4_300)).toBe(12_260);
    expect(feeOnB(market(0.05))?.(5_000)).toBe(12_500);
  });

  it("is the event's own where it has one, and unknown where the listing does not explain it", () => {
    expect(feeOnA(series(1), eventWith({ fee_multiplier_override: 0.5 }))?.(5_000)).toBe(8_800);
    expect(feeOnA(series(1), eventWith({ fee_type_override: 'flat' }))).toBeNull();
    expect(feeOnA(series(undefined), eventWith())).toBeNull();
    expect(feeOnA(undefined, eventWith())).toBeNull();
    expect(feeOnB(market(null))).toBeNull();
    expect(feeOnB(market(0.05, { feesEnabled: false }))?.(5_000)).toBe(0);
  });
});

describe('the best set', () => {
  const offer = (venue: 'a' | 'b', cents: number, contracts: number, least = venue === 'b' ? 5 : 0.01): Offer => ({
    venue,
    ask: cents * 100,
    cost: cents * 10_000 + 5_000,
    size: contracts * 100,
    minSize: least * 100,
  });

  it('has both venues in it, even where one alone is cheaper', () => {
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
  ])('is none at %s of venue B', (_why, contracts, cents) => {
    const small = [[offer('b', cents, contracts)], [offer('a', 92 - cents, 500)]];
    expect(bestSet(small)).toBeNull();
    expect(bestSet([[offer('b', cents, 12)], [offer('a', 92 - cents, 500)]])).not.toBeNull();
  });

  it('is none where the cents that venue A may round away take the profit', () => {
    // Edge 0.1 cent of a contract: ten contracts earn a cent, which is not above one.
    const thin = (contracts: number) => [
      [{ ...offer('a', 50, contracts), cost: 500_000 }],
      [{ ...offer('b', 49, contracts), cost: 499_000 }],
    ];
    expect(bestSet(thin(10))).toBeNull();
    expect(bestSet(thin(10.01))).not.toBeNull();
  });

  it('is found behind a thin offer that is cheaper, and says so', () => {
    const hidden = [
      [offer('a', 40, 1), offer('a', 44, 80)],
      [offer('b', 45, 30), offer('a', 60, 500)],
    ];
    expect(bestSet(hidden)).toEqual({ cost: 900_000, size: 3_000, cheapest: false });
  });

  it('exists exactly where trying every combination finds one', () => {
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
        const paying = all.filter((set) => {
          const size = Math.min(...set.map((leg) => leg.size));
          const cost = set.reduce((sum, leg) => sum + leg.cost, 0);
          const onA = set.filter((leg) => leg.venue === 'a').length;
          const taken = set.every(
            (leg) => leg.venue === 'a' || (size >= leg.minSize && (size / 100) * (leg.ask / 10_000) >= 1),
          );
          return onA > 0 && onA < set.length && taken && (1_000_000 - cost) * size > onA * 1_000_000;
        });
        expect(bestSet(outcomes) !== null).toBe(paying.length > 0);
      }),
      { numRuns: 3_000 },
    );
  });
});
