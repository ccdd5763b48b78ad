import type { ChildProcess } from 'node:child_process';
import { errorText } from '../user_error.ts';
import { sleep } from './process.ts';

export type ServiceState = 'starting' | 'up' | 'down' | 'stopped';

export type ServiceOptions = {
  name: string;
  /** Starts the process as the leader of its own process group. */
  spawn(): ChildProcess | Promise<ChildProcess>;
  /**
   * Resolves when the process serves; rejects when it cannot. A text is printed on the terminal.
   */
  ready(child: ChildProcess): Promise<string | undefined>;
  stopSignal?: NodeJS.Signals;
  /** Time to exit before the process is killed. */
  graceMs?: number;
};

export type ServiceEvents = {
  printLine(line: string): void;
  /** The set of running processes has changed. */
  changed(): void;
};

/**
 * A process that is kept running: when it dies, it is restarted, first at once and then with
 * growing delays (at most 5 s).
 */
export class Service {
  readonly plan: ServiceOptions;
  readonly #events: ServiceEvents;
  #child: ChildProcess | undefined;
  #state: ServiceState = 'stopped';
  #waiting: (() => void)[] = [];
  #isStopping = false;
  #failures = 0;
  #upSince = 0;

  constructor(plan: ServiceOptions, events: ServiceEvents) {
    this.plan = plan;
    this.#events = events;
  }

  get state(): ServiceState {
    return this.#state;
  }

  get pid(): number | undefined {
    const child = this.#child;
    return child && child.exitCode === null && child.signalCode === null ? child.pid : undefined;
  }

  /** First start: resolves to the text of `ready`, throws when the process does not start. */
  async start(): Promise<string | undefined> {
    this.#isStopping = false;
    return this.#launch();
  }

  async #launch(): Promise<string | undefined> {
    this.#set('starting');
    const child = await this.plan.spawn();
    this.#child = child;
    this.#events.changed();
    const ended = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(errorText(error)));
      child.once('exit', (code, signal) => resolve(signal ?? `exit ${code}`));
    });
    let up = false;
    void ended.then((how) => {
      if (this.#child !== child) return;
      this.#events.changed();
      this.#set('down');
      if (up && !this.#isStopping) void this.#restart(how);
    });
    const ready = this.plan.ready(child);
    const words = await Promise.race([
      ready,
      ended.then(async (how) => {
        // `ready` may reject with the reason a moment later.
        await Promise.race([ready, sleep(200)]);
        throw new Error(`${this.plan.name} ended during its start (${how})`);
      }),
    ]);
    up = true;
    this.#upSince = Date.now();
    this.#set('up');
    return words;
  }

  /** Restarts the process until it serves or the stack stops. */
  async #restart(how: string): Promise<void> {
    if (Date.now() - this.#upSince > 10_000) this.#failures = 0;
    this.#events.printLine(`${this.plan.name}: died (${how}); restarting`);
    for (;;) {
      await sleep(Math.min(50 * 2 ** this.#failures, 5_000));
      if (this.#isStopping) return;
      this.#failures++;
      const startedAt = Date.now();
      try {
        await this.#launch();
        this.#events.printLine(`${this.plan.name}: up again after ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
        return;
      } catch (error) {
        if (this.#isStopping) return;
        this.#child?.kill('SIGKILL');
        if (this.#failures === 3)
          this.#events.printLine(`${this.plan.name}: cannot start (${errorText(error)}); retrying`);
      }
    }
  }

  /** Resolves to true when the service is up, or to false after `milliseconds`. */
  async untilUp(milliseconds: number): Promise<boolean> {
    const end = Date.now() + milliseconds;
    while (this.#state !== 'up') {
      const left = end - Date.now();
      if (left <= 0 || this.#isStopping) return false;
      await Promise.race([new Promise<void>((resolve) => this.#waiting.push(resolve)), sleep(Math.min(left, 1_000))]);
    }
    return true;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    const child = this.#child;
    if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const group = child.pid;
    const signal = (name: NodeJS.Signals) => {
      try {
        process.kill(name === 'SIGKILL' ? -group : group, name);
      } catch {
        child.kill(name);
      }
    };
    signal(this.plan.stopSignal ?? 'SIGTERM');
    const timer = setTimeout(() => signal('SIGKILL'), this.plan.graceMs ?? 3_000);
    await gone;
    clearTimeout(timer);
    this.#set('stopped');
  }

  #set(state: ServiceState): void {
    this.#state = state;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}
