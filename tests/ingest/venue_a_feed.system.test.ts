import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { BookFeed } from '../../functions/ingest/feeds/feed.ts';
import { VENUE_A_FAULTS } from '../../local/venue_simulator/faults/venue_a_faults.ts';
import { exchangeIndexOf } from '../../local/venue_simulator/universe/listing/exchange_index.ts';
import { injectFault } from '../support/faults.ts';
import { holdsWithin, waitUntil } from '../support/wait_until.ts';
import { type RunningVenues, startVenues, type Truth } from '../venue_simulator/fixture.ts';
import { startFeedA } from './feed_fixture.ts';

/**
 * Guarantee: the feed of venue_a meets what the venue's documents of 2026-08-22 describe: exchange
 * indexes that pause alone, a key that is refused at the handshake, batches of books that are
 * refused or billed book by book, and limits of markets and commands. Each is injected by the
 * simulator, over its own sockets and REST.
 */

let venues: RunningVenues;
let tickers: string[];
const feeds: BookFeed[] = [];

beforeAll(async () => {
  venues = await startVenues('--seed', '7', '--games', '200');
  const truth = (await (await fetch(`${venues.sim}/truth`)).json()) as Truth;
  const all = [...new Set(truth.pairs.flatMap((pair) => pair.outcomes.map((leg) => leg.ticker)))];
  // Some books of each exchange index in turn: a connection with empty books only is never valid,
  // because nothing shows their price scale.
  const byIndex = [0, 2, 3].map((index) => all.filter((ticker) => exchangeIndexOf(ticker) === index));
  tickers = Array.from({ length: 40 }).flatMap((_, at) => byIndex.flatMap((some) => some[at] ?? []));
});
afterEach(async () => {
  await Promise.all(feeds.splice(0).map((feed) => feed.stop()));
  // Ends the faults of this test.
  for (const fault of VENUE_A_FAULTS) await injectFault(venues.sim, { fault, for_ms: 0 });
});
afterAll(() => venues?.end());

const inject = async (order: Record<string, unknown>) => expect(await injectFault(venues.sim, order)).toBe(200);
async function start(options: Parameters<typeof startFeedA>[2] = {}, contracts = tickers) {
  const fixture = await startFeedA(venues, contracts, { statusMs: 100, indexOf: exchangeIndexOf, ...options });
  feeds.push(fixture.feed);
  return fixture;
}
type Fixture = Awaited<ReturnType<typeof start>>;
const on = (index: number) => tickers.filter((ticker) => exchangeIndexOf(ticker) === index);
const allValid = (one: Fixture, timeoutMs = 15_000) =>
  waitUntil(() => one.validCount() === one.contracts.length, { what: 'all books valid', timeoutMs });
const hasDetail = (one: Fixture, detail: string, timeoutMs = 15_000) =>
  waitUntil(() => one.feed.detail === detail, { what: `the detail "${detail}"`, timeoutMs });

describe('exchange indexes of venue_a', () => {
  it('the pause of one index invalidates the books of that index and no others', async () => {
    const a = await start();
    expect(on(2).length).toBeGreaterThan(5);
    expect(on(3).length).toBeGreaterThan(5);
    await inject({ fault: 'pause', how: '2', for_ms: 1_200 });
    await hasDetail(a, 'websocket, index 2 paused');
    expect(a.invalidWith('venue.paused').sort()).toEqual(on(2).sort());
    await allValid(a);
    expect(a.feed.detail).toBe('websocket');
  });

  it('the top-level flags concern index 0 only, so its pause leaves the other indexes valid', async () => {
    const a = await start();
    await inject({ fault: 'pause', how: '0', for_ms: 1_200 });
    await hasDetail(a, 'websocket, index 0 paused');
    expect(a.invalidWith('venue.paused').sort()).toEqual(on(0).sort());
    await allValid(a);
  });

  it('books whose index is unknown are valid only while every index trades', async () => {
    const a = await start({ indexOf: (ticker) => (ticker === tickers[0] ? null : exchangeIndexOf(ticker)) });
    await inject({ fault: 'pause', how: '3', for_ms: 1_200 });
    await hasDetail(a, 'websocket, index 3 paused');
    expect(a.invalidWith('venue.paused').sort()).toEqual([tickers[0], ...on(3)].sort());
    await allValid(a);
  });

  it('books of an index without a row in the status are invalid, and the others stay valid', async () => {
    const a = await start();
    await inject({ fault: 'no_status', how: '3', for_ms: 1_200 });
    await hasDetail(a, 'websocket, index 3 unknown');
    expect(a.invalidWith('venue.paused').sort()).toEqual(on(3).sort());
    await allValid(a);
  });

  it('while the status has no rows, only the books of index 0 are valid', async () => {
    const a = await start();
    await inject({ fault: 'no_status', for_ms: 1_200 });
    await hasDetail(a, 'websocket, index 2 and 3 unknown');
    expect(a.invalidWith('venue.paused').sort()).toEqual([...on(2), ...on(3)].sort());
    await allValid(a);
  });

  it('polled books are held by their own index too', async () => {
    const a = await start({ socket: null });
    await inject({ fault: 'pause', how: '2', for_ms: 1_200 });
    await hasDetail(a, 'polling, index 2 paused');
    await waitUntil(() => a.invalidWith('venue.paused').length === on(2).length, { what: 'the paused books' });
    expect(a.invalidWith('venue.paused').sort()).toEqual(on(2).sort());
    await allValid(a);
  });

  it('no book is valid before the venue has stated which indexes trade', async () => {
    await inject({ fault: 'throttled', for_ms: 60_000 });
    const a = await start({ wait: false, socket: null });
    await inject({ fault: 'pause', how: '2', for_ms: 3_000 });
    await inject({ fault: 'throttled', for_ms: 0 });
    await waitUntil(() => a.validCount() === on(0).length + on(3).length, { what: 'the books that trade' });
    expect(a.reasons).not.toContain('book.missing');
    await allValid(a);
  });
});

