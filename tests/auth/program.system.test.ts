import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { BINARY_VARIABLE, findAuthBinary } from '../../local/platform/auth/gotrue/binary.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { tsxArguments } from '../../local/platform/supervisor/venues.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';

const folder = temporaryFolder('program');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function script(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

test('the program is found by its variable, with the version that it prints and none of our environment', () => {
  const path = script('auth', `[ "$1" = version ] && [ -z "$HOME" ] && echo v1.2.3`);
  expect(findAuthBinary({ [BINARY_VARIABLE]: path })).toEqual({ path, version: 'v1.2.3' });
});

test.each([
  ['no variable', undefined, `${BINARY_VARIABLE} does not name a Supabase Auth program`],
  ['no file', () => '/nowhere/auth', 'which does not exist'],
  ['another program', () => script('other', 'exit 3'), 'which is not Supabase Auth: "version" ended with exit 3'],
  ['a folder', () => folder, 'which is not Supabase Auth: '],
])('with %s, the reason is a sentence', (_what, path, reason) => {
  expect(findAuthBinary({ [BINARY_VARIABLE]: path?.() })).toEqual({ missing: expect.stringContaining(reason) });
});

test('npm start -- --auth gotrue without the program states what to do, exits 1 and creates no data folder', () => {
  const data = join(folder, 'data');
  const run = spawnSync(
    process.execPath,
    [...tsxArguments, join(repository, 'local/cli.ts'), 'start', '--auth', 'gotrue', '--data', data],
    { cwd: repository, encoding: 'utf8', env: { ...process.env, [BINARY_VARIABLE]: '' }, timeout: 60_000 },
  );
  expect(run.stderr.trim()).toBe(
    `--auth gotrue runs Supabase Auth, but ${BINARY_VARIABLE} does not name a Supabase Auth program. ` +
      `Set ${BINARY_VARIABLE} to the path of the program, or omit --auth.`,
  );
  expect(run.status).toBe(1);
  expect(existsSync(data)).toBe(false);
});
