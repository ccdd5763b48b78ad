import { shortDate } from '../../core/eastern.ts';
import { listOnB } from '../listing/list_b.ts';
import { ECONOMICS_FEE } from '../listing/listing_b.ts';
import type { EventB } from '../question.ts';
import { bucketsOf, holds, inPeriod, type Print } from './print.ts';

/** A print as venue B lists it: one neg-risk event of buckets with two tails. */
export function ladderOnB({ seed, indicator, period, moments, centre, value, within }: Print): EventB {
  const words = indicator.b;
  if (!words) throw new Error(`venue B has no ladder of ${indicator.key}`);
  const slug = words.slug(period);
  return listOnB(
    {
      seed,
      slug,
      title: words.title(period),
      description: `This market will resolve according to ${words.describes} for ${inPeriod(indicator, period)}.\n\nThe resolution source will be the first release of the ${indicator.source.name} (${indicator.source.url}), scheduled for ${shortDate(period.release)}; revisions published later will not be considered.`,
      resolution: indicator.source.url,
      opened: moments.listed_b,
      end: Date.parse(`${new Date(period.release).toISOString().slice(0, 10)}T00:00:00Z`),
      ends: period.release,
      negRisk: true,
      series: slug.replace(/-\d{4}$/, ''),
      tags: [
        ['100328', 'Economy', 'economy'],
        ['702', 'Inflation', 'inflation'],
      ],
      fee: ECONOMICS_FEE,
      tick: 10,
      habits: { spread: [2, 4], size: [150, 2500], pace: 3 },
    },
    bucketsOf(indicator, centre).map((bucket) => ({
      ...words.market(period, bucket),
      fair: within(bucket),
      pays: holds(indicator, bucket, value),
    })),
  );
}
