import { HOUR } from '../../core/eastern.ts';

/** What is asked for by its price, as each venue calls it. */
export type Commodity = {
  series: string;
  /** Of New York's clock, by which venue A takes its price. */
  hour: number;
  name: string;
  unit: string;
  future: string;
  price: number;
  step: number;
};

export const aboveChance = (of: Commodity, strike: number) => (t: number) =>
  Math.min(0.97, Math.max(0.03, 0.5 - 0.12 * ((strike - of.price) / of.step) + 0.02 * Math.sin(t / (5 * HOUR))));
