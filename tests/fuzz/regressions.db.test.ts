import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BookStore } from '../../functions/ingest/books/book_store.ts';
import { connect, IngestQueries } from '../../functions/ingest/database.ts';
import { decimalOfNumber } from '../../functions/ingest/decimal.ts';
import { cleanJson } from '../../functions/ingest/feeds/clean.ts';
import { rejectedRow } from '../../functions/ingest/feeds/parse.ts';
import { sportsTerms } from '../../functions/ingest/identity/terms/terms.ts';
import { isUnfilled } from '../../functions/ingest/identity/text/text.ts';
import { questionsOfVenueA } from '../../functions/ingest/identity/venue_a.ts';
import { listVenueA } from '../../functions/ingest/venue_a/listing.ts';
import { VenueAStream } from '../../functions/ingest/venue_a/stream.ts';
import { listVenueB } from '../../functions/ingest/venue_b/listing.ts';
import { VenueBStream } from '../../functions/ingest/venue_b/stream.ts';
import { stopClock } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { contextA, contextB, validA, validB } from './support/listings.ts';
import { sweepPage } from './support/sweep_page.ts';

// Defects that the campaigns found, each with the input that caused it.

type Fields = Record<string, unknown>;
const marketsOf = (event: Fields) => event.markets as Fields[];
const nestedArrays = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);

describe('frames of the venues', () => {
  const createBookStore = (venue: 'venue_a' | 'venue_b') => {
    const store = new BookStore(venue, () => {});
    store.track('K', 0);
    return store;
  };
  const streamB = () => {
    const store = createBookStore('venue_b');
    const stream = new VenueBStream(store, { send: () => {}, reject: () => {} });
    stream.subscribe(['K'], 0);
    stream.onOpen(0);
    return { store, stream };
  };
  const bookB = { event_type: 'book', asset_id: 'K', timestamp: '1000', bids: [{ price: '0.4', size: '1' }], asks: [] };

  it('venue_a: {"type":{"toString":1}}, a type without a text, does not throw out of the handler of the socket', () => {
    const ignore = () => {};
    const output = { send: ignore, reconnect: ignore, reject: ignore, onKeyRejected: ignore, onOverflow: ignore };
    const stream = new VenueAStream(createBookStore('venue_a'), output);
    expect(() => stream.receive('{"type":{"toString":1}}', 1, 1)).not.toThrow();
  });

  it('venue_b: {"event_type":{"toString":1}} does not throw out of the handler of the socket', () => {
    expect(() => streamB().stream.receive('{"event_type":{"toString":1}}', 1, 1)).not.toThrow();
  });

  it('venue_b: "timestamp":"soon" on a change does not let a later one pass as in order', () => {
    const { store, stream } = streamB();
    stream.receive(JSON.stringify(bookB), 1_000, 1_000);
    const change = (timestamp: string, size: string) =>
      JSON.stringify({
        event_type: 'price_change',
        timestamp,
        price_changes: [{ asset_id: 'K', price: '0.4', size, side: 'BUY' }],
      });
    stream.receive(change('soon', '2'), 1_001, 1_001);
    expect(store.get('K')?.invalidReason).toBe('book.unreadable');
  });

  it('venue_b: "timestamp":"soon" on a book of REST does not drop changes that arrived meanwhile', () => {
    const { store, stream } = streamB();
    stream.onRestBook({ asset_id: 'K', timestamp: 'soon', bids: [{ price: '0.4', size: '1' }], asks: [] }, 1_000);
    expect(store.get('K')?.book ?? null).toBeNull();
  });
});

describe('hostile listings', () => {
  it('20,000 brackets in an unused field cost that listing and not the page', () => {
    expect(cleanJson({ a: nestedArrays(20_000) })).toHaveProperty('a');
    const batch = listVenueA(
      [{ ...validA, more: nestedArrays(20_000) }, { event_ticker: nestedArrays(20_000) }, validA],
      contextA,
    );
    expect([batch.events.length, batch.rejected.length]).toEqual([2, 1]);
    expect(() => JSON.stringify([batch, rejectedRow('event', 'x', 'x.y', 'x', nestedArrays(20_000))])).not.toThrow();
  });

  it('"ticker\\u200b", cleaned, does not replace the ticker that was checked', () => {
    const [first, ...others] = marketsOf(validA);
    const [event] = listVenueA(
      [{ ...validA, markets: [{ ...first, 'ticker\u200b': 'KXOTHER' }, ...others] }],
      contextA,
    ).events;
    expect(event?.questions[0]?.legs.map((leg) => leg.market_id)).not.toContain('KXOTHER');
    expect(cleanJson({ ticker: 'A', 'ticker\u200b': 'B' })).toEqual({ ticker: 'A' });
  });

  it('"conditionId":"! " makes no question about a contract that is not listed', () => {
    const [first, ...others] = marketsOf(validB);
    for (const id of ['! ', ' !', '!\u00ad', '!  !']) {
      const batch = listVenueB([{ ...validB, markets: [{ ...first, conditionId: id }, ...others] }], contextB);
      const listed = batch.events.flatMap(({ markets }) => markets.map((market) => market.market_id));
      const legs = batch.events.flatMap(({ questions }) => questions.flatMap((question) => question.legs));
      expect(legs.filter((leg) => !listed.includes(leg.market_id)).map((leg) => leg.market_id)).toEqual([]);
      expect(batch.rejected.map((one) => one.code)).toEqual(['market.wrong_type']);
    }
  });

  it('{"__proto__":{…}} gives a listing no fields that are not its own', () => {
    expect((cleanJson(JSON.parse('{"__proto__":{"ticker":"B"}}')) as Fields).ticker).toBeUndefined();
  });

  it('a market that is listed twice makes no question that the database rejects with its whole event', () => {
    const [first, second] = marketsOf(validA);
    const { events, rejected } = listVenueA([{ ...validA, markets: [first, second, first] }], contextA);
    expect(events[0]?.questions).toEqual([]);
    expect(rejected.map((one) => one.code)).toContain('identity.bad_value');
  });

  it('"secondsDelay":1e308 is no delay of an order', () => {
    const [market, ...others] = marketsOf(validB);
    const batch = listVenueB([{ ...validB, markets: [{ ...market, secondsDelay: 1e308 }, ...others] }], contextB);
    expect(batch.rejected.map((one) => one.code)).toContain('market.wrong_type');
  });
});

