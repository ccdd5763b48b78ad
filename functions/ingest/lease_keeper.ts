import { HANDOVER_MS } from './cpu_budget.ts';
import type { IngestQueries } from './database.ts';

const LEASE_SECONDS = 10;

export type LeaseKeeperOptions = {
  queries: IngestQueries;
  /** When the worker plans to stop, real epoch ms. Null for never. */
  endsAt: number | null;
  /**
   * Whether the worker announces its end, so that a successor is called. Only a limited worker
   * does.
   */
  announces: boolean;
};

/**
 * The leases of one worker: held ones with their fencing tokens, and shards that it warms up. The
 * keeper also knows when the worker ends, because the database passes that time on to successors.
 */
export class LeaseKeeper {
  readonly holder = crypto.randomUUID();
  readonly #queries: IngestQueries;
  readonly #announces: boolean;
  readonly #runsForever: boolean;
  readonly #held = new Map<string, string>();
  /**
   * Shards that it reads before it takes them over, from a holder that is about to end or that has
   * too many, and since when (real ms).
   */
  readonly #warming = new Map<string, number>();
  /** The warming shards whose holder ends. */
  readonly #ending = new Set<string>();
  #endsAt: number | null;
  #endsEarly = false;
  #hasHeld = false;
  #idleSince: number | null = null;

  constructor({ queries, endsAt, announces }: LeaseKeeperOptions) {
    this.#queries = queries;
    this.#endsAt = endsAt;
    this.#announces = announces;
    this.#runsForever = endsAt === null;
  }

