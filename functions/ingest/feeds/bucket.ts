import type { Runtime } from '../../_shared/runtime.ts';

/**
 * A token bucket: `perSecond` on average, `burst` at once. Venues throttle or refuse beyond their limits, and a refused reader has older
 * books than a slower one.
 */
export class TokenBucket {
  readonly perSecond: number;
  readonly burst: number;
  readonly #around: Runtime;
  #tokens: number;
  #filledAt: number;
  #queue: Promise<void> = Promise.resolve();

  constructor(perSecond: number, burst: number, runtime: Runtime) {
    this.perSecond = perSecond;
    this.burst = burst;
    this.#around = runtime;
    this.#tokens = burst;
    this.#filledAt = runtime.now();
  }

  /** Waits for `cost` tokens, in the order of asking. */
  take(cost = 1): Promise<void> {
    const turn = this.#queue.then(() => this.#waitFor(cost));
    this.#queue = turn.catch(() => {});
    return turn;
  }

  async #waitFor(cost: number): Promise<void> {
    this.#refill();
    while (this.#tokens < Math.min(cost, this.burst)) {
      await this.#around.sleep(Math.ceil(((Math.min(cost, this.burst) - this.#tokens) / this.perSecond) * 1000));
      this.#refill();
    }
    this.#tokens -= cost;
  }

  #refill(): void {
    const now = this.#around.now();
    this.#tokens = Math.min(this.burst, this.#tokens + (Math.max(0, now - this.#filledAt) / 1000) * this.perSecond);
    this.#filledAt = now;
  }
}
