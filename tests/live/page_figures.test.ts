import { describe, expect, test } from 'vitest';
import { afterGatesText } from '../../dashboard/src/live/after_gates_text.ts';
import { countedReasons } from '../../dashboard/src/live/closed_reasons.ts';
import { mostProfitablePoint, sizeCurveOf } from '../../dashboard/src/live/cost_breakdown.ts';
import { edgeLinesOf, openTimesIn, sampleOf, timeAboveZero } from '../../dashboard/src/live/edge_lines.ts';
import type { Market, Opportunity, Point } from '../../dashboard/src/live/frames.ts';
import { GapTrails, SAMPLE_EVERY_MS, trailLines } from '../../dashboard/src/live/gap_trails.ts';
import { changesOf, linesOf } from '../../dashboard/src/live/history_lines.ts';
import { contextOf, risksMark } from '../../dashboard/src/live/labels.ts';
import { MarketFigures } from '../../dashboard/src/live/market_figures.ts';
import { type Filter, filterOfQuery, NO_FILTER, passes } from '../../dashboard/src/live/market_filter.ts';
import { termsById } from '../../dashboard/src/live/market_terms.ts';
import { nextOpportunityList } from '../../dashboard/src/live/opportunity_list.ts';
import { marketRow, opportunityRow } from './support/rows.ts';

/**
 * Guarantee: what the live pages compute themselves is exact at its bounds, for both venues, and
 * after each further frame.
 */

const NOW = Date.parse('2026-11-20T13:00:00.000Z');
const HOUR = 3_600_000;
const minute = 60_000;

describe('a filter of the market list', () => {
  const startsIn = (ms: number): Market => ({ ...marketRow('m1'), start_time: new Date(NOW + ms).toISOString() });
  const kept = (market: Market, change: Partial<Filter>, open: Partial<Opportunity>[] = [], watched: string[] = []) => {
    const figures = new MarketFigures(() => NOW);
    figures.setOpportunities(
      new Map(open.map((one, at) => [`o${at}`, { ...opportunityRow(`o${at}`), market_id: market.id, ...one }])),
    );
    return passes(market, { ...NO_FILTER, ...change }, { figures, watched: new Set(watched), now: NOW });
  };

  test.each<[string, number, Partial<Filter>, boolean]>([
    ['starts within two hours, at two hours', 2 * HOUR, { starts: '2' }, true],
    ['starts within two hours, a moment later', 2 * HOUR + 1, { starts: '2' }, false],
    ['starts within two hours, in a moment', 1, { starts: '2' }, true],
    ['starts within two hours, now', 0, { starts: '2' }, false],
    ['has started, now', 0, { starts: 'started' }, true],
    ['has started, in a moment', 1, { starts: 'started' }, false],
    ['has started, a day ago', -24 * HOUR, { starts: 'started' }, true],
  ])('compares the start: %s', (_, ms, change, isKept) => {
    expect(kept(startsIn(ms), change)).toBe(isKept);
  });

  test.each<[string, Partial<Filter>, Partial<Opportunity>[], boolean]>([
    ['the edge itself', { edge: '1.5' }, [{ edge_pct: 1.5 }], true],
    ['a larger edge', { edge: '1.5001' }, [{ edge_pct: 1.5 }], false],
    ['a negative edge', { edge: '-1' }, [{ edge_pct: 0.1 }], true],
    ['the better of two opportunities', { edge: '2' }, [{ edge_pct: 1 }, { edge_pct: 2 }, { edge_pct: 1.5 }], true],
    ['an edge that is not known', { edge: '-99' }, [], false],
    ['a profit that is not known', { profit: '0' }, [], false],
  ])('compares %s', (_, change, open, isKept) => {
    const unknown = { ...marketRow('m1'), outcomes: [] };
    expect(kept(unknown, change, open)).toBe(isKept);
  });

  test('compares the profit of the larger opportunity to the cent', () => {
    const open = [{ edge_pct: 2, max_contracts: 100, max_wager_usd: 97.5, profit_usd: 2.5 }];
    expect([kept(marketRow('m1'), { profit: '2.5' }, open), kept(marketRow('m1'), { profit: '2.51' }, open)]).toEqual([
      true,
      false,
    ]);
  });

  test('keeps markets that trade, those of the watch list, and those that have each word of the search', () => {
    for (const status of ['open', 'live', 'resolving', 'closed', 'settled'] as const)
      expect([status, kept({ ...marketRow('m1'), status }, {})]).toEqual([
        status,
        ['open', 'live', 'resolving'].includes(status),
      ]);
    expect([kept(marketRow('m1'), { watched: '1' }), kept(marketRow('m1'), { watched: '1' }, [], ['m1'])]).toEqual([
      false,
      true,
    ]);
    const market: Market = {
      ...marketRow('m1'),
      ...{
        title: 'Title',
        competition: 'Cup',
        sport: 'Tennis',
        location: 'Paris',
        asset: 'btc',
        category: 'sports',
        signal: 'arb',
      },
      outcomes: [{ key: 'home', name: 'Sinner', venue_a: 0.4, venue_b: 0.5, cheaper: 'venue_a' }],
    };
    for (const search of ['title', 'cup', 'TENNIS', 'paris', 'btc', 'sinner', 'sinner  cup'])
      expect([search, kept(market, { search })]).toEqual([search, true]);
    for (const search of ['alcaraz', 'sinner alcaraz'])
      expect([search, kept(market, { search })]).toEqual([search, false]);
    for (const [name, own, other] of [
      ['category', 'sports', 'crypto'],
      ['sport', 'Tennis', 'golf'],
      ['competition', 'Cup', 'Open'],
      ['signal', 'arb', 'spread'],
    ] as const)
      expect([name, kept(market, { [name]: own }), kept(market, { [name]: other })]).toEqual([name, true, false]);
  });

  test('is read from the address, without a value that no control offers', () => {
    const of = (query: string) => filterOfQuery(new URLSearchParams(query));
    expect(
      of('search=a+b&category=sports&sport=golf&competition=Open&signal=arb&watched=1&edge=-1.25&profit=10&starts=24'),
    ).toEqual({
      ...{ search: 'a b', category: 'sports', sport: 'golf', competition: 'Open', signal: 'arb', watched: '1' },
      ...{ edge: '-1.25', profit: '10', starts: '24' },
    });
    expect(of('signal=other&watched=yes&edge=1e3&profit=1.23456&starts=12345')).toEqual(NO_FILTER);
    expect([of('starts=started').starts, of('signal=spread').signal, of('edge=1234567').edge]).toEqual([
      'started',
      'spread',
      '',
    ]);
  });
});

