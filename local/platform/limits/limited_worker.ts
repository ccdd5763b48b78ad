import type { ChildProcess } from 'node:child_process';
import { spawnBlankWorker, untilListening } from '../functions/worker.ts';
import type { OutputSink } from '../supervisor/log_file.ts';
import { exceededLimit, type LimitName, type Limits, nearLimit, type ResourceUse } from './limits.ts';
import { cpuOf, memoryOf } from './process_usage.ts';

/** How a worker ended. `broken`: it died before the end of its call, and not because of a limit. */
export type WorkerExit = 'done' | 'broken' | LimitName;

/**
 * A worker of one call. Its time and CPU count from `become`: on the platform, the start of Deno
 * does not count, because workers start inside a running server. Near a limit it is warned once; at
 * a limit it is killed.
 */
export class LimitedWorker {
  readonly socketPath: string;
  readonly exited: Promise<WorkerExit>;
  readonly #child: ChildProcess;
  readonly #limits: Limits;
  #startedAt: number | undefined;
  #cpuBefore = 0;
  #use: ResourceUse = { cpuMs: 0, memoryMb: 0, wallSeconds: 0 };
  #killedBy: LimitName | undefined;
  readonly #reportedLimits = new Set<string>();

  constructor(options: { socketPath: string; deno?: string | undefined }, limits: Limits, log: OutputSink) {
    this.socketPath = options.socketPath;
    this.#limits = limits;
    // V8's own heap limit is the platform's as well. It stops a function that allocates faster than
    // we check.
    this.#child = log.collect(spawnBlankWorker({ ...options, env: {}, memoryMb: limits.memoryMb }));
    // A write to a process that has just died fails. Its exit is handled elsewhere.
    this.#child.stdin?.on('error', () => {});
    this.exited = new Promise((resolve) => {
      this.#child.once('error', () => resolve('broken'));
      this.#child.once('exit', (code, signal) => resolve(this.#exitOf(code, signal)));
    });
  }

  get pid(): number | undefined {
    const { exitCode, signalCode, pid } = this.#child;
    return exitCode === null && signalCode === null ? pid : undefined;
  }

  get use(): ResourceUse {
    return this.#use;
  }

  /** Resolves when the function serves. Rejects when the worker ends first. */
  async become(entrypoint: string, env: Record<string, string>): Promise<void> {
    this.#startedAt = performance.now();
    this.#cpuBefore = (this.pid && cpuOf(this.pid)) || 0;
    this.#child.stdin?.write(`${JSON.stringify({ entrypoint, env })}\n`);
    const ended = this.exited.then((how) => {
      throw new Error(`The worker ended during its start (${how}).`);
    });
    await Promise.race([untilListening(this.socketPath, 60), ended]);
  }

  /** The call was answered: the worker ends when its background work is done. */
  finishCall(): void {
    this.check();
    this.#child.stdin?.write('answered\n');
  }

  /** Reads the use of the worker, warns it near a limit, and kills it at a limit. */
  check(): void {
    const { pid } = this;
    if (pid === undefined || this.#startedAt === undefined) return;
    const cpu = cpuOf(pid);
    const memory = memoryOf(pid);
    this.#use = {
      cpuMs: cpu === undefined ? this.#use.cpuMs : cpu - this.#cpuBefore,
      memoryMb: Math.max(this.#use.memoryMb, memory ?? 0),
      wallSeconds: (performance.now() - this.#startedAt) / 1000,
    };
    this.#killedBy ??= exceededLimit(this.#use, this.#limits);
    if (this.#killedBy) this.kill('SIGKILL');
    else this.#reportNear(nearLimit(this.#use, this.#limits));
  }

  #reportNear(reasons: readonly string[]): void {
    for (const reason of reasons) {
      if (this.#reportedLimits.has(reason)) continue;
      this.#reportedLimits.add(reason);
      this.#child.stdin?.write(`near ${reason}\n`);
    }
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  #exitOf(code: number | null, signal: NodeJS.Signals | null): WorkerExit {
    if (this.#killedBy) return this.#killedBy;
    if (code === 0) return 'done';
    // Signals with which V8 ends a process whose heap is full.
    return signal === 'SIGTRAP' || signal === 'SIGABRT' || signal === 'SIGILL' ? 'memory' : 'broken';
  }
}
