import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { carrierSettingsOf } from '../../functions/api/carrier/settings.ts';
import { type RunningApi, serveApi } from '../api/support/server.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { listenOnFreePort } from '../support/listening.ts';
import { createKey, mintTicket, type OrganizationKey } from './function/minted.ts';

// What functions/api answers to the nodes of Centrifugo, and which commands they get. The
// nodes here are two servers that list the clients which they are given. The real ones are in
// tests/stream/carrier.

const SECRET = 'a secret of the nodes, of 32 characters or more';
let db: TestDatabase;
let api: RunningApi;
/** The clients that each node lists. */
const present: Record<string, string[]> = { 'node-1': [], 'node-2': [] };
const servers = Object.keys(present).map((name) =>
  createServer((request, response) => {
    const isInfo = request.url === '/api/info';
    const result = isInfo
      ? { nodes: Object.keys(present).map((one) => ({ name: one })) }
      : { presence: Object.fromEntries((present[name] ?? []).map((id) => [id, {}])) };
    response.end(JSON.stringify({ result }));
  }),
);
beforeAll(async () => {
  db = await createDatabase();
  // Redis needs no tables in the database.
  await db.sql`select stream.use_carrier('redis')`;
  const ports = await Promise.all(servers.map((server) => listenOnFreePort(server)));
  const nodes = ports.map((port, n) => `node-${n + 1}=http://127.0.0.1:${port}`).join(',');
  const env: Record<string, string> = {
    STREAM_PROXY_SECRET: SECRET,
    CENTRIFUGO_API_KEY: 'a key of the server API, of 32 characters',
    CENTRIFUGO_NODES: nodes,
  };
  const carrier = carrierSettingsOf((name) => env[name]);
  if (!carrier) throw new Error('no carrier settings');
  api = await serveApi(db.url('parallax_api'), { carrier });
});
afterAll(async () => {
  await api.close();
  for (const server of servers) server.close();
  await db.close();
});

type Answer = {
  result?: { user?: string; expire_at?: number; expired?: boolean; subs?: Record<string, object> };
  disconnect?: { code: number; reason: string };
};

async function ask(path: 'connect' | 'refresh', body: object, headers: Record<string, string> = {}) {
  return await fetch(`${api.base}/internal/stream/${path}`, {
    method: 'POST',
    headers: { 'X-Stream-Proxy': SECRET, 'X-Stream-Node': 'node-1', ...headers },
    body: JSON.stringify({ transport: 'websocket', protocol: 'json', encoding: 'json', ...body }),
  });
}

async function connect(org: OrganizationKey, { node = 'node-1', client = randomUUID() } = {}) {
  const { ticket } = await mintTicket(db.sql, org);
  const response = await ask('connect', { client, data: { t: ticket } }, { 'X-Stream-Node': node });
  return { client, answer: (await response.json()) as Answer };
}

const refresh = async (client: string, node = 'node-1') =>
  (await (await ask('refresh', { client }, { 'X-Stream-Node': node })).json()) as Answer;

/** The commands that were queued since the last call. */
const commands = async () =>
  await db.sql<{ method: string; payload: Record<string, unknown> }[]>`
    with taken as (delete from stream.carrier_commands returning id, method, payload)
    select method, payload from taken order by id`;

const makeOlder = (org: OrganizationKey) =>
  db.sql`update stream.connections set connected_at = connected_at - interval '1 minute' where org_id = ${org.orgId}`;

