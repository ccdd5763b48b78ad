import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { denoProgram, repository } from '../postgres/binaries.ts';
import { quietTools } from '../postgres/build.ts';
import type { Permissions } from './environment.ts';

export const functionsFolder = join(repository, 'functions');

/** The functions of the project: folders with an index.ts, except `_shared` and the like. */
export function functionNames(folder = functionsFolder): string[] {
  return readdirSync(folder)
    .filter((name) => /^[a-z][a-z0-9-]*$/.test(name) && existsSync(join(folder, name, 'index.ts')))
    .sort();
}

export type WorkerOptions = {
  name: string;
  entrypoint: string;
  socketPath: string;
  env: Record<string, string>;
  /** Without them, a worker reads every variable and reaches every host. */
  permissions?: Permissions;
  /** Heap limit of one worker in MB, as on the platform. */
  memoryMb?: number;
  /** Port of the inspector for a debugger such as Chrome DevTools; no inspector without it. */
  inspectPort?: number | undefined;
  /** Folders outside of the repository that the worker may read. */
  readable?: readonly string[];
  /** The deno program; without it, the installed one. */
  deno?: string | undefined;
  /** Further flags of `deno run`. */
  flags?: readonly string[];
};

const allow = (what: 'net' | 'env', list: readonly string[] | undefined) =>
  list === undefined ? `--allow-${what}` : `--allow-${what}=${list.join(',')}`;

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/**
 * Starts one worker of a function in `deno`, with only the permissions it needs: network,
 * environment, its own source.
 */
export function spawnWorker(plan: WorkerOptions, output: number | 'pipe'): ChildProcess {
  const env = { ...plan.env, FUNCTION_ENTRYPOINT: pathToFileURL(plan.entrypoint).href };
  return spawnDeno({ ...plan, env }, here('serve.ts'), ['ignore', output, output]);
}

/**
 * Starts a function as its container runs it, on the unix socket of a worker. The stream bounds and
 * cuts its sockets only there: `Deno.upgradeWebSocket` can do neither.
 */
export function spawnContainer(plan: WorkerOptions, output: number | 'pipe'): ChildProcess {
  return spawnDeno(plan, plan.entrypoint, ['ignore', output, output]);
}

/** Starts a worker without a function. It receives the function over its standard input. */
export function spawnBlankWorker(plan: Omit<WorkerOptions, 'name' | 'entrypoint'>): ChildProcess {
  return spawnDeno(plan, here('../limits/call.ts'), ['pipe', 'pipe', 'pipe']);
}

function spawnDeno(plan: Omit<WorkerOptions, 'name' | 'entrypoint'>, main: string, stdio: StdioOptions): ChildProcess {
  rmSync(plan.socketPath, { force: true });
  const args = [
    'run',
    '--quiet',
    ...(plan.flags ?? []),
    // Deno 2.1 cannot read the lock of a later version.
    ...(plan.deno ? ['--no-lock'] : []),
    ...(plan.inspectPort === undefined ? [] : [`--inspect=127.0.0.1:${plan.inspectPort}`]),
    '--no-prompt',
    '--cached-only',
    // Deno asks for the right to listen on a unix socket as well.
    allow('net', plan.permissions?.net && [...plan.permissions.net, `unix:${plan.socketPath}`]),
    allow('env', plan.permissions?.env),
    `--allow-read=${[repository, plan.socketPath, ...(plan.readable ?? [])].join(',')}`,
    `--allow-write=${plan.socketPath}`,
    `--v8-flags=--max-old-space-size=${plan.memoryMb ?? 256}`,
    main,
  ];
  return spawn(plan.deno ?? denoProgram(), args, {
    cwd: repository,
    detached: true,
    stdio,
    env: {
      PATH: process.env.PATH ?? '/usr/bin:/bin',
      ...(process.env.HOME ? { HOME: process.env.HOME } : {}),
      ...(process.env.DENO_DIR ? { DENO_DIR: process.env.DENO_DIR } : {}),
      DENO_NO_UPDATE_CHECK: '1',
      // These return memory to the system after a burst: large buffers are mapped separately, and
      // there are few arenas that keep free memory.
      MALLOC_ARENA_MAX: '2',
      MALLOC_MMAP_THRESHOLD_: '65536',
      MALLOC_TRIM_THRESHOLD_: '131072',
      NO_COLOR: '1',
      ...quietTools,
      ...plan.env,
      DENO_SERVE_ADDRESS: `unix:${plan.socketPath}`,
    },
  });
}

/** Resolves when a process listens on the socket. */
export async function untilListening(socketPath: string, seconds = 30): Promise<void> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(socketPath, () => {
        socket.destroy();
        resolve(true);
      });
      socket.on('error', () => resolve(false));
    });
    if (open) return;
    if (Date.now() > end) throw new Error(`the process did not listen within ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}
