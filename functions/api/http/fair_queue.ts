import { ConnectionFailed } from '../../_shared/pool/failure.ts';
import { Places } from './places.ts';

const notInTime = () => new ConnectionFailed('no connection was free in time', { sent: false });

type Waiting = { start: () => void; timer: ReturnType<typeof setTimeout> };

/**
 * Shares the connections of the pool between parties (an organization, a signed-in person): a free
 * one goes to the party whose turn it is, and a party has at most half of them. In the order of
 * arrival, a hundred requests of one organization would be served before the next request of
 * another. The requests of one organization wait for each other in the database anyway: admission
 * locks its row.
 */
export class FairQueue {
  readonly #max: number;
  readonly #share: number;
  readonly #preferred: string | undefined;
  readonly #places = new Places();
  /** Who waits, by party. The party whose turn it is comes first. */
  readonly #waiting = new Map<string, Waiting[]>();

  /**
   * The preferred party waits for no other one, and has at most half of the connections as well.
   * One connection cannot be halved, so it has no preferred party.
   */
  constructor(max: number, preferred?: string) {
    this.#max = max;
    this.#share = Math.max(1, Math.ceil(max / 2));
    this.#preferred = max > 1 ? preferred : undefined;
  }

  /**
   * Runs `work` when it is its turn. `work` gets the rest of `limitMs`.
   * @throws ConnectionFailed when its turn does not come within `limitMs`
   */
  async run<T>(party: string, limitMs: number, work: (limitMs: number) => Promise<T>): Promise<T> {
    const arrivedAt = performance.now();
    if (this.#mayStart(party)) this.#places.add(party, 1);
    else await this.#turnOf(party, limitMs);
    try {
      const leftMs = limitMs - (performance.now() - arrivedAt);
      if (leftMs <= 0) throw notInTime();
      return await work(leftMs);
    } finally {
      this.#places.add(party, -1);
      this.#startNext();
    }
  }

  /** Lets all start. While the database cannot be reached, they share the next attempt. */
  releaseAll(): void {
    for (const [party, all] of this.#waiting) for (const one of all) this.#start(party, one);
    this.#waiting.clear();
  }

  #mayStart(party: string): boolean {
    return this.#places.taken < this.#max && this.#places.of(party) < this.#share;
  }

  #turnOf(party: string, limitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        start: resolve,
        timer: setTimeout(() => {
          this.#remove(party, waiting);
          reject(notInTime());
        }, limitMs),
      };
      const all = this.#waiting.get(party);
      if (all) all.push(waiting);
      else this.#waiting.set(party, [waiting]);
    });
  }

  #startNext(): void {
    if (this.#preferred !== undefined && this.#startNextOf(this.#preferred)) return;
    for (const party of this.#waiting.keys()) if (this.#startNextOf(party)) return;
  }

  #startNextOf(party: string): boolean {
    const all = this.#waiting.get(party) ?? [];
    const [next] = all;
    if (!next || !this.#mayStart(party)) return false;
    this.#remove(party, next);
    // The other parties come before its next one.
    if (this.#waiting.delete(party)) this.#waiting.set(party, all);
    this.#start(party, next);
    return true;
  }

  #start(party: string, { start, timer }: Waiting): void {
    clearTimeout(timer);
    this.#places.add(party, 1);
    start();
  }

  #remove(party: string, one: Waiting): void {
    const all = this.#waiting.get(party) ?? [];
    all.splice(all.indexOf(one), 1);
    if (all.length === 0) this.#waiting.delete(party);
  }
}
