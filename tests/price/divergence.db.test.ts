import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { holdShardLeases, putPair, putUpdate, type SeedUpdate, stopClock, uuidOf } from '../api/support/catalog.ts';
import { good } from '../arb/fixture.ts';
import { context, gameA, gameB, NOW } from '../catalog/fixtures.ts';
import { listedA, listedB, putListings, runMatchPass } from '../catalog/listings.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

/**
 * Guarantee: a published pair with mid prices 25 points apart for five minutes is in REVIEW until
 * an operator confirms it.
 */

let db: TestDatabase;
let clock: Awaited<ReturnType<typeof stopClock>>;
beforeAll(async () => {
  db = await createDatabase();
  await holdShardLeases(db.sql);
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.sql`truncate catalog.pairs, catalog.outcomes, catalog.strikes, catalog.alarms, catalog.alarm_reviews, price.updates, price.latest_updates, price.snapshot_rows`;
  await db.sql`update price.snapshot_state set step = '-infinity'`;
  clock = await stopClock(db.sql, '2026-11-20T12:00:00Z');
});

/** Books of both venues with a spread of one cent around these mid prices, in 1e-6 USD. */
const books = (at: string, a: number, b: number, more: Partial<SeedUpdate> = {}): SeedUpdate => ({
  at,
  ask_a: [a + 5_000, 1_005_000 - a],
  bid_a: [a - 5_000, 995_000 - a],
  ask_b: [b + 5_000, 1_005_000 - b],
  bid_b: [b - 5_000, 995_000 - b],
  ...more,
});
const apart = (at: string) => books(at, 300_000, 600_000);
const near = (at: string) => books(at, 400_000, 600_000);

const watch = async (at?: string): Promise<number> => {
  if (at !== undefined) await clock.set(at);
  const [row] = await db.sql<{ raised: number }[]>`select pipeline.watch_divergence() as raised`;
  return row?.raised ?? -1;
};
const pairOf = async (id = uuidOf(1)) => {
  const [row] = await db.sql<{ stage: string; band: string; change_no: string; reason: string; band_ok: boolean }[]>`
    select p.stage, p.band, p.change_no, g.reason, g.band_ok from catalog.pairs p join catalog.match_gates g using (pair_id) where p.pair_id = ${id}`;
  return row;
};
const review = (decision: string, id = uuidOf(1)) =>
  db.sql`select pipeline.review_alarm(${id}, ${decision}, 'a reviewer', 'both texts and the league''s page were read') as alarm`;

describe('the alarm price_divergence', () => {
  it('is raised after five minutes without a break, and not before', async () => {
    await putPair(db.sql, { n: 1, band: 'HIGH', confirmed: true });
    await putUpdate(db.sql, 1, near('2026-11-20T11:50:00Z'));
    await putUpdate(db.sql, 1, apart('2026-11-20T11:55:30Z'));
    expect(await watch('2026-11-20T12:00:00Z')).toBe(0);
    expect(await watch('2026-11-20T12:00:29Z')).toBe(0);
    expect(await pairOf()).toMatchObject({ stage: 'catalog', band: 'HIGH' });
    expect(await watch('2026-11-20T12:00:31Z')).toBe(1);
    expect(await pairOf()).toMatchObject({
      stage: 'candidate',
      band: 'REVIEW',
      band_ok: false,
      reason: 'band.price_divergence',
    });
    const [alarm] =
      await db.sql`select reason, outcome_key, mid_a_usd6, mid_b_usd6, stage_before, band_before from catalog.alarms`;
    expect(alarm).toEqual({
      reason: 'price_divergence',
      outcome_key: 'home',
      mid_a_usd6: 300_000,
      mid_b_usd6: 600_000,
      stage_before: 'catalog',
      band_before: 'HIGH',
    });
    expect(await watch('2026-11-20T12:02:00Z')).toBe(0);
  });

  it.each<[string, SeedUpdate[]]>([
    ['24.9 points', [books('2026-11-20T11:50:00Z', 300_000, 549_000)]],
    [
      'a minute of agreement in between',
      [apart('2026-11-20T11:50:00Z'), near('2026-11-20T11:57:00Z'), apart('2026-11-20T11:58:00Z')],
    ],
    [
      'a void update in between',
      [
        apart('2026-11-20T11:50:00Z'),
        { at: '2026-11-20T11:57:00Z', ask_a: [null, null], ask_b: [null, null], void: 'feed.silent' },
        apart('2026-11-20T11:57:10Z'),
      ],
    ],
    [
      'a current void update',
      [
        apart('2026-11-20T11:50:00Z'),
        { at: '2026-11-20T11:59:00Z', ask_a: [null, null], ask_b: [null, null], void: 'book.crossed' },
      ],
    ],
    [
      'two outcomes that diverge for less than five minutes each',
      [
        books('2026-11-20T11:50:00Z', 300_000, 600_000, { bid_a: [null, 695_000], bid_b: [595_000, 395_000] }),
        books('2026-11-20T11:58:00Z', 300_000, 600_000, { bid_a: [295_000, null] }),
      ],
    ],
    ['an empty side of a book', [books('2026-11-20T11:50:00Z', 300_000, 600_000, { bid_a: [null, null] })]],
    ['a crossed book', [books('2026-11-20T11:50:00Z', 300_000, 600_000, { bid_a: [310_000, 710_000] })]],
  ])('is not raised for %s', async (_, updates) => {
    await putPair(db.sql, { n: 1, band: 'HIGH' });
    for (const update of updates) await putUpdate(db.sql, 1, update);
    expect(await watch()).toBe(0);
  });

  it('is not raised for a candidate, a settled pair, or books that no worker reads', async () => {
    await putPair(db.sql, { n: 1, stage: 'candidate', band: 'REVIEW' });
    await putPair(db.sql, { n: 2, status: 'settled' });
    await putPair(db.sql, { n: 3, band: 'HIGH' });
    for (const n of [1, 2, 3]) await putUpdate(db.sql, n, apart('2026-11-20T11:50:00Z'));
    await db.sql`update venue.leases set expires_at = clock_timestamp() - interval '1 second'`;
    expect(await watch()).toBe(0);
    await holdShardLeases(db.sql);
    expect(await watch()).toBe(1);
    expect((await db.sql`select pair_id from catalog.alarms`).map((row) => row.pair_id)).toEqual([uuidOf(3)]);
  });
});

