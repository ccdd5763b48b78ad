import { publicationPush } from './protocol.ts';

/**
 * A receiver of a channel's publications. `position` is the offset of the last one that it
 * received.
 */
export type Subscriber = { position: number; push(messages: readonly string[]): void };

/**
 * Publications that arrived together, rendered once for all subscribers. `chars` is their length.
 */
type Batch = { first: number; last: number; lines: readonly string[]; chars: number; joined: string[] | undefined };

/**
 * Up to this number of messages, a batch is sent as one message per publication. The JavaScript SDK
 * (5.7.4) starts a message before it has dispatched the previous one. If two arrive in one turn of
 * the event loop, as under Node, longer publications would be delivered out of order. Above it, one
 * message carries the whole batch, because a message costs a few microseconds and a thousand
 * subscribers make that the main cost.
 */
const MAX_SINGLE_MESSAGES = 5_000;

/**
 * Recent publications are kept for subscribers that are catching up, so that they need not read
 * them from the publication log. `ws` writes after the burst, so each of many clients falls behind
 * for a moment: half of this sent a thousand of them to the log in the bench of 1,500 publications
 * (2026-11-26).
 */
const MAX_RECENT_CHARS = 1024 * 1024;

/** One channel in this isolate: its position, its live subscribers and its recent publications. */
export class Channel {
  readonly name: string;
  readonly epoch: string;
  readonly live = new Set<Subscriber>();
  /** All subscribers, including those that are still catching up. */
  readonly subscribers = new Set<Subscriber>();
  /** The channel is not read any more. Its subscribers must end, or they would wait for ever. */
  isClosed = false;
  readonly #json: string;
  readonly #recent: Batch[] = [];
  #recentChars = 0;
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
   * Takes frames of which the first has the offset `first`, and sends the new ones to all live
   * subscribers. Returns false and takes nothing when frames before them are missing.
   */
  take(first: number, frames: readonly string[]): boolean {
    const alreadyTaken = this.#offset + 1 - first;
    if (alreadyTaken < 0) return false;
    const fresh = alreadyTaken === 0 ? frames : frames.slice(alreadyTaken);
    if (fresh.length === 0) return true;
    const lines = fresh.map((frame, n) => publicationPush(this.#json, frame, this.#offset + 1 + n));
    const chars = lines.reduce((sum, line) => sum + line.length, 0);
    const batch = { first: this.#offset + 1, last: this.#offset + fresh.length, lines, chars, joined: undefined };
    this.#offset = batch.last;
    this.#keep(batch);
    const singly = this.sendsSingly(lines.length);
    for (const subscriber of this.live) sendBatch(subscriber, batch, singly);
    this.onFrames?.(fresh);
    return true;
  }

  /**
   * Sends a subscriber the recent publications that it has missed, then adds it to the live
   * subscribers. Returns false when it has missed more than the channel keeps; those publications
   * are in the log.
   */
  join(subscriber: Subscriber): boolean {
    const { position } = subscriber;
    // A position above the offset is possible: the subscriber has read publications from the log
    // that this isolate has not received yet. They are not sent again.
    if (position < this.#offset) {
      const [oldest] = this.#recent;
      if (!oldest || position < oldest.first - 1) return false;
      for (const batch of this.#recent) sendBatch(subscriber, batch, this.sendsSingly(batch.lines.length));
    }
    this.subscribers.add(subscriber);
    this.live.add(subscriber);
    return true;
  }

  /** The subscriber receives no live publications until it joins again. */
  pause(subscriber: Subscriber): void {
    this.live.delete(subscriber);
  }

  leave(subscriber: Subscriber): void {
    this.live.delete(subscriber);
    this.subscribers.delete(subscriber);
  }

  /** Whether this number of publications goes out as one message each. */
  sendsSingly(lines: number): boolean {
    return lines * this.subscribers.size <= MAX_SINGLE_MESSAGES;
  }

  #keep(batch: Batch): void {
    this.#recent.push(batch);
    this.#recentChars += batch.chars;
    while (this.#recent.length > 1 && this.#recentChars > MAX_RECENT_CHARS) {
      this.#recentChars -= this.#recent.shift()?.chars ?? 0;
    }
  }
}

function sendBatch(subscriber: Subscriber, batch: Batch, singly: boolean): void {
  const { position } = subscriber;
  if (position >= batch.last) return;
  subscriber.position = batch.last;
  const lines = position < batch.first ? batch.lines : batch.lines.slice(position + 1 - batch.first);
  if (singly) subscriber.push(lines);
  else if (lines !== batch.lines) subscriber.push([lines.join('\n')]);
  else {
    batch.joined ??= [lines.join('\n')];
    subscriber.push(batch.joined);
  }
}
