import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import { untilListening } from '../../local/functions/worker.ts';
import { forward } from '../../local/gateway/forward.ts';
import { repository } from '../../local/platform/binaries.ts';
import { templateName } from '../../local/platform/template.ts';
import { tsxArguments } from '../../local/supervisor/venues.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

// The real process of local/auth behind the real forwarder, spoken to by the real client.
let db: TestDatabase;
let child: ChildProcess;
let door: Server;
let url: string;
const folder = mkdtempSync(join(tmpdir(), 'parallax-auth-'));
const keys = { publishable: 'sb_publishable_test', secret: 'sb_secret_test' };

beforeAll(async () => {
  db = await createDatabase({ from: templateName });
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
  const socketPath = join(folder, 'auth');
  child = spawn(process.execPath, [...tsxArguments, join(repository, 'local/auth/main.ts')], {
    cwd: repository,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      LITE_TELEMETRY: '0',
      AUTH_SOCKET: socketPath,
      AUTH_DB_URL: db.url(),
      AUTH_JWT_SECRET: 'a-secret-of-at-least-thirty-two-letters',
      AUTH_PUBLISHABLE_KEY: keys.publishable,
      AUTH_SECRET_KEY: keys.secret,
      AUTH_SITE_URL: 'http://127.0.0.1',
    },
  });
  await untilListening(socketPath);
  door = createServer((request, response) =>
    forward(request, response, { name: 'Auth', address: { socketPath } }, request.url ?? '/'),
  );
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(door.address() as AddressInfo).port}`;
});
afterAll(async () => {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await gone;
  door.closeAllConnections();
  door.close();
  await db.close();
  rmSync(folder, { recursive: true, force: true });
});

// On Node 20 supabase-js has no WebSocket of its own.
const client = (key: string) =>
  createClient(url, key, {
    db: { schema: 'api' },
    auth: { persistSession: false, autoRefreshToken: false },
    realtime: { transport: WebSocket as never },
  });

const rights = () => db.sql`
  select t.name, r.role, p.privilege
  from (values ('api.notes'), ('api.closed'), ('inner_room.private')) t (name),
    (values ('anon'), ('authenticated'), ('service_role')) r (role),
    (values ('select'), ('insert'), ('update'), ('delete'), ('truncate')) p (privilege)
  where has_table_privilege(r.role, t.name, p.privilege)
  order by 1, 2, 3`;

test('signing up and in, row security, and no right that the migrations did not give, before and after data requests', async () => {
  const before = await rights();
  expect(before).toHaveLength(2);

  const [one, two] = [client(keys.publishable), client(keys.publishable)];
  expect((await one.auth.signUp({ email: 'one@example.com', password: 'long enough' })).error).toBeNull();
  expect((await two.auth.signUp({ email: 'two@example.com', password: 'long enough' })).error).toBeNull();
  expect(
    (await client(keys.publishable).auth.signInWithPassword({ email: 'one@example.com', password: 'wrong one' })).error,
  ).not.toBeNull();

  expect((await one.from('notes').insert({ words: 'mine' })).error).toBeNull();
  expect((await one.from('notes').select('words')).data).toEqual([{ words: 'mine' }]);
  expect((await two.from('notes').select('words')).data).toEqual([]);

  for (const caller of [one, client(keys.publishable), client(keys.secret)]) {
    const refused = await caller.from('closed').select();
    expect(refused.error?.code).toBe('42501');
    expect(refused.data).toBeNull();
  }
  expect((await one.schema('inner_room').from('private').select()).error).not.toBeNull();
  expect((await client(keys.publishable).from('notes').select()).error?.code).toBe('42501');

  expect(await rights()).toEqual(before);
  const [uid] =
    await db.sql`select pg_get_functiondef('auth.uid()'::regprocedure) like '%request.jwt.claims%' as whole`;
  expect(uid?.whole).toBe(true);
});

test('a request without a key is refused', async () => {
  const status = await new Promise<number>((resolve, reject) => {
    httpRequest(`${url}/rest/v1/notes`, (answer) => resolve(answer.resume().statusCode ?? 0))
      .on('error', reject)
      .end();
  });
  expect(status).toBe(401);
});
