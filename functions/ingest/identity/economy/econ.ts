import type { Json, Leg, Question, VenueCode } from '../../listing.ts';
import { buildQuestion, type Exclusion } from '../question.ts';
import { withPayoff } from '../terms/payoff_terms.ts';
import type { PayoffResult } from '../text/payoff.ts';
import { uniqueByKey } from '../text/unique_by_key.ts';
import { type Band, keyOfBand, nameOfBand, orderOfBand } from './econ_band.ts';
import { coversAll } from './econ_coverage.ts';
import { BASES, COUNTRIES, type Indicator, nameOf } from './econ_registry.ts';

/** One contract of a print: the figures for which it pays. */
export type BandLeg = { band: Band; market_id: string; contract_id: string; side: 'yes' | null; over: boolean };

/** Which figure is asked about. */
export type Print = {
  country: string;
  indicator: Indicator;
  basis: string;
  /** YYYY-MM, YYYY-Qn, or YYYY-MM-DD for the week that ends on that day; null where the listing does not say. */
  period: string | null;
  /** By which part of the listing the period is known. */
  period_by: string | null;
  /** `first`, or one of several releases of the same period ("2026-06-05"). */
  print: string;
};

/**
 * One print of an economic indicator. `identity.kind` is how the legs speak: `exact` (a contract a figure), `above` (cumulative
 * thresholds), `buckets`. `identity.whole`: one of its contracts comes true whatever is printed. `identity.grid` is the step of the printed figure in the legs' unit.
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
    /** Contracts of the listing whose figures cannot be read. */
    unread: number;
    /** What the payoff sentences and titles of its contracts come to. */
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

/** One contract for each band, from the lowest figures to the highest. */
function oneLegPerBand(listed: readonly BandLeg[]): BandLeg[] {
  return uniqueByKey(listed, (leg) => keyOfBand(leg.band)).sort(
    (a, b) => orderOfBand(a.band) - orderOfBand(b.band) || (keyOfBand(a.band) < keyOfBand(b.band) ? -1 : 1),
  );
}

/** `detail.high_included` of a bucket is false where the text gives a figure between two buckets to the higher one; null where it is silent. */
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
