import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { listedA, listedB, runMatchPass } from './listings.ts';
import { type ListingA, type ListingB, pairListings, pairsOf, winnerA, winnerB } from './sports_listings.ts';

/**
 * Guarantee: an accent does not make one person two. A game that venue_b lists under two slugs
 * pairs once, with the shorter slug, in every match pass. Two games of one day never count as one.
 */

const NOW = '2026-08-01T12:00:00Z';
let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
  await database.sql`insert into clock.segments (real_from, market_from, rate) values ('2020-01-01', ${NOW}, 0)`;
});
afterAll(() => database.close());

const rejections = async (): Promise<string[]> => {
  const rows = await database.sql<{ rejection: string }[]>`
    select distinct split_part(question_b, ':', 2) || ' ' || code as rejection from catalog.rejections order by rejection`;
  return rows.map((row) => row.rejection);
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

  /** Result of catalog.is_other_person for the persons that the parsers of both venues return. */
  async function otherPerson([a, b]: [ListingA, ListingB]): Promise<boolean | null | undefined> {
    const [one] = listedA(a.event, { now: NOW }).questions;
    const [other] = listedB(b, { now: NOW }).questions;
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
  ])('does not keep %s from pairing', async (_name, [a, b]) => {
    expect(await otherPerson([a, b])).toBe(false);
    expect(await pairListings(database, NOW, [a], [b])).toMatchObject([{ a: a.event.event_ticker, b: b.slug }]);
  });

  it('does not hide another given name: two brothers do not pair', async () => {
    expect(await otherPerson(brothers)).toBe(true);
    expect(await pairListings(database, NOW, [brothers[0]], [brothers[1]])).toEqual([]);
    expect(await rejections()).toEqual(['atp-cerundol-fritz-2026-10-14 other_person']);
  });
});

describe('a short given name', () => {
  const sides = ['MEN Jakub Mensik', 'KOR Sebastian Korda'];
  const mensik = winnerA('KXATPMATCH', '2026-08-19', 'MENKOR', 'Mensik vs Korda', sides);
  const kuba = (day: string, first = 'Kuba Mensik') => winnerB(`atp-mensik-korda-${day}`, [first, 'Sebi Korda']);

  it('gives a pair in REVIEW for equal family names on the same day', async () => {
    await pairListings(database, NOW, [mensik], [kuba('2026-08-19')]);
    const found = await database.sql<{ band: string }[]>`select band from catalog.pairs where withdrawn_at is null`;
    expect(found.map((pair) => pair.band)).toEqual(['REVIEW']);
  });

  it('gives no pair on another day, or when it is no short form of the other name', async () => {
    expect(await pairListings(database, NOW, [mensik], [kuba('2026-08-20')])).toEqual([]);
    expect(await pairListings(database, NOW, [mensik], [kuba('2026-08-19', 'Tomas Mensik')])).toEqual([]);
    expect(await rejections()).toEqual(['atp-mensik-korda-2026-08-19 other_person']);
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
    ['the shorter slug is listed first', [first, copy]],
    ['the copy is listed first', [copy, first]],
  ])('pairs once, by the shorter slug, when %s', async (_name, listings) => {
    expect(await pairListings(database, NOW, [knicks], listings)).toEqual(once);
    expect(await rejections()).toEqual([`${copy.slug} duplicate_listing`]);
  });

  it('pairs in the same way in the next match pass, which changes nothing', async () => {
    await pairListings(database, NOW, [knicks], [copy, first]);
    const before = await database.sql`select pair_id, change_no from catalog.pairs`;
    expect(await runMatchPass(database.sql)).toMatchObject({ pairs: 1, created: 0, changed: 0, withdrawn: 0 });
    expect(await pairsOf(database.sql)).toEqual(once);
    expect([...(await database.sql`select pair_id, change_no from catalog.pairs`)]).toEqual([...before]);
    expect(await rejections()).toEqual([`${copy.slug} duplicate_listing`]);
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
    const found = await pairListings(database, NOW, [houston], [at('-493', '17:10'), at('', '17:10')]);
    expect(found.map((pair) => pair.b)).toEqual(['mlb-hou-sd-2026-08-09']);
    expect(await rejections()).toEqual(['mlb-hou-sd-2026-08-09-493 duplicate_listing']);
  });

  it('stay two games when their starts differ, also when both are near the start of venue_a', async () => {
    expect(await pairListings(database, NOW, [houston], [at('', '16:30'), at('-493', '17:50')])).toEqual([]);
    expect(await rejections()).toEqual(['mlb-hou-sd-2026-08-09 ambiguous', 'mlb-hou-sd-2026-08-09-493 ambiguous']);
  });
});
