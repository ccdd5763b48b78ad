/** Requests of one party that begin in one turn of the event loop. */
const MAX_AT_ONCE = 2;

/**
 * Spreads the requests of one party (an organization) over turns of the event loop. A hundred that
 * arrive together would otherwise run one after the other, and every other request would wait for
 * all of them.
 */
export class Turns {
  /** Starts in this turn, and who waits for the next one. */
  #started = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();
  #hasTimer = false;

  /** Resolves when a request of this party may begin: usually at once. */
  async take(party: string): Promise<void> {
    const waiting = this.#waiting.get(party);
    const started = this.#started.get(party) ?? 0;
    this.#endTurnLater();
    if (waiting === undefined && started < MAX_AT_ONCE) {
      this.#started.set(party, started + 1);
      return;
    }
    await new Promise<void>((resolve) => {
      if (waiting) waiting.push(resolve);
      else this.#waiting.set(party, [resolve]);
    });
  }

  #endTurnLater(): void {
    if (this.#hasTimer) return;
    this.#hasTimer = true;
    setTimeout(() => this.#beginTurn(), 0);
  }

  #beginTurn(): void {
    this.#hasTimer = false;
    this.#started = new Map();
    for (const [party, waiting] of this.#waiting) {
      const next = waiting.splice(0, MAX_AT_ONCE);
      this.#started.set(party, next.length);
      if (waiting.length === 0) this.#waiting.delete(party);
      for (const resolve of next) resolve();
    }
    if (this.#started.size > 0) this.#endTurnLater();
  }
}
