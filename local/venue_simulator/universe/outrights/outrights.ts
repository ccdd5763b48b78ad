import { DAY, easternParts } from '../../core/eastern.ts';
import { bell, keyOf, pick } from '../../core/random.ts';
import { drawWinner, fieldChances } from '../chances.ts';
import { longSchedule } from '../listing/long_schedule.ts';
import type { Leg, Question } from '../question.ts';
import { FUTURES, type Future } from './futures.ts';
import { type Race, raceOnA } from './outrights_a.ts';
import { raceOnB } from './outrights_b.ts';

/**
 * Season-long questions: champions, conferences, divisions, awards. They end after any run of the
 * simulator.
 */
export function outrightQuestions(seed: number, base: number): Question[] {
  return FUTURES.map((future) => outright(seed, base, future));
}

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
  const moments = longSchedule({
    listed_a: base - (30 + pick(key, 2, 60)) * DAY,
    listed_b: base - (30 + pick(key, 3, 60)) * DAY,
    ends,
  });
  const fillYears = (text: string) =>
    text
      .replaceAll('{year}', String(year))
      .replaceAll('{next}', String(year + 1))
      .replaceAll('{season}', season);
  const race: Race = { seed, future, ticker, fillYears, chances, winner, moments };
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
  return { key: ticker, family: 'outright', moments, a, b, legs, subject: `outright:${future.league}` };
}
