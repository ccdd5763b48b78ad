import { cents, count, NO_VALUE } from '../components/format.ts';
import type { Live } from './live.ts';

/** Whether the asks of this market are live. */
export function isLive(live: Live, market: string): boolean {
  return navigator.onLine && live.status === 'subscribed' && live.store.markets.has(market);
}

/** Whether the prices may be stale. Stale prices are drawn paler. */
export function isStale(live: Live, online: boolean): boolean {
  return !online || (live.isLoaded && live.status !== 'subscribed');
}

type Book = { ask: number | null; bid: number | null; depth: number | null } | null | undefined;

/** The bid next to an ask. Asks are live, books are polled: that of an older ask is hidden. */
export const bidOf = (book: Book, ask: number | null): string => (book?.ask === ask ? cents(book?.bid) : NO_VALUE);

/** The size next to an ask, hidden like its bid. */
export const depthOf = (book: Book, ask: number | null): string =>
  book?.ask !== ask || typeof book?.depth !== 'number' ? NO_VALUE : count(Math.floor(book.depth));
