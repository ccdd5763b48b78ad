import type { EventB } from '../question.ts';
import {
  type EventShapeB,
  eventB,
  type MarketQuestionB,
  marketB,
  negRiskIdOf,
  type SharedB,
  versionOf,
} from './listing_b.ts';

/**
 * An event of venue B with its markets. `eventDescription` and `eventEnd` replace the description
 * and end of the markets in the event itself.
 */
export type ListingB = Omit<SharedB, 'negRiskId' | 'version'> &
  Pick<EventShapeB, 'slug' | 'title' | 'negRisk' | 'series' | 'tags' | 'extra'> & {
    eventDescription?: string;
    eventEnd?: number;
    augmented?: boolean;
  };

/** The index in `questions` is the default threshold. */
export function listOnB(
  listing: ListingB,
  questions: readonly (Omit<MarketQuestionB, 'threshold'> & { threshold?: number })[],
): EventB {
  const { seed, slug, negRisk, eventDescription, eventEnd, augmented = false } = listing;
  const version = versionOf(seed, slug);
  const shared: SharedB = { ...listing, version, negRiskId: negRisk ? negRiskIdOf(seed, slug) : null };
  const shape = {
    ...listing,
    version,
    description: eventDescription ?? listing.description,
    end: eventEnd ?? listing.end,
    augmented,
  };
  const markets = questions.map((question, threshold) => marketB(shared, { threshold, ...question }));
  return eventB(seed, shape, markets);
}
