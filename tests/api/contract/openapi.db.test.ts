import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../../functions/api/app.ts';
import type { Route } from '../../../functions/api/app_types.ts';
import * as docs from '../../../functions/api/contract/docs.ts';
import * as streamDocs from '../../../functions/api/contract/docs_stream.ts';
import { buildDocument } from '../../../functions/api/contract/document.ts';
import { resources } from '../../../functions/api/contract/fields.ts';
import { exampleKey, pathOf } from '../../../functions/api/contract/operation.ts';
import { responseSchemas } from '../../../functions/api/contract/schemas.ts';
import { ERRORS } from '../../../functions/api/http/errors.ts';
import { MARKET_TYPES } from '../../../functions/api/vocabulary.ts';
import { serveApi } from '../support/server.ts';

type Parameter = {
  name: string;
  in: string;
  description: string;
  schema: {
    type: string;
    minimum?: number;
    maximum?: number;
    enum?: (string | number)[];
    items?: { enum?: string[] };
    default?: unknown;
  };
};
type Operation = {
  operationId: string;
  summary: string;
  description: string;
  security?: unknown[];
  parameters?: Parameter[];
  responses: Record<string, { content?: { 'application/json'?: { examples?: Record<string, { value: object }> } } }>;
};
type Schema = { $ref?: string; description?: string; properties?: Record<string, Schema>; items?: Schema };
type Document = {
  components: { schemas: Record<string, Schema> };
  info: { version: string; description: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
};

let api: Awaited<ReturnType<typeof serveApi>>;
let document: Document;
beforeAll(async () => {
  // No database listens at this address: the document must not need one.
  api = await serveApi('postgres://parallax_api:x@127.0.0.1:1/nowhere');
  document = await (await fetch(`${api.base}/openapi.json`)).json();
});
afterAll(() => api.close());

const described = routes.map((route) => [exampleKey(route), route] as const);
const operationAt = (path: string, method = 'get') => {
  const operation = document.paths[path]?.[method];
  if (!operation) throw new Error(`${method} ${path} is not in the document`);
  return operation;
};

test('the document is valid OpenAPI 3.1, and every reference in it resolves', async () => {
  const validator = new Validator();
  expect(await validator.validate(structuredClone(document))).toMatchObject({ valid: true });
  expect(validator.version).toBe('3.1');
  for (const [, pointer = ''] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    const found = pointer
      .split('/')
      .reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document);
    expect(found, pointer).toBeTypeOf('object');
  }
});

test('the document needs no key and has the version of the API', async () => {
  expect(document.info.version).toBe('2.0.0');
  expect(document.servers).toEqual([{ url: '/functions/v1/api' }]);
});

describe.each(described)('the document of %s', (_, route) => {
  test('has a summary, a description and the errors of the route', () => {
    expect(route.docs, 'the route has `docs`').toBeDefined();
    const operation = operationAt(pathOf(route), route.method.toLowerCase());
    expect(operation.summary).not.toBe('');
    expect(operation.description).not.toBe('');
    const statuses = Object.keys(operation.responses);
    if (route.isPublic) expect(operation.security).toEqual([]);
    else {
      expect(operation.security).toBeUndefined();
      expect(statuses).toEqual(expect.arrayContaining(['401', '402', '429', '503']));
    }
    if (route.query || route.path.includes(':')) expect(statuses).toContain('422');
  });

  test('describes each parameter', () => {
    const parameters = operationAt(pathOf(route), route.method.toLowerCase()).parameters ?? [];
    expect(parameters.map((parameter) => parameter.name)).toEqual([
      ...[...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name),
      ...Object.keys(route.query?.shape ?? {}),
    ]);
    for (const parameter of parameters) expect(parameter.description, parameter.name).toMatch(/\w{3}/);
  });

  // The document is built from the validating schemas. This test compares it with the schemas.
  test('has the ranges and values that the route accepts', () => {
    const { query } = route;
    if (!query) return;
    const required = Object.fromEntries(
      Object.entries(query.shape).flatMap(([name, schema]) =>
        schema.safeParse(undefined).success ? [] : [[name, 'x']],
      ),
    );
    const takes = (name: string, value: string) => query.safeParse({ ...required, [name]: value }).success;
    for (const { name, in: where, schema } of operationAt(pathOf(route)).parameters ?? []) {
      if (where !== 'query') continue;
      const { minimum, maximum } = schema;
      if (minimum !== undefined)
        expect([takes(name, `${minimum}`), takes(name, `${minimum - 1}`)]).toEqual([true, false]);
      if (maximum !== undefined)
        expect([takes(name, `${maximum}`), takes(name, `${maximum + 1}`)]).toEqual([true, false]);
      for (const word of schema.enum ?? schema.items?.enum ?? [])
        expect(takes(name, String(word)), `${name}=${word}`).toBe(true);
      if (schema.enum || schema.items?.enum) expect(takes(name, 'no_such_word'), name).toBe(false);
      if (schema.items?.enum) expect(takes(name, schema.items.enum.join(',')), name).toBe(true);
      if (schema.type === 'boolean') expect([takes(name, 'true'), takes(name, 'maybe')]).toEqual([true, false]);
      if (schema.type === 'integer') expect(takes(name, '1.5'), name).toBe(false);
    }
  });
});

