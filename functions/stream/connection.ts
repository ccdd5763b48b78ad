import { hashKey } from '../_shared/http/hash_key.ts';
import { errorWords } from '../_shared/pool/error_fields.ts';
import { type CloseReason, closeCodes } from './close_codes.ts';
import type { LogReader, PublicationLog } from './log_reader.ts';
import {
  type Command,
  connectReply,
  errorReply,
  ping,
  pingSeconds,
  readFrame,
  subscribePush,
  unsubscribePush,
} from './protocol.ts';
import type { AdmittedConnection, ChannelPosition } from './queries.ts';
import { recover } from './recovery.ts';
import { type Listener, Subscription } from './subscription.ts';

/** The socket as both runtimes have it. */
export type ClientSocket = {
  readonly bufferedAmount: number;
  send(text: string): void;
  close(code: number, reason: string): void;
};

/** What a connection needs of the hub. */
export type ConnectionHost = {
  readonly version: string;
  /** Missed publications are read from it. */
  readonly publicationLog: PublicationLog;
  readonly reader: LogReader;
  readonly log: (line: string) => void;
  admit(ticketHash: string, connection: Connection): Promise<AdmittedConnection | CloseReason>;
  /** Messages that a client was sent. */
  sent(messages: number): void;
  /** Another connection of the organization may take its slot. */
  releaseSlot(id: string): void;
  /** It is not served any more. */
  ended(connection: Connection): void;
  /** Its socket is gone. */
  gone(connection: Connection): void;
};

/** A client that has not taken so much is cut, whatever it hears: subscriptions stop giving long before. */
const mostBuffered = 4 * 1024 * 1024;
const connectMs = 10_000;
const pongMs = 10_000;
/** Commands a second that a client may go on sending, and at once. */
const commandsPerSecond = 20;
const commandsAtOnce = 200;

const ticketShape = /^st_[0-9A-Za-z]{32}$/;

/** One client: its commands, its subscriptions, its pings. */
export class Connection implements Listener {
  readonly id = crypto.randomUUID();
  readonly #socket: ClientSocket;
  readonly #host: ConnectionHost;
  readonly #subscriptions = new Map<string, Subscription>();
  #state: 'new' | 'connecting' | 'connected' | 'ended' = 'new';
  #orgId: string | null = null;
  /** Frames that came while the connect was being answered. */
  #early: Command[] = [];
  #tokens = commandsAtOnce;
  #filledAt = Date.now();
  readonly #openedAt = Date.now();
  #pingedAt = Date.now();
  #awaiting = false;

  constructor(socket: ClientSocket, host: ConnectionHost) {
    this.#socket = socket;
    this.#host = host;
  }

  get ended(): boolean {
    return this.#state === 'ended';
  }

  get isConnected(): boolean {
    return this.#state === 'connected';
  }

  /** Null until it is connected. */
  get orgId(): string | null {
    return this.#orgId;
  }

  get waiting(): number {
    return this.#socket.bufferedAmount;
  }

  /** Messages for the client. One that does not take what it is sent is cut. */
  send(...messages: readonly string[]): void {
    if (this.#state === 'ended') return;
    if (this.#socket.bufferedAmount > mostBuffered) {
      this.end('slow');
      return;
    }
    this.#host.sent(messages.length);
    try {
      for (const message of messages) this.#socket.send(message);
    } catch {
      // It went away just now; its close event follows.
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
    this.#early = [];
    for (const subscription of this.#subscriptions.values()) subscription.leave();
    this.#subscriptions.clear();
  }

  receive(frame: unknown): void {
    if (this.#state === 'ended') return;
    const commands = readFrame(frame);
    if (typeof commands === 'string') {
      this.end(commands);
      return;
    }
    if (!this.#mayGoOn(commands.length)) {
      this.end('flood');
      return;
    }
    this.#awaiting = false;
    for (const command of commands) this.#take(command);
  }

  #mayGoOn(commands: number): boolean {
    const now = Date.now();
    this.#tokens = Math.min(commandsAtOnce, this.#tokens + ((now - this.#filledAt) / 1000) * commandsPerSecond);
    this.#filledAt = now;
    this.#tokens -= commands;
    return this.#tokens >= 0;
  }

  #take(command: Command): void {
    if (this.#state === 'ended' || command.kind === 'pong') return;
    if (command.kind === 'connect') {
      if (this.#state === 'new') void this.#connect(command);
      else this.end('twice');
    } else if (this.#state === 'new') this.end('early');
    else if (this.#state === 'connecting') this.#early.push(command);
    else if (command.id !== null) this.send(errorReply(command.id, command.code, command.message));
  }

  async #connect({ id, ticket, places }: Extract<Command, { kind: 'connect' }>): Promise<void> {
    this.#state = 'connecting';
    if (!ticket || !ticketShape.test(ticket)) {
      this.end('ticket');
      return;
    }
    try {
      const admitted = await this.#host.admit(hashKey(ticket), this);
      if (typeof admitted === 'string') {
        this.end(admitted);
        return;
      }
      if (this.ended) {
        this.#host.releaseSlot(this.id);
        return;
      }
      this.#orgId = admitted.org_id;
      const { channels } = admitted;
      const opened = channels.map((stands) => ({
        stands,
        channel: this.#host.reader.channel(stands),
        place: places.get(stands.channel),
      }));
      const starts = await recover(opened, this.#host.publicationLog);
      if (this.ended) return;
      this.#state = 'connected';
      this.#pingedAt = Date.now();
      // From here to the last start nothing is awaited: no publication falls between what is told and what is heard.
      const told = starts.map((start) => start.told());
      this.send(connectReply(id, this.id, this.#host.version, told));
      for (const { channel, position } of starts)
        this.#subscribe(channel.name, new Subscription(channel, position(), this, this.#host.publicationLog));
      for (const command of this.#early.splice(0)) this.#take(command);
    } catch (error) {
      this.#host.log(`a connect failed: ${errorWords(error)}`);
      // It may have been made after all.
      this.#host.releaseSlot(this.id);
      this.end('database');
    }
  }

  #subscribe(name: string, subscription: Subscription): void {
    if (this.ended) return;
    this.#subscriptions.set(name, subscription);
    subscription.start();
  }

  get channels(): IterableIterator<string> {
    return this.#subscriptions.keys();
  }

  /** The plan has these channels no longer, and those as well. */
  change(without: readonly string[], added: readonly ChannelPosition[]): void {
    if (this.#state !== 'connected') return;
    for (const name of without) {
      this.#subscriptions.get(name)?.leave();
      this.#subscriptions.delete(name);
      this.send(unsubscribePush(name));
    }
    for (const stands of added) {
      const channel = this.#host.reader.channel(stands);
      const { name, epoch, offset } = channel;
      this.send(subscribePush(name, epoch, offset));
      this.#subscribe(name, new Subscription(channel, offset, this, this.#host.publicationLog));
    }
  }

  hears(channel: unknown): boolean {
    return [...this.#subscriptions.values()].some((subscription) => subscription.channel === channel);
  }

  /** Called every second. Pings the client, and ends the connection when it does not answer. */
  onTimer(now: number): void {
    if (this.#state === 'new' || this.#state === 'connecting') {
      if (now - this.#openedAt > connectMs) this.end(this.#state === 'new' ? 'mute' : 'database');
    } else if (this.#awaiting && now - this.#pingedAt > pongMs) this.end('silent');
    else if (now - this.#pingedAt >= pingSeconds * 1000) {
      this.#pingedAt = now;
      this.#awaiting = true;
      this.send(ping);
    }
  }
}
