/**
 * Market time on this page. The browser's own clock may be wrong, and a simulation has a time of its own, so ages are told by the times
 * that the service sends, carried on by the time that has passed here since.
 */
export class MarketClock {
  #at = Number.NaN;
  #receivedAt = Number.NEGATIVE_INFINITY;
  readonly #elapsed: () => number;

  constructor(elapsed: () => number = () => performance.now()) {
    this.#elapsed = elapsed;
  }

  /** Milliseconds since 1970; NaN before anything was heard. */
  now(): number {
    return this.#at + (this.#elapsed() - this.#receivedAt);
  }

  /**
   * The service says that it was this late when its answer came, `heardAt` by this page's own clock.
   * An answer from before the last one is ignored: a page that opens with a reading that another page
   * made would set the clock back, and ages would lie in the future.
   */
  set(iso: string, heardAt = this.#elapsed()): void {
    const at = Date.parse(iso);
    if (Number.isNaN(at) || heardAt < this.#receivedAt) return;
    this.#at = at;
    this.#receivedAt = heardAt;
  }

  /** Something happened at this time, so it is that late at least. */
  advanceTo(iso: string | null): void {
    if (iso !== null && !(Date.parse(iso) <= this.now())) this.set(iso);
  }
}
