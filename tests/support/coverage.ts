import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect } from 'vitest';

// With PARALLAX_COVERAGE, a folder, each test file writes there which functions of functions/ it
// ran. tests/mutants plants a mistake and runs the tests that run its function.

/** Writes what a test file ran: one JSON file for each test file and kind. */
export function writeCoverage(folder: string, test: string, kind: 'typescript' | 'sql', ran: object): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(pathOf(folder, test, kind), JSON.stringify({ test, ...ran }));
}

const pathOf = (folder: string, test: string, kind: string): string =>
  join(folder, `${createHash('sha256').update(test).digest('hex').slice(0, 16)}.${kind}.json`);

/** The file of the running tests, relative to the repository. */
export const runningTest = (): string => relative(process.cwd(), expect.getState().testPath ?? '');

const folder = process.env.PARALLAX_COVERAGE;

/** SQL functions that ran in a database of the running test file, which may have several. */
export function noteSql(functions: readonly string[]): void {
  if (!folder) return;
  const path = pathOf(folder, runningTest(), 'sql');
  const known = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as { functions: string[] }).functions : [];
  writeCoverage(folder, runningTest(), 'sql', { functions: [...new Set([...known, ...functions])].sort() });
}

if (folder) {
  const startedAt = performance.now();
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  // What ran before belongs to the file before.
  await session.post('Profiler.takePreciseCoverage');
  afterAll(async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const functions: Record<string, string[]> = {};
    for (const { url, functions: all } of result) {
      const file = url.startsWith('file:') ? relative(process.cwd(), fileURLToPath(url)) : relative(process.cwd(), url);
      if (!file.startsWith('functions/')) continue;
      const ran = all.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).map(({ functionName }) => functionName);
      if (ran.length > 0) functions[file] = [...new Set(ran)];
    }
    session.disconnect();
    writeCoverage(folder, runningTest(), 'typescript', { ms: Math.round(performance.now() - startedAt), functions });
  });
}
