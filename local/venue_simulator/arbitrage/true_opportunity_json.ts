import type { TrueOpportunity } from './watch.ts';

/**
 * A true opportunity as JSON for tests, in dollars and contracts. It includes the contracts of its
 * legs, because a betting line does not name its team.
 */
export function trueOpportunityJson(opportunity: TrueOpportunity): Record<string, unknown> {
  const { twin, opened_at, closed_at, edge, size, cheapest_at, caused_by } = opportunity;
  const { event_ticker, event_slug, line, legs } = twin;
  return {
    family: twin.family,
    pair: { event_ticker, event_slug, ...(line === null ? {} : { line }) },
    contracts: legs.map(({ ticker, token_id }) => ({ ticker, token_id })),
    opened_at,
    closed_at,
    edge: edge / 1_000_000,
    size: size / 100,
    cheapest_at,
    caused_by,
  };
}
