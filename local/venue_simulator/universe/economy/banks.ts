import { DAY, easternInstant, easternParts, tickerDate } from '../../core/eastern.ts';
import { keyOf, unit } from '../../core/random.ts';
import { drawWinner, fieldChances } from '../chances.ts';
import { longSchedule } from '../listing/long_schedule.ts';
import type { EventA, EventB, Leg, Question, UnpairedLeg } from '../question.ts';
import { BANKS, type Bank, CHOICES_B, FINER_MOVES, FIVE_MOVES, type Move, movesOf } from './bank.ts';
import { onA } from './banks_a.ts';
import { onB } from './banks_b.ts';

/** The next decision of each bank on both venues, and the following one on venue A only. */
export function bankQuestions(seed: number, base: number): Question[] {
  return BANKS.flatMap((bank) => [
    decision(seed, base, bank, thursdayAfter(base, bank, 0), true),
    // The following meeting, on venue A only: the same words, another month.
    decision(seed, base, bank, thursdayAfter(base, bank, 45), false),
  ]);
}

function thursdayAfter(base: number, bank: Bank, later: number): number {
  const { year, month, day } = easternParts(base + (bank.ahead + later) * DAY);
  const ahead = (4 - new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 7) % 7;
  // A meeting that spans two months is named after either, and the month that a venue chooses is
  // not known. Therefore it is moved by a week.
  const straddles = bank.twoDays && new Date(Date.UTC(year, month - 1, day + ahead)).getUTCDate() === 1;
  return easternInstant(year, month, day + ahead + (straddles ? 7 : 0), bank.hour);
}

function decision(seed: number, base: number, bank: Bank, at: number, both: boolean): Question {
  const moments = longSchedule({
    listed_a: base - 40 * DAY,
    listed_b: base - 30 * DAY,
    stopped_a: at - 5 * 60_000,
    stopped_b: at + 10 * 60_000,
    ends: at,
  });
  const moves = bank.finer ? FINER_MOVES : FIVE_MOVES;
  const ticker = `${bank.series}-${tickerDate(bank.twoDays ? at - DAY : at)}`;
  const key = keyOf(seed, ticker);
  const logits = moves.map((move, i) => move.lean + 0.7 * (unit(key, 10 + i) - 0.5));
  const winner = drawWinner(key, logits);
  const chances = fieldChances(key, logits);
  const a = onA(seed, bank, ticker, at, moments, moves, chances, winner);
  const b = both ? onB(seed, bank, at, moments, moves, chances, winner) : null;
  const subject = `bank:${bank.slug}`;
  return {
    key: ticker,
    family: 'cb_decision',
    moments,
    a,
    b,
    ...(b ? pairOutcomes(a, b, moves) : { legs: [] }),
    subject,
  };
}

/**
 * An outcome of venue B that is one move of venue A is a leg. An outcome that consists of several
 * moves is an unpaired leg.
 */
function pairOutcomes(a: EventA, b: EventB, moves: readonly Move[]): { legs: Leg[]; unpairedLegs: UnpairedLeg[] } {
  const legs: Leg[] = [];
  const unpairedLegs: UnpairedLeg[] = [];
  for (const [i, choice] of CHOICES_B.entries()) {
    const market = b.markets[i];
    if (!market) continue;
    const parts = movesOf(choice, moves);
    const [only] = parts;
    const contract = parts.length === 1 && only !== undefined ? a.contracts[only] : undefined;
    if (contract) legs.push({ name: choice.group, ticker: contract.ticker, side: 'yes', token_id: market.tokens[0] });
    else {
      const span = parts.map((part) => moves[part]?.a ?? '');
      unpairedLegs.push({ name: choice.group, token_id: market.tokens[0], relation: 'UNCOVERED', span });
    }
  }
  return { legs, unpairedLegs };
}
