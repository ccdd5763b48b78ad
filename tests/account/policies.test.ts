import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { asRole, mint, organization, type Person, type Row, registerEndpoint, rpc } from './support/people.ts';

/**
 * Guarantee: every row-level policy of the database, found in its own catalogue, refuses another organization and a caller without a
 * name. A policy that is new is either of an organization's rows, and then tried with two of them, or of rows that are nobody's.
 */

type Policy = { table: string; name: string; roles: string[] };

/** Rows of nobody's: what both kinds of caller may see of them is listed in rights.test.ts. */
const common = [
  'account.tiers',
  'arb.opportunity_states',
  'arb.opportunities',
  'catalog.assessments',
  'catalog.strikes',
  'catalog.alarms',
  'catalog.outcomes',
  'catalog.pairs',
  'catalog.rules',
  'census.reports',
  'clock.segments',
  'price.hourly_history',
  'price.outcome_orders',
  'price.past_rows',
  'price.past_steps',
  'price.minute_samples',
  'price.sampler_state',
  'price.search_texts',
  'price.settings',
  'price.snapshot_rows',
  'price.snapshot_state',
  'venue.feeds',
];
/** Its rows belong to an endpoint, and the endpoint to an organization. */
const ofEndpoints = ['webhook.deliveries'];
/** One row is not of an organization but of a topic: tests/stream/entitlements.test.ts asks it as Realtime does. */
const elsewhere = ['realtime.messages'];
/** The platform's own, of its own owner. */
const platform = ['cron', 'net', 'storage', 'auth'];

let db: TestDatabase;
let api: postgres.Sql;
let policies: Policy[];
let [mine, theirs]: { owner: Person; org: string }[] = [];
beforeAll(async () => {
  db = await createDatabase();
  api = postgres(db.url('parallax_api'), { max: 1, onnotice: () => {} });
  policies = await db.sql<Policy[]>`
    select schemaname || '.' || tablename as table, policyname as name, roles::text[] as roles
    from pg_policies
    where not schemaname::text = any (${platform})
    order by 1, 2`;
  mine = await filled();
  theirs = await filled();
});
afterAll(async () => {
  await api?.end();
  await db?.close();
});

/** An organization with a row in each table that has rows of organizations. */
async function filled() {
  const made = await organization(db.sql);
  await db.sql`select account.set_plan(${made.org}, 'pro', 'active', 'test')`;
  await mint(db.sql, made.owner, made.org);
  await rpc(db.sql, made.owner, `invite_member('${made.org}', 'member')`);
  await registerEndpoint(db.sql, made.owner, made.org);
  await registerEndpoint(db.sql, made.owner, made.org);
  const [endpoint] = await db.sql<{ endpoint_id: string }[]>`
    select endpoint_id from webhook.endpoints where org_id = ${made.org} limit 1`;
  await rpc(db.sql, made.owner, `test_webhook('${endpoint?.endpoint_id}')`);
  await db.sql`insert into account.monthly_usage (org_id, month, used) values (${made.org}, '2026-01-01', 7)`;
  await db.sql`insert into arb.reports (org_id, reason) values (${made.org}, 'a test')`;
  return made;
}

/** Whose rows a role sees: of mine, of theirs. Only the column that says whose, since some have columns that nobody may read. */
async function seen(
  table: string,
  role: string,
  claims: Row,
  admitted = '',
): Promise<{ mine: number; theirs: number }> {
  const admits = `select set_config('parallax.org', '${admitted}', true)`;
  const sql = role === 'parallax_api' ? api : db.sql;
  const whose = ofEndpoints.includes(table) ? 'endpoint_id' : 'org_id';
  const rows = await asRole(sql, role, claims, `${admits}; select ${whose} from ${table}`);
  const endpoints = await db.sql<{ endpoint_id: string; org_id: string }[]>`
    select endpoint_id, org_id from webhook.endpoints`;
  const orgOf = new Map(endpoints.map((row) => [row.endpoint_id, row.org_id]));
  const all = rows.flat() as { org_id?: string; endpoint_id?: string }[];
  const of = (org: string | undefined) =>
    all.filter((row) => (row.org_id ?? orgOf.get(row.endpoint_id ?? '')) === org).length;
  return { mine: of(mine?.org), theirs: of(theirs?.org) };
}
const owned = (role: string) => () =>
  policies.filter(({ table, roles }) => roles.includes(role) && ![...common, ...elsewhere].includes(table));

test('each policy limits rows to an organization, hides all, or is tested elsewhere; all are for reading', async () => {
  const columns = await db.sql<{ table: string }[]>`
    select table_schema || '.' || table_name as table from information_schema.columns where column_name = 'org_id'`;
  const withOrg = new Set(columns.map(({ table }) => table));
  for (const { table, name } of policies) {
    const where = [withOrg, new Set(common), new Set(elsewhere), new Set(ofEndpoints)].filter((set) => set.has(table));
    expect(where, `${table}: ${name}`).toHaveLength(1);
  }
  const others = await db.sql`
    select tablename, policyname from pg_policies where not schemaname::text = any (${platform}) and cmd <> 'SELECT'`;
  expect([...others]).toEqual([]);
  // The lists above name nothing that is gone.
  expect(
    [...common, ...elsewhere, ...ofEndpoints].filter((table) => !policies.some((policy) => policy.table === table)),
  ).toEqual([]);
});

describe('rows of another organization', () => {
  test('are hidden from a signed-in person, who sees the own rows', async () => {
    const tried = owned('authenticated')();
    expect(tried.length).toBeGreaterThan(7);
    for (const { table, name } of tried) {
      const own = await seen(table, 'authenticated', { sub: mine?.owner.id });
      expect(own, `${table}: ${name}`).toEqual({ mine: expect.any(Number), theirs: 0 });
      expect(own.mine, `${table}: ${name}`).toBeGreaterThan(0);
    }
  });

  test('are hidden from an admitted key, which sees the own rows', async () => {
    const tried = owned('parallax_api')();
    expect(tried.length).toBeGreaterThan(6);
    for (const { table, name } of tried) {
      const own = await seen(table, 'parallax_api', {}, mine?.org);
      expect(own, `${table}: ${name}`).toEqual({ mine: expect.any(Number), theirs: 0 });
      expect(own.mine, `${table}: ${name}`).toBeGreaterThan(0);
    }
  });
});

describe('a caller without an identity', () => {
  test('sees no row of any organization, as a session or as a key', async () => {
    for (const role of ['authenticated', 'parallax_api']) {
      for (const { table, name } of owned(role)())
        expect(await seen(table, role, {}), `${role}, ${table}: ${name}`).toEqual({ mine: 0, theirs: 0 });
    }
  });

  test('as anon has no right on any such table', async () => {
    for (const { table, name } of policies.filter((policy) => !elsewhere.includes(policy.table))) {
      const asked = asRole(db.sql, 'anon', { sub: mine?.owner.id }, `select 1 from ${table}`);
      await expect(asked, `${table}: ${name}`).rejects.toThrow(/permission denied/);
    }
  });
});
