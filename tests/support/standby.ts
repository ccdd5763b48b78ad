import type { ChildProcess } from 'node:child_process';
import { chownSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identityFor } from '../../local/platform/identity.ts';
import {
  type Cluster,
  databaseUrl,
  freePort,
  spawnPostgres,
  stopPostgres,
  untilReady,
} from '../../local/platform/postgres/postgres.ts';
import { connectAdmin, type Sql } from '../../local/platform/postgres/template.ts';
import { scratchParent, type TemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { Reaper } from '../../local/platform/supervisor/reaper.ts';
import { waitUntil } from './wait_until.ts';

const SLOT = 'standby';
/** What a base backup leaves out (documentation of pg_basebackup). */
const EMPTY_FOLDERS = /^(pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)\/./;
const LEFT_OUT = /^(postmaster\.(pid|opts)|server\.log|.*pgsql_tmp.*)$/;

/**
 * A physical standby of `primary` that streams from it, in a folder of its own. Its base backup is
 * a copy of the folder between pg_backup_start and pg_backup_stop, because npm's PostgreSQL has no
 * pg_basebackup.
 */
export class Standby {
  readonly #primary: TemporaryPostgres;
  readonly #folder = mkdtempSync(join(scratchParent(), 'parallax-standby-'));
  readonly #reaper = new Reaper();
  readonly cluster: Cluster;
  #server: ChildProcess | undefined;

  private constructor(primary: TemporaryPostgres, port: number) {
    this.#primary = primary;
    const { port: primaryPort, password } = primary.cluster;
    this.cluster = {
      ...primary.cluster,
      folder: join(this.#folder, 'postgres'),
      port,
      settings: {
        ...primary.cluster.settings,
        primary_conninfo: `host=127.0.0.1 port=${primaryPort} user=supabase_admin password=${password}`,
        primary_slot_name: SLOT,
        hot_standby_feedback: 'on',
        wal_retrieve_retry_interval: '200ms',
      },
    };
    this.#reaper.watch({ remove: this.#folder });
  }

  static async start(primary: TemporaryPostgres): Promise<Standby> {
    const standby = new Standby(primary, await freePort());
    try {
      await standby.#copyPrimary();
      await standby.startServer();
    } catch (error) {
      await standby.close();
      throw error;
    }
    return standby;
  }

  url(role: string, database: string): string {
    return databaseUrl(this.cluster.port, role, this.#primary.password, database);
  }

  async startServer(): Promise<void> {
    this.#server = spawnPostgres(this.cluster);
    this.#reaper.watch({ postgres: this.#server.pid, remove: this.#folder });
    await untilReady(this.cluster, this.#server);
  }

  /** Ends the server as a crash does: no connection is closed in order. */
  async kill(): Promise<void> {
    const server = this.#server;
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const gone = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGQUIT');
    await gone;
  }

  /** Stops the replay. The log still arrives. */
  async pause(): Promise<void> {
    await this.#asAdmin(async (sql) => {
      await sql`select pg_wal_replay_pause()`;
      await waitUntil(
        async () =>
          (await sql<{ state: string }[]>`select pg_get_wal_replay_pause_state() as state`)[0]?.state === 'paused',
        { what: 'the replay is paused' },
      );
    });
  }

  async resume(): Promise<void> {
    await this.#asAdmin((sql) => sql`select pg_wal_replay_resume()`);
  }

  /** Waits until everything is replayed that the primary has written so far. */
  async untilReplayed(): Promise<void> {
    const [written] = await this.#primary.admin<{ at: string }[]>`select pg_current_wal_insert_lsn()::text as at`;
    await this.#asAdmin((sql) =>
      waitUntil(
        async () =>
          (await sql<{ done: boolean }[]>`select pg_last_wal_replay_lsn() >= ${written?.at ?? ''}::pg_lsn as done`)[0]
            ?.done,
        { what: `${written?.at} is replayed` },
      ),
    );
  }

  async close(): Promise<void> {
    if (this.#server) await stopPostgres(this.#server);
    await this.#reaper.finish();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #asAdmin(work: (sql: Sql) => Promise<unknown>): Promise<void> {
    const sql = connectAdmin(this.cluster, 'postgres');
    try {
      await work(sql);
    } finally {
      await sql.end({ timeout: 2 });
    }
  }

  async #copyPrimary(): Promise<void> {
    // One connection: a backup ends with the session that began it.
    const { admin } = this.#primary;
    // The slot keeps the log that the standby needs from here on.
    await admin`select pg_create_physical_replication_slot(${SLOT}, true)`;
    await admin`select pg_backup_start('standby', true)`;
    const { folder } = this.cluster;
    copyFolder(this.#primary.cluster.folder, folder);
    const [backup] = await admin<{ labelfile: string }[]>`select labelfile from pg_backup_stop(false)`;
    writeFileSync(join(folder, 'backup_label'), backup?.labelfile ?? '');
    writeFileSync(join(folder, 'standby.signal'), '');
    giveToServer(folder);
  }
}

/** Copies a folder while a server writes to it. A file that is removed meanwhile is left out. */
function copyFolder(from: string, to: string, below = ''): void {
  mkdirSync(join(to, below), { recursive: true, mode: 0o700 });
  for (const entry of readdirSync(join(from, below), { withFileTypes: true })) {
    const path = join(below, entry.name);
    if (LEFT_OUT.test(path) || EMPTY_FOLDERS.test(path)) continue;
    if (entry.isDirectory()) copyFolder(from, to, path);
    else copyFile(join(from, path), join(to, path));
  }
  // The server does not make this one itself.
  if (below === 'pg_wal') mkdirSync(join(to, 'pg_wal', 'archive_status'), { recursive: true, mode: 0o700 });
}

function copyFile(from: string, to: string): void {
  try {
    copyFileSync(from, to);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}

/** Where root has no user namespace, the server runs as another user. */
function giveToServer(folder: string): void {
  const identity = identityFor();
  if (identity.kind !== 'drop') return;
  const { uid, gid } = identity;
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    chownSync(join(folder, path), uid, gid);
  chownSync(folder, uid, gid);
}
