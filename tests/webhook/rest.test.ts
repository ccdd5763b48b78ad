import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { validationError } from '../../functions/api/contract/errors.ts';
import { webhookList, webhookSecret } from '../../functions/api/contract/webhook.ts';
import { makeWorld, type World } from '../api/support/fixture.ts';
import { DnsServer } from './support/dns.ts';

// POST, GET and DELETE of /v1/webhooks, through the API and a key.
let world: World;
let dns: DnsServer;
let key: string;
beforeAll(async () => {
  dns = await DnsServer.listen(['93.184.215.14']);
  world = await makeWorld({ resolve: dns.resolve });
});
afterAll(async () => {
  await world.close();
  await dns.close();
});
beforeEach(async () => {
  key = await world.key('basic');
});

const at = (path = '') => `${world.api.base}/v1/webhooks${path}`;
const send = (body: string | undefined, as = key) =>
  fetch(at(), { method: 'POST', headers: { Authorization: `Bearer ${as}` }, ...(body === undefined ? {} : { body }) });
const good = { url: 'https://hooks.example.com/in', events: ['pair.created'] };
const register = (changes: object = {}, as = key) => send(JSON.stringify({ ...good, ...changes }), as);
const list = async (as = key) => {
  const answer = await fetch(at(), { headers: { Authorization: `Bearer ${as}` } });
  return webhookList.parse(await answer.json());
};
const remove = (id: string, as = key) =>
  fetch(at(`/${id}`), { method: 'DELETE', headers: { Authorization: `Bearer ${as}` } });
const codeOf = async (answer: Response) => [answer.status, (await answer.json()).code];

test('registers with 201, lists without the secret, deletes with 204 and no body', async () => {
  const answer = await register({ events: ['spread.threshold'], min_spread_pts: 2.5 });
  expect(answer.status).toBe(201);
  expect(answer.headers.get('Cache-Control')).toBe('no-store');
  expect(answer.headers.get('RateLimit')).toMatch(/"window";r=599/);
  const made = webhookSecret.parse(await answer.json());
  expect(made).toMatchObject({ url: good.url, events: ['spread.threshold'], min_spread_pts: 2.5 });
  const { count, webhooks } = await list();
  expect(count).toBe(1);
  expect(webhooks[0]).toMatchObject({ id: made.id, status: 'enabled', failure_count: 0, disabled_reason: null });
  expect(made.secret.startsWith(webhooks[0]?.secret_preview ?? '-')).toBe(true);
  expect(JSON.stringify(webhooks)).not.toContain(made.secret);
  const gone = await remove(made.id);
  expect([gone.status, await gone.text(), gone.headers.get('Content-Type')]).toEqual([204, '', null]);
  expect((await list()).count).toBe(0);
});

test('takes nothing of the month, and the audit names the key that did it', async () => {
  const { id } = await (await register()).json();
  await remove(id);
  const [used] = await world.db.sql`
    select u.month_used, k.prefix, k.org_id from account.usage u join account.keys k on k.org_id = u.org_id
    where k.hash = account.key_hash(${key})`;
  expect(used?.month_used).toBe(0);
  const rows = await world.db.sql`
    select actor, action from account.audit where org_id = ${used?.org_id} and action like 'webhook.%' order by audit_id`;
  expect(rows.map((row) => [row.actor, row.action])).toEqual([
    [`key ${used?.prefix}`, 'webhook.registered'],
    [`key ${used?.prefix}`, 'webhook.deleted'],
  ]);
});

test('Free is 403 for all three, before anything is said of the body', async () => {
  const free = await world.key('free');
  const refused = [403, 'webhook.tier'];
  expect(await codeOf(await register({}, free))).toEqual(refused);
  expect(await codeOf(await send('{', free))).toEqual(refused);
  expect(await codeOf(await fetch(at(), { headers: { Authorization: `Bearer ${free}` } }))).toEqual(refused);
  expect(await codeOf(await remove('nonsense', free))).toEqual(refused);
});

test('the fourth is 409, also of two that come at once for the third place', async () => {
  await register();
  await register();
  const statuses = (await Promise.all([register(), register()])).map((answer) => answer.status);
  expect(statuses.sort()).toEqual([201, 409]);
  expect(await codeOf(await register())).toEqual([409, 'webhook.limit']);
  expect((await list()).count).toBe(3);
});

