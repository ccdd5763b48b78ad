import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import postgres from 'postgres';
import { HOSTED_DENO_VERSION, hostedDeno } from '../../local/platform/functions/hosted_deno.ts';
import { functionsFolder, spawnWorker, untilListening } from '../../local/platform/functions/worker.ts';
import { memoryOf } from '../../local/platform/limits/process_usage.ts';
import { denoProgram } from '../../local/platform/postgres/binaries.ts';
import { databaseUrl } from '../../local/platform/postgres/postgres.ts';
import type { TemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { exactCpuTimeOf } from './cpu_time.ts';
import { median, progress } from './measure.ts';
import { type ResultRow, toResultRow } from './result_row.ts';

/**
 * CPU and memory of a worker from the start of its process until it listens, or until it has
 * answered its first request. The platform counts this CPU against the limit of the worker.
 *
 * `deno run` writes a cache of V8's code, which the platform does not have: it is turned off. The
 * first round of each case fills the cache of transpiled TypeScript, which the platform has in the
 * form of its bundles, and does not count.
 */

/** What a worker loads: modules below functions/. The first one is the function. */
const MODULES = {
  empty: [],
  api: ['api/index.ts'],
  ingest: ['ingest/index.ts'],
  'ingest with its parsers': ['ingest/index.ts', 'ingest/parsers.ts'],
  stream: ['stream/index.ts'],
  deliver: ['deliver/index.ts'],
} as const satisfies Record<string, readonly string[]>;

/**
 * The most CPU that a start may take, in starts of an empty function: on the hosted version of
 * Deno, and on the installed one, whose empty function loads less of Node's modules. It fails where
 * a change adds about half to what it took on 2026-11-26.
 */
const MOST_STARTS = {
  api: { hosted: 5.5, installed: 8 },
  ingest: { hosted: 6, installed: 9 },
  'ingest with its parsers': { hosted: 8, installed: 11 },
  stream: { hosted: 3, installed: 4.5 },
  deliver: { hosted: 3, installed: 4.5 },
} as const satisfies Partial<Record<keyof typeof MODULES, Record<Version, number>>>;

type Version = 'hosted' | 'installed';
type Started = keyof typeof MOST_STARTS;
export const STARTED = Object.keys(MOST_STARTS) as readonly Started[];

export type Runtime = { name: string; deno: string; mostStarts(name: Started): number };

/** The versions of Deno that this machine has, the hosted one first. */
export function runtimes(): Runtime[] {
  const runtime = (version: Version, name: string, deno: string): Runtime => ({
    ...{ name, deno },
    mostStarts: (started) => MOST_STARTS[started][version],
  });
  const hosted = hostedDeno();
  return [
    ...(hosted === null ? [] : [runtime('hosted', `Deno ${HOSTED_DENO_VERSION}`, hosted)]),
    runtime('installed', 'installed Deno', denoProgram()),
  ];
}

type Usage = { cpuMs: number; memoryMb: number };

/** A request that the worker answers before it is measured. */
type FirstRequest = { databaseUrl: string; path: string; key: string };

/** The medians of `rounds` starts for each case. The cases take turns. */
export async function startsOf<Name extends keyof typeof MODULES>(
  deno: string,
  names: readonly Name[],
  rounds: number,
): Promise<Record<Name, Usage>> {
  const samples = Object.fromEntries(names.map((name) => [name, [] as Usage[]])) as Record<Name, Usage[]>;
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of names) {
      const usage = await start(deno, MODULES[name]);
      if (round > 0) samples[name].push(usage);
    }
  }
  return Object.fromEntries(names.map((name) => [name, mediansOf(samples[name])])) as Record<Name, Usage>;
}

const mediansOf = (samples: readonly Usage[]): Usage => ({
  cpuMs: median(samples.map(({ cpuMs }) => cpuMs)),
  memoryMb: median(samples.map(({ memoryMb }) => memoryMb)),
});

