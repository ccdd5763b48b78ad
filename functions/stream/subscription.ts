import type { Channel, Subscriber } from './channel.ts';
import type { Farewell } from './farewell.ts';
import { publication } from './protocol.ts';
import type { Log } from './reader.ts';

/** The connection that a subscription is of. */
export type Listener = {
  readonly ended: boolean;
  /** Bytes that the client has not taken yet. */
  readonly waiting: number;
  send(...messages: readonly string[]): void;
  end(farewell: Farewell): void;
};

/** A page of the log is not read before the client has taken most of the last one. */
const mostWaiting = 256 * 1024;
const drainMs = 20;
const patienceMs = 10_000;
const mostFailures = 10;

/** One channel of one connection: first what was missed, from the log, then what comes, live; each offset once and in order. */
export class Subscription implements Subscriber {
  readonly channel: Channel;
  position: number;
  readonly #listener: Listener;
  readonly #log: Log;
  #left = false;

  constructor(channel: Channel, position: number, listener: Listener, log: Log) {
    this.channel = channel;
    this.position = position;
    this.#listener = listener;
    this.#log = log;
  }

  push(messages: readonly string[]): void {
    if (!this.#left) this.#listener.send(...messages);
  }

  leave(): void {
    this.#left = true;
    this.channel.leave(this);
  }

  /** Begins to hear. What is missing and is not kept by the channel is read from the log before anything live is given. */
  start(): void {
    if (!this.#join()) void this.#catchUp();
  }

  get #over(): boolean {
    return this.#left || this.#listener.ended;
  }

  #join(): boolean {
    if (!this.channel.join(this)) return false;
    // What it was given just now may have been too much for it.
    if (this.#over) this.channel.leave(this);
    return true;
  }

  async #catchUp(): Promise<void> {
    const { name, epoch } = this.channel;
    const json = JSON.stringify(name);
    let failures = 0;
    while (!this.#over && !this.#join()) {
      if (!(await this.#drained())) {
        this.#listener.end('slow');
        return;
      }
      const after = this.position;
      try {
        const { recovered, frames, upto } = await this.#log.read(name, epoch, after);
        if (this.#over) return;
        if (!recovered) {
          this.#listener.end('log');
          return;
        }
        failures = 0;
        if (frames.length === 0) await pause(drainMs);
        else this.push(frames.map((frame, n) => publication(json, frame, after + 1 + n)));
        this.position = upto;
      } catch {
        failures += 1;
        if (failures > mostFailures) this.#listener.end('database');
        else await pause(500);
      }
    }
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
