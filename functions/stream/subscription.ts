import type { Channel, Subscriber } from './channel.ts';
import type { CloseReason } from './close_codes.ts';
import type { PublicationLog } from './log_reader.ts';
import { publicationPush } from './protocol.ts';

/** The connection of a subscription. */
export type MessageSink = {
  readonly isEnded: boolean;
  /** Bytes that the client has not received yet. */
  readonly bufferedBytes: number;
  send(...messages: readonly string[]): void;
  end(reason: CloseReason): void;
};

/**
 * A client gets no more messages before it has received most of the previous ones. A burst (a match
 * pass publishes thousands of markets at once) waits in the log, not in this process, where a small
 * message takes several times its length.
 */
const MAX_BUFFERED_BYTES = 256 * 1024;
const DRAIN_CHECK_MS = 20;
/**
 * How long a client may receive nothing at all, and how long it may stay behind the live
 * publications.
 */
const STALL_TIMEOUT_MS = 10_000;
const MAX_BEHIND_MS = 30_000;
const MAX_READ_FAILURES = 10;

/**
 * One channel of one connection: first the missed publications from the log, then the live ones.
 * Each offset is sent once and in order.
 */
export class Subscription implements Subscriber {
  readonly channel: Channel;
  position: number;
  readonly #sink: MessageSink;
  readonly #publicationLog: PublicationLog;
  #hasLeft = false;
  #isCatchingUp = false;

  constructor(channel: Channel, position: number, sink: MessageSink, publicationLog: PublicationLog) {
    this.channel = channel;
    this.position = position;
    this.#sink = sink;
    this.#publicationLog = publicationLog;
  }

  push(messages: readonly string[]): void {
    if (this.#hasLeft) return;
    this.#sink.send(...messages);
    if (this.#sink.bufferedBytes <= MAX_BUFFERED_BYTES || this.#isCatchingUp || this.#isOver) return;
    this.channel.pause(this);
    void this.#catchUp(Date.now() + MAX_BEHIND_MS);
  }

  leave(): void {
    this.#hasLeft = true;
    this.channel.leave(this);
  }

  /**
   * Starts the subscription. Publications that are missing and that the channel does not keep are
   * read from the log before any live one is sent.
   */
  start(): void {
    this.channel.subscribers.add(this);
    void this.#catchUp(Number.POSITIVE_INFINITY);
  }

  get #isOver(): boolean {
    return this.#hasLeft || this.#sink.isEnded;
  }

  /**
   * `until`: a client that is still behind then is ended as too slow. A client that reconnects has
   * no such limit.
   */
  async #catchUp(until: number): Promise<void> {
    this.#isCatchingUp = true;
    let failures = 0;
    while (!this.#isOver && !this.#tryJoin()) {
      if (this.channel.isClosed) {
        this.#sink.end('log');
        return;
      }
      if (!(await this.#waitUntilDrained()) || Date.now() > until) {
        this.#sink.end('slow');
        return;
      }
      if (this.#isOver || this.#tryJoin()) break;
      try {
        if (!(await this.#sendPage())) return;
        failures = 0;
      } catch {
        failures += 1;
        if (failures > MAX_READ_FAILURES) this.#sink.end('database');
        else await pause(500);
      }
    }
    this.#isCatchingUp = false;
    // The last messages may have ended the client as too slow.
    if (this.#isOver) this.channel.leave(this);
  }

  #tryJoin(): boolean {
    return !this.channel.isClosed && this.#sink.bufferedBytes <= MAX_BUFFERED_BYTES && this.channel.join(this);
  }

  /** Sends the next page of the log. Returns false when the log cannot be continued from here. */
  async #sendPage(): Promise<boolean> {
    const { name, epoch } = this.channel;
    const after = this.position;
    const { recovered, frames, upto } = await this.#publicationLog.readPublications(name, epoch, after);
    if (this.#isOver) return false;
    if (!recovered) {
      this.#sink.end('log');
      return false;
    }
    const json = JSON.stringify(name);
    this.position = upto;
    if (frames.length === 0) await pause(DRAIN_CHECK_MS);
    else {
      const lines = frames.map((frame, n) => publicationPush(json, frame, after + 1 + n));
      this.push(this.channel.sendsSingly(lines.length) ? lines : [lines.join('\n')]);
    }
    return true;
  }

  async #waitUntilDrained(): Promise<boolean> {
    let least = this.#sink.bufferedBytes;
    let until = Date.now() + STALL_TIMEOUT_MS;
    while (this.#sink.bufferedBytes > MAX_BUFFERED_BYTES && !this.#isOver) {
      await pause(DRAIN_CHECK_MS);
      if (this.#sink.bufferedBytes < least) {
        least = this.#sink.bufferedBytes;
        until = Date.now() + STALL_TIMEOUT_MS;
      } else if (Date.now() > until) return false;
    }
    return true;
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
