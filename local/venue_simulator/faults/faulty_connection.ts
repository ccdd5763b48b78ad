import type { Cancel, Clock } from '../core/clock.ts';
import { DelayedPipe } from '../core/delayed_pipe.ts';
import { type Corruption, corrupted, corruptionOf } from './corrupt.ts';
import type { FaultName, OnLoss } from './faults.ts';

/** Default length of a `long_frame` in characters. */
const LONG_FRAME_CHARS = 32 * 1024 * 1024;
/** Default delay of a late connection. */
export const LATE_CONNECTION_MS = 7_000;

/**
 * The messages of a server to one client, with the faults of real connections: lost, repeated,
 * reordered, corrupted, delayed or withheld messages.
 */
export class FaultyConnection {
  readonly #pipe: DelayedPipe;
  readonly #clock: Clock;
  readonly #toDrop: OnLoss[] = [];
  /** Contracts of lost messages without a later message. */
  readonly #lost = new Map<string, { at: number; onLoss: OnLoss }>();
  #repeatNext = 0;
  /** How long the next message waits to be overtaken; null without this fault. */
  #swapWithinMs: number | null = null;
  #swapped: { text: string; cancel: Cancel } | null = null;
  #corruptNext: Corruption | null = null;
  #silentUntil = 0;

  constructor(write: (text: string) => void, clock: Clock) {
    this.#pipe = new DelayedPipe(write, clock);
    this.#clock = clock;
  }

  /** Starts a fault. Returns false when it is not a fault of connections. */
  inject(fault: FaultName, forMs: number, how?: string, onLoss: OnLoss = () => {}): boolean {
    if (fault === 'gap') this.#toDrop.push(onLoss);
    else if (fault === 'duplicate') this.#repeatNext++;
    else if (fault === 'reorder') this.#swapWithinMs = forMs;
    else if (fault === 'silence') this.#silentUntil = this.#clock.now() + forMs;
    else if (fault === 'late') this.#pipe.slow(Number(how) || LATE_CONNECTION_MS, forMs);
    else if (fault === 'garbled') this.#corruptNext = corruptionOf(how);
    else if (fault === 'long_frame') this.#pipe.send(longFrame(Number(how) || LONG_FRAME_CHARS));
    else return false;
    return true;
  }

  /** Sends a reply, even while the connection is silent. */
  reply(text: string): void {
    this.#pipe.send(text);
  }

  /** Sends a message, unless the connection is silent. */
  send(text: string): void {
    if (this.#silentUntil <= this.#clock.now()) this.#pipe.send(text);
  }

  /** Sends market data, which may be lost, repeated, reordered or corrupted. */
  marketData(text: string): void {
    if (this.#silentUntil > this.#clock.now()) return;
    if (/"(orderbook_delta|price_change)"/.test(text)) {
      const onLoss = this.#toDrop.shift();
      if (onLoss) {
        this.#lose(text, onLoss);
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
      this.#swapped = { text, cancel: this.#clock.after(this.#swapWithinMs, () => this.#sendSwapped()) };
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
    this.#swapped?.cancel();
    this.#pipe.close();
  }

  #sendSwapped(): void {
    if (!this.#swapped) return;
    const { text, cancel } = this.#swapped;
    cancel();
    this.#swapped = null;
    this.send(text);
  }

  #lose(text: string, onLoss: OnLoss): void {
    const [contracts, at] = [contractsIn(text), this.#clock.now()];
    for (const contract of contracts) this.#lost.set(contract, { at, onLoss });
    onLoss(contracts, at, null);
  }

  #reportRecovered(text: string): void {
    const contracts = contractsIn(text);
    for (const contract of contracts) {
      const loss = this.#lost.get(contract);
      if (!loss) continue;
      for (const [other, { onLoss }] of this.#lost) if (onLoss === loss.onLoss) this.#lost.delete(other);
      loss.onLoss(contracts, loss.at, this.#clock.now() - loss.at);
    }
  }
}

const longFrame = (chars: number): string => JSON.stringify({ type: 'long', pad: 'x'.repeat(chars) });

/** The tickers or tokens that a message about books names. */
const contractsIn = (text: string): string[] =>
  [...text.matchAll(/"(?:market_ticker|asset_id)":"([^"]+)"/g)].flatMap(([, name]) => name ?? []);
