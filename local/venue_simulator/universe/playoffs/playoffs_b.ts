import { keyOf, unit } from '../../core/random.ts';
import { listOnB } from '../listing/list_b.ts';
import { type MarketQuestionB, SPORTS_FEE, slugText } from '../listing/listing_b.ts';
import type { EventB } from '../question.ts';
import { type Series, yearOf } from './playoffs_a.ts';

export function seriesOnB(series: Series): EventB {
  const { league, low, high } = series.matchup;
  const zero = unit(keyOf(low.code, high.code, 'zero'), 1) < 0.5 ? 0 : 1;
  const [one, other] = zero === 0 ? [low, high] : [high, low];
  const title = `${league.bName} Playoffs: Who Will Win Series? - ${low.nick} vs. ${high.nick}`;
  return playoffQuestion(series, title, {
    outcomes: [one.nick, other.nick],
    rule: `This market will resolve to the team that wins the ${yearOf(series)} ${league.bName} playoff series between the ${low.full} and the ${high.full}. If the series is canceled or not completed, this market will resolve 50-50.`,
    fair: (t) => series.chances(t)[zero] ?? 0,
    pays: series.winner === zero,
  });
}

/** The number of games of the series. */
export function totalOnB(series: Series): EventB {
  const { league, low, high } = series.matchup;
  return playoffQuestion(series, `${league.bName} Playoffs: ${low.nick} vs. ${high.nick} Total Games O/U 5.5`, {
    outcomes: ['Over 5.5', 'Under 5.5'],
    rule: 'This market will resolve to the number of games that the series takes.',
    fair: () => 0.55,
    pays: unit(keyOf(low.code, high.code, 'length'), 1) < 0.55,
  });
}

type PlayoffQuestion = Pick<MarketQuestionB, 'fair' | 'pays'> & { outcomes: readonly [string, string]; rule: string };

/** An event with one market of the same name. */
function playoffQuestion(
  { seed, matchup, moments }: Series,
  title: string,
  { outcomes, rule, fair, pays }: PlayoffQuestion,
): EventB {
  const { league } = matchup;
  const slug = slugText(title);
  return listOnB(
    {
      seed,
      slug,
      title,
      description: rule,
      resolution: league.resolution,
      outcomes,
      opened: moments.listed_b,
      end: moments.ends,
      negRisk: false,
      series: `${league.prefix}-playoffs`,
      tags: league.tags.filter((tag) => tag[2] !== 'games'),
      fee: SPORTS_FEE,
      tick: 100,
      profile: { spread: [0.5, 1], size: [200, 2000] },
    },
    [{ slug, question: title, group: '', fair, pays }],
  );
}
