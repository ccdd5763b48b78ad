import { DAY } from '../core/eastern.ts';
import { fixturesOf } from '../universe/calendar/schedule.ts';
import type { Universe } from '../universe/universe.ts';
import { type HistoryRow, HistoryTable } from './history_table.ts';
import { settledGame } from './settled_games.ts';
import { settledSeason } from './settled_races.ts';

export type SettledHistory = { from: string; until: string; rows: HistoryRow[] };

const SEASONS = 3;
/** Games of the last days before the start of the world are still listed. */
const LAST_HISTORY_DAY = -3;
const HISTORY_DAYS = SEASONS * 365;

const dateOf = (universe: Universe, day: number): string =>
  new Date(universe.base + day * DAY).toISOString().slice(0, 10);

/**
 * The settlements of the seasons before the start of this universe, counted per occasion. A
 * generator, so that the caller can pause between days: three seasons take half a second.
 */
export function* settledHistoryOf(universe: Universe): Generator<undefined, SettledHistory> {
  const tally = new HistoryTable();
  for (let season = 1; season <= SEASONS; season++) {
    for (const occasion of settledSeason(universe, season)) tally.add(occasion);
    yield;
  }
  for (let day = LAST_HISTORY_DAY; day > LAST_HISTORY_DAY - HISTORY_DAYS; day--) {
    for (const fixture of fixturesOf(universe.calendar, day)) {
      for (const occasion of settledGame(universe.seed, fixture)) tally.add(occasion);
    }
    yield;
  }
  // The games of a day begin on that date or on the next one.
  return {
    from: dateOf(universe, LAST_HISTORY_DAY - HISTORY_DAYS),
    until: dateOf(universe, LAST_HISTORY_DAY + 1),
    rows: tally.json(),
  };
}
