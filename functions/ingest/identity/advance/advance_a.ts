import type { Question } from '../../listing.ts';
import { isUnparsed } from '../game/game.ts';
import { parseGameA } from '../game/game_a.ts';
import { buildSides, type Sides } from '../game/game_payoff.ts';
import { type Verdict, worstOfContracts, worstVerdict } from '../game/verdict.ts';
import { titlesVerdict } from '../game/winner_payoff.ts';
import { leagueOfStem } from '../lines/lines_registry.ts';
import { parseTitleSides, resolveTeam } from '../names/participants.ts';
import { COMPETITIONS, type League, type TeamId, teamsByName } from '../names/registry.ts';
import { type Context, earliest, urlOf } from '../question.ts';
import lines from '../registry/lines.json' with { type: 'json' };
import { parseInstant, parseTickerDate } from '../text/eastern.ts';
import { joined, type RawObject, record, records, rulesOfA, text } from '../text/raw_object.ts';
import { seriesOf, suffixOf } from '../text/ticker.ts';
import { type AdvanceLeg, bothLegs, rejectAdvance, seriesQuestion, tieQuestion } from './advance.ts';
import { advanceYes } from './advance_payoff.ts';

/**
 * Parses the ties (`KXUCLADVANCE-26APR14LFCPSG`) and playoff series (`KXNHLSERIES-26VGKANAR2`) of
 * venue_a, which lists one market per team.
 */
export function advanceA(event: RawObject, context: Context): Question[] {
  const ticker = text(event.event_ticker);
  if (ticker === null) return [];
  const series = text(event.series_ticker) ?? seriesOf(ticker);
  const tie = series.endsWith('ADVANCE') ? leagueOfStem(series.slice(0, -'ADVANCE'.length)) : null;
  if (tie) return [parseTie(ticker, tie, event, context)];
  const playoff = series.endsWith('SERIES') ? leagueOfStem(series.slice(0, -'SERIES'.length)) : null;
  if (playoff) return [parseSeries(ticker, playoff, event, context)];
  return parseReusedSeries(ticker, series, event, context);
}

const SEED = /^\(\d{1,2}\)\s*|\s*\(\d{1,2}\)(?=\s|$)/g;
export const withoutSeeds = (name: string | null): string | null => name?.replace(SEED, '').trim() || null;

/**
 * Returns the team of each market, or a text that states why one of them is unknown. An unknown
 * team rejects the whole event, so that no leg is dropped silently.
 */
function legsOf(ticker: string, league: League, event: RawObject): { legs: AdvanceLeg[]; by: string[] } | string {
  const legs: AdvanceLeg[] = [];
  const by: string[] = [];
  for (const market of records(event.markets)) {
    const id = text(market.ticker);
    if (id === null) continue;
    const label = withoutSeeds(text(market.yes_sub_title));
    const read = resolveTeam(league, 'venue_a', label, suffixOf(ticker, id));
    if ('problem' in read) return read.detail;
    legs.push({ team: read.team, market_id: id, contract_id: id, side: 'yes' });
    by.push(read.by);
  }
  return { legs, by: by.sort() };
}

const marketOf = (event: RawObject, leg: AdvanceLeg): RawObject =>
  records(event.markets).find((one) => text(one.ticker) === leg.market_id) ?? {};

const labelledTeams = (event: RawObject, legs: readonly AdvanceLeg[]) =>
  legs.map((leg) => ({ team: leg.team, label: withoutSeeds(text(marketOf(event, leg).yes_sub_title)) }));

/** Compares title, label and text of each market with the team that the fields name. */
function payoffOf(event: RawObject, sides: Sides, scope: 'tie' | 'series', legs: readonly AdvanceLeg[]): Verdict {
  const markets = legs.map((leg) => ({ leg, market: marketOf(event, leg) }));
  const titles = [text(event.title), ...markets.map(({ market }) => text(market.title))];
  const labels = markets.map(({ market }) => text(market.yes_sub_title));
  const texts = markets.map(({ leg, market }) =>
    advanceYes(sides, scope, leg.team, joined(market.rules_primary, market.rules_secondary)),
  );
  return worstVerdict([titlesVerdict(sides, titles, labels), worstOfContracts(texts)]);
}

