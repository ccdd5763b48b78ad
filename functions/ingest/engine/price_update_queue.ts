import { isOpportunity } from './opportunity.ts';
import type { PriceUpdate } from './price_update.ts';

/** REST shows the frame that was current at a step of this many ms of market time. */
const STEP_MS = 5_000;
/** Beyond this many waiting frames the database is slower than the venues, and only what REST can show is kept. */
export const MERGE_ABOVE = 5_000;
/** Beyond this many even that is too much memory for an isolate of 256 MB (about 500 bytes a frame). */
export const MAX_QUEUED = 60_000;

/** Frames on their way to the database, in the order they came. A frame leaves only when its flush was acknowledged. */
export class PriceUpdateQueue {
  #waiting: PriceUpdate[] = [];
  #inFlight: PriceUpdate[] = [];
  /** Pairs whose newest frame has an opportunity, and the frames with which one opened or closed. */
  readonly #open = new Set<string>();
  readonly #transitions = new WeakSet<PriceUpdate>();
  /** Doubling keeps the cost of merging linear in what came, however long the database is away. */
  #mergeAt = MERGE_ABOVE * 2;
  /** Frames that were merged into a newer one of the same step, and frames lost at the bound. */
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

  /** The oldest frames, for one flush; `done` or `failed` must follow before the next. */
  take(limit: number): PriceUpdate[] {
    if (this.#waiting.length > MERGE_ABOVE) this.#merge();
    this.#inFlight = this.#waiting.splice(0, limit);
    return this.#inFlight;
  }

  done(): void {
    this.#inFlight = [];
    this.#mergeAt = Math.max(MERGE_ABOVE * 2, this.#waiting.length * 2);
  }

  /** The flush may or may not have been written; the same frames go again, and the database drops what it has. */
  failed(): void {
    this.#waiting = this.#inFlight.concat(this.#waiting);
    this.#inFlight = [];
    if (this.#waiting.length >= this.#mergeAt) this.#shrink();
  }

  /** Forgets frames of pairs that are no longer ours to write. */
  drop(isRemoved: (pair: string) => boolean): void {
    this.#waiting = this.#waiting.filter((update) => !isRemoved(update.pair));
    for (const pair of this.#open) if (isRemoved(pair)) this.#open.delete(pair);
  }

  /**
   * Keeps of each pair and step the newest only: never across a step's border, since REST shows what stood there. A frame with which a
   * window opened or closed always stays, with its time, and so does the last state of a window before it closed: a window that lived for
   * a second between two steps is one that a customer was told of, and its row must say from when to when and with which legs.
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

/** A frame exactly on the border is what the border shows, so it closes the step before it. */
function stepOf(update: PriceUpdate): number {
  return Math.ceil(update.at / STEP_MS);
}
