import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  changePair,
  holdShardLeases,
  putPair,
  putUpdate,
  putUpdates,
  stopClock,
  uuidOf,
} from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

let db: TestDatabase;
let clock: Awaited<ReturnType<typeof stopClock>>;

beforeAll(async () => {
  db = await createDatabase();
  await holdShardLeases(db.sql);
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.sql`truncate catalog.pairs, catalog.outcomes, catalog.strikes, price.updates, price.latest_updates, price.snapshot_rows`;
  await db.sql`update price.snapshot_state set step = '-infinity'`;
  clock = await stopClock(db.sql, '2026-11-20T12:00:00Z');
});

type Row = { head: string; outcomes: string; tail: string; settlement: string; priced: boolean };
const refresh = async () => {
  const [row] = await db.sql<{ step: Date }[]>`select pipeline.refresh_snapshot() as step`;
  return row?.step.toISOString();
};
const snapshotRow = async (n: number) => {
  const [row] = await db.sql<Row[]>`select * from price.snapshot where pair_id = ${uuidOf(n)}`;
  return row;
};
const asks = async (n: number) => {
  const row = await snapshotRow(n);
  return row
    ? (JSON.parse(row.outcomes) as { venue_a: number; venue_b: number }[]).map((o) => [o.venue_a, o.venue_b])
    : undefined;
};

