/**
 * Checks that one client receives each offset of a channel once and in order, over all connections.
 */
export class OffsetSequence {
  #last: number | undefined;
  #epoch: string | undefined;
  received = 0;

  get last(): number | undefined {
    return this.#last;
  }

  get epoch(): string | undefined {
    return this.#epoch;
  }

  /**
   * Returns the error of a subscription, or null. `offset` is the client's position by the server.
   */
  subscribed(at: { epoch: string; offset: number; wasRecovering: boolean; recovered: boolean }): string | null {
    const [before, epoch] = [this.#last, this.#epoch];
    this.#epoch = at.epoch;
    if (before === undefined) {
      this.#last = at.offset;
      return null;
    }
    if (at.wasRecovering && at.recovered && at.epoch === epoch) return null;
    this.#last = at.offset;
    if (at.epoch !== epoch) return `epoch ${epoch} became ${at.epoch}`;
    return at.wasRecovering ? `not recovered from ${before}` : `reconnected at ${before} without recovering`;
  }

  /** Returns the error of a publication, or null. */
  publication(offset: number): string | null {
    this.received += 1;
    const before = this.#last;
    this.#last = offset;
    if (before === undefined) return `${offset} arrived before the subscription`;
    if (offset === before + 1) return null;
    return offset <= before ? `${offset} arrived again after ${before}` : `${before + 1} to ${offset - 1} are missing`;
  }
}
