import { describe, expect, it } from 'vitest';
import { addTextForms, textForm as formOf, knownNames } from '../../functions/ingest/backtest/text_form.ts';
import type { ListedEvent } from '../../functions/ingest/listing.ts';

const textForm = (text: string, names: readonly string[]) => formOf(text, knownNames(names));

/**
 * Guarantee: texts that differ only in names, dates and numbers have one form; all others differ.
 */

const epl =
  'If Arsenal wins the Arsenal vs Chelsea English Premier League soccer game originally scheduled for Nov 22, 2026 after 90 minutes plus stoppage time, then the market resolves to Yes.';
const liga =
  'If Real Madrid wins the Real Madrid vs Sevilla La Liga soccer game originally scheduled for Dec 1, 2026 after 90 minutes plus stoppage time, then the market resolves to Yes.';
const eplNames = ['Arsenal', 'Chelsea', 'English Premier League'];
const ligaNames = ['Real Madrid', 'Sevilla', 'La Liga'];

describe('the form of a text', () => {
  it('is equal for two games of two leagues with the same wording', () => {
    expect(textForm(epl, eplNames)).toBe(textForm(liga, ligaNames));
    expect(textForm(epl, eplNames)).toContain('if @ wins the @ vs @ soccer game originally scheduled for #');
  });

  it.each([
    ['another wording', epl.replace('wins', 'beats')],
    ['a further sentence', `${epl} If the game is cancelled, the market resolves to a fair price.`],
    ['a missing clause', epl.replace(' after 90 minutes plus stoppage time', '')],
    ['a negation', epl.replace('resolves to Yes', 'does not resolve to Yes')],
  ])('differs with %s', (_, text) => {
    expect(textForm(text, eplNames)).not.toBe(textForm(epl, eplNames));
  });

  it('keeps the name of a competition that is not known', () => {
    expect(textForm(epl, ['Arsenal', 'Chelsea'])).toContain('english premier league');
  });

  it('takes out the longer of two names that contain each other, and no part of a word', () => {
    expect(textForm('The New York Jets win', ['New York', 'New York Jets'])).toBe('the @ win');
    expect(textForm('The winner wins', ['win'])).toBe('the winner wins');
  });

  it('takes time in proportion to a long text with many names', () => {
    const names = Array.from({ length: 200 }, (_, i) => `Team number ${i} of the league`);
    const text = `${names.join(' plays ')} `.repeat(20);
    const startedAt = performance.now();
    textForm(text, names);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});

describe('addTextForms', () => {
  const eventWith = (payload: unknown, rules: string) =>
    ({
      ...{ title: 'A game', payload },
      markets: [{ market_id: 'm', rules, contracts: [] }],
      questions: [
        {
          title: '',
          home: null,
          away: null,
          competition: null,
          identity: {},
          legs: [{ market_id: 'm', outcome_name: '' }],
        },
      ],
    }) as unknown as ListedEvent;
  const formWith = (payload: unknown, rules: string) => {
    const event = eventWith(payload, rules);
    addTextForms(event);
    return event.questions[0]?.identity.text_form;
  };

  it.each(['name', 'alias', 'abbreviation'])('knows the teams of the listing by their %s', (field) => {
    const form = (team: string) => formWith({ teams: [{ [field]: team }] }, `The ${team} win the game.`);
    expect(form('Bucks')).toBe(form('Knicks'));
    expect(formWith({ teams: [{ other: 'Bucks' }] }, 'The Bucks win the game.')).not.toBe(form('Bucks'));
  });

  it.each([null, 'text', [], { teams: 'Bucks' }, { teams: [null, 'Bucks', ['Bucks'], { name: 5 }] }])(
    'knows no team of the listing %j',
    (payload) => {
      expect(formWith(payload, 'The Bucks win the game.')).toBe(formWith({}, 'The Bucks win the game.'));
      expect(formWith(payload, 'The Bucks win the game.')).not.toBe(formWith({}, 'The Knicks win the game.'));
    },
  );

  it('leaves a question without a text alone', () => {
    expect(formWith({}, '')).toBeUndefined();
  });
});
