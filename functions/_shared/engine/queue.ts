import type { Frame } from './tops.ts';

/** REST shows the frame that was current at a step of this many ms of market time. */
const STEP_MS = 5_000;
/** Beyond this many waiting frames the database is slower than the venues, and only what REST can show is kept. */
export const CALM = 5_000;
/** Beyond this many even that is too much memory for an isolate of 256 MB (about 500 bytes a frame). */
export const MOST = 60_000;

/** Frames on their way to the database, in the order they came. Nothing leaves before its flush was acknowledged. */
export class FrameQueue {
  private frames: Frame[] = [];
  /** Frames that were merged into a newer one of the same step, and frames lost at the bound. */
  merged = 0;
  lost = 0;

  get length(): number {
    return this.frames.length;
  }

  push(frame: Frame): void {
    this.frames.push(frame);
    // Doubling keeps the cost of merging linear in what came, however long the database is away.
    if (this.frames.length >= this.limit) this.shrink();
  }

  private limit = CALM * 2;

  /** The oldest frames; they stay until `acknowledge`. */
  peek(most: number): Frame[] {
    if (this.frames.length > CALM) this.merge();
    return this.frames.slice(0, most);
  }

  acknowledge(count: number): void {
    this.frames.splice(0, count);
    this.limit = Math.max(CALM * 2, this.frames.length * 2);
  }

  /** Frames of pairs that are no longer ours to write. */
  drop(isGone: (pair: string) => boolean): void {
    this.frames = this.frames.filter((frame) => !isGone(frame.pair));
  }

  /** Keeps of each pair and step the newest only: never across a step's border, since REST shows what stood there. */
  private merge(): void {
    const seen = new Set<string>();
    const kept: Frame[] = [];
    for (let at = this.frames.length - 1; at >= 0; at -= 1) {
      const frame = this.frames[at];
      if (!frame) continue;
      // A frame exactly on the border is what the border shows, so it closes the step before it.
      const key = `${frame.pair} ${Math.ceil(frame.at / STEP_MS)}`;
      if (seen.has(key)) continue;
      seen.add(key);
      kept.push(frame);
    }
    this.merged += this.frames.length - kept.length;
    this.frames = kept.reverse();
  }

  private shrink(): void {
    this.merge();
    if (this.frames.length > MOST) {
      this.lost += this.frames.length - MOST;
      this.frames = this.frames.slice(-MOST);
    }
    this.limit = Math.max(CALM * 2, this.frames.length * 2);
  }
}
