import type { Surroundings } from '../../_shared/surroundings.ts';
import type { ClockSegment } from '../clock.ts';
import type { SetAside } from '../listing.ts';

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
  /** The stretch of market time that is current, null where market time is real time: lateness is measured within one. */
  segment(): ClockSegment | null;
  /** Something that could not be read. */
  aside(row: SetAside): void;
  log(line: string): void;
};

/** What the lines of a feed have in common: the contracts that a line reads, and how it takes on and leaves some. */
export type Carrier = {
  readonly contracts: ReadonlySet<string>;
  want(contracts: readonly string[], now: number): void;
  leave(contracts: readonly string[], now: number): void;
};

/** Leaves what nobody wants any more and fills the lines up to `most` contracts each. Returns what found no room. */
export function distribute(
  lines: readonly Carrier[],
  wanted: ReadonlySet<string>,
  most: number,
  now: number,
): string[] {
  const read = new Set<string>();
  for (const line of lines) {
    line.leave(
      [...line.contracts].filter((contract) => !wanted.has(contract)),
      now,
    );
    for (const contract of line.contracts) read.add(contract);
  }
  let fresh = [...wanted].filter((contract) => !read.has(contract));
  for (const line of lines) {
    const room = Math.max(0, most - line.contracts.size);
    line.want(fresh.slice(0, room), now);
    fresh = fresh.slice(room);
  }
  return fresh;
}

/** The latest of some times, or null where there is none. */
export function latest(times: readonly (number | null)[]): number | null {
  return times.reduce((a, b) => (a === null || (b !== null && b > a) ? b : a), null);
}

/** Parts of at most `size`. */
export function chunks<T>(all: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < all.length; at += size) parts.push(all.slice(at, at + size));
  return parts;
}
