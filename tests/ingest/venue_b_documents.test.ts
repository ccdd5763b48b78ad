import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { backoffDelay } from '../../functions/_shared/runtime.ts';
import { UnknownValues } from '../../functions/ingest/feeds/unknown.ts';
import { questionsOfVenueB } from '../../functions/ingest/identity/venue_b.ts';
import type { ListedMarket, ListingBatch } from '../../functions/ingest/listing.ts';
import { venueBReader } from '../../functions/ingest/readers.ts';
import { listVenueB } from '../../functions/ingest/venue_b/listing.ts';
import { ResolutionReader } from '../../functions/ingest/venue_b/resolutions.ts';
import type { EventPage, VenueBRest } from '../../functions/ingest/venue_b/rest.ts';
import type { FaultRequest } from '../../local/venue_simulator/faults/faults.ts';
import { seededRandom } from '../support/virtual_time.ts';
import { type FeedBOptions, type FeedFixture, feedB, restB } from './feed_fixture.ts';
import { handshakesAfterLoss, VirtualVenues } from './virtual_venues.ts';

/**
 * Guarantee: venue_b is read by its documents of 2026 (venues.md G). Each test meets, in virtual
 * time, a response that the adapter could read wrongly.
 */

type Raw = { [key: string]: unknown };
type RawMarket = Raw & { slug: string; conditionId: string; version: string; positionIds: string[] };
type RawEvent = Raw & { slug: string; markets: RawMarket[] };

const clobTokensOf = (market: RawMarket): string[] => JSON.parse(String(market.clobTokenIds)) as string[];
const chosenOf = (market: RawMarket) => (market.version === 'v2' ? market.positionIds : clobTokensOf(market));
const otherOf = (market: RawMarket) => (market.version === 'v2' ? clobTokensOf(market) : market.positionIds);

let venues: VirtualVenues;
let asked: URL[] = [];

/** The REST client of the adapter; `asked` has the address of each request. */
function restOf(before: (url: URL) => Promise<void> | void = () => {}): VenueBRest {
  const fetching: typeof fetch = async (input, init) => {
    const url = new URL(String(input));
    asked.push(url);
    await before(url);
    return venues.network.fetch(input, init);
  };
  return restB({ runtime: { ...venues.runtime, fetch: fetching }, addresses: venues.addresses });
}

/** Injects a fault that must find its target. */
const inject = (request: FaultRequest) => expect(venues.inject(request)).not.toBeNull();
const run = <T>(work: Promise<T>): Promise<T> => venues.time.run(work);
/** How long it takes until the condition holds, ms. */
const until = (condition: () => unknown, what: string) => venues.time.until(condition, { what, limitMs: 60_000 });
const now = () => new Date(venues.time.now()).toISOString();
const marketsOf = (batch: ListingBatch): ListedMarket[] => batch.events.flatMap((event) => event.markets);

function readerOf() {
  const unknown = new UnknownValues('venue_b');
  const reader = venueBReader(restOf(), questionsOfVenueB, { now, recorded: false, unknown });
  return { reader, unknown };
}

async function openEvents(): Promise<RawEvent[]> {
  const events: RawEvent[] = [];
  const rest = restOf();
  let cursor: string | null = null;
  do {
    const page: EventPage = await run(rest.events(cursor));
    events.push(...(page.events as RawEvent[]));
    cursor = page.cursor;
  } while (cursor !== null && events.length < 400);
  return events;
}

beforeAll(() => {
  venues = new VirtualVenues();
});
afterEach(() => {
  asked = [];
});

