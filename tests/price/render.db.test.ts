import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  holdShardLeases,
  idOf,
  putPair,
  putUpdate,
  type SeedPair,
  type SeedUpdate,
  stopClock,
  uuidOf,
} from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
  await holdShardLeases(db.sql);
  await stopClock(db.sql, '2026-11-20T12:00:00Z');
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.sql`truncate catalog.pairs, catalog.outcomes, catalog.strikes, price.updates, price.latest_updates, price.snapshot_rows`;
  await db.sql`update price.snapshot_state set step = '-infinity'`;
});

const at = '2026-11-20T11:57:01.234Z';
const both: SeedUpdate = { at, ask_a: [620000, 400000], ask_b: [600000, 405000] };

/** The market that REST returns with every include. Its rule is confirmed unless `pair` differs. */
async function market(pair: SeedPair, update?: SeedUpdate) {
  await putPair(db.sql, { confirmed: true, ...pair });
  if (update) expect(await putUpdate(db.sql, pair.n, update)).toBe(1);
  await db.sql`update price.snapshot_state set step = '-infinity'`;
  await db.sql`select pipeline.refresh_snapshot()`;
  const [row] = await db.sql<{ json: string }[]>`
    select price.market_json(head, outcomes_depth, tail, ids, settlement) as json
    from price.snapshot where pair_id = ${uuidOf(pair.n)}`;
  return JSON.parse(row?.json ?? 'null');
}

test('a priced market has every field of spec.md, with its types', async () => {
  const made = await market(
    {
      n: 1,
      risks: [
        ['void_rule', 'medium'],
        ['cancel_refund', 'low'],
        ['walkover', 'medium'],
      ],
    },
    {
      ...both,
      bid_a: [610000, 390000],
      bid_b: [590000, null],
      size_a: [12345, 100],
      size_b: [50, null],
      bid_size_a: [700, null],
      bid_size_b: [25, null],
    },
  );
  expect(made).toEqual({
    id: idOf(1),
    slug: 'pair-1',
    category: 'sports',
    market_type: 'moneyline',
    sport: 'basketball',
    competition: 'NBA',
    location: null,
    asset: null,
    indicator: null,
    basis: null,
    institution: null,
    tags: ['tag'],
    title: 'Title 1',
    home: 'Home',
    away: 'Away',
    start_time: '2026-11-21T01:00:00.000Z',
    status: 'open',
    match: 'high_confidence',
    signal: 'arb',
    spread_pts: 2,
    potential_arb_pct: 0,
    coverage: { venue_a: true, venue_b: true },
    outcomes: [
      {
        key: 'home',
        name: 'HOME',
        venue_a: 0.62,
        venue_b: 0.6,
        cheaper: 'venue_b',
        venue_a_book: { ask: 0.62, bid: 0.61, depth: 123.45, bid_depth: 7, ticker: 'KX-1-home', side: 'yes' },
        venue_b_book: { ask: 0.6, bid: 0.59, depth: 0.5, bid_depth: 0.25, token_id: '1000' },
      },
      {
        key: 'away',
        name: 'AWAY',
        venue_a: 0.4,
        venue_b: 0.405,
        cheaper: 'venue_a',
        venue_a_book: { ask: 0.4, bid: 0.39, depth: 1, bid_depth: null, ticker: 'KX-1-away', side: 'yes' },
        venue_b_book: { ask: 0.405, bid: null, depth: null, bid_depth: null, token_id: '1001' },
      },
    ],
    result: null,
    updated_at: '2026-11-19T12:34:56.789Z',
    priced_at: at,
    links: { venue_a: 'https://venue-a.example/1', venue_b: null },
    venues: { venue_a: { event_ticker: 'KXEVENT-1' }, venue_b: { condition_id: '0x1', slug: 'slug-1' } },
    confidence: { entity: 0.99, resolution: 0.97 },
    settlement: {
      parity: true,
      risks: [
        { event: 'void_rule', severity: 'medium', note: 'Note on void_rule' },
        { event: 'walkover', severity: 'medium', note: 'Note on walkover' },
      ],
      venue_a_text: 'Rules "A"\nline two',
      venue_b_text: null,
      verdict: null,
    },
  });
});

