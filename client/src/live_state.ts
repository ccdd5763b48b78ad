import { ChannelLog } from './channel_log.ts';
import type {
  Batch,
  BestFrame,
  ChannelState,
  CloseInfo,
  FeedFrame,
  Frame,
  Market,
  MarketFrame,
  Opportunity,
  OpportunityFrame,
  PriceFrame,
  QuoteFrame,
  StatusFrame,
  Venue,
} from './frames.ts';

/** Close reasons kept in memory. */
const MAX_CLOSE_INFOS = 100;

export type Feed = Omit<FeedFrame, 'type' | 'venue'>;

/**
 * The published state of all channels that it is given. Pure: no clock, no socket, no DOM. A
 * changed row is a new object and unchanged rows keep their identity, so a list renders changed
 * rows only.
 */
export class LiveState {
  readonly #markets = new Map<string, Market>();
  readonly #opportunities = new Map<string, Opportunity>();
  readonly #closeInfos = new Map<string, CloseInfo>();
  readonly #quotes = new Map<string, QuoteFrame>();
  readonly #best = new Map<string, BestFrame>();
  readonly #feeds: Record<Venue, Feed | null> = { venue_a: null, venue_b: null };
  readonly #logs = new Map<string, ChannelLog>();
  #version = 0;

  get markets(): ReadonlyMap<string, Market> {
    return this.#markets;
  }

  /** The open opportunities. */
  get opportunities(): ReadonlyMap<string, Opportunity> {
    return this.#opportunities;
  }

  /** Why the most recent opportunities closed. */
  get closeInfos(): ReadonlyMap<string, CloseInfo> {
    return this.#closeInfos;
  }

  /** The quotes of legs with a price, by market, venue, contract and side. */
  get quotes(): ReadonlyMap<string, QuoteFrame> {
    return this.#quotes;
  }

  /** The best quotes after fees of markets with prices, by market. */
  get best(): ReadonlyMap<string, BestFrame> {
    return this.#best;
  }

  get feeds(): Readonly<Record<Venue, Feed | null>> {
    return this.#feeds;
  }

  /** Increases with every change. */
  get version(): number {
    return this.#version;
  }

  /** Whether frames of this channel are missing, so that its channel state must be read. */
  hasGap(channel: string): boolean {
    return this.#log(channel).hasGap;
  }

  position(channel: string): { epoch: string; offset: number } | null {
    return this.#log(channel).position;
  }

  /** Takes a batch in any order. Returns the frames that it applied, in order. */
  accept(batch: Batch): readonly Frame[] {
    const frames = this.#log(batch.channel).accept(batch);
    this.#applyAll(frames);
    return frames;
  }

  /**
   * Replaces all rows of a channel with its channel state, unless that is older. Returns the frames
   * after it that had arrived before, and that it applied.
   */
  resetTo(state: ChannelState): readonly Frame[] {
    const pending = this.#log(state.channel).resetTo(state.epoch, state.offset);
    if (!pending) return [];
    if (state.channel === 'status') {
      for (const { venue, ...feed } of state.feeds ?? []) this.#feeds[venue] = feed;
    } else if (state.channel === 'quotes:all') {
      this.#quotes.clear();
      for (const quote of state.quotes ?? []) this.#quotes.set(quoteKey(quote), quote);
    } else if (state.channel === 'best:all') {
      replace(this.#best, state.best ?? []);
    } else {
      replace(this.#markets, state.markets);
      replace(this.#opportunities, state.opportunities);
    }
    this.#version++;
    this.#applyAll(pending);
    return pending;
  }

  #log(channel: string): ChannelLog {
    const known = this.#logs.get(channel);
    if (known) return known;
    const log = new ChannelLog();
    this.#logs.set(channel, log);
    return log;
  }

  #applyAll(frames: readonly Frame[]): void {
    for (const frame of frames) this.#apply(frame);
    if (frames.length > 0) this.#version++;
  }

  #apply(frame: Frame): void {
    switch (frame.type) {
      case 'price':
        this.#applyPrice(frame);
        break;
      case 'market':
        this.#applyMarket(frame);
        break;
      case 'market_removed':
        this.#markets.delete(frame.id);
        for (const one of this.#opportunities.values())
          if (one.market_id === frame.id) this.#opportunities.delete(one.id);
        break;
      case 'opportunity':
        this.#applyOpportunity(frame);
        break;
      case 'feed':
        this.#feeds[frame.venue] = { state: frame.state, last_message_at: frame.last_message_at };
        break;
      case 'market_status':
        this.#applyStatus(frame);
        break;
      case 'quote':
        if (frame.bid === null && frame.ask === null) this.#quotes.delete(quoteKey(frame));
        else this.#quotes.set(quoteKey(frame), frame);
        break;
      case 'best':
        if (frame.best.length === 0) this.#best.delete(frame.id);
        else this.#best.set(frame.id, frame);
        break;
    }
  }

  #applyMarket({ type: _, ...market }: MarketFrame): void {
    const before = this.#markets.get(market.id);
    this.#markets.set(market.id, { ...(before?.books_read_at && { books_read_at: before.books_read_at }), ...market });
  }

