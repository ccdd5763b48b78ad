import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { runs } from '../support/runs.ts';
import { createEndpoint, enqueue, organizationWithPlan } from './support/sender.ts';

// A model of the table "Webhook endpoint" and the delivery rules of spec.md, compared with the SQL.
// Senders die, record a result late, or twice.
const RETRY_DELAYS_MS = [1_000, 5_000, 25_000];
const CLAIM_MS = 15_000;

type Delivery = {
  ping: boolean;
  state: 'waiting' | 'delivered' | 'failed' | 'dropped';
  attempts: number;
  /** Bounds of the due time. The test and the database read their clocks at different moments. */
  due: [number, number];
  claim: string | null;
  backlog: boolean;
  /** Increases with each delivery that begins to wait. */
  order: number;
};
/** The backlog limit (webhook.settings.backlog). It is low, so that most histories exceed it. */
const MAX_BACKLOG = 60;
class Endpoint {
  failures = 0;
  disabled = false;
  readonly deliveries = new Map<string, Delivery>();

  /** Fails the oldest deliveries beyond the limit, those that were never attempted first. */
  limitBacklog(): void {
    const waiting = [...this.deliveries].filter(([, one]) => one.state === 'waiting');
    const oldest = waiting
      .filter(([, one]) => one.claim === null)
      .sort(([, a], [, b]) => Number(a.attempts > 0) - Number(b.attempts > 0) || a.order - b.order);
    const failed = oldest.slice(0, Math.max(0, waiting.length - MAX_BACKLOG));
    for (const [, one] of failed) Object.assign(one, { state: 'failed', backlog: true });
  }

  record(one: Delivery, ok: boolean, before: number, after: number): void {
    one.attempts += 1;
    one.claim = null;
    const final = one.attempts === 4;
    if (ok) one.state = 'delivered';
    else if (final) one.state = 'failed';
    else if (this.disabled) one.state = 'dropped';
    else
      one.due = [before + (RETRY_DELAYS_MS[one.attempts - 1] ?? 0), after + (RETRY_DELAYS_MS[one.attempts - 1] ?? 0)];
    if (this.disabled) return;
    if (ok) this.failures = 0;
    else if (final && !one.ping && ++this.failures === 20) {
      this.disabled = true;
      for (const each of this.deliveries.values())
        if (each.state === 'waiting' && each.claim === null) each.state = 'dropped';
    }
  }
}

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
  await db.sql`update webhook.settings set backlog = ${MAX_BACKLOG}`;
});
afterAll(() => db.close());

type Claimed = { delivery_id: string; claim: string };
const claim = (each: number) =>
  db.sql<Claimed[]>`select delivery_id, claim from webhook.claim_deliveries(1000, ${each}, interval '5 seconds')`;
const recordResults = (results: { delivery_id: string; claim: string; status?: number; error?: string }[]) =>
  db.sql`select pipeline.record_results(${JSON.stringify(results.map((one) => ({ took_ms: 1, ...one })))}::text::jsonb)`;

const step = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('enqueue' as const), count: fc.integer({ min: 1, max: 40 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('ping' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('replay' as const), which: fc.nat() }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      passed: fc.constantFrom(0, 2_000, 6_000, 16_000, 30_000),
      // The fate of each claimed delivery: answered, lost with its sender, or recorded only after
      // its claim expired. Most answers of one step are alike; otherwise no endpoint fails 20 times
      // in a row.
      bad: fc.boolean(),
      rounds: fc.constantFrom(1, 2, 5, 12, 30),
      fates: fc.array(
        fc.constantFrom('usual', 'usual', 'usual', 'usual', 'usual', 'usual', 'other', 'lost', 'late', 'twice'),
        { minLength: 5, maxLength: 30 },
      ),
    }),
  },
);