test('one that comes and goes without end is 409 after a thousand changes of a day, and can still be deleted', async () => {
  const { id } = await (await register()).json();
  await world.db.sql`
    insert into account.audit (org_id, actor, action)
    select k.org_id, 'test', 'webhook.deleted'
    from account.keys k cross join generate_series(1, 1000) where k.hash = account.key_hash(${key})`;
  const refused = await register();
  expect([refused.headers.get('RateLimit'), ...(await codeOf(refused))]).toEqual([
    expect.stringContaining('"window"'),
    409,
    'change.limit',
  ]);
  expect((await list()).count).toBe(1);
  expect((await remove(id)).status).toBe(204);
});

test('an endpoint of another organization is not there: not in the list, 404 to delete', async () => {
  const { id } = await (await register()).json();
  const stranger = await world.key('pro');
  expect((await list(stranger)).count).toBe(0);
  expect(await codeOf(await remove(id, stranger))).toEqual([404, 'webhook.not_found']);
  expect(await codeOf(await remove('00000000-0000-4000-8000-000000000000'))).toEqual([404, 'webhook.not_found']);
  expect((await list()).count).toBe(1);
});

test('a path that holds no UUID is 422', async () => {
  const answer = await remove('nonsense');
  expect(answer.status).toBe(422);
  expect(validationError.parse(await answer.json()).detail).toMatchObject([
    { loc: ['path', 'id'], type: 'uuid_parsing', input: 'nonsense' },
  ]);
});

describe('422 with the Validation error', () => {
  test.each<[string, object, (string | number)[], string]>([
    ['no url', { url: undefined }, ['body', 'url'], 'missing'],
    ['a url that is no text', { url: 7 }, ['body', 'url'], 'string_type'],
    ['http', { url: 'http://hooks.example.com' }, ['body', 'url'], 'url_scheme'],
    ['a private host', { url: 'https://10.0.0.1/x' }, ['body', 'url'], 'url_private_host'],
    ['no events', { events: undefined }, ['body', 'events'], 'missing'],
    ['an empty list of events', { events: [] }, ['body', 'events'], 'too_short'],
    ['an unknown event', { events: ['pair.created', 'x'] }, ['body', 'events', 1], 'enum'],
    ['no threshold', { events: ['spread.threshold'] }, ['body', 'min_spread_pts'], 'missing'],
    ['a threshold nobody asked for', { min_spread_pts: 3 }, ['body', 'min_spread_pts'], 'extra_forbidden'],
    [
      'too low',
      { events: ['spread.threshold'], min_spread_pts: 0.49 },
      ['body', 'min_spread_pts'],
      'greater_than_equal',
    ],
    ['too high', { events: ['spread.threshold'], min_spread_pts: 51 }, ['body', 'min_spread_pts'], 'less_than_equal'],
    [
      'a threshold as text',
      { events: ['spread.threshold'], min_spread_pts: '3' },
      ['body', 'min_spread_pts'],
      'float_type',
    ],
  ])('%s', async (_, changes, loc, type) => {
    const answer = await register(changes);
    expect(answer.status).toBe(422);
    const { detail } = validationError.parse(await answer.json());
    expect(detail.map((one) => [one.loc, one.type])).toEqual([[loc, type]]);
    expect((await list()).count).toBe(0);
  });

  test('tells of all that is wrong at once', async () => {
    const answer = await register({ url: 'https://localhost', events: ['spread.threshold'], min_spread_pts: 99 });
    const { detail } = validationError.parse(await answer.json());
    expect(detail.map((one) => one.type)).toEqual(['url_private_host', 'less_than_equal']);
  });
});

test('whatever is sent, nothing is a 500', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.json(),
        fc.string(),
        fc.webUrl().map((url) => JSON.stringify({ ...good, url })),
      ),
      async (body) => {
        // The server may close an idle connection just when it is used again: then the request has not been seen.
        const answer = await send(body).catch(() => send(body));
        await answer.text();
        expect([201, 400, 409, 422]).toContain(answer.status);
      },
    ),
    { numRuns: 60 },
  );
});
