import { DAY, HOUR, MINUTE } from '../../core/eastern.ts';
import type { Moments } from '../question.ts';

/**
 * The times of a question without a game. Both venues trade it until it is decided at `ends`,
 * unless `stopped_a` or `stopped_b` states another time.
 */
export function longSchedule(shape: {
  listed_a: number;
  listed_b: number;
  ends: number;
  stopped_a?: number;
  stopped_b?: number;
}): Moments {
  const { listed_a, listed_b, ends, stopped_a = ends, stopped_b = ends } = shape;
  const determined = Math.max(ends, stopped_a) + 10 * MINUTE;
  const proposed = Math.max(ends, stopped_b) + 20 * MINUTE;
  const resolved = proposed + 2 * HOUR;
  return {
    listed_a,
    listed_b,
    start: null,
    ends,
    closed_a: stopped_a,
    determined_a: determined,
    finalized_a: determined + 5 * MINUTE,
    stopped_b,
    proposed_b: proposed,
    resolved_b: resolved,
    removed: Math.max(determined + 2 * HOUR, resolved) + 2 * DAY,
  };
}
