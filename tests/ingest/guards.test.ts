import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { keyOf } from '../../local/venue_simulator/core/random.ts';
import { CORRUPTIONS } from '../../local/venue_simulator/faults/corrupt.ts';
import type { FaultRequest } from '../../local/venue_simulator/faults/faults.ts';
import type { FeedAOptions, FeedBOptions, FeedFixture } from './feed_fixture.ts';
import { handshakesAfterLoss, VirtualVenues } from './virtual_venues.ts';

/**
 * Guarantee: when a venue serves a wrong book, that book is invalid with its own reason, correct
 * books stay valid, and the book is valid again when it is correct. Each fault is injected by the
 * simulator into the feed as it runs, in virtual time.
 */

let venues: VirtualVenues;
const started: FeedFixture[] = [];
afterEach(async () => {
  for (const { feed } of started.splice(0)) await venues.time.run(feed.stop());
});

const venueA = async (count = 40, options: FeedAOptions = {}) => {
  const tickers = venues.legs(count).map((leg) => leg.ticker);
  const fixture = await venues.startA(tickers, { quietMs: 1_500, ...options });
  started.push(fixture);
  return fixture;
};
const venueB = async (count = 40, options: FeedBOptions = {}) => {
  const tokens = venues.legs(count).map((leg) => leg.token_id);
  const fixture = await venues.startB(tokens, options);
  started.push(fixture);
  return fixture;
};
const venue = (which: 'a' | 'b', count?: number): Promise<FeedFixture> =>
  which === 'a' ? venueA(count) : venueB(count);
const named = (which: 'a' | 'b', contract: string) => (which === 'a' ? { ticker: contract } : { token_id: contract });
const first = (fixture: FeedFixture): string => fixture.contracts[0] ?? '';
/** Injects a fault that must find its target. */
const inject = (request: FaultRequest) => expect(venues.inject(request)).not.toBeNull();
/** How long it takes until the condition holds, ms. */
const until = (condition: () => unknown, what: string) => venues.time.until(condition, { what, limitMs: 60_000 });
const untilValid = (fixture: FeedFixture) => until(fixture.allValid, 'all books valid again');
/** What venue_a lists about a market now. */
async function marketOfA<Market>(ticker: string): Promise<Market> {
  const answer = await venues.runtime.fetch(`${venues.addresses.venue_a.rest}/markets/${ticker}`);
  return ((await answer.json()) as { market: Market }).market;
}
const faultReasons = (fixture: FeedFixture) => fixture.reasons.filter((reason) => reason !== 'valid');

/** The venue's time of a change, ms. */
const stampOf = (text: string): number | null => {
  const [, stamp] = /"(?:ts_ms|timestamp)":"?(\d+)/.exec(text) ?? [];
  return stamp === undefined ? null : Number(stamp);
};

/** Market time runs this much faster, so that an active book changes within a second. */
const RATE = 6;

