import { LRUCache } from 'lru-cache';
import { gzip } from './http/gzip.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** The bytes of one answer at one version, and gzipped once somebody asked for that. */
export type CachedBody = { version: string; body: Bytes; zipped: Promise<Bytes> | undefined };

const MAX_BYTES = 48 * 1024 * 1024;

/**
 * The bodies that this isolate can send again. Its key is the route with its parameters and no organization: what a data route
 * answers is the same for every caller, so nothing of one organization can reach another through it. Admission is not cached: each
 * request asks the database, which says whether the version held here is still the one to send. A route whose answer depends on
 * who asks (an account, webhooks) must never use it.
 */
export class ResponseCache {
  readonly #bodies = new LRUCache<string, CachedBody>({
    maxSize: MAX_BYTES,
    // Twice: the gzip of a body is never larger than it, and comes later.
    sizeCalculation: (held) => held.body.byteLength * 2 + 200,
    maxEntrySize: MAX_BYTES / 4,
  });

  get(key: string): CachedBody | undefined {
    return this.#bodies.get(key);
  }

  put(key: string, version: string, text: string): CachedBody {
    const held: CachedBody = { version, body: new TextEncoder().encode(text), zipped: undefined };
    this.#bodies.set(key, held);
    return held;
  }
}

export function gzipBody(held: CachedBody): Promise<Bytes> {
  held.zipped ??= gzip(held.body);
  return held.zipped;
}
