import fc from 'fast-check';
import { anyJson, anyText, inUrl, longText } from './texts.ts';

export type Schema = {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  format?: string;
};
export type Parameter = { name: string; in: 'path' | 'query'; required: boolean; schema: Schema };
export type Operation = {
  method: string;
  path: string;
  parameters: Parameter[];
  body: Schema | undefined;
  /** Name of the body's schema by status. Undefined for a response without one. */
  responses: Map<number, string | undefined>;
};

type Document = {
  paths: Record<
    string,
    Record<
      string,
      {
        parameters?: Parameter[];
        requestBody?: { content: Record<string, { schema: Schema }> };
        responses: Record<string, { content?: Record<string, { schema: { $ref?: string } }> }>;
      }
    >
  >;
};

export function operationsOf(document: unknown): Operation[] {
  return Object.entries((document as Document).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody, responses }]) => ({
      method: method.toUpperCase(),
      path,
      parameters,
      body: requestBody?.content['application/json']?.schema,
      responses: new Map(
        Object.entries(responses).map(([status, { content }]) => [
          Number(status),
          content?.['application/json']?.schema.$ref?.split('/').at(-1),
        ]),
      ),
    })),
  );
}

/** Any value that the schema accepts. */
export function validValue(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(validValue));
  const { minimum: min, maximum: max } = schema;
  const bounds = { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
  switch (schema.type) {
    case 'integer':
      return fc.oneof(
        fc.integer({ min: min ?? 0, max: Math.min(max ?? 50, (min ?? 0) + 20) }),
        fc.constantFrom(min ?? 0, max ?? Number.MAX_SAFE_INTEGER),
      );
    case 'number':
      return fc.double({ ...bounds, noNaN: true, noDefaultInfinity: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.uniqueArray(validValue(schema.items ?? {}), { minLength: schema.minItems ?? 1, maxLength: 4 });
    case 'object':
      return validObject(schema);
    default:
      return schema.type === 'string' || schema.type === undefined
        ? fc.string({ maxLength: Math.min(schema.maxLength ?? 20, 20) })
        : anyJson();
  }
}

function validObject({ properties = {}, required = [] }: Schema): fc.Arbitrary<unknown> {
  const model = Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, validValue(one)]));
  return fc.record(model, { requiredKeys: required });
}

/** Values at the edge of the schema: next to its bounds, and variants of its enum values. */
function nearValue(schema: Schema): fc.Arbitrary<unknown> {
  const { minimum, maximum } = schema;
  const nearBounds = [minimum, maximum].flatMap((bound) =>
    bound === undefined ? [] : [bound - 1, bound, bound + 1, bound + 0.5],
  );
  const words = (schema.enum ?? schema.items?.enum ?? []).map(String);
  return fc.oneof(
    fc.constantFrom<unknown>(...nearBounds, 0, -1, 1.5, '', ' ', null, '2026-02-30', '2026-11-20T12:00:00+00:00'),
    ...(words.length === 0
      ? []
      : [
          fc.constantFrom(
            ...words.flatMap((word) => [word.toUpperCase(), ` ${word}`, `${word},`, `${word}\u0000`, `,${word},,`]),
          ),
        ]),
  );
}

/** A value for a parameter: valid, nearly valid, or any text. */
export const valueFor = (schema: Schema, known: readonly string[] = []): fc.Arbitrary<unknown> =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: known.length > 0 ? fc.oneof(fc.constantFrom(...known), validValue(schema)) : validValue(schema),
    },
    { weight: 2, arbitrary: nearValue(schema) },
    { weight: 2, arbitrary: anyText },
    { weight: 1, arbitrary: longText },
  );

const toParameterText = (value: unknown): string => (Array.isArray(value) ? value.join(',') : String(value));

/** A query string of known and unknown parameters, some of them repeated. */
export function queryFor(
  parameters: readonly Parameter[],
  known: Readonly<Record<string, readonly string[]>>,
): fc.Arbitrary<string> {
  const pairs = parameters
    .filter((one) => one.in === 'query')
    .map(({ name, schema }) =>
      inUrl(valueFor(schema, known[name]).map(toParameterText)).map((value) => `${name}=${value}`),
    );
  const unknownPair = fc.tuple(inUrl(anyText), inUrl(anyText)).map(([name, value]) => `${name}=${value}`);
  const pair =
    pairs.length > 0
      ? fc.oneof({ weight: 6, arbitrary: fc.oneof(...pairs) }, { weight: 1, arbitrary: unknownPair })
      : unknownPair;
  const singlePairs = parameters
    .filter((one) => one.in === 'query')
    .map(({ name }) => inUrl(anyText).map((value) => `${name}=${value}`));
  return fc.oneof(
    // Only one invalid parameter: a second one could hide the effect of the first.
    ...(singlePairs.length > 0 ? [{ weight: 5, arbitrary: fc.oneof(...singlePairs) }] : []),
    { weight: 8, arbitrary: fc.array(pair, { maxLength: 4 }).map((all) => all.join('&')) },
    { weight: 1, arbitrary: fc.array(pair, { maxLength: 40 }).map((all) => all.join('&')) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '&',
        '=',
        '?',
        '%',
        '&&==&',
        'limit',
        '%6cimit=1',
        'limit=1&limit=2',
        'limit[]=1',
        'limit=1;page=2',
      ),
    },
  );
}

/** The path with values for its parameters: existing ids, unknown ids, and any text. */
export function pathFor(
  { path, parameters }: Operation,
  known: Readonly<Record<string, readonly string[]>>,
): fc.Arbitrary<string> {
  const parts = path.split('/').map((part) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined) return fc.constant(part);
    const schema = parameters.find((one) => one.in === 'path' && one.name === name)?.schema ?? {};
    return inUrl(valueFor(schema, known[name]).map(toParameterText));
  });
  return fc.tuple(...parts).map((all) => all.join('/'));
}

/**
 * The bytes of a body: valid for the schema, with an invalid field, with other fields, any JSON, or
 * no JSON.
 */
export function bodyFor(schema: Schema | undefined): fc.Arbitrary<Buffer> {
  const asJson = (value: unknown) => Buffer.from(JSON.stringify(value) ?? '');
  const properties = schema?.properties ?? {};
  const otherFields = fc
    .dictionary(
      fc.oneof(fc.constantFrom('url', 'events', '__proto__', ...Object.keys(properties)), anyText),
      anyJson(),
      { maxKeys: 5 },
    )
    .map(asJson);
  const oneInvalidField = fc
    .tuple(validValue(schema ?? {}), fc.constantFrom('x', ...Object.keys(properties)), anyJson())
    .map(([value, name, replacement]) => asJson({ ...(value as object), [name]: replacement }));
  return fc.oneof(
    { weight: 3, arbitrary: validValue(schema ?? {}).map(asJson) },
    { weight: 3, arbitrary: oneInvalidField },
    { weight: 2, arbitrary: otherFields },
    { weight: 2, arbitrary: anyJson(5).map(asJson) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(
          ...[
            '',
            ' ',
            '{',
            '{"a":',
            '[1,]',
            '\ufeff{}',
            '{"a":1}{"b":2}',
            'a=1&b=2',
            '<x/>',
            '"\\ud800"',
            '{"reason":"\\u0000"}',
            '1e999',
            '-',
          ],
          '['.repeat(40) + ']'.repeat(40),
          '{"a":'.repeat(30_000),
          `{"reason":"${'x'.repeat(66_000)}"}`,
          `{"detail":"${'😀'.repeat(10_001)}"}`,
        )
        .map((text) => Buffer.from(text)),
    },
  );
}
