import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { flush, good } from '../arb/fixture.ts';
import { callTool } from '../mcp/support/post.ts';
import { lastOffset, publishedFrames } from '../stream/published_frames.ts';
import { changePair, idOf, putLegFee, putPair, putUpdate, type SeedPair, uuidOf } from './support/catalog.ts';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';

/**
 * Guarantee: whether a market can be arbitrage, and whether it has a price, has one answer at every
 * place that states it.
 */

let world: ApiFixture;
let key: string;
beforeAll(async () => {
  world = await createApiFixture();
  key = await world.key();
});
afterAll(() => world.close());

const json = async (path: string) => await (await world.get(path, key)).json();
const textOf = async (name: string, args: object): Promise<string> => {
  const { message } = await callTool(world, key, name, args);
  return (message.result as { content: { text: string }[] }).content[0]?.text ?? '';
};
type Frame = {
  type: string;
  id: string;
  signal?: string;
  void?: string;
  best?: object[];
  outcomes?: { key: string; venue_a: number | null; venue_b: number | null; cheaper?: string | null }[];
};
/** The frames of a market that a client gets that has none yet. */
async function framesOf(n: number, channel: string): Promise<Frame[]> {
  const { sql } = world.db;
  const before = await lastOffset(sql, channel);
  await sql`delete from stream.published_markets where pair_id = ${uuidOf(n)}`;
  await sql`delete from stream.published_best where pair_id = ${uuidOf(n)}`;
  await sql`update stream.best_state set compared_at = '-infinity'`;
  await sql`select stream.publish_changes(array[${uuidOf(n)}]::uuid[])`;
  await sql`select stream.publish_best()`;
  const frames = (await publishedFrames(sql, channel, before)) as unknown as Frame[];
  return frames.filter(({ id }) => id === idOf(n));
}

describe('the gates of a market', () => {
  const AT = '2026-11-20T11:57:00.000Z';
  /** What closes a gate, and its code. Null: all gates are open. */
  const cases: [name: string, pair: Partial<SeedPair>, code: string | null][] = [
    ['nothing', {}, null],
    ['a low risk', { risks: [['tie_handling', 'low']] }, null],
    ['a medium risk', { risks: [['void_rule', 'medium']] }, null],
    ['a high risk', { risks: [['walkover', 'high']] }, 'risk.walkover'],
    ['a critical risk', { risks: [['station_mismatch', 'critical']] }, 'risk.station_mismatch'],
    [
      'a critical risk among lower ones',
      {
        risks: [
          ['void_rule', 'medium'],
          ['overtime_scope', 'critical'],
        ],
      },
      'risk.overtime_scope',
    ],
    ['an internal risk', { risks: [['cancel_rule', 'high']] }, 'risk.high'],
    ['an unconfirmed rule', { confirmed: false }, 'parity.unconfirmed'],
    ['the band REVIEW', { band: 'REVIEW' }, 'band.review'],
    ['a confidence just below 0.95', { resolution: '0.949' }, 'band.confidence'],
    ['a confidence of 0.95', { entity: '0.950', resolution: '0.950' }, null],
  ];
  beforeAll(async () => {
    const { sql } = world.db;
    for (const [at, [, pair]] of cases.entries()) {
      await putPair(sql, { n: 300 + at, confirmed: true, sport: 'curling', ...pair });
      await flush(sql, 300 + at, [{ at: AT, opp: good(300 + at) }]);
    }
    await world.clock.set('2026-11-20T12:00:05Z');
  });

  /** Whether a market can be arbitrage, at each place that states it. */
  const places: [place: string, isArb: (n: number) => Promise<boolean>][] = [
    ['the market of REST', async (n) => (await json(`/v2/pairs/${idOf(n)}`)).signal === 'arb'],
    [
      'the filter signal=spread',
      async (n) => !(await isListed(n, '/v2/markets?sport=curling&signal=spread&limit=50', 'markets')),
    ],
    ['the list of opportunities', (n) => isListed(n, '/v2/arbitrage?sport=curling&limit=50', 'opportunities')],
    ['the explanation of REST', async (n) => (await json(`/v2/pairs/${idOf(n)}/explanation`)).signal === 'arb'],
    ['the market as text', async (n) => (await textOf('get_market', { market_id: idOf(n) })).includes('signal arb')],
    [
      'the explanation as text',
      async (n) => (await textOf('explain_market', { market_id: idOf(n) })).includes('signal arb'),
    ],
    [
      'the opportunities as text',
      async (n) => (await textOf('find_arbitrage', { sport: 'curling', limit: 50 })).includes(`market ${idOf(n)}`),
    ],
    [
      'the stream',
      async (n) => (await framesOf(n, 'markets:all')).find(({ type }) => type === 'market')?.signal === 'arb',
    ],
    [
      'the opportunities of the database',
      async (n) => (await world.db.sql`select from arb.opportunities where pair_id = ${uuidOf(n)}`).length === 1,
    ],
    [
      'the watch list of the engine',
      async (n) => {
        const [row] = await world.db.sql<{ arb: boolean }[]>`
          select bool_and(w.arb) as arb from price.watched_outcomes w where w.pair_id = ${uuidOf(n)}`;
        return row?.arb === true;
      },
    ],
  ];
  async function isListed(n: number, path: string, field: string): Promise<boolean> {
    const rows = (await json(path))[field] as { id: string; market_id?: string }[];
    return rows.some(({ id, market_id = id }) => market_id === idOf(n));
  }

  test.each(places)('are the same in %s', async (_, isArb) => {
    for (const [at, [name, , code]] of cases.entries())
      expect([name, await isArb(300 + at)]).toEqual([name, code === null]);
  });

  test('have their code in the explanation, and a spread at least one point wide is among the spreads', async () => {
    const spreads = await json('/v2/spreads?sport=curling&limit=50');
    const listed = (spreads.spreads as { id: string }[]).map(({ id }) => id);
    for (const [at, [name, , code]] of cases.entries()) {
      const one = await json(`/v2/pairs/${idOf(300 + at)}/explanation`);
      expect([name, one.code]).toEqual([name, code ?? 'opportunity.open']);
      // A confidence below 0.95 is too little for a spread as well.
      expect([name, listed.includes(idOf(300 + at))]).toEqual([name, code !== null && code !== 'band.confidence']);
    }
  });
});

