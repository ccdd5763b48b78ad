import { type ChildProcess, spawn } from 'node:child_process';
import { denoProgram, repository } from '../../local/platform/postgres/binaries.ts';

/**
 * Starts a function as a container runs it (`deno task NAME`), with this environment only. `within`
 * is a command that starts the command after it somewhere else, such as in a network namespace.
 */
export function startFunction(
  name: 'api' | 'ingest' | 'deliver' | 'stream',
  env: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
  within: readonly string[] = [],
): ChildProcess {
  const rights = ['--quiet', '--no-prompt', '--cached-only', '--allow-net', '--allow-env'];
  const command = [...within, denoProgram(), 'run', ...rights, ...flags, `functions/${name}/container.ts`];
  return spawn(command[0] ?? '', command.slice(1), {
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
