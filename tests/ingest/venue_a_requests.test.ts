import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { backoffDelay } from '../../functions/_shared/runtime.ts';
import { TokenBucket } from '../../functions/ingest/feeds/bucket.ts';
import { UnknownValues } from '../../functions/ingest/feeds/unknown.ts';
import { venueAReader } from '../../functions/ingest/readers.ts';
import { AccessKey } from '../../functions/ingest/venue_a/access_key.ts';
import { VenueARest } from '../../functions/ingest/venue_a/rest.ts';
import { parseRestBook } from '../../functions/ingest/venue_a/rest_book.ts';
import type { FaultRequest } from '../../local/venue_simulator/faults/faults.ts';
import { seededRandom } from '../support/virtual_time.ts';
import { restClient } from './feed_fixture.ts';
import { VirtualVenues } from './virtual_venues.ts';

/**
 * Guarantee: requests to venue_a are charged what the venue bills, and a key that the venue refuses
 * or a batch that it refuses stops no reader. The simulator has the limits of a Basic key.
 */

let venues: VirtualVenues;
let tickers: string[];
let startsAt: number;
const prepare = () => {
  venues = new VirtualVenues({ tokens: 200 });
  tickers = [...new Set(venues.truth.pairs.flatMap((pair) => pair.outcomes.map((leg) => leg.ticker)))].slice(0, 60);
  expect(tickers).toHaveLength(60);
  startsAt = venues.time.now();
};
// The listings are generated once.
beforeAll(prepare);
beforeEach(prepare);

/** Injects a fault that must find its target. */
const inject = (request: FaultRequest) => expect(venues.inject(request)).not.toBeNull();

/** A client with the rate of a Basic key, as `openVenues` makes it, and what it received. */
function restWithKey() {
  const { runtime, sign, addresses } = venues;
  const { now } = runtime;
  const key = new AccessKey({ sign, now });
  const bucket = new TokenBucket(20, 10, runtime);
  const signed = { bucket, attempts: 5, sign: (method: string, path: string) => key.headers(method, path) };
  const client = restClient(runtime, addresses.venue_a.rest, signed);
  const statuses: number[] = [];
  client.onStatus((status) => statuses.push(status));
  const lines: string[] = [];
  return {
    rest: new VenueARest(client, { key, burst: bucket.burst, now, log: (line) => lines.push(line) }),
    key,
    statuses,
    lines,
  };
}

/** Virtual time since the start of the test, ms. */
const elapsed = () => venues.time.now() - startsAt;
const run = <T>(work: Promise<T>): Promise<T> => venues.time.run(work);

/** The tickers of the books, each of which must parse. */
const tickersOf = (books: readonly unknown[]): (string | null)[] =>
  books.map((raw) => {
    const book = parseRestBook(raw);
    expect(book).toMatchObject({ ok: true });
    return book.ticker;
  });

describe('books of venue_a over REST', () => {
  it('a batch with the usual cost is one request for all books', async () => {
    const { rest, statuses } = restWithKey();
    expect(tickersOf(await run(rest.books(tickers)))).toEqual(tickers);
    expect(elapsed()).toBe(0);
    // One request lists the costs.
    expect(statuses).toEqual([200, 200]);
    expect([rest.maxBooks, rest.maxAuditBooks]).toEqual([100, 100]);
  });

  it('a batch whose books are billed one by one carries what the bucket can pay, and gets no 429', async () => {
    inject({ fault: 'item_billing', how: '10', for_ms: 60_000 });
    const { rest, statuses } = restWithKey();
    expect(tickersOf(await run(rest.books(tickers)))).toEqual(tickers);
    // Twenty books a second, and a burst of ten less the request for the costs.
    expect(elapsed()).toBe(50 + 5 * 500);
    expect(statuses).toEqual([200, ...Array.from({ length: 6 }, () => 200)]);
    expect([rest.maxBooks, rest.maxAuditBooks]).toEqual([10, 1]);
  });

  it('a batch that is billed book by book without being listed is halved after 429 until it passes', async () => {
    inject({ fault: 'item_billing', how: 'unlisted', for_ms: 60_000 });
    const { rest, statuses, lines } = restWithKey();
    expect(tickersOf(await run(rest.books(tickers)))).toEqual(tickers);
    expect(statuses).toEqual([200, 429, 429, 200, 200]);
    expect(lines).toEqual(['venue_a: a batch of 60 books got 429 twice; a batch now has 30']);
    // After the wait for the second try, the bucket lacks one of ten units. Then 30 books are
    // charged.
    const waitMs = backoffDelay(0, 250, 8_000, seededRandom('jitter'));
    expect(elapsed()).toBe(waitMs + 50 + 1_500);
    expect(rest.readsSingleBooks).toBe(false);
    // From now on each book is charged, so the rate of the venue is kept.
    const before = statuses.length;
    const again = elapsed();
    await run(rest.books(tickers));
    expect(statuses.slice(before)).toEqual([200, 200]);
    expect(elapsed() - again).toBe(2 * 1_500);
  });

  it('single books are read where the batch is refused, and where it is dearer', async () => {
    inject({ fault: 'batch_refused', for_ms: 60_000 });
    const refused = restWithKey();
    expect(tickersOf(await run(refused.rest.books(tickers.slice(0, 5))))).toEqual(tickers.slice(0, 5));
    // The costs; the batch, signed and then unsigned; five books.
    expect(refused.statuses).toEqual([200, 401, 401, 200, 200, 200, 200, 200]);
    expect([refused.rest.maxBooks, refused.key.refusal]).toEqual([10, null]);

    inject({ fault: 'batch_refused', for_ms: 0 });
    inject({ fault: 'item_billing', how: '25', for_ms: 60_000 });
    const dear = restWithKey();
    expect(tickersOf(await run(dear.rest.books(tickers.slice(0, 3))))).toEqual(tickers.slice(0, 3));
    expect(dear.statuses).toEqual([200, 200, 200, 200]);
  });

  it('a ticker that the venue does not know is left out, in a batch and alone', async () => {
    const { rest } = restWithKey();
    const some = [tickers[0] ?? '', 'KXNOTHING-26', tickers[1] ?? ''];
    expect(tickersOf(await run(rest.books(some)))).toEqual([some[0], some[2]]);
    inject({ fault: 'batch_refused', for_ms: 60_000 });
    const single = restWithKey();
    expect(tickersOf(await run(single.rest.books(some)))).toEqual([some[0], some[2]]);
  });
});