describe('a refused key of venue_a', () => {
  it('a handshake refused with 401 leads to polling, which a later refusal does not interrupt', async () => {
    const a = await start({ keyRetryMs: 1_000 });
    await inject({ fault: 'expired_key', how: 'closed', for_ms: 6_000 });
    await hasDetail(a, 'polling, key refused (401)');
    await allValid(a);
    a.reasons.length = 0;
    // The key is tried every second and is refused.
    expect(await holdsWithin(() => a.reasons.some((reason) => reason !== 'valid'), 3_000)).toBe(false);
    expect(a.feed.detail).toBe('polling, key refused (401)');
    await hasDetail(a, 'websocket');
    await allValid(a);
  }, 45_000);

  it('a 401 on signed requests makes them unsigned, while the open sockets go on', async () => {
    const a = await start({ quietMs: 500 });
    await inject({ fault: 'expired_key', for_ms: 4_000 });
    await hasDetail(a, 'websocket, key refused (401)');
    expect(a.runtime.lines.some((line) => line.includes('requests are unsigned'))).toBe(true);
    expect(await holdsWithin(() => a.validCount() < a.contracts.length, 2_000)).toBe(false);
  });

  it('refused handshakes without a status lead to one signed request, which shows the 401', async () => {
    const a = await start({ keyRetryMs: 60_000 });
    await inject({ fault: 'expired_key', how: 'reset', for_ms: 30_000 });
    await hasDetail(a, 'polling, key refused (401)');
    await allValid(a);
  }, 45_000);

  it('a handshake refused with 503 does not concern the key', async () => {
    const a = await start();
    await inject({ fault: 'restart', venue: 'a', for_ms: 1_500 });
    await waitUntil(() => a.reasons.includes('feed.disconnected'), { what: 'the disconnection' });
    await allValid(a);
    expect(a.feed.detail).toBe('websocket');
  });
});

describe('batches of books of venue_a', () => {
  it('a batch refused with 401 is replaced by single books', async () => {
    await inject({ fault: 'batch_refused', for_ms: 60_000 });
    const a = await start({ socket: null });
    expect(a.feed.detail).toBe('polling, single books');
    expect(a.runtime.lines.some((line) => line.includes('batches of books are refused (401)'))).toBe(true);
    expect(a.reasons.filter((reason) => reason !== 'valid')).toEqual([]);
  });

  it('a burst of 429 delays the books and makes none of them missing', async () => {
    const a = await start({ socket: null });
    await inject({ fault: 'throttled', for_ms: 2_000 });
    const before = a.feed.lastMessageAt ?? 0;
    await waitUntil(() => (a.feed.lastMessageAt ?? 0) > before + 2_000, { what: 'books after the burst' });
    expect(a.validCount()).toBe(a.contracts.length);
    expect(a.reasons).not.toContain('book.missing');
  });
});

describe('limits of the socket of venue_a', () => {
  it('error 26 splits the tickers over more connections', async () => {
    await inject({ fault: 'market_limit', how: '30', for_ms: 60_000 });
    const a = await start();
    expect(a.runtime.lines.some((line) => line.includes('the market limit of a subscription'))).toBe(true);
    const sizes = [...venues.faults.connections].map((connection) => connection.contracts().length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(30);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(a.contracts.length);
  });

  it('error 26 on added markets moves only those that the subscription did not take', async () => {
    const [first = [], rest = []] = [tickers.slice(0, 60), tickers.slice(60)];
    const a = await start({}, first);
    await inject({ fault: 'market_limit', how: '70', for_ms: 60_000 });
    a.reasons.length = 0;
    for (const ticker of rest) a.store.track(ticker, Date.now());
    a.feed.updateSubscriptions();
    await waitUntil(() => tickers.every((ticker) => a.store.get(ticker)?.invalidReason === null), {
      what: 'all books valid',
    });
    expect(a.reasons.filter((reason) => reason !== 'valid')).toEqual([]);
  });

  it('error 27 makes the commands wait, and all books become valid over the same connection', async () => {
    await inject({ fault: 'command_rate', how: '1', for_ms: 60_000 });
    const a = await start();
    expect(a.runtime.lines.filter((line) => line.includes('reconnects'))).toEqual([]);
  }, 45_000);
});