describe('a raised alarm', () => {
  it('makes the pair a candidate in REVIEW and closes its open opportunity with the reason', async () => {
    await putPair(db.sql, { n: 1, band: 'HIGH', confirmed: true });
    await putUpdate(db.sql, 1, { ...apart('2026-11-20T11:50:00Z'), opp: good(1) });
    await watch();
    await db.sql`select pipeline.refresh_snapshot()`;
    const [row] = await db.sql`select stage, band, signal, head from price.snapshot`;
    expect(row).toMatchObject({ stage: 'candidate', band: 'REVIEW', signal: 'spread' });
    expect(row?.head).toContain('"match":"review"');
    expect((await db.sql`select close_reason from arb.opportunities`).map((one) => one.close_reason)).toEqual([
      'band.price_divergence',
    ]);
  });
});

describe('an operator', () => {
  const raiseAlarm = async () => {
    await putPair(db.sql, { n: 1, band: 'HIGH' });
    await putUpdate(db.sql, 1, apart('2026-11-20T11:50:00Z'));
    expect(await watch()).toBe(1);
  };

  it('publishes the pair again by a confirmation, and the same divergence raises no second alarm', async () => {
    await raiseAlarm();
    const [row] = await review('confirm');
    expect(row?.alarm).toMatchObject({ reviews: [{ decision: 'confirm', reviewer: 'a reviewer' }] });
    expect(await pairOf()).toMatchObject({ stage: 'catalog', band: 'HIGH' });
    expect(await watch('2026-11-20T12:30:00Z')).toBe(0);
    // The divergence ends and begins again.
    await putUpdate(db.sql, 1, near('2026-11-20T12:31:00Z'));
    expect(await watch('2026-11-20T12:32:00Z')).toBe(0);
    await putUpdate(db.sql, 1, apart('2026-11-20T12:33:00Z'));
    expect(await watch('2026-11-20T12:36:00Z')).toBe(0);
    expect(await watch('2026-11-20T12:39:00Z')).toBe(1);
  });

  it('returns the pair to REVIEW by withdrawing a confirmation', async () => {
    await raiseAlarm();
    await review('confirm');
    await review('withdraw');
    expect(await pairOf()).toMatchObject({
      stage: 'candidate',
      band: 'REVIEW',
      reason: expect.stringContaining('band.price_divergence'),
    });
  });

  it('gets an error when there is no alarm, no name or no reason', async () => {
    await putPair(db.sql, { n: 1 });
    await expect(review('confirm')).rejects.toThrow(/has no alarm/);
    await raiseAlarm().catch(() => {});
    await db.sql`select catalog.raise_alarm(${uuidOf(1)}, 'home', 300000, 600000)`;
    await expect(db.sql`select pipeline.review_alarm(${uuidOf(1)}, 'confirm', ' ', 'x')`).rejects.toThrow(/reviewer/);
    await expect(db.sql`select pipeline.review_alarm(${uuidOf(1)}, 'confirm', 'x', ' ')`).rejects.toThrow(/note/);
    await review('confirm');
    await expect(review('confirm')).rejects.toThrow(/already confirmed/);
  });
});

it('a match pass keeps the alarm, and publishes the pair again after a confirmation', async () => {
  await stopClock(db.sql, NOW);
  const HOU = { code: 'HOU', label: 'Houston' };
  const SD = { code: 'SD', label: 'San Diego' };
  const list = async (title: string) => {
    await putListings(db.sql, 'venue_a', [listedA(gameA('KXMLBGAME-26AUG092020HOUSD', title, [HOU, SD]), context)]);
    await putListings(db.sql, 'venue_b', [
      listedB(
        gameB('mlb-hou-sd-2026-08-09', ['San Diego Padres', 'Houston Astros'], {
          id: 'x',
          start: '2026-08-10 00:20:00+00',
        }),
        context,
      ),
    ]);
    await runMatchPass(db.sql);
  };
  await list('Houston vs San Diego');
  const [pair] = await db.sql<{ pair_id: string }[]>`select pair_id from catalog.pairs`;
  const id = pair?.pair_id ?? '';
  expect(await pairOf(id)).toMatchObject({ stage: 'catalog', band: 'HIGH' });
  await db.sql`select catalog.raise_alarm(${id}, 'houston-astros', 300000, 600000)`;
  await list('Houston vs San Diego');
  expect(await pairOf(id)).toMatchObject({ stage: 'candidate', band: 'REVIEW' });
  // Without the input hash the match pass writes the whole pair again.
  await db.sql`update catalog.pairs set input_hash = ''`;
  await runMatchPass(db.sql);
  expect(await pairOf(id)).toMatchObject({ stage: 'candidate', band: 'REVIEW' });
  await review('confirm', id);
  await runMatchPass(db.sql);
  expect(await pairOf(id)).toMatchObject({ stage: 'catalog', band: 'HIGH' });
});
