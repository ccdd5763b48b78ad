import { isIPv4, isIPv6 } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Told } from '../../functions/_shared/dns.ts';
import type { Attempt, Outcome } from '../../functions/deliver/database.ts';
import type { Wire } from '../../functions/deliver/http_request.ts';
import { type Network, Sender } from '../../functions/deliver/sender.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { isPublic } from './support/ranges.ts';
import { allow } from './support/sender.ts';

// No delivery goes where the public Internet does not: refused when it is registered, or at the attempt.
let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());

type Read = { host: string; port: number; target: string; fault: string | null };
async function read(url: string): Promise<Read> {
  const [row] = await db.sql<Read[]>`select host, port, target, fault from webhook.read_url(${url})`;
  return row as Read;
}

describe('an address is read into the parts that are connected to', () => {
  test.each([
    ['https://hooks.example.com', 'hooks.example.com', 443, '/'],
    ['HTTPS://Hooks.Example.COM/In?x=1', 'hooks.example.com', 443, '/In?x=1'],
    ['https://hooks.example.com:8443?x', 'hooks.example.com', 8443, '/?x'],
    ['https://xn--bcher-kva.example/%C3%BC', 'xn--bcher-kva.example', 443, '/%C3%BC'],
    ['https://my_hooks.example.com/', 'my_hooks.example.com', 443, '/'],
    ['https://8.8.8.8/', '8.8.8.8', 443, '/'],
    ['https://[2606:4700::1111]:444/', '2606:4700::1111', 444, '/'],
    ['https://1.2.3.4.example.com/', '1.2.3.4.example.com', 443, '/'],
    [`https://hooks.example.com/${'x'.repeat(2022)}`, 'hooks.example.com', 443, `/${'x'.repeat(2022)}`],
  ])('%s', async (url, host, port, target) => {
    expect(await read(url)).toEqual({ host, port, target, fault: null });
  });
});

describe('is refused', () => {
  test.each([
    [
      'url_scheme',
      [
        'http://hooks.example.com',
        'ftp://hooks.example.com',
        'hooks.example.com',
        '//hooks.example.com',
        'https:hooks.example.com',
        'https:/hooks.example.com',
        '',
        'javascript:alert(1)',
      ],
    ],
    [
      'url_credentials',
      [
        'https://me@hooks.example.com',
        'https://me:word@hooks.example.com',
        'https://hooks.example.com@10.0.0.1/',
        'https://@hooks.example.com',
      ],
    ],
    [
      'url_fragment',
      ['https://hooks.example.com/#x', 'https://hooks.example.com#', 'https://hooks.example.com#@10.0.0.1'],
    ],
    [
      'url_port',
      [
        'https://hooks.example.com:0',
        'https://hooks.example.com:65536',
        'https://hooks.example.com:',
        'https://hooks.example.com:08443',
        'https://hooks.example.com:8443x',
        'https://hooks.example.com:-1',
        'https://hooks.example.com:25',
        'https://hooks.example.com:587',
        'https://hooks.example.com:443:443',
      ],
    ],
    ['string_too_long', [`https://hooks.example.com/${'x'.repeat(2023)}`]],
    [
      'url_parsing',
      [
        'https://',
        'https:///x',
        'https://hooks..example.com',
        'https://.example.com',
        'https://example.com.',
        'https://-x.example.com',
        `https://${'x'.repeat(64)}.example.com`,
        'https://hooks.example.com\\@10.0.0.1/',
        'https://hooks example.com',
        'https://hooks.example.com/a b',
        'https://hooks.example.com/\r\nHost: x',
        'https://hooks.example.com/\u0001',
        'https://bücher.example',
        'https://１２７.0.0.1/',
        'https://127。0。0。1/',
        'https://ⓛocalhost.example',
        'https://%31%32%37.0.0.1/',
        'https://[::1',
        'https://::1/',
        'https://[fe80::1%25eth0]/',
        'https://[v1.x]/',
        'https://hooks.example.com/{x}',
        'https://exam\tple.com',
        ' https://hooks.example.com',
        'https://hooks.example.com\n',
      ],
    ],
  ])('%s', async (fault, urls) => {
    for (const url of urls) expect([url, (await read(url)).fault]).toEqual([url, fault]);
  });

  test('url_private_host: names that are nobody’s, and every way to write an address that is not public', async () => {
    const names = [
      'localhost',
      'LOCALHOST',
      'intranet',
      'x.localhost',
      'printer.local',
      'db.internal',
      'x.home.arpa',
      'metadata.google.internal',
    ];
    const literals = [
      ...['127.0.0.1', '127.255.255.254', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.0.1', '169.254.169.254'],
      ...[
        '100.64.0.1',
        '100.127.255.255',
        '0.0.0.0',
        '0.1.2.3',
        '224.0.0.1',
        '239.255.255.255',
        '240.0.0.1',
        '255.255.255.255',
      ],
      ...['192.0.0.8', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '192.88.99.1'],
      // Octal, hexadecimal, short, whole numbers, leading zeros, too large: whatever some reader takes for an address.
      ...[
        '0177.0.0.1',
        '0x7f.0.0.1',
        '0x7f000001',
        '127.1',
        '127.0.1',
        '2130706433',
        '017700000001',
        '10.0.0.01',
        '010.8.8.8',
      ],
      ...['0x7f.1', '1.1.1.0x1', '256.1.1.1', '1.2.3.4.5', '8.8.8', '4294967296', '0X7F.0.0.1', '1.2.3.0x', '1.2.3.08'],
      ...[
        '[::1]',
        '[::]',
        '[fc00::1]',
        '[fd12:3456::1]',
        '[fe80::1]',
        '[fec0::1]',
        '[ff02::1]',
        '[::ffff:127.0.0.1]',
        '[::ffff:8.8.8.8]',
      ],
      ...[
        '[::ffff:7f00:1]',
        '[::127.0.0.1]',
        '[64:ff9b::7f00:1]',
        '[64:ff9b:1::1]',
        '[2002:7f00:1::]',
        '[2001::1]',
        '[2001:db8::1]',
      ],
      ...['[100::1]', '[3fff::1]', '[0:0:0:0:0:0:0:1]', '[5f00::1]', '[1::1::1]', '[12345::]', '[::ffff:0x7f.1]'],
    ];
    for (const host of [...names, ...literals]) {
      const fault = (await read(`https://${host}/`)).fault;
      expect([host, fault]).toEqual([host, /0x7f\.1\]$/.test(host) ? 'url_parsing' : 'url_private_host']);
    }
  });
});

