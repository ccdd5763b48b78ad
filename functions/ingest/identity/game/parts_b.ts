import type { Question } from '../../listing.ts';
import type { Context } from '../question.ts';
import { type RawObject, records, strings, text } from '../text/raw_object.ts';
import { competitionOfB } from './competition_b.ts';
import { parseGameB } from './game_b.ts';
import { parsePart, partQuestion } from './parts.ts';

/**
 * Parses the winners of parts on venue_b, one question per part. The venue lists them as markets in
 * the event of the game ("… - Game 2 Winner", type child_moneyline or first_half_moneyline), or as
 * an event ("… - Halftime Result").
 */
export function partsB(event: RawObject, context: Context): Question[] {
  const slug = text(event.slug);
  const where = slug === null ? null : competitionOfB(event, slug);
  const game = where === null ? null : parseGameB(event, context);
  if (slug === null || where === null || game === null) return [];
  const { sport } = where.league;
  const titled = parsePart(text(event.title) ?? '', sport);
  const whole = titled ?? ('sibling' in game && game.sibling !== null ? parsePart(game.sibling, sport) : null);
  if (whole !== null) return [partQuestion(game, 'venue_b', slug, whole)];
  const found = new Map<string, Question>();
  for (const market of records(event.markets)) {
    const id = text(market.conditionId);
    const part = partWon(market, sport);
    if (id !== null && part !== null && !found.has(part)) found.set(part, partQuestion(game, 'venue_b', id, part));
  }
  return [...found.values()];
}

/**
 * Returns the part whose winner a market asks for. The market has two outcomes named after the
 * teams, and words or a type that name the part.
 */
function partWon(market: RawObject, sport: string): string | null {
  const outcomes = strings(market.outcomes);
  if (outcomes.length !== 2 || outcomes.some((one) => /^(?:yes|no|over|under|odd|even)\b/i.test(one))) return null;
  const type = text(market.sportsMarketType);
  const question = text(market.question) ?? '';
  const won = type === null ? /\bwinner\b|\bmoneyline\b/i.test(question) : /moneyline/.test(type);
  return won ? parsePart(`${type ?? ''} ${question}`, sport) : null;
}
