import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { functionsFolder } from '../functions/worker.ts';
import type { Backend, Call } from '../gateway/gateway.ts';
import type { ErrorResponse } from '../gateway/responses.ts';
import { LimitedWorker, type WorkerExit } from './limited_worker.ts';
import type { Limits } from './limits.ts';
import { type FunctionUsage, UsageStats } from './usage_stats.ts';

export type LimitedFunctionsOptions = {
  limits: Limits;
  env: Record<string, string>;
  /** A private folder for the workers' sockets. */
  sockets: string;
  /** A file handle for what the workers of a function say. */
  log: number;
  /** The set of living processes has changed. */
  changed(): void;
  printLine(line: string): void;
  /** Where the functions are; the project's unless a test has others. */
  folder?: string;
};

/** Workers that are started and wait for a call: Deno's own start takes longer than most calls. */
const SPARE_WORKERS = 4;
/** Functions that load at once; others wait: a burst must not take a small machine apart. */
const MAX_LOADING = 4;
/** How often what they use is read. */
const CHECK_MS = 50;

/**
 * The functions as the platform may run them at its strictest: each call (a request, or a WebSocket for as long as it is open) in a worker of
 * its own, measured, and killed at a limit. The platform may also give several calls to one worker; nothing may depend on it.
 */
export class LimitedFunctions {
  readonly #options: LimitedFunctionsOptions;
  readonly #spares: LimitedWorker[] = [];
  readonly #living = new Map<LimitedWorker, string>();
  readonly #usage = new Map<string, UsageStats>();
  readonly #waiting: (() => void)[] = [];
  readonly #timer: NodeJS.Timeout;
  #loading = 0;
  #made = 0;
  #stopping = false;

  constructor(plan: LimitedFunctionsOptions) {
    this.#options = plan;
    this.#timer = setInterval(() => this.#checkLimits(), CHECK_MS);
    this.#refill();
  }

  get pids(): number[] {
    return [...this.#spares, ...this.#living.keys()].flatMap((worker) => worker.pid ?? []);
  }

  /** One function behind the gateway. */
  backend(name: string): Backend {
    const tally = new UsageStats(name, this.#options.limits);
    this.#usage.set(name, tally);
    return {
      name: `The function ${name}`,
      address: { socketPath: join(this.#options.sockets, 'nobody') },
      untilUp: () => Promise.resolve(true),
      call: () => this.#call(name, tally),
    };
  }

  /** What /limits.json says. */
  report(): { functions: FunctionUsage[] } {
    const names = [...this.#living.values()];
    const lines = [...this.#usage].map(([name, tally]) => tally.line(names.filter((other) => other === name).length));
    return { functions: lines };
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    const workers = [...this.#spares, ...this.#living.keys()];
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
      await worker.become(pathToFileURL(join(this.#options.folder ?? functionsFolder, name, 'index.ts')).href);
    } catch {
      const how = await worker.exited;
      return how === 'broken' ? bootError(name) : (limitError(name, how) ?? bootError(name));
    } finally {
      this.#loading--;
      this.#waiting.shift()?.();
    }
    return {
      address: { socketPath: worker.socketPath },
      done: () => worker.answered(),
      broken: async () => limitError(name, await worker.exited),
    };
  }

  async #nextTurn(): Promise<void> {
    while (this.#loading >= MAX_LOADING) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#loading++;
  }

  #takeWorker(name: string, tally: UsageStats): LimitedWorker {
    const worker = this.#spares.shift() ?? this.#make();
    this.#living.set(worker, name);
    tally.began();
    void worker.exited.then((how) => {
      this.#living.delete(worker);
      if (!this.#stopping) tally.ended(worker.use, how);
      if (how !== 'done' && !this.#stopping) this.#options.printLine(`functions/${name}: ${exitText(how)}`);
      this.#options.changed();
    });
    this.#refill();
    return worker;
  }

  #refill(): void {
    while (!this.#stopping && this.#spares.length < SPARE_WORKERS) this.#spares.push(this.#make());
    this.#options.changed();
  }

  #make(): LimitedWorker {
    const { limits, env, sockets, log } = this.#options;
    const worker = new LimitedWorker({ socketPath: join(sockets, `h-${++this.#made}`), env }, limits, log);
    void worker.exited.then(() => {
      const place = this.#spares.indexOf(worker);
      if (place >= 0) this.#spares.splice(place, 1);
    });
    return worker;
  }

  #checkLimits(): void {
    for (const [worker, name] of this.#living) {
      worker.check();
      this.#usage.get(name)?.saw(worker.use);
    }
    // A spare that died by itself is replaced here and not at once: Deno may not start at all.
    if (this.#spares.length < SPARE_WORKERS) this.#refill();
  }
}

function exitText(how: WorkerExit): string {
  return how === 'broken' ? 'a worker died before its call was over' : `a worker was killed at its limit of ${how}`;
}

/** The platform's status for a worker that was ended at a limit before it answered. */
function limitError(name: string, how: WorkerExit): ErrorResponse | undefined {
  if (how === 'done' || how === 'broken') return undefined;
  return { status: 546, code: 'WORKER_LIMIT', error: `The function ${name} was killed at its limit of ${how}.` };
}

function bootError(name: string): ErrorResponse {
  return { status: 503, code: 'BOOT_ERROR', error: `The function ${name} does not start; its log says why.` };
}
