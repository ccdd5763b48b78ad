import { DAY } from '../core/eastern.ts';
import { calendarOf } from '../universe/calendar/schedule.ts';
import { outrightQuestions } from '../universe/outrights/outrights.ts';
import { playoffQuestions } from '../universe/playoffs/playoffs.ts';
import { twinsOf } from '../universe/question.ts';
import type { Universe } from '../universe/universe.ts';
import { paidOf } from '../world/settlement_verdict.ts';
import type { Occasion } from './history_table.ts';

/**
 * The settlements of races and playoff series some years ago: few enough to build their listings.
 */
export function settledSeason({ seed, base, calendar }: Universe, yearsAgo: number): Occasion[] {
  const then = base - yearsAgo * 365 * DAY;
  const questions = [
    ...outrightQuestions(seed, then),
    ...playoffQuestions(seed, then, calendarOf(seed, then, calendar.games)),
  ];
  return questions.flatMap((question) =>
    twinsOf(question).map(({ family, event_ticker, legs }): Occasion => {
      const contracts = new Map(question.a?.contracts.map((one) => [one.ticker, one]));
      const markets = new Map(question.b?.markets.flatMap((one) => one.tokens.map((token) => [token, one])));
      return {
        series: event_ticker.slice(0, event_ticker.indexOf('-')),
        family,
        paid: paidOf(
          legs,
          (ticker) => contracts.get(ticker),
          (token) => markets.get(token),
        ),
      };
    }),
  );
}
