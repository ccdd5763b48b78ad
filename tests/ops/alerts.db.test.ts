import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { databaseUrl } from '../../local/platform/postgres/postgres.ts';
import { type ApiFixture, createApiFixture } from '../api/support/fixture.ts';

let world: ApiFixture;
beforeAll(async () => {
  world = await createApiFixture();
  const { sql } = world.db;
  await world.get('/v2/markets', await world.key());
  // A healthy stack: recent messages of both venues, a census, and scheduled jobs.
  await sql`
    insert into venue.feeds (venue, source, last_message_at, last_alive_at)
    values ('venue_a', 'simulated', clock.now(), clock.now()), ('venue_b', 'simulated', clock.now(), clock.now())`;
  await sql`insert into census.reports (report_no, as_of, body) values (1, clock.now(), '{}')`;
  await sql`select jobs.install_schedules()`;
  await sql`select price.sample_history()`;
});
afterAll(() => world.close());

/** The alerts in ops.alerts after the statements of `disturb`, which are then rolled back. */
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

/**
 * Starts market time at 12:00:00 with the last statement. `at` are statements for that time. A
 * value that must not pass a bound is 5 s away from it, because a busy machine reads the alerts
 * late.
 */
const running = (...at: string[]) => [
  `update venue.feeds set last_alive_at = '2026-11-20T12:00:00Z', last_message_at = '2026-11-20T12:00:00Z'`,
  `update price.snapshot_state set step = '2026-11-20T11:58:00Z'`,
  `update price.sampler_state set sampled_at = '2026-11-20T11:57:00Z'`,
  `update census.reports set as_of = '2026-11-20T12:00:00Z'`,
  ...at,
  `delete from clock.segments`,
  `insert into clock.segments (real_from, market_from, rate) values (clock_timestamp() - interval '2 hours', '2026-11-20T10:00:00Z', 1)`,
];
const gateSamples = (closedPairs: number) => `
  insert into ops.gate_samples (at, gate, closed_pairs, pairs)
  select clock_timestamp() - n * interval '1 minute', 'priced', 10 + n % 3, 100 from generate_series(15, 90) n;
  insert into ops.gate_samples (at, gate, closed_pairs, pairs) values (clock_timestamp(), 'priced', ${closedPairs}, 100)`;
const delivery = (ago: string, isResponding = true) => `
  with org as (insert into account.organizations (name) values ('outbox') returning org_id),
  made as (
    insert into webhook.endpoints (org_id, url, events, secret_id, secret_preview, is_responding)
    select org_id, 'https://example.com/', '{pair.created}', gen_random_uuid(), 'whsec_', ${isResponding} from org returning endpoint_id
  )
  insert into webhook.deliveries (endpoint_id, event, body, due_at)
  select endpoint_id, 'ping', '{}', clock_timestamp() - interval '${ago}' from made`;
const disabled = (ago: string) => `${delivery('0 s')};
  update webhook.endpoints set disabled_at = clock_timestamp() - interval '${ago}', disabled_reason = 'failures'`;
const partition = (ago: string) => `select stream.ensure_partition(clock_timestamp() - interval '${ago}')`;
const sent = (ago: string, behind: number) => `
  update stream.channels set last_offset = 100 where channel = 'status';
  insert into stream.broadcast_positions (channel, epoch, last_offset, sent_at)
  select channel, epoch, 100 - ${behind}, clock_timestamp() - interval '${ago}' from stream.channels where channel = 'status'
  on conflict (channel) do update set last_offset = excluded.last_offset, sent_at = excluded.sent_at`;

/** Centrifugo carries the stream, and has all frames but the last of each channel. */
const relayed = (last: string) => `
  select stream.use_carrier('redis');
  select stream.append_publication('status', array['{}']), stream.append_publication('sample', array['{}']);
  select stream.ensure_partition(clock_timestamp() - interval '${last}');
  update stream.publications set at = at - interval '${last}';
  insert into stream.relay_positions (channel, epoch, last_offset)
  select channel, epoch, last_offset - 1 from stream.channels where last_offset > 0
  on conflict (channel) do update set last_offset = excluded.last_offset`;
const embedded = `select stream.use_carrier('embedded')`;
const command = (ago: string) => `
  insert into stream.carrier_commands (method, payload, created_at)
  values ('disconnect', '{}', clock_timestamp() - interval '${ago}'), ('disconnect', '{}', clock_timestamp())`;

const noPolicy = 'drop policy "organizations read the channels of their plan" on realtime.messages';
const unknown = (ago: string) => `
  insert into venue.unknown_values (venue, what, occurrences, first_seen_at)
  values ('venue_a', 'market.status=halted', 3, clock_timestamp() - interval '${ago}')`;

test('a healthy stack has no alert', async () => {
  expect(await alertsAfter()).toEqual([]);
});

