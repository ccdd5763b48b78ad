import type { Question } from '../../listing.ts';
import { type Context, type Exclusion, earliest, urlOf } from '../question.ts';
import { parseInstant } from '../text/eastern.ts';
import { joined, type RawObject, records, rulesOfB, text, textsOfB, yesContract } from '../text/raw_object.ts';
import { summaryTextOf, truncateRules } from '../text/summary_text.ts';
import { normalize } from '../text/text.ts';
import { type BandLeg, econPrint, type Print } from './econ.ts';
import { type Band, keyOfBand, parseBand } from './econ_band.ts';
import { type PrintText, payoffOfPrint } from './econ_payoff.ts';
import { toPeriod, yearAround, yearBefore } from './econ_period.ts';
import { indicatorOf } from './econ_registry.ts';
import { mayNameIndicator, mergeSubjects, parseSubject, type Subject } from './econ_subject.ts';
import { econTerms } from './econ_terms.ts';

type ParsedMarket = { market: RawObject; subject: Subject | null; question: string | null; label: string | null };

/**
 * Parses an economic print of venue_b: the buckets of one release ("October unemployment rate?"),
 * or one bucket as an event of its own.
 */
export function econB(event: RawObject, context: Context): Question[] {
  const slug = text(event.slug);
  if (slug === null || !mayNameIndicator(summaryTextOf(event))) return [];
  const about = parseEventSubject(event, slug);
  const markets = records(event.markets).map((market): ParsedMarket => {
    const question = text(market.question);
    const subject = question === null ? null : parseSubject(question);
    return { market, subject: subject?.closed ? subject : null, question, label: text(market.groupItemTitle) };
  });
  const plain = markets.filter((one) => one.subject !== null && namesPrint(one.subject, about));
  const subjects = [...(about ? [about] : []), ...plain.flatMap((one) => one.subject ?? [])];
  const { indicators, periods, countries, bases, years } = mergeSubjects(subjects);
  const [id = ''] = indicators;
  const [named] = periods;
  const indicator = indicatorOf(id);
  if (indicators.size !== 1 || indicator === null || named === undefined) return [];
  const rules = truncateRules(
    rulesOfB(
      event,
      markets.map((one) => one.market),
    ),
  );
  const country = countryOf(countries, rules);
  const basis = basisOf(bases, indicator.basis, indicator.id, country.id, rules);
  if (basis === null) return [];
  const end = earliest([
    parseInstant(text(event.endDate)),
    ...markets.map((one) => parseInstant(text(one.market.endDate))),
  ]);
  const dated = datePeriod(named, [...years][0] ?? null, slug, end, context.now);
  const excluded = periods.size > 1 || years.size > 1 ? 'contradictory' : country.excluded;
  const print = { country: country.id, indicator, basis, ...dated, print: printOf(rules) };
  return [buildPrint(slug, event, print, markets, { about, end, rules, excluded })];
}

function buildPrint(
  slug: string,
  event: RawObject,
  print: Print,
  markets: readonly ParsedMarket[],
  facts: { about: Subject | null; end: string | null; rules: string | null; excluded: Exclusion | null },
): Question {
  const legs = markets.flatMap((one): BandLeg[] => {
    const yes = yesContract(one.market);
    const band = parseMarketBand(one, facts.about, print);
    return yes === null || band === null ? [] : [{ band, ...yes, side: null, over: one.market.closed === true }];
  });
  const expected = { indicator: print.indicator.id, basis: print.basis, period: print.period };
  const about = joined(event.description);
  const contracts = markets.map(
    (one): PrintText => ({
      titles: [one.question, one.label],
      text: joined(one.market.description) ?? about,
      band: parseMarketBand(one, facts.about, print),
    }),
  );
  if (about !== null) contracts.push({ titles: [], text: about, band: null });
  const named = [event, ...markets.map((one) => one.market)].flatMap((one) => text(one.resolutionSource) ?? []);
  return econPrint('venue_b', slug, print, 'buckets', legs, {
    close_at: facts.end,
    url: urlOf('venue_b', slug, null),
    title: text(event.title),
    unread: markets.length - legs.length,
    payoff: payoffOfPrint(text(event.title), contracts, expected),
    excluded: facts.excluded,
    terms: econTerms(
      facts.rules,
      textsOfB(
        event,
        markets.map((one) => one.market),
      ),
      [...new Set(named)].sort(),
      expected,
    ),
  });
}

/**
 * Parses the title of an event, or its slug when it has no title. Null when the words do not
 * clearly name a print.
 */
function parseEventSubject(event: RawObject, slug: string): Subject | null {
  const title = text(event.title);
  const words = slug.replace(/-(?!20\d\d(?:-|$))\d+(?=-|$)/g, '').replace(/-/g, ' ');
  const subject = parseSubject(title ?? words);
  return subject.closed && subject.indicators.size > 0 ? subject : null;
}

