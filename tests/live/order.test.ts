import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  everything,
  gapOf,
  heldOrder,
  movedRows,
  orderOf,
  passes,
  shownOutcomes,
} from '../../dashboard/src/live/order.ts';
import { shownNext } from '../../dashboard/src/live/shown_opportunities.ts';
import type { Market } from '../../dashboard/src/live/wire.ts';
import { aMarket, anOpportunity } from './support/rows.ts';

const withGap = (id: string, spread_pts: number | null): Market => ({ ...aMarket(id), spread_pts });
const byId = (...markets: Market[]) => new Map(markets.map((market) => [market.id, market]));

describe('the order of the list', () => {
  test('is by gap, the unpriced last, and total: the same rows always stand the same way', () => {
    const gaps = fc.array(fc.option(fc.integer({ min: 0, max: 5 }), { nil: null }), { maxLength: 30 });
    fc.assert(
      fc.property(gaps, fc.nat(), (list, turn) => {
        const markets = list.map((gap, at) => withGap(`m${at}`, gap));
        const turned = [...markets.slice(turn % 7), ...markets.slice(0, turn % 7)];
        const order = orderOf(markets, everything);
        expect(orderOf(turned, everything)).toEqual(order);
        const ordered = order.map((id) => list[Number(id.slice(1))] ?? -1);
        expect(ordered).toEqual([...ordered].sort((one, other) => other - one));
      }),
    );
  });

  test('is held while prices move: no row that is shown changes its place, new ones come at the end', () => {
    const held = ['m1', 'm2', 'm3'];
    const moved = byId(withGap('m1', 1), withGap('m2', 9), withGap('m3', 4), withGap('m4', 20));
    expect(heldOrder(held, moved, everything)).toEqual(['m1', 'm2', 'm3', 'm4']);
    expect(movedRows(heldOrder(held, moved, everything), orderOf(moved.values(), everything))).toBe(2);
  });

  test('leaves out what has ended, and what the filters say', () => {
    const soccer: Market = {
      ...aMarket('m1'),
      sport: 'soccer',
      title: 'Rayo Vallecano vs Levante',
      competition: 'La Liga',
    };
    expect(passes(soccer, everything)).toBe(true);
    expect(passes({ ...soccer, status: 'settled' }, everything)).toBe(false);
    expect(passes(soccer, { ...everything, sport: 'tennis' })).toBe(false);
    expect(passes(soccer, { ...everything, signal: 'arb' })).toBe(false);
    expect(passes(soccer, { ...everything, search: 'liga rayo' })).toBe(true);
    expect(passes(soccer, { ...everything, search: 'liga barcelona' })).toBe(false);
  });

  test('a ladder of many shows those with the widest gaps, in the ladder’s own order', () => {
    const gaps = [1, 9, 2, 8, 7];
    const outcomes = gaps.map((gap, at) => ({
      key: `k${at}`,
      name: `k${at}`,
      venue_a: 0.5,
      venue_b: 0.5 + gap / 100,
      cheaper: 'venue_a' as const,
    }));
    expect(shownOutcomes({ ...aMarket('m'), outcomes }, 3).map(({ key }) => key)).toEqual(['k1', 'k3', 'k4']);
  });

  test('a gap has no float in it', () => {
    expect(gapOf({ venue_a: 0.41, venue_b: 0.29 })).toBe(12);
    expect(gapOf({ venue_a: 0.625, venue_b: 0.6 })).toBe(2.5);
    expect(gapOf({ venue_a: null, venue_b: 0.6 })).toBe(-1);
  });
});

describe('the list of opportunities', () => {
  test('cards keep their places; one that closes stays and says so; a new one comes at the end', () => {
    const open = new Map([
      ['o1', { ...anOpportunity('o1'), edge_pct: 1 }],
      ['o2', { ...anOpportunity('o2'), edge_pct: 3 }],
    ]);
    const first = shownNext([], open);
    expect(first.map(({ opportunity }) => opportunity.id)).toEqual(['o2', 'o1']);
    open.delete('o2');
    open.set('o1', { ...anOpportunity('o1'), edge_pct: 9 });
    open.set('o3', { ...anOpportunity('o3'), edge_pct: 20 });
    expect(
      shownNext(first, open).map(({ opportunity, closed }) => [opportunity.id, opportunity.edge_pct, closed]),
    ).toEqual([
      ['o2', 3, true],
      ['o1', 9, false],
      ['o3', 20, false],
    ]);
  });

  test('does not grow for ever: of those that have closed, the newest stay', () => {
    let shown = shownNext([], new Map());
    for (let turn = 0; turn < 100; turn++) {
      shown = shownNext(shown, new Map([[`o${turn}`, anOpportunity(`o${turn}`)]]));
    }
    expect(shown.length).toBeLessThanOrEqual(22);
    expect(shown.at(-1)?.opportunity.id).toBe('o99');
  });
});
