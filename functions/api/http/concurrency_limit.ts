import { type ApiError, unavailable } from './errors.ts';

type Share = {
  /** Places that one party may hold. */
  max: number;
  /** The error of a party that holds them all. */
  error: () => ApiError;
};

/**
 * Limits concurrent work. Over the limit a caller gets 503 at once: a growing queue would answer
 * every caller too late.
 *
 * A party (an organization, a signed-in person) may start work while it holds fewer places than are
 * free. So one party gets at most half of the places. Of n parties that send without a pause each
 * settles at 1/(n + 1) of the places, and as many stay free. Parties that come one after the other
 * get half of the rest each: the eighth one can take the last of 200 places, until work ends.
 */
export class ConcurrencyLimit {
  readonly #max: number;
  readonly #share: Share | undefined;
  #running = 0;
  readonly #runningOf = new Map<string, number>();

  constructor(max: number, share?: Share) {
    this.#max = max;
    this.#share = share;
  }

  /**
   * Runs `work`, or throws at once: the error of the share, or ApiError 503 `admission.full`.
   */
  async run<T>(party: string, work: () => Promise<T>): Promise<T> {
    const own = this.#runningOf.get(party) ?? 0;
    if (this.#share && own >= this.#share.max) throw this.#share.error();
    if (own >= this.#max - this.#running) throw unavailable('admission.full', 1);
    this.#add(party, 1);
    try {
      return await work();
    } finally {
      this.#add(party, -1);
    }
  }

  #add(party: string, change: 1 | -1): void {
    const own = (this.#runningOf.get(party) ?? 0) + change;
    this.#running += change;
    if (own === 0) this.#runningOf.delete(party);
    else this.#runningOf.set(party, own);
  }
}
