import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changePair, idOf, putPair, putUpdate, uuidOf } from './support/catalog.ts';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';

let world: ApiFixture;
let key: string;

const condition = '0x5f2c9d3b8a7e6d5c4b3a291807f6e5d4c3b2a190817263544536271809fafbfc';
const token = '71321045679252212594626385532706912750332728571942532289631379312455583992563';
const ticker = 'KXNBAGAME-26NOV21BOSLAL';

beforeAll(async () => {
  world = await createApiFixture();
  const nba = { sport: 'basketball', competition: 'NBA' };
  const soccer = { sport: 'soccer', competition: 'La Liga' };
  await putPair(world.db.sql, {
    ...{
      n: 40,
      ...nba,
      title: 'Boston Celtics vs Los Angeles Lakers',
      home: 'Los Angeles Lakers',
      away: 'Boston Celtics',
    },
    ...{ event_a: ticker, condition_b: condition, start_time: '2026-11-22T01:00:00Z' },
    outcomes: [
      { key: 'lal', name: 'Los Angeles Lakers', a: `${ticker}-LAL`, b: token },
      { key: 'bos', name: 'Boston Celtics', a: `${ticker}-BOS` },
    ],
  });
  await listedAs(40);
  await putPair(world.db.sql, {
    ...{ n: 41, ...nba, title: 'Los Angeles Lakers vs Utah Jazz', home: 'Utah Jazz', away: 'Los Angeles Lakers' },
    ...{ start_time: '2026-11-21T02:00:00Z', outcomes: [{ key: 'lal' }, { key: 'uta' }] },
  });
  await putPair(world.db.sql, {
    n: 42,
    ...soccer,
    title: 'Atlético Madrid vs Málaga',
    home: 'Atlético Madrid',
    away: 'Málaga',
  });
  await putPair(world.db.sql, {
    n: 43,
    ...soccer,
    stage: 'candidate',
    title: 'Lakers United vs Other',
    outcomes: [{ key: 'lak' }],
  });
  await putPair(world.db.sql, { n: 44, ...soccer, status: 'settled', title: 'Old Lakers vs Older' });
  await putPair(world.db.sql, {
    ...{
      n: 45,
      market_type: 'crypto_above',
      category: 'crypto',
      sport: null,
      competition: null,
      asset: 'btc',
      band: 'REVIEW',
    },
    ...{
      title: 'Bitcoin at 5 PM',
      ladder: ['$60,000 or above'],
      outcomes: [{ key: 'at_60000', name: '60,000', relation: 'EXACT' }],
    },
  });
  await putPair(world.db.sql, {
    ...{
      n: 46,
      market_type: 'econ_print',
      category: 'economics',
      sport: null,
      competition: null,
      indicator: 'cpi',
      basis: 'yoy_core',
    },
    title: 'Consumer prices 100% up_or down',
  });
  await putPair(world.db.sql, {
    ...{ n: 47, market_type: 'cb_decision', category: 'economics', sport: null, competition: null, institution: 'ecb' },
    title: 'Rates in December',
  });
  await putPair(world.db.sql, { n: 48, title: 'Philadelphia 76ers vs Orlando Magic', home: 'Philadelphia 76ers' });
  await putPair(world.db.sql, {
    ...{ n: 49, market_type: 'crypto_above', category: 'crypto', sport: null, competition: null, asset: 'eth' },
    ...{ title: 'Ether at 6 PM', outcomes: [{ key: 'at_1250000', name: '1,250,000' }] },
  });
  key = await world.key();
});
afterAll(() => world.close());

