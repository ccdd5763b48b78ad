import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { BookFeed } from '../../functions/ingest/feeds/feed.ts';
import type { VenueAFeedOptions } from '../../functions/ingest/venue_a/feed.ts';
import type { VenueBFeedOptions } from '../../functions/ingest/venue_b/feed.ts';
import { keyOf } from '../../local/venue_simulator/core/random.ts';
import { CORRUPTIONS } from '../../local/venue_simulator/faults/corrupt.ts';
import { injectFault } from '../support/faults.ts';
import { holdsWithin, pause, waitUntil } from '../support/wait_until.ts';
import { fastClock, type RunningVenues, startVenues, type Truth } from '../venue_simulator/fixture.ts';
import { type FeedFixture, startFeedA, startFeedB } from './feed_fixture.ts';

/**
 * Guarantee: when a venue serves a wrong book, that book is invalid with its own reason, correct
 * books stay valid, and the book is valid again when it is correct. Each fault is injected by the
 * simulator, over its own sockets, into the feed as it runs.
 */

type Any = FeedFixture<BookFeed>;

/**
 * Legs of the games that begin next, because their books move most. Not too soon, because venue_b
 * removes all orders when a game begins.
 */
const mostActive = (truth: Truth, count: number) =>
  truth.pairs
    .filter(({ start }) => start !== null && start > truth.now + 2_400_000)
    .sort((x, y) => (x.start ?? 0) - (y.start ?? 0))
    .flatMap((pair) => pair.outcomes)
    .slice(0, count);

