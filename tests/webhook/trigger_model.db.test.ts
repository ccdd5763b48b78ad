import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { idOf, putPair, stopClock, uuidOf } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { runs } from '../support/runs.ts';
import { createEndpoint, organizationWithPlan } from './support/sender.ts';

// A model of the table "Spread threshold trigger" of spec.md, compared with the SQL: the same
// histories must fire the same events.
const REARM_MS = 30 * 60_000;

class Trigger {
  state: 'unseen' | 'armed' | 'disarmed' = 'unseen';
  below = false;
  last = Number.NEGATIVE_INFINITY;
  readonly threshold: number;

  constructor(threshold: number) {
    this.threshold = threshold;
  }

  /** Whether an observed spread, in points or null for a void price, fires at this time. */
  observe(spread: number | null, at: number, paused: boolean): boolean {
    if (spread === null) return false;
    const wasBelow = this.below;
    this.below = spread < this.threshold;
    if (this.state === 'unseen') {
      this.state = this.below ? 'armed' : 'disarmed';
      return false;
    }
    if (this.state === 'disarmed') {
      if (this.below) this.state = 'armed';
      return false;
    }
    if (this.below || !wasBelow || paused || at - this.last < REARM_MS) return false;
    this.state = 'disarmed';
    this.last = at;
    return true;
  }
}

const pairs = 120;
let db: TestDatabase;
let base = Date.parse('2026-11-20T00:00:00Z');
beforeAll(async () => {
  db = await createDatabase();
  await stopClock(db.sql, '2026-11-20T12:00:00Z');
  for (let n = 1; n <= pairs; n++) await putPair(db.sql, { n });
});
afterAll(() => db.close());

type Observation = { pair: number; at: number; spread: number | null };
async function observe(observations: Observation[]): Promise<void> {
  const rows = observations.map(({ pair, at, spread }, n) => ({ pair_id: uuidOf(pair), at, spread, n }));
  await db.sql`
    select webhook.detect_crossings(array(
      select row(r.pair_id, to_timestamp(r.at / 1000.0), r.n, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', null, null, null, r.spread,
                 case when r.spread is null then 'feed.silent' end)::price.price_update
      from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as r (pair_id uuid, at numeric, n bigint, spread numeric)
      order by r.n desc))`;
}

const thresholds = fc.constantFrom(0.5, 1, 1.0001, 2, 2, 3, 10, 50);
const spreads = fc.oneof(
  { weight: 1, arbitrary: fc.constant(null) },
  {
    weight: 6,
    arbitrary: fc.constantFrom(0, 0.4999, 0.5, 0.99, 1, 1.0001, 1.5, 1.9999, 2, 2.5, 3, 9.9999, 10, 49.9999, 50, 60),
  },
);
// Steps of time around the 30 minutes, some exactly on them.
const elapsed = fc.constantFrom(
  0,
  1,
  1_000,
  60_000,
  600_000,
  899_999,
  900_000,
  1_799_999,
  1_800_000,
  1_800_001,
  7_200_000,
);
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('register' as const), threshold: thresholds, org: fc.nat(2) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('plan' as const), org: fc.nat(2) }) },
  {
    weight: 14,
    arbitrary: fc.record({
      kind: fc.constant('flush' as const),
      elapsedMs: elapsed,
      // One flush may hold several spreads of one pair, also with the same time.
      moves: fc.array(fc.tuple(fc.integer({ min: 1, max: pairs }), spreads, elapsed), {
        minLength: 40,
        maxLength: 160,
      }),
    }),
  },
);

/** Fans out the events that a flush left to the senders. */
async function fanOutAll(): Promise<void> {
  for (;;) {
    const [row] = await db.sql<{ n: number }[]>`select webhook.fan_out_events(7) as n`;
    if (!row?.n) return;
  }
}

// The number of deliveries that a flush writes itself: the default, none, or some. The same events
// fire.
test.each([500, 0, 3])(
  'random histories fire exactly the events of the trigger model (%i deliveries inside a flush)',
  async (inlineDeliveries) => {
    await db.sql`update webhook.settings set inline_deliveries = ${inlineDeliveries}`;
    let histories = 0;
    let fired = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
        await db.sql`delete from webhook.endpoints`;
        base += 30 * 86_400_000;
        const orgs = await Promise.all([0, 1, 2].map(() => organizationWithPlan(db.sql)));
        const paused = [false, false, false];
        const live = new Map<string, { org: number; threshold: number; triggers: Map<number, Trigger> }>();
        const expected: string[] = [];
        let clock = base;
        for (const one of steps) {
          if (one.kind === 'register') {
            if (paused[one.org] || [...live.values()].filter((each) => each.org === one.org).length === 3) continue;
            const created = await createEndpoint(db.sql, orgs[one.org] ?? '', 'https://hooks.example.com', {
              threshold: one.threshold,
            });
            live.set(created.id, { org: one.org, threshold: one.threshold, triggers: new Map() });
          } else if (one.kind === 'delete') {
            const id = [...live.keys()][one.which % Math.max(live.size, 1)];
            if (id === undefined) continue;
            await db.sql`delete from webhook.endpoints where endpoint_id = ${id}`;
            live.delete(id);
            // Deleting an endpoint deletes its deliveries.
            expected.splice(0, expected.length, ...expected.filter((line) => !line.startsWith(id)));
          } else if (one.kind === 'plan') {
            await fanOutAll();
            paused[one.org] = !paused[one.org];
            await db.sql`select account.set_plan(${orgs[one.org] ?? ''}, ${paused[one.org] ? 'free' : 'pro'}, 'active', 'test')`;
          } else {
            clock += one.elapsedMs;
            const observations: Observation[] = [];
            for (const [pair, spread, elapsedMs] of one.moves) {
              clock += elapsedMs % 60_000;
              observations.push({ pair, spread, at: clock });
            }
            await observe(observations);
            for (const { pair, spread, at } of observations) {
              for (const [id, { org, threshold, triggers }] of live) {
                const trigger = triggers.get(pair) ?? new Trigger(threshold);
                triggers.set(pair, trigger);
                if (trigger.observe(spread, at, paused[org] ?? false)) {
                  expected.push(`${id} ${idOf(pair)} ${spread} of ${threshold} at ${new Date(at).toISOString()}`);
                }
              }
            }
          }
        }
        await fanOutAll();
        const rows = await db.sql<{ endpoint_id: string; body: string }[]>`
        select endpoint_id, body from webhook.deliveries where event = 'spread.threshold'`;
        const found = rows.map(({ endpoint_id, body }) => {
          const payload = JSON.parse(body);
          expect(payload).toEqual({
            ...{
              event: 'spread.threshold',
              endpoint_id,
              pair_id: expect.any(String),
              slug: expect.stringMatching(/^pair-/),
            },
            ...{
              title: expect.stringMatching(/^Title /),
              spread_pts: expect.any(Number),
              threshold_pts: expect.any(Number),
            },
            observed_at: expect.any(String),
          });
          return `${endpoint_id} ${payload.pair_id} ${payload.spread_pts} of ${payload.threshold_pts} at ${payload.observed_at}`;
        });
        expect(found.sort()).toEqual(expected.sort());
        histories += [...live.values()].reduce((sum, one) => sum + one.triggers.size, 0);
        fired += expected.length;
      }),
      { numRuns: runs(12) },
    );
    console.log(`spread.threshold: ${histories} histories of an endpoint and a pair, ${fired} events fired`);
    expect(histories).toBeGreaterThan(runs(600));
    expect(fired).toBeGreaterThan(runs(60));
  },
  300_000,
);
