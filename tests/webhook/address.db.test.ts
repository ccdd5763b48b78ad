import { isIPv4, isIPv6 } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DnsAnswer } from '../../functions/_shared/dns.ts';
import { isPublicAddress } from '../../functions/api/public_address.ts';
import { parseWebhookUrl } from '../../functions/api/webhook_url.ts';
import type { Attempt, AttemptOutcome } from '../../functions/deliver/database.ts';
import type { ReceiverStream } from '../../functions/deliver/http_request.ts';
import { type Network, Sender } from '../../functions/deliver/sender.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { isPublicByBlockList } from './support/ranges.ts';
import { allowHosts } from './support/sender.ts';
import { anyUrl, invalidUrls, privateHosts, validUrls } from './support/urls.ts';

// A delivery goes to public addresses only. The sender parses the URL and resolves its host again
// for each attempt.
let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());

type ParsedUrl = { host: string; port: number; target: string; fault: string | null };
async function parseUrl(url: string): Promise<ParsedUrl> {
  const [row] = await db.sql<ParsedUrl[]>`select host, port, target, fault from webhook.parse_url(${url})`;
  return row as ParsedUrl;
}

describe('webhook.parse_url on a valid URL', () => {
  test.each(validUrls)('reads the host, port and target of %s', async (url, host, port, target) => {
    expect(await parseUrl(url)).toEqual({ host, port, target, fault: null });
  });
});

describe('webhook.parse_url on an invalid URL', () => {
  test.each(invalidUrls)('reports the fault %s', async (fault, urls) => {
    for (const url of urls) expect([url, (await parseUrl(url)).fault]).toEqual([url, fault]);
  });

  test('reports url_private_host for private names and every notation of a non-public address', async () => {
    for (const host of privateHosts) {
      expect([host, (await parseUrl(`https://${host}/`)).fault]).toEqual([host, 'url_private_host']);
    }
  });
});

test('the local inbox is the only address with http, at registration and at each attempt, where it is set', async () => {
  const inbox = 'http://127.0.0.1:54321/inbox/';
  const others = [
    ...[inbox, `${inbox}a/b`, `${inbox}a?b`, `${inbox}a%2F..`, `${inbox}../x`, `${inbox}${'a'.repeat(65)}`],
    ...['http://127.0.0.1:54321/', 'http://127.0.0.1:5432/inbox/a', 'http://localhost:54321/inbox/a'],
    ...['https://127.0.0.1:54321/inbox/a', 'http://hooks.example.com/in', 'HTTP://127.0.0.1:54321/inbox/a'],
  ];
  expect((await parseUrl(`${inbox}a`)).fault).toBe('url_scheme');
  await db.sql`update webhook.settings set local_inbox = ${inbox}`;
  try {
    const [allowed] = await db.sql<{ all: string[] }[]>`select webhook.allowed_receivers() as all`;
    expect(await parseUrl(`${inbox}my-inbox_1`)).toEqual({
      ...{ host: '127.0.0.1', port: 54_321, target: '/inbox/my-inbox_1', fault: null },
    });
    expect(parseWebhookUrl(`${inbox}my-inbox_1`, allowed?.all ?? [])).toEqual({
      receiver: { host: '127.0.0.1', port: 54_321 },
    });
    for (const url of others) {
      const registered = parseWebhookUrl(url, allowed?.all ?? []);
      const fault = 'problem' in registered ? registered.problem.type : null;
      expect([url, fault, (await parseUrl(url)).fault]).toEqual([url, expect.any(String), fault]);
    }
    await expect(db.sql`update webhook.settings set local_inbox = 'http://10.0.0.1:80/inbox/'`).rejects.toThrow(
      'check',
    );
  } finally {
    await db.sql`update webhook.settings set local_inbox = null`;
  }
});

test('parse_url agrees with parseWebhookUrl and with the WHATWG URL parser on any text', async () => {
  await fc.assert(
    fc.asyncProperty(anyUrl, async (url) => {
      const parsed = await parseUrl(url);
      const registered = parseWebhookUrl(url, []);
      if ('problem' in registered) {
        // Only the registration checks Punycode. Such a name cannot be resolved for a delivery.
        if (parsed.fault === null && /\bxn--/i.test(url) && !URL.canParse(url)) return;
        expect(parsed.fault).toBe(registered.problem.type);
        return;
      }
      expect(parsed).toMatchObject({ fault: null, ...registered.receiver });
      const whatwg = new URL(url);
      expect(whatwg.protocol).toBe('https:');
      expect(whatwg.username + whatwg.password + whatwg.hash).toBe('');
      expect(whatwg.port === '' ? 443 : Number(whatwg.port)).toBe(parsed.port);
      if (!parsed.host.includes(':')) expect(whatwg.hostname).toBe(parsed.host);
    }),
    { numRuns: 1_500 },
  );
});

test('filter_public_addresses agrees with isPublicAddress and a BlockList of Node, also at each border', async () => {
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
  expect(new Set(row?.found)).toEqual(new Set(all.filter(isPublicByBlockList)));
  expect(new Set(row?.found)).toEqual(new Set(all.filter(isPublicAddress)));
  const [odd] = await db.sql<{ found: string[] }[]>`
    select webhook.filter_public_addresses(array['', 'x', '8.8.8.8/8', '8.8.8', null, '8.8.8.8 ']) as found`;
  expect(odd?.found).toEqual([]);
});