describe('the trail of a gap', () => {
  const markets = (...gaps: (number | null)[]) =>
    new Map(gaps.map((spread_pts, at) => [`m${at}`, { ...marketRow(`m${at}`), spread_pts }]));

  test('has a point for each sample, none while prices are not live, and a break after a pause', () => {
    const trails = new GapTrails();
    trails.sample(markets(1, 2), 1_000, true);
    trails.sample(markets(3, null), 6_000, true);
    trails.sample(markets(4, 5), 11_000, false);
    expect(trails.of('m0')).toEqual([
      { t: 1_000, gap: 1 },
      { t: 6_000, gap: 3 },
      { t: 11_000, gap: null },
    ]);
    expect(trails.of('m1').map(({ gap }) => gap)).toEqual([2, null, null]);
    trails.sample(markets(6), 11_000 + 3 * SAMPLE_EVERY_MS, true);
    expect(trails.of('m0').slice(3)).toEqual([{ t: 26_000, gap: 6 }]);
    // A market that left has no trail, and one that returns begins a new one.
    expect(trails.of('m1')).toEqual([]);
    trails.sample(markets(7, 8), 26_001 + 3 * SAMPLE_EVERY_MS, true);
    expect(trails.of('m0').slice(4)).toEqual([
      { t: 26_001, gap: null },
      { t: 41_001, gap: 7 },
    ]);
    expect(trails.of('m1')).toEqual([{ t: 41_001, gap: 8 }]);
    expect(trails.period).toBe(40_001);
  });

  test('has ten minutes of points', () => {
    const trails = new GapTrails();
    for (let n = 0; n < 130; n += 1) trails.sample(markets(n), n * SAMPLE_EVERY_MS, true);
    expect([trails.of('m0').length, trails.of('m0')[0]?.gap, trails.period]).toEqual([120, 10, 119 * SAMPLE_EVERY_MS]);
  });

  test('is drawn in its box, one line for each part with a gap', () => {
    const at = (t: number, gap: number | null) => ({ t, gap });
    expect(trailLines([at(0, 1), at(5, 3), at(10, 2)], 100, 20)).toEqual(['M0.0,20.0H50.0V0.0H100.0V10.0']);
    expect(trailLines([at(0, 4), at(10, 4)], 100, 20)).toEqual(['M0.0,20.0H100.0V20.0']);
    // Half a point fills half of the box.
    expect(trailLines([at(0, 4), at(10, 4.5)], 100, 20)).toEqual(['M0.0,20.0H100.0V10.0']);
    expect(trailLines([at(0, 1), at(5, null), at(10, 3)], 100, 20)).toEqual(['M0.0,20.0', 'M100.0,0.0']);
    expect([trailLines([], 100, 20), trailLines([at(0, null)], 100, 20)]).toEqual([[], []]);
  });
});