describe('book guards under injected faults', () => {
  const start = () => {
    venues = new VirtualVenues({ rate: RATE });
  };
  // The listings are generated once.
  beforeAll(start);
  beforeEach(start);

  it.each(['a', 'b'] as const)(
    'venue_%s frozen: the comparison with REST finds a frozen book, and the others stay valid',
    async (which) => {
      const one = await venue(which);
      const frozen = first(one);
      // Until 9.5 s.
      inject({ fault: 'frozen', ...named(which, frozen), for_ms: 9_500 * RATE });
      // Compared once a second, on venue_b from 0.2 s on: quiet for 1.5 s at 2 s, differing for
      // 1.5 s at 4 s, and then every two seconds.
      const firstMs = which === 'a' ? 0 : 200;
      expect(await until(() => one.invalidWith('feed.frozen').includes(frozen), 'a frozen book')).toBe(firstMs + 4_000);
      expect(await untilValid(one)).toBe(6_000);
      // On venue_b the other token of the market is frozen too.
      expect(faultReasons(one)).toEqual(Array.from({ length: which === 'a' ? 1 : 2 }, () => 'feed.frozen'));
    },
  );

  it.each(['a', 'b'] as const)(
    'venue_%s crossed: only the crossed book is invalid, until it is correct again',
    async (which) => {
      const one = await venue(which);
      const crossed = first(one);
      // Until 2.1 s.
      inject({ fault: 'crossed', ...named(which, crossed), for_ms: 2_100 * RATE });
      expect(await until(() => one.invalidWith('book.crossed').includes(crossed), 'the crossed book')).toBe(0);
      const others = new Set(one.contracts.filter((contract) => one.store.get(contract)?.invalidReason === null));
      // On venue_b the other token of the market is crossed too.
      expect(others.size).toBe(one.contracts.length - (which === 'a' ? 1 : 2));
      // A crossed book is requested every two seconds: over venue_a's socket on a timer of 1 s,
      // over venue_b's REST on one of 0.2 s.
      expect(await untilValid(one)).toBe(which === 'a' ? 4_000 : 2_200);
      expect(new Set(faultReasons(one))).toEqual(new Set(['book.crossed']));
    },
  );

  it.each(['a', 'b'] as const)(
    'venue_%s one_sided and empty: an empty side, in each of its three forms, is valid',
    async (which) => {
      const one = await venue(which, 60);
      // The simulator gives every market one permanent form of an empty side.
      const formOf = (contract: string) =>
        which === 'a'
          ? (keyOf(contract, 'empty') >>> 4) % 3
          : keyOf(venues.world.catalog.marketB(contract)?.slug ?? '', 'empty') % 3;
      const some = [0, 1, 2].flatMap((form) => one.contracts.filter((each) => formOf(each) === form).slice(0, 4));
      expect(new Set(some.map(formOf)).size).toBe(3);
      for (const contract of some) inject({ fault: 'one_sided', ...named(which, contract), for_ms: 10_000 * RATE });
      const asks = () => some.map((contract) => one.store.get(contract)?.book?.ask ?? null);
      const bids = () => some.map((contract) => one.store.get(contract)?.book?.bid ?? null);
      // A token of venue_b's second outcome has the empty side mirrored.
      const oneIsEmpty = () => asks().every((ask, at) => ask === null || bids()[at] === null);
      expect(await until(oneIsEmpty, 'one side is empty')).toBe(0);
      for (const contract of some) inject({ fault: 'empty', ...named(which, contract), for_ms: 3_000 * RATE });
      const bothAreEmpty = () => [...asks(), ...bids()].every((quote) => quote === null);
      expect(await until(bothAreEmpty, 'both sides are empty')).toBe(0);
      expect(await until(() => asks().every((ask) => ask !== null), 'books again')).toBe(3_000);
      expect(faultReasons(one)).toEqual([]);
      expect(one.runtime.rejected).toEqual([]);
    },
  );

  it('venue_b inverted: no guard of a single book detects tokens that are swapped on the socket and on REST', async () => {
    const b = await venueB(80);
    // Far from 0.50, where a swap changes the price clearly.
    const token = b.contracts.find(
      (one) => Math.abs((b.store.get(one)?.book?.ask?.price ?? 500_000) - 500_000) > 120_000,
    );
    if (token === undefined) throw new Error('no book far from 0.50');
    const restAsk = async () => {
      const url = `${venues.addresses.venue_b.clob}/price?token_id=${token}&side=SELL`;
      const { price } = (await (await venues.runtime.fetch(url)).json()) as { price: string };
      return Math.round(Number(price) * 1e6);
    };
    const ask = () => b.store.get(token)?.book?.ask?.price ?? 0;
    const before = ask();
    inject({ fault: 'inverted', token_id: token, for_ms: 5_000 * RATE });
    const turned = 1_000_000 - before;
    // A swapped ask is one minus the old bid: within a few cents of one minus the old ask.
    const isTurned = (price: number) => Math.abs(price - turned) < 60_000;
    expect(await until(() => isTurned(ask()), 'swapped prices on the socket')).toBe(0);
    expect(isTurned(await restAsk())).toBe(true);
    expect(await until(() => Math.abs(ask() - before) < 60_000, 'the original prices')).toBe(5_000);
    expect(faultReasons(b)).toEqual([]);
  });

  it.each(['deci_cent', 'tapered', 'micro'])('venue_a ticks: prices at the tick size %s are exact', async (how) => {
    const a = await venueA(20);
    const ticker = a.contracts[['deci_cent', 'tapered', 'micro'].indexOf(how) + 3] ?? '';
    inject({ fault: 'ticks', ticker, how });
    const market = await marketOfA<{ price_ranges: { start: string; end: string; step: string }[] }>(ticker);
    const ranges = market.price_ranges.map(({ start, end, step }) =>
      [start, end, step].map((one) => Number(one) * 1e6),
    );
    const fits = (price: number) =>
      ranges.some(([start = 0, end = 0, step = 1]) => price >= start && price <= end && price % Math.round(step) === 0);
    const prices = () => [
      ...(a.store.get(ticker)?.book?.bids.prices ?? []),
      ...(a.store.get(ticker)?.book?.asks.prices ?? []),
    ];
    const isFitting = () => prices().length >= 2 && prices().every(fits);
    expect(await until(isFitting, 'a book with the new tick size')).toBe(0);
    if (how !== 'tapered') expect(prices().some((price) => price % 10_000 !== 0)).toBe(true);
    expect([faultReasons(a), a.runtime.rejected]).toEqual([[], []]);
  });

  it.each(['quarter_cent', 'micro'])(
    'venue_b ticks: a change to %s invalidates the book, which is read again',
    async (how) => {
      const b = await venueB(20);
      const token = b.contracts[5] ?? '';
      inject({ fault: 'ticks', token_id: token, how });
      expect(await until(() => b.reasons.includes('book.tick_change'), 'the change of tick size')).toBe(0);
      // The venue sends the whole book after the change.
      expect(await untilValid(b)).toBe(0);
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
      inject({ fault: 'garbled', venue: 'a', how });
      const before = venues.frames.length;
      await until(() => a.reasons.includes('book.unreadable'), 'an unreadable book');
      expect(venues.frames[before]?.at).toBe(venues.time.now());
      const code = { retyped: 'message.unknown_type', not_json: 'message.not_json' }[how as string];
      expect(a.runtime.rejected.map((row) => row.code)).toEqual([code ?? 'message.missing_field']);
      expect(await untilValid(a)).toBe(0);
    },
  );

  it.each(CORRUPTIONS.filter((how) => how !== 'retyped'))(
    'venue_b garbled (%s): the message is rejected with a code and invalidates the affected books',
    async (how) => {
      const b = await venueB();
      inject({ fault: 'garbled', venue: 'b', how });
      const before = venues.frames.length;
      const foundMs = await until(() => b.reasons.includes('book.unreadable'), 'an unreadable book');
      expect(venues.frames[before]?.at).toBe(venues.time.now());
      const code = how === 'not_json' ? 'message.not_json' : 'message.missing_field';
      expect(b.runtime.rejected.map((row) => row.code)).toEqual([code]);
      // The next run of a timer of 0.2 s reads the books.
      expect(foundMs + (await untilValid(b))).toBe(Math.ceil(foundMs / 200) * 200);
    },
  );

  it('venue_b gap: a lost message shows in the best prices or in a different book with the same hash', async () => {
    const b = await venueB(2, { busyMs: 2_000, quietMs: 60_000 });
    inject({ fault: 'gap', venue: 'b' });
    // Busy books are compared every two seconds, once a second from 0.2 s on, and are read again in
    // the next run of a timer of 0.2 s.
    expect(await until(() => b.reasons.includes('book.gap'), 'the gap')).toBe(2_200);
    expect(b.runtime.lines.at(-1)).toMatch(/^venue_b: a message about \d+ was lost; its book is read again$/);
    expect(await untilValid(b)).toBe(200);
  });

  it('venue_b duplicate: a repeated message changes nothing, because sizes are absolute', async () => {
    const b = await venueB(2);
    inject({ fault: 'duplicate', venue: 'b' });
    const before = venues.frames.length;
    await until(() => venues.frames.length >= before + 4, 'more messages');
    const [message, repeated, ...later] = venues.frames.slice(before);
    expect(repeated).toEqual(message);
    expect(later[0]?.text).not.toBe(message?.text);
    expect(faultReasons(b)).toEqual([]);
  });

  it.each(['ahead', 'behind'])('skew: the books of a venue whose clock is %s stay valid', async (how) => {
    const [a, b] = [await venueA(), await venueB()];
    inject({ fault: 'skew', how, for_ms: 4_000 });
    await venues.time.advance(7_000);
    for (const one of [a, b]) expect([one.reasons.includes('feed.late'), one.allValid()]).toEqual([false, true]);
  });

  it('venue_a scale: an ignored flag is detected before any book is valid, and the other scale is used', async () => {
    const a = await venueA();
    a.reasons.length = 0;
    inject({ fault: 'scale', for_ms: 60_000 });
    const isFound = () => a.runtime.lines.some((line) => line.includes('other scale than requested'));
    expect(await until(isFound, 'the log')).toBe(handshakesAfterLoss(1)[0]);
    expect(await untilValid(a)).toBe(0);
    // The end of the connection invalidated each book, and the right scale made it valid.
    const each = (reason: string) => a.contracts.map(() => reason);
    expect(a.reasons).toEqual([...each('feed.disconnected'), ...each('valid')]);
    let same = 0;
    for (const ticker of a.contracts) {
      const market = await marketOfA<{ yes_ask_dollars: string }>(ticker);
      const ours = a.store.get(ticker)?.book?.ask?.price ?? 1_000_000;
      same += Math.abs(Number(market.yes_ask_dollars) * 1e6 - ours) <= 40_000 ? 1 : 0;
    }
    // The listing is two seconds of market time behind, so it may differ by a few price steps, but
    // not by an inversion.
    expect(same).toBe(a.contracts.length);
  });

  it('venue_a pause: all books are invalid while the venue reports that trading is paused', async () => {
    const a = await venueA(40, { statusMs: 300 });
    inject({ fault: 'pause', for_ms: 3_000 });
    const allPaused = () => a.invalidWith('venue.paused').length === a.contracts.length;
    expect(await until(allPaused, 'all books paused')).toBe(300);
    expect(a.feed.detail).toBe('websocket, venue paused');
    expect(await untilValid(a)).toBe(2_700);
  });

  it('venue_b restart: books stay invalid after the restart until orders are accepted again', async () => {
    const b = await venueB(40, { postOnlyMs: 4_000 });
    inject({ fault: 'restart', venue: 'b', for_ms: 1_500 });
    const allPostOnly = () => b.invalidWith('venue.post_only').length === b.contracts.length;
    const opensAt = await until(allPostOnly, 'post-only books on a new socket');
    expect(opensAt).toBeGreaterThan(1_500);
    expect(b.runtime.lines.some((line) => line.includes('no order can be taken'))).toBe(true);
    // A timer of 0.2 s gets the first answer of REST that is not a 425. The four seconds of market
    // time count from it.
    const answeredAt = Math.ceil(opensAt / 200) * 200;
    const endsAt = Math.ceil((answeredAt + 4_000 / RATE) / 200) * 200;
    expect(opensAt + (await untilValid(b))).toBe(endsAt);
  });
});

