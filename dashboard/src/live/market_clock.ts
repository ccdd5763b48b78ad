/**
 * Market time on this page: the last time from the service plus the time since it was received. The
 * browser's clock may be wrong, and a simulation has its own time.
 */
export class MarketClock {
  #at = Number.NaN;
  #receivedAt = Number.NEGATIVE_INFINITY;
  readonly #elapsed: () => number;

  constructor(elapsed: () => number = () => performance.now()) {
    this.#elapsed = elapsed;
  }

  /** Epoch ms; NaN before the first time was received. */
  now(): number {
    return this.#at + (this.#elapsed() - this.#receivedAt);
  }

  /**
   * Sets the clock to a time that the service sent, received at `receivedAt` of performance.now().
   * Ignores a response older than the last one: a page that opens with the cached response of
   * another page would set the clock back, and ages would lie in the future.
   */
  set(iso: string, receivedAt = this.#elapsed()): void {
    const at = Date.parse(iso);
    if (Number.isNaN(at) || receivedAt < this.#receivedAt) return;
    this.#at = at;
    this.#receivedAt = receivedAt;
  }

  /** Advances the clock to the time of an event if it is later; never sets it back. */
  advanceTo(iso: string | null): void {
    if (iso !== null && !(Date.parse(iso) <= this.now())) this.set(iso);
  }
}
