import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runs } from '../support/runs.ts';
import { type ApiFixture, createApiFixture, liftLimits } from './support/fixture.ts';
import { anyQueryValue } from './support/hostile.ts';
import { expectValidationError } from './support/validation_error.ts';

let world: ApiFixture;
let key: string;
beforeAll(async () => {
  world = await createApiFixture();
  await liftLimits(world.db.sql);
  key = await world.key();
});
afterAll(() => world.close());

describe('an invalid request for /v2/search', () => {
  test.each([
    '',
    '?',
    '?q',
    '?q=',
    '?q=+',
    '?q=%20%09%0A',
    '?q=%C2%A0',
    '?q=%E2%80%8B%EF%BB%BF',
    '?Q=x',
    '?category=sports',
  ])('returns 400 search.blank for %j', async (query) => {
    const answer = await world.get(`/v2/search${query}`, key, { 'X-Request-Id': 'r1' });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({ code: 'search.blank', error: expect.any(String), request_id: 'r1' });
  });

  test.each<[string, string, string, Record<string, unknown>]>([
    [`q=${'x'.repeat(101)}`, 'string_too_long', 'q', { max_length: 100 }],
    [`q=${'+'.repeat(101)}`, 'string_too_long', 'q', { max_length: 100 }],
    [`q=${encodeURIComponent('😀'.repeat(101))}`, 'string_too_long', 'q', { max_length: 100 }],
    ['q=a&q=b', 'value_error', 'q', {}],
    ['q=a%00b', 'value_error', 'q', {}],
    ['q=%ff', 'value_error', 'q', {}],
    ['q=%ED%A0%80', 'value_error', 'q', {}],
    ['q=x&page=0', 'greater_than_equal', 'page', { ge: 1 }],
    ['q=x&page=2147483648', 'less_than_equal', 'page', { le: 2147483647 }],
    ['q=x&page=one', 'int_parsing', 'page', {}],
    ['q=x&page_size=0', 'greater_than_equal', 'page_size', { ge: 1 }],
    ['q=x&page_size=51', 'less_than_equal', 'page_size', { le: 50 }],
    ['q=x&page_size=1.5', 'int_parsing', 'page_size', {}],
    ['q=x&status=opened', 'enum', 'status', { expected: "'open', 'live', 'resolving', 'closed' or 'settled'" }],
    ['q=x&status=', 'enum', 'status', { expected: "'open', 'live', 'resolving', 'closed' or 'settled'" }],
    [`q=x&sport=${'x'.repeat(201)}`, 'string_too_long', 'sport', { max_length: 200 }],
    ['q=x&category=%00', 'value_error', 'category', {}],
    // An invalid parameter is reported before a blank q.
    ['q=&page=0', 'greater_than_equal', 'page', { ge: 1 }],
  ])('returns 422 with one issue for %s', async (query, type, name, ctx) => {
    await expectValidationError(world, key, `/v2/search?${query}`, { type, name, ctx });
  });

  test('counts a 400 in the window and not in the month', async () => {
    const own = await world.key('free');
    const answer = await world.get('/v2/search?q=', own);
    expect(answer.headers.get('RateLimit')).toMatch(/^"window";r=599;t=\d+, "month";r=10000;/);
  });

  test('never returns 500 for random query values', async () => {
    const names = fc.constantFrom('q', 'q', 'q', 'category', 'sport', 'status', 'page', 'page_size', 'other');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(names, anyQueryValue), { maxLength: 4 }), async (pairs) => {
        const query = pairs.map(([name, value]) => `${name}=${value}`).join('&');
        const answer = await world.get(`/v2/search?${query}`, key);
        const text = await answer.text();
        expect([200, 400, 422], `${query} ${text}`).toContain(answer.status);
        JSON.parse(text);
      }),
      { numRuns: runs(100) },
    );
  });

  test('answers 200 or 400 for every text of up to 100 characters', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 100 }), async (text) => {
        const q = text.toWellFormed().replaceAll('\0', ' ');
        const answer = await world.get(`/v2/search?q=${encodeURIComponent(q)}`, key);
        expect([200, 400], encodeURIComponent(q)).toContain(answer.status);
        const body = await answer.json();
        if (answer.status === 200) expect(body).toMatchObject({ q, total: expect.any(Number) });
      }),
      { numRuns: runs(80) },
    );
  });
});
