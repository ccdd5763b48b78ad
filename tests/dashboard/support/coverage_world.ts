import type { Sql } from '../../../local/platform/postgres/template.ts';
import { organization, rpc } from '../../account/support/people.ts';
import { stopClock } from '../../api/support/catalog.ts';
import { createDatabase } from '../../support/database.ts';
import type { StubApi } from './stub_api.ts';

export const hostileName = '\u202e<img src=x onerror="window.pwned = 1"><b>bold</b> '.repeat(4);

/** Events of one series. The rest of `events` has no question. */
type Group = {
  venue: 'venue_a' | 'venue_b';
  series: string | null;
  tag?: string;
  /** The category of the series, as venue_a names it. */
  named?: string;
  category?: string;
  sport?: string;
  events: number;
  paired?: number;
  candidate?: number;
  waiting?: number;
  /** Events by the code of their question. */
  excluded?: Record<string, number>;
  /** Volume of each event; null: the venue states none. */
  volume?: number | null;
};

const football = { category: 'sports', sport: 'football' };
const hockey = { category: 'sports', sport: 'hockey' };
const groups: Group[] = [
  {
    venue: 'venue_a',
    series: 'KXNFLGAME',
    ...football,
    events: 96,
    paired: 84,
    candidate: 4,
    excluded: { no_counterpart: 8 },
    volume: 81_234.5,
  },
  {
    venue: 'venue_b',
    series: 'nfl',
    ...football,
    events: 96,
    paired: 84,
    candidate: 4,
    excluded: { placeholder: 8 },
    volume: 402_111.27,
  },
  {
    venue: 'venue_a',
    series: 'KXNHLGAME',
    ...hockey,
    events: 120,
    paired: 96,
    excluded: { no_counterpart: 20, contradictory: 4 },
    volume: 9_100,
  },
  {
    venue: 'venue_b',
    series: 'nhl',
    ...hockey,
    events: 110,
    paired: 96,
    excluded: { ambiguous_alias: 14 },
    volume: 55_000,
  },
  {
    venue: 'venue_a',
    series: 'KXSHLGAME',
    ...hockey,
    events: 24,
    candidate: 18,
    waiting: 18,
    excluded: { unknown_alias: 6 },
    volume: 120.25,
  },
  {
    venue: 'venue_b',
    series: 'swedish-hockey',
    ...hockey,
    events: 22,
    candidate: 18,
    waiting: 18,
    excluded: { unknown_alias: 4 },
    volume: 900,
  },
  {
    venue: 'venue_a',
    series: 'KXHIGHNY',
    named: 'Climate and Weather',
    category: 'weather',
    events: 40,
    paired: 12,
    excluded: { other_measure: 10 },
    volume: 3_000,
  },
  {
    venue: 'venue_b',
    series: null,
    tag: 'weather',
    category: 'weather',
    events: 30,
    paired: 12,
    excluded: { no_counterpart: 18 },
    volume: 700,
  },
  {
    venue: 'venue_a',
    series: 'KXBTCD',
    category: 'crypto',
    events: 70,
    paired: 1,
    excluded: { other_hour: 60 },
    volume: 45_210,
  },
  {
    venue: 'venue_b',
    series: 'btc-hourly',
    category: 'crypto',
    events: 50,
    paired: 1,
    excluded: { legs_differ: 9 },
    volume: null,
  },
  { venue: 'venue_a', series: 'KXMENTION', named: 'Mentions', events: 210, volume: 18.75 },
  { venue: 'venue_a', series: 'KXELECTION', named: 'Politics', events: 33, volume: 1_234_567.89 },
  { venue: 'venue_b', series: null, tag: 'politics', events: 61, volume: 9_876_543.21 },
  { venue: 'venue_b', series: null, tag: hostileName, events: 3, volume: null },
];

