import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { asOwner, type Identity, identityFor } from '../identity.ts';
import { errorCode, errorText, UserError } from '../user_error.ts';
import { postgresNative } from './binaries.ts';

export const POSTGRES_MAJOR = 17;

/** A cluster on disk, and its port. `password` belongs to the superuser `supabase_admin`. */
export type Cluster = {
  folder: string;
  port: number;
  password: string;
  /**
   * For tests: speed without durability. Never for a data folder that must survive a power failure.
   */
  volatile?: boolean;
  maxConnections?: number;
  identity?: Identity;
  /** The folder with bin/ of another PostgreSQL than npm's. */
  native?: string;
  /** Further settings of the server. */
  settings?: Record<string, string | number>;
};

/**
 * True when `folder` already contains a cluster. Throws UserError when it contains anything
 * unusable.
 */
export function clusterExists(folder: string): boolean {
  const version = join(folder, 'PG_VERSION');
  if (!existsSync(version)) {
    if (existsSync(folder) && readdirSync(folder).length > 0) {
      throw new UserError(
        `${folder} is not a complete PostgreSQL cluster (no PG_VERSION). Move it away, or start with another --data.`,
      );
    }
    return false;
  }
  const found = readFileSync(version, 'utf8').trim();
  if (found !== String(POSTGRES_MAJOR)) {
    throw new UserError(
      `${folder} was created by PostgreSQL ${found || '(unknown)'}, but this project runs ${POSTGRES_MAJOR}. Start with another --data.`,
    );
  }
  if (!existsSync(join(folder, 'global', 'pg_control'))) {
    throw new UserError(
      `${folder} is damaged (global/pg_control is missing). Restore it from a backup, or start with another --data.`,
    );
  }
  checkVaultKey(join(folder, 'vault.key'));
  return true;
}

/** Throws UserError when the file holds no key. */
function checkVaultKey(file: string): void {
  const advice = 'It decrypts the secrets of the Vault. Restore it from a backup, or start with another --data.';
  if (!existsSync(file)) throw new UserError(`${file} is missing. ${advice}`);
  if (!/^[0-9a-f]{64}\s*$/.test(readFileSync(file, 'utf8'))) throw new UserError(`${file} is damaged. ${advice}`);
}

/**
 * Creates a new cluster in `folder`. Network logins need a password from the start, because other
 * users may share this machine.
 */
