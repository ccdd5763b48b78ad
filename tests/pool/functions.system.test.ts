import type { ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sql } from '../../local/platform/postgres/template.ts';
import { type Isolate, startIsolate } from '../api/support/isolate.ts';
import { environmentFor, pairsOf } from '../ingest/fixture.ts';
import {
  connectClient,
  createStreamClient,
  type StreamFixture,
  startStream,
  ticketSource,
} from '../stream/function/fixture.ts';
import { createKey } from '../stream/function/minted.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { startFunction } from '../support/function_process.ts';
import { runs } from '../support/runs.ts';
import { pause, waitUntil } from '../support/wait_until.ts';
import { type RunningVenues, startVenues } from '../venue_simulator/fixture.ts';
import { createAuthority } from '../webhook/support/certificate.ts';
import { Receiver } from '../webhook/support/receiver.ts';
import { allowHosts, createEndpoint, enqueue, organizationWithPlan } from '../webhook/support/sender.ts';
import { SenderProcess } from '../webhook/support/sender_process.ts';

// Guarantee: each function, in a Deno process, survives the loss of all its backends some times,
// and in the slow layer many times.

const alive = (pid: number): boolean => pid > 0 && process.kill(pid, 0);

/** Terminates every backend of the role repeatedly, until `count` were terminated. */
async function killAll(sql: Sql, database: string, role: string, count: number): Promise<void> {
  let kills = 0;
  await waitUntil(
    async () => {
      const rows = await sql`
        select pg_terminate_backend(pid) from pg_stat_activity where usename = ${role} and datname = ${database}`;
      kills += rows.length;
      await pause(Math.random() * 100);
      return kills >= count;
    },
    { what: `${count} backends of ${role}` },
  );
}

describe('the api function', () => {
  let db: TestDatabase;
  let api: Isolate;
  let keys: string[];
  let turn = 0;
  beforeAll(async () => {
    // Only a superuser may terminate the backends of another role.
    db = await createDatabase({ superuser: true });
    // Enough organizations that none reaches the limit of its window.
    const rows = await db.sql<{ key: string }[]>`
      select account.mint_key('pool ' || n, 'pro') as key from generate_series(1, 40) n`;
    keys = rows.map((row) => row.key);
    api = await startIsolate(db.url('parallax_api'));
    // The isolate looks up all keys that it has not met in one query. From here on it has met them.
    for (const _ of keys) expect(await statusOf()).toBe('200');
  });
  afterAll(async () => {
    api?.stop();
    await db?.close();
  });
  const ask = () =>
    fetch(`${api.base}/v2/markets?limit=1`, { headers: { Authorization: `Bearer ${keys[turn++ % 40]}` } });
  const statusOf = async () => {
    const answer = await ask();
    const { code } = (await answer.json()) as { code?: string };
    return answer.status === 503 ? `503 ${code} ${answer.headers.get('Retry-After')}` : String(answer.status);
  };

  test('answers 503 to the requests whose backend died, and 200 to the next request', async () => {
    const [pid, before] = [api.pid, await statusOf()];
    expect(before).toBe('200');
    const holder = await db.sql.reserve();
    await holder`begin`;
    await holder`lock table account.keys in access exclusive mode`;
    const statuses = Array.from({ length: 4 }, statusOf);
    await waitUntil(
      async () => {
        const rows = await db.sql`
        select from pg_stat_activity
        where usename = 'parallax_api' and datname = current_database() and wait_event_type = 'Lock'`;
        return rows.length === 4;
      },
      { what: 'four queries that wait for the lock' },
    );
    await killAll(db.sql, db.name, 'parallax_api', 4);
    expect(new Set(await Promise.all(statuses))).toEqual(new Set(['503 database.unavailable 1']));
    await holder`rollback`;
    holder.release();
    expect(await statusOf()).toBe('200');
    expect(alive(pid)).toBe(true);
  });

  test('answers only 200 or 503 under load while its backends die', async () => {
    const statuses: string[] = [];
    let isOver = false;
    const callers = Array.from({ length: 8 }, async () => {
      while (!isOver) statuses.push(await statusOf());
    });
    const kills = runs(20);
    await killAll(db.sql, db.name, 'parallax_api', kills);
    isOver = true;
    await Promise.all(callers);
    const failed = statuses.filter((status) => status !== '200');
    console.log(`api: ${statuses.length} requests, ${failed.length} of them 503`);
    expect(failed.filter((status) => status !== '503 database.unavailable 1')).toEqual([]);
    expect(failed.length).toBeLessThan(kills + 10);
    expect(await statusOf()).toBe('200');
    expect(alive(api.pid)).toBe(true);
  });
});

