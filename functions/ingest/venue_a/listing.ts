import { decimalOfNumber, parseMicro, sumOfDecimals } from '../decimal.ts';
import { cleanJson, cleanLabel, fieldMatcher, withoutKeys } from '../feeds/clean.ts';
import { MAX_MILESTONES_OF_EVENT } from '../feeds/limits.ts';
import { isObject, isoTime, parseRecord, rejectedRow } from '../feeds/parse.ts';
import { RulesBudget } from '../feeds/rules_budget.ts';
import { urlOf } from '../identity/question.ts';
import type {
  Fee,
  Json,
  ListedEvent,
  ListedMarket,
  ListingBatch,
  MarketState,
  Question,
  RejectedRow,
} from '../listing.ts';
import {
  type RawEvent,
  type RawMarket,
  type RawMilestone,
  type RawSeries,
  rawMilestone,
  recordedEvent,
  recordedMarket,
  servedEvent,
  servedMarket,
} from './schemas.ts';
import { exchangeIndexOf } from './trading_status.ts';

/** Parses the questions of an event in canonical terms. identity/ implements it. */
export type QuestionParser = (
  event: { [key: string]: Json },
  context: { series?: Json; milestones?: Json[]; now: string },
) => { questions: Question[]; rejected: RejectedRow[] };

export type ListingContext = {
  series: ReadonlyMap<string, RawSeries>;
  milestones: readonly unknown[];
  /** Market time, ISO 8601. */
  now: string;
  /**
   * Whether the listing is a recording, which may lack fields. A response of the venue has all of
   * them.
   */
  recorded: boolean;
  questionsOf: QuestionParser;
};

/** Multivariate combos are about 99.9 % of the unfiltered rows. The other venue lists none. */
const COMBO = /^KXMVE/;

/**
 * Fields that trading changes. They are not part of the listing, so they must not change the hash
 * of a row.
 */
const isVolatile = fieldMatcher(
  /^(yes_bid|yes_ask|no_bid|no_ask|last_price|last_trade|previous_|volume|open_interest|liquidity|dollar_volume|dollar_open|updated_time|last_updated_ts)/,
);

/**
 * Converts one page of events with nested markets to the input of venue.upsert_listings. Rows that
 * cannot be parsed are rejected; the others are kept.
 */
export function listVenueA(events: readonly unknown[], context: ListingContext): ListingBatch {
  const batch: ListingBatch = { events: [], rejected: [] };
  const budget = new RulesBudget();
  const milestones = parseMilestones(context.milestones, batch.rejected);
  for (const raw of events) {
    const ticker = isObject(raw) ? raw.event_ticker : undefined;
    if (typeof ticker === 'string' && COMBO.test(ticker)) continue;
    const event = parseRecord<RawEvent>(context.recorded ? recordedEvent : servedEvent, raw, 'event');
    if (!event.ok) batch.rejected.push(rejectedRow('event', ticker, event.code, event.detail, raw));
    else {
      const listed = listEvent(event.value, milestones.get(event.value.event_ticker) ?? [], context, batch.rejected);
      const rejected = budget.take(listed);
      if (rejected) batch.rejected.push(rejected);
      else batch.events.push(listed);
    }
  }
  return batch;
}

function listEvent(
  event: RawEvent,
  milestones: RawMilestone[],
  context: ListingContext,
  rejected: RejectedRow[],
): ListedEvent {
  const series = context.series.get(event.series_ticker);
  const fee = feeOf(event, series);
  const notice = noticeOf(event);
  const markets: ListedMarket[] = [];
  const rawMarkets: Json[] = [];
  for (const raw of event.markets ?? []) {
    const ticker = isObject(raw) ? raw.ticker : undefined;
    const market = parseRecord<RawMarket>(context.recorded ? recordedMarket : servedMarket, raw, 'market');
    if (!market.ok) {
      rejected.push(rejectedRow('market', ticker, market.code, market.detail, raw));
      continue;
    }
    const state = stateOf(market.value, context.now);
    if (!state) {
      rejected.push(
        rejectedRow('market', ticker, 'market.unknown_status', `The status ${market.value.status} is unknown.`, raw),
      );
      continue;
    }
    const clean = cleanJson(raw) as { [key: string]: Json };
    rawMarkets.push(clean);
    const index = market.value.exchange_index ?? event.exchange_index ?? series?.exchange_index;
    const inherited = { fee, notice, index: exchangeIndexOf(index), now: context.now };
    markets.push(listMarket(market.value, clean, state, inherited));
  }

  const { markets: _cleanedAbove, ...fields } = event;
  const whole = cleanJson(fields) as { [key: string]: Json };
  const parsed = context.questionsOf(
    { ...whole, markets: rawMarkets },
    {
      ...(series ? { series: cleanJson(series) } : {}),
      milestones: milestones.map((one) => cleanJson(one)),
      now: context.now,
    },
  );
  rejected.push(...parsed.rejected);
  const start = startOf(event.event_ticker, milestones);
  return {
    event_id: event.event_ticker,
    series_id: event.series_ticker,
    title: cleanLabel(event.title) ?? event.event_ticker,
    url: urlOf('venue_a', event.event_ticker, event.series_ticker),
    start_at: start,
    start_source: start ? 'milestone' : null,
    close_at: latestOf(markets.map((market) => market.close_at)),
    volume: sumOfDecimals((event.markets ?? []).map(volumeOf)),
    payload: withoutKeys(whole, isVolatile),
    markets,
    questions: parsed.questions,
  };
}

/**
 * The contracts traded in a market, also in one that could not be parsed. Older payloads have whole
 * contracts in `volume`.
 */
