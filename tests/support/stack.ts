import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { freePort } from '../../local/platform/postgres/postgres.ts';
import type { Sql } from '../../local/platform/postgres/template.ts';
import { runningStack, type StackFacts } from '../../local/platform/supervisor/data_folder.ts';
import { tsxArguments } from '../../local/platform/supervisor/venues.ts';
import { runCommand } from './command.ts';
import { temporaryFolder } from './temporary_folder.ts';
import { waitUntil } from './wait_until.ts';

/** A real `npm start` with its own data folder and port. */
export type RunningStack = {
  baseUrl: string;
  port: number;
  folder: string;
  facts: StackFacts;
  /** Milliseconds from the command to the line `ready`. */
  bootMs: number;
  /** The lines that it has printed. */
  lines: string[];
  /** A pool that is logged in as postgres. */
  sql: Sql;
  /** Mints a key of `tier` with `npm run key`. */
  key(tier: string, org?: string): string;
  /** GET of a path below the base URL with a key. Returns the parsed JSON. */
  get<T>(path: string, key: string): Promise<T>;
  /** The pid of the first descendant whose command line matches. */
  findPid(pattern: RegExp): number | undefined;
  /** Sends SIGKILL to the first descendant whose command line matches, and returns its pid. */
  kill(pattern: RegExp): number;
  /** All its processes, the supervisor first. */
  processes(): ProcessRow[];
  stop(): Promise<void>;
};

export type StackOptions = {
  args?: string[];
  env?: Record<string, string>;
  folder?: string;
  port?: number;
  readyWithinMs?: number;
  /** Stops the stack during its start. */
  signal?: AbortSignal;
};

/**
 * Starts a stack and waits for the line `ready`. Throws with the printed lines after
 * `readyWithinMs`. The default is two minutes, because a start on a busy machine is slow.
 */
export async function startStack(options: StackOptions = {}): Promise<RunningStack> {
  const home = temporaryFolder('stack');
  const folder = options.folder ?? join(home, 'data');
  const port = options.port ?? (await freePort());
  const began = performance.now();
  const child = spawn(
    process.execPath,
    [
      ...tsxArguments,
      join(repository, 'local/cli.ts'),
      'start',
      '--data',
      folder,
      '--port',
      String(port),
      ...(options.args ?? []),
    ],
    { cwd: repository, env: { ...process.env, ...options.env }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const lines = collectLines(child);
  options.signal?.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
  await untilReady(child, { lines, folder, withinMs: options.readyWithinMs ?? 120_000 });
  const facts = runningStack(folder);
  if (!facts) throw new Error(`The stack left no stack.json in ${folder}:\n${lines.join('\n')}`);
  const sql = postgres(facts.database_url, { max: 2, onnotice: () => {} });
  return {
    baseUrl: facts.base_url,
    port,
    folder,
    facts,
    bootMs: performance.now() - began,
    lines,
    sql,
    key: (tier, org = 'tests') => mintKey(folder, port, tier, org),
    async get<T>(path: string, key: string) {
      const response = await fetch(`${facts.base_url}${path}`, { headers: { authorization: `Bearer ${key}` } });
      const text = await response.text();
      if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${text}`);
      return JSON.parse(text) as T;
    },
    findPid: (pattern) => descendants(child.pid ?? 0).find(({ command }) => pattern.test(command))?.pid,
    kill: (pattern) => killDescendant(child.pid ?? 0, pattern),
    processes: () => [
      { pid: child.pid ?? 0, parent: process.pid, command: 'local/cli.ts start' },
      ...descendants(child.pid ?? 0),
    ],
    async stop() {
      await sql.end({ timeout: 1 }).catch(() => {});
      await terminate(child);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Collects the lines that a process prints. */
export function collectLines(child: ChildProcess): string[] {
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream?.on('data', (chunk) => {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts);
    });
  }
  return lines;
}

/** Sends SIGTERM to a process and waits until it has ended. */
async function terminate(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGTERM');
  await closed;
}

async function untilReady(
  child: ChildProcess,
  { lines, folder, withinMs }: { lines: string[]; folder: string; withinMs: number },
): Promise<void> {
  await waitUntil(() => lines.some((line) => line.startsWith('ready ')), {
    what: 'the stack is ready',
    timeoutMs: withinMs,
    everyMs: 25,
    failed: () => (child.exitCode !== null || child.signalCode !== null) && 'The stack ended',
    evidence: async () => {
      await terminate(child);
      return [...withoutRepetitions(lines), ...logTails(folder)].join('\n');
    },
  });
}

/** CI shows only the beginning of a long error, so the lines that repeat a wait are left out. */
function withoutRepetitions(lines: string[]): string[] {
  const wait = (line = ''): string => line.replace(/\([\d.]+ s\)$/, '');
  return lines.filter((line, at) => wait(line) !== wait(lines[at + 1]));
}

/** The text of each log file of a data folder, by its name. Empty before there is one. */
export function readLogs(folder: string): Map<string, string> {
  const logs = join(folder, 'logs');
  const names = existsSync(logs) ? readdirSync(logs) : [];
  return new Map(names.map((name) => [name, readFileSync(join(logs, name), 'utf8')]));
}

/** The last lines of each service, those of the functions first. */
function logTails(folder: string): string[] {
  const logs = [...readLogs(folder)].sort();
  const isFunction = ([name]: [string, string]): boolean => name.startsWith('functions');
  return [...logs.filter(isFunction), ...logs.filter((log) => !isFunction(log))].flatMap(([name, text]) => {
    const lines = text.trimEnd().split('\n').slice(-25);
    return [`== the last lines of ${name}`, ...lines.map((line) => line.slice(0, 300))];
  });
}

function mintKey(folder: string, port: number, tier: string, org: string): string {
  const run = runCommand('key', ['--tier', tier, '--org', org, '--data', folder, '--port', String(port)]);
  if (run.status !== 0) throw new Error(run.out + run.err);
  return run.out.trimEnd().split('\n').at(-1) ?? '';
}

export type ProcessRow = { pid: number; parent: number; command: string };

/** Every process below `root`, deepest last. */
export function descendants(root: number): ProcessRow[] {
  const rows = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,command='], { encoding: 'utf8' })
    .stdout.split('\n')
    .flatMap((text) => {
      const match = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(text);
      return match ? [{ pid: Number(match[1]), parent: Number(match[2]), command: match[3] ?? '' }] : [];
    });
  const found: ProcessRow[] = [];
  const known = new Set([root]);
  for (let hasNew = true; hasNew; ) {
    hasNew = false;
    for (const row of rows) {
      if (!known.has(row.parent) || known.has(row.pid)) continue;
      known.add(row.pid);
      found.push(row);
      hasNew = true;
    }
  }
  return found;
}

function killDescendant(root: number, pattern: RegExp): number {
  const row = descendants(root).find(({ command }) => pattern.test(command));
  if (!row) throw new Error(`No process of the stack matches ${pattern}.`);
  process.kill(row.pid, 'SIGKILL');
  return row.pid;
}
