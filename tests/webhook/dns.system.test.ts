import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { resolveAddresses } from '../../functions/_shared/dns.ts';
import { validationError } from '../../functions/api/contract/errors.ts';
import { Sender } from '../../functions/deliver/sender.ts';
import { denoProgram, repository } from '../../local/platform/postgres/binaries.ts';
import { type ApiFixture, createApiFixture } from '../api/support/fixture.ts';
import { type DnsReply, DnsServer } from './support/dns.ts';
import { allowHosts } from './support/sender.ts';

// The addresses of a host are checked at registration and at each attempt. These tests use a real
// DNS server on loopback.
let dns: DnsServer;
let fixture: ApiFixture;
beforeAll(async () => {
  dns = await DnsServer.listen();
  fixture = await createApiFixture({ resolve: dns.resolve });
});
afterAll(async () => {
  await fixture.close();
  await dns.close();
});
afterEach(() => {
  dns.queries.length = 0;
});

const register = async (host: string, changes: object = {}, key?: string) =>
  await fetch(`${fixture.api.base}/v1/webhooks`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key ?? (await fixture.key('basic'))}` },
    body: JSON.stringify({ url: `https://${host}/in`, events: ['pair.created'], ...changes }),
  });
const faults = async (response: Response) =>
  validationError.parse(await response.json()).detail.map((one) => [one.loc.join('.'), one.type]);

const publicAddresses: DnsReply = ['93.184.215.14', '2606:4700::1111'];

test('registers a host with only public addresses, in one family or both', async () => {
  dns.setReplies('both.example.com', publicAddresses);
  dns.setReplies('four.example.com', ['93.184.215.14']);
  dns.setReplies('six.example.com', ['2606:4700::1111']);
  dns.setReplies('xn--bcher-kva.example', publicAddresses);
  for (const host of ['both.example.com', 'four.example.com', 'six.example.com', 'xn--bcher-kva.example'])
    expect([host, (await register(host)).status]).toEqual([host, 201]);
});

test.each<[string, DnsReply]>([
  ['loopback', ['127.0.0.1']],
  ['private', ['10.1.2.3']],
  ['carrier-grade NAT', ['100.64.0.1']],
  ['link-local (cloud metadata)', ['169.254.169.254']],
  ['unspecified', ['0.0.0.0']],
  ['multicast', ['224.0.0.1']],
  ['IPv6 loopback', ['::1']],
  ['IPv6 unique local', ['fd12:3456::1']],
  ['IPv6 link-local', ['fe80::1']],
  ['mapped', ['::ffff:8.8.8.8']],
  ['translated (NAT64)', ['64:ff9b::808:808']],
  ['translated (6to4)', ['2002:7f00:1::']],
  ['public in one family and private in the other', ['93.184.215.14', 'fd00::1']],
  ['private next to public ones', ['93.184.215.14', '93.184.215.15', '192.168.0.1']],
])('rejects a host with url_private_address when its address is %s', async (_, reply) => {
  dns.setReplies('inside.example.com', reply);
  const response = await register('inside.example.com');
  expect(response.status).toBe(422);
  const text = await response.clone().text();
  expect(await faults(response)).toEqual([['body.url', 'url_private_address']]);
  // The response must not reveal the answer of the internal DNS.
  for (const address of reply) expect(text).not.toContain(address);
});

test.each<[string, DnsReply]>([
  ['does not exist', 'no such name'],
  ['has no address', []],
  ['gets a server failure', 'fails'],
])('rejects a host with url_unknown_host when it %s', async (_, reply) => {
  dns.setReplies('nowhere.example.com', reply);
  const response = await register('nowhere.example.com');
  expect(response.status).toBe(422);
  expect(await faults(response)).toEqual([['body.url', 'url_unknown_host']]);
});

test('registers a host when the DNS does not answer in time', async () => {
  dns.setReplies('slow.example.com', 'silent');
  expect((await register('slow.example.com')).status).toBe(201);
});

test('returns all faults at once, the fault of the address with the others', async () => {
  dns.setReplies('inside.example.com', ['10.0.0.1']);
  const response = await register('inside.example.com', { events: ['spread.threshold'], min_spread_pts: 99 });
  expect(await faults(response)).toEqual([
    ['body.url', 'url_private_address'],
    ['body.min_spread_pts', 'less_than_equal'],
  ]);
});

test('sends no DNS query for a caller who may not register, for an address or for a listed host', async () => {
  dns.setReplies('hooks.example.com', publicAddresses);
  expect((await register('hooks.example.com', {}, await fixture.key('free'))).status).toBe(403);
  expect((await register('hooks.example.com', {}, 'sk_live_no')).status).toBe(401);
  expect((await register('8.8.8.8')).status).toBe(201);
  expect((await register('10.0.0.1')).status).toBe(422);
  expect((await register('localhost')).status).toBe(422);
  await allowHosts(fixture.db.sql, 'inside.example.com:443');
  expect((await register('inside.example.com')).status).toBe(201);
  await allowHosts(fixture.db.sql);
  expect(dns.queries).toEqual([]);
});

