import { sortedJson } from './sorted_json.ts';

type Outcome = { key: string; venue_a: number | null; venue_b: number | null };
export type Market = {
  id: string;
  status: string;
  signal: string;
  spread_pts: number | null;
  potential_arb_pct: number | null;
  priced_at: string;
  books_read_at: { venue_a: string | null; venue_b: string | null };
  coverage: { venue_a: boolean; venue_b: boolean };
  outcomes: (Outcome & { name: string; cheaper: string | null })[];
};
export type Opportunity = { id: string; market_id: string; max_contracts: number; priced_at: string };
type PriceFrame = { type: 'price'; void?: string } & Pick<
  Market,
  'id' | 'priced_at' | 'books_read_at' | 'spread_pts' | 'potential_arb_pct' | 'signal'
> & { outcomes: (Outcome & { side: 'yes' | 'no' | null })[] };
type OpportunityFrame = {
  type: 'opportunity';
  state: 'opened' | 'updated' | 'closed';
  opportunity: Opportunity;
  reason?: string;
  retracted?: boolean;
};
export type Frame =
  | ({ type: 'market' } & Market)
  | PriceFrame
  | { type: 'market_removed'; id: string; reason: string }
  | OpportunityFrame
  | { type: 'feed'; venue: string; state: string; last_message_at: string | null }
  | { type: 'market_status'; id: string; from: string; to: string };

/** All markets and opportunities of a channel at one offset, from `stream.channel_state_of`. */
export type ChannelState = { offset: number; markets: Market[]; opportunities: Opportunity[] };

/**
 * The state of a channel as a client rebuilds it from frames. A client with every frame since the
 * first one throws on a frame about an unknown market or opportunity. A client that starts from a
 * channel state ignores such a frame, because that state omits closed and settled markets, and
 * frames about those can still arrive.
 */
export class ReplayedState {
  readonly #markets = new Map<string, Market>();
  readonly #opportunities = new Map<string, Opportunity>();
  readonly #hasEveryFrame: boolean;

  constructor(initial?: ChannelState) {
    this.#hasEveryFrame = initial === undefined;
    for (const market of initial?.markets ?? []) this.#markets.set(market.id, market);
    for (const opportunity of initial?.opportunities ?? []) this.#opportunities.set(opportunity.id, opportunity);
  }

  apply(frames: readonly Frame[]): void {
    for (const frame of frames) {
      if (frame.type === 'market') {
        const { type: _, ...market } = frame;
        this.#markets.set(market.id, market);
      } else if (frame.type === 'market_removed') {
        this.#require(this.#markets.delete(frame.id), `${frame.id} is removed, and no frame had added it`);
      } else if (frame.type === 'price') this.#applyPrice(frame);
      else if (frame.type === 'opportunity') this.#applyOpportunity(frame);
    }
  }

  #applyPrice({ type: _, void: __, outcomes, ...rest }: PriceFrame): void {
    const market = this.#markets.get(rest.id);
    this.#require(market !== undefined, `a price of ${rest.id}, which no frame had added`);
    if (!market) return;
    const nameOf = new Map(market.outcomes.map(({ key, name }) => [key, name]));
    this.#markets.set(rest.id, {
      ...market,
      ...rest,
      coverage: {
        venue_a: outcomes.some((outcome) => outcome.venue_a !== null),
        venue_b: outcomes.some((outcome) => outcome.venue_b !== null),
      },
      // Drop `side`: it belongs to the book of venue_a, and this market has no books. A price frame
      // has no names of outcomes. The fixtures use the key in capitals as the name.
      outcomes: outcomes.map(({ side: _, ...outcome }) => ({
        ...outcome,
        name: nameOf.get(outcome.key) ?? outcome.key.toUpperCase(),
        cheaper: cheaperOf(outcome),
      })),
    });
  }

  #applyOpportunity({ state, opportunity }: OpportunityFrame): void {
    const isKnown = this.#opportunities.has(opportunity.id);
    this.#require(
      isKnown === (state !== 'opened'),
      `opportunity ${opportunity.id} is ${state} and was ${isKnown ? 'open' : 'not open'}`,
    );
    if (state === 'closed') this.#opportunities.delete(opportunity.id);
    else this.#opportunities.set(opportunity.id, opportunity);
  }

  #require(holds: boolean, otherwise: string): void {
    if (this.#hasEveryFrame && !holds) throw new Error(otherwise);
  }

  /** The tradable markets and the opportunities, by id. */
  state(): { markets: Market[]; opportunities: Opportunity[] } {
    return {
      markets: this.#tradable().map(comparable).sort(byId),
      opportunities: [...this.#opportunities.values()].sort(byId),
    };
  }

  /**
   * Describes where asks, signals, statuses and opportunities differ from those of the database.
   */
  differences(now: ChannelState): string[] {
    return [
      ...compareById('market', mapOf(this.#tradable(), summaryOf), mapOf(now.markets, summaryOf)),
      ...compareById(
        'opportunity',
        mapOf([...this.#opportunities.values()], sortedJson),
        mapOf(now.opportunities, sortedJson),
      ),
    ];
  }

  #tradable(): Market[] {
    return [...this.#markets.values()].filter(({ status }) => ['open', 'live', 'resolving'].includes(status));
  }
}

const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1);

const cheaperOf = ({ venue_a, venue_b }: Outcome) =>
  venue_a === null || venue_b === null || venue_a === venue_b ? null : venue_a < venue_b ? 'venue_a' : 'venue_b';

/**
 * Removes the times of a market without prices. An unpriced market has the time of its identity, a
 * void price frame the time of its books. The two differ, and neither is a price time.
 */
export function comparable(market: Market): Market {
  const { priced_at, books_read_at, ...rest } = market;
  const settlement = 'settlement' in rest ? rest.settlement : undefined;
  const priced = market.outcomes.length > 0;
  return {
    ...rest,
    ...(settlement ? { settlement } : {}),
    priced_at: priced ? priced_at : '',
    books_read_at: priced ? books_read_at : { venue_a: '', venue_b: '' },
  };
}

const mapOf = <T extends { id: string }>(rows: readonly T[], facts: (row: T) => string) =>
  new Map(rows.map((row) => [row.id, facts(row)]));

function compareById(
  what: string,
  replayed: ReadonlyMap<string, string>,
  known: ReadonlyMap<string, string>,
): string[] {
  return [...new Set([...replayed.keys(), ...known.keys()])]
    .filter((id) => replayed.get(id) !== known.get(id))
    .map(
      (id) =>
        `${what} ${id}: the frames have ${replayed.get(id) ?? 'nothing'}, the database ${known.get(id) ?? 'nothing'}`,
    );
}

function summaryOf({ status, signal, spread_pts, outcomes }: Market): string {
  // A void frame lists outcomes without asks. An unpriced market lists none. Both mean "no price".
  const asks = outcomes
    .filter((one) => one.venue_a !== null || one.venue_b !== null)
    .map((one) => `${one.key} ${one.venue_a} ${one.venue_b}`);
  return [status, signal, spread_pts, ...asks].join(' | ');
}
