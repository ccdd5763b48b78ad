import { HOUR } from '../../core/eastern.ts';

/** A commodity, with its names on each venue. */
export type Commodity = {
  series: string;
  /** Hour in New York at which venue A takes the price. */
  hour: number;
  name: string;
  unit: string;
  future: string;
  price: number;
  step: number;
};

export const aboveChance = (of: Commodity, strike: number) => (t: number) =>
  Math.min(0.97, Math.max(0.03, 0.5 - 0.12 * ((strike - of.price) / of.step) + 0.02 * Math.sin(t / (5 * HOUR))));
