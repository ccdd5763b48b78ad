import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changePair, holdShardLeases, idOf, putPair, putUpdate, uuidOf } from './support/catalog.ts';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';

let world: ApiFixture;
let key: string;
beforeAll(async () => {
  world = await createApiFixture();
  key = await world.key();
  await putPair(world.db.sql, { n: 20, title: 'sampled' });
  await frame('11:50:30.000', { ask_a: [400000, 610000], ask_b: [425000, null] });
  await frame('11:53:00.000', { ask_a: [410000, null], ask_b: [425000, null] });
  await step('12:00:00');
});
afterAll(() => world.close());

const day = '2026-11-20';
const ms = (time: string) => Date.parse(`${day}T${time}Z`);
const frame = (time: string, asks: object) => putUpdate(world.db.sql, 20, { at: `${day}T${time}Z`, ...asks });
const get = (id: string, query = '', headers = {}) => world.get(`/v2/pairs/${id}/history${query}`, key, headers);

async function step(time: string): Promise<void> {
  await holdShardLeases(world.db.sql);
  await world.clock.set(`${day}T${time}Z`);
  await world.db.sql`select pipeline.refresh_snapshot()`;
  await world.db.sql`select price.sample_history(2000)`;
}

const times = (series: { points: { t: number }[] }[]) => series.map((one) => one.points.map((point) => point.t));

