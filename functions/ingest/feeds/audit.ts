import type { Book } from '../books/book.ts';
import type { BookGuard } from '../books/book_guard.ts';
import type { BookStore, InvalidReason } from '../books/book_store.ts';
import { chunks, type FeedRuntime } from './feed.ts';

/** One line of a feed as the audit sees it. */
export type AuditedConnection = {
  readonly contracts: ReadonlySet<string>;
  /** When something new was last said of this contract, real ms; 0 for never. A book that is repeated says nothing new. */
  lastChangeAt(contract: string): number;
  readonly guard: BookGuard;
  /** What the venue calls the book that we should hold, where it names books. */
  hashOf?(contract: string): string | undefined;
  /** A message about this contract never came. */
  onMessageLost?(contract: string): void;
  /** Asks the venue for these contracts anew, over the same socket. */
  resubscribe(contracts: readonly string[]): void;
  /** The socket itself is dead to us: doubt all of it since its last word and open another. */
  reconnect(reason: InvalidReason): void;
};

/** A book as REST gives it. */
export type RestBook = { book: Book; hash?: string | undefined };

export type AuditOptions = {
  connection: AuditedConnection;
  store: BookStore;
  runtime: FeedRuntime;
  /** Books of at most `MOST` contracts as REST gives them; what it does not know or cannot be read is left out. */
  fetchBooks(contracts: readonly string[]): Promise<Map<string, RestBook>>;
  quietMs: number;
  /** Where the venue names its books: how often a busy one is compared too. */
  busyMs?: number;
};

/** Silence of one contract after which its book is compared with REST. */
export const QUIET_MS = 10_000;
/** Whatever has been quiet for this part of it goes along: one request for many instead of many for one each. */
const BATCH_QUIET_SHARE = 0.75;
/** A busy book is compared this often where the venue names its books: a sixth of what the quiet ones cost. */
export const BUSY_MS = 60_000;
/** Contracts in one request to either venue. */
export const MAX_CONTRACTS = 100;
/** REST may have been ahead by a message that was under way: it must still differ after this, with nothing said. */
const RECHECK_MS = 1_500;
/** A contract that is set apart is compared this often. */
const QUARANTINE_CHECK_MS = 2_000;
/** So many frozen at once, and it is the socket and not a subscription (venues.md D: both were seen). */
const DEAD_SOCKET_BOOKS = 3;
/** Asking anew rescues about half of the dead subscriptions; after so many comparisons in vain another socket is opened … */
const MAX_TRIES = 4;
/** … but not more often than this, since it costs every other book of the line a moment. */
const RECONNECT_INTERVAL_MS = 60_000;

/**
 * Is a market quiet, or is its subscription dead? REST knows. Contracts of which nothing was heard are compared, so a busy line costs
 * nothing and one frozen book among hundreds of live ones is found. A frozen book is believed again only when it agrees with REST:
 * a new snapshot over the same dead subscription would bring the same old book.
 *
 * A venue without sequence numbers may lose a message about a busy book below its best price, and nothing on the socket shows it. Where
 * the venue names books by a hash, busy ones are compared too, seldom: two books of one name that differ mean that something never came.
 */
export class Audit {
  readonly #options: AuditOptions;
  readonly #checkedAt = new Map<string, number>();
  /** Contracts that differed once, and since when. */
  readonly #suspects = new Map<string, number>();
  readonly #tries = new Map<string, number>();
  #reconnectedAt = Number.NEGATIVE_INFINITY;
  #isRunning = false;

  constructor(options: AuditOptions) {
    this.#options = options;
  }

