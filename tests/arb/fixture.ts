import type postgres from 'postgres';
import type { Sql } from '../../local/platform/postgres/template.ts';
import { putFrames } from '../api/support/catalog.ts';

// Opportunities as the engine gives them to pipeline.apply_books, for pairs of tests/api/support/catalog.ts.

export type SeedLeg = {
  key: string;
  venue: 'venue_a' | 'venue_b';
  ask: number;
  fee: number;
  size?: number;
  /** Of a venue_a contract; yes unless said. */
  side?: 'yes' | 'no';
  /** The seed's own contract of the outcome unless said. */
  contract?: string;
};

const contractOf = (n: number, leg: SeedLeg, ordinal: number) =>
  leg.venue === 'venue_a' ? `KX-${n}-${leg.key}` : `${n}00${ordinal}`;

/** An opportunity of the pair with these legs in outcome order; stakes are right, the last takes the rounding. */
export function opportunity(n: number, legs: readonly SeedLeg[], size = 12_000) {
  const cost = legs.reduce((sum, leg) => sum + leg.ask + leg.fee, 0);
  let left = 1_000_000;
  const parts = legs.map((leg, ordinal) => {
    const stake = ordinal === legs.length - 1 ? left : Math.round(((leg.ask + leg.fee) * 1_000_000) / cost);
    left -= stake;
    return {
      key: leg.key,
      venue: leg.venue,
      side: leg.venue === 'venue_a' ? (leg.side ?? 'yes') : null,
      contract: leg.contract ?? contractOf(n, leg, ordinal),
      ask: leg.ask,
      fee: leg.fee,
      stake,
      size: leg.size ?? size,
      delay: null,
    };
  });
  return {
    cost,
    size,
    wager: Math.ceil((cost * size) / 100),
    legs: parts,
    ladder: [{ size, cost: String(cost * size) }],
  };
}

/** The example of contract.md: cost .9799, edge 2.01. */
export const good = (n: number, size = 12_000) =>
  opportunity(
    n,
    [
      { key: 'home', venue: 'venue_a', ask: 450_000, fee: 17_400 },
      { key: 'away', venue: 'venue_b', ask: 500_000, fee: 12_500 },
    ],
    size,
  );

/** A flush of frames of one pair, each with what the engine said. */
export async function flush(
  sql: Sql,
  n: number,
  frames: readonly { at: string; opp: postgres.JSONValue; ask?: number; void?: string }[],
): Promise<void> {
  await putFrames(
    sql,
    frames.map(({ at, opp, ask, void: gone }) => {
      const asks = (first: number) => (gone === undefined ? [first, 520_000] : [null, null]);
      const sizes = asks(12_000);
      const given = { at, opp, ask_a: asks(ask ?? 450_000), ask_b: asks(490_000), size_a: sizes, size_b: sizes };
      return [n, { ...given, void: gone ?? null }] as const;
    }),
  );
}
