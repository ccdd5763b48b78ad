/**
 * Market time on this page. The browser's own clock may be wrong, and a simulation has a time of its own, so ages are told by the times
 * that the service sends, carried on by the time that has passed here since.
 */
export class MarketClock {
  #at = Number.NaN;
  #heardAt = 0;
  readonly #elapsed: () => number;

  constructor(elapsed: () => number = () => performance.now()) {
    this.#elapsed = elapsed;
  }

  /** Milliseconds since 1970; NaN before anything was heard. */
  now(): number {
    return this.#at + (this.#elapsed() - this.#heardAt);
  }

  /** The service says that it is this late now. */
  set(iso: string): void {
    const at = Date.parse(iso);
    if (Number.isNaN(at)) return;
    this.#at = at;
    this.#heardAt = this.#elapsed();
  }

  /** Something happened at this time, so it is that late at least. */
  atLeast(iso: string | null): void {
    if (iso !== null && !(Date.parse(iso) <= this.now())) this.set(iso);
  }
}
