import { dollars, duration, NO_VALUE, percent } from '../components/format.ts';

export type Tally = {
  shown: number;
  markets: number;
  settled: number;
  paid_as_promised: number;
  paid_less: number;
  lost: number;
  without_result: number;
  worst_case_usd: number | null;
  median_life_s: number | null;
  cost_usd: number;
  promised_usd: number;
  paid_usd: number;
};

export type CompetitionTally = Tally & { family: string; competition: string | null };

/** The response of `GET /v2/track-record`, which needs no key. */
export type TrackRecord = {
  source: 'live' | 'simulated' | 'replay' | null;
  since: string | null;
  updated_at: string | null;
  totals: Tally;
  competitions: CompetitionTally[];
  records: (CompetitionTally & { month: string })[];
  truncated: boolean;
};

/** crypto_above → Crypto above */
export const familyName = (family: string): string =>
  family.slice(0, 1).toUpperCase() + family.slice(1).replaceAll('_', ' ');

/** The share of settled opportunities that paid as promised. Rounded down: only all are 100 %. */
export const promisedShare = ({ settled, paid_as_promised }: Tally): string =>
  settled === 0 ? NO_VALUE : percent(Math.floor((paid_as_promised * 1000) / settled) / 1000);

/** 0.4 s, 12 s, 3 min */
export function lifeTime(seconds: number | null): string {
  if (seconds === null) return NO_VALUE;
  return seconds < 10 ? `${seconds.toFixed(1)} s` : duration(seconds * 1000);
}

/** A profit with its sign: +$2.41, -$17.59 */
export const profit = (usd: number | null): string =>
  usd === null ? NO_VALUE : `${usd > 0 ? '+' : ''}${dollars(usd)}`;

/** Opportunities of one month by what became of them. The four parts add up to `shown`. */
export type Month = {
  month: string;
  shown: number;
  asPromised: number;
  less: number;
  lost: number;
  notSettled: number;
};

const MONTHS = 12;

/** The last twelve months up to the newest one of the record, oldest first, without a gap. */
export function monthsOf(records: TrackRecord['records']): Month[] {
  const newest = records.reduce((last, { month }) => (month > last ? month : last), '');
  if (newest === '') return [];
  const [year = 0, number = 0] = newest.split('-').map(Number);
  return Array.from({ length: MONTHS }, (_, at) => {
    const month = new Date(Date.UTC(year, number - MONTHS + at, 1)).toISOString().slice(0, 7);
    const sum = (count: (row: Tally) => number) =>
      records.reduce((total, row) => (row.month === month ? total + count(row) : total), 0);
    return {
      month,
      shown: sum((row) => row.shown),
      asPromised: sum((row) => row.paid_as_promised),
      less: sum((row) => row.paid_less - row.lost),
      lost: sum((row) => row.lost),
      notSettled: sum((row) => row.shown - row.settled),
    };
  });
}