test('any text at all is read or refused, never an error, and what is read is what the platform’s own reader connects to', async () => {
  const piece = fc.constantFrom(
    ...[
      'https://',
      'http://',
      'example',
      '.',
      'com',
      '127',
      '0x7f',
      '@',
      ':',
      '443',
      '/',
      '?',
      '#',
      '[',
      ']',
      '::1',
      '%00',
      '\\',
      ' ',
      'ü',
      '\n',
      'xn--',
      '-',
      '_',
      '0',
      '1',
    ],
  );
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.array(piece, { maxLength: 12 }).map((all) => all.join('')),
    fc.array(piece).map((all) => `https://${all.join('')}`),
    fc.webUrl({ validSchemes: ['https'] }),
    fc.ipV4Extended().map((ip) => `https://${ip}/`),
    fc.ipV6().map((ip) => `https://[${ip}]/`),
  );
  await fc.assert(
    fc.asyncProperty(
      text.filter((one) => !one.includes('\0') && one.isWellFormed()),
      async (url) => {
        const got = await read(url);
        if (got.fault !== null) return;
        const whatwg = new URL(url);
        expect(whatwg.protocol).toBe('https:');
        expect(whatwg.username + whatwg.password + whatwg.hash).toBe('');
        expect(whatwg.port === '' ? 443 : Number(whatwg.port)).toBe(got.port);
        if (!got.host.includes(':')) expect(whatwg.hostname).toBe(got.host);
      },
    ),
    { numRuns: 1_500 },
  );
});

