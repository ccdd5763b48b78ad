import type { ChildProcess } from 'node:child_process';
import { spawnBlankWorker, untilListening } from '../functions/worker.ts';
import { exceededLimit, type LimitName, type Limits, nearLimit, type ResourceUse } from './limits.ts';
import { cpuOf, memoryOf } from './process_usage.ts';

/** How it ended: `broken` is a death before the call was over that no limit explains. */
export type WorkerExit = 'done' | 'broken' | LimitName;

/**
 * A worker of one call. Its time and its CPU count from `become`: what Deno itself needs to start is not the function's on the platform, which
 * starts workers inside a running server. Near a limit it is told so once, and
 * at it killed in mid-air.
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
  readonly #isNearReported = new Set<string>();

  constructor(plan: { socketPath: string; env: Record<string, string> }, limits: Limits, log: number) {
    this.socketPath = plan.socketPath;
    this.#limits = limits;
    // V8's own limit is the platform's as well: who allocates faster than we look is ended by it.
    this.#child = spawnBlankWorker({ ...plan, memoryMb: limits.memoryMb }, log);
    // A write to a process that has just died is no news: its end is.
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

  /** Loads the function and resolves when it serves; rejects when it ends before. */
  async become(entrypoint: string): Promise<void> {
    this.#startedAt = performance.now();
    this.#cpuBefore = (this.pid && cpuOf(this.pid)) || 0;
    this.#child.stdin?.write(`${entrypoint}\n`);
    const ended = this.exited.then((how) => {
      throw new Error(`the worker ended while it started (${how})`);
    });
    await Promise.race([untilListening(this.socketPath, 60), ended]);
  }

  /** Its call was answered: it goes as soon as its background work is over. */
  answered(): void {
    this.check();
    this.#child.stdin?.write('answered\n');
  }

  /** Reads what it has used so far, tells it when that is nearly all, and kills it at a limit. */
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
    else this.#sendSignal(nearLimit(this.#use, this.#limits));
  }

  #sendSignal(reasons: readonly string[]): void {
    for (const reason of reasons) {
      if (this.#isNearReported.has(reason)) continue;
      this.#isNearReported.add(reason);
      this.#child.stdin?.write(`near ${reason}\n`);
    }
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  #exitOf(code: number | null, signal: NodeJS.Signals | null): WorkerExit {
    if (this.#killedBy) return this.#killedBy;
    if (code === 0) return 'done';
    // How V8 ends a process whose heap is full.
    return signal === 'SIGTRAP' || signal === 'SIGABRT' || signal === 'SIGILL' ? 'memory' : 'broken';
  }
}
