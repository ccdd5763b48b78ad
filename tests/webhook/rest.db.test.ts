import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { validationError } from '../../functions/api/contract/errors.ts';
import { webhookList, webhookSecret } from '../../functions/api/contract/webhook.ts';
import { type ApiFixture, createApiFixture } from '../api/support/fixture.ts';
import { DnsServer } from './support/dns.ts';

// POST, GET and DELETE of /v1/webhooks through the API, with a key.
let fixture: ApiFixture;
let dns: DnsServer;
let key: string;
beforeAll(async () => {
  dns = await DnsServer.listen(['93.184.215.14']);
  fixture = await createApiFixture({ resolve: dns.resolve });
});
afterAll(async () => {
  await fixture.close();
  await dns.close();
});
beforeEach(async () => {
  key = await fixture.key('basic');
});

const at = (path = '') => `${fixture.api.base}/v1/webhooks${path}`;
const send = (body: string | undefined, as = key) =>
  fetch(at(), { method: 'POST', headers: { Authorization: `Bearer ${as}` }, ...(body === undefined ? {} : { body }) });
const good = { url: 'https://hooks.example.com/in', events: ['pair.created'] };
const register = (changes: object = {}, as = key) => send(JSON.stringify({ ...good, ...changes }), as);
const list = async (as = key) => {
  const response = await fetch(at(), { headers: { Authorization: `Bearer ${as}` } });
  return webhookList.parse(await response.json());
};
const remove = (id: string, as = key) =>
  fetch(at(`/${id}`), { method: 'DELETE', headers: { Authorization: `Bearer ${as}` } });
const codeOf = async (response: Response) => [response.status, (await response.json()).code];

test('registers with 201, lists without the secret, and deletes with 204 and no body', async () => {
  const response = await register({ events: ['spread.threshold'], min_spread_pts: 2.5 });
  expect(response.status).toBe(201);
  expect(response.headers.get('Cache-Control')).toBe('no-store');
  expect(response.headers.get('RateLimit')).toMatch(/"window";r=599/);
  const created = webhookSecret.parse(await response.json());
  expect(created).toMatchObject({ url: good.url, events: ['spread.threshold'], min_spread_pts: 2.5 });
  const { count, webhooks } = await list();
  expect(count).toBe(1);
  expect(webhooks[0]).toMatchObject({ id: created.id, status: 'enabled', failure_count: 0, disabled_reason: null });
  expect(created.secret.startsWith(webhooks[0]?.secret_preview ?? '-')).toBe(true);
  expect(JSON.stringify(webhooks)).not.toContain(created.secret);
  const deleted = await remove(created.id);
  expect([deleted.status, await deleted.text(), deleted.headers.get('Content-Type')]).toEqual([204, '', null]);
  expect((await list()).count).toBe(0);
});

test('registers for opportunities with and without thresholds', async () => {
  const events = ['opportunity.opened'];
  const plain = webhookSecret.parse(await (await register({ events })).json());
  expect(plain).toMatchObject({ events, min_edge_pct: null, min_profit_usd: null, min_spread_pts: null });
  const created = webhookSecret.parse(await (await register({ events, min_edge_pct: 0.5, min_profit_usd: 10 })).json());
  expect(created).toMatchObject({ min_edge_pct: 0.5, min_profit_usd: 10 });
  expect((await list()).webhooks[1]).toMatchObject({ events, min_edge_pct: 0.5, min_profit_usd: 10 });
});

test('uses nothing of the monthly quota and names the key in the audit', async () => {
  const { id } = await (await register()).json();
  await remove(id);
  const [used] = await fixture.db.sql`
    select u.month_used, k.prefix, k.org_id from account.usage u join account.keys k on k.org_id = u.org_id
    where k.hash = account.key_hash(${key})`;
  expect(used?.month_used).toBe(0);
  const rows = await fixture.db.sql`
    select actor, action from account.audit where org_id = ${used?.org_id} and action like 'webhook.%' order by audit_id`;
  expect(rows.map((row) => [row.actor, row.action])).toEqual([
    [`key ${used?.prefix}`, 'webhook.registered'],
    [`key ${used?.prefix}`, 'webhook.deleted'],
  ]);
});

test('rejects all three methods with 403 on a Free plan before it checks the body', async () => {
  const free = await fixture.key('free');
  const rejected = [403, 'webhook.tier'];
  expect(await codeOf(await register({}, free))).toEqual(rejected);
  expect(await codeOf(await send('{', free))).toEqual(rejected);
  expect(await codeOf(await fetch(at(), { headers: { Authorization: `Bearer ${free}` } }))).toEqual(rejected);
  expect(await codeOf(await remove('nonsense', free))).toEqual(rejected);
});

test('rejects a fourth endpoint with 409, also when two requests race for the third', async () => {
  await register();
  await register();
  const statuses = (await Promise.all([register(), register()])).map((response) => response.status);
  expect(statuses.sort()).toEqual([201, 409]);
  expect(await codeOf(await register())).toEqual([409, 'webhook.limit']);
  expect((await list()).count).toBe(3);
});

