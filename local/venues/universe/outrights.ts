import { DAY, easternParts, HOUR } from '../core/eastern.ts';
import { uuidOf } from '../core/ids.ts';
import { bell, keyOf, pick, shuffled, unit } from '../core/random.ts';
import { drawWinner, fieldChances } from './chances.ts';
import { FUTURES, type Future, type Runner } from './futures.ts';
import { eventFieldsA, marketFieldsA, NOT_AFFILIATED } from './listing_a.ts';
import { eventB, marketB, negRiskIdOf, SPORTS_FEE, slugText } from './listing_b.ts';
import { longMoments } from './long_moments.ts';
import type { ContractA, EventA, EventB, Leg, MarketB, Moments, Question } from './question.ts';

/** Season-long questions: champions, conferences, divisions, awards. They outlive any run of the simulator. */
export function outrightQuestions(seed: number, base: number): Question[] {
  return FUTURES.map((future) => outright(seed, base, future));
}

function outright(seed: number, base: number, future: Future): Question {
  const year = easternParts(base + 240 * DAY).year;
  const season = `${year - 1}-${String(year).slice(2)}`;
  const ticker = `${future.series}-${String(year).slice(2)}`;
  const key = keyOf(seed, ticker);
  const { runners } = future;
  const logits = runners.map((runner) => 1.1 * bell(keyOf(seed, 'runner', future.series, runner.code)));
  const winner = drawWinner(key, logits);
  const chances = fieldChances(key, logits);
  const ends = base + (200 + pick(key, 1, 120)) * DAY;
  const moments = longMoments({
    listed_a: base - (30 + pick(key, 2, 60)) * DAY,
    listed_b: base - (30 + pick(key, 3, 60)) * DAY,
    stopped_a: ends,
    stopped_b: ends,
    ends,
    resolvedAfter: 2 * HOUR,
  });
  const words = (text: string) =>
    text
      .replaceAll('{year}', String(year))
      .replaceAll('{next}', String(year + 1))
      .replaceAll('{season}', season);
  const a = future.on === 'b' ? null : onA(seed, future, ticker, words, chances, winner, moments);
  const b = future.on === 'a' ? null : onB(seed, future, words, chances, winner, moments);
  const legs: Leg[] = [];
  if (a && b) {
    for (const [i, runner] of runners.entries()) {
      const market = b.markets.find((one) => one.fields.groupItemTitle === runner.full);
      // A few runners are on one venue only, as in every real outright.
      if (market && a.contracts.some((one) => one.ticker === `${ticker}-${runner.code}`)) {
        legs.push({
          name: runner.full,
          ticker: `${ticker}-${runners[i]?.code}`,
          side: 'yes',
          token_id: market.tokens[0],
        });
      }
    }
  }
  return { key: ticker, family: 'outright', moments, a, b, legs, subject: `outright:${future.league}` };
}

function onA(
  seed: number,
  future: Future,
  ticker: string,
  words: (text: string) => string,
  chances: (t: number) => number[],
  winner: number,
  moments: Moments,
): EventA {
  const contracts = future.runners.flatMap((runner: Runner, i): ContractA[] => {
    const key = keyOf(seed, ticker, runner.code);
    if (future.runners.length > 20 && unit(key, 5) < 0.03) return [];
    const prize = words(future.a.prize);
    const fields = marketFieldsA(
      {
        ticker: `${ticker}-${runner.code}`,
        event: ticker,
        title: `Will ${runner.city} win the ${prize}?`,
        yes: runner.city,
        rules: [`If ${runner.city} wins the ${prize}, then the market resolves to Yes.`, NOT_AFFILIATED],
        open: moments.listed_a,
        close: moments.ends + 700 * DAY,
        expected: moments.ends,
        occurrence: future.targetKey.endsWith('player') ? null : moments.ends,
        earlyClose: 'This market will close and expire after a title holder is declared.',
        settlementSeconds: 300,
        strike: { type: 'structured', custom: { [future.targetKey]: uuidOf('team', future.league, runner.code) } },
      },
      key,
    );
    return [
      {
        ticker: `${ticker}-${runner.code}`,
        fields,
        quoting: {
          key,
          fair: (t) => chances(t)[i] ?? 0,
          halfSpread: 0.35 + unit(key, 1),
          scale: 300 + pick(key, 2, 6000),
          tick: 100,
        },
        pays: i === winner ? 'yes' : 'no',
        expirationValue: future.runners[winner]?.city ?? '',
      },
    ];
  });
  return {
    ticker,
    series: future.series,
    fields: eventFieldsA({
      ticker,
      series: future.series,
      title: words(future.a.title),
      sub: words('{season}'),
      exclusive: true,
      metadata: { competition: future.a.competition, competition_scope: future.a.scope },
      sources: [{ name: 'the Governing League', url: future.site }],
      category: 'Sports',
      updated: moments.listed_a,
    }),
    contracts: shuffled(keyOf(seed, ticker, 'order'), contracts),
    milestone: null,
  };
}

