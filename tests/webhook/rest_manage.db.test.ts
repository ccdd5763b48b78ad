import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { validationError } from '../../functions/api/contract/errors.ts';
import { webhook, webhookDeliveries, webhookDeliveryId, webhookSecret } from '../../functions/api/contract/webhook.ts';
import { putPair, stopClock, uuidOf } from '../api/support/catalog.ts';
import { type ApiFixture, createApiFixture } from '../api/support/fixture.ts';
import { DnsServer } from './support/dns.ts';
import { enqueue } from './support/sender.ts';

// PATCH, test, history and retry of an endpoint through the API, with a key.
let fixture: ApiFixture;
let dns: DnsServer;
let key: string;
let id: string;
beforeAll(async () => {
  dns = await DnsServer.listen(['93.184.215.14']);
  fixture = await createApiFixture({ resolve: dns.resolve });
  await stopClock(fixture.db.sql, '2026-11-20T12:00:00Z');
});
afterAll(async () => {
  await fixture.close();
  await dns.close();
});
beforeEach(async () => {
  await fixture.db.sql`delete from webhook.endpoints`;
  key = await fixture.key('basic');
  id = await register({ events: ['pair.created'] });
});

const send = (method: string, path: string, body?: object, as = key) =>
  fetch(`${fixture.api.base}/v1/webhooks${path}`, {
    method,
    headers: { Authorization: `Bearer ${as}` },
    body: body === undefined ? null : JSON.stringify(body),
  });
async function register(changes: object): Promise<string> {
  const response = await send('POST', '', { url: 'https://hooks.example.com/in', ...changes });
  return webhookSecret.parse(await response.json()).id;
}
const patch = (changes: object, as = key) => send('PATCH', `/${id}`, changes, as);
const changed = async (changes: object) => {
  const response = await patch(changes);
  expect(response.status, await response.clone().text()).toBe(200);
  return webhook.parse(await response.json());
};
const issuesOf = async (response: Response) => {
  expect(response.status).toBe(422);
  return validationError.parse(await response.json()).detail.map((one) => [one.loc.join('.'), one.type]);
};
const codeOf = async (response: Response) => [response.status, (await response.json()).code];
const disable = () => fixture.db.sql`
  update webhook.endpoints set disabled_at = now(), disabled_reason = 'delivery_failures', failure_count = 20
  where endpoint_id = ${id}`;
const history = async (query = '') => {
  const response = await send('GET', `/${id}/deliveries${query}`);
  return webhookDeliveries.parse(await response.json());
};

