import { fingerprintOf, fingerprintText } from '../books/fingerprint.ts';
import { type Ladder, mirrored, topOf } from '../books/ladder.ts';
import { isoSeconds } from '../core/eastern.ts';
import { conditionOf, wideCondition } from '../core/ids.ts';
import { pick } from '../core/random.ts';
import type { MarketB as ContractB, EventB as ListingB, Question } from '../universe/question.ts';
import type { EventB, MarketB, TokenBook } from '../venue_b/source.ts';
import { fieldsAt } from './amendments.ts';
import type { Instrument } from './instrument.ts';
import type { Reshape } from './live_a.ts';
import { paidOnB } from './payout.ts';

/** Gamma's prices are cached and derived (venues.md B5). */
const READ_MODEL_MS = 3_000;

/** "2026-04-05 19:37:33+00" */
const spaced = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')}+00`;

/** One market of venue B at present: two tokens, one book. */
export class LiveMarketB implements MarketB {
  readonly id: string;
  readonly slug: string;
  readonly condition: string;
  readonly tokens: readonly [string, string];
  readonly seq: number;
  readonly contract: ContractB;
  readonly instrument: Instrument;
  event: LiveEventB | null = null;
  changedAt: number;
  reshape: Reshape | null = null;
  inverted = false;
  readonly #now: () => number;
  #cached: { until: number; progress: string; text: string } | null = null;

  constructor(contract: ContractB, instrument: Instrument, seq: number, now: () => number) {
    this.contract = contract;
    this.instrument = instrument;
    this.id = contract.id;
    this.slug = contract.slug;
    this.condition = contract.condition;
    this.tokens = contract.tokens;
    this.seq = seq;
    this.#now = now;
    this.changedAt = now();
  }

  progress(): 'open' | 'stopped' | 'proposed' | 'resolved' {
    const t = this.#now();
    const { moments } = this.instrument.question;
    if (t < moments.stopped_b) return 'open';
    if (t < moments.proposed_b) return 'stopped';
    return t < moments.resolved_b ? 'proposed' : 'resolved';
  }

  closed(): boolean {
    return this.progress() === 'resolved';
  }

  active(): boolean {
    return true;
  }

  isV2(): boolean {
    return this.contract.fields.version === 'v2';
  }

  /** Its row of /v2/resolutions. A condition of v1 has one when a result is proposed. */
  resolution(): Record<string, unknown> | null {
    const progress = this.progress();
    const { moments } = this.instrument.question;
    const isOver = progress === 'resolved';
    if (!this.isV2() && progress !== 'proposed' && !isOver) return null;
    const at = isOver ? moments.resolved_b : progress === 'proposed' ? moments.proposed_b : moments.listed_b;
    const paid = paidOnB(this.contract) * 100;
    const common = {
      condition_id: wideCondition(this.condition),
      extended_review: false,
      was_disputed: false,
      new_version_q: false,
      transaction_hash: isOver ? conditionOf('resolution', this.slug) : '',
      log_index: isOver ? '7' : '',
    };
    if (!this.isV2()) {
      // UMA's price of outcome 0 has 18 decimals. "69" means that there is none.
      const price = `${BigInt(paid) * 10n ** 12n}`;
      return {
        ...common,
        question_id: this.contract.fields.questionID,
        status: progress,
        proposed_price: price,
        reproposed_price: '69',
        price: isOver ? price : '69',
        last_update_timestamp: String(Math.floor(at / 1000)),
      };
    }
    return {
      ...common,
      status: isOver ? 'resolved' : progress === 'proposed' ? 'proposed' : 'active',
      market_type: this.contract.fields.negRisk === true ? 'ATOMIC_NEGRISK' : 'BINARY',
      last_update_timestamp: isoSeconds(at),
      // Millionths of a dollar per share.
      ...(isOver
        ? {
            payouts: [paid, 1_000_000 - paid],
            resolved_at: isoSeconds(at),
            resolved_block: 80_000_000 + (Math.floor(at / 2_000) % 10_000_000),
            resolution_source: 'reported',
            reporter: 'CHAINLINK',
            was_arbitrated: false,
          }
        : {}),
    };
  }

  tickText(): string {
    return String(this.instrument.tick / 10_000);
  }

  /** Its tokens, that of the first outcome first; reversed during the fault `inverted`. */
  get socketTokens(): readonly [string, string] {
    return this.inverted ? [this.tokens[1], this.tokens[0]] : this.tokens;
  }

  /** The book over REST. */
  book(token: string): TokenBook {
    return this.#bookOf(token, this.instrument.ladder, this.changedAt);
  }

  /** The book on the socket. */
  socketBook(token: string): TokenBook {
    const { frozenOnSocket } = this.instrument;
    return frozenOnSocket ? this.#bookOf(token, frozenOnSocket.ladder, frozenOnSocket.at) : this.book(token);
  }

