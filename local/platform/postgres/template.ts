import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { repository } from './binaries.ts';
import { loadLite } from './lite.ts';
import { type Cluster, databaseUrl } from './postgres.ts';

export type Sql = postgres.Sql;
/** A pool, or one transaction of it. */
export type Queries = postgres.ISql;

/**
 * A connection as the superuser `supabase_admin`. Our own code has no such connection on the
 * platform.
 */
export function connectAdmin(cluster: Cluster, database: string): Sql {
  return postgres(databaseUrl(cluster.port, 'supabase_admin', cluster.password, database), {
    max: 1,
    onnotice: () => {},
  });
}

export const TEMPLATE_NAME = 'platform';
const folder = join(repository, 'local/platform/postgres/sql');

export type TemplateOptions = {
  /** Default: `platform`, with the tables of `@supabase/lite`. */
  name?: string;
  /** Creates schema `auth` in the template; `admin` is connected to it. */
  makeAuth?(admin: Sql, name: string): Promise<void>;
  /** The text of files that another PostgreSQL needs instead of a stand-in, by file name. */
  replaced?: Record<string, string> | undefined;
};

/**
 * Builds the template: the roles, schemas and stand-ins of a hosted project before its first
 * migration. Once per cluster; other databases are clones of it. `postgresPassword` becomes the
 * password of role `postgres`.
 */
export async function buildTemplate(
  cluster: Cluster,
  postgresPassword: string,
  { name: template = TEMPLATE_NAME, makeAuth, replaced = {} }: TemplateOptions = {},
): Promise<void> {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort();
  const text = (name: string) => replaced[name] ?? readFileSync(join(folder, name), 'utf8');
  const server = connectAdmin(cluster, 'postgres');
  try {
    // A killed start leaves a template without this mark. Build it again.
    const [state] = await server<{ complete: boolean }[]>`
      select datistemplate as complete from pg_database where datname = ${template}`;
    if (state?.complete) return;
    if (state) await dropDatabase(server, template);
    const [roles] = await server`select from pg_roles where rolname = 'dashboard_user'`;
    if (!roles) await server.unsafe(text('00_roles.sql')).simple();
    await server.unsafe(`alter role postgres password '${postgresPassword.replaceAll("'", "''")}'`);
    await server.unsafe(`create database "${template}"`);

    const db = connectAdmin(cluster, template);
    try {
      for (const name of files) {
        if (name === '00_roles.sql') continue;
        if (name === '20_auth.sql') {
          if (makeAuth) {
            await makeAuth(db, template);
            continue;
          }
          await makeAuthTables(databaseUrl(cluster.port, 'supabase_admin', cluster.password, template));
        }
        await db.unsafe(text(name)).simple();
      }
      await db`create extension if not exists plpgsql`;
      await db.unsafe('vacuum analyze').simple();
    } finally {
      await db.end();
    }
    await server.unsafe(`alter database "${template}" owner to postgres`);
    await server.unsafe(`alter database "${template}" is_template true allow_connections false`);
  } finally {
    await server.end();
  }
}

/**
 * Parts of the platform that older data folders lack, each with an object that proves its presence.
 */
const addedParts = {
  '60_realtime.sql': 'realtime.messages',
  '61_realtime_policies.sql': '_realtime.lend_messages',
  '70_storage.sql': 'storage.objects',
};

/** Adds the missing parts to a database that was cloned from an older template. */
export async function completePlatform(cluster: Cluster, database: string): Promise<void> {
  const db = connectAdmin(cluster, database);
  try {
    for (const [name, sign] of Object.entries(addedParts)) {
      const [part] = await db<
        { known: boolean }[]
      >`select coalesce(to_regclass(${sign})::oid, to_regproc(${sign})::oid) is not null as known`;
      if (!part?.known) await db.unsafe(readFileSync(join(folder, name), 'utf8')).simple();
    }
  } finally {
    await db.end();
  }
}

/**
 * Lets @supabase/lite create its tables in schema `auth`. Its connection closes before the template
 * rejects all connections.
 */
async function makeAuthTables(url: string): Promise<void> {
  const { App, createPostgresConnection } = await loadLite();
  const connection = createPostgresConnection({ url, postgresOptions: { onnotice: () => {} } });
  try {
    const app = new App({ connection, auth: { enabled: true } });
    await app.ensureSystemSchema();
  } finally {
    await connection.close();
  }
}

/** Creates `name` as a copy of `from` (35 to 130 ms). `from` must have no connections. */
export async function cloneDatabase(server: Sql, name: string, from: string): Promise<void> {
  await server.unsafe(`create database "${name}" template "${from}" owner postgres strategy = file_copy`);
  // Cloning does not copy the settings of a database.
  await server.unsafe(`alter database "${name}" set search_path = "$user", public, extensions`);
}

export async function dropDatabase(server: Sql, name: string): Promise<void> {
  await server.unsafe(`drop database if exists "${name}" with (force)`);
}
