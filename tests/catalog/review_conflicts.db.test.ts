import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { AliasOverlay } from '../../functions/ingest/alias_overlay.ts';
import { connect, IngestQueries } from '../../functions/ingest/database.ts';
import { applyLeagues } from '../../functions/ingest/identity/names/registry.ts';
import { parsers } from '../../functions/ingest/parsers.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { runMatchPass } from './listings.ts';
import { eventB, type ListingA, type ListingB, pairListings, winnerA, winnerB } from './sports_listings.ts';

/**
 * Guarantee: decisions that contradict each other are refused with a code, two leagues with the
 * same club names stay apart, and a confirmed list of runners is the only one that changes.
 */

const NOW = '2026-08-01T12:00:00Z';
const START = '2026-08-09T19:15:00Z';
let database: TestDatabase;
let queries: IngestQueries;
let overlay: AliasOverlay;
beforeEach(async () => {
  await queries?.end();
  await database?.close();
  applyLeagues(0, []);
  database = await createDatabase();
  queries = new IngestQueries(connect(database.url('parallax_ingest'), () => {}));
  overlay = new AliasOverlay({ queries, parsers: async () => parsers, log: () => {} });
  await database.sql`insert into clock.segments (real_from, market_from, rate) values ('2020-01-01', ${NOW}, 0)`;
});
afterAll(async () => {
  applyLeagues(0, []);
  await queries?.end();
  await database?.close();
});

const gameA = (series: string, names: [string, string], start = START): ListingA =>
  winnerA(
    series,
    start.slice(0, 10),
    names.map((name) => name.slice(0, 3).toUpperCase()).join(''),
    `${names[0]} vs ${names[1]}`,
    names.map((name) => `${name.slice(0, 3).toUpperCase()} ${name}`),
    { start },
  );
const gameB = (prefix: string, names: [string, string], start = START): ListingB => ({
  ...winnerB(`${prefix}-${names.map((name) => name.slice(0, 3).toLowerCase()).join('-')}-${start.slice(0, 10)}`, names),
  startTime: start,
});
const match = (a: ListingA[], b: ListingB[]) => pairListings(database, NOW, a, b);
async function decide(subject: string, decision: string, changes: object = {}): Promise<string | null> {
  const [row] = await database.sql<{ code: string | null }[]>`
    select pipeline.decide_review(${subject}, ${decision}, catalog.review_entry(${subject}) ->> 'digest', 'a test',
      ${database.sql.json(changes as never)}) ->> 'code' as code`;
  return row?.code ?? null;
}
const subjects = async () =>
  (await database.sql<{ subject: string }[]>`select subject from catalog.review_subjects() order by 1`).map(
    ({ subject }) => subject,
  );

const CLUBS: [string, string] = ['Harbour Rovers', 'Valley United'];
const SPORT = { sport: 'soccer' };

describe('two leagues with the same club names', () => {
  const later = '2026-08-09T21:45:00Z';
  const listings = (): [ListingA[], ListingB[]] => [
    [gameA('KXONEGAME', CLUBS), gameA('KXTWOGAME', CLUBS, later)],
    [gameB('one', CLUBS), gameB('two', CLUBS, later)],
  ];

  it('are two subjects, and after both are confirmed no game of one is a game of the other', async () => {
    await match(...listings());
    expect(await subjects()).toEqual(['league:KXONEGAME:one', 'league:KXTWOGAME:two']);
    expect(await decide('league:KXONEGAME:one', 'confirm', SPORT)).toBe(null);
    expect(await decide('league:KXTWOGAME:two', 'confirm', SPORT)).toBe(null);
    await overlay.refresh();
    const pairs = await match(...listings());
    expect(pairs.map(({ a, b }) => [a.slice(2, 5).toLowerCase(), b.slice(0, 3)])).toEqual([
      ['one', 'one'],
      ['two', 'two'],
    ]);
    const rows = await database.sql<{ key: string }[]>`select key from venue.questions order by 1`;
    expect(new Set(rows.map(({ key }) => key.split('/')[0]?.split('|').at(-1)))).toEqual(
      new Set(['confirmed_one', 'confirmed_two']),
    );
  });

  it('cannot have one name', async () => {
    await match(...listings());
    expect(await decide('league:KXONEGAME:one', 'confirm', { ...SPORT, name: 'First league' })).toBe(null);
    expect(await decide('league:KXTWOGAME:two', 'confirm', { ...SPORT, name: 'first LEAGUE' })).toBe('league.id_taken');
  });
});

