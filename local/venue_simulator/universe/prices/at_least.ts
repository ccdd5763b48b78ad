import { above, type ContractShapeA } from '../listing/list_a.ts';

/**
 * "$78,000 or above" as a contract of venue A: strictly above one cent less (venues.md A3).
 * `shapeOf` receives that floor.
 */
export function atLeast(
  strike: number,
  shapeOf: (floor: number) => Omit<ContractShapeA, 'code' | 'strike'>,
): ContractShapeA {
  const floor = Math.round((strike - 0.01) * 100) / 100;
  return { code: `T${floor}`, strike: above(floor), ...shapeOf(floor) };
}
