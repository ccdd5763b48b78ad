/** Days in the time zone of a place. */

import { wallClock } from './clock.ts';

/** Returns the local time at an instant, as epoch ms as if it were UTC. */
function localTimeAt(ms: number, zone: string): number {
  return Date.parse(`${wallClock(ms, zone)}:00Z`);
}

/**
 * Returns the instant (ISO 8601, UTC) at which the day `date` ("2026-08-09") ends in the time zone.
 * Null for an invalid date.
 */
export function dayEnd(date: string, zone: string): string | null {
  const midnight = Date.parse(`${date}T00:00:00Z`) + 86_400_000;
  if (Number.isNaN(midnight)) return null;
  // The offset of the first guess may be that of the other side of a clock change. The second guess
  // is right.
  const guess = midnight - (localTimeAt(midnight, zone) - midnight);
  return new Date(midnight - (localTimeAt(guess, zone) - guess)).toISOString();
}
