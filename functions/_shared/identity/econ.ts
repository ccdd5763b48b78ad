import type { Json, Question, VenueCode } from '../listing.ts';
import { type Band, keyOfBand, nameOfBand, placeOfBand } from './econ_band.ts';
import { BASES, COUNTRIES, type Indicator, nameOf } from './econ_registry.ts';
import { type Exclusion, question, type UnorderedLeg } from './question.ts';

/** One contract of a print: the figures for which it pays. */
export type BandLeg = { band: Band; market_id: string; contract_id: string; side: 'yes' | null };

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
 * thresholds), `buckets`. `identity.grid` is the step of the printed figure in the legs' unit.
 */
export function econPrint(
  venue: VenueCode,
  native: string,
  print: Print,
  kind: 'exact' | 'above' | 'buckets',
  listed: readonly BandLeg[],
  facts: {
    close_at: string | null;
    url: string | null;
    title: string | null;
    /** Contracts of the listing whose figures cannot be read. */
    unread: number;
    excluded: Exclusion | null;
    terms: { [term: string]: Json };
  },
): Question {
  const { country, indicator, basis, period } = print;
  const legs = ladder(listed, indicator.unit);
  const parts = [
    country,
    indicator.id,
    basis,
    period ?? `?${native}`,
    ...(print.print === 'first' ? [] : [print.print]),
  ];
  return question(
    {
      question_id: `${venue}:${native}`,
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
      excluded: facts.excluded ?? (period === null ? 'unreadable_date' : legs.length === 0 ? 'incomplete' : null),
    },
    facts.terms,
    legs.map((leg, ordinal) => ({ ...leg, ordinal })),
  );
}

/** The legs from the lowest figures to the highest. Two contracts for the same figures are both left out: which one counts is not known. */
function ladder(listed: readonly BandLeg[], unit: string): UnorderedLeg[] {
  const count = new Map<string, number>();
  for (const { band } of listed) count.set(keyOfBand(band), (count.get(keyOfBand(band)) ?? 0) + 1);
  return listed
    .filter(({ band }) => count.get(keyOfBand(band)) === 1)
    .sort((a, b) => placeOfBand(a.band) - placeOfBand(b.band) || (keyOfBand(a.band) < keyOfBand(b.band) ? -1 : 1))
    .map(({ band, ...leg }) => ({
      ...leg,
      outcome_key: keyOfBand(band),
      outcome_name: nameOfBand(band, unit),
      detail: { ...band, unit },
    }));
}
