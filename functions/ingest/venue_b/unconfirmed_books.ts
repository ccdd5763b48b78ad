import type { BookGuard } from '../books/book_guard.ts';
import type { InvalidReason } from '../books/book_store.ts';

/** A read without an answer is repeated after this time. */
const REPEAT_READ_MS = 5_000;

/**
 * The books of one connection that are invalid until REST has answered with them, because all
 * connections to the venue stopped. A snapshot of the socket updates such a book and does not make
 * it valid.
 */
export class UnconfirmedBooks {
  readonly #guard: BookGuard;
  readonly #contracts: ReadonlySet<string>;
  /** Real time at which each unconfirmed book is to be read. */
  readonly #readAt = new Map<string, number>();
  #reason: InvalidReason | null = null;
  /** Real time from which books may be read. */
  #readFrom = Number.POSITIVE_INFINITY;

  constructor(guard: BookGuard, contracts: ReadonlySet<string>) {
    this.#guard = guard;
    this.#contracts = contracts;
  }

  /** Invalidates all books from `at` on. None is read before `readFrom`. */
  begin(reason: InvalidReason, at: number): void {
    if (this.#reason !== null && this.#reason !== reason) this.#guard.resume(this.#reason, at);
    this.#reason = reason;
    this.#readFrom = Number.POSITIVE_INFINITY;
    for (const contract of this.#contracts) this.#readAt.set(contract, this.#readFrom);
    this.#guard.suspendSome(reason, at, (contract) => this.#readAt.has(contract));
  }

  /** Has every unconfirmed book read from now on. */
  readFrom(now: number): void {
    this.#readFrom = now;
    for (const contract of this.#readAt.keys()) this.#readAt.set(contract, now);
  }

  /** A contract was subscribed to. Its first book must be confirmed like the others. */
  add(contract: string): void {
    if (this.#reason !== null) this.#readAt.set(contract, this.#readFrom);
  }

  /**
   * REST has answered with a book. Returns whether that confirms it. An answer from before
   * `readFrom` confirms nothing: the venue has not sent anything since.
   */
  onAnswer(contract: string): boolean {
    return Number.isFinite(this.#readFrom) && this.#readAt.delete(contract);
  }

  remove(contract: string): void {
    this.#readAt.delete(contract);
  }

  /** The books to read now. */
  due(now: number): string[] {
    const due = [...this.#readAt].filter(([, at]) => at <= now).map(([contract]) => contract);
    for (const contract of due) this.#readAt.set(contract, now + REPEAT_READ_MS);
    return due;
  }

  /**
   * Makes the confirmed books valid again. Returns those that are crossed and must be read once
   * more.
   */
  release(at: number): string[] {
    const reason = this.#reason;
    if (reason === null) return [];
    if (this.#readAt.size > 0) return this.#guard.suspendSome(reason, at, (contract) => this.#readAt.has(contract));
    this.#reason = null;
    return this.#guard.resume(reason, at);
  }
}
