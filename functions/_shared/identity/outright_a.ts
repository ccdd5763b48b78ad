import type { Question } from '../listing.ts';
import { decidedYear, speaksOf } from './award.ts';
import { instant } from './eastern.ts';
import { outright, type Runner } from './outright.ts';
import { type Context, earliest, urlOf } from './question.ts';
import { awardOfSeries } from './registry.ts';
import { sportsTerms } from './terms.ts';
import { seriesOf, suffixOf, yearTicker } from './ticker.ts';
import { record, records, rulesOfA, text, type Wire } from './wire.ts';

const NAMED = /^will (?:the )?(.+?) (?:win|be|have|finish|lead|make|place|score|hit|take)\b/i;

/** venue_a's futures: the series names the award, the year in the ticker is the one in which it is decided. */
export function outrightA(event: Wire, context: Context): Question[] {
  const ticker = text(event.event_ticker);
  if (ticker === null) return [];
  const series = text(event.series_ticker) ?? seriesOf(ticker);
  const award = awardOfSeries(series);
  const read = yearTicker(ticker);
  if (award === null || read === null) return [];
  const markets = records(event.markets);
  const title = text(event.title);
  const runners = markets.flatMap((market): Runner[] => {
    const market_id = text(market.ticker);
    if (market_id === null) return [];
    const label = text(market.yes_sub_title) ?? NAMED.exec(text(market.title) ?? '')?.[1] ?? null;
    return [{ label, code: suffixOf(ticker, market_id), market_id, contract_id: market_id, side: 'yes' }];
  });
  const rules = rulesOfA(markets);
  const said = [text(event.sub_title), title, text(markets[0]?.title), text(markets[0]?.rules_primary)]
    .map((one) => (one === null ? null : decidedYear(one, award)))
    .find((year) => year !== null);
  // Conference futures have been turned into the winner of one series under the old ticker.
  const retitled = title !== null && !speaksOf(award, title);
  const otherYear = said !== undefined && said !== null && Math.abs(said - read.year) > 1;
  const sources = records(event.settlement_sources).concat(records(record(context.series).settlement_sources));
  return [
    outright({
      venue: 'venue_a',
      event: ticker,
      award,
      year: read.year,
      year_by: 'ticker',
      close_at: earliest(
        markets.map((market) => instant(text(market.expected_expiration_time)) ?? instant(text(market.close_time))),
      ),
      url: urlOf('venue_a', ticker, series),
      terms: sportsTerms(
        rules,
        [...new Set(sources.map((one) => text(one.name) ?? '').filter((name) => name !== ''))],
        null,
      ),
      runners,
      excluded: retitled || otherYear ? 'contradictory' : null,
      texts: { title, year_said: said ?? null },
    }),
  ];
}
