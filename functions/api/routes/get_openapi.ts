import type { Route } from '../app_types.ts';
import { zippedOf } from '../cache.ts';
import { aboutOpenapi } from '../contract/docs.ts';
import { anyVersion } from '../database.ts';
import { etagOf, versionsIn } from '../etag.ts';
import { acceptsGzip } from '../http/gzip.ts';

/** The API as an OpenAPI 3.1 document, made of the schemas that validate, once an isolate. Needs no key. */
export const getOpenapi: Route = {
  method: 'GET',
  path: '/openapi.json',
  open: true,
  about: aboutOpenapi,
  async handle(c) {
    const held = await c.var.services.document();
    const zipping = acceptsGzip(c.req.header('Accept-Encoding'));
    const headers = new Headers({
      // Minutes: it changes with a deploy, and asking again costs an ETag.
      'Cache-Control': 'public, max-age=300',
      ETag: etagOf(held.version, zipping),
      Vary: 'Accept-Encoding',
    });
    const seen = versionsIn(c.req.header('If-None-Match'));
    if (seen.includes(held.version) || seen.includes(anyVersion)) {
      return new Response(null, { status: 304, headers });
    }
    headers.set('Content-Type', 'application/json; charset=utf-8');
    if (zipping) headers.set('Content-Encoding', 'gzip');
    return new Response(zipping ? await zippedOf(held) : held.body, { status: 200, headers });
  },
};
