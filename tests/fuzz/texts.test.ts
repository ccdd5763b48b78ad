import fc from 'fast-check';
import { expect } from 'vitest';
import { MAX_TEXT_CHARS } from '../../functions/ingest/feeds/clean.ts';
import { sportsTerms } from '../../functions/ingest/identity/terms/terms.ts';
import { questionsOfVenueA } from '../../functions/ingest/identity/venue_a.ts';
import { questionsOfVenueB } from '../../functions/ingest/identity/venue_b.ts';
import { campaign } from './support/campaign.ts';
import { eventsA, eventsB } from './support/listings.ts';
import { anyText } from './support/texts.ts';

// Guarantee: a text of a venue costs a bounded time, whatever stands in it and however long it is; it throws nothing; and no text that
// contradicts another or itself is read as one that agrees.

/** Words that the parsers' patterns begin with, and what may lead them on. */
const bits = fc.constantFrom(
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
const pumped = fc
  .oneof(
    { weight: 3, arbitrary: bits },
    { weight: 1, arbitrary: fc.tuple(bits, bits).map((two) => two.join('')) },
    { weight: 1, arbitrary: anyText },
  )
  .map((bit) => bit || 'x');
const repeated = (bit: string, length: number): string => bit.repeat(Math.ceil(length / bit.length)).slice(0, length);

/** Fields that a person may write at a venue. */
const NAMES = ['title', 'sub_title', 'yes_sub_title', 'no_sub_title', 'question', 'groupItemTitle'];
const TEXTS = ['rules_primary', 'rules_secondary', 'description'];

/** The event with this text in all its places, each cut to `name` and `text` characters. */
function flooded(event: Record<string, unknown>, bit: string, name: number, text: number): Record<string, unknown> {
  const fill = (holder: Record<string, unknown>): Record<string, unknown> => ({
    ...holder,
    ...Object.fromEntries(NAMES.map((field) => [field, repeated(bit, name)])),
    ...Object.fromEntries(TEXTS.map((field) => [field, repeated(bit, text)])),
  });
  return { ...fill(event), markets: (event.markets as Record<string, unknown>[]).slice(0, 6).map(fill) };
}

const timeOf = (work: () => void): number => {
  const began = performance.now();
  work();
  return performance.now() - began;
};
/**
 * How many times longer one takes than the other, by the least of three each: what else the machine does only ever adds. Where that is not
 * below `most`, it is measured up to ten times over, since on a busy machine all three may have been interrupted.
 */
function ratioBelow(most: number, long: () => void, short: () => void): number {
  let [ofLong, ofShort] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let tries = 1; tries <= 30; tries += 1) {
    ofLong = Math.min(ofLong, timeOf(long));
    ofShort = Math.min(ofShort, timeOf(short));
    if (tries >= 3 && ofLong / ofShort < most) break;
  }
  return ofLong / ofShort;
}

const readings = fc.oneof(
  fc.constantFrom(...eventsA.slice(0, 8)).map((event) => ({ event, read: questionsOfVenueA })),
  fc.constantFrom(...eventsB.slice(0, 8)).map((event) => ({ event, read: questionsOfVenueB })),
);
const now = '2026-08-01T00:00:00.000Z';

campaign(
  'parsing time grows linearly with the length of a text',
  () =>
    fc.property(readings, pumped, ({ event, read }, bit) => {
      const long = flooded(event, bit, 1_000, 12_000);
      if (timeOf(() => read(long, { now })) < 20) return;
      const short = flooded(event, bit, 125, 1_500);
      // Eight times as much: a pattern that goes over a text again for each of its characters takes 64 times as long.
      const ratio = ratioBelow(
        30,
        () => read(long, { now }),
        () => read(short, { now }),
      );
      expect(ratio).toBeLessThan(30);
    }),
  900,
);

campaign(
  'a text beyond the length limit is not parsed, and its event gives no question',
  () =>
    fc.property(
      readings,
      bits,
      fc.integer({ min: MAX_TEXT_CHARS + 1, max: 400_000 }),
      ({ event, read }, bit, length) => {
        const { questions, rejected } = read(flooded(event, bit, 10, length), { now });
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
        const said = (pays: keyof typeof PAYS) => `${CASES[at]}, ${PAYS[pays]}. `;
        const term = TERMS[at] ?? '';
        expect(sportsTerms(prose + said(first), [], null)[term]).toBe(first);
        const both = sportsTerms(prose + said(first) + prose + said(second), [], null);
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
        // A bracket that was left open before it may make one word of both.
        if (/[[\]<>{}]/.test(before + after)) return;
        expect(sportsTerms(text, [], null).rules).toBe('unfilled');
      },
    ),
  300,
);