describe('contradicting confirmations', () => {
  it('one series of venue_a is one league: a second prefix is refused', async () => {
    const other: [string, string] = ['Coast Athletic', 'Ridge Wanderers'];
    const a = [gameA('KXONEGAME', CLUBS), gameA('KXONEGAME', other)];
    const b = [gameB('one', CLUBS), gameB('alt', other)];
    await match(a, b);
    expect(await subjects()).toEqual(['league:KXONEGAME:alt', 'league:KXONEGAME:one']);
    expect(await decide('league:KXONEGAME:one', 'confirm', SPORT)).toBe(null);
    expect(await decide('league:KXONEGAME:alt', 'confirm', SPORT)).toBe('league.series_taken');
  });

  it('a name that met two names is in no league, and its games stay candidates', async () => {
    const days = ['2026-08-09T19:15:00Z', '2026-08-10T19:15:00Z', '2026-08-11T19:15:00Z'] as const;
    const a = [
      gameA('KXONEGAME', ['Harbour Rovers', 'Valley United'], days[0]),
      gameA('KXONEGAME', ['Harbour Rovers', 'Coast Athletic'], days[1]),
      gameA('KXONEGAME', ['Coast Athletic', 'Valley United'], days[2]),
    ];
    const b = [
      gameB('one', ['Harbour Rovers', 'Valley United'], days[0]),
      gameB('one', ['Harbour City', 'Coast Athletic'], days[1]),
      gameB('one', ['Coast Athletic', 'Valley United'], days[2]),
    ];
    await match(a, b);
    const [entry] = await database.sql<{ names: { name_a: string; state: string }[]; blocked: (string | null)[] }[]>`
      select e.entry -> 'names' as names, jsonb_path_query_array(e.entry, '$.pairs[*].blocked_by') as blocked
      from catalog.review_entry('league:KXONEGAME:one') as e (entry)`;
    const contradictory = entry?.names.filter(({ state }) => state === 'contradictory') ?? [];
    expect([...new Set(contradictory.map(({ name_a }) => name_a))]).toEqual(['Harbour Rovers']);
    expect(entry?.blocked.filter((one) => one === 'contradictory_names')).toHaveLength(2);
    expect(await decide('league:KXONEGAME:one', 'confirm', SPORT)).toBe(null);
    await overlay.refresh();
    await match(a, b);
    const rows = await database.sql<{ event_a: string; signal: string | null }[]>`
      select p.event_a, u.signal from catalog.pairs p left join catalog.unconfirmed_pairs u using (pair_id)
      where p.withdrawn_at is null order by 1`;
    expect(rows.map(({ signal }) => signal)).toEqual(['unconfirmed_name', 'unconfirmed_name', null]);
  });
});

describe('a list of runners', () => {
  const names = ['Fabiano Caruana', 'Hikaru Nakamura', 'Anish Giri', 'Wei Yi'];
  const raceA = (ticker: string, title: string): ListingA => ({
    event: {
      event_ticker: ticker,
      series_ticker: ticker.split('-')[0],
      title,
      mutually_exclusive: true,
      markets: names.map((name, at) => ({
        ticker: `${ticker}-${at}`,
        yes_sub_title: name,
        close_time: '2027-05-01T00:00:00Z',
      })),
    },
    start: null,
  });
  const raceB = (slug: string, title: string): ListingB => ({
    ...eventB(
      slug,
      title,
      names.map((group) => ({ q: `Will ${group} win?`, group, o: ['Yes', 'No'] })),
    ),
    negRisk: true,
    endDate: '2027-05-01T00:00:00Z',
  });
  const listings = (): [ListingA[], ListingB[]] => [
    [raceA('KXCHESS-27', 'Chess Candidates winner 2027'), raceA('KXBLITZ-27', 'World blitz champion 2027')],
    [
      raceB('chess-candidates-2027', 'Chess Candidates 2027: who will win?'),
      raceB('blitz-2027', 'World blitz champion 2027?'),
    ],
  ];
  const signals = async () => {
    const rows = await database.sql<{ event_a: string; signal: string | null }[]>`
      select p.event_a, u.signal from catalog.pairs p left join catalog.unconfirmed_pairs u using (pair_id)
      where p.withdrawn_at is null order by 1`;
    return Object.fromEntries(rows.map(({ event_a, signal }) => [event_a, signal]));
  };
  const CHESS = 'race:KXCHESS-27:chess-candidates-2027';

  it('has its signal no more after one confirmation, alone, and has it again when it is taken back', async () => {
    await match(...listings());
    expect(await signals()).toEqual({ 'KXBLITZ-27': 'unconfirmed_league', 'KXCHESS-27': 'unconfirmed_league' });
    expect(await decide(CHESS, 'confirm')).toBe(null);
    await runMatchPass(database.sql);
    expect(await signals()).toEqual({ 'KXBLITZ-27': 'unconfirmed_league', 'KXCHESS-27': null });
    expect(await decide(CHESS, 'withdraw')).toBe(null);
    await runMatchPass(database.sql);
    expect(await signals()).toEqual({ 'KXBLITZ-27': 'unconfirmed_league', 'KXCHESS-27': 'unconfirmed_league' });
  });

  it('is a pair no more after it was refused', async () => {
    await match(...listings());
    expect(await decide(CHESS, 'refuse')).toBe(null);
    await runMatchPass(database.sql);
    expect(await signals()).toEqual({ 'KXBLITZ-27': 'unconfirmed_league' });
  });
});

it('one of four concurrent reviewers decides, and the others receive review.changed', async () => {
  await match([gameA('KXONEGAME', CLUBS)], [gameB('one', CLUBS)]);
  const [entry] = await database.sql<{ digest: string }[]>`
    select catalog.review_entry('league:KXONEGAME:one') ->> 'digest' as digest`;
  const answers = await Promise.all(
    ['confirm', 'refuse', 'postpone', 'confirm'].map(async (decision) => {
      const [row] = await database.sql<{ code: string | null }[]>`
        select pipeline.decide_review('league:KXONEGAME:one', ${decision}, ${entry?.digest ?? ''}, 'a test',
          '{"sport": "soccer"}') ->> 'code' as code`;
      return row?.code ?? null;
    }),
  );
  expect(answers.filter((code) => code === null)).toHaveLength(1);
  expect(answers.filter((code) => code === 'review.changed')).toHaveLength(3);
  const [kept] = await database.sql`select count(*)::integer as decisions from catalog.review_decisions`;
  expect(kept?.decisions).toBe(1);
});
