import { Allowance } from '../../_shared/allowance.ts';

/** Refusals that are sent at once after a calm time, and how many more each second. */
const MAX_AT_ONCE = 50;
const AT_ONCE_PER_SECOND = 10;
/** A held refusal keeps about 10 KB. */
const MAX_HELD = 1_000;
const MIN_HOLD_MS = 1_000;
const MAX_HOLD_MS = 3_000;

/**
 * Holds refusals (401, `admission.full`) while there are many. A caller that sends its next request
 * as soon as it has the answer to the last would otherwise use the CPU of this isolate, and needs
 * no valid key for that.
 */
export class RefusalBrake {
  readonly #atOnce = new Allowance(MAX_AT_ONCE, AT_ONCE_PER_SECOND);
  #held = 0;

  /**
   * Resolves when the refusal may be sent: at once for the first 50 and for 10 a second, else one
   * to three seconds after `arrivedAt` (by `performance.now()`). The times differ, because answers
   * that leave together bring the next requests together. With 1,000 held ones the next is not
   * held.
   */
  async hold(arrivedAt: number): Promise<void> {
    if (this.#atOnce.take(1)) return;
    const ms = arrivedAt + MIN_HOLD_MS + Math.random() * (MAX_HOLD_MS - MIN_HOLD_MS) - performance.now();
    if (this.#held >= MAX_HELD || ms <= 0) return;
    this.#held++;
    await new Promise((resolve) => setTimeout(resolve, ms));
    this.#held--;
  }
}