describe('GET /v2/pairs/{market_id}/history', () => {
  test('returns one series per outcome with both asks at each minute, oldest first, for either form of the id', async () => {
    const answer = await get(idOf(20));
    expect([answer.status, answer.headers.get('X-As-Of')]).toEqual([200, `${day}T11:58:00.000Z`]);
    const body = await answer.json();
    const early = (venue_a: number, venue_b: number | null) =>
      ['11:51:00', '11:52:00'].map((time) => ({ t: ms(time), venue_a, venue_b }));
    const late = ['11:53:00', '11:54:00', '11:55:00', '11:56:00', '11:57:00', '11:58:00'];
    expect(body).toEqual({
      id: idOf(20),
      bucket_seconds: 60,
      delay_seconds: 120,
      from: ms('11:59:00') - 7 * 86_400_000,
      to: ms('11:58:00'),
      series: [
        {
          outcome: 'home',
          name: 'HOME',
          points: [...early(0.4, 0.425), ...late.map((time) => ({ t: ms(time), venue_a: 0.41, venue_b: 0.425 }))],
        },
        // A minute without any ask has no point.
        { outcome: 'away', name: 'AWAY', points: early(0.61, null) },
      ],
    });
    expect(await (await get(uuidOf(20))).json()).toEqual(body);
  });

  test('returns an empty series and not 404 before the first point', async () => {
    const body = await (await get(idOf(10))).json();
    expect(body).toMatchObject({ id: idOf(10), bucket_seconds: 60, delay_seconds: 120, series: [] });
  });

  test('omits points newer than the snapshot, at most ceil(delay / 60) + 1 of them', async () => {
    for (const time of ['12:02:00', '12:03:04', '12:04:59']) {
      await step(time);
      const { series, to } = await (await get(idOf(20))).json();
      const newest = times(series)[0]?.at(-1) ?? 0;
      expect(newest).toBe(to);
      expect(newest).toBeLessThanOrEqual(ms(time) - 120_000);
      const heldBack = Math.floor(ms(time) / 60_000) - newest / 60_000;
      expect(heldBack).toBeLessThanOrEqual(Math.ceil(120 / 60) + 1);
    }
  });

  test('samples due buckets itself, without waiting for the next run of the sampler', async () => {
    for (const [time, last] of [
      ['12:06:00', '12:04:00'],
      ['12:09:59', '12:07:00'],
    ] as const) {
      await holdShardLeases(world.db.sql);
      await world.clock.set(`${day}T${time}Z`);
      const { series } = await (await get(idOf(20))).json();
      expect(times(series)[0]?.at(-1)).toBe(ms(last));
    }
  });

  test('returns a range from packed and open hours, both ends included', async () => {
    await step('13:10:00');
    const bodies = await Promise.all(
      [
        `?from=${ms('11:58:00')}&to=${ms('13:01:00')}`,
        `?from=${day}T11:57:00.001Z&to=${day}T13:01:59Z`,
        `?from=${day}T12:58:00%2B01:00&to=${day}T13:01:00Z`,
      ].map(async (query) => (await get(idOf(20), query)).json()),
    );
    expect(times(bodies[0].series)).toEqual([Array.from({ length: 64 }, (_, i) => ms('11:58:00') + i * 60_000)]);
    expect(bodies[1]).toEqual(bodies[0]);
    expect(bodies[2]).toEqual(bodies[0]);
    expect(bodies[0]).toMatchObject({ from: ms('11:58:00'), to: ms('13:01:00') });
    const none = await (await get(idOf(20), '?to=0')).json();
    expect(none.series).toEqual([]);
  });

  test('returns the points at the starts of wider buckets, from packed and open hours', async () => {
    await step('13:12:00');
    const range = `from=${ms('11:51:01')}&to=${ms('13:09:59')}`;
    const read = async (query: string) => await (await get(idOf(20), `?${range}${query}`)).json();
    const minutes = await read('');
    expect(await read('&bucket=1')).toEqual(minutes);
    for (const [bucket, from, to, count] of [
      [5, '11:55:00', '13:05:00', 15],
      [60, '12:00:00', '13:00:00', 2],
    ] as const) {
      const body = await read(`&bucket=${bucket}`);
      expect(body).toMatchObject({ bucket_seconds: bucket * 60, from: ms(from), to: ms(to) });
      const [home] = body.series;
      expect(home.points).toHaveLength(count);
      const all = new Map(minutes.series[0].points.map((point: { t: number }) => [point.t, point]));
      for (const point of home.points) expect(point).toEqual(all.get(point.t));
    }
  });

  test.each([
    ['bucket=2', 'bucket'],
    ['bucket=', 'bucket'],
    ['bucket=01', 'bucket'],
    ['include=ask', 'include'],
  ])('returns 422 for %s', async (query, name) => {
    const answer = await get(idOf(20), `?${query}`);
    expect(answer.status).toBe(422);
    expect((await answer.json()).detail).toMatchObject([{ type: 'enum', loc: ['query', name] }]);
  });

  test('keeps its tag until a new bucket is added', async () => {
    await step('13:20:00');
    const first = await get(idOf(20));
    const tag = first.headers.get('ETag') ?? '';
    await world.clock.set(`${day}T13:20:30Z`);
    expect((await get(idOf(20), '', { 'If-None-Match': tag })).status).toBe(304);
    await step('13:21:00');
    expect((await get(idOf(20), '', { 'If-None-Match': tag })).status).toBe(200);
  });

  test('returns former outcomes with their points after the current outcomes', async () => {
    await putPair(world.db.sql, { n: 21 });
    await putUpdate(world.db.sql, 21, { at: `${day}T13:19:30.000Z`, ask_a: [1000, 2000], ask_b: [1000, 2000] });
    await step('13:23:00');
    await world.db
      .sql`update catalog.outcomes set key = 'draw', name = 'Draw' where key = 'home' and pair_id = ${uuidOf(21)}`;
    await changePair(world.db.sql, 21, { updated_at: `${day}T13:22:00Z` });
    await putUpdate(world.db.sql, 21, { at: `${day}T13:22:30.000Z`, ask_a: [3000, 4000], ask_b: [3000, 4000] });
    await step('13:25:00');
    const { series } = await (await get(idOf(21))).json();
    expect(
      series.map((one: { outcome: string; name: string; points: { venue_a: number }[] }) => [
        one.outcome,
        one.name,
        one.points.map((point) => point.venue_a),
      ]),
    ).toEqual([
      ['draw', 'Draw', [0.003]],
      ['away', 'AWAY', [0.002, 0.002, 0.002, 0.004]],
      ['home', 'HOME', [0.001, 0.001, 0.001]],
    ]);
  });

  test('adds bids and the gap on request, from packed and open hours', async () => {
    await putPair(world.db.sql, { n: 26 });
    const update = { ask_a: [400_000, 610_000], bid_a: [390_000, null], bid_b: [400_100, 580_000] };
    const late = (time: string, asks: object) =>
      putUpdate(world.db.sql, 26, { at: `${day}T${time}Z`, ...update, ...asks });
    await late('13:30:30.000', { ask_b: [425_500, null] });
    await step('13:34:00');
    await late('14:01:30.000', { ask_b: [400_000, 590_000] });
    await step('14:04:00');
    const points = async (query: string) => {
      const { series } = await (await get(idOf(26), query)).json();
      return series.map((one: { points: object[] }) => [one.points[0], one.points.at(-1)]);
    };
    const [first, last] = [{ t: ms('13:31:00') }, { t: ms('14:02:00') }];
    expect(await points('?include=gap,bid')).toEqual([
      [
        { ...first, venue_a: 0.4, venue_b: 0.4255, venue_a_bid: 0.39, venue_b_bid: 0.4001, gap_pts: 2.55 },
        { ...last, venue_a: 0.4, venue_b: 0.4, venue_a_bid: 0.39, venue_b_bid: 0.4001, gap_pts: 0 },
      ],
      [
        { ...first, venue_a: 0.61, venue_b: null, venue_a_bid: null, venue_b_bid: 0.58, gap_pts: null },
        { ...last, venue_a: 0.61, venue_b: 0.59, venue_a_bid: null, venue_b_bid: 0.58, gap_pts: 2 },
      ],
    ]);
    expect((await points('?include=gap'))[0][0]).toEqual({ ...first, venue_a: 0.4, venue_b: 0.4255, gap_pts: 2.55 });
    expect((await points('?bucket=60&include=bid'))[0][0]).toMatchObject({ t: ms('14:00:00'), venue_a_bid: 0.39 });
  });

  test('returns at most the newest 20,160 points, and `from` names the first of them', async () => {
    const outcomes = Array.from({ length: 40 }, (_, i) => ({ key: `o${i}` }));
    await putPair(world.db.sql, { n: 22, market_type: 'outright', outcomes });
    const asks = outcomes.map(() => 20_000);
    await putUpdate(world.db.sql, 22, { at: `${day}T14:10:30.000Z`, ask_a: asks, ask_b: asks });
    await step('18:00:00');
    await step('23:00:00');
    const body = await (await get(idOf(22), `?from=${ms('14:00:00')}`)).json();
    const sizes = times(body.series).map((points) => points.length);
    expect(sizes).toEqual(outcomes.map(() => 504));
    expect(body.from).toBe(times(body.series)[0]?.[0]);
    const before = await (await get(idOf(22), `?from=${ms('14:00:00')}&to=${body.from - 60_000}`)).json();
    expect(times(before.series)[0]?.at(-1)).toBe(body.from - 60_000);
    expect(times(before.series)[0]?.[0]).toBe(ms('14:11:00'));
  });
});

