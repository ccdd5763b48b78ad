import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../local/platform/postgres/postgres.ts';
import { environmentFor } from '../ingest/fixture.ts';
import { TcpProxy } from '../pool/tcp_proxy.ts';
import { connectClient, createStreamClient, ticketSource } from '../stream/function/fixture.ts';
import { createKey } from '../stream/function/minted.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { startFunction } from '../support/function_process.ts';
import { pause, waitUntil } from '../support/wait_until.ts';
import { type RunningVenues, startVenues } from '../venue_simulator/fixture.ts';
import { createAuthority } from '../webhook/support/certificate.ts';
import { Receiver } from '../webhook/support/receiver.ts';
import { allowHosts, createEndpoint, deliveryRow, enqueue, organizationWithPlan } from '../webhook/support/sender.ts';
import { RunningContainer } from './running_container.ts';

// Guarantee: each of the four containers reports whether it can work, and loses nothing when it is
// stopped in the middle of its work.

const TIMEOUT_MS = 90_000;
const running: RunningContainer[] = [];
let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase({ superuser: true });
});
afterAll(async () => {
  for (const container of running) await container.kill();
  await db?.close();
});

async function start(name: 'api' | 'ingest' | 'deliver' | 'stream', env: Record<string, string>) {
  const port = await freePort();
  const ports = { PORT: String(port), HEALTH_PORT: String(port) };
  const container = new RunningContainer(startFunction(name, { ...env, ...ports }), port);
  running.push(container);
  await container.untilReady();
  return container;
}

/** SIGTERM twice. Resolves to the exit code and the time until then. */
async function stopTwice(container: RunningContainer): Promise<{ code: number | null; ms: number }> {
  const began = performance.now();
  container.signal('SIGTERM');
  await pause(150);
  container.signal('SIGTERM');
  const code = await container.exited;
  return { code, ms: performance.now() - began };
}

const lockWaits = async (role: string): Promise<number> => {
  const rows = await db.sql`
    select from pg_stat_activity
    where usename = ${role} and datname = current_database() and wait_event_type = 'Lock'`;
  return rows.length;
};

describe('the container of api', () => {
  test('serves both paths of the API, and is not ready while it cannot read the snapshot', async () => {
    const api = await start('api', { DB_URL_API: db.url('parallax_api') });
    for (const path of ['/functions/v1/api/health', '/api/health']) {
      const answer = await fetch(`${api.base}${path}`);
      expect([path, answer.status]).toEqual([path, 200]);
    }
    const posted = await fetch(`${api.base}/functions/v1/api/v2/report-bad-arb`, { method: 'POST', body: '{}' });
    expect(((await posted.json()) as { code: string }).code).toBe('auth.missing_key');
    await db.sql`revoke select on price.snapshot_rows from parallax_api`;
    await api.untilFailing('snapshot.unreadable');
    expect((await api.probe('/healthz')).status).toBe(200);
    await db.sql`grant select on price.snapshot_rows to parallax_api`;
    await api.untilReady();
    expect((await stopTwice(api)).code).toBe(0);
  });

  test(
    'finishes a request that is in flight, and reports the drain meanwhile',
    async () => {
      const api = await start('api', { DB_URL_API: db.url('parallax_api') });
      const { key } = await createKey(db.sql, 'pro');
      const holder = await db.sql.reserve();
      await holder`begin`;
      // Admission needs this table. The lookup of the key's organization does not, and it would
      // wait for 2.5 s at most.
      await holder`lock table account.usage in access exclusive mode`;
      const asked = fetch(`${api.base}/api/v2/markets?limit=1`, { headers: { Authorization: `Bearer ${key}` } });
      await waitUntil(async () => (await lockWaits('parallax_api')) === 1, { what: 'the request waits' });
      const stopped = stopTwice(api);
      await api.untilFailing('draining');
      await pause(2_500);
      await holder`rollback`;
      holder.release();
      expect((await asked).status).toBe(200);
      expect((await stopped).code, api.output).toBe(0);
    },
    TIMEOUT_MS,
  );
});

