import { count, exactDollars, NO_VALUE } from '../components/format.ts';

// The result of api.read_coverage (sql/89_api_dashboard_coverage.sql): part of GET /v2/coverage.

/** Events by the code that explains why they have no pair, or no question. */
export type Codes = Record<string, number>;

export type Volume = { amount: number; unit: 'contracts' | 'usd'; events: number };

/** Events by state. Each one is in exactly one of the states; `candidate` includes `waiting`. */
export type StateCounts = {
  events: number;
  paired: number;
  candidate: number;
  waiting: number;
  unpaired: Codes;
  unread: Codes;
};

export type Series = StateCounts & {
  venue: 'venue_a' | 'venue_b';
  series: string | null;
  tag: string | null;
  category: string | null;
  sport: string | null;
  volume: Volume | null;
};

export type CategoryWeek = {
  category: string | null;
  week: string | null;
  paired: number;
  candidate: number;
  other: number;
};

export type Coverage = {
  /** Time of the census; null before the first one. */
  as_of: string | null;
  /** More than `events_by_series` has when that list is cut. */
  events_by_series_count: number;
  events_by_series: Series[];
  /** A sentence for each code. */
  reasons: Record<string, string>;
  events_by_week: CategoryWeek[];
};

/** The states of an event, in the order of the columns and of the bars. */
export const states = [
  { state: 'paired', name: 'Paired', meaning: 'A pair is published.' },
  { state: 'candidate', name: 'Candidate', meaning: 'A candidate pair exists, and none is published.' },
  { state: 'unpaired', name: 'Unpaired', meaning: 'Read, but without a pair. A code states why.' },
  { state: 'unread', name: 'Unread', meaning: 'No question was made of it. A code states why.' },
] as const;

export type State = (typeof states)[number]['state'];

export const sumOf = (codes: Codes): number => Object.values(codes).reduce((sum, many) => sum + many, 0);

export function eventsIn(counts: StateCounts, state: State): number {
  return state === 'unpaired' || state === 'unread' ? sumOf(counts[state]) : counts[state];
}

/** The codes of a state, the most frequent first. */
export const byFrequency = (codes: Codes): [code: string, many: number][] =>
  Object.entries(codes).sort(([code, many], [other, others]) => others - many || (code < other ? -1 : 1));

export function totalsOf(rows: readonly StateCounts[]): StateCounts {
  const total: StateCounts = { events: 0, paired: 0, candidate: 0, waiting: 0, unpaired: {}, unread: {} };
  for (const row of rows) {
    for (const key of ['events', 'paired', 'candidate', 'waiting'] as const) total[key] += row[key];
    for (const state of ['unpaired', 'unread'] as const) {
      const sums = total[state];
      for (const [code, many] of Object.entries(row[state])) sums[code] = (sums[code] ?? 0) + many;
    }
  }
  return total;
}

/** Whole percent, rounded down: only all are 100. Some are never 0. */
export function sharePercent(part: number, all: number): string {
  const percent = Math.floor((part * 100) / all);
  return percent === 0 && part > 0 ? '<1' : String(percent);
}

export const shareText = (part: number, all: number): string => (all === 0 ? NO_VALUE : `${sharePercent(part, all)} %`);

/** climate_and_weather → Climate and weather */
export const categoryName = (category: string | null): string =>
  category === null ? 'No category' : category.slice(0, 1).toUpperCase() + category.slice(1).replaceAll('_', ' ');

export const seriesName = ({ series, tag }: Series): string => series ?? tag ?? 'No series';

/** `venue_a series · Sports · football` */
export function seriesContext({ venue, series, tag, category, sport }: Series): string {
  const kind = series !== null ? ' series' : tag !== null ? ' tag' : '';
  const parts = [`${venue}${kind}`, categoryName(category)];
  return (sport === null ? parts : [...parts, sport.replaceAll('_', ' ')]).join(' · ');
}

const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });
const exactAmount = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });
/** A smaller amount would be rounded to zero. */
const SMALLEST = 0.05;

/** A rounded amount without the name of its unit: 1.2M, $12.5 */
export function volumeText(volume: Volume | null): string {
  if (!volume) return NO_VALUE;
  const sign = volume.unit === 'usd' ? '$' : '';
  return volume.amount > 0 && volume.amount < SMALLEST ? `<${sign}0.1` : sign + compact.format(volume.amount);
}

export const unitNames = { contracts: 'contracts', usd: 'USD' } as const satisfies Record<Volume['unit'], string>;

/** The exact volume of a series, and of how many of its events it is. */
export function volumeSentence({ venue, volume, events }: Series): string {
  if (!volume) return `${venue} states no volume for these events.`;
  const amount =
    volume.unit === 'usd' ? exactDollars(volume.amount) : `${exactAmount.format(volume.amount)} contracts of $1`;
  const part = volume.events < events ? `, of ${count(volume.events)} of ${count(events)} events` : '';
  return `${amount} traded since the listing${part}.`;
}
