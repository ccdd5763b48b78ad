import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { auditText } from '../../dashboard/src/account/audit_text.ts';
import { type FirstStepsData, firstSteps } from '../../dashboard/src/account/first_steps.ts';
import { keyDayTable } from '../../dashboard/src/account/key_days.ts';
import { filterKeys, isUsable, keyState } from '../../dashboard/src/account/key_state.ts';
import type { KeyRow } from '../../dashboard/src/account/types.ts';
import { rowRangeOf } from '../../dashboard/src/components/row_range.ts';
import { addressOf } from '../../dashboard/src/router.ts';
import { signInErrorText } from '../../dashboard/src/session/auth_errors.ts';
import { providersOf } from '../../dashboard/src/session/auth_methods.ts';
import { returnUrlOf, signInAddress } from '../../dashboard/src/session/return_url.ts';
import { toRpcError } from '../../dashboard/src/session/rpc_error.ts';
import { keyRows } from './support/stub_api.ts';

describe('the requests by day and key', () => {
  const now = Date.parse('2026-11-20T05:00:00Z');
  const zeros = '00000000-0000-0000-0000-000000000000';
  const keys = keyRows(2) as unknown as KeyRow[];
  const [first = '', second = ''] = keys.map((key) => key.key_id);

  test('have a column for each of 30 days, the busiest key first and the dashboard last', () => {
    const table = keyDayTable(
      [
        { key_id: first, day: '2026-11-20', requests: 2 },
        { key_id: zeros, day: '2026-11-19', requests: 90 },
        { key_id: second, day: '2026-10-22', requests: 7 },
        { key_id: 'gone', day: '2026-11-20', requests: 1 },
      ],
      keys,
      now,
    );
    expect([table.days.length, table.days[0], table.days.at(-1)]).toEqual([30, '2026-10-22', '2026-11-20']);
    expect(table.rows.map((row) => [row.name, row.sum])).toEqual([
      ['nightly report', 7],
      ['research', 2],
      ['A deleted key', 1],
      ['This dashboard', 90],
    ]);
    expect([table.totals[0], table.totals[28], table.totals[29], table.sum]).toEqual([7, 90, 3, 100]);
  });

  test('end with the newest day of the service where the clock of the browser is behind', () => {
    const table = keyDayTable([{ key_id: first, day: '2026-11-21', requests: 2 }], keys, now);
    expect([table.days.at(-1), table.totals.at(-1)]).toEqual(['2026-11-21', 2]);
  });

  test('join the keys after the twentieth, and lose none of their requests', () => {
    const many = Array.from({ length: 25 }, (_, n) => ({ key_id: `k${n}`, day: '2026-11-20', requests: n + 1 }));
    const { rows, sum } = keyDayTable(many, keys, now);
    expect([rows.length, rows.at(-1)?.name, sum]).toEqual([21, '5 other keys', (25 * 26) / 2]);
  });
});

describe('the first steps', () => {
  const done = (data: Partial<FirstStepsData>) =>
    firstSteps({ keys: [], webhooks: [], hasFactor: false, ...data }).map((step) => step.isDone);

  test('are done by a key, its use, a delivered webhook and an authenticator, and by nothing else', () => {
    expect(done({})).toEqual([false, false, false, false]);
    expect(done({ keys: [{ last_used_at: null }], webhooks: [{ last_success_at: null }] })).toEqual([
      ...[true, false],
      ...[false, false],
    ]);
    expect(
      done({
        ...{ keys: [{ last_used_at: null }, { last_used_at: '2026-11-20T05:14:00Z' }], hasFactor: true },
        webhooks: [{ last_success_at: '2026-11-20T05:14:00Z' }],
      }),
    ).toEqual([true, true, true, true]);
  });

  test('leave out what the plan or Auth does not have', () => {
    expect(done({ webhooks: null, hasFactor: null })).toHaveLength(2);
  });
});

