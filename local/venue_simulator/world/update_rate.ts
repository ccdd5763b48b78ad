import { HOUR, SECOND } from '../core/eastern.ts';
import type { Question } from '../universe/question.ts';

/**
 * Interval between updates of a contract's book. Games in play move most. Tuned to 150–250 messages
 * per second by default.
 */
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
 * Books of distant games update less often in larger universes, so that thousands of games do not
 * send thousands of messages. It depends on the universe and not on the current listings, so that a
 * restarted process has the same books.
 */
export function loadFactorOf(games: number): number {
  return Math.max(1, Math.ceil(games / 180));
}
