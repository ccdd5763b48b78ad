import { isoSeconds, spacedTime } from '../../core/eastern.ts';
import { conditionOf, conditionV2Of, positionsOf, rowIdOf, tokenOf } from '../../core/ids.ts';
import { keyOf, pick } from '../../core/random.ts';
import type { EventB, MarketB, Quoting, WireFields } from '../question.ts';
import { type QuotingProfile, quotingOnB } from './quoting_profile.ts';

/**
 * Venue B's payloads (venues.md B2) without the fields that change: quotes and the progress of the
 * resolution.
 */

export type FeeB = { type: string; rate: number; rebate: number };
export const SPORTS_FEE: FeeB = { type: 'sports_fees_v3', rate: 0.05, rebate: 0.15 };
export const CRYPTO_FEE: FeeB = { type: 'crypto_fees_v2', rate: 0.07, rebate: 0.2 };
export const WEATHER_FEE: FeeB = { type: 'weather_fees', rate: 0.05, rebate: 0.25 };
export const ECONOMICS_FEE: FeeB = { type: 'economics_fees', rate: 0.05, rebate: 0.25 };

/** The protocol of a market: v1 trades its `clobTokenIds`, v2 its `positionIds` (venues.md G1). */
export type VersionB = 'v1' | 'v2';
/** Of so many events one is of the protocol v2. */
const EVENTS_PER_V2 = 4;

export const versionOf = (seed: number, slug: string): VersionB =>
  keyOf(seed, 'version', slug) % EVENTS_PER_V2 === 0 ? 'v2' : 'v1';

/** The fields that the markets of an event share. */
export type SharedB = {
  seed: number;
  version: VersionB;
  description: string;
  resolution: string;
  outcomes?: readonly [string, string];
  end: number;
  opened: number;
  fee: FeeB;
  tick: number;
  /** The id that all markets of a neg-risk event share. Null for other events. */
  negRiskId: string | null;
  start?: number;
  sportsType?: string;
  profile: QuotingProfile;
};

/** The fields of one market. */
export type MarketQuestionB = {
  slug: string;
  question: string;
  group: string;
  threshold: number;
  /** Default: the description of the event. */
  description?: string;
  fair: Quoting['fair'];
  /** Whether outcome 0 pays. "split" pays half to each. */
  pays: boolean | 'split';
  /** False for placeholders and "Other", which have no order book. */
  traded?: boolean;
  other?: boolean;
};

export function marketB(shape: SharedB, ask: MarketQuestionB): MarketB {
  const { seed, outcomes = ['Yes', 'No'] } = shape;
  const { slug, traded = true, pays } = ask;
  const id = rowIdOf(seed, 'market', slug);
  const isV2 = shape.version === 'v2';
  const condition = isV2 ? conditionV2Of(seed, 'condition', slug) : conditionOf(seed, 'condition', slug);
  // Both lists are there. The one that the version does not choose has no order book.
  const clobTokenIds = [tokenOf(seed, slug, 0), tokenOf(seed, slug, 1)] as const;
  const positionIds = positionsOf(conditionV2Of(seed, 'condition', slug));
  const tokens = isV2 ? positionIds : clobTokenIds;
  const created = shape.opened - 20_000;
  const fields: WireFields = {
    id,
    question: ask.question,
    conditionId: condition,
    slug,
    resolutionSource: shape.resolution,
    endDate: isoSeconds(shape.end),
    startDate: isoSeconds(shape.opened),
    image: 'https://polymarket-upload.s3.us-east-2.amazonaws.com/simulated.png',
    icon: 'https://polymarket-upload.s3.us-east-2.amazonaws.com/simulated.png',
    description: ask.description ?? shape.description,
    outcomes: JSON.stringify(outcomes),
    active: true,
    marketMakerAddress: '',
    createdAt: new Date(created).toISOString(),
    new: false,
    featured: false,
    archived: false,
    resolvedBy: '0x65070BE91477460D8A7AeEb94ef92fe056C2f2A7',
    restricted: true,
    groupItemTitle: ask.group,
    groupItemThreshold: String(ask.threshold),
    questionID: conditionOf(seed, 'question', slug),
    enableOrderBook: traded,
    orderMinSize: 5,
    endDateIso: isoSeconds(shape.end).slice(0, 10),
    startDateIso: isoSeconds(shape.opened).slice(0, 10),
    hasReviewedDates: true,
    ...(shape.start === undefined ? {} : { gameStartTime: spacedTime(shape.start), secondsDelay: 1 }),
    clobTokenIds: JSON.stringify(clobTokenIds),
    positionIds,
    umaBond: '250',
    umaReward: '0.8',
    makerBaseFee: 1000,
    takerBaseFee: 1000,
    customLiveness: 900,
    negRisk: shape.negRiskId !== null,
    ...(shape.negRiskId === null
      ? {}
      : { negRiskMarketID: shape.negRiskId, negRiskRequestID: conditionOf(seed, 'request', slug) }),
    ready: false,
    funded: false,
    acceptingOrdersTimestamp: isoSeconds(shape.opened),
    cyom: false,
    approved: true,
    rewardsMinSize: 50,
    rewardsMaxSpread: 4.5,
    automaticallyActive: true,
    clearBookOnStart: shape.start !== undefined,
    manualActivation: false,
    negRiskOther: ask.other ?? false,
    ...(shape.sportsType ? { sportsMarketType: shape.sportsType } : {}),
    pendingDeployment: false,
    deploying: false,
    deployingTimestamp: new Date(created).toISOString(),
    rfqEnabled: false,
    holdingRewardsEnabled: false,
    feesEnabled: true,
    requiresTranslation: false,
    feeType: shape.fee.type,
    feeSchedule: { exponent: 1, rate: shape.fee.rate, takerOnly: true, rebateRate: shape.fee.rebate },
    version: shape.version,
  };
  return {
    slug,
    id,
    condition,
    tokens,
    outcomes,
    fields,
    quoting: quotingOnB(keyOf(seed, slug), shape.profile, ask.fair, shape.tick),
    pays: pays === 'split' ? pays : pays ? 0 : 1,
    traded,
  };
}