function volumeOf(raw: unknown): string | null {
  return isObject(raw) ? decimalOfNumber(raw.volume_fp ?? raw.volume) : null;
}

/** What the venue adds to the rules of all contracts of an event, such as the case of a death. */
function noticeOf({ product_metadata }: RawEvent): unknown {
  const notice = isObject(product_metadata) ? product_metadata.important_info : null;
  return isObject(notice) ? notice.markdown : null;
}

function listMarket(
  market: RawMarket,
  raw: { [key: string]: Json },
  state: MarketState,
  inherited: { fee: Fee | null; notice: unknown; index: number | null; now: string },
): ListedMarket {
  const rules = [market.rules_primary, market.rules_secondary, inherited.notice]
    .map(cleanLabel)
    .filter((part) => part !== null);
  const label = cleanLabel(market.yes_sub_title);
  return {
    market_id: market.ticker,
    title: cleanLabel(market.title) ?? label,
    state,
    open_at: isoTime(market.open_time),
    close_at: isoTime(market.close_time),
    expected_at: isoTime(market.expected_expiration_time),
    settled_at: state === 'final' ? isoTime(market.settlement_ts) : null,
    payout: state === 'final' ? payoutOf(market) : null,
    ticks: market.price_ranges?.map(({ start, end, step }) => ({ start, end, step })) ?? null,
    // All markets trade fractions since mid-2026. The smallest order is 0.01 contract.
    min_order: '0.01',
    fee: waivedFeeOf(inherited.fee, market.fee_waiver_expiration_time, inherited.now),
    match_delay_seconds: null,
    exchange_index: inherited.index,
    rules: rules.length > 0 ? rules.join('\n\n') : null,
    payload: withoutKeys(raw, isVolatile),
    contracts: [{ contract_id: market.ticker, ordinal: 0, label }],
  };
}

/**
 * An "open" event may contain finalized or inactive markets, so each market's own status counts.
 * The venue sends no message when close_time passes.
 */
function stateOf(market: RawMarket, now: string): MarketState | null {
  switch (market.status) {
    case 'initialized':
      return 'unopened';
    case 'active': {
      const close = isoTime(market.close_time);
      return close !== null && close <= now ? 'closed' : 'trading';
    }
    case 'inactive':
      return 'paused';
    case 'closed':
      return 'closed';
    case 'determined':
    case 'disputed':
    case 'amended':
      return 'proposed';
    case 'finalized':
      return 'final';
    default:
      return null;
  }
}

function payoutOf(market: RawMarket): string | null {
  const value = market.settlement_value_dollars;
  if (value) {
    try {
      const micro = parseMicro(value, 'payout');
      return micro >= 0 && micro <= 1_000_000 ? value : null;
    } catch {
      return null;
    }
  }
  if (market.result === 'yes') return '1';
  if (market.result === 'no') return '0';
  return null;
}

/**
 * The taker fee. An event's override wins over its series. An unknown fee model is null, never a
 * guess.
 */
export function feeOf(
  event: { fee_type_override?: string | null | undefined; fee_multiplier_override?: number | null | undefined },
  series: Pick<RawSeries, 'fee_type' | 'fee_multiplier'> | undefined,
): Fee | null {
  const model = event.fee_type_override ?? series?.fee_type;
  const multiplier = decimalOfNumber(event.fee_multiplier_override ?? series?.fee_multiplier);
  if (multiplier === null) return null;
  if (model === 'quadratic') return { model: 'quadratic', multiplier, maker: false };
  if (model === 'quadratic_with_maker_fees') return { model: 'quadratic', multiplier, maker: true };
  return null;
}

/**
 * The fee with the end of its waiver. A waiver that is over, or whose time cannot be read, is left
 * out: then the fee counts in full, which is never too low. An unknown fee stays unknown.
 */
function waivedFeeOf(fee: Fee | null, waivedUntil: string | null | undefined, now: string): Fee | null {
  const until = isoTime(waivedUntil);
  return fee?.model !== 'quadratic' || until === null || until <= now ? fee : { ...fee, waived_until: until };
}

/**
 * The start of the event. Only a milestone has it: occurrence_datetime is the expected end (start +
 * 3 h, sometimes 6 h), so a game would seem to start after it has begun.
 */
function startOf(ticker: string, milestones: readonly RawMilestone[]): string | null {
  const primary = milestones.filter((milestone) => milestone.primary_event_tickers?.includes(ticker));
  const starts = (primary.length > 0 ? primary : milestones).map((milestone) => isoTime(milestone.start_date));
  return starts.filter((start) => start !== null).sort()[0] ?? null;
}

function parseMilestones(raw: readonly unknown[], rejected: RejectedRow[]): Map<string, RawMilestone[]> {
  const byEvent = new Map<string, RawMilestone[]>();
  for (const one of raw) {
    const milestone = parseRecord(rawMilestone, one, 'event');
    if (!milestone.ok) {
      const id = isObject(one) ? one.id : undefined;
      rejected.push(rejectedRow('event', id, milestone.code.replace('event.', 'milestone.'), milestone.detail, one));
      continue;
    }
    for (const ticker of milestone.value.related_event_tickers) {
      const known = byEvent.get(ticker);
      if (known && known.length >= MAX_MILESTONES_OF_EVENT) {
        const detail = `It has more than ${MAX_MILESTONES_OF_EVENT} milestones.`;
        rejected.push(rejectedRow('event', ticker, 'milestone.too_many', detail, null));
      } else if (known) known.push(milestone.value);
      else byEvent.set(ticker, [milestone.value]);
    }
  }
  return byEvent;
}

function latestOf(times: readonly (string | null)[]): string | null {
  return (
    times
      .filter((time) => time !== null)
      .sort()
      .at(-1) ?? null
  );
}