  /** The socket was opened: its books are new. */
  onOpen(now: number): void {
    this.#checkedAt.clear();
    this.#suspects.clear();
    this.#tries.clear();
    for (const contract of this.#options.connection.contracts) this.#checkedAt.set(contract, now);
  }

  /** What to compare now, longest unheard first. */
  due(now: number): string[] {
    const { connection, store, quietMs } = this.#options;
    const busyMs = connection.hashOf ? (this.#options.busyMs ?? BUSY_MS) : Number.POSITIVE_INFINITY;
    const due: { contract: string; since: number }[] = [];
    let hasDue = false;
    if (this.#checkedAt.size > 2 * connection.contracts.size + MAX_CONTRACTS) this.onOpen(now);
    for (const contract of connection.contracts) {
      const checked = this.#checkedAt.get(contract) ?? this.#firstCheck(contract, now);
      const isSuspect = this.#suspects.has(contract);
      const isQuarantined = connection.guard.isQuarantined(contract) && connection.guard.isValidButSuspended(contract);
      if (!isQuarantined && store.get(contract)?.invalidReason !== null) {
        this.#suspects.delete(contract);
        continue;
      }
      const urgent = isQuarantined || isSuspect;
      const wait = isQuarantined ? QUARANTINE_CHECK_MS : isSuspect ? RECHECK_MS : quietMs;
      const since = urgent ? checked : Math.max(checked, connection.lastChangeAt(contract));
      const isBusyDue = now - checked >= busyMs;
      if (!isBusyDue && now - since < (urgent ? wait : wait * BATCH_QUIET_SHARE)) continue;
      if (isBusyDue || now - since >= wait) hasDue = true;
      // What is suspected or set apart goes before what is merely quiet.
      due.push({ contract, since: urgent ? 0 : since });
    }
    if (!hasDue) return [];
    due.sort((x, y) => x.since - y.since);
    return due.slice(0, MAX_CONTRACTS).map(({ contract }) => contract);
  }

  /** Compares what is due; never rejects. Null where nothing is, or a comparison is under way. */
  run(now: number): Promise<void> | null {
    const due = this.#isRunning ? [] : this.due(now);
    return due.length > 0 ? this.#compare(due, now) : null;
  }

  async #compare(due: readonly string[], now: number): Promise<void> {
    this.#isRunning = true;
    try {
      for (const part of chunks(due, MAX_CONTRACTS)) {
        const requestedAt = this.#options.runtime.now();
        const books = await this.#options.fetchBooks(part);
        this.#evaluate(books, requestedAt);
      }
    } catch (error) {
      this.#options.runtime.log(`books could not be compared: ${String(error)}`);
    } finally {
      for (const contract of due) this.#checkedAt.set(contract, now);
      this.#isRunning = false;
    }
  }

  #evaluate(books: Map<string, RestBook>, requestedAt: number): void {
    const { connection, store, runtime } = this.#options;
    const at = runtime.marketNow();
    const frozen: string[] = [];
    for (const [contract, { book, hash }] of books) {
      const ownBook = store.get(contract)?.book;
      const isQuarantined = connection.guard.isQuarantined(contract);
      if (!ownBook || !connection.contracts.has(contract)) continue;
      if (ownBook.equals(book)) this.#onMatch(contract, at);
      else if (isQuarantined) this.#tries.set(contract, (this.#tries.get(contract) ?? 0) + 1);
      else if (hash !== undefined && connection.hashOf?.(contract) === hash) {
        this.#suspects.delete(contract);
        runtime.log(`${store.venue}: ${contract} lost a message`);
        connection.onMessageLost?.(contract);
      } else if (connection.lastChangeAt(contract) >= (this.#suspects.get(contract) ?? requestedAt))
        this.#suspects.delete(contract);
      else if (this.#suspects.has(contract)) frozen.push(contract);
      else this.#suspects.set(contract, requestedAt);
    }
    if (frozen.length > 0) this.#onFrozen(frozen);
    else this.#reconnectIfStuck();
  }

  #onMatch(contract: string, at: number): void {
    const { connection, store } = this.#options;
    this.#suspects.delete(contract);
    this.#tries.delete(contract);
    if (connection.guard.isQuarantined(contract)) {
      this.#options.runtime.log(`${contract} agrees with REST again`);
      if (connection.guard.readmit(contract, at).length > 0) connection.resubscribe([contract]);
    } else store.confirmRead(contract, at);
  }

  #onFrozen(frozen: readonly string[]): void {
    const { connection, store, runtime } = this.#options;
    for (const contract of frozen) this.#suspects.delete(contract);
    const summary = `${frozen.length} books (${frozen[0]}) moved on REST while the socket said nothing of them`;
    if (frozen.length >= DEAD_SOCKET_BOOKS) {
      runtime.log(`${store.venue}: ${summary}: another socket`);
      connection.reconnect('feed.frozen');
      return;
    }
    runtime.log(`${store.venue}: ${summary}: asked for anew`);
    for (const contract of frozen) {
      const entry = store.get(contract);
      // Since it was last read nobody knows what was left out.
      connection.guard.quarantine(contract, 'feed.frozen', entry?.readAt ?? runtime.marketNow());
    }
    connection.resubscribe(frozen);
  }

  #reconnectIfStuck(): void {
    const { connection, runtime, store } = this.#options;
    const now = runtime.now();
    const stuck = [...this.#tries].find(([, tries]) => tries >= MAX_TRIES);
    if (!stuck || now - this.#reconnectedAt < RECONNECT_INTERVAL_MS) return;
    this.#reconnectedAt = now;
    runtime.log(`${store.venue}: ${stuck[0]} still differs from REST: another socket`);
    connection.reconnect('feed.frozen');
  }

  #firstCheck(contract: string, now: number): number {
    this.#checkedAt.set(contract, now);
    return now;
  }
}

/** The lines of one feed in turns, so many comparisons at a time: none waits because the ones before it always have something to ask. */
export class AuditScheduler {
  #next = 0;

  run(
    connections: readonly { audit: Audit; socket: { readonly isOpen: boolean } }[],
    limit: number,
    now: number,
  ): void {
    let free = limit;
    for (let requestedAt = 0; requestedAt < connections.length && free > 0; requestedAt += 1) {
      const connection = connections[this.#next++ % connections.length];
      if (connection?.socket.isOpen && connection.audit.run(now) !== null) free -= 1;
    }
  }
}
