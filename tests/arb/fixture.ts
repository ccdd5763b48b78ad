import type postgres from 'postgres';
import type { Sql } from '../../local/platform/postgres/template.ts';
import { putUpdates } from '../api/support/catalog.ts';

// Opportunities as the engine sends them to pipeline.apply_books, for pairs of
// tests/api/support/catalog.ts.

export type SeedLeg = {
  key: string;
  venue: 'venue_a' | 'venue_b';
  ask: number;
  fee: number;
  size?: number;
  /** The side of a venue_a contract, yes by default. */
  side?: 'yes' | 'no';
  /** By default the contract that the seeded pair has for the outcome. */
  contract?: string;
};

const contractOf = (n: number, leg: SeedLeg, ordinal: number) =>
  leg.venue === 'venue_a' ? `KX-${n}-${leg.key}` : `${n}00${ordinal}`;

/**
 * An opportunity with these legs in outcome order. The stake of the last leg takes the rounding.
 */
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
      // Each book offers more than the one before it. The first one limits the opportunity.
      size: leg.size ?? size + 300 * ordinal,
      delay: leg.venue === 'venue_b' ? 3 : null,
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

/** The example of contract.md: cost 0.9799, edge 2.01. */
export const good = (n: number, size = 12_000) =>
  opportunity(
    n,
    [
      { key: 'home', venue: 'venue_a', ask: 450_000, fee: 17_400 },
      { key: 'away', venue: 'venue_b', ask: 500_000, fee: 12_500 },
    ],
    size,
  );

/** Flushes price updates of one pair, each with the opportunity or the rejection of the engine. */
export async function flush(
  sql: Sql,
  n: number,
  updates: readonly { at: string; opp: postgres.JSONValue; ask?: number; void?: string }[],
): Promise<void> {
  await putUpdates(
    sql,
    updates.map(({ at, opp, ask, void: voidReason }) => {
      const asks = (first: number) => (voidReason === undefined ? [first, 520_000] : [null, null]);
      const sizes = asks(12_000);
      const update = { at, opp, ask_a: asks(ask ?? 450_000), ask_b: asks(490_000), size_a: sizes, size_b: sizes };
      return [n, { ...update, void: voidReason ?? null }] as const;
    }),
  );
}
