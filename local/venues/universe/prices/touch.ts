import { DAY, easternInstant, easternParts, HOUR, longMonth, shortDate, tickerDate } from '../../core/eastern.ts';
import { keyOf, pick, unit } from '../../core/random.ts';
import { normalBelow } from '../chances.ts';
import { eventFieldsA, marketFieldsA } from '../listing_a.ts';
import { CRYPTO_FEE, eventB, marketB } from '../listing_b.ts';
import { longMoments } from '../long_moments.ts';
import type { ContractA, EventA, EventB, Leg, Moments, Question, Twin } from '../question.ts';
import { COINS, type Coin, priceAt } from './coins.ts';

/** The month's highest and lowest price of a coin: two ladders on venue A, one event of both directions on venue B. */
type Side = 'MAX' | 'MIN';
type Month = { opens: number; ends: number };
type Rung = { strike: number; fair: (t: number) => number; touched: boolean };

export function touchQuestions(seed: number, base: number): Question[] {
  const { year, month } = easternParts(base);
  return [0, 1].flatMap((later) => COINS.flatMap((coin) => monthOf(seed, base, coin, monthAt(year, month + later))));
}

function monthAt(year: number, month: number): Month {
  const start = (y: number, m: number) => easternInstant(y + Math.floor((m - 1) / 12), ((m - 1) % 12) + 1, 1, 0);
  return { opens: start(year, month), ends: start(year, month + 1) - 60_000 };
}

function monthOf(seed: number, base: number, coin: Coin, month: Month): Question[] {
  const price = priceAt(seed, coin, base);
  const moments = longMoments({
    listed_a: month.opens - DAY,
    listed_b: month.opens - 2 * DAY,
    stopped_a: month.ends,
    stopped_b: month.ends,
    ends: month.ends,
    resolvedAfter: 2 * HOUR,
  });
  const centre = Math.round(price(Math.max(base, month.opens)) / (2.5 * coin.step)) * 2.5 * coin.step;
  const extremes = extremesOf(price, month);
  const rungs = (side: Side, steps: readonly number[]) =>
    steps.map((step) =>
      rung(coin, price, extremes, month, side, centre + (side === 'MAX' ? 1 : -1) * step * 2.5 * coin.step),
    );
  const max = onA(seed, coin, 'MAX', month, moments, rungs('MAX', [1, 2, 3, 4]));
  const min = onA(seed, coin, 'MIN', month, moments, rungs('MIN', [1, 2, 3, 4]));
  const b = onB(seed, coin, month, moments, rungs('MAX', [1, 2, 5]), rungs('MIN', [1, 3]));
  const subject = `crypto:${coin.series}`;
  const twin = (event: EventA, way: string): Twin => ({
    family: 'crypto_above',
    event_ticker: event.ticker,
    event_slug: b.slug,
    line: null,
    legs: legsOf(event, b, way),
    loose: [],
    caution: null,
  });
  const plain = { family: 'crypto_touch', moments, legs: [], subject } as const;
  return [
    { ...plain, legs: [], key: max.ticker, a: max, b: null, twins: [twin(max, '↑')] },
    { ...plain, legs: [], key: min.ticker, a: min, b: null, twins: [twin(min, '↓')] },
    { ...plain, legs: [], key: b.slug, a: null, b },
  ];
}

/** Highest and lowest price from the month's start to each of its two-hour marks. */
function extremesOf(price: (t: number) => number, { opens, ends }: Month): { t: number; high: number; low: number }[] {
  const marks: { t: number; high: number; low: number }[] = [];
  for (let t = opens; t <= ends; t += 2 * HOUR) {
    const last = marks.at(-1);
    const now = price(t);
    marks.push({ t, high: Math.max(last?.high ?? now, now), low: Math.min(last?.low ?? now, now) });
  }
  return marks;
}

function rung(
  coin: Coin,
  price: (t: number) => number,
  extremes: readonly { t: number; high: number; low: number }[],
  { ends }: Month,
  side: Side,
  strike: number,
): Rung {
  const hit = (mark: { high: number; low: number }) => (side === 'MAX' ? mark.high >= strike : mark.low <= strike);
  const first = extremes.find(hit)?.t ?? Number.POSITIVE_INFINITY;
  const fair = (t: number) => {
    if (t >= first) return 0.997;
    const deviation = coin.volatility * Math.sqrt(Math.max(0.01, (ends - t) / DAY));
    // Reflection: a level is touched about twice as often as it is ended above.
    const away = Math.abs(Math.log(strike / price(t))) / deviation;
    return Math.min(0.96, 2 * normalBelow(-away));
  };
  return { strike, fair, touched: Number.isFinite(first) };
}

