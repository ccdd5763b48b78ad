import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiFixture, createApiFixture } from '../api/support/fixture.ts';

let world: ApiFixture;
const cron = 'sb_secret_of_the_cron_jobs_0123456789';
beforeAll(async () => {
  world = await createApiFixture({ metricsKeys: ['sb_secret_metrics', cron] });
  const { sql } = world.db;
  await sql`
    insert into venue.feeds (venue, source, last_message_at, last_alive_at)
    values ('venue_a', 'simulated', clock.now(), clock.now())`;
  await sql`insert into venue.leases (name) values ('odd "name" \\ here')`;
  await sql`select jobs.install_schedules(), ops.sample_gates()`;
});
afterAll(() => world.close());

const metrics = async (headers: Record<string, string> = { apikey: cron }) =>
  fetch(`${world.api.base}/metrics`, { headers });
const sampleOf = (text: string, sample: string) =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${sample} `))
      ?.slice(sample.length + 1),
  );

test('GET /metrics accepts METRICS_KEY and CRON_KEY, in both headers, and no other caller', async () => {
  const key = await world.key();
  expect((await metrics({})).status).toBe(401);
  expect((await metrics({ Authorization: `Bearer ${key}` })).status).toBe(403);
  expect((await metrics({ Authorization: `Bearer ${cron}` })).status).toBe(200);
  expect((await metrics({ apikey: key })).status).toBe(403);
  expect((await metrics({ apikey: cron.slice(0, -1) })).status).toBe(403);
  expect((await metrics({ apikey: 'sb_secret_metrics' })).status).toBe(200);
  const answer = await metrics();
  expect(answer.headers.get('Content-Type')).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
  expect(answer.headers.get('Cache-Control')).toBe('no-store');
});

test('GET /metrics names no organization and no key', async () => {
  await world.key();
  const text = await (await metrics()).text();
  for (const secret of await world.db.sql`select org_id::text as text from account.organizations`)
    expect(text).not.toContain(secret.text);
  expect(text).not.toMatch(/sk_live_|org \d/);
});

test('the request counter rises with each request that carries data', async () => {
  const key = await world.key();
  const before = sampleOf(await (await metrics()).text(), 'parallax_requests_with_data_total');
  for (let n = 0; n < 3; n += 1) expect((await world.get('/v2/markets', key)).status).toBe(200);
  expect(sampleOf(await (await metrics()).text(), 'parallax_requests_with_data_total')).toBe(before + 3);
});

test('GET /metrics writes each metric family once with its type, and ends as OpenMetrics requires', async () => {
  const text = await (await metrics()).text();
  expect(text.endsWith('\n# EOF\n')).toBe(true);
  const types = [...text.matchAll(/^# TYPE (\S+) (gauge|counter)$/gm)].map(([, name]) => name);
  expect(new Set(types).size).toBe(types.length);
  expect(types.length).toBeGreaterThan(15);
  expect(text).toContain('parallax_lease_held{lease="odd \\"name\\" \\\\ here"} 0');
  for (const line of text.split('\n').filter((one) => one !== '' && !one.startsWith('#')))
    expect(line).toMatch(/^parallax_[a-z_]+(\{[a-z_]+="([^"\\]|\\.)*"(,[a-z_]+="([^"\\]|\\.)*")*\})? -?\d+(\.\d+)?$/);
});

test('GET /metrics has the age of what waits for Centrifugo, where Centrifugo carries the stream', async () => {
  const { sql } = world.db;
  const ages = async () => {
    const text = await (await metrics()).text();
    return ['parallax_stream_relay_lag_seconds', 'parallax_stream_commands_oldest_seconds'].map((name) =>
      sampleOf(text, name),
    );
  };
  expect(await ages()).toEqual([Number.NaN, Number.NaN]);
  await sql`select stream.use_carrier('redis')`;
  try {
    await sql`select stream.relay_pending()`;
    await sql`delete from stream.carrier_commands`;
    expect(await ages()).toEqual([0, 0]);
    await sql`select stream.append_publication('status', array['{}'])`;
    // The partition of that time may have ended before this database was built.
    await sql`select stream.ensure_partition(clock_timestamp() - interval '50 s')`;
    await sql`update stream.publications set at = clock_timestamp() - interval '50 s' where channel = 'status'`;
    await sql`
      insert into stream.carrier_commands (method, payload, created_at)
      values ('disconnect', '{}', clock_timestamp() - interval '30 s')`;
    const [relay = 0, commands = 0] = await ages();
    expect([relay, commands].map((seconds) => Math.floor(seconds / 10) * 10)).toEqual([50, 30]);
  } finally {
    await sql`select stream.use_carrier('embedded')`;
  }
});

test('GET /metrics counts the connections of both carriers while their leases last', async () => {
  const { sql } = world.db;
  await world.key();
  await sql`
    insert into stream.connections (connection_id, org_id, key_id, server_id, lease, lease_until, node)
    select gen_random_uuid(), k.org_id, k.key_id, gen_random_uuid(), x.lease, clock_timestamp() + x.left, x.node
    from (select * from account.keys limit 1) k
    cross join (
      values (interval '40 s', interval '30 s', null), ('40 s', '-1 s', null), ('400 s', '390 s', 'node-1')
    ) x (lease, "left", node)`;
  expect(sampleOf(await (await metrics()).text(), 'parallax_stream_connections')).toBe(2);
});

const python = `
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
print(len(list(text_string_to_metric_families(sys.stdin.read()))))`;
// Debian's Python, because its package python3-prometheus-client is for that version.
const python3 = '/usr/bin/python3';
const parser = spawnSync(python3, ['-c', 'import prometheus_client'], { encoding: 'utf8' }).status === 0;

test.skipIf(!parser)(
  'prometheus_client parses GET /metrics (skipped where python3 has no prometheus_client)',
  async () => {
    const text = await (await metrics()).text();
    const read = spawnSync(python3, ['-c', python], { encoding: 'utf8', input: text });
    expect(read.stderr).toBe('');
    expect(Number(read.stdout)).toBe(text.match(/^# TYPE/gm)?.length);
  },
);
