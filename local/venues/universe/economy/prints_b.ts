import { shortDate } from '../../core/eastern.ts';
import { keyOf, pick, unit } from '../../core/random.ts';
import { ECONOMICS_FEE, eventB, marketB, negRiskIdOf } from '../listing_b.ts';
import type { EventB } from '../question.ts';
import { bucketsOf, holds, inPeriod, type Print } from './print.ts';

/** A print as venue B lists it: one neg-risk event of buckets with two tails. */
export function ladderOnB({ seed, indicator, period, moments, centre, value, within }: Print): EventB {
  const words = indicator.b;
  if (!words) throw new Error(`venue B has no ladder of ${indicator.key}`);
  const slug = words.slug(period);
  const negRiskId = negRiskIdOf(seed, slug);
  const description = `This market will resolve according to ${words.describes} for ${inPeriod(indicator, period)}.\n\nThe resolution source will be the first release of the ${indicator.source.name} (${indicator.source.url}), scheduled for ${shortDate(period.release)}; revisions published later will not be considered.`;
  const markets = bucketsOf(indicator, centre).map((bucket, i) => {
    const { question, slug: own, group } = words.market(period, bucket);
    const key = keyOf(seed, own, period.year);
    return marketB(
      seed,
      {
        slug: own,
        question,
        description,
        resolution: indicator.source.url,
        outcomes: ['Yes', 'No'],
        end: Date.parse(`${new Date(period.release).toISOString().slice(0, 10)}T00:00:00Z`),
        opened: moments.listed_b,
        group,
        threshold: i,
        fee: ECONOMICS_FEE,
        tick: 10,
        negRiskId,
      },
      { key, fair: within(bucket), halfSpread: 2 + 4 * unit(key, 21), scale: 150 + pick(key, 23, 2500), pace: 3 },
      holds(indicator, bucket, value) ? 0 : 1,
    );
  });
  return eventB(
    seed,
    {
      slug,
      title: words.title(period),
      description,
      resolution: indicator.source.url,
      opened: moments.listed_b,
      end: period.release,
      negRisk: true,
      augmented: false,
      series: slug.replace(/-\d{4}$/, ''),
      tags: [
        ['100328', 'Economy', 'economy'],
        ['702', 'Inflation', 'inflation'],
      ],
    },
    markets,
  );
}
