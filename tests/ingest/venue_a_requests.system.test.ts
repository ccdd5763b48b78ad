import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { TokenBucket } from '../../functions/ingest/feeds/bucket.ts';
import { RestClient } from '../../functions/ingest/feeds/rest.ts';
import { UnknownValues } from '../../functions/ingest/feeds/unknown.ts';
import { venueAReader } from '../../functions/ingest/readers.ts';
import { AccessKey } from '../../functions/ingest/venue_a/access_key.ts';
import { VenueARest } from '../../functions/ingest/venue_a/rest.ts';
import { parseRestBook } from '../../functions/ingest/venue_a/rest_book.ts';
import { signerOf } from '../../functions/ingest/venue_a/sign.ts';
import { VENUE_A_FAULTS } from '../../local/venue_simulator/faults/venue_a_faults.ts';
import { injectFault } from '../support/faults.ts';
import { pause } from '../support/wait_until.ts';
import { type RunningVenues, startVenues, type Truth } from '../venue_simulator/fixture.ts';
import { runtime } from './runtime.ts';

/**
 * Guarantee: requests to venue_a are charged what the venue bills, and a key that the venue refuses
 * or a batch that it refuses stops no reader. The simulator has the limits of a Basic key.
 */

let venues: RunningVenues;
let tickers: string[];
beforeAll(async () => {
  venues = await startVenues('--seed', '7', '--games', '60', '--tokens', '200');
  const truth = (await (await fetch(`${venues.sim}/truth`)).json()) as Truth;
  tickers = [...new Set(truth.pairs.flatMap((pair) => pair.outcomes.map((leg) => leg.ticker)))].slice(0, 60);
  expect(tickers).toHaveLength(60);
});
afterEach(async () => {
  for (const fault of VENUE_A_FAULTS) await injectFault(venues.sim, { fault, for_ms: 0 });
});
afterAll(() => venues?.end());

const inject = async (order: Record<string, unknown>) => expect(await injectFault(venues.sim, order)).toBe(200);

/** A client with the rate of a Basic key, as `openVenues` makes it, and what it received. */
async function restWithKey() {
  const { rest: base, key_id, private_key_file } = venues.listening.venue_a;
  const sign = await signerOf(key_id, readFileSync(private_key_file, 'utf8'), Date.now);
  const key = new AccessKey({ sign, now: Date.now });
  const bucket = new TokenBucket(20, 10, runtime);
  const client = new RestClient({ base, runtime, bucket, sign: (method, path) => key.headers(method, path) });
  const statuses: number[] = [];
  client.onStatus((status) => statuses.push(status));
  const lines: string[] = [];
  return {
    rest: new VenueARest(client, { key, burst: bucket.burst, log: (line) => lines.push(line) }),
    key,
    statuses,
    lines,
  };
}

/** The tickers of the books, each of which must parse. */
const tickersOf = (books: readonly unknown[]): (string | null)[] =>
  books.map((raw) => {
    const book = parseRestBook(raw);
    expect(book).toMatchObject({ ok: true });
    return book.ticker;
  });

describe('books of venue_a over REST', () => {
  // The bucket of the venue is full again after two seconds.
  afterEach(() => pause(2_000));

  it('a batch with the usual cost is one request for all books', async () => {
    const { rest, statuses } = await restWithKey();
    expect(tickersOf(await rest.books(tickers))).toEqual(tickers);
    // One request lists the costs.
    expect(statuses).toEqual([200, 200]);
    expect([rest.maxBooks, rest.maxAuditBooks]).toEqual([100, 100]);
  });

  it('a batch whose books are billed one by one carries what the bucket can pay, and gets no 429', async () => {
    await inject({ fault: 'item_billing', how: '10', for_ms: 60_000 });
    const { rest, statuses } = await restWithKey();
    expect(tickersOf(await rest.books(tickers))).toEqual(tickers);
    expect(statuses).toEqual([200, ...Array.from({ length: 6 }, () => 200)]);
    expect([rest.maxBooks, rest.maxAuditBooks]).toEqual([10, 1]);
  });

  it('a batch that is billed book by book without being listed is halved after 429 until it passes', async () => {
    await inject({ fault: 'item_billing', how: 'unlisted', for_ms: 60_000 });
    const { rest, statuses, lines } = await restWithKey();
    expect(tickersOf(await rest.books(tickers))).toEqual(tickers);
    expect(statuses).toContain(429);
    expect(lines.some((line) => line.includes('a batch now has 30'))).toBe(true);
    expect(rest.readsSingleBooks).toBe(false);
    // From now on each book is charged, so the rate of the venue is kept.
    const before = statuses.length;
    await rest.books(tickers);
    expect(statuses.slice(before)).not.toContain(429);
  }, 30_000);

  it('single books are read where the batch is refused, and where it is dearer', async () => {
    await inject({ fault: 'batch_refused', for_ms: 60_000 });
    const refused = await restWithKey();
    expect(tickersOf(await refused.rest.books(tickers.slice(0, 5)))).toEqual(tickers.slice(0, 5));
    // The costs; the batch, signed and then unsigned; five books.
    expect(refused.statuses).toEqual([200, 401, 401, 200, 200, 200, 200, 200]);
    expect([refused.rest.maxBooks, refused.key.refusal]).toEqual([10, null]);

    await inject({ fault: 'batch_refused', for_ms: 0 });
    await inject({ fault: 'item_billing', how: '25', for_ms: 60_000 });
    const dear = await restWithKey();
    expect(tickersOf(await dear.rest.books(tickers.slice(0, 3)))).toEqual(tickers.slice(0, 3));
    expect(dear.statuses).toEqual([200, 200, 200, 200]);
  });

  it('a ticker that the venue does not know is left out, in a batch and alone', async () => {
    const { rest } = await restWithKey();
    const some = [tickers[0] ?? '', 'KXNOTHING-26', tickers[1] ?? ''];
    expect(tickersOf(await rest.books(some))).toEqual([some[0], some[2]]);
    await inject({ fault: 'batch_refused', for_ms: 60_000 });
    const single = await restWithKey();
    expect(tickersOf(await single.rest.books(some))).toEqual([some[0], some[2]]);
  });
});

