import { decimalOfNumber } from '../decimal.ts';
import { cleanJson, cleanLabel, fieldMatcher, withoutKeys } from '../feeds/clean.ts';
import { isObject, isoTime, parseRecord, rejectedRow } from '../feeds/parse.ts';
import { RulesBudget } from '../feeds/rules_budget.ts';
import { urlOf } from '../identity/question.ts';
import { outcomeIds } from '../identity/text/outcome_ids.ts';
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
import { isResolvedByRow, type Resolution, type Resolutions } from './resolutions.ts';
import {
  id as idSchema,
  type RawEvent,
  type RawMarket,
  recordedEvent,
  recordedMarket,
  servedEvent,
  servedMarket,
} from './schemas.ts';

export type QuestionParser = (
  event: { [key: string]: Json },
  context: { now: string },
) => { questions: Question[]; rejected: RejectedRow[] };

export type ListingContext = {
  /** Market time, ISO 8601. */
  now: string;
  /**
   * Whether the listing is a recording, which may lack fields. A response of the venue has all of
   * them.
   */
  recorded: boolean;
  questionsOf: QuestionParser;
  /** What the data API answered about the closed markets of the protocol v2. */
  resolutions?: Resolutions;
};

/** Fields that trading and a running game change. They are not part of the listing. */
const isVolatile = fieldMatcher(
  /^(outcomePrices|volume|liquidity|openInterest|bestBid|bestAsk|lastTradePrice|spread$|oneHour|oneDay|oneWeek|oneMonth|oneYear|competitive$|updatedAt|commentCount|score$|period$|elapsed$|live$|featured|new$|image|icon|rewards|clobRewards|tweetCount|sortBy)/,
);

/**
 * Converts one page of Gamma events with their markets to the input of venue.upsert_listings. Rows
 * that cannot be parsed are rejected; the others are kept.
 */
export function listVenueB(events: readonly unknown[], context: ListingContext): ListingBatch {
  const batch: ListingBatch = { events: [], rejected: [] };
  const budget = new RulesBudget();
  for (const raw of events) {
    const event = parseRecord<RawEvent>(context.recorded ? recordedEvent : servedEvent, raw, 'event');
    if (event.ok) {
      const listed = listEvent(event.value, context, batch.rejected);
      const rejected = budget.take(listed);
      if (rejected) batch.rejected.push(rejected);
      else batch.events.push(listed);
    } else
      batch.rejected.push(rejectedRow('event', isObject(raw) ? raw.slug : undefined, event.code, event.detail, raw));
  }
  return batch;
}

function listEvent(event: RawEvent, context: ListingContext, rejected: RejectedRow[]): ListedEvent {
  const markets: ListedMarket[] = [];
  const rawMarkets: Json[] = [];
  const starts: (string | null)[] = [];
  for (const raw of event.markets) {
    const market = parseMarket(raw, context);
    if (!market.ok) {
      const id = isObject(raw) ? (raw.conditionId ?? raw.slug) : undefined;
      rejected.push(rejectedRow('market', id, market.code, market.detail, raw));
      continue;
    }
    const clean = cleanJson(raw) as { [key: string]: Json };
    rawMarkets.push(clean);
    starts.push(isoTime(market.value.gameStartTime));
    const unknown = unknownFlagsOf(market.value);
    if (unknown.length > 0) {
      const detail = `The venue does not state ${unknown.join(', ')}, so the market does not count as trading.`;
      rejected.push(rejectedRow('market', market.value.conditionId, 'market.unknown_flag', detail, raw));
    }
    const resolution = context.resolutions?.get(market.value.conditionId) ?? { state: 'open' };
    // A market that is left out here and named in a rejected row keeps the state that is stored.
    if (resolution.state !== 'unread') markets.push(listMarket(market, event, clean, resolution));
  }

  const { markets: _cleanedAbove, ...fields } = event;
  const whole = cleanJson(fields) as { [key: string]: Json };
  const parsed = context.questionsOf({ ...whole, markets: rawMarkets }, { now: context.now });
  rejected.push(...parsed.rejected);
  // The start for matching is the start of the game. endDate is start + 7 days for some sports and
  // noon for weather, never a start.
  const gameStart = starts.filter((start) => start !== null).sort()[0] ?? null;
  const start = gameStart ?? isoTime(event.startTime);
  return {
    event_id: event.slug,
    series_id: cleanLabel(event.series?.[0]?.slug),
    title: cleanLabel(event.title) ?? cleanLabel(markets.length === 1 ? markets[0]?.title : null) ?? event.slug,
    url: urlOf('venue_b', event.slug, null),
    start_at: start,
    start_source: gameStart ? 'gameStartTime' : start ? 'startTime' : null,
    close_at: isoTime(event.endDate),
    volume: decimalOfNumber(event.volume),
    payload: withoutKeys(whole, isVolatile),
    markets,
    questions: parsed.questions,
  };
}

type ParsedMarket = { ok: true; value: RawMarket; tokens: string[] } | { ok: false; code: string; detail: string };

