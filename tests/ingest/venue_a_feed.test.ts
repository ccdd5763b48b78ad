import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { backoffDelay } from '../../functions/_shared/runtime.ts';
import type { FaultRequest } from '../../local/venue_simulator/faults/faults.ts';
import { exchangeIndexOf } from '../../local/venue_simulator/universe/listing/exchange_index.ts';
import { seededRandom } from '../support/virtual_time.ts';
import { type FeedAOptions, type FeedFixture, feedA } from './feed_fixture.ts';
import { handshakesAfterLoss, VirtualVenues } from './virtual_venues.ts';

/**
 * Guarantee: the feed of venue_a meets what the venue's documents of 2026-08-22 describe: exchange
 * indexes that pause alone, a key that is refused at the handshake, batches of books that are
 * refused or billed book by book, and limits of markets and commands. Each is injected by the
 * simulator, in virtual time.
 */

let venues: VirtualVenues;
let tickers: string[];
let started: FeedFixture[];

const prepare = () => {
  venues = new VirtualVenues();
  started = [];
  const all = [...new Set(venues.truth.pairs.flatMap((pair) => pair.outcomes.map((leg) => leg.ticker)))];
  // Some books of each exchange index in turn: a connection with empty books only is never valid,
  // because nothing shows their price scale.
  const byIndex = [0, 2, 3].map((index) => all.filter((ticker) => exchangeIndexOf(ticker) === index));
  tickers = Array.from({ length: 40 }).flatMap((_, at) => byIndex.flatMap((some) => some[at] ?? []));
};
// The listings are generated once.
beforeAll(prepare);
beforeEach(prepare);
afterEach(async () => {
  for (const { feed } of started) await venues.time.run(feed.stop());
});

/** How often the feed reads the status. */
const STATUS_MS = 100;

/** Injects a fault that must find its target. */
const inject = (request: FaultRequest) => expect(venues.inject(request)).not.toBeNull();
const optionsOf = (options: FeedAOptions): FeedAOptions => ({
  statusMs: STATUS_MS,
  indexOf: exchangeIndexOf,
  ...options,
});
async function start(options: FeedAOptions = {}, contracts = tickers) {
  const fixture = await venues.startA(contracts, optionsOf(options));
  started.push(fixture);
  return fixture;
}
/** How long it takes until the condition holds, ms. */
const until = (condition: () => unknown, what: string) => venues.time.until(condition, { what, limitMs: 60_000 });
const untilValid = (one: FeedFixture) => until(one.allValid, 'all books valid');
const untilDetail = (one: FeedFixture, detail: string) =>
  until(() => one.feed.detail === detail, `the detail "${detail}"`);
const faultReasons = (one: FeedFixture) => one.reasons.filter((reason) => reason !== 'valid');
const on = (index: number) => tickers.filter((ticker) => exchangeIndexOf(ticker) === index);

