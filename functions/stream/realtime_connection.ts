import { describeError } from '../_shared/pool/error_fields.ts';
import { ReconnectingSocket, type SocketFactory } from '../_shared/reconnecting_socket.ts';
import { systemRuntime } from '../_shared/system_runtime.ts';
import type { JoinToken } from './join_token.ts';

/** A broadcast of the schema `stream`. Without `frames` it is a position beacon. */
export type Broadcast = { channel: string; epoch: string; offset: number; frames?: Record<string, unknown>[] };

export type RealtimeEvents = {
  /** From now on, this process receives the messages that the database sends to this topic. */
  joined(topic: string): void;
  /** No message is received until the topic is joined again. */
  left(topic: string): void;
  broadcast(topic: string, broadcast: Broadcast): void;
};

type Message = { topic?: unknown; event?: unknown; payload?: unknown; ref?: unknown };

const TOPIC_PREFIX = 'realtime:';
const REJOIN_MS = 3_000;
const REPLICATION_READY = 'Replication connection established';

/**
 * Subscribes to private topics of Supabase Realtime over one socket that always reconnects. It uses
 * version 1.0.0 of the protocol, in which every message is one JSON object, and only joins,
 * heartbeats and broadcasts of it.
 */
export class RealtimeConnection {
  readonly #on: RealtimeEvents;
  readonly #socket: ReconnectingSocket;
  readonly #wanted = new Set<string>();
  readonly #joined = new Set<string>();
  readonly #retries = new Map<string, ReturnType<typeof setTimeout>>();
  readonly #token: JoinToken;
  readonly #log: (line: string) => void;
  /** The token that each topic was last given. */
  readonly #tokens = new Map<string, string>();
  #refs = 0;