describe('the lines of a history', () => {
  const point = (t: number, venue_a: number | null, venue_b: number | null): Point => ({
    t: t * minute,
    venue_a,
    venue_b,
  });

  test('have each venue in its own column, and a break above three minutes only', () => {
    const range = { from: 0, to: 20 * minute };
    const lines = linesOf([point(1, 0.4, 0.51), point(4, null, 0.52), point(8, 0.42, null)], [], range);
    expect(lines).toEqual({ t: [60, 240, 300, 480], venue_a: [40, null, null, 42], venue_b: [51, 52, null, null] });
    expect(linesOf([point(1, 0.4, 0.5), point(5, 0.4, 0.5)], [], range, 4 * minute).t).toEqual([60, 300]);
  });

  test('begin with a price from before the range that is three minutes old, and not with an older one', () => {
    const of = (t: number) =>
      linesOf([point(t, 0.4, 0.5), point(10, 0.41, 0.51)], [], { from: 9 * minute, to: 12 * minute }).t;
    expect([of(7), of(6.999)]).toEqual([[540, 600], [600]]);
  });

  test('have no sample and no price from after the range', () => {
    const history = [point(1, 0.4, 0.5), point(2, 0.41, 0.51), point(3, 0.42, 0.52)];
    expect(linesOf(history, [], { from: minute, to: 2 * minute })).toMatchObject({ t: [60, 120], venue_b: [50, 51] });
    const live = linesOf(history, [point(0, 0.3, 0.3), point(4, 0.43, 0.53), point(6, 0.44, 0.54)], {
      from: 0,
      to: 5 * minute,
    });
    expect(live).toMatchObject({
      t: [60, 120, 180, 240, 300],
      venue_a: [40, 41, 42, 43, 43],
      venue_b: [50, 51, 52, 53, 53],
    });
  });

  test('are listed by their changes on either venue', () => {
    const lines = { t: [1, 2, 3, 4, 5], venue_a: [40, 40, 41, 41, null], venue_b: [50, 51, 51, 51, 51] };
    expect(changesOf(lines, 3)).toEqual([
      { t: 5, venue_a: null, venue_b: 51 },
      { t: 3, venue_a: 41, venue_b: 51 },
      { t: 2, venue_a: 40, venue_b: 51 },
    ]);
  });
});

describe('the edge over time', () => {
  test('has a sample a minute up to two days, and every five minutes above', () => {
    const days = 48 * 60 * minute;
    expect([sampleOf({ from: 0, to: days }), sampleOf({ from: 0, to: days + 1 })]).toEqual([minute, 5 * minute]);
  });

  test('counts the time in which each value holds, above zero only', () => {
    const edge = [0.5, 0, -1, null, 2, 3];
    expect(timeAboveZero({ t: [0, 10, 30, 60, 100, 150], edge, tradable: [] })).toBe(60_000);
  });

  test('holds the times of opportunities that touch the range, cut to it', () => {
    const times = [
      { from: 0, to: 10 },
      { from: 12, to: 14 },
      { from: 20, to: 25 },
      { from: 0, to: 9 },
      { from: 21, to: 30 },
    ];
    expect(openTimesIn(times, { from: 10, to: 20 })).toEqual([
      { from: 10, to: 10 },
      { from: 12, to: 14 },
      { from: 20, to: 20 },
    ]);
  });

  test('is that of each outcome on its cheaper venue, each with its own fee', () => {
    const [, terms] =
      [
        ...termsById({
          fees: [
            { model: 'quadratic', multiplier: '1', maker: false },
            { model: 'rate', rate: '0' },
          ],
          markets: [
            {
              id: 'm1',
              expected_settlement_at: 'x',
              volume: { venue_a: 1, venue_b: 2 },
              outcomes: [
                { key: 'home', fee_a: 0, fee_b: 1 },
                { key: 'away', fee_a: null, fee_b: 1 },
              ],
            },
          ],
        }),
      ][0] ?? [];
    if (!terms) throw new Error('no terms');
    expect(terms.fees.get('away')).toEqual({ venue_a: null, venue_b: { model: 'rate', rate: '0' } });
    const point = (t: number, venue_a: number, venue_b: number) => ({ t: t * minute, venue_a, venue_b });
    const history = {
      ...{ id: 'm1', bucket_seconds: 60 as const, delay_seconds: 120, from: 0, to: 10 * minute },
      series: [
        { outcome: 'home', name: 'H', points: [point(1, 0.4, 0.5), point(2, 0.4, 0.5)] },
        { outcome: 'away', name: 'A', points: [point(1, 0.6, 0.55), point(2, 0.6, 0.59)] },
      ],
    };
    const lines = edgeLinesOf(['home', 'away'], history, new Map(), terms, { from: 0, to: 10 * minute });
    // .40 and its fee of .0168, and .55 or .59.
    expect(lines).toEqual({ t: [60, 120], edge: [3.32, -0.68], tradable: [3.32, null] });
  });
});