const failedSweep = (ago: string, finished = 'null') => `
  insert into venue.sweeps (venue, last_error, last_error_at, finished_at)
  values ('venue_a', 'HTTP 500', clock_timestamp() - interval '${ago}', ${finished})
  on conflict (venue) do update
  set last_error = excluded.last_error, last_error_at = excluded.last_error_at, finished_at = excluded.finished_at`;
const lease = (expires: string, holder = 'gen_random_uuid()') => `
  insert into venue.leases (name, holder, token, expires_at)
  values ('books:9', ${holder}, 3, clock_timestamp() + interval '${expires}')`;
const exported = (due: string) => [
  'select export.plan_day()',
  `update export.slices set due_at = '2026-11-20T${due}Z' where dataset = 'pairs'`,
];
const pass = (began: string) => `insert into catalog.match_passes (started_at) values ('2026-11-20T${began}Z')`;
const job = (active: boolean) =>
  `select cron.alter_job(jobid, active := ${active}) from cron.job where jobname = 'parallax_stream'`;
const alarm = (confirmed = 'null') => `
  insert into catalog.alarms (pair_id, reason, outcome_key, mid_a_usd6, mid_b_usd6, raised_at, stage_before, band_before, confirmed_at)
  select pair_id, 'price_divergence', 'home', 300000, 600000, clock.now(), stage, band, ${confirmed}
  from catalog.pairs where status = 'open' and withdrawn_at is null order by pair_id limit 1`;
const alarmed = 'where pair_id in (select pair_id from catalog.alarms)';
const withdrawn = `update catalog.pairs set withdrawn_at = clock.now(), withdrawn_code = 'identity_changed' ${alarmed}`;
const over = `update catalog.pairs set status = 'settled' ${alarmed}`;
const reports = (times: number, verdict = 'null') => `
  with org as (insert into account.organizations (name) values ('reports') returning org_id)
  insert into arb.reports (org_id, reason, verdict, reviewed_at)
  select org_id, 'x', ${verdict}, case when ${verdict} is not null then clock_timestamp() end from org, generate_series(1, ${times})`;

// Each alert just beyond its bound, and just below it.
test.each<[string, string[], string[][]]>([
  [
    'feed.down',
    running(`update venue.feeds set last_alive_at = '2026-11-20T11:59:29Z' where venue = 'venue_a'`),
    [running(`update venue.feeds set last_alive_at = '2026-11-20T11:59:45Z'`)],
  ],
  [
    'feed.stale',
    running(`update venue.feeds set last_alive_at = '2026-11-20T11:59:35Z' where venue = 'venue_a'`),
    [running(`update venue.feeds set last_alive_at = '2026-11-20T11:59:45Z'`)],
  ],
  [
    'feed.stale',
    running(`update venue.feeds set last_message_at = '2026-11-20T11:58:59Z' where venue = 'venue_b'`),
    [running(`update venue.feeds set last_message_at = '2026-11-20T11:59:05Z'`)],
  ],
  [
    'venue.clock',
    [`update venue.feeds set last_alive_at = clock.now() + interval '11 s' where venue = 'venue_a'`],
    [[`update venue.feeds set last_alive_at = clock.now() + interval '10 s'`]],
  ],
  [
    'venue.key',
    [`update venue.feeds set detail = 'polling, key refused (401)' where venue = 'venue_a'`],
    [[`update venue.feeds set detail = 'polling'`], [`update venue.feeds set detail = 'websocket, index 2 paused'`]],
  ],
  [
    'sweep.failing',
    [failedSweep('14 minutes')],
    [[failedSweep('15 minutes 1 second')], [failedSweep('2 minutes', `clock_timestamp() - interval '1 minute'`)]],
  ],
  ['lease.unheld', [lease('-31 s')], [[lease('-25 s')], [`insert into venue.leases (name) values ('books:8')`]]],
  ['lease.unheld', [lease('9 s', 'null')], [[lease('9 s')]]],
  [
    'step.late',
    running(
      `update price.snapshot_state set step = '2026-11-20T11:57:25Z'`,
      `update price.sampler_state set sampled_at = '2026-11-20T11:56:00Z'`,
    ),
    [running(`update price.snapshot_state set step = '2026-11-20T11:57:30Z'`)],
  ],
  [
    'sampler.late',
    [`update price.sampler_state set sampled_at = '2026-11-20T11:56:00Z'`],
    [[`update price.sampler_state set sampled_at = '2026-11-20T11:57:00Z'`]],
  ],
  [
    'census.late',
    running(`update census.reports set as_of = '2026-11-20T10:49:59Z'`),
    [running(`update census.reports set as_of = '2026-11-20T10:50:05Z'`)],
  ],
  [
    'export.late',
    running(...exported('11:29:59')),
    [running(...exported('11:30:05')), running(...exported('11:29:59'), 'update export.slices set done = true')],
  ],
  [
    'match.stuck',
    running(pass('11:49:59')),
    [running(pass('11:50:05')), running(pass('11:49:59'), `update catalog.match_passes set finished_at = started_at`)],
  ],
  ['outbox.old', [delivery('121 s')], [[delivery('115 s')], [delivery('10 minutes', false)]]],
  ['endpoint.disabled', [disabled('23 hours 59 minutes')], [[disabled('24 hours 1 second')]]],
  ['gate.rising', [gateSamples(22)], [[gateSamples(20)]]],
  ['pair.diverges', [alarm()], [[alarm('clock.now()')], [alarm(), withdrawn], [alarm(), over]]],
  ['job.off', [job(false)], [[job(true)]]],
  ['report.full', [reports(100)], [[reports(99)], [reports(100, `'dismissed'`)]]],
  // The name of a partition is the start of its ten minutes.
  ['stream.unpruned', [partition('102 minutes')], [[partition('89 minutes')]]],
  ['stream.unsent', [sent('61 s', 1)], [[sent('61 s', 0)], [sent('55 s', 50)]]],
  ['stream.unrelayed', [relayed('61 s')], [[relayed('55 s')], [relayed('61 s'), 'select stream.relay_pending()']]],
  ['stream.unrelayed', [relayed('10 s'), 'delete from stream.publications'], [[relayed('61 s'), embedded]]],
  ['stream.unconsumed', [command('61 s')], [[command('55 s')]]],
  ['stream.unjoinable', [noPolicy], [[noPolicy, 'select stream.install_realtime_policy()']]],
  ['venue.unknown', [unknown('23 hours 59 minutes')], [[unknown('24 hours 1 second')]]],
])('%s is raised beyond its bound and not below it', async (alert, cause, less) => {
  expect(await alertsAfter(...cause)).toEqual([alert]);
  for (const texts of less) expect(await alertsAfter(...texts)).toEqual([]);
});

