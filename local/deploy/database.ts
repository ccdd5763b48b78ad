import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import {
  buildFromMigrations,
  buildFromSql,
  migrationsFolder,
  sqlFiles,
  sqlFolder,
} from '../platform/postgres/build.ts';
import { renderRights } from '../platform/postgres/rights.ts';
import { dropMigrationHistory, schemaDiff } from '../platform/postgres/schema_diff.ts';
import type { Sql } from '../platform/postgres/template.ts';
import { startTemporaryPostgres } from '../platform/postgres/temporary_postgres.ts';
import { functionNames } from './config.ts';
import { checkResult, type Finding, unknown } from './finding.ts';

/** What a hosted project with PostgreSQL 17 has (platform.md 3: docs:guides/database/extensions*). Another one would stop `db push`. */
const hostedExtensions = [
  'pg_cron',
  'pg_net',
  'supabase_vault',
  'pg_trgm',
  'unaccent',
  'pgcrypto',
  'uuid-ossp',
  'pg_stat_statements',
  'plpgsql',
];

/** docs:guides/cron.mdx (platform.md 2.6). */
const MAX_CONCURRENT_JOBS = 8;

/** docs:guides/realtime/limits.mdx (platform.md 1.9): messages a second by plan, smallest first. */
const realtimePlans: [plan: string, messages: number][] = [
  ['Free', 100],
  ['Pro', 500],
  ['Pro without a spend cap, Team', 2_500],
];

/** Builds the database as `supabase db push` would, from supabase/migrations with the CLI itself, and looks at what came of it. */
export async function databaseFindings(folder: string): Promise<Finding[]> {
  const scratch = await startTemporaryPostgres();
  const wanted = await scratch.create('wanted');
  const built = await scratch.create('built');
  const sql = postgres(built, { max: 1, onnotice: () => {} });
  try {
    await buildFromSql(wanted);
    const applied = await buildFromMigrations(built);
    await dropMigrationHistory(built);
    const jobs = await jobsFinding(sql, folder);
    const looks = [
      jobs,
      await extensionsFinding(sql),
      await realtimeFinding(sql),
      await rightsFinding(sql, folder),
      ...vaultFindings(folder),
    ];
    return [await migrationsFinding(built, wanted, applied), ...looks];
  } finally {
    await sql.end({ timeout: 2 });
    await scratch.stop();
  }
}

async function migrationsFinding(built: string, wanted: string, applied: string[]): Promise<Finding> {
  const files = sqlFiles(migrationsFolder);
  const { scripts, broken } = await schemaDiff(built, wanted);
  const faults = [
    ...(JSON.stringify(files) === JSON.stringify(applied)
      ? []
      : [`of ${files.length} files ${applied.length} were applied`]),
    ...(scripts.length > 0 ? ['they do not build what sql/ builds: npm run migration -- NAME'] : []),
    ...(broken.length > 0 ? [`invalid indexes: ${broken.join(', ')}`] : []),
  ];
  return checkResult(
    'migrations (supabase db push)',
    faults,
    `${applied.length} applied to an empty platform, no difference from sql/`,
  );
}

async function jobsFinding(sql: Sql, folder: string): Promise<Finding> {
  const jobs = await sql<{ jobname: string; schedule: string; command: string }[]>`
    select jobname, schedule, command from cron.job order by jobname`;
  const functions = functionNames(folder);
  const faults = [
    ...(jobs.length > 0 ? [] : ['db push schedules nothing']),
    ...(jobs.length > MAX_CONCURRENT_JOBS
      ? [`${jobs.length} jobs may run at once, the platform advises ${MAX_CONCURRENT_JOBS}`]
      : []),
  ];
  for (const { jobname, command } of jobs) {
    const called = /call_function\('([^']+)'/.exec(command)?.[1];
    if (called && !functions.includes(called))
      faults.push(`${jobname} calls the function ${called}, which does not exist`);
    // Planned, not run: a job whose function was renamed fails here.
    await sql.unsafe(`explain ${command}`).catch((error: Error) => faults.push(`${jobname}: ${error.message}`));
  }
  return checkResult('cron jobs', faults, jobs.map(({ jobname, schedule }) => `${jobname} (${schedule})`).join(', '));
}