describe('hostile texts', () => {
  // Each text once took seconds to minutes. Parsing now takes a constant number of steps a
  // character and is a hundred times faster than this limit.
  const expectFast = (work: () => void) => {
    const startedAt = performance.now();
    work();
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  };

  it('"[x[x[x…" with 200,000 characters does not slow isUnfilled down (it took 16 s)', () => {
    expectFast(() => isUnfilled('[x'.repeat(100_000)));
    expectFast(() => isUnfilled('<team '.repeat(40_000)));
    expect(isUnfilled('[x] and <team of the day>')).toBe(true);
  });

  it('"two or more two or more …" and "postponed by by by …" do not slow the terms parser down (it took 16 s)', () => {
    expectFast(() => sportsTerms('two or more '.repeat(20_000), [], null));
    expectFast(() => sportsTerms(`postponed ${'by '.repeat(80_000)}`, [], '2026-09-20'));
  });

  it('a game whose titles and rules are "not not not …", 200,000 characters each, does not slow its parsers down (they took 100 s)', () => {
    const title = 'not '.repeat(50_000);
    const markets = marketsOf(validA).map((market) => ({
      ...market,
      title,
      yes_sub_title: title,
      rules_primary: title,
    }));
    expectFast(() => {
      const { questions, rejected } = questionsOfVenueA({ ...validA, title, sub_title: title, markets }, contextA);
      expect([questions, rejected[0]?.code]).toEqual([[], 'identity.text_too_long']);
    });
  });
});

describe('hostile values in the database', () => {
  let database: TestDatabase;
  let queries: IngestQueries;
  beforeAll(async () => {
    database = await createDatabase();
    // At this market time the valid game has not started.
    await stopClock(database.sql, '2026-08-01T00:00:00Z');
    queries = new IngestQueries(connect(database.url('parallax_ingest'), () => {}));
  });
  afterAll(async () => {
    await queries.end();
    await database.close();
  });
  /** Hex digests, which Postgres cannot compress to fit an index row. */
  const longId = Array.from({ length: 150 }, (_, n) => createHash('sha256').update(`${n}`).digest('hex')).join('');

  it('an id of 9,000 characters, more than an index takes (54000), does not repeat its page for ever', async () => {
    const batch = listVenueA([{ ...validA, event_ticker: `KXLONG-${longId}` }, validA], contextA);
    expect(batch.rejected.map((one) => one.code)).toEqual(['event.wrong_type']);
    await sweepPage(queries, 'venue_a', { batch, cursor: null });
  });

  it('"orderMinSize":1e21 does not stop the watch list with a minimum order beyond bigint', async () => {
    const markets = marketsOf(validB).map((market) => ({ ...market, orderMinSize: 1e21 }));
    await sweepPage(queries, 'venue_a', { batch: listVenueA([validA], contextA), cursor: null });
    await sweepPage(queries, 'venue_b', { batch: listVenueB([{ ...validB, markets }], contextB), cursor: null });
    const rows =
      await database.sql`select from price.watch_list(array(select 'books:' || n from generate_series(0, 63) n))`;
    expect(rows).toHaveLength(1);
    expect([1e15, 1e21, 1e308, -1, Number.NaN].map(decimalOfNumber)).toEqual([null, null, null, null, null]);
    expect([0, 5, 0.0025, 1e-7].map(decimalOfNumber)).toEqual(['0', '5', '0.0025', '0.0000001']);
  });

  it('a row that is still too large is rejected without the rest of its page', async () => {
    const batch = listVenueA([validA], contextA);
    const [event] = batch.events;
    if (!event) throw new Error('The valid listing gave no event.');
    const large = { ...event, event_id: `KX${longId}`, questions: [], markets: [] };
    await sweepPage(queries, 'venue_a', { batch: { events: [large, event], rejected: [] }, cursor: null });
    const stored = await database.sql<
      { event_id: string }[]
    >`select event_id from venue.events where venue = 'venue_a'`;
    expect(stored.map((row) => row.event_id)).toEqual([event.event_id]);
    const [rejection] = await database.sql<
      { code: string }[]
    >`select code from venue.rejected_rows where code = 'event.refused'`;
    expect(rejection?.code).toBe('event.refused');
  });
});