export async function createCluster(cluster: Cluster): Promise<void> {
  const identity = cluster.identity ?? identityFor();
  mkdirSync(cluster.folder, { recursive: true, mode: 0o700 });
  if (identity.kind === 'drop') chownSync(cluster.folder, identity.uid, identity.gid);
  const passwordFile = join(tmpdir(), `parallax-${randomBytes(8).toString('hex')}`);
  writeFileSync(passwordFile, cluster.password, { mode: 0o600 });
  if (identity.kind === 'drop') chownSync(passwordFile, identity.uid, identity.gid);
  try {
    const started = asOwner(identity, cluster.native ?? postgresNative(), 'initdb', [
      ...['-D', cluster.folder, '-U', 'supabase_admin', '--no-sync', '--no-instructions', '--encoding=UTF8'],
      // The builtin provider sorts and folds case the same on every machine. libc locales differ
      // and may be missing.
      ...['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
      ...['--auth=scram-sha-256', `--pwfile=${passwordFile}`],
    ]);
    const result = spawnSync(started.program, started.args, { ...started.options, encoding: 'utf8' });
    if (result.status !== 0) {
      const why = result.error?.message ?? `${result.stderr}`.trim().split('\n').at(-1) ?? '';
      throw new UserError(`The database could not be created in ${cluster.folder}: ${why}.`);
    }
    // The encryption key of vault.*; see sql/50_vault.sql. It is a file and not in a table, so a
    // dump or a clone does not contain it.
    const keyFile = join(cluster.folder, 'vault.key');
    writeFileSync(keyFile, randomBytes(32).toString('hex'), { mode: 0o600 });
    if (identity.kind === 'drop') chownSync(keyFile, identity.uid, identity.gid);
  } catch (error) {
    rmSync(cluster.folder, { recursive: true, force: true });
    throw error;
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

/** The log of the server of a cluster. */
export const serverLog = (folder: string): string => join(folder, 'server.log');

/**
 * Starts the server as a child in its own process group, so that a Ctrl-C in the terminal reaches
 * only the supervisor. Its output goes to `output`, by default the file `serverLog`. SIGINT to the
 * child stops it quickly and cleanly.
 */
export function spawnPostgres(
  cluster: Cluster,
  output: number | 'pipe' = openSync(serverLog(cluster.folder), 'a', 0o600),
): ChildProcess {
  const settings: Record<string, string | number> = {
    listen_addresses: '127.0.0.1',
    port: cluster.port,
    unix_socket_directories: '',
    max_connections: cluster.maxConnections ?? 100,
    shared_buffers: cluster.volatile ? '128MB' : '256MB',
    wal_level: 'logical',
    synchronous_commit: cluster.volatile ? 'off' : 'on',
    // Realtime and other readers of the log receive a change when it is written; an asynchronous
    // commit is written only after this delay.
    wal_writer_delay: cluster.volatile ? '10ms' : '200ms',
    fsync: cluster.volatile ? 'off' : 'on',
    full_page_writes: cluster.volatile ? 'off' : 'on',
    // Our queries are short; compiling them costs more than it saves.
    jit: 'off',
    log_min_messages: 'warning',
    log_line_prefix: '%m [%p] %q%u@%d ',
    max_wal_size: cluster.volatile ? '512MB' : '2GB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Connections of four workers come and go. A dead client must not hold locks for long.
    tcp_keepalives_idle: 60,
    ...cluster.settings,
  };
  const identity = cluster.identity ?? identityFor();
  const started = asOwner(identity, cluster.native ?? postgresNative(), 'postgres', [
    '-D',
    cluster.folder,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]);
  return spawn(started.program, started.args, {
    ...started.options,
    detached: true,
    stdio: ['ignore', output, output],
  });
}

/** The URL of `database` for `role`. */
export function databaseUrl(port: number, role: string, password: string, database: string): string {
  return `postgres://${role}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
}

/**
 * Waits until the server accepts logins (it rejects them while it recovers from a crash). Throws
 * when `child` ends first or after `seconds`, with the last line of the server's log in the
 * message.
 */
export async function untilReady(cluster: Cluster, child: ChildProcess, seconds = 60): Promise<void> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new UserError(
        `PostgreSQL did not start: ${lastLogLine(cluster.folder)} (full log: ${serverLog(cluster.folder)}).`,
      );
    }
    const sql = postgres(databaseUrl(cluster.port, 'supabase_admin', cluster.password, 'postgres'), {
      max: 1,
      connect_timeout: 5,
      onnotice: () => {},
    });
    try {
      await sql`select 1`;
      return;
    } catch (error) {
      if (errorCode(error) === '28P01') {
        throw new UserError(
          `The password in secrets.json does not match ${cluster.folder}. Restore secrets.json, or start with another --data.`,
        );
      }
      if (isDamage(error)) throw new UserError(damageText(cluster.folder, error));
      if (Date.now() > end)
        throw new UserError(`PostgreSQL accepted no login within ${seconds} s: ${errorText(error)}.`);
    } finally {
      await sql.end({ timeout: 1 }).catch(() => {});
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Whether Postgres failed because files of the cluster are missing or damaged. */
export function isDamage(error: unknown): boolean {
  // Classes 58 (system error) and XX (internal error: corrupted data or index).
  return error instanceof postgres.PostgresError && /^(58|XX)/.test(error.code);
}

/** What that error means for the user. */
export function damageText(folder: string, error: unknown): string {
  return `The database in ${folder} is damaged (${errorText(error)}). Restore it from a backup, or start with another --data.`;
}

function lastLogLine(folder: string): string {
  try {
    const lines = readFileSync(serverLog(folder), 'utf8').trim().split('\n');
    // A login that the server rejects while it starts is FATAL for that connection alone.
    const fatal = lines
      .filter((line) => /FATAL|PANIC|cannot open shared/.test(line) && !/the database system is /.test(line))
      .at(-1);
    return fatal ?? lines.at(-1) ?? 'its log is empty';
  } catch {
    return 'its log is missing';
  }
}

/** Stops the server and resolves when it has ended. Kills it after `seconds`. */
export async function stopPostgres(child: ChildProcess, seconds = 20): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGINT');
  const timer = setTimeout(() => child.kill('SIGQUIT'), seconds * 1000);
  await gone;
  clearTimeout(timer);
}

/**
 * Ports that no system uses for outgoing connections (Linux from 32768 on, others from 49152), so a
 * free one stays free while a server starts. Browsers block none of them.
 */
const SERVER_PORTS = [11_000, 32_000] as const;

/** A loopback port that was free a moment ago: `wanted` if possible, else any. */
export async function freePort(wanted = 0): Promise<number> {
  const isFree = (port: number) =>
    new Promise<boolean>((resolve) => {
      const server = createServer();
      server.once('error', () => resolve(false));
      server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
    });
  if (wanted > 0 && wanted < 65_536 && (await isFree(wanted))) return wanted;
  for (let tries = 0; tries < 100; tries++) {
    const port = randomInt(...SERVER_PORTS);
    if (await isFree(port)) return port;
  }
  throw new UserError(`No loopback port from ${SERVER_PORTS[0]} to ${SERVER_PORTS[1]} is free on this machine.`);
}

/** The process id of a server that runs on `folder`, or undefined. */
export function runningPid(folder: string): number | undefined {
  const file = join(folder, 'postmaster.pid');
  if (!existsSync(file)) return undefined;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  if (!Number.isInteger(pid) || pid <= 1) return undefined;
  try {
    process.kill(pid, 0);
  } catch {
    return undefined;
  }
  // After a reboot, another process may have this id. On Linux, its working folder identifies it.
  if (process.platform === 'linux') {
    try {
      const here = statSync(folder);
      const there = statSync(`/proc/${pid}/cwd`);
      if (here.ino !== there.ino || here.dev !== there.dev) return undefined;
    } catch {
      return undefined;
    }
  }
  return pid;
}
