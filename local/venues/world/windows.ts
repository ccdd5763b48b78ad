import { MINUTE, SECOND } from '../core/eastern.ts';
import { keyOf, pick, unit } from '../core/random.ts';
import type { MarketB, Question } from '../universe/question.ts';

/**
 * Now and then venue B's price of one outcome runs away for 30 to 120 seconds, far enough that buying the cheap side
 * here and the rest on venue A pays after both venues' fees. The plan is a pure function of the slot's number.
 */
export type Window = {
  id: string;
  question: Question;
  market: MarketB;
  /** Added to the probability of outcome 0. */
  shift: number;
  opens: number;
  closes: number;
};

export const SLOT = 40 * SECOND;

/** A question's turn comes every fourth slot, longer than any window lasts: two can never overlap on one question. */
const TURNS = 4;

export function windowOf(seed: number, slot: number, questions: readonly Question[]): Window | null {
  const at = slot * SLOT;
  const key = keyOf(seed, 'window', slot);
  if (unit(key, 0) > 0.92) return null;
  const eligible = questions
    .filter((question) => keyOf(question.key) % TURNS === slot % TURNS && isEligible(question, at))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  for (let attempt = 0; attempt < 8 && eligible.length > 0; attempt++) {
    const question = eligible[pick(key, 10 + attempt, eligible.length)];
    if (!question) continue;
    const plan = planOf(question, at, key, attempt);
    if (!plan) continue;
    const opens = at + pick(key, 1, 10_000);
    return { id: `w${slot}`, question, ...plan, opens, closes: opens + 30 * SECOND + pick(key, 2, 90_000) };
  }
  return null;
}

function isEligible(question: Question, at: number): boolean {
  const { moments, legs, family } = question;
  if (family !== 'moneyline' || legs.length === 0 || moments.start === null) return false;
  const listed = Math.max(moments.listed_a, moments.listed_b) + 10 * MINUTE < at;
  // Away from the start, when venue B wipes its book, and from the end, when prices run to the edges.
  const clearOfStart = at + 3 * MINUTE < moments.start || at > moments.start + MINUTE;
  return listed && clearOfStart && at + 4 * MINUTE < moments.ends - 40 * MINUTE;
}

function planOf(
  question: Question,
  at: number,
  key: number,
  attempt: number,
): { market: MarketB; shift: number } | null {
  const own = new Set(question.legs.map((leg) => leg.token_id));
  // A main event may hold lines beside its moneyline; they are other questions.
  const markets = (question.b?.markets ?? []).filter((one) => one.tokens.some((token) => own.has(token)));
  const market = markets[pick(key, 30 + attempt, markets.length)];
  if (!market) return null;
  const fair = market.quoting.fair(at);
  if (markets.length === 1) {
    if (fair < 0.22 || fair > 0.78) return null;
    const size = 0.09 + 0.04 * unit(key, 3);
    return { market, shift: fair > 0.5 ? -size : size };
  }
  return fair < 0.25 || fair > 0.8 ? null : { market, shift: -(0.14 + 0.04 * unit(key, 3)) };
}
