import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { databaseUrl } from '../../local/platform/postgres.ts';
import { makeWorld, type World } from '../api/support/world.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  const { sql } = world.db;
  await world.get('/v2/markets', await world.key());
  // A sound stack: both venues heard just now, the census taken, the jobs scheduled.
  await sql`
    insert into venue.feeds (venue, source, last_message_at, last_alive_at)
    values ('venue_a', 'simulated', clock.now(), clock.now()), ('venue_b', 'simulated', clock.now(), clock.now())`;
  await sql`insert into census.reports (report_no, as_of, body) values (1, clock.now(), '{}')`;
  await sql`select jobs.install()`;
  await sql`select price.sample()`;
});
afterAll(() => world.close());

/** What ops.alerts holds after `disturb`, which is undone again. */
async function alertsAfter(...disturb: string[]): Promise<string[]> {
  const { sql } = world.db;
  const undo = new Error('undo');
  let found: string[] = [];
  await sql
    .begin(async (one) => {
      for (const text of disturb) await one.unsafe(text);
      const rows = await one<{ alert: string; what: string; how_much: string; next: string }[]>`
        select alert, what, how_much, next from ops.alerts`;
      for (const row of rows) expect(Object.values(row).every((text) => text.length > 2)).toBe(true);
      found = rows.map(({ alert }) => alert).sort();
      throw undo;
    })
    .catch((error) => {
      if (error !== undo) throw error;
    });
  return found;
}

const running = `delete from clock.segments;
  insert into clock.segments (from_real, from_shown, rate) values (clock_timestamp() - interval '2 hours', '2026-11-20T10:00:00Z', 1)`;
const notes = (shut: number) => `
  insert into ops.gate_notes (at, gate, shut, pairs)
  select clock_timestamp() - n * interval '1 minute', 'priced', 10 + n % 3, 100 from generate_series(15, 90) n;
  insert into ops.gate_notes (at, gate, shut, pairs) values (clock_timestamp(), 'priced', ${shut}, 100)`;
const delivery = (ago: string, answers = true) => `
  with org as (insert into account.organizations (name) values ('outbox') returning org_id),
  made as (
    insert into webhook.endpoints (org_id, url, events, secret_id, secret_preview, answers)
    select org_id, 'https://example.com/', '{pair.created}', gen_random_uuid(), 'whsec_', ${answers} from org returning endpoint_id
  )
  insert into webhook.deliveries (endpoint_id, event, body, due_at)
  select endpoint_id, 'ping', '{}', clock_timestamp() - interval '${ago}' from made`;
const disabled = (ago: string) => `${delivery('0 s')};
  update webhook.endpoints set disabled_at = clock_timestamp() - interval '${ago}', disabled_reason = 'failures'`;
const partition = (ago: string) => `select stream.ensure_partition(clock_timestamp() - interval '${ago}')`;
const sent = (ago: string, behind: number) => `
  update stream.channels set top = 100 where channel = 'status';
  insert into stream.sent (channel, epoch, upto, sent_at)
  select channel, epoch, 100 - ${behind}, clock_timestamp() - interval '${ago}' from stream.channels where channel = 'status'
  on conflict (channel) do update set upto = excluded.upto, sent_at = excluded.sent_at`;

test('a sound stack has no alert', async () => {
  expect(await alertsAfter()).toEqual([]);
});

