import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { resolveAddresses } from '../../functions/_shared/dns.ts';
import { validationError } from '../../functions/api/contract/errors.ts';
import { Sender } from '../../functions/deliver/sender.ts';
import { denoProgram, repository } from '../../local/platform/postgres/binaries.ts';
import { makeWorld, type World } from '../api/support/fixture.ts';
import { DnsServer, type Said } from './support/dns.ts';
import { allow } from './support/sender.ts';

// What a host resolves to is looked at when an endpoint is registered and at each attempt, by a real DNS on loopback.
let dns: DnsServer;
let world: World;
beforeAll(async () => {
  dns = await DnsServer.listen();
  world = await makeWorld({ resolve: dns.resolve });
});
afterAll(async () => {
  await world.close();
  await dns.close();
});
afterEach(() => {
  dns.asked.length = 0;
});

const register = async (host: string, changes: object = {}, key?: string) =>
  await fetch(`${world.api.base}/v1/webhooks`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key ?? (await world.key('basic'))}` },
    body: JSON.stringify({ url: `https://${host}/in`, events: ['pair.created'], ...changes }),
  });
const faults = async (answer: Response) =>
  validationError.parse(await answer.json()).detail.map((one) => [one.loc.join('.'), one.type]);

const publicOnes: Said = ['93.184.215.14', '2606:4700::1111'];

test('a host with public addresses alone is registered, in one family or both', async () => {
  dns.name('both.example.com', publicOnes);
  dns.name('four.example.com', ['93.184.215.14']);
  dns.name('six.example.com', ['2606:4700::1111']);
  dns.name('xn--bcher-kva.example', publicOnes);
  for (const host of ['both.example.com', 'four.example.com', 'six.example.com', 'xn--bcher-kva.example'])
    expect([host, (await register(host)).status]).toEqual([host, 201]);
});

test.each<[string, Said]>([
  ['loopback', ['127.0.0.1']],
  ['private', ['10.1.2.3']],
  ['carrier-grade NAT', ['100.64.0.1']],
  ['link-local, where clouds keep their secrets', ['169.254.169.254']],
  ['unspecified', ['0.0.0.0']],
  ['multicast', ['224.0.0.1']],
  ['loopback in IPv6', ['::1']],
  ['unique local in IPv6', ['fd12:3456::1']],
  ['link-local in IPv6', ['fe80::1']],
  ['a mapped address', ['::ffff:8.8.8.8']],
  ['a translated one (NAT64)', ['64:ff9b::808:808']],
  ['a translated one (6to4)', ['2002:7f00:1::']],
  ['public in one family and private in the other', ['93.184.215.14', 'fd00::1']],
  ['one private among public ones', ['93.184.215.14', '93.184.215.15', '192.168.0.1']],
])('url_private_address: a host whose address is %s', async (_, said) => {
  dns.name('inside.example.com', said);
  const answer = await register('inside.example.com');
  expect(answer.status).toBe(422);
  const text = await answer.clone().text();
  expect(await faults(answer)).toEqual([['body.url', 'url_private_address']]);
  // The answer of this network's DNS is not told.
  for (const address of said) expect(text).not.toContain(address);
});

test.each<[string, Said]>([
  ['does not exist', 'no such name'],
  ['has no address', []],
  ['is not answered for by its own servers', 'fails'],
])('url_unknown_host: a host that %s', async (_, said) => {
  dns.name('nowhere.example.com', said);
  const answer = await register('nowhere.example.com');
  expect(answer.status).toBe(422);
  expect(await faults(answer)).toEqual([['body.url', 'url_unknown_host']]);
});

test('a silent DNS is no fault of the caller: it is registered, and the attempt that gets no answer goes nowhere', async () => {
  dns.name('slow.example.com', 'silent');
  expect((await register('slow.example.com')).status).toBe(201);
});

test('all that is wrong is told at once, the address with the rest', async () => {
  dns.name('inside.example.com', ['10.0.0.1']);
  const answer = await register('inside.example.com', { events: ['spread.threshold'], min_spread_pts: 99 });
  expect(await faults(answer)).toEqual([
    ['body.url', 'url_private_address'],
    ['body.min_spread_pts', 'less_than_equal'],
  ]);
});

test('nothing is asked of the DNS for who may not register, for an address, or for a host that the operator lists', async () => {
  dns.name('hooks.example.com', publicOnes);
  expect((await register('hooks.example.com', {}, await world.key('free'))).status).toBe(403);
  expect((await register('hooks.example.com', {}, 'sk_live_no')).status).toBe(401);
  expect((await register('8.8.8.8')).status).toBe(201);
  expect((await register('10.0.0.1')).status).toBe(422);
  expect((await register('localhost')).status).toBe(422);
  await allow(world.db.sql, 'inside.example.com:443');
  expect((await register('inside.example.com')).status).toBe(201);
  await allow(world.db.sql);
  expect(dns.asked).toEqual([]);
});

