import type { Clock } from './clock.ts';

/**
 * Tokens per second with a burst of two seconds, in real time: venue A's read limit (venues.md A7).
 */
export class TokenBucket {
  #tokens: number;
  #at: number;
  readonly #perSecond: number;
  readonly #clock: Clock;

  constructor(perSecond: number, clock: Clock) {
    this.#perSecond = perSecond;
    this.#clock = clock;
    this.#tokens = perSecond * 2;
    this.#at = clock.now();
  }

  take(cost: number): boolean {
    const now = this.#clock.now();
    this.#tokens = Math.min(this.#perSecond * 2, this.#tokens + ((now - this.#at) / 1000) * this.#perSecond);
    this.#at = now;
    if (this.#tokens < cost) return false;
    this.#tokens -= cost;
    return true;
  }
}
