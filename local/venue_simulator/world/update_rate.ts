import { HOUR, SECOND } from '../core/eastern.ts';
import type { Question } from '../universe/question.ts';

/** How long a contract's book rests between updates: what is being played moves most. Tuned to 150–250 messages a second by default. */
export function updateIntervalOf(question: Question, t: number, crowd: number): number {
  const { start, ends } = question.moments;
  if (start !== null) {
    if (t >= start && t < ends) return 2.5 * SECOND;
    if (start - t < HOUR) return 6 * SECOND;
    if (start - t < 12 * HOUR) return 22 * SECOND;
    return 60 * SECOND * crowd;
  }
  if (question.family === 'outright') return 90 * SECOND * crowd;
  return 20 * SECOND;
}

/**
 * Thousands of games must not mean thousands of messages: far-off books slow down as the universe grows. A property of the universe
 * and not of what is listed just now, so that a restarted process comes to the same books.
 */
export function loadFactorOf(games: number): number {
  return Math.max(1, Math.ceil(games / 180));
}
