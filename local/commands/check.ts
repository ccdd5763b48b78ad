import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Output } from '../command.ts';
import { licencesFile, licencesPage, readProjectPackages } from '../licences/page.ts';
import { denoProgram, repository, supabaseCommand } from '../platform/postgres/binaries.ts';
import { buildFromSql, quietTools, sqlFolder } from '../platform/postgres/build.ts';
import type { Cluster } from '../platform/postgres/postgres.ts';
import { connectAdmin } from '../platform/postgres/template.ts';
import { startTemporaryPostgres } from '../platform/postgres/temporary_postgres.ts';
import { formatFolder, lintFindings } from '../sql_style/files.ts';
import { bodyFaults } from '../sql_style/plpgsql.ts';

/**
 * `npm run check`: types (Node, dashboard, Deno), lint and format of TypeScript and SQL, names in
 * PL/pgSQL bodies and the Supabase advisors on the database that sql/ builds, licences and npm
 * audit.
 */
const binFolder = (name: string) => join(repository, 'node_modules', '.bin', name);

const DATABASE_NAME = 'check';

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

/** The checks of the database that sql/ builds. */
async function database(): Promise<Finding[]> {
  const scratch = await startTemporaryPostgres();
  try {
    const url = await scratch.create(DATABASE_NAME);
    await buildFromSql(url);
    const bodies = await sqlBodies(scratch.cluster);
    await nameSearchPaths(scratch.cluster);
    return [bodies, await advisors(url)];
  } finally {
    await scratch.stop();
  }
}

async function sqlBodies(cluster: Cluster): Promise<Finding> {
  const admin = connectAdmin(cluster, DATABASE_NAME);
  try {
    const faults = await bodyFaults(admin);
    return { name: 'sql bodies', hasPassed: faults.length === 0, message: faults.join('\n') };
  } finally {
    await admin.end();
  }
}

function advisors(url: string): Promise<Finding> {
  return run('advisors', [
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
}

async function sqlFormat(): Promise<Finding> {
  const files = formatFolder(sqlFolder, { write: false });
  const message = `Run "npm run format". It would change ${files.join(', ')}.`;
  return { name: 'sql format', hasPassed: files.length === 0, message };
}

async function sqlLint(): Promise<Finding> {
  const findings = lintFindings();
  return { name: 'sql lint', hasPassed: findings.length === 0, message: findings.join('\n') };
}

/**
 * The advisor requires search_path on every function. A body of SQL expressions (`return …`) is
 * bound when the function is created and does not use search_path; with the setting, the planner
 * could not inline the function. So it is set here, in the temporary database only.
 */
async function nameSearchPaths(cluster: Cluster): Promise<void> {
  const admin = connectAdmin(cluster, DATABASE_NAME);
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

/** Entry points of all functions: as Edge Function and as container. */
function functionEntries(): string[] {
  return readdirSync(join(repository, 'functions'))
    .flatMap((name) => [`functions/${name}/index.ts`, `functions/${name}/container.ts`])
    .filter((path) => existsSync(join(repository, path)));
}

/** Compares docs/licences.md with package-lock.json, and rejects licences that are not allowed. */
async function licences(): Promise<Finding> {
  const { text, refused } = licencesPage(readProjectPackages());
  const written = existsSync(licencesFile) ? readFileSync(licencesFile, 'utf8') : '';
  const old = written === text ? [] : ['docs/licences.md does not match package-lock.json. Run "npm run licences".'];
  return { name: 'licences', hasPassed: refused.length + old.length === 0, message: [...refused, ...old].join('\n') };
}

/**
 * Known vulnerabilities of packages. Passes when the registry does not support the query, because a
 * mirror without it (405) is not a fault of this project.
 */
async function audit(): Promise<Finding> {
  const found = await run('npm audit', ['npm', 'audit', '--audit-level=low', '--loglevel=warn']);
  if (found.hasPassed || !/audit endpoint returned an error|ENOTFOUND|EAI_AGAIN|ECONNREFUSED/.test(found.message))
    return found;
  return { ...found, name: 'npm audit (unknown: the registry did not answer)', hasPassed: true };
}

const checks: (() => Promise<Finding | Finding[]>)[] = [
  () => run('types (node)', [binFolder('tsc'), '-p', '.']),
  () => run('types (dashboard)', [binFolder('tsc'), '-p', 'dashboard']),
  () => run('types (deno)', [denoProgram(), 'check', ...functionEntries()]),
  () => run('lint and format', [binFolder('biome'), 'check', '.']),
  sqlFormat,
  sqlLint,
  database,
  licences,
  audit,
];

export async function main(_args: readonly string[], output: Output): Promise<number> {
  let failed = false;
  for (const check of checks) {
    const startedAt = Date.now();
    const findings = [await check()].flat();
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
    for (const { name, hasPassed, message } of findings) {
      output.log(`${hasPassed ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
      if (hasPassed) continue;
      failed = true;
      output.log(message.trim());
    }
  }
  return failed ? 1 : 0;
}
