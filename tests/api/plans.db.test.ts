import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { bindValue } from '../../functions/_shared/pool/values.ts';
import { dataCallStatement } from '../../functions/api/database.ts';
import { databaseUrl } from '../../local/platform/postgres/postgres.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

let db: TestDatabase;
let client: pg.Client;
let planned: string[] = [];
beforeAll(async () => {
  db = await createDatabase();
  const { port, password } = inject('postgres');
  // Only a superuser may enable the notice for each plan of the server.
  client = new pg.Client(databaseUrl(port, 'supabase_admin', password, db.name));
  client.on('notice', ({ message = '' }) => planned.push(message));
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await db.close();
});

// A plan with row-level security belongs to one role. Used by two roles in turn, it would be
// planned again each time.
test('a repeated request plans its own statement only and reuses the plans of its SQL functions', async () => {
  const [row] = await db.sql<{ hash: string }[]>`
    select encode(account.key_hash(account.mint_key('steady', 'pro')), 'hex') as hash`;
  // No step is due during the test.
  await db.sql`update price.settings set step = '20 days'`;
  await db.sql`select pipeline.refresh_snapshot()`;
  const [step] = await db.sql<{ version: string }[]>`select api.markets_version() as version`;
  const params = { status: ['open'], sort: 'start_time', include: [], page: 1, limit: 5, view: 'x' };
  const keyHash = row?.hash ?? '';
  const { text, values } = dataCallStatement({
    requestId: 'steady',
    keyHash,
    route: 'get_markets',
    params,
    isInvalid: false,
    cachedVersion: step?.version,
    clientVersions: [],
    isHead: false,
  });
  await client.query('set role parallax_api');
  for (let times = 0; times < 10; times += 1) await client.query(text, values.map(bindValue));
  await client.query('reset role');
  await client.query('set log_planner_stats = on');
  await client.query('set client_min_messages = log');
  await client.query('set role parallax_api');
  planned = [];
  const [answer] = (await client.query(text, values.map(bindValue))).rows;
  expect(answer).toMatchObject({ status: 200, body: null });
  expect(planned.filter((message) => message === 'PLANNER STATISTICS')).toHaveLength(1);
});
