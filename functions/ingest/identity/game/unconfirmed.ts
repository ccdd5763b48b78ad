import { isDraw, parseTitleSides, type TitleSides } from '../names/participants.ts';
import type { League, Pool } from '../names/registry.ts';
import { type RawObject, records, strings, text } from '../text/raw_object.ts';
import { parseGameSlug } from '../text/slug.ts';
import { normalize } from '../text/text.ts';
import { parseGameTicker, seriesOf } from '../text/ticker.ts';
import { titleOfB } from './competition_b.ts';
import { labelsOf } from './game_a.ts';
import { parsePart, partsOfSeries } from './parts.ts';

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
 * the winner of a whole dated game: a market for one or both sides of its title, and perhaps the
 * draw. `title` is the title of the event, or the one that its questions contain.
 */
export function unconfirmedLeagueA(event: RawObject, title: string | null): League | null {
  const sides = parseTitleSides(title);
  const eventTicker = text(event.event_ticker) ?? '';
  const ticker = parseGameTicker(eventTicker);
  if (partsOfSeries(text(event.series_ticker) ?? seriesOf(eventTicker)).length > 0) return null;
  if (sides === null || ticker === null || ticker.codes.length < 2) return null;
  const markets = records(event.markets);
  const texts = [title, ...markets.map((market) => text(market.title))];
  if (texts.some((part) => parsePart(part ?? '', '') !== null)) return null;
  const draws = markets.filter((market) => isDrawMarket(market, markets.length));
  const labels = markets.filter((market) => !draws.includes(market)).map((market) => labelsOf(market)[0] ?? null);
  if (labels.length === 0 || labels.length > 2 || draws.length > 1 || !fitSides(labels, sides)) return null;
  // Where one side alone is listed, a draw may be possible. Then NO is not the other side.
  return OPEN_LEAGUES[draws.length === 1 || labels.length === 1 ? 3 : 2];
}

/**
 * Whether a market of venue_a pays the draw. TIE without a label is also the code of Tien, so it is
 * the draw only as the third market.
 */
function isDrawMarket(market: RawObject, listed: number): boolean {
  const label = labelsOf(market)[0] ?? null;
  return label === null ? listed === 3 && (text(market.ticker) ?? '').endsWith('-TIE') : isDraw(label);
}

/** Whether these labels, of which the venue may omit some, can be sides of a title. */
function fitSides(labels: readonly (string | null)[], sides: TitleSides): boolean {
  const printed = labels.filter((label) => label !== null);
  if (new Set(printed.map(normalize)).size !== printed.length) return false;
  if (printed.length === 2) return areSides(printed, sides);
  return printed.every((label) => sharesWord(label, sides.first) !== sharesWord(label, sides.second));
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
export function sharesWord(one: string, other: string): boolean {
  return wordsOf(one).some((word) => wordsOf(other).some((two) => word.startsWith(two) || two.startsWith(word)));
}
