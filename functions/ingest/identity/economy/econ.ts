import type { Json, Leg, Question, VenueCode } from '../../listing.ts';
import { buildQuestion, type Exclusion } from '../question.ts';
import { withPayoff } from '../terms/payoff_terms.ts';
import type { PayoffResult } from '../text/payoff.ts';
import { uniqueByKey } from '../text/unique_by_key.ts';
import { type Band, keyOfBand, nameOfBand, orderOfBand } from './econ_band.ts';
import { coversAll } from './econ_coverage.ts';
import { BASES, COUNTRIES, type Indicator, nameOf } from './econ_registry.ts';

/**
 * One contract of a print, with the figures for which it pays. A print is one published figure of
 * an indicator.
 */
export type BandLeg = { band: Band; market_id: string; contract_id: string; side: 'yes' | null; over: boolean };

/** The figure that a listing asks about. */
export type Print = {
  country: string;
  indicator: Indicator;
  basis: string;
  /**
   * YYYY-MM, YYYY-Qn, or YYYY-MM-DD for the week that ends on that day. Null when the listing names
   * no period.
   */
  period: string | null;
  /** The part of the listing that the period comes from. */
  period_by: string | null;
  /** `first`, or the release day ("2026-06-05") where a period has several releases. */
  print: string;
};

/**
 * Builds the question of one print. `identity.kind` is the form of the legs: `exact` (one figure
 * per contract), `above` (cumulative thresholds) or `buckets`. `identity.whole` is true when one of
 * the contracts pays for every possible figure. `identity.grid` is the step of the published figure
 * in the unit of the legs.
 */
export function econPrint(
  venue: VenueCode,
  nativeId: string,
  print: Print,
  kind: 'exact' | 'above' | 'buckets',
  listed: readonly BandLeg[],
  facts: {
    close_at: string | null;
    url: string | null;
    title: string | null;
    /** Number of contracts whose figures could not be parsed. */
    unread: number;
    /** The combined result of all payoff sentences and titles of its contracts. */
    payoff: PayoffResult;
    excluded: Exclusion | null;
    terms: { [term: string]: Json };
  },
): Question {
  const { country, indicator, basis, period } = print;
  const legs = oneLegPerBand(listed);
  const parts = [
    country,
    indicator.id,
    basis,
    period ?? `?${nativeId}`,
    ...(print.print === 'first' ? [] : [print.print]),
  ];
  return buildQuestion(
    {
      question_id: `${venue}:${nativeId}`,
      family: 'econ_print',
      key: ['econ_print', ...parts].join('|'),
      title: `${nameOf(COUNTRIES, country)} ${indicator.name} (${nameOf(BASES, basis)}), ${period ?? '?'}`,
      identity: {
        country,
        indicator: indicator.id,
        core: indicator.id.startsWith('core_'),
        basis,
        period,
        year_by: print.period_by,
        occasion: period,
        print: print.print,
        kind,
        grid: indicator.grid,
        unit: indicator.unit,
        title: facts.title,
        whole: coversAll(
          legs.map((leg) => leg.band),
          indicator.grid,
        ),
        unread: facts.unread,
      },
    },
    {
      category: 'economics',
      indicator: indicator.name,
      basis: nameOf(BASES, basis),
      close_at: facts.close_at,
      url: facts.url,
      exclusive: kind !== 'above',
      excluded:
        (facts.payoff === 'contradicts' ? 'payoff_contradicted' : facts.excluded) ??
        (period === null ? 'unreadable_date' : legs.length === 0 ? 'incomplete' : null),
    },
    withPayoff(facts.terms, facts.payoff),
    legs.map((leg, ordinal) => legOf(leg, ordinal, indicator.unit, facts.terms.boundary)),
  );
}

/** Keeps one contract for each band, from the lowest figures to the highest. */
function oneLegPerBand(listed: readonly BandLeg[]): BandLeg[] {
  return uniqueByKey(listed, (leg) => keyOfBand(leg.band)).sort(
    (a, b) => orderOfBand(a.band) - orderOfBand(b.band) || (keyOfBand(a.band) < keyOfBand(b.band) ? -1 : 1),
  );
}

/**
 * `detail.high_included` of a bucket is false when the text gives a figure between two buckets to
 * the higher one, and null when the text does not state it.
 */
function legOf({ band, over: _, ...leg }: BandLeg, ordinal: number, unit: string, boundary: Json | undefined): Leg {
  const edge: { [part: string]: Json } =
    band.comparison === 'within' ? { high_included: boundary === 'higher' ? false : null } : {};
  return {
    ...leg,
    ordinal,
    outcome_key: keyOfBand(band),
    outcome_name: nameOfBand(band, unit),
    detail: { ...band, ...edge, unit },
  };
}