test('random delivery histories end with the states and counts of the endpoint model', async () => {
  let histories = 0;
  const seen = { delivered: 0, failed: 0, dropped: 0, waiting: 0, disabled: 0, backlog: 0 };
  await fc.assert(
    // Some endpoints begin with failures, because 20 failures of four attempts each make a long
    // history.
    fc.asyncProperty(
      fc.constantFrom(0, 17, 19, 19),
      fc.array(step, { minLength: 8, maxLength: 24 }),
      async (failures, steps) => {
        await db.sql`delete from webhook.endpoints`;
        const org = await organizationWithPlan(db.sql);
        const { id } = await createEndpoint(db.sql, org, 'https://hooks.example.com');
        await db.sql`update webhook.endpoints set failure_count = ${failures} where endpoint_id = ${id}`;
        const model = new Endpoint();
        model.failures = failures;
        let ahead = 0;
        let order = 0;
        const now = () => Date.now() + ahead;
        let late: (Claimed & { ok: boolean })[] = [];
        for (const one of steps) {
          const before = now();
          if (one.kind === 'enqueue' || one.kind === 'ping') {
            if (model.disabled) continue;
            const ping = one.kind === 'ping';
            const ids = ping
              ? (await db.sql<{ id: string }[]>`select webhook.send_ping(${id}) as id`).map((row) => row.id)
              : await enqueue(db.sql, id, one.count);
            for (const each of ids)
              model.deliveries.set(each, {
                ...{ ping, state: 'waiting', attempts: 0, due: [before, now()], claim: null },
                ...{ backlog: false, order: order++ },
              });
          } else if (one.kind === 'replay') {
            const [which, delivery] = [...model.deliveries][one.which % Math.max(model.deliveries.size, 1)] ?? [];
            if (!which || !delivery || model.disabled) continue;
            const [row] = await db.sql<{ done: boolean }[]>`select webhook.replay_delivery(${which}) as done`;
            expect(row?.done).toBe(delivery.state === 'failed' || delivery.state === 'dropped');
            if (row?.done)
              Object.assign(delivery, {
                ...{ state: 'waiting', attempts: 0, due: [before, now()], claim: null },
                ...{ backlog: false, order: order++ },
              });
          } else {
            for (let round = 0; round < one.rounds; round++) {
              ahead += one.passed;
              await db.sql`update webhook.deliveries set due_at = due_at - ${`${one.passed} milliseconds`}::interval`;
              const askedAt = now();
              model.limitBacklog();
              const claimed = await claim(1_000);
              const returnedAt = now();
              const waiting = [...model.deliveries].filter(([, each]) => each.state === 'waiting');
              if (model.disabled) expect(claimed).toEqual([]);
              else {
                const ids = new Set(claimed.map((each) => each.delivery_id));
                for (const [each, { due }] of waiting)
                  if (ids.has(each)) expect(due[0]).toBeLessThanOrEqual(returnedAt);
                const due = waiting.filter(([, each]) => each.due[1] < askedAt - 5);
                const unclaimed = due.filter(([each]) => !ids.has(each));
                // A due retry is always claimed, however the endpoint answers.
                expect(unclaimed.filter(([, each]) => each.attempts > 0)).toEqual([]);
                const [row] =
                  await db.sql`select is_responding as answers from webhook.endpoints where endpoint_id = ${id}`;
                if (row?.answers) expect(unclaimed).toEqual([]);
                else {
                  // An endpoint that does not respond gets a first attempt only while fewer than
                  // two are under way.
                  const firsts = waiting.filter(([each, { attempts }]) => ids.has(each) && attempts === 0).length;
                  expect(firsts).toBeLessThanOrEqual(2);
                  if (firsts > 0) expect(claimed.length).toBeLessThanOrEqual(Math.max(2, firsts));
                  expect(
                    claimed.length > 0 || due.length === 0 || waiting.some(([, each]) => each.claim !== null),
                  ).toBe(true);
                }
              }
              for (const each of claimed) {
                const delivery = model.deliveries.get(each.delivery_id);
                if (delivery)
                  Object.assign(delivery, { claim: each.claim, due: [askedAt + CLAIM_MS, returnedAt + CLAIM_MS] });
              }
              const results: Parameters<typeof recordResults>[0] = [];
              const recorded: [Delivery, boolean][] = [];
              const later: typeof late = [];
              for (const [n, each] of claimed.entries()) {
                const fate = one.fates[n % one.fates.length];
                const ok = fate === 'other' ? one.bad : !one.bad;
                if (fate === 'lost') continue;
                if (fate === 'late') {
                  later.push({ ...each, ok });
                  continue;
                }
                const result = { ...each, ...(ok ? { status: 200 } : n % 2 ? { status: 500 } : { error: 'timeout' }) };
                results.push(result);
                if (fate === 'twice') results.push(result);
                const delivery = model.deliveries.get(each.delivery_id);
                if (delivery) recorded.push([delivery, ok]);
              }
              const recordedAt = now();
              await recordResults(results);
              for (const [delivery, ok] of recorded) model.record(delivery, ok, recordedAt, now());
              // Results of the previous round count while no other sender has claimed their
              // delivery.
              for (const each of late) {
                const delivery = model.deliveries.get(each.delivery_id);
                const counts = delivery?.state === 'waiting' && delivery.claim === each.claim;
                const at = now();
                await recordResults([{ ...each, status: each.ok ? 204 : 404 }]);
                if (counts) model.record(delivery, each.ok, at, now());
              }
              late = later;
            }
          }
        }
        const [row] = await db.sql`select * from webhook.endpoints where endpoint_id = ${id}`;
        expect([row?.failure_count, row?.disabled_reason]).toEqual([
          model.failures,
          model.disabled ? 'delivery_failures' : null,
        ]);
        expect(row?.disabled_at !== null).toBe(model.disabled);
        const rows = await db.sql<{ delivery_id: string; state: string; attempts: number; backlog: boolean }[]>`
        select delivery_id, state, attempts, state = 'failed' and last_error = 'backlog' as backlog
        from webhook.deliveries where endpoint_id = ${id}`;
        expect(new Map(rows.map((each) => [each.delivery_id, [each.state, each.attempts, each.backlog]]))).toEqual(
          new Map([...model.deliveries].map(([each, one]) => [each, [one.state, one.attempts, one.backlog]])),
        );
        const [listed] = await db.sql`select pending from webhook.endpoint_summaries where id = ${id}`;
        expect(listed?.pending).toBe([...model.deliveries.values()].filter((one) => one.state === 'waiting').length);
        for (const one of model.deliveries.values()) seen.backlog += one.backlog ? 1 : 0;
        histories += model.deliveries.size;
        for (const { state } of model.deliveries.values()) seen[state] += 1;
        seen.disabled += model.disabled ? 1 : 0;
        const published = await db.sql`
        select p.frames from stream.publications p where p.channel = ${`org:${org}`} and p.frames::text like '%webhook%'`;
        expect(published).toHaveLength(model.disabled ? 1 : 0);
      },
    ),
    // A random run may disable no endpoint and stay below the limit. Of these two histories one
    // disables an endpoint, which drops deliveries, and one exceeds the limit.
    {
      numRuns: runs(15),
      examples: [
        [
          19,
          [
            { kind: 'enqueue', count: 5 },
            { kind: 'send', passed: 30_000, bad: true, rounds: 2, fates: ['usual'] },
            { kind: 'enqueue', count: 5 },
            { kind: 'send', passed: 30_000, bad: true, rounds: 2, fates: ['usual'] },
          ],
        ],
        [
          0,
          [
            { kind: 'enqueue', count: 40 },
            { kind: 'enqueue', count: 40 },
            { kind: 'send', passed: 0, bad: false, rounds: 1, fates: ['usual'] },
          ],
        ],
      ],
    },
  );
  console.log(`deliveries: ${histories} histories, ${JSON.stringify(seen)}`);
  expect(
    Math.min(seen.delivered, seen.failed, seen.dropped, seen.waiting, seen.disabled, seen.backlog),
  ).toBeGreaterThan(0);
});