  #bookOf(token: string, own: Ladder, timestamp: number): TokenBook {
    const flipped = token === this.socketTokens[1];
    const ladder = flipped ? mirrored(own) : own;
    const last = this.instrument.lastTrade;
    return {
      ladder,
      hash: fingerprintText(token, fingerprintOf(ladder)),
      timestamp,
      tick: this.tickText(),
      negRisk: this.contract.fields.negRisk === true,
      // The venue reports the last trade of either token (venues.md B3); here it is always in terms
      // of outcome 0.
      lastTrade: last === null ? '0.5' : String(last / 10_000),
      condition: this.condition,
    };
  }

  json(withEvent: boolean): string {
    const core = this.#core();
    return withEvent && this.event ? `${core.slice(0, -1)},"events":[${this.event.head()}]}` : core;
  }

  forget(): void {
    this.#cached = null;
  }

  #core(): string {
    const t = this.#now();
    const progress = this.progress();
    if (this.#cached && this.#cached.until > t && this.#cached.progress === progress) return this.#cached.text;
    const { fields: listed, amended } = this.contract;
    const fields = { ...fieldsAt(listed, amended, t), ...this.#moving(progress) };
    const text = JSON.stringify(this.reshape ? this.reshape(fields) : fields);
    this.#cached = { until: t + READ_MODEL_MS, progress, text };
    return text;
  }

  #moving(progress: string): Record<string, unknown> {
    const { moments } = this.instrument.question;
    const top = topOf(this.instrument.ladder);
    const key = this.instrument.quoting.key;
    const mid =
      top.bid !== null && top.ask !== null
        ? (top.bid + top.ask) / 2
        : this.instrument.quoting.fair(moments.listed_b) * 10_000;
    const zero = progress === 'resolved' ? paidOnB(this.contract) : Math.round(mid / 5) * 5;
    const volume = (300 + pick(key, 72, 900_000) + this.instrument.volume) / 10;
    const liquidity = 2_000 + pick(key, 73, 200_000) / 3;
    return {
      outcomePrices: JSON.stringify([String(zero / 10_000), String((10_000 - zero) / 10_000)]),
      closed: progress === 'resolved',
      acceptingOrders: progress === 'open' && this.contract.traded,
      orderPriceMinTickSize: this.instrument.tick / 10_000,
      ...(top.bid === null ? {} : { bestBid: top.bid / 10_000 }),
      ...(top.ask === null ? {} : { bestAsk: top.ask / 10_000 }),
      lastTradePrice: this.instrument.lastTrade === null ? 0.5 : this.instrument.lastTrade / 10_000,
      spread: top.bid !== null && top.ask !== null ? (top.ask - top.bid) / 10_000 : 1,
      liquidity: String(liquidity),
      liquidityNum: liquidity,
      liquidityClob: liquidity,
      volume: String(volume),
      volumeNum: volume,
      volumeClob: volume,
      volume24hr: volume / 8,
      competitive: 0.9,
      updatedAt: new Date(this.changedAt).toISOString(),
      ...(progress === 'resolved' ? { closedTime: spaced(moments.resolved_b), automaticallyResolved: true } : {}),
      ...(this.isV2() ? { umaResolutionStatuses: '[]' } : this.#uma(progress)),
    };
  }

  /** The UMA fields, which stay empty on a market of v2. */
  #uma(progress: string): Record<string, unknown> {
    const isProposed = progress === 'proposed' || progress === 'resolved';
    const { proposed_b } = this.instrument.question.moments;
    return {
      umaResolutionStatuses: isProposed ? '["proposed"]' : '[]',
      ...(isProposed ? { umaResolutionStatus: progress } : {}),
      ...(progress === 'resolved' ? { umaEndDate: new Date(proposed_b).toISOString() } : {}),
    };
  }
}

export class LiveEventB implements EventB {
  readonly id: string;
  readonly slug: string;
  readonly seq: number;
  readonly tags: readonly Record<string, unknown>[];
  readonly markets: readonly LiveMarketB[];
  readonly question: Question;
  readonly #listing: ListingB;
  readonly #now: () => number;

  constructor(listing: ListingB, question: Question, markets: readonly LiveMarketB[], seq: number, now: () => number) {
    this.id = listing.id;
    this.slug = listing.slug;
    this.#listing = listing;
    this.tags = listing.tags;
    this.markets = markets;
    this.question = question;
    this.seq = seq;
    this.#now = now;
    for (const market of markets) market.event = this;
  }

  get fields(): Record<string, unknown> {
    return fieldsAt(this.#listing.fields, this.#listing.amended, this.#now());
  }

  closed(): boolean {
    return this.markets.every((market) => market.closed());
  }

  active(): boolean {
    return true;
  }

  /** The event without its markets, as it appears inside a market. */
  head(): string {
    return JSON.stringify({ ...this.fields, ...this.#moving() });
  }

  json(): string {
    const head = JSON.stringify({ ...this.fields, ...this.#moving(), tags: this.tags });
    return `${head.slice(0, -1)},"markets":[${this.markets.map((market) => market.json(false)).join(',')}]}`;
  }

  #moving(): Record<string, unknown> {
    const t = this.#now();
    const { moments } = this.question;
    const closed = this.closed();
    const updated = this.markets.reduce((latest, market) => Math.max(latest, market.changedAt), moments.listed_b);
    const game =
      moments.start === null
        ? {}
        : {
            live: t >= moments.start && t < moments.ends,
            ended: t >= moments.ends,
            period: t < moments.start ? 'NS' : t < moments.ends ? 'LIVE' : 'FT',
            score: t < moments.start ? '' : '0-0',
          };
    return {
      closed,
      updatedAt: new Date(updated).toISOString(),
      ...game,
      ...(closed ? { closedTime: new Date(moments.resolved_b).toISOString() } : {}),
    };
  }
}
