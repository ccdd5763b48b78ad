import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { routes } from '../../functions/api/app.ts';
import { validationError } from '../../functions/api/contract/errors.ts';
import { webhookSecret } from '../../functions/api/contract/webhook.ts';
import { postWebhook } from '../../functions/api/routes/post_webhook.ts';
import { type RunningApi, serveApi } from '../api/support/server.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type Rest, serveRest } from '../support/rest.ts';
import { DnsServer } from './support/dns.ts';
import { type Owner, signUpOwner } from './support/owner.ts';

// What the dashboard does with webhooks, with the client that it uses, over Auth, REST and the function api: the session of an owner
// registers an endpoint, and opens nothing else.
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
  dns.asked.length = 0;
});

const codeOf = async (answer: Response) => [answer.status, (await answer.json()).code];
const windowUsed = async () =>
  (await db.sql<{ used: number }[]>`select window_used as used from account.usage where org_id = ${owner.orgId}`)[0]
    ?.used;
const countEndpoints = async () => (await db.sql`select from webhook.endpoints where org_id = ${owner.orgId}`).length;

test('an owner registers, lists, tests, reads the log and deletes', async () => {
  const answer = await owner.register(api.base, {
    url: 'https://hooks.example.com/in?team=a,b',
    events: ['pair.created', 'spread.threshold'],
    min_spread_pts: 2.5,
  });
  expect([answer.status, answer.headers.get('Cache-Control')]).toEqual([201, 'no-store']);
  expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
  const made = webhookSecret.parse(await answer.json());
  expect(made).toMatchObject({
    events: ['pair.created', 'spread.threshold'],
    min_spread_pts: 2.5,
    secret: expect.stringMatching(/^whsec_/),
  });
  const { client, orgId } = owner;
  const p_id = made.id;
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

test('the audit names the person who registered', async () => {
  await owner.register(api.base);
  const rows = await db.sql`
    select actor, actor_id, action from account.audit where org_id = ${owner.orgId} and action like 'webhook.%'`;
  expect(rows).toEqual([{ actor: owner.email, actor_id: owner.userId, action: 'webhook.registered' }]);
});

test('a threshold may be left out, or null as the dashboard sends it', async () => {
  expect(await (await owner.register(api.base)).json()).toMatchObject({ min_spread_pts: null });
  expect((await owner.register(api.base, { min_spread_pts: null })).status).toBe(201);
});

test('what is wrong is a Validation error as with a key, and one registration is one request of the window', async () => {
  dns.name('inside.example.com', ['10.0.0.1']);
  const refused = await owner.register(api.base, { url: 'https://inside.example.com/', events: [] });
  expect(refused.status).toBe(422);
  expect(refused.headers.get('RateLimit')).toMatch(/"window";r=599/);
  const { detail } = validationError.parse(await refused.json());
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

test('two owners and a key that register at once make three endpoints and no more', async () => {
  const [minted] = await db.sql`select account.insert_key(${owner.orgId}, 'a key') as key`;
  const byKey = () =>
    fetch(`${api.base}/v1/webhooks`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${minted?.key}` },
      body: JSON.stringify({ url: 'https://hooks.example.com/in', events: ['pair.created'] }),
    });
  const all = await Promise.all([1, 2, 3].flatMap(() => [owner.register(api.base), byKey()]));
  expect(all.map((one) => one.status).sort()).toEqual([201, 201, 201, 409, 409, 409]);
  expect(await codeOf(await owner.register(api.base))).toEqual([409, 'webhook.limit']);
  expect(await countEndpoints()).toBe(3);
});

describe('who may not register is refused before anything is said of the body, and nothing is asked of the DNS', () => {
  const bad = { url: 'https://localhost', events: [] };
  afterAll(() => {
    expect(dns.asked).toEqual([]);
  });

  test('a member is 403, a stranger 404, as for an organization that never was or an id that is none', async () => {
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

  test('a plan that is not active is 402, one without webhooks 403', async () => {
    await db.sql`select account.set_plan(${owner.orgId}, 'basic', 'inactive', 'test')`;
    expect(await codeOf(await owner.register(api.base, bad))).toEqual([402, 'billing.inactive']);
    await db.sql`select account.set_plan(${owner.orgId}, 'free', 'active', 'test')`;
    expect(await codeOf(await owner.register(api.base, bad))).toEqual([403, 'webhook.tier']);
    expect(await windowUsed()).toBe(0);
  });

  test('a token that Auth did not sign, that has expired, or that is no person’s is 401', async () => {
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
      // What the API gives for Realtime: signed by the same key, and nobody's.
      rest.token({ role: 'authenticated', aud: 'authenticated', org: owner.orgId, exp: now + 600 }),
      rest.token({ role: 'service_role', exp: now + 600 }),
      rest.token({ role: 'anon', exp: now + 600 }),
    ];
    for (const token of tokens) {
      const answer = await owner.register(api.base, bad, { token });
      expect([token, answer.headers.get('WWW-Authenticate'), ...(await codeOf(answer))]).toEqual([
        ...[token, 'Bearer', 401, 'session.none'],
      ]);
    }
    expect(await countEndpoints()).toBe(0);
  });

  test('a person who was deleted is 401, though the token has not expired', async () => {
    await db.sql`delete from auth.users where id = ${owner.userId}`;
    expect(await codeOf(await owner.register(api.base, bad))).toEqual([401, 'session.none']);
  });
});

test('a session opens no other path or method, and no registration that does not name the organization', async () => {
  const headers = { Authorization: `Bearer ${owner.token}` };
  const body = JSON.stringify({ url: 'https://hooks.example.com/in', events: ['pair.created'] });
  const at = async (method: string, path: string) =>
    codeOf(await fetch(`${api.base}${path}`, { method, headers, ...(method === 'POST' ? { body } : {}) }));
  const malformed = [401, 'auth.malformed_key'];
  expect(await at('POST', '/v1/webhooks')).toEqual(malformed);
  const others = routes.filter((route) => !route.isPublic && route !== postWebhook);
  expect(others.length).toBeGreaterThan(14);
  for (const { method, path } of others) {
    const named = `${path.replace(':id', '00000000-0000-4000-8000-000000000000')}?org_id=${owner.orgId}`;
    expect([method, path, ...(await at(method, named))]).toEqual([method, path, ...malformed]);
  }
  expect(await countEndpoints()).toBe(0);
});

test('a key registers for its own organization, whatever org_id says', async () => {
  const [minted] = await db.sql`select account.insert_key(${owner.orgId}, 'a key') as key`;
  const other = await signUpOwner(db, rest);
  const made = await owner.register(api.base, {}, { orgId: other.orgId, token: minted?.key });
  expect(made.status).toBe(201);
  expect(await countEndpoints()).toBe(1);
});

describe('where Auth cannot say whose session it is, nobody is let in: 503', () => {
  async function refusedBy(platform: Rest['platform'] | undefined) {
    const alone = await serveApi(db.url('parallax_api'), { resolve: dns.resolve, ...(platform ? { platform } : {}) });
    const answer = await owner.register(alone.base);
    await alone.close();
    expect(answer.headers.get('Retry-After')).toBe('1');
    expect(await codeOf(answer)).toEqual([503, 'session.unverified']);
    expect(await countEndpoints()).toBe(0);
  }

  test('when the function knows no platform', () => refusedBy(undefined));

  test('when nothing listens there', () => refusedBy({ ...rest.platform, url: 'http://127.0.0.1:1' }));

  test.each<[string, number, string]>([
    ['an error', 500, `{"id":"00000000-0000-4000-8000-000000000000"}`],
    ['no JSON', 200, 'yes'],
    ['no id', 200, '{}'],
    ['an id that is none', 200, '{"id":"me"}'],
    ['a redirect', 302, ''],
  ])('when it answers with %s', async (_, status, body) => {
    const there = createServer((_request, response) => {
      response.writeHead(status, { Location: `${rest.url}/auth/v1/user` }).end(body);
    });
    await new Promise<void>((resolve) => there.listen(0, '127.0.0.1', resolve));
    const { port } = there.address() as AddressInfo;
    await refusedBy({ ...rest.platform, url: `http://127.0.0.1:${port}` });
    await new Promise((resolve) => there.close(resolve));
  });
});
