import { isObject } from '../feeds/parse.ts';
import { exchangeFlags } from './schemas.ts';

/** The exchange index of which the top-level flags of the status are a summary. */
const DEFAULT_INDEX = 0;

/**
 * What `GET /exchange/status` states about each exchange index. The venue trades on several
 * matching engines, and each can be paused alone. The top-level flags are those of index 0 only;
 * `exchange_index_statuses` has one row per index and is absent when the venue cannot list them
 * (venues.md G2).
 *
 * It fails closed: an index that trades is one that the last response states to trade. An index
 * without a row does not count as trading, nor does any but index 0 while the rows are absent. A
 * market whose index is unknown counts as trading only when every listed index trades.
 */
export class TradingStatus {
  /** Null before the first response that could be read. */
  #trading: ReadonlyMap<number, boolean> | null = null;
  #hasRows = false;

  /** Whether a response has been read. */
  get isKnown(): boolean {
    return this.#trading !== null;
  }

  /**
   * Reads a response. Returns whether anything changed. A response without the flags changes
   * nothing.
   */
  read(response: unknown): boolean {
    if (!isObject(response)) return false;
    const top = activeOf(response);
    const rows = Array.isArray(response.exchange_index_statuses) ? response.exchange_index_statuses : [];
    const trading = new Map<number, boolean>();
    for (const row of rows) {
      const index = isObject(row) ? exchangeIndexOf(row.exchange_index) : null;
      if (index !== null) trading.set(index, isObject(row) && activeOf(row) === true);
    }
    if (top === null && trading.size === 0) return false;
    const hasRows = trading.size > 0;
    // Two statements about index 0 that differ: the stricter one counts.
    if (top !== null) trading.set(DEFAULT_INDEX, top && (trading.get(DEFAULT_INDEX) ?? true));
    const isSame = this.#hasRows === hasRows && this.#trading !== null && isEqual(this.#trading, trading);
    this.#trading = trading;
    this.#hasRows = hasRows;
    return !isSame;
  }

  /** Whether books of this exchange index may be believed. Null: the index is unknown. */
  isTrading(index: number | null): boolean {
    if (this.#trading === null) return false;
    if (index !== null) return this.#trading.get(index) ?? false;
    return this.#hasRows && [...this.#trading.values()].every(Boolean);
  }

  /**
   * What is paused, for the detail of the feed: `venue paused`, `index 2 paused`, `index 2
   * unknown`.
   * `read`: the indexes of the books that the feed reads. Null when all of them trade.
   */
  describe(read: Iterable<number | null>): string | null {
    if (this.#trading === null) return 'status unknown';
    const listed = [...this.#trading];
    if (listed.every(([, isTrading]) => !isTrading)) return 'venue paused';
    const paused = listed.filter(([, isTrading]) => !isTrading).map(([index]) => index);
    const unknown = [...new Set(read)].flatMap((index) => (index === null || this.#trading?.has(index) ? [] : [index]));
    const parts = [
      ...(paused.length > 0 ? [`index ${paused.sort((x, y) => x - y).join(' and ')} paused`] : []),
      ...(unknown.length > 0 ? [`index ${unknown.sort((x, y) => x - y).join(' and ')} unknown`] : []),
    ];
    return parts.length > 0 ? parts.join(', ') : null;
  }
}

/** The number of an exchange index. Null for anything that is not one. */
export function exchangeIndexOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 32_767 ? value : null;
}

/** Null when both flags are absent, so that nothing is known. Any other form is not active. */
function activeOf(row: { [key: string]: unknown }): boolean | null {
  if (row.trading_active === undefined && row.exchange_active === undefined) return null;
  const flags = exchangeFlags.safeParse(row);
  return flags.success && flags.data.exchange_active && flags.data.trading_active;
}

function isEqual(a: ReadonlyMap<number, boolean>, b: ReadonlyMap<number, boolean>): boolean {
  return a.size === b.size && [...a].every(([index, isTrading]) => b.get(index) === isTrading);
}