function parseTie(ticker: string, league: League, event: RawObject, context: Context): Question {
  const reject = (code: Parameters<typeof rejectAdvance>[3], detail: string): Question =>
    rejectAdvance('venue_a', ticker, league, code, detail, text(event.title));
  const found = legsOf(ticker, league, event);
  if (typeof found === 'string') return reject('unknown_alias', found);
  const named = found.legs.map((leg) => leg.team);
  const game = parseGameA(event, context, league, named);
  if (isUnparsed(game)) return reject(game.problem, game.detail);
  const both = bothLegs(found.legs, game.teams);
  if (both === null || found.legs.length > 2) return reject('incomplete', `legs ${named.join(', ')}`);
  return tieQuestion(game, both.legs, {
    nativeId: ticker,
    rules: rulesOfA(records(event.markets)),
    payoff: payoffOf(event, buildSides(game, labelledTeams(event, found.legs), [game.title]), 'tie', found.legs),
    evidence: { participants_by: found.by, mirrored: both.mirrored },
  });
}

const ROUNDS = Object.keys(lines.advance.rounds).sort((a, b) => b.length - a.length);
/** `KXMLBSERIES-26SDMILNLDS`: year, first day of a short series, codes of both teams, round. */
export const SERIES_TICKER = new RegExp(`^[A-Z0-9]+-(\\d{2})([A-Z]{3}\\d{2})?([A-Z]+?)(${ROUNDS.join('|')})?$`);

function parseSeries(ticker: string, league: League, event: RawObject, context: Context, nativeId = ticker): Question {
  const title = withoutSeeds(text(event.title));
  const reject = (code: Parameters<typeof rejectAdvance>[3], detail: string): Question =>
    rejectAdvance('venue_a', nativeId, league, code, detail, title);
  const read = SERIES_TICKER.exec(ticker);
  if (read === null) return reject('unreadable_date', `no year in ${ticker}`);
  const found = legsOf(ticker, league, event);
  if (typeof found === 'string') return reject('unknown_alias', found);
  const teams = teamsOf(league, found.legs, title);
  if (teams === null)
    return reject('unknown_alias', `teams of ${ticker}: ${found.legs.map((leg) => leg.team).join(', ')}`);
  const both = bothLegs(found.legs, teams);
  if (both === null) return reject('incomplete', `legs of ${ticker}`);
  const [, year = '', day, , round] = read;
  const markets = records(event.markets);
  const sources = records(event.settlement_sources).concat(records(record(context.series).settlement_sources));
  return seriesQuestion({
    venue: 'venue_a',
    nativeId,
    league,
    teams,
    year: 2000 + Number(year),
    on_date: day === undefined ? null : parseTickerDate(`${year}${day}`),
    close_at: earliest(markets.map((market) => parseInstant(text(market.close_time)))),
    url: urlOf('venue_a', ticker, text(event.series_ticker) ?? seriesOf(ticker)),
    rules: rulesOfA(markets),
    sources: [...new Set(sources.flatMap((one) => text(one.name) ?? []))],
    legs: both.legs,
    payoff: payoffOf(
      event,
      buildSides({ league, teams, printed: new Map(), game_no: null }, labelledTeams(event, found.legs), []),
      'series',
      found.legs,
    ),
    evidence: {
      occasion: ticker.slice(ticker.indexOf('-') + 1),
      round: round === undefined ? null : ((lines.advance.rounds as { [code: string]: string })[round] ?? null),
      year_by: 'ticker',
      competition_by: 'series',
      participants_by: found.by,
      mirrored: both.mirrored,
    },
  });
}

/**
 * Returns the two teams of the title. An event with at most two teams must list no other team.
 * Without a title, returns the two teams of the markets.
 */
function teamsOf(league: League, legs: readonly AdvanceLeg[], title: string | null): [TeamId, TeamId] | null {
  const listed = [...new Set(legs.map((leg) => leg.team))];
  const names = parseTitleSides(title);
  if (names === null) return listed.length === 2 ? [listed[0] as TeamId, listed[1] as TeamId] : null;
  const [first, second] = [names.first, names.second].map((name) => {
    const may = [...teamsByName(league, withoutSeeds(name) ?? name)];
    const known = may.filter((team) => listed.includes(team));
    return known.length === 1 ? known[0] : may.length === 1 ? may[0] : undefined;
  });
  if (first === undefined || second === undefined || first === second) return null;
  return listed.length <= 2 && listed.some((team) => team !== first && team !== second) ? null : [first, second];
}

/**
 * Parses a conference title race that the venue retitles once two teams are left. It is then also
 * the series of these two teams.
 */
function parseReusedSeries(ticker: string, series: string, event: RawObject, context: Context): Question[] {
  const id = (lines.advance.reused as { [series: string]: string })[series];
  const league = id === undefined ? undefined : COMPETITIONS.get(id);
  if (!league || !/^series winner\b/i.test(text(event.title) ?? '')) return [];
  return [parseSeries(ticker, league, { ...event }, context, `${ticker}:series`)];
}
