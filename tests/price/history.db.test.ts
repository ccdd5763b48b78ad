import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { changePair, holdShardLeases, putPair, putUpdate, stopClock, uuidOf } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

let db: TestDatabase;
let clock: Awaited<ReturnType<typeof stopClock>>;
beforeAll(async () => {
  db = await createDatabase();
  clock = await stopClock(db.sql, '2026-11-20T12:00:00Z');
});
afterAll(() => db.close());
beforeEach(async () => {
  await clock.set('2026-11-20T12:00:00Z');
  await holdShardLeases(db.sql);
  await db.sql`
    truncate catalog.pairs, catalog.outcomes, catalog.strikes, price.updates, price.latest_updates, price.snapshot_rows, price.minute_samples, price.hourly_history,
      price.outcome_orders`;
  await db.sql`update price.snapshot_state set step = '-infinity'`;
  await db.sql`update price.sampler_state set sampled_at = '-infinity'`;
});

const even = { ask_a: [400000, 610000], ask_b: [420000, 600000] };
const odd = { ask_a: [410000, 600000], ask_b: [420000, 590000] };

/**
 * Sets market time to `hh:mm:ss` of the day, then refreshes the snapshot and runs the sampler.
 * Returns the number of new points.
 */
async function at(time: string, limit = 500): Promise<number> {
  await clock.set(`2026-11-20T${time}Z`);
  await db.sql`select pipeline.refresh_snapshot()`;
  const [row] = await db.sql<{ n: number }[]>`select price.sample_history(${limit}) as n`;
  return row?.n ?? 0;
}

const writeUpdate = (n: number, time: string, asks: object) =>
  putUpdate(db.sql, n, { at: `2026-11-20T${time}Z`, ...asks });

/** All points of a pair, packed and unpacked: [hh:mm, outcome keys, asks of venue_a]. */
async function points(n: number): Promise<[string, string, number[]][]> {
  const rows = await db.sql<{ at: string; keys: string; ask_a: number[] }[]>`
    with all_of as (
      select s.t, s.order_no, s.ask_a from price.minute_samples s where s.pair_id = ${uuidOf(n)}
      union all
      select h.hour + h.minutes[m] * interval '1 minute', h.order_no, (
        select array_agg(u.ask order by u.n)
        from unnest(h.ask_a) with ordinality u(ask, n)
        where (u.n - 1) / array_length(h.ask_a, 2) = m - 1
      )
      from price.hourly_history h, generate_subscripts(h.minutes, 1) m
      where h.pair_id = ${uuidOf(n)}
    )
    select to_char(p.t at time zone 'UTC', 'HH24:MI') as at, array_to_string(o.keys, ',') as keys, p.ask_a
    from all_of p join price.outcome_orders o using (order_no) order by p.t`;
  return rows.map((row) => [row.at, row.keys, row.ask_a]);
}

const minutes = async (n: number) => (await points(n)).map(([when]) => when);

describe('a point of history', () => {
  test('is the price update that was current at the start of its minute, not the one before or within it', async () => {
    await putPair(db.sql, { n: 1 });
    await writeUpdate(1, '11:50:30.000', even);
    await writeUpdate(1, '11:52:00.000', odd);
    await writeUpdate(1, '11:52:10.000', even);
    await writeUpdate(1, '11:52:59.999', odd);
    await at('11:55:00');
    expect(await points(1)).toEqual([
      ['11:51', 'home,away', [400000, 610000]],
      ['11:52', 'home,away', [410000, 600000]],
      ['11:53', 'home,away', [410000, 600000]],
    ]);
  });

  test('is one of at most the given number in a call, and the next call continues', async () => {
    await putPair(db.sql, { n: 1 });
    await writeUpdate(1, '11:40:30.000', even);
    expect(await at('11:50:00', 3)).toBe(3);
    expect(await minutes(1)).toEqual(['11:41', '11:42', '11:43']);
    expect(await at('11:50:00', 2)).toBe(2);
    expect((await minutes(1)).at(-1)).toBe('11:45');
    expect(await at('11:50:00')).toBe(3);
    expect(await at('11:50:00')).toBe(0);
    expect(await minutes(1)).toHaveLength(8);
  });

  test('repeats every minute for an unchanged book, also beyond the retention of price updates', async () => {
    await putPair(db.sql, { n: 1 });
    await writeUpdate(1, '01:00:00.000', even);
    await at('01:05:00');
    await at('09:05:00');
    await db.sql`select price.drop_old_partitions()`;
    await at('10:02:00');
    // Price updates are kept for six hours, so a sampler that was stopped for eight hours continues
    // six hours back.
    const taken = await minutes(1);
    expect([taken.length, taken[0], taken.at(-1)]).toEqual([421, '01:01', '10:00']);
  });
});

