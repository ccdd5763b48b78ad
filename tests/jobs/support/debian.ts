import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { asOwner, identityFor } from '../../../local/platform/identity.ts';
import { repository } from '../../../local/platform/postgres/binaries.ts';
import { buildFromSql } from '../../../local/platform/postgres/build.ts';
import { databaseUrl, freePort, stopPostgres, untilReady } from '../../../local/platform/postgres/postgres.ts';
import type { Sql } from '../../../local/platform/postgres/template.ts';
import { Reaper } from '../../../local/platform/supervisor/reaper.ts';
import { temporaryFolder } from '../../support/temporary_folder.ts';

const home = '/usr/lib/postgresql/15';

type Extension = 'pg_cron' | 'plpgsql_check' | 'pg_stat_statements';

/** Whether Debian's PostgreSQL 15 has this extension. `.ci/run` installs both where apt can. */
export function hasDebianExtension(extension: Extension): boolean {
  const isInstalled = existsSync(`${home}/bin/initdb`) && existsSync(`${home}/lib/${extension}.so`);
  if (!isInstalled)
    console.warn(`skipped: Debian's PostgreSQL 15 with ${extension} is not installed (.ci/run lists the packages)`);
  return isInstalled;
}

/**
 * PostgreSQL 15 with sql/ and real extensions. `admin` is the superuser, `sql` and `url` postgres.
 */
export type DebianDatabase = { url: string; sql: Sql; admin: Sql; stop(): Promise<void> };

const password = 'of-this-test';

/**
 * Starts a cluster of Debian's PostgreSQL 15 in a temporary folder, with all of sql/ on the schemas
 * of the platform in the database `house`. Differences from 17, the version that sql/ is written
 * for:
 * - `pg_input_is_valid` is new in 16. A function with that name replaces it.
 * - Roles are granted without the options that 16 added. The role `postgres` inherits anyway.
 * - Auth has one table with the columns that sql/ names.
 * - `net` and `vault` are the stand-ins of local/, since Debian has neither.
 * With the extension `pg_cron` the schema `cron` is the real one.
 */
export async function startDebianDatabase(extensions: Extension[]): Promise<DebianDatabase> {
  const folder = temporaryFolder('debian');
  const cluster = { folder: join(folder, 'postgres'), port: await freePort(), password };
  const reaper = new Reaper();
  reaper.watch({ remove: folder });
  createCluster(folder, cluster.folder);
  const server = spawnServer(cluster.folder, {
    listen_addresses: '127.0.0.1',
    port: cluster.port,
    unix_socket_directories: '',
    fsync: 'off',
    jit: 'off',
    timezone: 'UTC',
    // plpgsql is first, because plpgsql_check hooks into it when it loads.
    shared_preload_libraries: ['plpgsql', ...extensions].join(','),
    'cron.database_name': 'house',
    // Without workers each job logs in over the network and needs a password file.
    'cron.use_background_workers': 'on',
    max_worker_processes: 32,
  });
  reaper.watch({ postgres: server.pid, remove: folder });
  const open: Sql[] = [];
  const stop = async () => {
    await Promise.all(open.map((sql) => sql.end({ timeout: 2 }).catch(() => {})));
    await stopPostgres(server);
    await reaper.finish();
    rmSync(folder, { recursive: true, force: true });
  };
  const connect = (role: string, database: string) => {
    const sql = postgres(databaseUrl(cluster.port, role, password, database), { max: 4, onnotice: () => {} });
    open.push(sql);
    return sql;
  };
  try {
    await untilReady(cluster, server);
    await createRoles(connect('supabase_admin', 'postgres'));
    const admin = connect('supabase_admin', 'house');
    await createPlatform(admin, extensions);
    const url = databaseUrl(cluster.port, 'postgres', password, 'house');
    await buildFromSql(url);
    return { url, admin, sql: connect('postgres', 'house'), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function createCluster(folder: string, cluster: string): void {
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  mkdirSync(cluster, { mode: 0o700 });
  const identity = identityFor();
  if (identity.kind === 'drop')
    for (const path of [folder, passwordFile, cluster]) chownSync(path, identity.uid, identity.gid);
  const { program, args, options } = command('initdb', [
    ...['-D', cluster, '-U', 'supabase_admin', '--no-sync', '--encoding=UTF8', '--locale=C'],
    ...['--auth=scram-sha-256', `--pwfile=${passwordFile}`],
  ]);
  const made = spawnSync(program, args, { ...options, encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`initdb of PostgreSQL 15: ${made.error ?? made.stderr}`);
  const key = join(cluster, 'vault.key');
  writeFileSync(key, 'a'.repeat(64), { mode: 0o600 });
  if (identity.kind === 'drop') chownSync(key, identity.uid, identity.gid);
}

function spawnServer(cluster: string, settings: Record<string, string | number>): ChildProcess {
  const output = openSync(join(cluster, 'server.log'), 'a', 0o600);
  const { program, args, options } = command('postgres', [
    '-D',
    cluster,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]);
  return spawn(program, args, { ...options, detached: true, stdio: ['ignore', output, output] });
}

/** Like asOwner, but runs the programs in place: they find their share folder only from there. */
function command(name: 'initdb' | 'postgres', args: string[]) {
  const identity = identityFor();
  if (identity.kind !== 'drop') return asOwner(identity, home, name, args);
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
  return { program: `${home}/bin/${name}`, args, options: { env, cwd: '/', uid: identity.uid, gid: identity.gid } };
}

const platformSql = (name: string) => readFileSync(join(repository, 'local/platform/postgres/sql', name), 'utf8');

async function createRoles(server: Sql): Promise<void> {
  const roles = platformSql('00_roles.sql').replace(' with inherit true', '').replace(', pg_create_subscription', '');
  await server.unsafe(roles).simple();
  await server.unsafe(`alter role postgres password '${password}'`);
  await server`create database house owner postgres`;
}

async function createPlatform(admin: Sql, extensions: string[]): Promise<void> {
  await admin.unsafe(platformSql('10_extensions.sql')).simple();
  await admin`create schema auth`;
  await admin`create table auth.users (id uuid primary key, email text)`;
  const cron = extensions.includes('pg_cron') ? [] : ['30_cron.sql'];
  for (const name of ['20_auth.sql', ...cron, '40_net.sql', '50_vault.sql', '60_realtime.sql'])
    await admin.unsafe(platformSql(name)).simple();
  await admin
    .unsafe(`
      create function pg_catalog.pg_input_is_valid(value text, type text) returns boolean language plpgsql as $$
      begin
        execute format('select %L::%s', value, type);
        return true;
      exception
        when others then return false;
      end $$`)
    .simple();
  // The schema of the extension in a hosted project.
  const within = (extension: string) => (extension === 'pg_stat_statements' ? ' with schema extensions' : '');
  for (const extension of extensions) await admin.unsafe(`create extension ${extension}${within(extension)}`);
  // As in a hosted project, only postgres may schedule jobs.
  if (extensions.includes('pg_cron')) await admin`grant usage on schema cron to postgres`;
}
