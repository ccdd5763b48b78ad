import type { Json, Leg, MarketType, Question, RejectedRow, VenueCode } from '../listing.ts';

/** What the adapters pass in addition to the event. Every field may be missing except `now`. */
export type Context = {
  /** Series object of the venue (venue_a). */
  series?: unknown;
  /** Milestones that name this event (venue_a). They are the only reliable source of its start. */
  milestones?: unknown;
  /** Market time, ISO 8601. */
  now: string;
};

export type QuestionResult = { questions: Question[]; rejected: RejectedRow[] };

/** Codes of `excluded`. They are stable, because operators and tests use them. */
export type Exclusion =
  | 'unknown_alias'
  | 'unconfirmed_league'
  | 'ambiguous_alias'
  | 'contradictory'
  | 'duplicate_listing'
  | 'placeholder'
  | 'unreadable_date'
  | 'incomplete'
  | 'part_of_game'
  | 'payoff_contradicted';

type Facts = Partial<Omit<Question, 'question_id' | 'family' | 'key' | 'legs' | 'identity' | 'terms' | 'title'>>;

/** Builds a question. Fields that the family does not set are null. */
export function buildQuestion(
  required: { question_id: string; family: MarketType; key: string; title: string; identity: { [key: string]: Json } },
  facts: Facts,
  terms: { [key: string]: Json },
  legs: Leg[],
): Question {
  return {
    on_date: null,
    game_no: null,
    start_at: null,
    close_at: null,
    line: null,
    game_key: null,
    category: 'sports',
    sport: null,
    competition: null,
    location: null,
    asset: null,
    indicator: null,
    basis: null,
    institution: null,
    home: null,
    away: null,
    url: null,
    exclusive: true,
    excluded: null,
    ...facts,
    ...required,
    terms,
    legs: legs.map((leg, ordinal) => ({ ...leg, ordinal })),
  };
}

export type UnorderedLeg = Omit<Leg, 'ordinal'>;

/**
 * Sorts legs by a given order of keys. Listings arrive shuffled, and their order must not look like
 * a change.
 */
export function orderLegs(legs: readonly UnorderedLeg[], keys: readonly string[] | null): Leg[] {
  const rank = (key: string) => keys?.indexOf(key) ?? -1;
  return [...legs]
    .sort(
      (a, b) =>
        rank(a.outcome_key) - rank(b.outcome_key) ||
        (a.outcome_key < b.outcome_key ? -1 : a.outcome_key > b.outcome_key ? 1 : 0),
    )
    .map((leg, ordinal) => ({ ...leg, ordinal }));
}

/** Returns the page of an event on the venue. Null when the series is unknown. */
export function urlOf(venue: VenueCode, event: string, series: string | null): string | null {
  if (venue === 'venue_b') return `https://polymarket.com/event/${event}`;
  return series ? `https://kalshi.com/markets/${series.toLowerCase()}/${event.toLowerCase()}` : null;
}

/** Returns the earliest of several instants. Null when there is none. */
export function earliest(instants: readonly (string | null)[]): string | null {
  return instants.filter((at): at is string => at !== null).sort()[0] ?? null;
}
