import { createHash } from 'node:crypto';
import { type Change, type Ladder, sameTop, topOf } from '../books/ladder.ts';
import { count, dollars } from '../core/decimal.ts';
import { uuidOf } from '../core/ids.ts';
import { unit } from '../core/random.ts';
import type { ListenerA } from '../venue_a/source.ts';
import type { ListenerB } from '../venue_b/source.ts';
import type { Catalog } from './catalog.ts';
import type { Instrument } from './instrument.ts';
import { LiveMarketA } from './live_a.ts';
import type { LiveMarketB } from './live_b.ts';
import { paidOnA } from './payout.ts';
import { bestBidAskMessages, bookMessage, priceChangeMessage } from './price_change.ts';

/** Publishes the changes of the world on both venues' sockets. */
export class MarketDataPublisher {
  readonly listenersA: ListenerA[] = [];
  readonly listenersB: ListenerB[] = [];
  /** Set by venue B's server: whether a token has subscribers. */
  wantedB: (token: string) => boolean = () => false;
  readonly #catalog: Catalog;
  readonly #now: () => number;

  constructor(catalog: Catalog, now: () => number) {
    this.#catalog = catalog;
    this.#now = now;
  }

  bookChanged(owner: LiveMarketA | LiveMarketB, before: Ladder, changes: readonly Change[]): void {
    const at = this.#now();
    if (owner.instrument.frozenOnSocket) {
      if (!(owner instanceof LiveMarketA)) owner.changedAt = at;
      return;
    }
    if (owner instanceof LiveMarketA) {
      for (const listener of this.listenersA) listener.changed(owner, changes, at);
      return;
    }
    owner.changedAt = at;
    if (!this.#listenersOf(owner)) return;
    // An emptied book is sent as a whole book, not as a list of removals.
    if (owner.instrument.ladder.bids.length === 0 && owner.instrument.ladder.asks.length === 0) {
      for (const token of owner.tokens) this.#toB(owner.tokens, bookMessage(owner, token, at));
      return;
    }
    this.#toB(owner.tokens, priceChangeMessage(owner, before, changes, at));
    if (!sameTop(topOf(before), topOf(owner.instrument.ladder))) {
      for (const message of bestBidAskMessages(owner, at)) this.#toB(owner.tokens, message);
    }
  }

  /** Sometimes reports a trade at the best price. */
  maybeTrade(owner: LiveMarketA | LiveMarketB, instrument: Instrument): void {
    const draw = unit(instrument.quoting.key ^ 0x7ade, instrument.updateNumber);
    const { bids, asks } = instrument.ladder;
    if (draw > 0.12) return;
    const buy = draw < 0.06;
    const level = buy ? asks[0] : bids[0];
    if (!level) return;
    const size = Math.max(100, Math.round((level[1] * draw) / 100) * 100);
    instrument.lastTrade = level[0];
    instrument.volume += size;
    const at = this.#now();
    if (owner instanceof LiveMarketA) {
      const msg = {
        trade_id: uuidOf('trade', owner.ticker, instrument.updateNumber),
        market_ticker: owner.ticker,
        yes_price_dollars: dollars(level[0]),
        no_price_dollars: dollars(10_000 - level[0]),
        count_fp: count(size),
        taker_outcome_side: buy ? 'yes' : 'no',
        taker_book_side: buy ? 'ask' : 'bid',
        is_block_trade: false,
        ts_ms: at,
      };
      for (const listener of this.listenersA) listener.announced({ type: 'trade', ticker: owner.ticker, msg });
      return;
    }
    if (!this.#listenersOf(owner)) return;
    const transaction = `0x${createHash('sha256').update(`${owner.slug}:${instrument.updateNumber}`).digest('hex')}`;
    this.#toB(owner.tokens, {
      event_type: 'last_trade_price',
      asset_id: owner.tokens[0],
      market: owner.condition,
      price: String(level[0] / 10_000),
      size: String(size / 100),
      side: buy ? 'BUY' : 'SELL',
      fee_rate_bps: '0',
      timestamp: String(at),
      transaction_hash: transaction,
    });
    for (const token of owner.tokens) this.#toB(owner.tokens, bookMessage(owner, token, at));
  }

  /** Sends whole books of both tokens, for changes that are not sent by level. */
  booksOf(market: LiveMarketB): void {
    market.changedAt = this.#now();
    for (const token of market.tokens) this.#toB(market.tokens, bookMessage(market, token, this.#now()));
  }

