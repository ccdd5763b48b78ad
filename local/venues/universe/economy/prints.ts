import { DAY, HOUR, MINUTE, MONTHS, shortDate, tickerDate } from '../../core/eastern.ts';
import { bell, keyOf, pick, unit, wave } from '../../core/random.ts';
import { normalBelow } from '../chances.ts';
import { eventFieldsA, marketFieldsA } from '../listing_a.ts';
import { ECONOMICS_FEE, eventB, marketB, negRiskIdOf } from '../listing_b.ts';
import { longMoments } from '../long_moments.ts';
import type { ContractA, EventA, EventB, Leg, Lookalike, LooseLeg, Moments, Question } from '../question.ts';
import { type Bucket, INDICATORS, type Indicator, type Period, releaseOf, shortMonth } from './indicators.ts';

/** Series of venue A that ask for a print. */
export const PRINT_SERIES = INDICATORS.flatMap(({ exact, above, source, key }) =>
  [exact?.series, above?.series].flatMap((series) =>
    series ? [{ ticker: series, title: `Economic print ${key}`, source }] : [],
  ),
);

/** The next print of each indicator on both venues, and the one after it on venue A only. */
export function printQuestions(seed: number, base: number): { questions: Question[]; lookalikes: Lookalike[] } {
  const questions: Question[] = [];
  const lookalikes: Lookalike[] = [];
  for (const indicator of INDICATORS) {
    const next = printOf(seed, base, indicator, releaseOf(indicator, base, 0));
    questions.push(...next.questions);
    lookalikes.push(...next.lookalikes);
    const later = printOf(seed, base, { ...indicator, b: null, above: null }, releaseOf(indicator, base, 1));
    questions.push(...later.questions);
  }
  return { questions, lookalikes };
}

type Print = {
  seed: number;
  indicator: Indicator;
  period: Period;
  moments: Moments;
  /** The value that is published. */
  value: number;
  centre: number;
  within(bucket: Bucket): (t: number) => number;
};

function printOf(
  seed: number,
  base: number,
  indicator: Indicator,
  period: Period,
): { questions: Question[]; lookalikes: Lookalike[] } {
  const { release } = period;
  const moments = longMoments({
    listed_a: base - 25 * DAY,
    listed_b: base - 20 * DAY,
    stopped_a: release - 5 * MINUTE,
    stopped_b: release + 10 * MINUTE,
    ends: release,
    resolvedAfter: 2 * HOUR,
  });
  const key = keyOf(seed, indicator.key, period.year, period.month);
  const { mean, deviation, grid, step } = indicator;
  const round = (value: number) => Math.round(Math.round(value / grid) * grid * 10) / 10;
  const expected = mean + deviation * bell(key, 1);
  const value = round(expected + deviation * bell(key, 2));
  const half = indicator.unit === 'k' ? 0 : grid / 2;
  const within =
    ({ low, high }: Bucket) =>
    (t: number) => {
      const now = expected + 0.15 * deviation * wave(key, t, 9 * HOUR);
      const below = (edge: number) => normalBelow((edge - now) / deviation);
      return (high === null ? 1 : below(high + half)) - (low === null ? 0 : below(low - half));
    };
  const centre = Math.round(Math.round(expected / step) * step * 10) / 10;
  const print: Print = { seed, indicator, period, moments, value, centre, within };
  const exact = indicator.exact ? exactOnA(print) : null;
  const above = indicator.above ? aboveOnA(print) : null;
  const b = indicator.b ? ladderOnB(print) : null;
  // One subject for everything that is said of a country's prices or of its labour: the neighbours are the look-alikes.
  const subject = `print:${indicator.key.startsWith('c') ? 'prices' : indicator.key}`;
  const plain = { family: 'econ_print', moments, subject };
  const questions: Question[] = [];
  const lookalikes: Lookalike[] = [];
  if (exact) questions.push({ ...plain, key: exact.ticker, a: exact, b, ...exactLegs(exact, b) });
  if (above) {
    const loose = !exact && b ? boundBy(print, above, b) : [];
    questions.push({ ...plain, key: above.ticker, a: above, b: exact ? null : b, legs: [], loose });
    if (exact && b)
      lookalikes.push({ venue_a: above.ticker, venue_b: b.slug, why: 'thresholds_of_the_same_print', candidate: true });
  }
  return { questions, lookalikes };
}

