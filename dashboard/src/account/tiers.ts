/** A row of api.tiers. */
export type Tier = {
  tier: string;
  window_requests: number;
  month_requests: number;
  stream_connections: number;
  webhook_endpoints: number;
};

/** The stream channels of each tier. api.tiers has no column for them. */
export const streamOf: Record<string, string> = {
  free: 'Sample of 20 markets',
  basic: 'Every market',
  premium: 'Every market',
  pro: 'Every market, raw quotes, candidates',
};

/** Compares tiers, smallest allowance first. */
export const byAllowance = (one: Tier, other: Tier): number =>
  one.month_requests - other.month_requests ||
  one.window_requests - other.window_requests ||
  rank(one.tier) - rank(other.tier);

const rank = (tier: string): number => Object.keys(streamOf).indexOf(tier);

export const titled = (tier: string): string => tier.slice(0, 1).toUpperCase() + tier.slice(1);