describe('exchange indexes of venue_a', () => {
  it('the pause of one index invalidates the books of that index and no others', async () => {
    const a = await start();
    expect(on(2).length).toBeGreaterThan(5);
    expect(on(3).length).toBeGreaterThan(5);
    inject({ fault: 'pause', how: '2', for_ms: 1_200 });
    expect(await untilDetail(a, 'websocket, index 2 paused')).toBe(STATUS_MS);
    expect(a.invalidWith('venue.paused').sort()).toEqual(on(2).sort());
    expect(STATUS_MS + (await untilValid(a))).toBe(1_200);
    expect(a.feed.detail).toBe('websocket');
  });

  it('the top-level flags concern index 0 only, so its pause leaves the other indexes valid', async () => {
    const a = await start();
    inject({ fault: 'pause', how: '0', for_ms: 1_200 });
    expect(await untilDetail(a, 'websocket, index 0 paused')).toBe(STATUS_MS);
    expect(a.invalidWith('venue.paused').sort()).toEqual(on(0).sort());
    expect(STATUS_MS + (await untilValid(a))).toBe(1_200);
  });

  it('books whose index is unknown are valid only while every index trades', async () => {
    const a = await start({ indexOf: (ticker) => (ticker === tickers[0] ? null : exchangeIndexOf(ticker)) });
    inject({ fault: 'pause', how: '3', for_ms: 1_200 });
    expect(await untilDetail(a, 'websocket, index 3 paused')).toBe(STATUS_MS);
    expect(a.invalidWith('venue.paused').sort()).toEqual([tickers[0], ...on(3)].sort());
    expect(STATUS_MS + (await untilValid(a))).toBe(1_200);
  });

  it('books of an index without a row in the status are invalid, and the others stay valid', async () => {
    const a = await start();
    inject({ fault: 'no_status', how: '3', for_ms: 1_200 });
    expect(await untilDetail(a, 'websocket, index 3 unknown')).toBe(STATUS_MS);
    expect(a.invalidWith('venue.paused').sort()).toEqual(on(3).sort());
    expect(STATUS_MS + (await untilValid(a))).toBe(1_200);
  });

  it('while the status has no rows, only the books of index 0 are valid', async () => {
    const a = await start();
    inject({ fault: 'no_status', for_ms: 1_200 });
    expect(await untilDetail(a, 'websocket, index 2 and 3 unknown')).toBe(STATUS_MS);
    expect(a.invalidWith('venue.paused').sort()).toEqual([...on(2), ...on(3)].sort());
    expect(STATUS_MS + (await untilValid(a))).toBe(1_200);
  });

  it('polled books are held by their own index too', async () => {
    const a = await start({ socket: null });
    inject({ fault: 'pause', how: '2', for_ms: 1_200 });
    expect(await untilDetail(a, 'polling, index 2 paused')).toBe(STATUS_MS);
    expect(a.invalidWith('venue.paused').sort()).toEqual(on(2).sort());
    expect(STATUS_MS + (await untilValid(a))).toBe(1_200);
  });

  it('no book is valid before the venue has stated which indexes trade', async () => {
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const fetching: typeof fetch = async (input, init) => {
      if (String(input).endsWith('/exchange/status')) await held;
      return venues.network.fetch(input, init);
    };
    inject({ fault: 'pause', how: '2', for_ms: 3_000 });
    const runtime = { ...venues.runtime, fetch: fetching };
    const a = feedA({ ...venues, runtime }, tickers, optionsOf({ socket: null }));
    started.push(a);
    a.feed.start();
    await venues.time.advance(1_500);
    expect([a.validCount(), new Set(a.reasons)]).toEqual([0, new Set()]);
    answer();
    expect(await until(() => a.validCount() > 0, 'the books that trade')).toBe(0);
    expect(a.validCount()).toBe(on(0).length + on(3).length);
    expect(await untilValid(a)).toBe(1_500);
    expect(a.reasons).not.toContain('book.missing');
  });
});

describe('a refused key of venue_a', () => {
  it('a handshake refused with 401 leads to polling, which a later refusal does not interrupt', async () => {
    const a = await start({ keyRetryMs: 1_000 });
    inject({ fault: 'expired_key', how: 'closed', for_ms: 6_000 });
    const [handshakeMs = 0] = handshakesAfterLoss(1);
    expect(await untilDetail(a, 'polling, key refused (401)')).toBe(handshakeMs);
    expect(await untilValid(a)).toBe(0);
    a.reasons.length = 0;
    // A second later the next status request is signed, at 1.2 s, and so on. That of 6.2 s is not
    // refused, and the next run of a timer of 1 s opens the socket.
    await venues.time.advance(3_000);
    expect(faultReasons(a)).toEqual([]);
    expect(a.feed.detail).toBe('polling, key refused (401)');
    expect(handshakeMs + 3_000 + (await untilDetail(a, 'websocket'))).toBe(7_000);
    expect(await untilValid(a)).toBe(0);
  });

  it('a 401 on signed requests makes them unsigned, while the open sockets go on', async () => {
    const a = await start({ quietMs: 500 });
    inject({ fault: 'expired_key', for_ms: 4_000 });
    expect(await untilDetail(a, 'websocket, key refused (401)')).toBe(STATUS_MS);
    expect(a.runtime.lines.some((line) => line.includes('requests are unsigned'))).toBe(true);
    await venues.time.advance(2_000);
    expect([faultReasons(a), a.allValid()]).toEqual([[], true]);
  });

  it('refused handshakes without a status lead to one signed request, which shows the 401', async () => {
    const a = await start({ keyRetryMs: 60_000 });
    inject({ fault: 'expired_key', how: 'reset', for_ms: 30_000 });
    expect(await untilDetail(a, 'polling, key refused (401)')).toBe(handshakesAfterLoss(3)[2]);
    expect(await untilValid(a)).toBe(0);
  });

  it('a handshake refused with 503 does not concern the key', async () => {
    const a = await start();
    inject({ fault: 'restart', venue: 'a', for_ms: 1_500 });
    expect(await until(() => a.reasons.includes('feed.disconnected'), 'the disconnection')).toBe(0);
    expect(await untilValid(a)).toBe(handshakesAfterLoss(10).find((ms) => ms >= 1_500));
    expect(a.feed.detail).toBe('websocket');
  });
});

