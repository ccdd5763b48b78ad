import { expect, it } from 'vitest';
import { injectFault } from '../support/faults.ts';
import { pause, waitUntil } from '../support/wait_until.ts';
import { fastClock, startVenues, type Truth } from '../venue_simulator/fixture.ts';
import { startFeedA, startFeedB } from './feed_fixture.ts';

/**
 * Guarantee: after any combination of faults every book is valid again and equals the venue's book.
 */

const STORM = [
  ...['gap', 'duplicate', 'reorder', 'garbled', 'crossed', 'one_sided', 'empty', 'inverted', 'ticks', 'frozen'],
  ...['skew', 'scale', 'pause', 'overflow', 'cut', 'silence', 'late'],
];

it('all books are valid and correct again after many faults at once', async () => {
  const venues = await startVenues('--seed', '11', '--games', '200', '--clock', fastClock(4));
  const truth = (await (await fetch(`${venues.sim}/truth`)).json()) as Truth;
  const legs = truth.pairs
    .filter(({ start }) => start !== null && start > truth.now + 3_000_000)
    .flatMap((pair) => pair.outcomes)
    .slice(0, 150);
  const a = await startFeedA(
    venues,
    legs.map((leg) => leg.ticker),
    { quietMs: 2_000, statusMs: 500 },
  );
  const b = await startFeedB(
    venues,
    legs.map((leg) => leg.token_id),
    { quietMs: 2_000, busyMs: 4_000 },
  );
  try {
    for (let round = 0; round < 3; round += 1) {
      for (const fault of STORM) {
        await injectFault(venues.sim, { fault, for_ms: 3_000 });
        await pause(150);
      }
    }
    await waitUntil(() => a.validCount() === a.contracts.length, { what: 'all of venue_a', timeoutMs: 60_000 });
    await waitUntil(() => b.validCount() === b.contracts.length, { what: 'all of venue_b', timeoutMs: 60_000 });
    const asks = async (one: typeof a | typeof b, query: string): Promise<number> => {
      let wrong = 0;
      for (const contract of one.contracts) {
        const book = (await (await fetch(`${venues.sim}/book?${query}=${contract}`)).json()) as { ask: number | null };
        const ask = one.store.get(contract)?.book?.ask?.price ?? null;
        if (ask !== (book.ask === null ? null : Math.round(book.ask * 1e6))) wrong += 1;
      }
      return wrong;
    };
    // Books change during the comparison, so a few may differ. An inverted or frozen venue would
    // differ in all of them.
    await waitUntil(async () => (await asks(a, 'ticker')) <= 2, { what: 'the books of venue_a', timeoutMs: 30_000 });
    await waitUntil(async () => (await asks(b, 'token_id')) <= 2, { what: 'the books of venue_b', timeoutMs: 30_000 });
    // The faults had an effect.
    expect(new Set([...a.reasons, ...b.reasons]).size).toBeGreaterThan(3);
  } finally {
    await Promise.all([a.feed.stop(), b.feed.stop()]);
    venues.end();
  }
}, 240_000);
