import type { Route } from '../app_types.ts';
import { gzipBody } from '../cache.ts';
import { openapiDocs } from '../contract/docs.ts';
import { ANY_VERSION } from '../database.ts';
import { etagOf, parseIfNoneMatch } from '../etag.ts';
import { acceptsGzip } from '../http/gzip.ts';

/** The API as an OpenAPI 3.1 document, made of the schemas that validate, once an isolate. Needs no key. */
export const getOpenapi: Route = {
  method: 'GET',
  path: '/openapi.json',
  isPublic: true,
  docs: openapiDocs,
  async handle(c) {
    const held = await c.var.services.openApiBytes();
    const zipping = acceptsGzip(c.req.header('Accept-Encoding'));
    const headers = new Headers({
      // Minutes: it changes with a deploy, and asking again costs an ETag.
      'Cache-Control': 'public, max-age=300',
      ETag: etagOf(held.version, zipping),
      Vary: 'Accept-Encoding',
    });
    const seen = parseIfNoneMatch(c.req.header('If-None-Match'));
    if (seen.includes(held.version) || seen.includes(ANY_VERSION)) {
      return new Response(null, { status: 304, headers });
    }
    headers.set('Content-Type', 'application/json; charset=utf-8');
    if (zipping) headers.set('Content-Encoding', 'gzip');
    return new Response(zipping ? await gzipBody(held) : held.body, { status: 200, headers });
  },
};
