import type { Frame } from '../../../client/src/frames.ts';
import type { BroadcastSource, ChannelHandlers } from '../../../dashboard/src/live/broadcast_source.ts';
import type {
  ChannelState,
  ClosedOpportunities,
  History,
  Market,
  MarketDetail,
  MarketExplanation,
  Opportunity,
} from '../../../dashboard/src/live/frames.ts';
import type { MarketQueries } from '../../../dashboard/src/live/market_queries.ts';
import type { MarketTermsList } from '../../../dashboard/src/live/market_terms.ts';
import recorded from '../support/recorded.json' with { type: 'json' };

/**
 * Times of the recording are shifted to now, because the pages compare them with the clock of
 * /health.
 */
const recordedAt = Date.now();
const late = recordedAt - Date.parse(recorded.pair.priced_at);
const shifted = (at: string | null) => at && new Date(Date.parse(at) + late).toISOString();
const epoch = 'recorded';

/** Seeded random numbers from 0 to 1, so that every run takes the same screenshots. */
function seeded(seed: number): () => number {
  let at = seed;
  return () => {
    at = (Math.imul(at, 1664525) + 1013904223) >>> 0;
    return at / 2 ** 32;
  };
}

/** The service, simulated in the page: `rows` recorded markets whose prices move on request. */
export class Recording implements BroadcastSource {
  readonly queries: MarketQueries;
  readonly #markets: Market[];
  readonly #opportunities = (recorded.opportunities as Opportunity[]).map((one) => ({
    ...one,
    detected_at: shifted(one.detected_at),
    priced_at: shifted(one.priced_at),
  }));
  readonly #handlers = new Map<string, ChannelHandlers>();
  readonly #offsets = new Map<string, number>();
  readonly #random = seeded(7);
  readonly #state: string;
  readonly #began = performance.now();

  constructor(rows: number, state: string) {
    this.#state = state;
    const known = recorded.markets as unknown as Market[];
    this.#markets = Array.from({ length: state.startsWith('empty') ? 0 : rows }, (_, at) => {
      const market = known[at % known.length] as Market;
      const turn = Math.floor(at / known.length);
      return turn === 0
        ? read(market)
        : read({ ...market, id: `${market.id.slice(0, -3)}${String(turn).padStart(3, '0')}` });
    });
    this.queries = {
      channelState: (channel) => this.snapshot(channel),
      market: async () => this.detail(),
      history: async () => this.history(),
      explain: async () => this.explained(),
      openCount: async () => ({
        count: Number(state.match(/^empty-(\d)$/)?.[1] ?? 0),
        as_of: new Date(recordedAt - 120_000).toISOString(),
      }),
      terms: async (ids) => this.terms(ids),
      closed: async (market) => this.closed(market),
      report: async () => {},
    };
  }

  time(): string {
    return new Date(recordedAt + performance.now() - this.#began).toISOString();
  }

  subscribe(channel: string, handlers: ChannelHandlers): () => void {
    this.#handlers.set(channel, handlers);
    if (this.#state !== 'connecting')
      queueMicrotask(() => handlers.onStatus(this.#state === 'denied' ? 'denied' : 'subscribed'));
    return () => this.#handlers.delete(channel);
  }

  async snapshot(channel: string): Promise<ChannelState> {
    const offset = this.#offsets.get(channel) ?? 0;
    if (this.#state === 'connecting') return await new Promise(() => {});
    if (channel === 'status') return { channel, epoch, offset, markets: [], opportunities: [] };
    const opportunities = this.#state.startsWith('empty') ? [] : this.#opportunities;
    return { channel, epoch, offset, markets: this.#markets, opportunities };
  }

  /**
   * Publishes frames as the service does. With `lost` only the offset advances, as for a lost
   * broadcast.
   */
  publish(channel: string, frames: readonly Frame[], lost = false): void {
    const offset = (this.#offsets.get(channel) ?? 0) + frames.length;
    this.#offsets.set(channel, offset);
    // Through JSON, as over a socket, so that sender and receiver share no objects.
    if (!lost) this.#handlers.get(channel)?.onBroadcast(JSON.parse(JSON.stringify({ channel, epoch, offset, frames })));
  }

  /** Moves the prices of all markets, or of the first `count`, by about a cent, in one batch. */
  moveAllPrices(count = this.#markets.length): void {
    this.publish(
      'markets:all',
      this.#markets.slice(0, count).map((_, at) => this.#step(at)),
    );
  }

  /** The fees that both venues charge on sports, and a settlement three hours after the start. */
  terms(ids: readonly string[]): MarketTermsList {
    const known = new Map(this.#markets.map((market) => [market.id, market]));
    return {
      fees: [
        { model: 'quadratic', multiplier: '1', maker: false },
        { model: 'rate', rate: '0.05' },
      ],
      markets: ids.flatMap((id) => {
        const market = known.get(id);
        if (!market) return [];
        const settles = new Date(Date.parse(market.start_time) + late + 3 * 3_600_000).toISOString();
        return {
          id,
          expected_settlement_at: settles,
          volume: { venue_a: 18_250, venue_b: 402_118.25 },
          outcomes: market.outcomes.map(({ key }) => ({ key, fee_a: 0, fee_b: 1 })),
        };
      }),
    };
  }

  /** Closed opportunities of today, from the recorded ones. */
  closed(market?: string): ClosedOpportunities {
    const reasons = ['edge.gone', 'book.stale', 'size.below_minimum', 'pair.resolving'];
    const ago = (minutes: number) => new Date(recordedAt - minutes * 60_000).toISOString();
    const recent = this.#opportunities.filter((one) => market === undefined || one.market_id === market);
    const opportunities = this.#state.startsWith('empty') ? [] : recent;
    return {
      count: opportunities.length,
      has_more: false,
      next_cursor: null,
      snapshot_at: ago(2),
      delay_seconds: 120,
      opportunities: opportunities.map((one, at) => {
        const terms = {
          at: ago(40 + at * 9),
          contracts: one.max_contracts,
          edge_pct: one.edge_pct,
          cost_usd: one.max_wager_usd,
          profit_usd: Math.round((one.max_contracts - one.max_wager_usd) * 1e6) / 1e6,
        };
        return {
          id: `opp_closed_${at}`,
          market_id: one.market_id as `mkt_${string}`,
          title: one.title ?? '',
          category: one.category,
          market_type: one.market_type,
          sport: one.sport ?? null,
          competition: one.competition ?? null,
          opened_at: ago(40 + at * 9),
          closed_at: ago(38 + at * 7),
          close_reason: reasons[at % reasons.length] ?? 'edge.gone',
          peak_edge_pct: one.edge_pct,
          opening: terms,
          peak: terms,
          states: 1,
          samples: [{ at: terms.at, contracts: terms.contracts, edge_pct: terms.edge_pct }],
          market_withdrawn: false,
        };
      }),
    };
  }

  loseConnection(channel: string): void {
    this.#handlers.get(channel)?.onStatus('lost');
  }

  /** Closes the first open opportunity. */
  closeFirstOpportunity(): void {
    const [opportunity] = this.#opportunities;
    if (opportunity)
      this.publish('markets:all', [
        {
          type: 'opportunity',
          state: 'closed',
          opportunity,
          closed_at: this.time(),
          reason: 'edge.gone',
          retracted: false,
        },
      ]);
  }

  detail(): MarketDetail {
    const pair = recorded.pair as unknown as MarketDetail;
    return {
      ...pair,
      best: bestOf(pair),
      ...(this.#state === 'hostile' && hostile(pair)),
      ...(this.#state === 'total' && total(pair)),
    };
  }

  /**
   * With `state=gates-open` all four gates are open and the last rejection applies; else parity is
   * closed.
   */
  explained(): MarketExplanation {
    const names = ['band', 'parity', 'risk', 'priced'] as const;
    const allOpen = this.#state === 'gates-open';
    const ago = (seconds: number) => new Date(recordedAt - seconds * 1_000).toISOString();
    const refused = (reason: string, seconds: number, is_current: boolean) =>
      ({ stage: 'decision', reason, about: 'KX-1', last_at: ago(seconds), times: 2, is_current }) as const;
    return {
      as_of: ago(120),
      gates: names.map((gate) => {
        const open = allOpen || gate !== 'parity';
        return { gate, open, reason: open ? null : 'parity.unconfirmed' };
      }),
      after: {
        code: allOpen ? 'size.below_minimum' : null,
        opportunity: { id: 'opp_1', opened_at: ago(700), closed_at: ago(600), reason: 'edge.gone' },
        refused: allOpen ? [refused('size.below_minimum', 130, true), refused('fee.unknown', 7_200, false)] : [],
      },
    };
  }

  history(): History {
    const { id, outcomes } = recorded.pair as unknown as MarketDetail;
    const to = Math.floor(recordedAt / 60_000) * 60_000 - 120_000;
    const from = to - 7 * 24 * 3600_000;
    const series = outcomes.map(({ key, name, venue_a, venue_b }, order) => {
      const random = seeded(order + 1);
      const points = [];
      let [a, b] = [venue_a ?? 0.5, venue_b ?? 0.5];
      for (let t = to; t > from; t -= 60_000) {
        points.push({ t, venue_a: cent(a), venue_b: t > to - 4000_000 && t < to - 3400_000 ? null : cent(b) });
        if (random() < 0.12) a += random() < 0.5 ? 0.01 : -0.01;
        if (random() < 0.12) b += (random() < 0.5 ? 0.01 : -0.01) + (a - b) * 0.1;
      }
      return { outcome: key, name, points: points.reverse() };
    });
    return { id, bucket_seconds: 60, delay_seconds: 120, from, to, series };
  }

  #step(at: number): Frame {
    const market = this.#markets[at] as Market;
    const move = (ask: number | null) => (ask === null ? null : cent(ask + (this.#random() < 0.5 ? 0.01 : -0.01)));
    const outcomes = market.outcomes.map(({ key, venue_a, venue_b }) => ({
      key,
      venue_a: move(venue_a),
      venue_b: move(venue_b),
    }));
    const gaps = outcomes.map(({ venue_a, venue_b }) =>
      venue_a === null || venue_b === null ? 0 : Math.abs(venue_a - venue_b),
    );
    const time = this.time();
    const prices = {
      priced_at: time,
      books_read_at: { venue_a: time, venue_b: time },
      spread_pts: Math.round(Math.max(0, ...gaps) * 1e6) / 1e4,
      potential_arb_pct: null,
      signal: market.signal,
    };
    const asks = new Map(outcomes.map((outcome) => [outcome.key, outcome]));
    this.#markets[at] = {
      ...market,
      ...prices,
      outcomes: market.outcomes.map((outcome) => ({ ...outcome, ...asks.get(outcome.key) })),
    };
    return { type: 'price', id: market.id, ...prices, outcomes };
  }
}

/**
 * The market as a total: one venue_a contract prices both outcomes, one with YES and one with NO.
 */
function total(pair: MarketDetail): Partial<MarketDetail> {
  const ticker = 'KXEPLTOTAL-26NOV22IPSSUN-2';
  const sides = [
    ['over', 'Over 2.5', 'yes', { ask: 0.67, bid: 0.65, depth: 756, bid_depth: 376 }],
    ['under', 'Under 2.5', 'no', { ask: 0.35, bid: 0.33, depth: 376, bid_depth: 756 }],
  ] as const;
  return {
    outcomes: sides.flatMap(([key, name, side, touch], at) => {
      const was = pair.outcomes[at];
      return was ? [{ ...was, key, name, venue_a: touch.ask, venue_a_book: { ...touch, ticker, side } }] : [];
    }),
  };
}

/** The best quotes, with a fee of 1.25 cents on both venues. The last outcome has no bid. */
function bestOf({ outcomes }: MarketDetail): NonNullable<MarketDetail['best']> {
  const fee = 0.0125;
  return outcomes.map(({ key, venue_a_book: a, venue_b_book: b }, at) => {
    const onA = (a?.ask ?? 1) <= (b?.ask ?? 1);
    const contract = onA ? (a?.ticker ?? null) : (b?.token_id ?? null);
    const leg = {
      venue: onA ? ('venue_a' as const) : ('venue_b' as const),
      contract,
      side: onA ? ('yes' as const) : null,
    };
    const ask = (onA ? a?.ask : b?.ask) ?? 0.5;
    const bid = (onA ? a?.bid : b?.bid) ?? 0.4;
    const usd = (value: number) => Math.round(value * 1e6) / 1e6;
    const sell = { ...leg, price: bid, fee, net: usd(bid - fee), size: null };
    return {
      outcome: key,
      buy: { ...leg, price: ask, fee, net: usd(ask + fee), size: 812.5 },
      sell: at === outcomes.length - 1 ? null : sell,
    };
  });
}

/** A market in which every text from a venue contains markup and every link a script. */
function hostile(pair: MarketDetail): Partial<MarketDetail> {
  const evil = `</p><img src=x onerror="window.ran=1"><script>window.ran=1</script>`;
  return {
    title: evil,
    outcomes: pair.outcomes.map((outcome) => ({ ...outcome, name: evil })),
    links: { venue_a: 'javascript:window.ran=1', venue_b: 'data:text/html,<script>window.ran=1</script>' },
    ...(pair.settlement && { settlement: { ...pair.settlement, venue_a_text: evil, venue_b_text: evil } }),
  };
}

function read(market: Market): Market {
  const earlier = (seconds: number) => new Date(recordedAt - seconds * 1000).toISOString();
  return { ...market, books_read_at: { venue_a: earlier(2), venue_b: earlier(11) } };
}

function cent(ask: number): number {
  return Math.min(0.99, Math.max(0.01, Math.round(ask * 100) / 100));
}
