import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { validationError } from '../../functions/api/contract/errors.ts';
import { type ApiFixture, createApiFixture } from '../api/support/fixture.ts';
import { type RunningApi, serveApi } from '../api/support/server.ts';
import { type Rest, serveRest } from '../support/rest.ts';
import { DnsServer } from './support/dns.ts';
import { type Owner, signUpOwner } from './support/owner.ts';

// Each URL that is not a public https URL is rejected with 422 and its own type, for a key and for
// the session of an owner.
let fixture: ApiFixture;
let dns: DnsServer;
let rest: Rest;
let owner: Owner;
let key: string;
let api: RunningApi;
beforeAll(async () => {
  dns = await DnsServer.listen(['93.184.215.14']);
  fixture = await createApiFixture({ resolve: dns.resolve });
  rest = await serveRest(fixture.db);
  owner = await signUpOwner(fixture.db, rest);
  api = await serveApi(fixture.db.url('parallax_api'), { resolve: dns.resolve, platform: rest.platform });
});
beforeEach(async () => {
  key = await fixture.key('basic');
});
afterAll(async () => {
  await api.close();
  await rest.close();
  await fixture.close();
  await dns.close();
});

const post = (url: string) =>
  fetch(`${fixture.api.base}/v1/webhooks`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}` },
    body: JSON.stringify({ url, events: ['pair.created'] }),
  });

/** Hosts by their fault: its description, its type and the hosts that have it. */
const faulty: [string, string, string[]][] = [
  ['octal addresses', 'url_private_host', ['0177.0.0.1', '0300.0250.0.1', '017700000001', '10.0.0.01', '00.0.0.0']],
  ['hexadecimal addresses', 'url_private_host', ['0x7f.0.0.1', '0x7f000001', '0X7F.0.0.1', '1.1.1.0x1', '0xa9fea9fe']],
  ['short forms of addresses', 'url_private_host', ['127.1', '127.0.1', '10.1', '0', '1.1']],
  ['addresses as whole numbers', 'url_private_host', ['2130706433', '3232235521', '4294967296']],
  ['addresses with too large or too many parts', 'url_private_host', ['256.1.1.1', '1.2.3.4.5', '8.8.8.999']],
  [
    'loopback addresses',
    'url_private_host',
    ['127.0.0.1', '127.255.255.254', '[::1]', '[0:0:0:0:0:0:0:1]', 'localhost'],
  ],
  [
    'private addresses',
    'url_private_host',
    ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '[fd12:3456::1]'],
  ],
  ['link-local and cloud metadata addresses', 'url_private_host', ['169.254.169.254', '[fe80::1]', '[fd00:ec2::254]']],
  ['carrier-grade NAT addresses', 'url_private_host', ['100.64.0.1', '100.127.255.255']],
  [
    'unspecified and multicast addresses',
    'url_private_host',
    ['0.0.0.0', '[::]', '224.0.0.1', '255.255.255.255', '[ff02::1]'],
  ],
  [
    'mapped IPv6 addresses',
    'url_private_host',
    ['[::ffff:127.0.0.1]', '[::ffff:8.8.8.8]', '[::ffff:7f00:1]', '[::ffff:a9fe:a9fe]'],
  ],
  ['compatible IPv6 addresses', 'url_private_host', ['[::127.0.0.1]', '[::7f00:1]']],
  [
    'translated IPv6 addresses (NAT64, 6to4, Teredo)',
    'url_private_host',
    ['[64:ff9b::7f00:1]', '[64:ff9b:1::a00:1]', '[2002:7f00:1::]', '[2001::1]'],
  ],
  ['an IPv6 zone', 'url_parsing', ['[fe80::1%25eth0]', '[fe80::1%eth0]']],
  [
    'names of a private network',
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
    'non-ASCII hosts instead of punycode',
    'url_parsing',
    ['bücher.example', 'ⓛocalhost.example', '１２７.0.0.1', '127。0。0。1', 'exаmple.com'],
  ],
  ['percent-encoded hosts', 'url_parsing', ['%31%32%37.0.0.1', '%6cocalhost', 'hooks%2eexample%2ecom']],
  [
    'invalid labels',
    'url_parsing',
    ['hooks..example.com', '.example.com', 'example.com.', '-x.example.com', `${'x'.repeat(64)}.example.com`],
  ],
  [
    'invalid ports',
    'url_port',
    [
      '0',
      '00',
      '65536',
      '99999999999',
      '',
      '08443',
      '8443x',
      '-1',
      '+443',
      '22',
      '25',
      '80',
      '587',
      '1023',
      '443:443',
    ].map((port) => `hooks.example.com:${port}`),
  ],
  [
    'backslashes, spaces and control characters',
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

describe('registering a URL that is not a public https URL', () => {
  test.each(faulty)('rejects %s with %s, for a key and for the session of an owner', async (_, type, hosts) => {
    for (const host of hosts) {
      const url = `https://${host}${/[/#?]/.test(host) ? '' : '/in'}`;
      const response = await post(url);
      expect([url, response.status]).toEqual([url, 422]);
      const { detail } = validationError.parse(await response.json());
      expect([url, detail.map((one) => [one.loc.join('.'), one.type])]).toEqual([url, [['body.url', type]]]);
      const bySession = await owner.register(api.base, { url });
      expect([url, bySession.status, (await bySession.json()).detail]).toEqual([url, 422, detail]);
    }
    expect((await owner.client.from('my_webhooks').select()).data).toEqual([]);
  });

  test('rejects every scheme except https with url_scheme', async () => {
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

test('registers unusual public URLs: punycode, a port, IPv6, capitals', async () => {
  for (const url of [
    'https://xn--bcher-kva.example/%C3%BC',
    'https://hooks.example.com:8443/in?a=b',
    'HTTPS://Hooks.Example.COM/In',
    'https://[2606:4700::1111]:1024/',
    'https://1.2.3.4.example.com/',
  ]) {
    key = await fixture.key('basic');
    expect([url, (await post(url)).status]).toEqual([url, 201]);
  }
});
