import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadLite } from '../../local/platform/postgres/lite.ts';
import { TEMPLATE_NAME } from '../../local/platform/postgres/template.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type Rest, serveRest } from '../support/rest.ts';

// The real process of local/platform/auth behind the real forwarder, called by the real client.
let db: TestDatabase;
let rest: Rest;

beforeAll(async () => {
  db = await createDatabase({ from: TEMPLATE_NAME });
  await db.sql.unsafe(`
    create schema api;
    create schema inner_room;
    grant usage on schema api to anon, authenticated, service_role;
    create table api.notes (id bigint generated always as identity primary key, owner uuid default auth.uid(), words text);
    alter table api.notes enable row level security;
    create policy "own notes" on api.notes to authenticated using (owner = (select auth.uid())) with check (owner = (select auth.uid()));
    grant select, insert on api.notes to authenticated;
    create table api.closed (id int primary key, words text);
    alter table api.closed enable row level security;
    create policy "everybody, if only they had the right" on api.closed using (true);
    insert into api.closed values (1, 'not for you');
    create table inner_room.private (id int primary key);
    alter table inner_room.private enable row level security;
  `);
  rest = await serveRest(db);
});
afterAll(async () => {
  await rest.close();
  await db.close();
});

const rights = () => db.sql`
  select t.name, r.role, p.privilege
  from (values ('api.notes'), ('api.closed'), ('inner_room.private')) t (name),
    (values ('anon'), ('authenticated'), ('service_role')) r (role),
    (values ('select'), ('insert'), ('update'), ('delete'), ('truncate')) p (privilege)
  where has_table_privilege(r.role, t.name, p.privilege)
  order by 1, 2, 3`;

test('auth signs users up and in, row security applies, and data requests add no grants to those of the migrations', async () => {
  const before = await rights();
  expect(before).toHaveLength(2);

  const [one, two] = [rest.client(), rest.client()];
  expect((await one.auth.signUp({ email: 'one@example.com', password: 'long enough' })).error).toBeNull();
  expect((await two.auth.signUp({ email: 'two@example.com', password: 'long enough' })).error).toBeNull();
  expect(
    (await rest.client().auth.signInWithPassword({ email: 'one@example.com', password: 'wrong one' })).error,
  ).not.toBeNull();

  expect((await one.from('notes').insert({ words: 'mine' })).error).toBeNull();
  expect((await one.from('notes').select('words')).data).toEqual([{ words: 'mine' }]);
  expect((await two.from('notes').select('words')).data).toEqual([]);

  for (const caller of [one, rest.client(), rest.client(rest.keys.secret)]) {
    const refused = await caller.from('closed').select();
    expect(refused.error?.code).toBe('42501');
    expect(refused.data).toBeNull();
  }
  expect((await one.schema('inner_room').from('private').select()).error).not.toBeNull();
  expect((await rest.client().from('notes').select()).error?.code).toBe('42501');

  expect(await rights()).toEqual(before);
  const [uid] =
    await db.sql`select pg_get_functiondef('auth.uid()'::regprocedure) like '%request.jwt.claims%' as whole`;
  expect(uid?.whole).toBe(true);
});

test('the local platform rejects a request without a key', async () => {
  const status = await new Promise<number>((resolve, reject) => {
    httpRequest(`${rest.url}/rest/v1/notes`, (answer) => resolve(answer.resume().statusCode ?? 0))
      .on('error', reject)
      .end();
  });
  expect(status).toBe(401);
});

test('a warning that is an Error does not throw after lite was loaded', async () => {
  await loadLite();
  const warned = new Promise((resolve) => process.once('warning', resolve));
  const warning = new Error('a warning of this test');
  process.emitWarning(warning);
  expect(await warned).toBe(warning);
});