test('the docs of all routes build a valid document with unique operation ids', async () => {
  const addresses: Record<string, string> = {
    pairDocs: '/v2/pairs/:market_id',
    historyDocs: '/v2/pairs/:market_id/history',
  };
  const documented = Object.entries({ ...docs, ...streamDocs }).map(
    ([name, entry]): Route => ({
      method: entry.id === 'report_bad_arb' ? 'POST' : 'GET',
      path: addresses[name] ?? `/${entry.id}`,
      docs: entry,
      handle: () => new Response(),
    }),
  );
  const whole = (await buildDocument(documented, 'https://example.supabase.co/')) as Document;
  expect(await new Validator().validate(structuredClone(whole))).toMatchObject({ valid: true });
  expect(whole.servers).toEqual([{ url: 'https://example.supabase.co/functions/v1/api' }]);
  expect(new Set(documented.map((route) => route.docs?.id)).size).toBe(documented.length);
});

test('every field of the document has a description', () => {
  const undescribed: string[] = [];
  const follow = (path: string, schema: Schema): void => {
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      const description = field.$ref ? resolve(field.$ref).description : field.description;
      if (!/\w{3}/.test(description ?? '')) undescribed.push(`${path}.${name}`);
      follow(`${path}.${name}`, field);
    }
    if (schema.items) follow(path, schema.items);
  };
  const resolve = (ref: string) => document.components.schemas[ref.split('/').at(-1) ?? ''] ?? {};
  for (const [name, schema] of Object.entries(document.components.schemas)) follow(name, schema);
  expect(undescribed).toEqual([]);
});

test('a response schema has the same name in the routes and in the document', () => {
  for (const [name, schema] of Object.entries(responseSchemas)) expect(resources.get(schema)?.id).toBe(name);
});

test('the document has the ranges and values of spec.md', () => {
  const of = (name: string) =>
    operationAt('/v2/markets').parameters?.find((parameter) => parameter.name === name)?.schema;
  expect(of('limit')).toMatchObject({ type: 'integer', minimum: 1, maximum: 1000, default: 500 });
  expect(of('page')).toMatchObject({ type: 'integer', minimum: 1, default: 1 });
  expect(of('sort')).toMatchObject({ enum: ['start_time', '-start_time', '-spread_pts'], default: 'start_time' });
  expect(of('signal')).toMatchObject({ enum: ['spread', 'candidates'] });
  expect(operationAt('/v2/markets').parameters?.find(({ name }) => name === 'league')).toMatchObject({
    deprecated: true,
  });
  expect(operationAt('/v2/search').parameters?.[0]).toMatchObject({
    name: 'q',
    required: true,
    schema: { type: 'string', minLength: 1, maxLength: 100 },
  });
  expect(of('has_history')).toEqual({ type: 'boolean', default: false });
  // The default depends on other filters. A client that sends a fixed default would find nothing
  // outside sports.
  expect(of('market_type')).toMatchObject({ type: 'array', items: { enum: [...MARKET_TYPES, 'all'] } });
  expect(of('market_type')).not.toHaveProperty('default');
});

test('the document explains every error code, and has the wait times in the examples of 429 and 503', () => {
  for (const code of Object.keys(ERRORS)) expect(document.info.description).toContain(`\`${code}\``);
  const examplesOf = (status: string) =>
    operationAt('/v2/markets').responses[status]?.content?.['application/json']?.examples ?? {};
  expect(examplesOf('429')['rate.window']?.value).toMatchObject({ window: '60s', retry_after: expect.any(Number) });
  expect(examplesOf('429')['rate.quota']?.value).toMatchObject({ window: 'month', resets_at: expect.any(String) });
  expect(examplesOf('503')['admission.full']?.value).toMatchObject({ retry_after: 1 });
});

test('the document is cached with one ETag per encoding, 304 for both, and gzip on request', async () => {
  const ask = (headers: Record<string, string>) => fetch(`${api.base}/openapi.json`, { headers });
  const plain = await ask({ 'Accept-Encoding': 'identity' });
  const zipped = await ask({ 'Accept-Encoding': 'gzip' });
  expect(plain.headers.get('Cache-Control')).toMatch(/^public, max-age=\d+$/);
  expect(zipped.headers.get('Content-Encoding')).toBe('gzip');
  expect(await zipped.json()).toEqual(await plain.json());
  const tags = [plain.headers.get('ETag') ?? '', zipped.headers.get('ETag') ?? ''];
  expect(tags[0]).not.toBe(tags[1]);
  for (const tag of tags) {
    const again = await ask({ 'If-None-Match': tag });
    expect([again.status, await again.text()]).toEqual([304, '']);
  }
  expect((await ask({ 'If-None-Match': '"1.1"' })).status).toBe(200);
});
