import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { licencesFile, licencesPage, readHouse } from '../licences/page.ts';
import { denoProgram, repository, supabaseCommand } from '../platform/postgres/binaries.ts';
import { buildFromSql, quietTools } from '../platform/postgres/build.ts';
import type { Cluster } from '../platform/postgres/postgres.ts';
import { connectAdmin } from '../platform/postgres/template.ts';
import { startScratch } from '../platform/postgres/temporary_postgres.ts';

/** `npm run check`: types, lint and format, the functions as Deno sees them, Supabase's own advisors over what sql/ builds, licences, npm audit. */
const bin = (name: string) => join(repository, 'node_modules', '.bin', name);

const scratchName = 'check';

type Finding = { name: string; ok: boolean; words: string };

function run(name: string, command: readonly [string, ...string[]]): Promise<Finding> {
  const [program, ...args] = command;
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: repository, env: { ...process.env, ...quietTools, NO_COLOR: '1' } });
    let words = '';
    child.stdout.on('data', (chunk) => (words += chunk));
    child.stderr.on('data', (chunk) => (words += chunk));
    child.once('error', (error) => resolve({ name, ok: false, words: String(error) }));
    child.once('close', (status) => resolve({ name, ok: status === 0, words }));
  });
}

async function advisors(): Promise<Finding> {
  const scratch = await startScratch();
  try {
    const url = await scratch.create(scratchName);
    await buildFromSql(url);
    await nameSearchPaths(scratch.cluster);
    return await run('advisors', [
      ...supabaseCommand(),
      'db',
      'advisors',
      '--level',
      'warn',
      '--fail-on',
      'warn',
      '--agent',
      'no',
      '--db-url',
      `${url}?sslmode=disable`,
    ]);
  } finally {
    await scratch.stop();
  }
}

/**
 * The advisor wants search_path on every function. A body of SQL expressions (`return …`) was bound when the function was created
 * and reads no search_path, and with the setting the planner could not inline it (sql/34). So it is set here, in the scratch database alone.
 */
async function nameSearchPaths(cluster: Cluster): Promise<void> {
  const admin = connectAdmin(cluster, scratchName);
  try {
    const bound = await admin<{ name: string }[]>`
      select p.oid::regprocedure::text as name
      from pg_proc p
      where p.prosqlbody is not null
        and p.proconfig is null
        and p.pronamespace::regnamespace::text = any (array['base', 'catalog', 'price', 'arb', 'stream', 'venue', 'webhook'])`;
    for (const { name } of bound) await admin.unsafe(`alter function ${name} set search_path = ''`);
  } finally {
    await admin.end();
  }
}

/** Entry points of every function, and what runs beside the platform. */
function functionEntries(): string[] {
  return readdirSync(join(repository, 'functions'))
    .flatMap((name) => [`functions/${name}/index.ts`, `functions/${name}/container.ts`])
    .filter((path) => existsSync(join(repository, path)));
}

/** docs/licences.md as the lock makes it, and no licence that is not allowed. */
async function licences(): Promise<Finding> {
  const { text, refused } = licencesPage(readHouse());
  const written = existsSync(licencesFile) ? readFileSync(licencesFile, 'utf8') : '';
  const old =
    written === text ? [] : ['docs/licences.md is not what package-lock.json makes it: run "npm run licences".'];
  return { name: 'licences', ok: refused.length + old.length === 0, words: [...refused, ...old].join('\n') };
}

/** Known faults of packages, where the registry answers such questions: a mirror that does not (405) is no fault of ours. */
async function audit(): Promise<Finding> {
  const found = await run('npm audit', ['npm', 'audit', '--audit-level=low', '--loglevel=warn']);
  if (found.ok || !/audit endpoint returned an error|ENOTFOUND|EAI_AGAIN|ECONNREFUSED/.test(found.words)) return found;
  return { ...found, name: 'npm audit (not known: the registry does not answer it)', ok: true };
}

const checks: (() => Promise<Finding>)[] = [
  () => run('types (node)', [bin('tsc'), '-p', '.']),
  () => run('types (dashboard)', [bin('tsc'), '-p', 'dashboard']),
  () => run('types (deno)', [denoProgram(), 'check', ...functionEntries()]),
  () => run('lint and format', [bin('biome'), 'check', '.']),
  advisors,
  licences,
  audit,
];

export async function main(): Promise<void> {
  let failed = false;
  for (const check of checks) {
    const began = Date.now();
    const { name, ok, words } = await check();
    process.stdout.write(`${ok ? 'ok    ' : 'FAILED'} ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)\n`);
    if (!ok) {
      failed = true;
      process.stdout.write(`${words.trim()}\n`);
    }
  }
  process.exitCode = failed ? 1 : 0;
}
