import { DAY } from '../core/eastern.ts';
import type { Moments } from './question.ts';

/** The life of a question without a start: it trades until it is decided. */
export function longMoments(shape: {
  listed_a: number;
  listed_b: number;
  stopped_a: number;
  stopped_b: number;
  ends: number;
  resolvedAfter: number;
}): Moments {
  const determined = Math.max(shape.ends, shape.stopped_a) + 10 * 60_000;
  const proposed = Math.max(shape.ends, shape.stopped_b) + 20 * 60_000;
  return {
    listed_a: shape.listed_a,
    listed_b: shape.listed_b,
    start: null,
    ends: shape.ends,
    closed_a: shape.stopped_a,
    determined_a: determined,
    finalized_a: determined + 5 * 60_000,
    stopped_b: shape.stopped_b,
    proposed_b: proposed,
    resolved_b: proposed + shape.resolvedAfter,
    removed: Math.max(determined, proposed) + shape.resolvedAfter + 2 * DAY,
  };
}