describe('a market has no outcomes, no spread, no coverage, and priced_at = updated_at', () => {
  const unpriced = {
    outcomes: [],
    spread_pts: null,
    potential_arb_pct: null,
    coverage: { venue_a: false, venue_b: false },
    signal: 'spread',
    priced_at: '2026-11-19T12:34:56.789Z',
  };
  test('when it has no price update', async () => expect(await market({ n: 1 })).toMatchObject(unpriced));
  test('when its price update is void', async () => {
    expect(await market({ n: 1 }, { at, void: 'feed.silent' })).toMatchObject(unpriced);
  });
  test('when its price update has no ask at all', async () => {
    expect(await market({ n: 1 }, { at, ask_a: [null, null], ask_b: [null, null] })).toMatchObject(unpriced);
  });
  test('when its price update has another number of outcomes than the pair has now', async () => {
    expect(await market({ n: 1 }, { at, ask_a: [1, 2, 3], ask_b: [1, 2, 3] })).toMatchObject(unpriced);
  });
  test.each(['settled', 'closed'])('when it is %s, because nothing can be bought any more', async (status) => {
    expect(await market({ n: 1, status }, both)).toMatchObject({ ...unpriced, status });
  });
});

describe('a one-sided market', () => {
  test('has no spread, and null prices and no coverage for the venue without asks', async () => {
    expect(await market({ n: 1 }, { at, ask_a: [620000, 400000], ask_b: [null, null] })).toMatchObject({
      coverage: { venue_a: true, venue_b: false },
      spread_pts: null,
      signal: 'spread',
      priced_at: at,
      outcomes: [
        { venue_a: 0.62, venue_b: null, cheaper: null },
        { venue_a: 0.4, venue_b: null, cheaper: null },
      ],
    });
  });
  test('has a spread and no arb when only one outcome has both asks', async () => {
    expect(await market({ n: 1 }, { at, ask_a: [620000, null], ask_b: [600000, 300000] })).toMatchObject({
      spread_pts: 2,
      signal: 'spread',
      potential_arb_pct: null,
    });
  });
  test('has cheaper = null for an outcome with equal asks', async () => {
    expect((await market({ n: 1 }, { at, ask_a: [500000, 1], ask_b: [500000, 1000000] })).outcomes).toMatchObject([
      { venue_a: 0.5, venue_b: 0.5, cheaper: null },
      { venue_a: 0.000001, venue_b: 1, cheaper: 'venue_a' },
    ]);
  });
});

test.each([
  ['the wider gap is one where venue_a is cheaper', [400000, 630000], [450000, 600000], 5],
  ['venue_a is cheaper on every outcome', [400000, 600000], [450000, 610000], 5],
  ['venue_b is cheaper on every outcome', [450000, 610000], [400000, 600000], 5],
  ['one outcome has only one ask', [400000, null], [450000, 600000], 5],
])('the spread has no sign when %s', async (_, ask_a, ask_b, gap) => {
  expect((await market({ n: 1 }, { at, ask_a, ask_b })).spread_pts).toBe(gap);
  const [row] = await db.sql`select price.spread_pts(${ask_a}::int[], ${ask_b}::int[]) as gap`;
  expect(Number(row?.gap)).toBe(gap);
});

test('the spread is exact to 0.0001 points', async () => {
  expect((await market({ n: 1 }, { at, ask_a: [467400, 1000], ask_b: [512501, 1000] })).spread_pts).toBe(4.5101);
});

describe('the signal arb', () => {
  test.each<[string, Partial<SeedPair>]>([
    ['a band in review', { band: 'REVIEW' }],
    ['an unconfirmed rule', { confirmed: false }],
    ['a high risk', { risks: [['dead_heat', 'high']] }],
    ['a critical risk that is not published', { risks: [['cancel_refund', 'critical']] }],
  ])('is absent with %s', async (_, closed) => {
    expect(await market({ n: 1, ...closed }, both)).toMatchObject({ signal: 'spread', potential_arb_pct: null });
  });
  test('is absent with a crossed or locked book', async () => {
    expect(await market({ n: 1 }, { ...both, bid_a: [620000, null] })).toMatchObject({ signal: 'spread' });
    expect(await market({ n: 2 }, { ...both, bid_b: [null, 500000] })).toMatchObject({ signal: 'spread' });
    // A book is locked when its best bid equals its best ask.
    expect(await market({ n: 3 }, { ...both, bid_a: [null, 400000] })).toMatchObject({ signal: 'spread' });
    expect(await market({ n: 4 }, { ...both, bid_b: [600000, null] })).toMatchObject({ signal: 'spread' });
    expect(await market({ n: 5 }, { ...both, bid_a: [619999, 399999], bid_b: [599999, 404999] })).toMatchObject({
      signal: 'arb',
    });
  });
  test('is absent for a candidate', async () => {
    expect(await market({ n: 1, stage: 'candidate' }, both)).toMatchObject({ signal: 'spread', match: 'review' });
  });
  test('has its closed gates listed by price.signal_gates', async () => {
    await market({ n: 1, confirmed: false }, { ...both, bid_a: [700000, null] });
    const [gates] = await db.sql`select band_ok, parity_ok, risk_ok, priced_ok, reason from price.signal_gates`;
    expect(gates).toEqual({
      band_ok: true,
      parity_ok: false,
      risk_ok: true,
      priced_ok: false,
      reason: 'parity.unconfirmed, priced.incomplete',
    });
  });
});

