import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { pause, waitUntil } from '../support/wait_until.ts';
import { type Authority, createAuthority } from './support/certificate.ts';
import { type Behaviour, Receiver } from './support/receiver.ts';
import { allowHosts, createEndpoint, enqueue, organizationWithPlan } from './support/sender.ts';
import { SenderProcess } from './support/sender_process.ts';

// Whichever process is killed, each delivery arrives at least once with its id and its bytes, and
// the counts match the outcomes.
let db: TestDatabase;
let ca: Authority;
let receiver: Receiver;
let outage: Receiver;
let closedReceiver: Receiver;
let last: SenderProcess | undefined;
beforeAll(async () => {
  db = await createDatabase();
  ca = createAuthority();
  receiver = await Receiver.listen(ca);
  outage = await Receiver.listen(ca);
  closedReceiver = await Receiver.listen(ca);
  await allowHosts(
    db.sql,
    `localhost:${receiver.port}`,
    `localhost:${outage.port}`,
    `localhost:${closedReceiver.port}`,
  );
});
afterAll(async () => {
  await last?.end();
  await receiver.close();
  await outage.close();
  await db.close();
});

// Each path misbehaves at times; the third or fourth attempt of a delivery succeeds.
const atTimes = (bad: Behaviour) => {
  return (nth: number): Behaviour => (nth % 5 < 2 ? bad : { status: 200 });
};
const behaviours: [string, Behaviour | ((nth: number) => Behaviour)][] = [
  ['/well', { status: 200 }],
  ['/slow', { slow: 400 }],
  ['/hangs-at-times', atTimes('hang')],
  ['/resets-at-times', atTimes('reset')],
  ['/fails-at-times', atTimes({ status: 500 })],
  ['/moves-at-times', atTimes({ status: 301, headers: { Location: 'https://localhost/elsewhere' } })],
  ['/endless', 'endless'],
];

/**
 * How long the receiver is down, s. With `WEBHOOK_OUTAGE=60` all four attempts of a delivery fall
 * into the outage; with the default they do not.
 */
const outageSeconds = Number(process.env.WEBHOOK_OUTAGE ?? 8);

type Row = {
  delivery_id: string;
  endpoint_id: string;
  state: string;
  attempts: number;
  last_error: string | null;
  finished: string;
  body: string;
};
const rowsOf = () => db.sql<Row[]>`
  select delivery_id, endpoint_id, state, attempts, last_error, finished_at::text as finished, body
  from webhook.deliveries order by finished_at`;

type EndpointRow = {
  endpoint_id: string;
  failure_count: number;
  last_success: string | null;
  last_failure: string | null;
  disabled: string | null;
  disabled_reason: string | null;
};

/**
 * The table "Webhook endpoint" of spec.md, applied to the final outcomes of one endpoint in order.
 */
function expectedRow(endpoint_id: string, rows: readonly Row[]): EndpointRow {
  const own: EndpointRow = {
    ...{ endpoint_id, failure_count: 0, last_success: null, last_failure: null, disabled: null, disabled_reason: null },
  };
  for (const { state, finished } of rows) {
    if (own.disabled !== null) break;
    if (state === 'delivered') Object.assign(own, { failure_count: 0, last_success: finished });
    if (state !== 'failed') continue;
    own.failure_count += 1;
    own.last_failure = finished;
    if (own.failure_count === 20) Object.assign(own, { disabled: finished, disabled_reason: 'delivery_failures' });
  }
  return own;
}

/** Runs two senders at a time, kills each after 0.3 to 3 s and replaces it, until `stop`. */
function startKilledSenders(): { stop(): Promise<number> } {
  let killing = true;
  let kills = 0;
  const slots = [0, 1].map(async () => {
    while (killing) {
      const sender = new SenderProcess(db, ca.certificate);
      await pause(300 + Math.random() * 2_700);
      await sender.end('SIGKILL');
      kills += 1;
    }
  });
  return {
    async stop() {
      killing = false;
      await Promise.all(slots);
      return kills;
    },
  };
}

const untilNoneWaits = () =>
  waitUntil(async () => (await db.sql`select from webhook.deliveries where state = 'waiting'`).length === 0, {
    what: 'the end of all deliveries',
    timeoutMs: 240_000,
  });

