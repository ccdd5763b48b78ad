import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type Client, type Rest, serveRest } from '../support/rest.ts';
import { allow } from './support/sender.ts';

// The page's doors with the client that the page uses, over Auth and REST: lists of texts and numbers arrive as they were sent.
let db: TestDatabase;
let rest: Rest;
let client: Client;
let p_org: string;
beforeAll(async () => {
  db = await createDatabase();
  rest = await serveRest(db);
  client = rest.client();
  await client.auth.signUp({ email: 'owner@example.com', password: 'long enough' });
  p_org = (await client.rpc('start_session')).data.org_id;
  await db.sql`select account.set_plan(${p_org}, 'basic', 'active', 'test')`;
  // What the DNS says of a host is dns.test.ts's.
  await allow(db.sql, 'hooks.example.com:443');
});
afterAll(async () => {
  await rest.close();
  await db.close();
});

test('register, list, test, read the log, delete', async () => {
  const made = await client.rpc('register_webhook', {
    p_org,
    p_url: 'https://hooks.example.com/in?team=a,b',
    p_events: ['pair.created', 'spread.threshold'],
    p_min_spread_pts: 2.5,
  });
  expect(made.error).toBeNull();
  expect(made.data).toMatchObject({
    events: ['pair.created', 'spread.threshold'],
    min_spread_pts: 2.5,
    secret: expect.stringMatching(/^whsec_/),
  });
  const p_id = made.data.id;
  const listed = await client
    .from('my_webhooks')
    .select()
    .eq('org_id', p_org)
    .order('created_at', { ascending: false });
  expect(listed.data).toMatchObject([
    {
      id: p_id,
      url: 'https://hooks.example.com/in?team=a,b',
      events: ['pair.created', 'spread.threshold'],
      status: 'enabled',
      failure_count: 0,
    },
  ]);
  expect(listed.data?.[0]?.min_spread_pts).toBe(2.5);
  const ping = await client.rpc('test_webhook', { p_id });
  const log = await client.rpc('webhook_deliveries', { p_id });
  expect(log.data).toMatchObject([
    { delivery_id: ping.data.delivery_id, event: 'ping', state: 'waiting', attempts: 0 },
  ]);
  expect((await client.rpc('webhook_deliveries', { p_id, p_state: 'failed', p_before: null })).data).toEqual([]);
  expect((await client.rpc('replay_delivery', { p_id: ping.data.delivery_id })).error).toMatchObject({
    code: 'delivery.not_failed',
  });
  expect((await client.rpc('delete_webhook', { p_id })).error).toBeNull();
  expect((await client.from('my_webhooks').select()).data).toEqual([]);
});

test('a threshold may be left out, or null as the page sends it; what is wrong comes as {code, message} with its status', async () => {
  const common = { p_org, p_url: 'https://hooks.example.com', p_events: ['pair.created'] };
  const bare = await client.rpc('register_webhook', common);
  expect(bare.data).toMatchObject({ min_spread_pts: null });
  expect((await client.rpc('register_webhook', { ...common, p_min_spread_pts: null })).error).toBeNull();
  const local = await client.rpc('register_webhook', { ...common, p_url: 'https://127.0.0.1/' });
  expect(local.status).toBe(422);
  expect(local.error).toMatchObject({
    code: 'webhook.url_private_host',
    message: expect.stringMatching(/^URL host .*\.$/),
  });
});
