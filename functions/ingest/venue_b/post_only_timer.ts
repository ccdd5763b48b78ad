/**
 * After a restart of its engine venue_b answers 425 while it is down and then takes only orders that rest for two minutes (venues.md B3):
 * books look well and nobody can take from them. Nothing on the wire says when those minutes end, so they are counted from the first answer
 * that is no 425, which may be some seconds after the true end of the restart and never before it.
 */
export const POST_ONLY_MS = 120_000;
const STATUS_TOO_EARLY = 425;

export class PostOnlyTimer {
  readonly #durationMs: number;
  #down = false;
  /** Market time until which only resting orders are taken. */
  #until = Number.NEGATIVE_INFINITY;

  constructor(durationMs = POST_ONLY_MS) {
    this.#durationMs = durationMs;
  }

  /** An answer of the order books' server, at market time `at`. */
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

  /** Whether nothing can be taken at market time `at`. */
  isPostOnly(at: number): boolean {
    return this.#down || at < this.#until;
  }
}
