import type { UnorderedLeg } from './question.ts';

/** One contract of a ladder, with the field that decides when two contracts have the same rung. */
export type Rung = UnorderedLeg & { trading: boolean };

/**
 * Returns the rungs with exactly one contract. A venue may list a rung again after the first
 * contract was settled. With `again` 'same' the contract that still trades is used. With 'other'
 * none is used, because the second contract counts from its own listing on, as a touch does. When
 * both or none trade, the rung is dropped too. Dropped rungs are returned in `doubled`.
 */
export function unambiguousRungs(
  rungs: readonly Rung[],
  again: 'same' | 'other' = 'same',
): { legs: UnorderedLeg[]; doubled: string[] } {
  const byKey = new Map<string, Rung[]>();
  for (const rung of rungs) byKey.set(rung.outcome_key, [...(byKey.get(rung.outcome_key) ?? []), rung]);
  const legs: UnorderedLeg[] = [];
  const doubled: string[] = [];
  for (const [key, claims] of byKey) {
    const trading = claims.filter((one) => one.trading);
    const chosen = claims.length === 1 ? claims[0] : again === 'same' && trading.length === 1 ? trading[0] : undefined;
    if (chosen === undefined) {
      doubled.push(key);
      continue;
    }
    const { trading: _, ...leg } = chosen;
    legs.push(leg);
  }
  return { legs, doubled: doubled.sort() };
}
