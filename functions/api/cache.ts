import { LRUCache } from 'lru-cache';
import { gzip } from './http/gzip.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** The bytes of one answer at one version, and gzipped once somebody asked for that. */
export type Held = { version: string; body: Bytes; zipped: Promise<Bytes> | undefined };

const mostBytes = 48 * 1024 * 1024;

/**
 * The bodies that this isolate can send again. Its key is the route with its parameters and no organization: what a data route
 * answers is the same for every caller, so nothing of one organization can reach another through it. Admission is not cached: each
 * request asks the database, which says whether the version held here is still the one to send. A route whose answer depends on
 * who asks (an account, webhooks) must never use it.
 */
export class AnswerCache {
  readonly #held = new LRUCache<string, Held>({
    maxSize: mostBytes,
    // Twice: the gzip of a body is never larger than it, and comes later.
    sizeCalculation: (held) => held.body.byteLength * 2 + 200,
    maxEntrySize: mostBytes / 4,
  });

  get(key: string): Held | undefined {
    return this.#held.get(key);
  }

  put(key: string, version: string, text: string): Held {
    const held: Held = { version, body: new TextEncoder().encode(text), zipped: undefined };
    this.#held.set(key, held);
    return held;
  }
}

export function zippedOf(held: Held): Promise<Bytes> {
  held.zipped ??= gzip(held.body);
  return held.zipped;
}
