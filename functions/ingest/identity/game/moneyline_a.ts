import type { Question } from '../../listing.ts';
import {
  distinguishNamesakes,
  isDraw,
  nameInTitle,
  nameOfCode,
  parseTitleSides,
  type Resolved,
  resolveTeam,
  type TitleSides,
} from '../names/participants.ts';
import { type League, leagueOfSeries, type TeamId, teamsByCode, teamsByName } from '../names/registry.ts';
import type { Context, Exclusion } from '../question.ts';
import { joined, type RawObject, record, records, text } from '../text/raw_object.ts';
import { intersection } from '../text/sets.ts';
import { parseGameTicker, seriesOf, suffixOf } from '../text/ticker.ts';
import { isUnparsed, type ParsedGame, type UnparsedGame } from './game.ts';
import { factsOfA, labelsOf, parseGameA, titleOfA } from './game_a.ts';
import { buildSides } from './game_payoff.ts';
import { moneylineQuestion, unparsedGame, type WinnerLeg } from './moneyline.ts';
import { parsePart } from './parts.ts';
import { openedLeague, unconfirmedLeagueA } from './unconfirmed.ts';
import { asUnconfirmed } from './unconfirmed_evidence.ts';
import { type Verdict, worstOfContracts, worstVerdict } from './verdict.ts';
import { titlesVerdict, yesVerdict } from './winner_payoff.ts';

/**
 * Parses the winner of a game on venue_a, which lists one market per team, and one for the tie. YES
 * pays when the label comes true.
 */
export function moneylineA(event: RawObject, context: Context): Question[] {
  const ticker = text(event.event_ticker);
  if (ticker === null) return [];
  const league = leagueOfSeries(text(event.series_ticker) ?? seriesOf(ticker));
  if (league === null) {
    const open = unconfirmedLeagueA(event, titleOfA(event));
    if (open === null) return [];
    return [asUnconfirmed(parseWinner(ticker, open, event, context), 'unconfirmed_league', event)];
  }
  const question = parseWinner(ticker, league, event, context);
  if (question.excluded !== 'unknown_alias' || unconfirmedLeagueA(event, titleOfA(event, league)) === null)
    return [question];
  const opened = parseWinner(ticker, openedLeague(league), event, context);
  return [opened.excluded === null ? asUnconfirmed(opened, 'unknown_alias', event) : question];
}

type Side = { ticker: string; code: string | null; label: string | null; draw: boolean };

function sideOf(event: string, ways: number, market: RawObject): Side | null {
  const ticker = text(market.ticker);
  if (ticker === null) return null;
  const code = suffixOf(event, ticker);
  const label = labelsOf(market)[0] ?? null;
  // "TIE" is also the code of Tien in sports without a draw.
  return { ticker, code, label, draw: label === null ? ways === 3 && code === 'TIE' : isDraw(label) };
}

function parseWinner(ticker: string, among: League, event: RawObject, context: Context): Question {
  const facts = factsOfA(event, context, among);
  const sides = records(event.markets)
    .map((market) => sideOf(ticker, among.ways, market))
    .filter((side): side is Side => side !== null);
  const names = parseTitleSides(facts.title);
  const printed = sides.map((side) => side.label);
  const league = distinguishNamesakes(
    among,
    printed.includes(null) ? [names?.first ?? null, names?.second ?? null] : printed,
  );
  const texts = { labels: sides.map((side) => side.label), codes: sides.map((side) => side.code) };
  const unread = (one: UnparsedGame): Question => unparsedGame('venue_a', ticker, one, texts);
  const reject = (problem: Exclusion, detail: string): Question => unread({ league, problem, detail, facts });
  const scope = text(record(event.product_metadata).competition_scope);
  if (scope !== null && scope.toLowerCase() !== 'game')
    return reject('contradictory', `a game series whose scope is "${scope}"`);

  const part = [facts.title, ...records(event.markets).flatMap((one) => [text(one.title), text(one.yes_sub_title)])]
    .map((one) => (one === null ? null : parsePart(one, league.sport)))
    .find((one) => one !== null);
  if (part !== undefined && part !== null) return reject('part_of_game', `"${part}" in a series of whole games`);

  const codes = parseGameTicker(ticker, league.rematch === 'same_day')?.codes ?? '';
  const teamSides = sides.filter((side) => !side.draw);
  const resolved = sidesToTeams(league, teamSides, facts.title, codes);
  const problem = resolved.find((one) => 'problem' in one);
  if (problem && 'problem' in problem) return reject(problem.problem, problem.detail);
  const named = resolved.flatMap((one) => ('team' in one ? [one.team] : []));
  if (named.length === 0) return reject('incomplete', `no team among the markets of ${ticker}`);
  const game = parseGameA(event, context, league, named);
  if (isUnparsed(game)) return unread(game);

  const legs = sides.map((side): WinnerLeg => {
    const one = resolved[teamSides.indexOf(side)];
    const team = one && 'team' in one ? one.team : 'draw';
    return { team, market_id: side.ticker, contract_id: side.ticker, side: 'yes' };
  });
  const payoff = payoffOf(game, event, legs);
  const evidence = {
    participants_by: resolved.map((one) => ('team' in one ? one.by : '')).sort(),
    mirrored: addMirroredLeg(legs, league, game.teams),
  };
  return moneylineQuestion(game, legs, evidence, payoff, null);
}

