import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { COLUMNS, type Dataset } from '../../functions/export/columns.ts';
import { connect, ExportQueries } from '../../functions/export/database.ts';
import { Exporter } from '../../functions/export/exporter.ts';
import { stopClock } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { at, DAY, MemoryBucket, seedDay } from './support.ts';

let db: TestDatabase;
let clock: Awaited<ReturnType<typeof stopClock>>;
let seeded: TestDatabase;
let queries: ExportQueries;
let bucket: MemoryBucket;
const ended: Promise<void>[] = [];
beforeAll(async () => {
  seeded = await createDatabase();
  await seedDay(seeded);
  // A database with connections cannot be cloned.
  await seeded.sql.end();
});
beforeEach(async () => {
  db = await createDatabase({ from: seeded.name });
  clock = await stopClock(db.sql, at('11:30:00'));
  bucket = new MemoryBucket();
  queries = new ExportQueries(connect(db.url('parallax_export'), () => {}));
});
afterEach(async () => {
  await queries.end();
  ended.push(db.close());
});
afterAll(async () => {
  await Promise.all([...ended, seeded.close()]);
});

const exporterOf = (changes: Partial<ConstructorParameters<typeof Exporter>[0]> = {}) =>
  new Exporter({ queries, bucket, mayContinue: () => true, log: () => {}, ...changes });
const publishedDays = () => db.sql<{ day: string }[]>`select day::text from export.days where published_at is not null`;
const parts = () =>
  db.sql<{ dataset: Dataset; hour: number; part: number; row_count: number; path: string }[]>`
    select p.dataset, p.hour, p.part, p.row_count, f ->> 'path' as path
    from export.parts p, jsonb_array_elements(p.files) f
    where f ->> 'format' = 'ndjson'
    order by p.day, p.dataset, p.hour, p.part`;

