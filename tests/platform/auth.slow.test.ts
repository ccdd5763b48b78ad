import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SignInBrake } from '../../local/platform/auth/sign_in_brake.ts';
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

/** A request to Auth with the publishable key. */
const callAuth = (path: string, init: RequestInit = {}) =>
  fetch(`${rest.url}/auth/v1/${path}`, {
    ...init,
    headers: { apikey: rest.keys.publishable, 'content-type': 'application/json', ...init.headers },
  });
const signIn = (body: unknown) => callAuth('token?grant_type=password', { method: 'POST', body: JSON.stringify(body) });

test('a sign-in whose fields are no strings is rejected with 400, and not with 500', async () => {
  for (const email of [{ $ne: null }, [], 1, true, null]) {
    const answer = await signIn({ email, password: 'long enough' });
    expect([answer.status, await answer.json()]).toEqual([
      400,
      {
        code: 400,
        error_code: 'bad_json',
        msg: 'Could not parse request body as JSON: email must be a string.',
      },
    ]);
  }
});

test('no path of Auth answers 500 to a body of another type or form', async () => {
  const odd = [null, 0, true, [], {}, { $ne: null }, '', '\u0000', '\ud800', 'x'.repeat(10_000)];
  const bodies = [
    ...odd.map((value) => JSON.stringify(value)),
    ...['email', 'password', 'refresh_token', 'token', 'type'].flatMap((name) =>
      odd.map((value) => JSON.stringify({ email: 'odd@example.com', password: 'long enough', [name]: value })),
    ),
    ...['{', '[[[[', 'email=a&password=b', 'x'.repeat(200_000)],
  ];
  const paths = ['token?grant_type=password', 'token?grant_type=refresh_token', 'signup', 'recover', 'verify', 'user'];
  const session = await rest.client().auth.signUp({ email: 'fuzz@example.com', password: 'long enough' });
  const authorization = `Bearer ${session.data.session?.access_token}`;
  const failures: string[] = [];
  for (const path of paths)
    await Promise.all(
      bodies.map(async (body) => {
        const method = path === 'user' ? 'PUT' : 'POST';
        const { status } = await callAuth(path, { method, body, headers: { authorization } });
        if (status >= 500) failures.push(`${method} ${path} ${body.slice(0, 100)}: ${status}`);
      }),
    );
  expect(failures).toEqual([]);
});

test('the Admin API of Auth answers a session with JSON and an error, and never with a page', async () => {
  const signedUp = await rest.client().auth.signUp({ email: 'admin@example.com', password: 'long enough' });
  const authorization = `Bearer ${signedUp.data.session?.access_token}`;
  for (const path of ['users', 'users/1', 'generate_link', 'audit', 'factors'])
    for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
      const answer = await callAuth(`admin/${path}`, {
        method,
        headers: { authorization },
        ...(method === 'GET' ? {} : { body: '{}' }),
      });
      expect([401, 403, 404], `${method} ${path}`).toContain(answer.status);
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
      expect(await answer.json()).toMatchObject({ code: answer.status });
    }
});

test('after ten wrong passwords of an address the right one is refused as well for a minute, and another address is not', async () => {
  const person = { email: 'guessed@example.com', password: 'long enough' };
  expect((await rest.client().auth.signUp(person)).error).toBeNull();
  expect((await rest.client().auth.signUp({ ...person, email: 'other@example.com' })).error).toBeNull();
  // A right password ends the count.
  for (let tries = 0; tries < 9; tries++) expect((await signIn({ ...person, password: 'wrong' })).status).toBe(400);
  expect((await signIn(person)).status).toBe(200);
  // Guesses at the same time, in other spellings, count together.
  const guesses = await Promise.all(
    Array.from({ length: 30 }, (_, at) =>
      signIn({ email: at % 2 ? person.email : ' Guessed@Example.COM', password: `guess ${at}` }),
    ),
  );
  expect(guesses.map(({ status }) => status).sort()).toEqual([...Array(10).fill(400), ...Array(20).fill(429)]);
  const refused = await signIn(person);
  expect([refused.status, await refused.json()]).toEqual([
    429,
    { code: 429, error_code: 'over_request_rate_limit', msg: 'Request rate limit reached' },
  ]);
  expect((await signIn({ ...person, email: 'other@example.com' })).status).toBe(200);
});

test('the brake on guesses ends after a minute and remembers a bounded number of addresses', () => {
  let now = 0;
  const brake = new SignInBrake(() => now);
  const admitted = (email: string, tries: number) =>
    Array.from({ length: tries }, () => brake.admits(email)).filter(Boolean).length;
  expect(admitted('a@example.com', 12)).toBe(10);
  now = 59_999;
  expect(brake.admits('a@example.com')).toBe(false);
  now = 60_000;
  expect(admitted('a@example.com', 12)).toBe(10);
  for (let at = 0; at < 10_000; at++) brake.admits(`${at}@example.com`);
  // It was forgotten as the oldest.
  expect(brake.admits('a@example.com')).toBe(true);
});

test('a warning that is an Error does not throw after lite was loaded', async () => {
  await loadLite();
  const warned = new Promise((resolve) => process.once('warning', resolve));
  const warning = new Error('a warning of this test');
  process.emitWarning(warning);
  expect(await warned).toBe(warning);
});
