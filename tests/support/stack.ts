import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import * as key from '../../local/commands/key.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { freePort } from '../../local/platform/postgres/postgres.ts';
import type { Sql } from '../../local/platform/postgres/template.ts';
import { scratchParent } from '../../local/platform/postgres/temporary_postgres.ts';
import { runningStack, type StackFacts } from '../../local/platform/supervisor/data_folder.ts';
import { tsxArguments } from '../../local/platform/supervisor/venues.ts';
import { callCommand } from './command.ts';
import { waitUntil } from './wait_until.ts';

/** A real `npm start` with its own data folder and port. */
export type RunningStack = {
  /** Where another process finds it. */
  place: StackPlace;
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
  key(tier: string, org?: string): Promise<string>;
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
  /** `none`: it reaches no venue, and counts as started when all its processes are. */
  venues?: 'none';
  args?: string[];
  env?: Record<string, string>;
  folder?: string;
  port?: number;
  readyWithinMs?: number;
  /** Stops the stack during its start. */
  signal?: AbortSignal;
};

const NOWHERE = { http: 'http://127.0.0.1:9', ws: 'ws://127.0.0.1:9' };
/** The environment of a stack that reaches no venue. */
export const NO_VENUES: Readonly<Record<string, string>> = {
  VENUE_A_REST_URL: NOWHERE.http,
  VENUE_A_WS_URL: NOWHERE.ws,
  VENUE_B_GAMMA_URL: NOWHERE.http,
  VENUE_B_CLOB_URL: NOWHERE.http,
  VENUE_B_DATA_URL: NOWHERE.http,
  VENUE_B_WS_URL: NOWHERE.ws,
};

/**
 * Starts a stack and waits for the line `ready`. Throws with the printed lines after
 * `readyWithinMs`.
 */
export async function startStack(options: StackOptions = {}): Promise<RunningStack> {
  // In memory: the server of a stack waits for its disk at each commit.
  const home = mkdtempSync(join(scratchParent(), 'parallax-stack-'));
  const folder = options.folder ?? join(home, 'data');
  const port = options.port ?? (await freePort());
  const began = performance.now();
  const outputFile = join(home, 'output');
  const output = openSync(outputFile, 'w');
  const env = options.venues === 'none' ? NO_VENUES : {};
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
      ...(options.venues === 'none' ? ['--live'] : []),
      ...(options.args ?? []),
    ],
    { cwd: repository, env: { ...process.env, ...env, ...options.env }, stdio: ['ignore', output, output] },
  );
  closeSync(output);
  options.signal?.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
  const lines = () => readLines(outputFile);
  const isReady =
    options.venues === 'none'
      ? () => runningStack(folder) !== undefined
      : () => lines().some((line) => line.startsWith('ready '));
  await untilReady(child, { isReady, lines, folder, withinMs: options.readyWithinMs });
  const bootMs = performance.now() - began;
  return attachStack({ folder, outputFile, bootMs, pid: child.pid ?? 0 }, async () => {
    await terminate(child);
    rmSync(home, { recursive: true, force: true });
  });
}

/** What another process needs to know of a stack that it did not start. */
export type StackPlace = { folder: string; outputFile: string; bootMs: number; pid: number };

/** The stack at that place. `stop` ends its connection to the database, and then calls `end`. */
export function attachStack(place: StackPlace, end: () => Promise<void>): RunningStack {
  const { folder, outputFile, bootMs, pid } = place;
  const facts = runningStack(folder);
  if (!facts) throw new Error(`The stack left no stack.json in ${folder}:\n${readLines(outputFile).join('\n')}`);
  const { port } = facts;
  const sql = postgres(facts.database_url, { max: 2, onnotice: () => {} });
  return {
    place,
    baseUrl: facts.base_url,
    port,
    folder,
    facts,
    bootMs,
    get lines() {
      return readLines(outputFile);
    },
    sql,
    key: (tier, org = 'tests') => mintKey(folder, port, tier, org),
    async get<T>(path: string, key: string) {
      const response = await fetch(`${facts.base_url}${path}`, { headers: { authorization: `Bearer ${key}` } });
      const text = await response.text();
      if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${text}`);
      return JSON.parse(text) as T;
    },
    findPid: (pattern) => descendants(pid).find(({ command }) => pattern.test(command))?.pid,
    kill: (pattern) => killDescendant(pid, pattern),
    processes: () => [{ pid, parent: process.pid, command: 'local/cli.ts start' }, ...descendants(pid)],
    async stop() {
      await sql.end({ timeout: 1 }).catch(() => {});
      await end();
    },
  };
}

const readLines = (file: string): string[] => readFileSync(file, 'utf8').split('\n').slice(0, -1);

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
  {
    isReady,
    lines,
    folder,
    withinMs,
  }: { isReady: () => boolean; lines: () => string[]; folder: string; withinMs: number | undefined },
): Promise<void> {
  await waitUntil(isReady, {
    what: 'the stack is ready',
    everyMs: 50,
    ...(withinMs === undefined ? {} : { timeoutMs: withinMs }),
    failed: () => (child.exitCode !== null || child.signalCode !== null) && 'The stack ended',
    evidence: async () => {
      await terminate(child);
      return [...withoutRepetitions(lines()), ...logTails(folder)].join('\n');
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

async function mintKey(folder: string, port: number, tier: string, org: string): Promise<string> {
  const run = await callCommand(key, ['--tier', tier, '--org', org, '--data', folder, '--port', String(port)]);
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
