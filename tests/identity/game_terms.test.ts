import { describe, expect, it } from 'vitest';
import { isOtherGame } from '../../functions/ingest/identity/game/game_terms.ts';
import { COMPETITIONS, type League } from '../../functions/ingest/identity/names/registry.ts';

/**
 * Guarantee: the text of another game is detected, so that a pair with a wrong text is never
 * published.
 */

const league = (id: string) => COMPETITIONS.get(id) as League;
const nba = ['nba/milwaukee-bucks', 'nba/new-york-knicks'];

describe('isOtherGame', () => {
  it.each([
    ['nba', nba, 'If Milwaukee wins the Milwaukee vs New York game, then the market resolves to Yes.'],
    ['nba', nba, 'If the Bucks win, this market will resolve to "Bucks".'],
    ['nba', nba, 'This market resolves to the winner of the game.'],
    // One other team does not make it another game: it may be an arena, a sponsor or a city.
    ['nba', nba, 'The game is played in Boston. The market resolves to the winner.'],
    [
      'atp',
      ['atp/opelka', 'atp/quinn'],
      'If Reilly Opelka wins the Opelka vs Quinn match, the market resolves to Yes.',
    ],
    // Keys of persons have a unified spelling. For two persons with one family name they are full
    // names.
    [
      'atp',
      ['atp/etcheverri', 'atp/tiafo'],
      'If Frances Tiafoe wins the Etcheverry vs Tiafoe match, it resolves to Yes.',
    ],
    ['ufc', ['mma/gathje', 'mma/chimav'], 'If Justin Gaethje wins the Gaethje vs Chimaev fight, it resolves to Yes.'],
    ['atp', ['atp/carlos-alcaraz', 'atp/jaime-alcaraz'], 'If Jaime Alcaraz wins the match, it resolves to Yes.'],
    ['cs2', ['cs2/as:some-new-team', 'cs2/heroic'], 'If Some New Team wins the match, this market resolves to it.'],
  ])('accepts a text about this game or about no particular game (%s)', (id, teams, text) => {
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
    // A team is named by its whole name. For a person one part of it would do.
    [
      'cs2',
      ['cs2/as:some-new-team', 'cs2/as:other-side'],
      'Team Vitality, a new team of some side, plays Natus Vincere. It resolves to the winner.',
    ],
  ])('detects a text about another game (%s)', (id, teams, text) => {
    expect(isOtherGame(league(id), teams, text)).toBe(true);
  });
});
