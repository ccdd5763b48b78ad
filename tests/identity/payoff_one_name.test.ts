import { expect, test } from 'vitest';
import { questionsOfVenueA } from '../../functions/ingest/identity/venue_a.ts';
import { questionsOfVenueB } from '../../functions/ingest/identity/venue_b.ts';

/**
 * Guarantee: when both teams of a game share a name ("Miami"), a sentence is resolved by the full
 * label of the contract.
 */

const NOW = { now: '2027-03-05T12:00:00Z' };
const read = ({ questions }: ReturnType<typeof questionsOfVenueA>) =>
  questions.map((one) => one.excluded ?? one.terms.rules);

const GAME = 'the Miami (OH) vs Miami (FL) college football game originally scheduled for Mar 8, 2027';
const pays = (name: string) => `If ${name} wins ${GAME}, then the market resolves to Yes.`;
const onVenueA = (ohio: string, florida: string) =>
  read(
    questionsOfVenueA(
      {
        event_ticker: 'KXNCAAFGAME-27MAR08MOHMIA',
        series_ticker: 'KXNCAAFGAME',
        title: 'Miami (OH) at Miami (FL)',
        markets: [
          {
            ticker: 'KXNCAAFGAME-27MAR08MOHMIA-MOH',
            title: 'Miami (OH) at Miami (FL) Winner?',
            yes_sub_title: 'Miami (OH)',
            rules_primary: ohio,
          },
          {
            ticker: 'KXNCAAFGAME-27MAR08MOHMIA-MIA',
            title: 'Miami (OH) at Miami (FL) Winner?',
            yes_sub_title: 'Miami (FL)',
            rules_primary: florida,
          },
        ],
      },
      NOW,
    ),
  );

const described = (ohio: string, florida: string) => `In the upcoming CFB game, scheduled for March 8 at 11:55 AM ET:
If the Miami (OH) win, the market will resolve to "${ohio}".
If the Miami win, the market will resolve to "${florida}".
If the game is postponed, this market will remain open until the game has been completed.`;
const onVenueB = (description: string) =>
  read(
    questionsOfVenueB(
      {
        slug: 'cfb-miaoh-mia-2027-03-08',
        title: 'Miami (OH) vs. Miami',
        description,
        markets: [
          {
            slug: 'cfb-miaoh-mia-2027-03-08',
            conditionId: '0x1',
            question: 'Miami (OH) vs. Miami',
            sportsMarketType: 'moneyline',
            outcomes: '["Miami (OH)", "Miami"]',
            clobTokenIds: '["1", "2"]',
            description,
          },
        ],
      },
      NOW,
    ),
  );

test('agrees with a text that names each team by its label when both teams share a name', () => {
  expect(onVenueA(pays('Miami (OH)'), pays('Miami (FL)'))).toEqual(['read']);
  expect(onVenueB(described('Miami (OH)', 'Miami'))).toEqual(['read']);
});

test('excludes a text that pays the other of two teams with a shared name', () => {
  expect(onVenueA(pays('Miami (FL)'), pays('Miami (OH)'))).toEqual(['payoff_contradicted']);
  expect(onVenueB(described('Miami', 'Miami (OH)'))).toEqual(['payoff_contradicted']);
});

test('leaves a candidate when the text names the team only by the shared name', () => {
  expect(onVenueA(pays('Miami'), pays('Miami (FL)'))).toEqual(['unread']);
});
