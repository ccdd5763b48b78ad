import { LRUCache } from 'lru-cache';
import { gzip } from './http/gzip.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** Until when a cached body is current without a call, by a clock that never steps. */
export type Confirmation = {
  /** X-As-Of. */
  asOf: string;
  until: number;
  /** When the next step of the snapshot begins. */
  stepEndsAt: number;
};

/** One response body at one version. */
export type CachedBody = {
  version: string;
  body: Bytes;
  /** Set by the first request that accepts gzip. */
  gzipped: Promise<Bytes> | undefined;
  /** The bytes of `gzipped`, when they are there. */
  gzippedBytes?: Bytes;
  /** Until when it may be sent without a call, for a request lease. */
  confirmation?: Confirmation;
};

const MAX_BYTES = 48 * 1024 * 1024;

/**
 * Response bodies that this isolate can send again. The key is the route with its parameters,
 * without the organization: a data route answers every caller alike, so no data of one organization
 * can reach another. Admission is not cached: each request asks the database, which also returns
 * whether the cached version is current, or is counted in a request lease (leases/). A route whose
 * response depends on the caller (account, webhooks) must never use this cache.
 */
export class ResponseCache {
  readonly #bodies = new LRUCache<string, CachedBody>({
    maxSize: MAX_BYTES,
    // Counts the body twice: its gzip is added later and is never larger than the body.
    sizeCalculation: (cached) => cached.body.byteLength * 2 + 200,
    maxEntrySize: MAX_BYTES / 4,
  });

  get(key: string): CachedBody | undefined {
    return this.#bodies.get(key);
  }

  put(key: string, version: string, text: string): CachedBody {
    const cached: CachedBody = { version, body: new TextEncoder().encode(text), gzipped: undefined };
    this.#bodies.set(key, cached);
    return cached;
  }
}

export function gzipBody(cached: CachedBody): Promise<Bytes> {
  cached.gzipped ??= gzip(cached.body).then((bytes) => {
    cached.gzippedBytes = bytes;
    return bytes;
  });
  return cached.gzipped;
}
