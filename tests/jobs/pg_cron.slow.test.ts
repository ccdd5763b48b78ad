import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildFromMigrations } from '../../local/platform/postgres/build.ts';
import { connectAdmin, type Sql } from '../../local/platform/postgres/template.ts';
import type { TemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { holdShardLeases, stopClock } from '../api/support/catalog.ts';
import { debianPostgres, startDebianPostgres } from '../support/debian_postgres.ts';
import { waitUntil } from '../support/wait_until.ts';
import { gamesADay, hourMs, listHour, priceHour, weekStart } from './week.ts';

// The migration, pushed by the Supabase CLI to PostgreSQL 17 with the real pg_cron 1.6, and its
// jobs, run by that extension. net and vault are the stand-ins of local/.

const native = debianPostgres('tests/jobs/pg_cron.slow.test.ts');
let server: TemporaryPostgres;
let url: string;
let sql: Sql;
let admin: Sql;
beforeAll(async () => {
  if (!native) return;
  server = await startDebianPostgres(native, 'project');
  url = await server.create('project');
  await buildFromMigrations(url);
  sql = postgres(url, { max: 4, onnotice: () => {} });
  await sql`select vault.create_secret('https://parallax.invalid/', 'project_url')`;
  await sql`select vault.create_secret('sb_secret_of_this_test', 'cron_key')`;
  admin = connectAdmin(server.cluster, 'project');
});
afterAll(async () => {
  await Promise.all([sql?.end({ timeout: 2 }), admin?.end({ timeout: 2 })]);
  await server?.stop();
});

const jobs = () => sql<{ jobname: string; schedule: string; command: string; username: string }[]>`
  select jobid, jobname::text, schedule, command, username, database, active from cron.job order by jobname`;

/** Schedules the jobs again, each second. The commands stay. */
const hurry = () => sql`
  select cron.schedule(jobname::text, '1 seconds', command) from cron.job where jobname like 'parallax\\_%'`;

/** Runs of each job that have ended, and the messages of those that failed. */
const runs = () => admin<{ job: string; succeeded: number; failures: string[] }[]>`
  select j.jobname::text as job, count(*) filter (where r.status = 'succeeded')::integer as succeeded,
         array_remove(array_agg(distinct case when r.status = 'failed' then trim(r.return_message) end), null) as failures
  from cron.job j
  left join cron.job_run_details r on r.jobid = j.jobid
  group by j.jobname
  order by j.jobname`;

describe.runIf(native)('PostgreSQL 17 with the real pg_cron 1.6', () => {
  test('the migration creates the extension as postgres and schedules each job once, in seconds', async () => {
    const [extension] = await admin`
      select extversion as version, extnamespace::regnamespace::text as schema,
             current_setting('server_version_num')::integer / 10000 as postgres
      from pg_extension where extname = 'pg_cron'`;
    expect(extension).toEqual({ version: '1.6', schema: 'pg_catalog', postgres: 17 });
    const first = await jobs();
    expect(first.map(({ jobname, schedule, command }) => [jobname, schedule, command])).toEqual([
      ['parallax_advance', '5 seconds', 'select pipeline.refresh_snapshot()'],
      ['parallax_deliver', '10 seconds', 'select webhook.wake_if_due()'],
      ['parallax_history', '5 seconds', 'select price.sample_history()'],
      ['parallax_ingest', '10 seconds', `select base.call_edge_function('ingest')`],
      [
        'parallax_minute',
        '* * * * *',
        'select census.rebuild_if_due(), pipeline.watch_divergence(), arb.update_track_record(), ops.sample_gates(), stream.sample_feed_delays(), export.wake_if_due()',
      ],
      ['parallax_partitions', '5-59/10 * * * *', 'select jobs.drop_expired_partitions()'],
      ['parallax_retention', '*/10 * * * *', 'select jobs.purge_expired()'],
      ['parallax_stream', '5 seconds', 'select jobs.publish_pending()'],
    ]);
    expect(new Set(first.map((job) => job.username))).toEqual(new Set(['postgres']));
    await sql`select jobs.install_schedules()`;
    expect(await jobs(), 'a second migration changes nothing').toEqual(first);
  });

  test('an invalid schedule fails the migration', async () => {
    const rows = sql.begin(async (tx) => {
      const [row] = await tx<
        { source: string }[]
      >`select pg_get_functiondef('jobs.install_schedules()'::regprocedure) as source`;
      await tx.unsafe((row?.source ?? '').replace("'*/10 * * * *'", "'10 minutes'"));
      await tx`select jobs.install_schedules()`;
    });
    await expect(rows).rejects.toThrow('invalid schedule: 10 minutes');
  });

  test('only postgres may schedule jobs', async () => {
    for (const role of ['anon', 'authenticated', 'service_role', 'parallax_api', 'parallax_ingest']) {
      const scheduling = admin.begin(async (tx) => {
        await tx`select set_config('role', ${role}, true)`;
        await tx`select cron.schedule('mine', '* * * * *', 'select 1')`;
      });
      await expect(scheduling, role).rejects.toThrow('permission denied for schema cron');
    }
    await expect(sql`update cron.job set active = false`).rejects.toThrow('permission denied for table job');
  });

  // Twelve minutes of market time pass in a second. Market time never goes back, so the test of
  // real time comes later.
  test('a night of ten hours passes with listings and prices, and no run of a job fails', async () => {
    const [from, hours, rate] = [20, 10, 720];
    await stopClock(sql, new Date(weekStart + from * hourMs).toISOString());
    await sql`
      insert into venue.sweeps (venue, sweep, finished_at) values ('venue_a', 2, clock.now()), ('venue_b', 2, clock.now())
      on conflict (venue) do update set sweep = 2, finished_at = clock.now()`;
    await listHour(sql, 1);
    await hurry();
    await sql`
      insert into clock.segments (real_from, market_from, rate)
      values (clock_timestamp(), ${new Date(weekStart + from * hourMs).toISOString()}, ${rate})`;
    let fewestPriced = Number.POSITIVE_INFINITY;
    for (let hour = from + 1; hour <= from + hours; hour += 1) {
      await waitUntil(
        async () => {
          const [row] = await sql<{ now: Date }[]>`select clock.now() as now`;
          return row && row.now.getTime() >= weekStart + hour * hourMs ? true : undefined;
        },
        { what: `hour ${hour} began`, timeoutMs: 60_000 },
      );
      await holdShardLeases(sql);
      await listHour(sql, hour);
      await sql`select pipeline.match_listings()`;
      await sql`select pipeline.refresh_statuses()`;
      fewestPriced = Math.min(fewestPriced, await priceHour(sql, hour));
    }
    const ended = await runs();
    console.log(ended.map(({ job, succeeded }) => `${job} ${succeeded}`).join(', '));
    expect(ended.flatMap(({ job, failures }) => failures.map((failure) => `${job}: ${failure}`))).toEqual([]);
    for (const { job, succeeded } of ended) expect([job, succeeded >= 10]).toEqual([job, true]);
    expect(fewestPriced).toBeGreaterThanOrEqual(gamesADay - 1);
    const [night] = await sql`
      select s.step > clock.now() - interval '2 hours' as advanced,
             (select count(distinct h.hour)::integer from price.hourly_history h) >= ${hours - 3} as sampled,
             (select count(*)::integer from pg_inherits where inhparent = 'price.updates'::regclass) as hours_kept
      from price.snapshot_state s`;
    expect(night).toEqual({ advanced: true, sampled: true, hours_kept: expect.any(Number) });
    expect(night?.hours_kept).toBeLessThan(hours);
    expect(await sql`select alert, what from ops.alerts where alert like 'job.%'`).toEqual([]);
    await sql`delete from clock.segments`;
  });

  test('each job runs as postgres, succeeds and does its work; a failing job is recorded and stops no other', async () => {
    await admin`delete from cron.job_run_details`;
    const oldPartition = await insertWork();
    await sql`select cron.schedule('a_fault', '1 seconds', 'select 1/0')`;
    // Seen once: with a job of each second, the first run of a new one took half a minute.
    const ended = await waitUntil(
      async () => {
        const rows = await runs();
        return rows.every(({ job, succeeded, failures }) => (job === 'a_fault' ? failures[0] : succeeded > 0))
          ? rows
          : undefined;
      },
      { what: 'each job ran', timeoutMs: 150_000 },
    );
    expect(ended.filter(({ failures }) => failures.length > 0)).toEqual([
      { job: 'a_fault', succeeded: 0, failures: ['ERROR: division by zero'] },
    ]);
    const called = await sql`
      select distinct url, headers ->> 'x-cron-key' as key, convert_from(body, 'UTF8') as body
      from net.http_request_queue order by 1`;
    const key = 'sb_secret_of_this_test';
    expect(called).toEqual([
      { url: 'https://parallax.invalid/functions/v1/deliver', key, body: '{}' },
      { url: 'https://parallax.invalid/functions/v1/export', key, body: '{}' },
      { url: 'https://parallax.invalid/functions/v1/ingest', key, body: '{}' },
    ]);
    const [done] = await admin`
      select (select step > '-infinity' from price.snapshot_state) as advanced,
             exists (select from realtime.messages where topic = 'status') as published,
             exists (select from net._http_response) as responses,
             exists (select from cron.job_run_details where runid < 0) as old_runs,
             (select array_agg(distinct username::text) from cron.job_run_details) as users,
             (select count(*)::integer from pg_inherits where inhparent = 'price.updates'::regclass
               and inhrelid::regclass::text = ${oldPartition}) as old_hours`;
    expect(done).toEqual({
      ...{ advanced: true, published: true, responses: false, old_runs: false, users: ['postgres'], old_hours: 0 },
    });
    await sql`select cron.unschedule('a_fault')`;
  });
});

/**
 * Inserts rows that the purge should delete, and a delivery that the webhook job should send.
 * Returns the partition that should be dropped.
 */
async function insertWork(): Promise<string> {
  await admin`insert into net._http_response (id, created) values (1, clock_timestamp() - interval '2 hours')`;
  await admin`
    insert into cron.job_run_details (runid, username, end_time)
    values (-1, 'postgres', clock_timestamp() - interval '2 hours')`;
  await sql`select price.ensure_partitions(array[clock_timestamp() - interval '9 hours'])`;
  const [old] = await sql<{ name: string }[]>`
    select inhrelid::regclass::text as name from pg_inherits where inhparent = 'price.updates'::regclass order by 1 limit 1`;
  await sql`
    with org as (select account.create_organization('Receivers', 'pro') as id),
    endpoint as (
      insert into webhook.endpoints (org_id, url, events, secret_id, secret_preview)
      select id, 'https://receiver.invalid/', '{pair.created}', gen_random_uuid(), 'whsec_' from org returning endpoint_id
    )
    insert into webhook.deliveries (endpoint_id, event, body) select endpoint_id, 'ping', '{}' from endpoint`;
  return old?.name ?? '';
}
