import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import postgres from 'postgres';
import { migrationsFolder, sqlFiles, sqlFolder } from '../platform/postgres/build.ts';
import type { Sql } from '../platform/postgres/template.ts';
import { checkResult, type Finding, unknown } from './finding.ts';

const ROLES = ['parallax_api', 'parallax_deliver', 'parallax_export', 'parallax_ingest', 'parallax_stream'];
const VAULT_ROWS = ['cron_key', 'project_url'];
const PING_MS = 60_000;

/** Asks the database of a running project. `webhook` is an endpoint that receives one test. */
export async function runningDatabaseFindings(databaseUrl: string, webhook: string | undefined): Promise<Finding[]> {
  const sql = postgres(databaseUrl, { max: 1, prepare: false, connect_timeout: 15, onnotice: () => {} });
  try {
    return [
      await jobsFinding(sql),
      await policyFinding(sql),
      await loginsFinding(sql),
      await vaultFinding(sql),
      await migrationFinding(sql),
      await alertsFinding(sql),
      await pingFinding(sql, webhook),
    ];
  } finally {
    await sql.end({ timeout: 2 });
  }
}

/** The schedules of this checkout, by job. */
function scheduledJobs(): Map<string, string> {
  const rows = sqlFiles(sqlFolder).flatMap((file) => [
    ...readFileSync(join(sqlFolder, file), 'utf8').matchAll(/'(parallax_[a-z]+)', '([^']*(?:seconds|\*))',/g),
  ]);
  return new Map(rows.map((row) => [row[1] ?? '', row[2] ?? '']));
}

async function jobsFinding(sql: Sql): Promise<Finding> {
  const jobs = await sql<{ job: string; active: boolean; last_status: string | null; age: number | null }[]>`
    select job, active, last_status, extract(epoch from clock_timestamp() - last_end)::float as age
    from ops.job_status()`;
  const byName = new Map(jobs.map((job) => [job.job, job]));
  const wanted = scheduledJobs();
  const errors = [...wanted].flatMap(([name, schedule]) => {
    const job = byName.get(name);
    if (!job) return [`${name} is not scheduled: select jobs.install_schedules()`];
    if (!job.active) return [`${name} is switched off in cron.job`];
    // The others run every ten minutes.
    const dueSeconds = schedule.endsWith('seconds') ? 60 : schedule === '* * * * *' ? 130 : null;
    if (dueSeconds !== null && (job.age === null || job.age > dueSeconds))
      return [`${name} did not run in the last ${dueSeconds} s: select * from ops.job_status()`];
    return job.last_status === 'failed' ? [`the last run of ${name} failed: select * from ops.job_status()`] : [];
  });
  return checkResult('jobs', errors, `${wanted.size} are scheduled; those that are due ran in the last minute`);
}

async function policyFinding(sql: Sql): Promise<Finding> {
  const policies = await sql<{ command: string; is_forced: boolean }[]>`
    select p.polcmd::text as command, c.relrowsecurity as is_forced
    from pg_catalog.pg_policy p
    join pg_catalog.pg_class c on c.oid = p.polrelid
    where p.polrelid = 'realtime.messages'::regclass`;
  const isRight = policies.length === 1 && policies[0]?.command === 'r' && policies[0].is_forced;
  const how = 'run select stream.install_realtime_policy() in the SQL editor';
  return checkResult(
    'policy of Realtime',
    isRight ? [] : [`realtime.messages has ${policies.length} policies instead of one for select: ${how}`],
    'one policy for select on realtime.messages',
  );
}

async function loginsFinding(sql: Sql): Promise<Finding> {
  const roles = await sql<{ name: string; login: boolean }[]>`
    select rolname::text as name, rolcanlogin as login from pg_catalog.pg_roles where rolname = any (${ROLES})`;
  const without = ROLES.filter((name) => !roles.find((role) => role.name === name)?.login);
  return checkResult(
    'logins of the function roles',
    without.map((name) => `${name} cannot log in: alter role ${name} login password '…'`),
    ROLES.join(', '),
  );
}

async function vaultFinding(sql: Sql): Promise<Finding> {
  const [{ exists } = { exists: false }] = await sql<{ exists: boolean }[]>`
    select to_regclass('vault.secrets') is not null as exists`;
  if (!exists) return checkResult('Vault rows', ['the extension supabase_vault is missing'], '');
  const rows = await sql<{ name: string }[]>`select name from vault.secrets where name = any (${VAULT_ROWS})`;
  const missing = VAULT_ROWS.filter((name) => !rows.some((row) => row.name === name));
  return checkResult(
    'Vault rows',
    missing.map((name) => `${name} is missing: select vault.create_secret('…', '${name}')`),
    VAULT_ROWS.join(', '),
  );
}

async function migrationFinding(sql: Sql): Promise<Finding> {
  const newest =
    sqlFiles(migrationsFolder)
      .map((file) => basename(file).split('_')[0] ?? '')
      .at(-1) ?? '';
  const [{ exists } = { exists: false }] = await sql<{ exists: boolean }[]>`
    select to_regclass('supabase_migrations.schema_migrations') is not null as exists`;
  if (!exists) return unknown('migrations', 'this database was not built by supabase db push');
  const applied = await sql<{ version: string }[]>`
    select version from supabase_migrations.schema_migrations order by version`;
  const has = applied.some(({ version }) => version === newest);
  return checkResult(
    'migrations',
    has
      ? []
      : [`${newest} of this checkout is not applied (the newest is ${applied.at(-1)?.version ?? 'none'}): db push`],
    `${newest} is applied`,
  );
}

/** Alerts about the service. Those of a pair or of a gate are about the market. */
async function alertsFinding(sql: Sql): Promise<Finding> {
  const alerts = await sql<{ alert: string; next: string }[]>`select alert, next from ops.alerts`;
  const ours = alerts.filter(({ alert }) => !/^(pair|gate)\./.test(alert));
  return checkResult(
    'alerts',
    ours.map(({ alert, next }) => `${alert}: ${next}`),
    `none about the service, ${alerts.length} about the market`,
  );
}

async function pingFinding(sql: Sql, endpoint: string | undefined): Promise<Finding> {
  if (endpoint === undefined) return unknown('webhook', 'give the id of an endpoint of yours: --webhook ID');
  const [found] = await sql<{ url: string }[]>`
    select url from webhook.endpoints where endpoint_id::text = ${endpoint}`;
  if (!found) return checkResult('webhook', [`there is no endpoint ${endpoint}`], '');
  const [sent] = await sql<{ id: string }[]>`select webhook.send_ping(${endpoint}::uuid) as id`;
  const end = Date.now() + PING_MS;
  for (;;) {
    const [delivery] = await sql<{ state: string; last_status: number | null; last_error: string | null }[]>`
      select state, last_status, last_error from webhook.deliveries where delivery_id = ${sent?.id ?? null}`;
    if (delivery?.state === 'delivered')
      return checkResult('webhook', [], `a ping was answered ${delivery.last_status}`);
    const error = delivery?.last_error ?? (delivery?.last_status && `the receiver answered ${delivery.last_status}`);
    if (error || Date.now() > end)
      return checkResult(
        'webhook',
        [`the ping is not delivered: ${error || 'deliver did not send it within a minute'}`],
        '',
      );
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
