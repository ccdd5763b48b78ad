import type { Market } from './frames.ts';
import type { MarketFigures } from './market_figures.ts';

/** All values are those of the address, so a filter can be shared as a link. */
export type Filter = {
  search: string;
  category: string;
  sport: string;
  competition: string;
  signal: '' | 'arb' | 'spread';
  /** The smallest edge after fees, in points. */
  edge: string;
  /** The smallest profit of an open opportunity, in USD. */
  profit: string;
  /** Starts within this many hours; `started`: it has started. */
  starts: string;
  watched: '' | '1';
};

export const NO_FILTER: Filter = {
  search: '',
  category: '',
  sport: '',
  competition: '',
  signal: '',
  edge: '',
  profit: '',
  starts: '',
  watched: '',
};

/** What a filter compares with. `now` is market time, epoch ms. */
export type FilterContext = { figures: MarketFigures; watched: ReadonlySet<string>; now: number };

const listed = new Set(['open', 'live', 'resolving']);

export function passes(market: Market, filter: Filter, { figures, watched, now }: FilterContext): boolean {
  if (!listed.has(market.status)) return false;
  if (filter.watched && !watched.has(market.id)) return false;
  if (filter.category && market.category !== filter.category) return false;
  if (filter.sport && market.sport !== filter.sport) return false;
  if (filter.competition && market.competition !== filter.competition) return false;
  if (filter.signal && market.signal !== filter.signal) return false;
  if (filter.starts && !startsWithin(market, filter.starts, now)) return false;
  if (filter.edge && !isAtLeast(figures.edgeOf(market).points, filter.edge)) return false;
  if (filter.profit && !isAtLeast(figures.profitOf(market), filter.profit)) return false;
  return filter.search === '' || matches(market, filter.search.toLowerCase());
}

/** A value that is not known does not pass. */
function isAtLeast(value: number | null, least: string): boolean {
  return value !== null && value >= Number(least);
}

function startsWithin({ start_time }: Market, starts: string, now: number): boolean {
  const away = Date.parse(start_time) - now;
  return starts === 'started' ? away <= 0 : away > 0 && away <= Number(starts) * 3_600_000;
}

/**
 * Whether each search word occurs in the title, competition, sport, location, asset or an outcome
 * name.
 */
function matches(market: Market, search: string): boolean {
  const names = market.outcomes.map((outcome) => outcome.name).join(' ');
  const text = `${market.title} ${market.competition ?? ''} ${market.sport ?? ''} ${market.location ?? ''} ${market.asset ?? ''} ${names}`;
  const haystack = text.toLowerCase();
  return search.split(/\s+/).every((word) => haystack.includes(word));
}

/** The filter in the query of an address. A value that no control offers is left out. */
export function filterOfQuery(query: URLSearchParams): Filter {
  const filter = { ...NO_FILTER };
  for (const name of ['search', 'category', 'sport', 'competition'] as const) filter[name] = query.get(name) ?? '';
  const signal = query.get('signal');
  if (signal === 'arb' || signal === 'spread') filter.signal = signal;
  if (query.get('watched') === '1') filter.watched = '1';
  for (const name of ['edge', 'profit'] as const) {
    const value = query.get(name) ?? '';
    if (/^-?\d{1,6}(\.\d{1,4})?$/.test(value)) filter[name] = value;
  }
  const starts = query.get('starts') ?? '';
  if (starts === 'started' || /^\d{1,4}$/.test(starts)) filter.starts = starts;
  return filter;
}