test('the signal follows the price gate, and the spread equals price.spread_pts', async () => {
  const updates: SeedUpdate[] = [
    both,
    { ...both, bid_a: [620000, null] },
    { at, ask_a: [1, null], ask_b: [2, 3] },
    { at, ask_a: [null, null], ask_b: [2, 3] },
    { at, ask_a: [0, 1000000], ask_b: [1000000, 0], bid_a: [null, 999999] },
    { ...both, bid_a: [null, 400000] },
    { ...both, bid_b: [600000, null] },
    { ...both, bid_b: [null, 405000] },
    { at, ask_a: [400000, 630000], ask_b: [450000, 600000], bid_b: [449999, 599999] },
    { at, ask_a: [400000, 600000], ask_b: [450000, 610000] },
  ];
  for (const [i, update] of updates.entries()) await market({ n: i + 1 }, update);
  const rows = await db.sql`
    select s.signal = 'arb' as arb, g.priced_ok,
           s.spread_pts, price.spread_pts(u.ask_a, u.ask_b) as gap
    from price.snapshot s
    join price.signal_gates g on g.pair_id = s.pair_id
    cross join lateral (select (s.price_update).*) u
    order by s.pair_id`;
  expect(rows.map((row) => row.arb)).toEqual([true, false, false, false, true, false, false, false, true, true]);
  for (const row of rows) {
    expect(row.priced_ok).toBe(row.arb);
    expect(Number(row.spread_pts)).toBe(Number(row.gap));
  }
});

describe('the fields of a family', () => {
  test('include line and game_id for a family of matches only', async () => {
    const total = await market({ n: 2, market_type: 'total', line: 6.5, game_id: uuidOf(1) }, both);
    expect(total).toMatchObject({ market_type: 'total', line: 6.5, game_id: idOf(1) });
    const moneyline = await market({ n: 1 });
    expect('line' in moneyline || 'game_id' in moneyline).toBe(false);
  });
  test('include closes and all strikes of venue_a for a ladder, and relation and span for its legs', async () => {
    const weather = await market(
      {
        n: 1,
        market_type: 'weather_high',
        category: 'weather',
        sport: null,
        competition: null,
        location: 'nyc',
        ladder: ['40-41', '42-43', '44-45'],
        outcomes: [
          { key: 'b40', relation: 'EXACT' },
          { key: 'b42', a: null, relation: 'OVERLAPS', span: ['42-43', '44-45'] },
        ],
      },
      { at, ask_a: [300000, null], ask_b: [310000, 500000], ladder_a: [300000, 200000, null] },
    );
    expect(weather).toMatchObject({
      closes: { venue_a: '2026-11-22T00:00:00.000Z', venue_b: '2026-11-22T06:00:00.000Z' },
      venue_a_ladder: [
        { label: '40-41', venue_a: 0.3 },
        { label: '42-43', venue_a: 0.2 },
        { label: '44-45', venue_a: null },
      ],
      outcomes: [
        { key: 'b40', relation: 'EXACT' },
        { key: 'b42', relation: 'OVERLAPS', venue_a: null, venue_a_span: ['42-43', '44-45'], venue_a_book: null },
      ],
    });
    expect('venue_a_span' in weather.outcomes[0]).toBe(false);
  });
});

test('a settled market has its result and its verdict', async () => {
  const result = {
    verdict: 'agree',
    venues_agree: true,
    void: false,
    winners: ['home'],
    settled_at: '2026-11-20T00:00:00.000Z',
  };
  expect(await market({ n: 1, status: 'settled', result })).toMatchObject({ result, settlement: { verdict: 'agree' } });
});
