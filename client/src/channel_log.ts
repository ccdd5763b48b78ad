import type { Batch, Frame } from './frames.ts';

/**
 * Batches that wait for an earlier one. A longer gap is filled from the channel state, so more
 * would waste memory.
 */
const MAX_PENDING_BATCHES = 500;

/**
 * Puts the batches of one channel in order: drops duplicates, keeps early batches until the missing
 * ones arrive, and reports a gap. Offsets are consecutive within an epoch. A new epoch means that
 * the publication log was reset.
 */
export class ChannelLog {
  #epoch: string | null = null;
  #offset = 0;
  /** The highest offset received in the current epoch, also from position beacons. */
  #highestOffset = 0;
  #pending: Batch[] = [];
  readonly #pastEpochs = new Set<string>();

  /** Whether frames are missing that only a late batch or the channel state can supply. */
  get hasGap(): boolean {
    return this.#epoch === null || this.#offset < this.#highestOffset || this.#pending.length > 0;
  }

  get position(): { epoch: string; offset: number } | null {
    return this.#epoch === null ? null : { epoch: this.#epoch, offset: this.#offset };
  }

  /** Takes a batch. Returns the frames that can be applied now, in order. */
  accept(batch: Batch): Frame[] {
    if (this.#pastEpochs.has(batch.epoch)) return [];
    if (batch.epoch !== this.#epoch) {
      this.#enqueue(batch);
      return [];
    }
    this.#highestOffset = Math.max(this.#highestOffset, batch.offset);
    if (batch.frames.length === 0 || batch.offset <= this.#offset) return [];
    this.#enqueue(batch);
    return this.#drain();
  }

  /**
   * Moves to the position of a channel state. Returns the pending frames that follow it, or null
   * when the state is older than this position.
   */
  resetTo(epoch: string, offset: number): Frame[] | null {
    if (this.#pastEpochs.has(epoch)) return null;
    if (epoch === this.#epoch) {
      if (offset < this.#offset) return null;
    } else if (this.#epoch !== null) {
      this.#pastEpochs.add(this.#epoch);
      this.#highestOffset = 0;
    }
    this.#epoch = epoch;
    this.#offset = offset;
    for (const batch of this.#pending)
      if (batch.epoch === epoch) this.#highestOffset = Math.max(this.#highestOffset, batch.offset);
    // The state was read after these batches arrived, so another epoch among them is an old one. If
    // it were a new one, its next position beacon would show that.
    this.#pending = this.#pending.filter((batch) => batch.epoch === epoch && batch.frames.length > 0);
    return this.#drain();
  }

  #enqueue(batch: Batch): void {
    this.#pending.push(batch);
    this.#pending.sort((one, other) => firstOffsetOf(one) - firstOffsetOf(other));
    // Drops the batch that would be applied last. #highestOffset still records that it exists.
    if (this.#pending.length > MAX_PENDING_BATCHES) this.#pending.pop();
  }

  /** Removes and returns the pending frames that follow the current offset without a gap. */
  #drain(): Frame[] {
    const frames: Frame[] = [];
    const waiting: Batch[] = [];
    for (const batch of this.#pending) {
      if (batch.epoch !== this.#epoch || firstOffsetOf(batch) > this.#offset + 1) waiting.push(batch);
      else if (batch.offset > this.#offset) {
        frames.push(...batch.frames.slice(this.#offset + 1 - firstOffsetOf(batch)));
        this.#offset = batch.offset;
      }
    }
    this.#pending = waiting;
    return frames;
  }
}

function firstOffsetOf(batch: Batch): number {
  return batch.offset - batch.frames.length + 1;
}