test.each<[string, string[], string[]]>([
  [
    'feed.down',
    [
      running,
      `update venue.feeds set last_alive_at = clock.now(), last_message_at = clock.now()`,
      `update venue.feeds set last_alive_at = clock.ago('31 s') where venue = 'venue_a'`,
      `update price.steps set step = clock.now()`,
      `update price.sampling set sampled_at = clock.now()`,
      `update census.reports set as_of = clock.now()`,
    ],
    [],
  ],
  [
    'feed.stale',
    [
      running,
      `update venue.feeds set last_alive_at = clock.now(), last_message_at = clock.now()`,
      `update venue.feeds set last_message_at = clock.ago('61 s') where venue = 'venue_b'`,
      `update price.steps set step = clock.now()`,
      `update price.sampling set sampled_at = clock.now()`,
      `update census.reports set as_of = clock.now()`,
    ],
    [],
  ],
  [
    'venue.clock',
    [`update venue.feeds set last_alive_at = clock.now() + interval '11 s' where venue = 'venue_a'`],
    [`update venue.feeds set last_alive_at = clock.now() + interval '5 s'`],
  ],
  [
    'sweep.failing',
    [
      `insert into venue.sweeps (venue, last_error, last_error_at) values ('venue_a', 'HTTP 500', clock_timestamp()) on conflict (venue) do update set last_error = excluded.last_error, last_error_at = excluded.last_error_at`,
    ],
    [
      `insert into venue.sweeps (venue, last_error, last_error_at, finished_at) values ('venue_a', 'HTTP 500', clock_timestamp() - interval '1 minute', clock_timestamp()) on conflict (venue) do update set last_error_at = excluded.last_error_at, finished_at = excluded.finished_at`,
    ],
  ],
  [
    'lease.unheld',
    [
      `insert into venue.leases (name, holder, token, expires_at) values ('books:9', gen_random_uuid(), 3, clock_timestamp() - interval '31 s')`,
    ],
    [
      `insert into venue.leases (name, holder, token, expires_at) values ('books:9', gen_random_uuid(), 3, clock_timestamp() + interval '9 s')`,
      `insert into venue.leases (name) values ('books:8')`,
    ],
  ],
  ['step.late', [`update price.steps set step = step - interval '1 minute'`], []],
  [
    'sampler.late',
    [`update price.sampling set sampled_at = '2026-11-20T11:50:00Z'`],
    [`update price.sampling set sampled_at = '2026-11-20T11:57:00Z'`],
  ],
  [
    'census.late',
    [`update census.reports set as_of = clock.now() - interval '71 minutes'`],
    [`update census.reports set as_of = clock.now() - interval '59 minutes'`],
  ],
  [
    'match.stuck',
    [`insert into catalog.passes (started_at) values (clock.now() - interval '11 minutes')`],
    [`insert into catalog.passes (started_at, finished_at) values (clock.now() - interval '11 minutes', clock.now())`],
  ],
  ['outbox.old', [delivery('121 s')], [delivery('60 s'), delivery('10 minutes', false)]],
  ['endpoint.disabled', [disabled('1 hour')], [disabled('25 hours')]],
  ['gate.rising', [notes(40)], [notes(19)]],
  ['job.off', [`select cron.alter_job(jobid, active := false) from cron.job where jobname = 'parallax_stream'`], []],
  ['stream.unpruned', [partition('2 hours')], [partition('80 minutes')]],
  ['stream.unsent', [sent('61 s', 1)], [sent('61 s', 0), sent('5 s', 50)]],
])('%s is raised for its cause and for nothing less', async (alert, cause, less) => {
  expect(await alertsAfter(...cause)).toEqual([alert]);
  for (const text of less) expect(await alertsAfter(text)).toEqual([]);
});

test('job.failing stands from the first failure until the job succeeds', async () => {
  const { port, password } = inject('postgres');
  // pg_cron alone writes its runs.
  const cron = postgres(databaseUrl(port, 'supabase_admin', password, world.db.name), { max: 1 });
  const run = (status: string, ago: string) => cron`
    insert into cron.job_run_details (jobid, status, return_message, start_time, end_time, username)
    select jobid, ${status}, ${`the words of ${status}`}, clock_timestamp() - ${ago}::interval, clock_timestamp(), username
    from cron.job where jobname = 'parallax_advance'`;
  try {
    await run('succeeded', '5 minutes');
    expect(await alertsAfter()).toEqual([]);
    await run('failed', '4 minutes');
    await run('failed', '3 minutes');
    expect(await alertsAfter()).toEqual(['job.failing']);
    const [told] = await world.db.sql`
      select what, how_much, clock_timestamp() - since between '3 minutes 50 seconds' and '10 minutes' as from_the_first from ops.job_alerts`;
    expect(told).toEqual({ what: 'parallax_advance', how_much: 'the words of failed', from_the_first: true });
    await run('succeeded', '2 minutes');
    expect(await alertsAfter()).toEqual([]);
  } finally {
    await cron.end();
  }
});

test('ops.note notes each gate once a minute, and the day is all that is kept', async () => {
  const { sql } = world.db;
  await sql`select ops.note(), ops.note()`;
  const rows = await sql`select gate, shut, pairs from ops.gate_notes order by gate`;
  expect(rows.map(({ gate }) => gate)).toEqual(expect.arrayContaining(['band', 'parity', 'priced', 'risk']));
  await sql`update ops.gate_notes set at = at - interval '26 hours'`;
  await sql`select ops.retain()`;
  expect(await sql`select from ops.gate_notes`).toHaveLength(0);
});

test('ops.statements loads and answers where pg_stat_statements is missing', async () => {
  expect(await world.db.sql`select * from ops.statements`).toBeInstanceOf(Array);
});
