/** One channel of one client: each offset once and in order, over all its connections. */
export class Sequence {
  #last: number | undefined;
  #epoch: string | undefined;
  heard = 0;

  get last(): number | undefined {
    return this.#last;
  }

  get epoch(): string | undefined {
    return this.#epoch;
  }

  /** What is wrong with a subscription, or null. `offset` is where the server says that the client stands. */
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
    return at.wasRecovering ? `not recovered from ${before}` : `came back from ${before} without recovering`;
  }

  /** What is wrong with a publication, or null. */
  publication(offset: number): string | null {
    this.heard += 1;
    const before = this.#last;
    this.#last = offset;
    if (before === undefined) return `${offset} came before the subscription`;
    if (offset === before + 1) return null;
    return offset <= before ? `${offset} came again after ${before}` : `${before + 1} to ${offset - 1} never came`;
  }
}
