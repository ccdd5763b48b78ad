import { Book } from '../../functions/ingest/books/book.ts';
import { Trust } from '../../functions/ingest/books/book_guard.ts';
import { Shelf } from '../../functions/ingest/books/book_store.ts';

/** A book of one level a side. */
export const book = (bid: number, ask: number): Book => {
  const made = new Book();
  made.bids.set(bid, 1_000_000);
  made.asks.set(ask, 2_000_000);
  return made;
};

/** A shelf that wants these contracts, what it said, and a line's trust in front of it. */
export function shelved(contracts: string[]) {
  const said: (string | null)[] = [];
  const shelf: Shelf = new Shelf('venue_a', (contract) => said.push(shelf.get(contract)?.doubt ?? null));
  for (const contract of contracts) shelf.want(contract, 0);
  return { shelf, said, trust: new Trust(shelf, () => contracts), doubt: (one: string) => shelf.get(one)?.doubt };
}
