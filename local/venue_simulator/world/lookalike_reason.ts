import { HOUR } from '../core/eastern.ts';
import type { Question } from '../universe/question.ts';

/** Why two questions of one subject are different, as a code. */
export function lookalikeReason(one: Question, other: Question): string {
  if (one.family !== other.family) return `${one.family}_is_not_${other.family}`;
  switch (one.family) {
    case 'moneyline':
      return Math.abs((one.moments.start ?? 0) - (other.moments.start ?? 0)) < 8 * HOUR ? 'doubleheader' : 'rematch';
    case 'outright':
      return 'other_competition_of_the_league';
    case 'total':
    case 'spread':
    case 'team_total':
      return 'other_game';
    case 'advance':
      return 'other_round';
    case 'econ_print':
      return 'other_print';
    case 'fed_decision':
    case 'cb_decision':
      return 'other_meeting';
    default:
      return 'other_day_or_hour';
  }
}