describe('the step of the snapshot', () => {
  test('is floor((market time - delay) to 5 s in UTC)', async () => {
    for (const [now, step] of [
      ['2026-11-20T12:00:00.000Z', '2026-11-20T11:58:00.000Z'],
      ['2026-11-20T12:00:04.999Z', '2026-11-20T11:58:00.000Z'],
      ['2026-11-20T12:00:05.000Z', '2026-11-20T11:58:05.000Z'],
    ]) {
      const [row] = await db.sql<{ step: Date }[]>`select price.step_at(${now ?? ''}::timestamptz) as step`;
      expect(row?.step.toISOString()).toBe(step);
    }
  });

  test('contains the last update at or before it, and none after it', async () => {
    await putPair(db.sql, { n: 1 });
    await putUpdate(db.sql, 1, { at: '2026-11-20T11:57:59.000Z', ask_a: [400000, 610000], ask_b: [410000, 600000] });
    await putUpdate(db.sql, 1, { at: '2026-11-20T11:58:00.000Z', ask_a: [420000, 610000], ask_b: [410000, 600000] });
    await putUpdate(db.sql, 1, { at: '2026-11-20T11:58:00.001Z', ask_a: [430000, 610000], ask_b: [410000, 600000] });
    expect(await refresh()).toBe('2026-11-20T11:58:00.000Z');
    expect(await asks(1)).toEqual([
      [0.42, 0.41],
      [0.61, 0.6],
    ]);
    await clock.set('2026-11-20T12:00:05Z');
    await refresh();
    expect(await asks(1)).toEqual([
      [0.43, 0.41],
      [0.61, 0.6],
    ]);
  });

  test('contains an update read exactly at the step, of a pair that had a price before', async () => {
    await putPair(db.sql, { n: 1 });
    await putUpdate(db.sql, 1, { at: '2026-11-20T11:57:59.000Z', ask_a: [400000, 610000], ask_b: [410000, 600000] });
    await refresh();
    await putUpdate(db.sql, 1, { at: '2026-11-20T11:58:05.000Z', ask_a: [420000, 610000], ask_b: [410000, 600000] });
    const later = [
      [0.42, 0.41],
      [0.61, 0.6],
    ];
    await clock.set('2026-11-20T12:00:05Z');
    expect(await refresh()).toBe('2026-11-20T11:58:05.000Z');
    expect(await asks(1)).toEqual(later);
    // No later step applies the update again.
    await clock.set('2026-11-20T12:00:10Z');
    await refresh();
    expect(await asks(1)).toEqual(later);
  });

  test('contains the update that was written last when two have one instant', async () => {
    await putPair(db.sql, { n: 1 });
    await putUpdate(db.sql, 1, { at: '2026-11-20T11:57:59.000Z', ask_a: [400000, 610000], ask_b: [410000, 600000] });
    await putUpdate(db.sql, 1, { at: '2026-11-20T11:57:59.000Z', ask_a: [405000, 610000], ask_b: [410000, 600000] });
    await refresh();
    expect(await asks(1)).toEqual([
      [0.405, 0.41],
      [0.61, 0.6],
    ]);
  });

  test('does not change until the next step, with any input', async () => {
    await putPair(db.sql, { n: 1 });
    await putUpdate(db.sql, 1, { at: '2026-11-20T11:57:00Z', ask_a: [400000, 610000], ask_b: [410000, 600000] });
    await refresh();
    const before = await db.sql`select * from price.snapshot`;
    await clock.set('2026-11-20T12:00:04.9Z');
    await putUpdate(db.sql, 1, { at: '2026-11-20T11:57:30Z', ask_a: [500000, 610000], ask_b: [410000, 600000] });
    await putPair(db.sql, { n: 2 });
    await changePair(db.sql, 1, { title: 'Another' });
    await refresh();
    expect(await db.sql`select * from price.snapshot`).toEqual(before);
  });

  test('writes only the changed rows', async () => {
    for (const n of [1, 2, 3]) {
      await putPair(db.sql, { n });
      await putUpdate(db.sql, n, { at: '2026-11-20T11:57:00Z', ask_a: [400000, 610000], ask_b: [410000, 600000] });
    }
    await refresh();
    const untouched =
      await db.sql`select pair_id, xmin::text from price.snapshot_rows where pair_id <> ${uuidOf(2)} order by 1`;
    await putUpdate(db.sql, 2, { at: '2026-11-20T11:58:02Z', ask_a: [450000, 610000], ask_b: [410000, 600000] });
    await clock.set('2026-11-20T12:00:05Z');
    await refresh();
    const [step] = await db.sql`select rows_written from price.snapshot_state`;
    expect(step?.rows_written).toBe(1);
    expect(
      await db.sql`select pair_id, xmin::text from price.snapshot_rows where pair_id <> ${uuidOf(2)} order by 1`,
    ).toEqual(untouched);
    await clock.set('2026-11-20T12:00:10Z');
    await refresh();
    expect((await db.sql`select rows_written from price.snapshot_state`)[0]?.rows_written).toBe(0);
  });

  test('applies an identity change at once and keeps the delayed price', async () => {
    await putPair(db.sql, { n: 1 });
    await putUpdate(db.sql, 1, { at: '2026-11-20T11:57:00Z', ask_a: [400000, 610000], ask_b: [410000, 600000] });
    await putUpdate(db.sql, 1, { at: '2026-11-20T11:59:59Z', ask_a: [900000, 110000], ask_b: [910000, 100000] });
    await refresh();
    await changePair(db.sql, 1, { title: 'Renamed' });
    await clock.set('2026-11-20T12:00:05Z');
    await refresh();
    expect((await snapshotRow(1))?.head).toContain('"title":"Renamed"');
    expect(await asks(1)).toEqual([
      [0.4, 0.41],
      [0.61, 0.6],
    ]);
  });

  test('applies a change that committed after a later one', async () => {
    await putPair(db.sql, { n: 1 });
    await putPair(db.sql, { n: 2 });
    await refresh();
    const [first] = await db.sql<{ no: string }[]>`select nextval('catalog.change_numbers') as no`;
    await changePair(db.sql, 2, { title: 'Second' });
    await clock.set('2026-11-20T12:00:05Z');
    await refresh();
    await db.sql`update catalog.pairs set title = 'First', change_no = ${first?.no ?? ''} where pair_id = ${uuidOf(1)}`;
    await clock.set('2026-11-20T12:00:10Z');
    await refresh();
    expect((await snapshotRow(1))?.head).toContain('"title":"First"');
  });

  test('drops withdrawn pairs, and restores the price when one returns, also after its updates were purged', async () => {
    await putPair(db.sql, { n: 1 });
    await putUpdate(db.sql, 1, { at: '2026-11-20T11:57:00Z', ask_a: [400000, 610000], ask_b: [410000, 600000] });
    await refresh();
    await changePair(db.sql, 1, { withdrawn_at: '2026-11-20T12:00:00Z', withdrawn_code: 'test' });
    await clock.set('2026-11-20T12:00:05Z');
    await refresh();
    expect(await snapshotRow(1)).toBeUndefined();
    await db.sql`truncate price.updates`;
    await changePair(db.sql, 1, { withdrawn_at: null, withdrawn_code: null });
    await clock.set('2026-11-20T12:00:10Z');
    await refresh();
    expect(await asks(1)).toEqual([
      [0.4, 0.41],
      [0.61, 0.6],
    ]);
  });

  test('voids the price after the leases of its books have expired', async () => {
    await putPair(db.sql, { n: 1 });
    await putUpdate(db.sql, 1, { at: '2026-11-20T11:57:00Z', ask_a: [400000, 610000], ask_b: [410000, 600000] });
    await refresh();
    await db.sql`update venue.leases set expires_at = clock_timestamp() - interval '1 minute'`;
    await clock.set('2026-11-20T12:10:00Z');
    await refresh();
    await clock.set('2026-11-20T12:13:00Z');
    await refresh();
    expect((await snapshotRow(1))?.outcomes).toBe('[]');
    expect((await snapshotRow(1))?.tail).toContain('"priced_at":"2026-11-19T12:34:56.789Z"');
    await holdShardLeases(db.sql);
  });

  test('restarts when the market clock was set back, so that no future price is served', async () => {
    await putPair(db.sql, { n: 1 });
    await putUpdate(db.sql, 1, { at: '2026-11-20T11:57:00Z', ask_a: [400000, 610000], ask_b: [410000, 600000] });
    await putUpdate(db.sql, 1, { at: '2026-11-20T11:57:30Z', ask_a: [500000, 510000], ask_b: [410000, 600000] });
    await refresh();
    await clock.set('2026-11-20T11:59:10Z');
    expect(await refresh()).toBe('2026-11-20T11:58:00.000Z');
    await clock.set('2026-11-20T11:58:05Z');
    expect(await refresh()).toBe('2026-11-20T11:56:05.000Z');
    expect((await snapshotRow(1))?.outcomes).toBe('[]');
    await clock.set('2026-11-20T11:59:05Z');
    await refresh();
    expect(await asks(1)).toEqual([
      [0.4, 0.41],
      [0.61, 0.6],
    ]);
  });

  test('is rendered once for many concurrent requests', async () => {
    await putPair(db.sql, { n: 1 });
    const [before] = await db.sql`select change_no from price.snapshot_state`;
    await Promise.all(Array.from({ length: 12 }, refresh));
    const [after] = await db.sql`select change_no from price.snapshot_state`;
    expect(Number(after?.change_no) - Number(before?.change_no)).toBe(1);
  });

  const before = { ask_a: [300000, 710000], ask_b: [310000, 700000] };
  const after = { ask_a: [400000, 610000], ask_b: [410000, 600000] };
  const afterAsks = [
    [0.4, 0.41],
    [0.61, 0.6],
  ];

  test.each([
    { delay: '120 seconds', at: '2026-11-20T11:57:59.900Z' },
    { delay: '0', at: '2026-11-20T11:59:59.900Z' },
  ])(
    'contains an update written after its own step from the next step on, with a delay of $delay',
    async ({ delay, at }) => {
      await db.sql`update price.settings set rest_delay = ${delay}::interval`;
      try {
        await putPair(db.sql, { n: 1 });
        await putUpdate(db.sql, 1, { at: '2026-11-20T11:57:00Z', ...before });
        await refresh();
        // As after an outage: one flush writes all updates since then, and only the first is old
        // enough for the step.
        await putUpdates(db.sql, [
          [1, { at, ...after }],
          [1, { at: '2026-11-20T12:00:05.001Z', ask_a: [900000, 110000], ask_b: [910000, 100000] }],
        ]);
        await clock.set('2026-11-20T12:00:05Z');
        await refresh();
        expect(await asks(1)).toEqual(afterAsks);
        expect(await db.sql`select from price.late_updates`).toHaveLength(0);
      } finally {
        await db.sql`update price.settings set rest_delay = '120 seconds'`;
      }
    },
  );

  test('does not lose an update whose transaction is open while the step is rendered', async () => {
    await putPair(db.sql, { n: 1 });
    await putUpdate(db.sql, 1, { at: '2026-11-20T11:57:00Z', ...before });
    await refresh();
    await db.sql`update clock.segments set real_from = clock_timestamp(), rate = 1`;
    // Another late update of the pair waits for the step already.
    await putUpdate(db.sql, 1, { at: '2026-11-20T11:58:03Z', ...before, ask_a: [310000, 700000] });
    const flush = await db.sql.reserve();
    await flush`begin`;
    await putUpdate(flush, 1, { at: '2026-11-20T11:58:04Z', ...after });
    await clock.set('2026-11-20T12:00:05Z');
    await refresh();
    await flush`commit`;
    flush.release();
    await clock.set('2026-11-20T12:00:10Z');
    await refresh();
    expect(await asks(1)).toEqual(afterAsks);
  });
});