function exactLegs(exact: EventA, b: EventB | null): { legs: Leg[]; loose: LooseLeg[] } {
  const legs: Leg[] = [];
  const loose: LooseLeg[] = [];
  for (const market of b?.markets ?? []) {
    const name = String(market.fields.groupItemTitle);
    const contract = exact.contracts.find((one) => one.fields.yes_sub_title === name);
    if (contract) legs.push({ name, ticker: contract.ticker, side: 'yes', token_id: market.tokens[0] });
    else loose.push({ name, token_id: market.tokens[0], relation: 'UNCOVERED', span: [] });
  }
  return { legs, loose };
}

/**
 * A bucket can be derived where venue A has a threshold at each of its edges: "3.0%" is above 2.9 and not above 3.0. A range that
 * begins "at least" at a threshold that venue A asks to be above is off by the one value in between.
 */
function boundBy({ indicator, centre }: Print, above: EventA, b: EventB): LooseLeg[] {
  const floors = new Set(above.contracts.map((one) => Number(one.fields.floor_strike)));
  const { grid, points, unit } = indicator;
  const at = (value: number) => floors.has(unit === 'k' ? value * 1000 : Math.round(value * 10) / 10);
  return bucketsOf(indicator, centre).flatMap(({ low, high }, i): LooseLeg[] => {
    const market = b.markets[i];
    const bound = (low === null || at(low - grid)) && (high === null || at(points ? high : high - grid));
    const relation = bound ? 'DERIVED' : 'UNCOVERED';
    return market
      ? [{ name: String(market.fields.groupItemTitle), token_id: market.tokens[0], relation, span: [] }]
      : [];
  });
}

const periodTicker = ({ year, month }: Period): string =>
  `${String(year).slice(2)}${(MONTHS[month - 1] ?? '').toUpperCase()}`;
const inPeriod = (indicator: Indicator, period: Period): string =>
  indicator.period === 'quarter' ? `Q${period.quarter} ${period.year}` : shortMonth(period);

function exactOnA(print: Print): EventA {
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

function aboveOnA(print: Print): EventA {
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

function ladderOnB({ seed, indicator, period, moments, centre, value, within }: Print): EventB {
  const words = indicator.b;
  if (!words) throw new Error(`venue B has no ladder of ${indicator.key}`);
  const slug = words.slug(period);
  const negRiskId = negRiskIdOf(seed, slug);
  const description = `This market will resolve according to ${words.describes} for ${inPeriod(indicator, period)}.\n\nThe resolution source will be the first release of the ${indicator.source.name} (${indicator.source.url}), scheduled for ${shortDate(period.release)}; revisions published later will not be considered.`;
  const markets = bucketsOf(indicator, centre).map((bucket, i) => {
    const { question, slug: own, group } = words.market(period, bucket);
    const key = keyOf(seed, own, period.year);
    return marketB(
      seed,
      {
        slug: own,
        question,
        description,
        resolution: indicator.source.url,
        outcomes: ['Yes', 'No'],
        end: Date.parse(`${new Date(period.release).toISOString().slice(0, 10)}T00:00:00Z`),
        opened: moments.listed_b,
        group,
        threshold: i,
        fee: ECONOMICS_FEE,
        tick: 10,
        negRiskId,
      },
      { key, fair: within(bucket), halfSpread: 2 + 4 * unit(key, 21), scale: 150 + pick(key, 23, 2500), pace: 3 },
      holds(indicator, bucket, value) ? 0 : 1,
    );
  });
  return eventB(
    seed,
    {
      slug,
      title: words.title(period),
      description,
      resolution: indicator.source.url,
      opened: moments.listed_b,
      end: period.release,
      negRisk: true,
      augmented: false,
      series: slug.replace(/-\d{4}$/, ''),
      tags: [
        ['100328', 'Economy', 'economy'],
        ['702', 'Inflation', 'inflation'],
      ],
    },
    markets,
  );
}

/** A tail, points or ranges, a tail. Points stand on the grid; ranges begin where the last one ended. */
function bucketsOf({ points, step, grid }: Indicator, centre: number): Bucket[] {
  const round = (value: number) => Math.round(value * 10) / 10;
  if (points) {
    const inner = [-1, 0, 1].map((i) => round(centre + i * grid));
    const single = inner.map((point) => ({ low: point, high: point }));
    return [{ low: null, high: round(centre - 2 * grid) }, ...single, { low: round(centre + 2 * grid), high: null }];
  }
  const edges = [-2, -1, 0, 1, 2].map((i) => round(centre + i * step));
  const ranges = edges.slice(0, -1).map((low, i) => ({ low, high: edges[i + 1] ?? low }));
  return [{ low: null, high: edges[0] ?? 0 }, ...ranges, { low: edges.at(-1) ?? 0, high: null }];
}

function holds({ points }: Indicator, { low, high }: Bucket, value: number): boolean {
  return (low === null || value >= low) && (high === null || (points ? value <= high : value < high));
}
