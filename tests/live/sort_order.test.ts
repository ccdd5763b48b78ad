import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Market } from '../../dashboard/src/live/frames.ts';
import { MarketFigures } from '../../dashboard/src/live/market_figures.ts';
import { type FilterContext, filterOfQuery, NO_FILTER, passes } from '../../dashboard/src/live/market_filter.ts';
import { nextOpportunityList } from '../../dashboard/src/live/opportunity_list.ts';
import {
  countMovedRows,
  DEFAULT_SORT,
  type Sort,
  sortAfterPress,
  sortedIds,
  sortOfText,
  spreadOf,
  stableOrder,
  textOfSort,
  widestOutcomes,
} from '../../dashboard/src/live/sort_order.ts';
import { marketRow, opportunityRow } from './support/rows.ts';

const withSpread = (id: string, spread_pts: number | null): Market => ({ ...marketRow(id), spread_pts });
const byId = (...markets: Market[]) => new Map(markets.map((market) => [market.id, market]));

const now = Date.parse('2026-11-20T13:00:00.000Z');

/** No fees, no opportunities: edges are unknown. */
const context = (change: Partial<FilterContext> = {}): FilterContext => ({
  figures: new MarketFigures(() => now),
  watched: new Set(),
  now,
  ...change,
});

/** A context in which these markets have open opportunities with these edges. */
const withEdges = (edges: Record<string, number>): FilterContext => {
  const made = context();
  made.figures.setOpportunities(
    new Map(
      Object.entries(edges).map(([market_id, edge_pct]) => [
        `o_${market_id}`,
        { ...opportunityRow(`o_${market_id}`), market_id, edge_pct },
      ]),
    ),
  );
  return made;
};

const gapFirst: Sort = { by: 'gap', direction: 'descending' };

