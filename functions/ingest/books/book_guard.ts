import type { Book } from './book.ts';
import type { Doubt, Shelf } from './book_store.ts';

/** Reasons that concern a whole line or venue, the gravest first: where several hold, the first one is shown. */
const ORDER: readonly Doubt[] = ['venue.paused', 'venue.post_only', 'feed.late', 'book.scale'];

/**
 * Writes the books of one line on its venue's shelf, and keeps them from being believed while something beside the books is wrong: the
 * venue is paused, the line is late (a hold), or one contract's subscription is dead (set apart). What comes meanwhile is kept up to date
 * on the shelf, unbelieved, so that the end of the trouble needs no new snapshot.
 */
export class Trust {
  private readonly shelf: Shelf;
  private readonly contracts: () => Iterable<string>;
  /** What holds now; a silent one says nothing of books that nobody has spoken of yet. */
  private readonly holds = new Map<Doubt, { silent: boolean }>();
  private readonly apart = new Map<string, Doubt>();
  /** Books that would be believed but for a hold. */
  private readonly sound = new Set<string>();

  constructor(shelf: Shelf, contracts: () => Iterable<string>) {
    this.shelf = shelf;
    this.contracts = contracts;
  }

  /** A whole book, dated `venueAt` by the venue. False when it cannot be believed for its own sake (crossed), which is judged when nothing holds. */
  put(contract: string, book: Book, at: number, venueAt: number | null = null): boolean {
    if (!this.held(contract)) return this.shelf.put(contract, book, at, venueAt);
    const held = this.shelf.get(contract);
    if (!held) return false;
    held.book = book;
    this.shelf.date(contract, at, venueAt);
    return this.keep(contract, at);
  }

  /** The book was changed in place. */
  touch(contract: string, at: number, venueAt: number | null = null): boolean {
    if (!this.held(contract)) return this.shelf.touch(contract, at, venueAt);
    this.shelf.date(contract, at, venueAt);
    return this.sound.has(contract) ? this.keep(contract, at) : false;
  }

  doubt(contract: string, why: Doubt, at: number): void {
    this.sound.delete(contract);
    this.shelf.doubt(contract, why, at);
  }

  /** Whether the book is in order but for a hold. */
  isSound(contract: string): boolean {
    return this.sound.has(contract);
  }

  isHeld(why: Doubt): boolean {
    return this.holds.has(why);
  }

  /** From `at` on none of the line's books is believed. Silent: nothing is said of books until the hold turns out to be right. */
  hold(why: Doubt, at: number, silent = false): void {
    this.holds.set(why, { silent });
    if (silent) return;
    this.shelf.together(() => {
      for (const contract of this.contracts()) {
        if (this.shelf.get(contract)?.doubt === null) this.sound.add(contract);
        if (this.sound.has(contract)) this.shelf.doubt(contract, this.reason(contract) ?? why, at);
      }
    });
  }

  /** The trouble is over. Returns the contracts whose books are not believed although nothing holds them any more. */
  release(why: Doubt, at: number): string[] {
    if (!this.holds.delete(why)) return [];
    return this.settle([...this.sound], at);
  }

  /** This contract alone is not believed until it is admitted again. */
  setApart(contract: string, why: Doubt, at: number): void {
    if (this.shelf.get(contract)?.doubt === null) this.sound.add(contract);
    this.apart.set(contract, why);
    this.shelf.doubt(contract, this.reason(contract) ?? why, at);
  }

  isApart(contract: string): boolean {
    return this.apart.has(contract);
  }

  admit(contract: string, at: number): string[] {
    this.apart.delete(contract);
    return this.sound.has(contract) ? this.settle([contract], at) : [];
  }

  forget(contract: string): void {
    this.apart.delete(contract);
    this.sound.delete(contract);
  }

  private settle(contracts: readonly string[], at: number): string[] {
    const refused: string[] = [];
    this.shelf.together(() => {
      for (const contract of contracts) {
        if (this.held(contract)) {
          this.keep(contract, at);
          continue;
        }
        this.sound.delete(contract);
        if (!this.shelf.settle(contract, at)) refused.push(contract);
      }
    });
    return refused;
  }

  private keep(contract: string, at: number): boolean {
    this.sound.add(contract);
    const why = this.reason(contract);
    if (why !== null) this.shelf.doubt(contract, why, at);
    return true;
  }

  private held(contract: string): boolean {
    return this.holds.size > 0 || this.apart.has(contract);
  }

  private reason(contract: string): Doubt | null {
    for (const why of ORDER) if (this.holds.get(why)?.silent === false) return why;
    return this.apart.get(contract) ?? null;
  }
}