test('public_among agrees with another reader on thousands of addresses, those beside every border included', async () => {
  const borders = [
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '223.255.255.255',
    '1fff:ffff::',
    '2000::',
    '2001:1ff::',
    '2001:200::',
    '2001:db7:ffff::',
    '2001:db9::',
    '4000::',
    '2003::',
    '3ffe::',
    '3fff:1000::',
  ];
  const random = fc.sample(fc.oneof(fc.ipV4(), fc.ipV6()), 3_000).filter((one) => isIPv4(one) || isIPv6(one));
  const all = [...new Set([...borders, ...random])];
  const [row] = await db.sql<{ found: string[] }[]>`select webhook.public_among(${all}) as found`;
  expect(new Set(row?.found)).toEqual(new Set(all.filter(isPublic)));
  const [odd] = await db.sql<{ found: string[] }[]>`
    select webhook.public_among(array['', 'x', '8.8.8.8/8', '8.8.8', null, '8.8.8.8 ']) as found`;
  expect(odd?.found).toEqual([]);
});

test('a host that the operator lists passes with its port alone', async () => {
  await allow(db.sql, 'localhost:8443', '::1:8443');
  expect((await read('https://localhost:8443/x')).fault).toBeNull();
  expect((await read('https://[::1]:8443/x')).fault).toBeNull();
  for (const url of [
    'https://localhost/x',
    'https://localhost:8444',
    'https://127.0.0.1:8443',
    'http://localhost:8443',
  ])
    expect((await read(url)).fault, url).not.toBeNull();
  await allow(db.sql);
});

describe('at the attempt', () => {
  /** A network whose DNS says these things one after the other, and that notes where it was connected to. */
  function network(...answers: (string[] | Error)[]): Network & { opened: string[] } {
    const opened: string[] = [];
    return {
      opened,
      resolve: async () => {
        const answer = answers.shift() ?? [];
        return answer instanceof Error ? { silent: true } : { addresses: answer };
      },
      open: async (address): Promise<Wire> => {
        opened.push(address);
        let told = false;
        return {
          read: async (into) => {
            if (told) return null;
            told = true;
            return new TextEncoder().encodeInto('HTTP/1.1 200 OK\r\n\r\n', into).written;
          },
          write: async (bytes) => bytes.byteLength,
          close: () => {},
        };
      },
    };
  }
  const attempt: Attempt = {
    ...{ delivery_id: 'd', claim: 'c', event: 'ping', body: '{}', host: 'hooks.example.com', port: 443, target: '/' },
    ...{ listed: false, refused: null, signed_at: '1', signature: 's', standard_signature: 'v1,s' },
  };
  const publicAmong = async (all: readonly string[]) => {
    const [row] = await db.sql<{ found: string[] }[]>`select webhook.public_among(${[...all]}) as found`;
    return row?.found ?? [];
  };
  const sender = (net: Network) => new Sender({ network: net, publicAmong, timeoutMs: 5_000 });

  test('the DNS is asked each time: what was public the first time and is not the second is refused, and nothing connected to', async () => {
    const net = network(['93.184.215.14'], ['127.0.0.1'], ['93.184.215.14', '10.0.0.1'], ['::1'], ['93.184.215.14']);
    const send = sender(net);
    const outcomes: Outcome[] = [];
    for (let i = 0; i < 5; i++) outcomes.push(await send.attempt(attempt));
    const refused = { error: 'address.private' };
    const well = { status: 200, answer: '' };
    expect(outcomes).toEqual([well, refused, refused, refused, well]);
    expect(net.opened).toEqual(['93.184.215.14', '93.184.215.14']);
  });

  test.each([
    ['a mapped address', ['::ffff:8.8.8.8'], 'address.private'],
    ['the metadata of a cloud', ['169.254.169.254'], 'address.private'],
    ['nothing', [], 'dns.nothing'],
    ['an error', new Error('SERVFAIL'), 'dns.failed'],
    ['no address at all', ['x'], 'address.private'],
  ])('a name that resolves to %s is refused', async (_, answer, error) => {
    const net = network(answer);
    expect(await sender(net).attempt(attempt)).toEqual({ error });
    expect(net.opened).toEqual([]);
  });

  test('a target cannot bring a header of its own', async () => {
    const net = network(['93.184.215.14']);
    const bad = { ...attempt, target: '/\r\nX-Other: 1' };
    expect(await sender(net).attempt(bad)).toEqual({ error: 'connection.lost' });
  });

  test('a DNS that hangs ends with the attempt', async () => {
    const net = { ...network(), resolve: () => new Promise<Told>(() => {}) };
    const send = new Sender({ network: net, publicAmong, timeoutMs: 50 });
    expect(await send.attempt(attempt)).toEqual({ error: 'timeout' });
  });
});
