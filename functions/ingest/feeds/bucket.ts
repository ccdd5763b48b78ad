import type { Runtime } from '../../_shared/runtime.ts';

/**
 * A token bucket: `perSecond` on average, `burst` at once. Venues throttle or reject requests
 * beyond their limits, and a rejected client has older books than a slower one.
 */
export class TokenBucket {
  readonly perSecond: number;
  readonly burst: number;
  readonly #runtime: Runtime;
  #tokens: number;
  #filledAt: number;
  #queue: Promise<void> = Promise.resolve();

  constructor(perSecond: number, burst: number, runtime: Runtime) {
    this.perSecond = perSecond;
    this.burst = burst;
    this.#runtime = runtime;
    this.#tokens = burst;
    this.#filledAt = runtime.now();
  }

  /** Waits for `cost` tokens, first come, first served. */
  take(cost = 1): Promise<void> {
    const turn = this.#queue.then(() => this.#waitFor(cost));
    this.#queue = turn.catch(() => {});
    return turn;
  }

  async #waitFor(cost: number): Promise<void> {
    this.#refill();
    while (this.#tokens < Math.min(cost, this.burst)) {
      await this.#runtime.sleep(Math.ceil(((Math.min(cost, this.burst) - this.#tokens) / this.perSecond) * 1000));
      this.#refill();
    }
    this.#tokens -= cost;
  }

  #refill(): void {
    const now = this.#runtime.now();
    this.#tokens = Math.min(this.burst, this.#tokens + (Math.max(0, now - this.#filledAt) / 1000) * this.perSecond);
    this.#filledAt = now;
  }
}
