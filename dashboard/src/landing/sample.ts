import type { Market } from '../live/frames.ts';

type SampleMarket = Pick<Market, 'id' | 'title' | 'status' | 'spread_pts' | 'outcomes'>;

/** The response of `GET /v2/sample`, which needs no key. */
export type Sample = { count: number; snapshot_at: string | null; delay_seconds: number; markets: SampleMarket[] };

export const ROWS = 5;

/** The markets with prices of both venues, the widest gap first. Equal gaps keep their order. */
export const widestOf = ({ markets }: Pick<Sample, 'markets'>): SampleMarket[] =>
  markets
    .filter((market) => market.spread_pts !== null && market.outcomes.length > 0)
    .sort((one, other) => (other.spread_pts ?? 0) - (one.spread_pts ?? 0))
    .slice(0, ROWS);

/** The outcome whose asks differ most; undefined where none has both asks. */
export function widestOutcome({ outcomes }: SampleMarket): SampleMarket['outcomes'][number] | undefined {
  const gap = ({ venue_a, venue_b }: SampleMarket['outcomes'][number]) =>
    venue_a === null || venue_b === null ? -1 : Math.abs(venue_a - venue_b);
  return outcomes
    .filter((outcome) => gap(outcome) >= 0)
    .reduce<SampleMarket['outcomes'][number] | undefined>(
      (best, outcome) => (best === undefined || gap(outcome) > gap(best) ? outcome : best),
      undefined,
    );
}
