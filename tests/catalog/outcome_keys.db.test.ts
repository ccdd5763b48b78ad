import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { listedA, listedB, putListings, runMatchPass } from './listings.ts';
import { eventB, type ListingA, ladderA, winnerA, winnerB } from './sports_listings.ts';

/** Guarantee: an outcome's key is a slug of its full name and stays for the life of the pair. */

const NOW = '2026-08-01T12:00:00Z';
let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
  await database.sql`insert into clock.segments (real_from, market_from, rate) values ('2020-01-01', ${NOW}, 0)`;
});
afterAll(() => database.close());
beforeEach(
  () =>
    database.sql`truncate catalog.pairs, catalog.outcomes, catalog.strikes, catalog.match_passes, venue.events, venue.questions cascade`,
);

async function list(a: readonly ListingA[], b: readonly { slug: string }[]): Promise<void> {
  const { sql } = database;
  await putListings(
    sql,
    'venue_a',
    a.map(({ event }) => listedA(event, { now: NOW })),
  );
  await putListings(
    sql,
    'venue_b',
    b.map((event) => listedB(event, { now: NOW })),
  );
  await runMatchPass(sql);
}

const outcomes = async () => {
  const rows = await database.sql<{ key: string; name: string; contract_a: string }[]>`
    select o.key, o.name, o.contract_a
    from catalog.outcomes o join catalog.pairs p using (pair_id)
    where p.withdrawn_at is null
    order by p.event_a, o.ordinal`;
  return rows.map(({ key, name }) => [key, name]);
};
const keys = async () => (await outcomes()).map(([key]) => key).sort();

const match = (series: string, occasion: string, sides: [string, string]) =>
  winnerA(series, '2026-10-14', occasion, sides.map((side) => side.slice(4)).join(' vs '), sides);

const slugOf = async (name: string) => {
  const [row] = await database.sql<{ slug: string }[]>`select catalog.slug_of(${name}) as slug`;
  return row?.slug;
};

describe('the key of an outcome', () => {
  it("is the slug of a person's full name, not of a shortened one", async () => {
    await list(
      [
        match('KXUFCFIGHT', 'HOLCHI', ['HOL Max Holloway', 'CHI Khamzat Chimaev']),
        match('KXATPMATCH', 'AUGTIA', ['AUG Felix Auger-Aliassime', 'TIA Frances Tiafoe']),
      ],
      [
        winnerB('ufc-max-kha-2026-10-14', ['Max Holloway', 'Khamzat Chimaev']),
        winnerB('atp-auger-tiafoe-2026-10-14', ['Felix Auger-Aliassime', 'Frances Tiafoe']),
      ],
    );
    expect(await keys()).toEqual(['felix-auger-aliassime', 'frances-tiafoe', 'khamzat-chimaev', 'max-holloway']);
  });

  it('stays the same when a venue changes the spelling or the outcome disappears for a while', async () => {
    const a = match('KXATPMATCH', 'AUGTIA', ['AUG Felix Auger-Aliassime', 'TIA Frances Tiafoe']);
    const b = (second: string) => winnerB('atp-auger-tiafoe-2026-10-14', ['Felix Auger-Aliassime', second]);
    await list([a], [b('Frances Tiafoe')]);
    const before = await keys();
    await list([a], [b('Frances Tiafoe Jr.')]);
    expect((await outcomes()).map(([, name]) => name)).toContain('Frances Tiafoe Jr.');
    expect(await keys()).toEqual(before);
    await database.sql`delete from catalog.outcomes`;
    await database.sql`update catalog.pairs set text_a = 'another', withdrawn_at = now()`;
    await list([a], [b('Frances Tiafoe Jr.')]);
    expect(await keys()).toEqual(before);
    expect(await runMatchPass(database.sql)).toMatchObject({ changed: 0 });
  });

  it('is the name of a team, followed by "cover" for a side of a spread', async () => {
    await list(
      [
        winnerA('KXNBAGAME', '2026-11-24', 'NYKBOS', 'New York at Boston', ['NYK New York', 'BOS Boston']),
        ladderA('KXNBASPREAD', '2026-11-24', 'NYKBOS', 'New York at Boston: Spread', [
          ['BOS4', 3.5, 'Boston wins by over 3.5 points'],
        ]),
      ],
      [
        eventB('nba-nyk-bos-2026-11-24', 'Knicks vs. Celtics', [
          { q: 'Knicks vs. Celtics', o: ['Knicks', 'Celtics'], type: 'moneyline' },
          { q: 'Spread: Celtics (-3.5)', o: ['Celtics', 'Knicks'], type: 'spreads', line: -3.5 },
        ]),
      ],
    );
    expect(await keys()).toEqual([
      'boston-celtics',
      'boston-celtics-cover',
      'new-york-knicks',
      'new-york-knicks-cover',
    ]);
  });

  it.each([
    ['Félix Auger-Aliassime', 'felix-auger-aliassime'],
    ['Brighton & Hove Albion', 'brighton-hove-albion'],
    ['Łukasz Œuf Þór Strauß', 'lukasz-oeuf-thor-strauss'],
    ['D.C. United', 'dc-united'],
    ['A’s', 'as'],
    ['  --  ', ''],
    ['王欣瑜', ''],
  ])('comes from catalog.slug_of, which turns "%s" into "%s"', async (name, slug) => {
    expect(await slugOf(name)).toBe(slug);
  });

  it('is cut at 60 characters', async () => {
    expect(await slugOf('x'.repeat(200))).toBe('x'.repeat(60));
  });

  it('gets a number when two outcomes have one name, and comes from the parser when a name has no Latin letter', async () => {
    const pair_id = '00000000-0000-4000-8000-000000000001';
    const outcomes = [
      ['c', 'Li Na 2'],
      ['b', 'Li Na'],
      ['a', 'Li Na'],
      ['wang', '王'],
    ].map(([key, name], ordinal) => ({ pair_id, ordinal, key, name }));
    const { sql } = database;
    const [row] = await sql<{ keys: string[] }[]>`
      with o as (
        select array_agg(x) as all_of
        from jsonb_populate_recordset(null::catalog.outcomes, ${sql.json(outcomes)}) x
      ), p as (
        select array[x] as chosen
        from jsonb_populate_record(null::catalog.chosen_pair, ${sql.json({ pair_id, market_type: 'moneyline' })}) x
      )
      select array_agg(n.key order by n.ordinal) as keys
      from o, p, catalog.name_outcomes(o.all_of, array(select k from catalog.outcome_keys_of(p.chosen, o.all_of) k)) n`;
    expect(row?.keys).toEqual(['li-na-2', 'li-na-3', 'li-na', 'wang']);
  });
});
