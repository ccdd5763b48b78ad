import { DAY } from '../core/eastern.ts';
import { type Calendar, calendarOf, fixturesOf } from './calendar/schedule.ts';
import { bankQuestions } from './economy/banks.ts';
import { fedQuestions } from './economy/fed.ts';
import { releaseQuestions } from './economy/releases.ts';
import { unpairedQuestions } from './economy/unpaired_series.ts';
import { doublesQuestions } from './games/doubles.ts';
import { gameQuestions } from './games/games.ts';
import { outrightQuestions } from './outrights/outrights.ts';
import { playoffQuestions } from './playoffs/playoffs.ts';
import { type GameNumbers, gameKey, numbersOf } from './playoffs/ties.ts';
import { dailyPrices, undatedPrices } from './prices/prices.ts';
import type { Lookalike, Question } from './question.ts';
import { weatherQuestions } from './weather/weather.ts';

/**
 * Everything that can ever be listed, as a pure function of (seed, base time, games): the questions of each day are made
 * when that day's listing time comes near, and come out the same in any process.
 */
export type Universe = {
  seed: number;
  base: number;
  calendar: Calendar;
  /** Which games are one of a playoff series, and which of it. */
  numbers: GameNumbers;
};
export type DayOfQuestions = { questions: Question[]; lookalikes: Lookalike[] };

export function universeOf(seed: number, base: number, games: number): Universe {
  const calendar = calendarOf(seed, base, games);
  return { seed, base, calendar, numbers: numbersOf(calendar) };
}

/** The questions that have no day: futures, meetings, prints, months of prices. */
export function undatedQuestions({ seed, base, calendar }: Universe): DayOfQuestions {
  const prints = releaseQuestions(seed, base);
  return {
    questions: [
      ...outrightQuestions(seed, base),
      ...fedQuestions(seed, base),
      ...bankQuestions(seed, base),
      ...prints.questions,
      ...unpairedQuestions(seed, base),
      ...playoffQuestions(seed, base, calendar),
      ...undatedPrices(seed, base),
    ],
    lookalikes: prints.lookalikes,
  };
}

/** The questions of one day from the base time on; day -1 are those that were under way at the base time. */
export function questionsOf({ seed, base, calendar, numbers }: Universe, day: number): DayOfQuestions {
  const fixtures = fixturesOf(calendar, day).map((one) => ({ ...one, gameNo: numbers.get(gameKey(one)) ?? null }));
  const games = fixtures.map((fixture) => gameQuestions(seed, fixture));
  const weather = weatherQuestions(seed, base, day);
  return {
    questions: [
      ...games.flatMap((game) => game.questions),
      ...doublesQuestions(seed, fixtures),
      ...weather.questions,
      ...dailyPrices(seed, base, day),
    ],
    lookalikes: [...games.flatMap((game) => game.lookalikes), ...weather.lookalikes],
  };
}

/** The days whose questions may be listed at `t`: from those not yet removed to the farthest listing. */
export function daysAt({ base, calendar }: Universe, t: number): readonly [first: number, last: number] {
  const today = Math.floor((t - base) / DAY);
  return [Math.max(-1, today - 4), today + calendar.horizonDays + 1];
}
