import { isOpportunity } from './opportunity.ts';
import type { PriceUpdate } from './price_update.ts';

/**
 * The REST snapshot holds the update that was current at each step of this many ms of market time.
 */
export const STEP_MS = 5_000;
/**
 * Above this queue length the database is slower than the venues. The queue then keeps only updates
 * that the REST snapshot needs.
 */
export const MERGE_ABOVE = 5_000;
/**
 * Above this queue length updates are lost: an isolate has 256 MB of memory, and an update takes
 * about 500 bytes.
 */
export const MAX_QUEUED = 60_000;

/**
 * Price updates on their way to the database, in order of arrival. An update leaves the queue only
 * when its flush was acknowledged.
 */
export class PriceUpdateQueue {
  #waiting: PriceUpdate[] = [];
  #inFlight: PriceUpdate[] = [];
  /**
   * Pairs whose newest update has an opportunity, and the updates with which one opened or closed.
   */
  readonly #open = new Set<string>();
  readonly #transitions = new WeakSet<PriceUpdate>();
  /**
   * Doubling keeps the cost of merging linear in the number of updates, however long the database
   * is unreachable.
   */
  #mergeAt = MERGE_ABOVE * 2;
  /**
   * Updates that were merged into a newer one of the same step, and updates lost at `MAX_QUEUED`.
   */
  merged = 0;
  lost = 0;

  get length(): number {
    return this.#waiting.length + this.#inFlight.length;
  }

  push(update: PriceUpdate): void {
    const open = isOpportunity(update.opp);
    if (open !== this.#open.has(update.pair)) {
      this.#transitions.add(update);
      if (open) this.#open.add(update.pair);
      else this.#open.delete(update.pair);
    }
    this.#waiting.push(update);
    if (this.#waiting.length >= this.#mergeAt) this.#shrink();
  }

  /** Takes the oldest updates for one flush. Call `done` or `failed` before the next `take`. */
  take(limit: number): PriceUpdate[] {
    if (this.#waiting.length > MERGE_ABOVE) this.#merge();
    this.#inFlight = this.#waiting.splice(0, limit);
    return this.#inFlight;
  }

  done(): void {
    this.#inFlight = [];
    this.#mergeAt = Math.max(MERGE_ABOVE * 2, this.#waiting.length * 2);
  }

  /**
   * Puts the updates of a failed flush back. The database may have stored them; it ignores updates
   * that it has.
   */
  failed(): void {
    this.#waiting = this.#inFlight.concat(this.#waiting);
    this.#inFlight = [];
    if (this.#waiting.length >= this.#mergeAt) this.#shrink();
  }

  /** Drops the updates of pairs that this worker no longer writes. */
  drop(isRemoved: (pair: string) => boolean): void {
    this.#waiting = this.#waiting.filter((update) => !isRemoved(update.pair));
    for (const pair of this.#open) if (isRemoved(pair)) this.#open.delete(pair);
  }

  /**
   * Keeps only the newest update of each pair and step, and never merges across steps, because the
   * REST snapshot needs the state at each step. The update with which an opportunity opens or
   * closes always stays, and so does its last state before it closes. An opportunity that lived for
   * a second between two steps was published to customers, so its row needs both times and its
   * legs.
   */
  #merge(): void {
    const newest = new Map<string, PriceUpdate>();
    const kept: PriceUpdate[] = [];
    for (let at = this.#waiting.length - 1; at >= 0; at -= 1) {
      const update = this.#waiting[at];
      if (!update) continue;
      const next = newest.get(update.pair);
      const isTransition = this.#transitions.has(update) || (next !== undefined && this.#transitions.has(next));
      if (next && stepOf(next) === stepOf(update) && !isTransition) continue;
      newest.set(update.pair, update);
      kept.push(update);
    }
    this.merged += this.#waiting.length - kept.length;
    this.#waiting = kept.reverse();
  }

  #shrink(): void {
    this.#merge();
    if (this.#waiting.length > MAX_QUEUED) {
      this.lost += this.#waiting.length - MAX_QUEUED;
      this.#waiting = this.#waiting.slice(-MAX_QUEUED);
    }
    this.#mergeAt = Math.max(MERGE_ABOVE * 2, this.#waiting.length * 2);
  }
}

/** The step at which this update is current. An update exactly on a step belongs to it. */
function stepOf(update: PriceUpdate): number {
  return Math.ceil(update.at / STEP_MS);
}
