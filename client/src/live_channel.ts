import { Centrifuge, UnauthorizedError } from 'centrifuge';
import type { Client } from 'openapi-fetch';
import type { Paths, StreamTicket } from './api_types.ts';
import { ParallaxError } from './errors.ts';
import type { Frame } from './frames.ts';
import { LiveState } from './live_state.ts';

/** `markets:all` where the plan has it, else `sample`, unless a channel is given. */
export type LiveOptions = { channel?: string };

/** The whole state was read: at the start, and where the log does not reach back far enough. */
export type StateFrame = { type: 'state'; channel: string; epoch: string; offset: number };
export type Change = Frame | StateFrame;

type Api = Client<Paths, 'application/json'>;

/** Changes that wait for a reader. More than these are a reader that has stopped. */
const MAX_WAITING = 100_000;
const RETRY_MS = 1_000;
/** The server got no connect command in time. The SDK gives up there, although a new try helps. */
const STALE_CONNECTION = 3502;

/**
 * One channel of the stream with its state. `state` is current while `isConnected`; iterate over
 * the channel for the changes, in order, none missing and none twice.
 */
export class LiveChannel implements AsyncIterable<Change> {
  readonly channel: string;
  readonly state = new LiveState();
  readonly #api: Api;
  readonly #stream: Centrifuge;
  readonly #waiting: Change[] = [];
  readonly #loaded: Promise<void>;
  #settle: { resolve(): void; reject(error: unknown): void } = { resolve() {}, reject() {} };
  #ticket: StreamTicket | null;
  #epoch = '';
  #isReading = false;
  #ended: { error: unknown } | null = null;
  #wake: () => void = () => {};

  private constructor(api: Api, ticket: StreamTicket, channel: string, socket: unknown) {
    this.#api = api;
    this.#ticket = ticket;
    this.channel = channel;
    this.#loaded = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.#stream = new Centrifuge(ticket.ws_url, {
      websocket: socket,
      getData: async () => ({ t: (await this.#nextTicket()).ticket }),
    });
    this.#listen();
    this.#stream.connect();
  }

  static async open(api: Api, { channel }: LiveOptions): Promise<LiveChannel> {
    const ticket = await mint(api);
    const all = ticket.allowed.channels;
    const chosen = channel ?? (all.includes('markets:all') ? 'markets:all' : 'sample');
    if (!all.includes(chosen)) {
      const error = `Your plan has no channel ${chosen}. Its channels: ${all.join(', ')}.`;
      throw new ParallaxError(404, { code: 'channel.not_found', error }, null);
    }
    const live = new LiveChannel(api, ticket, chosen, await socketClass());
    await live.#loaded;
    return live;
  }

  /** False while the connection is lost. The state is then as old as the loss. */
  get isConnected(): boolean {
    return this.#stream.state === 'connected' && this.#ended === null;
  }

  /** Ends the connection and the iteration. */
  close(): void {
    this.#end(null);
    this.#stream.disconnect();
  }

  /**
   * The changes since the last one that was taken. Ends at `close`; throws where the server ends
   * the stream for good, or where the reader is far behind.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Change, void> {
    for (;;) {
      const change = this.#waiting.shift();
      if (change !== undefined) yield change;
      else if (this.#ended === null)
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      else if (this.#ended.error === null) return;
      else throw this.#ended.error;
    }
  }

  #listen(): void {
    const { channel } = this;
    this.#stream.on('subscribed', ({ channel: subscribed, wasRecovering, recovered, streamPosition }) => {
      if (subscribed !== channel) return;
      this.#epoch = streamPosition?.epoch ?? '';
      const isWhole = wasRecovering && recovered && this.state.position(channel) !== null;
      // The channel of an organization has events and no state.
      if (channel.startsWith('org:')) {
        if (!isWhole) this.#resetTo({ channel, epoch: this.#epoch, offset: streamPosition?.offset ?? 0 });
      } else if (!isWhole) void this.#readState();
    });
    this.#stream.on('publication', ({ channel: published, offset = 0, data }) => {
      if (published !== channel) return;
      const batch = { channel, epoch: this.#epoch, offset, frames: [data as Frame] };
      this.#push(this.state.accept(batch));
    });
    this.#stream.on('unsubscribed', ({ channel: left }) => {
      if (left !== channel) return;
      this.#end(new Error(`Your plan has the channel ${channel} no longer.`));
      this.#stream.disconnect();
    });
    this.#stream.on('disconnected', ({ code, reason }) => {
      if (this.#ended !== null) return;
      if (code === STALE_CONNECTION) this.#stream.connect();
      else this.#end(new Error(`The stream ended: ${code} ${reason}`));
    });
    // The SDK tries again by itself.
    this.#stream.on('error', () => {});
  }

  async #nextTicket(): Promise<StreamTicket> {
    const first = this.#ticket;
    this.#ticket = null;
    try {
      return first ?? (await mint(this.#api));
    } catch (error) {
      // For a key that is revoked the SDK must not try again.
      if (error instanceof ParallaxError && error.status < 429) {
        this.#end(error);
        throw new UnauthorizedError(error.message);
      }
      throw error;
    }
  }

  /** Reads the state until it continues with the frames that have arrived. */
  async #readState(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    const query = { channel: this.channel };
    do {
      try {
        const { data } = await this.#api.GET('/v1/stream/state', { params: { query } });
        if (data) this.#resetTo(data);
      } catch (error) {
        if (error instanceof ParallaxError && error.status < 429) {
          this.#isReading = false;
          this.#end(error);
          this.#stream.disconnect();
          return;
        }
      }
      if (this.state.hasGap(this.channel)) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    } while (this.state.hasGap(this.channel) && this.#ended === null);
    this.#isReading = false;
  }

  #resetTo(state: Parameters<LiveState['resetTo']>[0] | { channel: string; epoch: string; offset: number }): void {
    const frames = this.state.resetTo({ markets: [], opportunities: [], ...state });
    const { channel, epoch, offset } = state;
    this.#push([{ type: 'state', channel, epoch, offset }, ...frames]);
    this.#settle.resolve();
  }

  #push(changes: readonly Change[]): void {
    this.#waiting.push(...changes);
    if (this.#waiting.length > MAX_WAITING) {
      this.#end(new Error(`The reader is ${this.#waiting.length} changes behind.`));
      this.#stream.disconnect();
    }
    this.#wake();
  }

  #end(error: unknown): void {
    this.#ended ??= { error };
    this.#settle.reject(error ?? new Error('The channel was closed.'));
    this.#wake();
  }
}

/** The WebSocket of a browser; under Node one that behaves like it. */
async function socketClass(): Promise<unknown> {
  return 'process' in globalThis ? (await import('./node_socket.ts')).NodeSocket : globalThis.WebSocket;
}

async function mint(api: Api): Promise<StreamTicket> {
  const { data } = await api.POST('/v1/stream/token');
  if (data === undefined) throw new Error('The service answered without a ticket.');
  return data;
}
