import { easternParts, longMonth, MONTHS } from '../../core/eastern.ts';
import { keyOf, unit } from '../../core/random.ts';
import { listOnB } from '../listing/list_b.ts';
import type { FeeB } from '../listing/listing_b.ts';
import type { EventB, Moments } from '../question.ts';
import { aboveChance, type Commodity } from './commodity.ts';

export const FINANCE_FEE: FeeB = { type: 'finance_fees', rate: 0.04, rebate: 0.25 };

/** A month of a commodity future on venue B. Each market has an event of its own. */
export function monthlyOnB(seed: number, base: number, of: Commodity, ends: number, moments: Moments): EventB[] {
  const { year, month } = easternParts(ends);
  const name = longMonth(ends);
  const code = of.future.slice(of.future.indexOf('(') + 1, -1).toLowerCase();
  const date = `${(MONTHS[month - 1] ?? '').toLowerCase()}-${year}`;
  const [settle, touch] = [of.price, of.price + 4 * of.step];
  const questions = [
    {
      slug: `${code}-above-${settle}-${date}`,
      question: `Will ${of.future} settle over $${settle.toLocaleString('en-US')} on the final trading day of ${name} ${year}?`,
      fair: aboveChance(of, settle),
    },
    {
      slug: `${code}-hit-${touch}-high-${date}`,
      question: `Will ${of.future} hit (HIGH) $${touch.toLocaleString('en-US')} by end of ${name}?`,
      fair: aboveChance(of, touch),
    },
  ];
  return questions.map(({ slug, question, fair }) =>
    listOnB(
      {
        seed,
        slug,
        title: question,
        description: `This market refers to the official price of the active month of ${of.future} futures as published by CME Group. ${question}`,
        eventDescription: '',
        resolution: 'https://www.cmegroup.com/',
        opened: moments.listed_b,
        end: ends,
        negRisk: false,
        series: `${code}-monthly`,
        tags: [['120', 'Finance', 'finance']],
        fee: FINANCE_FEE,
        tick: 10,
        profile: { spread: [5, 0], size: [100, 900] },
      },
      [{ slug, question, group: '', fair, pays: unit(keyOf(seed, slug), 4) < fair(base) }],
    ),
  );
}
