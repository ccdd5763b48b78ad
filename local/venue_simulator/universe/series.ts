import { DAY } from '../core/eastern.ts';
import { BANKS } from './economy/bank.ts';
import { RELEASE_SERIES } from './economy/releases.ts';
import { UNPAIRED_SERIES } from './economy/unpaired_series.ts';
import { womenOf } from './leagues/college.ts';
import { LEAGUES, type League, leagueBy } from './leagues/index.ts';
import { challengerOf, doublesOf } from './leagues/persons.ts';
import { UNREGISTERED_LEAGUES } from './leagues/unregistered.ts';
import { seriesFieldsA } from './listing/listing_a.ts';
import { FUTURES, type Future, UNREGISTERED_FUTURES } from './outrights/futures.ts';
import { PLAYOFF_SERIES } from './playoffs/matchups.ts';
import { CF_BENCHMARKS } from './prices/above_a.ts';
import { PRICE_SERIES } from './prices/prices.ts';
import type { SeriesA } from './question.ts';
import { WEATHER_SERIES } from './weather/weather.ts';

type SeriesShape = Parameters<typeof seriesFieldsA>[0];

const PLAIN = { frequency: 'custom', feeMultiplier: 1, feeType: 'quadratic' };
const ECONOMICS = { ...PLAIN, category: 'Economics', tags: ['Economics'] };

/**
 * Every series of venue A, with its fee fields. The product must read the fees and must not assume
 * them.
 */
export function allSeries(base: number): SeriesA[] {
  return [
    ...games(),
    ...lines(),
    ...playoffs(),
    ...futures(),
    ...weather(),
    ...prices(),
    ...economy(),
    ...unregistered(),
  ].map((shape) => ({
    ticker: shape.ticker,
    fields: seriesFieldsA(shape, base - 40 * DAY),
  }));
}

function ofLeague({ tag, feeMultiplier, feeType, sources }: League, ticker: string, title: string): SeriesShape {
  return { ticker, title, category: 'Sports', tags: [tag], frequency: 'custom', feeMultiplier, feeType, sources };
}

function games(): SeriesShape[] {
  return [...LEAGUES, challengerOf(leagueBy('atp')), doublesOf(leagueBy('atp')), womenOf(leagueBy('cbb'))].map(
    (league) => ({
      ...ofLeague(league, league.series, league.seriesTitle),
      scope: 'Game',
    }),
  );
}

function lines(): SeriesShape[] {
  return LEAGUES.flatMap((league) => {
    const { series, part } = league.scoring ?? {};
    const tickers = [series?.total, series?.spread, series?.teamTotal, part?.series];
    return tickers.flatMap((ticker) => (ticker ? [ofLeague(league, ticker, `${league.competition} lines`)] : []));
  });
}

function playoffs(): SeriesShape[] {
  return PLAYOFF_SERIES.flatMap(({ league: key, series, spread }) => {
    const league = leagueBy(key);
    return [
      ofLeague(league, series, `${league.competition} series`),
      ofLeague(league, spread, `${league.competition} series spread`),
    ];
  });
}

function futures(): SeriesShape[] {
  return FUTURES.filter((one) => one.on !== 'b').map((future) => ofFuture(future, leagueBy(future.league).tag));
}

function unregistered(): SeriesShape[] {
  return [
    ...UNREGISTERED_LEAGUES.map((league) => ({
      ...ofLeague(league, league.series, league.seriesTitle),
      scope: 'Game',
    })),
    ...UNREGISTERED_FUTURES.map((future) => ofFuture(future, 'Chess')),
  ];
}

function ofFuture({ series, a, league, site }: Future, tag: string): SeriesShape {
  return {
    ...PLAIN,
    ticker: series,
    title: a.title.replace('{year} ', ''),
    category: 'Sports',
    tags: [tag],
    frequency: 'annual',
    feeMultiplier: league === 'mlb' ? 0.5 : 1,
    sources: [{ name: 'the Governing League', url: site }],
    scope: a.scope,
  };
}

function weather(): SeriesShape[] {
  return WEATHER_SERIES.map(({ ticker, title }) => ({
    ...PLAIN,
    ticker,
    title,
    category: 'Climate and Weather',
    tags: ['Daily temperature'],
    frequency: 'daily',
    sources: [{ name: 'National Weather Service', url: 'https://www.weather.gov/' }],
  }));
}

function prices(): SeriesShape[] {
  return PRICE_SERIES.map(({ ticker, title, tag }) => ({
    ...PLAIN,
    ticker,
    title,
    category: tag === 'Commodities' ? 'Financials' : 'Crypto',
    tags: [tag],
    frequency: 'hourly',
    sources: [CF_BENCHMARKS],
  }));
}

function economy(): SeriesShape[] {
  const fed = { name: 'Federal Reserve', url: 'https://www.federalreserve.gov/' };
  return [
    { ...ECONOMICS, ticker: 'KXFEDDECISION', title: 'Fed meeting', tags: ['Fed'], sources: [fed] },
    ...BANKS.map(({ series, name, site }) => ({
      ...ECONOMICS,
      ticker: series,
      title: `${name} decision`,
      sources: [{ name, url: site }],
    })),
    ...RELEASE_SERIES.map(({ ticker, title, source }) => ({ ...ECONOMICS, ticker, title, sources: [source] })),
    ...UNPAIRED_SERIES.map((ticker) => ({ ...ECONOMICS, ticker, title: ticker, sources: [] })),
  ];
}
