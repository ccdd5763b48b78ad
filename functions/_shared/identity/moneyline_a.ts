import type { Question } from '../listing.ts';
import { isUnread, type Unread } from './game.ts';
import { factsOfA, gameOfA } from './game_a.ts';
import { moneyline, unreadGame, type WinnerLeg } from './moneyline.ts';
import { isDraw, type Resolved, resolveTeam, sidesOfTitle } from './participants.ts';
import type { Context, Exclusion } from './question.ts';
import { type League, leagueOfSeries, type TeamId, teamsByName } from './registry.ts';
import { seriesOf, suffixOf } from './ticker.ts';
import { record, records, text, type Wire } from './wire.ts';

/** venue_a lists one market per team (and one for the tie): YES of each pays when its own label comes true. */
export function moneylineA(event: Wire, context: Context): Question[] {
  const ticker = text(event.event_ticker);
  if (ticker === null) return [];
  const league = leagueOfSeries(text(event.series_ticker) ?? seriesOf(ticker));
  return league === null ? [] : [readWinner(ticker, league, event, context)];
}

type Side = { ticker: string; code: string | null; label: string | null; draw: boolean };

function sideOf(event: string, market: Wire): Side | null {
  const ticker = text(market.ticker);
  if (ticker === null) return null;
  const code = suffixOf(event, ticker);
  const label = text(market.yes_sub_title) ?? /^will (?:the )?(.+?) win\b/i.exec(text(market.title) ?? '')?.[1] ?? null;
  return { ticker, code, label, draw: code === 'TIE' || (label !== null && isDraw(label)) };
}

function readWinner(ticker: string, league: League, event: Wire, context: Context): Question {
  const facts = factsOfA(event, context);
  const sides = records(event.markets)
    .map((market) => sideOf(ticker, market))
    .filter((side): side is Side => side !== null);
  const texts = { labels: sides.map((side) => side.label), codes: sides.map((side) => side.code) };
  const unread = (one: Unread): Question => unreadGame('venue_a', ticker, one, texts);
  const refuse = (problem: Exclusion, detail: string): Question => unread({ league, problem, detail, facts });
  const scope = text(record(event.product_metadata).competition_scope);
  if (scope !== null && scope.toLowerCase() !== 'game')
    return refuse('contradictory', `a game series whose scope is "${scope}"`);

  const teamSides = sides.filter((side) => !side.draw);
  const resolved = withElimination(league, teamSides, facts.title);
  const problem = resolved.find((one) => 'problem' in one);
  if (problem && 'problem' in problem) return refuse(problem.problem, problem.detail);
  const named = resolved.flatMap((one) => ('team' in one ? [one.team] : []));
  if (named.length === 0) return refuse('incomplete', `no team among the markets of ${ticker}`);
  const game = gameOfA(event, context, league, named);
  if (isUnread(game)) return unread(game);

  const legs = sides.map((side): WinnerLeg => {
    const one = resolved[teamSides.indexOf(side)];
    const team = one && 'team' in one ? one.team : 'draw';
    return { team, market_id: side.ticker, contract_id: side.ticker, side: 'yes' };
  });
  const evidence = {
    participants_by: resolved.map((one) => ('team' in one ? one.by : '')).sort(),
    mirrored: mirrored(legs, league, game.teams),
  };
  return moneyline(game, legs, evidence, null);
}

/** Where the sibling market is not listed, NO of the one that is pays when the other team wins: adds that leg, and says so. */
function mirrored(legs: WinnerLeg[], league: League, teams: readonly TeamId[]): boolean {
  const only = legs[0];
  const other = teams.find((team) => team !== only?.team);
  if (league.ways !== 2 || legs.length !== 1 || !only || only.team === 'draw' || other === undefined) return false;
  legs.push({ ...only, team: other, side: 'no' });
  return true;
}

/** Each side by its own label and code; a side that has neither we know is the other team of the title, if the first is one of its two. */
function withElimination(league: League, sides: readonly Side[], title: string | null): Resolved[] {
  const resolved = sides.map((side) => resolveTeam(league, 'venue_a', side.label, side.code));
  const names = sidesOfTitle(title);
  return resolved.map((one, at) => {
    if (
      'team' in one ||
      one.problem !== 'unknown_alias' ||
      sides[at]?.label !== null ||
      sides.length !== 2 ||
      names === null
    )
      return one;
    const other = resolved[1 - at];
    if (!other || !('team' in other)) return one;
    const first = teamsByName(league, names.first);
    const second = teamsByName(league, names.second);
    const rest = first.has(other.team) ? second : second.has(other.team) ? first : new Set<TeamId>();
    const [team, ...more] = [...rest].filter((id) => id !== other.team);
    return team !== undefined && more.length === 0 ? { team, by: 'elimination' } : one;
  });
}
