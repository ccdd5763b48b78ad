import { describe, expect, it } from 'vitest';
import type { ContractA, Leg, MarketB, Question } from '../../local/venues/universe/question.ts';
import { questionsOf, standingQuestions, universeOf } from '../../local/venues/universe/universe.ts';
import { truthOf } from '../../local/venues/world/truth.ts';
import { World } from '../../local/venues/world/world.ts';
import type { Truth } from './running.ts';

/** Guarantee: every family is listed on both venues, with prices and results that agree wherever two contracts say the same. */

const BASE = Date.parse('2026-11-20T07:00:00Z');
const AT = BASE + 3_600_000;
const MINUTE = 60_000;

function everything(seed: number, games = 270): Question[] {
  const universe = universeOf(seed, BASE, games);
  const days = [-1, 0, 1, 2, 3, 4, 5, 6].flatMap((day) => questionsOf(universe, day).questions);
  return [...standingQuestions(universe).questions, ...days];
}

type Place = { contract: ContractA; market: MarketB; index: number };

/** The two contracts of each leg of every twin. */
function placesOf(questions: readonly Question[]): { leg: Leg; place: Place; family: string }[] {
  const contracts = new Map(questions.flatMap((one) => one.a?.contracts.map((c) => [c.ticker, c] as const) ?? []));
  const markets = new Map(
    questions.flatMap((one) => one.b?.markets.flatMap((m) => m.tokens.map((token) => [token, m] as const)) ?? []),
  );
  return questions.flatMap((question) => {
    const own = question.legs.map((leg) => ({ leg, family: question.family }));
    const more = (question.twins ?? []).flatMap((twin) => twin.legs.map((leg) => ({ leg, family: twin.family })));
    return [...own, ...more].map(({ leg, family }) => {
      const contract = contracts.get(leg.ticker);
      const market = markets.get(leg.token_id);
      if (!contract || !market) throw new Error(`${question.key}: a leg without contracts`);
      return { leg, family, place: { contract, market, index: market.tokens.indexOf(leg.token_id) } };
    });
  });
}

const SOON = new Set(['moneyline', 'total', 'spread', 'team_total']);

