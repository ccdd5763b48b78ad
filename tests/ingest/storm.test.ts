import { expect, it } from 'vitest';
import type { FaultName } from '../../local/venue_simulator/faults/faults.ts';
import type { FeedFixture } from './feed_fixture.ts';
import { VirtualVenues } from './virtual_venues.ts';

/**
 * Guarantee: after any combination of faults every book is valid again and equals the venue's book.
 */

const STORM: readonly FaultName[] = [
  ...(['gap', 'duplicate', 'reorder', 'garbled', 'crossed', 'one_sided', 'empty', 'inverted', 'ticks'] as const),
  ...(['frozen', 'skew', 'scale', 'pause', 'overflow', 'cut', 'silence', 'late'] as const),
];

/** A run of the storm: what happened to the books, and how long until they were all correct, ms. */
async function storm(rounds: number) {
  const venues = new VirtualVenues({ rate: 4 });
  const { time } = venues;
  const legs = venues.legs(150);
  const a = await venues.startA(
    legs.map((leg) => leg.ticker),
    { quietMs: 2_000, statusMs: 500 },
  );
  const b = await venues.startB(
    legs.map((leg) => leg.token_id),
    { quietMs: 2_000, busyMs: 4_000 },
  );
  for (let round = 0; round < rounds; round += 1) {
    for (const fault of STORM) {
      venues.inject({ fault, for_ms: 3_000 });
      await time.advance(150);
    }
  }
  /** Whether every book is valid and has the ask of the venue, which is in $0.0001. */
  const isCorrect = ({ store, contracts }: FeedFixture, askOf: (contract: string) => number | undefined) =>
    contracts.every((contract) => {
      const entry = store.get(contract);
      const ask = askOf(contract);
      return entry?.invalidReason === null && entry.book?.ask?.price === (ask === undefined ? undefined : ask * 100);
    });
  const { catalog } = venues.world;
  const allCorrect = () =>
    isCorrect(a, (ticker) => catalog.marketA(ticker)?.ladder.asks[0]?.[0]) &&
    isCorrect(b, (token) => catalog.marketB(token)?.book(token).ladder.asks[0]?.[0]);
  const correctMs = await time.until(allCorrect, { what: 'correct books', limitMs: 60_000 });
  // Nothing that the faults left behind makes a book wrong later.
  await time.advance(10_000);
  expect(allCorrect()).toBe(true);
  await time.run(Promise.all([a.feed.stop(), b.feed.stop()]));
  return { reasons: [a.reasons, b.reasons], lines: [a.runtime.lines, b.runtime.lines], correctMs };
}

it('all books are valid and correct again after many faults at once', async () => {
  const { reasons } = await storm(2);
  // The faults had an effect.
  expect(new Set(reasons.flat()).size).toBeGreaterThan(3);
});

it('two runs in virtual time are the same, to the millisecond', async () => {
  const first = await storm(1);
  expect(first.reasons.flat().length).toBeGreaterThan(300);
  expect(await storm(1)).toEqual(first);
});
