// The closed sets of values of the parameters in spec.md.

export const STATUSES = ['open', 'live', 'resolving', 'closed', 'settled'] as const;

export const INCLUDES = ['ids', 'depth', 'settlement'] as const;

/** Levels of a book that a caller may ask for. The database keeps the best one of each side. */
export const MAX_LEVELS = 10;

export const PAIR_INCLUDES = [...INCLUDES, 'best'] as const;

export const LIST_INCLUDES = [...PAIR_INCLUDES, 'total'] as const;

export const HISTORY_INCLUDES = ['bid', 'gap'] as const;

export const SORTS = ['start_time', '-start_time', '-spread_pts'] as const;

export const ARBITRAGE_INCLUDES = ['settlement', 'books'] as const;

export const ARBITRAGE_SORTS = ['-edge_pct', '-profit_usd', '-annualized_pct', 'expected_settlement_at'] as const;

export const MARKET_TYPES = [
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

export const RULE_STATES = ['confirmed', 'pooled', 'unconfirmed', 'withdrawn', 'refused'] as const;

export const RULE_INCLUDES = ['divergences'] as const;

export const DIVERGENCE_SOURCES = ['live', 'backtest'] as const;

export const WEBHOOK_EVENTS = ['pair.created', 'spread.threshold', 'opportunity.opened'] as const;

export const DELIVERY_STATES = ['waiting', 'delivered', 'failed', 'dropped'] as const;

export const EXPORT_DATASETS = ['updates', 'opportunities', 'pairs', 'refusals', 'verdicts'] as const;

export const EXPORT_FORMATS = ['ndjson', 'parquet'] as const;

export const TOOLSETS = ['markets', 'arbitrage', 'live', 'reports'] as const;
