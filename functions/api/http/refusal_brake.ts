/** Refusals of one second that are sent at once. */
const MAX_AT_ONCE = 50;
/** A held refusal keeps about 10 KB. */
const MAX_HELD = 1_000;
const MIN_HOLD_MS = 500;
const MAX_HOLD_MS = 1_500;
const WINDOW_MS = 1_000;

/**
 * Holds refusals (401, `admission.full`) while there are many. A caller that sends its next request
 * as soon as it has the answer to the last would otherwise use the CPU of this isolate, and needs
 * no valid key for that.
 */
export class RefusalBrake {
  #windowEndsAt = 0;
  #refused = 0;
  #held = 0;

  /**
   * Resolves when the refusal may be sent: at once for the first 50 of a second, else 0.5 to 1.5
   * seconds after `arrivedAt` (by `performance.now()`). The times differ, because answers that
   * leave together bring the next requests together. With 1,000 held ones the next is not held.
   */
  async hold(arrivedAt: number): Promise<void> {
    const now = performance.now();
    if (now >= this.#windowEndsAt) {
      this.#windowEndsAt = now + WINDOW_MS;
      this.#refused = 0;
    }
    this.#refused++;
    const ms = arrivedAt + MIN_HOLD_MS + Math.random() * (MAX_HOLD_MS - MIN_HOLD_MS) - now;
    if (this.#refused <= MAX_AT_ONCE || this.#held >= MAX_HELD || ms <= 0) return;
    this.#held++;
    await new Promise((resolve) => setTimeout(resolve, ms));
    this.#held--;
  }
}
