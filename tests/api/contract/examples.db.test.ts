import { describe, expect, test } from 'vitest';
import type { ApiDocument } from '../../../dashboard/src/docs/document.ts';
import { routes } from '../../../functions/api/app.ts';
import { buildDocument } from '../../../functions/api/contract/document.ts';
import { validationError } from '../../../functions/api/contract/errors.ts';
import { examples } from '../../../functions/api/contract/examples.ts';
import { exampleKey } from '../../../functions/api/contract/operation.ts';
import { responseSchemas } from '../../../functions/api/contract/schemas.ts';
import { WITHOUT_EXAMPLE } from '../../../local/examples/requests.ts';
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

test('the examples cover every route but the named ones, and a 422 that matches its schema', () => {
  const covered = routes.filter((route) => !WITHOUT_EXAMPLE.includes(route.docs?.id ?? ''));
  expect(covered).toHaveLength(routes.length - WITHOUT_EXAMPLE.length);
  expect(Object.keys(examples).sort()).toEqual([...covered.map(exampleKey), '422'].sort());
  expect(validationError.safeParse(examples['422']?.answer).error).toBeUndefined();
});

test('every operation of the document has the request and the answer of its example', async () => {
  const { paths } = (await buildDocument(routes, undefined)) as ApiDocument;
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  expect(operations).toHaveLength(routes.length);
  for (const { operationId, responses, 'x-example-request': request } of operations) {
    if (WITHOUT_EXAMPLE.includes(operationId)) continue;
    const [status, answer] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? [];
    expect(request?.path, operationId).toMatch(/^\//);
    if (status !== '204') expect(answer?.content?.['application/json']?.example, operationId).toBeTypeOf('object');
  }
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
