/**
 * A token bucket that refuses and never waits: `burst` at once, `perSecond` on average. Its clock
 * is monotonic, so a clock that is set back takes nothing away.
 */
export class Allowance {
  readonly #burst: number;
  readonly #perSecond: number;
  #free: number;
  #filledAt = performance.now();

  constructor(burst: number, perSecond: number) {
    this.#burst = burst;
    this.#perSecond = perSecond;
    this.#free = burst;
  }

  /** Takes `count`, or nothing and returns false where less is left. */
  take(count: number): boolean {
    const now = performance.now();
    this.#free = Math.min(this.#burst, this.#free + ((now - this.#filledAt) / 1_000) * this.#perSecond);
    this.#filledAt = now;
    if (this.#free < count) return false;
    this.#free -= count;
    return true;
  }
}
