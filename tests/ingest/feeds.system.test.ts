import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { BookFeed } from '../../functions/ingest/feeds/feed.ts';
import type { VenueAFeedOptions } from '../../functions/ingest/venue_a/feed.ts';
import type { VenueBFeedOptions } from '../../functions/ingest/venue_b/feed.ts';
import { injectFault } from '../support/faults.ts';
import { waitUntil } from '../support/wait_until.ts';
import { type RunningVenues, startVenues, type Truth } from '../venue_simulator/fixture.ts';
import { legsOf, startFeedA, startFeedB } from './feed_fixture.ts';

/** One feed on the simulator's sockets and REST, without a database: the reaction to each fault. */
describe('feeds under injected faults', () => {
  let venues: RunningVenues;
  let truth: Truth;
  const feeds: BookFeed[] = [];

  beforeAll(async () => {
    venues = await startVenues('--games', '20');
    truth = (await (await fetch(`${venues.sim}/truth`)).json()) as Truth;
  });
  afterEach(async () => {
    await Promise.all(feeds.splice(0).map((feed) => feed.stop()));
  });
  afterAll(() => venues?.end());

  const inject = (order: Record<string, unknown>) => injectFault(venues.sim, order);
  async function venueA(options: Partial<VenueAFeedOptions> & { keyRetryMs?: number } = {}) {
    const fixture = await startFeedA(
      venues,
      legsOf(truth).map((leg) => leg.ticker),
      options,
    );
    feeds.push(fixture.feed);
    return fixture;
  }
  async function venueB(options: Partial<VenueBFeedOptions> = {}) {
    const fixture = await startFeedB(
      venues,
      legsOf(truth).map((leg) => leg.token_id),
      options,
    );
    feeds.push(fixture.feed);
    return fixture;
  }

  it.each(['gap', 'duplicate', 'reorder'])(
    'venue_a: %s shows in the sequence numbers, and every book is read again',
    async (fault) => {
      const a = await venueA();
      expect(await inject({ fault, venue: 'a', for_ms: 10_000 })).toBe(200);
      await waitUntil(() => a.reasons.includes('book.gap'), { what: 'the gap' });
      await waitUntil(() => a.validCount() === a.contracts.length, { what: 'all books valid again' });
    },
  );

  it('venue_a: the feed continues with smaller connections after a buffer overflow', async () => {
    const a = await venueA();
    expect(await inject({ fault: 'overflow', venue: 'a' })).toBe(200);
    await waitUntil(() => a.runtime.lines.some((line) => line.includes('buffer overflow')), {
      what: 'the log of the overflow',
    });
    await waitUntil(() => a.validCount() === a.contracts.length, { what: 'all books valid again' });
  });

  it('venue_a: the feed polls books after a rejected key and tries the key again', async () => {
    const a = await venueA({ keyRetryMs: 4_000 });
    expect(await inject({ fault: 'auth', venue: 'a' })).toBe(200);
    await waitUntil(() => a.feed.detail === 'polling, key refused (error 9)', { what: 'polling', timeoutMs: 25_000 });
    await waitUntil(() => a.validCount() === a.contracts.length, { what: 'all books valid by polling' });
    await waitUntil(() => a.feed.detail === 'websocket', { what: 'the socket again' });
    await waitUntil(() => a.validCount() === a.contracts.length, { what: 'all books valid over the socket' });
  }, 45_000);

  it('venue_a: the comparison with REST detects a socket that stopped sending', async () => {
    const a = await venueA({ quietMs: 1_500 });
    expect(await inject({ fault: 'silence', venue: 'a', for_ms: 10_000 })).toBe(200);
    await waitUntil(() => a.reasons.includes('feed.frozen'), { what: 'a frozen book', timeoutMs: 20_000 });
    await waitUntil(() => a.validCount() === a.contracts.length, { what: 'all books valid again', timeoutMs: 20_000 });
  }, 45_000);

  it('venue_b: the comparison with REST detects a socket that stopped sending', async () => {
    const b = await venueB();
    expect(await inject({ fault: 'silence', venue: 'b', for_ms: 10_000 })).toBe(200);
    await waitUntil(() => b.reasons.includes('feed.frozen'), { what: 'a frozen book', timeoutMs: 20_000 });
    await waitUntil(() => b.validCount() === b.contracts.length, { what: 'all books valid again', timeoutMs: 20_000 });
  }, 45_000);

  it.each(['a', 'b'] as const)(
    'venue_%s: books are invalid after an engine restart until they are read again',
    async (venue) => {
      const one = venue === 'a' ? await venueA() : await venueB({ postOnlyMs: 2_000 });
      const all = one.validCount();
      expect(await inject({ fault: 'restart', venue, for_ms: 1_500 })).toBe(200);
      await waitUntil(() => one.reasons.includes('feed.disconnected'), { what: 'the disconnection' });
      await waitUntil(() => one.validCount() === all, { what: 'all books valid again', timeoutMs: 20_000 });
    },
    45_000,
  );
});