  #applyOpportunity({ state, opportunity, closed_at, reason, retracted }: OpportunityFrame): void {
    if (state !== 'closed') {
      this.#opportunities.set(opportunity.id, opportunity);
      return;
    }
    this.#opportunities.delete(opportunity.id);
    if (closed_at === undefined) return;
    this.#closeInfos.set(opportunity.id, { closed_at, reason: reason ?? null, retracted: retracted ?? false });
    const [oldest] = this.#closeInfos.keys();
    if (this.#closeInfos.size > MAX_CLOSE_INFOS && oldest !== undefined) this.#closeInfos.delete(oldest);
  }

  #applyPrice(frame: PriceFrame): void {
    const market = this.#markets.get(frame.id);
    if (market) this.#markets.set(frame.id, withPrices(market, frame));
  }

  /**
   * Applies only from the status it names: the market channel carries the same change and may
   * arrive first.
   */
  #applyStatus({ id, from, to }: StatusFrame): void {
    const market = this.#markets.get(id);
    if (market?.status === from) this.#markets.set(id, { ...market, status: to });
  }
}

const quoteKey = ({ market_id, venue, contract_id, side }: QuoteFrame): string =>
  [market_id, venue, contract_id, side].join(' ');

function replace<Row extends { id: string }>(rows: Map<string, Row>, by: readonly Row[]): void {
  rows.clear();
  for (const row of by) rows.set(row.id, row);
}

/**
 * The market with the prices of a frame. Outcomes keep names and order; an outcome missing from the
 * frame has no price.
 */
function withPrices(market: Market, frame: PriceFrame): Market {
  const asks = new Map(frame.outcomes.map((outcome) => [outcome.key, outcome]));
  const known = market.outcomes.map((outcome) => {
    const { venue_a = null, venue_b = null } = asks.get(outcome.key) ?? {};
    asks.delete(outcome.key);
    if (venue_a === outcome.venue_a && venue_b === outcome.venue_b) return outcome;
    return { ...outcome, venue_a, venue_b, cheaper: cheaperVenue(venue_a, venue_b) };
  });
  // An unpriced market has no outcomes. Their names arrive with the next market frame.
  const added = [...asks.values()].map(({ key, venue_a, venue_b }) => ({
    key,
    name: key,
    venue_a,
    venue_b,
    cheaper: cheaperVenue(venue_a, venue_b),
  }));
  const outcomes = [...known, ...added];
  return {
    ...market,
    signal: frame.signal,
    spread_pts: frame.spread_pts,
    potential_arb_pct: frame.potential_arb_pct,
    priced_at: frame.priced_at,
    books_read_at: frame.books_read_at,
    coverage: {
      venue_a: outcomes.some((outcome) => outcome.venue_a !== null),
      venue_b: outcomes.some((outcome) => outcome.venue_b !== null),
    },
    outcomes,
  };
}

function cheaperVenue(venueA: number | null, venueB: number | null): Venue | null {
  if (venueA === null || venueB === null || venueA === venueB) return null;
  return venueA < venueB ? 'venue_a' : 'venue_b';
}
