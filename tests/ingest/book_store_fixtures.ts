import { Book } from '../../functions/ingest/books/book.ts';
import { BookGuard } from '../../functions/ingest/books/book_guard.ts';
import { BookStore } from '../../functions/ingest/books/book_store.ts';

/** A book with one level on each side. */
export const book = (bid: number, ask: number): Book => {
  const made = new Book();
  made.bids.set(bid, 1_000_000);
  made.asks.set(ask, 2_000_000);
  return made;
};

/** A book store that tracks these contracts, the recorded changes of validity, and a book guard. */
export function createBookStore(contracts: string[]) {
  const changes: (string | null)[] = [];
  const store: BookStore = new BookStore('venue_a', (contract) =>
    changes.push(store.get(contract)?.invalidReason ?? null),
  );
  for (const contract of contracts) store.track(contract, 0);
  return {
    store,
    changes,
    guard: new BookGuard(store, () => contracts),
    invalidReason: (one: string) => store.get(one)?.invalidReason,
  };
}
