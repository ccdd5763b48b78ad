import { z } from 'zod';
import type { Route } from '../app_types.ts';
import type { ErrorCode } from '../http/errors.ts';
import { day, marketId } from '../http/parameters.ts';
import { examples } from './examples.ts';
import { type HeaderName, headerRefs } from './headers.ts';
import { bodySchema, type ParameterSchema, parametersOf, schemaRefOf } from './json_schema.ts';
import { PARAMETER_DOCS } from './parameter_docs.ts';
import { errorResponses, validationErrorResponse } from './responses.ts';
import type { RouteDocs } from './route_docs.ts';
import { responseSchemas } from './schemas.ts';

const pathSchemas: Readonly<Record<string, z.ZodType>> = {
  market_id: marketId,
  id: z.guid(),
  delivery_id: z.guid(),
  day,
};

const ADMISSION_ERRORS: readonly ErrorCode[] = [
  ...(['auth.missing_key', 'auth.malformed_key', 'auth.revoked_key', 'auth.expired_key', 'billing.inactive'] as const),
  ...(['rate.window', 'rate.quota', 'admission.full', 'database.unavailable'] as const),
];

/**
 * Errors of admission. Only routes with market data reject a request when the monthly quota is
 * used.
 */
function admissionErrorsOf(route: Route, docs: RouteDocs): readonly ErrorCode[] {
  if (route.isPublic) return [];
  return docs.isSnapshot ? ADMISSION_ERRORS : ADMISSION_ERRORS.filter((code) => code !== 'rate.quota');
}

/** The path in the form of OpenAPI: `/v2/pairs/{market_id}`. */
export const pathOf = (route: Route): string => route.path.replaceAll(/:(\w+)/g, '{$1}');

export const exampleKey = (route: Route): string => `${route.method} ${pathOf(route)}`;

/** Builds the OpenAPI operation of a route. */
export async function buildOperation(route: Route, docs: RouteDocs): Promise<object> {
  const parameters = [...pathParametersOf(route), ...queryParametersOf(route)];
  const example = examples[exampleKey(route)];
  const body = route.body ? bodySchema(route.body) : docs.body;
  return {
    operationId: docs.id,
    tags: [docs.tag],
    summary: docs.summary,
    description: docs.description,
    ...(docs.isDeprecated ? { deprecated: true } : {}),
    ...(route.isPublic ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: { required: true, content: { 'application/json': { schema: body } } } } : {}),
    responses: {
      ...buildResponses(route, docs),
      ...(docs.isSnapshot ? { 304: notModifiedResponse([...RATE_HEADERS, ...SNAPSHOT_HEADERS]) } : {}),
      ...(docs.isCached ? { 304: notModifiedResponse(cacheHeadersOf(docs)) } : {}),
      ...(await errorResponses([...admissionErrorsOf(route, docs), ...(docs.errors ?? [])])),
      ...(parameters.length > 0 || route.body
        ? { 422: validationErrorResponse(route.isPublic ? [] : RATE_HEADERS) }
        : {}),
    },
    ...(example
      ? {
          'x-example-request': {
            path: example.request,
            ...(docs.accept ? { headers: { Accept: docs.accept } } : {}),
            ...(example.body ? { body: example.body } : {}),
          },
        }
      : {}),
  };
}

function pathParametersOf(route: Route): object[] {
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const shape = Object.fromEntries(names.map((name) => [name, pathSchemas[name] ?? z.string()]));
  return parametersOf(z.object(shape)).map((parameter) => buildParameter('path', parameter));
}

function queryParametersOf(route: Route): object[] {
  return route.query ? parametersOf(route.query).map((parameter) => buildParameter('query', parameter)) : [];
}

function buildParameter(where: 'path' | 'query', parameter: ParameterSchema): object {
  const { name, required, description, deprecated, schema } = parameter;
  return {
    name,
    in: where,
    required: where === 'path' || required,
    description: description ?? PARAMETER_DOCS[name] ?? '',
    ...(deprecated ? { deprecated } : {}),
    // The API accepts comma-separated and repeated lists. Generated clients write commas.
    ...(schema.type === 'array' ? { style: 'form', explode: false } : {}),
    schema,
  };
}

const COMMON_HEADERS: readonly HeaderName[] = ['X-Request-Id'];
const RATE_HEADERS: readonly HeaderName[] = ['RateLimit', 'RateLimit-Policy'];
const DEPRECATION_HEADERS: readonly HeaderName[] = ['Deprecation', 'Link'];
const CACHE_HEADERS: readonly HeaderName[] = ['ETag', 'Cache-Control', 'Vary'];
const SNAPSHOT_HEADERS: readonly HeaderName[] = [...CACHE_HEADERS, 'X-As-Of'];
const cacheHeadersOf = (docs: RouteDocs): readonly HeaderName[] => (docs.hasAsOf ? SNAPSHOT_HEADERS : CACHE_HEADERS);

function buildResponses(route: Route, docs: RouteDocs): Record<string, object> {
  const sent = [
    ...COMMON_HEADERS,
    ...(route.isPublic ? [] : RATE_HEADERS),
    ...(docs.isSnapshot ? SNAPSHOT_HEADERS : []),
    ...(docs.isCached ? cacheHeadersOf(docs) : []),
    ...(docs.isDeprecated ? DEPRECATION_HEADERS : []),
  ];
  const example = examples[exampleKey(route)];
  const entries = Object.entries(docs.responses).map(([status, name], index) => {
    const schema = name ? responseSchemas[name] : undefined;
    const description = schema?.meta()?.description ?? 'See the description.';
    const media = {
      schema: schema ? schemaRefOf(schema) : {},
      ...(example && (schema || index === 0) ? { example: example.answer } : {}),
    };
    const content = status === '204' ? {} : { content: { 'application/json': media } };
    return [status, { description, headers: headerRefs(sent), ...content }] as const;
  });
  return Object.fromEntries(entries);
}

const notModifiedResponse = (sent: readonly HeaderName[]) => ({
  description: 'The version in `If-None-Match` is current.',
  headers: headerRefs([...COMMON_HEADERS, ...sent]),
});
