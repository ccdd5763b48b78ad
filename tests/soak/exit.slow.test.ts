import { spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { tsxArguments } from '../../local/platform/supervisor/venues.ts';
import { collectLines, descendants } from '../support/stack.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';
import { holdsWithin } from '../support/wait_until.ts';

// Guarantee: a soak that receives SIGTERM while its stack starts leaves no process and no data
// behind.

const out = temporaryFolder('soak');
afterAll(() => rmSync(out, { recursive: true, force: true }));

const alive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('a soak ends its stack and removes its data on SIGTERM during the start', async () => {
  const command = [
    ...tsxArguments,
    join(repository, 'tests/soak/run.ts'),
    '--games',
    '30',
    '--clients',
    '4',
    '--out',
    out,
  ];
  const child = spawn(process.execPath, command, { cwd: repository, stdio: ['ignore', 'pipe', 'pipe'] });
  const lines = collectLines(child);
  const closed = new Promise((resolve) => child.once('close', resolve));
  const hasPostgres = () =>
    Promise.resolve(descendants(child.pid ?? 0).some((one) => /bin\/postgres -D/.test(one.command)));
  expect(await holdsWithin(hasPostgres, 60_000), lines.join('\n')).toBe(true);
  const all = descendants(child.pid ?? 0);
  // npm and tsx each forward the signal, so the process receives it twice.
  child.kill('SIGTERM');
  child.kill('SIGTERM');
  expect(await closed, lines.join('\n')).not.toBe(0);
  const haveEnded = () => Promise.resolve(!all.some(({ pid }) => alive(pid)));
  expect(await holdsWithin(haveEnded, 10_000), JSON.stringify(all.filter(({ pid }) => alive(pid)))).toBe(true);
  expect(existsSync(join(out, 'data'))).toBe(false);
});
