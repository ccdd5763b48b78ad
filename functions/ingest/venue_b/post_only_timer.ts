/**
 * After a restart of its engine, venue_b accepts resting orders only for two minutes (venues.md
 * B3). It answers 425 while the engine is down. The books look valid during that time, but no order
 * can be taken. The venue does not announce the end, so the two minutes count from the first
 * response that is not a 425. That may be some seconds after the real end of the restart, never
 * before it.
 */
export const POST_ONLY_MS = 120_000;
const STATUS_TOO_EARLY = 425;

export class PostOnlyTimer {
  readonly #durationMs: number;
  #down = false;
  /** Market time until which the venue accepts resting orders only. */
  #until = Number.NEGATIVE_INFINITY;

  constructor(durationMs = POST_ONLY_MS) {
    this.#durationMs = durationMs;
  }

  /** Takes the status of a CLOB response at market time `at`. */
  onStatus(status: number, at: number): void {
    if (status === STATUS_TOO_EARLY) this.#down = true;
    else if (this.#down && status < 500) {
      this.#down = false;
      this.#until = at + this.#durationMs;
    }
  }

  /** Whether the engine is known to be down. */
  get isDown(): boolean {
    return this.#down;
  }

  /** Whether no order can be taken at market time `at`. */
  isPostOnly(at: number): boolean {
    return this.#down || at < this.#until;
  }
}
