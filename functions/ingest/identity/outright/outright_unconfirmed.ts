import type { Question, VenueCode } from '../../listing.ts';
import { buildQuestion, earliest, orderLegs, type UnorderedLeg, urlOf } from '../question.ts';
import { sportsTerms } from '../terms/terms.ts';
import { parseInstant, parseTickerDate } from '../text/eastern.ts';
import { type RawObject, records, rulesOfA, rulesOfB, text, yesContract } from '../text/raw_object.ts';
import { isPlaceholder, normalize, slugOf } from '../text/text.ts';
import { seriesOf } from '../text/ticker.ts';

/**
 * Lists of runners that no registry decides: an award, an election, a race whose contest is not
 * known. Such a question stays excluded. Its runners by their full printed names, its title words,
 * its numbers and its year are evidence from which the database may propose a candidate
 * (sql/326_catalog_evidence_races.sql).
 */

type RunnerLeg = { name: string; market_id: string; contract_id: string; side: 'yes' | null };

const MIN_RUNNERS = 3;
const MAX_RUNNERS = 400;
const MAX_NAME = 100;
const MAX_WORDS = 24;

/** Builds the question of a venue_a event that no family parses, if it is a list of runners. */
export function unconfirmedRaceA(event: RawObject): Question[] {
  const ticker = text(event.event_ticker);
  if (ticker === null) return [];
  const markets = records(event.markets);
  if (markets.some((market) => isThreshold(market))) return [];
  const runners = markets.flatMap((market): RunnerLeg[] => {
    const id = text(market.ticker);
    const name = text(market.yes_sub_title);
    return id === null || name === null ? [] : [{ name, market_id: id, contract_id: id, side: 'yes' }];
  });
  const year = /-(\d{2})(?:[A-Z]|-|$)/.exec(ticker)?.[1];
  return raceOf({
    venue: 'venue_a',
    id: ticker,
    titles: [text(event.title), text(event.sub_title)],
    runners,
    count: markets.length,
    year: year === undefined ? null : 2000 + Number(year),
    day: parseTickerDate(/-(\d{2}[A-Z]{3}\d{2})/.exec(ticker)?.[1] ?? ''),
    close_at: earliest(
      markets.map((one) => parseInstant(text(one.expected_expiration_time)) ?? parseInstant(text(one.close_time))),
    ),
    url: urlOf('venue_a', ticker, text(event.series_ticker) ?? seriesOf(ticker)),
    rules: rulesOfA(markets),
    exclusive: event.mutually_exclusive === true,
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
    exclusive: event.negRisk === true,
  });
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
  exclusive: boolean;
};

function raceOf(listed: Listed): Question[] {
  const title = listed.titles.find((one) => one !== null) ?? null;
  if (title === null || / vs\.? | at .* winner/i.test(title) || listed.count > MAX_RUNNERS) return [];
  const legs = legsOf(listed.runners);
  // A ladder of numbers is no list of runners.
  const numbered = legs.filter((leg) => /\d/.test(leg.outcome_name)).length;
  if (legs.length < MIN_RUNNERS || numbered * 2 > legs.length) return [];
  const { words, numbers } = titleWords(listed.titles);
  const stated = yearsIn(listed.titles);
  if (words.length === 0) return [];
  return [
    buildQuestion(
      {
        question_id: `${listed.venue}:${listed.id}`,
        family: 'outright',
        key: `outright|unconfirmed|${listed.venue}|${listed.id.toLowerCase()}`,
        title: title.slice(0, 300),
        identity: {
          year: stated.length > 0 ? null : listed.year,
          whole: false,
          evidence: {
            title: words,
            numbers,
            years: stated.length > 0 ? stated : listed.year === null ? [] : [listed.year],
            day: listed.day,
          },
        },
      },
      {
        close_at: listed.close_at,
        url: listed.url,
        exclusive: listed.exclusive,
        excluded: 'unconfirmed_league',
      },
      sportsTerms(listed.rules, [], null),
      orderLegs(legs, null),
    ),
  ];
}

/** The runners by their full names. A name that is listed twice, or a free seat, is left out. */
function legsOf(runners: readonly RunnerLeg[]): UnorderedLeg[] {
  const byKey = new Map<string, UnorderedLeg | null>();
  for (const { name, ...contract } of runners) {
    const key = slugOf(name);
    if (key === '' || name.length > MAX_NAME || isPlaceholder(name)) continue;
    byKey.set(key, byKey.has(key) ? null : { outcome_key: key, outcome_name: name, ...contract, detail: null });
  }
  return [...byKey.values()].filter((leg): leg is UnorderedLeg => leg !== null);
}

/** Words of a title that do not distinguish two questions. */
const FILLER = new Set(
  'the a an of in on for to and at by will who which what win wins winner winning won be is are this season year next'.split(
    ' ',
  ),
);

/** The words of the titles, and apart from them the numbers that are not years: "Top 5". */
function titleWords(titles: readonly (string | null)[]): { words: string[]; numbers: string[] } {
  const words = normalize(
    titles
      .map((one) => one ?? '')
      .join(' ')
      .slice(0, 600),
  ).split(' ');
  const distinct = [...new Set(words)].filter((word) => word !== '' && !FILLER.has(word));
  return {
    words: distinct.filter((word) => !/\d/.test(word)).slice(0, MAX_WORDS),
    numbers: distinct
      .filter((word) => /\d/.test(word) && !/^20\d\d$/.test(word))
      .slice(0, MAX_WORDS)
      .sort(),
  };
}

/** Every year that a title states; both of a season that spans two ("2026-27"). */
function yearsIn(titles: readonly (string | null)[]): number[] {
  const plain = titles.join(' ').slice(0, 600);
  const years = [...plain.matchAll(/\b(20\d{2})(?:[/–-](\d{2}|20\d{2})\b)?/g)].flatMap(([, first, second]) => [
    Number(first),
    ...(second === undefined ? [] : [Number(second.length === 2 ? `20${second}` : second)]),
  ]);
  return [...new Set(years)].sort();
}