test('history ends at the snapshot, also where it was sampled beyond it before the clock was set back', async () => {
  const { sql } = world.db;
  const read = async (to: string | null) => {
    const params = { id: uuidOf(20), ...(to === null ? {} : { to: ms(to) }) };
    const [row] = await sql<{ body: string }[]>`select body from api.get_history(${sql.json(params)})`;
    const { to: end, series } = JSON.parse(row?.body ?? '');
    return { end, newest: times(series)[0]?.at(-1) };
  };
  const [{ step: before } = { step: null }] = await sql`select step from price.snapshot_state`;
  const upTo = (time: string) => ({ end: ms(time), newest: ms(time) });
  await sql`update price.snapshot_state set step = ${`${day}T12:30:25Z`}`;
  try {
    for (const to of [null, '12:30:59', '12:31:00', '12:40:00', '23:00:00'])
      expect([to, await read(to)]).toEqual([to, upTo('12:30:00')]);
    for (const to of ['12:30:00', '12:29:59', '12:10:00'])
      expect([to, await read(to)]).toEqual([to, upTo(to === '12:29:59' ? '12:29:00' : to)]);
  } finally {
    await sql`update price.snapshot_state set step = ${before}`;
  }
});

describe('/v2/markets?has_history=true', () => {
  test('returns each settled market with points once, by page and by cursor', async () => {
    const { sql } = world.db;
    for (const n of [30, 31, 32, 33, 34]) {
      await putPair(sql, { n, start_time: `2026-11-${n - 10}T00:00:00Z` });
      if (n < 34) await putUpdate(sql, n, { at: `${day}T23:10:30Z`, ask_a: [1000, 2000], ask_b: [1000, 2000] });
    }
    await step('23:20:00');
    for (const n of [30, 31, 32, 34]) await changePair(sql, n, { status: 'settled' });
    await step('23:21:00');
    const list = async (query: string) => {
      const body = await (await world.get(`/v2/markets?has_history=true&limit=2${query}`, key)).json();
      return {
        ids: body.markets.map((market: { id: string }) => market.id),
        more: body.has_more,
        next: body.next_cursor,
      };
    };
    const first = await list('');
    expect(first).toMatchObject({ ids: [idOf(30), idOf(31)], more: true });
    expect(await list('&page=2')).toMatchObject({ ids: [idOf(32)], more: false, next: null });
    expect((await list(`&cursor=${first.next}`)).ids).toEqual([idOf(32)]);
    expect((await list('&page=3')).ids).toEqual([]);
    // A market that still trades is not resolved, with or without points.
    expect((await list('&status=settled,open&sort=-start_time')).ids).not.toContain(idOf(34));
    for (const id of first.ids) {
      const { series } = await (await get(id)).json();
      expect(series[0].points.length).toBeGreaterThan(0);
    }
  });
});