describe('the stream function', () => {
  let world: StreamFixture;
  beforeAll(async () => {
    world = await startStream();
  });
  afterAll(() => world?.stop());

  test.each([
    ['with Realtime', {}],
    ['without Realtime', { STREAM_SIGNING_SECRET: '' }],
  ])('%s, sends every frame once and in order over the same connections while its backends die', async (_name, env) => {
    const isolate = await world.startIsolate(env);
    const { pid } = isolate;
    const org = await createKey(world.sql, 'pro');
    const clients = await Promise.all(
      [0, 1, 2].map(() => connectClient(createStreamClient(isolate.url, ticketSource(world.sql, org)))),
    );
    let isOver = false;
    let version = 0;
    const publisher = (async () => {
      while (!isOver)
        await world.publish('markets:all', JSON.stringify({ type: 'price', id: 'mkt_1', version: ++version }));
    })();
    await killAll(world.realtime.scratch.admin, 'realtime_test', 'parallax_stream', runs(6));
    isOver = true;
    await publisher;
    for (const client of clients) {
      const { frames, offsets } = client.received('markets:all');
      await waitUntil(() => frames.at(-1)?.version === version, { what: `frame ${version}` });
      expect(frames.map((frame) => frame.version)).toEqual(frames.map((_, n) => version - frames.length + 1 + n));
      expect(offsets).toEqual(offsets.map((_, n) => (offsets[0] ?? 0) + n));
      expect(client.ends).toEqual([]);
    }
    console.log(`stream: ${version} frames to each of ${clients.length}`);
    // A new client connects: the database checks its ticket.
    const newcomer = await connectClient(createStreamClient(isolate.url, ticketSource(world.sql, org)));
    for (const client of [...clients, newcomer]) client.centrifuge.disconnect();
    expect([isolate.pid, alive(pid)]).toEqual([pid, true]);
  });
});

describe('the ingest function', () => {
  let venues: RunningVenues;
  let db: TestDatabase;
  let container: ChildProcess | undefined;
  let output = '';
  beforeAll(async () => {
    [venues, db] = await Promise.all([startVenues('--games', '20'), createDatabase({ superuser: true })]);
    container = startFunction('ingest', environmentFor(venues, db.url('parallax_ingest')));
    for (const stream of [container.stdout, container.stderr]) {
      stream?.on('data', (piece) => {
        output += String(piece);
      });
    }
  });
  afterAll(async () => {
    container?.kill('SIGKILL');
    venues?.end();
    await db?.close();
  });

  test('keeps its shards, voids no price update and continues to read while its backends die', async () => {
    await waitUntil(
      async () => {
        const pairs = await pairsOf(db);
        return (
          pairs.length > 10 &&
          (await db.sql`select from price.latest_updates where void_reason is null`).length >= pairs.length
        );
      },
      { what: 'prices of all pairs' },
    );
    const [pid, leases] = [
      container?.pid ?? 0,
      await db.sql`select name, holder, token from venue.leases order by name`,
    ];
    await killAll(db.sql, db.name, 'parallax_ingest', runs(4));
    const [last] = await db.sql<
      { update_no: string }[]
    >`select coalesce(max(update_no), 0) as update_no from price.updates`;
    await waitUntil(
      async () => (await db.sql`select from price.updates where update_no > ${last?.update_no ?? 0}`).length > 20,
      { what: 'new price updates' },
    );
    expect(await db.sql`select pair_id, void_reason as void from price.updates where void_reason is not null`).toEqual(
      [],
    );
    expect(await db.sql`select name, holder, token from venue.leases order by name`).toEqual(leases);
    expect([alive(pid), container?.exitCode], output).toEqual([true, null]);
  });
});

describe('the deliver function', () => {
  let db: TestDatabase;
  let receiver: Receiver;
  let sender: SenderProcess;
  beforeAll(async () => {
    db = await createDatabase({ superuser: true });
    const ca = createAuthority();
    receiver = await Receiver.listen(ca);
    await allowHosts(db.sql, `localhost:${receiver.port}`);
    sender = new SenderProcess(db, ca.certificate);
  });
  afterAll(async () => {
    await sender?.end('SIGKILL');
    await receiver?.close();
    await db?.close();
  });

  test('sends every due delivery while its backends die', async () => {
    const { pid } = sender;
    const to = await createEndpoint(db.sql, await organizationWithPlan(db.sql), receiver.url('/pool'));
    const [first] = await enqueue(db.sql, to.id);
    await waitUntil(() => receiver.requestsTo('/pool').length > 0, {
      what: 'the first delivery',
    });
    const enqueued = [first];
    for (let round = 0; round < runs(2); round += 1) {
      enqueued.push(...(await enqueue(db.sql, to.id, 6)));
      await killAll(db.sql, db.name, 'parallax_deliver', 2);
    }
    // A claim whose response was lost must expire before the delivery is claimed again.
    const waiting = async () => (await db.sql`select from webhook.deliveries where state <> 'delivered'`).length;
    await waitUntil(async () => (await waiting()) === 0, { what: 'all deliveries' });
    const arrived = new Set(receiver.requestsTo('/pool').map(({ headers }) => String(headers['x-svc-delivery'])));
    expect([...arrived].sort()).toEqual([...enqueued].sort());
    expect([sender.pid, alive(pid)], sender.output).toEqual([pid, true]);
    console.log(`deliver: ${enqueued.length} deliveries, ${receiver.requestsTo('/pool').length} arrivals`);
  });
});
