import type { Market, Opportunity, PriceFrame } from '../../../client/src/frames.ts';

/** A market with two outcomes and no price. */
export function marketRow(id: string): Market {
  const ask = { venue_a: null, venue_b: null, cheaper: null };
  return {
    id,
    slug: id,
    category: 'sports',
    market_type: 'moneyline',
    sport: 'football',
    competition: 'NFL',
    location: null,
    asset: null,
    indicator: null,
    basis: null,
    institution: null,
    tags: [],
    title: `Market ${id}`,
    home: 'Home',
    away: 'Away',
    start_time: '2026-11-21T13:00:00.000Z',
    status: 'open',
    match: 'high_confidence',
    signal: 'spread',
    spread_pts: null,
    potential_arb_pct: null,
    coverage: { venue_a: false, venue_b: false },
    outcomes: [
      { key: 'home', name: 'Home', ...ask },
      { key: 'away', name: 'Away', ...ask },
    ],
    result: null,
    updated_at: '2026-11-20T12:00:00.000Z',
    priced_at: '2026-11-20T12:00:00.000Z',
    books_read_at: { venue_a: null, venue_b: null },
    links: { venue_a: null, venue_b: null },
  };
}

/** A price frame: the given asks for `home`, and $1 less the ask for `away`. */
export function priceFrame(id: string, venueA: number, venueB: number): PriceFrame {
  const left = (ask: number) => Math.round((1 - ask) * 100) / 100;
  return {
    type: 'price',
    id,
    priced_at: '2026-11-20T13:00:02.000Z',
    books_read_at: { venue_a: '2026-11-20T13:00:01.000Z', venue_b: '2026-11-20T13:00:02.000Z' },
    spread_pts: Math.round(Math.abs(venueA - venueB) * 10000) / 100,
    potential_arb_pct: null,
    signal: 'spread',
    outcomes: [
      { key: 'home', venue_a: venueA, venue_b: venueB },
      { key: 'away', venue_a: left(venueA), venue_b: left(venueB) },
    ],
  };
}

export function opportunityRow(id: string): Opportunity {
  const leg = { side: 'yes' as const, available_contracts: 100, url: null };
  return {
    id,
    market_id: 'm1',
    title: 'Market m1',
    category: 'sports',
    market_type: 'moneyline',
    tags: [],
    start_time: '2026-11-21T13:00:00.000Z',
    edge_pct: 2.01,
    roi_pct: 2.0512,
    fees_included: true,
    fee_model: 'conservative_per_contract',
    cost_per_payout_usd: 0.9799,
    max_contracts: 120,
    max_wager_usd: 117.588,
    confidence: 0.97,
    detected_at: '2026-11-20T13:00:00.000Z',
    priced_at: '2026-11-20T13:00:02.000Z',
    risks: [
      { event: 'void_rule', severity: 'medium', note: 'If the game is never played, a $1 pair can lose 50 cents.' },
    ],
    rule: { agreeing: 400, diverging: 0, bound_pct: 0.7461 },
    edge_after_bound_pct: 1.2639,
    weakest_link: 'Medium risk: If the game is never played, a $1 pair can lose 50 cents.',
    legs: [
      {
        ...leg,
        outcome: 'home',
        outcome_name: 'Home',
        venue: 'venue_a',
        ask_usd: 0.45,
        fee_usd: 0.0174,
        stake_fraction: 0.476987,
        contract_id: 'KXNFLGAME-26NOV21HOMAWY-HOM',
        contract_label: 'Home',
        instruction: 'Buy YES on KXNFLGAME-26NOV21HOMAWY-HOM (Home). Pays $1 if Home wins',
      },
      {
        ...leg,
        outcome: 'away',
        outcome_name: 'Away',
        venue: 'venue_b',
        ask_usd: 0.5,
        fee_usd: 0.0125,
        stake_fraction: 0.523013,
        contract_id: '114226195402272125958455366652113554611236044096325382142954234575002646347849',
        contract_label: 'Home vs. Away: Away',
        instruction: 'Buy Away on "Home vs. Away" (token 11422619…7849). Pays $1 if Away wins',
      },
    ],
    ladder: [
      { contracts: 120, cost_usd: 117.59, edge_pct: 2.01 },
      { contracts: 300, cost_usd: 296.1, edge_pct: 1.3 },
    ],
  };
}
