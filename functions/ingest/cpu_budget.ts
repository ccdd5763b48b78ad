import type { CpuMeter } from '../_shared/cpu.ts';
import type { SocketFactory } from '../_shared/reconnecting_socket.ts';
import { MEASURED_CPU_MS } from './work_limits.ts';

/** Share of a call's CPU after which it stops. The rest is a reserve for slower processors. */
const USABLE_SHARE = 0.72;
/**
 * No page starts after this share. The last page must still be written, and the statuses are
 * refreshed after it.
 */
const PAGES_SHARE = 0.68;
/** A call that reads listings may use this much more to finish its page. */
const GRACE_SHARE = 0.1;
/**
 * A successor is called at once. It boots, reads the books and takes over within this time
 * (venue.claim_leases allows as much).
 */
export const HANDOVER_MS = 20_000;
/**
 * The pace is measured over the last seconds, but is at least this share of the figures in
 * work_limits.ts. A quiet minute does not mean that the next one is quiet.
 */
const MIN_PACE = 0.5;
const MAX_PAGE_MS = 250;
const PACE_WINDOW_MS = 15_000;
/** Earlier measurements still contain the boot and the first books. */
const PACE_FROM_MS = 10_000;

/**
 * The CPU budget of one limited worker. It decides whether the worker reads another page, when it
 * announces its end, and when it must stop.
 *
 * CPU that the isolate used before belongs to another call. The boot belongs to the first worker.
 */
export class CpuBudget {
  readonly #meter: CpuMeter;
  readonly #usableMs: number;
  readonly #pagesMs: number;
  readonly #finishMs: number;
  readonly #fromMs: number;
  readonly #now: () => number;
  #marks: { at: number; usedMs: number }[] = [];
  #pagedAtMs: number | undefined;

  constructor(options: { meter: CpuMeter; cpuSeconds: number; fromMs: number; now: () => number }) {
    this.#meter = options.meter;
    this.#usableMs = USABLE_SHARE * options.cpuSeconds * 1_000;
    this.#pagesMs = PAGES_SHARE * options.cpuSeconds * 1_000;
    this.#finishMs = GRACE_SHARE * options.cpuSeconds * 1_000;
    this.#fromMs = options.fromMs;
    this.#now = options.now;
  }

  get usedMs(): number {
    return this.#meter.usedMs - this.#fromMs;
  }

  /**
   * Whether there is CPU for one more page; charges it. The first page is always read. Otherwise a
   * call that reads none could be followed by others that read none.
   */
  tryPage(): boolean {
    const { usedMs } = this;
    const before = this.#pagedAtMs;
    this.#pagedAtMs = usedMs;
    // A page costs at least as much as the previous one: the machine may be slower, or the events
    // larger. The first pages also compile code, so their cost is capped.
    const costMs = Math.min(MAX_PAGE_MS, Math.max(MEASURED_CPU_MS.pageMs, usedMs - (before ?? usedMs)));
    if (before !== undefined && usedMs + costMs > this.#pagesMs) return false;
    this.#meter.charge(MEASURED_CPU_MS.pageMs);
    return true;
  }

  /** Charges work that is done once: loading the parsers, or the first read of a shard's books. */
  charge(ms: number): void {
    this.#meter.charge(ms);
  }

  /** Charges a response of a venue, which is parsed, checked and perhaps written. */
  chargeBody(characters: number): void {
    this.#meter.charge((characters / 1_024) * MEASURED_CPU_MS.bodyKilobyteMs);
  }

  /** Sockets that charge each message, by its length, before it is read. */
  chargedSockets(openSocket: SocketFactory): SocketFactory {
    return (url, headers, on) =>
      openSocket(url, headers, {
        ...on,
        message: (text) => {
          this.#meter.charge(MEASURED_CPU_MS.messageMs + (text.length / 1_024) * MEASURED_CPU_MS.kilobyteMs);
          on.message(text);
        },
      });
  }

  get isExhausted(): boolean {
    return this.usedMs > this.#usableMs;
  }

  /** A page that has started must be written by now. */
  get isPastGrace(): boolean {
    return this.usedMs > this.#usableMs + this.#finishMs;
  }

  /**
   * Whether a worker with this role must stop now. A worker that reads listings may finish its
   * page.
   */
  mustStop(role: 'books' | 'listings' | 'backtest' | null): boolean {
    return role === 'listings' || role === 'backtest' ? this.isPastGrace : this.isExhausted;
  }

  /**
   * Whether the remaining CPU is about what a handover of this many shards takes. The worker calls
   * it every second.
   */
  needsHandover(shards: number): boolean {
    if (shards === 0) {
      this.#marks = [];
      return false;
    }
    const [at, usedMs] = [this.#now(), this.usedMs];
    this.#marks.push({ at, usedMs });
    while ((this.#marks[1]?.at ?? at) < at - PACE_WINDOW_MS) this.#marks.shift();
    const [oldest] = this.#marks;
    const passed = oldest ? at - oldest.at : 0;
    const expected = (MIN_PACE * (MEASURED_CPU_MS.secondMs + shards * MEASURED_CPU_MS.busyShardMs)) / 1_000;
    const pace = Math.max(
      expected,
      oldest && passed >= PACE_FROM_MS ? (usedMs - oldest.usedMs) / passed : 2 * expected,
    );
    return usedMs + pace * HANDOVER_MS > this.#usableMs;
  }
}
