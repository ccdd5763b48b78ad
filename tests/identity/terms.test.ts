import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rulesStateOf, sportsTerms, type Terms } from '../../functions/ingest/identity/terms/terms.ts';

/**
 * Guarantee: what a contract pays in an odd case comes from its own sentences. A case that they do
 * not mention is null, and two answers give none.
 */

const termsOf = (text: string, on_date: string | null = '2026-09-13'): Terms =>
  Object.fromEntries(
    Object.entries(sportsTerms(text, [], on_date)).filter(
      ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
    ),
  );

describe('terms of a late or cancelled game', () => {
  it.each<[string, string, Terms]>([
    [
      'waits 48 hours, then a fair price',
      'If the game begins within 48 hours of its postponed start, the market stays open. If it is not started within 48 hours, it resolves to a fair market price.',
      { postponement_hours: 48, waits: false, cancelled: 'fair_price' },
    ],
    [
      'two days in words, in one sentence with the cancellation',
      'If the game is cancelled or rescheduled to over two days away, the market resolves to a fair price.',
      { postponement_hours: 48, waits: false, cancelled: 'fair_price' },
    ],
    [
      'a time limit without a payout after it',
      'If this game is postponed, the market will remain open until the new game has finished (within two days). A team wins when it leads, and the market resolves so.',
      { postponement_hours: 48, waits: false },
    ],
    [
      'waits without a limit, and pays half when it is cancelled',
      'If the game is postponed, this market remains open until it has been completed. If it is canceled entirely, this market resolves 50-50.',
      { waits: true, cancelled: 'split' },
    ],
    [
      'a last day instead of a number of days',
      'If the bout is canceled or postponed beyond October 1, 2026, this market resolves "50-50."',
      { postponement_hours: 432, waits: false, cancelled: 'split' },
    ],
    [
      'the team market pays No',
      'If the team wins, this market will resolve to "Yes".Otherwise, this market will resolve to "No".If the game is canceled entirely, this market will resolve "No".',
      { cancelled: 'no' },
    ],
    [
      'the draw market pays Yes',
      'If the game ends in a draw, this market resolves to "Yes". If the game is canceled entirely, this market resolves to "Yes".',
      { cancelled: 'draw', tie: 'own_outcome' },
    ],
    [
      'the payout before its condition',
      'This market will resolve 50-50 if the match is cancelled.',
      { cancelled: 'split' },
    ],
    [
      'hours that are about the source and not about the game',
      'If the governing body has not published statistics within 2 hours after the event, credible reporting may be used to resolve the market.',
      {},
    ],
    ...(
      [
        ['within one hour', 1],
        ['within 36 hours', 36],
        ['within a day-long delay of one day', 24],
        ['within seven days', 168],
        ['within one week', 168],
        ['within two weeks', 336],
        ['within 3 weeks', 504],
        ['within a 2-week period', 336],
        ['within fourteen days', 336],
      ] as const
    ).map(([window, hours]): [string, string, Terms] => [
      `${window} is ${hours} h`,
      `If the game is not played ${window}, the market resolves to a fair market price.`,
      { postponement_hours: hours, waits: false, cancelled: 'fair_price' },
    ]),
  ])('parses the terms: %s', (_name, text, terms) => {
    expect(termsOf(text)).toEqual({ rules: 'read', ...terms });
  });
});

describe('terms of ties', () => {
  it.each<[string, string, Terms]>([
    [
      'half each, in dollars',
      'If the game ends in a tie, the market will resolve to $0.50 for each team.',
      { tie: 'split' },
    ],
    [
      'a market of its own',
      'If the game ends in a tie, the market called "Tie" resolves to Yes.',
      { tie: 'own_outcome' },
    ],
    [
      'draw and no contest alike',
      'If the fight is declared a tie or no contest, the market resolves to No.',
      { tie: 'no', no_contest: 'no' },
    ],
    [
      'rain, in cricket',
      'If the match is a tie or has no result, this market resolves 50-50.',
      { tie: 'split', no_contest: 'split' },
    ],
    [
      'a bout that is not held in time',
      'If the fight is a draw or is not held within 14 days, this market resolves 50-50.',
      { tie: 'split', cancelled: 'split', postponement_hours: 336, waits: false },
    ],
    [
      'first by name',
      'In the event of a tie, this market resolves to the name that comes first in alphabetical order.',
      { tie: 'first_by_name' },
    ],
    [
      'several winners',
      'If two or more players tie for the lead, each market resolves to 1/n.',
      { dead_heat: 'shared' },
    ],
    ['an integer line', 'If the total equals the line exactly, this market resolves 50-50.', { push: 'split' }],
    ['a word inside a name', 'If Tieton wins the drawn-out final, the market resolves to Yes.', {}],
  ])('parses the terms of a tie: %s', (_name, text, terms) => {
    expect(termsOf(text)).toEqual({ rules: 'read', ...terms });
  });
});

