import { keyOf, pick, shuffled, unit } from '../../core/random.ts';
import { listOnB } from '../listing/list_b.ts';
import { type MarketQuestionB, SPORTS_FEE, slugText } from '../listing/listing_b.ts';
import type { EventB } from '../question.ts';
import type { Future } from './futures.ts';
import { forPlayers, isMissing, type Race } from './outrights_a.ts';

export function raceOnB(race: Race): EventB {
  const { seed, future, fillYears, moments } = race;
  const slug = slugText(fillYears(future.b.slug));
  const prize = fillYears(future.b.prize);
  const who = forPlayers(future) ? 'player' : 'team';
  const questions = [...runnersOf(race, slug, prize), ...(future.augmented ? placeholdersOf(who, prize) : [])];
  return listOnB(
    {
      seed,
      slug,
      title: fillYears(future.b.title),
      description: `This market will resolve to "Yes" if the named ${who} wins the ${prize}. Otherwise, this market will resolve to "No".\n\nIf at any point it becomes impossible for the listed ${who} to win, this market will resolve immediately to "No". If no winner is declared by the end of the following season, this market will resolve to "Other".\n\nThe primary resolution source is official information from the league (${future.site}); a consensus of credible reporting may also be used.`,
      resolution: '',
      opened: moments.listed_b,
      end: moments.ends,
      negRisk: true,
      augmented: future.augmented,
      series: future.league,
      tags: [['1', 'Sports', 'sports'], ...future.tags],
      fee: SPORTS_FEE,
      tick: 10,
      profile: { spread: [1, 4], size: [300, 5000] },
    },
    shuffled(keyOf(keyOf(seed, slug), 'order'), questions),
  );
}

/** Whether venue B writes the names without an article, as for soccer clubs and players. */
const hasNoArticle = (future: Future): boolean =>
  forPlayers(future) || ['epl', 'lal', 'sea', 'bun', 'mls'].includes(future.league);

function runnersOf({ seed, future, chances, winner }: Race, slug: string, prize: string): MarketQuestionB[] {
  const the = hasNoArticle(future) ? '' : 'the ';
  return future.runners.flatMap(({ code, full }, i): MarketQuestionB[] => {
    const key = keyOf(seed, slug, code);
    if (isMissing(future.runners.length, key, 6)) return [];
    const noise = unit(key, 7) < 0.15 ? `-${100 + pick(key, 8, 900)}` : '';
    return [
      {
        slug: `${slugText(`will ${the}${full} win the ${prize}`)}${noise}`,
        question: `Will ${the}${full} win the ${prize}?`,
        group: full,
        threshold: i,
        fair: (t) => chances(t)[i] ?? 0,
        pays: i === winner,
      },
    ];
  });
}

/** The placeholders of an augmented event, which name no team or player yet. */
function placeholdersOf(who: 'player' | 'team', prize: string): MarketQuestionB[] {
  const placeholder = (name: string, threshold: number, other: boolean): MarketQuestionB => ({
    slug: `will-${slugText(name)}-win-the-${slugText(prize)}`,
    question: `Will ${name} win the ${prize}?`,
    group: name,
    threshold,
    fair: () => 0.004,
    pays: false,
    traded: other,
    other,
  });
  return [placeholder(who === 'player' ? 'Player A' : 'Team A', 90, false), placeholder('Other', 91, true)];
}
