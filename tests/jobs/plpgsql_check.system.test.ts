import { spawnSync } from 'node:child_process';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { repository, supabaseCommand } from '../../local/platform/postgres/binaries.ts';
import { buildFromMigrations, quietTools } from '../../local/platform/postgres/build.ts';
import { connectAdmin, type Sql } from '../../local/platform/postgres/template.ts';
import type { TemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { debianPostgres, startDebianPostgres } from '../support/debian_postgres.ts';

const native = debianPostgres('tests/jobs/plpgsql_check.system.test.ts');
let server: TemporaryPostgres;
let url: string;
let sql: Sql;
let admin: Sql;
beforeAll(async () => {
  if (!native) return;
  server = await startDebianPostgres(native, 'project');
  url = await server.create('project');
  await buildFromMigrations(url);
  sql = postgres(url, { max: 2, onnotice: () => {} });
  admin = connectAdmin(server.cluster, 'project');
  await sql`create extension plpgsql_check with schema extensions`;
  await admin`create extension pg_stat_statements with schema extensions`;
}, 180_000);
afterAll(async () => {
  await Promise.all([sql?.end({ timeout: 2 }), admin?.end({ timeout: 2 })]);
  await server?.stop();
});

/** False positives of the check, each with the reason. Any other message fails the test. */
const acceptedMessages: { called: RegExp; message: RegExp; why: string }[] = [
  {
    called: /^api\.get_(markets|spreads|arbitrage_history)\(/,
    message: /^cannot determinate a result of dynamic SQL$|^record "v_rows" is not assigned yet$/,
    why: 'The row of a dynamic statement: its columns are known when it runs.',
  },
  {
    called: /^api\.get_markets\(/,
    message: /^text type variable is not sanitized$/,
    why: 'Its parts come from api.markets_where, markets_from and markets_order, which format values with %L.',
  },
  {
    called: /^price\.search_snapshot\(/,
    message: /^text type variable is not sanitized$/,
    why: 'It formats values with %L. The one %s is price.term_condition, which quotes its words.',
  },
  {
    called: /^catalog\.analyze_changed_tables\(/,
    message: /^syntax error at or near "\{"$/,
    why: 'The check takes the whole array for the name of one table. Each element is a regclass.',
  },
  {
    called: /^account\.has_second_factor\(/,
    message: /^relation "auth\.mfa_factors" does not exist$/,
    why: 'Only Supabase Auth itself has the table. The statement is dynamic and runs where the table exists.',
  },
  {
    called: /^stream\.(set_broker_position|publish_to_broker)\(/,
    message: /^relation "centrifugo\.cf_binary_stream(_meta|_shard_lock)?" does not exist$/,
    why: 'Centrifugo makes the tables when it starts. tests/stream/carrier runs the functions with it.',
  },
  {
    called: /./,
    message: /^target type is different type than source type$/,
    why: 'A literal such as {} as the default of a declared array, parsed once at the declaration.',
  },
];

test.runIf(native)(
  'plpgsql_check finds no fault in any function: names, types, missing returns, dynamic SQL',
  async () => {
    await admin
      .begin(async (tx) => {
        // Functions that share temporary tables are checked where these exist.
        await tx`select pipeline.match_listings()`;
        await tx`select venue.upsert_listings('venue_a', null, '{"events": [], "rejected": []}')`;
        await tx`select pipeline.void_unread_pairs()`;
        const checked = await tx<
          { called: string; level: string; line: number | null; message: string; detail: string | null }[]
        >`
        with ours as (
          select p.oid, t.tgrelid
          from pg_proc p
          join pg_language l on l.oid = p.prolang and l.lanname = 'plpgsql'
          join pg_namespace n on n.oid = p.pronamespace
          left join pg_trigger t on t.tgfoid = p.oid
          where n.nspowner = 'postgres'::regrole
            and (p.prorettype <> 'trigger'::regtype or t.tgrelid is not null)
        )
        select o.oid::regprocedure::text as called, r.level, r.lineno as line, r.message, r.detail
        from ours o
        left join lateral extensions.plpgsql_check_function_tb(
          o.oid, coalesce(o.tgrelid, 0), fatal_errors := false, extra_warnings := false, performance_warnings := false,
          security_warnings := true
        ) r on true`;
        expect(new Set(checked.map((row) => row.called)).size).toBeGreaterThan(150);
        const found = checked.filter((row) => row.message !== null);
        const faults = found.filter(
          (row) =>
            !acceptedMessages.some(({ called, message }) => called.test(row.called) && message.test(row.message)),
        );
        expect(faults).toEqual([]);
        const unused = acceptedMessages.filter(
          ({ called, message }) => !found.some((row) => called.test(row.called) && message.test(row.message)),
        );
        expect(unused, 'every accepted message is still reported').toEqual([]);
        throw new Rollback();
      })
      .catch((error: unknown) => {
        if (!(error instanceof Rollback)) throw error;
      });
  },
);

/** What a command of the Supabase CLI finds in the database, as its JSON. */
function findingsOf<T>(command: string, ...options: string[]): T[] {
  const [program, ...first] = supabaseCommand();
  const { stdout, stderr } = spawnSync(
    program,
    [
      ...first,
      'db',
      command,
      ...options,
      '--agent',
      'no',
      '--workdir',
      repository,
      '--db-url',
      `${url}?sslmode=disable`,
    ],
    { env: { ...process.env, ...quietTools, NO_COLOR: '1' }, encoding: 'utf8', maxBuffer: 1e8 },
  );
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`supabase db ${command}: ${stderr}`);
  }
}

test.runIf(native)('supabase db lint finds no error or warning, apart from the accepted false positives', () => {
  const found = findingsOf<{ function: string; issues: { level: string; message: string }[] }>(
    'lint',
    '--level',
    'warning',
  ).flatMap((one) => one.issues.map(({ level, message }) => ({ called: `${one.function}(`, level, message })));
  const accepted = [
    ...acceptedMessages,
    {
      called: /^venue\.upsert_(questions|listings)\($/,
      message: /^relation "pg_temp\.batch_(questions|events)" does not exist$/,
      why: 'A temporary table of the call. The test above creates it before the check.',
    },
  ];
  expect(found.length).toBeGreaterThan(0);
  const faults = found.filter(
    ({ called, level, message }) =>
      level !== 'warning extra' && !accepted.some((one) => one.called.test(called) && one.message.test(message)),
  );
  expect(faults).toEqual([]);
});

test.runIf(native)('supabase db advisors warns only of functions whose bodies use no search path', async () => {
  const found = findingsOf<{ name: string; level: string; metadata: { schema: string; name: string } }>(
    'advisors',
    '--level',
    'info',
  );
  expect(found.length).toBeGreaterThan(0);
  const warned = found.filter(({ level }) => level !== 'INFO');
  // A body of SQL expressions (`return …`) is bound when the function is created.
  const bound = await sql<{ name: string }[]>`
    select p.oid::regproc::text as name from pg_proc p where p.prosqlbody is not null and p.proconfig is null`;
  const names = new Set(bound.map(({ name }) => name));
  const faults = warned.filter(
    ({ name, metadata }) =>
      name !== 'function_search_path_mutable' || !names.has(`${metadata.schema}.${metadata.name}`),
  );
  expect(faults).toEqual([]);
});

test.runIf(native)('plpgsql_check finds a missing column in a function that nothing has called yet', async () => {
  await sql`
    create function public.wrong() returns integer language plpgsql as $$
    begin return (select c.nothing from venue.contracts c limit 1); end $$`;
  const rows = await admin<{ message: string }[]>`
    select message from extensions.plpgsql_check_function_tb('public.wrong()', fatal_errors := false)`;
  expect(rows.map((row) => row.message)).toEqual(['column c.nothing does not exist']);
});

// Guarantee: ops.statements lists each statement of the roles of the project once, with no value of
// a caller and no statement of another role.
test.runIf(native)(
  'ops.statements lists calls and times of our roles, without request ids, values and other roles',
  async () => {
    await admin`select extensions.pg_stat_statements_reset()`;
    const asApi = (text: string) =>
      admin.begin(async (tx) => {
        await tx.unsafe('set local role parallax_api');
        await tx.unsafe(text);
      });
    for (const id of ['first-1', 'second-2', 'third-3'])
      await asApi(`/* request_id=${id} */ select n.n, 'sk_live_value' as v from generate_series(1, 5000) n`);
    await asApi(`/* request_id=a */ select venues from api.get_health()`);
    await admin`select 'of a superuser' as not_listed`;
    await sql`select pg_sleep(0.2)`;
    const rows = await sql<
      {
        role: string;
        query: string;
        calls: string;
        rows: string;
        total_ms: number;
        mean_ms: number;
        max_ms: number;
        share_pct: string;
      }[]
    >`
    select * from ops.statements order by total_ms desc`;
    const about = (part: string) => rows.filter(({ query }) => query.includes(part));
    expect(about('generate_series')).toMatchObject([
      { role: 'parallax_api', query: 'select n.n, $1 as v from generate_series($2, $3) n', calls: '3', rows: '15000' },
    ]);
    const [series] = about('generate_series');
    expect(series?.mean_ms).toBeCloseTo((series?.total_ms ?? 0) / 3, 3);
    expect(series?.max_ms).toBeGreaterThanOrEqual(series?.mean_ms ?? 0);
    expect(about('api.get_health')).toMatchObject([
      { role: 'parallax_api', query: 'select venues from api.get_health()', calls: '1' },
    ]);
    expect(rows[0]).toMatchObject({ role: 'postgres', query: expect.stringContaining('pg_sleep') });
    expect(rows[0]?.total_ms).toBeGreaterThan(195);
    expect(rows.reduce((sum, row) => sum + Number(row.share_pct), 0)).toBeCloseTo(100, -1);
    expect(about('not_listed')).toEqual([]);
    expect(JSON.stringify(rows)).not.toMatch(/request_id=|sk_live_value|insufficient privilege/);
  },
);

class Rollback extends Error {}