describe('outcome ids of venue_b', () => {
  let events: RawEvent[];
  let batch: ListingBatch;
  beforeAll(async () => {
    events = await openEvents();
    batch = listVenueB(events, { now: now(), recorded: false, questionsOf: questionsOfVenueB });
  });

  it('are the position ids of a v2 market and the token ids of a v1 market, though both list both', () => {
    const listed = new Map(marketsOf(batch).map((market) => [market.market_id, market]));
    const versions = new Map<string, number>();
    for (const market of events.flatMap((event) => event.markets)) {
      versions.set(market.version, (versions.get(market.version) ?? 0) + 1);
      const contracts = listed.get(market.conditionId)?.contracts.map((contract) => contract.contract_id);
      expect(contracts, market.slug).toEqual(chosenOf(market));
      expect(otherOf(market)).toHaveLength(2);
    }
    expect(Math.min(versions.get('v1') ?? 0, versions.get('v2') ?? 0)).toBeGreaterThan(50);
  });

  it('are those of every leg of every question, in every family', () => {
    const chosen = new Set(events.flatMap((event) => event.markets).flatMap(chosenOf));
    const others = new Set(events.flatMap((event) => event.markets).flatMap(otherOf));
    const v2 = new Set(
      events.flatMap(({ markets }) => markets).flatMap((one) => (one.version === 'v2' ? [one.conditionId] : [])),
    );
    const legs = batch.events
      .flatMap(({ questions }) => questions)
      .flatMap((one) => one.legs.map((leg) => ({ ...leg, family: one.family })));
    expect(legs.filter((leg) => !chosen.has(leg.contract_id) || others.has(leg.contract_id))).toEqual([]);
    const families = new Set(legs.flatMap((leg) => (v2.has(leg.market_id) ? [leg.family] : [])));
    expect([...families]).toEqual(expect.arrayContaining(['moneyline', 'total', 'weather_high', 'outright']));
  });

  it('have order books, and the ids of the other version have none', async () => {
    const trading = new Set(marketsOf(batch).flatMap((one) => (one.state === 'trading' ? [one.market_id] : [])));
    const markets = events.flatMap((event) => event.markets).filter((one) => trading.has(one.conditionId));
    const v2 = markets.filter((one) => one.version === 'v2').slice(0, 20);
    const some = [...v2, ...markets.filter((one) => one.version === 'v1').slice(0, 20)];
    const rest = restOf();
    expect(await run(rest.books(some.flatMap(chosenOf)))).toHaveLength(2 * some.length);
    expect(await run(rest.books(some.flatMap(otherOf)))).toEqual([]);
    const { feed } = await venues.startB(v2.flatMap(chosenOf));
    await run(feed.stop());
    asked = [];
    const wrong = feedB(venues, v2.flatMap(otherOf), { rest: restOf() });
    wrong.feed.start();
    // A token without a first book is read over REST after three seconds, and REST has none.
    expect(await until(() => asked.length > 0, 'a request')).toBe(3_000);
    expect(wrong.invalidWith('book.missing')).toHaveLength(wrong.contracts.length);
    await run(wrong.feed.stop());
  });

  it('are not guessed for an unknown version: that market is rejected, and its event keeps the others', async () => {
    const event = events.find(({ markets }) => markets.length > 2 && markets[0]?.version === 'v1');
    const [market, ...others] = event?.markets ?? [];
    if (!event || !market) throw new Error('no event with several markets');
    inject({ fault: 'unknown_version', slug: market.slug });
    const { reader, unknown } = readerOf();
    const { batch: read } = await run(reader.eventsById([event.slug]));
    expect(read.rejected.map((row) => [row.kind, row.native_id, row.code])).toEqual([
      ['market', market.conditionId, 'market.unknown_version'],
    ]);
    expect(marketsOf(read).map((one) => one.market_id)).toEqual(others.map((one) => one.conditionId));
    const text = JSON.stringify(read.events);
    for (const id of [...chosenOf(market), ...otherOf(market)]) expect(text).not.toContain(id);
    expect(unknown.rows.map((row) => row.what)).toContain('market.version=v3');
  });
});

