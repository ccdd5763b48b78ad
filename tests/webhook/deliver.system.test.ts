import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { freePort } from '../../local/platform/postgres/postgres.ts';
import { connectAdmin } from '../../local/platform/postgres/template.ts';
import { organization } from '../account/support/people.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { pause, waitUntil } from '../support/wait_until.ts';
import { type Authority, createAuthority } from './support/certificate.ts';
import { Receiver } from './support/receiver.ts';
import {
  allowHosts,
  createEndpoint,
  deliveryRow,
  type Endpoint,
  enqueue,
  organizationWithPlan,
} from './support/sender.ts';
import { SenderProcess } from './support/sender_process.ts';

// The real sender under Deno and a real TLS receiver that misbehaves; the tests check the rows
// afterwards.
let db: TestDatabase;
let ca: Authority;
let receiver: Receiver;
let sender: SenderProcess;
beforeAll(async () => {
  db = await createDatabase();
  ca = createAuthority();
  receiver = await Receiver.listen(ca);
  await allowHosts(db.sql, `localhost:${receiver.port}`, `127.0.0.1:${receiver.port}`);
  sender = new SenderProcess(db, ca.certificate);
});
afterAll(async () => {
  await sender.end();
  await receiver.close();
  await db.close();
  // It logs the signal and its end, and nothing before.
  const lines = sender.output.split('\n').filter((line) => line !== '');
  expect(lines.map((line) => JSON.parse(line).event)).toEqual(['container.signal', 'container.stopped']);
});

async function endpointAt(path: string): Promise<Endpoint> {
  return await createEndpoint(db.sql, await organizationWithPlan(db.sql), receiver.url(path));
}
/** Enqueues a delivery for a path and returns it after the result of its first attempt. */
async function attempted(path: string): Promise<{ endpoint: Endpoint; id: string }> {
  const endpoint = await endpointAt(path);
  const [id = ''] = await enqueue(db.sql, endpoint.id);
  await waitUntil(async () => (await deliveryRow(db.sql, id)).attempts > 0, {
    what: `an attempt at ${path}`,
    timeoutMs: 60_000,
  });
  return { endpoint, id };
}
const endpointRow = async (id: string) => (await db.sql`select * from webhook.endpoints where endpoint_id = ${id}`)[0];

