import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createLog } from '../../functions/_shared/log.ts';
import { ApiQueries, connect } from '../../functions/api/database.ts';
import { TrackRecordReader } from '../../functions/api/track_record.ts';
import { flush, good } from '../arb/fixture.ts';
import { listMarket, payMarket } from '../arb/track_record_fixture.ts';
import { putPair } from './support/catalog.ts';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';
import { type RunningApi, serveApi } from './support/server.ts';

/**
 * Guarantee: everyone can read the track record, exact to the last decimal, and no number of such
 * requests keeps a customer from an answer.
 */

let world: ApiFixture;
/** Started after the records exist, because an isolate keeps the tallies for ten seconds. */
let api: RunningApi;

beforeAll(async () => {
  world = await createApiFixture();
  const { sql } = world.db;
  await putPair(sql, { n: 20, confirmed: true, market_type: 'spread', competition: 'NHL', line: 1.5 });
  for (const [n, competition] of [
    [1, 'NBA'],
    [20, 'NHL'],
  ] as const) {
    await listMarket(sql, 'venue_a', `KX-${n}-home`, [`KX-${n}-home`]);
    await listMarket(sql, 'venue_b', `0x${n}`, [`${n}000`, `${n}001`]);
    await flush(sql, n, [
      { at: '2026-11-20T11:57:10.000Z', opp: good(n) },
      { at: `2026-11-20T11:57:${10 + n}.000Z`, opp: null, ask: 470_000 },
    ]);
    await payMarket(sql, 'venue_a', `KX-${n}-home`, competition === 'NBA' ? '1' : '0.333333');
    await payMarket(sql, 'venue_b', `0x${n}`, competition === 'NBA' ? '1' : '0.5');
  }
  await world.clock.set('2026-12-01T00:00:00Z');
  await flush(sql, 1, [{ at: '2026-12-01T00:00:00.000Z', opp: good(1) }]);
  await sql`select arb.update_track_record()`;
  api = await serveApi(world.db.url('parallax_api'));
});
afterAll(async () => {
  await api.close();
  await world.close();
});

const ask = (query = '', headers: HeadersInit = {}) => fetch(`${api.base}/v2/track-record${query}`, { headers });
const read = async (query = '') => (await ask(query)).json();

const nba = {
  shown: 2,
  markets: 1,
  settled: 2,
  paid_as_promised: 2,
  paid_less: 0,
  lost: 0,
  without_result: 0,
  worst_case_usd: 2.412,
  median_life_s: 1,
  cost_usd: 235.176,
  promised_usd: 240,
  paid_usd: 240,
};
const nhl = {
  shown: 1,
  markets: 1,
  settled: 1,
  paid_as_promised: 0,
  paid_less: 1,
  lost: 1,
  without_result: 0,
  worst_case_usd: -17.58804,
  median_life_s: 20,
  cost_usd: 117.588,
  promised_usd: 120,
  paid_usd: 99.99996,
};

