import type { TopHistory } from '../books/history.ts';
import { type Ladder, topOf } from '../books/ladder.ts';
import { count, dollars } from '../core/decimal.ts';
import { isoSeconds } from '../core/eastern.ts';
import { uuidOf } from '../core/ids.ts';
import { pick } from '../core/random.ts';
import type { ContractA, EventA as ListingA, Question } from '../universe/question.ts';
import type { EventA, MarketA } from '../venue_a/source.ts';
import { fieldsAt } from './amendments.ts';
import type { Instrument } from './instrument.ts';
import { paidOnA } from './payout.ts';

/**
 * Quotes in listings come from a read model that lags the book by up to this much (venues.md A2:
 * eventually consistent).
 */
const READ_MODEL_MS = 2_000;

export type Reshape = (fields: Record<string, unknown>) => Record<string, unknown>;

/** One contract of venue A at present. */
export class LiveMarketA implements MarketA {
  readonly ticker: string;
  readonly event_ticker: string;
  readonly id: string;
  readonly created: number;
  readonly instrument: Instrument;
  readonly contract: ContractA;
  /** The change of its JSON by the fault `schema`. */
  reshape: Reshape | null = null;
  /** The end of its fee waiver, market time; null without one. */
  feeWaivedUntil: number | null = null;
  readonly #now: () => number;
  #cached: { until: number; status: string; text: string } | null = null;

  constructor(contract: ContractA, event: string, instrument: Instrument, now: () => number) {
    this.contract = contract;
    this.ticker = contract.ticker;
    this.event_ticker = event;
    this.id = uuidOf('market', contract.ticker);
    this.instrument = instrument;
    this.created = instrument.question.moments.listed_a;
    this.#now = now;
  }

  get ladder(): Ladder {
    return this.instrument.ladder;
  }

  get socketLadder(): Ladder {
    return this.instrument.frozenOnSocket?.ladder ?? this.instrument.ladder;
  }

  get history(): TopHistory {
    return this.instrument.history;
  }

  status(): string {
    const t = this.#now();
    const { moments } = this.instrument.question;
    if (t < moments.closed_a) return 'active';
    if (t < moments.determined_a) return 'closed';
    return t < moments.finalized_a ? 'determined' : 'finalized';
  }

  /** Whether its fee is waived now. */
  hasFeeWaived(): boolean {
    return this.feeWaivedUntil !== null && this.#now() < this.feeWaivedUntil;
  }

  closes(): number {
    const { closed_a } = this.instrument.question.moments;
    return this.#now() >= closed_a ? closed_a : Date.parse(String(this.contract.fields.close_time));
  }

  updated(): number {
    const t = this.#now();
    const { moments } = this.instrument.question;
    const amendedAt = this.contract.amended?.at ?? moments.listed_a;
    const changes = [moments.finalized_a, moments.determined_a, moments.closed_a, amendedAt];
    return changes.find((at) => at <= t) ?? moments.listed_a;
  }

  json(): string {
    const t = this.#now();
    const status = this.status();
    if (this.#cached && this.#cached.until > t && this.#cached.status === status) return this.#cached.text;
    const { fields: listed, amended } = this.contract;
    const fields = { ...fieldsAt(listed, amended, t), ...this.#moving(status) };
    const text = JSON.stringify(this.reshape ? this.reshape(fields) : fields);
    this.#cached = { until: t + READ_MODEL_MS, status, text };
    return text;
  }

  forget(): void {
    this.#cached = null;
  }

  #moving(status: string): Record<string, unknown> {
    const { moments } = this.instrument.question;
    const top = topOf(this.ladder);
    const yesBid = top.bid ?? 0;
    const yesAsk = top.ask ?? 10_000;
    const known = status === 'determined' || status === 'finalized';
    const key = this.instrument.quoting.key;
    const last = this.instrument.lastTrade ?? Math.round((yesBid + yesAsk) / 200) * 100;
    const volume = (5_000 + pick(key, 71, 4_000_000) + this.instrument.volume) | 0;
    return {
      expiration_value: known ? this.contract.expirationValue : '',
      last_price_dollars: dollars(last),
      no_ask_dollars: dollars(10_000 - yesBid),
      no_bid_dollars: dollars(10_000 - yesAsk),
      open_interest_fp: count(Math.floor(volume * 0.6)),
      previous_price_dollars: dollars(last),
      previous_yes_ask_dollars: dollars(yesAsk),
      previous_yes_bid_dollars: dollars(yesBid),
      result: known ? paidOnA(this.contract).result : '',
      ...(status === 'finalized'
        ? {
            settlement_ts: new Date(moments.finalized_a).toISOString(),
            settlement_value_dollars: paidOnA(this.contract).value,
          }
        : {}),
      ...ticksJsonOf(this.instrument),
      ...(this.feeWaivedUntil === null
        ? {}
        : { fee_waiver_expiration_time: new Date(this.feeWaivedUntil).toISOString() }),
      ...(status === 'active' ? {} : { close_time: isoSeconds(moments.closed_a) }),
      status,
      updated_time: new Date(this.updated()).toISOString(),
      volume_24h_fp: count(Math.floor(volume / 9)),
      volume_fp: count(volume),
      yes_ask_dollars: dollars(yesAsk),
      yes_ask_size_fp: count(top.ask_size),
      yes_bid_dollars: dollars(yesBid),
      yes_bid_size_fp: count(top.bid_size),
    };
  }
}

function ticksJsonOf({ tickTable }: Instrument): Record<string, unknown> {
  if (!tickTable) return {};
  const price_ranges = tickTable.ranges.map(({ start, end, step }) => ({
    start: dollars(start),
    end: dollars(end),
    step: dollars(step),
  }));
  return { price_level_structure: tickTable.name, price_ranges };
}

export class LiveEventA implements EventA {
  readonly ticker: string;
  readonly series_ticker: string;
  readonly seq: number;
  readonly markets: readonly LiveMarketA[];
  readonly listing: ListingA;
  readonly question: Question;
  /** The fault `no_markets`: how it writes its list of markets; null for the whole list. */
  hiddenMarkets: () => 'absent' | 'null' | null = () => null;
  readonly #head: string;

  constructor(listing: ListingA, question: Question, markets: readonly LiveMarketA[], seq: number) {
    this.listing = listing;
    this.question = question;
    this.ticker = listing.ticker;
    this.series_ticker = listing.series;
    this.markets = markets;
    this.seq = seq;
    this.#head = JSON.stringify(listing.fields).slice(0, -1);
  }

  updated(): number {
    return this.markets.reduce((latest, market) => Math.max(latest, market.updated()), 0);
  }

  milestone(t: number): Record<string, unknown> {
    const { milestone, amended } = this.listing;
    return fieldsAt(milestone ?? {}, amended, t);
  }

  json(nested: boolean): string {
    const hidden = nested ? this.hiddenMarkets() : null;
    if (hidden === 'null') return `${this.#head},"markets":null}`;
    return nested && hidden === null
      ? `${this.#head},"markets":[${this.markets.map((market) => market.json()).join(',')}]}`
      : `${this.#head}}`;
  }
}
