import type { Ladder, Level, Side } from './ladder.ts';

/**
 * Steps of a market's prices in $0.0001 (a quarter of it is exact in binary, and $0.000025 in the
 * venue payload).
 */
export type Range = { start: number; end: number; step: number };
export type TickTable = { name: string; tick: number; ranges: readonly Range[] };

const evenTicks = (name: string, step: number): TickTable => ({
  name,
  tick: step,
  ranges: [{ start: 0, end: 10_000, step }],
});

/** Tick tables that a market may get while it trades (venues.md A4, B3). */
export const TICK_TABLES: Record<string, TickTable> = {
  deci_cent: evenTicks('deci_cent', 10),
  quarter_cent: evenTicks('quarter_cent', 25),
  micro: evenTicks('micro', 0.25),
  tapered: {
    name: 'tapered_deci_cent',
    tick: 10,
    ranges: [
      { start: 0, end: 1_000, step: 10 },
      { start: 1_000, end: 9_000, step: 100 },
      { start: 9_000, end: 10_000, step: 10 },
    ],
  },
};

/**
 * The ladder with prices rounded to these ticks: bids down, asks up. Levels with the same price are
 * merged.
 */
export function roundToTicks(ladder: Ladder, table: TickTable): Ladder {
  return { bids: roundLevels(ladder.bids, 'bid', table), asks: roundLevels(ladder.asks, 'ask', table) };
}

function roundLevels(levels: readonly Level[], side: Side, table: TickTable): Level[] {
  const sizes = new Map<number, number>();
  for (const [price, size] of levels) {
    const range = table.ranges.find((one) => price > one.start && price < one.end);
    const step = range?.step ?? table.tick;
    const steps = price / step;
    const place = (side === 'bid' ? Math.floor(steps) : Math.ceil(steps)) * step;
    if (place > 0 && place < 10_000) sizes.set(place, (sizes.get(place) ?? 0) + size);
  }
  return [...sizes];
}