describe('the return URL after sign-in', () => {
  test('is the previous page with its query and hash', () => {
    const from = { pathname: '/market', search: '?id=a%26b', hash: '#rules' };
    const url = new URL(signInAddress(from, 'expired'), 'http://here');
    expect(returnUrlOf(url.searchParams, '/keys')).toBe('/market?id=a%26b#rules');
    expect(url.searchParams.get('why')).toBe('expired');
  });

  const hostile = [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    '/sign-in',
    '',
    'keys',
    '/\t/evil.example',
    '/\n/evil.example',
    // A URL parser makes `//evil.example` of these.
    '/.//evil.example',
    '/..//evil.example',
    '/a/..//evil.example',
    '/%2e//evil.example',
    '/%2E%2e//evil.example',
    '/.\\/evil.example',
    '/.\t//evil.example',
    // Not of this site's paths either.
    '/keys//x',
    '/keys\\x',
  ];
  test.each(hostile)('is the default page where %j is asked for', (next) => {
    expect(returnUrlOf(new URLSearchParams({ next }), '/keys')).toBe('/keys');
  });

  test('is never on another site and never the sign-in page', () => {
    const parts = [
      '/',
      '//',
      './',
      '../',
      '%2e/',
      '%2E',
      '.',
      'a/..',
      '\\',
      '\t',
      '\n',
      ' ',
      '@',
      ':',
      '?',
      '#',
      '%2f',
    ];
    const path = fc
      .array(fc.constantFrom(...parts, 'evil.example', 'sign-in'), { maxLength: 9 })
      .map((made) => `/${made.join('')}`);
    const here = 'https://here.example';
    let becomingHosts = 0;
    fc.assert(
      fc.property(fc.oneof({ weight: 9, arbitrary: path }, fc.string()), (next) => {
        const back = returnUrlOf(new URLSearchParams({ next }), '/keys');
        const url = new URL(back, here);
        expect(url.origin).toBe(here);
        // A browser reads it as it is, so no second reading makes another site of it.
        expect(url.pathname + url.search + url.hash).toBe(back);
        expect(back).not.toMatch(/^\/(\/|sign-in([?#]|$))/);
        const asked = URL.canParse(next, here) ? new URL(next, here) : undefined;
        if (asked?.origin === here && asked.pathname.startsWith('//')) becomingHosts++;
      }),
      { numRuns: 2_000 },
    );
    expect(becomingHosts).toBeGreaterThan(20);
  });
});

test.each([
  ['/keys/', '/keys'],
  ['/keys/index.html', '/keys'],
  ['/index.html', '/'],
  ['/', '/'],
  ['/market?id=x', '/market'],
])('addressOf maps the URL %s to the page %s', (address, path) => {
  expect(addressOf(new URL(address, 'http://here')).path).toBe(path);
});

describe('rowRangeOf', () => {
  test('includes every visible row and at most eight rows above and below', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -100_000, max: 2000 }),
        fc.integer({ min: 1, max: 4000 }),
        fc.integer({ min: 20, max: 200 }),
        fc.nat(5000),
        (top, height, rowHeight, count) => {
          const { first, last } = rowRangeOf(top, height, rowHeight, count);
          expect(0 <= first && first <= last && last <= count).toBe(true);
          expect(last - first).toBeLessThanOrEqual(Math.ceil(height / rowHeight) + 1 + 2 * 8);
          for (let index = 0; index < count; index++) {
            const [above, below] = [top + index * rowHeight, top + (index + 1) * rowHeight];
            if (below > 0 && above < height) expect(first <= index && index < last).toBe(true);
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('the key list', () => {
  const now = Date.UTC(2026, 10, 20);
  const at = (hours: number) => new Date(now + hours * 3_600_000).toISOString();

  test('shows each key in the state that admission would find', () => {
    expect(keyState({ revoked_at: null, expires_at: null }, now)).toBe('live');
    expect(keyState({ revoked_at: null, expires_at: at(1) }, now)).toBe('ending');
    expect(keyState({ revoked_at: null, expires_at: at(8 * 24) }, now)).toBe('live');
    expect(keyState({ revoked_at: null, expires_at: at(0) }, now)).toBe('expired');
    expect(keyState({ revoked_at: at(-1), expires_at: at(1) }, now)).toBe('revoked');
  });

  test('lists usable keys first and finds keys by name and prefix', () => {
    const keys = keyRows(20) as unknown as Parameters<typeof filterKeys>[0];
    const shown = filterKeys(keys, '', false, Date.now()).map((key) => isUsable(keyState(key, Date.now())));
    expect(shown).toHaveLength(20);
    expect(shown.lastIndexOf(true)).toBeLessThan(shown.indexOf(false));
    expect(filterKeys(keys, ' NIGHTLY ', true, Date.now()).every((key) => key.name.startsWith('nightly'))).toBe(true);
    expect(filterKeys(keys, 'aaaaaaa7', true, Date.now())).toHaveLength(1);
  });
});

describe('error messages', () => {
  test('toRpcError keeps the message of the database, but hides that of an internal error', () => {
    expect(toRpcError({ code: 'key.limit', message: 'This organization has 1,000 keys.' }, 409)).toMatchObject({
      code: 'key.limit',
      message: 'This organization has 1,000 keys.',
    });
    expect(toRpcError({ code: 'XX000', message: 'relation "account.keys" …' }, 500).message).not.toContain('relation');
    expect(toRpcError({ code: 'session.none', message: 'Sign in first.' }, 401).code).toBe('session.expired');
    expect(toRpcError({ code: '', message: 'TypeError: Failed to fetch' }, 0).code).toBe('network');
  });

  test('signInErrorText states what to do, also for a response without a code', () => {
    expect(signInErrorText({ code: 'invalid_credentials', status: 400, message: 'Invalid login credentials' })).toMatch(
      /address or the password/,
    );
    expect(signInErrorText({ status: 400, message: 'Invalid login credentials' })).toMatch(/address or the password/);
    expect(signInErrorText({ message: 'Failed to fetch' })).toMatch(/connection/);
    expect(signInErrorText({ status: 500, message: 'pq: deadlock' })).not.toMatch(/pq/);
  });

  test('auditText returns the code and subject of an unknown action', () => {
    const change = { audit_id: 1, org_id: '', at: '', actor: 'operator', subject: 'hook 1', detail: null };
    expect(auditText({ ...change, action: 'webhook.disabled' })).toBe('webhook.disabled hook 1');
  });
});

test('providersOf returns only the sign-in methods that the project has enabled', () => {
  const local = { external: { email: true, github: false }, disable_signup: false, mailer_autoconfirm: true };
  expect(providersOf(local)).toEqual({ password: true, signUp: true, link: false, github: false });
  expect(providersOf({ external: { email: true, github: true }, mailer_autoconfirm: false })).toMatchObject({
    link: true,
    github: true,
  });
  expect(providersOf({ external: { email: false }, disable_signup: true })).toEqual({
    password: false,
    signUp: false,
    link: false,
    github: false,
  });
});
