import type { Opportunity } from './frames.ts';

export type OpportunityCardState = { opportunity: Opportunity; closed: boolean };

/** Closed cards stay so that none disappears under the pointer. They are not a history. */
const MAX_CLOSED_CARDS = 20;

/**
 * The next list of cards. Cards keep their places; closed ones stay, marked as closed. New
 * opportunities are added at the end, best edge first.
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
