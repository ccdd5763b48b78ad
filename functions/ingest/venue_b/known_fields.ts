import { isObject } from '../feeds/parse.ts';
import { type Known, knownNames, messageSampler, type UnknownCounter } from '../feeds/unknown.ts';

/**
 * The fields and values of venue_b that are documented or recorded, used or not. Sources: the
 * OpenAPI and AsyncAPI documents of 2026-08-22, the migration pages read on 2026-11-23, recordings
 * of April to September 2026 (docs/venues.md). Everything else is counted, because it may change
 * the meaning of what is read.
 */

export const eventFields = knownNames(`
  id ticker slug title subtitle description resolutionSource startDate creationDate endDate image icon
  active closed archived new featured restricted liquidity volume openInterest sortBy category
  subcategory isTemplate templateVariables published_at createdBy updatedBy createdAt updatedAt
  commentsEnabled competitive volume24hr volume1wk volume1mo volume1yr featuredImage disqusThread
  parentEvent parentEventId enableOrderBook liquidityAmm liquidityClob negRisk negRiskMarketID
  negRiskFeeBips commentCount imageOptimized iconOptimized featuredImageOptimized subEvents markets
  series categories collections tags cyom closedTime showAllOutcomes showMarketImages
  automaticallyResolved enableNegRisk automaticallyActive eventDate startTime eventWeek seriesSlug
  score elapsed period live ended finishedTimestamp gmpChartMode eventCreators tweetCount chats
  featuredOrder estimateValue cantEstimate estimatedValue templates spreadsMainLine totalsMainLine
  carouselMap pendingDeployment deploying deployingTimestamp scheduledDeploymentTimestamp gameStatus
  negRiskAugmented gameId usId teams sport version countryName electionType cumulativeMarkets
  requiresTranslation eventMetadata
`);
export const marketFields = knownNames(`
  id question conditionId slug twitterCardImage resolutionSource endDate category ammType liquidity
  sponsorName sponsorImage startDate xAxisValue yAxisValue denominationToken fee image icon lowerBound
  upperBound description outcomes outcomePrices volume active marketType formatType lowerBoundDate
  upperBoundDate closed marketMakerAddress createdBy updatedBy createdAt updatedAt closedTime
  wideFormat new mailchimpTag featured archived resolvedBy restricted marketGroup groupItemTitle
  groupItemThreshold questionID umaEndDate enableOrderBook orderPriceMinTickSize orderMinSize
  umaResolutionStatus curationOrder volumeNum liquidityNum endDateIso startDateIso umaEndDateIso
  hasReviewedDates readyForCron commentsEnabled volume24hr volume1wk volume1mo volume1yr gameStartTime
  secondsDelay clobTokenIds disqusThread shortOutcomes teamAID teamBID umaBond umaReward fpmmLive
  volume24hrAmm volume1wkAmm volume1moAmm volume1yrAmm volume24hrClob volume1wkClob volume1moClob
  volume1yrClob volumeAmm volumeClob liquidityAmm liquidityClob makerBaseFee takerBaseFee
  customLiveness acceptingOrders notificationsEnabled score imageOptimized iconOptimized events
  categories tags creator ready funded pastSlugs readyTimestamp fundedTimestamp
  acceptingOrdersTimestamp competitive rewardsMinSize rewardsMaxSpread spread automaticallyResolved
  oneDayPriceChange oneHourPriceChange oneWeekPriceChange oneMonthPriceChange oneYearPriceChange
  lastTradePrice bestBid bestAsk automaticallyActive clearBookOnStart chartColor seriesColor
  showGmpSeries showGmpOutcome manualActivation negRiskOther gameId groupItemRange sportsMarketType
  line umaResolutionStatuses pendingDeployment deploying deployingTimestamp
  scheduledDeploymentTimestamp rfqEnabled eventStartTime feesEnabled feeSchedule feeType negRisk
  negRiskMarketID negRiskRequestID positionIds version comboStatus approved cyom
  holdingRewardsEnabled requiresTranslation submitted_by pagerDutyNotificationEnabled clobRewards
  makerRebatesFeeShareBps
`);
const feeSchedule = knownNames('exponent rate takerOnly rebateRate');
const resolution = knownNames(`
  condition_id question_id status extended_review was_disputed was_arbitrated new_version_q
  proposed_price reproposed_price price transaction_hash log_index last_update_timestamp market_type
  payouts resolution_source reporter resolved_block resolved_at expected_settlement_time
  settlement_time_basis
`);
// Books of v2 markets carry their version (seen by others on 2026-10-05, in no document).
const book = knownNames(`
  market asset_id timestamp hash bids asks min_order_size tick_size neg_risk last_trade_price version
`);
const level = knownNames('price size');

