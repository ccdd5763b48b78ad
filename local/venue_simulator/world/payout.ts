import { dollars } from '../core/decimal.ts';
import type { ContractA, MarketB } from '../universe/question.ts';

/** The payout of a contract of venue A: "scalar" when a fair price replaces the result. */
export function paidOnA({ pays }: Pick<ContractA, 'pays'>): { result: 'yes' | 'no' | 'scalar'; value: string } {
  if (typeof pays === 'number') return { result: 'scalar', value: dollars(Math.round(pays * 10_000)) };
  return { result: pays, value: pays === 'yes' ? '1.0000' : '0.0000' };
}

/** The payout of outcome 0 of a market of venue B, in $0.0001. */
export function paidOnB({ pays }: Pick<MarketB, 'pays'>): number {
  return pays === 'split' ? 5_000 : pays === 0 ? 10_000 : 0;
}
