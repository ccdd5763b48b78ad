import type { Question } from '../../listing.ts';
import { findLeague, onlyTeam, yearOf } from '../advance/advance_b.ts';
import { parseTitleSides } from '../names/participants.ts';
import type { League, TeamId } from '../names/registry.ts';
import { type Context, urlOf } from '../question.ts';
import { parseInstant } from '../text/eastern.ts';
import { outcomeTokens } from '../text/outcome_ids.ts';
import { joined, type RawObject, records, strings, text } from '../text/raw_object.ts';
import { parseGroupTitle } from './lines_text_b.ts';
import { seriesSpreadQuestion } from './series_spread.ts';

const TITLE = /\bseries spread\b/i;

/**
 * Whether an event is about handicaps over a whole series. Its markets look like those of a game
 * ("Brewers (-1.5)").
 */
export const isSeriesSpread = (event: RawObject): boolean => TITLE.test(text(event.title) ?? '');

/**
 * Parses "MLB Playoffs: Brewers vs. Padres Series Spread" of venue_b: one market per handicap, each
 * with both sides.
 */
export function seriesSpreadB(event: RawObject, context: Context): Question[] {
  const title = text(event.title);
  const names =
    title === null || !TITLE.test(title) ? null : parseTitleSides(title.replace(TITLE, '').replace(/[\s:-]+$/, ''));
  const league = names === null ? null : findLeague(`${title} ${text(event.slug) ?? ''}`, names);
  if (names === null || league === null) return [];
  const [first, second] = [onlyTeam(league, names.first), onlyTeam(league, names.second)];
  if (first === null || second === null || first === second) return [];
  return records(event.markets).flatMap((market) => parseMarket(event, market, league, [first, second], context) ?? []);
}

const HANDICAP = /^(.*?) ?\(?([-+−–]\d+(?:\.\d+)?)\)?$/;

/** Returns the team of each outcome with its token, and the handicap if the label states one. */
function parseSides(market: RawObject, league: League, teams: readonly TeamId[]) {
  const tokens = outcomeTokens(market);
  return strings(market.outcomes).flatMap((label, at) => {
    const [, name = label, handicap] = HANDICAP.exec(label) ?? [];
    const team = onlyTeam(league, name);
    const token = tokens[at];
    if (team === null || !teams.includes(team) || token === undefined) return [];
    return [{ team, token, handicap: handicap === undefined ? null : Number(handicap.replace(/[−–]/, '-')) }];
  });
}

function parseMarket(
  event: RawObject,
  market: RawObject,
  league: League,
  teams: readonly [TeamId, TeamId],
  context: Context,
): Question | null {
  const nativeId = text(market.conditionId);
  const slug = text(event.slug);
  const group = parseGroupTitle(text(market.groupItemTitle) ?? text(market.question) ?? '');
  const named = group === null || !group.signed ? null : onlyTeam(league, group.name);
  if (nativeId === null || slug === null || group === null || named === null || !teams.includes(named)) return null;
  const favourite = group.line < 0 ? named : teams[named === teams[0] ? 1 : 0];
  const games = Math.abs(group.line);
  const sides = parseSides(market, league, teams);
  const covers = sides.find((side) => side.team === favourite);
  const other = sides.find((side) => side.team !== favourite);
  const agrees = (covers?.handicap ?? -games) === -games && (other?.handicap ?? games) === games;
  // A whole number of games can be met exactly, and no text states who is paid then.
  if (sides.length !== 2 || !covers || !other || covers.token === other.token || !agrees || games % 1 !== 0.5)
    return null;
  const rules = joined(market.description) ?? joined(event.description);
  const close_at = parseInstant(text(market.endDate)) ?? parseInstant(text(event.endDate));
  const { year, year_by } = yearOf([text(market.question), text(event.title), rules], close_at, context);
  return seriesSpreadQuestion({
    venue: 'venue_b',
    nativeId,
    league,
    teams,
    year,
    favourite,
    games,
    covers: { market_id: nativeId, contract_id: covers.token, side: null },
    other: { market_id: nativeId, contract_id: other.token, side: null },
    close_at,
    url: urlOf('venue_b', slug, null),
    rules,
    sources: [event, market].flatMap((one) => text(one.resolutionSource) ?? []),
    evidence: { year_by, competition_by: 'title', participants_by: ['label', 'label'], line_by: 'group' },
  });
}