describe('the list of opportunities', () => {
  const open = (...ids: string[]) => new Map(ids.map((id, at) => [id, { ...opportunityRow(id), edge_pct: at + 1 }]));

  test('adds new ones at the end, best edge first, of equal ones by id, and updates the others in place', () => {
    const first = nextOpportunityList([], open('a', 'b'));
    expect(first.map(({ opportunity }) => opportunity.id)).toEqual(['b', 'a']);
    const next = nextOpportunityList(first, open('a', 'd', 'c'));
    expect(next.map(({ opportunity, closed }) => [opportunity.id, opportunity.edge_pct, closed])).toEqual([
      ['b', 2, true],
      ['a', 1, false],
      ['c', 3, false],
      ['d', 2, false],
    ]);
    // One that opens again is open at its place.
    expect(nextOpportunityList(next, open('b')).find(({ opportunity }) => opportunity.id === 'b')?.closed).toBe(false);
    const equal = new Map(['y', 'x'].map((id) => [id, { ...opportunityRow(id), edge_pct: 1 }]));
    expect(nextOpportunityList([], equal).map(({ opportunity }) => opportunity.id)).toEqual(['x', 'y']);
  });

  test('keeps the last twenty that closed', () => {
    const ids = Array.from({ length: 23 }, (_, n) => `o${String(n).padStart(2, '0')}`);
    const list = nextOpportunityList(nextOpportunityList([], open(...ids)), new Map());
    expect(list).toHaveLength(20);
    // The first cards, those with the best edges, went.
    expect(list.map(({ opportunity }) => opportunity.id)).not.toContain('o22');
    expect(nextOpportunityList(list, open('new'))).toHaveLength(21);
  });
});

test('the size with the largest profit is not that with the best edge, and the first of equal ones counts', () => {
  const points = sizeCurveOf([
    { contracts: 10, cost_usd: 9.5, edge_pct: 5 },
    { contracts: 40, cost_usd: 39.2, edge_pct: 2 },
    { contracts: 80, cost_usd: 79.2, edge_pct: 1 },
  ]);
  expect(points.map(({ profit_usd }) => profit_usd)).toEqual([0.5, 0.8, 0.8]);
  expect(mostProfitablePoint(points)?.contracts).toBe(40);
  expect([sizeCurveOf(null), mostProfitablePoint([])]).toEqual([[], undefined]);
});

test('closed opportunities are counted by reason, the most frequent first and equal ones by name', () => {
  const rows = ['edge.gone', 'book.gap', 'edge.gone', 'arb', 'zeta', 'zeta'].map((close_reason) => ({ close_reason }));
  expect(countedReasons(rows as never)).toEqual([
    ['edge.gone', 2],
    ['zeta', 2],
    ['arb', 1],
    ['book.gap', 1],
  ]);
});

test('the worst risks are counted, and a low risk has no mark', () => {
  const risks = (...severities: ('low' | 'medium' | 'high' | 'critical')[]) =>
    severities.map((severity, at) => ({ event: `e${at}`, severity, note: `note ${at}` }));
  expect([risksMark([]), risksMark(risks('low', 'low'))]).toEqual([null, null]);
  expect(risksMark(risks('low', 'medium', 'medium'))).toMatchObject({
    word: '2 medium risks',
    why: 'note 1',
    kind: 'is-stale',
  });
  expect(risksMark(risks('high', 'medium', 'high'))).toMatchObject({
    word: '2 high risks',
    why: 'note 0',
    kind: 'is-down',
  });
  expect(risksMark(risks('high', 'low', 'critical'))).toMatchObject({
    word: '1 critical risk',
    why: 'note 2',
    kind: 'is-down',
  });
});

test('the context of a market is the narrowest that it has', () => {
  const names = ['competition', 'location', 'asset', 'institution', 'indicator', 'sport'];
  for (const [at, name] of names.entries()) {
    const row = Object.fromEntries(names.map((one, n) => [one, n < at ? null : one]));
    expect(contextOf(row)).toBe(name);
  }
  expect(contextOf({})).toBeNull();
});

test('the result behind open gates has a sentence, also for a code of another list', () => {
  expect(afterGatesText(null)).toBe('');
  expect(afterGatesText('edge.none')).toBe('There is no edge after fees at these prices.');
  expect(afterGatesText('venues.one')).not.toBe('');
});
