import { afterAll, beforeAll, expect, test } from 'vitest';
import { holdShardLeases, stopClock } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { waitUntil } from '../support/wait_until.ts';
import { gamesADay, hourMs, listHour, priceHour, weekStart } from './week.ts';

/**
 * Guarantee: the database holds current data, data with a stated retention, and history. Nothing
 * else grows. A week passes in steps of an hour, with every job as pg_cron calls it. A retention of
 * 30 days is one day here, so that sizes are stable from day 3 on.
 */

/**
 * Tables that may grow: settled pairs with their results as served, their prices by minute, and the
 * track record.
 */
const history = new Set([
  'catalog.pairs',
  'catalog.outcomes',
  'catalog.outcome_keys',
  'arb.track_records',
  'arb.track_record_legs',
  'price.hourly_history',
  'price.outcome_orders',
  'price.snapshot_rows',
  // The search and the look-up also find settled pairs.
  'price.search_texts',
  'price.venue_ids',
]);

type Measure = { rows: number; kb: number };
type ServedMarket = { pair_id: string; market: string };

let db: TestDatabase;
const measures = new Map<number, Map<string, Measure>>();
let settledOnDay3: ServedMarket[] = [];
let fewestPriced = Number.POSITIVE_INFINITY;

/**
 * No other process of this database has a snapshot. A vacuum keeps the dead rows that a snapshot
 * may see, and autovacuum takes one while it analyzes.
 */
const noOtherSnapshot = () =>
  waitUntil(
    async () => {
      const others = await db.sql`
        select from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and backend_xmin is not null`;
      return others.length === 0;
    },
    { what: 'no other process has a snapshot', everyMs: 20 },
  );

/** Rows and size of every table of the project, with partitions, indexes and TOAST. */
async function measure(): Promise<Map<string, Measure>> {
  const tables = await db.sql<{ name: string }[]>`
    select format('%I.%I', n.nspname, c.relname) as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('venue', 'catalog', 'price', 'census', 'account', 'clock', 'jobs', 'arb', 'stream', 'webhook')
      and c.relkind in ('r', 'p') and not c.relispartition
    order by 1`;
  const found = new Map<string, Measure>();
  for (const { name } of tables) {
    await noOtherSnapshot();
    // Stands in for autovacuum. The test moves the rows of the publication log by an update, which
    // leaves dead rows that only `full` removes.
    await db.sql.unsafe(`vacuum ${name === 'stream.publications' ? '(full)' : ''} ${name}`);
    const [row] = await db.sql.unsafe<{ rows: number; kb: number }[]>(`
      select (select count(*)::integer from ${name}) as rows,
             (select (sum(pg_total_relation_size(t.relid)) / 1024)::integer from pg_partition_tree('${name}'::regclass) t) as kb`);
    const [own] = await db.sql.unsafe<{ kb: number }[]>(
      `select (pg_total_relation_size('${name}') / 1024)::integer as kb`,
    );
    if (row && own) found.set(name, { rows: row.rows, kb: row.kb ?? own.kb });
  }
  return found;
}

const settled = () => db.sql<ServedMarket[]>`
  select s.pair_id, s.head || s.outcomes || s.tail || s.ids || s.settlement as market
  from price.snapshot s where s.status = 'settled' order by s.pair_id`;

beforeAll(async () => {
  db = await createDatabase();
  const { sql } = db;
  await sql`
    update catalog.retention_settings
    set keep_listings = '1 day', keep_withdrawn = '1 day', keep_passes = '1 day', keep_rejected_rows = '1 day'`;
  const clock = await stopClock(sql, new Date(weekStart).toISOString());
  await sql`
    insert into venue.sweeps (venue, sweep, finished_at) values ('venue_a', 2, clock.now()), ('venue_b', 2, clock.now())`;
  for (let hour = 1; hour <= 7 * 24; hour += 1) {
    await holdShardLeases(sql);
    await clock.set(new Date(weekStart + hour * hourMs).toISOString());
    await listHour(sql, hour);
    await sql`
      select venue.record_rejected_rows('venue_a', jsonb_build_array(jsonb_build_object(
        'kind', 'market', 'native_id', ${`odd-${hour}`}::text, 'code', 'unreadable', 'detail', 'of a test', 'payload', '{}'::jsonb
      )))`;
    // Real time also passes by the hour, for the tables that are purged by real time.
    await sql`update venue.rejected_rows set last_seen_at = last_seen_at - interval '1 hour'`;
    await sql`update price.past_steps set ended_at = ended_at - interval '1 hour'`;
    await sql`update stream.published_markets set published_at = published_at - interval '1 hour'`;
    await sql`
      select stream.ensure_partition(p.at - interval '1 hour')
      from (select distinct date_bin('10 minutes', at, 'epoch') as at from stream.publications) p`;
    await sql`update stream.publications set at = at - interval '1 hour'`;
    if (hour % 24 === 1 || hour % 6 === 0) await sql`select pipeline.match_listings()`;
    await sql`select pipeline.refresh_statuses()`;
    const priced = await priceHour(sql, hour);
    if (hour > 48) fewestPriced = Math.min(fewestPriced, priced);
    await sql`select pipeline.refresh_snapshot()`;
    await sql`select price.sample_history(60)`;
    await sql`select census.rebuild_if_due()`;
    await sql`select jobs.purge_expired()`;
    await sql`select jobs.drop_expired_partitions()`;
    if (hour % 24 === 0) measures.set(hour / 24, await measure());
    if (hour === 3 * 24) settledOnDay3 = await settled();
  }
});
afterAll(() => db.close());

