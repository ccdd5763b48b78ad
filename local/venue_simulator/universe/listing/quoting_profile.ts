import { pick, unit } from '../../core/random.ts';
import type { Quoting } from '../question.ts';

/** How the books of one listing look: each number is the least, and how much more there may be. */
export type QuotingProfile = {
  /** Half the spread, in ticks. */
  spread: readonly [least: number, more: number];
  /** Contracts at the best price. */
  size: readonly [least: number, more: number];
  intervalFactor?: number;
};

/** Every contract has its own draw; the venues draw from different places, so that twins do not look alike. */
function quotingOf(
  key: number,
  habits: QuotingProfile,
  fair: Quoting['fair'],
  tick: number,
  place: readonly [number, number],
): Quoting {
  const { spread, size, intervalFactor } = habits;
  return {
    key,
    fair,
    halfSpread: spread[0] + spread[1] * unit(key, place[0]),
    scale: size[0] + pick(key, place[1], size[1]),
    tick,
    ...(intervalFactor === undefined ? {} : { intervalFactor }),
  };
}

/** Venue A trades in cents. */
export const quotedOnA = (key: number, habits: QuotingProfile, fair: Quoting['fair']): Quoting =>
  quotingOf(key, habits, fair, 100, [1, 2]);

export const quotedOnB = (key: number, habits: QuotingProfile, fair: Quoting['fair'], tick: number): Quoting =>
  quotingOf(key, habits, fair, tick, [21, 23]);
