import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../local/platform/postgres/postgres.ts';
import { RunningContainer } from '../containers/running_container.ts';
import { TcpProxy } from '../pool/tcp_proxy.ts';
import { startFunction } from '../support/function_process.ts';
import { isSlowLayer, runs } from '../support/runs.ts';
import { pause, waitUntil } from '../support/wait_until.ts';
import { idOf, putUpdate } from './support/catalog.ts';
import { type LoggingApi, ReplicatedCatalog } from './support/replicated.ts';

/**
 * Guarantee: with DB_URL_API_READ the primary admits each request and the replica renders it. A
 * replica that is behind, hangs or is gone causes no error, and no answer is older than that of the
 * primary.
 */

let world: ReplicatedCatalog;
/** An isolate without a replica. */
let plain: LoggingApi;
let key: string;
/** Market time in steps after 12:00:00Z. */
let steps = 0;

beforeAll(async () => {
  world = await ReplicatedCatalog.start();
  key = await world.key();
  await step();
  await world.sql`select pipeline.refresh_snapshot()`;
  await world.sql`select price.sample_history(2000)`;
  await world.sql`select venue.upsert_series('venue_a', ${world.sql.json([{ series_id: 'KXS', payload: {} }])})`;
  await world.sql`select census.rebuild()`;
});
afterAll(async () => {
  await plain?.close();
  await world?.close();
});

const timeOf = (n: number) => new Date(Date.parse('2026-11-20T12:00:00Z') + n * 5_000).toISOString();
/** The moment of the prices after `steps` steps. */
const asOf = () => new Date(Date.parse('2026-11-20T11:58:00Z') + steps * 5_000).toISOString();

/** Moves market time to the next step, with a new price in it. The next request makes the step. */
async function step(): Promise<void> {
  steps += 1;
  const at = new Date(Date.parse(asOf()) - 1_000).toISOString();
  await putUpdate(world.sql, 1, { at, ask_a: [400_000 + steps * 1_000, 610_000], ask_b: [420_000, 600_000] });
  await world.clock.set(timeOf(steps));
}

const ask = (api: { base: string }, path: string, headers: Record<string, string> = {}, apiKey = key) =>
  fetch(`${api.base}${path}`, { headers: { Authorization: `Bearer ${apiKey}`, ...headers } });

/** Body and headers that must not depend on who rendered. */
async function read(api: { base: string }, path: string) {
  const answer = await ask(api, path);
  const headers = Object.fromEntries(['ETag', 'X-As-Of', 'Vary'].map((name) => [name, answer.headers.get(name)]));
  return { status: answer.status, headers, text: await answer.text() };
}

const linesOf = (api: LoggingApi, event: string) => api.lines.filter((line) => line.includes(`"event":"${event}"`));

const paths = [
  '/v2/markets',
  '/v2/markets?market_type=all&include=ids,depth,settlement&status=open,live,resolving,closed,settled',
  '/v2/markets?sort=-spread_pts&limit=2',
  '/v2/markets?signal=candidates&market_type=all',
  '/v2/markets?has_history=true',
  `/v2/pairs/${idOf(1)}`,
  `/v2/pairs/${idOf(4)}?include=ids`,
  `/v2/pairs/${idOf(1)}/history`,
  `/v2/pairs/${idOf(1)}/explanation`,
  '/v2/spreads?min_gap=1',
  '/v2/search?q=title',
  '/v2/lookup?id=KX-1-home',
  '/v2/categories',
  '/v2/leagues',
  '/v2/coverage',
  '/v2/rules?include=divergences',
  '/v2/arbitrage/history?sport=basketball&min_edge=1',
];

