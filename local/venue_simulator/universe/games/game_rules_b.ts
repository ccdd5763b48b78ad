import type { Fixture } from '../calendar/fixture.ts';
import type { Team } from '../leagues/index.ts';

/**
 * Venue B's descriptions of games. The texts imitate recorded ones and keep the venue's decisive
 * terms.
 */
export function gameRulesB(fixture: Fixture, first: Team, second: Team, when: string): string {
  const { league, defect } = fixture;
  if (defect === 'no_rules') return '';
  switch (league.rules) {
    case 'soccer':
      return [
        `In the upcoming ${league.bName} game, scheduled for ${when}, between ${first.full} and ${second.full}:`,
        'This market refers only to the outcome within the first 90 minutes of regular play plus stoppage time.',
        'If the named result occurs, this market will resolve to "Yes". Otherwise, this market will resolve to "No".',
        'If the game is postponed, this market will remain open until the game has been completed.',
        'If the game is canceled entirely, with no make-up game, this market will resolve to "No".',
      ].join('\n');
    case 'tennis':
      return [
        `This market refers to the ${league.bName} match between ${first.full} and ${second.full}, originally scheduled for ${when}.`,
        `If ${first.full} wins, this market will resolve to "${first.nick}". If ${second.full} wins, this market will resolve to "${second.nick}".`,
        'If the match begins and a player retires or is disqualified, this market will resolve to the player who advances.',
        'If there is a walkover, or if the match is not completed within 7 days of its scheduled date, this market will resolve 50-50.',
      ].join('\n\n');
    case 'mma':
      return [
        `This market refers to the UFC bout between ${first.full} and ${second.full}, scheduled for ${when}.`,
        `If ${first.full} is declared the winner, this market will resolve to "${first.nick}". If ${second.full} is declared the winner, this market will resolve to "${second.nick}".`,
        'If the fight is a draw, a no contest, or is not held within 14 days, this market will resolve 50-50.',
      ].join('\n\n');
    case 'esports':
      return [
        `This market refers to the ${league.bName} match between ${first.full} and ${second.full}, initially scheduled for ${when}.`,
        `This market will resolve to "${first.nick}" if ${first.full} win the match, and to "${second.nick}" if ${second.full} win it.`,
        'If the match is canceled (not played at all), ends in a tie, or is delayed beyond 7 days without a winner, this market will resolve 50-50.',
        'If the match begins and one team wins by the forfeit or disqualification of the other, this market will resolve to the team that wins.',
      ].join('\n\n');
    case 'cricket':
      return [
        `This market refers to the ${league.bName} match between ${first.full} and ${second.full}, scheduled for ${when}.`,
        `If ${first.full} win, this market will resolve to "${first.nick}". If ${second.full} win, this market will resolve to "${second.nick}".`,
        'A super over and the DLS method count. If the match is a tie, has no result, or is canceled, this market will resolve 50-50.',
      ].join('\n\n');
    default:
      return teamGame(fixture, first, second, when);
  }
}

function teamGame(
  { league, second: doubleheader, lookalike }: Fixture,
  first: Team,
  second: Team,
  when: string,
): string {
  const overtime = league.rules === 'hockey' ? 'The result includes overtime and shootouts.\n' : '';
  const which = doubleheader ? 'This market refers to the second game of the doubleheader.\n' : '';
  const regular = lookalike === 'preseason' ? ' regular season' : '';
  return `In the upcoming ${league.bName}${regular} game, scheduled for ${when}:\n${which}If the ${first.nick} win, the market will resolve to "${first.nick}".\nIf the ${second.nick} win, the market will resolve to "${second.nick}".\n${overtime}If the game is postponed, this market will remain open until the game has been completed.\nIf the game is canceled entirely${league.rules === 'nfl' ? ' or ends in a tie' : ''}, with no make-up game, this market will resolve 50-50.`;
}