/** Stores two listings of a pair with different names. */
async function listedAs(n: number) {
  const { sql } = world.db;
  for (const [venue, event, title, label] of [
    ['venue_a', 'EA', 'Boston at Los Angeles L', 'Los Angeles L'],
    ['venue_b', 'eb', 'Celtics vs. Lakers ☘', 'The Purple and Gold'],
  ] as const) {
    const question = venue === 'venue_a' ? `venue_a:Q${n}` : `venue_b:q${n}`;
    await sql`
      insert into venue.events (venue, event_id, title, payload, payload_hash, first_seen_at, seen_at, changed_at)
      values (${venue}, ${event}, ${title}, '{}', '', now(), now(), now())`;
    await sql`
      insert into venue.questions (question_id, venue, event_id, family, key, category, title, exclusive, identity, terms, content_hash, changed_at)
      values (${question}, ${venue}, ${event}, 'moneyline', 'k', 'sports', ${`Question of ${event}`}, true, '{}', '{}', '', now())`;
    await sql`
      insert into venue.legs (question_id, ordinal, outcome_key, outcome_name, market_id, contract_id)
      values (${question}, 0, 'lal', ${label}, 'm', ${`contract ${event}`})`;
  }
}

type Body = { count: number; total: number; has_more: boolean; markets: { id: string }[] };
const find = async (q: string, more = ''): Promise<Body> => {
  const answer = await world.get(`/v2/search?q=${encodeURIComponent(q)}${more}`, key);
  expect(answer.status).toBe(200);
  return (await answer.json()) as Body;
};
const ids = async (q: string, more = '') =>
  (await find(q, more)).markets.map((market) => Number.parseInt(market.id.slice(-12), 16));

