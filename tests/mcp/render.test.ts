import { describe, expect, test } from 'vitest';
import { market } from '../../functions/api/contract/market.ts';
import { renderMarket, renderMarkets, renderSpreads } from '../../functions/api/mcp/render/markets.ts';

/**
 * Guarantee: the text of a result states the prices, sizes and risks of its structured content, and
 * points at no venue that sells nothing.
 */

type Ask = number | null;
type Risk = { event: string; severity: string; note: string };
type Seed = { asks?: [key: string, venue_a: Ask, venue_b: Ask][]; risks?: Risk[]; best?: object; side?: 'yes' | 'no' };

const ID = 'mkt_00000000-0000-4000-8000-000000000001';
const risk = (event: string, severity: string): Risk => ({ event, severity, note: `Note on ${event}` });

/** A market as the API returns it. No two of its numbers are equal. */
const rowOf = ({ asks = [], risks, best, side = 'yes' }: Seed) =>
  market.parse({
    id: ID,
    ...{ slug: 'a-b', category: 'sports', market_type: 'moneyline', tags: [], title: 'A vs B', home: 'A', away: 'B' },
    ...{ sport: 'basketball', competition: 'NBA' },
    ...{ location: null, asset: null, indicator: null, basis: null, institution: null },
    ...{ status: 'open', match: 'high_confidence', signal: 'spread', potential_arb_pct: null, result: null },
    start_time: '2026-11-21T01:02:00.000Z',
    updated_at: '2026-11-19T12:34:56.789Z',
    priced_at: '2026-11-20T11:57:03.000Z',
    spread_pts: asks.length === 0 ? null : 6,
    coverage: { venue_a: true, venue_b: true },
    links: { venue_a: null, venue_b: null },
    outcomes: asks.map(([key, venue_a, venue_b], at) => ({
      ...{ key, name: key.toUpperCase(), venue_a, venue_b },
      cheaper:
        venue_a === null || venue_b === null || venue_a === venue_b ? null : venue_a < venue_b ? 'venue_a' : 'venue_b',
      venue_a_book: { ticker: `KX-${at}`, side, ask: venue_a, bid: 0.31, depth: 120 + at, bid_depth: 77 },
      venue_b_book: { token_id: `90${at}`, ask: venue_b, bid: 0.33, depth: 50 + at, bid_depth: 88 },
    })),
    ...(risks
      ? { settlement: { parity: false, verdict: 'diverge', venue_a_text: 'a', venue_b_text: 'b', risks } }
      : {}),
    ...best,
  });

const linesOf = (seed: Seed, args: Record<string, unknown> = {}) => renderMarket(rowOf(seed), args).split('\n');
const lineOf = (key: string, ...ask: [Ask, Ask]) =>
  linesOf({ asks: [[key, ...ask]] }).find((line) => line.startsWith(`   ${key}:`));

describe('the contracts of an outcome', () => {
  test.each<[string, Ask, Ask, string]>([
    ['the cheaper one on venue_b', 0.48, 0.42, 'venue_b .42 x 50 ($21) token 900; venue_a .48 x 120 YES KX-0'],
    ['the cheaper one on venue_a', 0.42, 0.48, 'venue_a .42 x 120 ($50) YES KX-0; venue_b .48 x 50 token 900'],
    ['equal asks', 0.45, 0.45, 'venue_a .45 x 120 ($54) YES KX-0; venue_b .45 x 50 token 900'],
    ['no ask on venue_b', 0.42, null, 'venue_a .42 x 120 ($50) YES KX-0; venue_b none token 900'],
    ['no ask on venue_a', null, 0.48, 'venue_b .48 x 50 ($24) token 900; venue_a none YES KX-0'],
    ['no ask on either venue', null, null, 'venue_a none YES KX-0; venue_b none token 900'],
    ['an ask of $1 on venue_a and none on venue_b', 1, null, 'venue_a 1 x 120 ($120) YES KX-0; venue_b none token 900'],
    ['an ask of $1 on venue_b and none on venue_a', null, 1, 'venue_b 1 x 50 ($50) token 900; venue_a none YES KX-0'],
    ['a few dollars to the cent', 0.0123, 0.012, 'venue_b .012 x 50 ($0.6) token 900; venue_a .0123 x 120 YES KX-0'],
  ])('are in one line, the cheaper first and with its dollars: %s', (_name, a, b, line) => {
    expect(lineOf('home', a, b)).toBe(`   home: ${line}`);
  });

  test('have the side of the contract of venue_a', () => {
    expect(linesOf({ asks: [['home', 0.42, 0.48]], side: 'no' })[1]).toContain('NO KX-0');
  });

  test('are whole for the outcome with the largest gap alone where there are more than three', () => {
    const asks: Seed['asks'] = [
      ['a', 0.2, 0.21],
      ['b', 0.3, 0.36],
      ['c', null, 0.1],
      ['d', 0.25, 0.23],
    ];
    expect(linesOf({ asks }).slice(1, 3)).toEqual([
      '   b: venue_a .3 x 121 ($36) YES KX-1; venue_b .36 x 51 token 901',
      '   others: a .2 x 120/.21 x 50, c none/.1 x 52, d .25 x 123/.23 x 53',
    ]);
    // In a list, the outcomes with the largest gaps, and a hint to the others.
    const six: Seed['asks'] = [...asks, ['e', 0.5, 0.55], ['f', 0.6, 0.64]];
    const body = { snapshot_at: '2026-11-20T11:58:00.000Z', delay_seconds: 120, next_cursor: null };
    const list = renderMarkets({ ...body, count: 1, markets: [rowOf({ asks: six })] }, {});
    expect(list.split('\n').slice(2, 4)).toEqual([
      '   b: venue_a .3 x 121 ($36) YES KX-1; venue_b .36 x 51 token 901',
      '   others: e .5 x 124/.55 x 54, f .6 x 125/.64 x 55, d .25 x 123/.23 x 53, a .2 x 120/.21 x 50; 1 more: get_market',
    ]);
  });

  test('have both sides of both books with include=depth', () => {
    expect(linesOf({ asks: [['home', 0.42, null]] }, { include: ['depth'] })).toContain(
      '   home: venue_a YES KX-0 ask .42 x 120, bid .31 x 77; venue_b token 900 ask none, bid .33 x 88',
    );
  });
});

