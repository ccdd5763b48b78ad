import type { Exclusion } from '../question.ts';
import { sportsTerms } from '../terms/terms.ts';
import { amount, type RawObject, text } from '../text/raw_object.ts';

/**
 * Parses the line of a venue_a market from its strike, its title, its label and its primary rules.
 */

export type Over = { line: number; by: string } | { problem: Exclusion; detail: string };

/**
 * Returns the line above which YES pays, as the half below the first count that wins. Every count
 * is a whole number, so "more than 44", "at least 45" and "over 44.5" are one line. Strike and
 * texts must state the same line. The number in the ticker is not the line.
 */
export function parseLineA(market: RawObject, rules: string | null): Over {
  const texts = [market.title, market.yes_sub_title, market.rules_primary].flatMap((one) => text(one) ?? []);
  const below = texts.find((one) => /\b(?:under|fewer than|less than|at most|or fewer|or less|exactly)\b/i.test(one));
  if (below !== undefined) return { problem: 'contradictory', detail: `the text pays below the line: "${below}"` };
  const strike = parseStrike(market);
  if (strike === 'unread') return { problem: 'incomplete', detail: `strike ${text(market.strike_type) ?? '?'}` };
  const lines = texts.flatMap(parseLines);
  const all = new Set([...(strike === null ? [] : [strike]), ...lines]);
  const [line, ...more] = [...all];
  if (line === undefined) return { problem: 'incomplete', detail: 'neither a strike nor a text states the line' };
  if (more.length > 0) return { problem: 'contradictory', detail: `lines ${[...all].join(', ')}` };
  const whole = amount(market.floor_strike);
  // A text that settles an exact hit describes a line that can be met. That is another contract
  // than the half next to it.
  if (whole !== null && Number.isInteger(whole) && (sportsTerms(rules, [], null).push ?? null) !== null)
    return { line: whole, by: 'strike' };
  return { line, by: strike === null ? 'text' : lines.length === 0 ? 'strike' : 'strike+text' };
}

const halfAbove = (value: number): number => Math.floor(value) + 0.5;
const halfFrom = (value: number): number => Math.ceil(value) - 0.5;

/**
 * Returns the strike as a half. Null when there is none, or when it is a whole number without a
 * comparison. `unread` for a strike type that is not "more than".
 */
function parseStrike(market: RawObject): number | null | 'unread' {
  // A scalar market pays by degree, so it has no two sides.
  if (text(market.market_type) === 'scalar') return 'unread';
  const floor = amount(market.floor_strike);
  const kind = text(market.strike_type);
  if (kind !== null && kind !== 'greater' && kind !== 'greater_or_equal') return 'unread';
  if (amount(market.cap_strike) !== null) return 'unread';
  if (floor === null) return null;
  if (kind === 'greater_or_equal') return halfFrom(floor);
  return kind === null && Number.isInteger(floor) ? null : halfAbove(floor);
}

const LINE_PATTERNS: readonly [RegExp, (value: number) => number][] = [
  [/\b(?:over|more than|above|scores? more) (\d+(?:\.\d+)?)\b/gi, halfAbove],
  [/\bat least (\d+(?:\.\d+)?)\b/gi, halfFrom],
  [/(?:^|\s)(\d+)\+/g, halfFrom],
  [/(?:^|\s)[-−–](\d+(?:\.\d+)?)\b/g, halfAbove],
];

/** Returns every line that a text mentions, as halves. */
function parseLines(one: string): number[] {
  return LINE_PATTERNS.flatMap(([pattern, half]) => [...one.matchAll(pattern)].map((match) => half(Number(match[1]))));
}

const NAMES = [
  /\bin favou?r of (?:the )?(.+?) across\b/i,
  /^(?:will |if )?(?:the )?(.+?) (?:to )?(?:wins?|covers?|scores?)\b/i,
  /^(?:the )?(.+?)(?: team total)?:? [-−–]\d/i,
  /^(?:the )?(.+?)(?: team total)?:? (?:over|more than|at least) \d/i,
  /^(?:the )?(.+?)(?: team total)?:? \d+\+/i,
];

/**
 * Returns the name of the team in each text of the market: "Indiana wins by over 18.5 points", "Jay
 * Clarke -1.5 games".
 */
export function parseTeamNames(market: RawObject): string[] {
  return [market.yes_sub_title, market.title, market.rules_primary].flatMap((one) => {
    const statement = text(one);
    if (statement === null) return [];
    const name = NAMES.map((pattern) => pattern.exec(statement)?.[1]?.trim()).find((found) => found !== undefined);
    return name === undefined || /\b(?:vs|at|teams?|full game)\b/i.test(name) ? [] : [name];
  });
}
