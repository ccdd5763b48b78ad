import { DAY, easternInstant, easternParts, HOUR } from '../../core/eastern.ts';
import { longSchedule } from '../listing/long_schedule.ts';
import type { Moments, Question } from '../question.ts';
import { weeklyOnA } from './commodities_a.ts';
import { monthlyOnB } from './commodities_b.ts';
import type { Commodity } from './commodity.ts';

const COMMODITIES: readonly Commodity[] = [
  {
    series: 'KXWTIW',
    hour: 14,
    name: 'Oil Price (WTI)',
    unit: 'WTI crude oil',
    future: 'Crude Oil (CL)',
    price: 63,
    step: 1,
  },
  { series: 'KXGOLDW', hour: 17, name: 'Gold price', unit: 'gold', future: 'Gold (GC)', price: 4200, step: 50 },
];

/**
 * Oil and gold. Venue A lists the price at an hour of the week. Venue B lists whether a price is
 * touched within the month, and the settlement of its last trading day. They look alike, but no two
 * are the same question.
 */
export function commodityQuestions(seed: number, base: number): Question[] {
  return COMMODITIES.flatMap((one): Question[] => {
    const friday = fridayAfter(base, one.hour);
    const week = weeklyOnA(seed, base, one, friday, momentsAt(base, friday));
    const ends = endOfMonth(base);
    const moments = momentsAt(base, ends);
    const plain = { legs: [], subject: `commodity:${one.series}` };
    return [
      { ...plain, key: week.ticker, family: 'commodity_week', moments: momentsAt(base, friday), a: week, b: null },
      ...monthlyOnB(seed, base, one, ends, moments).map((b) => ({
        ...plain,
        key: b.slug,
        family: 'commodity_month',
        moments,
        a: null,
        b,
      })),
    ];
  });
}

const momentsAt = (base: number, ends: number): Moments =>
  longSchedule({ listed_a: base - 3 * DAY, listed_b: base - 10 * DAY, ends });

/**
 * The first Friday after the base time that is not close to the end of the month, because the last
 * trading day of the month is another question.
 */
function fridayAfter(base: number, hour: number): number {
  for (let day = 1; ; day++) {
    const { year, month, day: date } = easternParts(base + day * DAY);
    const at = easternInstant(year, month, date, hour);
    const friday = new Date(Date.UTC(year, month - 1, date)).getUTCDay() === 5;
    if (friday && easternParts(at + 4 * DAY).month === month) return at;
  }
}

function endOfMonth(base: number): number {
  const { year, month } = easternParts(base + 5 * DAY);
  return easternInstant(month === 12 ? year + 1 : year, month === 12 ? 1 : month + 1, 1, 0) - 10 * HOUR;
}
