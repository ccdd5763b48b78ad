import { type ChildProcess, spawn } from 'node:child_process';
import { errorText } from '../../user_error.ts';
import type { AuthBinary } from './binary.ts';
import { type AuthSettings, authEnvironment } from './settings.ts';

/** Starts Auth as the leader of its own process group. Its output goes to `output`. */
export function spawnAuth(
  binary: AuthBinary,
  settings: AuthSettings,
  output: number | 'pipe' | 'ignore',
): ChildProcess {
  return spawn(binary.path, ['serve'], {
    cwd: '/',
    detached: true,
    stdio: ['ignore', output, output],
    env: authEnvironment(settings),
  });
}

/** Resolves when Auth answers. Throws when `child` ends first, or after `seconds`. */
export async function untilAuthServes(child: ChildProcess, port: number, seconds = 30): Promise<void> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const state = await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(2_000) }).then(
      (answer) => (answer.ok ? '' : `HTTP ${answer.status}`),
      errorText,
    );
    if (state === '') return;
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`Supabase Auth ended during its start (${child.signalCode ?? `exit ${child.exitCode}`})`);
    if (Date.now() > end) throw new Error(`Supabase Auth did not answer within ${seconds} s: ${state}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
