import { crc32 } from '../_shared/checksum.ts';
import type { Route } from './app_types.ts';
import type { CachedBody } from './cache.ts';

/**
 * Builds the bytes of /openapi.json at the first request and caches them. An isolate without such a
 * request does not load the modules of the document.
 */
export function cachedOpenApi(routes: readonly Route[], platform: string | undefined): () => Promise<CachedBody> {
  let built: Promise<CachedBody> | undefined;
  return () => {
    // A failed build is not cached: the next request builds again.
    built ??= buildOpenApi(routes, platform).catch((error) => {
      built = undefined;
      throw error;
    });
    return built;
  };
}

async function buildOpenApi(routes: readonly Route[], platform: string | undefined): Promise<CachedBody> {
  const { buildDocument } = await import('./contract/document.ts');
  const text = JSON.stringify(await buildDocument(routes, platform));
  const body = new TextEncoder().encode(text);
  // In the form of every other version, so that one parser reads If-None-Match.
  return { version: `${body.byteLength}.${crc32(text)}`, body, gzipped: undefined };
}
