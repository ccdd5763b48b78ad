import { above, type RungA } from '../listing/list_a.ts';

/** "$78,000 or above" as venue A asks it: strictly above a cent less (venues.md A3). `says` is told the floor that it names. */
export function atLeast(strike: number, says: (floor: number) => Omit<RungA, 'code' | 'strike'>): RungA {
  const floor = Math.round((strike - 0.01) * 100) / 100;
  return { code: `T${floor}`, strike: above(floor), ...says(floor) };
}
