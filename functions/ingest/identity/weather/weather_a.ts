import type { Question } from '../../listing.ts';
import { type Context, earliest } from '../question.ts';
import { parseDate, parseInstant, parseTickerDate } from '../text/eastern.ts';
import { joined, opening, type RawObject, record, records, rulesOfA, text, textsOfA } from '../text/raw_object.ts';
import { truncateRules } from '../text/summary_text.ts';
import { seriesOf } from '../text/ticker.ts';
import { type Band, parseBand, parseBandInQuestion, parseBandInRules, parseStrikeBand, sameBand } from './band.ts';
import { type BandRung, weatherQuestion } from './weather.ts';
import { type BandText, payoffOfBands } from './weather_payoff.ts';
import { type City, cityByName, seriesPlace } from './weather_places.ts';
import type { Extreme } from './weather_terms.ts';

/**
 * Parses the band of a venue_a market from its fields, label, title and rules. Two different bands
 * contradict.
 */
function parseMarketBand(market: RawObject): Band | null | 'contradictory' {
  const bands = [
    parseStrikeBand(market),
    parseBand(text(market.yes_sub_title) ?? '', 'F'),
    parseBandInQuestion(text(market.title) ?? '', 'F'),
    parseBandInRules(opening(market.rules_primary)),
  ].filter((band): band is Band => band !== null);
  const [first, ...others] = bands;
  if (first === undefined) return null;
  return others.every((band) => sameBand(band, first)) ? first : 'contradictory';
}

/** "69° to 70°", for a listing without a label. */
const labelOf = ({ low, high }: Band): string =>
  low === null
    ? `${high}° or below`
    : high === null
      ? `${low}° or above`
      : low === high
        ? `${low}°`
        : `${low}° to ${high}°`;

function rungOf(market: RawObject, band: Band): BandRung | null {
  const id = text(market.ticker);
  if (id === null) return null;
  const label = text(market.yes_sub_title) ?? labelOf(band);
  const status = text(market.status);
  return { band, label, market_id: id, contract_id: id, side: 'yes', trading: status === null || status === 'active' };
}

/** Whether the title names the other extreme or another known city. */
function namesOtherPlace(title: string | null, { extreme, city }: { extreme: Extreme; city: City }): boolean {
  const match = /^(highest|lowest) temperature in (.+?)(?: on | today|\?|$)/i.exec(title ?? '');
  if (match === null) return false;
  const named = cityByName(match[2] ?? '');
  return (match[1]?.toLowerCase() === 'highest') !== (extreme === 'high') || (named !== null && named.id !== city.id);
}

/** Returns URLs and names of the reports by which the event or its series settles. */
function addressesOf(event: RawObject, context: Context): string[] {
  return [event, record(context.series)]
    .flatMap((holder) => records(holder.settlement_sources))
    .flatMap((source) => [text(source.url), text(source.name)])
    .filter((address): address is string => address !== null);
}

/**
 * Parses KXHIGH…, KXHIGHT…, KXLOW… and KXLOWT… of a known city. Hourly temperatures are another
 * question.
 */
export function weatherA(event: RawObject, context: Context): Question[] {
  const ticker = text(event.event_ticker);
  const series = ticker === null ? null : (text(event.series_ticker) ?? seriesOf(ticker));
  const place = series === null ? null : seriesPlace(series);
  if (ticker === null || series === null || place === null) return [];
  const markets = records(event.markets);
  const read = markets.map((market) => ({ market, band: parseMarketBand(market) }));
  const rungs = read.flatMap(({ market, band }) => {
    const rung = band === null || band === 'contradictory' ? null : rungOf(market, band);
    return rung === null ? [] : [rung];
  });
  const contracts = read.map(
    ({ market, band }): BandText => ({
      titles: [text(market.title), text(market.yes_sub_title)],
      text: joined(market.rules_primary, market.rules_secondary),
      band: band === 'contradictory' ? null : band,
    }),
  );
  const on_date = parseTickerDate(ticker.split('-')[1] ?? '');
  const titled = parseDate(text(event.title) ?? '', on_date);
  const differs =
    (titled !== null && on_date !== null && titled !== on_date) || namesOtherPlace(text(event.title), place);
  return [
    weatherQuestion({
      venue: 'venue_a',
      nativeId: ticker,
      series,
      ...place,
      on_date,
      title: text(event.title),
      close_at: earliest(markets.map((market) => parseInstant(text(market.close_time)))),
      texts: {
        rules: truncateRules(rulesOfA(markets)),
        texts: textsOfA(markets),
        addresses: addressesOf(event, context),
      },
      rungs,
      payoff: payoffOfBands(text(event.title), contracts, { ...place, on_date }),
      excluded: differs || read.some(({ band }) => band === 'contradictory') ? 'contradictory' : null,
    }),
  ];
}
