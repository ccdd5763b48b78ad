import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';

/** Guarantee: the note of a risk names the stake that is lost, and what a $1 pair returns. */

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());

const pairReturns = async (a: string | null, b: string | null, isTwoSided: boolean) => {
  const [row] = await db.sql<{ text: string }[]>`select catalog.pair_returns(${a}, ${b}, ${isTwoSided}) as text`;
  return row?.text;
};

const LOST = (venue: string) => `the whole stake on ${venue} is lost`;
const AT_RISK = (venue: string) => `the stake on ${venue} is at risk`;
const FAIR = (venue: string) =>
  `a $1 pair returns 50 cents plus the fair price of its ${venue} side, so it can lose up to 50 cents`;
const PLAYED = (venue: string) => `a $1 pair can lose its whole stake on ${venue}`;
const ANY = 'the two can differ by up to $1 a contract';
const HALF = 'the two differ by up to 50 cents a contract';

/** What venue_a pays, what venue_b pays, with one contract on each venue, and with more. */
test.each<[string | null, string | null, string, string]>([
  ['zero', 'zero', 'a $1 pair returns $0', 'a $1 pair returns $0'],
  [null, null, 'what a $1 pair returns then is open', 'what a $1 pair returns then is open'],
  // The venue that pays nothing on every outcome keeps the stake.
  ['zero', 'fair_price', LOST('venue_a'), LOST('venue_a')],
  ['zero', 'split', LOST('venue_a'), LOST('venue_a')],
  ['zero', 'if_decided', LOST('venue_a'), LOST('venue_a')],
  ['zero', null, LOST('venue_a'), LOST('venue_a')],
  ['zero', 'winner', 'a $1 pair returns $0 or $1', 'a $1 pair returns $0 or $1'],
  ['zero', 'one_side', 'a $1 pair returns $0 or $1', 'a $1 pair returns $0 or $1'],
  // The venue that states nothing may pay nothing.
  [null, 'fair_price', AT_RISK('venue_a'), AT_RISK('venue_a')],
  [null, 'split', AT_RISK('venue_a'), AT_RISK('venue_a')],
  [null, 'winner', AT_RISK('venue_a'), AT_RISK('venue_a')],
  ['fair_price', 'split', FAIR('venue_a'), HALF],
  // The venue that pays the winner pays its leg in full or not at all. The other refunds a part.
  ['winner', 'fair_price', PLAYED('venue_a'), PLAYED('venue_a')],
  ['winner', 'if_decided', PLAYED('venue_a'), PLAYED('venue_a')],
  ['winner', 'split', 'a $1 pair returns 50 cents or $1.50', PLAYED('venue_a')],
  ['winner', 'one_side', ANY, ANY],
  ['if_decided', 'fair_price', ANY, ANY],
  ['if_decided', 'split', ANY, ANY],
  ['one_side', 'split', ANY, ANY],
])('venue_a pays %s and venue_b %s: %s', async (a, b, twoSided, manySided) => {
  const swapped = (text: string) =>
    text.replace(/venue_[ab]/, (venue) => (venue === 'venue_a' ? 'venue_b' : 'venue_a'));
  expect([await pairReturns(a, b, true), await pairReturns(a, b, false)]).toEqual([twoSided, manySided]);
  expect([await pairReturns(b, a, true), await pairReturns(b, a, false)]).toEqual([twoSided, manySided].map(swapped));
});