test('a caller cannot answer for the DNS', async () => {
  dns.name('inside.example.com', ['10.0.0.1']);
  const answer = await register('inside.example.com', { resolved: { addresses: ['8.8.8.8'] } });
  expect(await faults(answer)).toEqual([['body.url', 'url_private_address']]);
});

test('one registration is one request, asked or not, registered or refused; the last of the window is taken', async () => {
  dns.name('hooks.example.com', publicOnes);
  dns.name('inside.example.com', ['10.0.0.1']);
  const key = await world.key('basic');
  const left = async (answer: Response) => /"window";r=(\d+)/.exec(answer.headers.get('RateLimit') ?? '')?.[1];
  expect(await left(await register('hooks.example.com', {}, key))).toBe('599');
  expect(await left(await register('inside.example.com', {}, key))).toBe('598');
  await world.db.sql`
    update account.usage u set window_used = 599 from account.keys k where k.org_id = u.org_id and k.hash = account.key_hash(${key})`;
  expect((await register('hooks.example.com', {}, key)).status).toBe(201);
  expect((await register('hooks.example.com', {}, key)).status).toBe(429);
});

test('two at once cannot both be the third, although both were looked up', async () => {
  dns.name('hooks.example.com', publicOnes);
  const key = await world.key('basic');
  const all = await Promise.all([1, 2, 3, 4, 5].map(() => register('hooks.example.com', {}, key)));
  expect(all.map((one) => one.status).sort()).toEqual([201, 201, 201, 409, 409]);
});

describe('rebinding: a name that is public when it is registered and private when it is delivered to', () => {
  test('is registered, and no attempt connects', async () => {
    const attempts: Said[] = [['127.0.0.1'], ['10.0.0.1'], ['93.184.215.14', '::1'], publicOnes];
    dns.name('turns.example.com', publicOnes, ...attempts);
    const answer = await register('turns.example.com');
    expect(answer.status).toBe(201);
    const opened: string[] = [];
    const sender = new Sender({
      network: {
        resolve: (name) => resolveAddresses(dns.resolve, name, 4_000),
        open: async (address) => {
          opened.push(address);
          throw new Error('connection refused');
        },
      },
      filterPublicAddresses: async (all) => {
        const [row] = await world.db.sql<{ found: string[] }[]>`select webhook.filter_public_addresses(${[...all]}) as found`;
        return row?.found ?? [];
      },
      timeoutMs: 5_000,
    });
    const attempt = {
      ...{ delivery_id: 'd', claim: 'c', event: 'ping', body: '{}', host: 'turns.example.com', port: 443, target: '/' },
      ...{ listed: false, refused: null, signed_at: '1', signature: 's', standard_signature: 'v1,s' },
    };
    for (let n = 0; n < 3; n++) expect(await sender.attempt(attempt)).toEqual({ error: 'address.private' });
    expect(opened).toEqual([]);
    await sender.attempt(attempt);
    expect(opened).toEqual(['93.184.215.14', '2606:4700::1111']);
  });
});

test('Deno’s own resolver and Node’s are read alike', async () => {
  const names: Record<string, Said> = {
    'both.example.com': publicOnes,
    'six.example.com': ['::ffff:10.0.0.1'],
    'nowhere.example.com': 'no such name',
    'empty.example.com': [],
    'fails.example.com': 'fails',
    'slow.example.com': 'silent',
  };
  for (const [name, said] of Object.entries(names)) dns.name(name, said);
  const script = `
    import { addressesOf } from '${repository}/functions/_shared/dns.ts';
    const nameServer = { ipAddr: '127.0.0.1', port: ${dns.port} };
    const resolve = (name, type) => Deno.resolveDns(name, type, { nameServer });
    const told = {};
    for (const name of ${JSON.stringify(Object.keys(names))}) told[name] = await addressesOf(resolve, name, 1500);
    console.log(JSON.stringify(told));
    Deno.exit(0);`;
  const run = promisify(execFile)(denoProgram(), ['eval', '--quiet', '--ext=ts', script], {
    cwd: repository,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' },
  });
  const here: Record<string, unknown> = {};
  for (const name of Object.keys(names)) here[name] = await resolveAddresses(dns.resolve, name, 1_500);
  expect(here).toEqual({
    'both.example.com': { addresses: publicOnes },
    'six.example.com': { addresses: ['::ffff:10.0.0.1'] },
    'nowhere.example.com': { addresses: [] },
    'empty.example.com': { addresses: [] },
    'fails.example.com': { addresses: [] },
    'slow.example.com': { timedOut: true },
  });
  expect(JSON.parse((await run).stdout)).toEqual(here);
}, 60_000);
