import { LRUCache } from 'lru-cache';
import { unavailable } from './http/errors.ts';

/** The organizations of these keys. Unknown and revoked keys are not in the result. */
type FindOrgs = (keyHashes: readonly string[]) => Promise<ReadonlyMap<string, string>>;

type Lookup = {
  promise: Promise<string | undefined>;
  resolve(orgId: string | undefined): void;
  reject(error: unknown): void;
};

const MAX_KNOWN = 10_000;
const MAX_UNKNOWN = 5_000;
/** A key that is minted while its hash is held as unknown is refused for at most this long. */
const UNKNOWN_MS = 3_000;
const MAX_PENDING = 1_000;
const LOOKUP_INTERVAL_MS = 20;

/**
 * The organizations of the keys that this isolate has met. They decide which share of the gate a
 * request uses, and that an unknown key is refused without a query. They never admit: the database
 * admits each request, so a revoked key stops at its next one.
 *
 * Keys that were not met yet are looked up together, by one query at a time and at most one in
 * 20 ms. So callers with random keys take no place of a customer, however many they are, and the
 * first request of a customer waits for one short query.
 */
export class KeyOrgs {
  readonly #find: FindOrgs;
  readonly #known = new LRUCache<string, string>({ max: MAX_KNOWN });
  readonly #unknown = new LRUCache<string, true>({ max: MAX_UNKNOWN, ttl: UNKNOWN_MS });
  readonly #pending = new Map<string, Lookup>();
  /** Keys in `#pending` that no query has asked for yet. */
  #unsent: string[] = [];
  #isLookingUp = false;
  #nextLookupAt = 0;

  constructor(find: FindOrgs) {
    this.#find = find;
  }

  /**
   * The organization of a key; undefined where the key is unknown or revoked. Throws the error of
   * the query, and ApiError 503 `admission.full` while 1,000 keys wait for one.
   */
  async orgOf(keyHash: string): Promise<string | undefined> {
    const orgId = this.#known.get(keyHash);
    if (orgId !== undefined || this.#unknown.has(keyHash)) return orgId;
    const pending = this.#pending.get(keyHash);
    if (pending) return await pending.promise;
    if (this.#pending.size >= MAX_PENDING) throw unavailable('admission.full', 1);
    const lookup = createLookup();
    this.#pending.set(keyHash, lookup);
    this.#unsent.push(keyHash);
    if (!this.#isLookingUp) void this.#lookUp();
    return await lookup.promise;
  }

  /** The database answered that the key is unknown or revoked. */
  setUnknown(keyHash: string): void {
    this.#known.delete(keyHash);
    this.#unknown.set(keyHash, true);
  }

  async #lookUp(): Promise<void> {
    this.#isLookingUp = true;
    while (this.#unsent.length > 0) {
      const waitMs = this.#nextLookupAt - performance.now();
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      this.#nextLookupAt = performance.now() + LOOKUP_INTERVAL_MS;
      const sent = this.#unsent;
      this.#unsent = [];
      try {
        const found = await this.#find(sent);
        for (const keyHash of sent) this.#settle(keyHash, found.get(keyHash));
      } catch (error) {
        for (const keyHash of sent) this.#take(keyHash)?.reject(error);
      }
    }
    this.#isLookingUp = false;
  }

  #settle(keyHash: string, orgId: string | undefined): void {
    if (orgId === undefined) this.setUnknown(keyHash);
    else this.#known.set(keyHash, orgId);
    this.#take(keyHash)?.resolve(orgId);
  }

  #take(keyHash: string): Lookup | undefined {
    const lookup = this.#pending.get(keyHash);
    this.#pending.delete(keyHash);
    return lookup;
  }
}

function createLookup(): Lookup {
  let resolve: Lookup['resolve'] = () => {};
  let reject: Lookup['reject'] = () => {};
  const promise = new Promise<string | undefined>((onFound, onError) => {
    resolve = onFound;
    reject = onError;
  });
  return { promise, resolve, reject };
}