describe('a client that connects through Centrifugo', () => {
  test('spends its ticket and gets the channels of its plan, and nothing that only we may send', async () => {
    const org = await createKey(db.sql, 'pro');
    const { ticket } = await mintTicket(db.sql, org);
    const client = randomUUID();
    const response = await ask('connect', { client, data: { t: ticket } });
    const answer = (await response.json()) as Answer;
    expect(Object.keys(answer.result?.subs ?? {}).sort()).toEqual([
      'best:all',
      'markets:all',
      `org:${org.orgId}`,
      'quotes:all',
      'status',
    ]);
    expect(answer.result?.user).toBe(org.orgId);
    const left = (answer.result?.expire_at ?? 0) - Date.now() / 1000;
    expect(left).toBeGreaterThan(290);
    expect(left).toBeLessThan(302);
    expect(Object.keys(answer.result ?? {}).sort()).toEqual(['expire_at', 'subs', 'user']);
    const again = await ask('connect', { client: randomUUID(), data: { t: ticket } });
    expect(((await again.json()) as Answer).disconnect?.code).toBe(4401);
  });

  test('is refused before any query where the ticket has a wrong checksum, is missing, or is no text', async () => {
    for (const data of [{ t: `st_${'a'.repeat(32)}` }, undefined, {}, { t: 7 }, 'st_', [], null]) {
      const answer = (await (await ask('connect', { client: randomUUID(), data })).json()) as Answer;
      expect(answer.disconnect).toEqual({ code: 4401, reason: 'ticket unknown, used or expired' });
    }
    expect((await ask('connect', { client: 'not a uuid', data: { t: 'st_' } })).status).toBe(400);
  });

  test('is a question of a node only: for anybody else there is no such path', async () => {
    const wrong: Record<string, string>[] = [
      { 'X-Stream-Proxy': 'wrong' },
      { 'X-Stream-Proxy': '' },
      { 'X-Stream-Node': 'a b' },
    ];
    for (const headers of wrong) expect((await ask('connect', { client: randomUUID() }, headers)).status).toBe(404);
    expect((await ask('refresh', { client: randomUUID() }, { 'X-Stream-Proxy': `${SECRET}x` })).status).toBe(404);
  });

  test('every reason of a close code has at most 32 bytes', async () => {
    const org = await createKey(db.sql, 'free');
    await connect(org);
    const { answer } = await connect(org);
    expect(answer.disconnect).toEqual({ code: 4429, reason: 'connection limit reached' });
    expect(Buffer.byteLength(answer.disconnect?.reason ?? '')).toBeLessThanOrEqual(32);
  });
});

describe('the limit of connections', () => {
  test('counts a connection until its node no longer lists the client', async () => {
    const org = await createKey(db.sql, 'free');
    const first = await connect(org);
    await makeOlder(org);
    present['node-1'] = [first.client];
    expect((await connect(org, { node: 'node-2' })).answer.disconnect?.code).toBe(4429);
    present['node-1'] = [];
    expect((await connect(org, { node: 'node-2' })).answer.result?.user).toBe(org.orgId);
  });

  test('a refusal spends the ticket too', async () => {
    const org = await createKey(db.sql, 'free');
    const first = await connect(org);
    await makeOlder(org);
    present['node-1'] = [first.client];
    const { ticket } = await mintTicket(db.sql, org);
    const body = { client: randomUUID(), data: { t: ticket } };
    expect(((await (await ask('connect', body)).json()) as Answer).disconnect?.code).toBe(4429);
    expect(((await (await ask('connect', body)).json()) as Answer).disconnect?.code).toBe(4401);
    present['node-1'] = [];
  });

  test('is exact with many at once, and a new connection is not taken for one that has ended', async () => {
    const org = await createKey(db.sql, 'basic');
    const answers = await Promise.all(Array.from({ length: 12 }, () => connect(org)));
    expect(answers.filter(({ answer }) => answer.result)).toHaveLength(3);
    expect(answers.filter(({ answer }) => answer.disconnect?.code === 4429)).toHaveLength(9);
  });

  test('keeps the connections of a node that does not answer and that the others still list', async () => {
    const org = await createKey(db.sql, 'free');
    await connect(org, { node: 'node-3' });
    await makeOlder(org);
    present['node-3'] = [];
    expect((await connect(org)).answer.disconnect?.code).toBe(4429);
    delete present['node-3'];
    expect((await connect(org)).answer.result?.user).toBe(org.orgId);
  });
});

