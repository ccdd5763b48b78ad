import type { Json, Question, VenueCode } from '../../listing.ts';
import { type Rung, unambiguousRungs } from '../ladder.ts';
import { buildQuestion, type Exclusion, orderLegs, urlOf } from '../question.ts';
import { withPayoff } from '../terms/payoff_terms.ts';
import type { PayoffResult } from '../text/payoff.ts';
import type { Asset, Cadence } from './crypto_assets.ts';
import { cryptoTerms, type ListingTexts } from './crypto_terms.ts';
import { byPrice, type Price } from './threshold.ts';

/**
 * A rung of a ladder of price levels. Several legs may come true, because the price passes one
 * level after the other. `at`: the price is above the level at an instant (`identity.settles_at`).
 * `high`, `low`: the price touches the level from below or above within a period, which is part of
 * the key.
 */
export type PriceRung = {
  level: Price;
  inclusive: boolean;
  label: string;
  market_id: string;
  contract_id: string;
  side: 'yes' | null;
  trading: boolean;
};

export type PriceLadder = {
  venue: VenueCode;
  /**
   * `nativeId` is the event ticker or slug, `part` separates this ladder from others of the event.
   */
  nativeId: string;
  part: string | null;
  series: string | null;
  asset: Asset;
  kind: Cadence;
  /** `at`: the day in New York and the instant. */
  on_date: string | null;
  settles_at: string | null;
  /** `high` and `low`: the key of the period. */
  period: string | null;
  /** Where the values come from that the listing does not write: `year_by`, `hour_by`. */
  evidence: { [key: string]: Json };
  title: string | null;
  texts: ListingTexts;
  close_at: string | null;
  rungs: readonly PriceRung[];
  /** The combined result of all payoff sentences and titles of its contracts. */
  payoff: PayoffResult;
  excluded: Exclusion | null;
};

const WORD = { at: 'above', high: 'high', low: 'low' } as const;

/** "$82,500", "$0.7". */
export function formatDollars(level: Price): string {
  const [whole = '', fraction] = level.split('.');
  return `$${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${fraction === undefined ? '' : `.${fraction}`}`;
}

const keyOf = (kind: Cadence, level: Price): string => `${WORD[kind]}_${level}`;

function toRung(kind: Cadence, { level, inclusive, label, ...contract }: PriceRung): Rung {
  const edge = Number(level);
  const down = kind === 'low';
  const comparison = `${inclusive ? 'at_or_' : ''}${down ? 'below' : 'above'}`;
  return {
    ...contract,
    outcome_key: keyOf(kind, level),
    outcome_name: label,
    detail: { low: down ? null : edge, high: down ? edge : null, comparison, unit: 'USD' },
  };
}

/** Returns the comparison of all rungs. Null when they differ. */
function comparisonOf(kind: Cadence, rungs: readonly PriceRung[]): string | null {
  const comparisons = new Set(rungs.map((rung) => toRung(kind, rung).detail?.comparison));
  const only = comparisons.size === 1 ? [...comparisons][0] : null;
  return typeof only === 'string' ? only : null;
}

function titleOf({ asset, kind, settles_at, period }: PriceLadder): string {
  if (kind === 'at') return `${asset.name} price on ${settles_at?.slice(0, 16).replace('T', ' at ') ?? '?'} UTC`;
  return `How ${kind} ${asset.name} gets in ${period ?? '?'}`;
}

function exclusion(ladder: PriceLadder, legs: number): Exclusion | null {
  if (ladder.payoff === 'contradicts') return 'payoff_contradicted';
  if (ladder.excluded !== null) return ladder.excluded;
  if (ladder.kind === 'at' ? ladder.settles_at === null : ladder.period === null) return 'unreadable_date';
  return legs === 0 ? 'incomplete' : null;
}

export function priceQuestion(ladder: PriceLadder): Question {
  const { venue, nativeId, asset, kind, on_date, settles_at, period } = ladder;
  // A level that was touched and is listed again is another question: whether it is touched once
  // more.
  const { legs, doubled } = unambiguousRungs(
    ladder.rungs.map((rung) => toRung(kind, rung)),
    kind === 'at' ? 'same' : 'other',
  );
  const order = [...ladder.rungs].sort((a, b) => byPrice(a.level, b.level)).map((rung) => keyOf(kind, rung.level));
  const excluded = exclusion(ladder, legs.length);
  const identity: { [key: string]: Json } = {
    asset: asset.id,
    kind,
    settles_at,
    period,
    title: ladder.title,
    ...ladder.evidence,
  };
  if (doubled.length > 0) identity.doubled = doubled;
  return buildQuestion(
    {
      question_id: `${venue}:${nativeId}${ladder.part === null ? '' : `:${ladder.part}`}`,
      family: 'crypto_above',
      key: kind === 'at' ? `crypto_above|${asset.id}` : `crypto_above|${asset.id}|${kind}|${period ?? '?'}`,
      title: titleOf(ladder),
      identity,
    },
    {
      on_date: kind === 'at' ? on_date : null,
      category: asset.category,
      asset: asset.name,
      // A touch within the period is not a price at or above a level at an instant.
      basis: kind === 'at' ? null : 'touch',
      close_at: ladder.close_at,
      url: urlOf(venue, nativeId, ladder.series),
      exclusive: false,
      excluded,
    },
    withPayoff(
      cryptoTerms(ladder.texts, {
        asset: asset.id,
        on_date: kind === 'at' ? on_date : null,
        settles_at,
        direction: kind === 'low' ? 'below' : 'above',
        comparison: comparisonOf(kind, ladder.rungs),
      }),
      ladder.payoff,
    ),
    excluded === null ? orderLegs(legs, order) : [],
  );
}