test('every alert of docs/operations.md is raised in this file, and no other alert exists', async () => {
  const page = readFileSync(join(repository, 'docs/operations.md'), 'utf8');
  const named = [...page.slice(page.indexOf('## Alerts')).matchAll(/^\| (`[a-z.]+`(?:, `[a-z.]+`)*) \|/gm)].flatMap(
    ([, names = '']) => names.replaceAll('`', '').split(', '),
  );
  const source = readFileSync(import.meta.filename, 'utf8');
  expect(named.length).toBeGreaterThan(15);
  for (const name of named) expect(source, name).toMatch(new RegExp(`'${name}[' ]`));
  const views = await world.db.sql<{ text: string }[]>`
    select pg_get_viewdef(c.oid) as text from pg_class c
    where c.relnamespace = 'ops'::regnamespace and c.relkind = 'v' and c.relname like '%\_alerts'`;
  const raised = views.flatMap(({ text }) =>
    [...text.matchAll(/SELECT '([a-z]+\.[a-z]+)'::text/g)].map(([, name = '']) => name),
  );
  expect(raised.filter((name) => !named.includes(name))).toEqual([]);
  expect(raised.length).toBeGreaterThan(12);
});

test('job.failing lasts from the first failure until the job succeeds', async () => {
  const { port, password } = inject('postgres');
  // Only the superuser may write the runs of pg_cron.
  const cron = postgres(databaseUrl(port, 'supabase_admin', password, world.db.name), { max: 1 });
  const run = (status: string, ago: string) => cron`
    insert into cron.job_run_details (jobid, status, return_message, start_time, end_time, username)
    select jobid, ${status}, ${`the message of ${status}`}, clock_timestamp() - ${ago}::interval, clock_timestamp(), username
    from cron.job where jobname = 'parallax_advance'`;
  try {
    await run('succeeded', '5 minutes');
    expect(await alertsAfter()).toEqual([]);
    await run('failed', '4 minutes');
    await run('failed', '3 minutes');
    expect(await alertsAfter()).toEqual(['job.failing']);
    const [jobAlert] = await world.db.sql`
      select what, how_much, clock_timestamp() - since between '3 minutes 50 seconds' and '10 minutes' as from_the_first from ops.job_alerts`;
    expect(jobAlert).toEqual({ what: 'parallax_advance', how_much: 'the message of failed', from_the_first: true });
    await run('succeeded', '2 minutes');
    expect(await alertsAfter()).toEqual([]);
  } finally {
    await cron.end();
  }
});

test('ops.sample_gates samples each gate once a minute, and samples are kept for a day', async () => {
  const { sql } = world.db;
  await sql`select ops.sample_gates(), ops.sample_gates()`;
  const rows = await sql`select gate, closed_pairs, pairs from ops.gate_samples order by gate`;
  expect(rows.map(({ gate }) => gate)).toEqual(expect.arrayContaining(['band', 'parity', 'priced', 'risk']));
  await sql`update ops.gate_samples set at = at - interval '26 hours'`;
  await sql`select ops.purge_expired()`;
  expect(await sql`select from ops.gate_samples`).toHaveLength(0);
});

test('ops.statements loads and answers where pg_stat_statements is missing', async () => {
  expect(await world.db.sql`select * from ops.statements`).toBeInstanceOf(Array);
});
