import { Allowance } from '../_shared/allowance.ts';
import { hashKey } from '../_shared/http/hash_key.ts';
import { describeError } from '../_shared/pool/error_fields.ts';
import { isWellFormedTicket } from '../_shared/ticket.ts';
import { type CloseReason, closeCodes } from './close_codes.ts';
import type { LogReader, PublicationLog } from './log_reader.ts';
import {
  type Command,
  connectReply,
  errorReply,
  PING,
  PING_SECONDS,
  parseFrame,
  subscribePush,
  unsubscribePush,
} from './protocol.ts';
import type { AdmittedConnection, ChannelPosition } from './queries.ts';
import { recover } from './recovery.ts';
import { type MessageSink, Subscription } from './subscription.ts';

/** The WebSocket as both runtimes have it. */
export type ClientSocket = {
  readonly bufferedAmount: number;
  send(text: string): void;
  close(code: number, reason: string): void;
  /** Ends the TCP connection at once. Absent where the runtime cannot do it. */
  terminate?(): void;
};

/** The part of the hub that a connection uses. */
export type ConnectionHost = {
  readonly version: string;
  /** Missed publications are read from here. */
  readonly publicationLog: PublicationLog;
  readonly reader: LogReader;
  readonly log: (line: string) => void;
  admit(ticketHash: string, connection: Connection): Promise<AdmittedConnection | CloseReason>;
  /** Counts messages that were sent to a client. */
  sent(messages: number): void;
  /** Another connection of the organization may take its slot. */
  releaseSlot(id: string): void;
  /** The connection is not served any more. */
  ended(connection: Connection): void;
  /** The socket is gone. */
  gone(connection: Connection): void;
};

/**
 * The server ends a client with more unsent bytes than this. Subscriptions stop sending long
 * before.
 */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;
const CONNECT_TIMEOUT_MS = 10_000;
const PONG_TIMEOUT_MS = 10_000;
/** Rate and burst of the commands that a client may send. */
const COMMANDS_PER_SECOND = 20;
const MAX_COMMAND_BURST = 200;

/** One client: its commands, its subscriptions and its pings. */
export class Connection implements MessageSink {
  readonly id = crypto.randomUUID();
  readonly #socket: ClientSocket;
  readonly #host: ConnectionHost;
  readonly #subscriptions = new Map<string, Subscription>();
  #state: 'new' | 'connecting' | 'connected' | 'ended' = 'new';
  #orgId: string | null = null;
  /** Commands that arrived while the connect command was processed. */
  #queuedCommands: Command[] = [];
  readonly #commands = new Allowance(MAX_COMMAND_BURST, COMMANDS_PER_SECOND);
  readonly #openedAt = Date.now();
  #pingedAt = Date.now();
  #isAwaitingPong = false;

  constructor(socket: ClientSocket, host: ConnectionHost) {
    this.#socket = socket;
    this.#host = host;
  }

  get isEnded(): boolean {
    return this.#state === 'ended';
  }

  get isConnected(): boolean {
    return this.#state === 'connected';
  }

