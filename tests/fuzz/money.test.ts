import fc from 'fast-check';
import { expect } from 'vitest';
import { DecimalParseError, decimalOfNumber, formatMicro, parseMicro } from '../../functions/ingest/decimal.ts';
import { type FeeSchedule, feeOfFill, feePerContract, scheduleOf } from '../../functions/ingest/engine/fees.ts';
import { isOpportunity, opportunityOf } from '../../functions/ingest/engine/opportunity.ts';
import type { Fee } from '../../functions/ingest/listing.ts';
import { type Level, pairFixture, type Sides } from '../engine/fixture.ts';
import { campaign } from './support/campaign.ts';
import { anyText } from './support/texts.ts';

/**
 * Guarantee: costs, fees and sizes equal those of a slow model without doubles, which uses
 * fractions of big integers and rounds where a venue rounds.
 */

/** The exact fraction n / 10^d. */
type Exact = { n: bigint; d: number };
const exact = (text: string): Exact => {
  const [whole = '', fraction = ''] = text.split('.');
  return { n: BigInt(whole + fraction), d: fraction.length };
};
const times = (...all: Exact[]): Exact => all.reduce((x, y) => ({ n: x.n * y.n, d: x.d + y.d }), { n: 1n, d: 0 });
const plus = (x: Exact, y: Exact): Exact => {
  const d = Math.max(x.d, y.d);
  return { n: x.n * 10n ** BigInt(d - x.d) + y.n * 10n ** BigInt(d - y.d), d };
};
/** Rounds up to this number of decimals. */
const roundUp = ({ n, d }: Exact, decimals: number): Exact => {
  if (d <= decimals) return { n: n * 10n ** BigInt(decimals - d), d: decimals };
  const unit = 10n ** BigInt(d - decimals);
  return { n: (n + unit - 1n) / unit, d: decimals };
};
const usd = (micro: number): Exact => ({ n: BigInt(micro), d: 6 });
const contracts = (centi: number): Exact => ({ n: BigInt(centi), d: 2 });

/** The taker fee of one fill. */
function modelFee(fee: Fee, price: number, size: number): Exact {
  const share = fee.model === 'quadratic' ? times(exact(fee.multiplier), exact('0.07')) : exact(fee.rate);
  const raw = times(share, usd(price), usd(1_000_000 - price), contracts(size));
  return roundUp(raw, fee.model === 'quadratic' ? 4 : 5);
}

const decimal = fc
  .tuple(fc.nat(9), fc.integer({ min: 0, max: 4 }), fc.nat(9_999))
  .map(([whole, places, digits]) =>
    places === 0 ? String(whole) : `${whole}.${String(digits).padStart(4, '0').slice(0, places)}`,
  );
const feeA: fc.Arbitrary<Fee> = decimal.map((multiplier) => ({ model: 'quadratic', multiplier, maker: false }));
const feeB: fc.Arbitrary<Fee> = decimal.map((rate) => ({ model: 'rate', rate }));
const price = fc.oneof(
  fc.integer({ min: 1, max: 999_999 }),
  fc.integer({ min: 1, max: 99 }).map((cents) => cents * 10_000),
  fc.constantFrom(1, 999_999, 500_000),
);

campaign(
  'a decimal is parsed exactly or rejected, and formats back to the same number',
  () =>
    fc.property(
      fc.oneof(
        anyText,
        fc
          .tuple(fc.maxSafeNat(), fc.stringMatching(/^\d{0,8}$/), fc.constantFrom('', '-'))
          .map(([n, f, sign]) => `${sign}${n}.${f}`),
        fc.stringMatching(/^-?\d{0,20}\.?\d{0,10}$/),
      ),
      (text) => {
        let micro: number;
        try {
          micro = parseMicro(text, 'size');
        } catch (error) {
          expect(error).toBeInstanceOf(DecimalParseError);
          return;
        }
        expect(text).toMatch(/^-?(?:\d+\.?\d*|\.\d+)$/);
        const model = times(exact(text.replace('-', '')), { n: 10n ** 6n, d: 0 });
        expect(model.n).toBe(BigInt(Math.abs(micro)) * 10n ** BigInt(model.d));
        expect(micro < 0).toBe(text.startsWith('-') && micro !== 0);
        expect(parseMicro(formatMicro(micro), 'size')).toBe(micro);
      },
    ),
  2_000,
);

