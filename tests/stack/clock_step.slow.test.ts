import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Centrifuge } from 'centrifuge';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NodeSocket } from '../../client/src/node_socket.ts';
import { type RunningStack, startStack } from '../support/stack.ts';
import { mintTicket } from '../support/stream_ticket.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';
import { waitUntil } from '../support/wait_until.ts';
import { createAuthority } from '../webhook/support/certificate.ts';
import { Receiver } from '../webhook/support/receiver.ts';
import { createEndpoint, enqueue } from '../webhook/support/sender.ts';
import { untilFastForwardEnds } from './simulator.ts';

// The times of a running stack as a clock leaves them that was an hour ahead and was set back
// (docs/clocks.md), and the four paths of a customer afterwards.

let stack: RunningStack;
let receiver: Receiver;
beforeAll(async () => {
  const ca = createAuthority();
  const caFile = join(temporaryFolder('clock-step'), 'ca.pem');
  writeFileSync(caFile, ca.certificate);
  receiver = await Receiver.listen(ca);
  stack = await startStack({
    args: ['--webhook-allow', `localhost:${receiver.port}`, '--webhook-ca', caFile],
    env: { REST_DELAY_SECONDS: '10' },
    readyWithinMs: 240_000,
  });
  await untilFastForwardEnds(stack);
}, 360_000);
afterAll(async () => {
  await stack?.stop();
  await receiver?.close();
});

/** Moves the stored times an hour ahead, as if the clock had been set back by an hour now. */
const moveTimes = () =>
  stack.sql.begin(async (sql) => {
    // No writer may be between reading its clock and its commit.
    await sql`lock table venue.leases, webhook.deliveries, stream.connections, price.latest_updates in exclusive mode`;
    await sql`
      update venue.leases
      set expires_at = expires_at + interval '1 hour', handover_at = handover_at + interval '1 hour',
          successor_expires_at = successor_expires_at + interval '1 hour'`;
    await sql`update venue.feeds set last_alive_at = last_alive_at + interval '1 hour', last_message_at = last_message_at + interval '1 hour'`;
    await sql`update venue.sweeps set finished_at = finished_at + interval '1 hour'`;
    await sql`select price.create_partition(
      'updates', 'updates_' || to_char(t at time zone 'UTC', 'YYYYMMDDHH24'), t, t + interval '1 hour')
      from generate_series(date_trunc('hour', clock.now(), 'UTC'), clock.now() + interval '2 hours', '1 hour') t`;
    await sql`
      insert into price.updates overriding user value
      select (jsonb_populate_record(l, jsonb_build_object('priced_at', l.priced_at + interval '1 hour'))).*
      from price.latest_updates l`;
    await sql`update price.latest_updates set priced_at = priced_at + interval '1 hour'`;
    await sql`update price.snapshot_state set step = step + interval '1 hour' where step > '-infinity'`;
    await sql`update price.sampler_state set sampled_at = sampled_at + interval '1 hour' where sampled_at > '-infinity'`;
    await sql`update arb.opportunities set last_update_at = last_update_at + interval '1 hour', opened_at = opened_at + interval '1 hour' where closed_at = 'infinity'`;
    await sql`update account.usage set window_began_at = clock_timestamp() + interval '1 hour', window_used = 100000`;
    await sql`update webhook.deliveries set due_at = due_at + interval '1 hour' where due_at is not null`;
    await sql`update webhook.sender_state set awake_until = clock_timestamp() + interval '1 hour'`;
    await sql`select setval('webhook.deliver_called_ms', (extract(epoch from clock_timestamp()) * 1000)::bigint + 3600000)`;
    await sql`update stream.connections set lease_until = lease_until + interval '1 hour'`;
    await sql`update stream.tickets set expires_at = expires_at + interval '1 hour'`;
    await sql`update stream.realtime_grants set expires_at = expires_at + interval '1 hour'`;
    await sql`update stream.broadcast_positions set beacon_at = beacon_at + interval '1 hour', sent_at = sent_at + interval '1 hour'`;
    await sql`update stream.flush_state set repaired_at = clock_timestamp() + interval '1 hour', refilled_at = clock_timestamp() + interval '1 hour'`;
    await sql`update stream.published_quotes set published_at = published_at + interval '1 hour' where published_at > '-infinity'`;
  });

test('prices, REST, the stream and webhooks go on within seconds after the clock was set back by an hour', async () => {
  const key = await stack.key('basic', 'Clock');
  const [owner] = await stack.sql<{ org_id: string }[]>`
    select org_id from account.keys where hash = account.key_hash(${key})`;
  const endpoint = await createEndpoint(stack.sql, owner?.org_id ?? '', receiver.url('/clock'));
  const prices: number[] = [];
  const stream = new Centrifuge((await mintTicket(stack.baseUrl, key)).ws_url, {
    websocket: NodeSocket,
    getData: async () => ({ t: (await mintTicket(stack.baseUrl, key)).ticket }),
  });
  stream.on('publication', ({ channel, data }) => {
    if (channel === 'markets:all' && data.type === 'price' && !data.void) prices.push(Date.now());
  });
  stream.connect();
  await waitUntil(() => prices.length > 20, { what: 'prices', timeoutMs: 90_000 });
  const [delivery = ''] = await enqueue(stack.sql, endpoint.id);
  await stack.sql`update webhook.deliveries set due_at = clock_timestamp() + interval '25 seconds' where delivery_id = ${delivery}`;

  await moveTimes();
  const movedAt = Date.now();
  const since = () => `${((Date.now() - movedAt) / 1_000).toFixed(1)} s`;

  const markets = () => fetch(`${stack.baseUrl}/v2/markets?limit=1`, { headers: { authorization: `Bearer ${key}` } });
  const response = await markets();
  if (response.status !== 200) {
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  }
  console.log(`REST ${response.status} after ${since()}`);
  await waitUntil(() => receiver.requestsTo('/clock').length > 0, { what: 'the delivery', timeoutMs: 40_000 });
  console.log(`the delivery after ${since()}`);
  const before = prices.length;
  await waitUntil(() => prices.length > before + 50, { what: 'prices on the stream', timeoutMs: 60_000 });
  console.log(`50 prices on the stream after ${since()}`);
  await waitUntil(
    async () => {
      const [row] = await stack.sql<{ ahead: number; priced: number }[]>`
        select count(*) filter (where priced_at > clock.horizon())::int as ahead,
               count(*) filter (where void_reason is null and priced_at > ${new Date(movedAt)})::int as priced
        from price.latest_updates`;
      return row !== undefined && row.ahead === 0 && row.priced > 20;
    },
    { what: 'no price of the future, and new ones', timeoutMs: 60_000 },
  );
  console.log(`no price of the future after ${since()}`);
  await waitUntil(async () => (await markets()).status === 200, { what: 'REST', timeoutMs: 60_000 });
  const next = new Centrifuge((await mintTicket(stack.baseUrl, key)).ws_url, {
    websocket: NodeSocket,
    getData: async () => ({ t: (await mintTicket(stack.baseUrl, key)).ticket }),
  });
  next.connect();
  await next.ready(20_000);
  next.disconnect();
  stream.disconnect();
}, 400_000);
