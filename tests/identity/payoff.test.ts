import { describe, expect, it } from 'vitest';
import {
  findInvertedLabel,
  findInvertedResult,
  findPart,
  type Payoff,
  parseCondition,
  parsePayoffs,
  worstOf,
} from '../../functions/ingest/identity/text/payoff.ts';

/**
 * Guarantee: the sentence that states what a contract pays is found in the forms of both venues,
 * and so are words that invert or limit it.
 */

const paid = (text: string) =>
  parsePayoffs(text).map(({ pays, outcome, condition }: Payoff) => [outcome ?? pays, condition] as const);

describe('parsePayoffs', () => {
  it.each<[string, string, (readonly [string, string])[]]>([
    [
      'a condition before "the market resolves to Yes"',
      'If Houston wins the Houston at Sacramento professional basketball game originally scheduled for Jan 11, 2026, then the market resolves to Yes.',
      [
        [
          'yes',
          'Houston wins the Houston at Sacramento professional basketball game originally scheduled for Jan 11, 2026',
        ],
      ],
    ],
    [
      'an outcome by its label, one a line, behind a line that names the game',
      'In the upcoming NBA game, scheduled for January 11 at 9:00PM ET:\nIf the Rockets win, the market will resolve to "Rockets".\nIf the Kings win, the market will resolve to "Kings".',
      [
        ['Rockets', 'the Rockets win'],
        ['Kings', 'the Kings win'],
      ],
    ],
    [
      'the outcome before its condition',
      'This market will resolve to "Yes" if Arsenal fails to win. Otherwise, this market will resolve to "No".',
      [['yes', 'Arsenal fails to win']],
    ],
    [
      'two outcomes in one sentence',
      'This market will resolve to "T1" if T1 win the match, and to "Gen.G" if Gen.G Global win it.',
      [
        ['T1', 'T1 win the match'],
        ['Gen.G', 'Gen.G Global win it'],
      ],
    ],
    [
      'a description of who is paid',
      'This market will resolve to the team that leads at the end of the first half.',
      [['described', 'the team that leads at the end of the first half']],
    ],
    [
      'a market of several by its label',
      'If the game ends in a tie, the market called "Tie" resolves to Yes.',
      [['Tie', 'the game ends in a tie']],
    ],
    [
      'a label without quotation marks',
      'If the Bears win, this market resolves to Bears.',
      [['Bears', 'the Bears win']],
    ],
    [
      'a pronoun for the market',
      'If Elina Svitolina wins, it resolves to “Elina Svitolina”.',
      [['Elina Svitolina', 'Elina Svitolina wins']],
    ],
  ])('finds the payoff sentence in %s', (_name, text, expected) => {
    expect(paid(text)).toEqual(expected);
  });

  it.each([
    'If the game is canceled entirely, with no make-up game, this market will resolve 50-50.',
    'If the game is not started within 48 hours, the market will resolve to a fair market price.',
    'If the game ends in a tie, the market will resolve to $0.50 for each team.',
    'Otherwise, this market will resolve to "No".',
    'The resolution source for this market is the official website of the league.',
    'If the game is postponed, this market will remain open until the game has been completed.',
  ])('finds no payoff in a sentence about an odd case: %s', (text) => {
    expect(paid(text)).toEqual([]);
  });

  it('skips a sentence of unbounded length, so that parsing stays linear', () => {
    expect(paid(`If ${'the Rockets win and '.repeat(400)} the market will resolve to "Rockets".`)).toEqual([]);
  });
});

describe('findInvertedResult and findInvertedLabel', () => {
  it.each([
    'Arsenal FC does not win',
    'Arsenal fails to win the match',
    'Will Arsenal FC not win on 2026-05-24?',
    'Which team will lose?',
    'the team that loses the game',
    "the Bears don't win",
    'the Lakers are eliminated from the playoffs',
    'Real Madrid is defeated by Chelsea',
    'the runner-up of the match',
    'neither team wins',
    'Will Inter fail to advance?',
    'any team other than Boston wins',
    'Noskova never leads and cannot win',
  ])('finds the inverted result in "%s"', (text) => {
    expect(findInvertedResult(text)).not.toBeNull();
  });

  it.each([
    'Arsenal wins after 90 minutes (does not include extra time or penalties)',
    'the Rockets win, and overtime does not count',
    'Nottingham Forest wins',
    'T1 vs Gen.G (BO5) - Losers Bracket Final',
    'A vs B: Loser’s Round 2',
    'Rockets win, not including extra periods',
  ])('finds no inverted result in: %s', (text) => {
    expect(findInvertedResult(text)).toBeNull();
  });

  it('find an inverted label without a verb', () => {
    expect(findInvertedLabel('Not Arsenal')).toBe('Not');
    expect(findInvertedLabel('Arsenal not to win')).not.toBeNull();
    expect(findInvertedLabel('Notts County')).toBeNull();
    expect(findInvertedLabel('No. 1 Seed')).toBeNull();
  });
});

describe('findPart', () => {
  it.each([
    'the team that leads at the end of the first half',
    '1st Half Winner: Rockets vs. Kings',
    'Set 1 Winner: Cerundolo vs Ruud',
    'FaZe vs NaVi - Map 2 Winner',
    'the team that is ahead at half-time',
    'the Yankees lead after five innings',
    'first 5 innings',
    'who scores first',
    'the first team to score: first goal',
    'the 3rd quarter',
    '1H Moneyline',
    'the team that wins the opening set',
    'the score at the break',
    'the first 30 minutes',
  ])('finds the part of a contest in "%s"', (text) => {
    expect(findPart(text)).not.toBeNull();
  });

  it.each([
    'within the first 90 minutes of regular play plus stoppage time',
    'the first game of the doubleheader',
    'the second leg of the tie',
    'the 2026 Rome Masters First Round match',
    'best of 3 sets',
    'Philadelphia 76ers',
    'the game after 90 minutes plus stoppage time',
    'Set point Athletic',
  ])('finds no part in a text about the whole contest: %s', (text) => {
    expect(findPart(text)).toBeNull();
  });
});

describe('parseCondition', () => {
  it.each<[string, ReturnType<typeof parseCondition>]>([
    ['the Rockets win', { subject: 'the Rockets', result: 'win', rest: '' }],
    [
      'Conor McGregor is declared the winner of the fight',
      { subject: 'Conor McGregor', result: 'win', rest: 'of the fight' },
    ],
    [
      'the Arsenal vs Chelsea game (does not include extra time) ends in a tie',
      { subject: 'the Arsenal vs Chelsea game', result: 'draw', rest: '' },
    ],
    ['Arsenal fails to win', { subject: 'Arsenal', result: 'lose', rest: 'to win' }],
    ['Inter advances to the final', { subject: 'Inter', result: 'advance', rest: 'to the final' }],
    ['the named result occurs', { subject: 'the named result occurs', result: 'other', rest: '' }],
  ])('splits the condition "%s"', (text, expected) => {
    expect(parseCondition(text)).toEqual(expected);
  });
});

it('worstOf returns a contradiction of one contract for all, and not_found when one has no result', () => {
  expect(worstOf(['agrees', 'contradicts', 'not_found'])).toBe('contradicts');
  expect(worstOf(['agrees', 'not_found'])).toBe('not_found');
  expect(worstOf(['agrees', 'agrees'])).toBe('agrees');
  expect(worstOf([])).toBe('not_found');
});
