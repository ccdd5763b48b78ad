import type { Universe } from '../universe/universe.ts';
import { type SettledHistory, settledHistoryOf } from './settled_history.ts';

/** Work and rest by turns, in real milliseconds: the market goes on while the past is counted. */
const WORK_MS = 8;
const REST_MS = 4;

/** Counts the past once, from the first time that somebody asks; null while it counts. */
export class HistoryBuilder {
  readonly #universe: Universe;
  #history: SettledHistory | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(universe: Universe) {
    this.#universe = universe;
  }

  json(): SettledHistory | null {
    if (!this.#history && !this.#timer) this.#continue(settledHistoryOf(this.#universe));
    return this.#history;
  }

  stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
  }

  #continue(days: ReturnType<typeof settledHistoryOf>): void {
    const end = performance.now() + WORK_MS;
    for (let next = days.next(); ; next = days.next()) {
      if (next.done) {
        this.#history = next.value;
        return;
      }
      if (performance.now() >= end) break;
    }
    this.#timer = setTimeout(() => this.#continue(days), REST_MS);
  }
}
