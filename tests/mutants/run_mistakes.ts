import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';
import { applyMistake, type SqlText } from './apply_mistake.ts';
import type { SqlMistake } from './sql_mistakes.ts';

export type Verdict = { name: string; detected: boolean; by: string };

/**
 * Runs the tests of a mistake against a copy of sql/ with the mistake. The work tree does not
 * change.
 */
export async function testMistake(mistake: SqlMistake, sql: readonly SqlText[]): Promise<Verdict> {
  const folder = temporaryFolder('mistake');
  try {
    const copy = join(folder, 'sql');
    mkdirSync(copy);
    for (const { name, text } of applyMistake(mistake, sql)) writeFileSync(join(copy, name), text);
    const report = join(folder, 'report.json');
    const files = mistake.tests.map((name) => `tests/${name}.test.ts`);
    const output = await vitest([...files, '--bail=1', '--reporter=json', `--outputFile=${report}`], copy);
    return { name: mistake.name, ...firstFailure(report, output) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Throws when no test ran, for example when the SQL does not load. That would prove nothing. */
function firstFailure(report: string, output: string): { detected: boolean; by: string } {
  type Report = { testResults: { assertionResults: { status: string; fullName: string }[] }[] };
  let parsed: Report;
  try {
    parsed = JSON.parse(readFileSync(report, 'utf8')) as Report;
  } catch {
    throw new Error(`The tests did not run:\n${output}`);
  }
  const results = parsed.testResults.flatMap((file) => file.assertionResults);
  if (results.length === 0) throw new Error(`No test ran:\n${output}`);
  const failed = results.find(({ status }) => status === 'failed');
  return { detected: failed !== undefined, by: failed?.fullName ?? '' };
}

function vitest(args: string[], sqlFolder: string): Promise<string> {
  const program = join(repository, 'node_modules/vitest/vitest.mjs');
  const { VITEST: _, VITEST_WORKER_ID: __, VITEST_POOL_ID: ___, ...env } = process.env;
  return outputOf(
    spawn(process.execPath, [program, 'run', ...args], {
      cwd: repository,
      env: { ...env, PARALLAX_SQL_DIR: sqlFolder, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
}

/**
 * Runs Stryker on these files. Returns how many mutants it made and how many the unit tests
 * detected.
 */
export async function runStryker(files: readonly string[]): Promise<{ detected: number; mutants: number }> {
  const program = join(repository, 'node_modules/@stryker-mutator/core/bin/stryker.js');
  const chosen = files.length > 0 ? ['--mutate', files.join(',')] : [];
  const output = await outputOf(
    spawn(process.execPath, [program, 'run', 'tests/mutants/stryker.config.mjs', ...chosen], {
      cwd: repository,
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  type Report = { files: Record<string, { mutants: { status: string }[] }> };
  const path = join(repository, 'test-results/mutants/stryker.json');
  let report: Report;
  try {
    report = JSON.parse(readFileSync(path, 'utf8')) as Report;
  } catch {
    throw new Error(`Stryker left no report:\n${output}`);
  }
  const states = Object.values(report.files).flatMap((file) => file.mutants.map(({ status }) => status));
  const detected = states.filter((state) => state === 'Killed' || state === 'Timeout').length;
  return {
    detected,
    mutants: detected + states.filter((state) => state === 'Survived' || state === 'NoCoverage').length,
  };
}

async function outputOf(child: ReturnType<typeof spawn>): Promise<string> {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part) => (output += part));
  await new Promise((resolve) => child.once('close', resolve));
  return output;
}
