import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { validationError } from '../../functions/api/contract/errors.ts';
import { type RunningApi, serveApi } from '../api/support/server.ts';
import { makeWorld, type World } from '../api/support/fixture.ts';
import { type Rest, serveRest } from '../support/rest.ts';
import { DnsServer } from './support/dns.ts';
import { type Owner, signUpOwner } from './support/owner.ts';

// Every address that is not plainly a public https one is 422 with its own type, with a key and with the session of an owner alike.
let world: World;
let dns: DnsServer;
let rest: Rest;
let owner: Owner;
let key: string;
let api: RunningApi;
beforeAll(async () => {
  dns = await DnsServer.listen(['93.184.215.14']);
  world = await makeWorld({ resolve: dns.resolve });
  rest = await serveRest(world.db);
  owner = await signUpOwner(world.db, rest);
  api = await serveApi(world.db.url('parallax_api'), { resolve: dns.resolve, platform: rest.platform });
});
beforeEach(async () => {
  key = await world.key('basic');
});
afterAll(async () => {
  await api.close();
  await rest.close();
  await world.close();
  await dns.close();
});

const post = (url: string) =>
  fetch(`${world.api.base}/v1/webhooks`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}` },
    body: JSON.stringify({ url, events: ['pair.created'] }),
  });

/** By what is wrong with them: the type of the fault, and addresses that have it. */
const refused: [string, string, string[]][] = [
  ['octal', 'url_private_host', ['0177.0.0.1', '0300.0250.0.1', '017700000001', '10.0.0.01', '00.0.0.0']],
  ['hexadecimal', 'url_private_host', ['0x7f.0.0.1', '0x7f000001', '0X7F.0.0.1', '1.1.1.0x1', '0xa9fea9fe']],
  ['short forms', 'url_private_host', ['127.1', '127.0.1', '10.1', '0', '1.1']],
  ['whole numbers', 'url_private_host', ['2130706433', '3232235521', '4294967296']],
  ['too large, too many', 'url_private_host', ['256.1.1.1', '1.2.3.4.5', '8.8.8.999']],
  ['loopback', 'url_private_host', ['127.0.0.1', '127.255.255.254', '[::1]', '[0:0:0:0:0:0:0:1]', 'localhost']],
  ['private', 'url_private_host', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '[fd12:3456::1]']],
  ['link-local, and the metadata of clouds', 'url_private_host', ['169.254.169.254', '[fe80::1]', '[fd00:ec2::254]']],
  ['carrier-grade NAT', 'url_private_host', ['100.64.0.1', '100.127.255.255']],
  ['unspecified and multicast', 'url_private_host', ['0.0.0.0', '[::]', '224.0.0.1', '255.255.255.255', '[ff02::1]']],
  [
    'mapped IPv6',
    'url_private_host',
    ['[::ffff:127.0.0.1]', '[::ffff:8.8.8.8]', '[::ffff:7f00:1]', '[::ffff:a9fe:a9fe]'],
  ],
  ['compatible IPv6', 'url_private_host', ['[::127.0.0.1]', '[::7f00:1]']],
  [
    'translated IPv6: NAT64, 6to4, Teredo',
    'url_private_host',
    ['[64:ff9b::7f00:1]', '[64:ff9b:1::a00:1]', '[2002:7f00:1::]', '[2001::1]'],
  ],
  ['a zone of IPv6', 'url_parsing', ['[fe80::1%25eth0]', '[fe80::1%eth0]']],
  [
    'names of one’s own network',
    'url_private_host',
    ['intranet', 'x.localhost', 'printer.local', 'db.internal', 'metadata.google.internal', 'router.home.arpa'],
  ],
  [
    'credentials',
    'url_credentials',
    [
      'me@hooks.example.com',
      'me:word@hooks.example.com',
      '@hooks.example.com',
      'hooks.example.com@10.0.0.1',
      'hooks.example.com%40@10.0.0.1',
    ],
  ],
  [
    'fragments',
    'url_fragment',
    ['hooks.example.com/#x', 'hooks.example.com#', 'hooks.example.com#@10.0.0.1', 'hooks.example.com/in?a=1#b'],
  ],
  [
    'other letters than ASCII, where punycode is meant',
    'url_parsing',
    ['bücher.example', 'ⓛocalhost.example', '１２７.0.0.1', '127。0。0。1', 'exаmple.com'],
  ],
  ['percent-encoded hosts', 'url_parsing', ['%31%32%37.0.0.1', '%6cocalhost', 'hooks%2eexample%2ecom']],
  [
    'broken labels',
    'url_parsing',
    ['hooks..example.com', '.example.com', 'example.com.', '-x.example.com', `${'x'.repeat(64)}.example.com`],
  ],
  [
    'ports',
    'url_port',
    ['0', '00', '65536', '99999999999', '', '08443', '8443x', '-1', '+443', '25', '587', '443:443'].map(
      (port) => `hooks.example.com:${port}`,
    ),
  ],
  [
    'a backslash, spaces and controls',
    'url_parsing',
    [
      'hooks.example.com\\@10.0.0.1',
      'hooks example.com',
      'hooks.example.com/\r\nHost:x',
      'exam\tple.com',
      'hooks.example.com/\u0001',
    ],
  ],
];

describe('422', () => {
  test.each(refused)('%s: %s', async (_, type, hosts) => {
    for (const host of hosts) {
      const url = `https://${host}${/[/#?]/.test(host) ? '' : '/in'}`;
      const answer = await post(url);
      expect([url, answer.status]).toEqual([url, 422]);
      const { detail } = validationError.parse(await answer.json());
      expect([url, detail.map((one) => [one.loc.join('.'), one.type])]).toEqual([url, [['body.url', type]]]);
      const there = await owner.register(api.base, { url });
      expect([url, there.status, (await there.json()).detail]).toEqual([url, 422, detail]);
    }
    expect((await owner.client.from('my_webhooks').select()).data).toEqual([]);
  });

  test('other schemes: url_scheme', async () => {
    for (const url of [
      'http://hooks.example.com',
      'ftp://hooks.example.com',
      '//hooks.example.com',
      'javascript:alert(1)',
      'file:///etc/passwd',
      'https:hooks.example.com',
    ]) {
      const { detail } = validationError.parse(await (await post(url)).json());
      expect([url, detail[0]?.type]).toEqual([url, 'url_scheme']);
    }
  });
});

test('what looks odd and is a public address all the same is registered: punycode, ports, IPv6, capitals', async () => {
  for (const url of [
    'https://xn--bcher-kva.example/%C3%BC',
    'https://hooks.example.com:8443/in?a=b',
    'HTTPS://Hooks.Example.COM/In',
    'https://[2606:4700::1111]:444/',
    'https://1.2.3.4.example.com/',
  ]) {
    key = await world.key('basic');
    expect([url, (await post(url)).status]).toEqual([url, 201]);
  }
});
