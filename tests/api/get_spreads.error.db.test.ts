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

describe('an invalid request for /v2/spreads', () => {
  const long = 'x'.repeat(201);
  test.each<[string, string, string, Record<string, unknown>]>([
    ['limit=0', 'greater_than_equal', 'limit', { ge: 1 }],
    ['limit=501', 'less_than_equal', 'limit', { le: 500 }],
    ['limit=ten', 'int_parsing', 'limit', {}],
    ['limit=', 'int_parsing', 'limit', {}],
    ['limit=1.5', 'int_parsing', 'limit', {}],
    ['min_gap=-0.0001', 'greater_than_equal', 'min_gap', { ge: 0 }],
    ['min_gap=-1', 'greater_than_equal', 'min_gap', { ge: 0 }],
    ['min_gap=wide', 'float_parsing', 'min_gap', {}],
    ['min_gap=', 'float_parsing', 'min_gap', {}],
    ['min_gap', 'float_parsing', 'min_gap', {}],
    ['min_gap=NaN', 'float_parsing', 'min_gap', {}],
    ['min_gap=Infinity', 'float_parsing', 'min_gap', {}],
    ['min_gap=1,5', 'float_parsing', 'min_gap', {}],
    [`min_gap=${'9'.repeat(400)}`, 'less_than_equal', 'min_gap', { le: Number.MAX_VALUE }],
    [`asset=${long}`, 'string_too_long', 'asset', { max_length: 200 }],
    ['min_gap=1&min_gap=1', 'value_error', 'min_gap', {}],
    ['basis=%ff', 'value_error', 'basis', {}],
    ['institution=a%00b', 'value_error', 'institution', {}],
  ])('returns 422 with one issue for %s', async (query, type, name, ctx) => {
    await expectValidationError(world, key, `/v2/spreads?${query}`, { type, name, ctx });
  });

  test('never returns 500 for random query values', async () => {
    const names = fc.constantFrom(
      ...[
        'category',
        'sport',
        'competition',
        'location',
        'asset',
        'indicator',
        'basis',
        'institution',
        'min_gap',
        'limit',
      ],
      'other',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(names, anyQueryValue), { maxLength: 5 }), async (pairs) => {
        const query = pairs.map(([name, value]) => `${name}=${value}`).join('&');
        const answer = await world.get(`/v2/spreads?${query}`, key);
        const text = await answer.text();
        expect([200, 422], `${query} ${text}`).toContain(answer.status);
        JSON.parse(text);
      }),
      { numRuns: runs(100) },
    );
  });
});
