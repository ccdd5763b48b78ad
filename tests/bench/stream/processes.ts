import { type ChildProcess, fork, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { denoProgram, repository } from '../../../local/platform/postgres/binaries.ts';
import { waitUntil } from '../../support/wait_until.ts';
import type { ClientCommand } from './client_process.ts';

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Starts a Deno process and waits until it answers HTTP on the port. */
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

export type ClientProcess = {
  connect(port: number, path: string, messages: string[]): Promise<void>;
  /** Resets the byte count. `done` resolves to the time at which this many bytes have arrived. */
  count(bytes: number): Promise<{ done: Promise<number> }>;
  close(): void;
};

export function startClients(): ClientProcess {
  const child = fork(pathOf('client_process.ts'), { execArgv: ['--import', 'tsx'] });
  const eventTime = (wanted: string) =>
    new Promise<number>((resolve) => {
      const listen = (given: unknown) => {
        if (given !== wanted) return;
        child.off('message', listen);
        resolve(performance.now());
      };
      child.on('message', listen);
    });
  const send = (given: ClientCommand) => child.send(given);
  return {
    async connect(port, path, messages) {
      const ready = eventTime('connected');
      send({ connect: { port, path, messages } });
      await ready;
    },
    async count(bytes) {
      const counting = eventTime('counting');
      const done = eventTime('done');
      send({ count: bytes });
      await counting;
      return { done };
    },
    close: () => child.kill(),
  };
}
