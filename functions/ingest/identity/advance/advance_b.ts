import type { Question } from '../../listing.ts';
import { isUnparsed, teamIn } from '../game/game.ts';
import { parseGameB } from '../game/game_b.ts';
import { buildSides, type Sides } from '../game/game_payoff.ts';
import { NOT_FOUND, type Verdict, worstVerdict } from '../game/verdict.ts';
import { titlesVerdict } from '../game/winner_payoff.ts';
import { parseTitleSides } from '../names/participants.ts';
import { COMPETITIONS, type League, type TeamId, teamsByName } from '../names/registry.ts';
import { type Context, urlOf } from '../question.ts';
import { parseInstant } from '../text/eastern.ts';
import { outcomeTokens } from '../text/outcome_ids.ts';
import { joined, type RawObject, records, rulesOfB, strings, text } from '../text/raw_object.ts';
import { hasPhrase, normalize } from '../text/text.ts';
import { type AdvanceLeg, rejectAdvance, seriesQuestion, tieQuestion } from './advance.ts';
import { advanceTwoWay } from './advance_payoff.ts';

/**
 * Parses the ties ("A vs. B: Team to Advance", listed with the game) and series ("NHL Playoffs: Who
 * Will Win Series? - A vs. B") of venue_b.
 */
export function advanceB(event: RawObject, context: Context): Question[] {
  return [...parseTies(event, context), ...parseSeriesMarkets(event, context)];
}

const isTie = (market: RawObject): boolean => {
  const type = text(market.sportsMarketType);
  const asksToAdvance = /(?:^|: )(?:team )?to (?:advance|qualify)\??$/i.test(text(market.question) ?? '');
  return type === null ? asksToAdvance : /(?:^|_)team_to_advance$/.test(type);
};

type Outcome = { label: string; token: string; condition: string };

const labelledTeams = (legs: readonly AdvanceLeg[], both: readonly Outcome[]) =>
  legs.map(({ team, contract_id }) => ({ team, label: both.find((one) => one.token === contract_id)?.label ?? null }));

/** Compares question, outcomes and text with the teams that the labels name. */
function payoffOf(
  market: RawObject,
  both: readonly Outcome[],
  sides: Sides,
  scope: 'tie' | 'series',
  rules: string | null,
): Verdict {
  const titles = titlesVerdict(
    sides,
    [text(market.question), text(market.groupItemTitle)],
    both.map((one) => one.label),
  );
  return worstVerdict([titles, advanceTwoWay(sides, scope, rules) ?? NOT_FOUND]);
}

/** Returns the two outcomes of a market, each with its token. Null unless there are two of each. */
function parseOutcomes(market: RawObject): Outcome[] | null {
  const labels = strings(market.outcomes);
  const tokens = outcomeTokens(market);
  const condition = text(market.conditionId);
  if (condition === null || labels.length !== 2 || tokens.length !== 2 || tokens[0] === tokens[1]) return null;
  return labels.map((label, at) => ({ label, token: tokens[at] ?? '', condition }));
}

function parseTies(event: RawObject, context: Context): Question[] {
  const markets = records(event.markets).filter(isTie);
  if (markets.length === 0) return [];
  const game = parseGameB(event, context, { markets });
  if (game === null) return [];
  return markets.flatMap((market) => {
    const condition = text(market.conditionId);
    if (condition === null) return [];
    const reject = (code: Parameters<typeof rejectAdvance>[3], detail: string): Question =>
      rejectAdvance('venue_b', condition, game.league, code, detail, text(market.question));
    if (isUnparsed(game)) return [reject(game.problem, game.detail)];
    const both = parseOutcomes(market);
    if (both === null) return [reject('incomplete', `outcomes of ${condition}`)];
    const legs = both.flatMap((one): AdvanceLeg[] => {
      const team = teamIn(game, one.label, null);
      return team === null ? [] : [{ team, market_id: condition, contract_id: one.token, side: null }];
    });
    if (legs.length !== 2 || legs[0]?.team === legs[1]?.team)
      return [reject('unknown_alias', both.map((one) => one.label).join(' / '))];
    return [
      tieQuestion(game, legs, {
        nativeId: condition,
        rules: joined(market.description),
        payoff: payoffOf(
          market,
          both,
          buildSides(game, labelledTeams(legs, both), [game.title]),
          'tie',
          joined(market.description),
        ),
        evidence: { participants_by: ['label', 'label'] },
      }),
    ];
  });
}