test('parse_url accepts a host that the operator lists only with its port', async () => {
  await allowHosts(db.sql, 'localhost:8443', '::1:8443');
  expect((await parseUrl('https://localhost:8443/x')).fault).toBeNull();
  expect((await parseUrl('https://[::1]:8443/x')).fault).toBeNull();
  for (const url of [
    'https://localhost/x',
    'https://localhost:8444',
    'https://127.0.0.1:8443',
    'http://localhost:8443',
  ])
    expect((await parseUrl(url)).fault, url).not.toBeNull();
  await allowHosts(db.sql);
});

describe('Sender.attempt', () => {
  /** A network whose DNS returns these answers in turn, and that records the addresses it opens. */
  function network(...answers: (string[] | Error)[]): Network & { opened: string[] } {
    const opened: string[] = [];
    return {
      opened,
      resolve: async () => {
        const answer = answers.shift() ?? [];
        return answer instanceof Error ? { timedOut: true } : { addresses: answer };
      },
      openPlain: async (address, port) => {
        opened.push(`plain ${address}:${port}`);
        throw new Error('Connection refused');
      },
      open: async (address): Promise<ReceiverStream> => {
        opened.push(address);
        let isSent = false;
        return {
          read: async (into) => {
            if (isSent) return null;
            isSent = true;
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
    plain: false,
    ...{ listed: false, refused: null, signed_at: '1', signature: 's', standard_signature: 'v1,s' },
  };
  const filterPublicAddresses = async (all: readonly string[]) => {
    const [row] = await db.sql<{ found: string[] }[]>`select webhook.filter_public_addresses(${[...all]}) as found`;
    return row?.found ?? [];
  };
  const senderOn = (net: Network) => new Sender({ network: net, filterPublicAddresses, timeoutMs: 5_000 });

  test('resolves the host at each attempt and does not connect when an address is not public', async () => {
    const net = network(['93.184.215.14'], ['127.0.0.1'], ['93.184.215.14', '10.0.0.1'], ['::1'], ['93.184.215.14']);
    const sender = senderOn(net);
    const outcomes: AttemptOutcome[] = [];
    for (let i = 0; i < 5; i++) outcomes.push(await sender.attempt(attempt));
    const rejected = { error: 'address.private' };
    const delivered = { status: 200, answer: '' };
    expect(outcomes).toEqual([delivered, rejected, rejected, rejected, delivered]);
    expect(net.opened).toEqual(['93.184.215.14', '93.184.215.14']);
  });

  test.each([
    ['a mapped address', ['::ffff:8.8.8.8'], 'address.private'],
    ['a cloud metadata address', ['169.254.169.254'], 'address.private'],
    ['no address', [], 'dns.nothing'],
    ['an error', new Error('SERVFAIL'), 'dns.failed'],
    ['text that is not an address', ['x'], 'address.private'],
  ])('does not connect to a name that resolves to %s', async (_, answer, error) => {
    const net = network(answer);
    expect(await senderOn(net).attempt(attempt)).toEqual({ error });
    expect(net.opened).toEqual([]);
  });

  test('opens a connection without TLS for the local inbox, and for nothing else', async () => {
    const net = network(['93.184.215.14']);
    const inbox = { ...attempt, plain: true, listed: true, host: '127.0.0.1', port: 54_321, target: '/inbox/x' };
    await senderOn(net).attempt(inbox);
    await senderOn(net).attempt(attempt);
    expect(net.opened).toEqual(['plain 127.0.0.1:54321', '93.184.215.14']);
  });

  test('does not send a target that contains a header line', async () => {
    const net = network(['93.184.215.14']);
    const bad = { ...attempt, target: '/\r\nX-Other: 1' };
    expect(await senderOn(net).attempt(bad)).toEqual({ error: 'connection.lost' });
  });

  test.each([
    ['is closed', async () => Promise.reject(new Error('Connection refused (os error 111)'))],
    ['is filtered', () => new Promise<ReceiverStream>(() => {})],
    ['breaks the handshake', async () => Promise.reject(new Error('Connection reset by peer (os error 104)'))],
    ['is unreachable', async () => Promise.reject(new Error('No route to host (os error 113)'))],
  ])('gives one code for a port that %s', async (_, open) => {
    const net = { ...network(['93.184.215.14']), open };
    const sender = new Sender({ network: net, filterPublicAddresses, timeoutMs: 200 });
    expect(await sender.attempt(attempt)).toEqual({ error: 'connection.failed' });
  });

  test('states a certificate that is not trusted, so that its owner can mend it', async () => {
    const net = { ...network(['93.184.215.14']), open: () => Promise.reject(new Error('invalid peer certificate')) };
    expect(await senderOn(net).attempt(attempt)).toEqual({ error: 'tls.failed' });
  });

  test('ends with a timeout when the DNS does not answer', async () => {
    const net = { ...network(), resolve: () => new Promise<DnsAnswer>(() => {}) };
    const sender = new Sender({ network: net, filterPublicAddresses, timeoutMs: 50 });
    expect(await sender.attempt(attempt)).toEqual({ error: 'timeout' });
  });
});