describe('the families of the universe', () => {
  it('pay alike on both sides of every leg, and are worth the same before', () => {
    const counted = new Map<string, number>();
    for (const { leg, place, family } of placesOf(everything(11))) {
      const { contract, market, index } = place;
      counted.set(family, (counted.get(family) ?? 0) + 1);
      if (market.pays === 'split') {
        expect(typeof contract.pays, leg.ticker).toBe('number');
        continue;
      }
      expect(market.pays === index, `${leg.ticker} ${leg.side} and ${market.slug}`).toBe(contract.pays === leg.side);
      const yes = contract.quoting.fair(AT);
      const zero = market.quoting.fair(AT);
      expect(index === 0 ? zero : 1 - zero, leg.ticker).toBeCloseTo(leg.side === 'yes' ? yes : 1 - yes, 6);
    }
    for (const family of [
      ...SOON,
      'outright',
      'advance',
      'weather_high',
      'weather_low',
      'crypto_above',
      'cb_decision',
      'econ_print',
    ])
      expect(counted.get(family), family).toBeGreaterThan(4);
  });

  it('keep a cumulative ladder falling with its threshold and an exclusive one near one, and pay them so', () => {
    let ladders = 0;
    for (const { a } of everything(5)) {
      if (!a) continue;
      const exclusive = a.fields.mutually_exclusive === true;
      const rungs = a.contracts.filter(
        (one) => one.fields.strike_type === 'greater' && !one.ticker.includes('SERIESSPREAD'),
      );
      const kinds = new Map<string, ContractA[]>();
      for (const rung of rungs) {
        // A spread ladder holds two, one a team: the letters of the suffix.
        const kind = rung.ticker.slice(a.ticker.length).replace(/-?[\d.]+$/, '');
        kinds.set(kind, [...(kinds.get(kind) ?? []), rung]);
      }
      if (!exclusive) {
        for (const ladder of kinds.values()) {
          if (ladder.length < 2) continue;
          ladders++;
          const sorted = [...ladder].sort((x, y) => Number(x.fields.floor_strike) - Number(y.fields.floor_strike));
          for (const [i, rung] of sorted.entries()) {
            const next = sorted[i + 1];
            if (!next) continue;
            expect(rung.quoting.fair(AT), rung.ticker).toBeGreaterThanOrEqual(next.quoting.fair(AT) - 1e-9);
            expect(rung.pays === 'no' && next.pays === 'yes', rung.ticker).toBe(false);
          }
        }
      } else if (a.ticker.startsWith('KXHIGH') || a.ticker.startsWith('KXLOW') || a.ticker.startsWith('KXCBD')) {
        const sum = a.contracts.reduce((total, one) => total + one.quoting.fair(AT), 0);
        expect(sum, a.ticker).toBeCloseTo(1, 2);
        expect(
          a.contracts.filter((one) => one.pays === 'yes'),
          a.ticker,
        ).toHaveLength(1);
      }
    }
    expect(ladders).toBeGreaterThan(150);
  });

  it('let a line settle by the same score as its game', () => {
    const questions = everything(3);
    const games = new Map(
      questions
        .filter((one) => one.family === 'moneyline' && one.a)
        .map((one) => [one.key.slice(one.key.indexOf('-')), one]),
    );
    let checked = 0;
    for (const { a, family } of questions) {
      if (family !== 'spread' || !a) continue;
      const game = games.get(a.ticker.slice(a.ticker.indexOf('-')));
      for (const rung of a.contracts.filter((one) => one.pays === 'yes')) {
        const code = rung.ticker.slice(a.ticker.length + 1);
        const winner = game?.a?.contracts.find((one) => one.pays === 'yes')?.ticker ?? '';
        expect(code.startsWith(winner.slice(winner.lastIndexOf('-') + 1)), `${rung.ticker} and ${winner}`).toBe(true);
        checked++;
      }
    }
    expect(checked).toBeGreaterThan(20);
  });

  it('hold look-alikes of every kind, listings that cannot be trusted, and games that are never played', () => {
    const world = new World(universeOf(1, BASE, 270), BASE);
    const truth = truthOf(world) as unknown as Truth;
    const kinds = new Set(truth.lookalikes.map((one) => one.why));
    for (const kind of [
      'doubleheader',
      'rematch',
      'preseason',
      'women',
      'namesake',
      'duplicate_listing',
      'station_mismatch',
      'other_day_or_hour',
      'other_competition_of_the_league',
      'other_meeting',
      'other_print',
      'thresholds_of_the_same_print',
      'moneyline_is_not_part_of_game',
      'moneyline_is_not_more_markets',
      'part_of_game_is_not_moneyline',
      'weather_high_is_not_weather_low',
      'crypto_above_is_not_crypto_range',
      'temperature_hourly_is_not_weather_high',
      'fed_decision_is_not_neighbour',
      'advance_is_not_series_total',
      'advance_is_not_moneyline',
      'moneyline_is_not_advance',
      'commodity_week_is_not_commodity_month',
    ])
      expect([...kinds], kind).toContain(kind);
    expect([...new Set(truth.pairs.map((pair) => pair.caution))].sort()).toEqual(
      ['no_rules', 'rules_contradict_fields', 'rules_of_another_game', 'unfilled_template', null].sort(),
    );
    expect(new Set(truth.pairs.flatMap((pair) => pair.others.map((one) => one.relation)))).toEqual(
      new Set(['OVERLAPS', 'DERIVED', 'UNCOVERED']),
    );
    const postponed = world
      .known()
      .filter(({ family, a }) => family === 'moneyline' && a?.milestone)
      .filter(({ a, moments }) => {
        const named = /originally scheduled for (\w+ \d+, \d{4})/.exec(
          String(a?.contracts[0]?.fields.rules_primary),
        )?.[1];
        return named !== undefined && (moments.start ?? 0) - Date.parse(`${named} 12:00 EST`) > 14 * 60 * MINUTE;
      });
    expect(postponed.length).toBeGreaterThan(0);
  });

  it('tell a fair price and a split on the wire when a game is not played', () => {
    const world = new World(universeOf(1, BASE, 270), BASE);
    const lost = world
      .known()
      .find((one) => one.b?.markets[0]?.pays === 'split' && one.a && one.moments.finalized_a > BASE);
    if (!lost?.a || !lost.b) throw new Error('no game is lost');
    const [ticker, slug] = [lost.a.ticker, lost.b.slug];
    world.advance(lost.moments.finalized_a + MINUTE);
    const onA = JSON.parse(world.catalog.eventA(ticker)?.markets[0]?.json() ?? '{}') as Record<string, string>;
    expect(onA.result).toBe('scalar');
    expect(Number(onA.settlement_value_dollars)).toBeGreaterThan(0);
    expect(Number(onA.settlement_value_dollars)).toBeLessThan(1);
    const later = new World(universeOf(1, BASE, 270), lost.moments.resolved_b + MINUTE);
    const onB = JSON.parse(later.catalog.eventB(slug)?.markets[0]?.json(false) ?? '{}') as Record<string, string>;
    expect(onB).toMatchObject({ closed: true, umaResolutionStatus: 'resolved', outcomePrices: '["0.5","0.5"]' });
  });
});
