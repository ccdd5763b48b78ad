import type { Question } from '../../listing.ts';
import { isDraw, parseTitleSides, type TitleSides } from '../names/participants.ts';
import { AS_PRINTED, type League, type Pool } from '../names/registry.ts';
import { isClubAffix } from '../names/registry_build.ts';
import { type RawObject, records, strings, text } from '../text/raw_object.ts';
import { parseGameSlug } from '../text/slug.ts';
import { normalize } from '../text/text.ts';
import { parseGameTicker } from '../text/ticker.ts';
import { titleOfB } from './competition_b.ts';
import { parsePart } from './parts.ts';

/**
 * Games that the closed registry does not decide: their league is not in it, or one of their names.
 * They are parsed with an open league and stay excluded. Their names are kept as evidence, from
 * which the database may propose a candidate (sql/325_catalog_evidence.sql). Such a pair is never
 * published before a person confirms it.
 */

const EMPTY_POOL: Pool = {
  id: 'unconfirmed',
  groups: {},
  teams: new Map(),
  byName: new Map(),
  byShort: new Map(),
  byCode: { venue_a: new Map(), venue_b: new Map() },
};

function openLeague(ways: 2 | 3): League {
  return {
    id: 'unconfirmed',
    name: 'Unconfirmed league',
    sport: 'unconfirmed',
    ways,
    order: 'listed',
    open: 'team',
    unconfirmed: true,
    rematch: 'next_day',
    season: 'calendar',
    preseason: null,
    venue_a: { game_series: [], names: [] },
    venue_b: { prefixes: [] },
    words: [],
    pool: EMPTY_POOL,
    pools_all: [EMPTY_POOL],
  };
}

const OPEN_LEAGUES = { 2: openLeague(2), 3: openLeague(3) };

/**
 * Returns the open league of a venue_a event of an unknown series, or null when the event is not
 * the winner of a whole dated game: a market for each side of its title, and perhaps the draw.
 */
export function unconfirmedLeagueA(event: RawObject): League | null {
  const sides = parseTitleSides(text(event.title));
  const ticker = parseGameTicker(text(event.event_ticker) ?? '');
  if (sides === null || ticker === null || ticker.codes.length < 2) return null;
  const markets = records(event.markets);
  const labels = markets.map((market) => text(market.yes_sub_title) ?? '');
  const draws = labels.filter(isDraw);
  const named = labels.filter((label) => !isDraw(label));
  if (named.length !== 2 || draws.length > 1 || new Set(named.map(normalize)).size !== 2) return null;
  const texts = [text(event.title), ...markets.map((market) => text(market.title))];
  if (!areSides(named, sides) || texts.some((part) => parsePart(part ?? '', '') !== null)) return null;
  return OPEN_LEAGUES[draws.length === 1 ? 3 : 2];
}

/**
 * Returns the open league of a venue_b event with an unknown prefix, or null when the event is not
 * the main page of a dated game.
 */
export function unconfirmedLeagueB(event: RawObject, slug: string): League | null {
  const gameSlug = parseGameSlug(slug);
  const title = titleOfB(event, slug);
  const sides = parseTitleSides(title);
  if (gameSlug === null || gameSlug.suffix !== null || sides === null) return null;
  if (parsePart(title ?? '', '') !== null) return null;
  // A Yes/No market for each side means that a draw is possible, even where none is listed.
  const markets = records(event.markets).map((market) => ({
    outcomes: strings(market.outcomes),
    isMoneyline: text(market.sportsMarketType) === 'moneyline',
  }));
  const hasYes = (outcomes: readonly string[]) => outcomes.some((one) => /^yes$/i.test(one));
  const isYesNo = markets.some(({ outcomes }) => hasYes(outcomes));
  const isTwoWay = markets.some(
    ({ outcomes, isMoneyline }) => (isMoneyline && !hasYes(outcomes)) || areSides(outcomes, sides),
  );
  return OPEN_LEAGUES[isYesNo && !isTwoWay ? 3 : 2];
}

/** Whether two labels are the two sides of a title, in either order. */
function areSides(labels: readonly string[], { first, second }: TitleSides): boolean {
  const [one, two, ...more] = labels;
  if (one === undefined || two === undefined || more.length > 0) return false;
  const straight = sharesWord(one, first) && sharesWord(two, second);
  return straight || (sharesWord(one, second) && sharesWord(two, first));
}

/** The league with every name allowed, for a game of it with a name that it does not hold. */
export function openedLeague(league: League): League {
  let opened = OPENED.get(league);
  if (opened === undefined) {
    opened = { ...league, open: 'team', unconfirmed: true };
    OPENED.set(league, opened);
  }
  return opened;
}

const OPENED = new WeakMap<League, League>();

const wordsOf = (name: string): string[] => normalize(name).split(' ');

/** Whether two names share a word, or a word of one begins a word of the other. */
function sharesWord(one: string, other: string): boolean {
  return wordsOf(one).some((word) => wordsOf(other).some((two) => word.startsWith(two) || two.startsWith(word)));
}

const WOMEN = /\b(?:wom[ae]ns?|ladies|femenin[ao]|feminin[aoe]?|frauen|wfc)\b|\(w\)/i;
const MAX_WORDS = 8;

/**
 * Marks a parsed game as unconfirmed. `excluded` states why. `evidence` holds the words of each
 * side's name, its code on venue_a, and whether the listing has a draw or names women.
 */
export function asUnconfirmed(
  question: Question,
  excluded: 'unconfirmed_league' | 'unknown_alias',
  event: RawObject,
): Question {
  if (question.excluded !== null) return question;
  const teams = question.legs.filter((leg) => leg.outcome_key !== 'draw');
  const sides = teams.map((leg) => ({
    key: leg.outcome_key,
    words: nameWords(leg.outcome_name),
    // The end of a ticker of venue_a is the code of the side: "CGY" of Calgary.
    ...(leg.side === 'yes' ? { code: leg.market_id.split('-').at(-1)?.toLowerCase() ?? '' } : {}),
  }));
  if (sides.length !== 2 || sides.some((side) => side.words.length === 0)) return question;
  const texts = [text(event.title), text(event.slug), ...records(event.tags).map((tag) => text(tag.slug))];
  return {
    ...question,
    sport: excluded === 'unconfirmed_league' ? null : question.sport,
    competition: excluded === 'unconfirmed_league' ? null : question.competition,
    excluded,
    identity: {
      ...question.identity,
      evidence: {
        sides,
        draw: question.legs.length > teams.length,
        women: texts.some((one) => one !== null && WOMEN.test(one.replace(/-/g, ' '))),
      },
    },
  };
}

/** The words that identify a name, without affixes of clubs, in order and bounded. */
function nameWords(name: string): string[] {
  const words = wordsOf(name.replace(AS_PRINTED, '').slice(0, 120)).filter((word) => word !== '');
  const own = words.filter((word) => !isClubAffix(word) && !/^women$|^w$/.test(word));
  return [...new Set(own.length === 0 ? words : own)].slice(0, MAX_WORDS);
}
