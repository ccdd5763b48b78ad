import { toLogText } from '../user_error.ts';
import type { Database } from './database.ts';
import { type Broadcast, encode, encodeBroadcast, type Inbound, TOPIC_PREFIX, type Version } from './frames.ts';
import type { Hub, HubSubscriber } from './hub.ts';
import { type JoinConfig, parseConfig, tokenOf } from './join.ts';
import { type Policies, PolicyCheckFailed, type PolicyResult } from './policies.ts';
import type { Allowance } from './quotas.ts';
import { type Replayed, readReplay } from './replay.ts';
import type { Replication } from './replication.ts';
import { type Claims, type Keyring, TokenRejected, verifyToken } from './token.ts';

/** The parts that all channels share. */
export type ChannelContext = {
  keyring: Keyring;
  database: Database;
  policies: Policies;
  hub: Hub;
  replication: Replication;
  allowance: Allowance;
  privateOnly: boolean;
};

/** The connection of a channel. */
export type ClientConnection = {
  version: Version;
  /** The token and headers of the connection. A channel without its own token uses this one. */
  token: string;
  headers: Record<string, string>;
  send(frame: string | Buffer): void;
  /** Called when the channel was ended by the server. */
  ended(channel: Channel): void;
};

/** A token is checked again when it expires, and at the latest after this time. */
const RECHECK_MS = 300_000;
const REPLICATION_TIMEOUT_MS = 10_000;

/** A rejected join; `message` is the reason in the protocol. */
export class JoinRejected extends Error {}

/** One client on one topic, from a successful join to its end. */
export class Channel implements HubSubscriber {
  readonly version: Version;
  readonly topic: string;
  readonly joinRef: string | null;
  readonly #context: ChannelContext;
  readonly #connection: ClientConnection;
  readonly #config: JoinConfig;
  #token: string;
  #claims: Claims;
  #reads: PolicyResult = { broadcast: true, presence: true };
  /** The decision about sending, once it was made. */
  #writes: boolean | undefined;
  #recheckTimer: NodeJS.Timeout | undefined;
  #replayed = new Set<string>();
  /** Live messages wait here until the join is answered. */
  #queued: (() => void)[] | undefined = [];
  #hasEnded = false;

  private constructor(context: ChannelContext, line: ClientConnection, join: Inbound) {
    this.#context = context;
    this.#connection = line;
    this.version = line.version;
    this.topic = join.topic.slice(TOPIC_PREFIX.length);
    this.joinRef = join.joinRef;
    this.#config = parseConfig(join.payload);
    this.#token = tokenOf(join.payload) ?? line.token;
    this.#claims = verifyToken(this.#token, context.keyring);
  }

  /** Admits a client and sends the reply. Throws JoinRejected. */
  static async join(context: ChannelContext, line: ClientConnection, join: Inbound): Promise<Channel> {
    try {
      const channel = new Channel(context, line, join);
      await channel.#enter(join);
      return channel;
    } catch (error) {
      if (error instanceof TokenRejected || error instanceof PolicyCheckFailed)
        throw new JoinRejected(`${error.code}: ${error.message}`);
      throw error;
    }
  }

  async #enter(join: Inbound): Promise<void> {
    const { context, config } = { context: this.#context, config: this.#config };
    if (this.topic === '') throw new JoinRejected('TopicNameRequired: You must provide a topic name');
    if (context.privateOnly && !config.private)
      throw new JoinRejected('PrivateOnly: This project only allows private channels');
    if (config.private) this.#reads = await this.#checkRead();
    const refusal = this.#joinErrorOf();
    if (refusal) throw new JoinRejected(`Unauthorized: ${refusal}`);
    // Added before the replay is read, so that no message falls between them.
    context.hub.add(this.topic, config.private, this);
    let past: Replayed[];
    try {
      past = await this.#replayPast();
    } catch (error) {
      context.hub.remove(this.topic, config.private, this);
      throw error;
    }
    this.#reply(join, 'ok', '{"postgres_changes":[]}');
    for (const { id, broadcast } of past) {
      this.#replayed.add(id);
      const frame = encodeBroadcast(this.version, broadcast);
      if (frame !== undefined) this.#connection.send(frame);
    }
    const held = this.#queued ?? [];
    this.#queued = undefined;
    for (const release of held) release();
    this.#scheduleRecheck();
    if (config.replicationReady) void this.#reportReplication();
  }

  #joinErrorOf(): string | undefined {
    const { broadcast, presence } = this.#reads;
    const allowed = broadcast || (presence && this.#config.replay === undefined);
    return allowed ? undefined : `You do not have permissions to read from this Channel topic: ${this.topic}`;
  }

  async #replayPast(): Promise<Replayed[]> {
    const { replay: asked, private: isPrivate } = this.#config;
    if (asked === undefined) return [];
    const refused = (text: string) => new JoinRejected(`UnableToReplayMessages: ${text}`);
    if (!isPrivate) throw refused('Replay is not allowed for public channels');
    if (asked === 'wrong') throw refused('Replay params are not valid');
    try {
      return await readReplay(this.#context.database.query, this.topic, asked.since, asked.limit);
    } catch (error) {
      console.error(`The replay failed: ${toLogText(error)}`);
      throw refused('Realtime was unable to replay messages');
    }
  }

