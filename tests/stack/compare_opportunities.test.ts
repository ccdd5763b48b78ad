import { describe, expect, it } from 'vitest';
import {
  compareOpportunities,
  explainByDelay,
  explainByReadTimes,
  type FoundOpportunity,
  type InvalidPeriod,
  type TrueOpportunity,
} from './compare_opportunities.ts';
import { type Opportunity, recomputationErrors } from './recompute_opportunity.ts';

/**
 * Guarantee: the checks of tests/stack/arbitrage.slow.test.ts fail for a missed, an invented or a
 * miscalculated opportunity.
 */

const trueOpportunity = (from: number, until: number, more: Partial<TrueOpportunity> = {}): TrueOpportunity => ({
  pair: 'p',
  name: 'p',
  from,
  until,
  edge: 0.01,
  size: 100,
  cheapestFrom: from,
  ...more,
});
const foundOpportunity = (from: number, until: number): FoundOpportunity => ({
  pair: 'p',
  id: 'w',
  from,
  until,
  reason: 'edge.gone',
  recordedAt: from,
});
const bounds = { minDuration: 250, maxDelay: 1_000 };
const compare = (truth: TrueOpportunity[], found: FoundOpportunity[], invalidPeriods: InvalidPeriod[] = []) =>
  compareOpportunities(truth, found, () => invalidPeriods, bounds);

describe('the comparison of true and found opportunities', () => {
  it('counts an overlapping opportunity as found, with its delay', () => {
    expect(compare([trueOpportunity(10_000, 40_000)], [foundOpportunity(10_100, 40_050)])).toMatchObject({
      compared: 1,
      found: 1,
      latencies: [{ read: 100, recorded: 100 }],
      missed: [],
      invented: [],
    });
  });

  it('explains a miss by the delay of the machine only if the opportunity was shorter than that', () => {
    const found = { ...foundOpportunity(10_100, 40_000), recordedAt: 16_000 };
    const misses = [trueOpportunity(60_000, 65_900), trueOpportunity(70_000, 76_100)];
    const slow = compare([trueOpportunity(10_000, 40_000), ...misses], [found]);
    explainByDelay(slow, () => [], bounds);
    expect(slow.missed.map(({ explanation }) => explanation)).toEqual([
      'the machine wrote late, shorter than the bound',
      null,
    ]);
    const fast = compare([trueOpportunity(10_000, 40_000), ...misses], [{ ...found, recordedAt: 10_900 }]);
    explainByDelay(fast, () => [], bounds);
    expect(fast.missed.map(({ explanation }) => explanation)).toEqual([null, null]);
  });

  it('reports a missing opportunity, and explains it only if the books were invalid almost all the time', () => {
    const opportunity = trueOpportunity(10_000, 40_000);
    const unexplained = [{ opportunity, explanation: null }];
    expect(compare([opportunity], []).missed).toEqual(unexplained);
    expect(compare([opportunity], [foundOpportunity(50_000, 60_000)]).missed).toEqual(unexplained);
    const short = { from: 10_000, until: 20_000, reason: 'book.gap' };
    expect(compare([opportunity], [], [short]).missed).toEqual(unexplained);
    const long = { from: 9_000, until: 39_900, reason: 'book.gap' };
    expect(compare([opportunity], [], [long]).missed).toEqual([{ opportunity, explanation: 'book.gap' }]);
    // Valid books count from the delay on at which ingest may read them.
    const until = (end: number) => ({ ...long, until: end });
    expect(compare([opportunity], [], [until(39_100)]).missed[0]?.explanation).toBe('book.gap');
    expect(compare([opportunity], [], [until(39_000)]).missed[0]?.explanation).toBeNull();
    const thin = trueOpportunity(10_000, 40_000, { cheapestFrom: null });
    expect(compare([thin], []).missed[0]?.explanation).toMatch(/thin/);
  });

  it('ignores an opportunity that is shorter than the minimum duration', () => {
    expect(compare([trueOpportunity(10_000, 10_200)], [])).toMatchObject({
      compared: 0,
      short: { all: 1, found: 0 },
      missed: [],
    });
  });

  it('reports an invented opportunity, and explains it only if the books were invalid at that time', () => {
    const early = foundOpportunity(5_000, 8_000);
    expect(compare([trueOpportunity(10_000, 40_000)], [early, foundOpportunity(10_000, 40_000)]).invented).toEqual([
      { opportunity: early, explanation: null },
    ]);
    const invalid = (from: number, until: number) => ({ from, until, reason: 'feed.silent' });
    expect(compare([], [early], [invalid(8_500, 9_000)]).invented[0]?.explanation).toMatch(/feed.silent/);
    expect(compare([], [early], [invalid(20_000, 21_000)]).invented[0]?.explanation).toBeNull();
  });

  it('explains a short invention whose asks the venues had, and no longer or other one', async () => {
    const short = foundOpportunity(5_000, 5_100);
    const others = [
      { ...foundOpportunity(6_000, 6_250), id: 'long' },
      { ...foundOpportunity(7_000, 7_100), id: 'wrong' },
      { ...foundOpportunity(8_000, 8_100), reason: 'feed.silent' },
    ];
    const result = compare([], [short, ...others]);
    await explainByReadTimes(result, async ({ id }) => id !== 'wrong', bounds);
    expect(result.invented.map(({ explanation }) => explanation)).toEqual([
      'ingest read one venue before the other; both books were real',
      null,
      null,
      null,
    ]);
  });
});

