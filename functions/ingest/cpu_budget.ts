import type { CpuMeter } from '../_shared/cpu.ts';
import { MEASURED } from './work_limits.ts';

/** Of the CPU that a call may use: where it stops, and what it leaves for slower processors. */
const USABLE = 0.72;
/** Pages are begun within this: the last one is still to be written, and statuses follow it. */
const FOR_PAGES = 0.62;
/** What was begun may be finished within this beyond. */
const TO_FINISH = 0.1;
/** A successor is called at once, boots, reads the books and takes over: so long it may take (venue.claim_leases allows as much). */
export const HAND_OVER_MS = 20_000;
/** The pace is what the last seconds cost, but never less than this share of the figures in budget.ts: a quiet minute promises nothing. */
const LEAST_PACE = 0.5;
const MOST_PAGE_MS = 250;
const PACE_OVER_MS = 15_000;
/** Until then, the boot and the first books still show in it. */
const PACE_FROM_MS = 10_000;

/**
 * How one limited shift spends its CPU: it reads pages while there is some, says in good time that it will end, and ends. What the isolate
 * used before it (its boot apart, which is the first shift's) was another call's.
 */
export class Spending {
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
    this.#usableMs = USABLE * options.cpuSeconds * 1_000;
    this.#pagesMs = FOR_PAGES * options.cpuSeconds * 1_000;
    this.#finishMs = TO_FINISH * options.cpuSeconds * 1_000;
    this.#fromMs = options.fromMs;
    this.#now = options.now;
  }

  get usedMs(): number {
    return this.#meter.usedMs - this.#fromMs;
  }

  /** One page more? Counts it. The first is always read: a call that reads none would be followed by others that read none. */
  page(): boolean {
    const { usedMs } = this;
    const before = this.#pagedAtMs;
    this.#pagedAtMs = usedMs;
    // On a slower machine, or of larger events, it costs what the one before it did; of the first ones, not yet compiled, it is not known.
    const costMs = Math.min(MOST_PAGE_MS, Math.max(MEASURED.pageMs, usedMs - (before ?? usedMs)));
    if (before !== undefined && usedMs + costMs > this.#pagesMs) return false;
    this.#meter.did(MEASURED.pageMs);
    return true;
  }

  /** The parsers were loaded, or the books of a slice read for the first time. */
  did(ms: number): void {
    this.#meter.did(ms);
  }

  get isSpent(): boolean {
    return this.usedMs > this.#usableMs;
  }

  /** What is finished must be finished by now. */
  get isOver(): boolean {
    return this.usedMs > this.#usableMs + this.#finishMs;
  }

  /** With so many slices of books in hand, what is left is about what a hand-over takes. To be asked every second or so. */
  isRunningOut(slices: number): boolean {
    if (slices === 0) {
      this.#marks = [];
      return false;
    }
    const [at, usedMs] = [this.#now(), this.usedMs];
    this.#marks.push({ at, usedMs });
    while ((this.#marks[1]?.at ?? at) < at - PACE_OVER_MS) this.#marks.shift();
    const [oldest] = this.#marks;
    const passed = oldest ? at - oldest.at : 0;
    const told = (LEAST_PACE * (MEASURED.secondMs + slices * MEASURED.sliceMs)) / 1_000;
    const pace = Math.max(told, oldest && passed >= PACE_FROM_MS ? (usedMs - oldest.usedMs) / passed : 2 * told);
    return usedMs + pace * HAND_OVER_MS > this.#usableMs;
  }
}
