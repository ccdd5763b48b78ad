import { DAY, HOUR, MINUTE } from '../../core/eastern.ts';
import { bell, keyOf, wave } from '../../core/random.ts';
import { normalBelow } from '../chances.ts';
import { labelOf } from '../listing/listing_a.ts';
import { longSchedule } from '../listing/long_schedule.ts';
import type { EventA, EventB, Leg, Lookalike, Question, UnpairedLeg } from '../question.ts';
import { type Bucket, INDICATORS, type Indicator, type Period, releaseOf } from './indicators.ts';
import { bucketsOf, type Release } from './release.ts';
import { aboveOnA, exactOnA } from './releases_a.ts';
import { ladderOnB, singlesOnB } from './releases_b.ts';

/** Series of venue A for economic releases. */
export const RELEASE_SERIES = INDICATORS.flatMap(({ exact, above, source, key }) =>
  [exact?.series, above?.series].flatMap((series) =>
    series ? [{ ticker: series, title: `Economic print ${key}`, source }] : [],
  ),
);

/** The next release of each indicator on both venues, and the following one on venue A only. */
export function releaseQuestions(seed: number, base: number): { questions: Question[]; lookalikes: Lookalike[] } {
  const questions: Question[] = [];
  const lookalikes: Lookalike[] = [];
  for (const indicator of INDICATORS) {
    const next = releaseFor(seed, base, indicator, releaseOf(indicator, base, 0));
    questions.push(...next.questions);
    lookalikes.push(...next.lookalikes);
    const later = releaseFor(seed, base, { ...indicator, b: null, above: null }, releaseOf(indicator, base, 1));
    questions.push(...later.questions);
  }
  return { questions, lookalikes };
}

function releaseFor(
  seed: number,
  base: number,
  indicator: Indicator,
  period: Period,
): { questions: Question[]; lookalikes: Lookalike[] } {
  const { release: releasedAt } = period;
  const moments = longSchedule({
    listed_a: base - 25 * DAY,
    listed_b: base - 20 * DAY,
    stopped_a: releasedAt - 5 * MINUTE,
    stopped_b: releasedAt + 10 * MINUTE,
    ends: releasedAt,
  });
  const key = keyOf(seed, indicator.key, period.year, period.month);
  const { mean, deviation, precision, step } = indicator;
  const round = (value: number) => Math.round(Math.round(value / precision) * precision * 10) / 10;
  const expected = mean + deviation * bell(key, 1);
  const value = round(expected + deviation * bell(key, 2));
  const half = indicator.unit === 'k' ? 0 : precision / 2;
  const within =
    ({ low, high }: Bucket) =>
    (t: number) => {
      const now = expected + 0.15 * deviation * wave(key, t, 9 * HOUR);
      const below = (edge: number) => normalBelow((edge - now) / deviation);
      return (high === null ? 1 : below(high + half)) - (low === null ? 0 : below(low - half));
    };
  const centre = Math.round(Math.round(expected / step) * step * 10) / 10;
  const release: Release = { seed, indicator, period, moments, value, centre, within };
  const exact = indicator.exact ? exactOnA(release) : null;
  const above = indicator.above ? aboveOnA(release) : null;
  const b = indicator.b ? ladderOnB(release) : null;
  // All questions about prices have one subject, and all about labour another one: they are
  // lookalikes.
  const subject = `print:${indicator.key.startsWith('c') ? 'prices' : indicator.key}`;
  const plain = { family: 'econ_print', moments, subject };
  const questions: Question[] = [];
  const lookalikes: Lookalike[] = [];
  if (exact) questions.push({ ...plain, key: exact.ticker, a: exact, b, ...exactLegs(exact, b) });
  if (above) {
    const unpairedLegs = !exact && b ? derivableBuckets(release, above, b) : [];
    questions.push({ ...plain, key: above.ticker, a: above, b: exact ? null : b, legs: [], unpairedLegs });
    if (exact && b)
      lookalikes.push({ venue_a: above.ticker, venue_b: b.slug, why: 'thresholds_of_the_same_print', candidate: true });
  }
  if (exact && b && indicator.key === 'u3') {
    for (const single of singlesOnB(release)) {
      questions.push({ ...plain, family: 'single_bucket', key: single.slug, a: null, b: single, legs: [] });
    }
  }
  return { questions, lookalikes };
}

function exactLegs(exact: EventA, b: EventB | null): { legs: Leg[]; unpairedLegs: UnpairedLeg[] } {
  const legs: Leg[] = [];
  const unpairedLegs: UnpairedLeg[] = [];
  for (const market of b?.markets ?? []) {
    const name = String(market.fields.groupItemTitle);
    const contract = exact.contracts.find((one) => labelOf(one) === name);
    if (contract) legs.push({ name, ticker: contract.ticker, side: 'yes', token_id: market.tokens[0] });
    else unpairedLegs.push({ name, token_id: market.tokens[0], relation: 'UNCOVERED', span: [] });
  }
  return { legs, unpairedLegs };
}

/**
 * A bucket is bounded if venue A has a threshold at each edge: "3.0%" is above 2.9 and not above
 * 3.0. A range that includes its lower edge needs the threshold one step lower, because venue A
 * lists "above".
 */
function derivableBuckets({ indicator, centre }: Release, above: EventA, b: EventB): UnpairedLeg[] {
  const floors = new Set(above.contracts.map((one) => Number(one.fields.floor_strike)));
  const { precision, points, unit } = indicator;
  const at = (value: number) => floors.has(unit === 'k' ? value * 1000 : Math.round(value * 10) / 10);
  return bucketsOf(indicator, centre).flatMap(({ low, high }, i): UnpairedLeg[] => {
    const market = b.markets[i];
    const bound = (low === null || at(low - precision)) && (high === null || at(points ? high : high - precision));
    const relation = bound ? 'DERIVED' : 'UNCOVERED';
    return market
      ? [{ name: String(market.fields.groupItemTitle), token_id: market.tokens[0], relation, span: [] }]
      : [];
  });
}
