import { DelayedPipe } from '../core/delayed_pipe.ts';
import { type Corruption, corrupted, corruptionOf } from './corrupt.ts';
import type { FaultName, OnLoss } from './faults.ts';

/** How late a late line is, unless told otherwise. */
export const LATE_CONNECTION_MS = 7_000;

export type { OnLoss as LossTold } from './faults.ts';

/** What a server writes to one client, with the faults of real lines: frames lost, repeated, swapped, broken, late, or held back. */
export class FaultyConnection {
  readonly #pipe: DelayedPipe;
  readonly #toDrop: OnLoss[] = [];
  /** What was lost and not spoken of again since. */
  readonly #lost = new Map<string, { at: number; told: OnLoss }>();
  #repeatNext = 0;
  /** For how long the next message waits to be overtaken; null where none is to be. */
  #swapWithinMs: number | null = null;
  #swapped: { text: string; timer: NodeJS.Timeout } | null = null;
  #corruptNext: Corruption | null = null;
  #silentUntil = 0;

  constructor(write: (text: string) => void) {
    this.#pipe = new DelayedPipe(write);
  }

  /** Whether this fault is one of a line. */
  pull(trap: FaultName, forMs: number, how?: string, told: OnLoss = () => {}): boolean {
    if (trap === 'gap') this.#toDrop.push(told);
    else if (trap === 'duplicate') this.#repeatNext++;
    else if (trap === 'reorder') this.#swapWithinMs = forMs;
    else if (trap === 'silence') this.#silentUntil = Date.now() + forMs;
    else if (trap === 'late') this.#pipe.slow(Number(how) || LATE_CONNECTION_MS, forMs);
    else if (trap === 'garbled') this.#corruptNext = corruptionOf(how);
    else return false;
    return true;
  }

  /** An answer, also while the line says nothing of books. */
  reply(text: string): void {
    this.#pipe.send(text);
  }

  /** What a silent line holds back. */
  send(text: string): void {
    if (this.#silentUntil <= Date.now()) this.#pipe.send(text);
  }

  /** What happens on the market: these frames may be lost, repeated, swapped or broken. */
  marketData(text: string): void {
    if (this.#silentUntil > Date.now()) return;
    if (/"(orderbook_delta|price_change)"/.test(text)) {
      const told = this.#toDrop.shift();
      if (told) {
        this.#lose(text, told);
        return;
      }
    }
    if (this.#lost.size > 0 && /"(orderbook_delta|price_change|book)"/.test(text)) this.#reportRecovered(text);
    const broken = this.#corruptNext ? corrupted(text, this.#corruptNext) : null;
    if (broken !== null) {
      this.#corruptNext = null;
      this.send(broken);
      return;
    }
    if (this.#swapWithinMs !== null) {
      this.#swapped = { text, timer: setTimeout(() => this.#sendSwapped(), this.#swapWithinMs) };
      this.#swapWithinMs = null;
      return;
    }
    this.send(text);
    this.#sendSwapped();
    if (this.#repeatNext > 0) {
      this.#repeatNext--;
      this.send(text);
    }
  }

  close(): void {
    clearTimeout(this.#swapped?.timer);
    this.#pipe.close();
  }

  #sendSwapped(): void {
    if (!this.#swapped) return;
    const { text, timer } = this.#swapped;
    clearTimeout(timer);
    this.#swapped = null;
    this.send(text);
  }

  #lose(text: string, told: OnLoss): void {
    const [contracts, at] = [contractsIn(text), Date.now()];
    for (const contract of contracts) this.#lost.set(contract, { at, told });
    told(contracts, at, null);
  }

  #reportRecovered(text: string): void {
    const contracts = contractsIn(text);
    for (const contract of contracts) {
      const loss = this.#lost.get(contract);
      if (!loss) continue;
      for (const [other, { told }] of this.#lost) if (told === loss.told) this.#lost.delete(other);
      loss.told(contracts, loss.at, Date.now() - loss.at);
    }
  }
}

/** The tickers or tokens that a message about books names. */
const contractsIn = (text: string): string[] =>
  [...text.matchAll(/"(?:market_ticker|asset_id)":"([^"]+)"/g)].flatMap(([, name]) => name ?? []);