export type EventShapeB = {
  slug: string;
  version: VersionB;
  title: string;
  description: string;
  resolution: string;
  opened: number;
  end: number;
  negRisk: boolean;
  augmented: boolean;
  series: string;
  tags: readonly (readonly [id: string, label: string, slug: string])[];
  extra?: WireFields;
};

export function eventB(seed: number, shape: EventShapeB, markets: MarketB[]): EventB {
  const id = rowIdOf(seed, 'event', shape.slug);
  const key = keyOf(seed, shape.slug);
  const fields: WireFields = {
    id,
    ticker: shape.slug,
    slug: shape.slug,
    title: shape.title,
    description: shape.description,
    resolutionSource: shape.resolution,
    startDate: isoSeconds(shape.opened),
    creationDate: isoSeconds(shape.opened),
    endDate: isoSeconds(shape.end),
    active: true,
    archived: false,
    new: false,
    featured: false,
    restricted: true,
    liquidity: 20_000 + pick(key, 1, 900_000),
    volume: 3_000 + pick(key, 2, 400_000),
    openInterest: 2_000 + pick(key, 3, 90_000),
    createdAt: new Date(shape.opened - 20_000).toISOString(),
    enableOrderBook: true,
    negRisk: shape.negRisk,
    ...(shape.negRisk ? { negRiskMarketID: negRiskIdOf(seed, shape.slug) } : {}),
    enableNegRisk: shape.negRisk,
    negRiskAugmented: shape.augmented,
    series: [
      {
        id: seriesIdOf(shape.series),
        ticker: shape.series,
        slug: shape.series,
        title: shape.series.toUpperCase().replaceAll('-', ' '),
        seriesType: 'single',
        recurrence: 'daily',
        active: true,
        closed: false,
        archived: false,
      },
    ],
    seriesSlug: shape.series,
    showAllOutcomes: true,
    automaticallyActive: true,
    version: shape.version,
    ...shape.extra,
  };
  const tags = shape.tags.map(([tag, label, slug]) => ({
    id: tag,
    label,
    slug,
    forceShow: false,
    requiresTranslation: false,
  }));
  return { slug: shape.slug, id, fields, tags, markets };
}

/** The id of a series of venue B. */
export const seriesIdOf = (series: string): string => String(10_000 + (keyOf(series) % 9_000));

export function negRiskIdOf(seed: number, slug: string): string {
  return conditionOf(seed, 'negrisk', slug);
}

/** Lower case without accents, dashes for spaces: the form of a slug of venue B. */
export function slugText(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[̀-ͯ]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
