import type { Json, Question } from '../listing.ts';
import { dateInText, instant, isoDate, monthNumber, tickerDate } from './eastern.ts';
import { type Context, earliest, ordered, question, type UnorderedLeg, urlOf } from './question.ts';
import { CITIES, type Named } from './registry.ts';
import { isUnfilled, normal } from './text.ts';
import { seriesOf } from './ticker.ts';
import { amount, records, rulesOfA, rulesOfB, text, type Wire, yesContract } from './wire.ts';

/** The highest temperature of a city's day, as each venue cuts it into bands. Whole degrees, both ends included, null for an open end. */
type Band = { low: number | null; high: number | null; unit: 'F' | 'C' };
type Rung = { band: Band; label: string; market_id: string; contract_id: string; side: 'yes' | null };

/** "69° to 70°", "84-85°F", "73° or above", "55°F or below", "18°C". */
export function bandOf(label: string, fallback: 'F' | 'C'): Band | null {
  const said = label.replace(/[–—−]/g, '-').replace(/º/g, '°');
  const unit = /°?\s*C\b/.test(said) ? 'C' : /°?\s*F\b/.test(said) ? 'F' : fallback;
  const range = /(-?\d+)\s*°?\s*[FC]?\s*(?:-|to)\s*(-?\d+)\s*°?/.exec(said);
  if (range) return { low: Number(range[1]), high: Number(range[2]), unit };
  const one = /(-?\d+)\s*°/.exec(said) ?? /(-?\d+)/.exec(said);
  if (!one) return null;
  if (/or (?:above|higher|more)/i.test(said)) return { low: Number(one[1]), high: null, unit };
  if (/or (?:below|lower|less)/i.test(said)) return { low: null, high: Number(one[1]), unit };
  return /^\s*-?\d+\s*°\s*[FC]?\s*$/.test(said) ? { low: Number(one[1]), high: Number(one[1]), unit } : null;
}

/** venue_a's fields say it more exactly: strict tails, whole degrees. */
function bandOfStrike(market: Wire): Band | null {
  const floor = amount(market.floor_strike);
  const cap = amount(market.cap_strike);
  const type = text(market.strike_type);
  if (type === 'between' && floor !== null && cap !== null) return { low: floor, high: cap, unit: 'F' };
  if (type === 'greater' && floor !== null) return { low: Math.floor(floor) + 1, high: null, unit: 'F' };
  if (type === 'greater_or_equal' && floor !== null) return { low: Math.ceil(floor), high: null, unit: 'F' };
  if (type === 'less' && cap !== null) return { low: null, high: Math.ceil(cap) - 1, unit: 'F' };
  if (type === 'less_or_equal' && cap !== null) return { low: null, high: Math.floor(cap), unit: 'F' };
  return null;
}

const keyOf = (band: Band): string => `${band.low ?? 'below'}_${band.high ?? 'above'}_${band.unit.toLowerCase()}`;

function ladder(
  venue: 'venue_a' | 'venue_b',
  native: string,
  city: Named,
  on_date: string | null,
  rungs: readonly Rung[],
  facts: {
    close_at: string | null;
    url: string | null;
    title: string | null;
    terms: { [key: string]: Json };
    basis: string | null;
  },
): Question {
  const sorted = [...rungs].sort(
    (a, b) => (a.band.low ?? Number.NEGATIVE_INFINITY) - (b.band.low ?? Number.NEGATIVE_INFINITY),
  );
  return question(
    {
      question_id: `${venue}:${native}`,
      family: 'weather_high',
      key: `weather_high|${city.id}`,
      title: `Highest temperature in ${city.name} on ${on_date ?? '?'}`,
      identity: { city: city.id, title: facts.title },
    },
    {
      on_date,
      category: 'weather',
      location: city.name,
      basis: facts.basis,
      close_at: facts.close_at,
      url: facts.url,
      excluded: on_date === null ? 'unreadable_date' : rungs.length === 0 ? 'incomplete' : null,
    },
    facts.terms,
    ordered(
      sorted.map(
        ({ band, label, ...leg }): UnorderedLeg => ({
          ...leg,
          outcome_key: keyOf(band),
          outcome_name: label,
          detail: { low: band.low, high: band.high, comparison: 'within', unit: band.unit },
        }),
      ),
      sorted.map((rung) => keyOf(rung.band)),
    ),
  );
}

