import type { Surroundings } from '../../_shared/surroundings.ts';

/**
 * A token bucket: `perSecond` on average, `burst` at once. Venues throttle or refuse beyond their limits, and a refused reader has older
 * books than a slower one.
 */
export class TokenBucket {
  readonly perSecond: number;
  readonly burst: number;
  private readonly around: Surroundings;
  private tokens: number;
  private filledAt: number;
  private line: Promise<void> = Promise.resolve();

  constructor(perSecond: number, burst: number, around: Surroundings) {
    this.perSecond = perSecond;
    this.burst = burst;
    this.around = around;
    this.tokens = burst;
    this.filledAt = around.now();
  }

  /** Waits for `cost` tokens, in the order of asking. */
  take(cost = 1): Promise<void> {
    const turn = this.line.then(() => this.wait(cost));
    this.line = turn.catch(() => {});
    return turn;
  }

  private async wait(cost: number): Promise<void> {
    this.fill();
    while (this.tokens < Math.min(cost, this.burst)) {
      await this.around.sleep(Math.ceil(((Math.min(cost, this.burst) - this.tokens) / this.perSecond) * 1000));
      this.fill();
    }
    this.tokens -= cost;
  }

  private fill(): void {
    const now = this.around.now();
    this.tokens = Math.min(this.burst, this.tokens + (Math.max(0, now - this.filledAt) / 1000) * this.perSecond);
    this.filledAt = now;
  }
}
