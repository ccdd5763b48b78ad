import type { UnorderedLeg } from './question.ts';

/** One contract of a ladder, with what decides when two of them claim the same rung. */
export type Rung = UnorderedLeg & { trading: boolean };

/**
 * Rungs that are unmistakable. A venue lists a rung again after the first was settled: then the one that still trades is meant, unless
 * it asks from its own listing on (`again` 'other'), as a touch does. Two that both trade, or neither, are nobody's to choose between.
 * What is not chosen is left out by name.
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
