import type { BookStore } from '../books/book_store.ts';
import { chunks } from '../feeds/feed.ts';

/** Tickers per command. */
const MAX_TICKERS_PER_COMMAND = 100;
/** A missing snapshot is requested again after this time. */
const OVERDUE_MS = 10_000;
/**
 * An unusable book is requested again after this time. An immediate request could loop with a venue
 * that repeats the same book.
 */
const RETRY_MS = 2_000;
const MAX_TRIES = 3;
/**
 * An unknown market is subscribed again after this time. It may be seconds old, because the venue's
 * read models are eventually consistent.
 */
const UNKNOWN_MS = 60_000;
/**
 * The venue limits the commands of a subscription and states no number (error 27). Commands then
 * wait, longer each time, and go out one by one until all are sent.
 */
const FIRST_RATE_WAIT_MS = 2_000;
const MAX_RATE_WAIT_MS = 30_000;
const COMMAND_GAP_MS = 1_000;

export type CommandKind = 'subscribe' | 'add' | 'delete' | 'snapshot';
export type Command = { kind: CommandKind; tickers: string[]; sentAt: number; tries: number };

export type SubscriptionOutput = {
  send(command: unknown): void;
  /** Closes the connection and opens a new one. */
  reconnect(reason: string): void;
};

const ACTIONS = { add: 'add_markets', delete: 'delete_markets', snapshot: 'get_snapshot' } as const;

/**
 * The commands to venue_a on one socket and the snapshots that are outstanding. The first command
 * subscribes, later ones add tickers to the same sid. The snapshots prove that a command worked;
 * its acknowledgement does not.
 */
export class Subscription {
  readonly #store: BookStore;
  readonly #output: SubscriptionOutput;
  readonly #useYesPrice: boolean;
  readonly tickers = new Set<string>();
  /** Tickers that wait for a snapshot, and since when (real ms). */
  readonly awaiting = new Map<string, number>();
  readonly #unknownSince = new Map<string, number>();
  readonly #commands = new Map<number, Command>();
  /** Commands that wait after error 27. */
  readonly #waiting: Pick<Command, 'kind' | 'tickers' | 'tries'>[] = [];
  /** Real time from which the next of them may be sent, and the end of the last wait. */
  #sendAt = 0;
  #waitEndsAt = 0;
  #rateWaitMs = FIRST_RATE_WAIT_MS;
  #nextId = 1;
  #lateRounds = 0;
  #isConnected = false;
  sid: number | null = null;
  now = 0;

  constructor(store: BookStore, output: SubscriptionOutput, useYesPrice: boolean) {
    this.#store = store;
    this.#output = output;
    this.#useYesPrice = useYesPrice;
  }

  onOpen(): void {
    this.#isConnected = true;
    this.sid = null;
    this.#lateRounds = 0;
    this.#commands.clear();
    this.#waiting.length = 0;
    this.#sendAt = 0;
    this.#waitEndsAt = 0;
    this.awaiting.clear();
    this.#unknownSince.clear();
    this.#sendSubscribe(this.#knownTickers());
  }

  onClose(): void {
    this.#isConnected = false;
  }

