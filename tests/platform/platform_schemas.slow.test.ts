import { createServer, type Server } from 'node:http';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CronRunner } from '../../local/platform/jobs/cron.ts';
import { NetRunner } from '../../local/platform/jobs/net.ts';
import { nextRun } from '../../local/platform/jobs/schedule.ts';
import { databaseUrl } from '../../local/platform/postgres/postgres.ts';
import { startTemporaryPostgres, type TemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { listenOnFreePort } from '../support/listening.ts';
import { waitUntil } from '../support/wait_until.ts';

// npm's PostgreSQL, also where the run has another: that one has the extensions themselves.
const DATABASE = 'stand_ins';
let server: TemporaryPostgres;
let url: string;
let sql: postgres.Sql;
let admin: postgres.Sql;
beforeAll(async () => {
  server = await startTemporaryPostgres();
  url = await server.create(DATABASE);
  const { cluster, password } = server;
  sql = postgres(url, { max: 4, onnotice: () => {} });
  admin = postgres(databaseUrl(cluster.port, 'supabase_admin', password, DATABASE), { max: 2, onnotice: () => {} });
});
afterAll(async () => {
  await Promise.all([sql.end(), admin.end()]);
  await server.stop();
});

describe('the stand-in for pg_cron', () => {
  test('scheduling a name again changes its job, and unscheduling an unknown name is an error', async () => {
    const [first] = await sql`select cron.schedule('tidy', '*/5 * * * *', 'select 1') as id`;
    const [second] = await sql`select cron.schedule('tidy', '30 seconds', 'select 2') as id`;
    expect(second).toEqual(first);
    const [job] = await sql`select schedule, command, username, database, active from cron.job where jobname = 'tidy'`;
    expect(job).toEqual({
      schedule: '30 seconds',
      command: 'select 2',
      username: 'postgres',
      database: DATABASE,
      active: true,
    });
    await sql`select cron.alter_job(${first?.id}, active := false)`;
    expect(await sql`select active from cron.job where jobname = 'tidy'`).toEqual([{ active: false }]);
    expect(await sql`select cron.unschedule('tidy') as gone`).toEqual([{ gone: true }]);
    await expect(sql`select cron.unschedule('tidy')`).rejects.toThrow(/could not find valid entry/);
  });

  test.each(['61 seconds', 'every day', '* * * *', '', '* * * * * *'])('rejects the schedule %j', async (schedule) => {
    await expect(sql`select cron.schedule('bad', ${schedule}, 'select 1')`).rejects.toThrow(/invalid schedule/);
  });

  test('allows only postgres to schedule jobs', async () => {
    const refused = sql.begin(async (sql) => {
      await sql`set local role authenticated`;
      await sql`select cron.schedule('mine', '* * * * *', 'select 1')`;
    });
    await expect(refused).rejects.toThrow(/permission denied/);
  });

  test('computes times in UTC, supports $ as the last day of a month, and counts seconds from the last start', () => {
    const at = (text: string) => Date.parse(text);
    expect(nextRun('5 4 * * *', at('2026-11-20T04:05:00Z'))).toBe(at('2026-11-21T04:05:00Z'));
    expect(nextRun('0 0 $ * *', at('2026-02-01T00:00:00Z'))).toBe(at('2026-02-28T00:00:00Z'));
    expect(nextRun('10 seconds', 1_000)).toBe(11_000);
    expect(nextRun('0 0 31 2 *', at('2026-01-01T00:00:00Z'))).toBeUndefined();
  });

  test('runs a due job as postgres, never twice at the same time, and records its failure', async () => {
    await sql`create table public.runs (who text, at timestamptz default clock_timestamp())`;
    await sql`select cron.schedule('slow', '1 second', 'insert into public.runs select current_user; select pg_sleep(1.5)')`;
    await sql`select cron.schedule('broken', '1 second', 'select 1/0')`;
    const runner = new CronRunner(admin, url);
    await runner.start();
    try {
      await waitUntil(async () => (await sql`select from public.runs`).length >= 2);
    } finally {
      await runner.stop();
    }
    const overlapping = await sql`
      select from cron.job_run_details a join cron.job_run_details b on a.jobid = b.jobid and a.runid < b.runid
      where tstzrange(a.start_time, a.end_time) && tstzrange(b.start_time, b.end_time)`;
    expect(overlapping).toHaveLength(0);
    expect(await sql`select distinct who from public.runs`).toEqual([{ who: 'postgres' }]);
    const failed = await sql`
      select distinct d.status, d.return_message from cron.job_run_details d join cron.job j using (jobid) where j.jobname = 'broken'`;
    expect(failed).toEqual([{ status: 'failed', return_message: 'ERROR: division by zero (22012)' }]);
    await sql`select cron.unschedule(jobid) from cron.job`;
  });
});

describe('the stand-in for pg_net', () => {
  let receiver: Server;
  let base: string;
  let asked: { method: string; url: string; headers: Record<string, unknown>; body: string }[] = [];
  beforeAll(async () => {
    receiver = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        asked.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
        if (request.url === '/never') return;
        response.writeHead(201, { 'content-type': 'application/json', 'x-seen': 'yes' });
        response.end('{"ok":true}');
      });
    });
    base = `http://127.0.0.1:${await listenOnFreePort(receiver)}`;
  });
  afterAll(() => {
    receiver.closeAllConnections();
    receiver.close();
  });

  const answerTo = (id: unknown) =>
    waitUntil(async () => (await sql`select * from net._http_response where id = ${id as string}`)[0]);

  test('sends a request only after its transaction commits, and stores the response under its id', async () => {
    asked = [];
    const runner = new NetRunner(admin);
    runner.start();
    const listening = await admin.listen('net_wake', () => runner.wake());
    try {
      await expect(
        sql.begin(async (sql) => {
          await sql`select net.http_get(${`${base}/rolled-back`})`;
          throw new Error('no');
        }),
      ).rejects.toThrow('no');
      const [sent] = await sql`
        select net.http_post(url := ${`${base}/hook?a=1`}, body := '{"x": "é"}', params := '{"q": "a b&ü"}', headers := '{"apikey": "k"}') as id`;
      const answer = await answerTo(sent?.id);
      expect(answer).toMatchObject({
        status_code: 201,
        content_type: 'application/json',
        content: '{"ok":true}',
        timed_out: false,
        error_msg: null,
      });
      expect(answer?.headers).toMatchObject({ 'x-seen': 'yes' });
      expect(asked).toHaveLength(1);
      expect(asked[0]).toMatchObject({ method: 'POST', url: '/hook?a=1&q=a%20b%26%C3%BC', body: '{"x": "é"}' });
      expect(asked[0]?.headers).toMatchObject({ apikey: 'k', 'content-type': 'application/json' });

      const [late] = await sql`select net.http_get(url := ${`${base}/never`}, timeout_milliseconds := 200) as id`;
      expect(await answerTo(late?.id)).toMatchObject({ status_code: null, timed_out: true });
      const [unreachable] = await sql`select net.http_get('http://127.0.0.1:1/') as id`;
      expect((await answerTo(unreachable?.id)).error_msg).toMatch(/ECONNREFUSED|bad port/);
      expect(await sql`select from net.http_request_queue`).toHaveLength(0);
    } finally {
      runner.stop();
      await listening.unlisten();
    }
  });

  test('sends requests that were queued while no runner was running', async () => {
    asked = [];
    const [sent] = await sql`select net.http_post(${`${base}/later`}) as id`;
    expect(asked).toHaveLength(0);
    const runner = new NetRunner(admin);
    runner.start();
    try {
      expect(await answerTo(sent?.id)).toMatchObject({ status_code: 201 });
    } finally {
      runner.stop();
    }
  });

  test('does not let anon send requests', async () => {
    const refused = sql.begin(async (sql) => {
      await sql`set local role anon`;
      await sql`select net.http_get('http://127.0.0.1/')`;
    });
    await expect(refused).rejects.toThrow(/permission denied/);
  });
});

describe('the stand-in for the vault', () => {
  test('encrypts a secret, lets postgres read and change it, and hides it from callers', async () => {
    const [made] = await sql`select vault.create_secret('hunter2', 'project_url', 'where we are') as id`;
    const [row] =
      await sql`select secret, decrypted_secret, description from vault.decrypted_secrets where name = 'project_url'`;
    expect(row).toMatchObject({ decrypted_secret: 'hunter2', description: 'where we are' });
    expect(Buffer.from(row?.secret, 'base64').toString('latin1')).not.toContain('hunter2');
    await sql`select vault.update_secret(${made?.id}, 'hunter3')`;
    expect(await sql`select decrypted_secret, name from vault.decrypted_secrets`).toEqual([
      { decrypted_secret: 'hunter3', name: 'project_url' },
    ]);
    await expect(sql`select vault.create_secret('other', 'project_url')`).rejects.toThrow(/duplicate key/);
    await expect(sql`select vault._key()`).rejects.toThrow(/permission denied/);
    const refused = sql.begin(async (sql) => {
      await sql`set local role authenticated`;
      await sql`select * from vault.decrypted_secrets`;
    });
    await expect(refused).rejects.toThrow(/permission denied/);
  });
});