function onB(
  seed: number,
  future: Future,
  words: (text: string) => string,
  chances: (t: number) => number[],
  winner: number,
  moments: Moments,
): EventB {
  const slug = slugText(words(future.b.slug));
  const key = keyOf(seed, slug);
  const negRiskId = negRiskIdOf(seed, slug);
  const prize = words(future.b.prize);
  const description = `This market will resolve to "Yes" if the named ${future.targetKey.endsWith('player') ? 'player' : 'team'} wins the ${prize}. Otherwise, this market will resolve to "No".\n\nIf at any point it becomes impossible for the listed ${future.targetKey.endsWith('player') ? 'player' : 'team'} to win, this market will resolve immediately to "No". If no winner is declared by the end of the following season, this market will resolve to "Other".\n\nThe primary resolution source is official information from the league (${future.site}); a consensus of credible reporting may also be used.`;
  const common = {
    description,
    resolution: '',
    end: moments.ends,
    opened: moments.listed_b,
    fee: SPORTS_FEE,
    outcomes: ['Yes', 'No'] as const,
    negRiskId,
  };
  const markets = future.runners.flatMap((runner, i): MarketB[] => {
    const own = keyOf(seed, slug, runner.code);
    if (future.runners.length > 20 && unit(own, 6) < 0.03) return [];
    const noise = unit(own, 7) < 0.15 ? `-${100 + pick(own, 8, 900)}` : '';
    const article =
      future.targetKey.endsWith('player') ||
      (future.league.length === 3 && ['epl', 'lal', 'sea', 'bun', 'mls'].includes(future.league))
        ? ''
        : 'the ';
    return [
      marketB(
        seed,
        {
          ...common,
          slug: `will-${article.trim() ? 'the-' : ''}${slugText(runner.full)}-win-the-${slugText(prize)}${noise}`,
          question: `Will ${article}${runner.full} win the ${prize}?`,
          group: runner.full,
          threshold: i,
          tick: 10,
        },
        {
          key: own,
          fair: (t) => chances(t)[i] ?? 0,
          halfSpread: 1 + 4 * unit(own, 21),
          scale: 300 + pick(own, 23, 5000),
        },
        i === winner ? 0 : 1,
      ),
    ];
  });
  if (future.augmented) {
    const seat = (name: string, threshold: number, other: boolean) =>
      marketB(
        seed,
        {
          ...common,
          slug: `will-${slugText(name)}-win-the-${slugText(prize)}`,
          question: `Will ${name} win the ${prize}?`,
          group: name,
          threshold,
          tick: 10,
          other,
        },
        { key: keyOf(seed, slug, name), fair: () => 0.004, halfSpread: 2, scale: 400 },
        1,
        other,
      );
    markets.push(seat(future.targetKey.endsWith('player') ? 'Player A' : 'Team A', 90, false), seat('Other', 91, true));
  }
  return eventB(
    seed,
    {
      slug,
      title: words(future.b.title),
      description,
      resolution: '',
      opened: moments.listed_b,
      end: moments.ends,
      negRisk: true,
      augmented: future.augmented,
      series: future.league,
      tags: [['1', 'Sports', 'sports'], ...future.tags],
    },
    shuffled(keyOf(key, 'order'), markets),
  );
}
