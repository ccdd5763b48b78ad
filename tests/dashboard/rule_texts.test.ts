import { describe, expect, test } from 'vitest';
import { placeOf } from '../../dashboard/src/record/axis.ts';
import { boundText, neededOccasions, termsOf } from '../../dashboard/src/record/rule.ts';
import { markDifferingWords, visibleText } from '../../dashboard/src/record/venue_text.ts';

const limits = (limit_pct: number, confidence_pct: number) => ({ limit_pct, confidence_pct });

describe('the texts of a rule on the page Record', () => {
  test.each([
    [0.9969, '1.00 %'],
    [1.0001, '1.01 %'],
    [0.29, '0.29 %'],
    [0.0029, '0.003 %'],
    [0.0999, '0.100 %'],
    [0, '0.000 %'],
    [22.0922, '22.10 %'],
    [99.999, '100 %'],
    [100, '100 %'],
  ])('a bound of %d percent is rounded up to %s, so that it still holds', (bound, text) => {
    expect(boundText(bound)).toBe(text);
  });

  test('a rule without a divergence needs 299 occasions at 1 % and 95 %, and 149 at 2 %', () => {
    expect(neededOccasions(limits(1, 95))).toBe(299);
    expect(neededOccasions(limits(2, 95))).toBe(149);
  });

  test('the axis is logarithmic from 0.01 % to 100 %, and a rate outside it is at its end', () => {
    expect([0, 0.01, 0.1, 1, 10, 100, 200].map(placeOf)).toEqual([0, 0, 25, 50, 75, 100, 100]);
  });

  test('the terms of both venues are read from a rule_id, also without a competition', () => {
    const terms = 'venue_a: 48 h, never played: fair_price / venue_b: waits, never played: fair_price';
    const expected = {
      venue_a: [
        { text: '48 h', differs: true },
        { text: 'never played: fair price', differs: false },
      ],
      venue_b: [
        { text: 'waits', differs: true },
        { text: 'never played: fair price', differs: false },
      ],
    };
    expect(termsOf(`moneyline / NFL / ${terms}`)).toEqual(expected);
    expect(termsOf(`outright / ${terms}`)).toEqual(expected);
    expect(termsOf('of another form')).toBeNull();
    expect(termsOf('spread / mlb / venue_a: states nothing / venue_b: unread')).toEqual({
      venue_a: [{ text: 'no term is stated', differs: true }],
      venue_b: [{ text: 'the text does not state when it pays', differs: true }],
    });
  });

  test('characters that reorder or hide text become their codes, and line breaks stay', () => {
    expect(visibleText('a\u202eb\u2066c\u200bd\u0000e\ufefff\n\tg')).toBe(
      'a‹U+202E›b‹U+2066›c‹U+200B›d‹U+0000›e‹U+FEFF›f\n\tg',
    );
    expect(visibleText('Größe ❤\u200d🔥 नमस्ते')).toBe('Größe ❤\u200d🔥 नमस्ते');
  });

  test('words that the other text has nowhere are marked, in any case and without their punctuation', () => {
    const parts = markDifferingWords('The Market resolves YES, unless voided early.', 'the market resolves: yes');
    expect(parts).toEqual([
      { text: 'The Market resolves YES, ', differs: false },
      { text: 'unless voided early.', differs: true },
    ]);
    expect(markDifferingWords('', 'x')).toEqual([]);
    expect(markDifferingWords('<b>one</b>\ntwo', '')).toEqual([
      { text: '<', differs: false },
      { text: 'b', differs: true },
      { text: '>', differs: false },
      { text: 'one', differs: true },
      { text: '</', differs: false },
      { text: 'b', differs: true },
      { text: '>\n', differs: false },
      { text: 'two', differs: true },
    ]);
  });

  test('the marked parts of a text of 10,000 characters add up to the text', () => {
    const text = 'a1 b2 '.repeat(1_700);
    const parts = markDifferingWords(text, 'b2');
    expect(parts).toHaveLength(3_400);
    expect(parts.map((part) => part.text).join('')).toBe(text);
  });
});
