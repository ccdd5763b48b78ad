import { DAY, easternParts, MINUTE } from '../../core/eastern.ts';
import { bell, keyOf, pick, unit } from '../../core/random.ts';
import { drawWinner, fieldChances } from '../chances.ts';
import { longSchedule } from '../listing/long_schedule.ts';
import type { Leg, Moments, Question } from '../question.ts';
import { FUTURES, type Future, UNREGISTERED_FUTURES } from './futures.ts';
import { type Race, raceOnA } from './outrights_a.ts';
import { raceOnB } from './outrights_b.ts';

/**
 * Season-long questions: champions, conferences, divisions, awards. They end after any run of the
 * simulator.
 */
export function outrightQuestions(seed: number, base: number): Question[] {
  return FUTURES.map((future) => outright(seed, base, future));
}

/** Races whose runners the product does not know. The ground truth leaves them out. */
export function unregisteredOutrights(seed: number, base: number): Question[] {
  return UNREGISTERED_FUTURES.map((future) => ({
    ...outright(seed, base, future),
    family: 'unregistered_outright',
    legs: [],
  }));
}

/**
 * Probability that a player of a race with a death clause dies while it is listed. It is far above
 * the real one, so that a few universes contain a case.
 */
const DEATH_RATE = 0.15;

/** When a player of the race dies. Null without a death, or where no text settles one. */
function deathOf(key: number, { deathClause }: Future, ends: number): number | null {
  return deathClause !== null && unit(key, 4) < DEATH_RATE ? ends - (1 + pick(key, 5, 60)) * DAY : null;
}

/** Venue A stops trading at the death and settles a day later. Venue B waits for the winner. */
const settledAtDeath = (moments: Moments, diedAt: number): Moments => ({
  ...moments,
  closed_a: diedAt,
  determined_a: diedAt + DAY,
  finalized_a: diedAt + DAY + 5 * MINUTE,
});

function outright(seed: number, base: number, future: Future): Question {
  const year = easternParts(base + 240 * DAY).year;
  const season = `${year - 1}-${String(year).slice(2)}`;
  const ticker = `${future.series}-${String(year).slice(2)}`;
  const key = keyOf(seed, ticker);
  const { runners } = future;
  const logits = runners.map((runner) => 1.1 * bell(keyOf(seed, 'runner', future.series, runner.code)));
  const winner = drawWinner(key, logits);
  const chances = fieldChances(key, logits);
  const ends = base + (200 + pick(key, 1, 120)) * DAY;
  const schedule = longSchedule({
    listed_a: base - (30 + pick(key, 2, 60)) * DAY,
    listed_b: base - (30 + pick(key, 3, 60)) * DAY,
    ends,
  });
  const diedAt = deathOf(key, future, ends);
  const moments = diedAt === null ? schedule : settledAtDeath(schedule, diedAt);
  const fillYears = (text: string) =>
    text
      .replaceAll('{year}', String(year))
      .replaceAll('{next}', String(year + 1))
      .replaceAll('{season}', season);
  const race: Race = { seed, future, ticker, fillYears, chances, winner, moments, diedAt };
  const a = future.on === 'b' ? null : raceOnA(race);
  const b = future.on === 'a' ? null : raceOnB(race);
  const legs: Leg[] = [];
  if (a && b) {
    for (const runner of runners) {
      const market = b.markets.find((one) => one.fields.groupItemTitle === runner.full);
      // As on the real venues, some runners are listed by one venue only.
      if (market && a.contracts.some((one) => one.ticker === `${ticker}-${runner.code}`)) {
        legs.push({
          name: runner.full,
          ticker: `${ticker}-${runner.code}`,
          side: 'yes',
          token_id: market.tokens[0],
        });
      }
    }
  }
  return {
    key: ticker,
    family: 'outright',
    moments,
    a,
    b,
    legs,
    subject: `outright:${future.league}`,
    deathClause: future.deathClause,
    settledDifferently: diedAt === null ? null : 'death',
  };
}
