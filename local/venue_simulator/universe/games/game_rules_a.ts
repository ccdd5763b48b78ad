import type { League } from '../leagues/index.ts';
import { NOT_AFFILIATED } from '../listing/listing_a.ts';

/**
 * Venue A's rules of games. The texts imitate recorded ones and keep the venue's decisive terms.
 */

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
    case 'college':
      return [
        `If ${yes} wins the ${game}, then the market resolves to Yes.`,
        `The following market refers to the team who wins the ${game}. If the game is postponed from its originally scheduled date but begins within 48 hours, the market will remain open and resolve based on the official final result. If the game is not started within 48 hours, the market will resolve to a fair market price.${tail}`,
      ];
    case 'tennis': {
      const match = `${title} ${league.gamePhrase}`;
      return [
        `If ${yes} wins the ${match} after a ball has been played, then the market resolves to Yes.`,
        `The following market refers to the ${match}. If the match does not occur (no ball is played) because of an injury, a walkover, a forfeiture or any other cancellation before it starts, the market will resolve to a fair price in accordance with the rules. If a player retires after the match has started, the player who advances wins. If this match is postponed or delayed, the market will remain open and close after the rescheduled match has finished (within two weeks).`,
      ];
    }
    case 'mma':
      return [
        `If ${yes} wins the ${game}, then the market resolves to Yes.`,
        `The following market refers to the ${game}. If the fight ends in a draw or a no contest, the market will resolve to $0.50 for each fighter. If the fight is cancelled, or rescheduled to over two weeks away, the market will resolve to a fair price in accordance with the rules.`,
      ];
    case 'esports':
      return [
        `If ${yes} wins the ${game}, then the market resolves to Yes.`,
        `The following market refers to the ${game}. If the match is won by forfeit, the market resolves to the team that is declared the winner. If the match is cancelled or rescheduled to over two weeks away, the market will resolve to a fair price in accordance with the rules.`,
      ];
    case 'cricket':
      return [
        `If ${yes} wins the ${game}, then the market resolves to Yes.`,
        `The following market refers to the ${game}. A super over and the DLS method count. If the match ends in a tie or without a result, the market will resolve to a fair price in accordance with the rules. If the match is postponed, the market will remain open and close after the rescheduled match has finished (within two days).`,
      ];
  }
}
