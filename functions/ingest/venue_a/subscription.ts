import type { Shelf } from '../books/book_store.ts';
import { chunks } from '../feeds/feed.ts';

/** Tickers named in one command. */
const MOST_IN_COMMAND = 100;
/** A snapshot that did not come for this long is asked for again. */
const OVERDUE_MS = 10_000;
/** A snapshot of a book that could not be used is asked for again after this: not at once, or two fools would go round in a circle. */
const LATER_MS = 2_000;
const MOST_TRIES = 3;
/** A market that the venue does not know may be seconds old: read models are eventually consistent. */
const UNKNOWN_MS = 60_000;

export type CommandKind = 'subscribe' | 'add' | 'delete' | 'snapshot';
export type Command = { kind: CommandKind; tickers: string[]; sentAt: number; tries: number };

export type SubscriptionOut = {
  send(command: unknown): void;
  /** Hang up and begin anew. */
  restart(why: string): void;
};

const ACTIONS = { add: 'add_markets', delete: 'delete_markets', snapshot: 'get_snapshot' } as const;

/**
 * What was asked of venue_a on one socket and what is still owed: the first command subscribes, the rest is added to the same sid.
 * Whether a command worked shows by the snapshots that it brings, not by its acknowledgement.
 */
export class Subscription {
  private readonly shelf: Shelf;
  private readonly out: SubscriptionOut;
  private readonly useYesPrice: boolean;
  readonly tickers = new Set<string>();
  /** Tickers whose next word must be a snapshot, and since when (real ms). */
  readonly awaiting = new Map<string, number>();
  private readonly unknown = new Map<string, number>();
  private readonly commands = new Map<number, Command>();
  private nextId = 1;
  private lateRounds = 0;
  private connected = false;
  sid: number | null = null;
  now = 0;

  constructor(shelf: Shelf, out: SubscriptionOut, useYesPrice: boolean) {
    this.shelf = shelf;
    this.out = out;
    this.useYesPrice = useYesPrice;
  }

  opened(): void {
    this.connected = true;
    this.sid = null;
    this.lateRounds = 0;
    this.commands.clear();
    this.awaiting.clear();
    this.unknown.clear();
    this.begin(this.known());
  }

  closed(): void {
    this.connected = false;
  }

  want(tickers: readonly string[]): void {
    const fresh = tickers.filter((ticker) => !this.tickers.has(ticker));
    for (const ticker of fresh) this.tickers.add(ticker);
    if (!this.connected || fresh.length === 0) return;
    if (this.sid !== null) this.ask('add', fresh);
    else if (![...this.commands.values()].some((command) => command.kind === 'subscribe')) this.begin(this.known());
  }

  leave(tickers: readonly string[]): void {
    const known = tickers.filter((ticker) => this.tickers.delete(ticker));
    for (const ticker of known) {
      this.awaiting.delete(ticker);
      this.unknown.delete(ticker);
    }
    if (this.connected && this.sid !== null && known.length > 0) this.ask('delete', known);
  }

  /** A command whose answer is a sign of life and takes no number of the sequence. */
  ping(): string {
    return JSON.stringify({ id: this.nextId++, cmd: 'list_subscriptions' });
  }

  /** The subscription has its number: what was not named in the first command is added. Returns whether the number is new. */
  began(sid: number, id: number | undefined): boolean {
    this.answered(id);
    if (this.sid === sid) return false;
    this.sid = sid;
    this.ask(
      'add',
      this.known().filter((ticker) => !this.awaiting.has(ticker) && this.shelf.get(ticker)?.doubt !== null),
    );
    return true;
  }

  answered(id: number | undefined): Command | undefined {
    if (id === undefined) return undefined;
    const command = this.commands.get(id);
    this.commands.delete(id);
    return command;
  }

  /** Nothing that is said of these tickers counts until their next snapshot. */
  resync(tickers: readonly string[]): void {
    if (this.sid !== null) this.ask('snapshot', tickers);
  }

