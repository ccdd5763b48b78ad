import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { waitUntil } from '../support/wait_until.ts';
import { type Authority, authority } from './support/certificate.ts';
import { Receiver } from './support/receiver.ts';
import { allow, delivery, type Endpoint, endpoint, enqueue, organizationWithPlan } from './support/sender.ts';
import { SenderProcess } from './support/sender_process.ts';

// The real sender under Deno, a real TLS receiver that behaves badly, and what the rows say of it afterwards.
let db: TestDatabase;
let ca: Authority;
let receiver: Receiver;
let sender: SenderProcess;
beforeAll(async () => {
  db = await createDatabase();
  ca = authority();
  receiver = await Receiver.listen(ca);
  await allow(db.sql, `localhost:${receiver.port}`, `127.0.0.1:${receiver.port}`);
  sender = new SenderProcess(db, ca.certificate);
});
afterAll(async () => {
  await sender.end();
  await receiver.close();
  await db.close();
  expect(sender.output).toBe('');
});

async function at(path: string): Promise<Endpoint> {
  return await endpoint(db.sql, await organizationWithPlan(db.sql), receiver.url(path));
}
/** The one delivery to a path, once its first attempt was reported. */
async function reported(path: string): Promise<{ to: Endpoint; id: string }> {
  const to = await at(path);
  const [id = ''] = await enqueue(db.sql, to.id);
  await waitUntil(async () => (await delivery(db.sql, id)).attempts > 0, {
    what: `an attempt at ${path}`,
    timeoutMs: 60_000,
  });
  return { to, id };
}
const endpointRow = async (id: string) => (await db.sql`select * from webhook.endpoints where endpoint_id = ${id}`)[0];