test('ignores a DNS answer in the request body', async () => {
  dns.setReplies('inside.example.com', ['10.0.0.1']);
  const response = await register('inside.example.com', { resolved: { addresses: ['8.8.8.8'] } });
  expect(await faults(response)).toEqual([['body.url', 'url_private_address']]);
});

test('counts each registration as one request of the window, also a rejected one', async () => {
  dns.setReplies('hooks.example.com', publicAddresses);
  dns.setReplies('inside.example.com', ['10.0.0.1']);
  const key = await fixture.key('basic');
  const remaining = async (response: Response) => /"window";r=(\d+)/.exec(response.headers.get('RateLimit') ?? '')?.[1];
  expect(await remaining(await register('hooks.example.com', {}, key))).toBe('599');
  expect(await remaining(await register('inside.example.com', {}, key))).toBe('598');
  await fixture.db.sql`
    update account.usage u set window_used = 599 from account.keys k where k.org_id = u.org_id and k.hash = account.key_hash(${key})`;
  expect((await register('hooks.example.com', {}, key)).status).toBe(201);
  expect((await register('hooks.example.com', {}, key)).status).toBe(429);
});

test('registers three of five concurrent requests, although the DNS answers all of them', async () => {
  dns.setReplies('hooks.example.com', publicAddresses);
  const key = await fixture.key('basic');
  const all = await Promise.all([1, 2, 3, 4, 5].map(() => register('hooks.example.com', {}, key)));
  expect(all.map((one) => one.status).sort()).toEqual([201, 201, 201, 409, 409]);
});

describe('a name that is public at registration and private at delivery (DNS rebinding)', () => {
  test('is registered, and no attempt connects to it', async () => {
    const attempts: DnsReply[] = [['127.0.0.1'], ['10.0.0.1'], ['93.184.215.14', '::1'], publicAddresses];
    dns.setReplies('turns.example.com', publicAddresses, ...attempts);
    const response = await register('turns.example.com');
    expect(response.status).toBe(201);
    const opened: string[] = [];
    const sender = new Sender({
      network: {
        resolve: (name) => resolveAddresses(dns.resolve, name, 4_000),
        open: async (address) => {
          opened.push(address);
          throw new Error('connection refused');
        },
        openPlain: async () => {
          throw new Error('not for a public receiver');
        },
      },
      filterPublicAddresses: async (all) => {
        const [row] = await fixture.db.sql<
          { found: string[] }[]
        >`select webhook.filter_public_addresses(${[...all]}) as found`;
        return row?.found ?? [];
      },
      timeoutMs: 5_000,
    });
    const attempt = {
      ...{ delivery_id: 'd', claim: 'c', event: 'ping', body: '{}', host: 'turns.example.com', port: 443, target: '/' },
      ...{ plain: false, listed: false, refused: null, signed_at: '1', signature: 's', standard_signature: 'v1,s' },
    };
    for (let n = 0; n < 3; n++) expect(await sender.attempt(attempt)).toEqual({ error: 'address.private' });
    expect(opened).toEqual([]);
    await sender.attempt(attempt);
    expect(opened).toEqual(['93.184.215.14', '2606:4700::1111']);
  });
});

test('reads answers of the Deno resolver and of the Node resolver the same way', async () => {
  const names: Record<string, DnsReply> = {
    'both.example.com': publicAddresses,
    'six.example.com': ['::ffff:10.0.0.1'],
    'nowhere.example.com': 'no such name',
    'empty.example.com': [],
    'fails.example.com': 'fails',
    'slow.example.com': 'silent',
  };
  for (const [name, reply] of Object.entries(names)) dns.setReplies(name, reply);
  const script = `
    import { resolveAddresses } from '${repository}/functions/_shared/dns.ts';
    const nameServer = { ipAddr: '127.0.0.1', port: ${dns.port} };
    const resolve = (name, type) => Deno.resolveDns(name, type, { nameServer });
    const found = {};
    for (const name of ${JSON.stringify(Object.keys(names))}) found[name] = await resolveAddresses(resolve, name, 1500);
    console.log(JSON.stringify(found));
    Deno.exit(0);`;
  const inDeno = promisify(execFile)(denoProgram(), ['eval', '--quiet', '--ext=ts', script], {
    cwd: repository,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' },
  });
  const inNode: Record<string, unknown> = {};
  for (const name of Object.keys(names)) inNode[name] = await resolveAddresses(dns.resolve, name, 1_500);
  expect(inNode).toEqual({
    'both.example.com': { addresses: publicAddresses },
    'six.example.com': { addresses: ['::ffff:10.0.0.1'] },
    'nowhere.example.com': { addresses: [] },
    'empty.example.com': { addresses: [] },
    'fails.example.com': { addresses: [] },
    'slow.example.com': { timedOut: true },
  });
  expect(JSON.parse((await inDeno).stdout)).toEqual(inNode);
}, 60_000);
