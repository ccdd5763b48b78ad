import type { Question } from '../question.ts';
import { aboveQuestions } from './above.ts';
import { COINS } from './coins.ts';
import { commodityQuestions } from './commodities.ts';
import { GOLD_SERIES, goldQuestions } from './gold.ts';
import { rangeQuestions } from './ranges.ts';
import { touchQuestions } from './touch.ts';

/** Series of venue A for prices. */
export const PRICE_SERIES = [
  ...COINS.flatMap((coin) => [
    { ticker: coin.series, title: `${coin.name} price Above/below`, tag: coin.name },
    { ticker: coin.series.replace(/D$/, ''), title: `${coin.name} price range`, tag: coin.name },
    { ticker: `KX${coin.ticker}MAXMON`, title: `${coin.name} monthly high`, tag: coin.name },
    { ticker: `KX${coin.ticker}MINMON`, title: `${coin.name} monthly low`, tag: coin.name },
  ]),
  { ticker: 'KXWTIW', title: 'WTI oil weekly', tag: 'Commodities' },
  { ticker: 'KXGOLDW', title: 'Gold weekly', tag: 'Commodities' },
  { ticker: GOLD_SERIES, title: 'Gold daily', tag: 'Commodities' },
];

/** The price questions of one day. */
export function dailyPrices(seed: number, base: number, day: number): Question[] {
  return [
    ...aboveQuestions(seed, base, day),
    ...(day === 1 ? rangeQuestions(seed, base, day) : []),
    ...goldQuestions(seed, base, day),
  ];
}

/** The price questions of a month or of its last day. */
export function undatedPrices(seed: number, base: number): Question[] {
  return [...touchQuestions(seed, base), ...commodityQuestions(seed, base)];
}
