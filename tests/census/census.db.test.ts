import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { organization, rpc } from '../account/support/people.ts';
import { stopClock } from '../api/support/catalog.ts';
import { type ApiFixture, createApiFixture } from '../api/support/fixture.ts';
import type { TestDatabase } from '../support/database.ts';

let world: ApiFixture;
let db: TestDatabase;
let key: string;
beforeAll(async () => {
  world = await createApiFixture();
  db = world.db;
  key = await world.key();
  await db.sql`truncate catalog.pairs, catalog.outcomes, catalog.strikes, price.snapshot_rows`;
});
afterAll(() => world.close());

type Listing = {
  venue?: 'venue_a' | 'venue_b';
  series?: string;
  state?: string;
  family?: string | null;
  excluded?: string | null;
  sport?: string | null;
  competition?: string | null;
  volume?: string | null;
  /** The id of a second question of the event. */
  also?: string;
};

/** Lists an event with one market and, unless `family` is null, one question. */
async function list(id: string, listing: Listing): Promise<void> {
  const { venue = 'venue_a', series = 'KXS', state = 'trading', family = 'moneyline', excluded = null } = listing;
  const { sport = 'hockey', competition = 'NHL', volume = null, also } = listing;
  const idOf = (question: string) => ({ question_id: `${venue}:${question}`, key: `key ${question}` });
  const question = {
    ...idOf(id),
    family,
    category: 'sports',
    sport,
    competition,
    title: id,
    exclusive: true,
    excluded,
    identity: {},
    terms: {},
    legs: [],
  };
  const event = {
    event_id: id,
    series_id: venue === 'venue_a' ? series : null,
    title: id,
    volume,
    payload: {},
    markets: [{ market_id: `M-${id}`, state, payload: {}, contracts: [] }],
    questions:
      family === null
        ? []
        : also === undefined
          ? [question]
          : [question, { ...question, ...idOf(also), family: 'total' }],
  };
  await db.sql`select venue.upsert_listings(${venue}, null, ${db.sql.json({ events: [event], rejected: [] })})`;
}

const listSeries = (...ids: string[]) =>
  db.sql`select venue.upsert_series('venue_a', ${db.sql.json(ids.map((series_id) => ({ series_id, payload: {} })))})`;

/** Inserts the pair of these two listings as the match pass would. */
async function pair(
  a: string,
  b: string,
  fields: { stage?: string; status?: string; signal?: string } = {},
): Promise<void> {
  const { signal = 'participants' } = fields;
  const signals = [{ signal, state: 'text', about: 'entity', weight: 0.1 }];
  await db.sql`
    insert into catalog.assessments (assessment_id, signals, risks)
    values (${signal}, ${db.sql.json(signals)}, '[]') on conflict do nothing`;
  await db.sql`
    insert into catalog.pairs (
      pair_id, question_a, question_b, key, market_type, stage, band, entity_confidence, resolution_confidence, assessment_id, rule_id,
      input_hash, category, title, start_time, has_scheduled_start, status, event_a, event_b, shard_key, created_at, updated_at
    )
    values (
      gen_random_uuid(), ${`venue_a:${a}`}, ${`venue_b:${b}`}, 'k', 'moneyline', ${fields.stage ?? 'catalog'}, 'EXACT', 1, 1, ${signal},
      'rule', 'r', 'sports', ${a}, '2026-11-21Z', true, ${fields.status ?? 'open'}, ${a}, ${b}, 1, '2026-11-20Z', '2026-11-20Z'
    )`;
}

/** Marks a complete sweep of both venues and a match pass. */
async function finishSweeps(): Promise<void> {
  await db.sql`
    insert into venue.sweeps (venue, sweep, finished_at) values ('venue_a', 2, '2026-11-20Z'), ('venue_b', 2, '2026-11-20Z')
    on conflict (venue) do update set sweep = 2`;
  await db.sql`insert into catalog.match_passes (started_at, finished_at) values ('2026-11-20T11:58:00Z', '2026-11-20T11:58:01Z')`;
}

const refresh = async () => (await db.sql<{ n: string | null }[]>`select census.rebuild_if_due() as n`)[0]?.n;
const coverage = (headers = {}) => world.get('/v2/coverage', key, headers);
type Row = Record<string, unknown>;
const row = (body: { series: Row[] }, ticker: string) => body.series.find((one) => one.series_ticker === ticker);

