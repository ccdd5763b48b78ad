import { parseMonth } from '../text/eastern.ts';
import { MAX_PLAIN_LENGTH } from '../text/summary_text.ts';
import { normalize } from '../text/text.ts';
import { BANKS } from './decision_registry.ts';

/**
 * A change of a policy rate in basis points, where cuts are negative: {-25, -25, equal} is a cut of
 * 25, {25, null, above} a hike of more than 25, {null, 0, below} a cut of any size. `low` and
 * `high` are basis points, null for an open end.
 */
export type Move = {
  low: number | null;
  high: number | null;
  comparison: 'equal' | 'within' | 'above' | 'at_or_above' | 'below' | 'at_or_below';
};

/** What one title, question or label states about a rate decision. */
export type ParsedStatement = {
  /**
   * True when the text holds only words that a decision needs. A text with another word may ask
   * anything and is not used.
   */
  closed: boolean;
  banks: ReadonlySet<string>;
  month: number | null;
  year: number | null;
  /**
   * The text names a meeting, decision or announcement, so its month is that of a meeting and not
   * of a deadline.
   */
  occasion: boolean;
  size: Size | null;
};

/**
 * A change as stated: a direction and a number of basis points. 0 in either direction is no change.
 */
export type Size = { sign: 1 | -1; from: number; to: number | null; from_included: boolean };

const PHRASES: readonly (readonly [string, string])[] = BANKS.flatMap((bank) =>
  bank.words.flatMap((word) => [[`${word}s`, bank.id] as const, [word, bank.id] as const]),
).sort((a, b) => b[0].length - a[0].length);

/**
 * A cheap first check. Most events name no bank, and parsing each of their questions would cost
 * more than all other work.
 */
const MENTION = new RegExp(
  `\\b(?:${[...new Set(BANKS.flatMap((bank) => bank.words.map((word) => (word.includes('bank') ? '\\w*bank' : word))))].join('|')})`,
  'i',
);
export const mayNameBank = (text: string): boolean => MENTION.test(text.replace(/-/g, ' '));

const OCCASION = new Set(['meeting', 'meetings', 'decision', 'announcement', 'fomc', 'mpc']);
const CUT = new Set(['cut', 'cuts', 'decrease', 'decreases', 'lower', 'lowers', 'reduce', 'reduces']);
const HIKE = new Set(['hike', 'hikes', 'increase', 'increases', 'raise', 'raises']);
const FILLER = new Set(
  'will the a an be there is of to at in on after following its their his s rate rates interest policy key base benchmark main target overnight cash deposit facility refinancing operations lending repo bank official selic federal funds for announce announces announced make makes made keep keeps leave leaves set sets vote monetary committee current level levels'.split(
    ' ',
  ),
);
const HOLD = /\b(?:no change|unchanged|maintains?|holds?|steady)\b/g;

/** Writes signs, "+" and ranges as words, so that normalizing the text does not remove them. */
function spellSigns(text: string): string {
  const worded = text
    .toLowerCase()
    .replace(/[>＞]/g, ' more than ')
    .replace(/≥/g, ' at least ')
    .replace(/[<≤]/g, ' under ')
    .replace(/basis points?|\bbp\b/g, 'bps')
    .replace(/(\d)bps?\b/g, '$1 bps')
    .replace(/(\d+)\s*[-–—]\s*(\d+)\s*bps/g, 'between $1 and $2 bps')
    .replace(/(\d+)\s*(?:bps)?\s*\+\s*(?:bps)?/g, '$1 bps or more ')
    .replace(/\bby (\d(?:\.\d+)?)\s*(?:%|percent(?:age)?(?: points?)?)/g, (_, size) => {
      return `by ${Math.round(Number(size) * 100)} bps`;
    });
  return normalize(worded);
}

type Sized = { from: number; to: number | null; from_included: boolean };
const SIZES: readonly (readonly [RegExp, (first: number, second: number) => Sized])[] = [
  [/\b(?:by )?between (\d+) and (\d+) bps\b/, (from, to) => ({ from, to, from_included: true })],
  [/\b(?:by )?(?:more than|over|greater than|above) (\d+) bps\b/, (from) => ({ from, to: null, from_included: false })],
  [/\b(?:by )?at least (\d+) bps\b/, (from) => ({ from, to: null, from_included: true })],
  [/\b(?:by )?(\d+) bps or (?:more|greater|higher)\b/, (from) => ({ from, to: null, from_included: true })],
  [/\b(?:by )?(?:exactly )?(\d+) bps\b/, (from) => ({ from, to: from, from_included: true })],
];

