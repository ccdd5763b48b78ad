import { describe, expect, test } from 'vitest';
import { routes } from '../../../functions/api/app.ts';
import { validationError } from '../../../functions/api/contract/errors.ts';
import { examples } from '../../../functions/api/contract/examples.ts';
import { exampleKey } from '../../../functions/api/contract/operation.ts';
import { responseSchemas } from '../../../functions/api/contract/schemas.ts';
import { trimmed } from '../../../local/examples/trim.ts';

const routesWithSchema = routes.flatMap((route) => {
  const [response] = Object.values(route.docs?.responses ?? {});
  return response ? [[exampleKey(route), route, responseSchemas[response]] as const] : [];
});

describe.each(routesWithSchema)('the example of %s', (name, route, schema) => {
  test('exists and matches the schema (npm start, then npm run examples)', () => {
    const example = examples[name];
    expect(example, `no example of ${name}`).toBeDefined();
    expect(schema.safeParse(example?.answer).error?.issues).toBeUndefined();
  });

  test('has a request that the route accepts', () => {
    const { pathname, searchParams } = new URL(examples[name]?.request ?? '', 'http://base');
    expect(pathname).toMatch(new RegExp(`^${route.path.replaceAll(/:\w+/g, '[^/]+')}$`));
    const given = Object.fromEntries(searchParams);
    expect(route.query?.safeParse(given).error).toBeUndefined();
    expect(Object.keys(given).filter((parameter) => !(parameter in (route.query?.shape ?? {})))).toEqual([]);
  });
});

test('the examples cover exactly the routes with a schema, and a 422 that matches its schema', () => {
  expect(Object.keys(examples).sort()).toEqual([...routesWithSchema.map(([name]) => name), '422'].sort());
  expect(validationError.safeParse(examples['422']?.answer).error).toBeUndefined();
});

test('the examples contain no secret and no long response', () => {
  const text = JSON.stringify(examples);
  expect(text).not.toMatch(/sk_live_[0-9A-Za-z]{8}_|whsec_\w|eyJ[\w-]+\./);
  for (const [name, example] of Object.entries(examples))
    expect(JSON.stringify(example).length, name).toBeLessThan(6000);
});

test('trimming an example replaces secrets, cuts lists and texts, and keeps all legs', () => {
  const key = `sk_live_${'a'.repeat(8)}_${'b'.repeat(38)}`;
  const legs = [{ outcome: 'a' }, { outcome: 'b' }, { outcome: 'c' }];
  expect(trimmed({ text: `Use ${key} now`, rows: [1, 2, 3], legs, request_id: 'x' })).toEqual({
    text: 'Use sk_live_… now',
    rows: [1, 2],
    legs,
    request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  expect(String(trimmed('word '.repeat(200)))).toHaveLength(281);
});
