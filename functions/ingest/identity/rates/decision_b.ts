import type { Question } from '../../listing.ts';
import { type Context, earliest, urlOf } from '../question.ts';
import { isoDate, parseInstant, parseMonth } from '../text/eastern.ts';
import { joined, type RawObject, records, rulesOfB, text, textsOfB, yesContract } from '../text/raw_object.ts';
import { summaryTextOf, truncateRules } from '../text/summary_text.ts';
import { decisionQuestion, type Meeting, type MoveLeg } from './decision.ts';
import { keyOfMove, moveOf, orderOfMove } from './decision_move.ts';
import { type MoveText, payoffOfMoves } from './decision_payoff.ts';
import { BANKS, type Bank } from './decision_registry.ts';
import {
  type Move,
  mayNameBank,
  type ParsedStatement,
  parseDecision,
  renderOpenEndedMove,
} from './decision_statement.ts';
import { decisionTerms } from './decision_terms.ts';

type ParsedMarket = { market: RawObject; question: ParsedStatement | null; label: ParsedStatement | null };

/**
 * Parses a rate decision of venue_b: the event of a meeting ("Bank of Japan decision in June?"), or
 * one choice as an event of its own.
 */
export function decisionB(family: 'fed_decision' | 'cb_decision') {
  return (event: RawObject, context: Context): Question[] => {
    const slug = text(event.slug);
    if (slug === null || !mayNameBank(summaryTextOf(event))) return [];
    const about = parseEventStatement(event, slug);
    const markets = records(event.markets).map((market) => parseMarket(market));
    const plain = markets.filter((one) => sizeOf(one, about) !== null);
    const statements = [...(about ? [about] : []), ...plain.flatMap((one) => one.question ?? [])];
    const bank = oneBank(statements);
    if (
      bank?.family !== family ||
      !statements.some((one) => one.occasion) ||
      !statements.some((one) => one.month !== null)
    )
      return [];
    return [buildDecision(slug, event, context, bank, statements, markets, about)];
  };
}

/**
 * Parses the title of an event, or its slug when it has no title. Null when the words do not
 * clearly name the decision of one bank.
 */
function parseEventStatement(event: RawObject, slug: string): ParsedStatement | null {
  const title = text(event.title);
  const words = slug
    .replace(/-\d{2}-\d{2}$/, '')
    .replace(/-(?!20\d\d(?:-|$))\d+(?=-|$)/g, '')
    .replace(/-/g, ' ');
  const statement = parseDecision(title ?? words);
  if (!statement.closed || statement.banks.size !== 1) return null;
  // "ECB Interest Rates: October 2026" is the title of a meeting, although it contains no word for
  // one.
  return {
    ...statement,
    occasion: statement.occasion || (title !== null && statement.size === null && statement.month !== null),
  };
}

function parseMarket(market: RawObject): ParsedMarket {
  const [question, label] = [text(market.question), text(market.groupItemTitle)];
  return {
    market,
    question: question === null ? null : parseDecision(question),
    label: label === null ? null : parseDecision(label),
  };
}

/**
 * Returns the change that a market states. A label alone is enough under the title of a decision.
 * Otherwise the question must state it.
 */
function sizeOf(one: ParsedMarket, about: ParsedStatement | null): ParsedStatement['size'] {
  if (one.question?.size) return one.question.size;
  return about !== null ? (one.label?.size ?? null) : null;
}

function oneBank(statements: readonly ParsedStatement[]): Bank | null {
  const ids = new Set(statements.flatMap((one) => [...one.banks]));
  const [id] = ids;
  return ids.size === 1 ? (BANKS.find((bank) => bank.id === id) ?? null) : null;
}

function buildDecision(
  slug: string,
  event: RawObject,
  context: Context,
  bank: Bank,
  statements: readonly ParsedStatement[],
  stated: readonly ParsedMarket[],
  about: ParsedStatement | null,
): Question {
  const markets = stated.map((one) => one.market);
  const read = stated.map((one) => ({ ...one, ...parseMove(one, about, bank) }));
  const legs = read.flatMap(({ market, move }): MoveLeg[] => {
    const yes = yesContract(market);
    return move === null || yes === null ? [] : [{ move, ...yes, side: null, over: market.closed === true }];
  });
  const end = earliest([
    parseInstant(text(event.endDate)),
    ...markets.map((market) => parseInstant(text(market.endDate))),
  ]);
  const rules = truncateRules(rulesOfB(event, markets));
  const meeting = parseMeeting(slug, statements, rules, end, context.now);
  const own = joined(event.description);
  const contracts = read.map(
    ({ market, move }): MoveText => ({
      titles: [text(market.question), text(market.groupItemTitle)],
      text: joined(market.description) ?? own,
      move,
    }),
  );
  return decisionQuestion('venue_b', slug, bank, meeting, legs, {
    close_at: end,
    url: urlOf('venue_b', slug, null),
    title: text(event.title),
    unread: markets.length - legs.length,
    payoff: payoffOfMoves(text(event.title), contracts, { bank, month: meeting.month }),
    contradictory: meeting.contradictory || read.some((one) => one.contradictory),
    terms: decisionTerms(rules, textsOfB(event, markets), sourcesOf(event, markets), {
      bank: bank.id,
      month: meeting.month,
      outer: renderOpenEndedMove(stated.map((one) => sizeOf(one, about))),
    }),
  });
}

