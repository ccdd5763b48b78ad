import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { denoProgram, repository } from '../../../local/platform/postgres/binaries.ts';
import { freePort } from '../../../local/platform/postgres/postgres.ts';

/** functions/api as it is deployed, in a Deno process of its own. */
export type Isolate = { base: string; pid: number; stop(): void };

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
  const words: string[] = [];
  worker.stderr?.on('data', (chunk) => words.push(String(chunk)));
  const answers = () =>
    fetch(`${base}/health`).then(
      (answer) => answer.ok,
      () => false,
    );
  for (let tries = 0; !(await answers()); tries++) {
    if (tries > 300 || worker.exitCode !== null) throw new Error(`deno does not serve: ${words.join('')}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    base,
    pid: worker.pid ?? 0,
    stop() {
      if (worker.pid !== undefined) process.kill(-worker.pid, 'SIGKILL');
    },
  };
}
