import { shortDate } from '../../core/eastern.ts';
import { keyOf } from '../../core/random.ts';
import { type ListingB, listOnB } from '../listing/list_b.ts';
import { ECONOMICS_FEE } from '../listing/listing_b.ts';
import type { EventB } from '../question.ts';
import type { Bucket, Indicator } from './indicators.ts';
import { bucketsOf, holds, inPeriod, type Release } from './release.ts';

/** A print as venue B lists it: one neg-risk event of buckets with two tails. */
export function ladderOnB(print: Release): EventB {
  const { indicator, period, centre } = print;
  const words = wordsOf(indicator);
  const slug = words.slug(period);
  const series = slug.replace(/-\d{4}$/, '');
  return listOnB(
    { ...plainOf(print), slug, title: words.title(period), negRisk: true, series },
    bucketsOf(indicator, centre).map((bucket) => questionText(print, bucket)),
  );
}

/** Two of the ladder's buckets listed once more, each in an event of its own. */
export function singlesOnB(print: Release): EventB[] {
  const { indicator, centre } = print;
  const [, one, , other] = bucketsOf(indicator, centre);
  return [one, other].flatMap((bucket) => {
    if (!bucket) return [];
    const { slug, ...ask } = questionText(print, bucket);
    const own = `${slug}-${100 + (keyOf(slug) % 900)}`;
    const shape = { ...plainOf(print), slug: own, title: ask.question, negRisk: false, series: own };
    return [listOnB(shape, [{ ...ask, slug: own, group: '' }])];
  });
}

function wordsOf({ key, b }: Indicator): NonNullable<Indicator['b']> {
  if (!b) throw new Error(`venue B has no ladder of ${key}`);
  return b;
}

const questionText = (print: Release, bucket: Bucket) => ({
  ...wordsOf(print.indicator).market(print.period, bucket),
  fair: print.within(bucket),
  pays: holds(print.indicator, bucket, print.value),
});

/** What every listing of a print says of it. */
function plainOf({
  seed,
  indicator,
  period,
  moments,
}: Release): Omit<ListingB, 'slug' | 'title' | 'negRisk' | 'series'> {
  const { source } = indicator;
  return {
    seed,
    description: `This market will resolve according to ${wordsOf(indicator).describes} for ${inPeriod(indicator, period)}.\n\nThe resolution source will be the first release of the ${source.name} (${source.url}), scheduled for ${shortDate(period.release)}; revisions published later will not be considered.`,
    resolution: source.url,
    opened: moments.listed_b,
    end: Date.parse(`${new Date(period.release).toISOString().slice(0, 10)}T00:00:00Z`),
    ends: period.release,
    tags: [
      ['100328', 'Economy', 'economy'],
      ['702', 'Inflation', 'inflation'],
    ],
    fee: ECONOMICS_FEE,
    tick: 10,
    profile: { spread: [2, 4], size: [150, 2500], intervalFactor: 3 },
  };
}