describe('batches of books of venue_a', () => {
  it('a batch refused with 401 is replaced by single books', async () => {
    inject({ fault: 'batch_refused', for_ms: 60_000 });
    const a = feedA(venues, tickers, optionsOf({ socket: null }));
    started.push(a);
    a.feed.start();
    expect(await untilValid(a)).toBe(0);
    expect(a.feed.detail).toBe('polling, single books');
    expect(a.runtime.lines.some((line) => line.includes('batches of books are refused (401)'))).toBe(true);
    expect(faultReasons(a)).toEqual([]);
  });

  it('a burst of 429 delays the books and makes none of them missing', async () => {
    const a = await start({ socket: null });
    inject({ fault: 'throttled', for_ms: 2_000 });
    const before = a.feed.lastMessageAt ?? 0;
    // The second round, at 1 s, is tried again with the jitter of this run.
    const random = seededRandom('jitter');
    let readMs = 1_000;
    while (readMs < 2_000) readMs += backoffDelay(0, 250, 8_000, random);
    expect(await until(() => (a.feed.lastMessageAt ?? 0) > before, 'books after the burst')).toBe(readMs);
    expect(a.allValid()).toBe(true);
    expect(faultReasons(a)).toEqual([]);
  });
});

describe('books of venue_a without a socket', () => {
  it('polled books expire after 30 s on a timer of their own, while no answer ends', async () => {
    let isHeld = false;
    const fetching: typeof fetch = (input, init) =>
      isHeld && String(input).includes('/markets/orderbooks')
        ? new Promise((_, reject) => {
            init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
          })
        : venues.network.fetch(input, init);
    const runtime = { ...venues.runtime, fetch: fetching };
    const a = feedA({ ...venues, runtime }, tickers, optionsOf({ socket: null }));
    started.push(a);
    a.feed.start();
    await venues.time.advance(4_500);
    expect(a.allValid()).toBe(true);
    isHeld = true;
    // Last read at 4 s. The timer of 1 s runs at 34 s, when they are 30 s old, and at 35 s.
    await venues.time.advance(29_600);
    expect([a.allValid(), faultReasons(a)]).toEqual([true, []]);
    expect(await until(() => a.validCount() === 0, 'no valid book')).toBe(900);
    expect(new Set(faultReasons(a))).toEqual(new Set(['book.stale']));
    isHeld = false;
    await untilValid(a);
  });
});

describe('limits of the socket of venue_a', () => {
  it('error 26 splits the tickers over more connections', async () => {
    inject({ fault: 'market_limit', how: '30', for_ms: 60_000 });
    const a = await start();
    expect(a.runtime.lines.some((line) => line.includes('the market limit of a subscription'))).toBe(true);
    const sizes = [...venues.simulator.faults.connections].map((connection) => connection.contracts().length);
    // The first command of 100 markets is halved until it is taken. 120 markets need five of 25.
    expect(sizes).toEqual([25, 25, 25, 25, 20]);
    expect(a.contracts).toHaveLength(120);
  });

  it('error 26 on added markets moves only those that the subscription did not take', async () => {
    const [first = [], rest = []] = [tickers.slice(0, 60), tickers.slice(60)];
    const a = await start({}, first);
    inject({ fault: 'market_limit', how: '70', for_ms: 60_000 });
    a.reasons.length = 0;
    for (const ticker of rest) a.store.track(ticker, venues.time.now());
    a.feed.updateSubscriptions();
    const allValid = () => tickers.every((ticker) => a.store.get(ticker)?.invalidReason === null);
    expect(await until(allValid, 'all books valid')).toBe(0);
    expect(faultReasons(a)).toEqual([]);
  });

  it('error 27 makes the commands wait, and all books become valid over the same connection', async () => {
    inject({ fault: 'command_rate', how: '1', for_ms: 60_000 });
    const startsAt = venues.time.now();
    const a = await start();
    // The second command waits for two seconds.
    expect(venues.time.now() - startsAt).toBe(2_000);
    expect(a.runtime.lines.filter((line) => line.includes('reconnects'))).toEqual([]);
  });
});
