import type { Context } from 'hono';
import type { AppEnv } from './app_types.ts';
import { type CachedBody, gzipBody } from './cache.ts';
import { ANY_VERSION } from './database.ts';
import { etagOf, parseIfNoneMatch } from './etag.ts';
import { acceptsGzip } from './http/gzip.ts';

/**
 * Answers a route without a key, whose response is the same for every caller: with ETag, 304 and
 * gzip. `cacheControl` allows any cache to keep it.
 */
export async function respondPublic(
  c: Context<AppEnv>,
  cached: CachedBody,
  cacheControl: `public, max-age=${string}`,
  more: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const wantsGzip = acceptsGzip(c.req.header('Accept-Encoding'));
  const headers = new Headers({
    ...more,
    'Cache-Control': cacheControl,
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
}
