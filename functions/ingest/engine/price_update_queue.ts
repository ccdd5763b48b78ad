import { isOpportunity } from './opportunity.ts';
import type { Frame } from './price_update.ts';

/** REST shows the frame that was current at a step of this many ms of market time. */
const STEP_MS = 5_000;
/** Beyond this many waiting frames the database is slower than the venues, and only what REST can show is kept. */
export const CALM = 5_000;
/** Beyond this many even that is too much memory for an isolate of 256 MB (about 500 bytes a frame). */
export const MOST = 60_000;

/** Frames on their way to the database, in the order they came. A frame leaves only when its flush was acknowledged. */
export class FrameQueue {
  private waiting: Frame[] = [];
  private flying: Frame[] = [];
  /** Pairs whose newest frame has an opportunity, and the frames with which one opened or closed. */
  private readonly open = new Set<string>();
  private readonly turns = new WeakSet<Frame>();
  /** Doubling keeps the cost of merging linear in what came, however long the database is away. */
  private limit = CALM * 2;
  /** Frames that were merged into a newer one of the same step, and frames lost at the bound. */
  merged = 0;
  lost = 0;

  get length(): number {
    return this.waiting.length + this.flying.length;
  }

  push(frame: Frame): void {
    const open = isOpportunity(frame.opp);
    if (open !== this.open.has(frame.pair)) {
      this.turns.add(frame);
      if (open) this.open.add(frame.pair);
      else this.open.delete(frame.pair);
    }
    this.waiting.push(frame);
    if (this.waiting.length >= this.limit) this.shrink();
  }

  /** The oldest frames, for one flush; `done` or `failed` must follow before the next. */
  take(most: number): Frame[] {
    if (this.waiting.length > CALM) this.merge();
    this.flying = this.waiting.splice(0, most);
    return this.flying;
  }

  done(): void {
    this.flying = [];
    this.limit = Math.max(CALM * 2, this.waiting.length * 2);
  }

  /** The flush may or may not have been written; the same frames go again, and the database drops what it has. */
  failed(): void {
    this.waiting = this.flying.concat(this.waiting);
    this.flying = [];
    if (this.waiting.length >= this.limit) this.shrink();
  }

  /** Forgets frames of pairs that are no longer ours to write. */
  drop(isGone: (pair: string) => boolean): void {
    this.waiting = this.waiting.filter((frame) => !isGone(frame.pair));
    for (const pair of this.open) if (isGone(pair)) this.open.delete(pair);
  }

  /**
   * Keeps of each pair and step the newest only: never across a step's border, since REST shows what stood there. A frame with which a
   * window opened or closed always stays, with its time, and so does the last state of a window before it closed: a window that lived for
   * a second between two steps is one that a customer was told of, and its row must say from when to when and with which legs.
   */
  private merge(): void {
    const newer = new Map<string, Frame>();
    const kept: Frame[] = [];
    for (let at = this.waiting.length - 1; at >= 0; at -= 1) {
      const frame = this.waiting[at];
      if (!frame) continue;
      const next = newer.get(frame.pair);
      const turn = this.turns.has(frame) || (next !== undefined && this.turns.has(next));
      if (next && stepOf(next) === stepOf(frame) && !turn) continue;
      newer.set(frame.pair, frame);
      kept.push(frame);
    }
    this.merged += this.waiting.length - kept.length;
    this.waiting = kept.reverse();
  }

  private shrink(): void {
    this.merge();
    if (this.waiting.length > MOST) {
      this.lost += this.waiting.length - MOST;
      this.waiting = this.waiting.slice(-MOST);
    }
    this.limit = Math.max(CALM * 2, this.waiting.length * 2);
  }
}

/** A frame exactly on the border is what the border shows, so it closes the step before it. */
function stepOf(frame: Frame): number {
  return Math.ceil(frame.at / STEP_MS);
}