describe('a replica that follows', () => {
  // The first test: the counts of the primary are complete when no connection of the API is left.
  test('renders every data route with the bytes of the primary, and the primary renders only /v2/arbitrage', async () => {
    const alone = await world.serve(null);
    const expected = await Promise.all(paths.map((path) => read(alone, path)));
    await alone.close();
    await world.resetCalls();
    await world.standby.untilReplayed();
    const api = await world.serve();
    for (const [at, path] of paths.entries()) expect(await read(api, path), path).toEqual(expected[at]);
    expect((await ask(api, '/v2/arbitrage')).status).toBe(200);
    expect(linesOf(api, 'replica.left_out')).toEqual([]);
    await api.close();
    const [primary, standby] = [await world.calls('primary'), await world.calls('standby')];
    const renderers = Object.keys(primary).filter((name) => /^get_(?!sample|health|track_record)/.test(name));
    expect(renderers).toEqual(['get_arbitrage']);
    expect(standby).toMatchObject({
      ...{ render_at_version: paths.length, get_markets: 5, get_pair: 2, get_history: 1, get_spreads: 1 },
      ...{ get_search: 1, get_lookup: 1, get_categories: 1, get_leagues: 1, get_coverage: 1, get_rules: 1 },
      get_arbitrage_history: 1,
    });
    plain = await world.serve(null);
  });

  test('continues a paging of the primary, and the primary continues one of the replica', async () => {
    const api = await world.serve();
    try {
      const first = await (await ask(api, '/v2/markets?limit=2')).json();
      await step();
      const next = `/v2/markets?limit=2&cursor=${first.next_cursor}`;
      expect(await read(api, next)).toEqual(await read(plain, next));
      const again = await (await ask(plain, '/v2/markets?limit=2')).json();
      await step();
      expect((await ask(api, `/v2/markets?limit=2&cursor=${again.next_cursor}`)).status).toBe(200);
    } finally {
      await api.close();
    }
  });

  test('is used for the first request of a new step as well', async () => {
    const api = await world.serve();
    try {
      for (let n = 0; n < 10; n++) {
        await step();
        const answer = await ask(api, `/v2/markets?limit=${n + 1}`);
        expect([answer.status, answer.headers.get('X-As-Of')]).toEqual([200, asOf()]);
      }
      expect(linesOf(api, 'replica.left_out')).toEqual([]);
    } finally {
      await api.close();
    }
  });

  test('does not change what counts: data in window and month, 304, 404 and 422 in the window, 429 first', async () => {
    const api = await world.serve();
    const free = await world.key('free');
    const left = (answer: Response) =>
      /"window";r=(\d+);t=\d+, "month";r=(\d+)/.exec(answer.headers.get('RateLimit') ?? '')?.slice(1);
    const setUsage = (set: string) =>
      world.sql.unsafe(`update account.usage set ${set} where org_id = (
        select k.org_id from account.keys k where k.hash = account.key_hash('${free}'))`);
    try {
      const first = await ask(api, '/v2/markets?limit=7', {}, free);
      expect([first.status, left(first)]).toEqual([200, ['599', '9999']]);
      const cached = await ask(api, '/v2/markets?limit=7', {}, free);
      expect([cached.status, left(cached)]).toEqual([200, ['598', '9998']]);
      const same = await ask(api, '/v2/markets?limit=7', { 'If-None-Match': first.headers.get('ETag') ?? '' }, free);
      expect([same.status, left(same)]).toEqual([304, ['597', '9998']]);
      const gone = await ask(api, `/v2/pairs/${idOf(999)}`, {}, free);
      expect([gone.status, left(gone)]).toEqual([404, ['596', '9998']]);
      const { next_cursor } = await (await ask(api, '/v2/markets?limit=1', {}, free)).json();
      await step();
      await ask(plain, '/v2/markets?limit=1');
      await world.sql`delete from price.past_steps`;
      await world.standby.untilReplayed();
      const expired = await ask(api, `/v2/markets?limit=1&cursor=${next_cursor}`, {}, free);
      expect([expired.status, left(expired)]).toEqual([422, ['594', '9997']]);
      await setUsage('month_used = 10000');
      expect((await ask(api, '/v2/markets?limit=8', {}, free)).status).toBe(429);
      await setUsage('month_used = 0, window_began_at = clock_timestamp(), window_used = 580');
      const many = await Promise.all(
        Array.from({ length: 50 }, async (_, n) => (await ask(api, `/v2/markets?limit=${100 + n}`, {}, free)).status),
      );
      expect(many.filter((status) => status === 200)).toHaveLength(20);
      expect(many.filter((status) => status === 429)).toHaveLength(30);
      expect(linesOf(api, 'replica.left_out')).toEqual([]);
    } finally {
      await api.close();
    }
  });
});

/** Sends requests that no isolate has cached, for this time. `snapshotAt`: the step in the body. */
async function load(api: { base: string }, ms: number, during: () => Promise<unknown>) {
  const until = performance.now() + ms;
  const seen: { status: number; asOf: string | null; snapshotAt: string; ms: number }[] = [];
  let n = 0;
  const caller = async () => {
    for (;;) {
      const began = performance.now();
      if (began > until) return;
      const answer = await ask(api, `/v2/markets?limit=${1 + (n++ % 1_000)}&market_type=all`);
      const { snapshot_at: snapshotAt } = await answer.json();
      const asOf = answer.headers.get('X-As-Of');
      seen.push({ status: answer.status, asOf, snapshotAt, ms: performance.now() - began });
      await pause(20);
    }
  };
  await Promise.all([caller(), caller(), during()]);
  return seen;
}

const statesOf = (seen: Awaited<ReturnType<typeof load>>) => [
  ...new Set(seen.map(({ status, asOf, snapshotAt }) => `${status} ${asOf} ${snapshotAt}`)),
];

const untilInUse = (api: LoggingApi, path: () => string) =>
  waitUntil(
    async () => {
      expect((await ask(api, path())).status).toBe(200);
      return linesOf(api, 'replica.in_use').length > 0;
    },
    { what: 'the replica is used again', everyMs: 100, evidence: () => api.lines.join('\n') },
  );

