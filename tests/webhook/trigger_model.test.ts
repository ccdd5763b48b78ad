import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { idOf, putPair, stopClock, uuidOf } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { endpoint, organizationWithPlan } from './support/sender.ts';

// spec.md's table "Spread threshold trigger", as it is written there, beside the SQL: the same histories must fire the same events.
const minutes30 = 30 * 60_000;

class Trigger {
  state: 'unseen' | 'armed' | 'disarmed' = 'unseen';
  below = false;
  last = Number.NEGATIVE_INFINITY;
  readonly threshold: number;

  constructor(threshold: number) {
    this.threshold = threshold;
  }

  /** Whether an observed gap, in points or null, fires at this time. */
  observe(gap: number | null, at: number, paused: boolean): boolean {
    if (gap === null) return false;
    const wasBelow = this.below;
    this.below = gap < this.threshold;
    if (this.state === 'unseen') {
      this.state = this.below ? 'armed' : 'disarmed';
      return false;
    }
    if (this.state === 'disarmed') {
      if (this.below) this.state = 'armed';
      return false;
    }
    if (this.below || !wasBelow || paused || at - this.last < minutes30) return false;
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

type Frame = { pair: number; at: number; gap: number | null };
async function observe(frames: Frame[]): Promise<void> {
  const rows = frames.map(({ pair, at, gap }, n) => ({ pair_id: uuidOf(pair), at, gap, n }));
  await db.sql`
    select webhook.detect_crossings(array(
      select row(r.pair_id, to_timestamp(r.at / 1000.0), r.n, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', null, null, null, r.gap,
                 case when r.gap is null then 'feed.silent' end)::price.price_update
      from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as r (pair_id uuid, at numeric, n bigint, gap numeric)
      order by r.n desc))`;
}

const thresholds = fc.constantFrom(0.5, 1, 1.0001, 2, 2, 3, 10, 50);
const gaps = fc.oneof(
  { weight: 1, arbitrary: fc.constant(null) },
  {
    weight: 6,
    arbitrary: fc.constantFrom(0, 0.4999, 0.5, 0.99, 1, 1.0001, 1.5, 1.9999, 2, 2.5, 3, 9.9999, 10, 49.9999, 50, 60),
  },
);
// Steps of time that meet the 30 minutes from both sides and exactly.
const passing = fc.constantFrom(
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
      passed: passing,
      // Several of one pair in one flush as well, the same time included.
      moves: fc.array(fc.tuple(fc.integer({ min: 1, max: pairs }), gaps, passing), { minLength: 40, maxLength: 160 }),
    }),
  },
);

/** Writes out what was decided and left to the senders. */
async function writtenOut(): Promise<void> {
  for (;;) {
    const [row] = await db.sql<{ n: number }[]>`select webhook.fan_out_events(7) as n`;
    if (!row?.n) return;
  }
}

// How many deliveries a flush writes by itself: none, some of them, as many as it does by default. The same events fire.
test.each([500, 0, 3])(
  'thousands of histories of gaps, registrations, deletions and plans fire exactly what the table says (%i at once)',
  async (at_once) => {
    await db.sql`update webhook.settings set inline_deliveries = ${at_once}`;
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
            const made = await endpoint(db.sql, orgs[one.org] ?? '', 'https://hooks.example.com', {
              threshold: one.threshold,
            });
            live.set(made.id, { org: one.org, threshold: one.threshold, triggers: new Map() });
          } else if (one.kind === 'delete') {
            const id = [...live.keys()][one.which % Math.max(live.size, 1)];
            if (id === undefined) continue;
            await db.sql`delete from webhook.endpoints where endpoint_id = ${id}`;
            live.delete(id);
            // Its deliveries go with it.
            expected.splice(0, expected.length, ...expected.filter((line) => !line.startsWith(id)));
          } else if (one.kind === 'plan') {
            await writtenOut();
            paused[one.org] = !paused[one.org];
            await db.sql`select account.set_plan(${orgs[one.org] ?? ''}, ${paused[one.org] ? 'free' : 'pro'}, 'active', 'test')`;
          } else {
            clock += one.passed;
            const frames: Frame[] = [];
            for (const [pair, gap, passed] of one.moves) {
              clock += passed % 60_000;
              frames.push({ pair, gap, at: clock });
            }
            await observe(frames);
            for (const { pair, gap, at } of frames) {
              for (const [id, { org, threshold, triggers }] of live) {
                const trigger = triggers.get(pair) ?? new Trigger(threshold);
                triggers.set(pair, trigger);
                if (trigger.observe(gap, at, paused[org] ?? false)) {
                  expected.push(`${id} ${idOf(pair)} ${gap} of ${threshold} at ${new Date(at).toISOString()}`);
                }
              }
            }
          }
        }
        await writtenOut();
        const rows = await db.sql<{ endpoint_id: string; body: string }[]>`
        select endpoint_id, body from webhook.deliveries where event = 'spread.threshold'`;
        const found = rows.map(({ endpoint_id, body }) => {
          const said = JSON.parse(body);
          expect(said).toEqual({
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
          return `${endpoint_id} ${said.pair_id} ${said.spread_pts} of ${said.threshold_pts} at ${said.observed_at}`;
        });
        expect(found.sort()).toEqual(expected.sort());
        histories += [...live.values()].reduce((sum, one) => sum + one.triggers.size, 0);
        fired += expected.length;
      }),
      // Of 300 samples of forty the fewest were 5,180 histories, of twenty-five 2,363.
      { numRuns: 40 },
    );
    console.log(`spread.threshold: ${histories} histories of an endpoint and a pair, ${fired} events fired`);
    expect(histories).toBeGreaterThan(3_000);
    expect(fired).toBeGreaterThan(500);
  },
  300_000,
);
