import type { Opportunity } from './frames.ts';

export type OpportunityCardState = { opportunity: Opportunity; closed: boolean };

/** Cards of windows that have closed, kept at most: they are there so that nothing vanishes under a pointer, not as a record. */
const MAX_CLOSED_CARDS = 20;

/**
 * The list that follows on the one before: cards keep their places, new windows come at the end (the first list is by edge), closed ones
 * stay and say so.
 */
export function nextOpportunityList(
  before: readonly OpportunityCardState[],
  open: ReadonlyMap<string, Opportunity>,
): OpportunityCardState[] {
  const known = new Set(before.map(({ opportunity }) => opportunity.id));
  const added = [...open.values()].filter((opportunity) => !known.has(opportunity.id));
  const kept = before.map((shown) => {
    const now = open.get(shown.opportunity.id);
    return now ? { opportunity: now, closed: false } : { ...shown, closed: true };
  });
  let spare = kept.filter((shown) => shown.closed).length - MAX_CLOSED_CARDS;
  const list = kept.filter((shown) => !shown.closed || spare-- <= 0);
  added.sort((one, other) => other.edge_pct - one.edge_pct || (one.id < other.id ? -1 : 1));
  return [...list, ...added.map((opportunity) => ({ opportunity, closed: false }))];
}