campaign(
  'a JSON number becomes the decimal that the venue wrote, or is rejected',
  () =>
    fc.property(
      fc.oneof(fc.double(), fc.nat(), fc.constantFrom<unknown>(1e15, 1e21, 1e308, 5e-324, -0, '1', '1e3', null)),
      (given) => {
        const text = decimalOfNumber(given);
        if (text === null) return;
        expect(text).toMatch(/^\d{1,15}(\.\d{1,25})?$/);
        // No venue charges less than 1e-12.
        expect(Math.abs(Number(text) - Number(given))).toBeLessThanOrEqual(1e-12);
      },
    ),
  1_000,
);

campaign(
  'a fee equals that of the model, for any schedule, price and size',
  () =>
    fc.property(fc.oneof(feeA, feeB), price, fc.integer({ min: 1, max: 10 ** 9 }), (charged, at, size) => {
      const schedule = scheduleOf(charged) as FeeSchedule;
      const model = roundUp(modelFee(charged, at, size), 6);
      expect(BigInt(feeOfFill(schedule, at, size))).toBe(model.n);
      expect(BigInt(feePerContract(schedule, at))).toBe(roundUp(modelFee(charged, at, 100), 6).n);
    }),
  2_000,
);

type Offer = { venue: 'venue_a' | 'venue_b'; opposite: boolean; levels: Level[]; fee: Fee };

/**
 * All offers for each outcome in the generated books: the YES asks of venue_a, the NO asks of the
 * other outcome on venue_a (from its bids), and the asks of venue_b.
 */
function offersOf(books: readonly { a: Sides; b: Sides }[], terms: readonly { a: Fee; b: Fee }[]): Offer[][] {
  const merged = (levels: readonly Level[]): Level[] => [...new Map(levels)].sort((x, y) => x[0] - y[0]);
  const opposite = (levels: readonly Level[]) =>
    merged(merged(levels).map(([at, size]): Level => [1_000_000 - at, size]));
  return books.map(({ a, b }, at) => {
    const other = books.length === 2 ? 1 - at : -1;
    const across = books[other];
    const all: Offer[] = [
      { venue: 'venue_a', opposite: false, levels: merged(a.asks), fee: terms[at]?.a as Fee },
      { venue: 'venue_a', opposite: true, levels: opposite(across?.a.bids ?? []), fee: terms[other]?.a as Fee },
      { venue: 'venue_b', opposite: false, levels: merged(b.asks), fee: terms[at]?.b as Fee },
    ];
    return all.filter((one) => one.levels.length > 0);
  });
}

/** Cost of one contract at the best level, with its fee. */
const costOfBest = ({ levels, fee: charged }: Offer): Exact => {
  const [at = 0] = levels[0] ?? [];
  return plus(usd(at), modelFee(charged, at, 100));
};

/**
 * Exact lowest cost of a $1 payout with legs on both venues, over all combinations of offers. Null
 * without such a combination.
 */
function modelCost(offers: readonly Offer[][]): bigint | null {
  let choices: { cost: Exact; venues: Set<string> }[] = [{ cost: { n: 0n, d: 6 }, venues: new Set() }];
  for (const alternatives of offers) {
    choices = choices.flatMap((choice) =>
      alternatives.map((offer) => ({
        cost: plus(choice.cost, costOfBest(offer)),
        venues: new Set([...choice.venues, offer.venue]),
      })),
    );
  }
  const costs = choices.filter(({ venues }) => venues.size === 2).map(({ cost }) => roundUp(cost, 6).n);
  return costs.length === 0 ? null : costs.reduce((x, y) => (y < x ? y : x));
}

/**
 * Cost in 1e-8 USD of an order of `size` contracts / 100 on one offer. Each level has its own fee,
 * and venue_a rounds the total up to the cent.
 */
