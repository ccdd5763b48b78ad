import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

// Tests, bench and soak share one set of waiting helpers: tests/support/wait_until.ts.

const tests = join(import.meta.dirname, '..');
const files = readdirSync(tests, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(ts|tsx|mjs)$/.test(name) && name !== 'repository/waiting.test.ts')
  .sort();

/** Files with their own sleep, each with its reason. */
const exceptions: Record<string, string> = {
  'hosted/limits.slow.test.ts': 'code of functions that a worker runs',
  'dashboard/support/tasks.ts': 'code of a script that the page runs',
  'live/support/moves.ts': 'code of a script that the page runs',
  'platform/driver_crash.slow.test.ts': 'code of a separate process',
  'platform/gateway.slow.test.ts': 'code of a function that a worker runs',
  'support/wait_until.ts': 'the helpers themselves',
};

const ownWaits: [what: string, pattern: RegExp][] = [
  ['a promise around setTimeout', /new Promise\b[^;]{0,200}?(?<![.\w])setTimeout\(/],
  ['node:timers/promises', /from 'node:timers\/promises'/],
  ['the sleep of the product', /import \{[^}]*\bsleep\b[^}]*\}/],
  ['a helper of Vitest', /\b(expect\.poll|vi\.waitFor|vi\.waitUntil)\(/],
  ['a loop around pause', /(for|while) \([^\n]*\) await pause\(/],
  ['a loop until a condition or a time', /while \([^{;]*(&& |\|\| )(Date|performance)\.now\(\) </],
];

const waitsOf = (text: string) => ownWaits.filter(([, pattern]) => pattern.test(text)).map(([what]) => what);

test('tests, benchmarks and the soak wait only through tests/support/wait_until.ts', () => {
  const found = files.flatMap((name) => {
    const waits = waitsOf(readFileSync(join(tests, name), 'utf8'));
    return waits.length > 0 && !(name in exceptions) ? [`${name}: ${waits.join(', ')}`] : [];
  });
  expect(found).toEqual([]);
});

test('every exception from the waiting helpers is still needed', () => {
  const stale = Object.keys(exceptions).filter(
    (name) => !files.includes(name) || waitsOf(readFileSync(join(tests, name), 'utf8')).length === 0,
  );
  expect(stale).toEqual([]);
});

test.each([
  'await new Promise((resolve) => setTimeout(resolve, 100));',
  'const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));',
  'await new Promise<void>((done) => {\n  setTimeout(done, 5);\n});',
  "import { setTimeout as sleep } from 'node:timers/promises';",
  "import { sleep } from '../../local/platform/supervisor/process.ts';",
  'await expect.poll(() => ready).toBe(true);',
  'for (let tries = 0; tries < 100 && !ready; tries++) await pause(10);',
  'while (missed.length > 0 && Date.now() < end) await look();',
])('the check finds a wait outside of the helpers: %s', (text) => {
  expect(waitsOf(text)).not.toEqual([]);
});