describe('book guards under injected faults', () => {
  let venues: RunningVenues;
  let truth: Truth;
  const feeds: BookFeed[] = [];

  beforeAll(async () => {
    // Market time runs fast, so that an active book changes within a second.
    venues = await startVenues('--seed', '7', '--games', '300', '--clock', fastClock(6));
    truth = (await (await fetch(`${venues.sim}/truth`)).json()) as Truth;
  });
  afterEach(async () => {
    await Promise.all(feeds.splice(0).map((feed) => feed.stop()));
  });
  afterAll(() => venues?.end());

  const inject = (order: Record<string, unknown>) => injectFault(venues.sim, order);
  const legs = (count: number) => mostActive(truth, count);
  const venueA = async (count = 40, options: Partial<VenueAFeedOptions> = {}) => {
    const tickers = legs(count).map((leg) => leg.ticker);
    const fixture = await startFeedA(venues, tickers, { quietMs: 1_500, ...options });
    feeds.push(fixture.feed);
    return fixture;
  };
  const venueB = async (count = 40, options: Partial<VenueBFeedOptions> = {}) => {
    const tokens = legs(count).map((leg) => leg.token_id);
    const fixture = await startFeedB(venues, tokens, options);
    feeds.push(fixture.feed);
    return fixture;
  };
  const venue = (which: 'a' | 'b', count?: number): Promise<Any> => (which === 'a' ? venueA(count) : venueB(count));
  const named = (which: 'a' | 'b', contract: string) => (which === 'a' ? { ticker: contract } : { token_id: contract });
  const first = (fixture: Any): string => fixture.contracts[0] ?? '';
  const allValid = (fixture: Any) =>
    waitUntil(() => fixture.validCount() === fixture.contracts.length, {
      what: 'all books valid again',
      timeoutMs: 25_000,
    });

  it.each(['a', 'b'] as const)(
    'venue_%s frozen: the comparison with REST finds a frozen book, and the others stay valid',
    async (which) => {
      const one = await venue(which);
      const frozen = first(one);
      expect(await inject({ fault: 'frozen', ...named(which, frozen), for_ms: 72_000 })).toBe(200);
      await waitUntil(() => one.invalidWith('feed.frozen').includes(frozen), {
        what: 'a frozen book',
        timeoutMs: 25_000,
      });
      // On venue_b the other token of the market is frozen too.
      expect(one.invalidWith('feed.frozen').length).toBeLessThanOrEqual(2);
      expect(one.validCount()).toBeGreaterThanOrEqual(one.contracts.length - 2);
      await allValid(one);
    },
    60_000,
  );

  it.each(['a', 'b'] as const)(
    'venue_%s crossed: only the crossed book is invalid, until it is correct again',
    async (which) => {
      const one = await venue(which);
      const crossed = first(one);
      expect(await inject({ fault: 'crossed', ...named(which, crossed), for_ms: 20_000 })).toBe(200);
      await waitUntil(() => one.invalidWith('book.crossed').includes(crossed), { what: 'the crossed book' });
      expect(one.validCount()).toBeGreaterThanOrEqual(one.contracts.length - 2);
      await allValid(one);
    },
    60_000,
  );

  it.each(['a', 'b'] as const)(
    'venue_%s one_sided and empty: an empty side, in each of its three forms, is valid',
    async (which) => {
      const one = await venue(which, 60);
      // The simulator gives every market one permanent form of an empty side.
      const spelling = (contract: string) =>
        which === 'a'
          ? (keyOf(contract, 'empty') >>> 4) % 3
          : keyOf(venues.world?.catalog.marketB(contract)?.slug ?? '', 'empty') % 3;
      const some = [0, 1, 2].flatMap((form) => one.contracts.filter((each) => spelling(each) === form).slice(0, 4));
      expect(new Set(some.map(spelling)).size).toBe(3);
      for (const contract of some)
        expect(await inject({ fault: 'one_sided', ...named(which, contract), for_ms: 60_000 })).toBe(200);
      const asks = () => some.map((contract) => one.store.get(contract)?.book?.ask ?? null);
      const bids = () => some.map((contract) => one.store.get(contract)?.book?.bid ?? null);
      // A token of venue_b's second outcome has the empty side mirrored.
      await waitUntil(() => asks().every((ask, at) => ask === null || bids()[at] === null), {
        what: 'one side is empty',
      });
      for (const contract of some) await inject({ fault: 'empty', ...named(which, contract), for_ms: 20_000 });
      await waitUntil(() => [...asks(), ...bids()].every((quote) => quote === null), { what: 'both sides are empty' });
      expect(one.reasons.filter((reason) => reason !== 'valid')).toEqual([]);
      expect(one.runtime.rejected).toEqual([]);
      await waitUntil(() => asks().every((ask) => ask !== null), { what: 'books again', timeoutMs: 25_000 });
    },
    60_000,
  );

  it('venue_b inverted: no guard of a single book detects tokens that are swapped on the socket and on REST', async () => {
    const b = await venueB(80);
    // Far from 0.50, where a swap changes the price clearly.
    const token = b.contracts.find(
      (one) => Math.abs((b.store.get(one)?.book?.ask?.price ?? 500_000) - 500_000) > 120_000,
    );
    if (token === undefined) throw new Error('no book far from 0.50');
    const restAsk = async () => {
      const answer = await fetch(`${venues.listening.venue_b.clob}/price?token_id=${token}&side=SELL`);
      return Math.round(Number(((await answer.json()) as { price: string }).price) * 1e6);
    };
    const before = b.store.get(token)?.book?.ask?.price ?? 0;
    expect(await inject({ fault: 'inverted', token_id: token, for_ms: 30_000 })).toBe(200);
    const turned = 1_000_000 - before;
    // A swapped ask is one minus the old bid: within a few cents of one minus the old ask.
    const near = (price: number) => Math.abs(price - turned) < 60_000;
    await waitUntil(() => near(b.store.get(token)?.book?.ask?.price ?? 0), { what: 'swapped prices on the socket' });
    expect(near(await restAsk())).toBe(true);
    expect(b.invalidWith('feed.frozen')).toEqual([]);
    await waitUntil(() => Math.abs((b.store.get(token)?.book?.ask?.price ?? 0) - before) < 60_000, {
      what: 'the original prices',
      timeoutMs: 25_000,
    });
  }, 60_000);

  it.each(['deci_cent', 'tapered', 'micro'])('venue_a ticks: prices at the tick size %s are exact', async (how) => {
    const a = await venueA(20);
    const ticker = a.contracts[['deci_cent', 'tapered', 'micro'].indexOf(how) + 3] ?? '';
    const { rest } = venues.listening.venue_a;
    expect(await inject({ fault: 'ticks', ticker, how })).toBe(200);
    const { market } = (await (await fetch(`${rest}/markets/${ticker}`)).json()) as {
      market: { price_ranges: { start: string; end: string; step: string }[] };
    };
    const ranges = market.price_ranges.map(({ start, end, step }) =>
      [start, end, step].map((one) => Number(one) * 1e6),
    );
    const fits = (price: number) =>
      ranges.some(([start = 0, end = 0, step = 1]) => price >= start && price <= end && price % Math.round(step) === 0);
    const prices = () => [
      ...(a.store.get(ticker)?.book?.bids.prices ?? []),
      ...(a.store.get(ticker)?.book?.asks.prices ?? []),
    ];
    await waitUntil(() => prices().length >= 2 && prices().every(fits), { what: 'a book with the new tick size' });
    if (how !== 'tapered')
      await waitUntil(() => prices().some((price) => price % 10_000 !== 0), { what: 'a finer price' });
    expect([a.reasons.filter((reason) => reason !== 'valid'), a.runtime.rejected]).toEqual([[], []]);
  });

  it.each(['quarter_cent', 'micro'])(
    'venue_b ticks: a change to %s invalidates the book, which is read again',
    async (how) => {
      const b = await venueB(20);
      const token = b.contracts[5] ?? '';
      expect(await inject({ fault: 'ticks', token_id: token, how })).toBe(200);
      await waitUntil(() => b.reasons.includes('book.tick_change'), { what: 'the change of tick size' });
      await allValid(b);
      const step = how === 'micro' ? 25 : 2_500;
      const book = b.store.get(token)?.book;
      const prices = [...(book?.bids.prices ?? []), ...(book?.asks.prices ?? [])];
      expect(prices.filter((price) => price % step !== 0)).toEqual([]);
      expect(prices.some((price) => price % 10_000 !== 0)).toBe(true);
    },
  );

  it.each(CORRUPTIONS)(
    'venue_a garbled (%s): the delta is rejected with a code and invalidates the affected books',
    async (how) => {
      const a = await venueA();
      expect(await inject({ fault: 'garbled', venue: 'a', how })).toBe(200);
      await waitUntil(() => a.reasons.includes('book.unreadable'), { what: 'an unreadable book' });
      expect(a.runtime.rejected.map((row) => row.code)).toContain(
        { missing: 'message.missing_field', renamed: 'message.missing_field', null: 'message.missing_field' }[
          how as string
        ] ?? (how === 'retyped' ? 'message.unknown_type' : 'message.not_json'),
      );
      await allValid(a);
    },
  );

  it.each(CORRUPTIONS.filter((how) => how !== 'retyped'))(
    'venue_b garbled (%s): the message is rejected with a code and invalidates the affected books',
    async (how) => {
      const b = await venueB();
      expect(await inject({ fault: 'garbled', venue: 'b', how })).toBe(200);
      await waitUntil(() => b.reasons.includes('book.unreadable'), { what: 'an unreadable book' });
      expect(b.runtime.rejected.map((row) => row.code)).toContain(
        how === 'not_json' ? 'message.not_json' : 'message.missing_field',
      );
      await allValid(b);
    },
  );

  it('venue_b gap: a lost message shows in the best prices or in a different book with the same hash', async () => {
    const b = await venueB(2, { busyMs: 2_000, quietMs: 60_000 });
    // The next message may repeat the lost data, and then no book is wrong. So the fault is
    // injected more than once.
    await waitUntil(
      async () => {
        expect(await inject({ fault: 'gap', venue: 'b' })).toBe(200);
        return holdsWithin(() => b.reasons.includes('book.gap'), 7_000);
      },
      { what: 'a detected gap', timeoutMs: 40_000 },
    );
    await allValid(b);
  }, 60_000);

  it('venue_b duplicate: a repeated message changes nothing, because sizes are absolute', async () => {
    const b = await venueB(2);
    expect(await inject({ fault: 'duplicate', venue: 'b' })).toBe(200);
    const before = b.feed.lastMessageAt ?? 0;
    await waitUntil(() => (b.feed.lastMessageAt ?? 0) > before + 1_500, { what: 'more messages' });
    expect(b.reasons.filter((reason) => reason !== 'valid')).toEqual([]);
  });

  it.each(['ahead', 'behind'])('skew: the books of a venue whose clock is %s stay valid', async (how) => {
    const [a, b] = [await venueA(), await venueB()];
    expect(await inject({ fault: 'skew', how, for_ms: 4_000 })).toBe(200);
    await pause(7_000);
    for (const one of [a, b]) expect(one.reasons).not.toContain('feed.late');
    await allValid(a);
    await allValid(b);
  });

  it('venue_a scale: an ignored flag is detected before any book is valid, and the other scale is used', async () => {
    const a = await venueA();
    expect(await inject({ fault: 'scale', for_ms: 60_000 })).toBe(200);
    await waitUntil(() => a.runtime.lines.some((line) => line.includes('other scale than requested')), {
      what: 'the log of the other scale',
    });
    await allValid(a);
    const { rest } = venues.listening.venue_a;
    let same = 0;
    for (const ticker of a.contracts) {
      const { market } = (await (await fetch(`${rest}/markets/${ticker}`)).json()) as {
        market: { yes_ask_dollars: string };
      };
      const ours = a.store.get(ticker)?.book?.ask?.price ?? 1_000_000;
      same += Math.abs(Number(market.yes_ask_dollars) * 1e6 - ours) <= 40_000 ? 1 : 0;
    }
    // The listing is two seconds of market time behind, so it may differ by a few price steps, but
    // not by an inversion.
    expect(same).toBe(a.contracts.length);
  });

  it('venue_a pause: all books are invalid while the venue reports that trading is paused', async () => {
    const a = await venueA(40, { statusMs: 300 });
    expect(await inject({ fault: 'pause', for_ms: 3_000 })).toBe(200);
    await waitUntil(() => a.invalidWith('venue.paused').length === a.contracts.length, { what: 'all books paused' });
    expect(a.feed.detail).toBe('websocket, venue paused');
    await allValid(a);
  });

  it('venue_b restart: books stay invalid after the restart until orders are accepted again', async () => {
    const b = await venueB(40, { postOnlyMs: 4_000 });
    expect(await inject({ fault: 'restart', venue: 'b', for_ms: 1_500 })).toBe(200);
    await waitUntil(() => b.invalidWith('venue.post_only').length === b.contracts.length, {
      what: 'post-only books',
    });
    expect(b.runtime.lines.some((line) => line.includes('no order can be taken'))).toBe(true);
    await allValid(b);
  });
});

