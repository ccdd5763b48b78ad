import type { Json, Question } from '../../listing.ts';
import { countsMaps } from '../lines/lines_registry.ts';
import { buildQuestion } from '../question.ts';
import parts from '../registry/parts.json' with { type: 'json' };
import { gameIdentity, isUnparsed, moneylineKey, nameIn, type ParsedGame, sidesOf, type UnparsedGame } from './game.ts';
import { questionId, unparsedGame } from './moneyline.ts';

/**
 * The winner of a map, a set or a half is another question than the winner of the game. It is
 * parsed and stored as excluded, so that a match pass can report what it rejected.
 */

const WINNERS = [...parts.winners].sort((a, b) => b.suffix.length - a.suffix.length);

/**
 * Returns each way to read a series of venue_a as the winners of a part: `KXLOLMAP` is the stem
 * `KXLOL` and the unit `map`. The longest suffix comes first.
 */
export function partsOfSeries(series: string): { stem: string; unit: string }[] {
  return WINNERS.filter(({ suffix }) => series.endsWith(suffix)).map(({ suffix, unit }) => ({
    stem: series.slice(0, -suffix.length),
    unit,
  }));
}

const ORDINALS: { [word: string]: number } = {
  first: 1,
  '1st': 1,
  second: 2,
  '2nd': 2,
  third: 3,
  '3rd': 3,
  fourth: 4,
  '4th': 4,
};
const UNIT = '(?:half|quarter|period|innings?|set|map)';
const COUNTED = new RegExp(`\\b(map|set|${UNIT}) ?#?(\\d)\\b`, 'i');
const ORDINAL = new RegExp(`\\b(${Object.keys(ORDINALS).join('|')}) (${UNIT})\\b`, 'i');
const SHORT = /\b([1-4])([hqp])\b/i;
const SHORT_UNITS: { [letter: string]: string } = { h: 'half', q: 'quarter', p: 'period' };

/**
 * Returns the part of a game that a text names ("map 2", "set 1", "half 1", "innings 1-5"). Null
 * when it names none.
 */
export function parsePart(text: string, sport: string): string | null {
  const normalized = text.replace(/[_-]/g, ' ').toLowerCase();
  if (sport === 'baseball' && /\bf5\b|\bfirst (?:5|five)\b/.test(normalized)) return 'innings 1-5';
  if (/\bhalf ?time\b/.test(normalized)) return 'half 1';
  const ordinal = ORDINAL.exec(normalized);
  if (ordinal) return `${ordinal[2]} ${ORDINALS[ordinal[1] ?? '']}`;
  const counted = COUNTED.exec(normalized);
  if (counted) return `${counted[1]} ${counted[2]}`;
  const short = SHORT.exec(normalized);
  if (short) return `${SHORT_UNITS[short[2] ?? '']} ${short[1]}`;
  // In video games "Game 2" is a map of a match. Elsewhere it is a game of a series.
  const game = countsMaps(sport) ? /\bgame ?(\d)\b/.exec(normalized) : null;
  return game ? `map ${game[1]}` : null;
}

/**
 * Builds the excluded question of the winner of a part. Its key is never that of a whole game.
 * `nativeId` is the id of the event or of the market.
 */
export function partQuestion(
  game: ParsedGame | UnparsedGame,
  venue: ParsedGame['venue'],
  nativeId: string,
  part: string,
): Question {
  if (isUnparsed(game)) return { ...unparsedGame(venue, nativeId, game, { scope: part }), excluded: 'part_of_game' };
  const { first, second } = sidesOf(game);
  const identity: { [key: string]: Json } = { ...gameIdentity(game), scope: part };
  return buildQuestion(
    {
      question_id: questionId(venue, nativeId),
      family: 'moneyline',
      key: moneylineKey(game.league, game.stage, part, game.teams),
      title: `${nameIn(game, first)} vs ${nameIn(game, second)}: ${part}`,
      identity,
    },
    {
      on_date: game.on_date,
      game_no: game.game_no,
      start_at: game.start_at,
      close_at: game.close_at,
      sport: game.league.sport,
      competition: game.league.name,
      url: game.url,
      excluded: 'part_of_game',
    },
    game.terms,
    [],
  );
}