describe('the prices of a market', () => {
  const AT = '2026-11-20T11:57:00.000Z';
  type Ask = number | null;
  /** Asks of `home` in cents, the cheaper venue, and the venue to buy on. */
  const cases: [name: string, a: Ask, b: Ask, cheaper: string | null, buy: string | null][] = [
    ['venue_a cheaper', 41, 43, 'venue_a', 'venue_a'],
    ['venue_b cheaper', 43, 41, 'venue_b', 'venue_b'],
    ['equal', 42, 42, null, 'venue_b'],
    ['no ask on venue_b', 41, null, null, 'venue_a'],
    ['no ask on venue_a', null, 43, null, 'venue_b'],
    ['no ask', null, null, null, null],
  ];
  const micro = (cents: Ask) => (cents === null ? null : cents * 10_000);
  const usd = (cents: Ask) => (cents === null ? null : cents / 100);
  beforeAll(async () => {
    const { sql } = world.db;
    for (const [at, [, a, b]] of cases.entries()) {
      const n = 330 + at;
      await putPair(sql, { n, confirmed: true, sport: 'bandy' });
      for (const ordinal of [0, 1]) {
        await putLegFee(sql, n, ordinal, 'venue_a', { model: 'quadratic', multiplier: '1', maker: false });
        await putLegFee(sql, n, ordinal, 'venue_b', { model: 'rate', rate: '0.05' });
      }
      const sizes = { size_a: [1_200, 800], size_b: [900, 700] };
      await putUpdate(sql, n, { at: AT, ask_a: [micro(a), 600_000], ask_b: [micro(b), 600_000], ...sizes });
    }
    await world.clock.set('2026-11-20T12:00:10Z');
  });
  type Outcome = { key: string; venue_a: Ask; venue_b: Ask; cheaper?: string | null };
  const homeOf = (outcomes: Outcome[]) => {
    const home = outcomes.find(({ key: name }) => name === 'home');
    return { venue_a: home?.venue_a, venue_b: home?.venue_b, cheaper: home?.cheaper };
  };

  test.each<[string, (n: number) => Promise<Outcome[]>]>([
    ['the market of REST', async (n) => (await json(`/v2/pairs/${idOf(n)}`)).outcomes],
    [
      'a list of REST',
      async (n) =>
        (await json(`/v2/markets?sport=bandy&limit=50`)).markets.find(({ id }: { id: string }) => id === idOf(n))
          .outcomes,
    ],
    [
      'the market frame of the stream',
      async (n) => (await framesOf(n, 'markets:all')).find(({ type }) => type === 'market')?.outcomes as Outcome[],
    ],
  ])('name the cheaper venue where both have an ask: %s', async (_, outcomesOf) => {
    for (const [at, [name, a, b, cheaper]] of cases.entries())
      expect([name, homeOf(await outcomesOf(330 + at))]).toEqual([name, { venue_a: usd(a), venue_b: usd(b), cheaper }]);
  });

  test('name a venue to buy on that has an ask, in REST, on the stream and in the text', async () => {
    for (const [at, [name, a, b, , buy]] of cases.entries()) {
      const n = 330 + at;
      const rest = (await json(`/v2/pairs/${idOf(n)}?include=best`)).best[0].buy?.venue ?? null;
      const frame = (await framesOf(n, 'best:all'))[0]?.best as { buy: { venue: string } | null }[];
      const line = (await textOf('get_market', { market_id: idOf(n), include: ['depth'] }))
        .split('\n')
        .find((one) => one.startsWith('   home:'));
      expect([name, rest, frame[0]?.buy?.venue ?? null]).toEqual([name, buy, buy]);
      // The text compares asks before fees. Of equal ones it names venue_a first.
      const first = b !== null && (a === null || b < a) ? 'venue_b' : 'venue_a';
      expect([name, line?.startsWith(`   home: ${first} ${a === null && b === null ? 'none' : ''}`)]).toEqual([
        name,
        true,
      ]);
    }
  });

  test.each<[string, object | null, string | null, string]>([
    ['has none yet', null, null, 'priced.never'],
    [
      'was void since a feed ended',
      { ask_a: [], ask_b: [], void: 'feed.disconnected' },
      'feed.disconnected',
      'priced.feed.disconnected',
    ],
    [
      'was void since no worker read it',
      { ask_a: [], ask_b: [], void: 'lease.expired' },
      'lease.expired',
      'priced.lease.expired',
    ],
  ])('are missing at every place for a market that %s', async (name, update, reason, code) => {
    const n = 350 + [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
    const { sql } = world.db;
    await putPair(sql, { n, confirmed: true, sport: 'bandy' });
    if (update) {
      await putUpdate(sql, n, { at: '2026-11-20T11:56:00.000Z', ask_a: [410_000, 600_000], ask_b: [430_000, 590_000] });
      await putUpdate(sql, n, { at: AT, ...(update as { ask_a: []; ask_b: []; void: string }) });
    }
    await changePair(sql, n, { updated_at: '2026-11-19T13:00:00Z' });
    const [row] = await sql<{ step: number }[]>`
      select extract(epoch from step)::integer as step from price.snapshot_state`;
    await world.clock.set(new Date(((row?.step ?? 0) + 120 + 5) * 1_000).toISOString());
    const market = await json(`/v2/pairs/${idOf(n)}?include=best`);
    expect(market).toMatchObject({ outcomes: [], spread_pts: null, potential_arb_pct: null, signal: 'spread' });
    expect(market).toMatchObject({ best: [], best_edge_pct: null, coverage: { venue_a: false, venue_b: false } });
    const explanation = await json(`/v2/pairs/${idOf(n)}/explanation`);
    expect([explanation.code, explanation.closest]).toEqual([code, null]);
    expect(await textOf('get_market', { market_id: idOf(n) })).toContain('   unpriced');
    const frames = await framesOf(n, 'markets:all');
    expect(frames.find(({ type }) => type === 'market')).toMatchObject({ outcomes: [], signal: 'spread' });
    expect(await framesOf(n, 'best:all')).toEqual([]);
    // The frame of its next update has the reason.
    const [now] = await sql<{ frame: Frame }[]>`
      with latest as materialized (
        select stream.latest_updates_of(array[${uuidOf(n)}]::uuid[]) as updates
      )
      select f.json::json as frame
      from latest l
      cross join lateral stream.price_frames(l.updates, stream.render_markets(l.updates, true)) f`;
    expect(now?.frame).toMatchObject({ outcomes: [] });
    expect(now?.frame.void ?? null).toBe(reason);
    const spreads = (await json('/v2/spreads?sport=bandy&limit=50')).spreads as { id: string }[];
    expect(spreads.map(({ id }) => id)).not.toContain(idOf(n));
  });
});
