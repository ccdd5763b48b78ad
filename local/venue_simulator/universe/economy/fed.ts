import { DAY, easternInstant, easternParts, MINUTE } from '../../core/eastern.ts';
import { keyOf, unit } from '../../core/random.ts';
import { drawWinner, fieldChances } from '../chances.ts';
import { longSchedule } from '../listing/long_schedule.ts';
import type { Question } from '../question.ts';
import { fedOnA, fedOnB, fedTicker } from './fed_listings.ts';
import { FED_MOVES } from './fed_moves.ts';

/** Published dates of Fed announcements. Later years use TYPICAL_DATES. */
const MEETINGS = [
  ...['2026-01-28', '2026-03-18', '2026-04-29', '2026-06-17', '2026-07-29', '2026-09-16', '2026-10-28', '2026-12-09'],
  ...['2027-01-27', '2027-03-17', '2027-04-28', '2027-06-09', '2027-07-28', '2027-09-15', '2027-10-27', '2027-12-08'],
];
const TYPICAL_DATES = ['01-28', '03-18', '04-29', '06-17', '07-29', '09-16', '10-28', '12-09'];

/** The next two meetings after the base time. */
export function fedQuestions(seed: number, base: number): Question[] {
  return meetingsAfter(base)
    .slice(0, 2)
    .map((at) => decision(seed, base, at));
}

function meetingsAfter(base: number): number[] {
  const year = easternParts(base).year;
  const listed = MEETINGS.some((date) => date.startsWith(String(year + 1)));
  const dates = listed ? MEETINGS : [year, year + 1].flatMap((y) => TYPICAL_DATES.map((day) => `${y}-${day}`));
  return dates
    .map((date) => easternInstant(Number(date.slice(0, 4)), Number(date.slice(5, 7)), Number(date.slice(8)), 14))
    .filter((at) => at > base + DAY);
}

function decision(seed: number, base: number, at: number): Question {
  const key = keyOf(seed, fedTicker(at));
  const logits = FED_MOVES.map((move, i) => move.lean + 0.7 * (unit(key, 10 + i) - 0.5));
  const moments = longSchedule({
    listed_a: base - 80 * DAY,
    listed_b: base - 70 * DAY,
    stopped_a: at - MINUTE,
    stopped_b: at + 10 * MINUTE,
    ends: at,
  });
  const meeting = { seed, at, moments, chances: fieldChances(key, logits), winner: drawWinner(key, logits) };
  const a = fedOnA(meeting);
  const b = fedOnB(meeting);
  const legs = FED_MOVES.map((move, i) => ({
    name: move.b,
    ticker: `${a.ticker}-${move.code}`,
    side: 'yes' as const,
    token_id: b.markets[i]?.tokens[0] ?? '',
  }));
  return { key: a.ticker, family: 'fed_decision', moments, a, b, legs, subject: 'fed' };
}
