import type { Json } from '../listing.ts';
import { rulesState } from './terms.ts';

/** What a print's own text says about the cases in which two venues part. A term that it does not speak of is null. */
export function econTerms(
  rules: string | null,
  sources: readonly string[],
  period: string | null,
): { [term: string]: Json } {
  if (rules === null) return { rules: 'none', sources: [...sources] };
  return {
    rules: rulesState(rules),
    revisions: revisions(rules),
    missing: onMissing(rules),
    precision: /single[- ]decimal|one decimal|to one decimal|nearest tenth/i.test(rules) ? 'one_decimal' : null,
    adjustment: adjustment(rules),
    boundary: /exactly between (?:two|2) (?:brackets|ranges)[^.]*higher/i.test(rules) ? 'higher' : null,
    agency: agencyOf(rules),
    fields_agree: namesPeriod(rules, period),
    sources: [...sources],
  };
}

/** Which of a period's figures counts: the `first`, or a later one. */
function revisions(rules: string): string | null {
  if (/\b(?:second|third|final|revised) (?:estimate|release|print|reading)\b/i.test(rules)) return 'later';
  const ignored = /revis\w+[^.]*\b(?:not|disregard|ignor|exclud)|\b(?:not|ignor|disregard)\w*[^.]*\brevis/i.test(rules);
  if (
    ignored ||
    /\b(?:advance|first|initial|flash|preliminary) (?:official )?(?:estimate|release|print|reading)\b/i.test(rules)
  ) {
    return 'first';
  }
  return null;
}

/** Figures that never come out in time. */
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

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** Does the text speak of the listing's own period? Null where it names none at all. */
function namesPeriod(rules: string, period: string | null): boolean | null {
  const quarter = /-Q([1-4])$/.exec(period ?? '')?.[1];
  if (quarter !== undefined) {
    const named = [...rules.matchAll(/\bQ([1-4])\b|\b(first|second|third|fourth) quarter\b/gi)].map(
      (match) => match[1] ?? String(['first', 'second', 'third', 'fourth'].indexOf((match[2] ?? '').toLowerCase()) + 1),
    );
    return named.length === 0 ? null : named.includes(quarter);
  }
  const month = /^\d{4}-(\d{2})/.exec(period ?? '')?.[1];
  const named = MONTHS.filter((name) => new RegExp(`\\b${name}\\b`).test(rules));
  return month === undefined || named.length === 0 ? null : named.includes(MONTHS[Number(month) - 1] ?? '');
}
