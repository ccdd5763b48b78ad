import { describe, expect, it } from 'vitest';
import { opportunityOf } from '../../functions/ingest/engine/opportunity.ts';
import {
  bookOf,
  expectOpportunity,
  expectRejection,
  FREE_A,
  FREE_B,
  flat,
  type OutcomeBooks,
  type PairFixture,
  pairFixture,
  type Sides,
} from './fixture.ts';

/**
 * Asks .45 on venue_a and .50 on venue_b are the example of contract.md. No other choice of legs is
 * cheaper.
 */
const example = (size = 12_000): { a: Sides; b: Sides }[] => [
  { a: flat(430_000, 450_000, size), b: flat(480_000, 500_000, size) },
  { a: flat(530_000, 570_000, size), b: flat(490_000, 500_000, size) },
];

describe('opportunity', () => {
  it('equals the example of contract.md to the last digit', () => {
    const opp = expectOpportunity(pairFixture(example()));
    expect(opp).toMatchObject({ cost: 979_900, size: 12_000, wager: 117_588_000 });
    expect(opp.legs).toEqual([
      {
        key: 'o0',
        venue: 'venue_a',
        side: 'yes',
        contract: 'A0',
        ask: 450_000,
        fee: 17_400,
        stake: 476_987,
        size: 12_000,
        delay: null,
      },
      {
        key: 'o1',
        venue: 'venue_b',
        side: null,
        contract: 'B1',
        ask: 500_000,
        fee: 12_500,
        stake: 523_013,
        size: 12_000,
        delay: 3,
      },
    ]);
    // 120 × .45 + 2.079 of fee, rounded up to the cent, and 120 × .50 + 1.50.
    expect(opp.ladder).toEqual([{ size: 12_000, cost: String(5_608_000_000 + 6_150_000_000) }]);
  });

  it('is exact when its amounts in 1e-8 USD exceed 2^53', () => {
    // 100 million contracts at .45 and .50, and 0.01 contract more.
    const { wager, ladder } = expectOpportunity(pairFixture(example(10_000_000_001)));
    // In total .017325 and .0125 of fee per contract, then venue_a's cent and venue_b's 1e-5.
    expect(wager).toBe(97_990_000_009_799);
    expect(ladder).toEqual([{ size: 10_000_000_001, cost: '9798250001513000' }]);
  });

  it('uses the opposite side of the other outcome’s contract when it is cheaper, with its size and its fee', () => {
    const books = example();
    // A bid of .58 for o1 is an offer of o0 at .42.
    books[1] = { a: { bids: [[580_000, 7_000]], asks: [[600_000, 100]] }, b: flat(490_000, 500_000) };
    const opp = expectOpportunity(pairFixture(books, (at) => ({ fee_a: at === 1 ? FREE_A : null })));
    expect(opp.legs[0]).toMatchObject({
      venue: 'venue_a',
      side: 'no',
      contract: 'A1',
      ask: 420_000,
      fee: 0,
      size: 7_000,
    });
    expect(opp).toMatchObject({ cost: 932_500, size: 7_000 });
  });

  it('uses YES of the other outcome’s contract when that contract pays its outcome on NO', () => {
    const books: OutcomeBooks[] = example();
    // A1 pays for o1 on NO. A bid of .58 for its NO is an offer of its YES at .42, and YES pays for
    // o0.
    books[1] = { a: { bids: [[580_000, 7_000]], asks: [[600_000, 100]] }, b: flat(490_000, 500_000), side: 'no' };
    expect(expectOpportunity(pairFixture(books)).legs[0]).toMatchObject({
      key: 'o0',
      side: 'yes',
      contract: 'A1',
      ask: 420_000,
      size: 7_000,
    });
  });

  it('has no opposite leg in a pair with a single venue_a ticker', () => {
    const books = example();
    const fixture = pairFixture(books, (at) => (at === 1 ? { contract_a: 'A0', side_a: 'no' } : {}));
    expect(expectOpportunity(fixture).legs.map((leg) => [leg.contract, leg.side])).toEqual([
      ['A0', 'yes'],
      ['B1', null],
    ]);
  });

  it('spans both venues by moving the outcome whose change costs least when one venue is cheapest for all', () => {
    const books = [
      { a: flat(300_000, 310_000), b: flat(310_000, 330_000) },
      { a: flat(300_000, 310_000), b: flat(300_000, 320_000) },
      { a: flat(300_000, 310_000), b: flat(310_000, 350_000) },
    ];
    const opp = expectOpportunity(pairFixture(books, { fee_a: FREE_A, fee_b: FREE_B }));
    expect([opp.cost, opp.legs.map((leg) => leg.venue)]).toEqual([940_000, ['venue_a', 'venue_b', 'venue_a']]);
  });

  it('prefers among equal costs the larger size, then venue_a', () => {
    const same = (a: number, b: number) => [
      { a: flat(380_000, 400_000, a), b: flat(380_000, 400_000, b) },
      { a: flat(580_000, 600_000, 9_000), b: flat(500_000, 520_000, 9_000) },
    ];
    const free = { fee_a: FREE_A, fee_b: FREE_B };
    expect(expectOpportunity(pairFixture(same(8_000, 8_000), free)).legs[0]?.venue).toBe('venue_a');
    const three = [...same(8_000, 8_001), { a: flat(10_000, 20_000, 9_000), b: flat(1_000, 30_000, 9_000) }];
    expect(expectOpportunity(pairFixture(three, free)).legs.map((leg) => leg.venue)).toEqual([
      'venue_b',
      'venue_b',
      'venue_a',
    ]);
  });

  it('prefers among equal moves to the other venue the one with the larger size', () => {
    const small = { a: flat(300_000, 310_000, 9_000), b: flat(300_000, 320_000, 6_000) };
    const large = { a: flat(300_000, 310_000, 9_000), b: flat(300_000, 320_000, 8_000) };
    const opp = expectOpportunity(pairFixture([small, large, small], { fee_a: FREE_A, fee_b: FREE_B }));
    expect([opp.size, opp.legs.map((leg) => leg.venue)]).toEqual([8_000, ['venue_a', 'venue_b', 'venue_a']]);
  });

  it('has a size curve that ends before the cost equals the payout', () => {
    const asks = (second: number): Sides => ({
      bids: [[430_000, 1]],
      asks: [
        [450_000, 10_000],
        [second, 10_000],
      ],
    });
    const fixture = (second: number) =>
      pairFixture(
        [
          { a: asks(second), b: flat(470_000, 480_000, 1) },
          { a: flat(530_000, 560_000, 1), b: flat(490_000, 500_000, 30_000) },
        ],
        {
          fee_a: FREE_A,
          fee_b: FREE_B,
        },
      );
    // A hundred at .95 and a hundred at 1.05 leave no profit. At 1.049 they leave ten cents.
    expect(expectOpportunity(fixture(550_000)).ladder).toEqual([{ size: 10_000, cost: '9500000000' }]);
    expect(expectOpportunity(fixture(549_000)).ladder).toEqual([
      { size: 10_000, cost: '9500000000' },
      { size: 20_000, cost: '19990000000' },
    ]);
  });

  it('does not exist when the asks add up to a dollar, or when the fees take the edge', () => {
    const fixture = (ask: number) =>
      pairFixture([
        { a: flat(430_000, ask), b: flat(480_000, 520_000) },
        { a: flat(500_000, 570_000), b: flat(490_000, 500_000) },
      ]);
    expect(opportunityOf(fixture(500_000).pair, fixture(500_000))).toBeNull();
    // .47 + .0175 and .50 + .0125 add up to exactly $1.
    expect(opportunityOf(fixture(470_000).pair, fixture(470_000))).toBeNull();
    expect(expectOpportunity(fixture(469_000)).cost).toBe(999_000);
  });
});

