import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { denoProgram, repository, supabaseCommand } from './platform/binaries.ts';
import { buildFromSql, quietTools } from './platform/build.ts';
import { startScratch } from './platform/scratch.ts';

/** `npm run check`: types, lint and format, the functions as Deno sees them, and Supabase's own advisors over what sql/ builds. */
const bin = (name: string) => join(repository, 'node_modules', '.bin', name);

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
    const url = await scratch.create('check');
    await buildFromSql(url);
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

/** Entry points of every function, and what runs beside the platform. */
function functionEntries(): string[] {
  return readdirSync(join(repository, 'functions'))
    .flatMap((name) => [`functions/${name}/index.ts`, `functions/${name}/container.ts`])
    .filter((path) => existsSync(join(repository, path)));
}

const checks: (() => Promise<Finding>)[] = [
  () => run('types (node)', [bin('tsc'), '-p', '.']),
  () => run('types (dashboard)', [bin('tsc'), '-p', 'dashboard']),
  () => run('types (deno)', [denoProgram(), 'check', ...functionEntries()]),
  () => run('lint and format', [bin('biome'), 'check', '.']),
  advisors,
];

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