describe('the recomputation of an opportunity', () => {
  const fees = { multiplier: () => 1, rate: () => 0.05 };
  const valid: Opportunity = {
    id: 'opp_1',
    market_id: 'mkt_1',
    market_type: 'moneyline',
    competition: 'nba',
    // 0.45 + 0.0174 (0.0173250 rounded up to 1e-4) and 0.50 + 0.01250.
    cost_per_payout_usd: 0.9799,
    edge_pct: 2.01,
    roi_pct: 2.0512,
    max_contracts: 120,
    max_wager_usd: 117.588,
    detected_at: '',
    priced_at: '',
    legs: [
      {
        outcome: 'a',
        venue: 'venue_a',
        side: 'yes',
        ask_usd: 0.45,
        fee_usd: 0.0174,
        stake_fraction: 0.476987,
        available_contracts: 120,
        contract_id: 'A',
      },
      {
        outcome: 'b',
        venue: 'venue_b',
        side: null,
        ask_usd: 0.5,
        fee_usd: 0.0125,
        stake_fraction: 0.523013,
        available_contracts: 500,
        contract_id: 'B',
      },
    ],
    // 54 + 2.079, rounded up to the cent, and 60 + 1.5.
    ladder: [{ contracts: 120, cost_usd: 117.58, edge_pct: 2.0166 }],
  };

  it('accepts an opportunity that adds up', () => expect(recomputationErrors(valid, fees)).toEqual([]));

  it('does not round prices with a tick size below a hundredth of a cent', () => {
    const [a, b] = valid.legs;
    const withFinerPrice = {
      ...valid,
      cost_per_payout_usd: 0.6841,
      edge_pct: 31.59,
      roi_pct: 46.1775,
      max_wager_usd: 82.092,
      // 0.05 · 0.20845 · 0.79155 is 0.008249929. At 0.2085 the fee would be 0.00826.
      legs: [
        { ...a, stake_fraction: 0.683233 },
        { ...b, ask_usd: 0.20845, fee_usd: 0.00825, stake_fraction: 0.316767 },
      ] as Opportunity['legs'],
      ladder: [{ contracts: 120, cost_usd: 82.084, edge_pct: 31.5967 }],
    };
    expect(recomputationErrors(withFinerPrice, fees)).toEqual([]);
  });

  const [a, b] = valid.legs;
  const legs = (change: object) => ({ legs: [{ ...a, ...change }, b] as Opportunity['legs'] });
  it.each<[string, Partial<Opportunity>]>([
    ['a cost that is not the sum', { cost_per_payout_usd: 0.98 }],
    ['an edge of another cost', { edge_pct: 2.02 }],
    ['a return that is too high', { roi_pct: 2.06 }],
    ['more contracts than a leg holds', { max_contracts: 121 }],
    ['a wager rounded down', { max_wager_usd: 117.587999 }],
    ['a fee that is a tenth of a cent too low', legs({ fee_usd: 0.0173 })],
    ['legs on one venue', legs({ venue: 'venue_b', side: null, fee_usd: 0.01238 })],
    ['stakes that do not sum up to 1', legs({ stake_fraction: 0.476986 })],
    ['a size curve without rounding to cents', { ladder: [{ contracts: 120, cost_usd: 117.579, edge_pct: 2.0174 }] }],
    ['a size curve that starts at another size', { ladder: [{ contracts: 100, cost_usd: 98, edge_pct: 2 }] }],
  ])('reports %s', (_what, change) => expect(recomputationErrors({ ...valid, ...change }, fees)).not.toEqual([]));
});
