import type { Moments } from '../question.ts';
import type { Coin } from './coins.ts';

/** A month's highest or lowest price, and one level that it may touch. */
export type Side = 'MAX' | 'MIN';
export type Month = { opens: number; ends: number };
export type Rung = { side: Side; strike: number; fair: (t: number) => number; touched: boolean };
export type Extremes = { seed: number; coin: Coin; ends: number; moments: Moments };