/** The rows of a data set in the order of its parts. */
async function rowsOf(dataset: Dataset): Promise<Record<string, unknown>[]> {
  return (await parts())
    .filter((part) => part.dataset === dataset)
    .flatMap(({ path }) =>
      gunzipSync(bucket.files.get(path) ?? new Uint8Array())
        .toString()
        .split('\n'),
    )
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

describe('the parts of a day', () => {
  test('have every row once and in order, however small they are, and the columns of the contract', async () => {
    await db.sql`update export.settings set part_rows = 7`;
    await clock.set('2026-11-21T01:30:00Z');
    await exporterOf().run();
    const updates = await rowsOf('updates');
    const [wanted] = await db.sql<{ rows: number; asks: number }[]>`
      select sum(greatest(cardinality(ask_a), 1))::integer as rows,
             sum((select sum(a) from unnest(ask_a) a))::integer as asks
      from price.updates`;
    expect(updates).toHaveLength(wanted?.rows ?? 0);
    expect(updates.reduce((sum, row) => sum + Number(row.venue_a_ask_usd_micros), 0)).toBe(wanted?.asks);
    const keys = updates.map((row) => `${row.priced_at} ${String(row.update_no).padStart(9, '0')}`);
    expect(keys).toEqual([...keys].sort());
    expect(updates[0]).toMatchObject({
      outcome: 'home',
      venue_a_ask_usd_micros: 400_000,
      venue_a_ask_size_hundredths: 0,
    });
    expect(updates.at(-1)).toMatchObject({ outcome: null, void_reason: 'lease.expired', venue_a_ask_usd_micros: null });
    const sizes = (await parts()).filter(({ dataset }) => dataset === 'updates').map(({ row_count }) => row_count);
    expect(Math.max(...sizes)).toBe(7);
    for (const dataset of Object.keys(COLUMNS) as Dataset[])
      for (const row of await rowsOf(dataset)) expect(Object.keys(row)).toEqual(Object.keys(COLUMNS[dataset]));
    expect(await publishedDays()).toEqual([{ day: DAY }]);
  });

  test('hold the closed opportunity, both refusals, the pairs and the result, and nothing of an organization', async () => {
    await clock.set('2026-11-21T01:30:00Z');
    await exporterOf().run();
    expect(await rowsOf('opportunities')).toEqual([
      expect.objectContaining({
        opened_at: at('10:10:00.000'),
        closed_at: at('11:20:00.000'),
        close_reason: 'edge.gone',
        states: 2,
        opening_cost_usd_micros: 979_900,
        opening_size_hundredths: 12_000,
        peak_size_hundredths: 12_000,
        peak_legs: [expect.objectContaining({ venue: 'venue_a', ask: 450_000 }), expect.anything()],
      }),
    ]);
    expect((await rowsOf('refusals')).map(({ kind, code, occurrences }) => [kind, code, occurrences])).toEqual([
      ['match', 'date.differs', 1],
      ['opportunity', 'size.below_minimum', 12],
    ]);
    expect(await rowsOf('pairs')).toHaveLength(3);
    expect(await rowsOf('verdicts')).toEqual([expect.objectContaining({ verdict: 'agree', venues_agree: true })]);
    const text = [...bucket.files]
      .filter(([path]) => path.endsWith('.gz'))
      .map(([, bytes]) => gunzipSync(bytes).toString())
      .join('');
    expect(text).not.toMatch(/"org|org_id|key_id/);
    const typeOf = { parquet: 'application/vnd.apache.parquet', gz: 'application/gzip' };
    for (const [path, type] of bucket.types)
      expect(type, path).toBe(typeOf[path.split('.').at(-1) as keyof typeof typeOf]);
  });

  test('are made again after a kill, under the same names, and the day has no row twice', async () => {
    await db.sql`update export.settings set part_rows = 7`;
    await clock.set('2026-11-21T01:30:00Z');
    let uploads = 0;
    const dying = {
      upload: async (...file: Parameters<MemoryBucket['upload']>) => {
        uploads += 1;
        // The worker dies between the two files of its 14th part.
        if (uploads === 28) throw new Error('killed');
        await bucket.upload(...file);
      },
      remove: async () => {},
    };
    await expect(exporterOf({ bucket: dying }).run()).rejects.toThrow('killed');
    const half = (await parts()).length;
    expect(half).toBe(13);
    expect(await publishedDays()).toEqual([]);
    // The claim of the dead worker is over.
    await db.sql`update export.slices set claimed_until = clock_timestamp() - interval '1 second' where claim is not null`;
    await exporterOf().run();
    const all = await parts();
    expect(new Set(all.map(({ path }) => path)).size).toBe(all.length);
    expect(bucket.files.size).toBe(2 * all.length);
    const updates = await rowsOf('updates');
    expect(new Set(updates.map((row) => JSON.stringify([row.update_no, row.outcome]))).size).toBe(updates.length);
    expect(await publishedDays()).toEqual([{ day: DAY }]);
    await exporterOf().run();
    expect(await parts()).toEqual(all);
  });

  test('are made during the day, hour by hour, but the day is published with its last part only', async () => {
    await clock.set(at('12:15:00'));
    await exporterOf().run();
    const hours = (await parts()).map(({ dataset, hour }) => [dataset, hour]);
    expect(hours).toEqual(Array.from({ length: 12 }, (_, hour) => ['updates', hour]));
    expect(await publishedDays()).toEqual([]);
    await clock.set('2026-11-21T00:30:00Z');
    await exporterOf().run();
    expect((await parts()).length).toBe(24);
    expect(await publishedDays()).toEqual([]);
    await clock.set('2026-11-21T01:00:00Z');
    await exporterOf().run();
    expect(await publishedDays()).toEqual([{ day: DAY }]);
  });

  test('are claimed by one worker at a time, and a late worker records nothing', async () => {
    await clock.set(at('10:05:00'));
    const other = new ExportQueries(connect(db.url('parallax_export'), () => {}));
    const late = await queries.claimPart();
    const next = await other.claimPart();
    expect([late?.path, next?.path]).toEqual([`${DAY}/updates-00-0001`, `${DAY}/updates-01-0001`]);
    expect((await other.claimPart())?.path).toBe(`${DAY}/updates-02-0001`);
    await db.sql`update export.slices set claimed_until = clock_timestamp() - interval '1 second' where claim is not null`;
    const again = await other.claimPart();
    expect(again?.path).toBe(late?.path);
    expect(late && (await queries.recordPart(late, []))).toBe(false);
    expect(again && (await other.recordPart(again, []))).toBe(true);
    await other.end();
  });
});

test('an hour whose updates were already deleted is named in the export of its day', async () => {
  await db.sql`update price.settings set keep_updates = '6 hours'`;
  await clock.set('2026-11-21T01:30:00Z');
  await exporterOf().run();
  const purged = await db.sql<{ hour: number }[]>`select hour from export.slices where purged order by hour`;
  expect(purged.map(({ hour }) => hour)).toEqual(Array.from({ length: 19 }, (_, hour) => hour));
});

test('a result that a venue publishes late is in the next day, once', async () => {
  await clock.set('2026-11-21T01:30:00Z');
  await db.sql`select export.plan_day()`;
  await exporterOf().run();
  expect(await rowsOf('verdicts')).toHaveLength(1);
  await db.sql`
    update catalog.pairs
    set status = 'settled', result = ${db.sql.json({ verdict: 'diverge', venues_agree: false, void: false, winners: [], settled_at: at('23:59:00') })}
    where pair_id = (select min(pair_id::text)::uuid from catalog.pairs)`;
  await clock.set('2026-11-22T01:30:00Z');
  await exporterOf().run();
  expect((await rowsOf('verdicts')).map(({ verdict }) => verdict)).toEqual(['agree', 'diverge']);
  // All of one day, in pages of one.
  await db.sql`update export.verdicts set day = ${DAY}`;
  const page = (after: string | null) => db.sql<{ key: string[] }[]>`
    select key from export.verdicts_rows(${DAY}, ${after}::text::jsonb, 1)`;
  const [first, next] = await page(null);
  expect(first?.key).not.toEqual(next?.key);
  expect(await page(JSON.stringify(first?.key))).toEqual([next]);
  expect(await page(JSON.stringify(next?.key))).toEqual([]);
});

test('an expired day is deleted from Storage first and from the database after it', async () => {
  await clock.set('2026-11-21T01:30:00Z');
  await exporterOf().run();
  const before = bucket.files.size;
  await clock.set('2026-12-20T12:00:00Z');
  await exporterOf({ mayContinue: () => false }).run();
  expect(bucket.files.size).toBe(before);
  await clock.set('2026-12-21T12:00:00Z');
  for (let calls = 0; calls < 3; calls += 1) await exporterOf({ mayContinue: () => false }).run();
  expect(bucket.files.size).toBe(0);
  expect(await db.sql`select day from export.days where day = ${DAY}`).toEqual([]);
});

test('the role of the function may call its functions and read no table', async () => {
  const rows = await db.sql<{ name: string }[]>`
    select n.nspname || '.' || c.relname as name
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'v', 'p')
      and n.nspname !~ '^(pg_|information_schema)'
      and has_schema_privilege('parallax_export', n.oid, 'usage')
      and has_table_privilege('parallax_export', c.oid, 'select')`;
  expect(rows).toEqual([]);
});
