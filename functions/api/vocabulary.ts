// The closed words of spec.md's parameters.

export const statuses = ['open', 'live', 'resolving', 'closed', 'settled'] as const;

export const includes = ['ids', 'depth', 'settlement'] as const;

export const sorts = ['start_time', '-start_time', '-spread_pts'] as const;

export const marketTypes = [
  'moneyline',
  'outright',
  'total',
  'spread',
  'team_total',
  'advance',
  'weather_high',
  'weather_low',
  'crypto_above',
  'fed_decision',
  'econ_print',
  'cb_decision',
] as const;

export const webhookEvents = ['pair.created', 'spread.threshold'] as const;
