import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../support/wait_until.ts';
import { type DebianDatabase, hasDebianExtension, startDebianDatabase } from './support/debian.ts';

// The real pg_cron on PostgreSQL 15 with all of sql/. net and vault are the stand-ins of local/;
// support/debian.ts lists the other differences from 17. A job runs on the minute, so this file
// waits for a full minute.
const jobTimeoutSeconds = 240;

const isInstalled = hasDebianExtension('pg_cron');
let debian: DebianDatabase;
beforeAll(async () => {
  if (isInstalled) debian = await startDebianDatabase(['pg_cron']);
}, 180_000);
afterAll(() => debian?.stop());

const jobs = () => debian.sql<{ jobname: string; schedule: string; command: string; username: string }[]>`
  select jobid, jobname::text, schedule, command, username, database, active from cron.job order by jobname`;

describe.runIf(isInstalled)('with the real pg_cron 1.4', () => {
  test('jobs with a schedule in seconds run each minute, with a warning that names them', async () => {
    const [{ version } = { version: '' }] = await debian.admin<{ version: string }[]>`
      select extversion as version from pg_extension where extname = 'pg_cron'`;
    expect(version).toMatch(/^1\.4/);
    await expect(debian.sql`select cron.schedule('five', '5 seconds', 'select 1')`).rejects.toThrow('invalid schedule');

    const warnings = await warningsOf('select jobs.install_schedules()');
    expect(warnings).toEqual([
      'This pg_cron has no schedules in seconds (1.5 has them). These jobs run once a minute: parallax_advance, parallax_stream, ' +
        'parallax_history, parallax_ingest, parallax_deliver.',
    ]);
    const first = await jobs();
    expect(first.map(({ jobname, schedule, command }) => [jobname, schedule, command])).toEqual([
      ['parallax_advance', '* * * * *', 'select pipeline.refresh_snapshot()'],
      ['parallax_deliver', '* * * * *', 'select webhook.wake_if_due()'],
      ['parallax_history', '* * * * *', 'select price.sample_history()'],
      ['parallax_ingest', '* * * * *', `select base.call_edge_function('ingest')`],
      [
        'parallax_minute',
        '* * * * *',
        'select census.rebuild_if_due(), pipeline.watch_divergence(), arb.update_track_record(), ops.sample_gates()',
      ],
      ['parallax_partitions', '5-59/10 * * * *', 'select jobs.drop_expired_partitions()'],
      ['parallax_retention', '*/10 * * * *', 'select jobs.purge_expired()'],
      ['parallax_stream', '* * * * *', 'select stream.broadcast_pending()'],
    ]);
    expect(new Set(first.map((job) => job.username))).toEqual(new Set(['postgres']));
    await debian.sql`select jobs.install_schedules()`;
    expect(await jobs(), 'a second migration changes nothing').toEqual(first);
  });

  test('an invalid schedule still fails the migration', async () => {
    const rows = debian.sql.begin(async (sql) => {
      const [row] = await sql<
        { source: string }[]
      >`select pg_get_functiondef('jobs.install_schedules()'::regprocedure) as source`;
      await sql.unsafe((row?.source ?? '').replace("'*/10 * * * *'", "'10 minutes'"));
      await sql`select jobs.install_schedules()`;
    });
    await expect(rows).rejects.toThrow('invalid schedule: 10 minutes');
  });

  test('each job runs as postgres, succeeds and does its work; a failing job is recorded and stops no other', async () => {
    const { sql, admin } = debian;
    await sql`select vault.create_secret('https://parallax.invalid/', 'project_url')`;
    await sql`select vault.create_secret('sb_secret_of_this_test', 'cron_key')`;
    await sql`select cron.schedule('a_fault', '* * * * *', 'select 1/0')`;
    // Schedules the same jobs each minute, so that the test need not wait for ten minutes.
    await sql`
      select cron.schedule(jobname::text, '* * * * *', command)
      from cron.job where jobname in ('parallax_retention', 'parallax_partitions')`;
    await insertWork();

    const runs = () => admin<{ jobname: string; status: string; username: string; message: string }[]>`
      select distinct on (j.jobname) j.jobname::text, r.status, r.username, r.return_message as message
      from cron.job j join cron.job_run_details r using (jobid)
      where r.status in ('succeeded', 'failed')
      order by j.jobname, r.runid`;
    const all = (await jobs()).length;
    const ended = await waitUntil(
      async () => {
        const rows = await runs();
        return rows.length === all ? rows : undefined;
      },
      { what: 'every job ran', timeoutMs: jobTimeoutSeconds * 1_000 },
    );
    expect(ended.filter((run) => run.status === 'failed').map((run) => [run.jobname, run.message.trim()])).toEqual([
      ['a_fault', 'ERROR: division by zero'],
    ]);
    expect(new Set(ended.map((run) => run.username))).toEqual(new Set(['postgres']));

    const called = await sql`
      select url, headers ->> 'x-cron-key' as key, convert_from(body, 'UTF8') as body, count(*)::integer > 0 as sent
      from net.http_request_queue group by 1, 2, 3 order by 1`;
    const key = 'sb_secret_of_this_test';
    expect(called).toEqual([
      { url: 'https://parallax.invalid/functions/v1/deliver', key, body: '{}', sent: true },
      { url: 'https://parallax.invalid/functions/v1/ingest', key, body: '{}', sent: true },
    ]);
    const [done] = await admin`
      select (select step > '-infinity' from price.snapshot_state) as advanced,
             exists (select from realtime.messages where topic = 'status') as published,
             exists (select from net._http_response) as responses,
             exists (select from cron.job_run_details where runid < 0) as runs,
             (select count(*)::integer from pg_inherits where inhparent = 'price.updates'::regclass
               and inhrelid::regclass::text = ${oldPartition}) as old_hours`;
    expect(done).toEqual({ advanced: true, published: true, responses: false, runs: false, old_hours: 0 });
  }, 300_000);

  test('only postgres may schedule jobs', async () => {
    for (const role of ['anon', 'authenticated', 'service_role', 'parallax_api', 'parallax_ingest']) {
      const scheduling = debian.admin.begin(async (sql) => {
        await sql`select set_config('role', ${role}, true)`;
        await sql`select cron.schedule('mine', '* * * * *', 'select 1')`;
      });
      await expect(scheduling, role).rejects.toThrow('permission denied for schema cron');
    }
  });
});

