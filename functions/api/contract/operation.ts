import { z } from 'zod';
import type { Route } from '../app_types.ts';
import type { ErrorCode } from '../http/errors.ts';
import { marketId } from '../http/parameters.ts';
import { examples } from './examples.ts';
import { type HeaderName, headerReferences } from './headers.ts';
import { bodySchema, type ParameterSchema, parametersOf, referenceTo } from './json_schema.ts';
import { parameterWords } from './parameter_docs.ts';
import { errorResponses, validationResponseOf } from './responses.ts';
import type { About } from './route_docs.ts';
import { answerSchemas } from './schemas.ts';

const pathParameters: Readonly<Record<string, z.ZodType>> = { market_id: marketId, id: z.guid() };

const admission: readonly ErrorCode[] = [
  ...(['auth.missing_key', 'auth.malformed_key', 'auth.revoked_key', 'billing.inactive'] as const),
  ...(['rate.window', 'rate.quota', 'admission.full', 'database.unavailable'] as const),
];

/** What admission may answer: only what carries data of the markets is refused when the month is used up. */
function admissionOf(route: Route, about: About): readonly ErrorCode[] {
  if (route.open) return [];
  return about.snapshot ? admission : admission.filter((code) => code !== 'rate.quota');
}

/** `/v2/pairs/:market_id` as OpenAPI writes it. */
export const pathOf = (route: Route): string => route.path.replaceAll(/:(\w+)/g, '{$1}');

export const exampleKey = (route: Route): string => `${route.method} ${pathOf(route)}`;

/** One route as an OpenAPI operation. */
export async function operationOf(route: Route, about: About): Promise<object> {
  const parameters = [...inPath(route), ...inQuery(route)];
  const example = examples[exampleKey(route)];
  return {
    operationId: about.id,
    tags: [about.tag],
    summary: about.summary,
    description: about.description,
    ...(about.deprecated ? { deprecated: true } : {}),
    ...(route.open ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body ? { requestBody: bodyOf(route.body) } : {}),
    responses: {
      ...answersOf(route, about),
      ...(about.snapshot ? { 304: unchanged } : {}),
      ...(await errorResponses([...admissionOf(route, about), ...(about.errors ?? [])])),
      ...(parameters.length > 0 || route.body ? { 422: validationResponseOf() } : {}),
    },
    ...(example
      ? { 'x-example-request': { path: example.request, ...(example.body ? { body: example.body } : {}) } }
      : {}),
  };
}

function inPath(route: Route): object[] {
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const shape = Object.fromEntries(names.map((name) => [name, pathParameters[name] ?? z.string()]));
  return parametersOf(z.object(shape)).map((parameter) => parameterOf('path', parameter));
}

function inQuery(route: Route): object[] {
  return route.query ? parametersOf(route.query).map((parameter) => parameterOf('query', parameter)) : [];
}

function parameterOf(where: 'path' | 'query', parameter: ParameterSchema): object {
  const { name, required, description, deprecated, schema } = parameter;
  return {
    name,
    in: where,
    required: where === 'path' || required,
    description: description ?? parameterWords[name] ?? '',
    ...(deprecated ? { deprecated } : {}),
    // A list is taken comma-separated and repeated; a client that follows this writes the former.
    ...(schema.type === 'array' ? { style: 'form', explode: false } : {}),
    schema,
  };
}

function bodyOf(body: z.ZodType): object {
  return { required: true, content: { 'application/json': { schema: bodySchema(body) } } };
}

const onEveryAnswer: readonly HeaderName[] = ['X-Request-Id'];
const onAdmitted: readonly HeaderName[] = ['RateLimit', 'RateLimit-Policy'];
const onDeprecated: readonly HeaderName[] = ['Deprecation', 'Link'];
const onSnapshot: readonly HeaderName[] = ['ETag', 'Cache-Control', 'Vary', 'X-As-Of'];

function answersOf(route: Route, about: About): Record<string, object> {
  const sent = [
    ...onEveryAnswer,
    ...(route.open ? [] : onAdmitted),
    ...(about.snapshot ? onSnapshot : []),
    ...(about.deprecated ? onDeprecated : []),
  ];
  const example = examples[exampleKey(route)];
  const entries = Object.entries(about.answers).map(([status, name]) => {
    const schema = name ? answerSchemas[name] : undefined;
    const described = schema?.meta()?.description ?? 'As described.';
    const media = schema
      ? { schema: referenceTo(schema), ...(example ? { example: example.answer } : {}) }
      : { schema: {} };
    const content = status === '204' ? {} : { content: { 'application/json': media } };
    return [status, { description: described, headers: headerReferences(sent), ...content }] as const;
  });
  return Object.fromEntries(entries);
}

const unchanged = {
  description: 'What you hold (`If-None-Match`) is current.',
  headers: headerReferences([...onEveryAnswer, ...onAdmitted, ...onSnapshot]),
};