/** Compares title, label and text of each market with the outcome that the fields name. */
function payoffOf(game: ParsedGame, event: RawObject, legs: readonly WinnerLeg[]): Verdict {
  const markets = legs.map((leg) => {
    const market = records(event.markets).find((one) => text(one.ticker) === leg.market_id) ?? {};
    return { team: leg.team, market, label: text(market.yes_sub_title) };
  });
  const titles = [text(event.title), ...markets.map(({ market }) => text(market.title))];
  const sides = buildSides(game, markets, titles);
  const labels = markets.map(({ label }) => label);
  const texts = markets.map(({ team, market }) =>
    yesVerdict(sides, team, joined(market.rules_primary, market.rules_secondary)),
  );
  return worstVerdict([titlesVerdict(sides, titles, labels), worstOfContracts(texts)]);
}

/**
 * Adds the leg of the other team when its market is not listed: NO of the listed market. Returns
 * whether it did.
 */
function addMirroredLeg(legs: WinnerLeg[], league: League, teams: readonly TeamId[]): boolean {
  const only = legs[0];
  const other = teams.find((team) => team !== only?.team);
  if (league.ways !== 2 || legs.length !== 1 || !only || only.team === 'draw' || other === undefined) return false;
  legs.push({ ...only, team: other, side: 'no' });
  return true;
}

/** Returns the only team of the title that a code may mean, where the code alone is ambiguous. */
function teamInTitle(league: League, names: TitleSides | null, code: string | null): Resolved | null {
  if (names === null || code === null) return null;
  const titled = new Set([...teamsByName(league, names.first), ...teamsByName(league, names.second)]);
  const [team, ...more] = [...intersection(teamsByCode(league, 'venue_a', code), titled)];
  return team !== undefined && more.length === 0 ? { team, by: 'title+code' } : null;
}

/**
 * Resolves each side by its label and code. A side without a label takes the name in the title that
 * its code abbreviates. If one side is resolved, the other takes the remaining name.
 */
function sidesToTeams(league: League, sides: readonly Side[], title: string | null, codes: string): Resolved[] {
  const names = parseTitleSides(title);
  const resolved = sides.map((side): Resolved => {
    const name = side.label === null ? nameOfCode(names, codes, side.code) : null;
    const [team, ...more] = name === null ? [] : [...teamsByName(league, name)];
    const byTitle: Resolved | null = team !== undefined && more.length === 0 ? { team, by: 'title+code' } : null;
    // In an open league a code alone does not identify a participant.
    const code = league.open === undefined || side.label !== null ? side.code : null;
    const titleName = league.open === 'person' && side.label !== null ? nameInTitle(names, side.label) : null;
    const own = resolveTeam(league, 'venue_a', titleName ?? side.label, code);
    if ('team' in own || side.label !== null) return own;
    return teamInTitle(league, names, side.code) ?? byTitle ?? own;
  });
  return resolved.map((one, at): Resolved => {
    const other = resolved[1 - at];
    if ('team' in one || sides[at]?.label !== null || sides.length !== 2 || names === null) return one;
    if (one.problem !== 'unknown_alias' || !other || !('team' in other)) return one;
    const first = teamsByName(league, names.first);
    const second = teamsByName(league, names.second);
    const rest = first.has(other.team) ? second : second.has(other.team) ? first : new Set<TeamId>();
    const [team, ...more] = [...rest].filter((id) => id !== other.team);
    return team !== undefined && more.length === 0 ? { team, by: 'elimination' } : one;
  });
}
