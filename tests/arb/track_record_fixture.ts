import type { Sql } from '../../local/platform/postgres/template.ts';

// Markets with the contracts of tests/arb/fixture.ts, and their results.

type Venue = 'venue_a' | 'venue_b';

/** Stores a trading market and its contracts, in the order of its outcomes. */
export async function listMarket(sql: Sql, venue: Venue, market: string, contracts: readonly string[]): Promise<void> {
  const at = '2026-11-19T00:00:00Z';
  const seen = { payload: sql.json({}), payload_hash: '', seen_at: at, changed_at: at };
  await sql`
    insert into venue.events ${sql({ venue, event_id: market, title: market, first_seen_at: at, ...seen })}`;
  await sql`
    insert into venue.markets ${sql({ venue, market_id: market, event_id: market, state: 'trading', ...seen })}`;
  for (const [ordinal, contract_id] of contracts.entries()) {
    await sql`insert into venue.contracts ${sql({ venue, contract_id, market_id: market, ordinal })}`;
  }
}

/** When each venue settles, unless a test names another time. */
export const SETTLED = { venue_a: '2026-11-21T04:00:00Z', venue_b: '2026-11-21T05:30:00Z' } as const;

/**
 * Makes a market final. `payout`: USD for one YES contract, on venue_b for one token of outcome 0.
 * `settledAt`: null where the venue states no time.
 */
export async function payMarket(
  sql: Sql,
  venue: Venue,
  market: string,
  payout: string,
  settledAt: string | null = SETTLED[venue],
): Promise<void> {
  await sql`
    update venue.markets
    set state = 'final',
        payout = ${payout},
        settled_at = ${settledAt}
    where venue = ${venue}
      and market_id = ${market}`;
}

/** Deletes a market, as the retention of listings does. */
export async function unlistMarket(sql: Sql, venue: Venue, market: string): Promise<void> {
  await sql`delete from venue.events where venue = ${venue} and event_id = ${market}`;
}
