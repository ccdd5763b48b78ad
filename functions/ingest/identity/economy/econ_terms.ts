import type { Json } from '../../listing.ts';
import { allAgree, worstRulesState } from '../terms/terms.ts';
import { parseMonth } from '../text/eastern.ts';

/** The figure that the fields of the listing ask about. */
export type EconTermsInput = { indicator: string; basis: string; period: string | null };

/**
 * Parses the settlement terms of a print on which two venues may differ. `texts` holds the text of
 * every contract. A term that the text does not mention is null.
 */
export function econTerms(
  rules: string | null,
  texts: readonly string[],
  sources: readonly string[],
  expected: EconTermsInput,
): { [term: string]: Json } {
  if (rules === null) return { rules: 'none', sources: [...sources] };
  return {
    rules: worstRulesState(texts),
    revisions: revisions(rules),
    missing: onMissing(rules),
    precision: /single[- ]decimal|one decimal|to one decimal|nearest tenth/i.test(rules) ? 'one_decimal' : null,
    adjustment: adjustment(rules),
    boundary: /exactly between (?:two|2) (?:brackets|ranges)[^.]*higher/i.test(rules) ? 'higher' : null,
    // A text of one line ("is exactly 4.2% in Jul 2026") leaves the source to the field of the
    // listing.
    agency: agencyOf(rules) ?? agencyOf(sources.join('\n')),
    fields_agree: allAgree(texts.flatMap((text) => [namesPeriod(text, expected.period), namesMeasure(text, expected)])),
    sources: [...sources],
  };
}

const LATER = /\b(?:second|third|final|revised|later) (?:estimate|release|print|reading)/i;
const FIRST = /\b(?:advance|first|initial|flash|preliminary) (?:official )?(?:estimate|release|print|reading)\b/i;
const NEGATED = /\b(?:not|no|disregard\w*|ignor\w*|exclud\w*|without|regardless)\b/i;

/**
 * Returns which figure of a period counts: the `first`, or a `later` one. A sentence that excludes
 * later figures names them too.
 */
function revisions(rules: string): string | null {
  const sentences = rules.split(/(?<=[.!?])\s+|\n+|;/);
  if (sentences.some((one) => LATER.test(one) && !NEGATED.test(one) && !FIRST.test(one))) return 'later';
  const ruledOut = sentences.some((one) => NEGATED.test(one) && (LATER.test(one) || /\brevis/i.test(one)));
  return ruledOut || FIRST.test(rules) ? 'first' : null;
}

/** Returns what happens when the figures are not published in time. */
function onMissing(rules: string): string | null {
  if (
    /(?:last|most recent)[^.]*(?:available|previous)[^.]*(?:data|month|period|release)|most recent previous month/i.test(
      rules,
    )
  ) {
    return 'previous_print';
  }
  if (/expiration date will be extended|extended to the sooner/i.test(rules)) return 'waits';
  return null;
}

function adjustment(rules: string): string | null {
  const raw = /(?:before|without|not) seasonal(?:ly)? adjust|unadjusted|not seasonally/i.test(rules);
  const adjusted = /(?<!not )\bseasonally adjusted\b/i.test(rules);
  if (raw === adjusted) return null;
  return raw ? 'unadjusted' : 'seasonal';
}

const AGENCIES: readonly (readonly [string, RegExp])[] = [
  ['bls', /bureau of labor statistics|\bBLS\b/],
  ['bea', /bureau of economic analysis|\bBEA\b/i],
  ['dol', /department of labor/i],
  ['census', /census bureau/i],
  ['ism', /institute for supply management|\bISM\b/],
  ['adp', /\bADP\b/],
  ['ons', /office for national statistics|\bONS\b/],
  ['eurostat', /eurostat/i],
];

function agencyOf(rules: string): string | null {
  const named = AGENCIES.filter(([, pattern]) => new RegExp(pattern, 'i').test(rules));
  return named.length === 1 ? (named[0]?.[0] ?? null) : null;
}

const PRICES = /(?:cpi|pce|ppi)$/;

/**
 * For price indices: whether the text is about the same measure as the fields, all items or core,
 * monthly or yearly. Null when it states neither.
 */
export function namesMeasure(rules: string, { indicator, basis }: EconTermsInput): boolean | null {
  if (!PRICES.test(indicator)) return null;
  const core = /\bcore\b|(?:less|excluding|without) food/i.test(rules);
  const year = /\b(?:12|twelve)[- ]months?\b|year[- ](?:over|on)[- ]year|\byoy\b/i.test(rules);
  const month = /\b(?:1|one)[- ]month\b|month[- ](?:over|on)[- ]month|\bmom\b/i.test(rules);
  if (core && !indicator.startsWith('core_')) return false;
  if (year === month) return null;
  return year ? basis === 'yoy' : basis === 'mom';
}

const QUARTERS = ['first', 'second', 'third', 'fourth'];
const MONTH = '(jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\\.?';

/**
 * Whether the text names the period of the listing. A month or quarter with a year decides, because
 * the day of a release lies in another month. One without a year counts only when none has a year.
 * Null when the text names no period.
 */
export function namesPeriod(rules: string, period: string | null): boolean | null {
  if (period === null) return null;
  const [year = '', quarter] = /^(\d{4})-Q([1-4])$/.exec(period)?.slice(1) ?? [];
  return quarter === undefined ? namesMonth(rules, period.slice(0, 7)) : namesQuarter(rules, year, quarter);
}

function isOwnPeriod(dated: readonly string[], bare: readonly string[], own: string, part: string): boolean | null {
  if (dated.length > 0) return dated.includes(own);
  return bare.length === 0 ? null : bare.includes(part);
}

function namesQuarter(rules: string, year: string, quarter: string): boolean | null {
  const named = [
    ...rules.matchAll(/\b(?:q([1-4])|(first|second|third|fourth) quarter)(?:,? (?:of )?(20\d\d))?\b/gi),
  ].map((match) => ({
    quarter: match[1] ?? String(QUARTERS.indexOf((match[2] ?? '').toLowerCase()) + 1),
    year: match[3],
  }));
  const dated = named.flatMap((one) => (one.year === undefined ? [] : [`${one.year}-${one.quarter}`]));
  return isOwnPeriod(
    dated,
    named.map((one) => one.quarter),
    `${year}-${quarter}`,
    quarter,
  );
}

function namesMonth(rules: string, month: string): boolean | null {
  const numbered = (name: string | undefined): string => String(parseMonth(name ?? '') ?? 0).padStart(2, '0');
  const dated = [...rules.matchAll(new RegExp(`\\b${MONTH},? (20\\d\\d)\\b`, 'gi'))].map(
    (match) => `${match[2]}-${numbered(match[1])}`,
  );
  // Capitalized names only: "may" is a verb more often than a month.
  const bare = [
    ...rules.matchAll(
      /\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)(?:uary|ruary|ch|il|e|y|ust|t|tember|ober|ember)?\b/g,
    ),
  ].map((match) => numbered(match[1]));
  return isOwnPeriod(dated, bare, month, month.slice(5));
}
