import type { Json } from '../listing.ts';
import { rulesState } from './terms.ts';

/** What a rate decision's own text says about the cases in which two venues part. A term that it does not speak of is null. */
export function decisionTerms(rules: string | null, sources: readonly string[]): { [term: string]: Json } {
  if (rules === null) return { rules: 'none', sources: [...sources] };
  return {
    rules: rulesState(rules),
    cancelled: onNoDecision(rules),
    rounding: /round(?:ed|s)? up to the nearest 25/i.test(rules) ? 'up_to_25' : null,
    announcement: countsFrom(rules),
    emergency: emergency(rules),
    rate: rateOf(rules),
    sources: [...sources],
  };
}

/** A meeting that is called off or ends without a word. */
function onNoDecision(rules: string): string | null {
  const about = sentences(rules).filter((one) =>
    /cancel+ed|postponed|without a statement|no statement|not (?:be )?(?:held|take place|meet)|does not (?:meet|occur)/i.test(
      one,
    ),
  );
  for (const one of about) {
    if (/"?no change"?|(?:hike|cut) (?:of )?0 ?b|0 ?bps|\bmaintain|\bholds?\b/i.test(one)) return 'no_change';
    if (/fair (?:market )?(?:price|value)/i.test(one)) return 'fair_price';
    if (/50[-/ ]50/.test(one)) return 'split';
    if (/resolves? to "?no\b/i.test(one)) return 'no';
  }
  return null;
}

/** Does the decision count when it is announced, or when the new rate is in force? */
function countsFrom(rules: string): string | null {
  const effective = /\b(?:takes? effect|comes? into (?:effect|force)|effective (?:date|as of|from))\b/i.test(rules);
  const announced = /\b(?:announc\w+|statement|press release)\b/i.test(rules);
  if (effective && !announced) return 'effective';
  return announced && !effective ? 'announced' : null;
}

function emergency(rules: string): string | null {
  const about = sentences(rules).find((one) => /emergency|unscheduled|inter-?meeting/i.test(one));
  if (about === undefined) return null;
  return /\bnot\b|\bonly\b|exclud|disregard|ignor/i.test(about) ? 'excluded' : 'included';
}

const RATES: readonly (readonly [string, RegExp])[] = [
  ['federal_funds_upper_bound', /upper bound/i],
  ['deposit_facility', /deposit facility/i],
  ['main_refinancing', /main refinancing/i],
  ['bank_rate', /\bbank rate\b/i],
  ['overnight_target', /target for the overnight rate|overnight (?:rate )?target/i],
  ['cash_rate', /\bcash rate\b/i],
  ['repo', /\brepo rate\b/i],
];

/** Which of a bank's rates decides; null where the text names none or several. */
function rateOf(rules: string): string | null {
  const named = RATES.filter(([, pattern]) => pattern.test(rules));
  return named.length === 1 ? (named[0]?.[0] ?? null) : null;
}

const sentences = (text: string): string[] => text.split(/(?<=[.!?])\s+|\n+/);