describe('a replica with a fault', () => {
  let limit = 0;
  const path = () => `/v2/markets?limit=${(limit++ % 1_000) + 1}`;

  test('is left out while its replay is paused: every answer has the step of the primary', async () => {
    key = await world.key();
    const api = await world.serve();
    try {
      expect((await ask(api, path())).status).toBe(200);
      await world.standby.pause();
      await step();
      const newest = asOf();
      const began = performance.now();
      const seen = await load(api, runs(2) * 1_000, async () => {});
      expect(seen.length).toBeGreaterThan(20);
      expect(statesOf(seen)).toEqual([`200 ${newest} ${newest}`]);
      const left = linesOf(api, 'replica.left_out');
      expect(left.every((line) => line.includes('"reason":"behind"'))).toBe(true);
      // One at the first request, and one for each probe of a second.
      expect(left.length).toBeGreaterThan(1);
      expect(left.length).toBeLessThanOrEqual(2 + (performance.now() - began) / 1_000);
      expect(await read(api, '/v2/categories')).toEqual(await read(plain, '/v2/categories'));
      await world.standby.resume();
      await untilInUse(api, path);
    } finally {
      await world.standby.resume();
      await api.close();
    }
  });

  test.runIf(isSlowLayer)(
    'is left out while it hangs: no request fails, and the next ones do not wait for it',
    async () => {
      key = await world.key();
      const proxy = await TcpProxy.listen(world.standby.cluster.port);
      const hanging = new URL(world.replicaUrl);
      hanging.port = String(proxy.port);
      const api = await world.serve(hanging.href);
      try {
        expect((await ask(api, path())).status).toBe(200);
        expect(linesOf(api, 'replica.left_out')).toEqual([]);
        proxy.isFrozen = true;
        proxy.freezeOpen();
        const seen = await load(api, 6_000, async () => {});
        expect(statesOf(seen)).toEqual([`200 ${asOf()} ${asOf()}`]);
        const slow = seen.filter((one) => one.ms > 1_500);
        expect(slow.length).toBeLessThanOrEqual(2);
        expect(Math.max(...slow.map((one) => one.ms))).toBeLessThan(4_000);
        expect(linesOf(api, 'replica.left_out')[0]).toContain('"reason":"failed"');
        proxy.isFrozen = false;
        await untilInUse(api, path);
      } finally {
        await api.close();
        await proxy.close();
      }
    },
  );

  test.runIf(isSlowLayer)('is killed under load and comes back: no request fails, and it is used again', async () => {
    key = await world.key();
    const api = await world.serve();
    try {
      const before = await load(api, 6_000, async () => {
        await pause(1_000);
        await world.standby.kill();
        await pause(2_000);
        await step();
      });
      expect(new Set(before.map((one) => one.status))).toEqual(new Set([200]));
      expect(before.filter((one) => one.asOf !== one.snapshotAt)).toEqual([]);
      expect(before.at(-1)?.asOf).toBe(asOf());
      expect(linesOf(api, 'replica.left_out').length).toBeLessThanOrEqual(8);
      await world.standby.startServer();
      await untilInUse(api, path);
      await plain.close();
      await world.resetCalls();
      expect((await ask(api, '/v2/search?q=title')).status).toBe(200);
    } finally {
      await api.close();
    }
    expect(await world.calls('primary')).not.toHaveProperty('get_search');
    plain = await world.serve(null);
  });
});

test('the container reads DB_URL_API_READ and reports at /readyz whether it uses the replica', async () => {
  key = await world.key();
  const port = await freePort();
  const env = { DB_URL_API: world.primaryUrl, DB_URL_API_READ: world.replicaUrl, PORT: String(port) };
  const container = new RunningContainer(startFunction('api', env), port);
  const readiness = async () => (await (await fetch(`${container.base}/readyz`)).json()) as Record<string, unknown>;
  const api = { base: `${container.base}/api` };
  let limit = 0;
  const isReported = (state: string) =>
    waitUntil(
      async () => {
        expect((await ask(api, `/v2/markets?limit=${++limit}`)).status).toBe(200);
        return (await readiness()).replica === state;
      },
      { what: `/readyz names the replica ${state}`, everyMs: 100, evidence: () => container.output },
    );
  try {
    await container.untilReady();
    await isReported('in_use');
    await world.standby.pause();
    await step();
    await isReported('left_out');
    expect(await readiness()).toMatchObject({ status: 'ready', failing: [] });
    await world.standby.resume();
    await isReported('in_use');
    container.signal('SIGTERM');
    expect(await container.exited, container.output).toBe(0);
  } finally {
    await world.standby.resume();
    await container.kill();
  }
});

test('the metrics of the primary have the standby and the log that it has not replayed', async () => {
  await world.standby.untilReplayed();
  const metric = async (name: string) => {
    const [row] = await world.sql<{ value: number }[]>`select value::float from ops.metrics where name = ${name}`;
    return row?.value;
  };
  expect(await metric('parallax_replicas')).toBe(1);
  await waitUntil(async () => (await metric('parallax_replica_lag_bytes')) === 0, { what: 'no lag' });
  await world.standby.pause();
  await step();
  await ask(plain, '/v2/markets');
  await waitUntil(async () => ((await metric('parallax_replica_lag_bytes')) ?? 0) > 0, { what: 'a lag' });
  await world.standby.resume();
  await world.standby.kill();
  await waitUntil(async () => (await metric('parallax_replicas')) === 0, { what: 'no standby' });
  expect(await metric('parallax_replica_lag_bytes')).toBeNull();
});
