import { pick, unit } from '../../core/random.ts';
import type { Quoting } from '../question.ts';

/**
 * How the books of a listing are quoted. Each pair of numbers is a minimum and the range above it.
 */
export type QuotingProfile = {
  /** Half the spread, in tick sizes. */
  spread: readonly [min: number, range: number];
  /** Contracts at the best price. */
  size: readonly [min: number, range: number];
  intervalFactor?: number;
};

/**
 * Each contract has its own draw. The venues draw at different positions, so that the books of
 * twins differ.
 */
function quotingOf(
  key: number,
  profile: QuotingProfile,
  fair: Quoting['fair'],
  tick: number,
  positions: readonly [number, number],
): Quoting {
  const { spread, size, intervalFactor } = profile;
  return {
    key,
    fair,
    halfSpread: spread[0] + spread[1] * unit(key, positions[0]),
    scale: size[0] + pick(key, positions[1], size[1]),
    tick,
    ...(intervalFactor === undefined ? {} : { intervalFactor }),
  };
}

/** Venue A quotes in cents. */
export const quotingOnA = (key: number, profile: QuotingProfile, fair: Quoting['fair']): Quoting =>
  quotingOf(key, profile, fair, 100, [1, 2]);

export const quotingOnB = (key: number, profile: QuotingProfile, fair: Quoting['fair'], tick: number): Quoting =>
  quotingOf(key, profile, fair, tick, [21, 23]);
