/**
 * What the simulator knows and the venues' readers must find out: one real-world question, listed on one or both venues,
 * with its hidden probability, its life, and which contract pays for which outcome.
 */

/** When things happen to a question, epoch milliseconds of market time. `start` is null where nothing is played. */
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
  /** The venues keep settled listings visible this long. */
  removed: number;
};

/** What makes a contract's book: its hidden price and the habits of its order book. */
export type Quoting = {
  key: number;
  /** Probability of YES (venue B: of outcome 0). */
  fair(t: number): number;
  halfSpread: number;
  scale: number;
  /** $0.0001 units. */
  tick: number;
  /** How many times longer than its question's other books it rests between updates; 1 where nothing is said. */
  intervalFactor?: number;
};

export type WireFields = Record<string, unknown>;

/** What a venue writes anew while a listing stands: from `at` on these fields replace those that it was listed with. */
export type Amendment = { at: number; fields: WireFields };

export type SeriesA = { ticker: string; fields: WireFields };

export type ContractA = {
  ticker: string;
  /** The stable part of the wire object; status, quotes and result are added when it is sent. */
  fields: WireFields;
  quoting: Quoting;
  /** How it settles; a number of dollars where the contract pays a fair price instead ("scalar"). */
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
  /** Of the milestone: nothing else of the event's own ever changes. */
  amended?: Amendment;
};

export type MarketB = {
  slug: string;
  id: string;
  condition: string;
  tokens: readonly [string, string];
  outcomes: readonly [string, string];
  fields: WireFields;
  quoting: Quoting;
  /** Index of the outcome that pays, or half to each. */
  pays: 0 | 1 | 'split';
  /** Placeholders and "Other" of augmented events are listed without an order book. */
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

/** Buying `side` of `ticker` pays exactly when `token_id` pays. */
export type Leg = { name: string; ticker: string; side: 'yes' | 'no'; token_id: string };

/** A statement of venue B that no single contract of venue A makes: offset bands (with the bands it spans), or only a cumulative ladder. */
export type UnpairedLeg = {
  name: string;
  token_id: string;
  relation: 'OVERLAPS' | 'DERIVED' | 'UNCOVERED';
  span: string[];
};

/** What is wrong with one of two listings of the same question: it may be found, but never trusted. */
export type ListingDefect = 'unfilled_template' | 'rules_contradict_fields' | 'rules_of_another_game' | 'no_rules';

/**
 * Why twins may pay differently: venue A pays a fair price and venue B half to each where a game is not played (`unplayed`,
 * `walkover`), both half of a `tie`; two readings of one station can lie a degree apart.
 */
export type SettledDifferently = 'tie' | 'unplayed' | 'walkover' | 'a_degree_apart';

/** A game put off while it is listed: until `told` both venues say that it begins at `from`. */
export type Postponed = { announcedAt: number; from: number };

/** Two listings that ask the same, by the events that hold them; `line` is that of a total or spread. */
export type Twin = {
  family: string;
  event_ticker: string;
  event_slug: string;
  line: number | null;
  legs: Leg[];
  loose: UnpairedLeg[];
  caution: ListingDefect | null;
};

export type Question = {
  key: string;
  family: string;
  moments: Moments;
  a: EventA | null;
  b: EventB | null;
  legs: Leg[];
  /** The pair of competitors or the like; questions that share it and are not twins are look-alikes. */
  subject: string;
  loose?: UnpairedLeg[];
  caution?: ListingDefect | null;
  settledDifferently?: SettledDifferently | null;
  postponed?: Postponed;
  /** Twins of other families whose contracts stand in this question's listings, or across several questions'. */
  twins?: Twin[];
};

/** A question's own twin, where both venues list it, and those whose contracts stand in it or in several questions. */
export function twinsOf({ family, a, b, legs, loose = [], caution = null, twins = [] }: Question): Twin[] {
  if (!a || !b || legs.length + loose.length === 0) return twins;
  return [{ family, event_ticker: a.ticker, event_slug: b.slug, line: null, legs, loose, caution }, ...twins];
}

/**
 * Two listings that ask different things and look as if they asked the same. `ticker` and `slug` name the markets where the events
 * hold true twins as well. `candidate`: may be shown as a candidate, but never with an EXACT leg.
 */
export type Lookalike = {
  venue_a: string;
  venue_b: string;
  why: string;
  ticker?: string;
  slug?: string;
  candidate?: true;
};
