import { decimalOfNumber } from '../decimal.ts';
import { cleanJson, cleanLabel, withoutKeys } from '../feeds/clean.ts';
import { isObject, isoTime, parseRecord, rejectedRow } from '../feeds/parse.ts';
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
import { type RawEvent, type RawMarket, recordedEvent, recordedMarket, servedEvent, servedMarket } from './schemas.ts';

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
};

/** Fields that trading and a running game change. They are not part of the listing. */
const VOLATILE =
  /^(outcomePrices|volume|liquidity|openInterest|bestBid|bestAsk|lastTradePrice|spread$|oneHour|oneDay|oneWeek|oneMonth|oneYear|competitive$|updatedAt|commentCount|score$|period$|elapsed$|live$|featured|new$|image|icon|rewards|clobRewards|tweetCount|sortBy)/;

/**
 * Converts one page of Gamma events with their markets to the input of venue.upsert_listings. Rows
 * that cannot be parsed are rejected; the others are kept.
 */
export function listVenueB(events: readonly unknown[], context: ListingContext): ListingBatch {
  const batch: ListingBatch = { events: [], rejected: [] };
  for (const raw of events) {
    const event = parseRecord<RawEvent>(context.recorded ? recordedEvent : servedEvent, raw, 'event');
    if (event.ok) batch.events.push(listEvent(event.value, context, batch.rejected));
    else batch.rejected.push(rejectedRow('event', isObject(raw) ? raw.slug : undefined, event.code, event.detail, raw));
  }
  return batch;
}

function listEvent(event: RawEvent, context: ListingContext, rejected: RejectedRow[]): ListedEvent {
  const markets: ListedMarket[] = [];
  const rawMarkets: Json[] = [];
  const starts: (string | null)[] = [];
  for (const raw of event.markets) {
    const id = isObject(raw) ? (raw.conditionId ?? raw.slug) : undefined;
    const market = parseRecord<RawMarket>(context.recorded ? recordedMarket : servedMarket, raw, 'market');
    const defect = market.ok ? defectOf(market.value) : market;
    if (!market.ok || defect) {
      rejected.push(rejectedRow('market', id, defect?.code ?? 'market.wrong_type', defect?.detail ?? '', raw));
      continue;
    }
    const clean = cleanJson(raw) as { [key: string]: Json };
    rawMarkets.push(clean);
    starts.push(isoTime(market.value.gameStartTime));
    markets.push(listMarket(market.value, event, clean));
  }

  const whole = cleanJson(event) as { [key: string]: Json };
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
    payload: withoutKeys(whole, (key) => key === 'markets' || VOLATILE.test(key)),
    markets,
    questions: parsed.questions,
  };
}

function defectOf(market: RawMarket): { code: string; detail: string } | null {
  const { outcomes, clobTokenIds } = market;
  if (outcomes.length !== 2 || clobTokenIds.length !== 2) {
    return {
      code: 'market.not_two_outcomes',
      detail: `The market has ${outcomes.length} outcomes and ${clobTokenIds.length} tokens instead of two of each.`,
    };
  }
  if (clobTokenIds[0] === clobTokenIds[1] || clobTokenIds.some((token) => token === '')) {
    return { code: 'market.same_token', detail: 'The two outcomes do not have two different tokens.' };
  }
  return null;
}

function listMarket(market: RawMarket, event: RawEvent, raw: { [key: string]: Json }): ListedMarket {
  const { state, payout } = stateOf(market);
  const tick = decimalOfNumber(market.orderPriceMinTickSize);
  return {
    market_id: market.conditionId,
    title: cleanLabel(market.question),
    state,
    open_at: isoTime(market.startDate),
    close_at: isoTime(market.endDate),
    expected_at: null,
    settled_at: state === 'final' ? isoTime(market.closedTime) : null,
    payout,
    ticks: tick === null ? null : [{ start: '0', end: '1', step: tick }],
    min_order: decimalOfNumber(market.orderMinSize),
    fee: feeOf(market),
    match_delay_seconds: market.secondsDelay ?? null,
    rules: cleanLabel(market.description) ?? cleanLabel(event.description),
    payload: withoutKeys(raw, (key) => VOLATILE.test(key) || key === 'events'),
    contracts: market.clobTokenIds.map((token, ordinal) => ({
      contract_id: token,
      ordinal,
      label: cleanLabel(market.outcomes[ordinal]),
    })),
  };
}

/**
 * closed:true may come with a null UMA status, and a resolved status with closed:false and without
 * prices (venues.md D). So a market is final only when it is closed and its prices are a payout.
 * 50-50 counts only after a resolution, because a market without trades has these prices too.
 */
function stateOf(market: RawMarket): { state: MarketState; payout: string | null } {
  const status = market.umaResolutionStatuses?.at(-1) ?? market.umaResolutionStatus ?? null;
  if (market.closed) {
    const payout = payoutOf(market.outcomePrices ?? null, status === 'resolved');
    if (payout !== null) return { state: 'final', payout };
    return { state: status === null ? 'closed' : 'proposed', payout: null };
  }
  if (status !== null && status !== '') return { state: 'proposed', payout: null };
  if (!market.active) return { state: 'unopened', payout: null };
  return { state: market.acceptingOrders && market.enableOrderBook ? 'trading' : 'paused', payout: null };
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
