import { findNegation, payoffOfText } from '../terms/payoff_terms.ts';
import { instantOfClock, parseClocks } from '../text/clock.ts';
import { isoDate, parseDate, parseMonth } from '../text/eastern.ts';
import { type PayoffResult, worstOf } from '../text/payoff.ts';
import { assetNamed, type Cadence } from './crypto_assets.ts';
import { isNextPrice, levelOfStrictStrike, type Price, parsePriceLabel } from './threshold.ts';

/**
 * Checks whether a price contract pays what its listing asks. The payoff sentence must compare in
 * the direction of the ladder, and must not name another asset, level, day, hour or period. A
 * negated title or question ("not be above") asks for the opposite.
 */

/** What the fields of the listing ask of one contract. */
export type ExpectedPrice = {
  asset: string;
  kind: Cadence;
  /** Null when the text is that of the whole ladder. */
  level: Price | null;
  on_date: string | null;
  settles_at: string | null;
  /** The last day of the period of a touch. */
  until: string | null;
};

// "Over any one minute" and "under the rules" are no comparisons.
const UP =
  /\b(?:above|higher|greater|exceeds?|over(?= \$?\d)|more than(?= \$?\d)|at least|reach(?:es)?|rises? to|surpass(?:es)?)\b|[≥>]/i;
const DOWN =
  /\b(?:below|lower|less|under(?= \$?\d| the price)|beneath|at most|no more than|dips?|falls?|drops?|fewer)\b|[≤<]/i;
