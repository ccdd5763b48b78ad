import { shortDate } from '../../core/eastern.ts';
import { keyOf } from '../../core/random.ts';
import { type ListingB, listOnB } from '../listing/list_b.ts';
import { ECONOMICS_FEE } from '../listing/listing_b.ts';
import type { EventB } from '../question.ts';
import type { Bucket, Indicator } from './indicators.ts';
import { bucketsOf, contains, inPeriod, type Release } from './release.ts';

/** A release on venue B: one neg-risk event of buckets with two tails. */
export function ladderOnB(release: Release): EventB {
  const { indicator, period, centre } = release;
  const texts = textsOf(indicator);
  const slug = texts.slug(period);
  const series = slug.replace(/-\d{4}$/, '');
  return listOnB(
    { ...sharedFieldsOf(release), slug, title: texts.title(period), negRisk: true, series },
    bucketsOf(indicator, centre).map((bucket) => questionText(release, bucket)),
  );
}

/** Two buckets of the ladder, each listed a second time in its own event. */
export function singlesOnB(release: Release): EventB[] {
  const { indicator, centre } = release;
  const [, one, , other] = bucketsOf(indicator, centre);
  return [one, other].flatMap((bucket) => {
    if (!bucket) return [];
    const { slug, ...question } = questionText(release, bucket);
    const own = `${slug}-${100 + (keyOf(slug) % 900)}`;
    const shape = { ...sharedFieldsOf(release), slug: own, title: question.question, negRisk: false, series: own };
    return [listOnB(shape, [{ ...question, slug: own, group: '' }])];
  });
}

function textsOf({ key, b }: Indicator): NonNullable<Indicator['b']> {
  if (!b) throw new Error(`venue B has no ladder of ${key}`);
  return b;
}

const questionText = (release: Release, bucket: Bucket) => ({
  ...textsOf(release.indicator).market(release.period, bucket),
  fair: release.within(bucket),
  pays: contains(release.indicator, bucket, release.value),
});

/** The fields that all listings of a release share. */
function sharedFieldsOf({
  seed,
  indicator,
  period,
  moments,
}: Release): Omit<ListingB, 'slug' | 'title' | 'negRisk' | 'series'> {
  const { source } = indicator;
  return {
    seed,
    description: `This market will resolve according to ${textsOf(indicator).description} for ${inPeriod(indicator, period)}.\n\nThe resolution source will be the first release of the ${source.name} (${source.url}), scheduled for ${shortDate(period.release)}; revisions published later will not be considered.`,
    resolution: source.url,
    opened: moments.listed_b,
    end: Date.parse(`${new Date(period.release).toISOString().slice(0, 10)}T00:00:00Z`),
    eventEnd: period.release,
    tags: [
      ['100328', 'Economy', 'economy'],
      ['702', 'Inflation', 'inflation'],
    ],
    fee: ECONOMICS_FEE,
    tick: 10,
    profile: { spread: [2, 4], size: [150, 2500], intervalFactor: 3 },
  };
}
