import { cpuTimeOf } from '../bench/cpu_time.ts';
import type { ProcessRow } from '../support/stack.ts';
import { stackProcessOf } from './processes.ts';

const OWN_PROCESSES: readonly [RegExp, string][] = [
  [/tests\/soak\/attack\//, 'attackers'],
  [/tests\/soak\/load\/stream_client_process/, 'stream clients'],
  [/tests\/soak\/load\/steady_process/, 'measured load'],
];

/**
 * CPU seconds of each kind of process, since the start of the run. A process counts from its second
 * sample on, and what it used after its last one is not counted.
 */
export class CpuTimes {
  readonly #lastMs = new Map<number, number>();
  readonly #total: Record<string, number> = {};

  /** Adds what the processes used since the last call. Returns the sums, s. */
  add(rows: readonly ProcessRow[]): Record<string, number> {
    this.#count('soak', process.pid);
    for (const { pid, command } of rows) {
      const name = OWN_PROCESSES.find(([pattern]) => pattern.test(command))?.[1] ?? stackProcessOf(command);
      if (name !== undefined) this.#count(name, pid);
    }
    return { ...this.#total };
  }

  #count(name: string, pid: number): void {
    const ms = cpuTimeOf(pid);
    if (ms === undefined) return;
    const last = this.#lastMs.get(pid) ?? ms;
    this.#lastMs.set(pid, ms);
    // A pid that was given to another process may have used less.
    this.#total[name] = (this.#total[name] ?? 0) + Math.max(0, ms - last) / 1_000;
  }
}
