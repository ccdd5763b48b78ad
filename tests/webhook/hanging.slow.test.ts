import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { waitUntil } from '../support/wait_until.ts';
import { type Authority, createAuthority } from './support/certificate.ts';
import { Receiver } from './support/receiver.ts';
import { allowHosts, createEndpoint, type Endpoint, enqueue, organizationWithPlan } from './support/sender.ts';
import { SenderProcess } from './support/sender_process.ts';

// A receiver accepts connections and never answers, while events arrive faster than deliveries
// fail.
let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());

/** Seconds from each of the first three failures to the retry (spec.md, Webhook endpoint). */
const RETRY_DELAYS_SECONDS = [1, 5, 25];
/** An attempt at a hanging receiver lasts as long as the sender waits for a response. */
const ATTEMPT_SECONDS = 5;
const endpointAt = async (url: string): Promise<Endpoint> =>
  createEndpoint(db.sql, await organizationWithPlan(db.sql), url);
type EndpointRow = { failure_count: number; disabled: boolean; pending: number };
async function stateOf(id: string): Promise<EndpointRow> {
  const [row] = await db.sql<EndpointRow[]>`
    select failure_count, disabled_reason is not null as disabled, pending from webhook.endpoint_summaries where id = ${id}`;
  if (!row) throw new Error(`no endpoint ${id}`);
  return row;
}

type Claimed = { delivery_id: string; claim: string };
type Attempt = Claimed & { startedAt: number; endsAt: number };
type Run = {
  delaysSeconds: number[][];
  disabledAt: number;
  failuresSeen: number[];
  maxPending: number;
  maxConcurrent: number;
};

/**
 * Sends to one hanging endpoint for `seconds`, half a second a step. Time passes by moving every
 * due time back; the database makes the claims, records the results and keeps the state of the
 * endpoint.
 */
async function hang(id: string, perSecond: number, seconds: number): Promise<Run> {
  const run: Run = {
    delaysSeconds: [[], [], []],
    disabledAt: Number.NaN,
    failuresSeen: [],
    maxPending: 0,
    maxConcurrent: 0,
  };
  const recorded = new Map<string, { attempts: number; at: number }>();
  let running: Attempt[] = [];
  for (let now = 0; now < seconds; now += 0.5) {
    await db.sql`update webhook.deliveries set due_at = due_at - interval '0.5 seconds' where endpoint_id = ${id}`;
    await enqueue(db.sql, id, perSecond / 2);
    const finished = running.filter((one) => one.endsAt <= now);
    running = running.filter((one) => one.endsAt > now);
    const results = finished.map(({ delivery_id, claim }) => ({
      delivery_id,
      claim,
      error: 'timeout',
      took_ms: 5_000,
    }));
    await db.sql`select pipeline.record_results(${JSON.stringify(results)}::text::jsonb)`;
    for (const { delivery_id } of finished)
      recorded.set(delivery_id, { attempts: (recorded.get(delivery_id)?.attempts ?? 0) + 1, at: now });
    const state = await stateOf(id);
    if (state.failure_count !== run.failuresSeen.at(-1)) run.failuresSeen.push(state.failure_count);
    if (state.disabled) return { ...run, disabledAt: now };
    const claimed = await db.sql<Claimed[]>`
      select delivery_id, claim from webhook.claim_deliveries(64, 8, interval '5 seconds')`;
    for (const one of claimed) {
      const before = recorded.get(one.delivery_id);
      if (before)
        run.delaysSeconds[before.attempts - 1]?.push(
          now - before.at - (RETRY_DELAYS_SECONDS[before.attempts - 1] ?? 0),
        );
      running.push({ ...one, startedAt: now, endsAt: now + ATTEMPT_SECONDS });
    }
    run.maxConcurrent = Math.max(run.maxConcurrent, running.length);
    run.maxPending = Math.max(run.maxPending, (await stateOf(id)).pending);
  }
  return run;
}

