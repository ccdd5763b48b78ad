import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { tsxArguments } from '../../../local/platform/supervisor/venues.ts';
import type { Findings } from '../findings.ts';
import type { FleetCommand, FleetMessage } from './stream_client_process.ts';

/** At a hundred frames a second this many clients keep one process busy. */
const CLIENTS_PER_PROCESS = 50;

/** Stream clients in several child processes. */
export class StreamFleet {
  readonly #children: ChildProcess[] = [];
  readonly #latest: FleetMessage[] = [];
  readonly #findings: Findings;
  readonly clients: number;
  readonly #lags: number[] = [];

  constructor(findings: Findings, base: string, wsUrl: string, keys: readonly string[]) {
    this.#findings = findings;
    this.clients = keys.length;
    for (let from = 0; from < keys.length; from += CLIENTS_PER_PROCESS) {
      const index = this.#children.length;
      const child = fork(fileURLToPath(new URL('./stream_client_process.ts', import.meta.url)), {
        execArgv: tsxArguments,
      });
      child.on('message', (message: FleetMessage) => this.#receive(index, message));
      const command: FleetCommand = {
        base,
        wsUrl,
        keys: keys.slice(from, from + CLIENTS_PER_PROCESS),
        name: `fleet ${index}`,
      };
      child.send(command);
      this.#children.push(child);
    }
  }

  #receive(index: number, message: FleetMessage): void {
    const before = this.#latest[index];
    this.#latest[index] = message;
    this.#lags.push(...message.lags);
    this.#findings.add('stream: each offset once, in order', message.frames - (before?.frames ?? 0), message.errors);
    for (const reason of message.closeReasons.slice(before?.closeReasons.length ?? 0))
      this.#findings.violate('stream: clients reconnect', reason);
  }

  #sum(count: (message: FleetMessage) => number): number {
    return this.#latest.reduce((sum, message) => sum + (message ? count(message) : 0), 0);
  }

  get connected(): number {
    return this.#sum((message) => message.connected);
  }

  get frames(): number {
    return this.#sum((message) => message.frames);
  }

  get connections(): number {
    return this.#sum((message) => message.connections);
  }

  takeLags(): number[] {
    return this.#lags.splice(0);
  }

  /**
   * The highest offset that all subscribers of a channel have received. Undefined without
   * subscribers.
   */
  reached(channel: string): number | undefined {
    const all = this.#latest.flatMap((message) =>
      message.reached.filter(([name]) => name === channel).map(([, at]) => at),
    );
    return all.length > 0 ? Math.min(...all) : undefined;
  }

  end(): void {
    for (const child of this.#children) child.disconnect();
  }
}
