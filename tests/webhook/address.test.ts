import { isIPv4, isIPv6 } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DnsAnswer } from '../../functions/_shared/dns.ts';
import { isPublicAddress } from '../../functions/api/public_address.ts';
import { parseWebhookUrl } from '../../functions/api/webhook_url.ts';
import type { Attempt, AttemptOutcome } from '../../functions/deliver/database.ts';
import type { TlsStream } from '../../functions/deliver/http_request.ts';
import { type Network, Sender } from '../../functions/deliver/sender.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { isPublic } from './support/ranges.ts';
import { allow } from './support/sender.ts';
import { anyUrl, privateHosts, readable, refused } from './support/urls.ts';

// No delivery goes where the public Internet does not: its address is read again for each attempt.
let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());

type Read = { host: string; port: number; target: string; fault: string | null };
async function read(url: string): Promise<Read> {
  const [row] = await db.sql<Read[]>`select host, port, target, fault from webhook.parse_url(${url})`;
  return row as Read;
}

describe('an address is read into the parts that are connected to', () => {
  test.each(readable)('%s', async (url, host, port, target) => {
    expect(await read(url)).toEqual({ host, port, target, fault: null });
  });
});

describe('is refused', () => {
  test.each(refused)('%s', async (fault, urls) => {
    for (const url of urls) expect([url, (await read(url)).fault]).toEqual([url, fault]);
  });

  test('url_private_host: names that are nobody’s, and every way to write an address that is not public', async () => {
    for (const host of privateHosts) {
      expect([host, (await read(`https://${host}/`)).fault]).toEqual([host, 'url_private_host']);
    }
  });
});

test('any text is read or refused with the same fault as at its registration, and what is read is what the platform’s own reader connects to', async () => {
  await fc.assert(
    fc.asyncProperty(anyUrl, async (url) => {
      const got = await read(url);
      const registered = parseWebhookUrl(url, []);
      if ('problem' in registered) {
        expect(got.fault).toBe(registered.problem.type);
        return;
      }
      expect(got).toMatchObject({ fault: null, ...registered.receiver });
      const whatwg = new URL(url);
      expect(whatwg.protocol).toBe('https:');
      expect(whatwg.username + whatwg.password + whatwg.hash).toBe('');
      expect(whatwg.port === '' ? 443 : Number(whatwg.port)).toBe(got.port);
      if (!got.host.includes(':')) expect(whatwg.hostname).toBe(got.host);
    }),
    { numRuns: 1_500 },
  );
});

test('the check of a delivery, that of a registration and Node’s own list of ranges agree on thousands of addresses, those beside every border included', async () => {
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
  const first = fc.constantFrom(0, 10, 100, 127, 169, 172, 192, 198, 203, 224, 240);
  const special4 = fc.tuple(first, fc.nat(255), fc.nat(255), fc.nat(255)).map((parts) => parts.join('.'));
  const prefix = fc.constantFrom('2001', '2001:db8', '2002', '3fff', '2606', '::ffff', '64:ff9b', 'fe80', 'fd00');
  const special6 = fc.tuple(prefix, fc.nat(0xffff)).map(([head, tail]) => `${head}:1::${tail.toString(16)}`);
  const random = fc
    .sample(fc.oneof(fc.ipV4(), fc.ipV6(), special4, special6), 3_000)
    .filter((one) => isIPv4(one) || isIPv6(one));
  const all = [...new Set([...borders, ...random])];
  const [row] = await db.sql<{ found: string[] }[]>`select webhook.filter_public_addresses(${all}) as found`;
  expect(new Set(row?.found)).toEqual(new Set(all.filter(isPublic)));
  expect(new Set(row?.found)).toEqual(new Set(all.filter(isPublicAddress)));
  const [odd] = await db.sql<{ found: string[] }[]>`
    select webhook.filter_public_addresses(array['', 'x', '8.8.8.8/8', '8.8.8', null, '8.8.8.8 ']) as found`;
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
        return answer instanceof Error ? { timedOut: true } : { addresses: answer };
      },
      open: async (address): Promise<TlsStream> => {
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
  const filterPublicAddresses = async (all: readonly string[]) => {
    const [row] = await db.sql<{ found: string[] }[]>`select webhook.filter_public_addresses(${[...all]}) as found`;
    return row?.found ?? [];
  };
  const sender = (net: Network) => new Sender({ network: net, filterPublicAddresses, timeoutMs: 5_000 });

  test('the DNS is asked each time: what was public the first time and is not the second is refused, and nothing connected to', async () => {
    const net = network(['93.184.215.14'], ['127.0.0.1'], ['93.184.215.14', '10.0.0.1'], ['::1'], ['93.184.215.14']);
    const send = sender(net);
    const outcomes: AttemptOutcome[] = [];
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
    const net = { ...network(), resolve: () => new Promise<DnsAnswer>(() => {}) };
    const send = new Sender({ network: net, filterPublicAddresses, timeoutMs: 50 });
    expect(await send.attempt(attempt)).toEqual({ error: 'timeout' });
  });
});
