import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { tsxArguments } from '../../../local/platform/supervisor/venues.ts';
import type { Findings } from '../findings.ts';
import type { CrowdOrder, CrowdWord } from './stream_client_process.ts';

/** So many clients hold one process busy where a hundred frames a second come. */
const clientsInProcess = 50;

/** Stream clients, spread over processes of their own. */
export class Crowds {
  readonly #children: ChildProcess[] = [];
  readonly #words: CrowdWord[] = [];
  readonly #findings: Findings;
  readonly clients: number;
  readonly #lags: number[] = [];

  constructor(findings: Findings, base: string, wsUrl: string, keys: readonly string[]) {
    this.#findings = findings;
    this.clients = keys.length;
    for (let from = 0; from < keys.length; from += clientsInProcess) {
      const place = this.#children.length;
      const child = fork(fileURLToPath(new URL('./stream_client_process.ts', import.meta.url)), {
        execArgv: tsxArguments,
      });
      child.on('message', (word: CrowdWord) => this.#heard(place, word));
      const order: CrowdOrder = {
        base,
        wsUrl,
        keys: keys.slice(from, from + clientsInProcess),
        name: `crowd ${place}`,
      };
      child.send(order);
      this.#children.push(child);
    }
  }

  #heard(place: number, word: CrowdWord): void {
    const before = this.#words[place];
    this.#words[place] = word;
    this.#lags.push(...word.lags);
    this.#findings.add('stream: each offset once, in order', word.frames - (before?.frames ?? 0), word.wrong);
    for (const how of word.ended.slice(before?.ended.length ?? 0))
      this.#findings.violate('stream: clients come back', how);
  }

  #sum(count: (word: CrowdWord) => number): number {
    return this.#words.reduce((sum, word) => sum + (word ? count(word) : 0), 0);
  }

  get connected(): number {
    return this.#sum((word) => word.connected);
  }

  get frames(): number {
    return this.#sum((word) => word.frames);
  }

  get connections(): number {
    return this.#sum((word) => word.connections);
  }

  takeLags(): number[] {
    return this.#lags.splice(0);
  }

  /** The least offset that all clients of a channel have heard; undefined where nobody hears it. */
  reached(channel: string): number | undefined {
    const all = this.#words.flatMap((word) => word.reached.filter(([name]) => name === channel).map(([, at]) => at));
    return all.length > 0 ? Math.min(...all) : undefined;
  }

  end(): void {
    for (const child of this.#children) child.disconnect();
  }
}
