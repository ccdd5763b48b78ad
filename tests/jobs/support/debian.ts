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

/** Whether Debian's PostgreSQL 15 with this extension is installed: `.ci/run` sees to it where apt can. Says so once where not. */
export function debianHas(extension: Extension): boolean {
  const there = existsSync(`${home}/bin/initdb`) && existsSync(`${home}/lib/${extension}.so`);
  if (!there)
    console.warn(`skipped: Debian's PostgreSQL 15 with ${extension} is not installed (.ci/run says which packages)`);
  return there;
}

/** PostgreSQL 15 with the whole of sql/ and real extensions; `admin` is the superuser, `sql` (and `url`) postgres as hosted. */
export type DebianHouse = { url: string; sql: Sql; admin: Sql; stop(): Promise<void> };

const password = 'of-this-test';

/**
 * A cluster of Debian's PostgreSQL 15 in a temporary folder, and in it the database `house`: all of sql/ on the platform's schemas.
 * Not as on 17, which it is written for:
 * - `pg_input_is_valid` is new in 16: a function of that name does the same here.
 * - Roles are granted without the options that 16 added; the role `postgres` inherits anyway.
 * - Auth's tables are one, with the columns that sql/ names; `net` and `vault` are the stand-ins of local/ (Debian has neither).
 * With `pg_cron` among the extensions `cron` is the real one, and nothing of local/ runs beside it.
 */
export async function startDebianHouse(extensions: Extension[]): Promise<DebianHouse> {
  const folder = temporaryFolder('debian');
  const cluster = { folder: join(folder, 'postgres'), port: await freePort(), password };
  const reaper = new Reaper();
  reaper.watch({ remove: folder });
  makeCluster(folder, cluster.folder);
  const server = spawnServer(cluster.folder, {
    listen_addresses: '127.0.0.1',
    port: cluster.port,
    unix_socket_directories: '',
    fsync: 'off',
    jit: 'off',
    timezone: 'UTC',
    // plpgsql first: plpgsql_check hooks into it as it loads.
    shared_preload_libraries: ['plpgsql', ...extensions].join(','),
    'cron.database_name': 'house',
    // Else each job logs in over the network as its role, and would need a password file.
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
    await layFoundation(connect('supabase_admin', 'postgres'));
    const admin = connect('supabase_admin', 'house');
    await layPlatform(admin, extensions);
    const url = databaseUrl(cluster.port, 'postgres', password, 'house');
    await buildFromSql(url);
    return { url, admin, sql: connect('postgres', 'house'), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function makeCluster(folder: string, cluster: string): void {
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

/** As asOwner, but these programs lie where every user reaches them, and they find their share folder only from there. */
function command(name: 'initdb' | 'postgres', args: string[]) {
  const identity = identityFor();
  if (identity.kind !== 'drop') return asOwner(identity, home, name, args);
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
  return { program: `${home}/bin/${name}`, args, options: { env, cwd: '/', uid: identity.uid, gid: identity.gid } };
}

const platformSql = (name: string) => readFileSync(join(repository, 'local/platform/postgres/sql', name), 'utf8');

async function layFoundation(server: Sql): Promise<void> {
  const roles = platformSql('00_roles.sql').replace(' with inherit true', '').replace(', pg_create_subscription', '');
  await server.unsafe(roles).simple();
  await server.unsafe(`alter role postgres password '${password}'`);
  await server`create database house owner postgres`;
}

async function layPlatform(admin: Sql, extensions: string[]): Promise<void> {
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
  // Where a hosted project has it.
  const within = (extension: string) => (extension === 'pg_stat_statements' ? ' with schema extensions' : '');
  for (const extension of extensions) await admin.unsafe(`create extension ${extension}${within(extension)}`);
  // As hosted: postgres schedules, nobody else.
  if (extensions.includes('pg_cron')) await admin`grant usage on schema cron to postgres`;
}
