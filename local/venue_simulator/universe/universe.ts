import { DAY } from '../core/eastern.ts';
import type { Fixture } from './calendar/fixture.ts';
import { type Calendar, calendarOf, fixturesOf } from './calendar/schedule.ts';
import { bankQuestions } from './economy/banks.ts';
import { fedQuestions } from './economy/fed.ts';
import { releaseQuestions } from './economy/releases.ts';
import { unpairedQuestions } from './economy/unpaired_series.ts';
import { doublesQuestions } from './games/doubles.ts';
import { gameQuestions } from './games/games.ts';
import { unregisteredGames } from './games/unregistered_games.ts';
import { outrightQuestions, unregisteredOutrights } from './outrights/outrights.ts';
import { type GameNumbers, gameKey, gameNumbersOf } from './playoffs/matchups.ts';
import { playoffQuestions } from './playoffs/playoffs.ts';
import { dailyPrices, undatedPrices } from './prices/prices.ts';
import type { Lookalike, Question } from './question.ts';
import { weatherQuestions } from './weather/weather.ts';

/**
 * Everything that can be listed, as a pure function of seed, base time and number of games. The
 * questions of a day are created shortly before their listing time and are the same in every
 * process.
 */
export type Universe = {
  seed: number;
  base: number;
  calendar: Calendar;
  /** For each game of a playoff series, its number in the series. */
  numbers: GameNumbers;
};
export type DayOfQuestions = { questions: Question[]; lookalikes: Lookalike[] };

export function universeOf(seed: number, base: number, games: number): Universe {
  const calendar = calendarOf(seed, base, games);
  return { seed, base, calendar, numbers: gameNumbersOf(calendar) };
}

/** The questions that belong to no day: outrights, meetings, economic releases, monthly prices. */
export function undatedQuestions({ seed, base, calendar }: Universe): DayOfQuestions {
  const releases = releaseQuestions(seed, base);
  return {
    questions: [
      ...outrightQuestions(seed, base),
      ...fedQuestions(seed, base),
      ...bankQuestions(seed, base),
      ...releases.questions,
      ...unpairedQuestions(seed, base),
      ...playoffQuestions(seed, base, calendar),
      ...undatedPrices(seed, base),
      ...unregisteredOutrights(seed, base),
    ],
    lookalikes: releases.lookalikes,
  };
}

/**
 * The questions of one day, counted from the base time. Day -1 holds the games in play at the base
 * time.
 */
export function questionsOf(universe: Universe, day: number): DayOfQuestions {
  const { seed, base, calendar } = universe;
  const fixtures = fixturesIn(universe, day);
  const games = gamesOf(seed, fixtures);
  const weather = weatherQuestions(seed, base, day);
  return {
    questions: [
      ...games.questions,
      ...doublesQuestions(seed, fixtures),
      ...weather.questions,
      ...dailyPrices(seed, base, day),
      ...unregisteredGames(seed, calendar, day),
    ],
    lookalikes: [...games.lookalikes, ...weather.lookalikes],
  };
}

const fixturesIn = ({ calendar, numbers }: Universe, day: number): Fixture[] =>
  fixturesOf(calendar, day).map((one) => ({ ...one, gameNo: numbers.get(gameKey(one)) ?? null }));

function gamesOf(seed: number, fixtures: readonly Fixture[]): DayOfQuestions {
  const games = fixtures.map((fixture) => gameQuestions(seed, fixture));
  return {
    questions: games.flatMap((game) => game.questions),
    lookalikes: games.flatMap((game) => game.lookalikes),
  };
}

/** The questions of a universe. Several worlds may share them, because none changes them. */
export type Questions = { undated(): DayOfQuestions; ofDay(day: number): DayOfQuestions };

export const questionsIn = (universe: Universe): Questions => ({
  undated: () => undatedQuestions(universe),
  ofDay: (day) => questionsOf(universe, day),
});

/**
 * Only the games until the day after the base time: a seventh of the markets, for tests whose
 * subject is a worker.
 */
export function nextGamesIn(universe: Universe): Questions {
  const none = { questions: [], lookalikes: [] };
  return {
    undated: () => none,
    ofDay: (day) => (day > 1 ? none : gamesOf(universe.seed, fixturesIn(universe, day))),
  };
}

/** The days whose questions can be listed at `t`. */
export function daysAt({ base, calendar }: Universe, t: number): readonly [first: number, last: number] {
  const today = Math.floor((t - base) / DAY);
  return [Math.max(-1, today - 4), today + calendar.horizonDays + 1];
}