/**
 * "Season series" is excluded: it counts all games of two teams in the season and is no playoff
 * round.
 */
const SERIES = /\bwho will win (?:the )?series\b|(?<!\bseason )\bseries winner\b/i;

/**
 * "Lakers vs. Rockets: Series Winner" and "Who Will Win Series? - Lakers vs. Rockets" without the
 * words of the question.
 */
const withoutQuestionWords = (question: string): string =>
  question.replace(SERIES, '').replace(/^[\s:?–-]+|[\s:?–-]+$/g, '');

function parseSeriesMarkets(event: RawObject, context: Context): Question[] {
  return records(event.markets).flatMap((market) => {
    const question = [text(market.question), text(event.title)].find((one) => one !== null && SERIES.test(one));
    const condition = text(market.conditionId);
    const both = parseOutcomes(market);
    if (!question || condition === null || both === null) return [];
    const names =
      parseTitleSides(withoutQuestionWords(question)) ?? parseTitleSides(withoutQuestionWords(text(event.title) ?? ''));
    if (names === null) return [];
    const league = findLeague([question, text(event.title), text(event.slug)].join(' '), names);
    if (league === null) return [];
    const teams = both.map((one) => onlyTeam(league, one.label));
    const titledTeams = [onlyTeam(league, names.first), onlyTeam(league, names.second)];
    const [first, second] = teams;
    const same = titledTeams.every((team) => team === null || teams.includes(team));
    if (!first || !second || first === second || !same)
      return [
        rejectAdvance('venue_b', condition, league, same ? 'unknown_alias' : 'contradictory', question, question),
      ];
    return [parseSeries(event, market, condition, league, [first, second], both, context)];
  });
}

function parseSeries(
  event: RawObject,
  market: RawObject,
  condition: string,
  league: League,
  teams: [TeamId, TeamId],
  both: readonly Outcome[],
  context: Context,
): Question {
  const rules = joined(market.description) ?? rulesOfB(event, [market]);
  const slug = text(event.slug) ?? condition;
  const close_at = parseInstant(text(market.endDate)) ?? parseInstant(text(event.endDate));
  const legs = teams.map((team, at) => ({
    team,
    market_id: condition,
    contract_id: both[at]?.token ?? '',
    side: null,
  }));
  const { year, year_by } = yearOf([text(market.question), text(event.title), rules], close_at, context);
  return seriesQuestion({
    venue: 'venue_b',
    nativeId: condition,
    league,
    teams,
    year,
    on_date: null,
    close_at,
    url: urlOf('venue_b', slug, null),
    rules,
    sources: [event, market].flatMap((one) => text(one.resolutionSource) ?? []),
    legs,
    payoff: payoffOf(
      market,
      both,
      buildSides({ league, teams, printed: new Map(), game_no: null }, labelledTeams(legs, both), []),
      'series',
      rules,
    ),
    evidence: { year_by, competition_by: 'title', participants_by: ['label', 'label'] },
  });
}

/**
 * Returns the year that the texts name, else the year of the end date, else the current year.
 * Playoffs lie within one calendar year, except in American football.
 */
export function yearOf(texts: readonly (string | null)[], close_at: string | null, context: Context) {
  for (const text of texts) {
    const years = [
      ...new Set([...(text ?? '').matchAll(/\b(20\d{2})\b(?!-\d\d\b)/g)].map((match) => Number(match[1]))),
    ];
    if (years.length === 1 && years[0] !== undefined) return { year: years[0], year_by: 'text' };
  }
  if (close_at !== null) return { year: Number(close_at.slice(0, 4)), year_by: 'end_date' };
  return { year: Number(context.now.slice(0, 4)), year_by: 'inferred' };
}

export function onlyTeam(league: League, name: string): TeamId | null {
  const [team, ...more] = [...teamsByName(league, name)];
  return team !== undefined && more.length === 0 ? team : null;
}

/** Returns the only competition that the words name and that holds both teams. */
export function findLeague(words: string, names: { first: string; second: string }): League | null {
  const phrase = normalize(words);
  const may = [...COMPETITIONS.values()].filter(
    (league) =>
      league.words.some((word) => hasPhrase(phrase, normalize(word))) &&
      onlyTeam(league, names.first) !== null &&
      onlyTeam(league, names.second) !== null,
  );
  return may.length === 1 ? (may[0] ?? null) : null;
}