describe('GET /v2/search', () => {
  test('returns the list and rows with identity and without prices', async () => {
    const at = '2026-11-20T11:57:00.000Z';
    await putUpdate(world.db.sql, 42, { at, ask_a: [400000, 610000], ask_b: [420000, 600000] });
    expect(await find('Málaga', '&category=sports&sport=soccer&page_size=3')).toEqual({
      ...{
        q: 'Málaga',
        category: 'sports',
        sport: 'soccer',
        page: 1,
        page_size: 3,
        count: 1,
        total: 1,
        has_more: false,
      },
      // A club of basketball with this city as one of its names.
      read_as: [{ words: 'malaga', also: ['unicaja'], starts_from: null, starts_before: null }],
      markets: [
        {
          id: idOf(42),
          category: 'sports',
          market_type: 'moneyline',
          sport: 'soccer',
          competition: 'La Liga',
          tags: ['tag'],
          title: 'Atlético Madrid vs Málaga',
          start_time: '2026-11-21T01:00:00.000Z',
          status: 'open',
          signal: 'spread',
          outcomes: [
            { key: 'home', name: 'HOME' },
            { key: 'away', name: 'AWAY' },
          ],
          coverage: { venue_a: true, venue_b: true },
        },
      ],
    });
    expect(await find('nothing')).toEqual({
      ...{ q: 'nothing', category: null, sport: null, page: 1, page_size: 20, count: 0, total: 0, has_more: false },
      markets: [],
    });
  });

  test.each<[string, string, number[]]>([
    ['a team', 'celtics', [40]],
    ['a team without its accents', 'atletico madrid', [42]],
    ['a team with other accents', 'ATLÉTICO málagà', [42]],
    ['accents as combining characters', 'Ma\u0301laga', [42]],
    ['full-width letters', 'ｂｏｓｔｏｎ', [40]],
    ['words in another order, with punctuation', '  lakers,  (boston) vs. ', [40]],
    ["a listing's own name of a team", 'purple gold', [40]],
    ["a listing's own title", 'boston at los angeles l', [40]],
    ["a question's own title", 'question of ea', [40]],
    ['an outcome', '60,000', [45]],
    ['a rung of the ladder', '$60,000 or above', [45]],
    ['a league', 'la liga', [42, 43]],
    ['a league with a team', 'nba utah', [41]],
    ['a market type', 'econ_print', [46]],
    ['a slug', 'pair-41', [41]],
    ['the slug of venue_b', 'slug-41', [41]],
    ['an event ticker', ticker.toLowerCase(), [40]],
    ['a part of it', '26nov21BOS', [40]],
    ['a ticker', `${ticker}-BOS`, [40]],
    ['a condition id', condition, [40]],
    ['the beginning of it', condition.slice(0, 12), [40]],
    ['nothing for the middle of it', condition.slice(12, 24), []],
    ['a condition id in capitals', condition.toUpperCase(), [40]],
    ['a token id', token, [40]],
    ['an asset', 'btc', [45]],
    ['an indicator and its basis', 'cpi yoy', [46]],
    ['an institution', 'ecb', [47]],
    ['a location', 'nyc', [6]],
    ['nothing for two letters that do not occur', 'jz', []],
    ['two letters that occur', 'zz', [41]],
    ['nothing for two digits that occur in ids only', '71', []],
    ['one sign', '☘', [40]],
    ['nothing for an unknown word with a known word', 'lakers xyzzy', []],
    ['nothing for two fields without a space', 'lakersboston', []],
    ['a percent sign', '100%', [46]],
    ['no wildcard in a percent sign', '1%0', []],
    ['only a percent sign', '%', [11, 46]],
    ['an underscore', 'up_or', [46]],
    ['no wildcard in an underscore', 'l_kers', []],
    ['a backslash', '\\', [11]],
    ['a quote', `it's`, [11]],
    ['nothing for an SQL injection', `x'); drop table price.snapshot; --`, []],
    ['nothing for a text without letters', '\u0301', []],
  ])('finds %s', async (_, q, expected) => {
    expect((await ids(q)).sort((a, b) => a - b)).toEqual(expected);
  });

  // The snapshot is of 06:58 in New York on 20 November.
  test.each<[string, string, number[]]>([
    ['a team that plays tonight', 'lakers tonight', [41, 43]],
    ['a team of a league that plays tonight', 'the NBA Lakers game this evening', [41]],
    ['a team that plays tomorrow', 'Lakers game tomorrow', [40]],
    ['a team that plays tomorrow night', 'lakers tomorrow night', [40]],
    ['a team of this week', 'lakers this week', [40, 41, 43]],
    ['a team of the weekend', 'lakers weekend', [40]],
    ['a place and a day', 'nyc weather today', [6]],
    ['nothing for the same place on another day', 'nyc weather tomorrow', []],
    ['a strike as thousands', 'BTC 60k', [45]],
    ['a strike without a comma', 'bitcoin 60000', [45]],
    ['a strike in dollars', 'btc over $60k', [45]],
    ['a strike in millions', 'eth 1.25m', [49]],
    ['nothing for a part of its number', 'eth 250k', []],
    ['nothing for another strike', 'btc 6k', []],
    ['a team by its nickname', 'sixers', [48]],
    ['a decision', 'the ECB decision', [47]],
    ['a filler word alone', 'will', []],
  ])('reads words of people: %s', async (_, q, expected) => {
    expect((await ids(q)).sort((a, b) => a - b)).toEqual(expected);
  });

  test('returns how it read the words', async () => {
    const none = { starts_from: null, starts_before: null };
    expect(await find('btc 60k tonight')).toMatchObject({
      total: 1,
      read_as: [
        { words: 'btc', also: ['bitcoin'], ...none },
        { words: '60k', also: ['60,000', '60000'], ...none },
        {
          words: 'tonight',
          also: [],
          starts_from: '2026-11-20T22:00:00.000Z',
          starts_before: '2026-11-21T10:00:00.000Z',
        },
      ],
    });
    expect(await find('title')).not.toHaveProperty('read_as');
  });

  test('returns catalog and candidate rows, open and live by default, and applies filters', async () => {
    expect(new Set(await ids('lakers'))).toEqual(new Set([40, 41, 43]));
    expect(await ids('lakers', '&status=settled')).toEqual([44]);
    expect(new Set(await ids('lakers', '&status=settled,open'))).toEqual(new Set([40, 41, 43, 44]));
    expect(await ids('lakers', '&sport=soccer')).toEqual([43]);
    expect(await ids('lakers', '&sport=Soccer')).toEqual([43]);
    expect(await ids('lakers', '&category=SPORTS&sport=SOCCER')).toEqual([43]);
    expect(await ids('lakers', '&category=crypto')).toEqual([]);
  });

  test('sorts exact names first, then by similarity of the title, then by start and id', async () => {
    await putPair(world.db.sql, { n: 50, title: 'Orient Rovers vs Someone', home: 'Orient Rovers', sport: 'rugby' });
    await putPair(world.db.sql, {
      n: 51,
      title: 'Orient vs Someone',
      home: 'Orient',
      sport: 'rugby',
      start_time: '2026-11-25T00:00:00Z',
    });
    await putPair(world.db.sql, {
      n: 52,
      title: 'Orientals vs Someone',
      home: 'Orientals',
      sport: 'rugby',
      start_time: '2026-11-20T13:00:00Z',
    });
    await putPair(world.db.sql, {
      n: 54,
      title: 'Orient Rovers vs Anyone',
      home: 'Orient Rovers',
      sport: 'rugby',
      start_time: '2026-11-20T20:00:00Z',
    });
    await putPair(world.db.sql, {
      n: 53,
      title: 'Orient Rovers vs Anyone',
      home: 'Orient Rovers',
      sport: 'rugby',
      start_time: '2026-11-20T20:00:00Z',
    });
    await world.clock.set('2026-11-20T12:00:05Z');
    expect(await ids('orient')).toEqual([51, 53, 54, 50, 52]);
  });

  test('returns every row once over all pages, with the total on each, and an empty page at the end', async () => {
    const all = await ids('title', '&page_size=50');
    const { total } = await find('title');
    expect(all.length).toBe(total);
    const walked: number[] = [];
    for (let page = 1; ; page++) {
      const body = await find('title', `&page_size=3&page=${page}`);
      expect([body.total, body.count]).toEqual([total, body.markets.length]);
      walked.push(...(await ids('title', `&page_size=3&page=${page}`)));
      expect(body.has_more).toBe(page * 3 < total);
      if (!body.has_more) break;
    }
    expect(walked).toEqual(all);
    expect(new Set(walked).size).toBe(all.length);
    expect(await find('title', '&page=2147483647&page_size=50')).toMatchObject({
      ...{ page: 2147483647, count: 0, total, has_more: false, markets: [] },
    });
  });

  test('accepts 100 characters, counting an emoji as one', async () => {
    expect((await find('😀'.repeat(100))).total).toBe(0);
  });
});

