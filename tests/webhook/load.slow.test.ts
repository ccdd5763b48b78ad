import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { pause, waitUntil } from '../support/wait_until.ts';
import { type Authority, createAuthority } from './support/certificate.ts';
import { Receiver } from './support/receiver.ts';
import { allowHosts, createEndpoint, organizationWithPlan } from './support/sender.ts';
import { SenderProcess } from './support/sender_process.ts';

// 10,000 deliveries to 300 endpoints, ten of which accept connections and never answer. They must
// not delay the others.
let db: TestDatabase;
let ca: Authority;
let receiver: Receiver;
let sender: SenderProcess;
beforeAll(async () => {
  db = await createDatabase();
  ca = createAuthority();
  receiver = await Receiver.listen(ca);
  await allowHosts(db.sql, `localhost:${receiver.port}`);
  sender = new SenderProcess(db, ca.certificate);
});
afterAll(async () => {
  await sender.end();
  await receiver.close();
  await db.close();
});

const endpoints = 300;
const hanging = 10;
const deliveries = 10_000;
const seconds = 60;

/** CPU time that a process has used, ms; null when the system has no /proc. */
function cpuOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return null;
  }
}

test('ten hanging endpoints do not delay the deliveries of the others', async () => {
  const ids: string[] = [];
  for (let n = 0; n < endpoints; n += 3) {
    const org = await organizationWithPlan(db.sql);
    for (let m = n; m < n + 3; m++) ids.push((await createEndpoint(db.sql, org, receiver.url(`/${m}`))).id);
  }
  const bad = new Set(Array.from({ length: hanging }, (_, n) => n * 29));
  await waitUntil(async () => (await db.sql`select from webhook.sender_state where awake_until > now()`).length > 0, {
    what: 'the sender',
    timeoutMs: 60_000,
  });
  const good = ids.filter((_, n) => !bad.has(n));
  // The same rate for five seconds while all endpoints answer measures what the machine can do now.
  const controlBefore = await control(good);
  for (const n of bad) receiver.behaviours.set(`/${n}`, 'hang');
  const cpuBefore = cpuOf(sender.pid);

  // An even stream in batches of 0.1 s, at the rate of an evening with many games.
  const startedAt = Date.now();
  const perBatch = deliveries / (seconds * 10);
  let enqueued = 0;
  for (let batch = 0; batch < seconds * 10; batch++) {
    const upTo = Math.round((batch + 1) * perBatch);
    const numbers = Array.from({ length: upTo - enqueued }, (_, i) => enqueued + i);
    await db.sql`
      insert into webhook.deliveries (endpoint_id, event, body)
      select (${ids}::uuid[])[1 + n % ${endpoints}::int], 'pair.created', '{"n":' || n || '}' from unnest(${numbers}::int[]) n`;
    enqueued = upTo;
    const wait = startedAt + (batch + 1) * 100 - Date.now();
    if (wait > 0) await pause(wait);
  }
  await waitUntil(
    async () => {
      const [row] = await db.sql<{ n: number }[]>`
      select count(*)::int as n from webhook.deliveries where endpoint_id = any (${good}::uuid[]) and state <> 'delivered'`;
      return row?.n === 0;
    },
    { what: 'the deliveries to good endpoints', timeoutMs: 120_000 },
  );
  const tookSeconds = (Date.now() - startedAt) / 1_000;
  const cpu = cpuOf(sender.pid);

  const rows = await db.sql<{ delivery_id: string; created_ms: number }[]>`
    select delivery_id, (extract(epoch from created_at) * 1000)::float8 as created_ms
    from webhook.deliveries where endpoint_id = any (${good}::uuid[]) and event <> 'ping'`;
  const arrivals = new Map<string, number>();
  for (const { headers, at } of receiver.received) {
    const id = String(headers['x-svc-delivery']);
    if (!arrivals.has(id)) arrivals.set(id, at);
  }
  const delays = rows
    .map((row) => (arrivals.get(row.delivery_id) ?? Number.POSITIVE_INFINITY) - row.created_ms)
    .sort((a, b) => a - b);
  const at = (share: number) => Math.round(delays[Math.ceil(delays.length * share) - 1] ?? Number.NaN);
  const [waiting] = await db.sql<{ n: number; attempts: number }[]>`
    select count(*)::int as n, sum(attempts)::int as attempts from webhook.deliveries where endpoint_id <> all (${good}::uuid[]) and event <> 'ping'`;
  console.log(
    `${rows.length} good deliveries over ${good.length} endpoints in ${tookSeconds.toFixed(1)} s with ${waiting?.n} to hanging ones (${waiting?.attempts} attempts): ` +
      `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms (target: p99 under 1,000 ms); ` +
      `sender ${cpu === null || cpuBefore === null ? '?' : ((cpu - cpuBefore) / deliveries).toFixed(2)} ms of CPU a delivery`,
  );
  expect(delays.every(Number.isFinite)).toBe(true);
  for (const n of bad) receiver.behaviours.delete(`/${n}`);
  const controlAfter = await control(good);
  const slowestControl = Math.max(controlBefore, controlAfter);
  console.log(`without hanging endpoints p99 is ${controlBefore} ms before and ${controlAfter} ms after`);
  // When the control itself is slow, the machine is too busy to judge. An endpoint that delays
  // others delays them by seconds.
  if (slowestControl <= 1_000) expect(at(0.99)).toBeLessThan(slowestControl <= 400 ? 1_000 : 4_000);
  else console.log('not checked: the machine is too busy');
});

/** p99 of a short stream at the same rate, ms. It consists of pings, which are not counted. */
async function control(ids: readonly string[]): Promise<number> {
  const mark = `control ${Date.now()}`;
  for (let turn = 0; turn < 50; turn++) {
    await db.sql`
      insert into webhook.deliveries (endpoint_id, event, body)
      select (${[...ids]}::uuid[])[1 + (n * 17 + ${turn}) % ${ids.length}::int], 'ping', ${JSON.stringify(mark)} from generate_series(1, 17) n`;
    await pause(100);
  }
  const rows = await waitUntil(
    async () => {
      const all = await db.sql<{ ms: number | null }[]>`
      select (extract(epoch from finished_at - created_at) * 1000)::float8 as ms from webhook.deliveries where body = ${JSON.stringify(mark)}`;
      return all.every((row) => row.ms !== null) && all;
    },
    { what: 'the control', timeoutMs: 60_000 },
  );
  const sorted = rows.map((row) => row.ms ?? 0).sort((a, b) => a - b);
  return Math.round(sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0);
}
