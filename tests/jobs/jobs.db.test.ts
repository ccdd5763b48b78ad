import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';

const hasPgCron = process.env.PARALLAX_TEST_POSTGRES !== undefined;
if (hasPgCron) console.warn("a test of tests/jobs/jobs.db.test.ts is skipped: Debian's PostgreSQL has pg_cron");
let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());

describe('jobs.install_schedules', () => {
  test('schedules each job once when it runs repeatedly', async () => {
    await db.sql`select jobs.install_schedules()`;
    const rows = () => db.sql`select jobid, jobname, schedule, command, active from cron.job order by jobname`;
    const first = await rows();
    expect(first.map(({ jobname, schedule, command, active }) => [jobname, schedule, command, active])).toEqual([
      ['parallax_advance', '5 seconds', 'select pipeline.refresh_snapshot()', true],
      ['parallax_deliver', '10 seconds', 'select webhook.wake_if_due()', true],
      ['parallax_history', '5 seconds', 'select price.sample_history()', true],
      ['parallax_ingest', '10 seconds', `select base.call_edge_function('ingest')`, true],
      [
        'parallax_minute',
        '* * * * *',
        'select census.rebuild_if_due(), pipeline.watch_divergence(), arb.update_track_record(), ops.sample_gates(), stream.sample_feed_delays(), export.wake_if_due()',
        true,
      ],
      ['parallax_partitions', '5-59/10 * * * *', 'select jobs.drop_expired_partitions()', true],
      ['parallax_retention', '*/10 * * * *', 'select jobs.purge_expired()', true],
      ['parallax_stream', '5 seconds', 'select jobs.publish_pending()', true],
    ]);
    await db.sql`select jobs.install_schedules()`;
    expect(await rows()).toEqual(first);
  });

  // Where the extension is available, jobs.install_schedules would create it.
  test.skipIf(hasPgCron)(
    'succeeds without pg_cron, and a call of an Edge Function then fails without the Vault',
    async () => {
      const plain = await createDatabase({ superuser: true });
      try {
        await plain.sql`drop schema cron cascade`;
        await plain.sql`drop schema net cascade`;
        await plain.sql`drop schema vault cascade`;
        await plain.sql`select jobs.install_schedules()`;
        await plain.sql`select jobs.purge_expired()`;
        await expect(plain.sql`select jobs.start_ingest()`).rejects.toThrow(/vault/);
      } finally {
        await plain.close();
      }
    },
  );
});

describe('a call of an Edge Function', () => {
  test('fails with a sentence while the Vault lacks its address or secret', async () => {
    await expect(db.sql`select jobs.start_ingest()`).rejects.toThrow('the Vault lacks project_url');
    await db.sql`select vault.create_secret('http://127.0.0.1:54321/', 'project_url')`;
    await expect(db.sql`select jobs.start_ingest()`).rejects.toThrow('the Vault lacks cron_key');
  });

  test('posts JSON to the function with the cron key in the header x-cron-key', async () => {
    await db.sql`select vault.create_secret('sb_secret_of_this_test', 'cron_key')`;
    await db.sql`select jobs.start_ingest()`;
    const [sent] =
      await db.sql`select lower(method) as method, url, headers, convert_from(body, 'UTF8') as body from net.http_request_queue`;
    expect(sent).toEqual({
      method: 'post',
      url: 'http://127.0.0.1:54321/functions/v1/ingest',
      headers: { 'x-cron-key': 'sb_secret_of_this_test', 'Content-Type': 'application/json' },
      body: '{}',
    });
  });

  test.each(['', '../x', 'a/b', 'A', "a'b"])('rejects %j as the name of a function', async (name) => {
    await expect(db.sql`select base.call_edge_function(${name})`).rejects.toThrow('no function can be called');
  });
});

test('the purge drops old hours of price updates, and rows of cron and net older than an hour', async () => {
  const own = await createDatabase({ superuser: true });
  try {
    await own.sql`
      insert into net._http_response (id, created) values (1, clock_timestamp() - interval '2 hours'), (2, clock_timestamp())`;
    await own.sql`
      insert into cron.job_run_details (runid, username, end_time)
      values (1, 'postgres', clock_timestamp() - interval '2 hours'), (2, 'postgres', clock_timestamp())`;
    await own.sql.begin(async (sql) => {
      await sql`set local role postgres`;
      await sql`select price.ensure_partitions(array[clock_timestamp() - interval '9 hours', clock_timestamp()])`;
      await sql`select jobs.purge_expired()`;
      await sql`select jobs.drop_expired_partitions()`;
    });
    const [left] = await own.sql`
      select (select array_agg(id) from net._http_response) as responses,
             (select array_agg(runid) from cron.job_run_details) as runs,
             (select count(*)::integer from pg_inherits where inhparent = 'price.updates'::regclass) as hours`;
    expect(left).toEqual({ responses: ['2'], runs: ['2'], hours: 1 });
  } finally {
    await own.close();
  }
});

test('only postgres may call the functions of schema jobs', async () => {
  for (const role of ['anon', 'authenticated', 'service_role', 'parallax_api', 'parallax_ingest']) {
    const [may] = await db.sql<{ may: boolean }[]>`
      select has_schema_privilege(${role}, 'jobs', 'usage')
        or has_function_privilege(${role}, 'base.call_edge_function(text, jsonb)', 'execute') as may`;
    expect([role, may?.may]).toEqual([role, false]);
  }
});
