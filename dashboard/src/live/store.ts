import { ChannelLog } from './channel_log.ts';
import type {
  Batch,
  Closing,
  FeedFrame,
  Frame,
  Market,
  MarketFrame,
  Opportunity,
  OpportunityFrame,
  PriceFrame,
  Snapshot,
  StatusFrame,
  Venue,
} from './wire.ts';

/** Reasons are kept of so many windows: cards of closed ones are few. */
const CLOSINGS_MOST = 100;

export type Feed = Omit<FeedFrame, 'type' | 'venue'>;

/**
 * What the frames of all channels have come to. Pure: no clock, no socket, no page. A row that changes is a new object and all others
 * stay the same ones, so that a list knows by identity what to draw again.
 */
export class LiveStore {
  readonly #markets = new Map<string, Market>();
  readonly #opportunities = new Map<string, Opportunity>();
  readonly #closings = new Map<string, Closing>();
  readonly #feeds: Record<Venue, Feed | null> = { venue_a: null, venue_b: null };
  readonly #logs = new Map<string, ChannelLog>();
  #version = 0;

  get markets(): ReadonlyMap<string, Market> {
    return this.#markets;
  }

  /** Those that are open. */
  get opportunities(): ReadonlyMap<string, Opportunity> {
    return this.#opportunities;
  }

  /** Why windows have closed that were heard of; the newest of them. */
  get closings(): ReadonlyMap<string, Closing> {
    return this.#closings;
  }

  get feeds(): Readonly<Record<Venue, Feed | null>> {
    return this.#feeds;
  }

  /** Grows whenever anything here changes. */
  get version(): number {
    return this.#version;
  }

  /** Whether this channel lacks something: read its snapshot. */
  behind(channel: string): boolean {
    return this.#log(channel).behind;
  }

  place(channel: string): { epoch: string; offset: number } | null {
    return this.#log(channel).place;
  }

  take(batch: Batch): void {
    this.#applyAll(this.#log(batch.channel).take(batch));
  }

  /** Puts a snapshot in the place of all that its channel had said, unless it is older than that. */
  restart(snapshot: Snapshot): void {
    const following = this.#log(snapshot.channel).restart(snapshot.epoch, snapshot.offset);
    if (!following) return;
    if (snapshot.channel === 'status') {
      for (const { venue, ...feed } of snapshot.feeds ?? []) this.#feeds[venue] = feed;
    } else {
      replace(this.#markets, snapshot.markets);
      replace(this.#opportunities, snapshot.opportunities);
    }
    this.#version++;
    this.#applyAll(following);
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
        this.#price(frame);
        break;
      case 'market':
        this.#market(frame);
        break;
      case 'market_removed':
        this.#markets.delete(frame.id);
        for (const one of this.#opportunities.values())
          if (one.market_id === frame.id) this.#opportunities.delete(one.id);
        break;
      case 'opportunity':
        this.#opportunity(frame);
        break;
      case 'feed':
        this.#feeds[frame.venue] = { state: frame.state, last_message_at: frame.last_message_at };
        break;
      case 'market_status':
        this.#status(frame);
        break;
    }
  }

  #market({ type: _, ...market }: MarketFrame): void {
    const before = this.#markets.get(market.id);
    this.#markets.set(market.id, { ...(before?.books_read_at && { books_read_at: before.books_read_at }), ...market });
  }

  #opportunity({ state, opportunity, closed_at, reason, retracted }: OpportunityFrame): void {
    if (state !== 'closed') {
      this.#opportunities.set(opportunity.id, opportunity);
      return;
    }
    this.#opportunities.delete(opportunity.id);
    if (closed_at === undefined) return;
    this.#closings.set(opportunity.id, { closed_at, reason: reason ?? null, retracted: retracted ?? false });
    const [oldest] = this.#closings.keys();
    if (this.#closings.size > CLOSINGS_MOST && oldest !== undefined) this.#closings.delete(oldest);
  }

  #price(frame: PriceFrame): void {
    const market = this.#markets.get(frame.id);
    if (market) this.#markets.set(frame.id, priced(market, frame));
  }

  /** Only from the status that it names: the market's own channel says the same, and either may come first. */
  #status({ id, from, to }: StatusFrame): void {
    const market = this.#markets.get(id);
    if (market?.status === from) this.#markets.set(id, { ...market, status: to });
  }
}

function replace<Row extends { id: string }>(rows: Map<string, Row>, by: readonly Row[]): void {
  rows.clear();
  for (const row of by) rows.set(row.id, row);
}

/** The market with the prices of a frame. Outcomes keep their names and order; one without a price in the frame has none. */
function priced(market: Market, frame: PriceFrame): Market {
  const asks = new Map(frame.outcomes.map((outcome) => [outcome.key, outcome]));
  const known = market.outcomes.map((outcome) => {
    const { venue_a = null, venue_b = null } = asks.get(outcome.key) ?? {};
    asks.delete(outcome.key);
    if (venue_a === outcome.venue_a && venue_b === outcome.venue_b) return outcome;
    return { ...outcome, venue_a, venue_b, cheaper: cheaper(venue_a, venue_b) };
  });
  // An unpriced row comes without outcomes: their names follow with the next market frame.
  const added = [...asks.values()].map(({ key, venue_a, venue_b }) => ({
    key,
    name: key,
    venue_a,
    venue_b,
    cheaper: cheaper(venue_a, venue_b),
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

function cheaper(venueA: number | null, venueB: number | null): Venue | null {
  if (venueA === null || venueB === null || venueA === venueB) return null;
  return venueA < venueB ? 'venue_a' : 'venue_b';
}
