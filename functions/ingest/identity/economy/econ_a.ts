import type { Question } from '../../listing.ts';
import { type Context, earliest, urlOf } from '../question.ts';
import { parseInstant, parseMonth, parseTickerDate } from '../text/eastern.ts';
import {
  amount,
  joined,
  opening,
  type RawObject,
  records,
  rulesOfA,
  sourcesOfA,
  text,
  textsOfA,
} from '../text/raw_object.ts';
import { truncateRules } from '../text/summary_text.ts';
import { seriesOf, suffixOf } from '../text/ticker.ts';
import { type BandLeg, econPrint } from './econ.ts';
import { type Band, decimalText, keyOfBand, parseBand } from './econ_band.ts';
import { type PrintText, payoffOfPrint } from './econ_payoff.ts';
import { quarterReleasedIn, toPeriod, yearBefore } from './econ_period.ts';
import { type Indicator, indicatorOf, type Series, seriesOfPrint } from './econ_registry.ts';
import { mergeSubjects, parseSubject } from './econ_subject.ts';
import { econTerms } from './econ_terms.ts';

/**
 * Parses an economic print of venue_a: a ladder of thresholds (KXCPI, KXU3 …) or of exact figures
 * (KXECONSTATCPI …).
 */
export function econA(event: RawObject, context: Context): Question[] {
  const ticker = text(event.event_ticker);
  const listed = ticker === null ? null : seriesOfPrint(text(event.series_ticker) ?? seriesOf(ticker));
  const indicator = listed ? indicatorOf(listed.indicator) : null;
  if (ticker === null || listed === null || indicator === null) return [];
  const markets = records(event.markets);
  const dated = parsePeriod(ticker, event, markets, listed);
  const kind = listed.kind === 'exact' ? 'exact' : 'above';
  const legs = markets.flatMap((market): BandLeg[] => {
    const id = text(market.ticker);
    const band = id === null ? null : parseMarketBand(market, ticker, kind, indicator);
    return id === null || band === null ? [] : [{ band, market_id: id, contract_id: id, side: 'yes', over: false }];
  });
  const { country, basis } = listed;
  const contracts = markets.map(
    (market): PrintText => ({
      titles: [text(market.title), text(market.yes_sub_title)],
      text: joined(market.rules_primary, market.rules_secondary),
      band: parseMarketBand(market, ticker, kind, indicator),
    }),
  );
  const expected = { indicator: indicator.id, basis, period: dated.period };
  return [
    econPrint(
      'venue_a',
      ticker,
      { country, indicator, basis, period: dated.period, period_by: dated.by, print: printOf(listed, ticker) },
      kind,
      legs,
      {
        close_at: earliest(markets.map((market) => parseInstant(text(market.close_time)))),
        url: urlOf('venue_a', ticker, seriesOf(ticker)),
        title: text(event.title),
        unread: markets.length - legs.length,
        payoff: payoffOfPrint(text(event.title), contracts, expected),
        excluded: dated.contradictory || namesOtherSubject(event, listed) ? 'contradictory' : null,
        terms: econTerms(
          truncateRules(rulesOfA(markets)),
          textsOfA(markets),
          sourcesOfA(event, context.series),
          expected,
        ),
      },
    ),
  ];
}

/**
 * Where a series covers one release of several, the day of that release is part of the identity.
 */
function printOf(listed: Series, ticker: string): string {
  if (listed.print === 'first') return 'first';
  return parseTickerDate(/-(\d{2}[A-Z]{3}\d{2})$/.exec(ticker)?.[1] ?? '') ?? ticker;
}

type Dated = { period: string | null; by: string | null; contradictory: boolean };

/**
 * Parses the period from the title, or from the ticker where the series names its ticker after the
 * period. The two must not differ.
 */
function parsePeriod(ticker: string, event: RawObject, markets: readonly RawObject[], listed: Series): Dated {
  const subjects = [
    event.title,
    event.sub_title,
    event.strike_period,
    ...markets.slice(0, 1).map((market) => market.title),
  ]
    .map((value) => text(value))
    .flatMap((value) => (value === null ? [] : [parseSubject(value)]));
  const { periods, years } = mergeSubjects(subjects);
  const match = /-(\d{2})([A-Z]{3})(\d{2})?$/.exec(ticker);
  const number = match ? parseMonth(match[2] ?? '') : null;
  if (!match || number === null) return { period: null, by: null, contradictory: false };
  const year = 2000 + Number(match[1]);
  const [named] = periods;
  if (periods.size > 1 || years.size > 1) return { period: null, by: null, contradictory: true };
  if (listed.ticker === 'reference') {
    const period = toPeriod(year, String(number).padStart(2, '0'));
    const inWords = named === undefined ? period : toPeriod([...years][0] ?? year, named);
    return { period, by: 'ticker', contradictory: inWords !== period };
  }
  if (named === undefined) {
    const quarter = listed.indicator === 'gdp' && listed.print === 'first';
    return { period: quarter ? quarterReleasedIn(year, number) : null, by: 'ticker', contradictory: false };
  }
  const released = yearBefore(named, `${year}-${String(number).padStart(2, '0')}-28`);
  const yearOfPeriod = [...years][0] ?? released;
  return {
    period: yearOfPeriod === null ? null : toPeriod(yearOfPeriod, named),
    by: 'text',
    contradictory: yearOfPeriod !== released,
  };
}

