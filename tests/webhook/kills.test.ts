import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { pause, waitUntil } from '../support/wait_until.ts';
import { type Authority, authority } from './support/certificate.ts';
import { type Manner, Receiver } from './support/receiver.ts';
import { allow, endpoint, enqueue, organizationWithPlan } from './support/sender.ts';
import { SenderProcess } from './support/sender_process.ts';

// Whatever is killed when: what was decided arrives, at least once, with its id and its bytes, and what is counted is what happened.
let db: TestDatabase;
let ca: Authority;
let receiver: Receiver;
let outage: Receiver;
let nobody: Receiver;
let last: SenderProcess | undefined;
beforeAll(async () => {
  db = await createDatabase();
  ca = authority();
  receiver = await Receiver.listen(ca);
  outage = await Receiver.listen(ca);
  nobody = await Receiver.listen(ca);
  await allow(db.sql, `localhost:${receiver.port}`, `localhost:${outage.port}`, `localhost:${nobody.port}`);
});
afterAll(async () => {
  await last?.end();
  await receiver.close();
  await outage.close();
  await db.close();
});

// Each misbehaves at times and answers in the end: the third or fourth attempt of a delivery finds it well.
const atTimes = (bad: Manner) => {
  return (nth: number): Manner => (nth % 5 < 2 ? bad : { status: 200 });
};
const manners: [string, Manner | ((nth: number) => Manner)][] = [
  ['/well', { status: 200 }],
  ['/slow', { slow: 400 }],
  ['/hangs-at-times', atTimes('hang')],
  ['/resets-at-times', atTimes('reset')],
  ['/fails-at-times', atTimes({ status: 500 })],
  ['/moves-at-times', atTimes({ status: 301, headers: { Location: 'https://localhost/elsewhere' } })],
  ['/endless', 'endless'],
];

/** How long the receiver is down, s: with `WEBHOOK_OUTAGE=60` all four attempts of a delivery fit into it, in the everyday run they do not. */
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

