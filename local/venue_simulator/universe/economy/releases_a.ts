import { MINUTE, shortDate, tickerDate } from '../../core/eastern.ts';
import { above, type ContractShapeA, listOnA } from '../listing/list_a.ts';
import type { EventA } from '../question.ts';
import { shortMonth } from './indicators.ts';
import { inPeriod, periodTicker, type Release } from './release.ts';

/** A release on venue A: exclusive single values, or a ladder of thresholds. */
export function exactOnA(release: Release): EventA {
  const { indicator, period, centre, value, within } = release;
  const series = indicator.exact?.series ?? '';
  const contracts = [-2, -1, 0, 1, 2].map((step) => {
    const point = Math.round((centre + step * indicator.precision) * 10) / 10;
    const label = `${point.toFixed(1)}%`;
    return {
      code: `T${point.toFixed(1)}`,
      label,
      rule: `If ${indicator.description} for ${inPeriod(indicator, period)} is exactly ${label}, then the market resolves to Yes.`,
      fair: within({ low: point, high: point }),
      pays: value === point,
      strike: { type: 'custom', custom: { Value: label } },
    };
  });
  const title = indicator.exact?.title(shortMonth(period)) ?? '';
  return releaseOnA(release, `${series}-${periodTicker(period)}`, title, true, contracts);
}

export function aboveOnA(release: Release): EventA {
  const { indicator, period, centre, value, within } = release;
  const series = indicator.above?.series ?? '';
  const contracts = [-2, -1, 0, 1].map((step) => {
    const floor = Math.round((centre + step * indicator.step) * 10) / 10;
    const people = floor * 1000;
    const label = indicator.unit === 'k' ? `Above ${people.toLocaleString('en-US')}` : `Above ${floor.toFixed(1)}%`;
    return {
      code: indicator.unit === 'k' ? `T${people}` : `T${floor.toFixed(1)}`,
      label,
      rule: `If ${indicator.description} for ${inPeriod(indicator, period)} is ${label.toLowerCase()}, then the market resolves to Yes.`,
      fair: within({ low: indicator.unit === 'k' ? floor : floor + indicator.precision, high: null }),
      pays: value > floor,
      strike: above(indicator.unit === 'k' ? people : floor),
    };
  });
  // The ticker of GDP contains the day of the release. Other tickers contain the month that is
  // reported.
  const ticker = `${series}-${indicator.period === 'quarter' ? tickerDate(period.release) : periodTicker(period)}`;
  return releaseOnA(release, ticker, indicator.above?.title(period) ?? '', false, contracts);
}

type ReleaseContract = Pick<ContractShapeA, 'code' | 'fair' | 'pays' | 'strike'> & { label: string; rule: string };

function releaseOnA(
  { seed, indicator, period, moments, value }: Release,
  ticker: string,
  title: string,
  exclusive: boolean,
  contracts: readonly ReleaseContract[],
): EventA {
  return listOnA(
    {
      seed,
      ticker,
      title,
      sub: `In ${inPeriod(indicator, period)}`,
      exclusive,
      sources: [indicator.source],
      category: 'Economics',
      listed: moments.listed_a,
      close: moments.closed_a,
      expected: period.release + 90 * MINUTE,
      profile: { spread: [0.6, 1], size: [200, 2500], intervalFactor: 3 },
      expirationValue: String(value),
    },
    contracts.map((contract) => ({
      ...contract,
      title: `${title.replace(/\?$/, '')}: ${contract.label}?`,
      yes: contract.label,
      rules: [
        contract.rule,
        `The first number that the ${indicator.source.name} publishes on ${shortDate(period.release)} is used; later revisions do not count. It is taken as published, to ${indicator.unit === 'k' ? 'the thousand' : 'one decimal'}.`,
      ],
    })),
  );
}
