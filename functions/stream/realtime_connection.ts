import { surroundings } from '../_shared/runtime.ts';
import { LiveSocket, type SocketMaker } from '../_shared/socket.ts';

/** A broadcast of room stream; without `frames` it only says where the channel stands. */
export type Broadcast = { channel: string; epoch: string; offset: number; frames?: Record<string, unknown>[] };

export type RealtimeEvents = {
  /** What the database sends to this topic comes from now on. */
  joined(topic: string): void;
  /** Nothing comes any more until it is joined again. */
  left(topic: string): void;
  heard(topic: string, broadcast: Broadcast): void;
};

type Message = { topic?: unknown; event?: unknown; payload?: unknown; ref?: unknown };

const prefix = 'realtime:';
const rejoinMs = 3_000;
const established = 'Replication connection established';

/**
 * Listens to private topics of Supabase Realtime over one socket that always comes back. It speaks version 1.0.0 of its protocol, in which
 * every message is one JSON object, and no more of it than joining, heartbeats and broadcasts: that is all there is to hear.
 */
export class RealtimeLine {
  readonly #on: RealtimeEvents;
  readonly #line: LiveSocket;
  readonly #wanted = new Set<string>();
  readonly #joined = new Set<string>();
  readonly #retries = new Map<string, ReturnType<typeof setTimeout>>();
  #refs = 0;

  constructor(options: {
    url: string;
    apikey: string;
    make: SocketMaker;
    log: (line: string) => void;
    on: RealtimeEvents;
  }) {
    this.#on = options.on;
    const address = new URL(`${options.url.replace(/^http/, 'ws').replace(/\/$/, '')}/realtime/v1/websocket`);
    address.searchParams.set('apikey', options.apikey);
    address.searchParams.set('vsn', '1.0.0');
    this.#line = new LiveSocket({
      url: address.href,
      make: options.make,
      around: around(options.log),
      pingMs: 10_000,
      silentMs: 25_000,
      on: {
        open: () => this.#joinAll(),
        message: (text) => this.#read(text),
        down: () => this.#down(),
        ping: () => this.#message('phoenix', 'heartbeat', {}),
      },
    });
  }

  start(): void {
    this.#line.start();
  }

  async stop(): Promise<void> {
    for (const timer of this.#retries.values()) clearTimeout(timer);
    await this.#line.stop();
  }

  isJoined(topic: string): boolean {
    return this.#joined.has(topic);
  }

  join(topic: string): void {
    this.#wanted.add(topic);
    this.#join(topic);
  }

  leave(topic: string): void {
    this.#wanted.delete(topic);
    this.#joined.delete(topic);
    this.#line.send(this.#message(prefix + topic, 'phx_leave', {}));
  }

  #joinAll(): void {
    for (const topic of this.#wanted) this.#join(topic);
  }

  #join(topic: string): void {
    const config = {
      // Only then is it known that rows written from now on are delivered, too.
      broadcast: { ack: false, self: false, replication_ready: true },
      presence: { enabled: false },
      postgres_changes: [],
      private: true,
    };
    this.#line.send(this.#message(prefix + topic, 'phx_join', { config }));
  }

  #message(topic: string, event: string, payload: unknown): string {
    this.#refs += 1;
    const ref = String(this.#refs);
    return JSON.stringify({ topic, event, payload, ref, ...(event === 'phx_join' ? { join_ref: ref } : {}) });
  }

  #read(text: string): void {
    let message: Message | null;
    try {
      message = JSON.parse(text);
    } catch {
      return;
    }
    if (typeof message?.topic !== 'string' || !message.topic.startsWith(prefix)) return;
    const topic = message.topic.slice(prefix.length);
    if (!this.#wanted.has(topic)) return;
    const { event, payload } = message;
    if (!isObject(payload)) return;
    if (event === 'broadcast') {
      this.#isThere(topic);
      const broadcast = broadcastIn(payload);
      if (broadcast) this.#on.heard(topic, broadcast);
    } else if (event === 'system') {
      if (payload.status === 'ok' && payload.message === established) this.#isThere(topic);
    } else if (event === 'phx_close' || event === 'phx_error') this.#lost(topic);
    else if (event === 'phx_reply' && payload.status === 'error') this.#refused(topic, payload.response);
  }

  #isThere(topic: string): void {
    if (this.#joined.has(topic)) return;
    this.#joined.add(topic);
    this.#on.joined(topic);
  }

  #refused(topic: string, response: unknown): void {
    this.#lost(topic);
    // The platform's gateway gives the connection a token of its own for our key. When that is over, only another connection has a new one.
    if (/InvalidJWTToken|expired/.test(JSON.stringify(response) ?? '')) this.#line.restart();
  }

  #lost(topic: string): void {
    if (this.#joined.delete(topic)) this.#on.left(topic);
    if (this.#retries.has(topic)) return;
    const again = (): void => {
      this.#retries.delete(topic);
      if (this.#wanted.has(topic) && !this.#joined.has(topic)) this.#join(topic);
    };
    this.#retries.set(topic, setTimeout(again, rejoinMs));
  }

  #down(): void {
    for (const topic of [...this.#joined]) {
      this.#joined.delete(topic);
      this.#on.left(topic);
    }
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** The broadcast in Realtime's envelope {event, type, payload, meta}; undefined for one that is not of room stream. */
function broadcastIn({ event, payload }: Record<string, unknown>): Broadcast | undefined {
  if (event !== 'frames' || !isObject(payload)) return undefined;
  const { channel, epoch, offset, frames } = payload;
  if (typeof channel !== 'string' || typeof epoch !== 'string' || !Number.isSafeInteger(offset)) return undefined;
  if (frames === undefined) return { channel, epoch, offset: Number(offset) };
  if (!Array.isArray(frames) || !frames.every(isObject)) return undefined;
  return { channel, epoch, offset: Number(offset), frames };
}

function around(log: (line: string) => void) {
  return {
    ...surroundings,
    shown: () => Date.now(),
    segment: () => null,
    aside: () => {},
    log: (line: string) => log(`realtime: ${line}`),
  };
}
