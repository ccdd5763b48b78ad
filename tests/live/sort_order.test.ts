import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Market } from '../../dashboard/src/live/frames.ts';
import { nextOpportunityList } from '../../dashboard/src/live/opportunity_list.ts';
import {
  countMovedRows,
  NO_FILTER,
  passes,
  sortedIds,
  spreadOf,
  stableOrder,
  widestOutcomes,
} from '../../dashboard/src/live/sort_order.ts';
import { marketRow, opportunityRow } from './support/rows.ts';

const withSpread = (id: string, spread_pts: number | null): Market => ({ ...marketRow(id), spread_pts });
const byId = (...markets: Market[]) => new Map(markets.map((market) => [market.id, market]));

describe('the order of the market list', () => {
  test('is by spread with unpriced markets last, and is the same for the same rows in any input order', () => {
    const gaps = fc.array(fc.option(fc.integer({ min: 0, max: 5 }), { nil: null }), { maxLength: 30 });
    fc.assert(
      fc.property(gaps, fc.nat(), (list, turn) => {
        const markets = list.map((gap, at) => withSpread(`m${at}`, gap));
        const turned = [...markets.slice(turn % 7), ...markets.slice(0, turn % 7)];
        const order = sortedIds(markets, NO_FILTER);
        expect(sortedIds(turned, NO_FILTER)).toEqual(order);
        const ordered = order.map((id) => list[Number(id.slice(1))] ?? -1);
        expect(ordered).toEqual([...ordered].sort((one, other) => other - one));
      }),
    );
  });

  test('is stable while prices move: no listed row changes its place and new rows are added at the end', () => {
    const held = ['m1', 'm2', 'm3'];
    const moved = byId(withSpread('m1', 1), withSpread('m2', 9), withSpread('m3', 4), withSpread('m4', 20));
    expect(stableOrder(held, moved, NO_FILTER)).toEqual(['m1', 'm2', 'm3', 'm4']);
    expect(countMovedRows(stableOrder(held, moved, NO_FILTER), sortedIds(moved.values(), NO_FILTER))).toBe(2);
  });

  test('excludes settled markets and markets that do not match the filters', () => {
    const soccer: Market = {
      ...marketRow('m1'),
      sport: 'soccer',
      title: 'Rayo Vallecano vs Levante',
      competition: 'La Liga',
    };
    expect(passes(soccer, NO_FILTER)).toBe(true);
    expect(passes({ ...soccer, status: 'settled' }, NO_FILTER)).toBe(false);
    expect(passes(soccer, { ...NO_FILTER, sport: 'tennis' })).toBe(false);
    expect(passes(soccer, { ...NO_FILTER, signal: 'arb' })).toBe(false);
    expect(passes(soccer, { ...NO_FILTER, search: 'liga rayo' })).toBe(true);
    expect(passes(soccer, { ...NO_FILTER, search: 'liga barcelona' })).toBe(false);
  });

  test('a row with many outcomes shows those with the widest spreads, in the order of the market', () => {
    const gaps = [1, 9, 2, 8, 7];
    const outcomes = gaps.map((gap, at) => ({
      key: `k${at}`,
      name: `k${at}`,
      venue_a: 0.5,
      venue_b: 0.5 + gap / 100,
      cheaper: 'venue_a' as const,
    }));
    expect(widestOutcomes({ ...marketRow('m'), outcomes }, 3).map(({ key }) => key)).toEqual(['k1', 'k3', 'k4']);
  });

  test('spreadOf returns points without floating-point error', () => {
    expect(spreadOf({ venue_a: 0.41, venue_b: 0.29 })).toBe(12);
    expect(spreadOf({ venue_a: 0.625, venue_b: 0.6 })).toBe(2.5);
    expect(spreadOf({ venue_a: null, venue_b: 0.6 })).toBe(-1);
  });
});

describe('the list of opportunities', () => {
  test('keeps cards in place, marks closed ones and adds new ones at the end', () => {
    const open = new Map([
      ['o1', { ...opportunityRow('o1'), edge_pct: 1 }],
      ['o2', { ...opportunityRow('o2'), edge_pct: 3 }],
    ]);
    const first = nextOpportunityList([], open);
    expect(first.map(({ opportunity }) => opportunity.id)).toEqual(['o2', 'o1']);
    open.delete('o2');
    open.set('o1', { ...opportunityRow('o1'), edge_pct: 9 });
    open.set('o3', { ...opportunityRow('o3'), edge_pct: 20 });
    expect(
      nextOpportunityList(first, open).map(({ opportunity, closed }) => [opportunity.id, opportunity.edge_pct, closed]),
    ).toEqual([
      ['o2', 3, true],
      ['o1', 9, false],
      ['o3', 20, false],
    ]);
  });

  test('keeps only the newest closed cards, so that it does not grow without limit', () => {
    let shown = nextOpportunityList([], new Map());
    for (let turn = 0; turn < 100; turn++) {
      shown = nextOpportunityList(shown, new Map([[`o${turn}`, opportunityRow(`o${turn}`)]]));
    }
    expect(shown.length).toBeLessThanOrEqual(22);
    expect(shown.at(-1)?.opportunity.id).toBe('o99');
  });
});
