import type { Question } from '../../listing.ts';
import { leagueOfStem } from '../lines/lines_registry.ts';
import type { League } from '../names/registry.ts';
import type { Context } from '../question.ts';
import { type RawObject, text } from '../text/raw_object.ts';
import { seriesOf } from '../text/ticker.ts';
import { parseGameA } from './game_a.ts';
import { parsePart, partQuestion, partsOfSeries } from './parts.ts';

/** The league of a series about a part of its games. Null when the series is about none. */
function partSeries(series: string): { league: League; unit: string } | null {
  for (const { stem, unit } of partsOfSeries(series)) {
    const league = leagueOfStem(stem);
    if (league) return { league, unit };
  }
  return null;
}

/**
 * Parses the winner of a part on venue_a, which lists it as an event of its own series:
 * `KXLOLMAP-26APR170700JDGNIP-2`.
 */
export function partsA(event: RawObject, context: Context): Question[] {
  const ticker = text(event.event_ticker);
  const series = ticker === null ? null : partSeries(text(event.series_ticker) ?? seriesOf(ticker));
  if (ticker === null || series === null) return [];
  const { league, unit } = series;
  const number = /-(\d)$/.exec(ticker)?.[1] ?? null;
  const part = number === null ? (parsePart(text(event.title) ?? '', league.sport) ?? unit) : `${unit} ${number}`;
  // Without the number of the part, the ticker names the occasion of the whole game.
  const game = parseGameA({ ...event, event_ticker: ticker.replace(/-\d$/, '') }, context, league);
  return [partQuestion(game, 'venue_a', ticker, part)];
}
