import type { Change } from '../books/ladder.ts';
import type { Clock } from '../core/clock.ts';
import type { VenueSocket } from '../core/venue.ts';
import type { FaultName, OnLoss } from '../faults/faults.ts';
import { FaultyConnection } from '../faults/faulty_connection.ts';
import { deltaText, snapshotText, tickerMessage } from './frames.ts';
import type { Hub } from './hub.ts';
import { type Params, stringsOf, tickersOf } from './params.ts';
import type { MarketA } from './source.ts';
import type { Session, Subscription } from './subscription.ts';

const CHANNELS = ['orderbook_delta', 'ticker', 'trade', 'market_lifecycle_v2'];
/** More unread bytes than this are a buffer overflow (error 25). */
const MAX_BUFFERED_BYTES = 32 * 1024 * 1024;

type Command = { id?: unknown; cmd?: unknown; params?: unknown };

/** One client of venue A's WebSocket. */
export class SocketA implements Session {
  readonly venue = 'a' as const;
  readonly subscriptions = new Map<number, Subscription>();
  #nextSid = 1;
  #rejectNext = false;
  /** Times of the commands of the last second, real ms. */
  #commandTimes: number[] = [];
  readonly #connection: FaultyConnection;
  readonly #socket: VenueSocket;
  readonly #clock: Clock;
  readonly #hub: Hub;