describe('an invalid request for price history', () => {
  test('returns 404 for an unknown or withdrawn pair, with or without points', async () => {
    expect((await get(idOf(4711))).status).toBe(404);
    await putPair(world.db.sql, { n: 23 });
    await putUpdate(world.db.sql, 23, { at: `${day}T22:50:00.000Z`, ask_a: [1000, 2000], ask_b: [1000, 2000] });
    await step('23:05:00');
    expect((await get(idOf(23))).status).toBe(200);
    await changePair(world.db.sql, 23, { withdrawn_at: `${day}T23:05:00Z`, withdrawn_code: 'test' });
    const answer = await get(idOf(23));
    expect([answer.status, (await answer.json()).code]).toEqual([404, 'pair.not_found']);
  });

  test.each(['x', 'mkt_', `${uuidOf(1)}0`, '%00', '%zz'])('returns 422 for the id %j', async (id) => {
    const answer = await get(id);
    expect(answer.status).toBe(422);
    expect((await answer.json()).detail).toMatchObject([{ loc: ['path', 'market_id'], type: 'uuid_parsing' }]);
  });

  test.each([
    ['from', 'yesterday', 'datetime_parsing'],
    ['from', '2026-02-31', 'datetime_parsing'],
    ['from', '2026-11-20T12:00:00', 'datetime_parsing'],
    ['to', '-1', 'datetime_parsing'],
    ['to', '1e12', 'datetime_parsing'],
    ['to', '', 'datetime_parsing'],
    ['to', '99999999999999999999', 'less_than_equal'],
    ['from', '1960-01-01', 'greater_than_equal'],
  ])('returns 422 for %s=%s', async (name, value, type) => {
    const answer = await get(idOf(20), `?${name}=${value}`);
    expect(answer.status).toBe(422);
    expect((await answer.json()).detail).toMatchObject([{ loc: ['query', name], type }]);
  });

  test('returns 422 for a range that ends before its start', async () => {
    const answer = await get(idOf(20), '?from=2000&to=1000');
    expect((await answer.json()).detail).toMatchObject([{ loc: ['query', 'from'], type: 'value_error' }]);
  });

  test('never returns 500 for random range values', async () => {
    const edge = fc.oneof(
      fc.integer({ min: -10, max: 2 ** 53 }).map(String),
      fc.string({ unit: 'binary', maxLength: 30 }).map((text) => encodeURIComponent(text.toWellFormed())),
      fc.constantFrom('0', '253402300799999', '9999-12-31', '0000-01-01', '1970-01-01T00:00:00-14:00', 'infinity'),
    );
    await fc.assert(
      fc.asyncProperty(edge, edge, async (from, to) => {
        const answer = await get(idOf(20), `?from=${from}&to=${to}`);
        await answer.arrayBuffer();
        expect([200, 422]).toContain(answer.status);
      }),
      { numRuns: 100 },
    );
  });
});