async function extensionsFinding(sql: Sql): Promise<Finding> {
  const names = new Set(
    sqlFiles(sqlFolder).flatMap((file) =>
      [
        ...readFileSync(join(sqlFolder, file), 'utf8').matchAll(
          /create extension (?:if not exists )?"?((?!if\b)[a-z_-]+)"?/g,
        ),
      ].map((match) => match[1] ?? ''),
    ),
  );
  const there = await sql<{ name: string }[]>`select extname as name from pg_extension`;
  for (const { name } of there) names.add(name);
  const others = [...names].filter((name) => !hostedExtensions.includes(name));
  return checkResult(
    'extensions',
    others.map((name) => `${name} is not known to be on the platform`),
    `${[...names].sort().join(', ')}; with pg_cron, pg_net and supabase_vault where they are available`,
  );
}

async function realtimeFinding(sql: Sql): Promise<Finding> {
  const [row] = await sql<{ messages: number; listeners: number; bytes: number; policies: string[] }[]>`
    select messages_a_second::float as messages, listeners, broadcast_bytes as bytes,
           array(select p.polcmd::text from pg_policy p where p.polrelid = 'realtime.messages'::regclass) as policies
    from stream.settings`;
  if (!row) return checkResult('Realtime', ['stream.settings is empty'], '');
  const plan = realtimePlans.find(([, most]) => row.messages <= most);
  const faults = [
    ...(plan ? [] : [`stream.settings spends ${row.messages} messages a second, more than any plan allows`]),
    ...(row.policies.join() === 'r' ? [] : ['realtime.messages should have our one policy, to select']),
    ...(row.bytes <= 256_000 ? [] : [`a broadcast of ${row.bytes} bytes is over the 256 KB of the Free plan`]),
  ];
  return checkResult(
    'Realtime',
    faults,
    `private channels by one policy, nobody may send; ${row.messages} messages a second for ${row.listeners} listener(s): plan ${plan?.[0]}`,
  );
}

async function rightsFinding(sql: Sql, folder: string): Promise<Finding> {
  const file = join(folder, 'sql', 'rights.txt');
  const same = existsSync(file) && readFileSync(file, 'utf8') === (await sql.begin(renderRights));
  return checkResult(
    'rights',
    same ? [] : ['what the migrations build is not sql/rights.txt: npm run manifest'],
    'the migrations build sql/rights.txt',
  );
}

/** Secrets of the Vault that SQL looks for by name, against docs/deploy.md. */
function vaultFindings(folder: string): Finding[] {
  const wanted = new Set(
    sqlFiles(sqlFolder).flatMap((file) =>
      [
        ...readFileSync(join(sqlFolder, file), 'utf8').matchAll(
          /vault\.decrypted_secrets \w+ where \w+\.name = '([^']+)'/g,
        ),
      ].map((match) => match[1] ?? ''),
    ),
  );
  const page = existsSync(join(folder, 'docs/deploy.md')) ? readFileSync(join(folder, 'docs/deploy.md'), 'utf8') : '';
  const untold = [...wanted].filter((name) => !page.includes(`'${name}'`));
  const names = [...wanted].sort().join(', ');
  return [
    checkResult(
      'Vault rows that SQL reads',
      untold.map((name) => `${name} is not in docs/deploy.md`),
      names,
    ),
    unknown('Vault rows that are there', `select name from vault.secrets must show ${names}`),
    unknown(
      'logins of the functions’ roles',
      'the migrations make them nologin: docs/deploy.md gives the four statements',
    ),
    unknown('public access of Realtime', 'off in the dashboard, Realtime settings: all channels here are private'),
  ];
}