describe('an expired key of venue_a', () => {
  it('a signed request that gets 401 is sent again unsigned, and the next ones are unsigned at once', async () => {
    inject({ fault: 'expired_key', for_ms: 60_000 });
    const { rest, key, statuses } = restWithKey();
    expect((await run(rest.events(null, 5))).events).toHaveLength(5);
    expect((await run(rest.series())).length).toBeGreaterThan(10);
    expect(statuses).toEqual([401, 200, 200]);
    expect(key.refusal).toBe('401');
    expect(await run(rest.isKeyRefused())).toBe(true);
  });

  it('only an answer to a request that needs the key decides whether the venue refuses it', async () => {
    const { rest } = restWithKey();
    expect(await run(rest.isKeyRefused())).toBe(false);
    inject({ fault: 'throttled', for_ms: 60_000 });
    expect(await run(rest.isKeyRefused())).toBeNull();
    inject({ fault: 'throttled', for_ms: 0 });
    inject({ fault: 'expired_key', for_ms: 60_000 });
    expect(await run(rest.isKeyRefused())).toBe(true);
  });
});

describe('listings of venue_a with absent fields', () => {
  const readerOf = async () => {
    const { rest } = restWithKey();
    const reader = venueAReader(rest, () => ({ questions: [], rejected: [] }), {
      now: () => new Date(venues.time.now()).toISOString(),
      recorded: false,
      unknown: new UnknownValues('venue_a'),
    });
    await run(reader.begin(venues.time.now()));
    return { rest, reader };
  };
  const tradingMarket = async () => {
    const { events } = await run(restWithKey().rest.events(null, 5));
    const { event_ticker, markets } = events[0] as { event_ticker: string; markets: { ticker: string }[] };
    return { event: event_ticker, ticker: markets[0]?.ticker ?? '' };
  };

  it.each(['absent', 'null'])(
    'an event whose list of markets is %s is read as an event without markets',
    async (how) => {
      const { event, ticker } = await tradingMarket();
      inject({ fault: 'no_markets', ticker, how, for_ms: 1_000 });
      const { reader } = await readerOf();
      const { batch } = await run(reader.page(null, 100));
      expect(batch.events.find(({ event_id }) => event_id === event)?.markets).toEqual([]);
      expect(batch.rejected).toEqual([]);
    },
  );

  it('the markets of an event that is older than the historical cutoff are read with their results', async () => {
    const { rest, reader } = await readerOf();
    const cutoff = await run(rest.historicalCutoff());
    expect(Date.parse(cutoff ?? '')).toBeLessThan(venues.time.now());
    const past = await run(rest.historicalMarkets({ series: 'KXMLBGAME', cursor: null, limit: 1 }));
    const { event_ticker } = past.markets[0] as { event_ticker: string };
    const live = (await run(rest.eventsByTicker([event_ticker]))).events[0] as { markets?: unknown };
    expect(live.markets ?? []).toEqual([]);
    const { batch, missing } = await run(reader.eventsById([event_ticker]));
    expect(missing).toEqual([]);
    expect(batch.events[0]?.markets.length).toBeGreaterThan(1);
    for (const market of batch.events[0]?.markets ?? []) {
      expect([market.state, market.payout]).toEqual(['final', expect.stringMatching(/^[01](\.\d+)?$/)]);
    }
  });

  it('a fee waiver is listed with its end', async () => {
    const { event, ticker } = await tradingMarket();
    inject({ fault: 'fee_waiver', ticker, for_ms: 600_000 });
    const { reader } = await readerOf();
    const { batch } = await run(reader.eventsById([event]));
    const fee = batch.events[0]?.markets.find(({ market_id }) => market_id === ticker)?.fee;
    expect(fee).toMatchObject({ model: 'quadratic', waived_until: expect.stringMatching(/Z$/) });
  });
});
