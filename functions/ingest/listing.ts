/**
 * The input of `venue.upsert_listings`: the listings of both venues in one shape, with the raw
 * payload. Times are ISO 8601 in UTC, money is decimal strings. `payload` has no volatile fields
 * (prices, volume).
 */

export type VenueCode = 'venue_a' | 'venue_b';
export const VENUES: readonly VenueCode[] = ['venue_a', 'venue_b'];

export type MarketType =
  | 'moneyline'
  | 'outright'
  | 'total'
  | 'spread'
  | 'team_total'
  | 'advance'
  | 'weather_high'
  | 'weather_low'
  | 'crypto_above'
  | 'fed_decision'
  | 'econ_print'
  | 'cb_decision';

/**
 * unopened, trading, paused (may trade again), closed (trading is over), proposed (a result is
 * proposed), final (paid).
 */
export type MarketState = 'unopened' | 'trading' | 'paused' | 'closed' | 'proposed' | 'final';

/** A JSON value. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** How a venue charges a taker. An unknown fee schedule is `null` on the market, never a guess. */
export type Fee =
  /**
   * venue_a: multiplier × 0.07 × p(1-p) per contract (decimal string). `maker`: whether makers pay
   * as well. `waived_until`: the fee is zero before this time (ISO 8601).
   */
  | { model: 'quadratic'; multiplier: string; maker: boolean; waived_until?: string }
  /** venue_b: rate × p(1-p) per contract (decimal string). */
  | { model: 'rate'; rate: string };

export type ListedContract = {
  /** Ticker on venue_a, outcome token id on venue_b. */
  contract_id: string;
  ordinal: number;
  label: string | null;
};

export type ListedMarket = {
  /** Ticker on venue_a, condition id on venue_b. */
  market_id: string;
  title: string | null;
  state: MarketState;
  open_at: string | null;
  close_at: string | null;
  expected_at: string | null;
  settled_at: string | null;
  /**
   * Payout of YES (venue_b: outcome 0), a decimal string from 0 to 1. Null until the market is
   * final.
   */
  payout: string | null;
  ticks: { start: string; end: string; step: string }[] | null;
  min_order: string | null;
  fee: Fee | null;
  match_delay_seconds: number | null;
  /**
   * The matching engine of venue_a that trades the market. Null when it is not listed, and absent
   * on venue_b, which has one.
   */
  exchange_index?: number | null;
  /** The whole text of the rules; venue_a: primary, secondary, and the notice of the event. */
  rules: string | null;
  payload: Json;
  contracts: ListedContract[];
};

/**
 * One leg of a question: the contract that pays $1 when the outcome comes true. `side` is null for
 * an outcome token.
 */
export type Leg = {
  ordinal: number;
  outcome_key: string;
  outcome_name: string;
  market_id: string;
  contract_id: string;
  side: 'yes' | 'no' | null;
  detail: { [key: string]: Json } | null;
};

/**
 * A question in canonical terms. Two questions with equal `family` and `key` and matching times are
 * the same.
 */
export type Question = {
  /** `venue_a:<event ticker or ticker>`, `venue_b:<event slug or condition id>`. */
  question_id: string;
  family: MarketType;
  key: string;
  /** The New York date that the listing names, YYYY-MM-DD. Null when the identity has no date. */
  on_date: string | null;
  game_no: number | null;
  start_at: string | null;
  close_at: string | null;
  line: number | null;
  game_key: string | null;
  category: string;
  sport: string | null;
  competition: string | null;
  location: string | null;
  asset: string | null;
  indicator: string | null;
  basis: string | null;
  institution: string | null;
  title: string;
  home: string | null;
  away: string | null;
  url: string | null;
  /** At most one outcome can come true. */
  exclusive: boolean;
  /** Why the listing is excluded from matching. Null when it is not. */
  excluded: string | null;
  /** The named parts of `key`, and the evidence for them. */
  identity: { [key: string]: Json };
  /** Settlement terms, parsed from text and fields. */
  terms: { [key: string]: Json };
  legs: Leg[];
};

export type ListedEvent = {
  /** Event ticker on venue_a, event slug on venue_b. */
  event_id: string;
  series_id: string | null;
  title: string;
  url: string | null;
  start_at: string | null;
  start_source: string | null;
  close_at: string | null;
  /**
   * All that was traded in its markets, a decimal string: contracts on venue_a, USD on venue_b.
   * Null when the venue does not state it, or not for each market. A changed volume does not change
   * the listing.
   */
  volume: string | null;
  payload: Json;
  markets: ListedMarket[];
  questions: Question[];
};

/**
 * Venue data that could not be parsed. `code` is stable and dotted, `detail` is a sentence for
 * people.
 */
export type RejectedRow = {
  kind: 'series' | 'event' | 'market' | 'question' | 'resolution' | 'book' | 'message';
  native_id: string;
  code: string;
  detail: string;
  payload: Json;
};

export type ListingBatch = { events: ListedEvent[]; rejected: RejectedRow[] };
