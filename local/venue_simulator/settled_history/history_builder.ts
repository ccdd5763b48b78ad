import type { Universe } from '../universe/universe.ts';
import { type SettledHistory, settledHistoryOf } from './settled_history.ts';

/**
 * Alternating work and pauses in real ms, so that the market runs while the history is computed.
 */
const WORK_MS = 8;
const REST_MS = 4;

/** Computes the settled history once, after the first request. Null until it is complete. */
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
