import type { Route } from './app_types.ts';
import type { CachedBody } from './cache.ts';
import { crc32 } from './http/keys.ts';

/** The bytes of /openapi.json, made at the first request for them and kept: an isolate that is never asked does not even load what they are made of. */
export function cachedOpenApi(routes: readonly Route[], platform: string | undefined): () => Promise<CachedBody> {
  let made: Promise<CachedBody> | undefined;
  return () => {
    // One that failed is not kept: the next caller tries again.
    made ??= buildOpenApi(routes, platform).catch((error) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

async function buildOpenApi(routes: readonly Route[], platform: string | undefined): Promise<CachedBody> {
  const { buildDocument } = await import('./contract/document.ts');
  const text = JSON.stringify(await buildDocument(routes, platform));
  const body = new TextEncoder().encode(text);
  // In the shape of every other version, so that If-None-Match is read in one way.
  return { version: `${body.byteLength}.${crc32(text)}`, body, zipped: undefined };
}
