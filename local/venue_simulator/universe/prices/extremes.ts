import type { Moments } from '../question.ts';
import type { Coin } from './coins.ts';

/** The highest or lowest price of a month, and a strike that it may touch. */
export type Side = 'MAX' | 'MIN';
export type Month = { opens: number; ends: number };
export type TouchStrike = { side: Side; strike: number; fair: (t: number) => number; touched: boolean };
export type Extremes = { seed: number; coin: Coin; ends: number; moments: Moments };
