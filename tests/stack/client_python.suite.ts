import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repository } from '../../local/platform/postgres/binaries.ts';
import type { RunningStack } from '../support/stack.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';
import { untilFastForwardEnds } from './simulator.ts';

// A user's first environment: the Python package is built, installed from the archive next to
// pandas, and the programs of docs/client_python.md run against the stack.

const guide = readFileSync(join(repository, 'docs/client_python.md'), 'utf8');
const programs = [...guide.matchAll(/```python\n([\s\S]*?)```/g)].map(([, text = '']) => text);

const python = (file: string, ...args: string[]) =>
  spawnSync(file, args, { encoding: 'utf8', env: { ...process.env, PIP_DISABLE_PIP_VERSION_CHECK: '1' } });

const version = python('python3', '--version').stdout ?? '';
const isOldPython = !/ 3\.1[1-9]/.test(version);
if (isOldPython) console.log('tests/stack/client_python.suite.ts is skipped: no Python 3.11 on the PATH.');

/** `at` returns the stack once it is ready. */
export const clientPythonSuite = (at: () => RunningStack) =>
  describe.skipIf(isOldPython)('the Python client in a new environment', () => {
    let folder: string;
    let own: string;
    let environment: NodeJS.ProcessEnv;

    beforeAll(async () => {
      await untilFastForwardEnds(at());
      folder = temporaryFolder('python-client');
      const done = (run: ReturnType<typeof python>) => expect(run.status, run.stderr).toBe(0);
      done(python('python3', '-m', 'venv', join(folder, 'venv')));
      own = join(folder, 'venv/bin/python');
      const archives = join(folder, 'archives');
      mkdirSync(archives);
      const package_ = join(repository, 'client/python');
      done(python(own, '-m', 'pip', 'wheel', '--quiet', '--no-deps', '--wheel-dir', archives, package_));
      const [archive = ''] = readdirSync(archives);
      expect(archive).toBe('parallax_client-2.0.0-py3-none-any.whl');
      done(python(own, '-m', 'pip', 'install', '--quiet', join(archives, archive), 'pandas==3.1.1'));
      for (const [n, text] of programs.entries()) writeFileSync(join(folder, `program_${n}.py`), text);
      environment = { ...process.env, PARALLAX_API: at().baseUrl, PARALLAX_KEY: at().key('pro', 'python client') };
    }, 300_000);
    afterAll(() => {
      if (folder) rmSync(folder, { recursive: true, force: true });
    });

    const run = (n: number) => {
      const { status, stdout, stderr } = spawnSync(own, [`program_${n}.py`], {
        cwd: folder,
        encoding: 'utf8',
        env: environment,
        timeout: 60_000,
      });
      expect([status, stderr]).toEqual([0, '']);
      return stdout;
    };

    it('reads markets and raises the code of the service', () => {
      expect(programs.length).toBe(4);
      const lines = run(0).trim().split('\n');
      expect([lines.length, lines.at(-1)]).toEqual([4, '404 pair.not_found']);
    });

    it('makes a table of all asks with pandas', () => {
      const printed = run(1);
      expect(printed).toMatch(/competition +\n/);
      expect(printed).toMatch(/title +outcome +venue_a +venue_b +gap/);
    }, 90_000);

    it('follows the stream from its state', () => {
      expect(run(2)).toMatch(/^markets:all \d\d+ markets \d+ open opportunities\n/);
    }, 90_000);

    it('verifies a webhook', () => {
      expect(run(3).trim()).toBe('Message timestamp too old');
    });
  });
