import { DAY, easternInstant, easternParts, HOUR } from '../../core/eastern.ts';
import { normalBelow } from '../chances.ts';
import { longSchedule } from '../listing/long_schedule.ts';
import type { EventA, EventB, Leg, Question, Twin } from '../question.ts';
import { COINS, type Coin, priceAt } from './coins.ts';
import type { Month, Side, TouchStrike } from './extremes.ts';
import { touchOnA } from './touch_a.ts';
import { touchOnB } from './touch_b.ts';

/**
 * The highest and lowest price of a coin in a month: two strike ladders on venue A, one event with
 * both directions on venue B.
 */
export function touchQuestions(seed: number, base: number): Question[] {
  const { year, month } = easternParts(base);
  return [0, 1].flatMap((later) => COINS.flatMap((coin) => monthOf(seed, base, coin, monthAt(year, month + later))));
}

function monthAt(year: number, month: number): Month {
  const start = (y: number, m: number) => easternInstant(y + Math.floor((m - 1) / 12), ((m - 1) % 12) + 1, 1, 0);
  return { opens: start(year, month), ends: start(year, month + 1) - 60_000 };
}

function monthOf(seed: number, base: number, coin: Coin, month: Month): Question[] {
  const { opens, ends } = month;
  const price = priceAt(seed, coin, base);
  const moments = longSchedule({ listed_a: opens - DAY, listed_b: opens - 2 * DAY, ends });
  const width = 2.5 * coin.step;
  const centre = Math.round(price(Math.max(base, opens)) / width) * width;
  const extremes = extremesOf(price, month);
  const strikes = (side: Side, steps: readonly number[]) =>
    steps.map((step) =>
      strikeOf(coin, price, extremes, month, side, centre + (side === 'MAX' ? 1 : -1) * step * width),
    );
  const shared = { seed, coin, ends, moments };
  const max = touchOnA(shared, 'MAX', strikes('MAX', [1, 2, 3, 4]));
  const min = touchOnA(shared, 'MIN', strikes('MIN', [1, 2, 3, 4]));
  const b = touchOnB(shared, [...strikes('MAX', [1, 2, 5]), ...strikes('MIN', [1, 3])]);
  const twin = (event: EventA, arrow: string): Twin => ({
    family: 'crypto_above',
    event_ticker: event.ticker,
    event_slug: b.slug,
    line: null,
    legs: legsOf(event, b, arrow),
    unpairedLegs: [],
    defect: null,
  });
  const plain = { family: 'crypto_touch', moments, legs: [], subject: `crypto:${coin.series}` };
  return [
    { ...plain, key: max.ticker, a: max, b: null, twins: [twin(max, '↑')] },
    { ...plain, key: min.ticker, a: min, b: null, twins: [twin(min, '↓')] },
    { ...plain, key: b.slug, a: null, b },
  ];
}

type RunningExtremes = { t: number; high: number; low: number };

/** The highest and lowest price from the start of the month up to each two-hour mark. */
function extremesOf(price: (t: number) => number, { opens, ends }: Month): RunningExtremes[] {
  const marks: RunningExtremes[] = [];
  for (let t = opens; t <= ends; t += 2 * HOUR) {
    const last = marks.at(-1);
    const now = price(t);
    marks.push({ t, high: Math.max(last?.high ?? now, now), low: Math.min(last?.low ?? now, now) });
  }
  return marks;
}

function strikeOf(
  coin: Coin,
  price: (t: number) => number,
  extremes: readonly RunningExtremes[],
  { ends }: Month,
  side: Side,
  strike: number,
): TouchStrike {
  const isTouched = ({ high, low }: RunningExtremes) => (side === 'MAX' ? high >= strike : low <= strike);
  const first = extremes.find(isTouched)?.t ?? Number.POSITIVE_INFINITY;
  const fair = (t: number) => {
    if (t >= first) return 0.997;
    const deviation = coin.volatility * Math.sqrt(Math.max(0.01, (ends - t) / DAY));
    // Reflection principle: a level is touched about twice as often as the final price is beyond
    // it.
    const away = Math.abs(Math.log(strike / price(t))) / deviation;
    return Math.min(0.96, 2 * normalBelow(-away));
  };
  return { side, strike, fair, touched: Number.isFinite(first) };
}

function legsOf(event: EventA, b: EventB, arrow: string): Leg[] {
  return b.markets.flatMap((market): Leg[] => {
    const name = String(market.fields.groupItemTitle);
    const strike = Number(name.slice(2).replaceAll(',', ''));
    const contract = event.contracts.find((one) => (one.fields.floor_strike ?? one.fields.cap_strike) === strike);
    if (!contract || !name.startsWith(arrow)) return [];
    return [{ name, ticker: contract.ticker, side: 'yes', token_id: market.tokens[0] }];
  });
}