let oldPartition = '';

/** Inserts rows that the purge should delete, and a delivery that the webhook job should send. */
async function insertWork(): Promise<void> {
  const { sql, admin } = debian;
  await admin`insert into net._http_response (id, created) values (1, clock_timestamp() - interval '2 hours')`;
  await admin`
    insert into cron.job_run_details (runid, username, end_time)
    values (-1, 'postgres', clock_timestamp() - interval '2 hours')`;
  await sql`select price.ensure_partitions(array[clock_timestamp() - interval '9 hours'])`;
  const [old] = await sql<{ name: string }[]>`
    select inhrelid::regclass::text as name from pg_inherits where inhparent = 'price.updates'::regclass order by 1 limit 1`;
  oldPartition = old?.name ?? '';
  await sql`
    with org as (select account.create_organization('Receivers', 'pro') as id),
    endpoint as (
      insert into webhook.endpoints (org_id, url, events, secret_id, secret_preview)
      select id, 'https://receiver.invalid/', '{pair.created}', gen_random_uuid(), 'whsec_' from org returning endpoint_id
    )
    insert into webhook.deliveries (endpoint_id, event, body) select endpoint_id, 'ping', '{}' from endpoint`;
}

/** The warnings that a statement raises. */
async function warningsOf(statement: string): Promise<string[]> {
  const found: string[] = [];
  const sql = postgres(debian.url, {
    max: 1,
    onnotice: (notice) => {
      if (notice.severity === 'WARNING') found.push(notice.message ?? '');
    },
  });
  try {
    await sql.unsafe(statement);
  } finally {
    await sql.end();
  }
  return found;
}
