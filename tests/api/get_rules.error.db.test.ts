import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';
import { anyQueryValue } from './support/hostile.ts';
import { putRules } from './support/rules.ts';
import { expectValidationError } from './support/validation_error.ts';

let world: ApiFixture;
let key: string;
beforeAll(async () => {
  world = await createApiFixture();
  key = await world.key();
  await putRules(world.db.sql, [{ agreeing: 300 }, { family: 'total', agreeing: 3 }]);
});
afterAll(() => world.close());

/** A cursor of four parts, as base64url. */
const cursorOf = (...parts: unknown[]) =>
  btoa(JSON.stringify(parts)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

describe('an invalid request for /v2/rules', () => {
  test.each<[string, string, string, Record<string, unknown>]>([
    ['limit=0', 'greater_than_equal', 'limit', { ge: 1 }],
    ['limit=501', 'less_than_equal', 'limit', { le: 500 }],
    ['limit=ten', 'int_parsing', 'limit', {}],
    [`competition=${'x'.repeat(201)}`, 'string_too_long', 'competition', { max_length: 200 }],
    ['competition=a&competition=b', 'value_error', 'competition', {}],
    ['competition=a%00b', 'value_error', 'competition', {}],
    ['cursor=x', 'value_error', 'cursor', {}],
    ['cursor=', 'value_error', 'cursor', {}],
    [`cursor=${cursorOf('x', null, '00000000-0000-4000-8000-000000000001', 0)}`, 'value_error', 'cursor', {}],
    [`cursor=${'x'.repeat(401)}`, 'string_too_long', 'cursor', { max_length: 400 }],
  ])('returns 422 with one issue for %s', async (query, type, name, ctx) => {
    await expectValidationError(world, key, `/v2/rules?${query}`, { type, name, ctx });
  });

  test.each(['state=open', 'family=nfl', 'include=texts', 'state=', 'state=confirmed,maybe'])(
    'returns 422 with the allowed values for %s',
    async (query) => {
      const answer = await world.get(`/v2/rules?${query}`, key);
      const { detail } = (await answer.json()) as { detail: { type: string; loc: string[]; ctx: object }[] };
      expect([answer.status, detail[0]?.type, detail[0]?.loc[1]]).toEqual([422, 'enum', query.split('=')[0]]);
      expect(detail[0]?.ctx).toHaveProperty('expected');
    },
  );

  test('never returns 500 for random query values', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('family', 'competition', 'state', 'include', 'limit', 'cursor'),
        anyQueryValue,
        async (name, value) => {
          const answer = await world.get(`/v2/rules?${name}=${value}`, key);
          await answer.arrayBuffer();
          expect([200, 422]).toContain(answer.status);
        },
      ),
      { numRuns: 60 },
    );
  });
});
