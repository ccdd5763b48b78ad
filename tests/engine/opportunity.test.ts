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

/** Asks .45 on venue_a and .50 on venue_b make contract.md's example; the rest of both books leaves nothing to choose. */
const example = (size = 12_000): { a: Sides; b: Sides }[] => [
  { a: flat(430_000, 450_000, size), b: flat(480_000, 500_000, size) },
  { a: flat(530_000, 570_000, size), b: flat(490_000, 500_000, size) },
];

describe('an opportunity', () => {
  it("is contract.md's example to the last digit", () => {
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
    // 120 × .45 + 2.079 of fee, to the next cent, and 120 × .50 + 1.50.
    expect(opp.ladder).toEqual([{ size: 12_000, cost: String(5_608_000_000 + 6_150_000_000) }]);
  });

  it('stays exact where its amounts in 1e-8 USD pass 2^53', () => {
    // 100 million contracts at .45 and .50, and one more cent of size.
    const { wager, ladder } = expectOpportunity(pairFixture(example(10_000_000_001)));
    // As a whole .017325 and .0125 of fee a contract, then venue_a's cent and venue_b's 1e-5.
    expect(wager).toBe(97_990_000_009_799);
    expect(ladder).toEqual([{ size: 10_000_000_001, cost: '9798250001513000' }]);
  });

  it('takes the opposite side of the other outcome’s contract where that is cheaper, with that bid’s size and that contract’s fee', () => {
    const books = example();
    // Somebody bids .58 for o1: selling it to them is buying o0 at .42.
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

  it('takes YES of the other outcome’s contract where that one pays for the other outcome on NO', () => {
    const books: OutcomeBooks[] = example();
    // A1 pays for o1 on NO. A bid of .58 for its NO is an offer of its YES at .42, and YES pays for o0.
    books[1] = { a: { bids: [[580_000, 7_000]], asks: [[600_000, 100]] }, b: flat(490_000, 500_000), side: 'no' };
    expect(expectOpportunity(pairFixture(books)).legs[0]).toMatchObject({
      key: 'o0',
      side: 'yes',
      contract: 'A1',
      ask: 420_000,
      size: 7_000,
    });
  });

  it('does not sell one contract to itself: a pair with a single venue_a ticker has no opposite', () => {
    const books = example();
    const world = pairFixture(books, (at) => (at === 1 ? { contract_a: 'A0', side_a: 'no' } : {}));
    expect(expectOpportunity(world).legs.map((leg) => [leg.contract, leg.side])).toEqual([
      ['A0', 'yes'],
      ['B1', null],
    ]);
  });

  it('spans both venues: where one is cheapest throughout, the outcome that costs least to move is moved', () => {
    const books = [
      { a: flat(300_000, 310_000), b: flat(310_000, 330_000) },
      { a: flat(300_000, 310_000), b: flat(300_000, 320_000) },
      { a: flat(300_000, 310_000), b: flat(310_000, 350_000) },
    ];
    const opp = expectOpportunity(pairFixture(books, { fee_a: FREE_A, fee_b: FREE_B }));
    expect([opp.cost, opp.legs.map((leg) => leg.venue)]).toEqual([940_000, ['venue_a', 'venue_b', 'venue_a']]);
  });

  it('among equals takes the larger size, then venue_a', () => {
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

  it('among equal moves to the other venue takes the one that leaves more to buy', () => {
    const small = { a: flat(300_000, 310_000, 9_000), b: flat(300_000, 320_000, 6_000) };
    const large = { a: flat(300_000, 310_000, 9_000), b: flat(300_000, 320_000, 8_000) };
    const opp = expectOpportunity(pairFixture([small, large, small], { fee_a: FREE_A, fee_b: FREE_B }));
    expect([opp.size, opp.legs.map((leg) => leg.venue)]).toEqual([8_000, ['venue_a', 'venue_b', 'venue_a']]);
  });

  it('is walked while the whole costs less than it pays, and not to where it costs the same', () => {
    const asks = (second: number): Sides => ({
      bids: [[430_000, 1]],
      asks: [
        [450_000, 10_000],
        [second, 10_000],
      ],
    });
    const world = (second: number) =>
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
    // A hundred at .95 and a hundred at 1.05 make no cent; at 1.049 they make a dime.
    expect(expectOpportunity(world(550_000)).ladder).toEqual([{ size: 10_000, cost: '9500000000' }]);
    expect(expectOpportunity(world(549_000)).ladder).toEqual([
      { size: 10_000, cost: '9500000000' },
      { size: 20_000, cost: '19990000000' },
    ]);
  });

  it('is none where the asks alone make a dollar, or the fees take the rest', () => {
    const world = (ask: number) =>
      pairFixture([
        { a: flat(430_000, ask), b: flat(480_000, 520_000) },
        { a: flat(500_000, 570_000), b: flat(490_000, 500_000) },
      ]);
    expect(opportunityOf(world(500_000).pair, world(500_000))).toBeNull();
    // .47 + .0175 and .50 + .0125 make exactly $1.
    expect(opportunityOf(world(470_000).pair, world(470_000))).toBeNull();
    expect(expectOpportunity(world(469_000)).cost).toBe(999_000);
  });
});

describe('an opportunity is refused', () => {
  const because = (world: PairFixture) => {
    const { refused: code, about } = expectRejection(world);
    return [code, about];
  };

  it('with the doubt of the book that has been in doubt for longest, and since when', () => {
    const world = pairFixture(example());
    world.b.invalidate('B1', 'feed.silent', 70);
    world.a.invalidate('A1', 'book.gap', 60);
    expect(expectRejection(world)).toEqual({ refused: 'book.gap', about: 'A1', since: 60 });
    // One doubt after the other is one stretch without belief; a good book ends it.
    world.a.invalidate('A1', 'feed.disconnected', 90);
    expect(expectRejection(world)).toEqual({ refused: 'feed.disconnected', about: 'A1', since: 60 });
    world.a.replace('A1', bookOf(flat(530_000, 570_000)), 100);
    expect(expectRejection(world)).toEqual({ refused: 'feed.silent', about: 'B1', since: 70 });
    world.b.replace('B1', bookOf(flat(500_000, 500_000)), 110);
    expect(expectRejection(world)).toEqual({ refused: 'book.crossed', about: 'B1', since: 70 });
    world.b.replace('B1', bookOf(flat(490_000, 500_000)), 120);
    expect(expectOpportunity(world).cost).toBe(979_900);
  });

  it('where nobody sells an outcome’s own contract, though another way would be open', () => {
    const books = example();
    books[1] = { a: { bids: [[560_000, 9_000]], asks: [] }, b: flat(490_000, 500_000) };
    expect(because(pairFixture(books))).toEqual(['book.one_sided', 'A1']);
    books[1] = { a: flat(530_000, 570_000), b: { bids: [[490_000, 9_000]], asks: [] } };
    expect(because(pairFixture(books))).toEqual(['book.one_sided', 'B1']);
  });

  it('where a schedule is unknown, but only when an edge would be there without the fee', () => {
    expect(because(pairFixture(example(), (at) => (at === 0 ? { fee_a: null } : {})))).toEqual(['fee.unknown', 'A0']);
    const dear = [
      { a: flat(430_000, 490_000), b: flat(480_000, 505_000) },
      { a: flat(490_000, 570_000), b: flat(490_000, 511_000) },
    ];
    const world = pairFixture(dear, { fee_a: null });
    expect(opportunityOf(world.pair, world)).toBeNull();
  });

  it('where the edge is within one venue', () => {
    const books = [
      { a: flat(380_000, 400_000), b: flat(580_000, 640_000) },
      { a: flat(380_000, 400_000), b: flat(560_000, 640_000) },
    ];
    const world = pairFixture(books);
    expect(because(world)).toEqual(['venues.one', 'A0']);
  });

  it('where a venue does not say what it takes as an order, or takes no order so small', () => {
    expect(because(pairFixture(example(), { min_b: null }))).toEqual(['size.minimum_unknown', 'B1']);
    expect(because(pairFixture(example(499)))).toEqual(['size.below_minimum', 'B1']);
    expect(expectOpportunity(pairFixture(example(500))).size).toBe(500);
    expect(because(pairFixture(example(), { min_a: 12_001 }))).toEqual(['size.below_minimum', 'A0']);
    // venue_b takes no buy that matches at once below $1: 5 at .20 are just that, 5.26 at .19 are a fraction of a cent less.
    const cheap = (size: number, ask: number) =>
      pairFixture([
        { a: flat(700_000, 730_000, size), b: flat(760_000, 810_000, size) },
        { a: flat(150_000, 250_000, size), b: flat(ask - 10_000, ask, size) },
      ]);
    expect(because(cheap(526, 190_000))).toEqual(['size.below_minimum', 'B1']);
    expect(expectOpportunity(cheap(527, 190_000)).size).toBe(527);
    expect(expectOpportunity(cheap(500, 200_000)).size).toBe(500);
  });

  it('where rounding to the cent on venue_a may take the whole profit', () => {
    // 0.2 cents a contract: five of them make exactly the cent.
    const books = (size: number) => [
      { a: flat(430_000, 468_000, size), b: flat(480_000, 520_000, size) },
      { a: flat(500_000, 570_000, size), b: flat(490_000, 500_000, size) },
    ];
    expect(because(pairFixture(books(500)))).toEqual(['profit.below_rounding', 'A0']);
    expect(expectOpportunity(pairFixture(books(600))).size).toBe(600);
  });

  it('where equal contracts could not be priced so far apart', () => {
    const apart = (bid: number) =>
      pairFixture([
        { a: flat(190_000, 210_000), b: flat(bid, bid + 20_000) },
        { a: flat(500_000, 790_000), b: flat(480_000 - bid + 460_000, 480_000 - bid + 500_000) },
      ]);
    expect(expectOpportunity(apart(340_000)).legs[0]?.ask).toBe(210_000);
    expect(because(apart(341_000))).toEqual(['price.distance', 'o0']);
    // A book with an ask alone has no mid, but is surely below its ask.
    const bare = pairFixture([
      { a: { bids: [], asks: [[150_000, 12_000]] }, b: flat(470_000, 490_000) },
      { a: flat(480_000, 560_000), b: flat(490_000, 530_000) },
    ]);
    expect(because(bare)).toEqual(['price.distance', 'o0']);
  });

  it('where the prices are each other’s opposite, before anything else', () => {
    const world = pairFixture([
      { a: flat(90_000, 110_000), b: flat(880_000, 900_000) },
      { a: flat(880_000, 900_000), b: flat(100_000, 120_000) },
    ]);
    expect(because(world)).toEqual(['price.inverted', 'o0']);
    world.a.invalidate('A1', 'book.gap', 60);
    expect(because(world)).toEqual(['price.inverted', 'o0']);
  });
});

it('nothing is said of a pair that waits for a book, or that one venue does not cover', () => {
  const world = pairFixture(example());
  world.b.untrack('B1');
  world.b.track('B1', 0);
  expect(opportunityOf(world.pair, world)).toBeNull();
  const uncovered = pairFixture(example(), (at) => (at === 1 ? { contract_a: null, side_a: null } : {}));
  expect(opportunityOf(uncovered.pair, uncovered)).toBeNull();
});
