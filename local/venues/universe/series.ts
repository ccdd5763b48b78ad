import { BANKS } from './economy/bank.ts';
import { NEIGHBOUR_SERIES } from './economy/neighbours.ts';
import { PRINT_SERIES } from './economy/prints.ts';
import { FUTURES } from './futures.ts';
import { womenOf } from './leagues/college.ts';
import { LEAGUES, leagueBy } from './leagues/index.ts';
import { challengerOf } from './leagues/persons.ts';
import { seriesFieldsA } from './listing_a.ts';
import { SERIES } from './playoffs.ts';
import { PRICE_SERIES } from './prices/prices.ts';
import type { SeriesA } from './question.ts';
import { WEATHER_SERIES } from './weather/weather.ts';

const ECONOMICS = {
  category: 'Economics',
  tags: ['Economics'],
  frequency: 'custom',
  feeMultiplier: 1,
  feeType: 'quadratic',
};

/** Every series that venue A's listings name, with the fees that the product must read instead of assuming. */
export function allSeries(base: number): SeriesA[] {
  const list: SeriesA[] = [];
  const add = (shape: Parameters<typeof seriesFieldsA>[0]) =>
    list.push({ ticker: shape.ticker, fields: seriesFieldsA(shape, base - 40 * 86_400_000) });
  for (const league of LEAGUES) {
    add({
      ticker: league.series,
      title: league.seriesTitle,
      category: 'Sports',
      tags: [league.tag],
      frequency: 'custom',
      feeMultiplier: league.feeMultiplier,
      feeType: league.feeType,
      sources: league.sources,
      scope: 'Game',
    });
  }
  for (const one of [challengerOf(leagueBy('atp')), womenOf(leagueBy('cbb'))]) {
    add({
      ticker: one.series,
      title: one.seriesTitle,
      category: 'Sports',
      tags: [one.tag],
      frequency: 'custom',
      feeMultiplier: one.feeMultiplier,
      feeType: one.feeType,
      sources: one.sources,
      scope: 'Game',
    });
  }
  for (const future of FUTURES.filter((one) => one.on !== 'b')) {
    const baseball = future.league === 'mlb';
    add({
      ticker: future.series,
      title: future.a.title.replace('{year} ', ''),
      category: 'Sports',
      tags: [LEAGUES.find((one) => one.key === future.league)?.tag ?? 'Sports'],
      frequency: 'annual',
      feeMultiplier: baseball ? 0.5 : 1,
      feeType: 'quadratic',
      sources: [{ name: 'the Governing League', url: future.site }],
      scope: future.a.scope,
    });
  }
  for (const { ticker, title } of WEATHER_SERIES) {
    add({
      ticker,
      title,
      category: 'Climate and Weather',
      tags: ['Daily temperature'],
      frequency: 'daily',
      feeMultiplier: 1,
      feeType: 'quadratic',
      sources: [{ name: 'National Weather Service', url: 'https://www.weather.gov/' }],
    });
  }
  for (const { ticker, title, tag } of PRICE_SERIES) {
    add({
      ticker,
      title,
      category: tag === 'Commodities' ? 'Financials' : 'Crypto',
      tags: [tag],
      frequency: 'hourly',
      feeMultiplier: 1,
      feeType: 'quadratic',
      sources: [{ name: 'CF Benchmarks', url: 'https://www.cfbenchmarks.com/' }],
    });
  }
  add({
    ticker: 'KXFEDDECISION',
    title: 'Fed meeting',
    category: 'Economics',
    tags: ['Fed'],
    frequency: 'custom',
    feeMultiplier: 1,
    feeType: 'quadratic',
    sources: [{ name: 'Federal Reserve', url: 'https://www.federalreserve.gov/' }],
  });
  for (const { series, name, site } of BANKS) {
    add({ ...ECONOMICS, ticker: series, title: `${name} decision`, sources: [{ name, url: site }] });
  }
  for (const { ticker, title, source } of PRINT_SERIES) add({ ...ECONOMICS, ticker, title, sources: [source] });
  for (const ticker of NEIGHBOUR_SERIES) add({ ...ECONOMICS, ticker, title: ticker, sources: [] });
  for (const { league, series, spread } of SERIES) {
    const { tag, sources, feeMultiplier, feeType, competition } = leagueBy(league);
    const shape = { category: 'Sports', tags: [tag], frequency: 'custom', feeMultiplier, feeType, sources };
    add({ ...shape, ticker: series, title: `${competition} series` });
    add({ ...shape, ticker: spread, title: `${competition} series spread` });
  }
  for (const league of LEAGUES) {
    const { scoring } = league;
    const { total, spread, teamTotal } = scoring?.series ?? { total: null, spread: null, teamTotal: null };
    for (const ticker of [total, spread, teamTotal, scoring?.part?.series]) {
      if (!ticker) continue;
      add({
        ticker,
        title: `${league.competition} lines`,
        category: 'Sports',
        tags: [league.tag],
        frequency: 'custom',
        feeMultiplier: league.feeMultiplier,
        feeType: league.feeType,
        sources: league.sources,
      });
    }
  }
  return list;
}
