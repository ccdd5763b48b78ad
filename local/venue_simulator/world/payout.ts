import { dollars } from '../core/decimal.ts';
import type { ContractA, MarketB } from '../universe/question.ts';

/** What a contract of venue A is paid: "scalar" where a fair price stands in for a result. */
export function paidOnA({ pays }: Pick<ContractA, 'pays'>): { result: 'yes' | 'no' | 'scalar'; value: string } {
  if (typeof pays === 'number') return { result: 'scalar', value: dollars(Math.round(pays * 10_000)) };
  return { result: pays, value: pays === 'yes' ? '1.0000' : '0.0000' };
}

/** What outcome 0 of a market of venue B is paid, in $0.0001 units. */
export function paidOnB({ pays }: Pick<MarketB, 'pays'>): number {
  return pays === 'split' ? 5_000 : pays === 0 ? 10_000 : 0;
}
