import { type ApiError, unavailable } from './errors.ts';
import { Places } from './places.ts';

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
  readonly #places = new Places();

  constructor(max: number, share?: Share) {
    this.#max = max;
    this.#share = share;
  }

  /**
   * Runs `work`, or throws at once: the error of the share, or ApiError 503 `admission.full`.
   */
  async run<T>(party: string, work: () => Promise<T>): Promise<T> {
    const own = this.#places.of(party);
    if (this.#share && own >= this.#share.max) throw this.#share.error();
    if (own >= this.#max - this.#places.taken) throw unavailable('admission.full', 1);
    this.#places.add(party, 1);
    try {
      return await work();
    } finally {
      this.#places.add(party, -1);
    }
  }
}
