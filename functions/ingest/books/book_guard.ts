import type { Book } from './book.ts';
import type { BookStore, InvalidReason } from './book_store.ts';

/** Reasons that concern a whole line or venue, the gravest first: where several hold, the first one is shown. */
const BY_SEVERITY: readonly InvalidReason[] = ['venue.paused', 'venue.post_only', 'feed.late', 'book.scale'];

/**
 * Writes the books of one line on its venue's shelf, and keeps them from being believed while something beside the books is wrong: the
 * venue is paused, the line is late (a hold), or one contract's subscription is dead (set apart). What comes meanwhile is kept up to date
 * on the shelf, unbelieved, so that the end of the trouble needs no new snapshot.
 */
export class BookGuard {
  readonly #store: BookStore;
  readonly #contracts: () => Iterable<string>;
  /** What holds now; a silent one says nothing of books that nobody has spoken of yet. */
  readonly #suspensions = new Map<InvalidReason, { isProvisional: boolean }>();
  readonly #quarantined = new Map<string, InvalidReason>();
  /** Books that would be believed but for a hold. */
  readonly #validWhileSuspended = new Set<string>();

  constructor(store: BookStore, contracts: () => Iterable<string>) {
    this.#store = store;
    this.#contracts = contracts;
  }

  /** A whole book, dated `venueAt` by the venue. False when it cannot be believed for its own sake (crossed), which is judged when nothing holds. */
  replace(contract: string, book: Book, at: number, venueTime: number | null = null): boolean {
    if (!this.#isBookSuspended(contract)) return this.#store.replace(contract, book, at, venueTime);
    const entry = this.#store.get(contract);
    if (!entry) return false;
    entry.book = book;
    this.#store.setTimes(contract, at, venueTime);
    return this.#keepSuspended(contract, at);
  }

  /** The book was changed in place. */
  markUpdated(contract: string, at: number, venueTime: number | null = null): boolean {
    if (!this.#isBookSuspended(contract)) return this.#store.markUpdated(contract, at, venueTime);
    this.#store.setTimes(contract, at, venueTime);
    return this.#validWhileSuspended.has(contract) ? this.#keepSuspended(contract, at) : false;
  }

  invalidate(contract: string, reason: InvalidReason, at: number): void {
    this.#validWhileSuspended.delete(contract);
    this.#store.invalidate(contract, reason, at);
  }

  /** Whether the book is in order but for a hold. */
  isValidButSuspended(contract: string): boolean {
    return this.#validWhileSuspended.has(contract);
  }

  isSuspended(reason: InvalidReason): boolean {
    return this.#suspensions.has(reason);
  }

  /** From `at` on none of the line's books is believed. Silent: nothing is said of books until the hold turns out to be right. */
  suspend(reason: InvalidReason, at: number, isProvisional = false): void {
    this.#suspensions.set(reason, { isProvisional });
    if (isProvisional) return;
    this.#store.batch(() => {
      for (const contract of this.#contracts()) {
        if (this.#store.get(contract)?.invalidReason === null) this.#validWhileSuspended.add(contract);
        if (this.#validWhileSuspended.has(contract))
          this.#store.invalidate(contract, this.#reasonOf(contract) ?? reason, at);
      }
    });
  }

  /** The trouble is over. Returns the contracts whose books are not believed although nothing holds them any more. */
  resume(reason: InvalidReason, at: number): string[] {
    if (!this.#suspensions.delete(reason)) return [];
    return this.#revalidate([...this.#validWhileSuspended], at);
  }

  /** This contract alone is not believed until it is admitted again. */
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
    return this.#suspensions.size > 0 || this.#quarantined.has(contract);
  }

  #reasonOf(contract: string): InvalidReason | null {
    for (const reason of BY_SEVERITY) if (this.#suspensions.get(reason)?.isProvisional === false) return reason;
    return this.#quarantined.get(contract) ?? null;
  }
}
