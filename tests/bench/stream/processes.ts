import { type ChildProcess, fork, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { denoProgram, repository } from '../../../local/platform/postgres/binaries.ts';
import { waitUntil } from '../../support/wait_until.ts';
import type { Order } from './crowd.ts';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** A Deno process that serves HTTP on a port. */
export async function serveDeno(
  file: string,
  port: number,
  env: Record<string, string>,
  args: string[] = [],
): Promise<ChildProcess> {
  const child = spawn(
    denoProgram(),
    ['run', '--quiet', '--no-prompt', '--cached-only', '--allow-net', '--allow-env', file, ...args],
    {
      cwd: repository,
      env: { ...process.env, DENO_NO_UPDATE_CHECK: '1', ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  await waitUntil(() => fetch(`http://127.0.0.1:${port}/stream`), {
    what: `${file} answers`,
    timeoutMs: 60_000,
    failed: () => child.exitCode !== null && `${file} does not run`,
  });
  return child;
}

export type Crowd = {
  connect(port: number, path: string, said: string[]): Promise<void>;
  /** Gives back a promise of the moment when so many bytes have come. */
  count(bytes: number): Promise<{ done: Promise<number> }>;
  close(): void;
};

export function gather(): Crowd {
  const child = fork(here('crowd.ts'), { execArgv: ['--import', 'tsx'] });
  const word = (wanted: string) =>
    new Promise<number>((resolve) => {
      const listen = (given: unknown) => {
        if (given !== wanted) return;
        child.off('message', listen);
        resolve(performance.now());
      };
      child.on('message', listen);
    });
  const order = (given: Order) => child.send(given);
  return {
    async connect(port, path, said) {
      const ready = word('connected');
      order({ connect: { port, path, said } });
      await ready;
    },
    async count(bytes) {
      const counting = word('counting');
      const done = word('done');
      order({ count: bytes });
      await counting;
      return { done };
    },
    close: () => child.kill(),
  };
}
