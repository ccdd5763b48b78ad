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
import { errorText } from '../platform/user_error.ts';
import { functionNames } from './config.ts';
import { checkResult, type Finding, unknown } from './finding.ts';

/**
 * Extensions of a hosted project with PostgreSQL 17 (docs:guides/database/extensions*). Any other
 * would stop `db push`.
 */
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

/** From docs:guides/cron.mdx. */
const MAX_CONCURRENT_JOBS = 8;

/** From docs:guides/realtime/limits.mdx: messages per second by plan, smallest first. */
const realtimePlans: [plan: string, messages: number][] = [
  ['Free', 100],
  ['Pro', 500],
  ['Pro without a spend cap, Team', 2_500],
];

/**
 * Builds the database from supabase/migrations with the CLI, as `supabase db push` does, and checks
 * the result.
 */
export async function databaseFindings(folder: string): Promise<Finding[]> {
  const scratch = await startTemporaryPostgres();
  const wanted = await scratch.create('wanted');
  const built = await scratch.create('built');
  const sql = postgres(built, { max: 1, onnotice: () => {} });
  try {
    await buildFromSql(wanted);
    const applied = await buildFromMigrations(built).catch((error: unknown) => errorText(error));
    if (typeof applied === 'string') return [checkResult('migrations (supabase db push)', [applied], '')];
    await dropMigrationHistory(built);
    const jobs = await jobsFinding(sql, folder);
    const others = [
      jobs,
      await extensionsFinding(sql),
      await realtimeFinding(sql),
      await rightsFinding(sql, folder),
      ...vaultFindings(folder),
    ];
    return [await migrationsFinding(built, wanted, applied), ...others];
  } finally {
    await sql.end({ timeout: 2 });
    await scratch.stop();
  }
}

async function migrationsFinding(built: string, wanted: string, applied: string[]): Promise<Finding> {
  const files = sqlFiles(migrationsFolder);
  const { scripts, broken } = await schemaDiff(built, wanted);
  const errors = [
    ...(JSON.stringify(files) === JSON.stringify(applied)
      ? []
      : [`${applied.length} of ${files.length} files were applied`]),
    ...(scripts.length > 0 ? ['they build a different database than sql/: run npm run migration -- NAME'] : []),
    ...(broken.length > 0 ? [`invalid indexes: ${broken.join(', ')}`] : []),
  ];
  return checkResult(
    'migrations (supabase db push)',
    errors,
    `${applied.length} migrations applied to an empty platform; no difference from sql/`,
  );
}

async function jobsFinding(sql: Sql, folder: string): Promise<Finding> {
  const jobs = await sql<{ jobname: string; schedule: string; command: string }[]>`
    select jobname, schedule, command from cron.job order by jobname`;
  const functions = functionNames(folder);
  const errors = [
    ...(jobs.length > 0 ? [] : ['db push schedules no jobs']),
    ...(jobs.length > MAX_CONCURRENT_JOBS
      ? [`${jobs.length} jobs may run at the same time; the platform recommends at most ${MAX_CONCURRENT_JOBS}`]
      : []),
  ];
  for (const { jobname, command } of jobs) {
    const called = /call_function\('([^']+)'/.exec(command)?.[1];
    if (called && !functions.includes(called))
      errors.push(`${jobname} calls the function ${called}, which does not exist`);
    // The job's statement is planned, not run. It fails here if its function was renamed.
    await sql.unsafe(`explain ${command}`).catch((error: Error) => errors.push(`${jobname}: ${error.message}`));
  }
  return checkResult('cron jobs', errors, jobs.map(({ jobname, schedule }) => `${jobname} (${schedule})`).join(', '));
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
  const installed = await sql<{ name: string }[]>`select extname as name from pg_extension`;
  for (const { name } of installed) names.add(name);
  const others = [...names].filter((name) => !hostedExtensions.includes(name));
  return checkResult(
    'extensions',
    others.map((name) => `${name} is not among the extensions of the platform`),
    `${[...names].sort().join(', ')}; pg_cron, pg_net and supabase_vault only where available`,
  );
}

async function realtimeFinding(sql: Sql): Promise<Finding> {
  const [row] = await sql<{ messages: number; listeners: number; bytes: number; policies: string[] }[]>`
    select messages_a_second::float as messages, listeners, broadcast_bytes as bytes,
           array(select p.polcmd::text from pg_policy p where p.polrelid = 'realtime.messages'::regclass) as policies
    from stream.settings`;
  if (!row) return checkResult('Realtime', ['stream.settings has no row'], '');
  const plan = realtimePlans.find(([, limit]) => row.messages <= limit);
  const errors = [
    ...(plan ? [] : [`stream.settings allows ${row.messages} messages per second, more than any plan`]),
    ...(row.policies.join() === 'r' ? [] : ['realtime.messages must have exactly one policy, for select']),
    ...(row.bytes <= 256_000 ? [] : [`a broadcast of ${row.bytes} bytes exceeds the 256 KB of the Free plan`]),
  ];
  return checkResult(
    'Realtime',
    errors,
    `private channels with one policy, clients cannot send; ${row.messages} messages per second for ${row.listeners} subscriber(s) fit plan ${plan?.[0]}`,
  );
}

async function rightsFinding(sql: Sql, folder: string): Promise<Finding> {
  const file = join(folder, 'sql', 'rights.txt');
  const same = existsSync(file) && readFileSync(file, 'utf8') === (await sql.begin(renderRights));
  return checkResult(
    'rights',
    same ? [] : ['the rights of the migrated database differ from sql/rights.txt: run npm run manifest'],
    'the migrated database matches sql/rights.txt',
  );
}

/** Secrets of the Vault that SQL reads by name. Each must be in docs/deploy.md. */
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
  const undocumented = [...wanted].filter((name) => !page.includes(`'${name}'`));
  const names = [...wanted].sort().join(', ');
  return [
    checkResult(
      'Vault rows that SQL reads',
      undocumented.map((name) => `${name} is not in docs/deploy.md`),
      names,
    ),
    unknown('Vault rows that exist', `select name from vault.secrets must return ${names}`),
    unknown(
      'logins of the function roles',
      'the migrations create them with nologin; docs/deploy.md has the four statements',
    ),
    unknown('public access of Realtime', 'must be off in the dashboard, Realtime settings: all channels are private'),
  ];
}