describe('the container of stream', () => {
  test(
    'hands its clients over with 3001, reports the drain meanwhile, and exits with 0',
    async () => {
      const env = { DB_URL_STREAM: db.url('parallax_stream') };
      const [stream, other] = await Promise.all([start('stream', env), start('stream', env)]);
      let url = `${stream.base.replace('http', 'ws')}/stream`;
      const org = await createKey(db.sql, 'pro');
      const client = await connectClient(createStreamClient(() => url, ticketSource(db.sql, org)));
      url = `${other.base.replace('http', 'ws')}/stream`;
      const stopped = stopTwice(stream);
      await waitUntil(() => client.ends.some(({ code }) => code === 3001), { what: 'the hand-over' });
      expect((await stopped).code, stream.output).toBe(0);
      await waitUntil(() => client.centrifuge.state === 'connected', { what: 'the client is at the other process' });
      await db.sql`select stream.append_publication('markets:all', array['{"type":"after"}'])`;
      await waitUntil(() => client.received('markets:all').frames.some(({ type }) => type === 'after'));
      client.centrifuge.disconnect();
      expect((await stopTwice(other)).code).toBe(0);
    },
    TIMEOUT_MS,
  );

  test(
    'is alive but not ready without its database, and ready again when the database returns',
    async () => {
      const direct = new URL(db.url('parallax_stream'));
      const proxy = await TcpProxy.listen(Number(direct.port));
      const through = new URL(direct);
      through.port = String(proxy.port);
      const stream = await start('stream', { DB_URL_STREAM: through.href });
      proxy.isFrozen = true;
      await stream.untilFailing('database.unreachable');
      expect((await stream.probe('/healthz')).status).toBe(200);
      proxy.isFrozen = false;
      await stream.untilReady();
      expect((await stopTwice(stream)).code).toBe(0);
      await proxy.close();
    },
    TIMEOUT_MS,
  );
});

describe('the container of ingest', () => {
  let venues: RunningVenues;
  beforeAll(async () => {
    venues = await startVenues('--games', '20');
  }, TIMEOUT_MS);
  afterAll(() => venues?.end());
  const heldLeases = () => db.sql<{ name: string }[]>`select name from venue.leases where holder is not null`;
  const startIngest = () => start('ingest', environmentFor(venues, db.url('parallax_ingest')));
  const untilHeld = (name: string) =>
    waitUntil(async () => (await heldLeases()).some((lease) => lease.name === name), { what: `${name} is held` });

  test(
    'releases its leases, so that a second process that is ready and waits has them at once',
    async () => {
      const first = await startIngest();
      await untilHeld('books:0');
      const second = await startIngest();
      const holderOf = async () => (await db.sql`select holder from venue.leases where name = 'books:0'`)[0]?.holder;
      const before = await holderOf();
      const { code, ms } = await stopTwice(first);
      expect(code, first.output).toBe(0);
      expect(ms).toBeLessThan(25_000);
      await waitUntil(async () => ![null, before].includes(await holderOf()), { what: 'the other process holds it' });
      expect((await stopTwice(second)).code, second.output).toBe(0);
      expect(await heldLeases()).toEqual([]);
    },
    TIMEOUT_MS,
  );

  test(
    'exits with 0 and without leases while the database is busy with its listings',
    async () => {
      const holder = await db.sql.reserve();
      await holder`begin`;
      await holder`lock table venue.markets in share mode`;
      const ingest = await startIngest();
      await waitUntil(async () => (await lockWaits('parallax_ingest')) > 0, { what: 'a statement that waits' });
      await untilHeld('books:0');
      const stopped = stopTwice(ingest);
      await ingest.untilFailing('draining');
      await waitUntil(async () => (await heldLeases()).every(({ name }) => !name.startsWith('books:')), {
        what: 'the books are free while a statement of the listings still waits',
        timeoutMs: 15_000,
      });
      const { code, ms } = await stopped;
      expect(code, ingest.output).toBe(0);
      expect(ms).toBeLessThan(25_000);
      expect(await heldLeases()).toEqual([]);
      await holder`rollback`;
      holder.release();
    },
    TIMEOUT_MS,
  );
});

describe('the container of deliver', () => {
  test(
    'finishes the attempts that it has begun, and leaves the others to the next process',
    async () => {
      const ca = createAuthority();
      const receiver = await Receiver.listen(ca);
      await allowHosts(db.sql, `localhost:${receiver.port}`);
      const endpoint = await createEndpoint(
        db.sql,
        await organizationWithPlan(db.sql),
        `https://localhost:${receiver.port}/slow`,
      );
      receiver.behaviours.set('/slow', { slow: 1_500 });
      const env = { DB_URL_DELIVER: db.url('parallax_deliver'), WEBHOOK_CA: ca.certificate };
      const first = await start('deliver', env);
      const ids = await enqueue(db.sql, endpoint.id, 20);
      await waitUntil(() => receiver.received.length > 0, { what: 'a first attempt' });
      const stopped = stopTwice(first);
      await first.untilFailing('draining');
      expect((await stopped).code, first.output).toBe(0);
      const states = async () => {
        const rows = await Promise.all(ids.map((id) => deliveryRow(db.sql, id)));
        return rows.map(({ state, attempts }) => `${state} ${attempts}`);
      };
      const after = await states();
      const begun = receiver.received.length;
      expect(begun).toBeLessThan(ids.length);
      expect(after.filter((state) => state === 'delivered 1')).toHaveLength(begun);
      const second = await start('deliver', env);
      await waitUntil(async () => (await states()).every((state) => state === 'delivered 1'), {
        what: 'all are delivered with one attempt each',
        timeoutMs: 30_000,
        evidence: async () => (await states()).join(', '),
      });
      expect((await stopTwice(second)).code).toBe(0);
      await receiver.close();
    },
    TIMEOUT_MS,
  );
});
