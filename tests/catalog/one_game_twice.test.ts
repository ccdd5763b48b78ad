import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { listedA, listedB, pass } from './listings.ts';
import { type ListingA, type ListingB, meet, pairsOf, winnerA, winnerB } from './sports_listings.ts';

/**
 * Guarantee: an accent makes no second person of one, and a game that venue_b lists under two slugs pairs once, with the shorter one,
 * in every pass alike. Two games of one day are never taken for one.
 */

const NOW = '2026-08-01T12:00:00Z';
let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
  await database.sql`insert into clock.segments (real_from, market_from, rate) values ('2020-01-01', ${NOW}, 0)`;
});
afterAll(() => database.close());

const refusals = async (): Promise<string[]> => {
  const rows = await database.sql<{ said: string }[]>`
    select distinct split_part(question_b, ':', 2) || ' ' || code as said from catalog.rejections order by said`;
  return rows.map((row) => row.said);
};

describe('an accent', () => {
  const match = (code: string, a: [string, string], slug: string, b: [string, string]): [ListingA, ListingB] => [
    winnerA('KXATPMATCH', '2026-10-14', code, a.map((name) => name.split(' ').at(-1)).join(' vs '), [
      `${code.slice(0, 3)} ${a[0]}`,
      `${code.slice(3)} ${a[1]}`,
    ]),
    winnerB(`atp-${slug}-2026-10-14`, b),
  ];
  const felix = match('AUGTIA', ['Félix Auger-Aliassime', 'Frances Tiafoe'], 'auger-tiafoe', [
    'Felix Auger-Aliassime',
    'Frances Tiafoe',
  ]);
  const oscar = match('OTTFRI', ['Oscar Otte', 'Taylor Fritz'], 'otte-fritz', ['Óscar Otte', 'Taylor Fritz']);
  const brothers = match('CERFRI', ['Francisco Cerundolo', 'Taylor Fritz'], 'cerundol-fritz', [
    'Juan Manuel Cerúndolo',
    'Taylor Fritz',
  ]);

  /** What catalog.is_other_person says of the persons whom the two venues' parsers read. */
  async function otherPerson([a, b]: [ListingA, ListingB]): Promise<boolean | null | undefined> {
    const [one] = listedA(a.event, { now: NOW }).read;
    const [other] = listedB(b, { now: NOW }).read;
    expect([one?.key, one?.excluded, other?.excluded]).toEqual([other?.key, null, null]);
    const persons = [one, other].map((question) =>
      database.sql.json((question?.identity.participants_full ?? null) as never),
    );
    const [row] = await database.sql<{ other: boolean | null }[]>`
      select catalog.is_other_person(${persons[0] ?? null}, ${persons[1] ?? null}) as other`;
    return row?.other;
  }

  it.each([
    ['Félix and Felix', felix],
    ['Oscar and Óscar', oscar],
  ])('does not separate %s: they pair', async (_name, [a, b]) => {
    expect(await otherPerson([a, b])).toBe(false);
    expect(await meet(database, NOW, [a], [b])).toMatchObject([{ a: a.event.event_ticker, b: b.slug }]);
  });

  it('does not hide another given name: two brothers stay two persons', async () => {
    expect(await otherPerson(brothers)).toBe(true);
    expect(await meet(database, NOW, [brothers[0]], [brothers[1]])).toEqual([]);
    expect(await refusals()).toEqual(['atp-cerundol-fritz-2026-10-14 other_person']);
  });
});

describe('a short given name', () => {
  const sides = ['MEN Jakub Mensik', 'KOR Sebastian Korda'];
  const mensik = winnerA('KXATPMATCH', '2026-08-19', 'MENKOR', 'Mensik vs Korda', sides);
  const kuba = (day: string, first = 'Kuba Mensik') => winnerB(`atp-mensik-korda-${day}`, [first, 'Sebi Korda']);

  it('makes a candidate of the same family names on the same day, which is never published', async () => {
    await meet(database, NOW, [mensik], [kuba('2026-08-19')]);
    const found = await database.sql<{ band: string }[]>`select band from catalog.pairs where withdrawn_at is null`;
    expect(found.map((pair) => pair.band)).toEqual(['REVIEW']);
  });

  it('makes no candidate on another day, and none of a name that is no short form', async () => {
    expect(await meet(database, NOW, [mensik], [kuba('2026-08-20')])).toEqual([]);
    expect(await meet(database, NOW, [mensik], [kuba('2026-08-19', 'Tomas Mensik')])).toEqual([]);
    expect(await refusals()).toEqual(['atp-mensik-korda-2026-08-19 other_person']);
  });
});

describe('one game under two slugs', () => {
  const knicks = winnerA('KXNBAGAME', '2026-11-24', 'NYKBOS', 'New York at Boston', ['NYK New York', 'BOS Boston']);
  const listing = (end: string, outcomes: [string, string]) => winnerB(`nba-nyk-bos-2026-11-24${end}`, outcomes);
  const first = listing('', ['Knicks', 'Celtics']);
  const copy = listing('-412', ['Celtics', 'Knicks']);
  const legs = ['boston-celtics: BOS yes = Celtics', 'new-york-knicks: NYK yes = Knicks'];
  const once = [{ a: knicks.event.event_ticker, b: first.slug, legs: expect.arrayContaining(legs) }];

  it.each([
    ['the shorter first', [first, copy]],
    ['the copy first', [copy, first]],
  ])('pairs once with each team in its place, and rejects the copy: %s', async (_name, listings) => {
    expect(await meet(database, NOW, [knicks], listings)).toEqual(once);
    expect(await refusals()).toEqual([`${copy.slug} duplicate_listing`]);
  });

  it('pairs the same way in the next pass, which changes nothing', async () => {
    await meet(database, NOW, [knicks], [copy, first]);
    const before = await database.sql`select pair_id, change_no from catalog.pairs`;
    expect(await pass(database.sql)).toMatchObject({ pairs: 1, created: 0, changed: 0, withdrawn: 0 });
    expect(await pairsOf(database.sql)).toEqual(once);
    expect([...(await database.sql`select pair_id, change_no from catalog.pairs`)]).toEqual([...before]);
    expect(await refusals()).toEqual([`${copy.slug} duplicate_listing`]);
  });
});

describe('two games of a doubleheader', () => {
  const houston = winnerA('KXMLBGAME', '2026-08-09', '1310HOUSD', 'Houston vs San Diego', [
    'HOU Houston',
    'SD San Diego',
  ]);
  const at = (end: string, start: string) =>
    winnerB(`mlb-hou-sd-2026-08-09${end}`, ['Astros', 'Padres'], { start: `2026-08-09 ${start}:00+00` });

  it('count as one game listed twice when both start at the same minute', async () => {
    const found = await meet(database, NOW, [houston], [at('-493', '17:10'), at('', '17:10')]);
    expect(found.map((pair) => pair.b)).toEqual(['mlb-hou-sd-2026-08-09']);
    expect(await refusals()).toEqual(['mlb-hou-sd-2026-08-09-493 duplicate_listing']);
  });

  it('stay two games when their starts differ, also when both are near the start of venue_a', async () => {
    expect(await meet(database, NOW, [houston], [at('', '16:30'), at('-493', '17:50')])).toEqual([]);
    expect(await refusals()).toEqual(['mlb-hou-sd-2026-08-09 ambiguous', 'mlb-hou-sd-2026-08-09-493 ambiguous']);
  });
});
