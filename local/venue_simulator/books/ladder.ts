/**
 * One book in terms of YES (or of the first outcome): `bids` best first (falling), `asks` best
 * first (rising). Prices in $0.0001, sizes in 0.01 contract. Venue A quotes an ask as a NO bid at 1
 * - price; venue B quotes the other token as the mirror image. One ladder serves all four views, so
 * they always agree.
 */
export type Level = readonly [price: number, size: number];
export type Ladder = { readonly bids: readonly Level[]; readonly asks: readonly Level[] };
export type Side = 'bid' | 'ask';
export type Change = { side: Side; price: number; from: number; to: number };

export type Top = { bid: number | null; bid_size: number; ask: number | null; ask_size: number };

export const EMPTY: Ladder = { bids: [], asks: [] };

export function topOf(ladder: Ladder): Top {
  const bid = ladder.bids[0];
  const ask = ladder.asks[0];
  return { bid: bid?.[0] ?? null, bid_size: bid?.[1] ?? 0, ask: ask?.[0] ?? null, ask_size: ask?.[1] ?? 0 };
}

export function sameTop(a: Top, b: Top): boolean {
  return a.bid === b.bid && a.ask === b.ask && a.bid_size === b.bid_size && a.ask_size === b.ask_size;
}

/** The book of the other token. */
export function mirrored(ladder: Ladder): Ladder {
  const flip = ([price, size]: Level): Level => [10_000 - price, size];
  return { bids: ladder.asks.map(flip), asks: ladder.bids.map(flip) };
}

/**
 * The changes from `before` to `after`, shrinking levels first. Applied one by one, no intermediate
 * book is crossed: on a real exchange, an order must leave before another can take its price.
 */
export function changesBetween(before: Ladder, after: Ladder): Change[] {
  const shrinks: Change[] = [];
  const grows: Change[] = [];
  for (const side of ['bid', 'ask'] as const) {
    const old = side === 'bid' ? before.bids : before.asks;
    const now = side === 'bid' ? after.bids : after.asks;
    const sizes = new Map<number, number>(old);
    for (const [price, size] of now) {
      const had = sizes.get(price) ?? 0;
      sizes.delete(price);
      if (had !== size) (size < had ? shrinks : grows).push({ side, price, from: had, to: size });
    }
    for (const [price, size] of sizes) shrinks.push({ side, price, from: size, to: 0 });
  }
  return shrinks.concat(grows);
}

/** The ladder after one level gets the absolute size `size`. */
export function withLevel(ladder: Ladder, side: Side, price: number, size: number): Ladder {
  const old = side === 'bid' ? ladder.bids : ladder.asks;
  const levels = old.filter((level) => level[0] !== price);
  if (size > 0) levels.push([price, size]);
  levels.sort((a, b) => (side === 'bid' ? b[0] - a[0] : a[0] - b[0]));
  return side === 'bid' ? { bids: levels, asks: ladder.asks } : { bids: ladder.bids, asks: levels };
}

export function sizeAt(ladder: Ladder, side: Side, price: number): number {
  return (side === 'bid' ? ladder.bids : ladder.asks).find((level) => level[0] === price)?.[1] ?? 0;
}