function parseSize(text: string): { sized: Sized | null; rest: string } {
  for (const [pattern, sized] of SIZES) {
    const match = pattern.exec(text);
    if (match) return { sized: sized(Number(match[1]), Number(match[2])), rest: text.replace(pattern, ' ') };
  }
  return { sized: null, rest: text };
}

function parseBanks(text: string): { banks: Set<string>; rest: string } {
  const banks = new Set<string>();
  let rest = ` ${text} `;
  for (const [phrase, id] of PHRASES) {
    if (!rest.includes(` ${phrase} `)) continue;
    banks.add(id);
    // FOMC names the bank and a meeting.
    rest = rest.replaceAll(` ${phrase} `, phrase === 'fomc' ? ' meeting ' : ' ');
  }
  return { banks, rest };
}

/** Returns the banks that the text of a contract names. */
export const banksNamed = (text: string): ReadonlySet<string> => parseBanks(normalize(text)).banks;

const MONTH =
  /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/;

const CHANGE =
  /\b(cut|decrease|lower|reduce|hike|increase|raise)s?\b(?: (?:in|of|by|its|the|policy|interest|key|rates?))* ?(>|(?:more|greater) than )? ?(\d{1,3})(?: ?[-–] ?(\d{1,3}))? ?(?:bps?\b|basis points?)/i;

/**
 * Parses the change that the text of a contract pays for: "does a Hike of >25bps on October 28,
 * 2026". Null when there is none.
 */
export function parseSizeInRules(text: string): Size | null {
  const match = CHANGE.exec(text);
  if (!match) return null;
  const from = Number(match[3]);
  const open = match[2] !== undefined;
  const to = match[4] !== undefined ? Number(match[4]) : open ? null : from;
  return { sign: CUT.has((match[1] ?? '').toLowerCase()) ? -1 : 1, from, to, from_included: !open };
}

const NOTHING: ParsedStatement = {
  closed: false,
  banks: new Set(),
  month: null,
  year: null,
  occasion: false,
  size: null,
};

export function parseDecision(text: string): ParsedStatement {
  if (text.length > MAX_PLAIN_LENGTH) return NOTHING;
  const { banks, rest: withoutBanks } = parseBanks(spellSigns(text));
  const held = withoutBanks.replace(HOLD, ' ');
  const { sized, rest } = parseSize(held);
  const months = new Set<number>();
  const years = new Set<number>();
  let [cut, hike, occasion, closed] = [false, false, false, true];
  let afterMonth = false;
  for (const word of rest.split(' ').filter((one) => one !== '')) {
    const day: boolean = afterMonth && /^\d{1,2}(?:st|nd|rd|th)?$/.test(word);
    const named = MONTH.test(word);
    afterMonth = named || day;
    if (named) months.add(parseMonth(word) ?? 0);
    else if (/^20\d\d$/.test(word)) years.add(Number(word));
    else if (CUT.has(word)) cut = true;
    else if (HIKE.has(word)) hike = true;
    else if (OCCASION.has(word)) occasion = true;
    else if (!day && !FILLER.has(word)) closed = false;
  }
  const hold = held !== withoutBanks;
  const directions = Number(cut) + Number(hike) + Number(hold);
  if (months.size > 1 || years.size > 1 || directions > 1) closed = false;
  const nothing: Size = { sign: 1, from: 0, to: 0, from_included: true };
  const changed: Size = { sign: cut ? -1 : 1, ...(sized ?? { from: 0, to: null, from_included: false }) };
  return {
    closed,
    banks,
    month: months.size === 1 ? ([...months][0] ?? null) : null,
    year: years.size === 1 ? ([...years][0] ?? null) : null,
    occasion,
    size: !closed || directions !== 1 || (hold && sized !== null) ? null : hold ? nothing : changed,
  };
}

/**
 * Returns the open-ended choices as the listing states them: "more than 25 bp", "50 bp or more".
 * Null when it states none or several.
 */
export function renderOpenEndedMove(sizes: readonly (Size | null)[]): string | null {
  const renderings = new Set(
    sizes.flatMap((size) =>
      size === null || size.to !== null || size.from === 0
        ? []
        : [size.from_included ? `${size.from} bp or more` : `more than ${size.from} bp`],
    ),
  );
  return renderings.size === 1 ? ([...renderings][0] ?? null) : null;
}
