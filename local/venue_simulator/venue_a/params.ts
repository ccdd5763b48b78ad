/** The untyped parameters of a client's command. */
export type Params = Record<string, unknown>;

export function stringsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}

export function tickersOf(params: Params): string[] {
  const one = typeof params.market_ticker === 'string' ? [params.market_ticker] : [];
  return [...new Set([...one, ...stringsOf(params.market_tickers)])];
}