test(`killed senders and an outage of ${outageSeconds} s lose no delivery, add none and keep the counts right`, async () => {
  for (const [path, behaviour] of behaviours) receiver.behaviours.set(path, behaviour);
  const endpointPaths: { id: string; path: string }[] = [];
  for (const [path] of behaviours)
    endpointPaths.push({
      path,
      id: (await createEndpoint(db.sql, await organizationWithPlan(db.sql), receiver.url(path))).id,
    });
  const outageEndpoint = await createEndpoint(db.sql, await organizationWithPlan(db.sql), outage.url('/outage'));
  const neverReachable = await createEndpoint(
    db.sql,
    await organizationWithPlan(db.sql),
    closedReceiver.url('/unreachable'),
  );
  await closedReceiver.close();
  const recovering = await createEndpoint(db.sql, await organizationWithPlan(db.sql), receiver.url('/recovering'));
  receiver.behaviours.set('/recovering', { status: 500 });
  const { port } = outage;
  const arrivedBefore = outage.received;

  const killedSenders = startKilledSenders();
  const enqueued: string[] = [];
  const [from, to] = [3, 3 + outageSeconds];
  const every = Math.max(2, Math.ceil(outageSeconds / 8));
  for (let second = 0; second < to + 3; second++) {
    if (second === from) await outage.close();
    if (second === to) outage = await Receiver.listen(ca, port);
    if (second % 2 === 0) for (const { id } of endpointPaths) enqueued.push(...(await enqueue(db.sql, id, 2)));
    // Fewer than twenty deliveries to the outage endpoint can fail in a row, so it is not disabled.
    if (second % every === 0) enqueued.push(...(await enqueue(db.sql, outageEndpoint.id)));
    if (second < 3) enqueued.push(...(await enqueue(db.sql, recovering.id)));
    if (second < 3) enqueued.push(...(await enqueue(db.sql, neverReachable.id, 10)));
    await pause(1_000);
  }
  const kills = await killedSenders.stop();
  last = new SenderProcess(db, ca.certificate);
  await untilNoneWaits();
  // Three deliveries failed, one succeeds: the failure count is reset.
  receiver.behaviours.delete('/recovering');
  enqueued.push(...(await enqueue(db.sql, recovering.id)));
  await untilNoneWaits();

  const rows = await rowsOf();
  expect(rows.map((row) => row.delivery_id).sort()).toEqual([...enqueued].sort());
  const arrived = () => {
    const all = new Map<string, Set<string>>();
    for (const { headers, body } of [...receiver.received, ...arrivedBefore, ...outage.received]) {
      const id = String(headers['x-svc-delivery']);
      all.set(id, (all.get(id) ?? new Set()).add(body));
    }
    return all;
  };
  // Each request carries an enqueued id and the bytes of that delivery only.
  for (const [id, bodies] of arrived()) {
    expect(enqueued).toContain(id);
    expect([...bodies]).toEqual([rows.find((row) => row.delivery_id === id)?.body]);
  }
  for (const row of rows) {
    if (row.state === 'delivered') expect(arrived().has(row.delivery_id), row.delivery_id).toBe(true);
    else if (row.state === 'failed') expect(row.attempts).toBe(4);
    else
      expect([row.state, row.last_error, row.endpoint_id]).toEqual(['dropped', 'endpoint.disabled', neverReachable.id]);
  }
  // Each endpoint has the counts and the state that the table requires.
  const endpoints = await db.sql<EndpointRow[]>`
    select endpoint_id, failure_count, last_success_at::text as last_success, last_failure_at::text as last_failure,
           disabled_at::text as disabled, disabled_reason
    from webhook.endpoints`;
  for (const found of endpoints) {
    const own = rows.filter((row) => row.endpoint_id === found.endpoint_id);
    expect(found).toEqual(expectedRow(found.endpoint_id, own));
  }
  const disabled = endpoints.filter((one) => one.disabled !== null).map((one) => one.endpoint_id);
  expect(disabled).toEqual([neverReachable.id]);
  expect(endpoints.find((one) => one.endpoint_id === recovering.id)).toMatchObject({
    failure_count: 0,
    last_success: expect.any(String),
    last_failure: expect.any(String),
  });
  const audited = await db.sql`select from account.audit where action = 'webhook.disabled'`;
  expect(audited).toHaveLength(disabled.length);
  // No delivery to a receiver that always answers fails.
  const undelivered = await db.sql`
    select d.state from webhook.deliveries d join webhook.endpoints e on e.endpoint_id = d.endpoint_id
    where e.url = any (${[receiver.url('/well'), receiver.url('/slow'), receiver.url('/endless')]}) and d.state <> 'delivered'`;
  expect(undelivered).toEqual([]);
  expect(receiver.requestsTo('/elsewhere')).toEqual([]);

  const failed = rows.filter((row) => row.state === 'failed').length;
  const more = receiver.received.length + arrivedBefore.length + outage.received.length - arrived().size;
  console.log(
    `${rows.length} deliveries, ${kills} senders killed, ${outageSeconds} s down: ${failed} failed after four attempts, ${disabled.length} endpoints disabled, ${more} attempts beyond the first arrived`,
  );

  // A replay delivers each delivery that failed during the outage, with its id and its bytes.
  for (const [path] of behaviours) receiver.behaviours.delete(path);
  const again = rows.filter((row) => row.state === 'failed' && !disabled.includes(row.endpoint_id));
  for (const { delivery_id } of again) await db.sql`select webhook.replay_delivery(${delivery_id})`;
  await untilNoneWaits();
  const after = arrived();
  for (const row of await rowsOf()) {
    if (disabled.includes(row.endpoint_id)) continue;
    expect([row.delivery_id, row.state]).toEqual([row.delivery_id, 'delivered']);
    expect([...(after.get(row.delivery_id) ?? [])]).toEqual([row.body]);
  }
}, 600_000);
