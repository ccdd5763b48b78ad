import type { Question } from '../listing.ts';
import { easternInstant, instant } from './eastern.ts';
import { type Game, moneyline, unreadGame } from './moneyline.ts';
import { isDraw, type Resolved, resolveTeam, sidesOfTitle, splitCodes, whichOf } from './participants.ts';
import { type Context, earliest, urlOf } from './question.ts';
import { type League, leagueOfSeries, type TeamId, teamsByName } from './registry.ts';
import { common } from './sets.ts';
import { stageOf } from './stage.ts';
import { sportsTerms } from './terms.ts';
import { gameTicker, seriesOf, suffixOf } from './ticker.ts';
import { record, records, rulesOfA, text, type Wire } from './wire.ts';

/** venue_a lists one market per team (and one for the tie): YES of each pays when its own label comes true. */
export function moneylineA(event: Wire, context: Context): Question[] {
  const ticker = text(event.event_ticker);
  if (ticker === null) return [];
  const league = leagueOfSeries(text(event.series_ticker) ?? seriesOf(ticker));
  return league === null ? [] : [readGame(ticker, league, event, context)];
}

type Side = { ticker: string; code: string | null; label: string | null; draw: boolean };

function sideOf(event: string, market: Wire): Side | null {
  const ticker = text(market.ticker);
  if (ticker === null) return null;
  const code = suffixOf(event, ticker);
  const label = text(market.yes_sub_title) ?? /^will (?:the )?(.+?) win\b/i.exec(text(market.title) ?? '')?.[1] ?? null;
  return { ticker, code, label, draw: code === 'TIE' || (label !== null && isDraw(label)) };
}

/** The start that a milestone gives, else the ticker's own clock. Other times of the event are ends in disguise (venues.md A3). */
function startOf(ticker: string, context: Context): { at: string | null; source: string | null } {
  const milestones = Array.isArray(context.milestones)
    ? records(context.milestones)
    : records(record(context.milestones).milestones);
  for (const milestone of milestones) {
    const named = [milestone.primary_event_tickers, milestone.related_event_tickers].flat();
    const at = instant(text(milestone.start_date));
    if (at !== null && (named.includes(ticker) || named.every((one) => one === undefined || one === null)))
      return { at, source: 'milestone' };
  }
  const read = gameTicker(ticker);
  const at = read?.clock ? easternInstant(read.on_date, read.clock.hour, read.clock.minute) : null;
  return at === null ? { at: null, source: null } : { at, source: 'ticker_time' };
}

function readGame(ticker: string, league: League, event: Wire, context: Context): Question {
  const read = gameTicker(ticker);
  const title = text(event.title);
  const markets = records(event.markets);
  const metadata = record(event.product_metadata);
  const sides = markets.map((market) => sideOf(ticker, market)).filter((side): side is Side => side !== null);
  const start = startOf(ticker, context);
  const close_at = earliest(markets.map((market) => instant(text(market.close_time))));
  const url = urlOf('venue_a', ticker, text(event.series_ticker) ?? seriesOf(ticker));
  const unread = (code: string, detail: string): Question =>
    unreadGame(
      'venue_a',
      ticker,
      league,
      code,
      { detail, title, labels: sides.map((side) => side.label), codes: sides.map((side) => side.code) },
      { title: title ?? ticker, on_date: read?.on_date ?? null, start_at: start.at, close_at, url },
    );
  if (read === null) return unread('unreadable_date', `no date in ${ticker}`);
  const scope = text(metadata.competition_scope);
  if (scope !== null && scope.toLowerCase() !== 'game')
    return unread('contradictory', `a game series whose scope is "${scope}"`);

  const teamSides = sides.filter((side) => !side.draw);
  const resolved = withElimination(league, teamSides, title);
  const problem = resolved.find((one) => 'problem' in one);
  if (problem && 'problem' in problem) return unread(problem.problem, problem.detail);
  const found = resolved.flatMap((one) => ('team' in one ? [one.team] : []));
  const teams = bothTeams(league, found, title, read.codes);
  if (teams === null)
    return unread(
      found.length === 0 ? 'incomplete' : 'unknown_alias',
      `teams of ${ticker}: ${found.join(', ') || 'none'}`,
    );
  const clash = contradiction(league, teams, title, read.codes);
  if (clash !== null) return unread('contradictory', clash);

  const order = listingOrder(league, teams, title, read.codes);
  const legs: Game['legs'] = sides.map((side) => {
    const at = teamSides.indexOf(side);
    const one = at < 0 ? undefined : resolved[at];
    return {
      team: one && 'team' in one ? one.team : 'draw',
      market_id: side.ticker,
      contract_id: side.ticker,
      side: 'yes',
    };
  });
  const only = legs[0];
  if (league.ways === 2 && legs.length === 1 && only && only.team !== 'draw') {
    // The sibling market is not listed: NO of the one that is pays when the other team wins.
    const other = teams.find((team) => team !== only.team);
    if (other) legs.push({ ...only, team: other, side: 'no' });
  }
  const rules = rulesOfA(markets);
  const sources = records(event.settlement_sources).concat(records(record(context.series).settlement_sources));
  return moneyline({
    venue: 'venue_a',
    event: ticker,
    league,
    stage: stageOf(
      league,
      [text(metadata.competition), title, rules],
      metadata.competition !== undefined,
      read.on_date,
    ),
    teams: order.teams,
    home: order.home,
    on_date: read.on_date,
    game_no: read.game_no,
    start_at: start.at,
    start_source: start.source,
    close_at,
    url,
    terms: sportsTerms(
      rules,
      [...new Set(sources.map((one) => text(one.name) ?? '').filter((name) => name !== ''))],
      read.on_date,
    ),
    evidence: {
      occasion: read.occasion,
      competition_by: 'series',
      participants_by: resolved.map((one) => ('team' in one ? one.by : '')).sort(),
      mirrored: legs.some((leg) => leg.side === 'no'),
    },
    legs,
    excluded: null,
  });
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
    if (!other || !('team' in other)) {
      // Neither code is known: the codes stand in the order of the title's names.
      return one;
    }
    const first = teamsByName(league, names.first);
    const second = teamsByName(league, names.second);
    const rest = first.has(other.team) ? second : second.has(other.team) ? first : new Set<TeamId>();
    const [team, ...more] = [...rest].filter((id) => id !== other.team);
    return team !== undefined && more.length === 0 ? { team, by: 'elimination' } : one;
  });
}