test('publishes the disabling of an endpoint on the channel of its organization and in the audit, once', async () => {
  const org = await organizationWithPlan(db.sql);
  const { id, url } = await createEndpoint(db.sql, org, 'https://hooks.example.com/gone');
  for (let n = 1; n <= 20; n++) {
    await enqueue(db.sql, id);
    for (let attempt = 1; attempt <= 4; attempt++) {
      const claimed = await claim(10);
      await recordResults(claimed.map((one) => ({ ...one, status: 500 })));
      await db.sql`update webhook.deliveries set due_at = due_at - interval '1 minute' where endpoint_id = ${id}`;
    }
    const [row] = await db.sql`select failure_count, disabled_at from webhook.endpoints where endpoint_id = ${id}`;
    expect([row?.failure_count, row?.disabled_at !== null]).toEqual([n, n === 20]);
  }
  const [published] = await db.sql<{ frames: string[] }[]>`
    select p.frames from stream.publications p where p.channel = ${`org:${org}`}`;
  expect(published?.frames.map((frame) => JSON.parse(frame))).toEqual([
    { type: 'webhook', event: 'disabled', id, url, disabled_reason: 'delivery_failures', failure_count: 20 },
  ]);
  const audit =
    await db.sql`select actor, action from account.audit where org_id = ${org} and action = 'webhook.disabled'`;
  expect(audit).toEqual([{ actor: 'delivery', action: 'webhook.disabled' }]);
  // A disabled endpoint stays disabled: later events are not sent to it.
  expect(await db.sql`select from webhook.active_endpoints where endpoint_id = ${id}`).toHaveLength(0);
});
