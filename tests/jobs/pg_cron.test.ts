import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../support/wait_until.ts';
import { type DebianHouse, debianHas, startDebianHouse } from './support/debian.ts';

// The real pg_cron on PostgreSQL 15, and all of sql/ behind it; net and vault are the stand-ins of local/ (support/debian.ts says what else
// differs from 17). A job runs on the minute: that is what this file waits for.
const aMinuteAndMore = 240;

const here = debianHas('pg_cron');
let house: DebianHouse;
beforeAll(async () => {
  if (here) house = await startDebianHouse(['pg_cron']);
}, 180_000);
afterAll(() => house?.stop());

const jobs = () => house.sql<{ jobname: string; schedule: string; command: string; username: string }[]>`
  select jobid, jobname::text, schedule, command, username, database, active from cron.job order by jobname`;

describe.runIf(here)('on the real pg_cron, 1.4', () => {
  test('the schedules install, those in seconds as minutes, with a warning that names them', async () => {
    const [{ version } = { version: '' }] = await house.admin<{ version: string }[]>`
      select extversion as version from pg_extension where extname = 'pg_cron'`;
    expect(version).toMatch(/^1\.4/);
    await expect(house.sql`select cron.schedule('five', '5 seconds', 'select 1')`).rejects.toThrow('invalid schedule');

    const warnings = await warningsOf('select jobs.install_schedules()');
    expect(warnings).toEqual([
      'This pg_cron knows no schedules in seconds (1.5 does): each minute only run parallax_advance, parallax_stream, ' +
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
        'select census.rebuild_if_due(), pipeline.watch_divergence(), ops.sample_gates()',
      ],
      ['parallax_partitions', '5-59/10 * * * *', 'select jobs.drop_expired_partitions()'],
      ['parallax_retention', '*/10 * * * *', 'select jobs.purge_expired()'],
      ['parallax_stream', '* * * * *', 'select stream.broadcast_pending()'],
    ]);
    expect(new Set(first.map((job) => job.username))).toEqual(new Set(['postgres']));
    await house.sql`select jobs.install_schedules()`;
    expect(await jobs(), 'a second migration changes nothing').toEqual(first);
  });

  test('a schedule that is wrong for another reason still fails the migration', async () => {
    const rows = house.sql.begin(async (sql) => {
      const [row] = await sql<
        { source: string }[]
      >`select pg_get_functiondef('jobs.install_schedules()'::regprocedure) as source`;
      await sql.unsafe((row?.source ?? '').replace("'*/10 * * * *'", "'10 minutes'"));
      await sql`select jobs.install_schedules()`;
    });
    await expect(rows).rejects.toThrow('invalid schedule: 10 minutes');
  });

  test('each job runs as postgres, succeeds and does its work; a failing job is recorded and stops no other', async () => {
    const { sql, admin } = house;
    await sql`select vault.create_secret('https://parallax.invalid/', 'project_url')`;
    await sql`select vault.create_secret('sb_secret_of_this_test', 'cron_secret_key')`;
    await sql`select cron.schedule('a_fault', '* * * * *', 'select 1/0')`;
    // Not to wait for ten minutes: what fires is the same job.
    await sql`
      select cron.schedule(jobname::text, '* * * * *', command)
      from cron.job where jobname in ('parallax_retention', 'parallax_partitions')`;
    await somethingForEach();

    const runs = () => admin<{ jobname: string; status: string; username: string; words: string }[]>`
      select distinct on (j.jobname) j.jobname::text, r.status, r.username, r.return_message as words
      from cron.job j join cron.job_run_details r using (jobid)
      where r.status in ('succeeded', 'failed')
      order by j.jobname, r.runid`;
    const all = (await jobs()).length;
    const ended = await waitUntil(
      async () => {
        const rows = await runs();
        return rows.length === all ? rows : undefined;
      },
      { what: 'every job ran', timeoutMs: aMinuteAndMore * 1_000 },
    );
    expect(ended.filter((run) => run.status === 'failed').map((run) => [run.jobname, run.words.trim()])).toEqual([
      ['a_fault', 'ERROR: division by zero'],
    ]);
    expect(new Set(ended.map((run) => run.username))).toEqual(new Set(['postgres']));

    const called = await sql`
      select url, headers ->> 'apikey' as key, convert_from(body, 'UTF8') as body, count(*)::integer > 0 as sent
      from net.http_request_queue group by 1, 2, 3 order by 1`;
    const key = 'sb_secret_of_this_test';
    expect(called).toEqual([
      { url: 'https://parallax.invalid/functions/v1/deliver', key, body: '{}', sent: true },
      { url: 'https://parallax.invalid/functions/v1/ingest', key, body: '{}', sent: true },
    ]);
    const [done] = await admin`
      select (select step > '-infinity' from price.snapshot_state) as advanced,
             exists (select from realtime.messages where topic = 'status') as told,
             exists (select from net._http_response) as responses,
             exists (select from cron.job_run_details where runid < 0) as runs,
             (select count(*)::integer from pg_inherits where inhparent = 'price.updates'::regclass
               and inhrelid::regclass::text = ${oldPartition}) as old_hours`;
    expect(done).toEqual({ advanced: true, told: true, responses: false, runs: false, old_hours: 0 });
  }, 300_000);

  test('only postgres may schedule, and other roles see none of its jobs', async () => {
    for (const role of ['anon', 'authenticated', 'service_role', 'parallax_api', 'parallax_ingest']) {
      const refused = house.admin.begin(async (sql) => {
        await sql`select set_config('role', ${role}, true)`;
        await sql`select cron.schedule('mine', '* * * * *', 'select 1')`;
      });
      await expect(refused, role).rejects.toThrow('permission denied for schema cron');
    }
  });
});

let oldPartition = '';

/** What retention should remove and the tick of webhooks should find. */
async function somethingForEach(): Promise<void> {
  const { sql, admin } = house;
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

/** The warnings that one statement raises. */
async function warningsOf(statement: string): Promise<string[]> {
  const found: string[] = [];
  const sql = postgres(house.url, {
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