/**
 * Whether a question counts as part of the print. One that names neither indicator nor period
 * counts only under a title that names them.
 */
function namesPrint(subject: Subject, about: Subject | null): boolean {
  if (about !== null) return true;
  return subject.indicators.size > 0 && subject.periods.size > 0;
}

/**
 * Parses the band of a market. Label and question must name the same figures. A label alone is
 * enough under the title of a print.
 */
function parseMarketBand(one: ParsedMarket, about: Subject | null, { indicator, basis }: Print): Band | null {
  const { unit } = indicator;
  // By how much a rate rises is another question than its level.
  if (basis === 'level' && /\b(?:rise|fall|drop|grow|increase|decrease)s?\b/i.test(one.question ?? '')) return null;
  const inQuestion = one.subject !== null && one.question !== null ? parseBand(one.question, unit) : null;
  const inLabel = one.label === null ? null : parseBand(one.label, unit);
  if (inQuestion !== null && inLabel !== null) return keyOfBand(inQuestion) === keyOfBand(inLabel) ? inQuestion : null;
  if (inQuestion !== null) return one.label === null || about === null ? inQuestion : null;
  return about !== null && one.question === null ? inLabel : null;
}

/**
 * Returns the country of a listing. Without a named country it is the United States, unless the
 * rules name another one.
 */
function countryOf(named: ReadonlySet<string>, rules: string | null): { id: string; excluded: Exclusion | null } {
  const [id] = named;
  if (id !== undefined) return { id, excluded: named.size > 1 ? 'contradictory' : null };
  if (rules === null) return { id: 'us', excluded: null };
  const others = [...parseSubject(rules).countries].filter((one) => one !== 'us');
  if (others.length > 0) return { id: 'us', excluded: 'contradictory' };
  const american =
    /\bBLS\b|bureau of labor|\bBEA\b|bureau of economic analysis|\bU\.?S\.?\b|united states|department of labor|institute for supply|\bISM\b|\bADP\b|census bureau/i;
  return { id: 'us', excluded: american.test(rules) ? null : 'unknown_alias' };
}

function basisOf(
  named: ReadonlySet<string>,
  only: string | null,
  indicator: string,
  country: string,
  rules: string | null,
): string | null {
  const bases = named.has('saar') ? new Set(['saar']) : named;
  if (bases.size > 1) return null;
  const [one] = bases;
  if (only !== null) return one === undefined || one === only ? only : null;
  const inRules = one ?? parseBasis(rules);
  if (inRules !== null) return inRules;
  if (indicator !== 'gdp') return null;
  // The quarterly figure that is commonly quoted: annualized in the United States, against the
  // previous quarter elsewhere. China quotes the change over the year.
  return country === 'us' ? 'saar' : country === 'cn' ? null : 'qoq';
}

function parseBasis(rules: string | null): string | null {
  const text = normalize(rules ?? '');
  const found = [
    ['saar', /\bannuali[sz]ed\b/],
    ['yoy', /\b(?:12|twelve) month|year over year|year on year|\byoy\b/],
    ['mom', /\b(?:1|one) month|month over month|month on month|preceding month|\bmom\b/],
    ['qoq', /quarter over quarter|quarter on quarter|previous quarter|\bqoq\b/],
  ].filter(([, pattern]) => (pattern as RegExp).test(text));
  return found.length === 1 ? String(found[0]?.[0]) : null;
}

/**
 * Returns `first`, or the name of a later estimate. A later estimate of a period is a question of
 * its own.
 */
function printOf(rules: string | null): string {
  const later = /\b(second|third|final|revised) (?:estimate|reading|print)\b/i.exec(rules ?? '')?.[1];
  const first = /\b(?:advance|first|initial|flash|preliminary)\b/i.test(rules ?? '');
  return later !== undefined && !first ? later.toLowerCase() : 'first';
}

function datePeriod(
  named: string,
  year: number | null,
  slug: string,
  end: string | null,
  now: string,
): { period: string | null; period_by: string | null } {
  const inSlug = /-(20\d{2})(?!-\d{2}-\d{2})(?:-|$)/.exec(slug)?.[1];
  const choices: [number | null, string][] = [
    [year, 'text'],
    [inSlug === undefined ? null : Number(inSlug), 'slug'],
    [end === null ? null : yearBefore(named, end), 'end_date'],
    [yearAround(named, now), 'inferred'],
  ];
  const found = choices.find(([one]) => one !== null);
  if (!found || found[0] === null) return { period: null, period_by: null };
  return { period: toPeriod(found[0], named), period_by: found[1] };
}
