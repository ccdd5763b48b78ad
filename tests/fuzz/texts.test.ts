import fc from 'fast-check';
import { expect } from 'vitest';
import { MAX_TEXT_CHARS } from '../../functions/ingest/feeds/clean.ts';
import { sportsTerms } from '../../functions/ingest/identity/terms/terms.ts';
import { questionsOfVenueA } from '../../functions/ingest/identity/venue_a.ts';
import { questionsOfVenueB } from '../../functions/ingest/identity/venue_b.ts';
import { campaign } from './support/campaign.ts';
import { eventsA, eventsB } from './support/listings.ts';
import { anyText } from './support/texts.ts';

/**
 * Guarantee: the parsers take a bounded time for a venue's text of any content and length and throw
 * nothing. A text that contradicts itself gives no term.
 */

/** Beginnings of what the parsers' patterns match, and texts that may continue a match. */
const parts = fc.constantFrom(
  ...[
    'multiple ',
    'two or more ',
    'by ',
    'before ',
    'postponed ',
    'not ',
    '[x',
    '[team ',
    '<team ',
    '{{',
    '___',
    '||A',
    'if a, ',
    'If ',
  ],
  ...[
    'resolves ',
    'settled ',
    'scheduled for ',
    'Sep 1 ',
    '2026-',
    '12:00 ',
    'ET ',
    'at ',
    'vs. ',
    'A ',
    'a. ',
    'A. ',
    '? ',
    '\n',
    ' ',
  ],
  ...[
    'above $1 ',
    '1,',
    '1,000',
    '1.',
    '-',
    '°',
    '%',
    'bps ',
    'between 1 and ',
    'card (',
    '(card ',
    'game 1 ',
    'Houston ',
    'https://a',
    '“',
    '"',
  ],
);
const anyPart = fc
  .oneof(
    { weight: 3, arbitrary: parts },
    { weight: 1, arbitrary: fc.tuple(parts, parts).map((two) => two.join('')) },
    { weight: 1, arbitrary: anyText },
  )
  .map((part) => part || 'x');
const repeated = (part: string, length: number): string =>
  part.repeat(Math.ceil(length / part.length)).slice(0, length);

/** Fields with free text of a venue. */
const NAMES = ['title', 'sub_title', 'yes_sub_title', 'no_sub_title', 'question', 'groupItemTitle'];
const TEXTS = ['rules_primary', 'rules_secondary', 'description'];

/**
 * The event with this part repeated in all its text fields: `nameChars` characters in each name,
 * `textChars` in each longer text.
 */
function withRepeatedText(
  event: Record<string, unknown>,
  part: string,
  nameChars: number,
  textChars: number,
): Record<string, unknown> {
  const fill = (holder: Record<string, unknown>): Record<string, unknown> => ({
    ...holder,
    ...Object.fromEntries(NAMES.map((field) => [field, repeated(part, nameChars)])),
    ...Object.fromEntries(TEXTS.map((field) => [field, repeated(part, textChars)])),
  });
  return { ...fill(event), markets: (event.markets as Record<string, unknown>[]).slice(0, 6).map(fill) };
}

const timeOf = (work: () => void): number => {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
};
/**
 * The smallest ratio of the times of two pieces of work, of up to 30 turns; the first one below
 * `limit` ends them. Both take about as long, so that other processes interrupt both alike.
 */
function ratioBelow(limit: number, one: () => void, other: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < 30 && least >= limit; turn += 1) least = Math.min(least, timeOf(one) / timeOf(other));
  return least;
}

const readings = fc.oneof(
  fc.constantFrom(...eventsA.slice(0, 8)).map((event) => ({ event, read: questionsOfVenueA })),
  fc.constantFrom(...eventsB.slice(0, 8)).map((event) => ({ event, read: questionsOfVenueB })),
);
const now = '2026-08-01T00:00:00.000Z';

campaign(
  'parsing time grows linearly with the length of a text',
  () =>
    fc.property(readings, anyPart, ({ event, read }, part) => {
      const long = withRepeatedText(event, part, 1_000, 12_000);
      if (timeOf(() => read(long, { now })) < 20) return;
      const short = withRepeatedText(event, part, 125, 1_500);
      // The text is eight times as long as each of eight short ones: linear parsing takes as long
      // as for all eight, quadratic parsing 8 times as long.
      const ratio = ratioBelow(
        4,
        () => read(long, { now }),
        () => {
          for (let again = 0; again < 8; again += 1) read(short, { now });
        },
      );
      expect(ratio).toBeLessThan(4);
    }),
  500,
);

campaign(
  'a text beyond the length limit is not parsed, and its event gives no question',
  () =>
    fc.property(
      readings,
      parts,
      fc.integer({ min: MAX_TEXT_CHARS + 1, max: 400_000 }),
      ({ event, read }, part, length) => {
        const { questions, rejected } = read(withRepeatedText(event, part, 10, length), { now });
        expect([questions, rejected.map((one) => one.code)]).toEqual([[], ['identity.text_too_long']]);
      },
    ),
  60,
);

const CASES = [
  'If the game is cancelled',
  'If the game ends in a tie',
  'If the game is abandoned',
  'In the event of a walkover',
];
const PAYS = {
  split: 'the market will resolve 50-50',
  no: 'the market will resolve to “No”',
  fair_price: 'it will settle to a fair market price',
};
const TERMS = ['cancelled', 'tie', 'abandoned', 'walkover'];

campaign(
  'a text with two answers for one case gives none, with any text around them',
  () =>
    fc.property(
      fc.nat(CASES.length - 1),
      fc.constantFrom<[keyof typeof PAYS, keyof typeof PAYS][]>(
        ['split', 'no'],
        ['no', 'fair_price'],
        ['fair_price', 'split'],
      ),
      fc.constantFrom('', 'This is some prose. ', 'The venue is not affiliated. ', 'Some notes:\n'),
      (at, [first, second], prose) => {
        const sentence = (pays: keyof typeof PAYS) => `${CASES[at]}, ${PAYS[pays]}. `;
        const term = TERMS[at] ?? '';
        expect(sportsTerms(prose + sentence(first), [], null)[term]).toBe(first);
        const both = sportsTerms(prose + sentence(first) + prose + sentence(second), [], null);
        expect([both[term], both.conflicts]).toEqual([null, [term]]);
      },
    ),
  100,
);

campaign(
  'a text with an unfilled placeholder is unfilled, with the placeholder at any place',
  () =>
    fc.property(
      anyText,
      anyText,
      fc.constantFrom('{{team}}', '[insert team]', '<date>', '____', 'TBD', '||TEAM||'),
      (before, after, blank) => {
        const text = `The market resolves to Yes. ${before} ${blank} ${after}`;
        // An open bracket in the text around the placeholder may join both into one word.
        if (/[[\]<>{}]/.test(before + after)) return;
        expect(sportsTerms(text, [], null).rules).toBe('unfilled');
      },
    ),
  300,
);
