import type { Sql } from '../../local/platform/template.ts';
import { uuidOf } from '../api/support/catalog.ts';

// Opportunities as the engine gives them to price.apply, for pairs of tests/api/support/catalog.ts.

export type SeedLeg = { key: string; venue: 'venue_a' | 'venue_b'; ask: number; fee: number; size?: number };

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
      side: leg.venue === 'venue_a' ? 'yes' : null,
      contract: contractOf(n, leg, ordinal),
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
  frames: readonly { at: string; opp: unknown; ask?: number; void?: string }[],
): Promise<void> {
  const tokens = Object.fromEntries(
    (await sql<{ name: string; token: string }[]>`select name, token from venue.leases where name like 'books:%'`).map(
      (lease) => [lease.name, Number(lease.token)],
    ),
  );
  const given = frames.map((frame) => {
    const at = Date.parse(frame.at);
    const gone = frame.void !== undefined;
    const asks = (first: number) => (gone ? [null, null] : [first, 520_000]);
    return {
      pair: uuidOf(n),
      at,
      ask_a: asks(frame.ask ?? 450_000),
      ask_b: asks(490_000),
      bid_a: [null, null],
      bid_b: [null, null],
      size_a: asks(12_000),
      size_b: asks(12_000),
      ladder_a: null,
      read_a: at,
      read_b: at,
      void: frame.void ?? null,
      opp: frame.opp,
    };
  });
  await sql`select price.apply(${sql.json(tokens)}, ${sql.json(given as never)})`;
}