describe('history across a gap', () => {
  test('has no point from a void update until the next price', async () => {
    await putPair(db.sql, { n: 1 });
    await writeUpdate(1, '11:40:30.000', even);
    await writeUpdate(1, '11:42:30.000', { void: 'feed.silent' });
    await writeUpdate(1, '11:45:30.000', even);
    await at('11:49:00');
    expect(await minutes(1)).toEqual(['11:41', '11:42', '11:46', '11:47']);
  });

  test('has no point for updates without any ask or with another number of outcomes', async () => {
    await putPair(db.sql, { n: 1 });
    await putPair(db.sql, { n: 2 });
    await writeUpdate(1, '11:40:30.000', { ask_a: [null, null], ask_b: [null, null] });
    await writeUpdate(2, '11:40:30.000', { ask_a: [1, 2, 3], ask_b: [1, 2, 3] });
    expect(await at('11:49:00')).toBe(0);
  });

  test('ends with the expired lease of a worker, also when the expiry is detected late', async () => {
    await putPair(db.sql, { n: 1 });
    await writeUpdate(1, '11:40:30.000', even);
    await db.sql`update venue.leases set expires_at = '2000-01-01Z' where name like 'books:%'`;
    await clock.set('2026-11-20T11:42:30Z');
    await db.sql`select pipeline.void_unread_pairs()`;
    await at('11:55:00');
    expect(await minutes(1)).toEqual(['11:41', '11:42']);
  });

  test('ends with the last update of a pair that no longer trades', async () => {
    await putPair(db.sql, { n: 1 });
    await writeUpdate(1, '11:40:30.000', even);
    await writeUpdate(1, '11:43:30.000', odd);
    await changePair(db.sql, 1, { status: 'settled' });
    await at('11:50:00');
    expect(await minutes(1)).toEqual(['11:41', '11:42', '11:43', '11:44']);
  });
});

describe('the sampler', () => {
  test('gives the same points when it runs each minute, once, or with a limit of buckets', async () => {
    const pointsAfter = async (runs: () => Promise<void>) => {
      await db.sql`truncate price.minute_samples, price.hourly_history, price.updates, price.latest_updates, price.outcome_orders`;
      await db.sql`update price.sampler_state set sampled_at = '-infinity'`;
      for (let m = 0; m < 60; m += 3) {
        const when = (s: string) => `10:${String(m).padStart(2, '0')}:${s}`;
        await writeUpdate(1, when('20.000'), m % 2 ? even : odd);
        if (m % 5 === 0) await writeUpdate(2, when('40.000'), m % 2 ? odd : { void: 'book.crossed' });
      }
      await writeUpdate(2, '11:20:00.000', even);
      await runs();
      return [await points(1), await points(2)];
    };
    await putPair(db.sql, { n: 1 });
    await putPair(db.sql, { n: 2 });
    const once = await pointsAfter(async () => void (await at('11:30:00')));
    const parts = await pointsAfter(async () => {
      while ((await db.sql`select 1 from price.sampler_state where sampled_at < '2026-11-20T11:28:00Z'`).length > 0)
        await at('11:30:00', 7);
    });
    const each = await pointsAfter(async () => {
      for (let m = 2; m <= 90; m += 1) {
        await at(`${10 + Math.floor(m / 60)}:${String(m % 60).padStart(2, '0')}:00`);
      }
    });
    expect(once[0]?.length).toBe(88);
    expect(parts).toEqual(once);
    expect(each).toEqual(once);
  });

  test('carries a price into the next hour in one call, although a later update is known', async () => {
    await putPair(db.sql, { n: 1 });
    await writeUpdate(1, '10:40:30.000', even);
    await writeUpdate(1, '11:20:30.000', odd);
    await at('11:30:00');
    expect((await minutes(1)).length).toBe(48);
  });

  test('adds no points to a gap that is longer than the retention of price updates', async () => {
    await putPair(db.sql, { n: 1 });
    await writeUpdate(1, '01:00:30.000', even);
    await at('01:05:00');
    await writeUpdate(1, '11:00:30.000', odd);
    await db.sql`drop table if exists price.updates_2026112001`;
    await at('11:04:00');
    expect(await minutes(1)).toEqual(['01:01', '01:02', '01:03', '11:01', '11:02']);
  });

  test('takes each bucket once when several run at the same time', async () => {
    await putPair(db.sql, { n: 1 });
    await writeUpdate(1, '11:30:30.000', even);
    await clock.set('2026-11-20T11:40:00Z');
    await db.sql`select pipeline.refresh_snapshot()`;
    await Promise.all([1, 2, 3].map(() => db.sql`select price.sample_history(500)`));
    expect((await minutes(1)).length).toBe(8);
  });

  test('deletes points of the future when the market clock is set back', async () => {
    await putPair(db.sql, { n: 1 });
    await writeUpdate(1, '09:50:30.000', even);
    await at('11:40:00');
    await at('10:30:00');
    expect((await minutes(1)).at(-1)).toBe('09:59');
  });
});