function parseMarket(raw: unknown, context: ListingContext): ParsedMarket {
  const market = parseRecord<RawMarket>(context.recorded ? recordedMarket : servedMarket, raw, 'market');
  if (!market.ok) return market;
  const found = outcomeIds(market.value);
  if (!found.ok) return found;
  const { outcomes } = market.value;
  const tokens = found.ids;
  if (outcomes.length !== 2 || tokens.length !== 2) {
    return {
      ok: false,
      code: 'market.not_two_outcomes',
      detail: `The market has ${outcomes.length} outcomes and ${tokens.length} tokens instead of two of each.`,
    };
  }
  if (!tokens.every((token) => idSchema.safeParse(token).success))
    return { ok: false, code: 'market.wrong_type', detail: 'A token has invisible characters or is too long.' };
  if (tokens[0] === tokens[1])
    return { ok: false, code: 'market.same_token', detail: 'The two outcomes do not have two different tokens.' };
  return { ok: true, value: market.value, tokens };
}

function listMarket(
  { value: market, tokens }: { value: RawMarket; tokens: readonly string[] },
  event: RawEvent,
  raw: { [key: string]: Json },
  resolution: Resolution,
): ListedMarket {
  const { state, payout, settledAt } = isResolvedByRow(market) ? stateByRow(resolution) : stateOf(market);
  const tick = decimalOfNumber(market.orderPriceMinTickSize);
  return {
    market_id: market.conditionId,
    title: cleanLabel(market.question),
    state,
    open_at: isoTime(market.startDate),
    close_at: isoTime(market.endDate),
    expected_at: null,
    settled_at: state === 'final' ? (settledAt ?? isoTime(market.closedTime)) : null,
    payout,
    ticks: tick === null ? null : [{ start: '0', end: '1', step: tick }],
    min_order: decimalOfNumber(market.orderMinSize),
    fee: feeOf(market),
    match_delay_seconds: market.secondsDelay ?? null,
    rules: cleanLabel(market.description) ?? cleanLabel(event.description),
    payload: withoutKeys(raw, (key) => isVolatile(key) || key === 'events'),
    contracts: tokens.map((token, ordinal) => ({
      contract_id: token,
      ordinal,
      label: cleanLabel(market.outcomes[ordinal]),
    })),
  };
}

/** The flags that decide whether a market trades, and that the venue does not state. */
function unknownFlagsOf(market: RawMarket): string[] {
  if (market.closed) return [];
  const flags = ['active', 'closed', 'acceptingOrders', 'enableOrderBook'] as const;
  return flags.filter((flag) => market[flag] === undefined || market[flag] === null);
}

type Progress = { state: MarketState; payout: string | null; settledAt: string | null };
const unpaid = (state: MarketState): Progress => ({ state, payout: null, settledAt: null });

/**
 * A closed market of the protocol v2 is final by its resolution row alone, 50-50 included. Its UMA
 * fields may stay empty, and its prices are no payout.
 */
function stateByRow(resolution: Resolution): Progress {
  if (resolution.state === 'resolved')
    return { state: 'final', payout: resolution.payout, settledAt: resolution.settledAt };
  return unpaid(resolution.state === 'proposed' ? 'proposed' : 'closed');
}

/**
 * closed:true may come with a null UMA status, and a resolved status with closed:false and without
 * prices (venues.md D). So a market is final only when it is closed and its prices are a payout.
 * 50-50 counts only after a resolution, because a market without trades has these prices too. An
 * unknown flag makes a market paused: it is neither trading nor final, and it is read again.
 */
function stateOf(market: RawMarket): Progress {
  const status = market.umaResolutionStatuses?.at(-1) ?? market.umaResolutionStatus ?? null;
  if (market.closed) {
    // A recorded market has the status "resolved" while its list of statuses ends with "proposed".
    const isResolved = status === 'resolved' || market.umaResolutionStatus === 'resolved';
    const payout = payoutOf(market.outcomePrices ?? null, isResolved);
    if (payout !== null) return { state: 'final', payout, settledAt: null };
    return unpaid(status === null ? 'closed' : 'proposed');
  }
  if (status !== null && status !== '') return unpaid('proposed');
  if (market.closed !== false) return unpaid('paused');
  if (market.active === false) return unpaid('unopened');
  return unpaid(market.active && market.acceptingOrders && market.enableOrderBook ? 'trading' : 'paused');
}

function payoutOf(prices: readonly string[] | null, resolved: boolean): string | null {
  if (prices?.length !== 2) return null;
  const [yes, no] = prices.map(Number);
  if (yes === 1 && no === 0) return '1';
  if (yes === 0 && no === 1) return '0';
  return resolved && yes === 0.5 && no === 0.5 ? '0.5' : null;
}

/** The taker fee of the market. An unknown fee schedule is null, never a guess. */
export function feeOf(market: Pick<RawMarket, 'feesEnabled' | 'feeSchedule'>): Fee | null {
  if (market.feesEnabled === false) return { model: 'rate', rate: '0' };
  const schedule = market.feeSchedule;
  const rate = decimalOfNumber(schedule?.rate);
  if (market.feesEnabled !== true || !schedule || rate === null) return null;
  if (Number(rate) === 0) return { model: 'rate', rate: '0' };
  return schedule.exponent === 1 && schedule.takerOnly === true ? { model: 'rate', rate } : null;
}