function onA(seed: number, coin: Coin, side: Side, { ends }: Month, moments: Moments, rungs: readonly Rung[]): EventA {
  const series = `KX${coin.ticker}${side}MON`;
  const ticker = `${series}-${coin.ticker}-${tickerDate(ends)}`;
  const direction = side === 'MAX' ? 'above' : 'below';
  const contracts = rungs.map(({ strike, fair, touched }): ContractA => {
    const market = `${ticker}-${Math.round(strike * 100)}`;
    const key = keyOf(seed, market);
    const level = `$${strike.toLocaleString('en-US')}`;
    return {
      ticker: market,
      fields: marketFieldsA(
        {
          ticker: market,
          event: ticker,
          title: `Will ${coin.ticker} trimmed mean be ${direction} ${level} by 11:59 PM ET on ${shortDate(ends)}?`,
          yes: `${side === 'MAX' ? 'Above' : 'Below'} ${level}`,
          rules: [
            `If the trimmed mean of ${coin.index} over any one minute is ${direction} ${level} between the market's issuance and 11:59 PM ET on ${shortDate(ends)}, then the market resolves to Yes.`,
            `Each minute's value is the mean of its sixty readings of ${coin.index} without the highest and the lowest fifth of them.`,
          ],
          open: moments.listed_a,
          close: ends,
          expected: ends + HOUR,
          occurrence: null,
          earlyClose: 'This market will close and expire early if the event occurs.',
          settlementSeconds: 60,
          strike: side === 'MAX' ? { type: 'greater', floor: strike } : { type: 'less', cap: strike },
        },
        key,
      ),
      quoting: { key, fair, halfSpread: 0.5 + unit(key, 1), scale: 150 + pick(key, 2, 1500), tick: 100 },
      pays: touched ? 'yes' : 'no',
      expirationValue: '',
    };
  });
  return {
    ticker,
    series,
    fields: eventFieldsA({
      ticker,
      series,
      title: `How ${side === 'MAX' ? 'high' : 'low'} will ${coin.name} get in ${longMonth(ends)}?`,
      sub: `By ${shortDate(ends)}`,
      exclusive: false,
      sources: [{ name: 'CF Benchmarks', url: 'https://www.cfbenchmarks.com/' }],
      category: 'Crypto',
      strikeDate: ends,
      updated: moments.listed_a,
    }),
    contracts,
    milestone: null,
  };
}

function onB(
  seed: number,
  coin: Coin,
  { ends }: Month,
  moments: Moments,
  up: readonly Rung[],
  down: readonly Rung[],
): EventB {
  const month = longMonth(ends);
  const { year } = easternParts(ends);
  const when = `${month.toLowerCase()}-${year}`;
  const slug = `what-price-will-${coin.long}-hit-in-${when}`;
  const rungs = [...up.map((one) => ({ ...one, rises: true })), ...down.map((one) => ({ ...one, rises: false }))];
  const markets = rungs.map(({ strike, fair, touched, rises }, i) => {
    const word = rises ? 'reach' : 'dip-to';
    const own = `will-${coin.long}-${word}-${String(strike).replace('.', 'pt')}-in-${when}`;
    const key = keyOf(seed, own);
    const [high, least] = rises ? ['High', 'equal to or greater than'] : ['Low', 'equal to or lower than'];
    return marketB(
      seed,
      {
        slug: own,
        question: `Will ${coin.name} ${word.replace('-', ' ')} $${strike.toLocaleString('en-US')} in ${month}?`,
        description: `This market will immediately resolve to "Yes" if any Binance 1 minute candle for ${coin.symbol} between the first of ${month} ${year}, 12:00 AM ET and its last day, 11:59 PM ET has a final "${high}" price ${least} the price specified in the title. Otherwise, this market will resolve to "No".\n\nThe resolution source for this market is Binance, specifically the ${coin.symbol} "${high}" prices with 1m candles. Prices from other exchanges, trading pairs or spot markets will not be considered.`,
        resolution: 'https://www.binance.com/en/trade',
        outcomes: ['Yes', 'No'],
        end: ends,
        opened: moments.listed_b,
        group: `${rises ? '↑' : '↓'} ${strike.toLocaleString('en-US')}`,
        threshold: i,
        fee: CRYPTO_FEE,
        tick: 10,
        negRiskId: null,
      },
      { key, fair, halfSpread: 3 + 5 * unit(key, 21), scale: 200 + pick(key, 23, 2500) },
      touched ? 0 : 1,
    );
  });
  return eventB(
    seed,
    {
      slug,
      title: `What price will ${coin.name} hit in ${month}?`,
      description: '',
      resolution: 'https://www.binance.com/en/trade',
      opened: moments.listed_b,
      end: ends,
      negRisk: false,
      augmented: false,
      series: `${coin.long}-hit-price-monthly`,
      tags: [
        ['21', 'Crypto', 'crypto'],
        ['1312', 'Crypto Prices', 'crypto-prices'],
      ],
    },
    markets,
  );
}

function legsOf(event: EventA, b: EventB, way: string): Leg[] {
  return b.markets.flatMap((market): Leg[] => {
    const name = String(market.fields.groupItemTitle);
    const strike = Number(name.slice(2).replaceAll(',', ''));
    const contract = event.contracts.find((one) => (one.fields.floor_strike ?? one.fields.cap_strike) === strike);
    if (!contract || !name.startsWith(way)) return [];
    return [{ name, ticker: contract.ticker, side: 'yes', token_id: market.tokens[0] }];
  });
}