  #checkRead(): Promise<PolicyResult> {
    return this.#context.policies.mayRead(this.#subject(), this.#config.presence);
  }

  #subject() {
    return { topic: this.topic, claims: this.#claims, headers: this.#connection.headers };
  }

  async #reportReplication(): Promise<void> {
    const open = await this.#context.replication.untilOpen(REPLICATION_TIMEOUT_MS);
    if (this.#hasEnded) return;
    if (open) this.#system('ok', 'Replication connection established');
    else this.#closeWithError('Replication connection was not established in time');
  }

  receive(frame: string | Buffer, id: string | undefined): void {
    if (this.#queued) {
      this.#queued.push(() => this.receive(frame, id));
      return;
    }
    if (this.#hasEnded || !this.#reads.broadcast || (id !== undefined && this.#replayed.has(id))) return;
    this.#context.allowance.messages.add();
    if (this.#context.allowance.messages.isExceeded) this.#closeWithError('Too many messages per second');
    else this.#connection.send(frame);
  }

  /** Handles a message of the client to this channel, except join and leave. */
  async handle(inbound: Inbound): Promise<void> {
    if (this.#hasEnded) return;
    if (inbound.event === 'broadcast') await this.#broadcast(inbound);
    else if (inbound.event === 'access_token') await this.#changeToken(inbound.payload);
    else if (inbound.event === 'presence') {
      this.#reply(inbound, 'error', '{"reason":"The local stand-in of Realtime does not support presence"}');
    }
  }

  /** A client that may not send gets no reply, as on the platform. */
  async #broadcast(inbound: Inbound): Promise<void> {
    const { private: isPrivate, self, ack } = this.#config;
    if (isPrivate && !(await this.#maySend())) return;
    if (this.#context.allowance.messages.isExceeded) return this.#closeWithError('Too many messages per second');
    const { topic } = this;
    const broadcast: Broadcast = inbound.user
      ? { kind: 'user', topic, ...inbound.user }
      : { kind: 'whole', topic, json: JSON.stringify(inbound.payload) };
    const fitted = this.#context.hub.deliver(broadcast, isPrivate, self ? undefined : this);
    if (!ack) return;
    if (fitted) this.#reply(inbound, 'ok', '{}');
    else this.#reply(inbound, 'error', '{"reason":"payload_size_exceeded"}');
  }

  async #maySend(): Promise<boolean> {
    try {
      this.#writes ??= await this.#context.policies.mayWrite(this.#subject());
      return this.#writes;
    } catch (error) {
      // The database made no decision, so the next push checks again.
      if (error instanceof PolicyCheckFailed) return false;
      throw error;
    }
  }

  async #changeToken(payload: Record<string, unknown>): Promise<void> {
    const given = tokenOf(payload);
    if (given === undefined || given === this.#token) return;
    try {
      this.#claims = verifyToken(given, this.#context.keyring);
      this.#token = given;
      this.#writes = undefined;
      const before = this.#reads;
      if (this.#config.private) this.#reads = await this.#checkRead();
      if (this.#hasEnded) return;
      const lost = before.broadcast && !this.#reads.broadcast;
      if (this.#joinErrorOf()) return this.#closeWithError(this.#joinErrorOf() ?? '');
      if (lost)
        return this.#closeWithError(`You no longer have permission to read from this Channel topic: ${this.topic}`);
      this.#scheduleRecheck();
    } catch (error) {
      if (!(error instanceof TokenRejected || error instanceof PolicyCheckFailed)) throw error;
      this.#closeWithError(error.message);
    }
  }

  #scheduleRecheck(): void {
    clearTimeout(this.#recheckTimer);
    const left = this.#claims.exp * 1000 - Date.now();
    this.#recheckTimer = setTimeout(() => this.#recheckToken(), Math.min(Math.max(left, 0), RECHECK_MS));
    this.#recheckTimer.unref();
  }

  /** Checks the token only. Policies are checked at a join and at a change of token. */
  #recheckToken(): void {
    try {
      verifyToken(this.#token, this.#context.keyring);
      this.#scheduleRecheck();
    } catch (error) {
      if (!(error instanceof TokenRejected)) throw error;
      this.#closeWithError(error.message);
    }
  }

  /** The client has left, or its connection is gone. Nothing more is sent. */
  leave(): void {
    this.#hasEnded = true;
    clearTimeout(this.#recheckTimer);
    this.#context.hub.remove(this.topic, this.#config.private, this);
  }

  /** Reports that the channel is closed. The ref of this frame repeats that of the join. */
  close(): void {
    this.leave();
    this.#push('phx_close', this.joinRef, '{}');
  }

  /** Reports to the client that the server shuts down. */
  closeByServer(): void {
    this.#system('ok', 'Server requested disconnect');
    this.leave();
  }

  /** Ends the channel and sends the reason. */
  #closeWithError(message: string): void {
    if (this.#hasEnded) return;
    this.#system('error', message);
    this.close();
    this.#connection.ended(this);
  }

  #system(status: 'ok' | 'error', message: string): void {
    this.#push('system', null, JSON.stringify({ extension: 'system', status, message, channel: this.topic }));
  }

  #reply({ ref }: Inbound, status: 'ok' | 'error', response: string): void {
    this.#push('phx_reply', ref, `{"status":"${status}","response":${response}}`);
  }

  #push(event: string, ref: string | null, payload: string): void {
    this.#connection.send(
      encode(this.version, { joinRef: this.joinRef, ref, topic: TOPIC_PREFIX + this.topic, event, payload }),
    );
  }
}
