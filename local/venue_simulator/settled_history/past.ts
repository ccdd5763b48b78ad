import { DAY } from '../core/eastern.ts';
import { fixturesOf } from '../universe/calendar/schedule.ts';
import type { Universe } from '../universe/universe.ts';
import { settledGame } from './past_games.ts';
import { settledSeason } from './past_races.ts';
import { type PastRow, Tally } from './tally.ts';

export type Past = { from: string; until: string; rows: PastRow[] };

const SEASONS = 3;
/** The day before the world begins is its own: games of it are still shown. */
const LAST_DAY = -3;
const DAYS = SEASONS * 365;

const dateOf = (universe: Universe, day: number): string =>
  new Date(universe.base + day * DAY).toISOString().slice(0, 10);

/**
 * What the venues settled in the seasons before this universe began, counted occasion by occasion. A generator, so that whoever counts
 * can let others work between the days: three seasons are half a second's work.
 */
export function* pastOf(universe: Universe): Generator<undefined, Past> {
  const tally = new Tally();
  for (let season = 1; season <= SEASONS; season++) {
    for (const occasion of settledSeason(universe, season)) tally.add(occasion);
    yield;
  }
  for (let day = LAST_DAY; day > LAST_DAY - DAYS; day--) {
    for (const fixture of fixturesOf(universe.calendar, day)) {
      for (const occasion of settledGame(universe.seed, fixture)) tally.add(occasion);
    }
    yield;
  }
  // The games of a day begin on it or on the next date.
  return { from: dateOf(universe, LAST_DAY - DAYS), until: dateOf(universe, LAST_DAY + 1), rows: tally.told() };
}