test('rejects a registration with 409 after 1,000 changes in a day, and still deletes', async () => {
  const { id } = await (await register()).json();
  await fixture.db.sql`
    insert into account.audit (org_id, actor, action)
    select k.org_id, 'test', 'webhook.deleted'
    from account.keys k cross join generate_series(1, 1000) where k.hash = account.key_hash(${key})`;
  const rejected = await register();
  expect([rejected.headers.get('RateLimit'), ...(await codeOf(rejected))]).toEqual([
    expect.stringContaining('"window"'),
    409,
    'change.limit',
  ]);
  expect((await list()).count).toBe(1);
  expect((await remove(id)).status).toBe(204);
});

test('hides the endpoints of another organization from the list and from a deletion', async () => {
  const { id } = await (await register()).json();
  const otherKey = await fixture.key('pro');
  expect((await list(otherKey)).count).toBe(0);
  expect(await codeOf(await remove(id, otherKey))).toEqual([404, 'webhook.not_found']);
  expect(await codeOf(await remove('00000000-0000-4000-8000-000000000000'))).toEqual([404, 'webhook.not_found']);
  expect((await list()).count).toBe(1);
});

test('rejects an id in the path that is not a UUID with 422', async () => {
  const response = await remove('nonsense');
  expect(response.status).toBe(422);
  expect(validationError.parse(await response.json()).detail).toMatchObject([
    { loc: ['path', 'id'], type: 'uuid_parsing', input: 'nonsense' },
  ]);
});

describe('POST /v1/webhooks with an invalid body', () => {
  test.each<[string, object, (string | number)[], string]>([
    ['a missing url', { url: undefined }, ['body', 'url'], 'missing'],
    ['a url that is not text', { url: 7 }, ['body', 'url'], 'string_type'],
    ['a url with the scheme http', { url: 'http://hooks.example.com' }, ['body', 'url'], 'url_scheme'],
    ['a private host', { url: 'https://10.0.0.1/x' }, ['body', 'url'], 'url_private_host'],
    ['missing events', { events: undefined }, ['body', 'events'], 'missing'],
    ['an empty list of events', { events: [] }, ['body', 'events'], 'too_short'],
    ['an unknown event', { events: ['pair.created', 'x'] }, ['body', 'events', 1], 'enum'],
    ['a missing threshold', { events: ['spread.threshold'] }, ['body', 'min_spread_pts'], 'missing'],
    ['a threshold without spread.threshold', { min_spread_pts: 3 }, ['body', 'min_spread_pts'], 'extra_forbidden'],
    [
      'a threshold below 0.5',
      { events: ['spread.threshold'], min_spread_pts: 0.49 },
      ['body', 'min_spread_pts'],
      'greater_than_equal',
    ],
    [
      'a threshold above 50',
      { events: ['spread.threshold'], min_spread_pts: 51 },
      ['body', 'min_spread_pts'],
      'less_than_equal',
    ],
    ['an edge without opportunity.opened', { min_edge_pct: 1 }, ['body', 'min_edge_pct'], 'extra_forbidden'],
    [
      'an edge below 0',
      { events: ['opportunity.opened'], min_edge_pct: -0.1 },
      ['body', 'min_edge_pct'],
      'greater_than_equal',
    ],
    [
      'an edge above 100',
      { events: ['opportunity.opened'], min_edge_pct: 100.1 },
      ['body', 'min_edge_pct'],
      'less_than_equal',
    ],
    [
      'a profit above 1,000,000',
      { events: ['opportunity.opened'], min_profit_usd: 1e300 },
      ['body', 'min_profit_usd'],
      'less_than_equal',
    ],
    [
      'a threshold as text',
      { events: ['spread.threshold'], min_spread_pts: '3' },
      ['body', 'min_spread_pts'],
      'float_type',
    ],
  ])('returns a ValidationError for %s', async (_, changes, loc, type) => {
    const response = await register(changes);
    expect(response.status).toBe(422);
    const { detail } = validationError.parse(await response.json());
    expect(detail.map((one) => [one.loc, one.type])).toEqual([[loc, type]]);
    expect((await list()).count).toBe(0);
  });

  test('returns all faults at once', async () => {
    const response = await register({ url: 'https://localhost', events: ['spread.threshold'], min_spread_pts: 99 });
    const { detail } = validationError.parse(await response.json());
    expect(detail.map((one) => one.type)).toEqual(['url_private_host', 'less_than_equal']);
  });
});

test('returns no 500 for any request body', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.json(),
        fc.string(),
        fc.webUrl().map((url) => JSON.stringify({ ...good, url })),
      ),
      async (body) => {
        // The server may close an idle connection just as it is used again. Such a request is
        // retried, because the server has not read it.
        const response = await send(body).catch(() => send(body));
        await response.text();
        expect([201, 400, 409, 422]).toContain(response.status);
      },
    ),
    { numRuns: 60 },
  );
});
