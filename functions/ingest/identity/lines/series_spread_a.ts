import type { Question } from '../../listing.ts';
import { SERIES_TICKER, withoutSeeds } from '../advance/advance_a.ts';
import { parseTitleSides } from '../names/participants.ts';
import { type League, type TeamId, teamsByCode, teamsByName } from '../names/registry.ts';
import { urlOf } from '../question.ts';
import { parseInstant } from '../text/eastern.ts';
import { joined, type RawObject, records, text } from '../text/raw_object.ts';
import { seriesOf, suffixOf } from '../text/ticker.ts';
import { leagueOfStem } from './lines_registry.ts';
import { parseLineA, parseTeamNames } from './lines_text_a.ts';
import { seriesSpreadQuestion } from './series_spread.ts';

const SUFFIX = 'SERIESSPREAD';

/**
 * Parses `KXMLBSERIESSPREAD-26SDMILNLDS` of venue_a. YES of each market pays when its team wins the
 * series by more games than the strike.
 */
export function seriesSpreadA(event: RawObject): Question[] {
  const ticker = text(event.event_ticker) ?? '';
  const series = text(event.series_ticker) ?? seriesOf(ticker);
  const league = series.endsWith(SUFFIX) ? leagueOfStem(series.slice(0, -SUFFIX.length)) : null;
  const [, year, day] = SERIES_TICKER.exec(ticker) ?? [];
  const teams = league === null ? null : teamsOf(league, text(event.title));
  if (league === null || teams === null || year === undefined || day !== undefined) return [];
  return records(event.markets).flatMap((market) => {
    const nativeId = text(market.ticker);
    const rules = joined(market.rules_primary, market.rules_secondary);
    const over = parseLineA(market, rules);
    const favourite = nativeId === null ? null : teamOf(league, teams, ticker, nativeId, market);
    if (nativeId === null || favourite === null || 'problem' in over || over.line <= 0) return [];
    const contract = { market_id: nativeId, contract_id: nativeId };
    return [
      seriesSpreadQuestion({
        venue: 'venue_a',
        nativeId,
        league,
        teams,
        year: 2000 + Number(year),
        favourite,
        games: over.line,
        covers: { ...contract, side: 'yes' },
        other: { ...contract, side: 'no' },
        close_at: parseInstant(text(market.close_time)),
        url: urlOf('venue_a', ticker, series),
        rules,
        sources: records(event.settlement_sources).flatMap((one) => text(one.name) ?? []),
        evidence: {
          occasion: ticker.slice(ticker.indexOf('-') + 1),
          year_by: 'ticker',
          competition_by: 'series',
          participants_by: ['label', 'label'],
          line_by: over.by,
        },
      }),
    ];
  });
}

/**
 * "Series Game Spread: San Antonio (2) vs Oklahoma City (1)": returns its two teams. Each name must
 * mean exactly one team.
 */
function teamsOf(league: League, title: string | null): [TeamId, TeamId] | null {
  const names = parseTitleSides(withoutSeeds(title));
  const found = names === null ? [] : [names.first, names.second].map((name) => [...teamsByName(league, name)]);
  const [first, second] = found;
  if (first?.length !== 1 || second?.length !== 1 || first[0] === second[0]) return null;
  return [first[0] as TeamId, second[0] as TeamId];
}

/**
 * Returns the favourite. Label, title and rules must name the same team, and the code in the ticker
 * must not mean the other one.
 */
function teamOf(
  league: League,
  teams: readonly TeamId[],
  event: string,
  ticker: string,
  market: RawObject,
): TeamId | null {
  const code = suffixOf(event, ticker)?.replace(/\d+$/, '') ?? '';
  const candidates = [
    ...parseTeamNames(market).map((name) => teamsByName(league, name)),
    teamsByCode(league, 'venue_a', code),
  ];
  const named = new Set(candidates.flatMap((may) => teams.filter((team) => may.has(team))));
  const [team, ...more] = [...named];
  return team !== undefined && more.length === 0 ? team : null;
}