describe('the order of the market list', () => {
  test('is by spread with unpriced markets last, and is the same for the same rows in any input order', () => {
    const gaps = fc.array(fc.option(fc.integer({ min: 0, max: 5 }), { nil: null }), { maxLength: 30 });
    fc.assert(
      fc.property(gaps, fc.nat(), (list, turn) => {
        const markets = list.map((gap, at) => withSpread(`m${at}`, gap));
        const turned = [...markets.slice(turn % 7), ...markets.slice(0, turn % 7)];
        const order = sortedIds(markets, NO_FILTER, gapFirst, context());
        expect(sortedIds(turned, NO_FILTER, gapFirst, context())).toEqual(order);
        const ordered = order.map((id) => list[Number(id.slice(1))] ?? -1);
        expect(ordered).toEqual([...ordered].sort((one, other) => other - one));
      }),
    );
  });

  test('is stable while prices move: no listed row changes its place and new rows are added at the end', () => {
    const held = ['m1', 'm2', 'm3'];
    const moved = byId(withSpread('m1', 1), withSpread('m2', 9), withSpread('m3', 4), withSpread('m4', 20));
    const order = stableOrder(held, moved, NO_FILTER, gapFirst, context());
    expect(order).toEqual(['m1', 'm2', 'm3', 'm4']);
    expect(countMovedRows(order, sortedIds(moved.values(), NO_FILTER, gapFirst, context()))).toBe(2);
  });

  test('excludes settled markets and markets that do not match the filters', () => {
    const soccer: Market = {
      ...marketRow('m1'),
      sport: 'soccer',
      title: 'Rayo Vallecano vs Levante',
      competition: 'La Liga',
    };
    expect(passes(soccer, NO_FILTER, context())).toBe(true);
    expect(passes({ ...soccer, status: 'settled' }, NO_FILTER, context())).toBe(false);
    expect(passes(soccer, { ...NO_FILTER, sport: 'tennis' }, context())).toBe(false);
    expect(passes(soccer, { ...NO_FILTER, signal: 'arb' }, context())).toBe(false);
    expect(passes(soccer, { ...NO_FILTER, search: 'liga rayo' }, context())).toBe(true);
    expect(passes(soccer, { ...NO_FILTER, search: 'liga barcelona' }, context())).toBe(false);
  });

  test('is by edge first, with markets without an edge last in both directions', () => {
    const markets = ['m1', 'm2', 'm3', 'm4'].map((id, at) => withSpread(id, at));
    const edges = withEdges({ m1: 0.5, m3: 2 });
    expect(sortedIds(markets, NO_FILTER, DEFAULT_SORT, edges)).toEqual(['m3', 'm1', 'm4', 'm2']);
    const turned: Sort = { by: 'edge', direction: 'ascending' };
    expect(sortedIds(markets, NO_FILTER, turned, edges)).toEqual(['m1', 'm3', 'm4', 'm2']);
  });

  test('can be by name, start, profit and the age of the older book', () => {
    const books = (at: string) => ({ venue_a: '2026-11-20T12:59:59.000Z', venue_b: at });
    const markets: Market[] = [
      {
        ...marketRow('m1'),
        title: 'b',
        start_time: '2026-11-22T00:00:00.000Z',
        books_read_at: books('2026-11-20T12:00:00.000Z'),
      },
      {
        ...marketRow('m2'),
        title: 'A',
        start_time: '2026-11-21T00:00:00.000Z',
        books_read_at: books('2026-11-20T12:30:00.000Z'),
      },
    ];
    const by = (text: string) => sortedIds(markets, NO_FILTER, sortOfText(text), withEdges({ m1: 1 }));
    expect(by('market')).toEqual(['m2', 'm1']);
    expect(by('start')).toEqual(['m2', 'm1']);
    expect(by('-start')).toEqual(['m1', 'm2']);
    expect(by('age')).toEqual(['m2', 'm1']);
    expect(by('-profit')).toEqual(['m1', 'm2']);
  });

  test('a press on a title sorts by it, a second press turns the order around, and the address keeps it', () => {
    const gap = sortAfterPress(DEFAULT_SORT, 'gap');
    expect(gap).toEqual(gapFirst);
    expect(sortAfterPress(gap, 'gap').direction).toBe('ascending');
    expect(sortAfterPress(gap, 'start').direction).toBe('ascending');
    for (const text of ['edge', '-edge', '-gap', 'market']) expect(textOfSort(sortOfText(text))).toBe(text);
    for (const text of ['', null, 'constructor', '--edge']) expect(sortOfText(text)).toEqual(DEFAULT_SORT);
  });

  test('filters by edge, profit, time to start, competition and the watch list', () => {
    const market: Market = { ...marketRow('m1'), start_time: '2026-11-20T15:00:00.000Z' };
    const open = withEdges({ m1: 1.5 });
    const kept = (change: object, row = market, where = open) => passes(row, { ...NO_FILTER, ...change }, where);
    expect([kept({ edge: '1.5' }), kept({ edge: '2' }), kept({ edge: '0' }, market, context())]).toEqual([
      true,
      false,
      false,
    ]);
    // 120 contracts for $117.588.
    expect([kept({ profit: '1' }), kept({ profit: '10' }), kept({ profit: '1' }, market, context())]).toEqual([
      true,
      false,
      false,
    ]);
    expect([kept({ starts: '1' }), kept({ starts: '2' }), kept({ starts: 'started' })]).toEqual([false, true, false]);
    const begun = { ...market, start_time: '2026-11-20T12:00:00.000Z' };
    expect([kept({ starts: '6' }, begun), kept({ starts: 'started' }, begun)]).toEqual([false, true]);
    expect([kept({ competition: 'NFL' }), kept({ competition: 'NBA' })]).toEqual([true, false]);
    expect([kept({ watched: '1' }), kept({ watched: '1' }, market, context({ watched: new Set(['m1']) }))]).toEqual([
      false,
      true,
    ]);
  });

  test('a filter of an address is the same filter, and an unknown value is none', () => {
    const filter = {
      ...NO_FILTER,
      search: 'a b',
      signal: 'arb' as const,
      edge: '0.5',
      profit: '10',
      starts: '24',
      watched: '1' as const,
    };
    expect(filterOfQuery(new URLSearchParams(filter))).toEqual(filter);
    const odd = { signal: 'x', edge: 'NaN', profit: '1e9', starts: '-1', watched: 'yes' };
    expect(filterOfQuery(new URLSearchParams(odd))).toEqual(NO_FILTER);
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