function parseMove(
  one: ParsedMarket,
  about: ParsedStatement | null,
  bank: Bank,
): { move: Move | null; contradictory: boolean } {
  const moves = [one.question?.size, one.label?.size].flatMap((size) => (size ? (moveOf(size, bank.step) ?? []) : []));
  if (new Set(moves.map(keyOfMove)).size > 1) {
    // A coarser label ("Increase" with "by 25 bps") drops the contract. A label of another
    // direction excludes the listing.
    return { move: null, contradictory: new Set(moves.map((move) => Math.sign(orderOfMove(move)))).size > 1 };
  }
  const size = sizeOf(one, about);
  return { move: size === null ? null : moveOf(size, bank.step), contradictory: false };
}

/**
 * Parses the meeting. Title, slug or question name the month, but seldom the year. The year comes
 * from one of them or the rules, else from the end date, else from the current time.
 */
function parseMeeting(
  slug: string,
  statements: readonly ParsedStatement[],
  rules: string | null,
  end: string | null,
  now: string,
): Meeting & { contradictory: boolean } {
  const months = new Set(statements.flatMap((one) => one.month ?? []));
  const years = new Set(statements.flatMap((one) => one.year ?? []));
  const [number = null] = months;
  const contradictory = months.size > 1 || years.size > 1;
  const dated = /-(20\d{2})-(\d{2})-(\d{2})$/.exec(slug);
  if (number === null || contradictory) return { month: null, by: null, day: null, contradictory };
  const day = (dated && isoDate(Number(dated[1]), Number(dated[2]), Number(dated[3]))) ?? parseDay(rules, number);
  const [year, by] = yearOf(number, [...years][0] ?? null, dated ? Number(dated[1]) : null, slug, day, end, now);
  const month = year === null ? null : `${year}-${String(number).padStart(2, '0')}`;
  const agrees = day === null || month === null || day.startsWith(month);
  return { month, by, day: agrees ? day : null, contradictory: !agrees && by !== 'inferred' };
}

function yearOf(
  month: number,
  stated: number | null,
  dated: number | null,
  slug: string,
  day: string | null,
  end: string | null,
  now: string,
): [number | null, string | null] {
  if (dated !== null) return [dated, 'slug'];
  if (stated !== null) return [stated, 'text'];
  const inSlug = /-(20\d{2})(?:-|$)/.exec(slug);
  if (inSlug) return [Number(inSlug[1]), 'slug'];
  if (day !== null) return [Number(day.slice(0, 4)), 'text'];
  if (end !== null) {
    const at = new Date(end);
    // An end date is the day of the decision or shortly after it.
    return [at.getUTCMonth() + 1 >= month ? at.getUTCFullYear() : at.getUTCFullYear() - 1, 'end_date'];
  }
  const today = new Date(now);
  if (Number.isNaN(today.getTime())) return [null, null];
  return [today.getUTCFullYear() + (month < today.getUTCMonth() + 1 ? 1 : 0), 'inferred'];
}

/**
 * Returns the last day of "…scheduled for September 15-16, 2026" or "January 31 - February 1,
 * 2023", if it is in the month of the meeting.
 */
function parseDay(rules: string | null, month: number): string | null {
  const pattern =
    /\b([A-Z][a-z]+)\.? (\d{1,2})(?:st|nd|rd|th)?(?: ?(?:-|–|—|to|and) ?(?:([A-Z][a-z]+)\.? )?(\d{1,2})(?:st|nd|rd|th)?)?,? (20\d{2})/g;
  const days = new Set<string>();
  for (const match of (rules ?? '').matchAll(pattern)) {
    if (parseMonth(match[3] ?? match[1] ?? '') !== month) continue;
    const day = isoDate(Number(match[5]), month, Number(match[4] ?? match[2]));
    if (day !== null) days.add(day);
  }
  const [day] = days;
  // With two days in that month, one of them is something else.
  return days.size === 1 ? (day ?? null) : null;
}

function sourcesOf(event: RawObject, markets: readonly RawObject[]): string[] {
  const named = [event, ...markets].flatMap((one) => text(one.resolutionSource) ?? []);
  return [...new Set(named)].sort();
}
