import type { EventB } from '../question.ts';
import { type EventShapeB, eventB, type MarketQuestionB, marketB, negRiskIdOf, type SharedB } from './listing_b.ts';

/** An event of venue B with its markets. `about` and `ends` are the event's own where they are not those of its markets. */
export type ListingB = Omit<SharedB, 'negRiskId'> &
  Pick<EventShapeB, 'slug' | 'title' | 'negRisk' | 'series' | 'tags' | 'extra'> & {
    about?: string;
    ends?: number;
    augmented?: boolean;
  };

/** In the order of the list, which gives the thresholds where nothing else does. */
export function listOnB(
  listing: ListingB,
  asks: readonly (Omit<MarketQuestionB, 'threshold'> & { threshold?: number })[],
): EventB {
  const { seed, slug, negRisk, about, ends, augmented = false } = listing;
  const shared: SharedB = { ...listing, negRiskId: negRisk ? negRiskIdOf(seed, slug) : null };
  const shape = { ...listing, description: about ?? listing.description, end: ends ?? listing.end, augmented };
  const markets = asks.map((ask, threshold) => marketB(shared, { threshold, ...ask }));
  return eventB(seed, shape, markets);
}
