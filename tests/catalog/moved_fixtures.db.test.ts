import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { runMatchPass } from './listings.ts';
import { type ListingA, type ListingB, pairListings, soccerB, winnerA, winnerB } from './sports_listings.ts';

/**
 * Guarantee: a game that only one venue moved to another day is a candidate where its two sides
 * meet once at that ground, and each venue lists one such game. It is never published. Where sides
 * meet in series, or at the other ground, it stays rejected.
 */

const NOW = '2026-08-01T12:00:00Z';
let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
  await database.sql`insert into clock.segments (real_from, market_from, rate) values ('2020-01-01', ${NOW}, 0)`;
});
afterAll(() => database.close());

const SIDES = ['MUN Manchester United', 'LIV Liverpool', 'TIE Tie'];
const onA = (day: string, codes = 'MUNLIV', title = 'Manchester United vs Liverpool', more = {}): ListingA =>
  winnerA('KXEPLGAME', day, codes, title, SIDES, { competition: 'EPL', ...more });
const onB = (slug: string, sides: [string, string] = ['Manchester United FC', 'Liverpool FC']): ListingB =>
  soccerB(slug, sides);
const moved = onB('epl-mun-liv-2026-09-02');

const match = (a: ListingA[], b: ListingB[]) => pairListings(database, NOW, a, b);
const codes = async () =>
  (await database.sql<{ code: string }[]>`select code from catalog.rejections order by code`).map((row) => row.code);

describe('a game of a double round robin that one venue moved', () => {
  it('is a candidate in REVIEW with a signal that names it', async () => {
    const pairs = await match([onA('2026-08-12')], [moved]);
    expect(pairs).toEqual([
      {
        a: 'KXEPLGAME-26AUG12MUNLIV',
        b: 'epl-mun-liv-2026-09-02',
        legs: [expect.stringContaining('MUN yes = Yes'), expect.anything(), expect.anything()],
      },
    ]);
    const rows = await database.sql`
      select p.stage, p.band, s ->> 'state' as state
      from catalog.pairs p
      join catalog.assessments j using (assessment_id)
      cross join lateral jsonb_array_elements(j.signals) s
      where s ->> 'signal' = 'occasion' and p.withdrawn_at is null`;
    expect([...rows]).toEqual([{ stage: 'candidate', band: 'REVIEW', state: 'moved_fixture' }]);
  });

  it('is a candidate and no rejection two days apart', async () => {
    expect(await match([onA('2026-08-12')], [onB('epl-mun-liv-2026-08-14')])).toHaveLength(1);
    expect(await codes()).toEqual([]);
  });

  it.each<[string, ListingA[], ListingB[]]>([
    [
      'the return game at the other ground',
      [onA('2026-08-12')],
      [onB('epl-liv-mun-2026-09-02', ['Liverpool FC', 'Manchester United FC'])],
    ],
    ['a second open game at that ground on venue_a', [onA('2026-08-12'), onA('2026-10-12')], [moved]],
    ['a second open game at that ground on venue_b', [onA('2026-08-12')], [moved, onB('epl-mun-liv-2026-10-02')]],
    ['a game of a cup', [onA('2026-08-12')], [onB('efa-mun-liv-2026-09-02')]],
    ['a game of the next season', [onA('2026-08-12')], [onB('epl-mun-liv-2027-04-12')]],
  ])('meets nothing when the other listing is %s', async (_name, a, b) => {
    expect(await match(a, b)).toEqual([]);
  });

  it('loses its pair when the markets of one venue close', async () => {
    await match([onA('2026-08-12')], [moved]);
    await database.sql`update venue.markets set state = 'final' where venue = 'venue_a'`;
    expect(await runMatchPass(database.sql)).toMatchObject({ pairs: 0, withdrawn: 1 });
  });
});

describe('a game of a league that plays series', () => {
  it('stays rejected two days apart in baseball', async () => {
    const houston = winnerA('KXMLBGAME', '2026-08-09', '2020HOUSD', 'Houston vs San Diego', [
      'HOU Houston',
      'SD San Diego',
    ]);
    const sides: [string, string] = ['Houston Astros', 'San Diego Padres'];
    expect(await match([houston], [winnerB('mlb-hou-sd-2026-08-11', sides)])).toEqual([]);
    expect(await codes()).toEqual(['other_date']);
  });

  it('stays rejected two days apart in the NBA', async () => {
    const boston = winnerA('KXNBAGAME', '2026-10-22', 'BOSNYK', 'Boston at New York', ['BOS Boston', 'NYK New York']);
    expect(await match([boston], [winnerB('nba-bos-nyk-2026-10-24', ['Celtics', 'Knicks'])])).toEqual([]);
    expect(await codes()).toEqual(['other_date']);
  });
});
