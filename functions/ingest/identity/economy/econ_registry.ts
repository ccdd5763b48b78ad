import indicators from '../registry/indicators.json' with { type: 'json' };

/**
 * The closed registry of economic prints: indicators, countries, and the series that venue_a lists.
 */

type Word = { id: string; name: string; words: string[] };

export type Indicator = Word & {
  /** `%`, `k` (thousands) or `points`. */
  unit: string;
  /** The step of the published figure, as decimal text in `unit`. */
  grid: string;
  /** The only basis on which it is listed. Null where the listing must name the basis. */
  basis: string | null;
};

export type Series = {
  series: string;
  country: string;
  indicator: string;
  basis: string;
  /** `exact`: one figure per contract. `above`: cumulative thresholds. */
  kind: string;
  /**
   * The meaning of the date in the ticker: the month of the figures, or the day of their release.
   */
  ticker: string;
  /** `first` print of a period, or one `release` of several. */
  print: string;
};

export const COUNTRIES: readonly Word[] = indicators.countries;
export const BASES: readonly Word[] = indicators.bases;
export const INDICATORS: readonly Indicator[] = indicators.indicators;
const SERIES = new Map<string, Series>(indicators.series.map((one) => [one.series, one]));

export const seriesOfPrint = (series: string): Series | null => SERIES.get(series) ?? null;
export const indicatorOf = (id: string): Indicator | null => INDICATORS.find((one) => one.id === id) ?? null;
export const nameOf = (words: readonly Word[], id: string): string => words.find((one) => one.id === id)?.name ?? id;
