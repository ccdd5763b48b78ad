import {
  DAY,
  easternInstant,
  easternParts,
  HOUR,
  longMonth,
  MONTHS,
  shortDate,
  tickerDate,
} from '../../core/eastern.ts';
import { keyOf, pick, unit } from '../../core/random.ts';
import { eventFieldsA, marketFieldsA } from '../listing_a.ts';
import { eventB, type FeeB, marketB } from '../listing_b.ts';
import { longMoments } from '../long_moments.ts';
import type { ContractA, EventA, EventB, Moments, Question } from '../question.ts';

/**
 * Oil and gold: venue A by the week at an hour, venue B whether a level is touched within the month or held on its last trading
 * day. Each looks like the other and none is.
 */
type Commodity = {
  series: string;
  hour: number;
  name: string;
  unit: string;
  future: string;
  price: number;
  step: number;
};
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
const FINANCE_FEE: FeeB = { type: 'finance_fees', rate: 0.04, rebate: 0.25 };

export function commodityQuestions(seed: number, base: number): Question[] {
  return COMMODITIES.flatMap((one) => {
    const week = weekly(seed, base, one);
    const month = monthly(seed, base, one);
    const subject = `commodity:${one.series}`;
    return [
      {
        key: week.event.ticker,
        family: 'commodity_week',
        moments: week.moments,
        a: week.event,
        b: null,
        legs: [],
        subject,
      },
      ...month.events.map((b) => ({
        key: b.slug,
        family: 'commodity_month',
        moments: month.moments,
        a: null,
        b,
        legs: [],
        subject,
      })),
    ];
  });
}

const momentsAt = (base: number, ends: number): Moments =>
  longMoments({
    listed_a: base - 3 * DAY,
    listed_b: base - 10 * DAY,
    stopped_a: ends,
    stopped_b: ends,
    ends,
    resolvedAfter: 2 * HOUR,
  });

const above = (of: Commodity, strike: number) => (t: number) =>
  Math.min(0.97, Math.max(0.03, 0.5 - 0.12 * ((strike - of.price) / of.step) + 0.02 * Math.sin(t / (5 * HOUR))));

/** The first Friday after the base time that is well before the month's end: its last trading day is another question. */
function fridayAfter(base: number, hour: number): number {
  for (let day = 1; ; day++) {
    const { year, month, day: date } = easternParts(base + day * DAY);
    const at = easternInstant(year, month, date, hour);
    const friday = new Date(Date.UTC(year, month - 1, date)).getUTCDay() === 5;
    if (friday && easternParts(at + 4 * DAY).month === month) return at;
  }
}

function weekly(seed: number, base: number, of: Commodity): { event: EventA; moments: Moments } {
  const at = fridayAfter(base, of.hour);
  const moments = momentsAt(base, at);
  const ticker = `${of.series}-${tickerDate(at)}${of.hour}`;
  const { zone } = easternParts(at);
  const hour = `${of.hour - 12}:00 PM ${zone}`;
  const contracts = [-2, -1, 0, 1, 2].map((rung): ContractA => {
    const strike = of.price + rung * of.step;
    const floor = Math.round((strike - 0.01) * 100) / 100;
    const market = `${ticker}-T${floor}`;
    const key = keyOf(seed, market);
    return {
      ticker: market,
      fields: marketFieldsA(
        {
          ticker: market,
          event: ticker,
          title: `Will the price of ${of.unit} be above ${floor} on ${shortDate(at)}?`,
          yes: `$${strike} or above`,
          rules: [
            `If the price of ${of.unit} on ${shortDate(at)} at ${hour} is above ${floor}, then the market resolves to Yes.`,
            '',
          ],
          open: moments.listed_a,
          close: at,
          expected: at + HOUR,
          occurrence: null,
          earlyClose: 'This market will close and expire early if the event occurs.',
          settlementSeconds: 300,
          strike: { type: 'greater', floor },
        },
        key,
      ),
      quoting: {
        key,
        fair: above(of, strike),
        halfSpread: 0.8 + unit(key, 1),
        scale: 80 + pick(key, 2, 700),
        tick: 100,
      },
      pays: unit(keyOf(seed, ticker), 3) < above(of, strike)(base) ? 'yes' : 'no',
      expirationValue: '',
    };
  });
  const event = {
    ticker,
    series: of.series,
    fields: eventFieldsA({
      ticker,
      series: of.series,
      title: `${of.name} on ${shortDate(at)} at ${hour}?`,
      sub: `${shortDate(at)} at ${hour}`,
      exclusive: false,
      sources: [{ name: 'Pyth', url: 'https://www.pyth.network/' }],
      category: 'Financials',
      strikeDate: at,
      updated: moments.listed_a,
    }),
    contracts,
    milestone: null,
  };
  return { event, moments };
}

/** Each of venue B's commodity markets stands in an event of its own. */
function monthly(seed: number, base: number, of: Commodity): { events: EventB[]; moments: Moments } {
  const { year, month } = easternParts(base + 5 * DAY);
  const ends = easternInstant(month === 12 ? year + 1 : year, month === 12 ? 1 : month + 1, 1, 0) - 10 * HOUR;
  const moments = momentsAt(base, ends);
  const name = longMonth(ends);
  const code = of.future.slice(of.future.indexOf('(') + 1, -1).toLowerCase();
  const date = `${(MONTHS[month - 1] ?? '').toLowerCase()}-${year}`;
  const [settle, touch] = [of.price, of.price + 4 * of.step];
  const asked = [
    {
      slug: `${code}-above-${settle}-${date}`,
      question: `Will ${of.future} settle over $${settle.toLocaleString('en-US')} on the final trading day of ${name} ${year}?`,
      fair: above(of, settle),
    },
    {
      slug: `${code}-hit-${touch}-high-${date}`,
      question: `Will ${of.future} hit (HIGH) $${touch.toLocaleString('en-US')} by end of ${name}?`,
      fair: above(of, touch),
    },
  ];
  const events = asked.map(({ slug, question, fair }) => {
    const key = keyOf(seed, slug);
    const market = marketB(
      seed,
      {
        slug,
        question,
        description: `This market refers to the official price of the active month of ${of.future} futures as published by CME Group. ${question}`,
        resolution: 'https://www.cmegroup.com/',
        outcomes: ['Yes', 'No'],
        end: ends,
        opened: moments.listed_b,
        group: '',
        threshold: 0,
        fee: FINANCE_FEE,
        tick: 10,
        negRiskId: null,
      },
      { key, fair, halfSpread: 5, scale: 100 + pick(key, 23, 900) },
      unit(key, 4) < fair(base) ? 0 : 1,
    );
    return eventB(
      seed,
      {
        slug,
        title: question,
        description: '',
        resolution: 'https://www.cmegroup.com/',
        opened: moments.listed_b,
        end: ends,
        negRisk: false,
        augmented: false,
        series: `${code}-monthly`,
        tags: [['120', 'Finance', 'finance']],
      },
      [market],
    );
  });
  return { events, moments };
}
