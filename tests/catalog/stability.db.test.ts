import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { context, gameA, gameB } from './fixtures.ts';
import { listedA, listedB, putListings, runMatchPass } from './listings.ts';

/** Guarantee: the id of a pair is permanent, and an unchanged pair is not marked as changed. */

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.close());

const sides = [
  { code: 'HOU', label: 'Houston' },
  { code: 'SD', label: 'San Diego' },
];
const a = gameA('KXMLBGAME-26AUG092020HOUSD', 'Houston vs San Diego', sides);
const b = (text?: string) => gameB('mlb-hou-sd-2026-08-09', ['Astros', 'Padres'], text === undefined ? {} : { text });
const row = async () =>
  (
    await database.sql`select pair_id, change_no, updated_at, withdrawn_at, withdrawn_code, text_b from catalog.pairs`
  )[0];

it('a match pass over unchanged listings changes nothing', async () => {
  await putListings(database.sql, 'venue_a', [listedA(a, context)]);
  await putListings(database.sql, 'venue_b', [listedB(b(), context)]);
  expect(await runMatchPass(database.sql)).toMatchObject({ created: 1, changed: 1 });
  const before = await row();
  expect(await runMatchPass(database.sql)).toMatchObject({ pairs: 1, created: 0, changed: 0, withdrawn: 0 });
  // The same markets in another order are the same listing.
  await putListings(database.sql, 'venue_a', [listedA({ ...a, markets: [...a.markets].reverse() }, context)]);
  expect(await runMatchPass(database.sql)).toMatchObject({ changed: 0 });
  expect(await row()).toEqual(before);
});

// With a plan for empty tables the pass takes four times as long.
it('the first match pass analyzes new tables before it plans its query', async () => {
  const own = await createDatabase();
  try {
    const tables = () => own.sql<{ relname: string; reltuples: number }[]>`
      select relname, reltuples from pg_class where oid in ('venue.questions'::regclass, 'venue.legs'::regclass) order by relname`;
    const rows = Array.from({ length: 150 }, (_, n) => `KXMLBGAME-26AUG${10 + (n % 20)}${1000 + n}HOUSD`);
    await putListings(
      own.sql,
      'venue_a',
      rows.map((ticker) => listedA(gameA(ticker, 'Houston vs San Diego', sides), context)),
    );
    expect(await tables()).toMatchObject([{ reltuples: -1 }, { reltuples: -1 }]);
    await runMatchPass(own.sql);
    expect(await tables()).toMatchObject([{ reltuples: 300 }, { reltuples: 150 }]);
  } finally {
    await own.close();
  }
});

it('a changed text raises change_no and updated_at once', async () => {
  const before = await row();
  await putListings(database.sql, 'venue_b', [
    listedB(b('If the game is postponed, this market will remain open until the game has been completed.'), context),
  ]);
  expect(await runMatchPass(database.sql)).toMatchObject({ created: 0, changed: 1 });
  const after = await row();
  expect(after?.pair_id).toBe(before?.pair_id);
  expect(Number(after?.change_no)).toBeGreaterThan(Number(before?.change_no));
  expect(after?.updated_at.getTime()).toBeGreaterThan(before?.updated_at.getTime());
  expect(await runMatchPass(database.sql)).toMatchObject({ changed: 0 });
});

it('a pair that no longer matches is withdrawn with a reason, and returns with the same id', async () => {
  const before = await row();
  await putListings(database.sql, 'venue_a', [
    listedA(
      gameA('KXMLBGAME-26AUG092020HOUSD', 'Houston vs San Diego', [
        { code: 'HOU', label: 'Houston Rockets' },
        { code: 'SD', label: 'San Diego' },
      ]),
      context,
    ),
  ]);
  expect(await runMatchPass(database.sql)).toMatchObject({ pairs: 0, changed: 1, withdrawn: 1 });
  expect(await row()).toMatchObject({ pair_id: before?.pair_id, withdrawn_code: 'contradictory' });
  expect(await runMatchPass(database.sql)).toMatchObject({ changed: 0, withdrawn: 0 });
  await putListings(database.sql, 'venue_a', [listedA(a, context)]);
  expect(await runMatchPass(database.sql)).toMatchObject({ pairs: 1, created: 0, changed: 1 });
  expect(await row()).toMatchObject({ pair_id: before?.pair_id, withdrawn_at: null, withdrawn_code: null });
});

it('a pair keeps its id when the partner on venue_b changes', async () => {
  const before = await row();
  await putListings(database.sql, 'venue_b', [
    { ...listedB(b(), context), questions: [] },
    listedB(gameB('mlb-hou-sd-2026-08-09-812', ['Padres', 'Astros'], { id: 'again' }), context),
  ]);
  expect(await runMatchPass(database.sql)).toMatchObject({ pairs: 1, created: 0, changed: 1 });
  const [now] = await database.sql`select pair_id, event_b from catalog.pairs where withdrawn_at is null`;
  expect(now).toEqual({ pair_id: before?.pair_id, event_b: 'mlb-hou-sd-2026-08-09-812' });
});

it('only the ingest role may call the match pass', async () => {
  const rows = await database.sql`
    select r.rolname, has_function_privilege(r.oid, 'pipeline.match_listings()', 'execute') as may
    from pg_roles r
    where r.rolname in ('parallax_ingest', 'parallax_api', 'anon', 'authenticated')
    order by r.rolname`;
  expect(Object.fromEntries(rows.map((one) => [one.rolname, one.may]))).toEqual({
    anon: false,
    authenticated: false,
    parallax_api: false,
    parallax_ingest: true,
  });
});

it('a match pass is skipped while another one runs', async () => {
  await database.sql.begin(async (other) => {
    await other`select pipeline.match_listings()`;
    expect(await runMatchPass(database.sql)).toEqual({ skipped: true });
  });
  expect(await runMatchPass(database.sql)).toMatchObject({ pairs: 1, changed: 0 });
});