async function start(deno: string, modules: readonly string[], first?: FirstRequest): Promise<Usage> {
  const folder = mkdtempSync(join(tmpdir(), 'parallax-startup-'));
  const socketPath = join(folder, 'socket');
  const logPath = join(folder, 'log');
  const log = openSync(logPath, 'a');
  const worker = spawnWorker(
    {
      name: 'bench',
      entrypoint: writeEntrypoint(folder, modules),
      socketPath,
      env: environment(first?.databaseUrl ?? 'postgresql://none@127.0.0.1:1/none'),
      readable: [folder],
      deno,
      flags: ['--no-code-cache'],
    },
    log,
  );
  const { pid } = worker;
  try {
    await untilListening(socketPath);
    if (first) await get(socketPath, first);
    const cpuMs = pid && exactCpuTimeOf(pid);
    const memoryMb = pid && memoryOf(pid);
    if (!cpuMs || !memoryMb) throw new Error('The bench of the start needs /proc of Linux.');
    return { cpuMs, memoryMb };
  } catch (error) {
    throw new Error(`The worker wrote: ${readFileSync(logPath, 'utf8')}`, { cause: error });
  } finally {
    worker.kill('SIGKILL');
    closeSync(log);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes a function that is the first of the modules, and loads the others as well. */
function writeEntrypoint(folder: string, modules: readonly string[]): string {
  const [main, ...others] = modules.map((module) => JSON.stringify(pathToFileURL(join(functionsFolder, module)).href));
  const lines =
    main === undefined
      ? ['export default { fetch: () => new Response() };']
      : [`export { default } from ${main};`, ...others.map((other) => `import ${other};`)];
  const path = join(folder, 'index.ts');
  writeFileSync(path, lines.join('\n'));
  return path;
}

const environment = (url: string): Record<string, string> => ({
  ...{ DB_URL_API: url, DB_URL_INGEST: url, DB_URL_STREAM: url, DB_URL_DELIVER: url },
  SUPABASE_URL: 'http://127.0.0.1:1',
  FEED_SOURCE: 'live',
  LOG_LEVEL: 'error',
});

function get(socketPath: string, { path, key }: FirstRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { Host: 'bench', Authorization: `Bearer ${key}` };
    request({ socketPath, path, headers }, (response) => {
      response.resume();
      const failed = () => reject(new Error(`The first request was answered with ${response.statusCode}.`));
      response.on('end', response.statusCode === 200 ? resolve : failed);
    })
      .on('error', reject)
      .end();
  });
}

/**
 * Measures each start against that of an empty function, and a start with the first answer of
 * `GET /v2/markets`, where a module that loads late would show.
 */
export async function measureStartup(scratch: TemporaryPostgres, template: string, rounds = 15): Promise<ResultRow[]> {
  const rows: ResultRow[] = [];
  const first = await firstRequestOf(scratch, template);
  for (const { name: runtime, deno, mostStarts } of runtimes()) {
    progress(`the start of each function under ${runtime}`);
    const usage = await startsOf(deno, ['empty', ...STARTED], rounds);
    for (const name of STARTED)
      rows.push(rowOf(`start of ${name}, ${runtime}`, usage[name], usage.empty, mostStarts(name)));
    progress(`the start and first answer of api under ${runtime}`);
    const answered: Usage[] = [];
    for (let round = 0; round <= rounds; round += 1) answered.push(await start(deno, MODULES.api, first));
    const name = `start of api and its first answer, ${runtime}`;
    rows.push(rowOf(name, mediansOf(answered.slice(1)), usage.empty, mostStarts('api') + 2));
  }
  return rows;
}

function rowOf(name: string, usage: Usage, empty: Usage, target: number): ResultRow {
  const [all, beyond] = [usage.cpuMs, usage.cpuMs - empty.cpuMs].map(Math.round);
  return toResultRow({
    name,
    ratio: usage.cpuMs / empty.cpuMs,
    target,
    better: 'lower',
    detail: `${all} ms of CPU with the process, ${beyond} ms beyond an empty function; ${Math.round(usage.memoryMb)} MB`,
  });
}

/** A key and the address of a database with an empty catalog. */
async function firstRequestOf(scratch: TemporaryPostgres, template: string): Promise<FirstRequest> {
  const owner = await scratch.create('startup', template);
  const sql = postgres(owner, { max: 1, onnotice: () => {} });
  try {
    await scratch.admin.unsafe(`alter role parallax_api login password '${scratch.password}'`);
    const [row] = await sql<{ key: string }[]>`select account.mint_key('bench', 'pro') as key`;
    const name = new URL(owner).pathname.slice(1);
    return {
      databaseUrl: databaseUrl(scratch.cluster.port, 'parallax_api', scratch.password, name),
      path: '/api/v2/markets?limit=50',
      key: row?.key ?? '',
    };
  } finally {
    await sql.end({ timeout: 2 });
  }
}
