import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, chownSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { identityFor } from '../../local/platform/identity.ts';
import { denoProgram, repository } from '../../local/platform/postgres/binaries.ts';
import {
  type Cluster,
  createCluster,
  databaseUrl,
  freePort,
  spawnPostgres,
  stopPostgres,
  untilReady,
} from '../../local/platform/postgres/postgres.ts';
import { connectAdmin, type Sql } from '../../local/platform/postgres/template.ts';
import { Reaper } from '../../local/platform/supervisor/reaper.ts';
import { errorCode } from '../../local/platform/user_error.ts';
import { descendants } from '../support/stack.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';
import { waitUntil } from '../support/wait_until.ts';
import { createAuthority } from '../webhook/support/certificate.ts';
import type { QueryRecord } from './load.ts';

/**
 * A Postgres that a test may stop, kill and freeze, with a table in which each write leaves two
 * rows.
 */
export class Server {
  readonly cluster: Cluster;
  readonly #folder: string;
  readonly #reaper = new Reaper();
  #process: ChildProcess | undefined;
  #admin: Sql | undefined;

  private constructor(folder: string, cluster: Cluster) {
    this.#folder = folder;
    this.cluster = cluster;
  }

  static async start(): Promise<Server> {
    const folder = temporaryFolder('pool');
    const password = randomBytes(12).toString('hex');
    const port = await freePort();
    const server = new Server(folder, { folder: join(folder, 'postgres'), port, password, volatile: true });
    server.#reaper.watch({ remove: folder });
    await createCluster(server.cluster);
    server.#enableTls();
    await server.start();
    await server.sql.unsafe(`
      create role caller login password '${password}';
      -- The cluster is volatile otherwise, and a write that was reported must survive a crash.
      alter role caller set synchronous_commit = on;
      create table written (token text, half text, primary key (token, half));
      grant select, insert on written to caller;
      create function written(p_token text) returns text language plpgsql as $$
      begin
        insert into written values (p_token, 'left');
        perform pg_sleep(random() * 0.01);
        insert into written values (p_token, 'right');
        return p_token;
      end $$`);
    return server;
  }