describe('GET /v2/track-record', () => {
  test('returns totals, competitions and records without a key, and ignores a wrong one', async () => {
    for (const headers of [undefined, { Authorization: 'Bearer sk_live_nothing' }]) {
      const answer = await ask('', headers);
      expect([answer.status, answer.headers.get('RateLimit')]).toEqual([200, null]);
      expect(await answer.json()).toEqual({
        source: 'simulated',
        since: '2026-11-20T11:57:10.000Z',
        updated_at: '2026-12-01T00:00:00.000Z',
        totals: {
          ...{ shown: 3, markets: 2, settled: 3, paid_as_promised: 2, paid_less: 1, lost: 1, without_result: 0 },
          ...{ worst_case_usd: -17.58804, median_life_s: 10.5 },
          ...{ cost_usd: 352.764, promised_usd: 360, paid_usd: 339.99996 },
        },
        competitions: [
          { family: 'moneyline', competition: 'NBA', ...nba },
          { family: 'spread', competition: 'NHL', ...nhl },
        ],
        records: [
          expect.objectContaining({ month: '2026-12', family: 'moneyline', shown: 1, median_life_s: null }),
          expect.objectContaining({ month: '2026-11', family: 'moneyline', shown: 1, median_life_s: 1 }),
          { month: '2026-11', family: 'spread', competition: 'NHL', ...nhl },
        ],
        truncated: false,
      });
    }
  });

  test('returns every decimal as the database has it', async () => {
    expect(await (await ask()).text()).toContain('"worst_case_usd":-17.58804,"median_life_s":20,"cost_usd":117.588');
  });

  test.each([
    ['?month=2026-12', { shown: 1, median_life_s: null }, 1, 1],
    ['?month=2026-11', { shown: 2, paid_usd: 219.99996 }, 2, 2],
    ['?family=moneyline', nba, 1, 2],
    ['?family=SPREAD&month=2026-11', nhl, 1, 1],
    ['?competition=nhl', nhl, 1, 1],
    ['?competition=NBA&month=2026-11&family=moneyline', { shown: 1, median_life_s: 1 }, 1, 1],
    ['?competition=nothing', { shown: 0, settled: 0, worst_case_usd: null, median_life_s: null, paid_usd: 0 }, 0, 0],
    ['?family=moneyline&competition=NHL', { shown: 0 }, 0, 0],
  ])('%s returns the totals of the matching opportunities', async (query, totals, competitions, records) => {
    const body = await read(query);
    expect(body.totals).toMatchObject(totals);
    expect([body.competitions.length, body.records.length]).toEqual([competitions, records]);
  });

  test.each([
    ['?month=2026-13', 'month', 'date_parsing'],
    ['?month=', 'month', 'date_parsing'],
    ['?family=basketball', 'family', 'enum'],
    ['?month=2026-11&month=2026-12', 'month', 'value_error'],
    [`?competition=${'x'.repeat(201)}`, 'competition', 'string_too_long'],
    ['?competition=%00', 'competition', 'value_error'],
  ])('%s returns a 422 that names the parameter', async (query, name, type) => {
    const answer = await ask(query);
    expect(answer.status).toBe(422);
    expect((await answer.json()).detail).toMatchObject([{ loc: ['query', name], type }]);
  });

  test('may be kept by any cache for ten seconds, with one ETag per encoding and 304 for both', async () => {
    const plain = await ask('', { 'Accept-Encoding': 'identity' });
    const zipped = await ask('', { 'Accept-Encoding': 'gzip' });
    expect(plain.headers.get('Cache-Control')).toBe('public, max-age=10');
    expect(zipped.headers.get('Content-Encoding')).toBe('gzip');
    expect(await zipped.json()).toEqual(await plain.json());
    expect(zipped.headers.get('ETag')).not.toBe(plain.headers.get('ETag'));
    for (const { headers } of [plain, zipped]) {
      const again = await ask('', { 'If-None-Match': headers.get('ETag') ?? '' });
      expect([again.status, await again.text()]).toEqual([304, '']);
    }
    const head = await fetch(`${api.base}/v2/track-record`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  test('returns an empty record before the first opportunity is published', async () => {
    const empty = await createApiFixture();
    try {
      expect(await (await fetch(`${empty.api.base}/v2/track-record`)).json()).toMatchObject({
        source: 'simulated',
        since: null,
        updated_at: null,
        totals: { shown: 0 },
        competitions: [],
        records: [],
      });
    } finally {
      await empty.close();
    }
  });
});

/** Each rejected request would be a line of the test's output. */
const quiet = createLog({ function: 'api', print: () => {} });

describe('a flood of requests without a key', () => {
  test('sends one query to the database for any filters', async () => {
    const flooded = await serveApi(world.db.url('parallax_api'), { log: quiet });
    const query = vi.spyOn(flooded.pool, 'query');
    try {
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, n) => fetch(`${flooded.base}/v2/track-record?competition=${n}`)),
      );
      expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
      expect(query.mock.calls.filter(([text]) => text.includes('api.get_track_record'))).toHaveLength(1);
    } finally {
      query.mockRestore();
      await flooded.close();
    }
  });

  test('does not hold up a customer while the database is slow to answer it', async () => {
    const flooded = await serveApi(world.db.url('parallax_api'), { log: quiet });
    const key = await world.key();
    const lock = await world.db.sql.reserve();
    const customer = async () => {
      const answer = await fetch(`${flooded.base}/v2/markets`, { headers: { Authorization: `Bearer ${key}` } });
      return answer.status;
    };
    try {
      expect(await customer()).toBe(200);
      await lock`begin`;
      await lock`lock table arb.track_record_state in access exclusive mode`;
      const strangers = Array.from({ length: 300 }, async () => {
        const answer = await fetch(`${flooded.base}/v2/track-record`);
        return (await answer.json()).code;
      });
      // A stranger waits for 1.5 s.
      expect(await Promise.race([customer(), ...strangers])).toBe(200);
      expect(new Set(await Promise.all(strangers))).toEqual(new Set(['database.unavailable']));
    } finally {
      await lock`rollback`;
      lock.release();
      await flooded.close();
    }
  });
});

test('a reader serves the last tallies while the database does not answer, and reads again after ten seconds', async () => {
  const pool = connect(world.db.url('parallax_api'), createLog({ function: 'api' }).note);
  let now = 0;
  const reader = new TrackRecordReader(new ApiQueries(pool), null, () => now);
  const shown = async () => JSON.parse(new TextDecoder().decode((await reader.read({}, 'test')).body)).totals.shown;
  expect(await shown()).toBe(3);
  await world.db.sql`update arb.track_record_state set report_no = report_no + 1, rows = '[]'`;
  now = 9_999;
  expect(await shown()).toBe(3);
  now = 10_000;
  expect(await shown()).toBe(0);
  await pool.end(1_000);
  now = 20_000;
  expect(await shown()).toBe(0);
});
