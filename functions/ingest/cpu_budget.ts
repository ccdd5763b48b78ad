import type { CpuMeter } from '../_shared/cpu.ts';
import { MEASURED_CPU_MS } from './work_limits.ts';

/** The share of a call's CPU after which it stops. The rest is for slower processors. */
const USABLE_SHARE = 0.72;
/** No page is begun after this share: the last page is still to be written, and statuses follow it. */
const PAGES_SHARE = 0.62;
/** A call that reads listings may use this share more to finish its page. */
const GRACE_SHARE = 0.1;
/** A successor is called at once, boots, reads the books and takes over within this time (venue.claim_leases allows as much). */
export const HANDOVER_MS = 20_000;
/** The pace is the measured one of the last seconds, but at least this share of the figures in work_limits.ts: a quiet minute promises nothing. */
const MIN_PACE = 0.5;
const MAX_PAGE_MS = 250;
const PACE_WINDOW_MS = 15_000;
/** Before this, the pace still contains the boot and the first books. */
const PACE_FROM_MS = 10_000;

/**
 * The CPU that one limited worker may use: whether it reads another page, when it must announce its end, and when it must stop. What the
 * isolate used before belongs to another call, except its boot, which belongs to the first worker.
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

  /** Whether there is CPU for one more page; counts it. The first is always read: a call that reads none would be followed by others that read none. */
  tryPage(): boolean {
    const { usedMs } = this;
    const before = this.#pagedAtMs;
    this.#pagedAtMs = usedMs;
    // A page costs at least as much as the one before it: the machine may be slower, or the events larger. The code of the first ones is not
    // compiled yet, so their cost is bounded.
    const costMs = Math.min(MAX_PAGE_MS, Math.max(MEASURED_CPU_MS.pageMs, usedMs - (before ?? usedMs)));
    if (before !== undefined && usedMs + costMs > this.#pagesMs) return false;
    this.#meter.charge(MEASURED_CPU_MS.pageMs);
    return true;
  }

  /** Adds the CPU of something that is done once: loading the parsers, or reading the books of a shard for the first time. */
  charge(ms: number): void {
    this.#meter.charge(ms);
  }

  get isExhausted(): boolean {
    return this.usedMs > this.#usableMs;
  }

  /** A page that was begun must be written by now. */
  get isPastGrace(): boolean {
    return this.usedMs > this.#usableMs + this.#finishMs;
  }

  /** Whether a worker with this role must stop now. One that reads listings may finish its page. */
  mustStop(role: 'books' | 'listings' | null): boolean {
    return role === 'listings' ? this.isPastGrace : this.isExhausted;
  }

  /** Whether the CPU that is left is about what a hand-over of this many shards takes. The worker calls it every second. */
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
    const expected = (MIN_PACE * (MEASURED_CPU_MS.secondMs + shards * MEASURED_CPU_MS.shardMs)) / 1_000;
    const pace = Math.max(
      expected,
      oldest && passed >= PACE_FROM_MS ? (usedMs - oldest.usedMs) / passed : 2 * expected,
    );
    return usedMs + pace * HANDOVER_MS > this.#usableMs;
  }
}
