import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { routes } from '../../functions/api/app.ts';
import { validationError } from '../../functions/api/contract/errors.ts';
import { webhook, webhookSecret } from '../../functions/api/contract/webhook.ts';
import { patchWebhook } from '../../functions/api/routes/patch_webhook.ts';
import { postWebhook } from '../../functions/api/routes/post_webhook.ts';
import { type RunningApi, serveApi } from '../api/support/server.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type Rest, serveRest } from '../support/rest.ts';
import { DnsServer } from './support/dns.ts';
import { type Owner, signUpOwner } from './support/owner.ts';

// The webhook page of the dashboard, with its own client, over Auth, REST and the function api. The
// session of an owner registers and changes an endpoint, and may call no other route of the API.
let db: TestDatabase;
let rest: Rest;
let dns: DnsServer;
let api: RunningApi;
let owner: Owner;
beforeAll(async () => {
  db = await createDatabase();
  rest = await serveRest(db);
  dns = await DnsServer.listen(['93.184.215.14']);
  api = await serveApi(db.url('parallax_api'), { resolve: dns.resolve, platform: rest.platform });
});
afterAll(async () => {
  await api.close();
  await dns.close();
  await rest.close();
  await db.close();
});
beforeEach(async () => {
  owner = await signUpOwner(db, rest);
  dns.queries.length = 0;
});

const codeOf = async (response: Response) => [response.status, (await response.json()).code];
const windowUsed = async () =>
  (await db.sql<{ used: number }[]>`select window_used as used from account.usage where org_id = ${owner.orgId}`)[0]
    ?.used;
const countEndpoints = async () => (await db.sql`select from webhook.endpoints where org_id = ${owner.orgId}`).length;

test('lets an owner register, list and test an endpoint, read its deliveries and delete it', async () => {
  const response = await owner.register(api.base, {
    url: 'https://hooks.example.com/in?team=a,b',
    events: ['pair.created', 'spread.threshold'],
    min_spread_pts: 2.5,
  });
  expect([response.status, response.headers.get('Cache-Control')]).toEqual([201, 'no-store']);
  expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
  const created = webhookSecret.parse(await response.json());
  expect(created).toMatchObject({
    events: ['pair.created', 'spread.threshold'],
    min_spread_pts: 2.5,
    secret: expect.stringMatching(/^whsec_/),
  });
  const { client, orgId } = owner;
  const p_id = created.id;
  const listed = await client
    .from('my_webhooks')
    .select()
    .eq('org_id', orgId)
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
  const log = await client.rpc('list_webhook_deliveries', { p_id });
  expect(log.data).toMatchObject([
    { delivery_id: ping.data.delivery_id, event: 'ping', state: 'waiting', attempts: 0 },
  ]);
  expect((await client.rpc('list_webhook_deliveries', { p_id, p_state: 'failed', p_before: null })).data).toEqual([]);
  expect((await client.rpc('replay_delivery', { p_id: ping.data.delivery_id })).error).toMatchObject({
    code: 'delivery.not_failed',
  });
  expect((await client.rpc('delete_webhook', { p_id })).error).toBeNull();
  expect((await client.from('my_webhooks').select()).data).toEqual([]);
});

test('names in the audit the person who registered', async () => {
  await owner.register(api.base);
  const rows = await db.sql`
    select actor, actor_id, action from account.audit where org_id = ${owner.orgId} and action like 'webhook.%'`;
  expect(rows).toEqual([{ actor: owner.email, actor_id: owner.userId, action: 'webhook.registered' }]);
});

test('accepts a missing threshold, and null as the dashboard sends it', async () => {
  expect(await (await owner.register(api.base)).json()).toMatchObject({ min_spread_pts: null });
  expect((await owner.register(api.base, { min_spread_pts: null })).status).toBe(201);
});

test('returns a ValidationError as with a key, and counts each registration as one request of the window', async () => {
  dns.setReplies('inside.example.com', ['10.0.0.1']);
  const rejected = await owner.register(api.base, { url: 'https://inside.example.com/', events: [] });
  expect(rejected.status).toBe(422);
  expect(rejected.headers.get('RateLimit')).toMatch(/"window";r=599/);
  const { detail } = validationError.parse(await rejected.json());
  expect(detail.map((one) => [one.loc.join('.'), one.type])).toEqual([
    ['body.url', 'url_private_address'],
    ['body.events', 'too_short'],
  ]);
  expect(await windowUsed()).toBe(1);
  expect((await owner.register(api.base, { url: 7 })).status).toBe(422);
  expect((await owner.register(api.base)).status).toBe(201);
  expect(await windowUsed()).toBe(3);
  await db.sql`update account.usage set window_used = 599 where org_id = ${owner.orgId}`;
  expect((await owner.register(api.base)).status).toBe(201);
  const full = await owner.register(api.base);
  expect(Number(full.headers.get('Retry-After'))).toBeGreaterThan(0);
  expect(await codeOf(full)).toEqual([429, 'rate.window']);
});