function bothTeams(
  league: League,
  found: readonly TeamId[],
  title: string | null,
  codes: string,
): [TeamId, TeamId] | null {
  const [a, b, ...more] = [...new Set(found)];
  if (a === undefined || more.length > 0) return null;
  if (b !== undefined) return [a, b];
  if (found.length > 1) return null;
  // One market of the two is listed: the other team is the title's or the ticker's other one.
  const names = sidesOfTitle(title);
  const may = new Set<TeamId>();
  if (names) {
    for (const [mine, theirs] of [
      [names.first, names.second],
      [names.second, names.first],
    ] as const) {
      if (teamsByName(league, mine).has(a)) for (const id of teamsByName(league, theirs)) if (id !== a) may.add(id);
    }
  }
  const cut = new Set<TeamId>();
  for (const [first, second] of splitCodes(league, 'venue_a', codes)) {
    if (first.has(a)) for (const id of second) cut.add(id);
    if (second.has(a)) for (const id of first) cut.add(id);
  }
  cut.delete(a);
  const both = may.size > 0 && cut.size > 0 ? common(may, cut) : may.size > 0 ? may : cut;
  const [other, ...others] = [...both];
  return other !== undefined && others.length === 0 ? [a, other] : null;
}

/** Do the title or the ticker name other teams than the markets do? */
function contradiction(
  league: League,
  teams: readonly [TeamId, TeamId],
  title: string | null,
  codes: string,
): string | null {
  const names = sidesOfTitle(title);
  for (const name of names ? [names.first, names.second] : []) {
    const may = teamsByName(league, name);
    if (may.size > 0 && !teams.some((team) => may.has(team)))
      return `the title "${title}" names another team than the markets do`;
  }
  const cuts = splitCodes(league, 'venue_a', codes);
  const fits = cuts.some(([a, b]) => (a.has(teams[0]) && b.has(teams[1])) || (a.has(teams[1]) && b.has(teams[0])));
  return cuts.length > 0 && !fits ? `the ticker's codes "${codes}" name another team than the markets do` : null;
}

function listingOrder(
  league: League,
  teams: [TeamId, TeamId],
  title: string | null,
  codes: string,
): { teams: [TeamId, TeamId]; home: TeamId | null } {
  const turned: [TeamId, TeamId] = [teams[1], teams[0]];
  const names = sidesOfTitle(title);
  const first = names ? whichOf(league, names.first, teams) : null;
  if (first !== null) {
    const inOrder = first === teams[0] ? teams : turned;
    // "A at B" says who is at home; "A vs B" leaves it to the league's order.
    return { teams: inOrder, home: names?.word === 'at' ? inOrder[1] : null };
  }
  const cuts = splitCodes(league, 'venue_a', codes);
  return {
    teams:
      cuts.some(([a, b]) => a.has(teams[1]) && b.has(teams[0])) &&
      !cuts.some(([a, b]) => a.has(teams[0]) && b.has(teams[1]))
        ? turned
        : teams,
    home: null,
  };
}
