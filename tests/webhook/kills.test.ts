import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type Authority, authority } from './support/certificate.ts';
import { type Manner, Receiver } from './support/receiver.ts';
import { allow, endpoint, enqueue, organizationWithPlan, SenderProcess, until } from './support/sender.ts';

// Whatever is killed when: what was decided arrives, at least once, with its id and its bytes.
let db: TestDatabase;
let ca: Authority;
let receiver: Receiver;
let outage: Receiver;
beforeAll(async () => {
  db = await createDatabase();
  ca = authority();
  receiver = await Receiver.listen(ca);
  outage = await Receiver.listen(ca);
  await allow(db.sql, `localhost:${receiver.port}`, `localhost:${outage.port}`);
});
afterAll(async () => {
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

test('senders killed at random and a receiver that is down for a while lose nothing and forge nothing', async () => {
  for (const [path, manner] of manners) receiver.manners.set(path, manner);
  const homes: { id: string; path: string }[] = [];
  for (const [path] of manners)
    homes.push({ path, id: (await endpoint(db.sql, await organizationWithPlan(db.sql), receiver.url(path))).id });
  const down = await endpoint(db.sql, await organizationWithPlan(db.sql), outage.url('/down'));
  const port = outage.port;

  // Two senders at a time, each killed without warning after 0.3 to 3 s and followed by another.
  let killing = true;
  let kills = 0;
  const lives = [0, 1].map(async () => {
    while (killing) {
      const sender = new SenderProcess(db, ca.certificate);
      await new Promise((resolve) => setTimeout(resolve, 300 + Math.random() * 2_700));
      await sender.end('SIGKILL');
      kills += 1;
    }
  });

  const decided: string[] = [];
  for (let turn = 0; turn < 12; turn++) {
    for (const { id } of homes) decided.push(...(await enqueue(db.sql, id, 2)));
    // Few to the one that is down: twenty that fail in a row would disable it, and rightly so.
    if (turn % 4 === 0) decided.push(...(await enqueue(db.sql, down.id)));
    if (turn === 3) await outage.close();
    if (turn === 11)
      outage = await Receiver.listen(ca, port).then((back) => Object.assign(back, { received: outage.received }));
    await new Promise((resolve) => setTimeout(resolve, 1_500));
  }
  killing = false;
  await Promise.all(lives);
  const last = new SenderProcess(db, ca.certificate);
  await until(
    'the end of all deliveries',
    async () => (await db.sql`select from webhook.deliveries where state = 'waiting'`).length === 0,
    180,
  );
  await last.end();

  const rows = await db.sql<{ delivery_id: string; state: string; attempts: number; body: string }[]>`
    select delivery_id, state, attempts, body from webhook.deliveries`;
  expect(rows.map((row) => row.delivery_id).sort()).toEqual([...decided].sort());
  const arrived = new Map<string, Set<string>>();
  for (const { headers, body } of [...receiver.received, ...outage.received]) {
    const id = String(headers['x-svc-delivery']);
    arrived.set(id, (arrived.get(id) ?? new Set()).add(body));
  }
  // Nothing came that was not decided, and each with its bytes alone.
  for (const [id, bodies] of arrived) {
    expect(decided).toContain(id);
    expect([...bodies]).toEqual([rows.find((row) => row.delivery_id === id)?.body]);
  }
  for (const row of rows) {
    if (row.state === 'delivered') expect(arrived.has(row.delivery_id), row.delivery_id).toBe(true);
    else expect([row.state, row.attempts]).toEqual(['failed', 4]);
  }
  const failed = rows.filter((row) => row.state === 'failed').length;
  const more = receiver.received.length + outage.received.length - arrived.size;
  console.log(
    `${rows.length} deliveries, ${kills} senders killed: ${failed} failed after four answers, ${more} attempts beyond the first arrived`,
  );
  // Where a receiver answers at all times, nothing fails.
  const wells = await db.sql`
    select d.state from webhook.deliveries d join webhook.endpoints e on e.endpoint_id = d.endpoint_id
    where e.url = any (${[receiver.url('/well'), receiver.url('/slow'), receiver.url('/endless')]}) and d.state <> 'delivered'`;
  expect(wells).toEqual([]);
  expect(receiver.at('/elsewhere')).toEqual([]);
}, 300_000);
