import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { functionsFolder } from '../functions/worker.ts';
import type { Backend, Call } from '../gateway/gateway.ts';
import type { Refusal } from '../gateway/responses.ts';
import type { Limits } from './limits.ts';
import { Tally, type TallyLine } from './usage_stats.ts';
import { type Ending, Worker } from './worker.ts';

export type HostedPlan = {
  limits: Limits;
  env: Record<string, string>;
  /** A private folder for the workers' sockets. */
  sockets: string;
  /** A file handle for what the workers of a function say. */
  log: number;
  /** The set of living processes has changed. */
  changed(): void;
  say(line: string): void;
  /** Where the functions are; the project's unless a test has others. */
  folder?: string;
};

/** Workers that are started and wait for a call: Deno's own start takes longer than most calls. */
const spares = 4;
/** Functions that load at once; others wait: a burst must not take a small machine apart. */
const loadingAtOnce = 4;
/** How often what they use is read. */
const lookMs = 50;

/**
 * The functions as the platform may run them at its strictest: each call (a request, or a WebSocket for as long as it is open) in a worker of
 * its own, measured, and killed at a limit. The platform may also give several calls to one worker; nothing may depend on it.
 */
export class HostedFunctions {
  readonly #plan: HostedPlan;
  readonly #spares: Worker[] = [];
  readonly #living = new Map<Worker, string>();
  readonly #tallies = new Map<string, Tally>();
  readonly #waiting: (() => void)[] = [];
  readonly #timer: NodeJS.Timeout;
  #loading = 0;
  #made = 0;
  #stopping = false;

  constructor(plan: HostedPlan) {
    this.#plan = plan;
    this.#timer = setInterval(() => this.#look(), lookMs);
    this.#refill();
  }

  get pids(): number[] {
    return [...this.#spares, ...this.#living.keys()].flatMap((worker) => worker.pid ?? []);
  }

  /** One function behind the gateway. */
  backend(name: string): Backend {
    const tally = new Tally(name, this.#plan.limits);
    this.#tallies.set(name, tally);
    return {
      name: `The function ${name}`,
      address: { socketPath: join(this.#plan.sockets, 'nobody') },
      untilUp: () => Promise.resolve(true),
      call: () => this.#call(name, tally),
    };
  }

  /** What /limits.json says. */
  report(): { functions: TallyLine[] } {
    const names = [...this.#living.values()];
    const lines = [...this.#tallies].map(([name, tally]) => tally.line(names.filter((other) => other === name).length));
    return { functions: lines };
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    const workers = [...this.#spares, ...this.#living.keys()];
    for (const worker of workers) worker.kill('SIGTERM');
    const timer = setTimeout(() => {
      for (const worker of workers) worker.kill('SIGKILL');
    }, 3_000);
    await Promise.all(workers.map((worker) => worker.over));
    clearTimeout(timer);
    clearInterval(this.#timer);
  }

  async #call(name: string, tally: Tally): Promise<Call | Refusal> {
    await this.#turn();
    const worker = this.#take(name, tally);
    try {
      await worker.become(pathToFileURL(join(this.#plan.folder ?? functionsFolder, name, 'index.ts')).href);
    } catch {
      const how = await worker.over;
      return how === 'broken' ? bootError(name) : (limitRefusal(name, how) ?? bootError(name));
    } finally {
      this.#loading--;
      this.#waiting.shift()?.();
    }
    return {
      address: { socketPath: worker.socketPath },
      done: () => worker.answered(),
      broken: async () => limitRefusal(name, await worker.over),
    };
  }

  async #turn(): Promise<void> {
    while (this.#loading >= loadingAtOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#loading++;
  }

  #take(name: string, tally: Tally): Worker {
    const worker = this.#spares.shift() ?? this.#make();
    this.#living.set(worker, name);
    tally.began();
    void worker.over.then((how) => {
      this.#living.delete(worker);
      if (!this.#stopping) tally.ended(worker.use, how);
      if (how !== 'done' && !this.#stopping) this.#plan.say(`functions/${name}: ${wordsFor(how)}`);
      this.#plan.changed();
    });
    this.#refill();
    return worker;
  }

  #refill(): void {
    while (!this.#stopping && this.#spares.length < spares) this.#spares.push(this.#make());
    this.#plan.changed();
  }

  #make(): Worker {
    const { limits, env, sockets, log } = this.#plan;
    const worker = new Worker({ socketPath: join(sockets, `h-${++this.#made}`), env }, limits, log);
    void worker.over.then(() => {
      const place = this.#spares.indexOf(worker);
      if (place >= 0) this.#spares.splice(place, 1);
    });
    return worker;
  }

  #look(): void {
    for (const [worker, name] of this.#living) {
      worker.look();
      this.#tallies.get(name)?.saw(worker.use);
    }
    // A spare that died by itself is replaced here and not at once: Deno may not start at all.
    if (this.#spares.length < spares) this.#refill();
  }
}

function wordsFor(how: Ending): string {
  return how === 'broken' ? 'a worker died before its call was over' : `a worker was killed at its limit of ${how}`;
}

/** The platform's status for a worker that was ended at a limit before it answered. */
function limitRefusal(name: string, how: Ending): Refusal | undefined {
  if (how === 'done' || how === 'broken') return undefined;
  return { status: 546, code: 'WORKER_LIMIT', error: `The function ${name} was killed at its limit of ${how}.` };
}

function bootError(name: string): Refusal {
  return { status: 503, code: 'BOOT_ERROR', error: `The function ${name} does not start; its log says why.` };
}
