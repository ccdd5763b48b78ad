import type { League, Team } from './leagues/index.ts';
import { NOT_AFFILIATED } from './listing_a.ts';

/** Rules texts of games, written for the simulator after the recorded ones: the words that decide are the venues' own terms. */

export function gameRulesA(
  league: League,
  title: string,
  yes: string,
  date: string,
  time: string,
): readonly [string, string] {
  const scheduled = `originally scheduled for ${date}${league.rules === 'baseball' ? ` at ${time}` : ''}`;
  const game = `${title} ${league.gamePhrase} ${scheduled}`;
  const tail = `\n\n${NOT_AFFILIATED}`;
  switch (league.rules) {
    case 'nfl':
      return [
        `If ${yes} wins the ${game}, then the market resolves to Yes.`,
        `The following market refers to the team who wins the ${game}. If the game ends in a tie, the market will resolve to $0.50 for each team. If the game is postponed but begins within 48 hours from its originally scheduled start time, the market will remain open and resolve based on the official final result. If the game is not started within 48 hours, the market will resolve to a fair market price.${tail}`,
      ];
    case 'hockey':
      return [
        `If ${yes} wins the ${game}, then the market resolves to Yes.`,
        `The following market refers to the team who wins the ${game}, including overtime and any shootout. If the game ends in a tie, the market will resolve to $0.50 for each team. If the game is postponed but begins within 48 hours from its originally scheduled start time, the market will remain open and resolve based on the official final result. If the game is not started within 48 hours, the market will resolve to a fair market price.${tail}`,
      ];
    case 'baseball':
      return [
        `If ${yes} wins the ${game}, then the market resolves to Yes.`,
        `The following market refers to the ${game}. If this game is postponed or delayed, the market will remain open and close after the rescheduled game has finished (within two days). If the game is cancelled or rescheduled to over two days away, the market will resolve to a fair price in accordance with the rules.${tail}`,
      ];
    case 'wnba':
      return [
        `If ${yes} wins the ${game}, then the market resolves to Yes.`,
        `If this game is postponed or delayed, the market will remain open and close after the rescheduled game has finished (within 2 days). If the cancelled game is not played or is rescheduled further than 2 days out, all markets will resolve to a fair price in accordance with the rules.${tail}`,
      ];
    case 'soccer': {
      const regular = 'after 90 minutes plus stoppage time (does not include extra time or penalties)';
      const primary =
        yes === 'Tie'
          ? `If the ${game} ends in a tie ${regular}, then the market resolves to Yes.`
          : `If ${yes} wins the ${game} ${regular}, then the market resolves to Yes.`;
      return [
        primary,
        `The following market refers to the ${game} ${regular}. If the game ends in a tie, the market called "Tie" resolves to Yes. If the game is cancelled or rescheduled to over 48 hours away, the market will resolve to a fair price in accordance with the rules.${tail}`,
      ];
    }
  }
}

export function gameRulesB(league: League, first: Team, second: Team, when: string, second_game: boolean): string {
  if (league.rules === 'soccer') {
    return [
      `In the upcoming ${league.bName} game, scheduled for ${when}, between ${first.full} and ${second.full}:`,
      'This market refers only to the outcome within the first 90 minutes of regular play plus stoppage time.',
      'If the named result occurs, this market will resolve to "Yes". Otherwise, this market will resolve to "No".',
      'If the game is postponed, this market will remain open until the game has been completed.',
      'If the game is canceled entirely, with no make-up game, this market will resolve to "No".',
    ].join('\n');
  }
  const overtime = league.rules === 'hockey' ? 'The result includes overtime and shootouts.\n' : '';
  const which = second_game ? 'This market refers to the second game of the doubleheader.\n' : '';
  return `In the upcoming ${league.bName} game, scheduled for ${when}:\n${which}If the ${first.nick} win, the market will resolve to "${first.nick}".\nIf the ${second.nick} win, the market will resolve to "${second.nick}".\n${overtime}If the game is postponed, this market will remain open until the game has been completed.\nIf the game is canceled entirely${league.rules === 'nfl' ? ' or ends in a tie' : ''}, with no make-up game, this market will resolve 50-50.`;
}