  constructor(socket: VenueSocket, hub: Hub, clock: Clock) {
    this.#socket = socket;
    this.#clock = clock;
    this.#hub = hub;
    this.#connection = new FaultyConnection((text) => {
      if (socket.isOpen) socket.send(text);
    }, clock);
  }

  receivesBooks(): boolean {
    return [...this.subscriptions.values()].some((one) => one.channel === 'orderbook_delta');
  }

  contracts(): readonly string[] {
    const books = [...this.subscriptions.values()].filter((one) => one.channel === 'orderbook_delta');
    return books.flatMap(({ tickers }) => [...(tickers ?? [])]);
  }

  inject(fault: FaultName, forMs: number, how?: string, onLoss?: OnLoss): void {
    if (this.#connection.inject(fault, forMs, how, onLoss)) return;
    if (fault === 'cut') this.#socket.terminate();
    else if (fault === 'overflow') this.#overflow();
    else if (fault === 'auth') this.#rejectNext = true;
  }

  heartbeat(): void {
    this.#socket.ping();
  }

  close(): void {
    this.#connection.close();
    for (const subscription of this.subscriptions.values()) this.#hub.leave(subscription);
    this.subscriptions.clear();
  }

  /** Handles one text frame of the client. */
  command(text: string): void {
    let command: Command;
    try {
      command = JSON.parse(text) as Command;
    } catch {
      this.#error(undefined, 1, 'Unable to process message');
      return;
    }
    const params = (typeof command.params === 'object' && command.params !== null ? command.params : {}) as Params;
    const id = command.id;
    if (this.#exceedsCommandRate()) {
      this.#error(id, 27, 'Too many requests');
      return;
    }
    if (this.#rejectNext) {
      this.#rejectNext = false;
      this.#error(id, 9, 'Authentication required');
      return;
    }
    switch (command.cmd) {
      case 'subscribe':
        this.#subscribe(id, params);
        return;
      case 'unsubscribe':
        this.#unsubscribe(id, params);
        return;
      case 'update_subscription':
        this.#update(id, params);
        return;
      case 'list_subscriptions':
        // A silent connection still replies to pings.
        this.#connection.reply(
          JSON.stringify({
            id,
            type: 'ok',
            msg: [...this.subscriptions.values()].map(({ channel, sid }) => ({ channel, sid })),
          }),
        );
        return;
      default:
        this.#error(id, 5, 'Unknown command');
        return;
    }
  }

  #subscribe(id: unknown, params: Params): void {
    const channels = stringsOf(params.channels);
    if (channels.length === 0) {
      this.#error(id, 3, 'Channels required');
      return;
    }
    for (const channel of channels) {
      if (!CHANNELS.includes(channel)) {
        this.#error(id, 8, 'Unknown channel name');
        continue;
      }
      const asked = tickersOf(params);
      if (channel === 'orderbook_delta' && asked.length === 0) {
        this.#error(id, 14, 'Market ticker required');
        continue;
      }
      const markets = this.#marketsOf(id, asked);
      if (asked.length > 0 && markets.length === 0) continue;
      const everything = asked.length === 0 || channel === 'market_lifecycle_v2';
      if (this.#overlaps(channel, everything ? null : markets)) {
        this.#error(id, 6, 'Already subscribed');
        continue;
      }
      if (this.#exceedsMarketLimit(markets.length)) {
        this.#error(id, 26, 'Subscription market limit exceeded');
        continue;
      }
      const subscription: Subscription = {
        session: this,
        sid: this.#nextSid++,
        channel,
        tickers: everything ? null : new Set(),
        seq: 0,
        yesPrice: (params.use_yes_price === true) !== this.#hub.mixesScales(),
      };
      this.subscriptions.set(subscription.sid, subscription);
      this.#write({ id, type: 'subscribed', msg: { channel, sid: subscription.sid } });
      this.#hub.join(subscription, everything ? null : markets.map((market) => market.ticker));
      if (channel === 'orderbook_delta') for (const market of markets) this.#snapshot(subscription, market);
      if (channel === 'ticker' && params.send_initial_snapshot === true) {
        for (const market of markets) this.ticker(subscription, market, this.#hub.now());
      }
    }
  }

  #unsubscribe(id: unknown, params: Params): void {
    const sids = Array.isArray(params.sids) ? params.sids : [];
    if (sids.length === 0) {
      this.#error(id, 4, 'Subscription IDs required');
      return;
    }
    for (const sid of sids) {
      const subscription = this.subscriptions.get(Number(sid));
      if (!subscription) {
        this.#error(id, 7, 'Unknown subscription ID');
        continue;
      }
      this.#hub.leave(subscription);
      this.subscriptions.delete(subscription.sid);
      this.#write({ id, sid: subscription.sid, seq: ++subscription.seq, type: 'unsubscribed' });
    }
  }

  #update(id: unknown, params: Params): void {
    const sids = params.sid !== undefined ? [params.sid] : Array.isArray(params.sids) ? params.sids : [];
    if (sids.length !== 1) {
      this.#error(id, 12, 'Exactly one subscription ID is required');
      return;
    }
    const subscription = this.subscriptions.get(Number(sids[0]));
    if (!subscription) {
      this.#error(id, 7, 'Unknown subscription ID');
      return;
    }
    const asked = tickersOf(params);
    const markets = this.#marketsOf(id, asked);
    if (asked.length > 0 && markets.length === 0) return;
    const tickers = subscription.tickers ?? new Set<string>();
    switch (params.action) {
      case 'add_markets': {
        const fresh = markets.filter((market) => !tickers.has(market.ticker));
        if (fresh.length === 0) {
          this.#error(id, 6, 'Already subscribed');
          return;
        }
        if (this.#exceedsMarketLimit(tickers.size + fresh.length)) {
          this.#error(id, 26, 'Subscription market limit exceeded');
          return;
        }
        this.#hub.join(
          subscription,
          fresh.map((market) => market.ticker),
        );
        this.#ok(id, subscription);
        if (subscription.channel === 'orderbook_delta')
          for (const market of fresh) this.#snapshot(subscription, market);
        return;
      }
      case 'delete_markets':
        this.#hub.drop(
          subscription,
          markets.map((market) => market.ticker),
        );
        this.#ok(id, subscription);
        return;
      case 'get_snapshot':
        if (subscription.channel !== 'orderbook_delta') {
          this.#error(id, 13, 'Unsupported action');
          return;
        }
        this.#ok(id, subscription);
        for (const market of markets) if (tickers.has(market.ticker)) this.#snapshot(subscription, market);
        return;
      default:
        this.#error(id, 13, 'Unsupported action');
        return;
    }
  }

  #ok(id: unknown, subscription: Subscription): void {
    const market_tickers = [...(subscription.tickers ?? [])].sort();
    this.#write({ id, sid: subscription.sid, seq: ++subscription.seq, type: 'ok', msg: { market_tickers } });
  }

  #snapshot(subscription: Subscription, market: MarketA): void {
    this.#connection.send(snapshotText(market, subscription.sid, ++subscription.seq, subscription.yesPrice));
  }

  /** Sends the changes of one book, in order. */
  deltas(subscription: Subscription, market: MarketA, changes: readonly Change[], at: number): void {
    for (const change of changes) {
      this.#connection.marketData(
        deltaText(market, change, subscription.sid, ++subscription.seq, subscription.yesPrice, at),
      );
    }
    if (this.#socket.bufferedAmount > MAX_BUFFERED_BYTES) this.#overflow();
  }

  ticker(subscription: Subscription, market: MarketA, at: number): void {
    this.#connection.marketData(
      JSON.stringify({ type: 'ticker', sid: subscription.sid, msg: tickerMessage(market, at) }),
    );
  }

  plain(subscription: Subscription, type: string, msg: Record<string, unknown>): void {
    const seq = type === 'ticker' ? {} : { seq: ++subscription.seq };
    this.#connection.marketData(JSON.stringify({ type, sid: subscription.sid, ...seq, msg }));
  }

  #marketsOf(id: unknown, tickers: readonly string[]): MarketA[] {
    const markets: MarketA[] = [];
    for (const ticker of tickers) {
      const market = this.#hub.market(ticker);
      if (market) markets.push(market);
      else this.#write({ id, type: 'error', msg: { code: 16, msg: 'Market not found', market_ticker: ticker } });
    }
    return markets;
  }

  #overlaps(channel: string, markets: readonly MarketA[] | null): boolean {
    for (const other of this.subscriptions.values()) {
      if (other.channel !== channel) continue;
      if (markets === null || other.tickers === null) return true;
      if (markets.some((market) => other.tickers?.has(market.ticker))) return true;
    }
    return false;
  }

  #exceedsMarketLimit(markets: number): boolean {
    const limit = this.#hub.marketLimit();
    return limit !== null && markets > limit;
  }

  /** A rejected command counts too. */
  #exceedsCommandRate(): boolean {
    const rate = this.#hub.commandRate();
    const now = this.#clock.now();
    this.#commandTimes = this.#commandTimes.filter((at) => now - at < 1_000);
    this.#commandTimes.push(now);
    return rate !== null && this.#commandTimes.length > rate;
  }

  #overflow(): void {
    for (const subscription of this.subscriptions.values()) {
      if (subscription.channel !== 'orderbook_delta') continue;
      this.#write({ sid: subscription.sid, type: 'error', msg: { code: 25, msg: 'Subscription buffer overflow' } });
      this.#hub.leave(subscription);
      this.subscriptions.delete(subscription.sid);
    }
  }

  #error(id: unknown, code: number, msg: string): void {
    this.#write({ id, type: 'error', msg: { code, msg } });
  }

  #write(frame: Record<string, unknown>): void {
    this.#connection.send(JSON.stringify(frame));
  }
}