describe('PATCH /v1/webhooks/{id}', () => {
  test('changes address, events and thresholds, and answers with the endpoint as in the list', async () => {
    const events = ['opportunity.opened', 'spread.threshold'];
    const answer = await changed({ events, min_spread_pts: 2.5, min_edge_pct: 1 });
    expect(answer).toMatchObject({ id, events, min_spread_pts: 2.5, min_edge_pct: 1, min_profit_usd: null });
    const { webhooks } = await (await send('GET', '')).json();
    expect(webhooks).toEqual([answer]);
    expect(await changed({ url: 'https://hooks.example.com/other' })).toMatchObject({
      ...{ url: 'https://hooks.example.com/other', events, min_spread_pts: 2.5 },
    });
    expect(await changed({ min_edge_pct: null, min_profit_usd: 5 })).toMatchObject({
      ...{ min_edge_pct: null, min_profit_usd: 5, min_spread_pts: 2.5 },
    });
    const rows = await fixture.db.sql`select action from account.audit where action = 'webhook.changed'`;
    expect(rows).toHaveLength(3);
    await changed({});
    expect(await fixture.db.sql`select from account.audit where action = 'webhook.changed'`).toHaveLength(3);
  });

  test('a threshold ends with its event', async () => {
    await changed({ events: ['spread.threshold'], min_spread_pts: 3 });
    expect(await changed({ events: ['pair.created'] })).toMatchObject({ min_spread_pts: null });
  });

  test.each<[string, object, string, string]>([
    ['a threshold of an event that it does not have', { min_spread_pts: 3 }, 'body.min_spread_pts', 'extra_forbidden'],
    ['the event without its threshold', { events: ['spread.threshold'] }, 'body.min_spread_pts', 'missing'],
    ['an empty list of events', { events: [] }, 'body.events', 'too_short'],
    ['an unknown event', { events: ['x'] }, 'body.events.0', 'enum'],
    ['no list of events', { events: null }, 'body.events', 'list_type'],
    ['an address with http', { url: 'http://hooks.example.com' }, 'body.url', 'url_scheme'],
    ['a private address', { url: 'https://10.0.0.1/x' }, 'body.url', 'url_private_host'],
    [
      'an edge above 100',
      { events: ['opportunity.opened'], min_edge_pct: 101 },
      'body.min_edge_pct',
      'less_than_equal',
    ],
    ['a status that only the service sets', { status: 'disabled' }, 'body.status', 'enum'],
  ])('rejects %s with 422 and changes nothing', async (_, changes, loc, type) => {
    expect(await issuesOf(await patch(changes))).toEqual([[loc, type]]);
    const { webhooks } = await (await send('GET', '')).json();
    expect(webhooks).toMatchObject([{ events: ['pair.created'], url: 'https://hooks.example.com/in' }]);
  });

  test('enables a disabled endpoint, which gets later events and begins its count again', async () => {
    await disable();
    expect(await changed({ url: 'https://hooks.example.com/fixed' })).toMatchObject({ status: 'disabled' });
    await putPair(fixture.db.sql, { n: 900 });
    const answer = await changed({ status: 'enabled' });
    expect(answer).toMatchObject({ status: 'enabled', disabled_reason: null, failure_count: 0 });
    await putPair(fixture.db.sql, { n: 901 });
    await fixture.db.sql`select webhook.fire_pair_created()`;
    expect((await history()).deliveries.map((one) => one.pair_id)).toEqual([`mkt_${uuidOf(901)}`]);
  });

  test('a lower threshold fires for the next crossing, not for the gap that exists', async () => {
    const { sql } = fixture.db;
    const n = 910;
    await putPair(sql, { n });
    id = await register({ events: ['spread.threshold'], min_spread_pts: 10 });
    const observe = (spread: number, second: number) => sql`
      select webhook.detect_crossings(array[row(
        ${uuidOf(n)}, ${`2026-11-20T11:00:0${second}Z`}, ${second}, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}',
        null, null, null, ${spread}, null)::price.price_update])`;
    // The second spread crosses no threshold, so it is not stored.
    await observe(1, 1);
    await observe(5, 2);
    await changed({ min_spread_pts: 2 });
    await observe(6, 3);
    expect((await history()).count).toBe(0);
    await observe(1, 4);
    await observe(3, 5);
    expect((await history()).deliveries.map((one) => JSON.parse(one.body).spread_pts)).toEqual([3]);
  });

  test('two changes at once leave events and thresholds that belong together', async () => {
    const answers = await Promise.all([
      patch({ events: ['spread.threshold'], min_spread_pts: 2 }),
      patch({ events: ['opportunity.opened'], min_edge_pct: 2 }),
      patch({ url: 'https://hooks.example.com/third' }),
    ]);
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
  });
});

describe('POST /v1/webhooks/{id}/test', () => {
  test('sends a ping and returns its delivery; one at a time, and none to a disabled endpoint', async () => {
    const response = await send('POST', `/${id}/test`);
    expect(response.status).toBe(202);
    const { delivery_id } = webhookDeliveryId.parse(await response.json());
    expect((await history()).deliveries).toMatchObject([
      { delivery_id, event: 'ping', state: 'waiting', pair_id: null },
    ]);
    expect(await codeOf(await send('POST', `/${id}/test`))).toEqual([409, 'webhook.busy']);
    await disable();
    expect(await codeOf(await send('POST', `/${id}/test`))).toEqual([409, 'webhook.disabled']);
  });

  test('rejects the 101st test within a day with 409', async () => {
    await fixture.db.sql`
      insert into webhook.deliveries (endpoint_id, event, body, state, due_at)
      select ${id}::uuid, 'ping', '{}', 'delivered', null from generate_series(1, 100)`;
    expect(await codeOf(await send('POST', `/${id}/test`))).toEqual([409, 'webhook.tests']);
  });
});

