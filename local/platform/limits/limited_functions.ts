import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { hostedDeno } from '../functions/hosted_deno.ts';
import { functionsFolder } from '../functions/worker.ts';
import type { Backend, Call } from '../gateway/gateway.ts';
import type { ErrorResponse } from '../gateway/responses.ts';
import type { OutputSink } from '../supervisor/log_file.ts';
import { LimitedWorker, type WorkerExit } from './limited_worker.ts';
import type { Limits } from './limits.ts';
import { type FunctionUsage, UsageStats } from './usage_stats.ts';

export type LimitedFunctionsOptions = {
  limits: Limits;
  /** The environment of a function. A worker gets it with its function. */
  env(name: string): Record<string, string>;
  /** A private folder for the workers' sockets. */
  sockets: string;
  /** The output of the workers. */
  log: OutputSink;
  /** The set of running processes has changed. */
  changed(): void;
  printLine(line: string): void;
  /** The folder of the functions. Tests may use another one. */
  folder?: string;
};

/** Started workers without a function: the start of Deno takes longer than most calls. */
const SPARE_WORKERS = 4;
/**
 * Functions that load at the same time. The others wait, so that a burst does not overload a small
 * machine.
 */
const MAX_LOADING = 4;
/** Interval of the usage checks. */
const CHECK_MS = 50;

/**
 * Runs the functions under the strictest reading of the platform's limits: each call (a request, or
 * a WebSocket while it is open) has its own worker, which is measured and killed at a limit. The
 * platform may give several calls to one worker, so functions must not depend on either. They run
 * on the platform’s version of Deno where npm has it for this machine.
 */
export class LimitedFunctions {
  readonly #options: LimitedFunctionsOptions;
  readonly #spares: LimitedWorker[] = [];
  readonly #running = new Map<LimitedWorker, string>();
  readonly #usage = new Map<string, UsageStats>();
  readonly #waiting: (() => void)[] = [];
  readonly #timer: NodeJS.Timeout;
  #loading = 0;
  #workerCount = 0;
  #isStopping = false;

  constructor(plan: LimitedFunctionsOptions) {
    this.#options = plan;
    this.#timer = setInterval(() => this.#checkLimits(), CHECK_MS);
    this.#refill();
  }

  get pids(): number[] {
    return [...this.#spares, ...this.#running.keys()].flatMap((worker) => worker.pid ?? []);
  }

  /** One function as a backend of the gateway. */
  backend(name: string): Backend {
    const stats = new UsageStats(name, this.#options.limits);
    this.#usage.set(name, stats);
    return {
      name: `The function ${name}`,
      address: { socketPath: join(this.#options.sockets, 'unused') },
      untilUp: () => Promise.resolve(true),
      call: () => this.#call(name, stats),
    };
  }

  /** The content of /limits.json. */
  report(): { functions: FunctionUsage[] } {
    const names = [...this.#running.values()];
    const lines = [...this.#usage].map(([name, stats]) => stats.report(names.filter((other) => other === name).length));
    return { functions: lines };
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    const workers = [...this.#spares, ...this.#running.keys()];
    for (const worker of workers) worker.kill('SIGTERM');
    const timer = setTimeout(() => {
      for (const worker of workers) worker.kill('SIGKILL');
    }, 3_000);
    await Promise.all(workers.map((worker) => worker.exited));
    clearTimeout(timer);
    clearInterval(this.#timer);
  }

  async #call(name: string, tally: UsageStats): Promise<Call | ErrorResponse> {
    await this.#nextTurn();
    const worker = this.#takeWorker(name, tally);
    try {
      await worker.become(
        pathToFileURL(join(this.#options.folder ?? functionsFolder, name, 'index.ts')).href,
        this.#options.env(name),
      );
    } catch {
      const how = await worker.exited;
      return how === 'broken' ? bootError(name) : (limitError(name, how) ?? bootError(name));
    } finally {
      this.#loading--;
      this.#waiting.shift()?.();
    }
    return {
      address: { socketPath: worker.socketPath },
      done: () => worker.finishCall(),
      brokenReason: async () => limitError(name, await worker.exited),
    };
  }

  async #nextTurn(): Promise<void> {
    while (this.#loading >= MAX_LOADING) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#loading++;
  }

  #takeWorker(name: string, tally: UsageStats): LimitedWorker {
    const worker = this.#spares.shift() ?? this.#startSpare();
    this.#running.set(worker, name);
    tally.recordStart();
    void worker.exited.then((how) => {
      this.#running.delete(worker);
      if (!this.#isStopping) tally.recordEnd(worker.use, how);
      if (how !== 'done' && !this.#isStopping) this.#options.printLine(`functions/${name}: ${exitText(how)}.`);
      this.#options.changed();
    });
    this.#refill();
    return worker;
  }

  #refill(): void {
    while (!this.#isStopping && this.#spares.length < SPARE_WORKERS) this.#spares.push(this.#startSpare());
    this.#options.changed();
  }

  #startSpare(): LimitedWorker {
    const { limits, sockets, log } = this.#options;
    const socketPath = join(sockets, `h-${++this.#workerCount}`);
    const worker = new LimitedWorker({ socketPath, deno: hostedDeno() ?? undefined }, limits, log);
    void worker.exited.then(() => {
      const place = this.#spares.indexOf(worker);
      if (place >= 0) this.#spares.splice(place, 1);
    });
    return worker;
  }

  #checkLimits(): void {
    for (const [worker, name] of this.#running) {
      worker.check();
      this.#usage.get(name)?.recordUse(worker.use);
    }
    // A spare that died is replaced here and not at once, because Deno may be unable to start at
    // all.
    if (this.#spares.length < SPARE_WORKERS) this.#refill();
  }
}

function exitText(how: WorkerExit): string {
  return how === 'broken' ? 'a worker died before its call ended' : `a worker was killed at its limit of ${how}`;
}

/** The platform's status for a worker that was killed at a limit before it answered. */
function limitError(name: string, how: WorkerExit): ErrorResponse | undefined {
  if (how === 'done' || how === 'broken') return undefined;
  return { status: 546, code: 'WORKER_LIMIT', error: `The function ${name} was killed at its limit of ${how}.` };
}

function bootError(name: string): ErrorResponse {
  return { status: 503, code: 'BOOT_ERROR', error: `The function ${name} does not start. See its log.` };
}
