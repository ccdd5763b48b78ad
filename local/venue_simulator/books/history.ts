import { sameTop, type Top } from './ladder.ts';

export type TopAt = Top & { at: number };

/** Best bid and ask of the last minutes, by the market time at which the change was sent. */
export class TopHistory {
  #entries: TopAt[] = [];
  readonly #keepMs: number;

  constructor(keepMs = 660_000) {
    this.#keepMs = keepMs;
  }

  note(at: number, top: Top): void {
    const last = this.#entries[this.#entries.length - 1];
    if (last && sameTop(last, top)) return;
    this.#entries.push({ at, ...top });
    // The entry that was current at the start of the kept period must stay, so one older entry is
    // always kept.
    if (this.#entries.length > 32 && (this.#entries[16]?.at ?? at) < at - this.#keepMs)
      this.#entries = this.#entries.slice(16);
  }

  /**
   * The top of book at `at`, when it began and until when it lasted; null when the history does not
   * reach back.
   */
  at(at: number): { top: TopAt; until: number | null } | null {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#entries[middle] as TopAt).at <= at) low = middle + 1;
      else high = middle;
    }
    const top = this.#entries[low - 1];
    return top ? { top, until: this.#entries[low]?.at ?? null } : null;
  }
}
