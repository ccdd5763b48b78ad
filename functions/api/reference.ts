import type { Route } from './app_types.ts';
import type { Held } from './cache.ts';
import { crc32 } from './http/keys.ts';

/** The bytes of /openapi.json, made at the first request for them and kept: an isolate that is never asked does not even load what they are made of. */
export function referenceOf(routes: readonly Route[], platform: string | undefined): () => Promise<Held> {
  let made: Promise<Held> | undefined;
  return () => {
    // One that failed is not kept: the next caller tries again.
    made ??= make(routes, platform).catch((error) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

async function make(routes: readonly Route[], platform: string | undefined): Promise<Held> {
  const { documentOf } = await import('./contract/document.ts');
  const text = JSON.stringify(await documentOf(routes, platform));
  const body = new TextEncoder().encode(text);
  // In the shape of every other version, so that If-None-Match is read in one way.
  return { version: `${body.byteLength}.${crc32(text)}`, body, zipped: undefined };
}
