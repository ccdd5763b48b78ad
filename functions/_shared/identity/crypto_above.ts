import type { Json, Question } from '../listing.ts';
import { easternInstant, instant, isoDate, monthNumber, tickerDate } from './eastern.ts';
import { type Context, earliest, ordered, question, type UnorderedLeg, urlOf } from './question.ts';
import { ASSETS, type Named } from './registry.ts';
import { isUnfilled, normal } from './text.ts';
import { seriesOf } from './ticker.ts';
import { amount, records, rulesOfA, rulesOfB, text, type Wire, yesContract } from './wire.ts';

/** Price of an asset above a threshold at an hour: cumulative legs, so several may come true. */
type Rung = {
  threshold: number;
  comparison: 'above' | 'at_or_above';
  label: string;
  market_id: string;
  contract_id: string;
  side: 'yes' | null;
};

function ladder(
  venue: 'venue_a' | 'venue_b',
  native: string,
  asset: Named,
  on_date: string | null,
  hour: number | null,
  rungs: readonly Rung[],
  facts: { close_at: string | null; url: string | null; title: string | null; terms: { [key: string]: Json } },
): Question {
  const sorted = [...rungs].sort((a, b) => a.threshold - b.threshold);
  const key = (rung: Rung) => `above_${rung.threshold}`;
  return question(
    {
      question_id: `${venue}:${native}`,
      family: 'crypto_above',
      key: `crypto_above|${asset.id}`,
      title: `${asset.name} above on ${on_date ?? '?'}`,
      identity: {
        asset: asset.id,
        hour,
        settles_at: on_date !== null && hour !== null ? easternInstant(on_date, hour, 0) : null,
        title: facts.title,
      },
    },
    {
      on_date,
      category: 'crypto',
      asset: asset.name,
      close_at: facts.close_at,
      url: facts.url,
      exclusive: false,
      excluded: on_date === null ? 'unreadable_date' : rungs.length === 0 ? 'incomplete' : null,
    },
    facts.terms,
    ordered(
      sorted.map((rung): UnorderedLeg => {
        const { threshold, comparison, label, ...leg } = rung;
        return {
          ...leg,
          outcome_key: key(rung),
          outcome_name: label,
          detail: { low: threshold, high: null, comparison, unit: 'USD' },
        };
      }),
      sorted.map(key),
    ),
  );
}

function cryptoTerms(rules: string | null): { [key: string]: Json } {
  const said = rules ?? '';
  return {
    rules: rules === null ? 'none' : isUnfilled(said) ? 'unfilled' : 'read',
    index: /binance/i.test(said) ? 'binance' : /cf benchmarks|brti|erti/i.test(said) ? 'cf_benchmarks' : null,
    averaging: /sixty seconds|60[- ]second/i.test(said)
      ? '60_seconds'
      : /1 minute candle/i.test(said)
        ? '1_minute_close'
        : null,
  };
}

export function cryptoAboveA(event: Wire, _context: Context): Question[] {
  const ticker = text(event.event_ticker);
  const series = ticker === null ? null : (text(event.series_ticker) ?? seriesOf(ticker));
  const asset = ASSETS.find((one) => series !== null && one.venue_a.includes(series));
  const match = ticker === null ? null : /-(\d{2}[A-Z]{3}\d{2})(\d{2})$/.exec(ticker);
  if (ticker === null || asset === undefined || match === null) return [];
  const markets = records(event.markets);
  const rungs = markets.flatMap((market): Rung[] => {
    const id = text(market.ticker);
    const floor = amount(market.floor_strike);
    const type = text(market.strike_type);
    if (id === null || floor === null || (type !== 'greater' && type !== 'greater_or_equal')) return [];
    // "$78,000 or above" is written as more than 77,999.99: a cent below a round number and strictly above it.
    const cents = Math.round(floor * 100);
    const inclusive = type === 'greater_or_equal' ? cents : cents + 1;
    return [
      {
        threshold: inclusive / 100,
        comparison: 'at_or_above',
        label: text(market.yes_sub_title) ?? `$${inclusive / 100} or above`,
        market_id: id,
        contract_id: id,
        side: 'yes',
      },
    ];
  });
  const rules = rulesOfA(markets);
  return [
    ladder('venue_a', ticker, asset, tickerDate(match[1] ?? ''), Number(match[2]), rungs, {
      close_at: earliest(markets.map((market) => instant(text(market.close_time)))),
      url: urlOf('venue_a', ticker, series),
      title: text(event.title),
      terms: cryptoTerms(rules),
    }),
  ];
}

export function cryptoAboveB(event: Wire, context: Context): Question[] {
  const slug = text(event.slug);
  const match =
    slug === null
      ? null
      : /^([a-z]+)-above(?:-on)?-([a-z]+)-(\d{1,2})(?:-(20\d{2}))?(?:-(\d{1,2})(am|pm)-et)?(?:-\d+)*$/.exec(slug);
  const asset = match ? ASSETS.find((one) => one.names.some((name) => normal(name) === match[1])) : undefined;
  if (slug === null || match === null || asset === undefined) return [];
  const markets = records(event.markets);
  const rungs = markets.flatMap((market): Rung[] => {
    const yes = yesContract(market);
    const said = /above \$?([\d,.]*\d)/i.exec(text(market.question) ?? '')?.[1] ?? text(market.groupItemTitle);
    const threshold = said === null ? null : amount(said.replace(/[$,\s]/g, ''));
    return yes === null || threshold === null
      ? []
      : [
          {
            threshold,
            comparison: 'above',
            label: `$${threshold.toLocaleString('en-US')}`,
            ...yes,
            side: null,
          },
        ];
  });
  const end = earliest([instant(text(event.endDate)), ...markets.map((market) => instant(text(market.endDate)))]);
  const month = monthNumber(match[2] ?? '');
  const year = match[4] ?? (end ?? context.now).slice(0, 4);
  const hour = match[5] ? (Number(match[5]) % 12) + (match[6] === 'pm' ? 12 : 0) : 12;
  const rules = rulesOfB(event, markets);
  return [
    ladder('venue_b', slug, asset, month ? isoDate(Number(year), month, Number(match[3])) : null, hour, rungs, {
      close_at: end,
      url: urlOf('venue_b', slug, null),
      title: text(event.title),
      terms: cryptoTerms(rules),
    }),
  ];
}