function modelOrder({ levels, venue, fee: charged }: Offer, size: number): bigint {
  let remaining = size;
  let total: Exact = { n: 0n, d: 8 };
  for (const [at, available] of levels) {
    const taken = Math.min(remaining, available);
    remaining -= taken;
    total = plus(total, plus(times(usd(at), contracts(taken)), modelFee(charged, at, taken)));
    if (remaining === 0) break;
  }
  expect(remaining).toBe(0);
  return roundUp(venue === 'venue_a' ? roundUp(total, 2) : total, 8).n;
}

const level = (low: number, high: number) =>
  fc.tuple(
    fc.integer({ min: low, max: high }).map((tenth) => tenth * 1_000),
    fc.integer({ min: 1, max: 500_000 }),
  );
/** Books around a fair price. They differ enough that about half of the cases have an edge. */
const sides = (fair: number): fc.Arbitrary<Sides> =>
  fc.integer({ min: -40, max: 40 }).chain((shift) => {
    const middle = Math.min(990, Math.max(10, fair + shift));
    const bids = fc.array(level(Math.max(1, middle - 60), middle - 1), { minLength: 1, maxLength: 8 });
    const asks = fc.array(level(middle, Math.min(999, middle + 60)), { minLength: 1, maxLength: 8 });
    return fc.record({ bids, asks });
  });
const generated = fc.integer({ min: 60, max: 940 }).chain((first) =>
  fc.record({
    books: fc.tuple(
      fc.record({ a: sides(first), b: sides(first) }),
      fc.record({ a: sides(1_000 - first), b: sides(1_000 - first) }),
    ),
    terms: fc.tuple(fc.record({ a: feeA, b: feeB }), fc.record({ a: feeA, b: feeB })),
  }),
);
/** Fee schedules as the venues charge. With those of `generated` few cases keep an edge. */
const venueTerms = fc.record({
  a: fc.constantFrom('0', '0.5', '1').map((multiplier): Fee => ({ model: 'quadratic', multiplier, maker: false })),
  b: fc.constantFrom('0', '0.03', '0.05').map((rate): Fee => ({ model: 'rate', rate })),
});

const opportunityIn = (books: readonly { a: Sides; b: Sides }[], terms: readonly { a: Fee; b: Fee }[]) => {
  const fixture = pairFixture(books, (at) => ({
    fee_a: terms[at]?.a ?? null,
    fee_b: terms[at]?.b ?? null,
    min_a: 1,
    min_b: 1,
  }));
  return opportunityOf(fixture.pair, fixture);
};

campaign(
  'an opportunity has the cost of the cheapest choice, and each point of its size curve the cost of the model',
  () =>
    fc.property(
      generated,
      fc.tuple(venueTerms, venueTerms),
      fc.boolean(),
      ({ books, terms: anyTerms }, usualTerms, useAny) => {
        const terms = useAny ? anyTerms : usualTerms;
        const opp = opportunityIn(books, terms);
        const offers = offersOf(books, terms);
        const cost = modelCost(offers);
        if (!isOpportunity(opp)) {
          if (opp === null || opp.refused === 'venues.one') expect(cost === null || cost >= 1_000_000n).toBe(true);
          return;
        }
        expect(BigInt(opp.cost)).toBe(cost);
        const taken = opp.legs.map((leg, at) => {
          const offer = offers[at]?.find((one) => one.venue === leg.venue && one.opposite === (leg.side === 'no'));
          if (!offer) throw new Error(`No generated book offers the leg ${JSON.stringify(leg)}.`);
          return offer;
        });
        for (const step of opp.ladder) {
          const model = taken.reduce((sum, offer) => sum + modelOrder(offer, step.size), 0n);
          expect(BigInt(step.cost)).toBe(model);
          expect(model).toBeLessThan(BigInt(step.size) * 1_000_000n);
        }
        // The payout exceeds the cost, for any result.
        expect(BigInt(opp.wager)).toBeLessThan(BigInt(opp.size) * 10_000n);
      },
    ),
  1_500,
);