/** "not higher than", "does not exceed", "is no longer above": a negated comparison. */
const NEGATED_COMPARISON =
  /(?:\b(?:not|never|no|cannot|fail(?:s|ed)? to)\b|n[’']t\b)(?: [\w’'"-]+){0,4}? (?:above|higher|greater|exceed|over|more|at least|reach|rise|surpass|below|lower|less|under|dip|fall|drop|touch|hit|trade|close|settle)/i;

/** Returns the direction of the first comparison. Null when there is none. */
function parseDirection(text: string): 'up' | 'down' | null {
  const [up, down] = [text.search(UP), text.search(DOWN)];
  if (up < 0 && down < 0) return null;
  return down < 0 || (up >= 0 && up < down) ? 'up' : 'down';
}

const COMPARED =
  /\b(?:above|below|over|under|exceeds?|at least|at most|(?:higher|greater|lower|less|more)(?: than)?(?: or equal to)?|equal to or (?:greater|higher|lower|less) than|(?:reach|dip|fall|drop|rise)(?:e?s)?(?: to)?) (?:or equal to )?\$?(\d[\d,]*(?:\.\d+)?[kmb]?)\b(?! ?(?:am|pm|:|minute|second|hour|%))/gi;

/**
 * Whether a sentence compares only with other levels. A level that is one cent step below a round
 * number equals that number.
 */
function namesOtherLevel(text: string, level: Price, kind: Cadence): boolean {
  const side = kind === 'low' ? 'below' : 'above';
  const levels = [...text.matchAll(COMPARED)].flatMap((match) => parsePriceLabel(match[1] ?? '') ?? []);
  const same = (one: Price) =>
    one === level || levelOfStrictStrike(one, side).level === level || isNextPrice(one, level, side);
  return levels.length > 0 && !levels.some(same);
}

const ASSETS: readonly RegExp[] = [
  /\b([A-Z]{2,6})[/-]?(?:USDT?|USD)\b/,
  /CF Benchmarks['’]? (\w+(?: \w+)?) Real-Time Index/i,
  /\bprice of (\w+(?: \w+)?)\b/i,
];

const namesOtherAsset = (text: string, asset: string): boolean => {
  const named = ASSETS.flatMap((pattern) => assetNamed(pattern.exec(text)?.[1] ?? '') ?? []);
  return named.length > 0 && named.every((one) => one.id !== asset);
};

const addDays = (day: string, by: number): string =>
  new Date(Date.parse(day) + by * 86_400_000).toISOString().slice(0, 10);

/**
 * Whether a sentence names another day or hour than the fields. An hour without a zone is not
 * compared.
 */
function namesOtherInstant(text: string, { on_date, settles_at }: ExpectedPrice): boolean {
  if (on_date === null || settles_at === null) return false;
  const clocks = parseClocks(text).filter((one) => one.zone.kind !== 'none');
  const day = parseDate(text, on_date);
  if (clocks.length === 0) return day !== null && day !== on_date;
  // The day of a clock in another zone may be the day before or after the day in New York.
  const days = day === null ? [on_date, addDays(on_date, -1), addDays(on_date, 1)] : [day];
  return !clocks.some((one) =>
    days.some((on) => instantOfClock(on, one, null)?.slice(0, 13) === settles_at.slice(0, 13)),
  );
}

const FULL =
  /\b(jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*\.? (?:(\d{1,2})(?:st|nd|rd|th)?,? )?(20\d{2})\b/gi;

/**
 * Whether a sentence names a period with another end. Its last day, or the day after it with
 * "before", is the same end.
 */
function namesOtherPeriod(text: string, until: string): boolean {
  const named = [...text.matchAll(FULL)].map((match) => ({
    month: parseMonth(match[1] ?? '') ?? 0,
    day: match[2] === undefined ? null : Number(match[2]),
    year: Number(match[3]),
  }));
  if (named.length === 0) {
    const years = [...text.matchAll(/\b(?:in|during|of|before|by the end of) (20\d{2})\b/gi)].map((match) =>
      Number(match[1]),
    );
    const last = Number(until.slice(0, 4));
    return years.length > 0 && !years.some((year) => year === last || (year === last + 1 && /\bbefore\b/i.test(text)));
  }
  return !named.some(({ year, month, day }) => {
    if (day === null) return until.startsWith(`${year}-${String(month).padStart(2, '0')}`);
    const date = isoDate(year, month, day);
    // A named day also ends a whole month when it is in that month, because the last trading day
    // ends it.
    const ends = addDays(until, 1).endsWith('-01') && date?.slice(0, 7) === until.slice(0, 7);
    const before = /\bbefore\b/i.test(text) && date === addDays(until, 1);
    return ends || before || date === until;
  });
}

/** Checks a condition of a payoff sentence against the fields. */
export function checkPriceCondition(condition: string, priced: ExpectedPrice): PayoffResult {
  const wanted = priced.kind === 'low' ? 'down' : 'up';
  const direction = parseDirection(condition);
  if (NEGATED_COMPARISON.test(condition)) return 'contradicts';
  if (namesOtherAsset(condition, priced.asset) || namesOtherInstant(condition, priced)) return 'contradicts';
  if (priced.until !== null && namesOtherPeriod(condition, priced.until)) return 'contradicts';
  if (direction === null || /\bbetween \$?[\d,.]+k? (?:and|to) \$?[\d,.]+/i.test(condition)) return 'not_found';
  if (direction !== wanted) return 'contradicts';
  return priced.level !== null && namesOtherLevel(condition, priced.level, priced.kind) ? 'contradicts' : 'agrees';
}

/**
 * Whether title, question or label of a contract ask for the opposite of its ladder: by a negation
 * or by the other direction.
 */
export function isTitleInverted(text: string, kind: Cadence): boolean {
  const direction = parseDirection(text.replace(/[<>≥≤]/g, ' '));
  return findNegation(text) !== null || (direction !== null && direction !== (kind === 'low' ? 'down' : 'up'));
}

/** One contract of a ladder with its own words. */
export type PricedText = { titles: readonly (string | null)[]; text: string | null; priced: ExpectedPrice };

/** Combines the results of all contracts of a price ladder and of the title of the event. */
export function payoffOfLadder(title: string | null, contracts: readonly PricedText[]): PayoffResult {
  if (title !== null && findNegation(title) !== null) return 'contradicts';
  const results = contracts.flatMap(({ titles, text, priced }): PayoffResult[] => {
    if (titles.some((one) => one !== null && isTitleInverted(one, priced.kind))) return ['contradicts'];
    return text === null ? [] : [payoffOfText(text, (condition) => checkPriceCondition(condition, priced))];
  });
  return worstOf(results);
}
