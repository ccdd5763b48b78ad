import { distinguishNamesakes, parseTitleSides } from '../names/participants.ts';
import type { League, TeamId } from '../names/registry.ts';
import { type Context, type Exclusion, earliest, urlOf } from '../question.ts';
import { easternInstant, parseInstant } from '../text/eastern.ts';
import { type RawObject, record, records, rulesOfA, text } from '../text/raw_object.ts';
import { parseGameTicker, seriesOf } from '../text/ticker.ts';
import { findOtherCompetition, findOtherKind, formatOf, listingWordsOfA } from './competition_words.ts';
import {
  alternativeKeys,
  formatEvidence,
  type GameFacts,
  type ParsedGame,
  printedNames,
  type UnparsedGame,
} from './game.ts';
import { bothTeams, findTeamConflict, listingOrder, teamsOfTitle } from './game_teams_a.ts';
import { gameTerms } from './game_terms.ts';
import { stageOf } from './stage.ts';

/**
 * Parses the game of a venue_a event. `named` holds the teams that the labels of its markets name.
 * The markets of a winner name teams, those of a total do not. Without them the title and the codes
 * of the ticker must agree on two teams.
 */
export function parseGameA(
  event: RawObject,
  context: Context,
  among: League,
  named: readonly TeamId[] = [],
): ParsedGame | UnparsedGame {
  const ticker = text(event.event_ticker) ?? '?';
  const facts = factsOfA(event, context, among);
  const names = parseTitleSides(facts.title);
  const league = named.length > 0 || names === null ? among : distinguishNamesakes(among, [names.first, names.second]);
  const unread = (problem: Exclusion, detail: string): UnparsedGame => ({ league, problem, detail, facts });
  const parts = parseGameTicker(ticker, league.rematch === 'same_day');
  if (parts === null) return unread('unreadable_date', `no date in ${ticker}`);
  const teams =
    named.length === 0
      ? teamsOfTitle(league, facts.title, parts.codes)
      : bothTeams(league, named, facts.title, parts.codes);
  if (teams === null) return unread('unknown_alias', `teams of ${ticker}: ${named.join(', ') || 'none'}`);
  const conflict = league.unconfirmed ? null : findTeamConflict(league, teams, facts.title, parts.codes);
  if (conflict !== null) return unread('contradictory', conflict);

  const markets = records(event.markets);
  const metadata = record(event.product_metadata);
  const rules = rulesOfA(markets);
  const words = listingWordsOfA(event, context.series);
  const others = league.unconfirmed
    ? null
    : (findOtherKind(league, teams, words) ?? findOtherCompetition(league, words.texts));
  if (others !== null) return unread('contradictory', `the words name another competition: ${others}`);
  const sources = records(event.settlement_sources).concat(records(record(context.series).settlement_sources));
  const reporters = [...new Set(sources.map((one) => text(one.name) ?? '').filter((name) => name !== ''))];
  const start = parseStart(ticker, context);
  const order = listingOrder(league, teams, facts.title, parts.codes);
  const stage = stageOf(
    league,
    [text(metadata.competition), facts.title, rules],
    metadata.competition !== undefined,
    parts.on_date,
  );
  return {
    venue: 'venue_a',
    event: ticker,
    league,
    stage,
    teams: order.teams,
    home: order.home,
    game_no: parts.game_no,
    occasion: parts.occasion,
    start_source: start.source,
    sibling: null,
    rules,
    terms: gameTerms({ league, teams }, rules, reporters, parts.on_date),
    evidence: { competition_by: 'series', ...formatEvidence(formatOf(league, words)) },
    printed: printedNames(league, order.teams, [
      ...markets.flatMap(labelsOf),
      names?.first ?? null,
      names?.second ?? null,
    ]),
    // The titles of venue_a print family names only.
    also: alternativeKeys({ league, stage, teams: order.teams }, names ? [names.first, names.second] : [], false),
    ...facts,
    on_date: parts.on_date,
  };
}

/** Returns every form in which the market of a winner prints the name that it pays on. */
export function labelsOf(market: RawObject): string[] {
  const inTitle = /^will (?:the )?(.+?) win\b/i.exec(text(market.title) ?? '')?.[1];
  const inRules = /^if (?:the )?(.+?) wins\b/i.exec(text(market.rules_primary) ?? '')?.[1];
  // "Reg Time: Dortmund": a cup tie settles by the result after ninety minutes, like every soccer
  // game.
  const label = text(market.yes_sub_title)?.replace(/^reg(?:ulation)?\.? time: /i, '');
  return [label, inTitle, inRules].filter((one): one is string => one != null);
}

/**
 * Returns "A vs B" from the questions when the event has no title. "Will Ella Seidel win the Seidel
 * vs Snigur: Round Of 32 match?" holds both names between "win the" and the kind of contest.
 */
function titleFromQuestions(markets: readonly RawObject[], league: League | null): string | null {
  const words = league === null ? [] : [...league.words, ...league.venue_a.names];
  const kinds = [...words, 'professional', 'pro', 'college', "women's", "men's"]
    .map((word) => word.replace(/[^a-z0-9' ]+/gi, '.'))
    .join('|');
  const kind = new RegExp(`\\s+(?:${kinds})\\b.*$|\\s+(?:match|game|fight)\\?$`, 'i');
  for (const market of markets) {
    const question = text(market.title)?.replace(/^will .+? win the /i, '') ?? '';
    const names = parseTitleSides(question);
    // "Game 6" counts the games of a series. In an unknown league no other text names both sides.
    const isBare = names?.lead === null || ((league?.unconfirmed ?? true) && /^game \d$/i.test(names?.lead ?? ''));
    if (names !== null && isBare) return `${names.first} vs ${names.second.replace(kind, '')}`;
  }
  return null;
}

/** Returns the title of an event, else the one that its questions contain. */
export const titleOfA = (event: RawObject, league: League | null = null): string | null =>
  text(event.title) ?? titleFromQuestions(records(event.markets), league);

export function factsOfA(event: RawObject, context: Context, league: League): GameFacts {
  const ticker = text(event.event_ticker) ?? '?';
  const markets = records(event.markets);
  return {
    title: titleOfA(event, league),
    on_date: parseGameTicker(ticker)?.on_date ?? null,
    start_at: parseStart(ticker, context).at,
    close_at: earliest(markets.map((market) => parseInstant(text(market.close_time)))),
    url: urlOf('venue_a', ticker, text(event.series_ticker) ?? seriesOf(ticker)),
  };
}

/**
 * Returns the start that a milestone gives, else the time in the ticker. The other times of the
 * event are end times (venues.md A3).
 */
function parseStart(ticker: string, context: Context): { at: string | null; source: string | null } {
  const milestones = Array.isArray(context.milestones)
    ? records(context.milestones)
    : records(record(context.milestones).milestones);
  for (const milestone of milestones) {
    const about = [milestone.primary_event_tickers, milestone.related_event_tickers].flat();
    const at = parseInstant(text(milestone.start_date));
    if (at !== null && (about.includes(ticker) || about.every((one) => one === undefined || one === null)))
      return { at, source: 'milestone' };
  }
  const parts = parseGameTicker(ticker);
  const at = parts?.clock ? easternInstant(parts.on_date, parts.clock.hour, parts.clock.minute) : null;
  return at === null ? { at: null, source: null } : { at, source: 'ticker_time' };
}
