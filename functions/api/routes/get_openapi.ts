import type { Route } from '../app_types.ts';
import { gzipBody } from '../cache.ts';
import { openapiDocs } from '../contract/docs.ts';
import { ANY_VERSION } from '../database.ts';
import { etagOf, parseIfNoneMatch } from '../etag.ts';
import { acceptsGzip } from '../http/gzip.ts';

/** The OpenAPI 3.1 document, built once per isolate from the validating schemas. Needs no key. */
export const getOpenapi: Route = {
  method: 'GET',
  path: '/openapi.json',
  isPublic: true,
  docs: openapiDocs,
  async handle(c) {
    const cached = await c.var.services.openApiBytes();
    const wantsGzip = acceptsGzip(c.req.header('Accept-Encoding'));
    const headers = new Headers({
      // Five minutes: the document changes with a deploy only, and the ETag makes a new request
      // cheap.
      'Cache-Control': 'public, max-age=300',
      ETag: etagOf(cached.version, wantsGzip),
      Vary: 'Accept-Encoding',
    });
    const clientVersions = parseIfNoneMatch(c.req.header('If-None-Match'));
    if (clientVersions.includes(cached.version) || clientVersions.includes(ANY_VERSION)) {
      return new Response(null, { status: 304, headers });
    }
    headers.set('Content-Type', 'application/json; charset=utf-8');
    if (wantsGzip) headers.set('Content-Encoding', 'gzip');
    return new Response(wantsGzip ? await gzipBody(cached) : cached.body, { status: 200, headers });
  },
};