test('concurrent registrations by a session and by a key make exactly three endpoints', async () => {
  const [inserted] = await db.sql`select account.insert_key(${owner.orgId}, 'a key') as key`;
  const byKey = () =>
    fetch(`${api.base}/v1/webhooks`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${inserted?.key}` },
      body: JSON.stringify({ url: 'https://hooks.example.com/in', events: ['pair.created'] }),
    });
  const all = await Promise.all([1, 2, 3].flatMap(() => [owner.register(api.base), byKey()]));
  expect(all.map((one) => one.status).sort()).toEqual([201, 201, 201, 409, 409, 409]);
  expect(await codeOf(await owner.register(api.base))).toEqual([409, 'webhook.limit']);
  expect(await countEndpoints()).toBe(3);
});

describe('a registration by a caller without the right, before the body is checked or the DNS queried', () => {
  const bad = { url: 'https://localhost', events: [] };
  afterAll(() => {
    expect(dns.queries).toEqual([]);
  });

  test('returns 403 to a member and 404 to a stranger, as for an unknown or invalid organization id', async () => {
    const member = await signUpOwner(db, rest);
    const { code } = (await owner.client.rpc('invite_member', { p_org_id: owner.orgId, p_role: 'member' })).data;
    await member.client.rpc('accept_invitation', { p_code: code });
    const at = { orgId: owner.orgId };
    expect(await codeOf(await member.register(api.base, bad, at))).toEqual([403, 'role.owner_needed']);
    const stranger = await signUpOwner(db, rest);
    const ids = [owner.orgId, '00000000-0000-4000-8000-000000000000', 'x', ''];
    for (const orgId of ids)
      expect(await codeOf(await stranger.register(api.base, bad, { orgId }))).toEqual([404, 'organization.not_found']);
  });

  test('returns 402 for an inactive plan and 403 for a plan without webhooks', async () => {
    await db.sql`select account.set_plan(${owner.orgId}, 'basic', 'inactive', 'test')`;
    expect(await codeOf(await owner.register(api.base, bad))).toEqual([402, 'billing.inactive']);
    await db.sql`select account.set_plan(${owner.orgId}, 'free', 'active', 'test')`;
    expect(await codeOf(await owner.register(api.base, bad))).toEqual([403, 'webhook.tier']);
    expect(await windowUsed()).toBe(0);
  });

  test('returns 401 for a token that is expired, not signed by Auth, or not of a person', async () => {
    const now = Math.floor(Date.now() / 1_000);
    const person = { sub: owner.userId, role: 'authenticated', aud: 'authenticated', exp: now + 600 };
    const [head, body] = owner.token.split('.');
    const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
    const tokens = [
      `${owner.token.slice(0, -4)}AAAA`,
      `${none}.${body}.${none}`,
      `${head}.${Buffer.from(JSON.stringify(person)).toString('base64url')}.${owner.token.split('.')[2]}`,
      rest.token(person, 'another-secret-of-thirty-two-letters'),
      rest.token({ ...person, exp: now - 60 }),
      rest.token({ ...person, sub: '00000000-0000-4000-8000-000000000000' }),
      // A token that the API issues for Realtime is signed by the same key and belongs to no
      // person.
      rest.token({ role: 'authenticated', aud: 'authenticated', org: owner.orgId, exp: now + 600 }),
      rest.token({ role: 'service_role', exp: now + 600 }),
      rest.token({ role: 'anon', exp: now + 600 }),
    ];
    for (const token of tokens) {
      const response = await owner.register(api.base, bad, { token });
      expect([token, response.headers.get('WWW-Authenticate'), ...(await codeOf(response))]).toEqual([
        ...[token, 'Bearer', 401, 'session.none'],
      ]);
    }
    expect(await countEndpoints()).toBe(0);
  });

  test('returns 401 for a session that was signed out, although its token has not expired', async () => {
    await owner.client.auth.signOut({ scope: 'global' });
    expect(await codeOf(await owner.register(api.base, bad))).toEqual([401, 'session.none']);
    expect(await countEndpoints()).toBe(0);
  });

  test('returns 401 for a deleted person whose token has not expired', async () => {
    await db.sql`delete from auth.users where id = ${owner.userId}`;
    expect(await codeOf(await owner.register(api.base, bad))).toEqual([401, 'session.none']);
  });
});

describe('a change with the session of an owner', () => {
  const change = async (id: string, body: object, { orgId = owner.orgId, token = owner.token } = {}) =>
    fetch(`${api.base}/v1/webhooks/${id}?org_id=${orgId}`, {
      method: 'PATCH',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const registered = async () => webhookSecret.parse(await (await owner.register(api.base)).json()).id;

  test('changes the endpoint, counts one request and names the person in the audit', async () => {
    const id = await registered();
    const used = await windowUsed();
    const answer = await change(id, { events: ['opportunity.opened'], min_edge_pct: 1.5 });
    expect(answer.status).toBe(200);
    expect(webhook.parse(await answer.json())).toMatchObject({ id, events: ['opportunity.opened'], min_edge_pct: 1.5 });
    expect(await windowUsed()).toBe((used ?? 0) + 1);
    const rows = await db.sql`
      select actor, action from account.audit where org_id = ${owner.orgId} and action = 'webhook.changed'`;
    expect(rows).toEqual([{ actor: owner.email, action: 'webhook.changed' }]);
  });

  test('enables a disabled endpoint again', async () => {
    const id = await registered();
    await db.sql`
      update webhook.endpoints set disabled_at = now(), disabled_reason = 'delivery_failures' where endpoint_id = ${id}`;
    expect(await (await change(id, { status: 'enabled' })).json()).toMatchObject({ id, status: 'enabled' });
  });

  test('returns 422 with the field for a private address', async () => {
    const rejected = await change(await registered(), { url: 'https://10.0.0.1/x' });
    expect(rejected.status).toBe(422);
    expect(validationError.parse(await rejected.json()).detail[0]?.loc).toEqual(['body', 'url']);
  });

  test('returns 404 for the endpoint of another organization, and for an organization of others', async () => {
    const id = await registered();
    const other = await signUpOwner(db, rest);
    const body = { url: 'https://hooks.example.com/taken' };
    const own = { orgId: other.orgId, token: other.token };
    expect(await codeOf(await change(id, body, own))).toEqual([404, 'webhook.not_found']);
    expect(await codeOf(await change(id, body, { token: other.token }))).toEqual([404, 'organization.not_found']);
    expect(await db.sql`select url from webhook.endpoints where endpoint_id = ${id}`).toEqual([
      { url: 'https://hooks.example.com/in' },
    ]);
  });
});

test('a session opens only POST and PATCH of /v1/webhooks with an org_id, and no other path or method', async () => {
  const headers = { Authorization: `Bearer ${owner.token}` };
  const body = JSON.stringify({ url: 'https://hooks.example.com/in', events: ['pair.created'] });
  const at = async (method: string, path: string) =>
    codeOf(await fetch(`${api.base}${path}`, { method, headers, ...(method === 'POST' ? { body } : {}) }));
  const malformed = [401, 'auth.malformed_key'];
  expect(await at('POST', '/v1/webhooks')).toEqual(malformed);
  const others = routes.filter((route) => !route.isPublic && route !== postWebhook && route !== patchWebhook);
  expect(others.length).toBeGreaterThan(14);
  for (const { method, path } of others) {
    const named = `${path.replace(':id', '00000000-0000-4000-8000-000000000000')}?org_id=${owner.orgId}`;
    expect([method, path, ...(await at(method, named))]).toEqual([method, path, ...malformed]);
  }
  expect(await countEndpoints()).toBe(0);
});

test('a key registers for its own organization and ignores org_id', async () => {
  const [inserted] = await db.sql`select account.insert_key(${owner.orgId}, 'a key') as key`;
  const other = await signUpOwner(db, rest);
  const created = await owner.register(api.base, {}, { orgId: other.orgId, token: inserted?.key });
  expect(created.status).toBe(201);
  expect(await countEndpoints()).toBe(1);
});

describe('a registration while Auth cannot verify the session', () => {
  async function expectUnverified(platform: Rest['platform'] | undefined) {
    const otherApi = await serveApi(db.url('parallax_api'), {
      resolve: dns.resolve,
      ...(platform ? { platform } : {}),
    });
    const response = await owner.register(otherApi.base);
    await otherApi.close();
    expect(response.headers.get('Retry-After')).toBe('1');
    expect(await codeOf(response)).toEqual([503, 'session.unverified']);
    expect(await countEndpoints()).toBe(0);
  }

  test('returns 503 when the function has no platform settings', () => expectUnverified(undefined));

  test('returns 503 when nothing listens at the URL of the platform', () =>
    expectUnverified({ ...rest.platform, url: 'http://127.0.0.1:1' }));

  test.each<[string, number, string]>([
    ['an error', 500, `{"id":"00000000-0000-4000-8000-000000000000"}`],
    ['a body that is not JSON', 200, 'yes'],
    ['no id', 200, '{}'],
    ['an invalid id', 200, '{"id":"me"}'],
    ['a redirect', 302, ''],
  ])('returns 503 when Auth answers with %s', async (_, status, body) => {
    const authStub = createServer((_request, response) => {
      response.writeHead(status, { Location: `${rest.url}/auth/v1/user` }).end(body);
    });
    await new Promise<void>((resolve) => authStub.listen(0, '127.0.0.1', resolve));
    const { port } = authStub.address() as AddressInfo;
    await expectUnverified({ ...rest.platform, url: `http://127.0.0.1:${port}` });
    await new Promise((resolve) => authStub.close(resolve));
  });
});
