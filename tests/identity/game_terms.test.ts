import { describe, expect, it } from 'vitest';
import { isOtherGame } from '../../functions/ingest/identity/game/game_terms.ts';
import { COMPETITIONS, type League } from '../../functions/ingest/identity/names/registry.ts';

/** Guarantee: the text of another game is known as one, so that a pair whose text is not its own is never published. */

const league = (id: string) => COMPETITIONS.get(id) as League;
const nba = ['nba/milwaukee-bucks', 'nba/new-york-knicks'];

describe('a text', () => {
  it.each([
    ['nba', nba, 'If Milwaukee wins the Milwaukee vs New York game, then the market resolves to Yes.'],
    ['nba', nba, 'If the Bucks win, this market will resolve to "Bucks".'],
    ['nba', nba, 'This market resolves to the winner of the game.'],
    // One stranger is no other game: an arena, a sponsor, a city on the way.
    ['nba', nba, 'The game is played in Boston. The market resolves to the winner.'],
    [
      'atp',
      ['atp/opelka', 'atp/quinn'],
      'If Reilly Opelka wins the Opelka vs Quinn match, the market resolves to Yes.',
    ],
    // Keys of persons are spelled alike whatever the alphabet, and of two of one family they are whole names.
    [
      'atp',
      ['atp/etcheverri', 'atp/tiafo'],
      'If Frances Tiafoe wins the Etcheverry vs Tiafoe match, it resolves to Yes.',
    ],
    ['ufc', ['mma/gathje', 'mma/chimav'], 'If Justin Gaethje wins the Gaethje vs Chimaev fight, it resolves to Yes.'],
    ['atp', ['atp/carlos-alcaraz', 'atp/jaime-alcaraz'], 'If Jaime Alcaraz wins the match, it resolves to Yes.'],
    ['cs2', ['cs2/as:some-new-team', 'cs2/heroic'], 'If Some New Team wins the match, this market resolves to it.'],
  ])('of this game, or of any, is believed (%s)', (id, teams, text) => {
    expect(isOtherGame(league(id), teams, text)).toBe(false);
  });

  it.each([
    ['nba', nba, 'If Chicago wins the Chicago vs Boston game, then the market resolves to Yes.'],
    ['atp', ['atp/opelka', 'atp/quinn'], 'If Casper Ruud wins the Ruud vs Svajda match, the market resolves to Yes.'],
    [
      'cs2',
      ['cs2/as:some-new-team', 'cs2/heroic'],
      'If Vitality wins the Vitality vs. Natus Vincere match, it resolves to Yes.',
    ],
  ])('of another game is not (%s)', (id, teams, text) => {
    expect(isOtherGame(league(id), teams, text)).toBe(true);
  });
});