/**
 * Whether the title names another country, indicator or basis than the series is known for. The
 * title may omit any of them.
 */
function namesOtherSubject(event: RawObject, listed: Series): boolean {
  const title = text(event.title);
  if (title === null) return false;
  const { countries, indicators, bases } = parseSubject(title);
  return (
    [...countries].some((one) => one !== listed.country) ||
    [...indicators].some((one) => one !== listed.indicator) ||
    [...bases].some((one) => one !== listed.basis && !(listed.basis === 'saar' && one === 'qoq'))
  );
}

/**
 * Parses the band of a contract from label, title, strike and ticker. All that name a figure must
 * name the same one.
 */
function parseMarketBand(market: RawObject, event: string, kind: 'exact' | 'above', indicator: Indicator): Band | null {
  const bands = [market.yes_sub_title, market.title]
    .map((value) => text(value))
    .flatMap((value) => (value === null ? [] : (parseLabelBand(value, kind, indicator.unit) ?? [])));
  const suffix = /^T?(-?\d+(?:\.\d+)?)$/.exec(suffixOf(event, text(market.ticker) ?? '') ?? '')?.[1] ?? null;
  const plain = kind === 'exact' ? 'equal' : text(market.strike_type) === 'greater_or_equal' ? 'at_or_above' : 'above';
  const figures = [
    parseFigure(amount(market.floor_strike), indicator.unit),
    parseFigure(suffix, indicator.unit),
  ].flatMap((value) => (value === null ? [] : [bandOfFigure(value, bands[0], plain)]));
  const all = [...bands, ...figures];
  const [band] = all;
  const named = band === undefined || namesFigure(opening(market.rules_primary), band, indicator.unit);
  return new Set(all.map(keyOfBand)).size === 1 && named ? (band ?? null) : null;
}

const COMPARED =
  /\b(?:exactly|above|below|over|under|(?:more|less|greater|fewer|higher|lower) than|at least|at most) (-?[\d,]*\d(?:\.\d+)?)|(-?\d+(?:\.\d+)?) ?(?:%|percent)/gi;

/**
 * Whether a text that compares with figures compares with the figure of its own contract. Signs are
 * ignored, because "decreases by" inverts them.
 */
function namesFigure(rules: string, band: Band, unit: string): boolean {
  const bare = (value: string | null): string | null => value?.replace('-', '') ?? null;
  const named = [...rules.matchAll(COMPARED)].map((match) => {
    const figure = bare(decimalText(match[1] ?? match[2] ?? ''));
    return unit === 'k' && figure !== null && Number(figure) >= 1000 ? decimalText(Number(figure) / 1000) : figure;
  });
  const own = [bare(band.low), bare(band.high)];
  return named.length === 0 || named.some((one) => one !== null && own.includes(one));
}

/** "4.1%" alone is the threshold in a cumulative ladder and the figure in an exact one. */
function parseLabelBand(label: string, kind: 'exact' | 'above', unit: string): Band | null {
  const band = parseBand(label, unit);
  if (band === null || band.comparison !== 'equal' || kind === 'exact') return band;
  return /\bexactly\b/i.test(label) ? band : { low: band.low, high: null, comparison: 'above' };
}

function parseFigure(value: string | number | null, unit: string): string | null {
  const figure = value === null ? null : decimalText(value);
  if (figure === null || unit !== 'k') return figure;
  return Math.abs(Number(figure)) >= 1000 || figure === '0' ? decimalText(Number(figure) / 1000) : null;
}

/**
 * Turns a bare figure of a field or ticker into a band, with the comparison that the words state.
 */
function bandOfFigure(value: string, inWords: Band | undefined, plain: Band['comparison']): Band {
  const comparison = inWords?.comparison ?? plain;
  if (comparison === 'equal') return { low: value, high: value, comparison };
  if (comparison === 'within')
    return inWords?.low === value ? inWords : { low: value, high: value, comparison: 'equal' };
  return comparison === 'above' || comparison === 'at_or_above'
    ? { low: value, high: null, comparison }
    : { low: null, high: value, comparison };
}