describe('terms of a side that gives up', () => {
  it.each<[string, string, Terms]>([
    [
      'before the first ball: a fair price',
      'If the match does not occur (signaled by a ball being played) due to injury, walkover or forfeiture, the market resolves to a fair price.',
      { cancelled: 'fair_price', walkover: 'fair_price', must_start: true },
    ],
    [
      'before the start: half each',
      'If the match ends in a walkover (a player withdraws before the start and the other advances), this market resolves 50-50.',
      { walkover: 'split' },
    ],
    [
      'before the start: the one who advances',
      'This market resolves to whoever advances, even if the result is a "walkover".',
      { walkover: 'winner' },
    ],
    [
      'after the start: the one who advances',
      "If the match begins but is not completed, and one player advances due to the opponent's retirement, this market resolves to the player who advances.",
      { retirement: 'winner' },
    ],
    [
      'after the start: the one who gave up loses',
      'If a player withdraws after a match has started, that player will resolve to No.',
      { retirement: 'winner' },
    ],
    [
      'after the start: what is decided is paid, the rest at a fair price',
      'If a retirement occurs, all markets that can be settled from play already completed will resolve accordingly. Others resolve to Fair Market Price.',
      { retirement: 'if_decided' },
    ],
    [
      'no ball, in another wording',
      'If no ball is played because of an injury or a walkover, the market resolves to a fair price.',
      { cancelled: 'fair_price', walkover: 'fair_price', must_start: true },
    ],
    [
      'after the start, without a word of resolving',
      'If a player retires after the match has started, the player who advances wins. The market resolves so.',
      { retirement: 'winner' },
    ],
    [
      'not finished, for either side',
      'If the match is not completed, this market resolves 50-50.',
      { abandoned: 'split' },
    ],
    [
      'teams: before and after the start are two things',
      'If the match is forfeited before any play, the market resolves to the fair market price. If the match begins and is subsequently forfeited, the market resolves by the official result.',
      { walkover: 'fair_price', forfeit: 'winner' },
    ],
  ])('parses the terms of a side that gives up: %s', (_name, text, terms) => {
    expect(termsOf(text)).toEqual({ rules: 'read', ...terms });
  });
});

describe('terms of overtime', () => {
  it.each([
    ['the result after 90 minutes plus stoppage time (does not include extra time) resolves it', 'regulation'],
    ['Note: This market includes overtime and resolves by the final score.', 'included'],
    ['It resolves by the final score including any overtime periods and shootouts.', 'included'],
    ['It resolves by the score; overtime does not count.', 'regulation'],
    ['It resolves by the final score.', null],
  ])('parses the overtime scope of "%s"', (text, scope) => {
    expect(sportsTerms(text, [], null).overtime).toBe(scope);
  });
});

describe('a rules text without a clear answer', () => {
  it('is none, unfilled or unread', () => {
    expect(rulesStateOf(null)).toBe('none');
    expect(rulesStateOf('  ')).toBe('none');
    expect(rulesStateOf('If [TEAM] wins, it resolves to Yes.')).toBe('unfilled');
    expect(rulesStateOf('The league is not affiliated with anybody.')).toBe('unread');
    expect(rulesStateOf('If Houston wins, the market resolves to Yes.')).toBe('read');
  });

  it('gives null for a term with two answers', () => {
    const terms = sportsTerms(
      'If the game ends in a tie, the market resolves to 50-50. If the game is declared a tie, the market resolves to No.',
      [],
      null,
    );
    expect(terms).toMatchObject({ tie: null, conflicts: ['tie'] });
    expect(
      sportsTerms('It resolves after 90 minutes plus stoppage time. It includes overtime.', [], null),
    ).toMatchObject({ overtime: null, conflicts: ['overtime'] });
  });

  it('sets fields_agree to false when it names another day', () => {
    const text = 'In the game originally scheduled for Sep 20, 2026 the winner resolves the market.';
    expect(sportsTerms(text, [], '2026-09-13')).toMatchObject({ scheduled_date: '2026-09-20', fields_agree: false });
    expect(sportsTerms(text, [], '2026-09-21')).toMatchObject({ fields_agree: true });
    expect(sportsTerms(text, [], null)).toMatchObject({ fields_agree: null });
  });

  it('gives the hosts of its sources', () => {
    expect(
      sportsTerms(
        'The resolution source for this market is https://www.hltv.org. It resolves 50-50 on a tie.',
        ['ATP'],
        null,
      ).sources,
    ).toEqual(['ATP', 'hltv.org']);
  });

  it('never makes sportsTerms throw', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 400 }), fc.option(fc.string({ maxLength: 12 })), (text, date) => {
        sportsTerms(`${text} resolves 50-50 if not played by ${text}`, [text], date);
      }),
    );
  });
});
