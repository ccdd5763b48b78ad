import type { Batch, Frame } from './wire.ts';

/** Batches that may wait for one before them. A hole that long is filled by a snapshot, so more would be memory for nothing. */
const HELD_MOST = 500;

/**
 * One channel's place in its log: what comes twice is dropped, what comes early waits, what is missing is noticed. Offsets are whole
 * within an epoch; another epoch means that the log was lost and has begun again.
 */
export class ChannelLog {
  #epoch: string | null = null;
  #offset = 0;
  /** The highest offset that was heard of, in the current epoch. */
  #heard = 0;
  #held: Batch[] = [];
  readonly #past = new Set<string>();

  /** Whether something is missing that only a snapshot, or a batch that is late, can bring. */
  get behind(): boolean {
    return this.#epoch === null || this.#offset < this.#heard || this.#held.length > 0;
  }

  get place(): { epoch: string; offset: number } | null {
    return this.#epoch === null ? null : { epoch: this.#epoch, offset: this.#offset };
  }

  /** The frames that may be applied now, in order. */
  take(batch: Batch): Frame[] {
    if (this.#past.has(batch.epoch)) return [];
    if (batch.epoch !== this.#epoch) {
      this.#hold(batch);
      return [];
    }
    this.#heard = Math.max(this.#heard, batch.offset);
    if (batch.frames.length === 0 || batch.offset <= this.#offset) return [];
    this.#hold(batch);
    return this.#ready();
  }

  /** Stands where the snapshot stands; null where it is older than what is here, else the frames that follow on it. */
  restart(epoch: string, offset: number): Frame[] | null {
    if (this.#past.has(epoch)) return null;
    if (epoch === this.#epoch) {
      if (offset < this.#offset) return null;
    } else if (this.#epoch !== null) {
      this.#past.add(this.#epoch);
      this.#heard = 0;
    }
    this.#epoch = epoch;
    this.#offset = offset;
    for (const batch of this.#held) if (batch.epoch === epoch) this.#heard = Math.max(this.#heard, batch.offset);
    // The snapshot was read after these came, so another epoch among them is an old one. Were it a new one, its next beacon says so.
    this.#held = this.#held.filter((batch) => batch.epoch === epoch && batch.frames.length > 0);
    return this.#ready();
  }

  #hold(batch: Batch): void {
    this.#held.push(batch);
    this.#held.sort((one, other) => first(one) - first(other));
    // The last are the ones furthest from use; without them #heard still says that they exist.
    if (this.#held.length > HELD_MOST) this.#held.pop();
  }

  #ready(): Frame[] {
    const frames: Frame[] = [];
    const waiting: Batch[] = [];
    for (const batch of this.#held) {
      if (batch.epoch !== this.#epoch || first(batch) > this.#offset + 1) waiting.push(batch);
      else if (batch.offset > this.#offset) {
        frames.push(...batch.frames.slice(this.#offset + 1 - first(batch)));
        this.#offset = batch.offset;
      }
    }
    this.#held = waiting;
    return frames;
  }
}

function first(batch: Batch): number {
  return batch.offset - batch.frames.length + 1;
}