describe('the condition for ready', () => {
  const isReady = async () => (await db.sql<{ yes: boolean }[]>`select price.is_snapshot_ready() as yes`)[0]?.yes;

  test('is met when four of five pairs that have a price serve one', async () => {
    expect(await isReady()).toBe(false);
    for (let n = 1; n <= 5; n++) await putPair(db.sql, { n });
    for (let n = 1; n <= 4; n++) {
      await putUpdate(db.sql, n, { at: '2026-11-20T11:57:00Z', ask_a: [400000, 610000], ask_b: [410000, 600000] });
    }
    await putUpdate(db.sql, 5, { at: '2026-11-20T11:59:00Z', ask_a: [400000, 610000], ask_b: [410000, 600000] });
    expect(await isReady()).toBe(false);
    await refresh();
    expect(await isReady()).toBe(true);
    await db.sql`delete from price.snapshot_rows where pair_id = ${uuidOf(1)}`;
    expect(await isReady()).toBe(false);
  });

  test('does not wait for a pair with empty books', async () => {
    for (const n of [1, 2]) await putPair(db.sql, { n });
    await putUpdate(db.sql, 1, { at: '2026-11-20T11:57:59.000Z', ask_a: [400000, 610000], ask_b: [410000, 600000] });
    await putUpdate(db.sql, 2, { at: '2026-11-20T11:57:59.000Z', ask_a: [null, null], ask_b: [null, null] });
    expect(await isReady()).toBe(false);
    await refresh();
    expect(await isReady()).toBe(true);
  });
});

describe('partitions of price updates', () => {
  // One stray time must not create thousands of partitions.
  test('are created for the hours of the updates and for no hour between them', async () => {
    const own = await createDatabase();
    try {
      await holdShardLeases(own.sql);
      for (const n of [1, 2, 3]) await putPair(own.sql, { n });
      const asks = { ask_a: [400000, 610000], ask_b: [410000, 600000] };
      const written = await putUpdates(own.sql, [
        [1, { at: '2020-01-01T00:30:00.000Z', ...asks }],
        [2, { at: '2026-11-20T11:59:00.000Z', ...asks }],
        [3, { at: '2026-11-20T11:01:00.000Z', ...asks }],
      ]);
      expect(written).toBe(3);
      const hours = await own.sql<{ name: string }[]>`
        select inhrelid::regclass::text as name from pg_inherits where inhparent = 'price.updates'::regclass order by 1`;
      expect(hours.map((row) => row.name)).toEqual(['price.updates_2020010100', 'price.updates_2026112011']);
    } finally {
      await own.close();
    }
  });
});
