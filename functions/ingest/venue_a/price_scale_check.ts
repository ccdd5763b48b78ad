import type { Book } from '../books/book.ts';
import type { Trust } from '../books/book_guard.ts';
import type { Shelf } from '../books/book_store.ts';
import { compared, inOtherScale } from './price_scale.ts';

export type ScaleOut = {
  /**
   * Asks REST for these books and hands them to `shown`. Without it the venue is taken at its word that it writes in the prices that were
   * asked for.
   */
  askScale?(tickers: readonly string[]): void;
  scaleFound?(verdict: 'as_read' | 'other', books: number): void;
};

/** Books in one comparison: one request. */
const BOOKS = 100;
/** How long (real ms) it waits for the rest of the first snapshots, and after an answer that proved nothing. */
const FIRST_MS = 1_000;
const AGAIN_MS = 2_000;

/**
 * Proof of the scale of one subscription. Fail closed: its books are kept back until REST has shown how they are written. That is one
 * request, sent as soon as the first hundred snapshots are here, so a start waits for one answer of REST (some 10 ms on loopback, some 200
 * from the venue) and not for a timer. Until it proves wrong nothing is said of the books: a reader that begins must not void what its
 * predecessor knows.
 */
export class ScaleProof {
  private readonly shelf: Shelf;
  private readonly trust: Trust;
  private readonly out: ScaleOut;
  private readonly asked: boolean;
  /** Whether NO bids are read as YES prices. */
  inYesPrices: boolean;
  /** Real time from which REST is asked; null while an answer is awaited or nothing is to be asked. */
  private due: number | null = null;
  private tries = 0;

  constructor(shelf: Shelf, trust: Trust, out: ScaleOut, inYesPrices: boolean) {
    this.shelf = shelf;
    this.trust = trust;
    this.out = out;
    this.asked = inYesPrices;
    this.inYesPrices = inYesPrices;
  }

  opened(at: number, now: number): void {
    this.inYesPrices = this.asked;
    if (!this.out.askScale) return;
    this.trust.hold('book.scale', at, true);
    this.tries = 0;
    this.due = now + FIRST_MS;
  }

  closed(): void {
    this.due = null;
  }

  /** A snapshot came: with all of the first ones here, ask at once. */
  snapshotCame(tickers: ReadonlySet<string>, now: number): void {
    if (this.due === null) return;
    let sound = 0;
    for (const ticker of tickers) if (this.trust.isSound(ticker)) sound += 1;
    if (sound >= Math.min(BOOKS, tickers.size)) this.ask(tickers, now);
  }

  tick(tickers: ReadonlySet<string>, now: number): void {
    if (this.due !== null && now >= this.due) this.ask(tickers, now);
  }

  /**
   * Books as REST has them, NO bids in NO prices as ever; null where REST did not answer. Returns whether the scale is known now: the
   * caller then lets the books go.
   */
  shown(tickers: ReadonlySet<string>, books: ReadonlyMap<string, Book> | null, at: number, now: number): boolean {
    if (!this.trust.isHeld('book.scale') || this.due !== null) return false;
    const pairs = [...(books ?? [])].flatMap(([ticker, rest]) => {
      const ours = this.trust.isSound(ticker) ? this.shelf.get(ticker)?.book : null;
      return ours ? [{ ours, rest }] : [];
    });
    const verdict = compared(pairs);
    if (verdict === 'other') this.turn(tickers);
    if (verdict === 'as_read' || verdict === 'other') {
      this.out.scaleFound?.(verdict, pairs.length);
      return true;
    }
    // Books that contradict each other are a doubt to be shown at once; books that prove nothing wait once for better ones.
    this.tries += 1;
    if (verdict === 'mixed' || this.tries > 1) this.trust.hold('book.scale', at);
    this.due = now + AGAIN_MS;
    return false;
  }

  private ask(tickers: ReadonlySet<string>, now: number): void {
    const read = [...tickers].filter((ticker) => this.trust.isSound(ticker));
    if (read.length === 0) {
      this.due = now + FIRST_MS;
      return;
    }
    // Books with a NO side say something, the others nothing.
    const empty = (ticker: string): number => (this.shelf.get(ticker)?.book?.ask ? 0 : 1);
    read.sort((x, y) => empty(x) - empty(y));
    this.due = null;
    this.out.askScale?.(read.slice(0, BOOKS));
  }

  private turn(tickers: ReadonlySet<string>): void {
    this.inYesPrices = !this.inYesPrices;
    for (const ticker of tickers) {
      const held = this.shelf.get(ticker);
      if (this.trust.isSound(ticker) && held?.book) held.book = inOtherScale(held.book);
    }
  }
}
