import { existsSync, mkdtempSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import type { ClockSegment } from '../../../functions/ingest/clock.ts';
import type { Broker } from '../carrier/config.ts';
import { identityFor } from '../identity.ts';
import { buildFromMigrations, migrationsFolder, sqlFiles } from '../postgres/build.ts';
import {
  type Cluster,
  clusterExists,
  createCluster,
  databaseUrl,
  freePort,
  runningPid,
  spawnPostgres,
  untilReady,
} from '../postgres/postgres.ts';
import {
  buildTemplate,
  cloneDatabase,
  completePlatform,
  connectAdmin,
  type Sql,
  TEMPLATE_NAME,
  type TemplateOptions,
} from '../postgres/template.ts';
import { errorCode, UserError } from '../user_error.ts';
import type { DataFolder } from './data_folder.ts';
import { progress } from './log.ts';
import type { OutputSink } from './log_file.ts';
import { isAlive, sleep } from './process.ts';
import { Service, type ServiceEvents } from './service.ts';

/** The database of the stack. On the platform it is called `postgres`. */
export const DATABASE_NAME = 'parallax';

/** Connections that the processes of a stack without Centrifugo may open. */
const CONNECTIONS = 100;

/**
 * Finds or creates the cluster of a data folder, and a port for it. `connections`: those of
 * Centrifugo.
 */
export async function prepareCluster(data: DataFolder, wantedPort: number, connections = 0): Promise<Cluster> {
  const folder = clusterFolder(data.path);
  const exists = clusterExists(folder);
  if (exists) await waitForOldPostgres(folder);
  const maxConnections = CONNECTIONS + connections;
  const cluster: Cluster = { folder, port: wantedPort, password: data.secrets.superuser, maxConnections };
  if (!exists) {
    progress('creating a new database');
    await createCluster(cluster);
  }
  // As late as possible, because any new connection may use this port.
  cluster.port = await freePort(wantedPort);
  return cluster;
}

/**
 * `<data>/postgres`. If root cannot give Postgres a user namespace, Postgres runs as another user,
 * which may not be able to enter the data folder (/root is closed to others). Then the files are in
 * /var/tmp, and `<data>/postgres` is a link to them.
 */
function clusterFolder(path: string): string {
  const folder = join(path, 'postgres');
  if (existsSync(folder)) return realpathSync(folder);
  if (identityFor().kind !== 'drop') return folder;
  // A random name, so that no other user can have created it.
  const elsewhere = mkdtempSync('/var/tmp/parallax-postgres-');
  symlinkSync(elsewhere, folder);
  return realpathSync(folder);
}

/** After a killed run, its Postgres may still write its checkpoint or keep running. */
async function waitForOldPostgres(folder: string): Promise<void> {
  const pid = runningPid(folder);
  if (pid === undefined) return;
  progress(`waiting until the PostgreSQL of the last run stops (process ${pid})`);
  for (const [signal, timeoutMs] of [
    ['SIGINT', 10_000],
    ['SIGQUIT', 5_000],
  ] as const) {
    const end = Date.now() + timeoutMs;
    // The reaper of the last run usually has sent it already.
    await sleep(signal === 'SIGINT' ? 1_000 : 0);
    if (isAlive(pid)) process.kill(pid, signal);
    while (isAlive(pid) && Date.now() < end) await sleep(50);
    if (!isAlive(pid)) return;
  }
  throw new UserError(`A PostgreSQL (process ${pid}) runs on ${folder} and does not stop. End it and start again.`);
}

export function postgresService(cluster: Cluster, log: OutputSink, events: ServiceEvents): Service {
  return new Service(
    {
      name: 'postgres',
      spawn: () => log.collect(spawnPostgres(cluster, 'pipe')),
      async ready(child) {
        await untilReady(cluster, child);
        return `127.0.0.1:${cluster.port}`;
      },
      // "Fast": ends sessions, writes a checkpoint, exits.
      stopSignal: 'SIGINT',
      graceMs: 20_000,
    },
    events,
  );
}

/** A connection of the supervisor as postgres. */
export function connectOwner(cluster: Cluster, data: DataFolder): Sql {
  return postgres(databaseUrl(cluster.port, 'postgres', data.secrets.postgres, DATABASE_NAME), {
    max: 2,
    idle_timeout: 20,
    // The driver's query for array types rejects outside of any promise when the server stops. We
    // use no arrays here.
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: 'supervisor' },
  });
}

/** The tables of Supabase Auth itself (`--auth gotrue`). */
type AuthTables = {
  templateOptions(cluster: Cluster): TemplateOptions;
  migrate(cluster: Cluster, database: string): Promise<void>;
};

/** Creates the database if it does not exist, and applies pending migrations. */
export async function prepareDatabase(
  cluster: Cluster,
  data: DataFolder,
  signal: AbortSignal,
  auth: AuthTables | undefined,
): Promise<string> {
  const server = connectAdmin(cluster, 'postgres');
  try {
    const [ours] = await server`select from pg_database where datname = ${DATABASE_NAME}`;
    if (!ours) {
      progress('preparing roles, auth, cron, net, vault and realtime');
      await buildTemplate(cluster, data.secrets.postgres, auth?.templateOptions(cluster));
      await cloneDatabase(server, DATABASE_NAME, TEMPLATE_NAME);
    }
    await completePlatform(cluster, DATABASE_NAME);
    await auth?.migrate(cluster, DATABASE_NAME);
  } finally {
    await server.end();
  }
  const pending = await pendingMigrations(cluster, data);
  if (pending.length > 0) {
    progress(`applying ${pending.length} migration${pending.length > 1 ? 's' : ''} (supabase db push)`);
    await buildFromMigrations(databaseUrl(cluster.port, 'postgres', data.secrets.postgres, DATABASE_NAME), { signal });
  }
  return pending.length > 0 ? `${pending.length} applied` : 'up to date';
}

