import type { Question, VenueCode } from '../../listing.ts';
import { buildQuestion, type Context, earliest, orderLegs, type UnorderedLeg, urlOf } from '../question.ts';
import { sportsTerms } from '../terms/terms.ts';
import { parseInstant, parseTickerDate } from '../text/eastern.ts';
import {
  type RawObject,
  record,
  records,
  rulesOfA,
  rulesOfB,
  sourcesOfA,
  text,
  yesContract,
} from '../text/raw_object.ts';
import { seriesOf } from '../text/ticker.ts';
import { contestTerms } from './contest_terms.ts';
import { categoryOf, isFreeSeat, type Subject, subjectOf } from './subject.ts';

/**
 * Lists of runners that no registry decides: an election, an award, a chart, spoken words, a race
 * whose contest is not known. Such a question stays excluded. Its runners by their full printed
 * names and its subject are evidence from which the database may propose a candidate
 * (sql/326_catalog_evidence_races.sql).
 */

type RunnerLeg = { name: string; market_id: string; contract_id: string; side: 'yes' | null };

const MIN_RUNNERS = 3;
/** The two parties of an election. */
const PARTIES = ['democratic', 'republican'];
const MAX_RUNNERS = 400;
const MAX_NAME = 100;

/** Builds the question of a venue_a event that no family parses, if it is a list of runners. */
export function unconfirmedRaceA(event: RawObject, context: Context): Question[] {
  const ticker = text(event.event_ticker);
  if (ticker === null) return [];
  const markets = records(event.markets);
  if (markets.some((market) => isThreshold(market))) return [];
  const runners = markets.flatMap((market): RunnerLeg[] => {
    const id = text(market.ticker);
    const name = text(market.yes_sub_title);
    return id === null || name === null ? [] : [{ name, market_id: id, contract_id: id, side: 'yes' }];
  });
  return raceOf({
    venue: 'venue_a',
    id: ticker,
    titles: [text(event.title), text(event.sub_title)],
    runners,
    count: markets.length,
    year: tickerYear(ticker),
    day: parseTickerDate(/-(\d{2}[A-Z]{3}\d{2})/.exec(ticker)?.[1] ?? ''),
    close_at: earliest(
      markets.map((one) => parseInstant(text(one.expected_expiration_time)) ?? parseInstant(text(one.close_time))),
    ),
    url: urlOf('venue_a', ticker, text(event.series_ticker) ?? seriesOf(ticker)),
    rules: rulesOfA(markets),
    sources: sourcesOfA(event, context.series),
    categories: [text(event.category) ?? text(record(context.series).category)],
    exclusive: flag(event.mutually_exclusive),
  });
}

/** Builds the question of a venue_b event that no family parses, if it is a list of runners. */
export function unconfirmedRaceB(event: RawObject): Question[] {
  const slug = text(event.slug);
  if (slug === null) return [];
  const markets = records(event.markets);
  const runners = markets.flatMap((market): RunnerLeg[] => {
    const yes = yesContract(market);
    const name = text(market.groupItemTitle);
    return yes === null || name === null ? [] : [{ name, ...yes, side: null }];
  });
  const close_at = earliest([
    parseInstant(text(event.endDate)),
    ...markets.map((one) => parseInstant(text(one.endDate))),
  ]);
  return raceOf({
    venue: 'venue_b',
    id: slug,
    titles: [text(event.title)],
    runners,
    count: markets.length,
    year: close_at === null ? null : Number(close_at.slice(0, 4)),
    day: /(\d{4}-\d{2}-\d{2})(?:$|-)/.exec(slug)?.[1] ?? null,
    close_at,
    url: urlOf('venue_b', slug, null),
    rules: rulesOfB(event, markets),
    sources: [],
    categories: records(event.tags).map((tag) => text(tag.slug)),
    exclusive: flag(event.negRisk),
  });
}

/** Whether at most one runner can win. Null where the listing does not say. */
const flag = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null);

/**
 * The year in a ticker: KXFIELDS-26, KXTRUMPSAY-26MAY18. In a primary it follows the district and
 * the party: KXTXPRIMARY-38R26.
 */
function tickerYear(ticker: string): number | null {
  const year = /-\d{1,2}(?:D|R|FIRST)(\d{2})(?:-|$)/.exec(ticker)?.[1] ?? /-(\d{2})(?:[A-Z]|-|$)/.exec(ticker)?.[1];
  return year === undefined ? null : 2000 + Number(year);
}

const isThreshold = (market: RawObject): boolean =>
  ['greater', 'less', 'between', 'greater_or_equal', 'less_or_equal'].includes(text(market.strike_type) ?? '');

type Listed = {
  venue: VenueCode;
  id: string;
  titles: (string | null)[];
  runners: RunnerLeg[];
  count: number;
  year: number | null;
  day: string | null;
  close_at: string | null;
  url: string | null;
  rules: string | null;
  sources: string[];
  categories: (string | null)[];
  exclusive: boolean | null;
};

function raceOf(listed: Listed): Question[] {
  const title = listed.titles.find((one) => one !== null) ?? null;
  if (title === null || / vs\.? | at .* winner/i.test(title) || listed.count > MAX_RUNNERS) return [];
  const subject = subjectOf(title, listed);
  const legs = legsOf(listed.runners, subject);
  const ofParties = subject.kind === 'election' && PARTIES.every((one) => legs.some((leg) => leg.outcome_key === one));
  // A ladder of numbers is no list of runners.
  const numbered = legs.filter((leg) => /\d/.test(leg.outcome_name)).length;
  if (legs.length < (ofParties ? PARTIES.length : MIN_RUNNERS) || numbered * 2 > legs.length) return [];
  if (subject.words.length === 0 && subject.contest === null) return [];
  return [
    buildQuestion(
      {
        question_id: `${listed.venue}:${listed.id}`,
        family: 'outright',
        key: `outright|unconfirmed|${listed.venue}|${listed.id.toLowerCase()}`,
        title: title.slice(0, 300),
        identity: {
          year: subject.years.length === 1 ? (subject.years[0] ?? null) : null,
          whole: false,
          ...(ofParties || subject.kind === 'chart' ? {} : { names_person: true }),
          evidence: {
            title: subject.words,
            numbers: subject.numbers,
            years: subject.years,
            day: subject.day,
            contest: subject.contest,
            exact: subject.exact,
            exclusive: listed.exclusive,
          },
        },
      },
      {
        close_at: listed.close_at,
        category: categoryOf(listed.categories, subject.kind),
        url: listed.url,
        exclusive: listed.exclusive === true,
        excluded: 'unconfirmed_league',
      },
      { ...sportsTerms(listed.rules, listed.sources, null), contest: contestTerms(subject.kind, listed.rules) },
      orderLegs(legs, null),
    ),
  ];
}

/** The runners by their full names. A name that is listed twice, or a free seat, is left out. */
function legsOf(runners: readonly RunnerLeg[], { keyOf }: Subject): UnorderedLeg[] {
  const byKey = new Map<string, UnorderedLeg | null>();
  for (const { name, ...contract } of runners) {
    const key = name.length > MAX_NAME || isFreeSeat(name) ? '' : keyOf(name);
    if (key === '') continue;
    byKey.set(key, byKey.has(key) ? null : { outcome_key: key, outcome_name: name, ...contract, detail: null });
  }
  return [...byKey.values()].filter((leg): leg is UnorderedLeg => leg !== null);
}
