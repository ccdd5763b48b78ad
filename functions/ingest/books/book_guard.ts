import type { Book } from './book.ts';
import type { BookStore, InvalidReason } from './book_store.ts';

/**
 * Reasons that concern a whole connection or venue, most severe first. When several apply, the
 * first one is published.
 */
const BY_SEVERITY: readonly InvalidReason[] = [
  'venue.paused',
  'venue.post_only',
  'venue.silent',
  'venue.disconnected',
  'feed.late',
  'book.scale',
];

/**
 * A provisional suspension does not invalidate a book that has no data yet. `covers`: which
 * contracts are suspended; null for all.
 */
type Suspension = { isProvisional: boolean; covers: ((contract: string) => boolean) | null };

/**
 * Suspends and restores the books of one connection. All books of a connection are suspended while
 * a venue is paused, in post-only mode or late, or while the NO price scale is unknown. Some of
 * them are suspended while a part of the venue is paused. One contract is quarantined while its
 * subscription is dead. Messages still update a suspended book, so it needs no new snapshot when
 * the suspension ends.
 */
export class BookGuard {
  readonly #store: BookStore;
  readonly #contracts: () => Iterable<string>;
  readonly #suspensions = new Map<InvalidReason, Suspension>();
  readonly #quarantined = new Map<string, InvalidReason>();
  /** Books that are valid except for the suspension. */
  readonly #validWhileSuspended = new Set<string>();

  constructor(store: BookStore, contracts: () => Iterable<string>) {
    this.#store = store;
    this.#contracts = contracts;
  }

  /**
   * Replaces a book. `venueTime` is the venue's timestamp of the message. Returns false when the
   * book itself is invalid (crossed). That check waits until no suspension applies.
   */
  replace(contract: string, book: Book, at: number, venueTime: number | null = null): boolean {
    if (!this.#isBookSuspended(contract)) return this.#store.replace(contract, book, at, venueTime);
    const entry = this.#store.get(contract);
    if (!entry) return false;
    entry.book = book;
    this.#store.setTimes(contract, at, venueTime);
    return this.#keepSuspended(contract, at);
  }

  /** Marks a book that was changed in place. */
  markUpdated(contract: string, at: number, venueTime: number | null = null): boolean {
    if (!this.#isBookSuspended(contract)) return this.#store.markUpdated(contract, at, venueTime);
    this.#store.setTimes(contract, at, venueTime);
    return this.#validWhileSuspended.has(contract) ? this.#keepSuspended(contract, at) : false;
  }

  invalidate(contract: string, reason: InvalidReason, at: number): void {
    this.#validWhileSuspended.delete(contract);
    this.#store.invalidate(contract, reason, at);
  }

  /** Whether the book is valid except for a suspension. */
  isValidButSuspended(contract: string): boolean {
    return this.#validWhileSuspended.has(contract);
  }

  isSuspended(reason: InvalidReason): boolean {
    return this.#suspensions.has(reason);
  }

  /**
   * Invalidates all books of the connection from `at` on. A provisional suspension invalidates
   * nothing: books that are not yet valid stay unpublished until the reason is confirmed.
   */
  suspend(reason: InvalidReason, at: number, isProvisional = false): void {
    this.#suspensions.set(reason, { isProvisional, covers: null });
    if (!isProvisional) this.#invalidateSuspended(reason, at);
  }

  /**
   * Suspends the contracts that `covers` selects and ends this suspension for the others. The
   * caller calls it again when the answer of `covers` may have changed. Returns the contracts whose
   * books are invalid although no suspension applies to them any more.
   */
  suspendSome(reason: InvalidReason, at: number, covers: (contract: string) => boolean): string[] {
    this.#suspensions.set(reason, { isProvisional: false, covers });
    this.#invalidateSuspended(reason, at);
    return this.#revalidate(
      [...this.#validWhileSuspended].filter((contract) => !covers(contract)),
      at,
    );
  }

  /**
   * Ends a suspension. Returns the contracts whose books are invalid although no suspension applies
   * to them any more.
   */
  resume(reason: InvalidReason, at: number): string[] {
    if (!this.#suspensions.delete(reason)) return [];
    return this.#revalidate([...this.#validWhileSuspended], at);
  }

  /** Invalidates one contract until `readmit`. */
  quarantine(contract: string, reason: InvalidReason, at: number): void {
    if (this.#store.get(contract)?.invalidReason === null) this.#validWhileSuspended.add(contract);
    this.#quarantined.set(contract, reason);
    this.#store.invalidate(contract, this.#reasonOf(contract) ?? reason, at);
  }

  isQuarantined(contract: string): boolean {
    return this.#quarantined.has(contract);
  }

  readmit(contract: string, at: number): string[] {
    this.#quarantined.delete(contract);
    return this.#validWhileSuspended.has(contract) ? this.#revalidate([contract], at) : [];
  }

  untrack(contract: string): void {
    this.#quarantined.delete(contract);
    this.#validWhileSuspended.delete(contract);
  }

  #invalidateSuspended(reason: InvalidReason, at: number): void {
    this.#store.batch(() => {
      for (const contract of this.#contracts()) {
        if (!this.#isBookSuspended(contract)) continue;
        if (this.#store.get(contract)?.invalidReason === null) this.#validWhileSuspended.add(contract);
        if (this.#validWhileSuspended.has(contract))
          this.#store.invalidate(contract, this.#reasonOf(contract) ?? reason, at);
      }
    });
  }

  #revalidate(contracts: readonly string[], at: number): string[] {
    const stillInvalid: string[] = [];
    this.#store.batch(() => {
      for (const contract of contracts) {
        if (this.#isBookSuspended(contract)) {
          this.#keepSuspended(contract, at);
          continue;
        }
        this.#validWhileSuspended.delete(contract);
        if (!this.#store.revalidate(contract, at)) stillInvalid.push(contract);
      }
    });
    return stillInvalid;
  }

  #keepSuspended(contract: string, at: number): boolean {
    this.#validWhileSuspended.add(contract);
    const reason = this.#reasonOf(contract);
    if (reason !== null) this.#store.invalidate(contract, reason, at);
    return true;
  }

  #isBookSuspended(contract: string): boolean {
    if (this.#quarantined.has(contract)) return true;
    // Called for every message. Without suspensions no iterator is made.
    if (this.#suspensions.size === 0) return false;
    for (const { covers } of this.#suspensions.values()) if (covers === null || covers(contract)) return true;
    return false;
  }

  #reasonOf(contract: string): InvalidReason | null {
    for (const reason of BY_SEVERITY) {
      const suspension = this.#suspensions.get(reason);
      if (suspension?.isProvisional === false && (suspension.covers?.(contract) ?? true)) return reason;
    }
    return this.#quarantined.get(contract) ?? null;
  }
}