/**
 * The migrations that the database lacks. Throws UserError when it has migrations without a file.
 */
async function pendingMigrations(cluster: Cluster, data: DataFolder): Promise<string[]> {
  const files = sqlFiles(migrationsFolder);
  const admin = connectAdmin(cluster, DATABASE_NAME);
  try {
    const [history] = await admin<{ found: string | null }[]>`
      select to_regclass('supabase_migrations.schema_migrations')::text as found`;
    if (!history?.found) return files;
    const rows = await admin<{ version: string }[]>`select version from supabase_migrations.schema_migrations`;
    const had = new Set(rows.map((row) => row.version));
    const versions = new Set(files.map((name) => name.split('_')[0] ?? ''));
    if ([...had].some((version) => !versions.has(version))) {
      throw new UserError(
        `${data.path} was built by other migrations than those in supabase/migrations. Start with another --data, or delete it.`,
      );
    }
    return files.filter((name) => !had.has(name.split('_')[0] ?? ''));
  } finally {
    await admin.end();
  }
}

export type Deployment = {
  projectUrl: string;
  restDelaySeconds: number;
  webhookAllow: readonly string[];
  /** The one address with http that may receive webhooks. */
  webhookInbox: string;
  segments: readonly ClockSegment[];
  /** What carries the stream. */
  carrier: 'embedded' | Broker;
};

const LOGIN_ROLES = [
  'parallax_api',
  'parallax_ingest',
  'parallax_deliver',
  'parallax_export',
  'parallax_stream',
  'parallax_carrier',
] as const;

/**
 * The manual steps of a hosted deployment: logins of the function roles, secrets in the vault,
 * settings, the clock.
 */
export async function deploySettings(cluster: Cluster, data: DataFolder, deployment: Deployment): Promise<void> {
  const { secrets } = data;
  const admin = connectAdmin(cluster, DATABASE_NAME);
  try {
    for (const role of LOGIN_ROLES) {
      const [found] = await admin`select from pg_roles where rolname = ${role}`;
      if (found) await admin.unsafe(`alter role "${role}" login password '${secrets[role]}'`);
    }
    await admin.unsafe(`alter role postgres password '${secrets.postgres}'`);
    await storeSecret(admin, 'project_url', deployment.projectUrl);
    await storeSecret(admin, 'cron_key', secrets.cron);

    const [settings] = await admin`
      select from pg_attribute
      where attrelid = to_regclass('price.settings') and attname = 'rest_delay' and not attisdropped`;
    if (settings) {
      await admin`update price.settings set rest_delay = make_interval(secs => ${deployment.restDelaySeconds})`;
    }
    // Also set when the list is empty, so that hosts of the last start are not allowed any more.
    const [webhooks] = await admin`select where to_regclass('webhook.settings') is not null`;
    if (webhooks) {
      await admin`
        update webhook.settings
        set allowed_hosts = ${[...deployment.webhookAllow]}, local_inbox = ${deployment.webhookInbox}`;
    }
    await useCarrier(admin, deployment.carrier);
    await setClock(admin, deployment.segments);
  } finally {
    await admin.end();
  }
}

/** Sets what carries the stream, with the rights of postgres. */
async function useCarrier(admin: Sql, carrier: Deployment['carrier']): Promise<void> {
  const [known] = await admin`select where to_regprocedure('stream.use_carrier(text)') is not null`;
  if (!known) return;
  await admin.begin(async (sql) => {
    await sql`set local role postgres`;
    await sql`select stream.use_carrier(${carrier})`;
  });
}

/** Sets the market clock in one transaction, so that readers see it complete. */
export async function setClock(owner: Sql, segments: readonly ClockSegment[]): Promise<void> {
  await owner.begin(async (sql) => {
    await sql`delete from clock.segments`;
    for (const { real_from, market_from, rate } of segments) {
      await sql`insert into clock.segments (real_from, market_from, rate)
        values (to_timestamp(${real_from}::double precision / 1000), to_timestamp(${market_from}::double precision / 1000), ${rate})`;
    }
  });
}

/** Writes a row of the Vault, or changes it. */
export async function storeSecret(admin: Sql, name: string, value: string): Promise<void> {
  const [known] = await admin<{ id: string; value: string }[]>`
    select id, decrypted_secret as value from vault.decrypted_secrets where name = ${name}`.catch((error: unknown) => {
    // external_routine_invocation_exception, of pgcrypto.
    if (errorCode(error) !== '39000') throw error;
    throw new UserError(
      'vault.key in the folder of the database is not the key of its Vault. Restore it from a backup, or start with another --data.',
    );
  });
  if (!known) await admin`select vault.create_secret(${value}, ${name})`;
  else if (known.value !== value) await admin`select vault.update_secret(${known.id}, ${value})`;
}
