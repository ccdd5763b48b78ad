import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { denoProgram, repository } from '../../../local/platform/postgres/binaries.ts';
import { freePort } from '../../../local/platform/postgres/postgres.ts';
import { waitUntil } from '../../support/wait_until.ts';

/** functions/api in its own Deno process, as it is deployed. */
export type Isolate = {
  base: string;
  pid: number;
  /** The lines of its log so far. */
  logLines(): string[];
  stop(): void;
};

export async function startIsolate(databaseUrl: string): Promise<Isolate> {
  const port = await freePort();
  const base = `http://127.0.0.1:${port}/api`;
  const rights = ['--no-prompt', '--allow-net', '--allow-env'];
  const worker = spawn(
    denoProgram(),
    ['serve', ...rights, '--host', '127.0.0.1', '--port', String(port), join(repository, 'functions/api/index.ts')],
    {
      cwd: repository,
      env: { ...process.env, DO_NOT_TRACK: '1', DB_URL_API: databaseUrl, FEED_SOURCE: 'live' },
      detached: true,
    },
  );
  const errors: string[] = [];
  const output: string[] = [];
  worker.stdout?.on('data', (chunk) => output.push(String(chunk)));
  worker.stderr?.on('data', (chunk) => errors.push(String(chunk)));
  await waitUntil(async () => (await fetch(`${base}/health`)).ok, {
    what: 'functions/api answers',
    timeoutMs: 30_000,
    failed: () => worker.exitCode !== null && 'Deno ended',
    evidence: () => errors.join(''),
  });
  return {
    base,
    pid: worker.pid ?? 0,
    logLines: () =>
      output
        .join('')
        .split('\n')
        .filter((line) => line !== ''),
    stop() {
      if (worker.pid !== undefined) process.kill(-worker.pid, 'SIGKILL');
    },
  };
}
