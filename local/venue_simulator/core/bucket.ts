/**
 * Tokens per second with a burst of two seconds, in real time: venue A's read limit (venues.md A7).
 */
export class TokenBucket {
  #tokens: number;
  #at: number;
  readonly #perSecond: number;

  constructor(perSecond: number, now = Date.now()) {
    this.#perSecond = perSecond;
    this.#tokens = perSecond * 2;
    this.#at = now;
  }

  take(cost: number, now = Date.now()): boolean {
    this.#tokens = Math.min(this.#perSecond * 2, this.#tokens + ((now - this.#at) / 1000) * this.#perSecond);
    this.#at = now;
    if (this.#tokens < cost) return false;
    this.#tokens -= cost;
    return true;
  }
}
