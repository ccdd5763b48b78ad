import { MINUTE, shortDate, tickerDate } from '../../core/eastern.ts';
import { keyOf, pick, unit } from '../../core/random.ts';
import { eventFieldsA, marketFieldsA } from '../listing_a.ts';
import type { ContractA, EventA } from '../question.ts';
import { shortMonth } from './indicators.ts';
import { inPeriod, type Print, periodTicker } from './print.ts';

/** A print as venue A lists it: single values that exclude each other, or a ladder of thresholds. */
export function exactOnA(print: Print): EventA {
  const { indicator, period, centre, value, within } = print;
  const series = indicator.exact?.series ?? '';
  const rungs = [-2, -1, 0, 1, 2].map((step) => {
    const point = Math.round((centre + step * indicator.grid) * 10) / 10;
    const label = `${point.toFixed(1)}%`;
    return {
      code: `T${point.toFixed(1)}`,
      label,
      rule: `If ${indicator.says} for ${inPeriod(indicator, period)} is exactly ${label}, then the market resolves to Yes.`,
      fair: within({ low: point, high: point }),
      hit: value === point,
      strike: { type: 'custom', custom: { Value: label } },
    };
  });
  const title = indicator.exact?.title(shortMonth(period)) ?? '';
  return printOnA(print, series, `${series}-${periodTicker(period)}`, title, true, rungs);
}

export function aboveOnA(print: Print): EventA {
  const { indicator, period, centre, value, within } = print;
  const series = indicator.above?.series ?? '';
  const rungs = [-2, -1, 0, 1].map((step) => {
    const floor = Math.round((centre + step * indicator.step) * 10) / 10;
    const people = floor * 1000;
    const label = indicator.unit === 'k' ? `Above ${people.toLocaleString('en-US')}` : `Above ${floor.toFixed(1)}%`;
    return {
      code: indicator.unit === 'k' ? `T${people}` : `T${floor.toFixed(1)}`,
      label,
      rule: `If ${indicator.says} for ${inPeriod(indicator, period)} is ${label.toLowerCase()}, then the market resolves to Yes.`,
      fair: within({ low: indicator.unit === 'k' ? floor : floor + indicator.grid, high: null }),
      hit: value > floor,
      strike: { type: 'greater', floor: indicator.unit === 'k' ? people : floor },
    };
  });
  // The GDP's series is named by the day of the release, the others by the month that is reported.
  const ticker = `${series}-${indicator.period === 'quarter' ? tickerDate(period.release) : periodTicker(period)}`;
  return printOnA(print, series, ticker, indicator.above?.title(period) ?? '', false, rungs);
}

type Rung = {
  code: string;
  label: string;
  rule: string;
  fair: (t: number) => number;
  hit: boolean;
  strike: { type: string; floor?: number; custom?: Record<string, string> };
};

function printOnA(
  { seed, indicator, period, moments, value }: Print,
  series: string,
  ticker: string,
  title: string,
  exclusive: boolean,
  rungs: readonly Rung[],
): EventA {
  const when = inPeriod(indicator, period);
  const contracts = rungs.map((rung): ContractA => {
    const market = `${ticker}-${rung.code}`;
    const key = keyOf(seed, market);
    return {
      ticker: market,
      fields: marketFieldsA(
        {
          ticker: market,
          event: ticker,
          title: `${title.replace(/\?$/, '')}: ${rung.label}?`,
          yes: rung.label,
          rules: [
            rung.rule,
            `The first number that the ${indicator.source.name} publishes on ${shortDate(period.release)} is used; later revisions do not count. It is taken as published, to ${indicator.unit === 'k' ? 'the thousand' : 'one decimal'}.`,
          ],
          open: moments.listed_a,
          close: moments.closed_a,
          expected: period.release + 90 * MINUTE,
          occurrence: null,
          earlyClose: 'This market will close and expire early if the event occurs.',
          settlementSeconds: 300,
          strike: rung.strike,
        },
        key,
      ),
      quoting: {
        key,
        fair: rung.fair,
        halfSpread: 0.6 + unit(key, 1),
        scale: 200 + pick(key, 2, 2500),
        tick: 100,
        pace: 3,
      },
      pays: rung.hit ? 'yes' : 'no',
      expirationValue: String(value),
    };
  });
  return {
    ticker,
    series,
    fields: eventFieldsA({
      ticker,
      series,
      title,
      sub: `In ${when}`,
      exclusive,
      sources: [indicator.source],
      category: 'Economics',
      updated: moments.listed_a,
    }),
    contracts,
    milestone: null,
  };
}