describe('opportunity is rejected', () => {
  const rejectionOf = (fixture: PairFixture) => {
    const { refused: code, about } = expectRejection(fixture);
    return [code, about];
  };

  it('with the reason and the start of the book that has been invalid for longest', () => {
    const fixture = pairFixture(example());
    fixture.b.invalidate('B1', 'feed.silent', 70);
    fixture.a.invalidate('A1', 'book.gap', 60);
    expect(expectRejection(fixture)).toEqual({ refused: 'book.gap', about: 'A1', since: 60 });
    // Two reasons in a row are one invalid period. A valid book ends it.
    fixture.a.invalidate('A1', 'feed.disconnected', 90);
    expect(expectRejection(fixture)).toEqual({ refused: 'feed.disconnected', about: 'A1', since: 60 });
    fixture.a.replace('A1', bookOf(flat(530_000, 570_000)), 100);
    expect(expectRejection(fixture)).toEqual({ refused: 'feed.silent', about: 'B1', since: 70 });
    fixture.b.replace('B1', bookOf(flat(500_000, 500_000)), 110);
    expect(expectRejection(fixture)).toEqual({ refused: 'book.crossed', about: 'B1', since: 70 });
    fixture.b.replace('B1', bookOf(flat(490_000, 500_000)), 120);
    expect(expectOpportunity(fixture).cost).toBe(979_900);
  });

  it('when an outcome’s own contract has no ask, although another contract would do', () => {
    const books = example();
    books[1] = { a: { bids: [[560_000, 9_000]], asks: [] }, b: flat(490_000, 500_000) };
    expect(rejectionOf(pairFixture(books))).toEqual(['book.one_sided', 'A1']);
    books[1] = { a: flat(530_000, 570_000), b: { bids: [[490_000, 9_000]], asks: [] } };
    expect(rejectionOf(pairFixture(books))).toEqual(['book.one_sided', 'B1']);
  });

  it('when a fee schedule is unknown and an edge would exist without the fee', () => {
    expect(rejectionOf(pairFixture(example(), (at) => (at === 0 ? { fee_a: null } : {})))).toEqual([
      'fee.unknown',
      'A0',
    ]);
    const expensive = [
      { a: flat(430_000, 490_000), b: flat(480_000, 505_000) },
      { a: flat(490_000, 570_000), b: flat(490_000, 511_000) },
    ];
    const fixture = pairFixture(expensive, { fee_a: null });
    expect(opportunityOf(fixture.pair, fixture)).toBeNull();
  });

  it('when the edge exists within one venue only', () => {
    const books = [
      { a: flat(380_000, 400_000), b: flat(580_000, 640_000) },
      { a: flat(380_000, 400_000), b: flat(560_000, 640_000) },
    ];
    const fixture = pairFixture(books);
    expect(rejectionOf(fixture)).toEqual(['venues.one', 'A0']);
  });

  it('when the smallest order is unknown or larger than the offered size', () => {
    expect(rejectionOf(pairFixture(example(), { min_b: null }))).toEqual(['size.minimum_unknown', 'B1']);
    expect(rejectionOf(pairFixture(example(499)))).toEqual(['size.below_minimum', 'B1']);
    expect(expectOpportunity(pairFixture(example(500))).size).toBe(500);
    expect(rejectionOf(pairFixture(example(), { min_a: 12_001 }))).toEqual(['size.below_minimum', 'A0']);
    // venue_b accepts no marketable buy below $1: 5 at .20 are exactly $1, 5.26 at .19 are a
    // fraction of a cent less.
    const cheap = (size: number, ask: number) =>
      pairFixture([
        { a: flat(700_000, 730_000, size), b: flat(760_000, 810_000, size) },
        { a: flat(150_000, 250_000, size), b: flat(ask - 10_000, ask, size) },
      ]);
    expect(rejectionOf(cheap(526, 190_000))).toEqual(['size.below_minimum', 'B1']);
    expect(expectOpportunity(cheap(527, 190_000)).size).toBe(527);
    expect(expectOpportunity(cheap(500, 200_000)).size).toBe(500);
  });

  it('when rounding to the cent on venue_a may take the whole profit', () => {
    // A profit of 0.2 cents a contract: five contracts make exactly one cent.
    const books = (size: number) => [
      { a: flat(430_000, 468_000, size), b: flat(480_000, 520_000, size) },
      { a: flat(500_000, 570_000, size), b: flat(490_000, 500_000, size) },
    ];
    expect(rejectionOf(pairFixture(books(500)))).toEqual(['profit.below_rounding', 'A0']);
    expect(expectOpportunity(pairFixture(books(600))).size).toBe(600);
  });

  it('when rounding each of two orders on venue_a may take the whole profit together', () => {
    // A profit of 0.25 cents a contract: eight contracts make exactly the two cents of two orders.
    const books = (size: number) => [
      { a: flat(190_000, 200_000, size), b: flat(240_000, 250_000, 9_000) },
      { a: flat(340_000, 350_000, size), b: flat(390_000, 400_000, 9_000) },
      { a: flat(490_000, 500_000, 9_000), b: flat(430_000, 447_500, 9_000) },
    ];
    const terms = { fee_a: FREE_A, fee_b: FREE_B };
    expect(rejectionOf(pairFixture(books(800), terms))).toEqual(['profit.below_rounding', 'A0']);
    expect(expectOpportunity(pairFixture(books(801), terms))).toMatchObject({
      size: 801,
      legs: [{ venue: 'venue_a' }, { venue: 'venue_a' }, { venue: 'venue_b' }],
    });
  });

  it('when the venues price an outcome too far apart for the same contract', () => {
    const distant = (bid: number) =>
      pairFixture([
        { a: flat(190_000, 210_000), b: flat(bid, bid + 20_000) },
        { a: flat(500_000, 790_000), b: flat(480_000 - bid + 460_000, 480_000 - bid + 500_000) },
      ]);
    expect(expectOpportunity(distant(340_000)).legs[0]?.ask).toBe(210_000);
    expect(rejectionOf(distant(341_000))).toEqual(['price.distance', 'o0']);
    // A book with an ask only has no mid, but its price is below the ask.
    const bare = pairFixture([
      { a: { bids: [], asks: [[150_000, 12_000]] }, b: flat(470_000, 490_000) },
      { a: flat(480_000, 560_000), b: flat(490_000, 530_000) },
    ]);
    expect(rejectionOf(bare)).toEqual(['price.distance', 'o0']);
  });

  it('when the prices are inverted, before any other reason', () => {
    const fixture = pairFixture([
      { a: flat(90_000, 110_000), b: flat(880_000, 900_000) },
      { a: flat(880_000, 900_000), b: flat(100_000, 120_000) },
    ]);
    expect(rejectionOf(fixture)).toEqual(['price.inverted', 'o0']);
    fixture.a.invalidate('A1', 'book.gap', 60);
    expect(rejectionOf(fixture)).toEqual(['price.inverted', 'o0']);
  });
});

it('no opportunity or rejection exists for a pair that waits for a book or lacks a venue', () => {
  const fixture = pairFixture(example());
  fixture.b.untrack('B1');
  fixture.b.track('B1', 0);
  expect(opportunityOf(fixture.pair, fixture)).toBeNull();
  const uncovered = pairFixture(example(), (at) => (at === 1 ? { contract_a: null, side_a: null } : {}));
  expect(opportunityOf(uncovered.pair, uncovered)).toBeNull();
});
