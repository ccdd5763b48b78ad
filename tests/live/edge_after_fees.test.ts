import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cheapestCost, edgeOfAsks, edgeOfMarket } from '../../dashboard/src/live/edge_after_fees.ts';
import type { Market } from '../../dashboard/src/live/frames.ts';
import { MarketFigures } from '../../dashboard/src/live/market_figures.ts';
import { type MarketTermsList, termsById } from '../../dashboard/src/live/market_terms.ts';
import { chooseLegs, costOf, type Leg } from '../../functions/ingest/engine/legs.ts';
import { marketRow, opportunityRow } from './support/rows.ts';

const list: MarketTermsList = {
  fees: [
    { model: 'quadratic', multiplier: '1', maker: false },
    { model: 'rate', rate: '0.05' },
  ],
  markets: [
    {
      id: 'm1',
      expected_settlement_at: null,
      volume: { venue_a: null, venue_b: 12 },
      outcomes: [
        { key: 'home', fee_a: 0, fee_b: 1 },
        { key: 'away', fee_a: 0, fee_b: 1 },
      ],
    },
    {
      id: 'm2',
      expected_settlement_at: null,
      volume: { venue_a: null, venue_b: null },
      outcomes: [{ key: 'home', fee_a: null, fee_b: 7 }],
    },
  ],
};
const terms = termsById(list);
const priced = (home: [number | null, number | null], away: [number | null, number | null]): Market => ({
  ...marketRow('m1'),
  settlement: { parity: true, risks: [], verdict: null },
  outcomes: [
    { key: 'home', name: 'Home', venue_a: home[0], venue_b: home[1], cheaper: null },
    { key: 'away', name: 'Away', venue_a: away[0], venue_b: away[1], cheaper: null },
  ],
});

describe('the edge after fees of the market list', () => {
  test('is $1 less the cheapest ask of each outcome and its fee, as the engine computes them', () => {
    // 0.45 + 0.0174 on venue_a, 0.5 + 0.0125 on venue_b: the legs of opportunityRow.
    expect(edgeOfMarket(priced([0.45, 0.5], [0.56, 0.5]), terms.get('m1'), 0)).toEqual({ points: 2.01, why: null });
  });

  test('uses the venues of the rule of the engine for any costs', () => {
    const cost = fc.option(fc.integer({ min: 1, max: 999 }), { nil: null, freq: 6 });
    const leg = (venue: 'venue_a' | 'venue_b', ask: number | null): Leg[] =>
      ask === null ? [] : [{ venue, ask, fee: 0, size: 1 } as Leg];
    fc.assert(
      fc.property(fc.array(fc.record({ venue_a: cost, venue_b: cost }), { minLength: 2, maxLength: 5 }), (costs) => {
        const legs = chooseLegs(
          costs.map(({ venue_a, venue_b }) => [...leg('venue_a', venue_a), ...leg('venue_b', venue_b)]),
        );
        expect(cheapestCost(costs)).toBe(legs && costOf(legs));
      }),
    );
  });

  test.each<[string, Market, RegExp]>([
    ['an ask is missing', priced([0.45, null], [0.5, 0.5]), /no ask/],
    ['the venues are more than 15 points apart', priced([0.2, 0.36], [0.5, 0.5]), /15 points/],
    ['there is no price', { ...priced([0.4, 0.4], [0.5, 0.5]), outcomes: [] }, /no valid order books/],
    [
      'an outcome is left out',
      { ...priced([0.3, 0.3], [0.3, 0.3]), factors: { left_out_a: [{ name: 'Draw', why: 'x' }] } },
      /do not cover every result/,
    ],
    [
      'all legs together may pay nothing',
      {
        ...priced([0.3, 0.3], [0.3, 0.3]),
        settlement: { parity: true, risks: [{ event: 'partition_gap', severity: 'low', note: 'x' }], verdict: null },
      },
      /do not cover every result/,
    ],
    [
      'the risks are not known',
      { ...priced([0.3, 0.3], [0.3, 0.3]), settlement: undefined } as unknown as Market,
      /not loaded/,
    ],
  ])('is missing with its reason when %s', (_, market, why) => {
    expect(edgeOfMarket(market, terms.get('m1'), 0)).toEqual({ points: null, why: expect.stringMatching(why) });
  });

  test('is missing when a fee is unknown or not loaded, and never counts it as zero', () => {
    const market = priced([0.45, 0.5], [0.56, 0.5]);
    expect(edgeOfMarket(market, terms.get('m2'), 0)).toMatchObject({
      points: null,
      why: /fee of a contract is unknown/,
    });
    expect(edgeOfMarket(market, undefined, 0)).toMatchObject({ points: null, why: /not loaded/ });
  });

  test('counts a waived fee as zero before the end of its waiver only', () => {
    const fee = { model: 'quadratic' as const, multiplier: '1', maker: false, waived_until: '2026-11-20T00:00:00Z' };
    const fees = new Map(['home', 'away'].map((key) => [key, { venue_a: fee, venue_b: fee }]));
    const asks = priced([0.45, 0.5], [0.56, 0.5]).outcomes;
    const at = (time: string) => edgeOfAsks(asks, { fees }, Date.parse(time)).points;
    expect(at('2026-11-19T23:59:59Z')).toBe(5);
    expect(at('2026-11-20T00:00:00Z')).toBe(1.51);
  });

  test('is that of the open opportunity where one is open, with its profit', () => {
    const figures = new MarketFigures(() => 0);
    const market = priced([0.45, 0.5], [0.56, 0.5]);
    expect([figures.edgeOf(market).points, figures.profitOf(market)]).toEqual([null, null]);
    figures.setTerms(terms);
    expect([figures.edgeOf(market).points, figures.profitOf(market)]).toEqual([2.01, null]);
    const open = { ...opportunityRow('o1'), market_id: 'm1', edge_pct: 2.5 };
    figures.setOpportunities(new Map([['o1', open]]));
    expect([figures.edgeOf(market).points, figures.profitOf(market)]).toEqual([2.5, 2.412]);
  });
});