describe('the points of an outcome', () => {
  test('belong to the old outcomes before a change of the pair, and to the new ones after it', async () => {
    await putPair(db.sql, { n: 1 });
    await writeUpdate(1, '11:40:30.000', even);
    await at('11:44:00');
    await db.sql`update catalog.outcomes set key = 'draw' where key = 'home'`;
    await changePair(db.sql, 1, { updated_at: '2026-11-20T11:43:10Z' });
    await writeUpdate(1, '11:43:40.000', odd);
    await at('11:47:00');
    expect(await points(1)).toEqual([
      ['11:41', 'home,away', [400000, 610000]],
      ['11:42', 'home,away', [400000, 610000]],
      ['11:43', 'home,away', [400000, 610000]],
      ['11:44', 'draw,away', [410000, 600000]],
      ['11:45', 'draw,away', [410000, 600000]],
    ]);
  });
});

describe('has_history', () => {
  const snapshotRow = async (n: number) =>
    (await db.sql`select has_history, change_no from price.snapshot where pair_id = ${uuidOf(n)}`)[0];

  test('is set with the first point, and is kept when the pair is withdrawn and returns', async () => {
    await putPair(db.sql, { n: 1 });
    await putPair(db.sql, { n: 2 });
    await writeUpdate(1, '11:40:30.000', even);
    await at('11:42:30');
    expect([(await snapshotRow(1))?.has_history, (await snapshotRow(2))?.has_history]).toEqual([false, false]);
    await at('11:44:00');
    expect([(await snapshotRow(1))?.has_history, (await snapshotRow(2))?.has_history]).toEqual([true, false]);
    await changePair(db.sql, 1, { status: 'settled', withdrawn_at: '2026-11-20T11:44:00Z' });
    await at('11:45:00');
    expect(await snapshotRow(1)).toBeUndefined();
    await changePair(db.sql, 1, { withdrawn_at: null });
    await at('11:46:00');
    expect((await snapshotRow(1))?.has_history).toBe(true);
  });

  test('is cleared with the last day of history', async () => {
    await putPair(db.sql, { n: 1 });
    await writeUpdate(1, '09:40:30.000', even);
    await at('11:44:00');
    await changePair(db.sql, 1, { status: 'settled' });
    await at('11:45:00');
    await db.sql`select price.drop_old_history()`;
    expect((await snapshotRow(1))?.has_history).toBe(true);
    await clock.set('2027-02-19T12:00:00Z');
    await db.sql`select price.sample_history(), price.drop_old_history()`;
    expect((await snapshotRow(1))?.has_history).toBe(false);
    expect(await db.sql`select from price.hourly_history`).toHaveLength(0);
    expect(await db.sql`select from price.outcome_orders`).toHaveLength(0);
  });
});

test('past hours are packed into a row for each pair, and their minutes are deleted', async () => {
  await putPair(db.sql, { n: 1 });
  await writeUpdate(1, '08:30:30.000', even);
  await at('11:10:00');
  const [rows] = await db.sql`
    select (select count(*)::integer from price.minute_samples) as samples, (select count(*)::integer from price.hourly_history) as hours,
           (select array_agg(cardinality(minutes) order by hour) from price.hourly_history) as minutes`;
  expect(rows).toEqual({ samples: 9, hours: 3, minutes: [29, 60, 60] });
});

test('the api role may run the sampler, and may call no other function of it', async () => {
  const may = async (role: string, name: string) =>
    (await db.sql<{ may: boolean }[]>`select has_function_privilege(${role}, ${name}, 'execute') as may`)[0]?.may;
  expect(await may('parallax_api', 'price.sample_history(integer)')).toBe(true);
  for (const role of ['anon', 'authenticated', 'parallax_ingest']) {
    expect(await may(role, 'price.sample_history(integer)')).toBe(false);
  }
  for (const part of [
    'price.sample_bucket(timestamptz, timestamptz)',
    'price.pack_hours(timestamptz)',
    'price.drop_old_history()',
  ]) {
    expect(await may('parallax_api', part)).toBe(false);
  }
});
