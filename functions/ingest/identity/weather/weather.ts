import type { Json, Question, VenueCode } from '../../listing.ts';
import { type Rung, unambiguousRungs } from '../ladder.ts';
import { buildQuestion, type Exclusion, orderLegs, urlOf } from '../question.ts';
import { withPayoff } from '../terms/payoff_terms.ts';
import type { PayoffResult } from '../text/payoff.ts';
import { type Band, bandKey, byDegrees, coverEveryDegree, type Unit } from './band.ts';
import type { City } from './weather_places.ts';
import { type Extreme, type ListingTexts, weatherTerms } from './weather_terms.ts';

/**
 * The highest or lowest temperature of a city on one day, divided into bands. It is the same
 * question on both venues, even where they measure at different stations.
 */
export type Ladder = {
  venue: VenueCode;
  nativeId: string;
  series: string | null;
  city: City;
  extreme: Extreme;
  on_date: string | null;
  title: string | null;
  close_at: string | null;
  texts: ListingTexts;
  rungs: readonly BandRung[];
  /** The combined result of all payoff sentences and titles of its contracts. */
  payoff: PayoffResult;
  excluded: Exclusion | null;
};

export type BandRung = {
  band: Band;
  label: string;
  market_id: string;
  contract_id: string;
  side: 'yes' | null;
  trading: boolean;
};

const toRung = ({ band, label, ...contract }: BandRung): Rung => ({
  ...contract,
  outcome_key: bandKey(band),
  outcome_name: label,
  detail: { low: band.low, high: band.high, comparison: 'within', unit: band.unit },
});

/** Returns the unit of the ladder. Null when it mixes Fahrenheit and Celsius. */
function unitOf(ladder: Ladder): Unit | null {
  const units = new Set(ladder.rungs.map((rung) => rung.band.unit));
  return units.size > 1 ? null : ([...units][0] ?? ladder.city.unit);
}

function exclusion(ladder: Ladder, unit: Unit | null, legs: number): Exclusion | null {
  if (ladder.payoff === 'contradicts') return 'payoff_contradicted';
  if (ladder.excluded !== null) return ladder.excluded;
  if (ladder.on_date === null) return 'unreadable_date';
  if (unit === null) return 'contradictory';
  return legs === 0 ? 'incomplete' : null;
}

export function weatherQuestion(ladder: Ladder): Question {
  const { venue, nativeId, city, extreme, on_date } = ladder;
  const family = extreme === 'high' ? 'weather_high' : 'weather_low';
  const unit = unitOf(ladder);
  const { legs, doubled } = unambiguousRungs(ladder.rungs.map(toRung));
  const order = [...ladder.rungs].sort((a, b) => byDegrees(a.band, b.band)).map((rung) => bandKey(rung.band));
  const { terms, basis } = weatherTerms(ladder.texts, { venue, city, extreme, on_date, unit: unit ?? city.unit });
  const excluded = exclusion(ladder, unit, legs.length);
  const whole = doubled.length === 0 && coverEveryDegree(ladder.rungs.map((rung) => rung.band));
  const identity: { [key: string]: Json } = { city: city.id, extreme, unit, whole, title: ladder.title };
  if (doubled.length > 0) identity.doubled = doubled;
  return buildQuestion(
    {
      question_id: `${venue}:${nativeId}`,
      family,
      key: `${family}|${city.id}`,
      title: `${extreme === 'high' ? 'Highest' : 'Lowest'} temperature in ${city.name} on ${on_date ?? '?'}`,
      identity,
    },
    {
      on_date,
      category: 'weather',
      location: city.name,
      basis,
      close_at: ladder.close_at,
      url: urlOf(venue, nativeId, ladder.series),
      excluded,
    },
    withPayoff(terms, ladder.payoff),
    excluded === null ? orderLegs(legs, order) : [],
  );
}