describe('a renewal', () => {
  test('prolongs the lease of its own node, and ends a connection without one', async () => {
    const org = await createKey(db.sql, 'pro');
    const { client } = await connect(org);
    await db.sql`
      update stream.connections set lease_until = clock_timestamp() + interval '60 seconds' where connection_id = ${client}`;
    expect((await refresh(client, 'node-2')).result).toEqual({ expired: true });
    expect((await refresh(client)).result?.expire_at).toBeGreaterThan(Date.now() / 1000 + 290);
    const [row] = await db.sql<{ left: number }[]>`
      select extract(epoch from lease_until - clock_timestamp())::float8 as left from stream.connections where connection_id = ${client}`;
    expect(row?.left).toBeGreaterThan(390);
    expect((await refresh(randomUUID())).result).toEqual({ expired: true });
  });

  test('ends at the end of the key, not five minutes later', async () => {
    const org = await createKey(db.sql, 'pro');
    await db.sql`update account.keys set expires_at = clock_timestamp() + interval '90 seconds' where org_id = ${org.orgId}`;
    const { client, answer } = await connect(org);
    expect(answer.result?.expire_at).toBeLessThan(Date.now() / 1000 + 92);
    await db.sql`update account.keys set expires_at = clock_timestamp() where org_id = ${org.orgId}`;
    expect((await refresh(client)).result).toEqual({ expired: true });
  });
});

describe('the commands to Centrifugo in the commit of a change', () => {
  test('a revoked key ends its connections, and no other', async () => {
    const org = await createKey(db.sql, 'pro');
    const { client } = await connect(org);
    const [{ key = '' } = {}] = await db.sql<{ key: string }[]>`
      select account.insert_key(${org.orgId}, 'second', null, 'full') as key`;
    await connect({ key, orgId: org.orgId });
    await commands();
    const hash = createHash('sha256').update(org.key).digest();
    await db.sql`update account.keys set revoked_at = clock_timestamp() where hash = ${hash}`;
    expect(await commands()).toEqual([
      {
        method: 'disconnect',
        payload: { user: org.orgId, client, disconnect: { code: 4503, reason: 'key revoked or expired' } },
      },
    ]);
  });

  test('a smaller plan loses channels and its newest connections; an inactive one loses all', async () => {
    const org = await createKey(db.sql, 'pro');
    const clients: string[] = [];
    for (let n = 0; n < 5; n += 1) clients.push((await connect(org)).client);
    await commands();
    await db.sql`select account.set_plan(${org.orgId}, 'basic', 'active')`;
    const queued = await commands();
    const ended = queued.filter(({ method }) => method === 'disconnect').map(({ payload }) => payload);
    expect(ended.map(({ client }) => client).sort()).toEqual(clients.slice(3).sort());
    expect(ended[0]?.disconnect).toEqual({ code: 4429, reason: 'connection limit reached' });
    const channelsOf = (method: string) =>
      queued.filter((one) => one.method === method).map(({ payload }) => payload.channel);
    expect(channelsOf('subscribe').sort()).toEqual(['markets:all', 'status']);
    expect(channelsOf('unsubscribe').sort()).toEqual(['best:all', 'quotes:all', 'sample']);
    await db.sql`select account.set_plan(${org.orgId}, 'basic', 'inactive')`;
    const last = (await commands()).filter(({ method }) => method === 'disconnect');
    expect(last.map(({ payload }) => payload.disconnect)).toEqual(
      Array.from({ length: 5 }, () => ({ code: 4503, reason: 'plan inactive' })),
    );
  });

  test('a deleted organization loses its connections', async () => {
    const org = await createKey(db.sql, 'pro');
    await connect(org);
    await commands();
    await db.sql`delete from account.organizations where org_id = ${org.orgId}`;
    expect((await commands()).map(({ method, payload }) => [method, payload.user])).toEqual([
      ['disconnect', org.orgId],
    ]);
  });

  test('a new channel is announced to the organizations whose plan has it', async () => {
    const [pro, basic] = [await createKey(db.sql, 'pro'), await createKey(db.sql, 'basic')];
    await connect(pro);
    await connect(basic);
    await db.sql`select stream.relay_pending()`;
    await db.sql`select stream.append_publication('candidates:curling', array['{"type":"market"}'])`;
    await commands();
    await db.sql`select stream.relay_pending()`;
    const queued = await commands();
    const users = queued.filter(({ method }) => method === 'subscribe').map(({ payload }) => payload.user);
    expect([users.includes(pro.orgId), users.includes(basic.orgId)]).toEqual([true, false]);
  });

  test('nothing, where the stream function carries the stream', async () => {
    const org = await createKey(db.sql, 'pro');
    await connect(org);
    await db.sql`select stream.use_carrier('embedded')`;
    await db.sql`select account.set_plan(${org.orgId}, 'basic', 'inactive')`;
    expect(await commands()).toEqual([]);
    await db.sql`select stream.use_carrier('redis')`;
  });
});
