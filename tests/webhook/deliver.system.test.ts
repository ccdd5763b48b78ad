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
  });
  return { endpoint, id };
}
const endpointRow = async (id: string) => (await db.sql`select * from webhook.endpoints where endpoint_id = ${id}`)[0];

test('sends the stored body byte for byte with both signatures', async () => {
  const endpoint = await endpointAt('/fine?team=a%20b');
  const enqueuedAt = Date.now();
  const [id = ''] = await enqueue(db.sql, endpoint.id);
  const request = await waitUntil(() => receiver.requestsTo('/fine?team=a%20b')[0], {
    what: 'a delivery',
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
  expect(Number(t)).toBeGreaterThanOrEqual(Math.floor(enqueuedAt / 1_000));
  expect(Number(t)).toBeLessThanOrEqual(request.at / 1_000);
  expect(v1).toBe(createHmac('sha256', endpoint.secret).update(`${t}.${request.body}`).digest('hex'));
  expect(headers['webhook-timestamp']).toBe(t);
  const bytes = Buffer.from(endpoint.secret.slice(6), 'base64');
  expect(headers['webhook-signature']).toBe(
    `v1,${createHmac('sha256', bytes).update(`${id}.${t}.${request.body}`).digest('base64')}`,
  );
  await waitUntil(async () => (await deliveryRow(db.sql, id)).state === 'delivered', {
    what: 'its result',
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
  await waitUntil(async () => (await deliveryRow(db.sql, id)).attempts > 0, { what: 'an attempt' });
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
  // The second attempt would follow after one second, before that of another endpoint.
  await pause(1_500);
  await attempted('/stays');
  expect(receiver.requestsTo('/left')).toHaveLength(sent);
});

test('states neither the reason nor the time of a connection that failed', async () => {
  const port = await freePort();
  await allowHosts(db.sql, `localhost:${receiver.port}`, `127.0.0.1:${receiver.port}`, `localhost:${port}`);
  const closed = await createEndpoint(db.sql, await organizationWithPlan(db.sql), `https://localhost:${port}/`);
  const [id = ''] = await enqueue(db.sql, closed.id);
  await waitUntil(async () => (await deliveryRow(db.sql, id)).attempts > 0, { what: 'an attempt' });
  const [row] = await db.sql`select last_error, last_took_ms from webhook.deliveries where delivery_id = ${id}`;
  expect({ ...row }).toEqual({ last_error: 'connection.failed', last_took_ms: null });
});

// Two of the receivers are given ten seconds, so all are tried at the same time.
describe('the outcome of one attempt', () => {
  test.concurrent.each<[string, Parameters<Receiver['behaviours']['set']>[1], Awaited<ReturnType<typeof deliveryRow>>]>(
    [
      ['status 200', { status: 200 }, { state: 'delivered', attempts: 1, last_status: 200, last_error: null }],
      [
        'status 204',
        { status: 204, body: '' },
        { state: 'delivered', attempts: 1, last_status: 204, last_error: null },
      ],
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
    ],
  )('records the state, status and error after %s', async (name, behaviour, row) => {
    const path = `/${encodeURIComponent(name)}`;
    receiver.behaviours.set(path, behaviour);
    const { id } = await attempted(path);
    expect(await deliveryRow(db.sql, id)).toEqual(row);
    expect(receiver.requestsTo('/elsewhere')).toEqual([]);
    await db.sql`delete from webhook.endpoints where url = ${receiver.url(path)}`;
  });

  test('rejects a certificate of an unknown CA and a certificate of another host', async () => {
    const others = [await Receiver.listen(createAuthority()), await Receiver.listen(ca, 0, ['elsewhere.example.com'])];
    await allowHosts(db.sql, `localhost:${receiver.port}`, ...others.map((each) => `localhost:${each.port}`));
    for (const other of others) {
      const endpoint = await createEndpoint(db.sql, await organizationWithPlan(db.sql), other.url('/'));
      const [id = ''] = await enqueue(db.sql, endpoint.id);
      await waitUntil(async () => (await deliveryRow(db.sql, id)).attempts > 0, {
        what: 'an attempt',
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
    });
    expect(await deliveryRow(db.sql, id)).toMatchObject({ last_error: 'address.refused' });
    expect(receiver.requestsTo('/by-hand')).toEqual([]);
    await db.sql`delete from webhook.endpoints where endpoint_id = ${endpoint.id}`;
  });
});

test('retries after 1, 5 and 25 seconds with the same id and body and a new signature, then fails', async () => {
  receiver.behaviours.set('/never', { status: 503 });
  const endpoint = await endpointAt('/never');
  // Notes the wait after each attempt. Only the first wait takes its time.
  await db.sql.unsafe(`
    create table public.waits (attempts integer, wait interval);
    create function public.shorten_wait() returns trigger language plpgsql as $$
    begin
      insert into public.waits values (new.attempts, new.due_at - clock_timestamp());
      if new.attempts > 1 and new.due_at is not null then
        new.due_at := clock_timestamp();
      end if;
      return new;
    end
    $$;
    create trigger shorten_wait before update on webhook.deliveries
      for each row when (new.attempts > old.attempts and new.endpoint_id = '${endpoint.id}')
      execute function public.shorten_wait();`);
  const [id = ''] = await enqueue(db.sql, endpoint.id);
  await waitUntil(async () => (await deliveryRow(db.sql, id)).state === 'failed', { what: 'the last attempt' });
  const waits = await db.sql`
    select attempts, ceil(extract(epoch from wait))::integer as seconds from public.waits order by attempts`;
  expect([...waits]).toEqual([
    { attempts: 1, seconds: 1 },
    { attempts: 2, seconds: 5 },
    { attempts: 3, seconds: 25 },
    { attempts: 4, seconds: null },
  ]);
  const attempts = receiver.requestsTo('/never');
  expect(attempts).toHaveLength(4);
  const [first, second] = attempts.map(({ at }) => at);
  expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(1_000 - 20);
  expect(new Set(attempts.map((request) => `${request.headers['x-svc-delivery']} ${request.body}`)).size).toBe(1);
  const signatures = attempts.map(({ headers }) => String(headers['x-svc-signature']));
  const times = signatures.map((signature) => Number(/^t=(\d+),/.exec(signature)?.[1]));
  expect(times[1]).toBeGreaterThan(times[0] ?? 0);
  expect(new Set(signatures).size).toBe(new Set(times).size);
  expect(await endpointRow(endpoint.id)).toMatchObject({
    failure_count: 1,
    last_failure_at: expect.any(Date),
    disabled_at: null,
  });
});