describe('listings of venue_b', () => {
  const named = async (slug: string) => {
    const { reader, unknown } = readerOf();
    const { batch } = await run(reader.eventsById([slug]));
    return { batch, unknown: unknown.rows.map((row) => row.what) };
  };

  it('close a market whose flags are null or absent, and lose neither it nor its event', async () => {
    const event = (await openEvents()).find(
      ({ markets }) => markets.length === 3 && markets[0]?.acceptingOrders === true,
    );
    const market = event?.markets[1];
    if (!event || !market) throw new Error('no event with three markets');
    const states = async () => marketsOf((await named(event.slug)).batch).map((one) => one.state);
    expect(await states()).toEqual(['trading', 'trading', 'trading']);
    inject({ fault: 'null_flags', slug: market.slug });
    const { batch } = await named(event.slug);
    expect(marketsOf(batch).map((one) => [one.state, one.payout])).toEqual([
      ['trading', null],
      ['paused', null],
      ['trading', null],
    ]);
    expect(batch.rejected.map((row) => [row.native_id, row.code, row.detail])).toEqual([
      [
        market.conditionId,
        'market.unknown_flag',
        'The venue does not state closed, acceptingOrders, enableOrderBook, so the market does not count as trading.',
      ],
    ]);
  });

  it('keep and count a delay that no document names, and do not take it as the delay of the market', async () => {
    const event = (await openEvents()).find(({ markets }) => markets[0]?.secondsDelay === undefined);
    const slug = event?.markets[0]?.slug;
    if (!event || !slug) throw new Error('no market without a delay');
    inject({ fault: 'new_delay', slug });
    const { batch, unknown } = await named(event.slug);
    const [market] = marketsOf(batch);
    expect(market).toMatchObject({ match_delay_seconds: null, payload: { matchDelayMs: 150 } });
    expect(unknown).toContain('market.field:matchDelayMs');
  });
});