test('sends the stored body byte for byte with both signatures', async () => {
  const endpoint = await endpointAt('/fine?team=a%20b');
  const [id = ''] = await enqueue(db.sql, endpoint.id);
  const request = await waitUntil(() => receiver.requestsTo('/fine?team=a%20b')[0], {
    what: 'a delivery',
    timeoutMs: 60_000,
  });
  expect(request.body).toBe('{"event":"pair.created","n":1}');
  const { headers } = request;
  expect(headers).toMatchObject({
    'x-svc-event': 'pair.created',
    'x-svc-delivery': id,
    'webhook-id': id,
    'content-type': 'application/json',
    host: `localhost:${receiver.port}`,
  });
  const [, t = '', v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-svc-signature'])) ?? [];
  expect(Math.abs(Number(t) - Date.now() / 1_000)).toBeLessThan(30);
  expect(v1).toBe(createHmac('sha256', endpoint.secret).update(`${t}.${request.body}`).digest('hex'));
  expect(headers['webhook-timestamp']).toBe(t);
  const bytes = Buffer.from(endpoint.secret.slice(6), 'base64');
  expect(headers['webhook-signature']).toBe(
    `v1,${createHmac('sha256', bytes).update(`${id}.${t}.${request.body}`).digest('base64')}`,
  );
  await waitUntil(async () => (await deliveryRow(db.sql, id)).state === 'delivered', {
    what: 'its result',
    timeoutMs: 60_000,
  });
  expect(await endpointRow(endpoint.id)).toMatchObject({ failure_count: 0, last_success_at: expect.any(Date) });
});

test('sends the signatures of the new and of the old secret after a roll', async () => {
  const org = await organizationWithPlan(db.sql);
  const endpoint = await createEndpoint(db.sql, org, receiver.url('/rolled'));
  const [rolled] = await db.sql`select webhook.roll_secret(${org}, ${endpoint.id}) ->> 'secret' as secret`;
  await enqueue(db.sql, endpoint.id);
  const { headers, body } = await waitUntil(() => receiver.requestsTo('/rolled')[0], {
    what: 'a delivery',
    timeoutMs: 60_000,
  });
  const [, t = '', signatures = ''] =
    /^t=(\d+)((?:,v1=[0-9a-f]{64}){2})$/.exec(String(headers['x-svc-signature'])) ?? [];
  const expected = [rolled?.secret, endpoint.secret].map(
    (secret) => `,v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`,
  );
  expect(signatures).toBe(expected.join(''));
  for (const secret of [rolled?.secret, endpoint.secret]) {
    expect(() => new Webhook(secret).verify(body, headers as Record<string, string>)).not.toThrow();
  }
});

test('sends nothing more for an organization whose last user Auth deletes, and its secret leaves the Vault', async () => {
  const { owner, org } = await organization(db.sql);
  await db.sql`select account.set_plan(${org}, 'pro', 'active')`;
  receiver.behaviours.set('/left', { status: 500 });
  const endpoint = await createEndpoint(db.sql, org, receiver.url('/left'));
  const secrets = () => db.sql`select from vault.secrets where name = ${`webhook:${endpoint.id}`}`;
  const [id = ''] = await enqueue(db.sql, endpoint.id);
  await waitUntil(async () => (await deliveryRow(db.sql, id)).attempts > 0, { what: 'an attempt', timeoutMs: 60_000 });
  expect(await secrets()).toHaveLength(1);
  const { cluster } = inject('postgres');
  const admin = connectAdmin(cluster, db.name);
  await admin.begin(async (sql) => {
    await sql`set local role supabase_auth_admin`;
    await sql`delete from auth.users where id = ${owner.id}`;
  });
  await admin.end();
  const sent = receiver.requestsTo('/left').length;
  expect(await db.sql`select from webhook.deliveries where endpoint_id = ${endpoint.id}`).toEqual([]);
  expect(await secrets()).toEqual([]);
  // The second attempt would follow after one second, the third five seconds later.
  await pause(8_000);
  expect(receiver.requestsTo('/left')).toHaveLength(sent);
}, 90_000);

test('states neither the reason nor the time of a connection that failed', async () => {
  const port = await freePort();
  await allowHosts(db.sql, `localhost:${receiver.port}`, `127.0.0.1:${receiver.port}`, `localhost:${port}`);
  const closed = await createEndpoint(db.sql, await organizationWithPlan(db.sql), `https://localhost:${port}/`);
  const [id = ''] = await enqueue(db.sql, closed.id);
  await waitUntil(async () => (await deliveryRow(db.sql, id)).attempts > 0, { what: 'an attempt', timeoutMs: 60_000 });
  const [row] = await db.sql`select last_error, last_took_ms from webhook.deliveries where delivery_id = ${id}`;
  expect({ ...row }).toEqual({ last_error: 'connection.failed', last_took_ms: null });
});

describe('the outcome of one attempt', () => {
  test.each<[string, Parameters<Receiver['behaviours']['set']>[1], Awaited<ReturnType<typeof deliveryRow>>]>([
    ['status 200', { status: 200 }, { state: 'delivered', attempts: 1, last_status: 200, last_error: null }],
    ['status 204', { status: 204, body: '' }, { state: 'delivered', attempts: 1, last_status: 204, last_error: null }],
    [
      'an interim response before the final one',
      'interim',
      { state: 'delivered', attempts: 1, last_status: 202, last_error: null },
    ],
    ['status 299', { status: 299 }, { state: 'delivered', attempts: 1, last_status: 299, last_error: null }],
    ['an endless body after 200', 'endless', { state: 'delivered', attempts: 1, last_status: 200, last_error: null }],
    [
      'a response after two seconds',
      { slow: 2_000 },
      { state: 'delivered', attempts: 1, last_status: 200, last_error: null },
    ],
    ['status 500', { status: 500 }, { state: 'waiting', attempts: 1, last_status: 500, last_error: 'status.500' }],
    ['status 410', { status: 410 }, { state: 'waiting', attempts: 1, last_status: 410, last_error: 'status.410' }],
    [
      'a redirect',
      { status: 301, headers: { Location: '/elsewhere' } },
      { state: 'waiting', attempts: 1, last_status: 301, last_error: 'status.301' },
    ],
    ['a receiver that hangs', 'hang', { state: 'waiting', attempts: 1, last_status: null, last_error: 'timeout' }],
    [
      'a body that arrives byte by byte',
      'drip',
      { state: 'waiting', attempts: 1, last_status: null, last_error: 'timeout' },
    ],
    [
      'a connection reset',
      'reset',
      {
        state: 'waiting',
        attempts: 1,
        last_status: null,
        last_error: expect.stringMatching(/^(connection\.lost|answer\.malformed|tls\.failed)$/) as unknown as string,
      },
    ],
    [
      'a response that is not HTTP',
      'garbage',
      { state: 'waiting', attempts: 1, last_status: null, last_error: 'answer.malformed' },
    ],
  ])(
    'records the state, status and error after %s',
    async (name, behaviour, row) => {
      const path = `/${encodeURIComponent(name)}`;
      receiver.behaviours.set(path, behaviour);
      const { id } = await attempted(path);
      expect(await deliveryRow(db.sql, id)).toEqual(row);
      expect(receiver.requestsTo('/elsewhere')).toEqual([]);
      await db.sql`delete from webhook.endpoints where url = ${receiver.url(path)}`;
    },
    30_000,
  );

  test('rejects a certificate of an unknown CA and a certificate of another host', async () => {
    const others = [await Receiver.listen(createAuthority()), await Receiver.listen(ca, 0, ['elsewhere.example.com'])];
    await allowHosts(db.sql, `localhost:${receiver.port}`, ...others.map((each) => `localhost:${each.port}`));
    for (const other of others) {
      const endpoint = await createEndpoint(db.sql, await organizationWithPlan(db.sql), other.url('/'));
      const [id = ''] = await enqueue(db.sql, endpoint.id);
      await waitUntil(async () => (await deliveryRow(db.sql, id)).attempts > 0, {
        what: 'an attempt',
        timeoutMs: 60_000,
      });
      expect(await deliveryRow(db.sql, id)).toMatchObject({ state: 'waiting', last_error: 'tls.failed' });
      expect(other.received).toEqual([]);
      await db.sql`delete from webhook.endpoints where endpoint_id = ${endpoint.id}`;
    }
    await Promise.all(others.map((each) => each.close()));
  });

  test('does not connect to a host that the operator no longer lists', async () => {
    const endpoint = await endpointAt('/withdrawn');
    await allowHosts(db.sql);
    const [id = ''] = await enqueue(db.sql, endpoint.id);
    await waitUntil(async () => (await deliveryRow(db.sql, id)).attempts > 0, {
      what: 'an attempt',
      timeoutMs: 60_000,
    });
    expect(await deliveryRow(db.sql, id)).toMatchObject({ last_error: 'address.refused', last_status: null });
    expect(receiver.requestsTo('/withdrawn')).toEqual([]);
    await allowHosts(db.sql, `localhost:${receiver.port}`);
    await db.sql`delete from webhook.endpoints where endpoint_id = ${endpoint.id}`;
  });

  test('does not connect to a private address that was written to the row by hand', async () => {
    const endpoint = await endpointAt('/by-hand');
    await db.sql`update webhook.endpoints set url = ${`https://127.0.0.1:${receiver.port}/by-hand`} where endpoint_id = ${endpoint.id}`;
    const [id = ''] = await enqueue(db.sql, endpoint.id);
    await waitUntil(async () => (await deliveryRow(db.sql, id)).attempts > 0, {
      what: 'an attempt',
      timeoutMs: 60_000,
    });
    expect(await deliveryRow(db.sql, id)).toMatchObject({ last_error: 'address.refused' });
    expect(receiver.requestsTo('/by-hand')).toEqual([]);
    await db.sql`delete from webhook.endpoints where endpoint_id = ${endpoint.id}`;
  });
});

test('retries after 1, 5 and 25 seconds with the same id and body and a new signature, then fails', async () => {
  receiver.behaviours.set('/never', { status: 503 });
  const endpoint = await endpointAt('/never');
  const [id = ''] = await enqueue(db.sql, endpoint.id);
  await waitUntil(async () => (await deliveryRow(db.sql, id)).state === 'failed', {
    what: 'the last attempt',
    timeoutMs: 120_000,
  });
  const attempts = receiver.requestsTo('/never');
  expect(attempts).toHaveLength(4);
  expect(new Set(attempts.map((request) => `${request.headers['x-svc-delivery']} ${request.body}`)).size).toBe(1);
  expect(new Set(attempts.map((request) => request.headers['x-svc-signature'])).size).toBe(4);
  const waits = attempts.slice(1).map((request, i) => request.at - (attempts[i]?.at ?? 0));
  for (const [i, least] of [1_000, 5_000, 25_000].entries()) {
    expect(waits[i], `wait ${i + 1}`).toBeGreaterThanOrEqual(least - 20);
    expect(waits[i], `wait ${i + 1}`).toBeLessThan(least + 10_000);
  }
  expect(await endpointRow(endpoint.id)).toMatchObject({
    failure_count: 1,
    last_failure_at: expect.any(Date),
    disabled_at: null,
  });
}, 150_000);
