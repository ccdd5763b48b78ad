import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOpportunity, type Opportunity, opportunityOf } from '../../functions/ingest/engine/opportunity.ts';
import { runs } from '../support/runs.ts';
import {
  type Level,
  type OutcomeBooks,
  type PairFixture,
  pairFixture,
  QUADRATIC,
  type Sides,
  SPORTS,
} from './fixture.ts';

/**
 * Prices in tenths of a cent around a fair price for each outcome, with a small distance between
 * the venues. About half of these books have an edge.
 */
const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 90_000 })), {
  minLength: 1,
  maxLength: 8,
});
const venueBook = fc.record({ off: fc.integer({ min: -40, max: 40 }), bids: steps, asks: steps });
type Drawn = { off: number; bids: [number, number][]; asks: [number, number][] };

function sidesOf(fair: number, { off, bids, asks }: Drawn): Sides {
  const ladder = (from: number, to: 1 | -1, drawn: [number, number][]): Level[] => {
    const levels: Level[] = [];
    let price = from;
    for (const [step, size] of drawn) {
      price += to * step;
      if (price > 0 && price < 1_000) levels.push([price * 1_000, size]);
    }
    return levels;
  };
  const middle = Math.min(998, Math.max(2, fair + off));
  return { bids: ladder(middle, -1, bids), asks: ladder(middle - 1, 1, asks) };
}

const fairPrices = fc.oneof(
  fc.integer({ min: 60, max: 940 }).map((first) => [first, 1_000 - first]),
  fc.tuple(fc.integer({ min: 60, max: 450 }), fc.integer({ min: 60, max: 450 })).map(([x, y]) => [x, y, 1_000 - x - y]),
);
type Books = OutcomeBooks[];
const side = fc.constantFrom('yes' as const, 'no' as const);
const someBooks: fc.Arbitrary<Books> = fairPrices.chain((fair) =>
  fc
    .array(fc.record({ a: venueBook, b: venueBook, side }), { minLength: fair.length, maxLength: fair.length })
    .map((drawn) =>
      drawn.map(({ a, b, side }, at) => ({ a: sidesOf(fair[at] ?? 0, a), b: sidesOf(fair[at] ?? 0, b), side })),
    ),
);

const decide = (fixture: PairFixture) => opportunityOf(fixture.pair, fixture);
const codeOf = (fixture: PairFixture): string => {
  const opp = decide(fixture);
  return opp === null ? 'none' : isOpportunity(opp) ? 'open' : opp.refused;
};
const settings = { numRuns: runs(400) };

/** Checks every opportunity among random books. There must be many. */
function eachOpportunity(check: (opp: Opportunity, books: Books) => void): void {
  let seen = 0;
  fc.assert(
    fc.property(someBooks, (books) => {
      const opp = decide(pairFixture(books));
      if (!isOpportunity(opp)) return;
      seen += 1;
      check(opp, books);
    }),
    settings,
  );
  expect(seen).toBeGreaterThan(settings.numRuns / 10);
}

/**
 * The levels that a leg buys, best price first, taken from the drawn book and not from the engine.
 */
function levelsOf({ contract, side }: Opportunity['legs'][number], books: Books): Level[] {
  const drawn = books[Number(contract.slice(1))];
  const { bids, asks } = (contract.startsWith('A') ? drawn?.a : drawn?.b) ?? { bids: [], asks: [] };
  if (side === null || side === drawn?.side) return [...asks].sort((x, y) => x[0] - y[0]);
  return bids.map(([price, size]): Level => [1_000_000 - price, size]).sort((x, y) => x[0] - y[0]);
}

const upTo = (value: bigint, unit: bigint): bigint => ((value + unit - 1n) / unit) * unit;

/**
 * The cost of one order in 1e-8 USD, computed in 1e-16 USD: one fee for each price level, and
 * rounding to the cent on venue_a.
 */
function orderCost(leg: Opportunity['legs'][number], levels: readonly Level[], size: number): bigint {
  let left = size;
  let whole = 0n;
  for (const [price, here] of levels) {
    const taken = BigInt(Math.min(left, here));
    left -= Number(taken);
    const share = BigInt(price) * BigInt(1_000_000 - price) * taken;
    const fee = leg.venue === 'venue_a' ? upTo(share * 7n, 10n ** 12n) : upTo(share * 5n, 10n ** 11n);
    whole += BigInt(price) * taken * 10n ** 8n + fee;
    if (left === 0) break;
  }
  expect(left).toBe(0);
  return (leg.venue === 'venue_a' ? upTo(whole, 10n ** 14n) : whole) / 10n ** 8n;
}

