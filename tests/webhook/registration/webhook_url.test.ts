import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ParsedUrl, parseWebhookUrl } from '../../../functions/api/webhook_url.ts';
import { anyUrl, invalidUrls, privateHosts, validUrls } from '../support/urls.ts';

const typeOf = (parsed: ParsedUrl) => ('problem' in parsed ? parsed.problem.type : null);

describe('parseWebhookUrl', () => {
  test.each(validUrls)('reads the host and the port of %s', (url, host, port) => {
    expect(parseWebhookUrl(url, [])).toEqual({ receiver: { host, port } });
  });

  test.each(invalidUrls)('reports the fault %s', (type, urls) => {
    for (const url of urls) expect([url, typeOf(parseWebhookUrl(url, []))]).toEqual([url, type]);
  });

  test('reports url_private_host for private names and every notation of a non-public address', () => {
    for (const host of privateHosts)
      expect([host, typeOf(parseWebhookUrl(`https://${host}/`, []))]).toEqual([host, 'url_private_host']);
  });

  test.each([
    [
      `https://hooks.example.com/${'x'.repeat(2023)}`,
      'String should have at most 2048 characters',
      { max_length: 2048 },
    ],
    [
      'https://bücher.example/',
      'Input should be a valid URL of ASCII characters: write an international host in its xn-- form and percent-encode the rest',
    ],
    ['http://hooks.example.com/', "URL scheme should be 'https'", { expected_schemes: "'https'" }],
    ['https://hooks.example.com/#x', 'Input should be a URL without a fragment: a fragment is never sent'],
    ['https://hooks.example.com/{x}', 'Input should be a valid URL: percent-encode its special characters'],
    ['https://me@hooks.example.com/', 'Input should be a URL without credentials: deliveries are signed'],
    ['https://hooks..example.com/', 'Input should be a valid URL, invalid host'],
    ['https://hooks.example.com:25/', 'Input should be a URL with the port 443, or one from 1024 to 65535'],
    ['https://[1::1::1]/', 'URL host should be public: this is not an IPv6 address'],
    ['https://[::1]/', 'URL host should be public: the address is outside the public Internet'],
    ['https://127.1/', 'URL host should be public: write an IPv4 address as four decimal numbers'],
    ['https://10.0.0.1/', 'URL host should be public: the address is outside the public Internet'],
    ['https://intranet/', 'URL host should be public: the host needs a full domain name'],
    ['https://db.internal/', 'URL host should be public: the host is not part of the public Internet'],
  ])('describes the fault of %s: %s', (url, msg, ctx?: object) => {
    expect(parseWebhookUrl(url, [])).toEqual({ problem: { type: expect.any(String), msg, ...(ctx ? { ctx } : {}) } });
  });

  test('counts characters, not UTF-16 code units', () => {
    const url = `https://hooks.example.com/${'😀'.repeat(2022)}`;
    expect(typeOf(parseWebhookUrl(url, []))).toBe('url_parsing');
    expect(typeOf(parseWebhookUrl(`${url}x`, []))).toBe('string_too_long');
  });

  test('accepts a receiver that the operator lists only with its port', () => {
    const allowed = ['localhost:8443', '::1:8443'];
    for (const url of ['https://localhost:8443/x', 'https://LOCALHOST:8443/x', 'https://[::1]:8443/x'])
      expect([url, typeOf(parseWebhookUrl(url, allowed))]).toEqual([url, null]);
    for (const url of [
      'https://localhost/x',
      'https://localhost:8444',
      'https://127.0.0.1:8443',
      'http://localhost:8443',
    ])
      expect([url, typeOf(parseWebhookUrl(url, allowed))]).not.toEqual([url, null]);
  });

  test('reports a label that begins with xn-- and is no Punycode, where the URL parser refuses it', () => {
    // Deno 2.1 and Node 20 refuse it; Node 24 accepts it.
    const expected = URL.canParse('https://127.xn--443') ? null : 'url_parsing';
    expect(typeOf(parseWebhookUrl('https://127.xn--443', []))).toBe(expected);
    expect(typeOf(parseWebhookUrl('https://xn--bcher-kva.example/', []))).toBeNull();
  });

  test('accepts no text that the WHATWG URL parser reads differently', () => {
    fc.assert(
      fc.property(anyUrl, (url) => {
        const parsed = parseWebhookUrl(url, []);
        if ('problem' in parsed) return;
        const { host, port } = parsed.receiver;
        const whatwg = new URL(url);
        expect(whatwg.protocol).toBe('https:');
        expect(whatwg.username + whatwg.password + whatwg.hash).toBe('');
        expect(whatwg.port === '' ? 443 : Number(whatwg.port)).toBe(port);
        if (!host.includes(':')) expect(whatwg.hostname).toBe(host);
      }),
      { numRuns: 5_000 },
    );
  });
});