describe('an expired key of venue_a', () => {
  it('a signed request that gets 401 is sent again unsigned, and the next ones are unsigned at once', async () => {
    await inject({ fault: 'expired_key', for_ms: 60_000 });
    const { rest, key, statuses } = await restWithKey();
    expect((await rest.events(null, 5)).events).toHaveLength(5);
    expect((await rest.series()).length).toBeGreaterThan(10);
    expect(statuses).toEqual([401, 200, 200]);
    expect(key.refusal).toBe('401');
    expect(await rest.isKeyRefused()).toBe(true);
  });

  it('only an answer to a request that needs the key decides whether the venue refuses it', async () => {
    const { rest } = await restWithKey();
    expect(await rest.isKeyRefused()).toBe(false);
    await inject({ fault: 'throttled', for_ms: 60_000 });
    expect(await rest.isKeyRefused()).toBeNull();
    await inject({ fault: 'throttled', for_ms: 0 });
    await inject({ fault: 'expired_key', for_ms: 60_000 });
    expect(await rest.isKeyRefused()).toBe(true);
  });
});

describe('listings of venue_a with absent fields', () => {
  const readerOf = async () => {
    const { rest } = await restWithKey();
    const reader = venueAReader(rest, () => ({ questions: [], rejected: [] }), {
      now: () => new Date().toISOString(),
      recorded: false,
      unknown: new UnknownValues('venue_a'),
    });
    await reader.begin(Date.now());
    return { rest, reader };
  };
  const tradingMarket = async () => {
    const { events } = await (await restWithKey()).rest.events(null, 5);
    const { event_ticker, markets } = events[0] as { event_ticker: string; markets: { ticker: string }[] };
    return { event: event_ticker, ticker: markets[0]?.ticker ?? '' };
  };

  it.each(['absent', 'null'])(
    'an event whose list of markets is %s is read as an event without markets',
    async (how) => {
      const { event, ticker } = await tradingMarket();
      await inject({ fault: 'no_markets', ticker, how, for_ms: 1_000 });
      const { reader } = await readerOf();
      const { batch } = await reader.page(null, 100);
      expect(batch.events.find(({ event_id }) => event_id === event)?.markets).toEqual([]);
      expect(batch.rejected).toEqual([]);
      await pause(1_000);
    },
  );

  it('the markets of an event that is older than the historical cutoff are read with their results', async () => {
    const { rest, reader } = await readerOf();
    const cutoff = await rest.historicalCutoff();
    expect(Date.parse(cutoff ?? '')).toBeLessThan(Date.now());
    const past = await rest.historicalMarkets({ series: 'KXMLBGAME', cursor: null, limit: 1 });
    const { event_ticker } = past.markets[0] as { event_ticker: string };
    const live = (await rest.eventsByTicker([event_ticker])).events[0] as { markets?: unknown };
    expect(live.markets ?? []).toEqual([]);
    const { batch, missing } = await reader.eventsById([event_ticker]);
    expect(missing).toEqual([]);
    expect(batch.events[0]?.markets.length).toBeGreaterThan(1);
    for (const market of batch.events[0]?.markets ?? []) {
      expect([market.state, market.payout]).toEqual(['final', expect.stringMatching(/^[01](\.\d+)?$/)]);
    }
  });

  it('a fee waiver is listed with its end', async () => {
    const { event, ticker } = await tradingMarket();
    await inject({ fault: 'fee_waiver', ticker, for_ms: 600_000 });
    const { reader } = await readerOf();
    const { batch } = await reader.eventsById([event]);
    const fee = batch.events[0]?.markets.find(({ market_id }) => market_id === ticker)?.fee;
    expect(fee).toMatchObject({ model: 'quadratic', waived_until: expect.stringMatching(/Z$/) });
  });
});