test('what arrives is the stored body, byte for byte, with both signatures', async () => {
  const to = await at('/fine?team=a%20b');
  const [id = ''] = await enqueue(db.sql, to.id);
  const got = await waitUntil(() => receiver.at('/fine?team=a%20b')[0], { what: 'a delivery', timeoutMs: 60_000 });
  expect(got.body).toBe('{"event":"pair.created","n":1}');
  const { headers } = got;
  expect(headers).toMatchObject({
    'x-svc-event': 'pair.created',
    'x-svc-delivery': id,
    'webhook-id': id,
    'content-type': 'application/json',
    host: `localhost:${receiver.port}`,
  });
  const [, t = '', v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-svc-signature'])) ?? [];
  expect(Math.abs(Number(t) - Date.now() / 1_000)).toBeLessThan(30);
  expect(v1).toBe(createHmac('sha256', to.secret).update(`${t}.${got.body}`).digest('hex'));
  expect(headers['webhook-timestamp']).toBe(t);
  const bytes = Buffer.from(to.secret.slice(6), 'base64');
  expect(headers['webhook-signature']).toBe(
    `v1,${createHmac('sha256', bytes).update(`${id}.${t}.${got.body}`).digest('base64')}`,
  );
  await waitUntil(async () => (await delivery(db.sql, id)).state === 'delivered', {
    what: 'its report',
    timeoutMs: 60_000,
  });
  expect(await endpointRow(to.id)).toMatchObject({ failure_count: 0, last_success_at: expect.any(Date) });
});

describe('one attempt', () => {
  test.each<[string, Parameters<Receiver['manners']['set']>[1], Awaited<ReturnType<typeof delivery>>]>([
    ['200 without more', { status: 200 }, { state: 'delivered', attempts: 1, last_status: 200, last_error: null }],
    ['204', { status: 204, body: '' }, { state: 'delivered', attempts: 1, last_status: 204, last_error: null }],
    ['a hint before the answer', 'interim', { state: 'delivered', attempts: 1, last_status: 202, last_error: null }],
    ['299', { status: 299 }, { state: 'delivered', attempts: 1, last_status: 299, last_error: null }],
    ['an endless body after 200', 'endless', { state: 'delivered', attempts: 1, last_status: 200, last_error: null }],
    [
      'slow, but within five seconds',
      { slow: 2_000 },
      { state: 'delivered', attempts: 1, last_status: 200, last_error: null },
    ],
    ['500', { status: 500 }, { state: 'waiting', attempts: 1, last_status: 500, last_error: 'status.500' }],
    ['410', { status: 410 }, { state: 'waiting', attempts: 1, last_status: 410, last_error: 'status.410' }],
    [
      'a redirect',
      { status: 301, headers: { Location: '/elsewhere' } },
      { state: 'waiting', attempts: 1, last_status: 301, last_error: 'status.301' },
    ],
    ['hanging', 'hang', { state: 'waiting', attempts: 1, last_status: null, last_error: 'timeout' }],
    ['a body that drips', 'drip', { state: 'waiting', attempts: 1, last_status: null, last_error: 'timeout' }],
    [
      'a reset',
      'reset',
      {
        state: 'waiting',
        attempts: 1,
        last_status: null,
        last_error: expect.stringMatching(/^(connection\.lost|answer\.malformed|tls\.failed)$/) as unknown as string,
      },
    ],
    [
      'something that is no HTTP',
      'garbage',
      { state: 'waiting', attempts: 1, last_status: null, last_error: 'answer.malformed' },
    ],
  ])(
    '%s',
    async (name, manner, row) => {
      const path = `/${encodeURIComponent(name)}`;
      receiver.manners.set(path, manner);
      const { id } = await reported(path);
      expect(await delivery(db.sql, id)).toEqual(row);
      expect(receiver.at('/elsewhere')).toEqual([]);
      await db.sql`delete from webhook.endpoints where url = ${receiver.url(path)}`;
    },
    30_000,
  );

  test('a certificate that no known CA has signed is refused, and so is one of another host', async () => {
    const strangers = [await Receiver.listen(authority()), await Receiver.listen(ca, 0, ['elsewhere.example.com'])];
    await allow(db.sql, `localhost:${receiver.port}`, ...strangers.map((one) => `localhost:${one.port}`));
    for (const stranger of strangers) {
      const to = await endpoint(db.sql, await organizationWithPlan(db.sql), stranger.url('/'));
      const [id = ''] = await enqueue(db.sql, to.id);
      await waitUntil(async () => (await delivery(db.sql, id)).attempts > 0, { what: 'an attempt', timeoutMs: 60_000 });
      expect(await delivery(db.sql, id)).toMatchObject({ state: 'waiting', last_error: 'tls.failed' });
      expect(stranger.received).toEqual([]);
      await db.sql`delete from webhook.endpoints where endpoint_id = ${to.id}`;
    }
    await Promise.all(strangers.map((one) => one.close()));
  });

  test('a host that is allowed no more is not even connected to', async () => {
    const to = await at('/withdrawn');
    await allow(db.sql);
    const [id = ''] = await enqueue(db.sql, to.id);
    await waitUntil(async () => (await delivery(db.sql, id)).attempts > 0, { what: 'an attempt', timeoutMs: 60_000 });
    expect(await delivery(db.sql, id)).toMatchObject({ last_error: 'address.refused', last_status: null });
    expect(receiver.at('/withdrawn')).toEqual([]);
    await allow(db.sql, `localhost:${receiver.port}`);
    await db.sql`delete from webhook.endpoints where endpoint_id = ${to.id}`;
  });

  test('the rule is asked again at each attempt: a private address in a row that was written by hand is not connected to', async () => {
    const to = await at('/by-hand');
    await db.sql`update webhook.endpoints set url = ${`https://127.0.0.1:${receiver.port}/by-hand`} where endpoint_id = ${to.id}`;
    const [id = ''] = await enqueue(db.sql, to.id);
    await waitUntil(async () => (await delivery(db.sql, id)).attempts > 0, { what: 'an attempt', timeoutMs: 60_000 });
    expect(await delivery(db.sql, id)).toMatchObject({ last_error: 'address.refused' });
    expect(receiver.at('/by-hand')).toEqual([]);
    await db.sql`delete from webhook.endpoints where endpoint_id = ${to.id}`;
  });
});

test('is tried after 1, 5 and 25 seconds with the same id and body and a signature of each time, and then failed', async () => {
  receiver.manners.set('/never', { status: 503 });
  const to = await at('/never');
  const [id = ''] = await enqueue(db.sql, to.id);
  await waitUntil(async () => (await delivery(db.sql, id)).state === 'failed', {
    what: 'the last attempt',
    timeoutMs: 120_000,
  });
  const tries = receiver.at('/never');
  expect(tries).toHaveLength(4);
  expect(new Set(tries.map((one) => `${one.headers['x-svc-delivery']} ${one.body}`)).size).toBe(1);
  expect(new Set(tries.map((one) => one.headers['x-svc-signature'])).size).toBe(4);
  const waits = tries.slice(1).map((one, i) => one.at - (tries[i]?.at ?? 0));
  for (const [i, least] of [1_000, 5_000, 25_000].entries()) {
    expect(waits[i], `wait ${i + 1}`).toBeGreaterThanOrEqual(least - 20);
    expect(waits[i], `wait ${i + 1}`).toBeLessThan(least + 10_000);
  }
  expect(await endpointRow(to.id)).toMatchObject({
    failure_count: 1,
    last_failure_at: expect.any(Date),
    disabled_at: null,
  });
}, 150_000);
