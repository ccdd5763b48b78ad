import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../local/platform/postgres/postgres.ts';
import { type ApiFixture, createApiFixture } from '../api/support/fixture.ts';
import { RunningContainer } from '../containers/running_container.ts';
import { startFunction } from '../support/function_process.ts';
import { waitUntil } from '../support/wait_until.ts';
import { runConcurrently } from './support/concurrent.ts';

/**
 * Guarantee: two processes of the API with leases serve together no more than the window of their
 * organization, also when one is killed, and the counts are exact when they have stopped in order.
 */

const WINDOW = 3_000;
const TIMEOUT_MS = 90_000;

let world: ApiFixture;
const running: RunningContainer[] = [];
beforeAll(async () => {
  world = await createApiFixture();
  await world.db.sql`
    update account.tiers set window_requests = ${WINDOW}, month_requests = 1000000 where tier = 'pro'`;
}, TIMEOUT_MS);
afterAll(async () => {
  for (const container of running) await container.kill();
  await world.close();
});

async function startApi(): Promise<RunningContainer> {
  const port = await freePort();
  const env = { DB_URL_API: world.db.url('parallax_api'), PORT: String(port) };
  const container = new RunningContainer(startFunction('api', env), port);
  running.push(container);
  await container.untilReady();
  return container;
}

async function leasingKey(): Promise<{ key: string; org: string }> {
  const key = await world.key();
  const [row] = await world.db.sql<{ org_id: string }[]>`
    select org_id from account.keys where hash = account.key_hash(${key})`;
  const org = row?.org_id ?? '';
  await world.db.sql`select account.set_lease_percent(${org}, 10)`;
  return { key, org };
}

const usageOf = async (org: string) => {
  const [row] = await world.db.sql<{ window_used: number; month_used: number }[]>`
    select window_used, month_used from account.usage where org_id = ${org}`;
  return { ...row };
};

/** `times` requests each of 40 clients in 4 processes, to all bases in turn. */
async function send(key: string, times: number, bases: readonly string[]): Promise<Record<string, number>> {
  const results = await runConcurrently(4, 'tests/account/support/client.ts', () => [
    key,
    '10',
    String(times),
    ...bases,
  ]);
  const statuses: Record<string, number> = {};
  for (const answers of results as Record<string, number>[]) {
    for (const [status, count] of Object.entries(answers)) statuses[status] = (statuses[status] ?? 0) + count;
  }
  return statuses;
}

const apiBaseOf = ({ base }: RunningContainer) => `${base}/api`;

test(
  'two processes with leases serve a window of 3,000 to the request, and reject the rest with 429',
  async () => {
    const isolates = await Promise.all([startApi(), startApi()]);
    const { key, org } = await leasingKey();
    const bases = isolates.map(apiBaseOf);
    const untilReturned = () =>
      waitUntil(
        async () => (await world.db.sql`select from account.request_leases where org_id = ${org}`).length === 0,
        { what: 'all leases are returned' },
      );
    const { 200: first = 0, 429: rejected = 0, ...others } = await send(key, 100, bases);
    let served = first;
    expect(others).toEqual({});
    expect(served + rejected).toBe(4_000);
    expect(served).toBeLessThanOrEqual(WINDOW);
    await untilReturned();
    expect(await usageOf(org)).toEqual({ window_used: served, month_used: served });
    // What a lease held near the limit has come back, and is served as well.
    for (let round = 0; round < 5 && served < WINDOW; round += 1) {
      served += await sendUntilRejected(key, bases);
      await untilReturned();
    }
    expect(served).toBe(WINDOW);
    expect(await usageOf(org)).toEqual({ window_used: WINDOW, month_used: WINDOW });
  },
  TIMEOUT_MS,
);

/** 20 clients, each of which sends until it is rejected. Returns how many were served. */
async function sendUntilRejected(key: string, bases: readonly string[]): Promise<number> {
  let served = 0;
  const one = async (place: number) => {
    for (let time = place; ; time += 1) {
      const headers = { Authorization: `Bearer ${key}` };
      const response = await fetch(`${bases[time % bases.length]}/v2/markets?limit=1`, { headers });
      await response.arrayBuffer();
      if (response.status !== 200) return;
      served += 1;
    }
  };
  await Promise.all(Array.from({ length: 20 }, (_, place) => one(place)));
  return served;
}

/** Clients that send without a pause until `stop`. Counts the responses that arrived whole. */
function startClients(key: string, bases: readonly string[], clients: number) {
  let isOver = false;
  let served = 0;
  const one = async (place: number) => {
    for (let time = place; !isOver; time += 1) {
      const headers = { Authorization: `Bearer ${key}` };
      const response = await fetch(`${bases[time % bases.length]}/v2/markets?limit=1`, { headers }).catch(() => null);
      const isWhole = await response?.arrayBuffer().then(
        () => true,
        () => false,
      );
      if (isWhole && response?.status === 200) served += 1;
    }
  };
  const all = Array.from({ length: clients }, (_, place) => one(place));
  return {
    served: () => served,
    async stop() {
      isOver = true;
      await Promise.all(all);
    },
  };
}

test(
  'a process that is killed leaves its lease counted, and one that stops in order returns its own',
  async () => {
    const [killed, stopped] = await Promise.all([startApi(), startApi()]);
    const { key, org } = await leasingKey();
    const leases = async () => [
      ...(await world.db.sql<{ granted: number }[]>`
        select granted from account.request_leases where org_id = ${org}`),
    ];
    const clients = startClients(key, [killed, stopped].map(apiBaseOf), 20);
    await waitUntil(async () => (await leases()).length === 2, { what: 'both processes hold a lease' });
    await killed.kill();
    await clients.stop();
    stopped.signal('SIGTERM');
    expect(await stopped.exited, stopped.output).toBe(0);
    const lost = (await leases()).reduce((sum, { granted }) => sum + granted, 0);
    const { window_used = 0, month_used = 0 } = await usageOf(org);
    expect(month_used).toBe(window_used);
    expect(window_used).toBeGreaterThanOrEqual(clients.served());
    // Besides the lost lease, an answer of each client may have been lost with the process.
    expect(window_used - clients.served()).toBeLessThanOrEqual(lost + 20);
    expect((await leases()).length).toBeLessThanOrEqual(1);
  },
  TIMEOUT_MS,
);
