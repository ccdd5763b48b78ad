/**
 * The ground truth of the simulator: one real-world question, listed on one or both venues, with
 * its hidden probability, its times, and the contract that pays for each outcome. The product has
 * to find all of this out from the listings.
 */

/**
 * The times of a question, in epoch milliseconds of market time. `start` is null for a question
 * without a game.
 */
export type Moments = {
  listed_a: number;
  listed_b: number;
  start: number | null;
  ends: number;
  closed_a: number;
  determined_a: number;
  finalized_a: number;
  stopped_b: number;
  proposed_b: number;
  resolved_b: number;
  /** Settled listings stay visible until then. */
  removed: number;
};

/** The inputs of an order book: the hidden price, and how the contract is quoted. */
export type Quoting = {
  key: number;
  /** Probability of YES (venue B: of outcome 0). */
  fair(t: number): number;
  halfSpread: number;
  scale: number;
  /** Tick size, in $0.0001. */
  tick: number;
  /** The book is updated this many times less often than the question's other books. Default: 1. */
  intervalFactor?: number;
};

export type WireFields = Record<string, unknown>;

/** A change of a listing: from `at` on, these fields replace the original ones. */
export type Amendment = { at: number; fields: WireFields };

export type SeriesA = { ticker: string; fields: WireFields };

export type ContractA = {
  ticker: string;
  /**
   * The constant part of the venue payload. Status, quotes and result are added when it is sent.
   */
  fields: WireFields;
  quoting: Quoting;
  /**
   * The side that pays, or the dollars per contract when the venue settles at a fair price
   * ("scalar").
   */
  pays: 'yes' | 'no' | number;
  expirationValue: string;
  amended?: Amendment;
};

export type EventA = {
  ticker: string;
  series: string;
  fields: WireFields;
  contracts: ContractA[];
  milestone: WireFields | null;
  /** Changes the milestone. No other field of the event changes. */
  amended?: Amendment;
};

export type MarketB = {
  slug: string;
  id: string;
  condition: string;
  /** The ids that are traded. */
  tokens: readonly [string, string];
  outcomes: readonly [string, string];
  fields: WireFields;
  quoting: Quoting;
  /** Index of the outcome that pays. "split" pays half to each. */
  pays: 0 | 1 | 'split';
  /**
   * False for placeholders and "Other" of augmented events: they are listed without an order book.
   */
  traded: boolean;
  amended?: Amendment;
};

export type EventB = {
  slug: string;
  id: string;
  fields: WireFields;
  tags: readonly WireFields[];
  markets: MarketB[];
  amended?: Amendment;
};

/** `side` of `ticker` pays exactly when `token_id` pays. */
export type Leg = { name: string; ticker: string; side: 'yes' | 'no'; token_id: string };

/**
 * An outcome of venue B that no single contract of venue A states. OVERLAPS: `span` holds the
 * labels of the bands of venue A that it overlaps. DERIVED: thresholds of venue A bound it.
 * UNCOVERED: neither.
 */
export type UnpairedLeg = {
  name: string;
  token_id: string;
  relation: 'OVERLAPS' | 'DERIVED' | 'UNCOVERED';
  span: string[];
};

/**
 * A defect of one of two listings of the same question. The pair may be found, but must not be
 * trusted.
 */
export type ListingDefect = 'unfilled_template' | 'rules_contradict_fields' | 'rules_of_another_game' | 'no_rules';

/**
 * Why the two listings of a twin pay differently. When a game is not played (`unplayed`,
 * `walkover`), venue A pays a fair price and venue B pays half to each outcome. On a `tie` both pay
 * half. Two reports of one weather station can differ by a degree (`a_degree_apart`). When a player
 * dies (`death`), venue A pays the last price before it and venue B pays the winner.
 */
export type SettledDifferently = 'tie' | 'unplayed' | 'walkover' | 'a_degree_apart' | 'death';

/** The field of venue A's listing whose text settles the death of a person. */
export type DeathClause = 'rules_secondary' | 'important_info';

/**
 * A game that is postponed while it is listed. Before `announcedAt` both venues state the start
 * `from`.
 */
export type Postponed = { announcedAt: number; from: number };

/**
 * Two listings of the same question, named by the events that contain them. `line` is the line of a
 * total or spread, else null.
 */
export type Twin = {
  family: string;
  event_ticker: string;
  event_slug: string;
  line: number | null;
  legs: Leg[];
  unpairedLegs: UnpairedLeg[];
  defect: ListingDefect | null;
};

export type Question = {
  key: string;
  family: string;
  moments: Moments;
  a: EventA | null;
  b: EventB | null;
  legs: Leg[];
  /**
   * What the question is about, such as the pair of competitors. Two questions with the same
   * subject that are not twins are lookalikes.
   */
  subject: string;
  unpairedLegs?: UnpairedLeg[];
  defect?: ListingDefect | null;
  settledDifferently?: SettledDifferently | null;
  deathClause?: DeathClause | null;
  postponed?: Postponed;
  /**
   * Twins of other families whose contracts are in this question's listings, or are spread over the
   * listings of several questions.
   */
  twins?: Twin[];
};

/** The twin of the question itself if both venues list it, and its `twins`. */
export function twinsOf({ family, a, b, legs, unpairedLegs = [], defect = null, twins = [] }: Question): Twin[] {
  if (!a || !b || legs.length + unpairedLegs.length === 0) return twins;
  return [{ family, event_ticker: a.ticker, event_slug: b.slug, line: null, legs, unpairedLegs, defect }, ...twins];
}

/**
 * Two listings of different questions that look alike. `ticker` and `slug` name the markets when
 * the events contain true twins as well. `candidate`: the product may show the pair as a candidate,
 * but never with an EXACT leg.
 */
export type Lookalike = {
  venue_a: string;
  venue_b: string;
  why: string;
  ticker?: string;
  slug?: string;
  candidate?: true;
};