describe('the settlement risks of a market', () => {
  test.each<[string, string[], string]>([
    ['none', [], 'No settlement risk is known.'],
    ['one low', ['low'], '1 settlement risk, 0 of them blocking (high or critical).'],
    ['one high', ['high'], '1 settlement risk, 1 of them blocking (high or critical).'],
    ['one critical', ['critical'], '1 settlement risk, 1 of them blocking (high or critical).'],
    [
      'one of each',
      ['critical', 'high', 'medium', 'low'],
      '4 settlement risks, 2 of them blocking (high or critical).',
    ],
  ])('are counted, high and critical ones as blocking: %s', (_name, severities, sentence) => {
    const risks = severities.map((severity, at) => risk(`event_${at}`, severity));
    const text = renderMarket(rowOf({ asks: [['home', 0.42, 0.48]], risks }), {});
    expect(text).toContain(`${sentence} Not an arbitrage: a gap only.`);
    expect(text).toContain(
      risks[0] === undefined
        ? 'worst risk: none known'
        : `worst risk: ${risks[0].severity} event_0${risks.length > 1 ? ' (3 more)' : ''}`,
    );
  });

  test('are listed for a spread, each with its severity', () => {
    const { settlement, ...row } = rowOf({
      asks: [['home', 0.42, 0.48]],
      risks: [risk('tie', 'critical'), risk('x', 'low')],
    });
    const text = renderSpreads({ count: 1, spreads: [{ ...row, match_band: 'HIGH', settlement }] });
    expect(text).toContain('gap 6 pts, band HIGH; risks: tie (critical), x (low)');
  });
});

describe('the edge of a market', () => {
  const quote = (size: number | null) => ({
    ...{ venue: 'venue_a', contract: 'KX', side: 'yes', price: 0.42, fee: 0.0171, net: 0.4371 },
    size,
  });
  const edgeOf = (best_edge_pct: number | null, ...sizes: (number | null | undefined)[]) =>
    linesOf({
      asks: [['home', 0.42, 0.48]],
      best: {
        best_edge_pct,
        best: sizes.map((size, at) => ({
          outcome: `o${at}`,
          buy: size === undefined ? null : quote(size),
          sell: { ...quote(11), price: 0.4 },
        })),
      },
    })[2];

  test.each<[string, string | undefined, string]>([
    ['is that of the smaller size', edgeOf(2.05, 50.5, 120), '   edge after fees 2.05 pts x 50.5'],
    ['is negative where the asks cost more than they pay', edgeOf(-1.5, 7, 9), '   edge after fees -1.5 pts x 7'],
    ['has no size where one contract cannot be bought', edgeOf(0.3, 7, undefined), '   edge after fees 0.3 pts'],
    ['is unknown without a cost', edgeOf(null, 7, 9), '   edge after fees unknown'],
    ['is zero', edgeOf(0, 7, 9), '   edge after fees 0 pts x 7'],
  ])('%s', (_name, line, expected) => {
    expect(line?.replace(/\bpts x 0$/, '')).toBe(expected.replace(' 0.3 ', ' .3 '));
  });
});