describe('the search text of a market', () => {
  test('changes with the next step after a new title', async () => {
    await find('utah');
    await changePair(world.db.sql, 41, { title: 'Los Angeles Lakers vs Salt Lake', home: 'Salt Lake' });
    expect(await ids('utah')).toEqual([41]);
    expect(await ids('salt')).toEqual([]);
    await world.clock.set('2026-11-20T12:00:10Z');
    expect(await ids('utah')).toEqual([]);
    expect(await ids('salt')).toEqual([41]);
  });

  test('is not written again when only the status changes', async () => {
    const at = async () => {
      const [row] = await world.db.sql`select xmin::text from price.search_texts where pair_id = ${uuidOf(42)}`;
      return row?.xmin;
    };
    const before = await at();
    await changePair(world.db.sql, 42, { status: 'live' });
    await world.clock.set('2026-11-20T12:00:15Z');
    expect((await find('malaga')).markets).toMatchObject([{ id: idOf(42), status: 'live' }]);
    expect(await at()).toBe(before);
  });

  test('is deleted when the pair is withdrawn', async () => {
    await changePair(world.db.sql, 47, { withdrawn_at: '2026-11-20T12:00:00Z' });
    await world.clock.set('2026-11-20T12:00:20Z');
    expect(await ids('ecb')).toEqual([]);
    expect(await world.db.sql`select 1 from price.search_texts where pair_id = ${uuidOf(47)}`).toHaveLength(0);
  });
});