describe('GET /v1/webhooks/{id}/deliveries', () => {
  test('pages through all deliveries, newest first, each once', async () => {
    const ids = await enqueue(fixture.db.sql, id, 5);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await history(`?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`);
      expect(page.has_more).toBe(page.next_cursor !== null);
      seen.push(...page.deliveries.map((one) => one.delivery_id));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect([...seen].sort()).toEqual([...ids].sort());
    const times = (await history()).deliveries.map((one) => one.created_at);
    expect(times).toEqual([...times].sort().reverse());
  });

  test('has the result of the last attempt and the time of the next', async () => {
    const [delivery_id = ''] = await enqueue(fixture.db.sql, id);
    const [claim] = await fixture.db.sql`
      select delivery_id, claim from webhook.claim_deliveries(10, 10, interval '5 seconds')`;
    const result = { ...claim, status: 503, answer: 'busy', took_ms: 12 };
    await fixture.db.sql`select pipeline.record_results(${JSON.stringify([result])}::text::jsonb)`;
    const { deliveries } = await history('?state=waiting');
    expect(deliveries).toMatchObject([
      { delivery_id, attempts: 1, last_status: 503, last_error: 'status.503', last_answer: 'busy', last_took_ms: 12 },
    ]);
    expect(deliveries[0]?.next_attempt_at).toMatch(/Z$/);
    expect((await history('?state=delivered')).deliveries).toEqual([]);
  });

  test('rejects a bad state, limit or cursor, and a cursor that is gone', async () => {
    const issues = async (query: string) => await issuesOf(await send('GET', `/${id}/deliveries${query}`));
    expect(await issues('?state=lost')).toEqual([['query.state', 'enum']]);
    expect(await issues('?limit=101')).toEqual([['query.limit', 'less_than_equal']]);
    expect(await issues('?cursor=x')).toEqual([['query.cursor', 'uuid_parsing']]);
    expect(await issues(`?cursor=${uuidOf(1)}`)).toEqual([['query.cursor', 'cursor.expired']]);
  });
});

describe('POST /v1/webhooks/{id}/deliveries/{delivery_id}/retry', () => {
  const retry = (delivery: string, as = key) => send('POST', `/${id}/deliveries/${delivery}/retry`, undefined, as);

  test('makes a failed delivery due again with its id, and no other', async () => {
    const [failed = '', waiting = ''] = await enqueue(fixture.db.sql, id, 2);
    await fixture.db.sql`
      update webhook.deliveries set state = 'failed', due_at = null, attempts = 4, finished_at = now()
      where delivery_id = ${failed}`;
    const response = await retry(failed);
    expect([response.status, webhookDeliveryId.parse(await response.json())]).toEqual([202, { delivery_id: failed }]);
    const found = (await history()).deliveries.find((one) => one.delivery_id === failed);
    expect(found).toMatchObject({ state: 'waiting', attempts: 0 });
    expect(await codeOf(await retry(waiting))).toEqual([409, 'delivery.not_failed']);
    expect(await codeOf(await retry(uuidOf(1)))).toEqual([404, 'delivery.not_found']);
    await disable();
    expect(await codeOf(await retry(failed))).toEqual([409, 'webhook.disabled']);
  });

  test('does not find a delivery of another endpoint', async () => {
    const other = await register({ events: ['pair.created'] });
    const [delivery = ''] = await enqueue(fixture.db.sql, other);
    expect(await codeOf(await retry(delivery))).toEqual([404, 'delivery.not_found']);
  });
});

test('another organization gets 404, a Free plan 403, a bad id 422, and none uses monthly quota', async () => {
  const [delivery = ''] = await enqueue(fixture.db.sql, id);
  const [stranger, free] = [await fixture.key('pro'), await fixture.key('free')];
  const requests: [string, string, object?][] = [
    ['PATCH', '', { events: ['opportunity.opened'] }],
    ['POST', '/test'],
    ['GET', '/deliveries'],
    ['POST', `/deliveries/${delivery}/retry`],
  ];
  for (const [method, rest, body] of requests) {
    const where = `${method} ${rest}`;
    expect(await codeOf(await send(method, `/${id}${rest}`, body, stranger)), where).toEqual([
      404,
      'webhook.not_found',
    ]);
    expect(await codeOf(await send(method, `/${id}${rest}`, body, free)), where).toEqual([403, 'webhook.tier']);
    expect(await codeOf(await send(method, `/x${rest}`, body, free)), where).toEqual([403, 'webhook.tier']);
    expect(await issuesOf(await send(method, `/x${rest}`, body)), where).toEqual([['path.id', 'uuid_parsing']]);
    const own = await send(method, `/${id}${rest}`, body);
    expect(own.headers.get('RateLimit'), where).toMatch(/"month";r=1000000/);
  }
});