  /** Reports new ticks on venue A. */
  ticksChangedA(market: LiveMarketA): void {
    this.#lifecycle(market, 'price_level_structure_updated', {
      price_level_structure: market.instrument.tickTable?.name,
    });
  }

  tickChangedB(market: LiveMarketB, from: number, to: number): void {
    const at = this.#now();
    for (const token of market.tokens) {
      this.#toB(market.tokens, {
        event_type: 'tick_size_change',
        asset_id: token,
        market: market.condition,
        old_tick_size: String(from / 10_000),
        new_tick_size: String(to / 10_000),
        timestamp: String(at),
      });
      this.#toB(market.tokens, bookMessage(market, token, at));
    }
  }

  createdA(market: LiveMarketA): void {
    const { fields } = market.contract;
    this.#lifecycle(market, 'created', {
      open_ts: Math.floor(Date.parse(String(fields.open_time)) / 1000),
      close_ts: Math.floor(Date.parse(String(fields.close_time)) / 1000),
      additional_metadata: {
        name: fields.title,
        title: fields.title,
        yes_sub_title: fields.yes_sub_title,
        no_sub_title: fields.no_sub_title,
        rules_primary: fields.rules_primary,
        rules_secondary: fields.rules_secondary,
        can_close_early: true,
        event_ticker: market.event_ticker,
      },
    });
    this.#lifecycle(market, 'activated', {});
  }

  /** Reaching close_time has no message of its own. An early close moves the close date. */
  closedA(ticker: string): void {
    this.#eachOf(ticker, (market) =>
      this.#lifecycle(market, 'close_date_updated', { close_ts: Math.floor(market.closes() / 1000) }),
    );
  }

  determinedA(ticker: string): void {
    this.#eachOf(ticker, (market) => {
      this.#lifecycle(market, 'determined', {
        result: paidOnA(market.contract).result,
        settlement_value: paidOnA(market.contract).value,
        determination_ts: Math.floor(this.#now() / 1000),
      });
    });
  }

  settledA(ticker: string): void {
    this.#eachOf(ticker, (market) =>
      this.#lifecycle(market, 'settled', { settled_ts: Math.floor(this.#now() / 1000) }),
    );
  }

  createdB(market: LiveMarketB): void {
    const { fields } = market.contract;
    const event = market.event;
    this.#toB(null, {
      event_type: 'new_market',
      id: market.id,
      question: fields.question,
      market: market.condition,
      slug: market.slug,
      description: fields.description,
      assets_ids: market.tokens,
      outcomes: market.contract.outcomes,
      event_message: event
        ? {
            id: event.id,
            ticker: event.slug,
            slug: event.slug,
            title: event.fields.title,
            description: event.fields.description,
          }
        : {},
      timestamp: String(this.#now()),
      tags: event?.tags.map((tag) => tag.slug) ?? [],
      condition_id: market.condition,
      active: true,
      clob_token_ids: market.tokens,
      sports_market_type: fields.sportsMarketType ?? '',
      line: '',
      game_start_time: fields.gameStartTime ?? '',
      order_price_min_tick_size: market.tickText(),
      group_item_title: fields.groupItemTitle ?? '',
    });
  }

  resolvedB(slug: string): void {
    for (const market of this.#catalog.eventB(slug)?.markets ?? []) {
      // Some messages are never sent (venues.md D), so a client must poll for closures.
      if (unit(market.instrument.quoting.key, 83) < 0.3) continue;
      const { pays, outcomes } = market.contract;
      // A split has no winner and no message; only the closed market shows it.
      if (pays === 'split') continue;
      this.#toB(market.tokens, {
        event_type: 'market_resolved',
        id: market.id,
        question: market.contract.fields.question,
        market: market.condition,
        slug: market.slug,
        assets_ids: market.tokens,
        outcomes,
        winning_asset_id: market.tokens[pays],
        winning_outcome: outcomes[pays],
        timestamp: String(this.#now()),
      });
    }
  }

  #eachOf(ticker: string, say: (market: LiveMarketA) => void): void {
    for (const market of this.#catalog.eventA(ticker)?.markets ?? []) say(market);
  }

  #lifecycle(market: LiveMarketA, type: string, more: Record<string, unknown>): void {
    for (const listener of this.listenersA) {
      listener.announced({
        type: 'market_lifecycle_v2',
        ticker: market.ticker,
        msg: { event_type: type, market_ticker: market.ticker, ...more },
      });
    }
  }

  #listenersOf(market: LiveMarketB): boolean {
    return market.tokens.some((token) => this.wantedB(token));
  }

  /** The server decides which clients get it, because some message types need custom features. */
  #toB(tokens: readonly string[] | null, message: Record<string, unknown>): void {
    for (const listener of this.listenersB) listener.sent(tokens, message);
  }
}
