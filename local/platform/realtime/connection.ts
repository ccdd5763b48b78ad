import type { WebSocket } from 'ws';
import { toLogText } from '../user_error.ts';
import { Channel, type ChannelContext, type ClientConnection, JoinRejected } from './channel.ts';
import { decode, encode, type Inbound, TOPIC_PREFIX, type Version } from './frames.ts';

export type ConnectionOptions = {
  socket: WebSocket;
  version: Version;
  token: string;
  headers: Record<string, string>;
  /** Delay of the reply to a rejected join; 5 s on the platform. */
  rejectionDelayMs: number;
};

/** A client without any message for this time is gone: it should send a heartbeat every 25 s. */
const HEARTBEAT_TIMEOUT_MS = 60_000;
/** A connection without channels is closed after this time. */
const IDLE_MS = 600_000;

/**
 * Unsent bytes for a client that does not read. Above this it is closed, so that it does not use up
 * the memory.
 */
const MAX_BUFFERED_BYTES = 32_000_000;

/** One WebSocket and its channels. */
export class Connection {
  readonly #context: ChannelContext;
  readonly #options: ConnectionOptions;
  readonly #client: ClientConnection;
  readonly #channels = new Map<string, Channel>();
  /** Messages to one topic are handled in order. Topics do not wait for each other. */
  readonly #turns = new Map<string, Promise<void>>();
  #heartbeatTimer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #isOpen = true;

  constructor(context: ChannelContext, plan: ConnectionOptions) {
    this.#context = context;
    this.#options = plan;
    const { socket, version, token, headers } = plan;
    this.#client = {
      version,
      token,
      headers,
      send: (frame) => {
        if (socket.bufferedAmount > MAX_BUFFERED_BYTES) socket.terminate();
        else if (socket.readyState === socket.OPEN) socket.send(frame);
      },
      ended: (channel) => this.#dropChannel(channel),
    };
    socket.on('message', (message, binary) => this.#receive(message as Buffer, binary));
    // For a frame that is too large or invalid, ws closes the socket with the right code and emits
    // this error.
    socket.on('error', () => {});
    socket.once('close', () => this.#onClose());
    this.#resetHeartbeatTimer();
    this.#watchIdle();
  }

  #resetHeartbeatTimer(): void {
    clearTimeout(this.#heartbeatTimer);
    this.#heartbeatTimer = setTimeout(() => this.#options.socket.close(1000), HEARTBEAT_TIMEOUT_MS);
    this.#heartbeatTimer.unref();
  }

  #watchIdle(): void {
    clearTimeout(this.#idleTimer);
    if (this.#channels.size > 0 || !this.#isOpen) return;
    this.#idleTimer = setTimeout(() => this.#options.socket.close(1000), IDLE_MS);
    this.#idleTimer.unref();
  }

  #receive(message: Buffer, binary: boolean): void {
    this.#resetHeartbeatTimer();
    const inbound = decode(message, binary, this.#options.version);
    if (!inbound) return;
    if (inbound.topic === 'phoenix') {
      if (inbound.event === 'heartbeat') this.#reply(inbound, 'ok', '{}');
      return;
    }
    const before = this.#turns.get(inbound.topic) ?? Promise.resolve();
    const turn = before
      .then(() => (this.#isOpen ? this.#handle(inbound) : undefined))
      .catch((error: unknown) => {
        console.error(`A message could not be handled: ${toLogText(error)}`);
        this.#push('phx_error', inbound, inbound.joinRef, '{}');
      })
      .then(() => {
        if (this.#turns.get(inbound.topic) === turn) this.#turns.delete(inbound.topic);
      });
    this.#turns.set(inbound.topic, turn);
  }

  async #handle(inbound: Inbound): Promise<void> {
    const channel = this.#channels.get(inbound.topic);
    if (inbound.event === 'phx_join') return this.#join(inbound, channel);
    if (inbound.event === 'phx_leave') {
      this.#reply(inbound, 'ok', '{}');
      if (!channel) return;
      channel.close();
      this.#dropChannel(channel);
    } else if (channel) await channel.handle(inbound);
    else this.#reply(inbound, 'error', '{"reason":"unmatched topic"}');
  }

  async #join(inbound: Inbound, former: Channel | undefined): Promise<void> {
    if (!inbound.topic.startsWith(TOPIC_PREFIX)) return this.#reply(inbound, 'error', '{"reason":"unmatched topic"}');
    if (former) {
      former.close();
      this.#dropChannel(former);
    }
    const { allowance } = this.#context;
    try {
      if (allowance.joins.isExceeded) throw new JoinRejected('ClientJoinRateLimitReached: Too many joins per second');
      allowance.joins.add();
      if (this.#channels.size >= (allowance.quotas.channels_per_connection ?? Number.POSITIVE_INFINITY))
        throw new JoinRejected('ChannelRateLimitReached: Too many channels');
      const channel = await Channel.join(this.#context, this.#client, inbound);
      this.#channels.set(inbound.topic, channel);
      // The socket may have closed during the database query.
      if (!this.#isOpen) channel.leave();
    } catch (error) {
      const reason = error instanceof JoinRejected ? error.message : 'Unknown Error on Channel';
      if (!(error instanceof JoinRejected)) console.error(`A join failed: ${toLogText(error)}`);
      await new Promise((resolve) => setTimeout(resolve, this.#options.rejectionDelayMs));
      this.#reply(inbound, 'error', JSON.stringify({ reason }));
      if (reason.startsWith('ClientJoinRateLimitReached')) this.#options.socket.close(1000);
    }
    this.#watchIdle();
  }

  #dropChannel(channel: Channel): void {
    const topic = TOPIC_PREFIX + channel.topic;
    if (this.#channels.get(topic) === channel) this.#channels.delete(topic);
    this.#watchIdle();
  }

  #onClose(): void {
    this.#isOpen = false;
    clearTimeout(this.#heartbeatTimer);
    clearTimeout(this.#idleTimer);
    for (const channel of this.#channels.values()) channel.leave();
    this.#channels.clear();
  }

  /**
   * The server shuts down: reports it on every channel, then closes the socket with "service
   * restart".
   */
  closeByServer(): void {
    for (const channel of this.#channels.values()) channel.closeByServer();
    this.#options.socket.close(1012);
  }

  #reply(inbound: Inbound, status: 'ok' | 'error', response: string): void {
    this.#push('phx_reply', inbound, inbound.ref, `{"status":"${status}","response":${response}}`);
  }

  #push(event: string, { joinRef, topic }: Inbound, ref: string | null, payload: string): void {
    this.#client.send(encode(this.#options.version, { joinRef, ref, topic, event, payload }));
  }
}