describe('late messages', () => {
  let venues: RunningVenues;
  let truth: Truth;
  beforeAll(async () => {
    venues = await startVenues('--games', '120');
    truth = (await (await fetch(`${venues.sim}/truth`)).json()) as Truth;
  });
  afterAll(() => venues?.end());

  it.each(['a', 'b'] as const)(
    'venue_%s late: books are invalid while their messages are seconds late',
    async (which) => {
      // Active books, so that messages can be late within the eight seconds of the fault.
      const outcomes = mostActive(truth, 200);
      // No message arrives for 6.5 s. The comparison with REST would invalidate the books first.
      const options = { quietMs: 60_000 };
      const tickers = outcomes.map((leg) => leg.ticker);
      const tokens = outcomes.map((leg) => leg.token_id);
      const one: Any =
        which === 'a' ? await startFeedA(venues, tickers, options) : await startFeedB(venues, tokens, options);
      try {
        // The usual offset is unknown before the first message that is on time.
        await waitUntil(() => one.reasons.length >= 5, { what: 'a few changes' });
        expect(await injectFault(venues.sim, { fault: 'late', venue: which, how: '6500', for_ms: 8_000 })).toBe(200);
        await waitUntil(() => one.invalidWith('feed.late').length > one.contracts.length * 0.8, {
          what: 'late books',
          timeoutMs: 20_000,
        });
        await waitUntil(() => one.validCount() === one.contracts.length, {
          what: 'all books valid again',
          timeoutMs: 25_000,
        });
      } finally {
        await one.feed.stop();
      }
    },
    60_000,
  );
});
