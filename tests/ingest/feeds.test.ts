import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { BookFeed } from '../../functions/ingest/feeds/feed.ts';
import type { VenueAFeedOptions } from '../../functions/ingest/venue_a/feed.ts';
import type { VenueBFeedOptions } from '../../functions/ingest/venue_b/feed.ts';
import { pull as injectFault } from '../support/faults.ts';
import { waitUntil } from '../support/wait_until.ts';
import { type Running, running, type Truth } from '../venue_simulator/running.ts';
import { legsOf, startFeedA, startFeedB } from './feed_fixture.ts';

/** One feed against the simulator's sockets and REST, without a database: what the guards do about each trap. */
describe('feeds and the traps of the venues', () => {
  let venues: Running;
  let truth: Truth;
  const feeds: BookFeed[] = [];

  beforeAll(async () => {
    venues = await running('--games', '20');
    truth = (await (await fetch(`${venues.sim}/truth`)).json()) as Truth;
  });
  afterEach(async () => {
    await Promise.all(feeds.splice(0).map((feed) => feed.stop()));
  });
  afterAll(() => venues?.end());

  const inject = (order: Record<string, unknown>) => injectFault(venues.sim, order);
  async function venueA(options: Partial<VenueAFeedOptions> = {}) {
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
    'venue_a: %s shows in the sequence, and every book is read again',
    async (trap) => {
      const a = await venueA();
      expect(await inject({ trap, venue: 'a', for_ms: 10_000 })).toBe(200);
      await waitUntil(() => a.reasons.includes('book.gap'), { what: 'the gap' });
      await waitUntil(() => a.validCount() === a.contracts.length, { what: 'all believed again' });
    },
  );

  it('venue_a: a buffer overflow goes on with smaller connections', async () => {
    const a = await venueA();
    expect(await inject({ trap: 'overflow', venue: 'a' })).toBe(200);
    await waitUntil(() => a.runtime.lines.some((line) => line.includes('buffer overflow')), { what: 'the overflow' });
    await waitUntil(() => a.validCount() === a.contracts.length, { what: 'all believed again' });
  });

  it('venue_a: a refused key leaves polled books, and is tried again', async () => {
    const a = await venueA({ keyRetryMs: 4_000 });
    expect(await inject({ trap: 'auth', venue: 'a' })).toBe(200);
    await waitUntil(() => a.feed.detail === 'polling', { what: 'polling', timeoutMs: 25_000 });
    await waitUntil(() => a.validCount() === a.contracts.length, { what: 'valid' });
    await waitUntil(() => a.feed.detail === 'websocket', { what: 'the socket again' });
    await waitUntil(() => a.validCount() === a.contracts.length, { what: 'believed by the socket' });
  }, 45_000);

  it('venue_a: a socket that has gone silent is found out by REST', async () => {
    const a = await venueA({ quietMs: 1_500 });
    expect(await inject({ trap: 'silence', venue: 'a', for_ms: 10_000 })).toBe(200);
    await waitUntil(() => a.reasons.includes('feed.frozen'), { what: 'frozen', timeoutMs: 20_000 });
    await waitUntil(() => a.validCount() === a.contracts.length, { what: 'all believed again', timeoutMs: 20_000 });
  }, 45_000);

  it('venue_b: a socket that has gone silent is found out by REST', async () => {
    const b = await venueB();
    expect(await inject({ trap: 'silence', venue: 'b', for_ms: 10_000 })).toBe(200);
    await waitUntil(() => b.reasons.includes('feed.frozen'), { what: 'frozen', timeoutMs: 20_000 });
    await waitUntil(() => b.validCount() === b.contracts.length, { what: 'all believed again', timeoutMs: 20_000 });
  }, 45_000);

  it.each(['a', 'b'] as const)(
    'venue_%s: an engine that restarts costs its books until they are read again',
    async (venue) => {
      const one = venue === 'a' ? await venueA() : await venueB({ postOnlyMs: 2_000 });
      const all = one.validCount();
      expect(await inject({ trap: 'restart', venue, for_ms: 1_500 })).toBe(200);
      await waitUntil(() => one.reasons.includes('feed.disconnected'), { what: 'disconnected' });
      await waitUntil(() => one.validCount() === all, { what: 'all believed again', timeoutMs: 20_000 });
    },
    45_000,
  );
});
