import { type ChildProcess, spawn } from 'node:child_process';
import { denoProgram, repository } from '../../local/platform/postgres/binaries.ts';

/** Starts a function as a container runs it (`deno task NAME`), with this environment only. */
export function startFunction(
  name: 'api' | 'ingest' | 'deliver' | 'stream',
  env: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
): ChildProcess {
  const rights = ['--quiet', '--no-prompt', '--cached-only', '--allow-net', '--allow-env'];
  return spawn(denoProgram(), ['run', ...rights, ...flags, `functions/${name}/container.ts`], {
    cwd: repository,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      NO_COLOR: '1',
      DENO_NO_UPDATE_CHECK: '1',
      ...env,
    },
  });
}
