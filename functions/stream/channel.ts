import { publication } from './protocol.ts';

/** Whoever gets a channel's publications; `position` is the offset of the last one that it was given. */
export type Subscriber = { position: number; push(messages: readonly string[]): void };

/** Publications that came together: made into text once, for all who hear them. `size` is the length of it. */
type Batch = { first: number; last: number; lines: readonly string[]; size: number; whole: string[] | undefined };

/**
 * Up to so many messages a batch go out one publication each. The JavaScript SDK (5.7.4) begins a message before it has dispatched the one
 * before it, so where two come in one turn of its loop, as they do under Node, publications of longer messages would change places.
 * Beyond, one message holds the whole batch: at a few microseconds each, messages are what a thousand listeners cost.
 */
const mostMessages = 5_000;

/** What is kept for those who are just catching up, so that the log is not asked for what has only now gone by. */
const keptLength = 512 * 1024;

/** One channel as this isolate has it: where it stands, who hears it live, and its last publications. */
export class Channel {
  readonly name: string;
  readonly epoch: string;
  readonly live = new Set<Subscriber>();
  /** All who hear it, those as well who are still behind. */
  readonly held = new Set<Subscriber>();
  /** It is read no more: whoever still holds it would wait for ever. */
  closed = false;
  readonly #json: string;
  readonly #recent: Batch[] = [];
  #recentLength = 0;
  #offset: number;
  /** Called with the frames of each batch. */
  onFrames: ((frames: readonly string[]) => void) | undefined;

  constructor(name: string, epoch: string, offset: number) {
    this.name = name;
    this.epoch = epoch;
    this.#json = JSON.stringify(name);
    this.#offset = offset;
  }

  get offset(): number {
    return this.#offset;
  }

  /**
   * Takes frames of which the first has the offset `first`, and gives those that are new to all who listen. Returns false where something
   * before them is missing: then nothing of it was taken.
   */
  take(first: number, frames: readonly string[]): boolean {
    const known = this.#offset + 1 - first;
    if (known < 0) return false;
    const fresh = known === 0 ? frames : frames.slice(known);
    if (fresh.length === 0) return true;
    const lines = fresh.map((frame, n) => publication(this.#json, frame, this.#offset + 1 + n));
    const size = lines.reduce((sum, line) => sum + line.length, 0);
    const batch = { first: this.#offset + 1, last: this.#offset + fresh.length, lines, size, whole: undefined };
    this.#offset = batch.last;
    this.#keep(batch);
    const apart = this.isForFew(lines.length);
    for (const subscriber of this.live) give(subscriber, batch, apart);
    this.onFrames?.(fresh);
    return true;
  }

  /**
   * Gives a subscriber what it has missed, as far as that is kept here, and lets it hear the rest live. Returns false where more is missing
   * than is kept: the log has it.
   */
  join(subscriber: Subscriber): boolean {
    const { position } = subscriber;
    // Ahead of us: it has read in the log what has not come to us yet. What it has, it will not be given again.
    if (position < this.#offset) {
      const [oldest] = this.#recent;
      if (!oldest || position < oldest.first - 1) return false;
      for (const batch of this.#recent) give(subscriber, batch, this.isForFew(batch.lines.length));
    }
    this.held.add(subscriber);
    this.live.add(subscriber);
    return true;
  }

  /** It is given nothing live until it joins again. */
  pause(subscriber: Subscriber): void {
    this.live.delete(subscriber);
  }

  leave(subscriber: Subscriber): void {
    this.live.delete(subscriber);
    this.held.delete(subscriber);
  }

  /** Whether so many publications go out one a message. */
  isForFew(lines: number): boolean {
    return lines * this.held.size <= mostMessages;
  }

  #keep(batch: Batch): void {
    this.#recent.push(batch);
    this.#recentLength += batch.size;
    while (this.#recent.length > 1 && this.#recentLength > keptLength) {
      this.#recentLength -= this.#recent.shift()?.size ?? 0;
    }
  }
}

function give(subscriber: Subscriber, batch: Batch, apart: boolean): void {
  const { position } = subscriber;
  if (position >= batch.last) return;
  subscriber.position = batch.last;
  const lines = position < batch.first ? batch.lines : batch.lines.slice(position + 1 - batch.first);
  if (apart) subscriber.push(lines);
  else if (lines !== batch.lines) subscriber.push([lines.join('\n')]);
  else {
    batch.whole ??= [lines.join('\n')];
    subscriber.push(batch.whole);
  }
}
