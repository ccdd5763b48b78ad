import type { Question } from '../../listing.ts';
import { type Context, earliest } from '../question.ts';
import { parseInstant, parseTickerDate } from '../text/eastern.ts';
import { joined, type RawObject, record, records, rulesOfA, text, textsOfA } from '../text/raw_object.ts';
import { truncateRules } from '../text/summary_text.ts';
import { seriesOf } from '../text/ticker.ts';
import { formatDollars, type PriceRung, priceQuestion } from './crypto.ts';
import { type Cadence, priceSeries } from './crypto_assets.ts';
import { type Level, parseLevel } from './crypto_level_a.ts';
import { type PricedText, payoffOfLadder } from './crypto_payoff.ts';
import { OCCASION, parseSettlementTime, parseSpan } from './crypto_when_a.ts';

/**
 * Whether the ladder lists ranges. At most one of its contracts pays, and "greater" is only its
 * last rung.
 */
function isRange(event: RawObject, markets: readonly RawObject[]): boolean {
  return (
    event.mutually_exclusive === true ||
    /price range/i.test(text(event.title) ?? '') ||
    text(event.collateral_return_type) === 'MECNET' ||
    markets.some(
      (market) => text(market.strike_type) === 'between' || /\d to \$?\d/.test(text(market.yes_sub_title) ?? ''),
    )
  );
}

/** Returns the settlement sources of the event and of its series. */
function sourcesOf(event: RawObject, context: Context): string[] {
  return [event, record(context.series)]
    .flatMap((holder) => records(holder.settlement_sources))
    .flatMap((source) => [text(source.name), text(source.url)])
    .filter((name): name is string => name !== null);
}

function rungOf(market: RawObject, { level, inclusive }: Level, kind: Cadence): PriceRung | null {
  const id = text(market.ticker);
  if (id === null) return null;
  const status = text(market.status);
  const fallback = inclusive
    ? `${formatDollars(level)} or ${kind === 'low' ? 'below' : 'above'}`
    : `${kind === 'low' ? 'Below' : 'Above'} ${formatDollars(level)}`;
  return {
    level,
    inclusive,
    label: text(market.yes_sub_title) ?? fallback,
    market_id: id,
    contract_id: id,
    side: 'yes',
    trading: status === null || status === 'active',
  };
}

/**
 * Parses the price ladders of coins and commodities: above at an instant, or the high or low of a
 * period. Ranges and quarter hours are skipped.
 */
export function cryptoA(event: RawObject, context: Context): Question[] {
  const ticker = text(event.event_ticker);
  const series = ticker === null ? null : (text(event.series_ticker) ?? seriesOf(ticker));
  const listed = series === null ? null : priceSeries(series);
  const occasion = ticker === null || series === null ? null : OCCASION.exec(ticker.slice(series.length + 1));
  const markets = records(event.markets);
  if (ticker === null || series === null || listed === null || occasion === null || isRange(event, markets)) return [];
  const { asset, kind } = listed;
  const when = kind === 'at' ? parseSettlementTime(event, occasion) : null;
  const span =
    kind === 'at' ? null : parseSpan(event, markets, listed.span, parseTickerDate(occasion[1] ?? ''), context.now);
  const read = markets.map((market) => ({ market, level: parseLevel(market, ticker, kind) }));
  const contradictory =
    when?.contradictory || span === 'contradictory' || read.some(({ level }) => level === 'contradictory');
  const period = span === 'contradictory' ? null : span;
  const expected = {
    asset: asset.id,
    kind,
    on_date: when?.on_date ?? null,
    settles_at: when?.settles_at ?? null,
    until: period?.until ?? null,
  };
  const contracts = read.flatMap(({ market, level }): PricedText[] =>
    level === null || level === 'contradictory'
      ? []
      : [
          {
            titles: [text(market.title), text(market.yes_sub_title)],
            text: joined(market.rules_primary, market.rules_secondary),
            priced: { ...expected, level: level.level },
          },
        ],
  );
  return [
    priceQuestion({
      venue: 'venue_a',
      nativeId: ticker,
      part: null,
      series,
      asset,
      kind,
      on_date: when?.on_date ?? null,
      settles_at: when?.settles_at ?? null,
      period: period?.key ?? null,
      evidence: kind === 'at' ? { hour_by: when?.hour_by ?? null } : { year_by: period?.year_by ?? null },
      title: text(event.title),
      texts: {
        rules: truncateRules(rulesOfA(markets)),
        texts: textsOfA(markets),
        titles: [event, ...markets]
          .flatMap((one) => [text(one.title) ?? '', text(one.early_close_condition) ?? ''])
          .join('\n'),
        sources: sourcesOf(event, context),
      },
      close_at: earliest(markets.map((market) => parseInstant(text(market.close_time)))),
      rungs: read.flatMap(({ market, level }) => {
        const rung = level === null || level === 'contradictory' ? null : rungOf(market, level, kind);
        return rung === null ? [] : [rung];
      }),
      payoff: payoffOfLadder(text(event.title), contracts),
      excluded: contradictory ? 'contradictory' : null,
    }),
  ];
}
