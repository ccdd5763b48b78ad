import { clockTime, easternParts, shortDate, shortDay } from '../../core/eastern.ts';
import type { Fixture } from '../calendar/fixture.ts';
import { type Team, versusOf } from '../leagues/index.ts';
import { NOT_AFFILIATED } from '../listing/listing_a.ts';

/** How both venues name a game in the texts of its lines. */

/** "Carolina vs Atlanta". Titles have the family names of persons, their lines the full names. */
export function matchupA({ league }: Fixture, sides: readonly Team[]): string {
  const [first, second] = sides.map((side) => (league.persons ? side.full : side.city));
  return `${first} ${versusOf(league)} ${second}`;
}

export function subtitleA({ league, scheduled }: Fixture, sides: readonly Team[]): string {
  const [first, second] = sides.map((side) => (league.persons ? side.full : side.code));
  return `${first} ${versusOf(league)} ${second} (${shortDay(scheduled)})`;
}

/** "the Carolina vs Atlanta professional football game originally scheduled for Sep 20, 2026". */
export function gameA(fixture: Fixture, sides: readonly Team[]): string {
  const { league, scheduled } = fixture;
  if (league.rules === 'tennis') return `${matchupA(fixture, sides)} ${league.gamePhrase}`;
  const hour = league.rules === 'baseball' ? ` at ${clockTime(scheduled)} ${easternParts(scheduled).zone}` : '';
  const whole =
    league.rules === 'soccer' ? ' after 90 minutes plus stoppage time (does not include extra time or penalties)' : '';
  return `${matchupA(fixture, sides)} ${league.gamePhrase} originally scheduled for ${shortDate(scheduled)}${hour}${whole}`;
}

/**
 * Most rules of lines do not mention postponement (venues.md C1). Women's basketball and tennis do.
 */
export function secondaryA(fixture: Fixture, sides: readonly Team[]): string {
  const { league } = fixture;
  if (league.rules === 'wnba')
    return `Note: This market includes overtime.\n\nIf this game is postponed or delayed, the market will remain open and close after the rescheduled game has finished (within 2 days). If the cancelled game is not played or is rescheduled further than 2 days out, all markets will resolve to a fair price in accordance with the rules.\n\n${NOT_AFFILIATED}`;
  if (league.rules === 'tennis')
    return `The following market refers to the ${gameA(fixture, sides)}. If no ball is played because of an injury, a walkover or any other cancellation before the match starts, the market will resolve to a fair price in accordance with the rules. If this match is postponed or delayed, the market will remain open and close after the rescheduled match has finished (within two weeks).`;
  return league.rules === 'soccer' ? '' : NOT_AFFILIATED;
}

/** What venue B counts, and how it resolves a game that is late or canceled. */
export function countingRuleB({ league }: Fixture): string {
  const counted: Partial<Record<string, string>> = {
    soccer: 'Only the first 90 minutes of regular play plus stoppage time count.',
    tennis: 'If the match is not completed, this market will resolve 50-50.',
    esports: 'If the match is canceled or delayed beyond 7 days, this market will resolve 50-50.',
  };
  const first = counted[league.rules] ?? 'The final score including overtime counts.';
  return `${first}\nIf the game is postponed, this market will remain open until the game has been completed.\nIf the game is canceled entirely, with no make-up game, this market will resolve 50-50.`;
}
