import { findParticipant, parseTitleSides } from '../names/participants.ts';
import { type League, type TeamId, teamsByCode, teamsByName } from '../names/registry.ts';
import { type Context, type Exclusion, earliest, urlOf } from '../question.ts';
import { parseDate, parseInstant } from '../text/eastern.ts';
import { type RawObject, records, rulesOfB, strings, text } from '../text/raw_object.ts';
import { intersection } from '../text/sets.ts';
import type { GameSlug } from '../text/slug.ts';
import { slugOf } from '../text/text.ts';
import { competitionOfB, type EventCompetition, titleOfB } from './competition_b.ts';
import { findOtherCompetition, findOtherKind, formatOf, listingWordsOfB } from './competition_words.ts';
import {
  alternativeKeys,
  formatEvidence,
  type GameFacts,
  type ParsedGame,
  printedNames,
  type UnparsedGame,
} from './game.ts';
import { gameTerms } from './game_terms.ts';
import { dayOf, stageOf } from './stage.ts';

/**
 * What a family already knows about the game: the teams that the outcomes name, and the markets of
 * the event that belong to its question.
 */
export type GameHints = { teams?: readonly TeamId[]; markets?: readonly RawObject[]; where?: EventCompetition };

/**
 * Parses the game of a venue_b event: the event of the game itself, or a side event ("X vs. Y -
 * More Markets"). Null when it is no game of a registered competition.
 */
export function parseGameB(
  event: RawObject,
  _context: Context,
  narrowed: GameHints = {},
): ParsedGame | UnparsedGame | null {
  const slug = text(event.slug);
  const where = slug === null ? null : (narrowed.where ?? competitionOfB(event, slug));
  if (slug === null || where === null) return null;
  const { league, gameSlug } = where;
  const markets = narrowed.markets ?? records(event.markets);
  const facts = factsOfB(event, slug, gameSlug, markets);
  const { title, on_date } = facts;
  const unread = (problem: Exclusion, detail: string): UnparsedGame => ({ league, problem, detail, facts });
  if (on_date === null) return unread('unreadable_date', `no date in ${slug}`);
  const codes = gameSlug?.codes ?? [];
  const teams = narrowed.teams ? exactlyTwo(narrowed.teams) : teamsOfTitle(league, event, title, codes);
  if (teams === null) return unread('unknown_alias', `teams of ${slug}: ${narrowed.teams?.join(', ') ?? title ?? '?'}`);
  const order = listingOrder(league, teams, title, event, codes);
  const rules = rulesOfB(event, markets);
  const words = listingWordsOfB(event, title, rules);
  const prefix = gameSlug?.prefix.replace(/^(u\d\d).*/, '$1') ?? null;
  const others = league.unconfirmed
    ? null
    : (findOtherKind(league, teams, { ...words, fields: [...words.fields, prefix] }) ??
      // When only the teams imply the league, the text may name a sibling league in which the same
      // teams play.
      (where.by === 'inferred' ? null : findOtherCompetition(league, words.texts)));
  if (others !== null) return unread('contradictory', `the words name another competition: ${others}`);
  const starts = startsOf(event, markets);
  const numbered = league.rematch === 'same_day' ? (gameSlug?.nth ?? null) : null;
  const stage = stageOf(
    league,
    [title, slug, rules, ...records(event.tags).map((tag) => text(tag.slug))],
    false,
    on_date,
  );
  const labels = namesPrintedOn(markets, title);
  return {
    venue: 'venue_b',
    event: slug,
    league,
    stage,
    teams: order.teams,
    home: order.home,
    game_no: parseGameNumber(rules) ?? numbered,
    occasion: null,
    start_source: starts.game ? 'gameStartTime' : starts.event ? 'startTime' : null,
    sibling: numbered === null ? siblingOf(slug, gameSlug, title) : null,
    rules,
    terms: gameTerms({ league, teams: order.teams }, rules, sourcesOf(event, markets), on_date),
    evidence: {
      slug_date: gameSlug?.date ?? null,
      competition_by: where.by,
      ...formatEvidence(formatOf(league, words)),
      game_id: text(event.gameId) ?? (typeof event.gameId === 'number' ? String(event.gameId) : null),
    },
    printed: printedNames(league, order.teams, labels),
    also: alternativeKeys(
      { league, stage, teams: order.teams },
      labels.filter((one) => one !== null),
      true,
    ),
    ...facts,
    on_date,
  };
}

function startsOf(event: RawObject, markets: readonly RawObject[]): { game: string | null; event: string | null } {
  return {
    game: markets.map((market) => parseInstant(text(market.gameStartTime))).find((at) => at !== null) ?? null,
    event: parseInstant(text(event.startTime)),
  };
}

