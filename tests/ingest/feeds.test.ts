import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FeedAOptions, FeedBOptions, FeedFixture } from './feed_fixture.ts';
import { handshakesAfterLoss, VirtualVenues } from './virtual_venues.ts';

/** One feed on the simulated venues, without a database: the reaction to each fault. */
describe('feeds under injected faults', () => {
  let venues: VirtualVenues;
  let started: FeedFixture[];

  const start = () => {
    venues = new VirtualVenues();
    started = [];
  };
  // The listings are generated once.
  beforeAll(start);
  beforeEach(start);
  afterEach(async () => {
    for (const { feed } of started) await venues.time.run(feed.stop());
  });

  async function venueA(options: FeedAOptions = {}) {
    const tickers = venues.legs(300).map((leg) => leg.ticker);
    const fixture = await venues.startA(tickers, options);
    started.push(fixture);
    return fixture;
  }
  async function venueB(options: FeedBOptions = {}) {
    const tokens = venues.legs(300).map((leg) => leg.token_id);
    const fixture = await venues.startB(tokens, options);
    started.push(fixture);
    return fixture;
  }
  /** How long it takes until the condition holds, ms. */
  const until = (condition: () => unknown, what: string) => venues.time.until(condition, { what, limitMs: 60_000 });

  it.each(['gap', 'duplicate', 'reorder'] as const)(
    'venue_a: %s shows in the next sequence number, and every book is read again at once',
    async (fault) => {
      const a = await venueA();
      expect(venues.inject({ fault, venue: 'a', for_ms: 10_000 })).toBe('a connection of venue_a');
      const before = venues.frames.length;
      await until(() => a.reasons.includes('book.gap'), 'the gap');
      // The message before is the one that was lost, that comes twice, or that waits for this one.
      expect(venues.frames[before]?.at).toBe(venues.time.now());
      expect(await until(a.allValid, 'all books valid again')).toBe(0);
      expect(new Set(a.reasons)).toEqual(new Set(['book.gap', 'valid']));
    },
  );

  it('venue_a: the feed continues with smaller connections after a buffer overflow', async () => {
    const a = await venueA();
    expect(venues.inject({ fault: 'overflow', venue: 'a' })).toBe('a connection of venue_a');
    expect(await until(() => a.runtime.lines.some((line) => line.includes('buffer overflow')), 'the log')).toBe(0);
    expect(await until(a.allValid, 'all books valid again')).toBe(0);
    const half = Math.ceil(a.contracts.length / 2);
    expect(a.runtime.lines.at(-1)).toBe(`venue_a: buffer overflow; a connection now carries at most ${half} markets`);
    const sizes = [...venues.simulator.faults.connections].map((connection) => connection.contracts().length);
    expect(sizes).toEqual([half, a.contracts.length - half]);
  });

  it('venue_a: the feed polls books after a rejected key and tries the key again', async () => {
    const a = await venueA({ keyRetryMs: 4_000 });
    expect(venues.inject({ fault: 'auth', venue: 'a' })).toBe('a connection of venue_a');
    // The next command is the ping, every 10 s.
    expect(await until(() => a.feed.detail === 'polling, key refused (error 9)', 'polling')).toBe(10_000);
    expect(await until(a.allValid, 'all books valid by polling')).toBe(0);
    a.reasons.length = 0;
    expect(await until(() => a.feed.detail === 'websocket', 'the socket again')).toBe(4_000);
    expect(await until(a.allValid, 'all books valid over the socket')).toBe(0);
    // Each book was invalid between its last poll and its first snapshot.
    expect(a.reasons.filter((reason) => reason === 'feed.disconnected')).toHaveLength(a.contracts.length);
  });

  it('venue_a: the comparison with REST detects a socket that stopped sending', async () => {
    const a = await venueA({ quietMs: 1_500 });
    expect(venues.inject({ fault: 'silence', venue: 'a', for_ms: 10_000 })).toBe('a connection of venue_a');
    // Compared once a second: quiet for 1.5 s at 2 s, and differing for 1.5 s at 4 s. So many books
    // at once are a dead socket, and the feed opens another one.
    expect(await until(() => a.reasons.includes('feed.frozen'), 'a frozen book')).toBe(4_000);
    expect(await until(a.allValid, 'all books valid again')).toBe(handshakesAfterLoss(1)[0]);
    expect(a.runtime.lines.filter((line) => line.includes('changed on REST'))).toEqual([
      expect.stringMatching(/; the feed opens another socket$/),
    ]);
  });

  it('venue_b: the comparison with REST detects a socket that stopped sending', async () => {
    const b = await venueB();
    expect(venues.inject({ fault: 'silence', venue: 'b', for_ms: 10_000 })).toBe('a connection of venue_b');
    // As above, from 0.2 s on. The next socket opens within 0.2 s, and a timer of 0.2 s then sees
    // that the venue sends again.
    expect(await until(() => b.reasons.includes('feed.frozen'), 'a frozen book')).toBe(4_200);
    expect(await until(b.allValid, 'all books valid again')).toBe(200);
  });

  it('venue_a: books are invalid during an engine restart until a socket opens after it', async () => {
    const a = await venueA();
    expect(venues.inject({ fault: 'restart', venue: 'a', for_ms: 1_500 })).toBe('venue_a engine for 1500 ms');
    expect(await until(() => a.reasons.includes('feed.disconnected'), 'the disconnection')).toBe(0);
    expect(a.validCount()).toBe(0);
    expect(await until(a.allValid, 'all books valid again')).toBe(handshakesAfterLoss(10).find((ms) => ms >= 1_500));
  });

  it('venue_b: books are invalid during an engine restart and until orders are accepted again', async () => {
    const b = await venueB({ postOnlyMs: 2_000 });
    expect(venues.inject({ fault: 'restart', venue: 'b', for_ms: 1_500 })).toBe('venue_b engine for 1500 ms');
    expect(await until(() => b.reasons.includes('feed.disconnected'), 'the disconnection')).toBe(0);
    expect(b.validCount()).toBe(0);
    const hasLine = (text: string) => b.runtime.lines.some((line) => line.includes(text));
    const opensAt = await until(() => hasLine('the venue sends again'), 'an open socket');
    expect(opensAt).toBeGreaterThan(1_500);
    // The timer of 0.2 s then reads the books, and the two seconds count from its first answer that
    // is not a 425.
    const answeredAt = Math.ceil(opensAt / 200) * 200;
    expect(await until(b.allValid, 'all books valid again')).toBe(answeredAt + 2_000 - opensAt);
    expect(hasLine('no order can be taken')).toBe(true);
  });
});
