import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConcurrencyLimit } from '../../functions/api/http/concurrency_limit.ts';
import { startSilentServer } from '../support/listening.ts';
import { pause, waitUntil } from '../support/wait_until.ts';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';
import { serveApi } from './support/server.ts';

let world: ApiFixture;
let key: string;
beforeAll(async () => {
  world = await createApiFixture();
  key = await world.key();
});
afterAll(() => world.close());

const ask = (base: string) => fetch(`${base}/v2/markets?limit=1`, { headers: { Authorization: `Bearer ${key}` } });

test('the API returns 503 with retry_after without a database', async () => {
  const api = await serveApi('postgres://parallax_api:x@127.0.0.1:1/nowhere');
  try {
    const answer = await ask(api.base);
    expect(answer.status).toBe(503);
    expect(answer.headers.get('Retry-After')).toBe('1');
    expect(await answer.json()).toMatchObject({
      code: 'database.unavailable',
      retry_after: 1,
      request_id: expect.any(String),
    });
  } finally {
    await api.close();
  }
});

test('the API returns 200 or 503 when its connections are terminated, and 200 afterwards', async () => {
  expect((await ask(world.api.base)).status).toBe(200);
  for (let round = 0; round < 3; round++) {
    await world.db
      .sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'parallax_api' and datname = current_database()`;
    const during = await ask(world.api.base);
    expect([200, 503]).toContain(during.status);
    await pause(400);
    expect((await ask(world.api.base)).status).toBe(200);
  }
});

test('the API returns 503 within its deadline when the database accepts connections and never answers', async () => {
  const mute = await startSilentServer();
  const api = await serveApi(`postgres://parallax_api:x@127.0.0.1:${mute.port}/nowhere`);
  try {
    const [data, health] = await Promise.all([ask(api.base), fetch(`${api.base}/health`)]);
    expect([data.status, (await data.json()).code]).toEqual([503, 'database.unavailable']);
    expect((await health.json()).status).toBe('degraded');
  } finally {
    // Closes the pool first. A live pool may open another connection, and the listener would wait
    // for it for ever.
    await api.close();
    await mute.close();
  }
});

test('the API returns 503 by the statement_timeout of its role when a lock is held for long', async () => {
  const [role] = await world.db.sql`select rolconfig from pg_roles where rolname = 'parallax_api'`;
  expect(role?.rolconfig).toContain('statement_timeout=5s');
  // Shorter in this database, for new connections.
  await world.db.sql.unsafe(`alter role parallax_api in database "${world.db.name}" set statement_timeout = '500ms'`);
  const api = await serveApi(world.db.url('parallax_api'));
  const holder = await world.db.sql.reserve();
  try {
    await holder`begin`;
    await holder`lock table account.keys in access exclusive mode`;
    const answer = await ask(api.base);
    expect([answer.status, (await answer.json()).code]).toEqual([503, 'database.unavailable']);
    await holder`rollback`;
    expect((await ask(api.base)).status).toBe(200);
  } finally {
    holder.release();
    await api.close();
    await world.db.sql.unsafe(`alter role parallax_api in database "${world.db.name}" reset statement_timeout`);
  }
});

test('the concurrency limit gives one party half of the places and always leaves some for others', async () => {
  const limit = new ConcurrencyLimit(12);
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const full = { code: 'admission.full', status: 503, fields: { retry_after: 1 } };
  const fill = async (party: string) => {
    let places = 0;
    for (let refused = false; !refused; ) {
      const outcome = await Promise.race([limit.run(party, () => held).catch((error) => error), pause(1)]);
      refused = outcome !== undefined;
      if (refused) expect(outcome).toMatchObject(full);
      else places++;
    }
    return places;
  };
  expect([await fill('a'), await fill('b'), await fill('c')]).toEqual([6, 3, 2]);
  await expect(limit.run('d', async () => 'in')).resolves.toBe('in');
  release();
  await pause(1);
  await expect(limit.run('a', async () => Promise.reject(new Error('inner')))).rejects.toThrow('inner');
  await expect(limit.run('a', async () => 'in')).resolves.toBe('in');
});

test('the API rejects requests of an organization over its share and answers all others', async () => {
  const { api } = world;
  let release = () => {};
  const locked = new Promise<void>((resolve) => {
    release = resolve;
  });
  let hold = () => {};
  const holding = new Promise<void>((resolve) => {
    hold = resolve;
  });
  const holder = world.db.sql.begin(async (sql) => {
    await sql`lock table account.keys in access exclusive mode`;
    hold();
    await locked;
  });
  await holding;
  const rejected: { status: number; retry: string | null; body: Record<string, unknown> }[] = [];
  const requests = Array.from({ length: 130 }, async () => {
    const answer = await ask(api.base);
    const body = await answer.json();
    if (answer.status === 503) rejected.push({ status: 503, retry: answer.headers.get('Retry-After'), body });
    return answer.status;
  });
  // 100 requests wait for the lock, so only the concurrency limit can have rejected the others.
  await waitUntil(() => rejected.length >= 30, { what: '30 rejected requests' });
  expect((await ask(api.base)).status).toBe(503);
  release();
  await holder;
  const statuses = await Promise.all(requests);
  expect(statuses.filter((status) => status === 200)).toHaveLength(100);
  expect(rejected).toHaveLength(30);
  for (const { retry, body } of rejected) {
    expect([retry, body.code, body.retry_after]).toEqual(['1', 'admission.full', 1]);
  }
  const after = await Promise.all(Array.from({ length: 20 }, async () => (await ask(api.base)).status));
  expect(new Set(after)).toEqual(new Set([200]));
});
