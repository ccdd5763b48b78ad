import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { licencesFile, licencesPage, readProjectPackages } from '../licences/page.ts';
import { denoProgram, repository, supabaseCommand } from '../platform/postgres/binaries.ts';
import { buildFromSql, quietTools } from '../platform/postgres/build.ts';
import type { Cluster } from '../platform/postgres/postgres.ts';
import { connectAdmin } from '../platform/postgres/template.ts';
import { startTemporaryPostgres } from '../platform/postgres/temporary_postgres.ts';

/** `npm run check`: types, lint and format, the functions as Deno sees them, Supabase's own advisors over what sql/ builds, licences, npm audit. */
const binFolder = (name: string) => join(repository, 'node_modules', '.bin', name);

const temporaryName = 'check';

type Finding = { name: string; hasPassed: boolean; message: string };

function run(name: string, command: readonly [string, ...string[]]): Promise<Finding> {
  const [program, ...args] = command;
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: repository, env: { ...process.env, ...quietTools, NO_COLOR: '1' } });
    let message = '';
    child.stdout.on('data', (chunk) => (message += chunk));
    child.stderr.on('data', (chunk) => (message += chunk));
    child.once('error', (error) => resolve({ name, hasPassed: false, message: String(error) }));
    child.once('close', (status) => resolve({ name, hasPassed: status === 0, message }));
  });
}

async function advisors(): Promise<Finding> {
  const scratch = await startTemporaryPostgres();
  try {
    const url = await scratch.create(temporaryName);
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
  const admin = connectAdmin(cluster, temporaryName);
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
  const { text, refused } = licencesPage(readProjectPackages());
  const written = existsSync(licencesFile) ? readFileSync(licencesFile, 'utf8') : '';
  const old =
    written === text ? [] : ['docs/licences.md is not what package-lock.json makes it: run "npm run licences".'];
  return { name: 'licences', hasPassed: refused.length + old.length === 0, message: [...refused, ...old].join('\n') };
}

/** Known faults of packages, where the registry answers such questions: a mirror that does not (405) is no fault of ours. */
async function audit(): Promise<Finding> {
  const found = await run('npm audit', ['npm', 'audit', '--audit-level=low', '--loglevel=warn']);
  if (found.hasPassed || !/audit endpoint returned an error|ENOTFOUND|EAI_AGAIN|ECONNREFUSED/.test(found.message))
    return found;
  return { ...found, name: 'npm audit (not known: the registry does not answer it)', hasPassed: true };
}

const checks: (() => Promise<Finding>)[] = [
  () => run('types (node)', [binFolder('tsc'), '-p', '.']),
  () => run('types (dashboard)', [binFolder('tsc'), '-p', 'dashboard']),
  () => run('types (deno)', [denoProgram(), 'check', ...functionEntries()]),
  () => run('lint and format', [binFolder('biome'), 'check', '.']),
  advisors,
  licences,
  audit,
];

export async function main(): Promise<void> {
  let failed = false;
  for (const check of checks) {
    const began = Date.now();
    const { name, hasPassed, message } = await check();
    process.stdout.write(
      `${hasPassed ? 'ok    ' : 'FAILED'} ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)\n`,
    );
    if (!hasPassed) {
      failed = true;
      process.stdout.write(`${message.trim()}\n`);
    }
  }
  process.exitCode = failed ? 1 : 0;
}
