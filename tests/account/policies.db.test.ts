import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import {
  asRole,
  claimsOf,
  mint,
  organization,
  type Person,
  type Row,
  registerEndpoint,
  rpc,
} from './support/people.ts';

/**
 * Guarantee: every row-level policy in pg_policies hides the rows of another organization and hides
 * all rows from a caller without an identity. A new policy is either on rows of organizations, and
 * then tested here with two of them, or it is added to a list below.
 */

type Policy = { table: string; name: string; roles: string[] };

/** Tables without an organization. rights.test.ts lists the columns that each role may read. */
const sharedTables = [
  'account.tiers',
  'arb.opportunity_states',
  'arb.opportunities',
  'arb.history',
  'arb.history_groups',
  'catalog.assessments',
  'catalog.strikes',
  'catalog.alarms',
  'catalog.outcomes',
  'catalog.pairs',
  'arb.track_record_state',
  'catalog.backtest_divergences',
  'catalog.parity_settings',
  'catalog.rules',
  'census.reports',
  'clock.segments',
  'export.days',
  'export.parts',
  'export.settings',
  'export.slices',
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
  'price.venue_ids',
  'venue.feeds',
];
/** Tables whose rows belong to an endpoint, which belongs to an organization. */
const ofEndpoints = ['webhook.deliveries'];
/**
 * Rows of a topic (tests/stream/entitlements.db.test.ts), and the commands that only Centrifugo
 * reads (tests/stream/carrier_rights.db.test.ts).
 */
const testedElsewhere = ['realtime.messages', 'stream.carrier_commands'];
/** Schemas of the platform with another owner. */
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
  mine = await createFilledOrganization();
  theirs = await createFilledOrganization();
});
afterAll(async () => {
  await api?.end();
  await db?.close();
});

/** Creates an organization with a row in each table that has rows of organizations. */
async function createFilledOrganization() {
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
  await db.sql`
    insert into account.key_days (org_id, key_id, day, requests)
    select ${made.org}, k.key_id, '2026-01-01', 7 from account.keys k where k.org_id = ${made.org}`;
  await db.sql`insert into arb.reports (org_id, reason) values (${made.org}, 'a test')`;
  return made;
}

/**
 * Number of rows of each organization that a role sees. Reads only the column with the owner, since
 * some tables have columns that the role may not read.
 */
async function countVisible(
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
const organizationPolicies = (role: string) => () =>
  policies.filter(({ table, roles }) => roles.includes(role) && ![...sharedTables, ...testedElsewhere].includes(table));

test('each policy limits rows to an organization, hides all, or is tested elsewhere; all but one are for reading', async () => {
  const columns = await db.sql<{ table: string }[]>`
    select table_schema || '.' || table_name as table from information_schema.columns where column_name = 'org_id'`;
  const withOrg = new Set(columns.map(({ table }) => table));
  for (const { table, name } of policies) {
    const where = [withOrg, new Set(sharedTables), new Set(testedElsewhere), new Set(ofEndpoints)].filter((set) =>
      set.has(table),
    );
    expect(where, `${table}: ${name}`).toHaveLength(1);
  }
  const others = await db.sql`
    select tablename, policyname from pg_policies where not schemaname::text = any (${platform}) and cmd <> 'SELECT'`;
  // tests/stream/carrier_rights.db.test.ts.
  expect([...others].map(({ tablename }) => tablename)).toEqual(['carrier_commands']);
  // The lists above name no table without a policy.
  expect(
    [...sharedTables, ...testedElsewhere, ...ofEndpoints].filter(
      (table) => !policies.some((policy) => policy.table === table),
    ),
  ).toEqual([]);
});

describe('rows of another organization', () => {
  test('are hidden from a signed-in person, who sees the rows of the own organization', async () => {
    const tried = organizationPolicies('authenticated')();
    expect(tried.length).toBeGreaterThan(7);
    for (const { table, name } of tried) {
      const own = await countVisible(table, 'authenticated', mine ? claimsOf(mine.owner) : {});
      expect(own, `${table}: ${name}`).toEqual({ mine: expect.any(Number), theirs: 0 });
      expect(own.mine, `${table}: ${name}`).toBeGreaterThan(0);
    }
  });

  test('are hidden from an admitted key, which sees the rows of its organization', async () => {
    const tried = organizationPolicies('parallax_api')();
    expect(tried.length).toBeGreaterThan(6);
    for (const { table, name } of tried) {
      const own = await countVisible(table, 'parallax_api', {}, mine?.org);
      expect(own, `${table}: ${name}`).toEqual({ mine: expect.any(Number), theirs: 0 });
      expect(own.mine, `${table}: ${name}`).toBeGreaterThan(0);
    }
  });
});

describe('a caller without an identity', () => {
  test('sees no row of any organization, as a session or as a key', async () => {
    for (const role of ['authenticated', 'parallax_api']) {
      for (const { table, name } of organizationPolicies(role)())
        expect(await countVisible(table, role, {}), `${role}, ${table}: ${name}`).toEqual({ mine: 0, theirs: 0 });
    }
  });

  test('has no right on any such table as the role anon', async () => {
    for (const { table, name } of policies.filter((policy) => !testedElsewhere.includes(policy.table))) {
      const reading = asRole(db.sql, 'anon', { sub: mine?.owner.id }, `select 1 from ${table}`);
      await expect(reading, `${table}: ${name}`).rejects.toThrow(/permission denied/);
    }
  });
});
