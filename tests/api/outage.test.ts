import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConcurrencyLimit } from '../../functions/api/http/concurrency_limit.ts';
import { muteServer } from '../support/listening.ts';
import { pause, waitUntil } from '../support/wait_until.ts';
import { serveApi } from './support/server.ts';
import { makeWorld, type World } from './support/fixture.ts';

let world: World;
let key: string;
beforeAll(async () => {
  world = await makeWorld();
  key = await world.key();
});
afterAll(() => world.close());

const ask = (base: string) => fetch(`${base}/v2/markets?limit=1`, { headers: { Authorization: `Bearer ${key}` } });

test('503 with retry_after where there is no database', async () => {
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

test('connections that are cut under it are 503 at worst, and the next request is answered', async () => {
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

test('a database that takes the connection and never speaks is 503, not a hang', async () => {
  const mute = await muteServer();
  const api = await serveApi(`postgres://parallax_api:x@127.0.0.1:${mute.port}/nowhere`);
  try {
    const began = Date.now();
    const [data, health] = await Promise.all([ask(api.base), fetch(`${api.base}/health`)]);
    expect([data.status, (await data.json()).code]).toEqual([503, 'database.unavailable']);
    expect(Date.now() - began).toBeLessThan(9000);
    expect((await health.json()).status).toBe('degraded');
  } finally {
    // The pool first: while it lives it may open another connection, for which closing the listener would wait for ever.
    await api.close();
    await mute.close();
  }
});

test('a lock that is held for long ends in 503 by the role’s own statement_timeout', async () => {
  let isLocked = false;
  const holder = world.db.sql.begin(async (sql) => {
    await sql`lock table account.keys in access exclusive mode`;
    isLocked = true;
    await pause(6_000);
  });
  await waitUntil(() => isLocked, { what: 'the lock' });
  const answer = await ask(world.api.base);
  expect([answer.status, (await answer.json()).code]).toEqual([503, 'database.unavailable']);
  await holder;
  expect((await ask(world.api.base)).status).toBe(200);
});

test('the gate lets in as many as it holds and refuses the next at once', async () => {
  const gate = new ConcurrencyLimit(2);
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const inside = [gate.run(() => held), gate.run(() => held)];
  await expect(gate.run(async () => 'in')).rejects.toMatchObject({
    code: 'admission.full',
    status: 503,
    fields: { retry_after: 1 },
  });
  release();
  await Promise.all(inside);
  await expect(gate.run(async () => 'in')).resolves.toBe('in');
  await expect(gate.run(async () => Promise.reject(new Error('inner')))).rejects.toThrow('inner');
  await expect(gate.run(async () => 'in')).resolves.toBe('in');
});

test('under load the gate is hit: what does not fit is 503 at once, what was let in is answered, and then all is as before', async () => {
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
  const refused: { status: number; retry: string | null; body: Record<string, unknown> }[] = [];
  const asked = Array.from({ length: 260 }, async () => {
    const answer = await ask(api.base);
    const body = await answer.json();
    if (answer.status === 503) refused.push({ status: 503, retry: answer.headers.get('Retry-After'), body });
    return answer.status;
  });
  // 200 wait in the gate while nothing moves, so that the other 60 can only have been refused there.
  await waitUntil(() => refused.length >= 60, { what: '60 requests are refused' });
  expect((await ask(api.base)).status).toBe(503);
  release();
  await holder;
  const statuses = await Promise.all(asked);
  expect(statuses.filter((status) => status === 200)).toHaveLength(200);
  expect(refused).toHaveLength(60);
  for (const { retry, body } of refused) {
    expect([retry, body.code, body.retry_after]).toEqual(['1', 'admission.full', 1]);
  }
  const after = await Promise.all(Array.from({ length: 20 }, async () => (await ask(api.base)).status));
  expect(new Set(after)).toEqual(new Set([200]));
});