  constructor(options: {
    url: string;
    /** The publishable key. It is no secret, so it may stand in the URL. */
    apikey: string;
    token: JoinToken;
    make: SocketFactory;
    log: (line: string) => void;
    on: RealtimeEvents;
    /** Interval of the heartbeats, ms. */
    pingMs?: number;
  }) {
    this.#on = options.on;
    this.#token = options.token;
    this.#log = options.log;
    const address = new URL(`${options.url.replace(/^http/, 'ws').replace(/\/$/, '')}/realtime/v1/websocket`);
    address.searchParams.set('apikey', options.apikey);
    address.searchParams.set('vsn', '1.0.0');
    this.#socket = new ReconnectingSocket({
      url: address.href,
      make: options.make,
      runtime: runtimeFor(options.log),
      pingMs: options.pingMs ?? 10_000,
      silentMs: 25_000,
      on: {
        open: () => this.#joinAll(),
        message: (text) => this.#onMessage(text),
        down: () => this.#onDown(),
        ping: () => {
          void this.#renewToken();
          return this.#message('phoenix', 'heartbeat', {});
        },
      },
    });
  }

  start(): void {
    this.#socket.start();
  }

  async stop(): Promise<void> {
    for (const timer of this.#retries.values()) clearTimeout(timer);
    await this.#socket.stop();
  }

  isJoined(topic: string): boolean {
    return this.#joined.has(topic);
  }

  join(topic: string): void {
    this.#wanted.add(topic);
    void this.#join(topic);
  }

  leave(topic: string): void {
    this.#wanted.delete(topic);
    this.#joined.delete(topic);
    this.#tokens.delete(topic);
    this.#socket.send(this.#message(TOPIC_PREFIX + topic, 'phx_leave', {}));
  }

  #joinAll(): void {
    for (const topic of this.#wanted) void this.#join(topic);
  }

  async #join(topic: string): Promise<void> {
    const access_token = await this.#currentToken();
    if (access_token === undefined || !this.#wanted.has(topic)) return;
    this.#tokens.set(topic, access_token);
    const config = {
      // Realtime then reports when rows that are written from now on are delivered.
      broadcast: { ack: false, self: false, replication_ready: true },
      presence: { enabled: false },
      postgres_changes: [],
      private: true,
    };
    this.#socket.send(this.#message(TOPIC_PREFIX + topic, 'phx_join', { config, access_token }));
  }

  /** Realtime closes a channel whose token has expired, so each one receives the next token. */
  async #renewToken(): Promise<void> {
    if (this.#joined.size === 0) return;
    const access_token = await this.#currentToken();
    if (access_token === undefined) return;
    for (const topic of this.#joined) {
      if (this.#tokens.get(topic) === access_token) continue;
      this.#tokens.set(topic, access_token);
      this.#socket.send(this.#message(TOPIC_PREFIX + topic, 'access_token', { access_token }));
    }
  }

  async #currentToken(): Promise<string | undefined> {
    try {
      return await this.#token();
    } catch (error) {
      this.#log(`the token for Realtime cannot be signed: ${describeError(error)}`);
      return undefined;
    }
  }

  #message(topic: string, event: string, payload: unknown): string {
    this.#refs += 1;
    const ref = String(this.#refs);
    return JSON.stringify({ topic, event, payload, ref, ...(event === 'phx_join' ? { join_ref: ref } : {}) });
  }

  #onMessage(text: string): void {
    let message: Message | null;
    try {
      message = JSON.parse(text);
    } catch {
      return;
    }
    if (typeof message?.topic !== 'string' || !message.topic.startsWith(TOPIC_PREFIX)) return;
    const topic = message.topic.slice(TOPIC_PREFIX.length);
    if (!this.#wanted.has(topic)) return;
    const { event, payload } = message;
    if (!isObject(payload)) return;
    if (event === 'broadcast') {
      this.#markJoined(topic);
      const broadcast = broadcastIn(payload);
      if (broadcast) this.#on.broadcast(topic, broadcast);
    } else if (event === 'system') {
      if (payload.status === 'ok' && payload.message === REPLICATION_READY) this.#markJoined(topic);
    } else if (event === 'phx_close' || event === 'phx_error') this.#markLeft(topic);
    else if (event === 'phx_reply' && payload.status === 'error') this.#onJoinError(topic, payload.response);
  }

  #markJoined(topic: string): void {
    if (this.#joined.has(topic)) return;
    this.#joined.add(topic);
    this.#on.joined(topic);
  }

  #onJoinError(topic: string, response: unknown): void {
    this.#markLeft(topic);
    // The platform's gateway gives the connection a token of its own for the publishable key. When
    // it expires, only a new connection gets a new one.
    if (/InvalidJWTToken|expired/.test(JSON.stringify(response) ?? '')) this.#socket.reconnect();
  }

  #markLeft(topic: string): void {
    if (this.#joined.delete(topic)) this.#on.left(topic);
    if (this.#retries.has(topic)) return;
    const rejoin = (): void => {
      this.#retries.delete(topic);
      if (this.#wanted.has(topic) && !this.#joined.has(topic)) void this.#join(topic);
    };
    this.#retries.set(topic, setTimeout(rejoin, REJOIN_MS));
  }

  #onDown(): void {
    for (const topic of [...this.#joined]) {
      this.#joined.delete(topic);
      this.#on.left(topic);
    }
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/**
 * The broadcast in Realtime's envelope {event, type, payload, meta}; undefined when it is not one
 * of the schema `stream`.
 */
function broadcastIn({ event, payload }: Record<string, unknown>): Broadcast | undefined {
  if (event !== 'frames' || !isObject(payload)) return undefined;
  const { channel, epoch, offset, frames } = payload;
  if (typeof channel !== 'string' || typeof epoch !== 'string' || !Number.isSafeInteger(offset)) return undefined;
  if (frames === undefined) return { channel, epoch, offset: Number(offset) };
  if (!Array.isArray(frames) || !frames.every(isObject)) return undefined;
  return { channel, epoch, offset: Number(offset), frames };
}

function runtimeFor(log: (line: string) => void) {
  return {
    ...systemRuntime,
    marketNow: () => Date.now(),
    log: (line: string) => log(`realtime: ${line}`),
  };
}
