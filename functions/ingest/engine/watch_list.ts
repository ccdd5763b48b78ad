import type { Fee } from '../listing.ts';

/**
 * One outcome of a row of price.watch_list. Arrays of a price update follow the order of `outcomes`
 * and `ladder`. A value that the venue does not publish is null: an unknown fee schedule or minimum
 * order is not zero.
 */
export type WatchedOutcome = {
  key: string;
  contract_a: string | null;
  side_a: 'yes' | 'no' | null;
  contract_b: string | null;
  fee_a: Fee | null;
  fee_b: Fee | null;
  /** Smallest order in 0.01 contract. */
  min_a: number | null;
  min_b: number | null;
  /** Seconds that venue_b delays a taker's order before it is matched. */
  delay_b: number | null;
};
export type WatchedPair = {
  shard: string;
  pair_id: string;
  outcomes: WatchedOutcome[];
  ladder: string[] | null;
  /**
   * The exchange index of venue_a that trades all contracts of the pair there. Null when it is not
   * listed, or when they trade on several.
   */
  index_a?: number | null;
  /**
   * Whether gates 1 to 3 of the arbitrage signal are open. Only then the engine looks for an
   * opportunity.
   */
  arb: boolean;
};

/** Which pairs use a contract, and which contracts each venue must read. */
export class WatchList {
  readonly pairs = new Map<string, WatchedPair>();
  readonly #pairsByContract = { venue_a: new Map<string, Set<string>>(), venue_b: new Map<string, Set<string>>() };
  readonly #fingerprints = new Map<string, string>();
  readonly #indexes = new Map<string, number>();

  /** Replaces the list. Returns the new and changed pairs, and the ids of removed ones. */
  replace(rows: readonly WatchedPair[]): { changed: WatchedPair[]; removed: string[] } {
    const listed = new Set<string>();
    const changed: WatchedPair[] = [];
    for (const row of rows) {
      listed.add(row.pair_id);
      const fingerprint = JSON.stringify([row.outcomes, row.ladder, row.arb, row.index_a]);
      const existing = this.pairs.get(row.pair_id);
      if (existing && this.#fingerprints.get(row.pair_id) === fingerprint) {
        existing.shard = row.shard;
        continue;
      }
      if (existing) this.#remove(existing);
      this.#add(row, fingerprint);
      changed.push(row);
    }
    const removed: string[] = [];
    for (const [id, pair] of this.pairs) {
      if (listed.has(id)) continue;
      this.#remove(pair);
      removed.push(id);
    }
    return { changed, removed };
  }

  pairsOf(venue: 'venue_a' | 'venue_b', contract: string): Iterable<string> {
    return this.#pairsByContract[venue].get(contract) ?? [];
  }

  /** In the order of the list, live pairs first: polling reads these first. */
  contracts(venue: 'venue_a' | 'venue_b'): string[] {
    return [...this.#pairsByContract[venue].keys()];
  }

  /** The exchange index that trades this ticker of venue_a. Null when it is not known. */
  exchangeIndexOf(ticker: string): number | null {
    return this.#indexes.get(ticker) ?? null;
  }

  #add(pair: WatchedPair, fingerprint: string): void {
    this.pairs.set(pair.pair_id, pair);
    this.#fingerprints.set(pair.pair_id, fingerprint);
    for (const [venue, contract] of contractsOf(pair)) {
      if (venue === 'venue_a' && typeof pair.index_a === 'number') this.#indexes.set(contract, pair.index_a);
      const pairs = this.#pairsByContract[venue].get(contract);
      if (pairs) pairs.add(pair.pair_id);
      else this.#pairsByContract[venue].set(contract, new Set([pair.pair_id]));
    }
  }

  #remove(pair: WatchedPair): void {
    this.pairs.delete(pair.pair_id);
    this.#fingerprints.delete(pair.pair_id);
    for (const [venue, contract] of contractsOf(pair)) {
      const pairs = this.#pairsByContract[venue].get(contract);
      pairs?.delete(pair.pair_id);
      if (pairs?.size !== 0) continue;
      this.#pairsByContract[venue].delete(contract);
      if (venue === 'venue_a') this.#indexes.delete(contract);
    }
  }
}

function contractsOf(pair: WatchedPair): ['venue_a' | 'venue_b', string][] {
  const contracts: ['venue_a' | 'venue_b', string][] = [];
  for (const outcome of pair.outcomes) {
    if (outcome.contract_a !== null) contracts.push(['venue_a', outcome.contract_a]);
    if (outcome.contract_b !== null) contracts.push(['venue_b', outcome.contract_b]);
  }
  for (const contract of pair.ladder ?? []) contracts.push(['venue_a', contract]);
  return contracts;
}