  get sql(): Sql {
    if (!this.#admin) throw new Error('the server is down');
    return this.#admin;
  }

  url(port = this.cluster.port): string {
    return databaseUrl(port, 'caller', this.cluster.password, 'postgres');
  }

  async start(): Promise<void> {
    this.#process = spawnPostgres(this.cluster);
    this.#reaper.watch({ postgres: this.#process.pid, remove: this.#folder });
    await untilReady(this.cluster, this.#process);
    this.#admin = connectAdmin(this.cluster, 'postgres');
  }

  async stop(): Promise<void> {
    await this.#admin?.end({ timeout: 1 }).catch(() => {});
    this.#admin = undefined;
    if (this.#process) await stopPostgres(this.#process);
  }

  /**
   * Signals every process of Postgres. SIGSTOP is a machine that hangs, SIGKILL one that loses
   * power.
   */
  async signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): Promise<void> {
    const main = this.#process?.pid ?? 0;
    const gone = new Promise<void>((resolve) => this.#process?.once('exit', () => resolve()));
    for (const pid of [main, ...descendants(main).map((row) => row.pid)]) {
      try {
        process.kill(pid, signal);
      } catch (error) {
        // A backend may have ended meanwhile.
        if (errorCode(error) !== 'ESRCH') throw error;
      }
    }
    if (signal !== 'SIGKILL') return;
    await gone;
    await this.stop();
  }

  /** Terminates up to `max` backends of the callers. Returns their number. */
  async kill(max: number): Promise<number> {
    const rows = await this.sql`
      select pg_terminate_backend(pid) from (
        select pid from pg_stat_activity where usename = 'caller' order by random() limit ${max}
      ) backends`;
    return rows.length;
  }

  async end(): Promise<void> {
    await this.stop();
    await this.#reaper.finish();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Enables TLS with a certificate that no public CA issued, like that of the platform. */
  #enableTls(): void {
    const { certificate, key } = createAuthority().issue(['127.0.0.1']);
    const identity = identityFor();
    for (const [name, text] of [
      ['server.crt', certificate],
      ['server.key', key],
    ] as const) {
      const file = join(this.cluster.folder, name);
      writeFileSync(file, text, { mode: 0o600 });
      if (identity.kind === 'drop') chownSync(file, identity.uid, identity.gid);
    }
    appendFileSync(join(this.cluster.folder, 'postgresql.conf'), 'ssl = on\n');
  }
}

/** load.ts in a Deno process. */
export class LoadProcess {
  answered = 0;
  failed = 0;
  unsent = 0;
  errors = '';
  readonly #child: ChildProcess;
  readonly #exit: Promise<number | null>;
  #output = '';

  constructor(url: string, options: { limitMs?: number; maxConnections?: number } = {}) {
    const rights = ['--quiet', '--no-prompt', '--cached-only', '--allow-net', '--allow-env'];
    const args = [url, String(options.limitMs ?? 5_000), String(options.maxConnections ?? 4)];
    this.#child = spawn(denoProgram(), ['run', ...rights, 'tests/pool/load.ts', ...args], {
      cwd: repository,
      env: { ...process.env, NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1' },
    });
    this.#exit = new Promise((resolve) => this.#child.once('close', resolve));
    this.#child.stderr?.on('data', (piece) => {
      this.errors += String(piece);
    });
    this.#child.stdout?.on('data', (piece) => {
      this.#output += String(piece);
      const report = [...this.#output.matchAll(/^ok (\d+) (\d+) (\d+)$/gm)].at(-1);
      if (report) [this.answered = 0, this.failed = 0, this.unsent = 0] = report.slice(1).map(Number);
      if (report) this.#output = this.#output.slice(report.index);
    });
  }

  /** Waits for `more` answers from now on. Returns the time in ms. */
  async waitForAnswers(more = 200): Promise<number> {
    const [before, startedAt] = [this.answered, Date.now()];
    await waitUntil(
      () => {
        if (this.#child.exitCode !== null) throw new Error(`the load process ended: ${this.errors}`);
        return this.answered >= before + more;
      },
      { what: `${more} more answers than ${before}`, timeoutMs: 60_000 },
    );
    return Date.now() - startedAt;
  }

  async end(): Promise<QueryRecord[]> {
    this.#child.stdin?.end();
    expect(await this.#exit, this.errors).toBe(0);
    return JSON.parse(this.#output.trim().split('\n').at(-1) ?? '') as QueryRecord[];
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}

/**
 * Each query returned its own rows, its own error, or ConnectionFailed, within its deadline. Each
 * write that was reported as done left both rows, and no other write left one row.
 */
export async function expectConsistent(
  server: Server,
  records: readonly QueryRecord[],
  limitMs = 5_000,
): Promise<void> {
  const unexpected = records.filter(
    ({ kind, result }) =>
      !(result === 'sent' || result === 'unsent' || result === (kind === 'error' ? '22012' : 'right')),
  );
  expect(unexpected.slice(0, 5)).toEqual([]);
  // On a busy machine a deadline fires late.
  expect(Math.max(...records.map(({ tookMs }) => tookMs))).toBeLessThan(limitMs + 10_000);
  const halves = new Map<string, string[]>();
  for (const { token, half } of await server.sql<{ token: string; half: string }[]>`table written`) {
    halves.set(token, [...(halves.get(token) ?? []), half]);
  }
  const writes = records.filter(({ kind }) => kind === 'write');
  const wrong = writes.filter(({ token, result }) => {
    const rows = halves.get(token)?.length ?? 0;
    return result === 'right' ? rows !== 2 : result === 'sent' ? rows === 1 : rows !== 0;
  });
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(writes.filter(({ result }) => result === 'right').length).toBeGreaterThan(0);
}

export const count = (records: readonly QueryRecord[], ...came: QueryRecord['result'][]): number =>
  records.filter((one) => came.includes(one.result)).length;
