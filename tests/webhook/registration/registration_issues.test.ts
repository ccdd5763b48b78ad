import { describe, expect, test } from 'vitest';
import { type Registration, registrationIssues } from '../../../functions/api/webhook_registration.ts';

/** A DNS that answers A queries with these addresses and records the queries. */
function dns(addresses: readonly string[] = ['93.184.215.14']) {
  const queries: string[] = [];
  return {
    queries,
    resolve: async (name: string, type: 'A' | 'AAAA') => {
      queries.push(`${name} ${type}`);
      return type === 'A' ? addresses : [];
    },
  };
}
const issuesOf = (changes: Partial<Registration>, { resolve } = dns(), allowed: readonly string[] = []) =>
  registrationIssues(
    { url: 'https://hooks.example.com/in', events: ['pair.created'], ...changes },
    { resolve, allowed },
  );

const threshold = ['spread.threshold'];
const at = (field: string, type: string, msg: string, input: unknown, ctx = {}) => [
  { loc: ['body', field], type, msg, input, ctx },
];

describe('registrationIssues', () => {
  test('accepts both bounds of the threshold, no threshold, and 20 events', async () => {
    expect(await issuesOf({})).toEqual([]);
    expect(await issuesOf({ min_spread_pts: null })).toEqual([]);
    expect(await issuesOf({ events: Array(20).fill('pair.created') })).toEqual([]);
    for (const min_spread_pts of [0.5, 50]) expect(await issuesOf({ events: threshold, min_spread_pts })).toEqual([]);
  });

  test.each<[string, Partial<Registration>, object[]]>([
    ['no event', { events: [] }, at('events', 'too_short', 'List should have at least 1 items', [], { min_length: 1 })],
    [
      '21 events',
      { events: Array(21).fill('pair.created') },
      at('events', 'too_long', 'List should have at most 20 items', null, { max_length: 20 }),
    ],
    [
      'no threshold with spread.threshold',
      { events: threshold },
      at('min_spread_pts', 'missing', "Field required with the event 'spread.threshold'", null),
    ],
    [
      'a threshold without spread.threshold',
      { min_spread_pts: 3 },
      at('min_spread_pts', 'extra_forbidden', "Only for the event 'spread.threshold': omit it otherwise", 3),
    ],
    [
      'a threshold below 0.5',
      { events: threshold, min_spread_pts: 0.49 },
      at('min_spread_pts', 'greater_than_equal', 'Input should be greater than or equal to 0.5', 0.49, { ge: 0.5 }),
    ],
    [
      'a threshold above 50',
      { events: threshold, min_spread_pts: 50.01 },
      at('min_spread_pts', 'less_than_equal', 'Input should be less than or equal to 50', 50.01, { le: 50 }),
    ],
    [
      'http',
      { url: 'http://hooks.example.com/in' },
      at('url', 'url_scheme', "URL scheme should be 'https'", 'http://hooks.example.com/in', {
        expected_schemes: "'https'",
      }),
    ],
  ])('rejects %s', async (_, changes, expected) => {
    expect(await issuesOf(changes)).toEqual(expected);
  });

  test.each<[string, string[], string, string]>([
    ['has no address', [], 'url_unknown_host', 'URL host should exist: the DNS has no address for it'],
    [
      'has one private address among public ones',
      ['93.184.215.14', '10.0.0.1'],
      'url_private_address',
      'URL host should be public: it resolves to an address outside the public Internet',
    ],
  ])('rejects a host that %s', async (_, addresses, type, msg) => {
    expect(await issuesOf({}, dns(addresses))).toEqual(at('url', type, msg, 'https://hooks.example.com/in'));
  });

  test('returns all faults at once, the fault of the URL first', async () => {
    const found = await issuesOf(
      { events: [...threshold, ...Array(20).fill('pair.created')], min_spread_pts: 99 },
      dns([]),
    );
    expect(found.map((one) => one.type)).toEqual(['url_unknown_host', 'too_long', 'less_than_equal']);
  });

  test('sends no DNS query for an address, for a URL with a fault, or for a receiver that the operator lists', async () => {
    const unused = dns();
    expect(await issuesOf({ url: 'https://8.8.8.8/' }, unused)).toEqual([]);
    expect(await issuesOf({ url: 'https://[2606:4700::1111]/' }, unused)).toEqual([]);
    expect(await issuesOf({ url: 'https://inside.example.com/' }, unused, ['inside.example.com:443'])).toEqual([]);
    await issuesOf({ url: 'https://localhost/' }, unused);
    expect(unused.queries).toEqual([]);
    await issuesOf({}, unused);
    expect(unused.queries).toEqual(['hooks.example.com A', 'hooks.example.com AAAA']);
  });

  test('returns at most 200 characters of a URL and cuts none in half', async () => {
    const [fault] = await issuesOf({ url: `x${'😀'.repeat(300)}` });
    expect(fault?.input).toBe(`x${'😀'.repeat(199)}`);
  });
});
