import type { SetAside } from '../listing.ts';
import type { Surroundings } from './bucket.ts';

/** Whoever reads the books of one venue onto its shelf. */
export type BookFeed = {
  start(): void;
  stop(): Promise<void>;
  /** The shelf holds other contracts than before: subscribe to what is new, leave what is gone. */
  follow(): void;
  /** When a book was last read, and when the venue last gave any sign of life: market time in epoch ms. */
  readonly lastNewsAt: number | null;
  readonly lastAliveAt: number | null;
  /** How it reads (`websocket`, `polling`), and what is wrong if anything is. */
  readonly detail: string;
};

export type FeedSurroundings = Surroundings & {
  /** Market time now, whole epoch ms: the stamp of what was just read. */
  shown(): number;
  /** Something that could not be read. */
  aside(row: SetAside): void;
  log(line: string): void;
};

/** Parts of at most `size`. */
export function chunks<T>(all: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < all.length; at += size) parts.push(all.slice(at, at + size));
  return parts;
}
