import type { Json, MarketType, Question, VenueCode } from '../../listing.ts';
import { buildQuestion, type Exclusion, type UnorderedLeg } from '../question.ts';
import { withPayoff } from '../terms/payoff_terms.ts';
import type { PayoffResult } from '../text/payoff.ts';
import { uniqueByKey } from '../text/unique_by_key.ts';
import { keyOfMove, nameOfMove, orderOfMove } from './decision_move.ts';
import { type Bank, CHOICES } from './decision_registry.ts';
import type { Move } from './decision_statement.ts';

/** One contract of a decision: the change of the rate for which it pays. */
export type MoveLeg = { move: Move; market_id: string; contract_id: string; side: 'yes' | null; over: boolean };

/** The month of the decision, and the part of the listing that it comes from. */
export type Meeting = {
  /** YYYY-MM. Null when the listing names none. */
  month: string | null;
  by: string | null;
  /** YYYY-MM-DD, the last day of a meeting of two days. Null when the listing does not name it. */
  day: string | null;
};

/**
 * Builds the question of one meeting of a central bank. A leg that states one of the five choices
 * has the key of that choice. A finer or coarser leg has a key of its own. `identity.whole` is true
 * when all five are listed.
 */
export function decisionQuestion(
  venue: VenueCode,
  nativeId: string,
  bank: Bank,
  meeting: Meeting,
  listed: readonly MoveLeg[],
  facts: {
    close_at: string | null;
    url: string | null;
    title: string | null;
    /** Number of contracts whose text states no change. */
    unread: number;
    /** The combined result of all payoff sentences and titles of its contracts. */
    payoff: PayoffResult;
    contradictory: boolean;
    terms: { [term: string]: Json };
  },
): Question {
  const legs = orderMoves(listed);
  const keys = new Set(legs.map((leg) => leg.outcome_key));
  return buildQuestion(
    {
      question_id: `${venue}:${nativeId}`,
      family: bank.family as MarketType,
      key: `${bank.family}|${bank.id}|${meeting.month ?? `?${nativeId}`}`,
      title: `${bank.name} decision, ${meeting.month ?? '?'}`,
      identity: {
        institution: bank.id,
        meeting: meeting.month,
        meeting_by: meeting.by,
        meeting_day: meeting.day,
        occasion: meeting.month,
        step: bank.step,
        title: facts.title,
        whole: CHOICES.every((choice) => keys.has(choice.key)),
        unread: facts.unread,
      },
    },
    {
      category: 'central_banks',
      institution: bank.name,
      on_date: meeting.day,
      close_at: facts.close_at,
      url: facts.url,
      excluded:
        facts.payoff === 'contradicts' ? 'payoff_contradicted' : excludedFor(meeting, facts.contradictory, legs.length),
    },
    withPayoff(facts.terms, facts.payoff),
    legs.map((leg, ordinal) => ({ ...leg, ordinal })),
  );
}

function excludedFor(meeting: Meeting, contradictory: boolean, legs: number): Exclusion | null {
  if (contradictory) return 'contradictory';
  if (meeting.month === null) return 'unreadable_date';
  return legs === 0 ? 'incomplete' : null;
}

/** Sorts the legs from the largest cut to the largest hike. */
function orderMoves(listed: readonly MoveLeg[]): UnorderedLeg[] {
  return uniqueByKey(listed, (leg) => keyOfMove(leg.move))
    .sort((a, b) => orderOfMove(a.move) - orderOfMove(b.move) || (keyOfMove(a.move) < keyOfMove(b.move) ? -1 : 1))
    .map(({ move, over: _, ...leg }) => ({
      ...leg,
      outcome_key: keyOfMove(move),
      outcome_name: nameOfMove(move),
      detail: { ...move, unit: 'bp' },
    }));
}