  get names(): string[] {
    return [...this.#held.keys()].sort();
  }

  get warming(): ReadonlyMap<string, number> {
    return this.#warming;
  }

  /** When the worker stops by itself, real epoch ms. Infinity for never. */
  get endsAt(): number {
    return this.#endsAt ?? Number.POSITIVE_INFINITY;
  }

  /** Whether `endBy` made the end earlier than planned. */
  get endsEarly(): boolean {
    return this.#endsEarly;
  }

  get holdsAny(): boolean {
    return this.#held.size > 0;
  }

  /** The worker held leases and has none left: other workers have its work now. */
  get hasLostAll(): boolean {
    return this.#hasHeld && this.#held.size + this.#warming.size === 0;
  }

  holds(name: string): boolean {
    return this.#held.has(name);
  }

  heldCount(prefix: string): number {
    return countOf(this.#held, prefix);
  }

  /**
   * Whether the holder of a warming shard ends, so that another worker must take it over. Any other
   * holder reads on.
   */
  isEnding(name: string): boolean {
    return this.#ending.has(name);
  }

  /** Number of warming leases. `takeOver` ends each warm-up, successful or not. */
  warmingCount(prefix: string): number {
    return countOf(this.#warming, prefix);
  }

  /** Names of the leases that it holds or warms up. */
  namesToRead(prefix: string): string[] {
    const names = new Set([...this.#held.keys(), ...this.#warming.keys()]);
    return [...names].filter((name) => name.startsWith(prefix)).sort();
  }

  tokens(prefix = ''): Record<string, string> {
    return Object.fromEntries([...this.#held].filter(([name]) => name.startsWith(prefix)));
  }

  /**
   * Claims free leases, up to `limit` in all, and warms up shards that others hand over. Returns
   * the names that are newly held.
   */
  async claim(prefix: string, limit: number, now: number): Promise<string[]> {
    const free = limit - this.heldCount(prefix) - this.warmingCount(prefix);
    if (free <= 0) return [];
    const leases = await this.#queries.claimLeases(this.holder, prefix, free, LEASE_SECONDS, this.#endDate);
    const claimed: string[] = [];
    const warm = new Set<string>();
    for (const { name, token, warm: isWarm, ends } of leases) {
      if (isWarm) {
        warm.add(name);
        if (!this.#warming.has(name)) this.#warming.set(name, now);
        if (ends) this.#ending.add(name);
        else this.#ending.delete(name);
      } else {
        this.#hold(name, token);
        claimed.push(name);
      }
    }
    // Another worker has claimed the others, or their holder goes on, or has too many no longer.
    for (const name of [...this.#warming.keys()])
      if (name.startsWith(prefix) && !warm.has(name)) this.#stopWarming(name);
    return claimed;
  }

  /** Takes a warm shard over from its holder. Returns false when another worker has it. */
  async takeOver(name: string): Promise<boolean> {
    const token = await this.#queries.takeOverLease(this.holder, name, LEASE_SECONDS, this.#endDate);
    this.#stopWarming(name);
    if (token === null) return false;
    this.#hold(name, token);
    return true;
  }

  /** Renews the held leases. Returns the names that were lost. */
  async renew(): Promise<string[]> {
    if (this.#held.size === 0) return [];
    const tokens = this.tokens();
    const held = await this.#queries.renewLeases(this.holder, tokens, LEASE_SECONDS);
    return this.forgetLost(tokens, held);
  }

  /**
   * Removes the leases that a write did not confirm: it was sent with `tokens` and accepted for
   * `held` only. Returns the names that were lost.
   */
  forgetLost(tokens: Readonly<Record<string, string>>, held: readonly string[]): string[] {
    const kept = new Set(held);
    // A lease that was lost and claimed again has another token. It was not part of the write.
    const isLost = (name: string) => name in tokens && tokens[name] === this.#held.get(name) && !kept.has(name);
    const lost = this.names.filter(isLost);
    for (const name of lost) this.#held.delete(name);
    return lost;
  }

  /** Moves the end to `endsAt`, earlier than planned. */
  endBy(endsAt: number): void {
    this.#endsAt = endsAt;
    this.#endsEarly = true;
  }

  /**
   * Announces the end of this worker to the database: others may warm up, and the database calls a
   * successor. The worker repeats the announcement until a successor has claimed the leases,
   * because the next call of pg_cron may be too late and several workers may end at once.
   */
  async announceHandover(now: number): Promise<void> {
    if (!this.#announces || this.#held.size === 0 || now < this.endsAt - HANDOVER_MS) return;
    await this.#queries.announceHandover(this.holder, this.tokens(), new Date(this.endsAt));
  }

  /**
   * Announces that this worker ends at `endsAt`, so that others warm up its shards, and takes none
   * over itself. Returns how many of its shards have no successor yet.
   */
  async announceEnd(endsAt: number): Promise<number> {
    this.endBy(endsAt);
    for (const name of [...this.#warming.keys()]) this.#stopWarming(name);
    return await this.#queries.announceHandover(this.holder, this.tokens('books:'), new Date(endsAt));
  }

  /**
   * Whether the worker has had no lease for longer than `ms`. A worker without an end waits for
   * leases for ever.
   */
  isIdle(now: number, ms: number): boolean {
    if (this.#held.size > 0 || this.#warming.size > 0 || this.#runsForever) this.#idleSince = null;
    else this.#idleSince ??= now;
    return this.#idleSince !== null && now - this.#idleSince > ms;
  }

  /**
   * Releases the leases with this prefix, by default all. If listings are left to read, the
   * database calls a successor at once.
   */
  async release(prefix = ''): Promise<void> {
    const tokens = this.tokens(prefix);
    for (const name of Object.keys(tokens)) this.#held.delete(name);
    for (const name of [...this.#warming.keys()]) if (name.startsWith(prefix)) this.#stopWarming(name);
    if (Object.keys(tokens).length > 0) await this.#queries.releaseLeases(this.holder, tokens);
  }

  get #endDate(): Date | null {
    return this.#endsAt === null ? null : new Date(this.#endsAt);
  }

  #hold(name: string, token: string): void {
    this.#held.set(name, token);
    this.#stopWarming(name);
    this.#hasHeld = true;
  }

  #stopWarming(name: string): void {
    this.#warming.delete(name);
    this.#ending.delete(name);
  }
}

function countOf(leases: ReadonlyMap<string, unknown>, prefix: string): number {
  let count = 0;
  for (const name of leases.keys()) if (name.startsWith(prefix)) count += 1;
  return count;
}
