import type { Channel, Subscriber } from './channel.ts';
import type { CloseReason } from './close_codes.ts';
import type { PublicationLog } from './log_reader.ts';
import { publication } from './protocol.ts';

/** The connection that a subscription is of. */
export type Listener = {
  readonly ended: boolean;
  /** Bytes that the client has not taken yet. */
  readonly waiting: number;
  send(...messages: readonly string[]): void;
  end(farewell: CloseReason): void;
};

/**
 * Nothing more is given to a client before it has taken most of what it was given: a burst (a match pass tells thousands of markets at once)
 * waits in the log and not in this process, where a small message takes several times its length.
 */
const mostWaiting = 256 * 1024;
const drainMs = 20;
/** So long it may take nothing at all; and so long it may stay behind what is live. */
const patienceMs = 10_000;
const behindMs = 30_000;
const mostFailures = 10;

/** One channel of one connection: first what was missed, from the log, then what comes, live; each offset once and in order. */
export class Subscription implements Subscriber {
  readonly channel: Channel;
  position: number;
  readonly #listener: Listener;
  readonly #log: PublicationLog;
  #left = false;
  #catching = false;

  constructor(channel: Channel, position: number, listener: Listener, log: PublicationLog) {
    this.channel = channel;
    this.position = position;
    this.#listener = listener;
    this.#log = log;
  }

  push(messages: readonly string[]): void {
    if (this.#left) return;
    this.#listener.send(...messages);
    if (this.#listener.waiting <= mostWaiting || this.#catching || this.#over) return;
    this.channel.pause(this);
    void this.#catchUp(Date.now() + behindMs);
  }

  leave(): void {
    this.#left = true;
    this.channel.leave(this);
  }

  /** Begins to hear. What is missing and is not kept by the channel is read from the log before anything live is given. */
  start(): void {
    this.channel.held.add(this);
    void this.#catchUp(Number.POSITIVE_INFINITY);
  }

  get #over(): boolean {
    return this.#left || this.#listener.ended;
  }

  /** `until`: when a client that is still behind is told that it is too slow. One that comes back from far has all the time it needs. */
  async #catchUp(until: number): Promise<void> {
    this.#catching = true;
    let failures = 0;
    while (!this.#over && !this.#join()) {
      if (this.channel.closed) {
        this.#listener.end('log');
        return;
      }
      if (!(await this.#drained()) || Date.now() > until) {
        this.#listener.end('slow');
        return;
      }
      if (this.#over || this.#join()) break;
      try {
        if (!(await this.#page())) return;
        failures = 0;
      } catch {
        failures += 1;
        if (failures > mostFailures) this.#listener.end('database');
        else await pause(500);
      }
    }
    this.#catching = false;
    // What it was given just now may have been too much for it.
    if (this.#over) this.channel.leave(this);
  }

  #join(): boolean {
    return !this.channel.closed && this.#listener.waiting <= mostWaiting && this.channel.join(this);
  }

  /** The next page of the log; false where there is none to go on from. */
  async #page(): Promise<boolean> {
    const { name, epoch } = this.channel;
    const after = this.position;
    const { recovered, frames, upto } = await this.#log.read(name, epoch, after);
    if (this.#over) return false;
    if (!recovered) {
      this.#listener.end('log');
      return false;
    }
    const json = JSON.stringify(name);
    this.position = upto;
    if (frames.length === 0) await pause(drainMs);
    else {
      const lines = frames.map((frame, n) => publication(json, frame, after + 1 + n));
      this.push(this.channel.isForFew(lines.length) ? lines : [lines.join('\n')]);
    }
    return true;
  }

  async #drained(): Promise<boolean> {
    let least = this.#listener.waiting;
    let until = Date.now() + patienceMs;
    while (this.#listener.waiting > mostWaiting && !this.#over) {
      await pause(drainMs);
      if (this.#listener.waiting < least) {
        least = this.#listener.waiting;
        until = Date.now() + patienceMs;
      } else if (Date.now() > until) return false;
    }
    return true;
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