test('only history grows from day 3 to day 7', () => {
  const [third, last] = [measures.get(3), measures.get(7)];
  if (!third || !last) throw new Error('the week did not pass');
  const lines = [...last].map(([name, now]) => {
    const then = third.get(name) ?? { rows: 0, kb: 0 };
    return { name, then, now, grew: now.rows > then.rows * 1.05 + 2 || now.kb > then.kb * 1.25 + 128 };
  });
  const report = lines
    .filter((line) => line.now.rows > 0 || line.then.rows > 0)
    .map(
      ({ name, then, now }) =>
        `${name.padEnd(26)} ${String(then.rows).padStart(7)} -> ${String(now.rows).padStart(7)} rows  ${String(then.kb).padStart(6)} -> ${String(now.kb).padStart(6)} kB${history.has(name) ? '  history' : ''}`,
    );
  console.log(['day 3 -> day 7', ...report].join('\n'));
  expect(lines.filter((line) => line.grew && !history.has(line.name)).map((line) => line.name)).toEqual([]);
  expect(lines.filter((line) => line.grew).map((line) => line.name)).toContain('price.hourly_history');
});

test('the simulated week had priced, settled and cancelled games throughout', async () => {
  expect(fewestPriced).toBeGreaterThanOrEqual(gamesADay - 1);
  const [pairs] = await db.sql`
    select count(*) filter (where status = 'settled')::integer as settled,
           count(*) filter (where withdrawn_at is not null)::integer as withdrawn,
           count(*) filter (where withdrawn_at < '2026-08-06Z')::integer as long_withdrawn
    from catalog.pairs`;
  expect(pairs).toEqual({ settled: 6 * (gamesADay - 1), withdrawn: expect.any(Number), long_withdrawn: 0 });
  expect(pairs?.withdrawn).toBeGreaterThan(0);
  const [left] = await db.sql`
    select count(*)::integer as events from venue.events e
    where not exists (select from venue.markets m where m.venue = e.venue and m.event_id = e.event_id and m.state = 'trading')
      and e.seen_at < '2026-08-06T12:00:00Z'`;
  expect(left?.events).toBe(0);
});

test('the purge changes nothing that is served or counted', async () => {
  const now = new Map((await settled()).map((row) => [row.pair_id, row.market]));
  expect(settledOnDay3.length).toBe(2 * (gamesADay - 1));
  for (const row of settledOnDay3) expect(now.get(row.pair_id)).toBe(row.market);
  const [gone] = await db.sql`
    select count(*)::integer as n from catalog.pairs p
    where p.status = 'settled'
      and not exists (select from venue.questions q where q.question_id in (p.question_a, p.question_b))`;
  expect(gone?.n).toBe(5 * (gamesADay - 1));
  const rules = () =>
    db.sql`select rule_id, agreeing, diverging, edge_cases, confirmed_because from catalog.rules order by 1`;
  const before = await rules();
  expect(before.reduce((sum, rule) => sum + rule.agreeing, 0)).toBe(6 * (gamesADay - 1));
  await db.sql`select catalog.update_rule_parity()`;
  expect(await rules()).toEqual(before);
  // A match pass over the remaining listings withdraws no settled pair.
  await db.sql`select pipeline.match_listings()`;
  expect((await settled()).length).toBe(6 * (gamesADay - 1));
});

test('each settled pair keeps its history', async () => {
  const [row] = await db.sql`
    select count(*)::integer as pairs, count(*) filter (where s.has_history)::integer as marked,
           min((select sum(cardinality(h.minutes)) from price.hourly_history h where h.pair_id = s.pair_id))::integer as fewest
    from price.snapshot s where s.status = 'settled'`;
  expect(row).toMatchObject({ pairs: 6 * (gamesADay - 1), marked: 6 * (gamesADay - 1) });
  expect(row?.fewest).toBeGreaterThan(60 * 40);
});