  /** The same, a little later. */
  resyncLater(ticker: string): void {
    this.awaiting.set(ticker, this.now - OVERDUE_MS + LATER_MS);
  }

  tick(): void {
    if (!this.connected) return;
    for (const [id, command] of this.commands) {
      if (this.now - command.sentAt < OVERDUE_MS) continue;
      this.commands.delete(id);
      if (command.kind === 'subscribe' && this.sid === null) this.begin(this.known());
    }
    for (const [ticker, since] of this.unknown) {
      if (this.now - since < UNKNOWN_MS) continue;
      this.unknown.delete(ticker);
      if (this.sid !== null) this.ask('add', [ticker]);
    }
    const late = [...this.awaiting].filter(([, since]) => this.now - since >= OVERDUE_MS).map(([ticker]) => ticker);
    if (late.length === 0) return;
    const lost = late.some(
      (ticker) => !['book.unreadable', 'book.crossed'].includes(this.shelf.get(ticker)?.doubt ?? ''),
    );
    this.lateRounds = lost ? this.lateRounds + 1 : 0;
    if (this.lateRounds > MOST_TRIES) this.out.restart(`${late.length} snapshots did not come`);
    else if (this.sid === null) this.begin(this.known());
    else this.ask(this.lateRounds % 2 === 0 ? 'snapshot' : 'add', late);
  }

  snapshotCame(ticker: string): void {
    this.awaiting.delete(ticker);
    this.lateRounds = 0;
  }

  retry(command: Command, why: string): void {
    if (command.tries >= MOST_TRIES) {
      this.out.restart(`${command.kind}: ${why}, ${command.tries} times`);
      return;
    }
    const tickers = command.tickers.filter((ticker) => command.kind === 'delete' || this.tickers.has(ticker));
    this.ask(command.kind, tickers, command.tries + 1);
  }

  /**
   * A market that the venue does not know. Where it is named, the rest of its command stands or is asked for again when its snapshots are
   * late; where it is not, halves of the command find it. Returns the ticker, once it is found.
   */
  refusedAsUnknown(command: Command | undefined, named: string | undefined): string | null {
    const kind = command?.kind;
    const tickers = command?.tickers ?? [];
    const bad = named ?? (tickers.length === 1 ? tickers[0] : undefined);
    if (bad !== undefined) {
      this.awaiting.delete(bad);
      if (!this.tickers.has(bad) || kind === 'delete') return null;
      this.unknown.set(bad, this.now);
      if (kind === 'subscribe' && tickers.length === 1) this.begin(this.known());
      return bad;
    }
    if (!kind || kind === 'delete') return null;
    const half = Math.ceil(tickers.length / 2);
    this.ask(kind, tickers.slice(0, half));
    // While no subscription stands, the other half goes along when it does (`began` adds what nobody waits for).
    if (kind === 'subscribe') for (const ticker of tickers.slice(half)) this.awaiting.delete(ticker);
    else this.ask(kind, tickers.slice(half));
    return null;
  }

  private known(): string[] {
    return [...this.tickers].filter((ticker) => !this.unknown.has(ticker));
  }

  private begin(tickers: readonly string[]): void {
    this.ask('subscribe', tickers.slice(0, MOST_IN_COMMAND));
  }

  private ask(kind: CommandKind, tickers: readonly string[], tries = 1): void {
    for (const part of chunks(tickers, MOST_IN_COMMAND)) {
      const id = this.nextId++;
      this.commands.set(id, { kind, tickers: part, sentAt: this.now, tries });
      if (kind !== 'delete') for (const ticker of part) this.awaiting.set(ticker, this.now);
      const params =
        kind === 'subscribe'
          ? { channels: ['orderbook_delta'], market_tickers: part, use_yes_price: this.useYesPrice }
          : { sids: [this.sid], action: ACTIONS[kind], market_tickers: part };
      this.out.send({ id, cmd: kind === 'subscribe' ? 'subscribe' : 'update_subscription', params });
    }
  }
}