const versions = knownNames('v1 v2');
/** The states of UMA. Gamma writes an empty text before the first one. */
const umaStatuses: Known = new Set([
  '',
  ...knownNames('initialized posed proposed challenged reproposed disputed resolved settled'),
]);
/** A condition has two more: in use, and decided by an arbiter. */
const resolutionStatuses: Known = new Set([...umaStatuses, 'active', 'arbitration']);

/** Fields of each message type. */
const messages: ReadonlyMap<string, Known> = new Map([
  [
    'book',
    knownNames(`
      event_type asset_id market bids asks timestamp hash tick_size last_trade_price min_order_size neg_risk
      version
    `),
  ],
  ['price_change', knownNames('event_type market price_changes timestamp')],
  [
    'last_trade_price',
    knownNames('event_type asset_id market price size fee_rate_bps side timestamp transaction_hash'),
  ],
  ['tick_size_change', knownNames('event_type asset_id market old_tick_size new_tick_size timestamp side')],
  ['best_bid_ask', knownNames('event_type asset_id market best_bid best_ask spread timestamp')],
  [
    'new_market',
    knownNames(`
      event_type id question market slug description assets_ids outcomes event_message timestamp tags
      condition_id active clob_token_ids sports_market_type line game_start_time
      order_price_min_tick_size group_item_title taker_base_fee fees_enabled fee_schedule
    `),
  ],
  [
    'market_resolved',
    knownNames(`
      event_type id market assets_ids winning_asset_id winning_outcome event_message timestamp tags
    `),
  ],
]);
export const messageTypes: Known = new Set(messages.keys());
const priceChange = knownNames('asset_id price size side hash best_bid best_ask');

/** Counts one page of events with their markets. */
export function countEvents(counter: UnknownCounter, events: readonly unknown[]): void {
  for (const raw of events) {
    if (!isObject(raw)) continue;
    counter.countFields('event', raw, eventFields, raw.slug);
    counter.countValue('event.version', raw.version, versions, raw.slug);
    if (Array.isArray(raw.markets)) for (const one of raw.markets) countMarket(counter, one);
  }
}

function countMarket(counter: UnknownCounter, raw: unknown): void {
  if (!isObject(raw)) return;
  counter.countFields('market', raw, marketFields, raw.slug);
  counter.countValue('market.version', raw.version, versions, raw.slug);
  counter.countValue('market.umaResolutionStatus', raw.umaResolutionStatus, umaStatuses, raw.slug);
  if (isObject(raw.feeSchedule)) counter.countFields('market.feeSchedule', raw.feeSchedule, feeSchedule, raw.slug);
}

export function countBooks(counter: UnknownCounter, books: readonly unknown[]): void {
  for (const raw of books) {
    if (!isObject(raw)) continue;
    counter.countFields('book', raw, book, raw.asset_id);
    for (const side of [raw.bids, raw.asks])
      if (Array.isArray(side) && isObject(side[0])) counter.countFields('book.level', side[0], level, raw.asset_id);
  }
}

export function countResolutions(counter: UnknownCounter, rows: readonly unknown[]): void {
  for (const raw of rows) {
    if (!isObject(raw)) continue;
    counter.countFields('resolution', raw, resolution, raw.condition_id);
    counter.countValue('resolution.status', raw.status, resolutionStatuses, raw.condition_id);
  }
}

/** Counts the messages of one socket. */
export const messageInspector = (counter: UnknownCounter): ((message: unknown) => void) =>
  messageSampler(
    (message) => isObject(message) && message.event_type === 'price_change',
    (message) => countMessage(counter, message),
  );

export function countMessage(counter: UnknownCounter, message: unknown): void {
  if (!isObject(message)) return;
  counter.countValue('message.type', message.event_type, messageTypes);
  const known = typeof message.event_type === 'string' ? messages.get(message.event_type) : undefined;
  if (known) counter.countFields(`message.${message.event_type}`, message, known);
  if (!Array.isArray(message.price_changes)) return;
  for (const one of message.price_changes)
    if (isObject(one)) counter.countFields('message.price_change.change', one, priceChange);
}