export function factsOfB(
  event: RawObject,
  slug: string,
  gameSlug: GameSlug | null,
  markets: readonly RawObject[],
): GameFacts {
  const starts = startsOf(event, markets);
  const start_at = starts.game ?? starts.event;
  const questions = markets.map((market) => text(market.question) ?? '').join(' ');
  const eventDate = text(event.eventDate);
  const named =
    (eventDate === null ? null : parseDate(eventDate.slice(0, 10), null)) ??
    gameSlug?.date ??
    parseDate(questions, null);
  return {
    title: titleOfB(event, slug),
    on_date: dayOf(named, start_at),
    start_at,
    close_at: earliest(markets.map((market) => parseInstant(text(market.endDate)))),
    url: urlOf('venue_b', slug, null),
  };
}

/**
 * Returns "more-markets" and the like, from the end of the slug or of the title. Null for the event
 * of the game itself.
 */
function siblingOf(slug: string, gameSlug: GameSlug | null, title: string | null): string | null {
  if (gameSlug?.suffix) return gameSlug.suffix;
  const tail = parseTitleSides(title)?.tail ?? null;
  // "(BO3) - LEC Regular Season" names the competition of the game, not a side event.
  if (tail === null || tail.startsWith('(')) return null;
  return slug.includes(slugOf(tail)) ? slugOf(tail) : null;
}

/** Returns 1 for "first game of the doubleheader" in the rules. */
function parseGameNumber(rules: string | null): number | null {
  const which = /\b(first|second) game of (?:the|a) doubleheader|\bgame ([12]) of (?:the|a) doubleheader/i.exec(
    rules ?? '',
  );
  if (which === null) return null;
  return which[2] ? Number(which[2]) : which[1]?.toLowerCase() === 'first' ? 1 : 2;
}

function sourcesOf(event: RawObject, markets: readonly RawObject[]): string[] {
  const all = [event, ...markets].map((one) => text(one.resolutionSource)).filter((one): one is string => one !== null);
  return [...new Set(all)];
}

/** Returns every name that an event prints for one of its two teams. */
function namesPrintedOn(markets: readonly RawObject[], title: string | null): (string | null)[] {
  const names = parseTitleSides(title);
  const labels = markets.flatMap((market) => [...strings(market.outcomes), text(market.groupItemTitle)]);
  return [...labels, names?.first ?? null, names?.second ?? null];
}

function exactlyTwo(teams: readonly TeamId[]): [TeamId, TeamId] | null {
  const [first, second, ...more] = [...new Set(teams)];
  return first !== undefined && second !== undefined && more.length === 0 ? [first, second] : null;
}

/**
 * Returns the only two teams that the names of the event (its block of teams, else its title) and
 * the codes of the slug allow together.
 */
function teamsOfTitle(
  league: League,
  event: RawObject,
  title: string | null,
  codes: readonly string[],
): [TeamId, TeamId] | null {
  const block = records(event.teams).flatMap((team) => text(team.name) ?? []);
  const names = parseTitleSides(title);
  const pair = names ? [names.first, names.second] : block;
  if (pair.length !== 2 && codes.length !== 2) return null;
  const named = pair.length === 2 ? pair.map((name) => teamsByName(league, name)) : null;
  const coded = codes.map((code) => teamsByCode(league, 'venue_b', code));
  const decided = (one: Set<TeamId>, code: Set<TeamId> | undefined): Set<TeamId> => {
    const both = code === undefined || code.size === 0 ? one : intersection(one, code);
    return both.size === 0 ? one : both;
  };
  if (named === null) return onlyPair(coded[0], coded[1]);
  const [a = new Set<TeamId>(), b = new Set<TeamId>()] = named;
  return (
    onlyPair(a, b) ??
    onlyPair(decided(a, coded[0]), decided(b, coded[1])) ??
    onlyPair(decided(a, coded[1]), decided(b, coded[0]))
  );
}

function onlyPair(a: Set<TeamId> | undefined, b: Set<TeamId> | undefined): [TeamId, TeamId] | null {
  const [first, ...firsts] = [...(a ?? [])];
  const [second, ...seconds] = [...(b ?? [])];
  if (first === undefined || second === undefined || first === second) return null;
  return firsts.length === 0 && seconds.length === 0 ? [first, second] : null;
}

function listingOrder(
  league: League,
  teams: [TeamId, TeamId],
  title: string | null,
  event: RawObject,
  codes: readonly string[],
): { teams: [TeamId, TeamId]; home: TeamId | null } {
  const reversed: [TeamId, TeamId] = [teams[1], teams[0]];
  const homeTeam = records(event.teams).find((team) => text(team.ordering) === 'home');
  const home = homeTeam ? findParticipant(league, text(homeTeam.name) ?? '', teams) : null;
  if (home !== null) {
    const homeFirst = league.order === 'home_first';
    return { teams: (home === teams[0]) === homeFirst ? teams : reversed, home };
  }
  const names = parseTitleSides(title);
  const first = names ? findParticipant(league, names.first, teams) : null;
  if (first !== null) return { teams: first === teams[0] ? teams : reversed, home: null };
  if (league.open !== undefined) return { teams: [...teams].sort() as [TeamId, TeamId], home: null };
  const byCode = codes[0] === undefined ? new Set<TeamId>() : teamsByCode(league, 'venue_b', codes[0]);
  return { teams: byCode.has(teams[1]) && !byCode.has(teams[0]) ? reversed : teams, home: null };
}