describe('results of v2 markets of venue_b', () => {
  let closed: RawEvent[];
  const listed = async (reader: ResolutionReader) => {
    const { resolutions, rejected } = await run(reader.read(closed));
    const batch = listVenueB(closed, {
      now: now(),
      recorded: false,
      questionsOf: () => ({ questions: [], rejected: [] }),
      resolutions,
    });
    const v2 = new Set(
      closed.flatMap(({ markets }) => markets).flatMap((one) => (one.version === 'v2' ? [one.conditionId] : [])),
    );
    const all = marketsOf(batch);
    return {
      v2: all.filter((market) => v2.has(market.market_id)),
      v1: all.filter((market) => !v2.has(market.market_id)),
      rejected: [...batch.rejected, ...rejected],
      conditions: v2,
    };
  };

  beforeAll(async () => {
    closed = [];
    const rest = restOf();
    const day = (days: number) => new Date(venues.time.now() - days * 86_400_000).toISOString();
    const span = { endFrom: day(120), endUntil: day(5), limit: 100 };
    // Fights are often canceled and tennis often ends in a walkover, which venue_b settles 50-50.
    for (const tagSlug of ['ufc', 'tennis']) {
      let cursor: string | null = null;
      let left = 600;
      do {
        const page: EventPage = await run(rest.settledEvents({ ...span, tagSlug, cursor }));
        closed.push(...(page.events as RawEvent[]));
        cursor = page.cursor;
        left -= page.events.length;
      } while (cursor !== null && left > 0);
    }
    expect(asked[0]?.searchParams.get('closed')).toBe('true');
  });

  it('are their resolution rows, 50-50 included, though their UMA fields are empty', async () => {
    const { v2, rejected } = await listed(new ResolutionReader(restOf(), venues.time.now));
    expect([rejected, v2.filter((market) => market.state !== 'final' || market.settled_at === null)]).toEqual([[], []]);
    expect(new Set(v2.map((market) => market.payout))).toEqual(new Set(['0', '0.5', '1']));
    const raw = new Map(closed.flatMap(({ markets }) => markets).map((one) => [one.conditionId, one]));
    for (const { market_id, payout } of v2) {
      expect(raw.get(market_id)?.umaResolutionStatus).toBeUndefined();
      expect(Number((JSON.parse(String(raw.get(market_id)?.outcomePrices)) as string[])[0])).toBe(Number(payout));
    }
  });

  it('are asked for with conditions of 32 bytes, twenty at a time, and once', async () => {
    const reader = new ResolutionReader(restOf(), venues.time.now);
    const { conditions } = await listed(reader);
    const lists = asked.map((url) => (url.searchParams.get('condition') ?? '').split(','));
    expect(lists.map((list) => list.length)).toEqual([
      ...Array.from({ length: Math.floor(conditions.size / 20) }, () => 20),
      ...(conditions.size % 20 === 0 ? [] : [conditions.size % 20]),
    ]);
    expect(lists.flat().every((one) => /^0x[0-9a-f]{64}$/.test(one))).toBe(true);
    const short = [...conditions][0] ?? '';
    expect(short).toMatch(/^0x[0-9a-f]{62}$/);
    const refused = await venues.runtime.fetch(`${venues.addresses.venue_b.data}/v2/resolutions?condition=${short}`);
    expect(refused.status).toBe(400);
    asked = [];
    await listed(reader);
    expect(asked).toEqual([]);
  });

  it('stay open without a row: prices of a closed v2 market are no payout', async () => {
    inject({ fault: 'no_resolution', for_ms: 60_000 });
    const { v2, v1 } = await listed(new ResolutionReader(restOf(), venues.time.now));
    expect(new Set(v2.map((market) => [market.state, market.payout].join()))).toEqual(new Set(['closed,']));
    expect(new Set(v1.map((market) => market.state))).toEqual(new Set(['final']));
    inject({ fault: 'no_resolution', for_ms: 0 });
  });

  it('leave the stored state alone when the data API fails, and delay no other market', async () => {
    inject({ fault: 'no_resolution', how: '503', for_ms: 60_000 });
    const { v2, v1, rejected, conditions } = await listed(new ResolutionReader(restOf(), venues.time.now));
    expect([v2, new Set(v1.map((market) => market.state))]).toEqual([[], new Set(['final'])]);
    expect(rejected.map((row) => row.native_id).sort()).toEqual([...conditions].sort());
    expect(new Set(rejected.map((row) => row.code))).toEqual(new Set(['market.resolution_unread']));
    inject({ fault: 'no_resolution', for_ms: 0 });
  });
});