/** spec.md's table "Webhook endpoint", over the final outcomes of one endpoint in their order. */
function asTheTableSays(endpoint_id: string, rows: readonly Row[]): EndpointRow {
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

/** Two senders at a time, each killed without warning after 0.3 to 3 s and followed by another, until `stop`. */
function killedAtRandom(): { stop(): Promise<number> } {
  let killing = true;
  let kills = 0;
  const lives = [0, 1].map(async () => {
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
      await Promise.all(lives);
      return kills;
    },
  };
}

const noneWaits = () =>
  waitUntil(async () => (await db.sql`select from webhook.deliveries where state = 'waiting'`).length === 0, {
    what: 'the end of all deliveries',
    timeoutMs: 240_000,
  });

test(`senders killed at random and a receiver that is down for ${outageSeconds} s lose nothing, forge nothing and count right`, async () => {
  for (const [path, manner] of manners) receiver.manners.set(path, manner);
  const homes: { id: string; path: string }[] = [];
  for (const [path] of manners)
    homes.push({ path, id: (await endpoint(db.sql, await organizationWithPlan(db.sql), receiver.url(path))).id });
  const few = await endpoint(db.sql, await organizationWithPlan(db.sql), outage.url('/few'));
  const gone = await endpoint(db.sql, await organizationWithPlan(db.sql), nobody.url('/gone'));
  await nobody.close();
  const mends = await endpoint(db.sql, await organizationWithPlan(db.sql), receiver.url('/mends'));
  receiver.manners.set('/mends', { status: 500 });
  const { port } = outage;
  const arrivedBefore = outage.received;

  const killers = killedAtRandom();
  const decided: string[] = [];
  const [from, to] = [3, 3 + outageSeconds];
  const every = Math.max(2, Math.ceil(outageSeconds / 8));
  for (let second = 0; second < to + 3; second++) {
    if (second === from) await outage.close();
    if (second === to) outage = await Receiver.listen(ca, port);
    if (second % 2 === 0) for (const { id } of homes) decided.push(...(await enqueue(db.sql, id, 2)));
    // Less than twenty of the one can fail in a row; of the other all do.
    if (second % every === 0) decided.push(...(await enqueue(db.sql, few.id)));
    if (second < 3) decided.push(...(await enqueue(db.sql, mends.id)));
    if (second < 3) decided.push(...(await enqueue(db.sql, gone.id, 10)));
    await pause(1_000);
  }
  const kills = await killers.stop();
  last = new SenderProcess(db, ca.certificate);
  await noneWaits();
  // Three failed for good, one arrives: the count begins anew.
  receiver.manners.delete('/mends');
  decided.push(...(await enqueue(db.sql, mends.id)));
  await noneWaits();

  const rows = await rowsOf();
  expect(rows.map((row) => row.delivery_id).sort()).toEqual([...decided].sort());
  const arrived = () => {
    const all = new Map<string, Set<string>>();
    for (const { headers, body } of [...receiver.received, ...arrivedBefore, ...outage.received]) {
      const id = String(headers['x-svc-delivery']);
      all.set(id, (all.get(id) ?? new Set()).add(body));
    }
    return all;
  };
  // Nothing came that was not decided, and each with its bytes alone.
  for (const [id, bodies] of arrived()) {
    expect(decided).toContain(id);
    expect([...bodies]).toEqual([rows.find((row) => row.delivery_id === id)?.body]);
  }
  for (const row of rows) {
    if (row.state === 'delivered') expect(arrived().has(row.delivery_id), row.delivery_id).toBe(true);
    else if (row.state === 'failed') expect(row.attempts).toBe(4);
    else expect([row.state, row.last_error, row.endpoint_id]).toEqual(['dropped', 'endpoint.disabled', gone.id]);
  }
  // Counts and states are those of the table, for each endpoint.
  const endpoints = await db.sql<EndpointRow[]>`
    select endpoint_id, failure_count, last_success_at::text as last_success, last_failure_at::text as last_failure,
           disabled_at::text as disabled, disabled_reason
    from webhook.endpoints`;
  for (const found of endpoints) {
    const own = rows.filter((row) => row.endpoint_id === found.endpoint_id);
    expect(found).toEqual(asTheTableSays(found.endpoint_id, own));
  }
  const disabled = endpoints.filter((one) => one.disabled !== null).map((one) => one.endpoint_id);
  expect(disabled).toEqual([gone.id]);
  expect(endpoints.find((one) => one.endpoint_id === mends.id)).toMatchObject({
    failure_count: 0,
    last_success: expect.any(String),
    last_failure: expect.any(String),
  });
  const told = await db.sql`select from account.audit where action = 'webhook.disabled'`;
  expect(told).toHaveLength(disabled.length);
  // Where a receiver answers at all times, nothing fails.
  const wells = await db.sql`
    select d.state from webhook.deliveries d join webhook.endpoints e on e.endpoint_id = d.endpoint_id
    where e.url = any (${[receiver.url('/well'), receiver.url('/slow'), receiver.url('/endless')]}) and d.state <> 'delivered'`;
  expect(wells).toEqual([]);
  expect(receiver.at('/elsewhere')).toEqual([]);

  const failed = rows.filter((row) => row.state === 'failed').length;
  const more = receiver.received.length + arrivedBefore.length + outage.received.length - arrived().size;
  console.log(
    `${rows.length} deliveries, ${kills} senders killed, ${outageSeconds} s down: ${failed} failed after four attempts, ${disabled.length} endpoints disabled, ${more} attempts beyond the first arrived`,
  );

  // What failed while it was down arrives when somebody sends it again, with its id and its bytes: and then each has arrived.
  for (const [path] of manners) receiver.manners.delete(path);
  const again = rows.filter((row) => row.state === 'failed' && !disabled.includes(row.endpoint_id));
  for (const { delivery_id } of again) await db.sql`select webhook.replay_delivery(${delivery_id})`;
  await noneWaits();
  const after = arrived();
  for (const row of await rowsOf()) {
    if (disabled.includes(row.endpoint_id)) continue;
    expect([row.delivery_id, row.state]).toEqual([row.delivery_id, 'delivered']);
    expect([...(after.get(row.delivery_id) ?? [])]).toEqual([row.body]);
  }
}, 600_000);