/** Inserts the events of these groups with one market, and their questions and pairs. */
async function putGroups(sql: Sql, rows: readonly Group[]): Promise<void> {
  const listed = rows.flatMap((group, number) => {
    const excluded = Object.entries(group.excluded ?? {}).flatMap(([code, many]) => Array<string>(many).fill(code));
    const { paired = 0, candidate = 0 } = group;
    return Array.from({ length: group.events }, (_, at) => ({
      ...group,
      event_id: `E${number}-${at}`,
      // From 7 weeks before the census to 12 after it, and some without a start.
      days: at % 19 === 18 ? null : ((at * 37 + number * 5) % 133) - 49,
      kind:
        at < paired
          ? 'paired'
          : at < paired + candidate
            ? 'candidate'
            : at < paired + candidate + excluded.length
              ? 'unpaired'
              : 'unread',
      code: excluded[at - paired - candidate] ?? null,
      waits: at >= paired && at - paired < (group.waiting ?? 0),
    }));
  });
  await sql`
    insert into venue.series (venue, series_id, category, payload, seen_at)
    select distinct on (series) 'venue_a', series, named, '{}'::jsonb, now()
    from jsonb_to_recordset(${sql.json(rows)}) g(venue text, series text, named text) where venue = 'venue_a'`;
  await sql`create temporary table listed as
    select * from jsonb_to_recordset(${sql.json(listed)}) g(
      venue text, series text, tag text, category text, sport text, volume numeric, event_id text, days int, kind text, code text, waits boolean
    )`;
  await sql`
    insert into venue.events (venue, event_id, series_id, title, start_at, volume, payload, payload_hash, first_seen_at, seen_at, changed_at)
    select venue, event_id, series, event_id, timestamptz '2026-11-20T12:00Z' + days * interval '1 day', volume,
           jsonb_build_object('tags', jsonb_build_array(jsonb_build_object('slug', tag))), '', now(), now(), now()
    from listed`;
  await sql`
    insert into venue.markets (venue, market_id, event_id, state, payload, payload_hash, seen_at, changed_at)
    select venue, 'M' || event_id, event_id, 'trading', '{}', '', now(), now() from listed`;
  await sql`
    insert into venue.questions (
      question_id, venue, event_id, family, key, category, sport, title, exclusive, excluded_reason, identity, terms, content_hash, changed_at
    )
    select venue || ':' || event_id, venue, event_id, 'moneyline', event_id, coalesce(category, 'other'), sport, event_id, true, code,
           '{}', '{}', '', now()
    from listed where kind <> 'unread'`;
  await putPairs(sql);
}

/** Pairs the n-th paired event of venue_a with that of venue_b, and likewise the candidates. */
async function putPairs(sql: Sql): Promise<void> {
  await sql`
    insert into catalog.assessments (assessment_id, signals, risks)
    values ('plain', '[]', '[]'), ('waits', '[{"signal": "unconfirmed_league", "state": "text"}]', '[]')`;
  await sql`
    with sides as (
      select *, row_number() over (partition by venue, kind, waits order by event_id) as n
      from listed where kind in ('paired', 'candidate')
    )
    insert into catalog.pairs (
      pair_id, question_a, question_b, key, market_type, stage, band, entity_confidence, resolution_confidence, assessment_id, rule_id,
      input_hash, category, title, start_time, has_scheduled_start, status, event_a, event_b, shard_key, created_at, updated_at
    )
    select gen_random_uuid(), 'venue_a:' || a.event_id, 'venue_b:' || b.event_id, a.event_id, 'moneyline',
           case a.kind when 'paired' then 'catalog' else 'candidate' end, 'EXACT', 1, 1, case when a.waits then 'waits' else 'plain' end,
           'rule', 'r', 'sports', a.event_id, now(), true, 'open', a.event_id, b.event_id, 1, now(), now()
    from sides a join sides b on b.venue = 'venue_b' and (b.kind, b.waits, b.n) = (a.kind, a.waits, a.n)
    where a.venue = 'venue_a'`;
}

/**
 * The result of read_coverage, from the functions in sql/ over a database with these events, as an
 * answer of the stub. `more`: further series without a parser, one event each.
 */
export async function coverageAnswers(more = 0): Promise<StubApi['answers']> {
  const db = await createDatabase();
  try {
    const { owner } = await organization(db.sql);
    const others = Array.from(
      { length: more },
      (_, at): Group => ({ venue: 'venue_a', series: `KXMANY${at}`, named: 'Other', events: 1 }),
    );
    await db.sql.begin((sql) => putGroups(sql as unknown as Sql, [...groups, ...others]));
    await stopClock(db.sql, '2026-11-20T12:00:00Z');
    await db.sql`select census.rebuild()`;
    return { read_coverage: await rpc<never>(db.sql, owner, 'read_coverage()') };
  } finally {
    await db.close();
  }
}

/** The response before the first census. */
export async function noCensus(): Promise<StubApi['answers']> {
  const db = await createDatabase();
  try {
    const { owner } = await organization(db.sql);
    return { read_coverage: await rpc<never>(db.sql, owner, 'read_coverage()') };
  } finally {
    await db.close();
  }
}