describe('all sockets of venue_b together', () => {
  const started: FeedFixture[] = [];
  const start = async (count: number, options: FeedBOptions = {}) => {
    const tokens = [
      ...new Set(venues.truth.pairs.flatMap(({ outcomes }) => outcomes).map((leg) => leg.token_id)),
    ].slice(-count);
    const fixture = await venues.startB(tokens, { quietMs: 60_000, ...options });
    started.push(fixture);
    return fixture;
  };
  const untilValid = (one: FeedFixture) => until(one.allValid, 'all books valid');
  beforeEach(() => {
    venues = new VirtualVenues({ rate: 6 });
  });
  afterEach(async () => {
    for (const { feed } of started.splice(0)) await run(feed.stop());
  });

  it.each([
    [1, 300],
    [2, 600],
  ])(
    'make every book wait for the answer of REST when they end (%i connection, %i books)',
    async (connections, count) => {
      let answer = () => {};
      let isHeld = false;
      const held = new Promise<void>((resolve) => {
        answer = resolve;
      });
      const rest = restOf(() => (isHeld ? held : undefined));
      const one = await start(count, { rest });
      expect(one.contracts).toHaveLength(count);
      isHeld = true;
      inject({ fault: 'all_cut' });
      expect(await until(() => one.validCount() === 0, 'no valid book')).toBe(0);
      // The sockets have sent every book again, and REST none.
      const allUnconfirmed = () => one.invalidWith('venue.disconnected').length === count;
      const random = seededRandom('jitter');
      const waits = Array.from({ length: connections }, () => backoffDelay(0, 200, 15_000, random));
      expect(await until(allUnconfirmed, 'unconfirmed books')).toBe(Math.max(...waits));
      await venues.time.advance(1_000);
      expect(one.validCount()).toBe(0);
      isHeld = false;
      answer();
      expect(await untilValid(one)).toBe(0);
      const lines = one.runtime.lines.filter((line) => line.includes('all books are'));
      expect(lines).toEqual([
        'venue_b: venue.disconnected: all books are invalid until they are read again',
        'venue_b: the venue sends again, all books are read over REST',
      ]);
    },
  );

  it('leave the books of the others valid when one of two ends, and need no answer of REST', async () => {
    const one = await start(600);
    inject({ fault: 'cut', venue: 'b' });
    expect(await until(() => one.invalidWith('feed.disconnected').length > 0, 'a lost connection')).toBe(0);
    // The connections have 400 and 200 books.
    expect(one.validCount()).toBe(400);
    expect(await untilValid(one)).toBe(handshakesAfterLoss(1)[0]);
    expect(one.reasons).not.toContain('venue.disconnected');
  });

  it('invalidate every book when they send nothing, though REST goes on answering, until one sends', async () => {
    const startsAt = venues.time.now();
    const one = await start(600, { silenceMs: 2_000 });
    await until(() => one.reasons.length > 200, 'changes');
    const [changedAt, silentAt] = [venues.frames.at(-1)?.at ?? 0, venues.time.now()];
    inject({ fault: 'all_silent', for_ms: 12_000 });
    await until(() => one.validCount() === 0, 'no valid book');
    /** The first run of the feed's timer of 0.2 s from then on. */
    const timerAt = (at: number) => startsAt + Math.ceil((at - startsAt) / 200) * 200;
    expect(venues.time.now()).toBe(timerAt(changedAt + 2_000));
    expect(one.reasons).toContain('venue.silent');
    expect(one.feed.detail).toBe('websocket, all connections are silent');
    expect(await run(restOf().books(one.contracts.slice(0, 100)))).toHaveLength(100);
    const before = venues.frames.length;
    await untilValid(one);
    // REST went on answering for ten seconds. The first change makes the feed read the books.
    const change = venues.frames.slice(before).find(({ text }) => text.includes('"price_change"'));
    expect(change?.at).toBeGreaterThanOrEqual(silentAt + 12_000);
    expect(venues.time.now()).toBe(timerAt(change?.at ?? 0));
  });
});

const RECORDED = resolve(import.meta.dirname, '../../../shared/data/recorded/venue_b/arb_engine_2026-09');
if (!existsSync(RECORDED)) console.log(`recorded v1 markets are skipped: there is no ${RECORDED}`);

describe.skipIf(!existsSync(RECORDED))('recorded v1 markets of venue_b with position ids', () => {
  it.each(['pm_event_nfl-car-atl-2026-09-20.json', 'pm_market_nfl-phi-ten-2026-09-20.json'])(
    '%s: the contracts are the token ids',
    (name) => {
      const raw = JSON.parse(readFileSync(`${RECORDED}/${name}`, 'utf8')) as RawEvent[] | RawMarket[];
      const markets = name.startsWith('pm_market')
        ? (raw as RawMarket[])
        : (raw as RawEvent[]).flatMap((one) => one.markets);
      const batch = listVenueB([{ slug: 'e', title: 'E', markets }], {
        now: '2026-09-16T00:00:00.000Z',
        recorded: false,
        questionsOf: () => ({ questions: [], rejected: [] }),
      });
      expect(batch.rejected).toEqual([]);
      expect(markets.every((one) => one.version === 'v1' && one.positionIds.length === 2)).toBe(true);
      expect(marketsOf(batch).map((one) => one.contracts.map((contract) => contract.contract_id))).toEqual(
        markets.map(clobTokensOf),
      );
    },
  );
});