describe('before the first census', () => {
  test('the response is empty and has as_of = null', async () => {
    const answer = await coverage();
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({
      as_of: null,
      counts: { aggregated: 0, pending: 0, quiet: 0, venue_a_only: 0, dormant: 0 },
      series: [],
      venue_b_unpaired: [],
      events_by_series_count: 0,
      events_by_series: [],
      reasons: {},
      events_by_week: [],
    });
  });

  // With half of the listings, series would count as dormant.
  test('no census is taken until both venues were swept in full and matched', async () => {
    expect(await refresh()).toBeNull();
    await db.sql`insert into venue.sweeps (venue, sweep, finished_at) values ('venue_a', 1, '2026-11-20Z'), ('venue_b', 1, null)`;
    await db.sql`insert into catalog.match_passes (started_at, finished_at) values ('2026-11-20Z', '2026-11-20Z')`;
    expect(await refresh()).toBeNull();
  });
});

describe('the census', () => {
  test('distinguishes the five states of a series', async () => {
    await listSeries('KXDORMANT', 'KXOVER');
    await list('A-PAIRED', { series: 'KXPAIRED', volume: '12345678901234.56', also: 'A-TOTAL' });
    await list('A-PAIRED-2', { series: 'KXPAIRED', volume: '0.005' });
    await list('B-PAIRED', { venue: 'venue_b', volume: '40760.82821500001', also: 'B-TOTAL' });
    await pair('A-PAIRED', 'B-PAIRED');
    await list('A-PENDING', { series: 'KXPENDING', sport: 'soccer', competition: 'EPL' });
    await list('A-CANDIDATE', { series: 'KXCANDIDATE' });
    await list('B-CANDIDATE', { venue: 'venue_b' });
    await pair('A-CANDIDATE', 'B-CANDIDATE', { stage: 'candidate' });
    for (const signal of ['unconfirmed_league', 'unconfirmed_name']) {
      await list(`A-${signal}`, { series: 'KXCANDIDATE', volume: '0.5' });
      await list(`B-${signal}`, { venue: 'venue_b', family: 'total' });
      await pair(`A-${signal}`, `B-${signal}`, { stage: 'candidate', signal });
    }
    // A second question of two paired events. They have a published pair, so they wait for nothing.
    await pair('A-TOTAL', 'B-TOTAL', { stage: 'candidate', signal: 'unconfirmed_name' });
    await list('A-SEAT', { series: 'KXSEAT', excluded: 'placeholder' });
    await list('A-QUIET', { series: 'KXQUIET', state: 'final' });
    await list('A-SETTLED', { series: 'KXSETTLED', state: 'final' });
    await list('B-SETTLED', { venue: 'venue_b', state: 'final' });
    await pair('A-SETTLED', 'B-SETTLED', { status: 'settled' });
    await list('A-UNREAD', { series: 'KXUNREAD', family: null });
    await list('A-ALIAS', { series: 'KXALIAS', excluded: 'unknown_alias' });
    await list('A-HALF', { series: 'KXHALF', excluded: 'part_of_game' });
    await list('A-OVER', { series: 'KXOVER', family: null, state: 'final' });
    await list('B-ALONE', { venue: 'venue_b', sport: 'soccer' });
    await list('B-LINE', { venue: 'venue_b', sport: 'soccer', family: 'total' });
    await list('B-UNREAD', { venue: 'venue_b', sport: 'soccer', excluded: 'unknown_alias' });
    await finishSweeps();
    expect(await refresh()).toBe('1');
    const body = await (await coverage()).json();
    const states = Object.fromEntries(body.series.map((one: Row) => [one.series_ticker, one.status]));
    expect(states).toEqual({
      KXALIAS: 'venue_a_only',
      KXCANDIDATE: 'pending',
      KXDORMANT: 'dormant',
      KXHALF: 'venue_a_only',
      KXOVER: 'dormant',
      KXPAIRED: 'aggregated',
      KXPENDING: 'pending',
      KXQUIET: 'quiet',
      KXSEAT: 'pending',
      KXSETTLED: 'quiet',
      KXUNREAD: 'venue_a_only',
    });
    expect(body.counts).toEqual({ aggregated: 1, pending: 3, quiet: 2, venue_a_only: 3, dormant: 2 });
    expect(body.as_of).toBe('2026-11-20T12:00:00.000Z');
    expect(row(body, 'KXPAIRED')).toEqual({
      series_ticker: 'KXPAIRED',
      league: 'NHL',
      sport: 'hockey',
      wired: true,
      status: 'aggregated',
      venue_a_open_events: 2,
      paired: 1,
      sport_venue_b_fixtures: 2,
      last_pass_at: '2026-11-20T11:58:01.000Z',
    });
    expect(row(body, 'KXDORMANT')).toEqual({
      series_ticker: 'KXDORMANT',
      league: null,
      sport: null,
      wired: false,
      status: 'dormant',
      venue_a_open_events: 0,
      paired: 0,
      sport_venue_b_fixtures: 0,
      last_pass_at: null,
    });
    // A candidate is not a pair. Lines, games without a question and ended games are no fixtures.
    expect(body.venue_b_unpaired).toEqual([
      { sport: 'hockey', fixtures: 2, paired: 1, unpaired: 1 },
      { sport: 'soccer', fixtures: 1, paired: 0, unpaired: 1 },
    ]);
  });

  test('counts every event of both venues in exactly one state', async () => {
    const body = await (await coverage()).json();
    const counts = { paired: 0, candidate: 0, waiting: 0, unpaired: {}, unread: {}, volume: null };
    const none = { tag: null, category: 'sports', sport: 'hockey', ...counts };
    const one = (series: string, fields: Row) => ({ ...none, venue: 'venue_a', series, events: 1, ...fields });
    expect(body.events_by_series).toEqual([
      one('KXALIAS', { unpaired: { unknown_alias: 1 } }),
      one('KXCANDIDATE', {
        events: 3,
        candidate: 3,
        waiting: 2,
        volume: { amount: 1, unit: 'contracts', events: 2 },
      }),
      one('KXHALF', { unpaired: { part_of_game: 1 } }),
      one('KXOVER', { category: null, sport: null, unread: { markets_closed: 1 } }),
      one('KXPAIRED', {
        events: 2,
        paired: 1,
        unpaired: { no_counterpart: 1 },
        volume: { amount: 12345678901234.57, unit: 'contracts', events: 2 },
      }),
      one('KXPENDING', { sport: 'soccer', unpaired: { no_counterpart: 1 } }),
      one('KXQUIET', { unpaired: { no_counterpart: 1 } }),
      one('KXSEAT', { unpaired: { placeholder: 1 } }),
      one('KXSETTLED', { paired: 1 }),
      one('KXUNREAD', { category: null, sport: null, unread: { no_parser: 1 } }),
      {
        ...none,
        venue: 'venue_b',
        series: null,
        // Hockey and soccer.
        sport: null,
        events: 8,
        paired: 2,
        candidate: 3,
        waiting: 2,
        volume: { amount: 40760.83, unit: 'usd', events: 1 },
        unpaired: { no_counterpart: 2, unknown_alias: 1 },
      },
    ]);
    expect(body.events_by_series_count).toBe(11);
    const codes = body.events_by_series.flatMap((one: Record<string, object>) =>
      Object.keys({ ...one.unpaired, ...one.unread }),
    );
    expect(Object.keys(body.reasons)).toEqual([...new Set(codes)].sort());
    expect(body.reasons).toMatchObject({
      no_counterpart: 'The other venue lists no question with the same key.',
      no_parser: 'No parser made a question of any event of this series.',
    });
    const [stored] = await db.sql<{ n: number }[]>`select count(*)::integer as n from venue.events`;
    const counted = body.events_by_week.flatMap((w: Record<string, number>) => [w.paired, w.candidate, w.other]);
    expect(counted.reduce((sum: number, n: number) => sum + n, 0)).toBe(stored?.n);
  });

  test('returns the census to a member, without the lists that its page does not show', async () => {
    const {
      counts: _counts,
      series: _series,
      venue_b_unpaired: _unpaired,
      ...events
    } = await (await coverage()).json();
    const { owner } = await organization(db.sql);
    expect(await rpc(db.sql, owner, 'read_coverage()')).toEqual(events);
  });

  test('counts events by category and ISO week of their start, and bounds the weeks', async () => {
    const starts = ['2026-11-15T23:59:59Z', '2026-11-16T00:00:00Z', '2026-09-20T23:59Z', '2027-05-24T00:00Z'];
    await db.sql`
      insert into venue.events (
        venue, event_id, series_id, title, start_at, payload, payload_hash, first_seen_at, seen_at, changed_at
      )
      select 'venue_a', 'WEEK-' || n, 'KXWEEK', 'x', start_at, '{}', '', '2026-11-20Z', '2026-11-20Z', '2026-11-20Z'
      from unnest(${starts}::timestamptz[]) with ordinality s(start_at, n)`;
    await db.sql`
      select venue.upsert_series('venue_a', ${db.sql.json([{ series_id: 'KXWEEK', category: 'Climate and Weather', payload: {} }])})`;
    await db.sql`
      select venue.record_rejected_rows('venue_b', ${db.sql.json([
        {
          kind: 'event',
          native_id: 'whole',
          code: 'event.wrong_type',
          detail: 'x',
          payload: { series: [{ slug: 'nhl' }] },
        },
        { kind: 'event', native_id: 'B-ALONE', code: 'event.wrong_type', detail: 'x', payload: {} },
        { kind: 'event', native_id: 'a-milestone', code: 'milestone.wrong_type', detail: 'x', payload: {} },
      ])})`;
    await db.sql`select census.rebuild()`;
    const body = await (await coverage()).json();
    const weeks = body.events_by_week.filter((one: Row) => one.category === 'climate_and_weather');
    expect(weeks).toEqual(
      ['2026-W46', '2026-W47', 'earlier', 'later'].map((week) => ({
        category: 'climate_and_weather',
        week,
        paired: 0,
        candidate: 0,
        other: 1,
      })),
    );
    expect(body.events_by_series.filter((one: Row) => one.series === 'KXWEEK' || one.series === 'nhl')).toMatchObject([
      { venue: 'venue_a', events: 4, unread: { no_market: 4 } },
      { venue: 'venue_b', events: 1, unread: { 'event.wrong_type': 1 } },
    ]);
    await db.sql`delete from venue.events where series_id = 'KXWEEK'`;
    await db.sql`delete from venue.series where series_id = 'KXWEEK'`;
    await db.sql`delete from venue.rejected_rows`;
    await db.sql`delete from census.series where series_id = 'KXWEEK'`;
    await db.sql`update census.reports set report_no = 1`;
  });

  test('is taken once an hour of market time, and its ETag changes only then', async () => {
    const tag = (await coverage()).headers.get('ETag') ?? '';
    await list('A-NEW', { series: 'KXNEW' });
    await world.clock.set('2026-11-20T12:59:00Z');
    expect(await refresh()).toBeNull();
    expect((await coverage({ 'If-None-Match': tag })).status).toBe(304);
    await world.clock.set('2026-11-20T13:00:00Z');
    expect(await refresh()).toBe('2');
    const next = await coverage({ 'If-None-Match': tag });
    expect(next.status).toBe(200);
    expect(row(await next.json(), 'KXNEW')).toMatchObject({ status: 'pending' });
    await stopClock(db.sql, '2026-11-19T13:00:00Z');
    expect(await refresh()).toBe('3');
  });

  test('keeps a supported series quiet and not dormant after its listings are purged', async () => {
    await db.sql`delete from venue.events where series_id in ('KXQUIET', 'KXPENDING')`;
    await db.sql`select census.rebuild()`;
    const body = await (await coverage()).json();
    expect(row(body, 'KXQUIET')).toMatchObject({ status: 'quiet', wired: true, league: 'NHL' });
    expect(row(body, 'KXPENDING')).toMatchObject({ status: 'quiet', wired: true, sport: 'soccer' });
  });

  test('returns thousands of series ordered by ticker, with less than 200 characters each', async () => {
    await listSeries(...Array.from({ length: 4000 }, (_, i) => `KXSERIES${i}`));
    await db.sql`select census.rebuild()`;
    const text = await (await coverage()).text();
    const tickers = JSON.parse(text).series.map((one: Row) => one.series_ticker);
    expect(tickers.length).toBeGreaterThan(4000);
    expect(tickers).toEqual([...tickers].sort());
    expect(text.length / tickers.length).toBeLessThan(200);
  });

  test('lists at most 4,000 series with events, and the number of all of them', async () => {
    await db.sql`
      insert into venue.events (
        venue, event_id, series_id, title, payload, payload_hash, first_seen_at, seen_at, changed_at
      )
      select 'venue_a', 'MANY-' || n, 'KXSERIES' || n, 'x', '{}', '', '2026-11-20Z', '2026-11-20Z', '2026-11-20Z'
      from generate_series(1, 5000) n`;
    await db.sql`select census.rebuild()`;
    const body = await (await coverage()).json();
    expect(body.events_by_series).toHaveLength(4000);
    expect(body.events_by_series_count).toBeGreaterThan(5000);
  });

  test('cannot be taken by anon, parallax_api or parallax_ingest', async () => {
    for (const role of ['anon', 'parallax_api', 'parallax_ingest']) {
      const [may] = await db.sql`select has_function_privilege(${role}, 'census.rebuild()', 'execute') as may`;
      expect(may?.may).toBe(false);
    }
  });
});

describe('the volume of an event', () => {
  const stored = async (id: string) =>
    (await db.sql`select volume, payload_hash, changed_at from venue.events where event_id = ${id}`)[0];

  test('changes without a change of the listing, also to unknown', async () => {
    await list('A-VOLUME', { series: 'KXVOLUME', volume: '12.34' });
    const before = await stored('A-VOLUME');
    await world.clock.set('2026-11-20T20:00:00Z');
    await list('A-VOLUME', { series: 'KXVOLUME', volume: '99999999999999.990000000001' });
    expect(await stored('A-VOLUME')).toEqual({ ...before, volume: '99999999999999.990000000001' });
    await list('A-VOLUME', { series: 'KXVOLUME' });
    expect(await stored('A-VOLUME')).toEqual({ ...before, volume: null });
  });

  test.each(['-1', 'NaN', 'Infinity', '1e300', '1000000000000000'])(
    'is unknown where a batch has %s, and the event is stored',
    async (volume) => {
      await list(`A-${volume}`, { series: 'KXVOLUME', volume });
      expect(await stored(`A-${volume}`)).toMatchObject({ volume: null });
    },
  );
});
