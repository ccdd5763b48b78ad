import type { Book } from '../books/book.ts';
import type { BookGuard } from '../books/book_guard.ts';
import type { BookStore, InvalidReason } from '../books/book_store.ts';
import { chunks, type FeedRuntime } from './feed.ts';

/** One connection of a feed, as the audit uses it. */
export type AuditedConnection = {
  readonly contracts: ReadonlySet<string>;
  /**
   * Real time of the last change of this contract, epoch ms; 0 for never. A repeated book is not a
   * change.
   */
  lastChangeAt(contract: string): number;
  readonly guard: BookGuard;
  /**
   * The venue's hash of the book that this connection should hold, where the venue sends hashes.
   */
  hashOf?(contract: string): string | undefined;
  /** A message about this contract was lost. */
  onMessageLost?(contract: string): void;
  /** Subscribes to these contracts again over the same socket. */
  resubscribe(contracts: readonly string[]): void;
  /** Invalidates all books of the connection since its last message and opens another socket. */
  reconnect(reason: InvalidReason): void;
};

/** A book that REST returned. */
export type RestBook = { book: Book; hash?: string | undefined };

export type AuditOptions = {
  connection: AuditedConnection;
  store: BookStore;
  runtime: FeedRuntime;
  /**
   * Fetches books of at most `MAX_CONTRACTS` contracts from REST. Contracts that REST does not know
   * and books that cannot be parsed are left out.
   */
  fetchBooks(contracts: readonly string[]): Promise<Map<string, RestBook>>;
  quietMs: number;
  /** How often a busy book is compared too, where the venue sends hashes. */
  busyMs?: number;
  /** How many contracts one comparison has at most, where a venue bills each of them. */
  maxContracts?(): number;
};

/** A book is compared with REST when it has not changed for this long. */
export const QUIET_MS = 10_000;
/**
 * Books that were quiet for this share of the time join the request: one request for many contracts
 * instead of many requests.
 */
const BATCH_QUIET_SHARE = 0.75;
/**
 * A busy book is compared this often where the venue sends hashes. That costs a sixth of the
 * comparisons of quiet books.
 */
export const BUSY_MS = 60_000;
/** Contracts in one request to either venue. */
export const MAX_CONTRACTS = 100;
/**
 * A differing book is compared again after this time. REST may have been ahead by a message that
 * was on its way, so the book counts as frozen only if it still differs and did not change.
 */
const RECHECK_MS = 1_500;
/** A quarantined contract is compared this often. */
const QUARANTINE_CHECK_MS = 2_000;
/**
 * With this many frozen books at once the socket is dead, not a single subscription. Both were
 * observed (venues.md D).
 */
const DEAD_SOCKET_BOOKS = 3;
/**
 * A new subscription revives about half of the dead ones. After this many failed comparisons the
 * feed opens another socket.
 */
const MAX_TRIES = 4;
/**
 * Minimum time between two such sockets, because each one interrupts every other book of the
 * connection.
 */
const RECONNECT_INTERVAL_MS = 60_000;

/**
 * Finds out whether a quiet market is really quiet or its subscription is dead. Books that have not
 * changed for a while are compared with REST. A busy connection costs nothing, and one frozen book
 * among hundreds of live ones is found. A frozen book is valid again only when it equals the book
 * from REST: a new snapshot over the same dead subscription would repeat the old book.
 *
 * A venue without sequence numbers may lose a message below the best price of a busy book, and
 * nothing on the socket shows it. Where the venue sends a hash with each book, busy books are
 * compared too, less often. Two different books with the same hash mean that a message was lost.
 */
export class Audit {
  readonly #options: AuditOptions;
  readonly #checkedAt = new Map<string, number>();
  /** Contracts that differed once, with the real time of the request. */
  readonly #suspects = new Map<string, number>();
  readonly #tries = new Map<string, number>();
  #reconnectedAt = Number.NEGATIVE_INFINITY;
  #isRunning = false;

  constructor(options: AuditOptions) {
    this.#options = options;
  }

  /** A new socket sends new books, so all earlier findings are void. */
  onOpen(now: number): void {
    this.#checkedAt.clear();
    this.#suspects.clear();
    this.#tries.clear();
    for (const contract of this.#options.connection.contracts) this.#checkedAt.set(contract, now);
  }

  /** Contracts to compare now, those without a change for longest first. */
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
      const isUrgent = isQuarantined || isSuspect;
      const wait = isQuarantined ? QUARANTINE_CHECK_MS : isSuspect ? RECHECK_MS : quietMs;
      const since = isUrgent ? checked : Math.max(checked, connection.lastChangeAt(contract));
      const isBusyDue = now - checked >= busyMs;
      if (!isBusyDue && now - since < (isUrgent ? wait : wait * BATCH_QUIET_SHARE)) continue;
      if (isBusyDue || now - since >= wait) hasDue = true;
      // Suspects and quarantined contracts go before quiet ones.
      due.push({ contract, since: isUrgent ? 0 : since });
    }
    if (!hasDue) return [];
    due.sort((x, y) => x.since - y.since);
    return due.slice(0, this.#options.maxContracts?.() ?? MAX_CONTRACTS).map(({ contract }) => contract);
  }

  /** Compares what is due. Never rejects. Null when nothing is due or a comparison is running. */
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
      this.#options.runtime.log(`the audit could not fetch books: ${String(error)}`);
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
        runtime.log(`${store.venue}: a message about ${contract} was lost; its book is read again`);
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
      this.#options.runtime.log(`${store.venue}: the book of ${contract} equals REST again`);
      if (connection.guard.readmit(contract, at).length > 0) connection.resubscribe([contract]);
    } else store.confirmRead(contract, at);
  }

  #onFrozen(frozen: readonly string[]): void {
    const { connection, store, runtime } = this.#options;
    for (const contract of frozen) this.#suspects.delete(contract);
    const summary = `${frozen.length} books (${frozen[0]}) changed on REST and not on the socket`;
    if (frozen.length >= DEAD_SOCKET_BOOKS) {
      runtime.log(`${store.venue}: ${summary}; the feed opens another socket`);
      connection.reconnect('feed.frozen');
      return;
    }
    runtime.log(`${store.venue}: ${summary}; the feed subscribes to them again`);
    for (const contract of frozen) {
      const entry = store.get(contract);
      // Messages may be missing since the last read.
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
    runtime.log(`${store.venue}: the book of ${stuck[0]} still differs from REST; the feed opens another socket`);
    connection.reconnect('feed.frozen');
  }

  #firstCheck(contract: string, now: number): number {
    this.#checkedAt.set(contract, now);
    return now;
  }
}

/**
 * Runs the audits of a feed's connections in rotation, with a limited number of comparisons per
 * call. The rotation keeps connections with constant work from starving the others.
 */
export class AuditScheduler {
  #next = 0;

  run(
    connections: readonly { audit: Audit; socket: { readonly isOpen: boolean } }[],
    limit: number,
    now: number,
  ): void {
    let free = limit;
    for (let tried = 0; tried < connections.length && free > 0; tried += 1) {
      const connection = connections[this.#next++ % connections.length];
      if (connection?.socket.isOpen && connection.audit.run(now) !== null) free -= 1;
    }
  }
}
