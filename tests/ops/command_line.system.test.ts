import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { databaseOfStack } from '../support/database_of_stack.ts';

// The command line itself, as a shell starts it. All other tests call `main` of a command.
const stack = databaseOfStack();

function npmRun(name: string, ...args: string[]) {
  const run = ['run', '--silent', name, '--', ...args, '--data', stack.folder];
  const { status, stdout, stderr } = spawnSync('npm', run, { cwd: repository, encoding: 'utf8' });
  return { status, stdout, stderr };
}

test('npm run key prints a key on the last line and exits 0', () => {
  const { status, stdout, stderr } = npmRun('key', '--org', 'Shell');
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout.trim().split('\n').at(-1)).toMatch(/^sk_live_\w+$/);
});

test('npm run why exits 1 with one sentence where no stack runs', () => {
  const { status, stdout, stderr } = npmRun('why', 'NOTHING', '--port', '2');
  expect([status, stdout, stderr]).toEqual([1, '', expect.stringMatching(/^No stack runs at port 2\. .*\n$/)]);
});

test('an unknown command exits 2 and lists the commands', () => {
  const args = ['--import', 'tsx', 'local/cli.ts', 'constructor'];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: repository, encoding: 'utf8' });
  expect([status, stderr]).toEqual([
    2,
    expect.stringMatching(/^Unknown command "constructor"\. Commands: start, key, /),
  ]);
});
