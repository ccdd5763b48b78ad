import { crc32 } from '../_shared/http/keys.ts';
import type { Held } from './cache.ts';
import { documentOf } from './contract/document.ts';
import type { Route } from './environment.ts';

/** The bytes of /openapi.json, made at the first request for them and kept: an isolate that is never asked spends nothing on it. */
export function referenceOf(routes: readonly Route[], platform: string | undefined): () => Promise<Held> {
  let made: Promise<Held> | undefined;
  return () => {
    made ??= make(routes, platform);
    return made;
  };
}

async function make(routes: readonly Route[], platform: string | undefined): Promise<Held> {
  const text = JSON.stringify(await documentOf(routes, platform));
  const body = new TextEncoder().encode(text);
  // In the shape of every other version, so that If-None-Match is read in one way.
  return { version: `${body.byteLength}.${crc32(text)}`, body, zipped: undefined };
}