describe('opportunities on random books', () => {
  it('choose the cheapest contract of each outcome over both venues', () => {
    let found = 0;
    fc.assert(
      fc.property(someBooks, (books) => {
        const ask = (price: number | undefined, venue: 'a' | 'b'): number => {
          if (price === undefined) return Number.POSITIVE_INFINITY;
          const share = price * (1_000_000 - price);
          return price + (venue === 'a' ? Math.ceil((share * 7) / 1e10) * 100 : Math.ceil((share * 5) / 1e9) * 10);
        };
        const lowest = (levels: readonly Level[]) => levels.map(([price]) => price).sort((x, y) => x - y)[0];
        let least = [{ cost: 0, venues: '' }];
        for (const [at, { a, b }] of books.entries()) {
          const ways = [
            { cost: ask(lowest(a.asks), 'a'), venues: 'a' },
            { cost: ask(lowest(b.asks), 'b'), venues: 'b' },
          ];
          const other = books.length === 2 ? books[1 - at] : undefined;
          if (other) {
            const opposite = other.a.bids.map(([price, size]): Level => [1_000_000 - price, size]);
            ways.push({ cost: ask(lowest(opposite), 'a'), venues: 'a' });
          }
          least = least.flatMap((so) =>
            ways.map((way) => ({ cost: so.cost + way.cost, venues: so.venues + way.venues })),
          );
        }
        const both = least.filter(({ venues }) => venues.includes('a') && venues.includes('b'));
        const cost = Math.min(...both.map((choice) => choice.cost));
        const opp = decide(pairFixture(books));
        if (isOpportunity(opp)) {
          found += 1;
          expect(opp.cost).toBe(cost);
        } else if (opp === null || opp.refused === 'venues.one') expect(cost).toBeGreaterThanOrEqual(1_000_000);
      }),
      settings,
    );
    expect(found).toBeGreaterThan(settings.numRuns / 10);
  });

  it('lose in no outcome at the quoted size, with stakes that add up to the whole', () => {
    eachOpportunity((opp, books) => {
      const payouts = books.map((_, winner) =>
        opp.legs.reduce((sum, { contract, side }) => {
          const asked = Number(contract.slice(1));
          const forIt = side === null || side === books[asked]?.side;
          return sum + ((asked === winner) === forIt ? opp.size * 10_000 : 0);
        }, 0),
      );
      for (const payout of payouts) expect(payout - opp.wager).toBeGreaterThanOrEqual(0);
      const cost = opp.legs.reduce((sum, leg) => sum + BigInt(leg.ask + leg.fee) * BigInt(opp.size), 0n);
      expect(BigInt(opp.wager)).toBe((cost + 99n) / 100n);
      expect(opp.legs.reduce((sum, leg) => sum + leg.stake, 0)).toBe(1_000_000);
      for (const leg of opp.legs) {
        expect(Math.abs(leg.stake - ((leg.ask + leg.fee) * 1e6) / opp.cost)).toBeLessThanOrEqual(opp.legs.length / 2);
        expect([leg.ask, leg.size]).toEqual(levelsOf(leg, books)[0]);
      }
      expect(opp.size).toBe(Math.min(...opp.legs.map((leg) => leg.size)));
      expect(new Set(opp.legs.map((leg) => leg.venue)).size).toBe(2);
      expect(opp.legs.map((leg) => leg.key)).toEqual(books.map((_, at) => `o${at}`));
    });
  });

  it('have a size curve with the exact cost at each size where a book moves to its next level', () => {
    eachOpportunity((opp, books) => {
      const levels = opp.legs.map((leg) => levelsOf(leg, books));
      const ends = levels.map((own) => own.reduce((sum, [, size]) => sum + size, 0));
      const borders = new Set(
        levels.flatMap((own) => own.map((_, at) => own.slice(0, at + 1).reduce((sum, [, size]) => sum + size, 0))),
      );
      const expected = [...borders].filter((size) => size <= Math.min(...ends)).sort((x, y) => x - y);
      expect(opp.ladder.map((step) => step.size)).toEqual(expected.slice(0, opp.ladder.length));
      expect(opp.ladder.length).toBeLessThanOrEqual(20);
      const cost = (size: number) =>
        opp.legs.reduce((sum, leg, at) => sum + orderCost(leg, levels[at] ?? [], size), 0n);
      for (const step of opp.ladder) {
        expect(BigInt(step.cost)).toBe(cost(step.size));
        expect(BigInt(step.cost)).toBeLessThan(BigInt(step.size) * 1_000_000n);
      }
      // The curve ends only where the edge or a book ends, or after twenty points.
      const next = expected[opp.ladder.length];
      if (next !== undefined && opp.ladder.length < 20) {
        expect(cost(next)).toBeGreaterThanOrEqual(BigInt(next) * 1_000_000n);
      }
    });
  });

  it('have a size curve that starts at the quoted size, rises, and never costs less than the asks', () => {
    eachOpportunity((opp) => {
      const asks = BigInt(opp.legs.reduce((sum, leg) => sum + leg.ask, 0));
      let before = 0n;
      for (const step of opp.ladder) {
        expect(BigInt(step.cost)).toBeGreaterThan(before);
        expect(BigInt(step.cost)).toBeGreaterThanOrEqual(asks * BigInt(step.size));
        before = BigInt(step.cost);
      }
      const first = opp.ladder[0];
      expect(first?.size).toBe(opp.size);
      // One cent per order of venue_a and one unit per fill of venue_b. A fill of a fractional
      // number of contracts is rounded once more than whole contracts, which may add one unit of
      // 1e-4 USD to an order of venue_a.
      const ofA = BigInt(opp.legs.filter((leg) => leg.venue === 'venue_a').length);
      const ofB = BigInt(opp.legs.length) - ofA;
      const broken = opp.size % 100 === 0 ? 0n : ofA * 10_000n;
      const most = BigInt(opp.wager) * 100n + ofA * 1_000_000n + ofB * 1_000n + broken;
      expect(BigInt(first?.cost ?? 0)).toBeLessThanOrEqual(most);
    });
  });

  it('do not depend on the order of the outcomes', () => {
    fc.assert(
      fc.property(someBooks, (books) => {
        const fixture = pairFixture(books);
        const reversed: PairFixture = {
          ...fixture,
          pair: { ...fixture.pair, outcomes: [...fixture.pair.outcomes].reverse() },
        };
        expect(codeOf(reversed)).toBe(codeOf(fixture));
        const [opp, back] = [decide(fixture), decide(reversed)];
        if (!isOpportunity(opp) || !isOpportunity(back)) return;
        expect([back.cost, back.size, back.wager, back.ladder]).toEqual([opp.cost, opp.size, opp.wager, opp.ladder]);
        expect([...back.legs].reverse().map((leg) => leg.contract)).toEqual(opp.legs.map((leg) => leg.contract));
      }),
      settings,
    );
  });

  it('do not depend on which venue has which books, when each keeps its fees', () => {
    fc.assert(
      fc.property(someBooks, (books) => {
        // With two outcomes only venue_a has the opposite contract of the other outcome, so a third
        // outcome removes that choice. The equal minimum orders remove venue_b's minimum of one
        // dollar.
        const three = books.length === 3 ? books : [...books, { a: THIN, b: THIN }];
        const same = { min_a: 10_000, min_b: 10_000 };
        const fixture = pairFixture(three, same);
        const swapped = pairFixture(
          three.map(({ a, b }) => ({ a: b, b: a })),
          { ...same, fee_a: SPORTS, fee_b: QUADRATIC },
        );
        expect(codeOf(swapped)).toBe(codeOf(fixture));
        const [opp, back] = [decide(fixture), decide(swapped)];
        if (!isOpportunity(opp) || !isOpportunity(back)) return;
        expect([back.cost, back.size, back.wager, back.ladder]).toEqual([opp.cost, opp.size, opp.wager, opp.ladder]);
        expect(back.legs.map((leg) => leg.venue)).not.toEqual(opp.legs.map((leg) => leg.venue));
      }),
      settings,
    );
  });
});

/** An outcome with a very low price. */
const THIN: Sides = { bids: [[9_000, 50_000]], asks: [[10_000, 50_000]] };