/** The station and the report, in the words of the text itself. */
function stationOf(rules: string | null): string | null {
  return rules === null
    ? null
    : (/recorded (?:at|in|by) (?:the )?(.+?)(?: for | in degrees| as reported)/i.exec(rules)?.[1] ?? null);
}

function sourceOf(rules: string | null): string | null {
  if (rules === null) return null;
  if (/climatological report/i.test(rules)) return 'nws_climatological_report';
  return /wunderground/i.test(rules) ? 'wunderground' : null;
}

function weatherTerms(rules: string | null): { [key: string]: Json } {
  return {
    rules: rules === null ? 'none' : isUnfilled(rules) ? 'unfilled' : 'read',
    station: stationOf(rules),
    source: sourceOf(rules),
  };
}

export function weatherHighA(event: Wire, _context: Context): Question[] {
  const ticker = text(event.event_ticker);
  const series = ticker === null ? null : (text(event.series_ticker) ?? seriesOf(ticker));
  const city = CITIES.find((one) => series !== null && one.venue_a.includes(series));
  if (ticker === null || city === undefined) return [];
  const markets = records(event.markets);
  const rungs = markets.flatMap((market): Rung[] => {
    const id = text(market.ticker);
    const label = text(market.yes_sub_title) ?? text(market.title) ?? '';
    const band = bandOfStrike(market) ?? bandOf(label, 'F');
    return id === null || band === null ? [] : [{ band, label, market_id: id, contract_id: id, side: 'yes' }];
  });
  const rules = rulesOfA(markets);
  return [
    ladder('venue_a', ticker, city, tickerDate(ticker.split('-')[1] ?? ''), rungs, {
      close_at: earliest(markets.map((market) => instant(text(market.close_time)))),
      url: urlOf('venue_a', ticker, series),
      title: text(event.title),
      terms: weatherTerms(rules),
      basis: stationOf(rules),
    }),
  ];
}

export function weatherHighB(event: Wire, _context: Context): Question[] {
  const slug = text(event.slug);
  const match =
    slug === null ? null : /^highest-temperature-in-(.+?)-on-([a-z]+)-(\d{1,2})(?:-(\d{4}))?(?:-\d+)*$/.exec(slug);
  const city = match
    ? CITIES.find((one) => one.names.some((name) => normal(name) === normal(match[1] ?? '')))
    : undefined;
  if (slug === null || match === null || city === undefined) return [];
  const markets = records(event.markets);
  const rungs = markets.flatMap((market): Rung[] => {
    const yes = yesContract(market);
    const label = text(market.groupItemTitle) ?? '';
    const band = bandOf(label, 'F');
    return yes === null || band === null ? [] : [{ band, label, ...yes, side: null }];
  });
  const end = earliest([instant(text(event.endDate)), ...markets.map((market) => instant(text(market.endDate)))]);
  const month = monthNumber(match[2] ?? '');
  const year = match[4] ?? end?.slice(0, 4);
  const on_date =
    month && year ? isoDate(Number(year), month, Number(match[3])) : dateInText(text(event.title) ?? '', end);
  const rules = rulesOfB(event, markets);
  return [
    ladder('venue_b', slug, city, on_date, rungs, {
      close_at: end,
      url: urlOf('venue_b', slug, null),
      title: text(event.title),
      terms: weatherTerms(rules),
      basis: stationOf(rules),
    }),
  ];
}