  subscribe(tickers: readonly string[]): void {
    const added = tickers.filter((ticker) => !this.tickers.has(ticker));
    for (const ticker of added) this.tickers.add(ticker);
    if (!this.#isConnected || added.length === 0) return;
    if (this.sid !== null) this.#request('add', added);
    else if (![...this.#commands.values(), ...this.#waiting].some((command) => command.kind === 'subscribe'))
      this.#sendSubscribe(this.#knownTickers());
  }

  unsubscribe(tickers: readonly string[]): void {
    const known = this.#drop(tickers);
    if (this.#isConnected && this.sid !== null && known.length > 0) this.#request('delete', known);
  }

  /** A command whose response is a sign of life and takes no number of the sequence. */
  ping(): string {
    return JSON.stringify({ id: this.#nextId++, cmd: 'list_subscriptions' });
  }

  /**
   * The venue confirmed the subscription. Adds the tickers that were not in the first command.
   * Returns whether the sid is new.
   */
  onSubscribed(sid: number, id: number | undefined): boolean {
    this.onExecuted(id);
    if (this.sid === sid) return false;
    this.sid = sid;
    this.#request(
      'add',
      this.#knownTickers().filter(
        (ticker) => !this.awaiting.has(ticker) && this.#store.get(ticker)?.invalidReason !== null,
      ),
    );
    return true;
  }

  takeCommand(id: number | undefined): Command | undefined {
    if (id === undefined) return undefined;
    const command = this.#commands.get(id);
    this.#commands.delete(id);
    return command;
  }

  /** Requests snapshots. Messages about these tickers are ignored until their snapshot. */
  resync(tickers: readonly string[]): void {
    if (this.sid !== null) this.#request('snapshot', tickers);
  }

  /** Requests a snapshot after a short delay. */
  resyncLater(ticker: string): void {
    this.awaiting.set(ticker, this.now - OVERDUE_MS + RETRY_MS);
  }

  onTimer(): void {
    if (!this.#isConnected) return;
    this.#sendWaiting();
    for (const [id, command] of this.#commands) {
      if (this.now - command.sentAt < OVERDUE_MS) continue;
      this.#commands.delete(id);
      if (command.kind === 'subscribe' && this.sid === null) this.#sendSubscribe(this.#knownTickers());
    }
    for (const [ticker, since] of this.#unknownSince) {
      if (this.now - since < UNKNOWN_MS) continue;
      this.#unknownSince.delete(ticker);
      if (this.sid !== null) this.#request('add', [ticker]);
    }
    const overdue = [...this.awaiting].filter(([, since]) => this.now - since >= OVERDUE_MS).map(([ticker]) => ticker);
    if (overdue.length === 0) return;
    const hasLost = overdue.some(
      (ticker) => !['book.unreadable', 'book.crossed'].includes(this.#store.get(ticker)?.invalidReason ?? ''),
    );
    this.#lateRounds = hasLost ? this.#lateRounds + 1 : 0;
    if (this.#lateRounds > MAX_TRIES) this.#output.reconnect(`${overdue.length} snapshots are overdue`);
    else if (this.sid === null) this.#sendSubscribe(this.#knownTickers());
    else this.#request(this.#lateRounds % 2 === 0 ? 'snapshot' : 'add', overdue);
  }

  onSnapshot(ticker: string): void {
    this.awaiting.delete(ticker);
    this.#lateRounds = 0;
  }

  /** The venue executed a command. */
  onExecuted(id: number | undefined): void {
    if (this.takeCommand(id) && this.#waiting.length === 0) this.#rateWaitMs = FIRST_RATE_WAIT_MS;
  }

  /** Error 27, too many commands. The command waits and is sent again. */
  onCommandRate(command: Command | undefined): void {
    if (command) this.#waiting.unshift({ kind: command.kind, tickers: command.tickers, tries: command.tries });
    // Several commands that were sent together fail together.
    if (this.now < this.#waitEndsAt) return;
    this.#waitEndsAt = this.now + this.#rateWaitMs;
    this.#sendAt = this.#waitEndsAt;
    this.#rateWaitMs = Math.min(MAX_RATE_WAIT_MS, this.#rateWaitMs * 2);
  }

  /**
   * Error 26, the subscription takes no more markets. Drops the tickers that it did not take and
   * returns them with the number that it takes. Null when the command adds no markets, or a single
   * one is too many.
   */
  onMarketLimit(command: Command | undefined): { dropped: string[]; limit: number } | null {
    if (command?.kind === 'add') {
      const dropped = this.#drop(command.tickers);
      const pending = [...this.#commands.values(), ...this.#waiting].filter(({ kind }) => kind === 'add');
      const taken = this.tickers.size - pending.reduce((sum, { tickers }) => sum + tickers.length, 0);
      return { dropped, limit: Math.max(1, taken) };
    }
    if (command?.kind !== 'subscribe' || command.tickers.length < 2) return null;
    // The venue states no number, so the first command is halved until it is taken.
    const kept = new Set(command.tickers.slice(0, Math.floor(command.tickers.length / 2)));
    const dropped = this.#drop([...this.tickers].filter((ticker) => !kept.has(ticker)));
    this.#sendSubscribe([...kept]);
    return { dropped, limit: kept.size };
  }

  retry(command: Command, reason: string): void {
    if (command.tries >= MAX_TRIES) {
      this.#output.reconnect(`${command.kind}: ${reason}, ${command.tries} times`);
      return;
    }
    const tickers = command.tickers.filter((ticker) => command.kind === 'delete' || this.tickers.has(ticker));
    this.#request(command.kind, tickers, command.tries + 1);
  }

  /**
   * Handles error 16, an unknown market. If the error names it, the other tickers of the command
   * are subscribed, or requested again when their snapshots are overdue. If not, the command is
   * sent again in two halves until the ticker is found. Returns the ticker once it is known.
   */
  onUnknownMarket(command: Command | undefined, named: string | undefined): string | null {
    const kind = command?.kind;
    const tickers = command?.tickers ?? [];
    const unknown = named ?? (tickers.length === 1 ? tickers[0] : undefined);
    if (unknown !== undefined) {
      this.awaiting.delete(unknown);
      if (!this.tickers.has(unknown) || kind === 'delete') return null;
      this.#unknownSince.set(unknown, this.now);
      if (kind === 'subscribe' && tickers.length === 1) this.#sendSubscribe(this.#knownTickers());
      return unknown;
    }
    if (!kind || kind === 'delete') return null;
    const half = Math.ceil(tickers.length / 2);
    this.#request(kind, tickers.slice(0, half));
    // Without a subscription the other half is sent later: `onSubscribed` adds all tickers that
    // await no snapshot.
    if (kind === 'subscribe') for (const ticker of tickers.slice(half)) this.awaiting.delete(ticker);
    else this.#request(kind, tickers.slice(half));
    return null;
  }

  #knownTickers(): string[] {
    return [...this.tickers].filter((ticker) => !this.#unknownSince.has(ticker));
  }

  #sendSubscribe(tickers: readonly string[]): void {
    this.#request('subscribe', tickers.slice(0, MAX_TICKERS_PER_COMMAND));
  }

  #request(kind: CommandKind, tickers: readonly string[], tries = 1): void {
    for (const part of chunks(tickers, MAX_TICKERS_PER_COMMAND)) {
      if (kind !== 'delete') for (const ticker of part) this.awaiting.set(ticker, this.now);
      const mustWait = this.#waiting.length > 0 || this.now < this.#sendAt;
      if (mustWait) this.#waiting.push({ kind, tickers: part, tries });
      else this.#send(kind, part, tries);
    }
  }

  #send(kind: CommandKind, tickers: string[], tries: number): void {
    const id = this.#nextId++;
    this.#commands.set(id, { kind, tickers, sentAt: this.now, tries });
    const params =
      kind === 'subscribe'
        ? { channels: ['orderbook_delta'], market_tickers: tickers, use_yes_price: this.#useYesPrice }
        : { sids: [this.sid], action: ACTIONS[kind], market_tickers: tickers };
    this.#output.send({ id, cmd: kind === 'subscribe' ? 'subscribe' : 'update_subscription', params });
  }

  /** Sends the next command that waits. Until all are sent, their snapshots are not overdue. */
  #sendWaiting(): void {
    for (const { kind, tickers } of this.#waiting)
      if (kind !== 'delete')
        for (const ticker of tickers) if (this.awaiting.has(ticker)) this.awaiting.set(ticker, this.now);
    if (this.now < this.#sendAt) return;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const { kind, tries } = next;
      const tickers = next.tickers.filter((ticker) => kind === 'delete' || this.tickers.has(ticker));
      if (tickers.length === 0) continue;
      this.#sendAt = this.now + COMMAND_GAP_MS;
      this.#send(kind, tickers, tries);
      return;
    }
  }

  #drop(tickers: readonly string[]): string[] {
    const dropped = tickers.filter((ticker) => this.tickers.delete(ticker));
    for (const ticker of dropped) {
      this.awaiting.delete(ticker);
      this.#unknownSince.delete(ticker);
    }
    return dropped;
  }
}