  /** Null until the client is connected. */
  get orgId(): string | null {
    return this.#orgId;
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  /** Sends messages. Ends a client that does not read what it was sent. */
  send(...messages: readonly string[]): void {
    if (this.#state === 'ended') return;
    if (this.#socket.bufferedAmount > MAX_BUFFERED_BYTES) {
      this.end('slow');
      return;
    }
    this.#host.sent(messages.length);
    try {
      for (const message of messages) this.#socket.send(message);
    } catch {
      // The socket went away just now; its close event follows.
      this.gone();
    }
  }

  /** Ends the connection from this side. */
  end(closeReason: CloseReason): void {
    if (this.#state === 'ended') return;
    this.#stop();
    const [code, reason] = closeCodes[closeReason];
    try {
      this.#socket.close(code, reason);
    } catch {
      // It is closed already.
    }
    this.#host.ended(this);
  }

  /** Ends the TCP connection of an ended client at once, where the runtime can. */
  cut(): void {
    if (!this.#socket.terminate) return;
    this.#socket.terminate();
    this.gone();
  }

  /** The socket is gone. */
  gone(): void {
    if (this.#state !== 'ended') {
      this.#stop();
      this.#host.ended(this);
    }
    this.#host.gone(this);
  }

  #stop(): void {
    this.#state = 'ended';
    this.#queuedCommands = [];
    for (const subscription of this.#subscriptions.values()) subscription.leave();
    this.#subscriptions.clear();
  }

  receive(frame: unknown): void {
    if (this.#state === 'ended') return;
    const commands = parseFrame(frame);
    if (typeof commands === 'string') {
      this.end(commands);
      return;
    }
    if (!this.#commands.take(commands.length)) {
      this.end('tooMany');
      return;
    }
    this.#isAwaitingPong = false;
    for (const command of commands) this.#handleCommand(command);
  }

  /** A ping or a pong of the WebSocket protocol arrived. It counts as a command. */
  receiveControl(): void {
    if (this.#state !== 'ended' && !this.#commands.take(1)) this.end('tooMany');
  }

  #handleCommand(command: Command): void {
    if (this.#state === 'ended' || command.kind === 'pong') return;
    if (command.kind === 'connect') {
      if (this.#state === 'new') void this.#connect(command);
      else this.end('alreadyConnected');
    } else if (this.#state === 'new') this.end('notConnected');
    else if (this.#state === 'connecting') this.#queuedCommands.push(command);
    else if (command.id !== null) this.send(errorReply(command.id, command.code, command.message));
  }

  async #connect({ id, ticket, positions }: Extract<Command, { kind: 'connect' }>): Promise<void> {
    this.#state = 'connecting';
    if (ticket === undefined || !isWellFormedTicket(ticket)) {
      this.end('ticket');
      return;
    }
    try {
      const admitted = await this.#host.admit(hashKey(ticket), this);
      if (typeof admitted === 'string') {
        this.end(admitted);
        return;
      }
      if (this.isEnded) {
        this.#host.releaseSlot(this.id);
        return;
      }
      this.#orgId = admitted.org_id;
      const { channels } = admitted;
      const requests = channels.map((current) => ({
        current,
        channel: this.#host.reader.channel(current),
        requested: positions.get(current.channel),
      }));
      const starts = await recover(requests, this.#host.publicationLog);
      if (this.isEnded) return;
      this.#state = 'connected';
      this.#pingedAt = Date.now();
      // Nothing is awaited from here to the last start, so no publication falls between the reply
      // and the live subscription.
      const subscribed = starts.map((start) => start.reply());
      this.send(connectReply(id, this.id, this.#host.version, subscribed));
      for (const { channel, position } of starts)
        this.#subscribe(channel.name, new Subscription(channel, position(), this, this.#host.publicationLog));
      for (const command of this.#queuedCommands.splice(0)) this.#handleCommand(command);
    } catch (error) {
      this.#host.log(`A connect command failed: ${describeError(error)}.`);
      // The database may have opened the connection before the error.
      this.#host.releaseSlot(this.id);
      this.end('database');
    }
  }

  #subscribe(name: string, subscription: Subscription): void {
    if (this.isEnded) return;
    this.#subscriptions.set(name, subscription);
    subscription.start();
  }

  get channels(): IterableIterator<string> {
    return this.#subscriptions.keys();
  }

  /**
   * Unsubscribes from the channels in `without` and subscribes to those in `added`, after a change
   * of the plan.
   */
  changeChannels(without: readonly string[], added: readonly ChannelPosition[]): void {
    if (this.#state !== 'connected') return;
    for (const name of without) {
      this.#subscriptions.get(name)?.leave();
      this.#subscriptions.delete(name);
      this.send(unsubscribePush(name));
    }
    for (const current of added) {
      const channel = this.#host.reader.channel(current);
      const { name, epoch, offset } = channel;
      this.send(subscribePush(name, epoch, offset));
      this.#subscribe(name, new Subscription(channel, offset, this, this.#host.publicationLog));
    }
  }

  isSubscribedTo(channel: unknown): boolean {
    return [...this.#subscriptions.values()].some((subscription) => subscription.channel === channel);
  }

  /** Called every second. Pings the client, and ends the connection when it does not answer. */
  onTimer(now: number): void {
    if (this.#state === 'new' || this.#state === 'connecting') {
      if (now - this.#openedAt > CONNECT_TIMEOUT_MS) this.end(this.#state === 'new' ? 'noConnect' : 'database');
    } else if (this.#isAwaitingPong && now - this.#pingedAt > PONG_TIMEOUT_MS) this.end('silent');
    else if (now - this.#pingedAt >= PING_SECONDS * 1000) {
      this.#pingedAt = now;
      this.#isAwaitingPong = true;
      this.send(PING);
    }
  }
}