describe('a hanging receiver in simulated time', () => {
  test.each([2, 12])(
    'is retried when due and disabled after exactly 20 failures, at %i events a second',
    async (perSecond) => {
      const { id } = await endpointAt(`https://hooks.example.com/${perSecond}`);
      const { delaysSeconds, disabledAt, failuresSeen, maxPending, maxConcurrent } = await hang(id, perSecond, 300);
      const maxDelays = delaysSeconds.map((some) => Math.max(...some));
      console.log(
        `${perSecond} events a second: retries at most ${maxDelays.join(', ')} s late, ${maxConcurrent} attempts at once, disabled after ${disabledAt} s`,
      );
      // The first eight attempts begin at once, because the endpoint still counts as responding.
      for (const [n, delay] of maxDelays.entries())
        expect(delay, `retry ${n + 1}`).toBeLessThanOrEqual(ATTEMPT_SECONDS);
      expect(maxConcurrent).toBeLessThanOrEqual(8);
      expect(disabledAt).toBeLessThan(240);
      expect(failuresSeen.at(-1)).toBe(20);
      expect(maxPending).toBeLessThanOrEqual(1_000);
      const rows = await db.sql<{ state: string; last_error: string; attempts: number; n: number }[]>`
      select state, last_error, attempts, count(*)::int as n from webhook.deliveries
      where endpoint_id = ${id} and state <> 'waiting' group by 1, 2, 3`;
      const failed = rows.filter((row) => row.state === 'failed');
      expect(failed.filter((row) => row.last_error === 'timeout')).toEqual([
        { state: 'failed', last_error: 'timeout', attempts: 4, n: 20 },
      ]);
      // At twelve events a second 1,000 deliveries wait long before the endpoint is disabled, at
      // two a second they do not.
      const backlog = failed.filter((row) => row.last_error === 'backlog');
      expect(backlog.every((row) => row.attempts === 0)).toBe(true);
      expect(backlog.length).toBe(perSecond === 12 ? 1 : 0);
    },
    120_000,
  );

  test('fails the oldest 200 of 1,200 waiting deliveries with backlog and counts no failure', async () => {
    const { id } = await endpointAt('https://hooks.example.com/many');
    const ids = await enqueue(db.sql, id, 1_200);
    expect((await stateOf(id)).pending).toBe(1_200);
    const claimed = await db.sql<
      Claimed[]
    >`select delivery_id from webhook.claim_deliveries(64, 8, interval '5 seconds')`;
    const failed = await db.sql<{ delivery_id: string; attempts: number; finished: boolean }[]>`
      select delivery_id, attempts, finished_at is not null as finished from webhook.deliveries
      where endpoint_id = ${id} and state = 'failed' and last_error = 'backlog' and due_at is null`;
    expect(new Set(failed.map((row) => row.delivery_id))).toEqual(new Set(ids.slice(0, 200)));
    expect(failed.every((row) => row.attempts === 0 && row.finished)).toBe(true);
    expect(claimed.map((row) => row.delivery_id).sort()).toEqual(ids.slice(200, 208).sort());
    expect(await stateOf(id)).toEqual({ failure_count: 0, disabled: false, pending: 1_000 });
  });
});

test('a receiver that hangs or drips is retried after 1, 5 and 25 s under load and disabled at 20 failures', async () => {
  const ca: Authority = createAuthority();
  const receiver = await Receiver.listen(ca);
  await allowHosts(db.sql, `localhost:${receiver.port}`);
  await db.sql`delete from webhook.deliveries`;
  await db.sql`update webhook.settings set backlog = 50`;
  const sender = new SenderProcess(db, ca.certificate);
  try {
    receiver.behaviours.set('/hang', 'hang').set('/drip', 'drip');
    const endpoints = [await endpointAt(receiver.url('/hang')), await endpointAt(receiver.url('/drip'))];
    // Twenty failures take about three minutes, so these endpoints begin with eighteen.
    await db.sql`update webhook.endpoints set failure_count = 18 where url like ${receiver.url('/%')}`;
    await waitUntil(async () => (await db.sql`select from webhook.sender_state where awake_until > now()`).length > 0, {
      what: 'the sender',
      timeoutMs: 60_000,
    });
    const maxPending = new Map(endpoints.map(({ id }) => [id, 0]));
    await waitUntil(
      async () => {
        const states = await Promise.all(endpoints.map(({ id }) => stateOf(id)));
        for (const [n, { id }] of endpoints.entries()) {
          maxPending.set(id, Math.max(maxPending.get(id) ?? 0, states[n]?.pending ?? 0));
          if (!states[n]?.disabled) await enqueue(db.sql, id);
        }
        return states.every((state) => state.disabled);
      },
      { what: 'both disabled', timeoutMs: 90_000 },
    );
    for (const { id, url } of endpoints) {
      expect((await stateOf(id)).failure_count, url).toBe(20);
      // Deliveries that arrive between two claims of the sender exceed the limit until the next
      // claim.
      expect(maxPending.get(id), url).toBeGreaterThan(45);
      expect(maxPending.get(id), url).toBeLessThanOrEqual(50 + 20);
      const attempts = new Map<string, number[]>();
      for (const one of receiver.requestsTo(new URL(url).pathname)) {
        const delivery = String(one.headers['x-svc-delivery']);
        attempts.set(delivery, [...(attempts.get(delivery) ?? []), one.at]);
      }
      const complete = [...attempts.values()].filter((some) => some.length === 4);
      expect(complete.length, url).toBeGreaterThanOrEqual(2);
      for (const some of attempts.values())
        for (const [n, one] of some.slice(1).entries()) {
          const waited = (one - (some[n] ?? 0)) / 1_000 - ATTEMPT_SECONDS;
          // The five seconds of an attempt begin before its connection is made, which takes long on
          // a busy machine. deliver.test.ts checks the exact minimum with a receiver that answers.
          expect(waited, `${url} retry ${n + 1}`).toBeGreaterThanOrEqual((RETRY_DELAYS_SECONDS[n] ?? 0) - 1);
          expect(waited, `${url} retry ${n + 1}`).toBeLessThan((RETRY_DELAYS_SECONDS[n] ?? 0) + ATTEMPT_SECONDS + 3);
        }
      const [row] = await db.sql`
        select count(*)::int as n from webhook.deliveries where endpoint_id = ${id} and last_error = 'backlog'`;
      expect(row?.n, url).toBeGreaterThan(0);
    }
  } finally {
    await sender.end();
    await receiver.close();
    await db.sql`update webhook.settings set backlog = default`;
  }
});