describe('late messages', () => {
  const start = () => {
    venues = new VirtualVenues();
  };
  beforeAll(start);
  beforeEach(start);

  it.each(['a', 'b'] as const)(
    'venue_%s late: books are invalid while their messages are seconds late',
    async (which) => {
      // Active books, so that messages can be late within the eight seconds of the fault. No
      // message arrives for 6.5 s. The comparison with REST would invalidate the books first.
      const options = { quietMs: 60_000 };
      const one: FeedFixture = which === 'a' ? await venueA(200, options) : await venueB(200, options);
      // The usual offset is unknown before the first message that is on time.
      await until(() => one.reasons.length >= 5, 'a few changes');
      inject({ fault: 'late', venue: which, how: '6500', for_ms: 8_000 });
      const before = venues.frames.length;
      await until(() => one.invalidWith('feed.late').length > 0, 'late books');
      expect(one.invalidWith('feed.late')).toEqual(one.contracts);
      // By the first message of the fault, which is more than five seconds late.
      const late = venues.frames.slice(before).find(({ text }) => stampOf(text) !== null);
      expect(late?.at).toBe(venues.time.now());
      expect((late?.at ?? 0) - (stampOf(late?.text ?? '') ?? 0)).toBe(6_500);
      await untilValid(one);
      // By the first one that is less than half of that late, with those that waited behind it.
      const onTime = venues.frames.slice(before).find(({ at, text }) => at - (stampOf(text) ?? 0) <= 2_500);
      expect(onTime?.at).toBe(venues.time.now());
    },
  );
});
