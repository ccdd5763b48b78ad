import { describe, expect, it } from 'vitest';
import { type Doubt, type FoundWindow, proofOf, type TrueWindow } from './proof.ts';
import { type Opportunity, wrongIn } from './recomputed.ts';

/** Guarantee: the proof of tests/stack/arbitrage.test.ts fails where something is missed, invented or added up wrongly. */

const truly = (from: number, until: number, more: Partial<TrueWindow> = {}): TrueWindow => ({
  pair: 'p',
  name: 'p',
  from,
  until,
  edge: 0.01,
  size: 100,
  cheapest: from,
  ...more,
});
const found = (from: number, until: number): FoundWindow => ({
  pair: 'p',
  id: 'w',
  from,
  until,
  reason: 'edge.gone',
  noted: from,
});
const bounds = { least: 250, late: 1_000 };
const prove = (truth: TrueWindow[], ours: FoundWindow[], doubts: Doubt[] = []) =>
  proofOf(truth, ours, () => doubts, bounds);

describe('the proof', () => {
  it('finds what overlaps, and says how late', () => {
    expect(prove([truly(10_000, 40_000)], [found(10_100, 40_050)])).toMatchObject({
      looked: 1,
      found: 1,
      latencies: [{ read: 100, noted: 100 }],
      missed: [],
      invented: [],
    });
  });

  it('misses what is not there, and excuses it only where the books were doubted nearly all the time', () => {
    const window = truly(10_000, 40_000);
    expect(prove([window], []).missed).toEqual([{ window, why: null }]);
    expect(prove([window], [found(50_000, 60_000)]).missed).toEqual([{ window, why: null }]);
    const short = { from: 10_000, until: 20_000, reason: 'book.gap' };
    expect(prove([window], [], [short]).missed).toEqual([{ window, why: null }]);
    const long = { from: 9_000, until: 39_900, reason: 'book.gap' };
    expect(prove([window], [], [long]).missed).toEqual([{ window, why: 'book.gap' }]);
    const thin = truly(10_000, 40_000, { cheapest: null });
    expect(prove([thin], []).missed[0]?.why).toMatch(/thin/);
  });

  it('asks nothing of what stood too short', () => {
    expect(prove([truly(10_000, 10_200)], [])).toMatchObject({ looked: 0, short: { all: 1, found: 0 }, missed: [] });
  });

  it('calls invented what no true window is near, and excuses it only by a doubt of that time', () => {
    const early = found(5_000, 8_000);
    expect(prove([truly(10_000, 40_000)], [early, found(10_000, 40_000)]).invented).toEqual([
      { window: early, why: null },
    ]);
    const doubt = (from: number, until: number) => ({ from, until, reason: 'feed.silent' });
    expect(prove([], [early], [doubt(8_500, 9_000)]).invented[0]?.why).toMatch(/feed.silent/);
    expect(prove([], [early], [doubt(20_000, 21_000)]).invented[0]?.why).toBeNull();
  });
});

describe('the reckoning', () => {
  const charged = { multiplier: () => 1, rate: () => 0.05 };
  const right: Opportunity = {
    id: 'opp_1',
    market_id: 'mkt_1',
    market_type: 'moneyline',
    competition: 'nba',
    // 0.45 + 0.01733 (ceil 0.0173250 to 1e-4) and 0.50 + 0.01250.
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
    // 54 + 2.079 up to the cent, and 60 + 1.5.
    ladder: [{ contracts: 120, cost_usd: 117.58, edge_pct: 2.0166 }],
  };

  it('passes what adds up', () => expect(wrongIn(right, charged)).toEqual([]));

  it('reckons prices of a grid finer than a hundredth of a cent as they are', () => {
    const [a, b] = right.legs;
    const fine = {
      ...right,
      cost_per_payout_usd: 0.6841,
      edge_pct: 31.59,
      roi_pct: 46.1775,
      max_wager_usd: 82.092,
      // 0.05 · 0.20845 · 0.79155 is 0.008249929: at 0.2085 the fee would be 0.00826.
      legs: [
        { ...a, stake_fraction: 0.683233 },
        { ...b, ask_usd: 0.20845, fee_usd: 0.00825, stake_fraction: 0.316767 },
      ] as Opportunity['legs'],
      ladder: [{ contracts: 120, cost_usd: 82.084, edge_pct: 31.5967 }],
    };
    expect(wrongIn(fine, charged)).toEqual([]);
  });

  const [a, b] = right.legs;
  const legs = (change: object) => ({ legs: [{ ...a, ...change }, b] as Opportunity['legs'] });
  it.each<[string, Partial<Opportunity>]>([
    ['a cost that is not the sum', { cost_per_payout_usd: 0.98 }],
    ['an edge of another cost', { edge_pct: 2.02 }],
    ['a return that is too high', { roi_pct: 2.06 }],
    ['more contracts than a leg holds', { max_contracts: 121 }],
    ['a wager rounded down', { max_wager_usd: 117.587999 }],
    ['a fee that is a tenth of a cent too low', legs({ fee_usd: 0.0173 })],
    ['legs of one venue', legs({ venue: 'venue_b', side: null, fee_usd: 0.01238 })],
    ['stakes that are not the whole', legs({ stake_fraction: 0.476986 })],
    ['a ladder that forgets the order in cents', { ladder: [{ contracts: 120, cost_usd: 117.579, edge_pct: 2.0174 }] }],
    ['a ladder that begins elsewhere', { ladder: [{ contracts: 100, cost_usd: 98, edge_pct: 2 }] }],
  ])('fails at %s', (_what, change) => expect(wrongIn({ ...right, ...change }, charged)).not.toEqual([]));
});
