import { afterAll, beforeAll, expect, test } from 'vitest';
import { stopClock } from '../api/support/catalog.ts';
import { context, gameA, gameB, milestoneOf, NOW } from '../catalog/fixtures.ts';
import { listedA, listedB, putListings, runMatchPass } from '../catalog/listings.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

/** Guarantee: a new pair is found by every name that a venue uses, from its first step on. */

const event = 'KXMLBGAME-26AUG092020HOUSD';
const condition = '5f2c9d3b8a7e6d5c4b3a2918';

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
  const clock = await stopClock(db.sql, NOW);
  const houston = gameA(event, 'Houston vs San Diego', [
    { code: 'HOU', label: 'Houston' },
    { code: 'SD', label: 'San Diego' },
  ]);
  const start = '2026-08-10T00:20:00Z';
  await putListings(db.sql, 'venue_a', [listedA(houston, milestoneOf(event, start))]);
  const astros = gameB('mlb-hou-sd-2026-08-09', ['Houston Astros', 'San Diego Padres'], { start, id: condition });
  await putListings(db.sql, 'venue_b', [listedB(astros, context)]);
  expect(await runMatchPass(db.sql)).toMatchObject({ pairs: 1 });
  await clock.set('2026-08-01T12:10:00Z');
  await db.sql`select pipeline.refresh_snapshot()`;
});
afterAll(() => db.close());

test.each([
  ['the event ticker of venue_a', event],
  ['a ticker of venue_a', `${event}-SD`],
  ['the slug of venue_b', 'mlb-hou-sd-2026-08-09'],
  ['the condition of venue_b', `0x${condition}`],
  ['its title on venue_a', 'houston vs san diego'],
  ['its title on venue_b', 'Houston Astros vs. San Diego Padres'],
  ['a nickname that only venue_b lists', 'padres'],
  ['the league', 'mlb'],
  ['the sport', 'baseball'],
  ['the family', 'moneyline'],
  ['a nickname, a league and a part of a ticker together', 'Padres MLB 26AUG09'],
])('a pair is found by %s', async (_, q) => {
  const [row] = await db.sql`select total::integer from price.search_snapshot(${q}, '{open,live}', null, null, 20, 0)`;
  expect(row?.total).toBe(1);
});

test('the api role may call the search and none of its internal functions', async () => {
  const [row] = await db.sql`
    select has_function_privilege('parallax_api', 'price.search_snapshot(text, text[], text, text, bigint, bigint)', 'execute') as search,
           has_function_privilege('parallax_api', 'price.fold_text(text)', 'execute') as folded,
           has_function_privilege('parallax_api', 'price.search_texts_of(uuid[])', 'execute') as texts,
           has_table_privilege('parallax_api', 'price.search_texts', 'insert, update, delete') as writes,
           has_function_privilege('parallax_ingest', 'price.search_snapshot(text, text[], text, text, bigint, bigint)', 'execute') as ingest`;
  expect(row).toEqual({ search: true, folded: false, texts: false, writes: false, ingest: false });
});

test.each([
  ['ÀÉÎÕÜ', 'aeiou'],
  ['Łódź Øre Straße Æther', 'lodz ore strasse aether'],
  ['Ｆｕｌｌ', 'full'],
  ['e\u0301', 'e'],
  ['O’Brien', "o'brien"],
  ['Динамо', 'динамо'],
  ['\u1112\u1161\u11ab', '\ud55c'],
])('the search folds %s to %s', async (text, folded) => {
  const [row] = await db.sql`select price.fold_text(${text}) as folded`;
  expect(row?.folded).toBe(folded);
});
