import { errorWords } from '../_shared/pool/error_fields.ts';
import type { Attempt, Outcome, Result } from './database.ts';

/** What a shift may take on. */
export type Budget = {
  /** Attempts at once, in all and for one endpoint. */
  most: number;
  each: number;
  /** Attempts before it leaves the rest to the next; Infinity where nobody counts. */
  attempts: number;
  /** How long it goes on looking while there is nothing, ms. */
  quietMs: number;
};

export type ShiftParts = {
  doors: {
    claim(most: number, each: number, staysSeconds: number): Promise<Attempt[]>;
    report(results: readonly Result[]): Promise<void>;
    leave(): Promise<void>;
  };
  attempt(attempt: Attempt): Promise<Outcome>;
  budget: Budget;
  /** When it must have ended (epoch ms). */
  endsAt: number;
  /** Whether its CPU is used up but for an orderly end; always false where nobody counts. */
  spent(): boolean;
  log(line: string): void;
};

/** How often it looks when nothing calls it. */
const LOOK_MS = 200;
/** A claim looks at every endpoint that waits (15 ms for 300, 2026-11-20): while much is due, fewer and larger ones send more. */
const REST_MS = 50;
const LEAST_FREE = 16;
/** How long it surely goes on looking, as others are told. */
const STAYS_S = 5;
/** An attempt and its report fit in here: nothing is taken that could not be finished. */
const RESERVE_MS = 8_000;
/** Larger reports would hold their endpoints' rows longer. */
const REPORT_MOST = 200;

/**
 * Takes what is due, sends it, reports what came of it, until it is stopped, its time or its budget is over or there has been nothing for
 * a while. All state is in the database: a shift that dies leaves claims behind that run out.
 */
export class Shift {
  readonly #parts: ShiftParts;
  readonly #results: Result[] = [];
  readonly #attempts = new Set<Promise<void>>();
  #reporting: Promise<void> | undefined;
  #left: number;
  #stopped = false;
  /** Something happened since the last look. */
  #news = false;
  #resume: () => void = () => {};

  constructor(parts: ShiftParts) {
    this.#parts = parts;
    this.#left = parts.budget.attempts;
  }

  /** It takes nothing more. */
  get ending(): boolean {
    const { endsAt, spent } = this.#parts;
    return this.#stopped || this.#left <= 0 || Date.now() > endsAt - RESERVE_MS || spent();
  }

  /** There may be something now. */
  nudge(): void {
    this.#wake();
  }

  stop(): void {
    this.#stopped = true;
    this.#wake();
  }

  async run(): Promise<void> {
    let quietSince = Date.now();
    while (!this.ending) {
      const free = Math.min(this.#parts.budget.most - this.#attempts.size, this.#left);
      const taken = free >= Math.min(LEAST_FREE, this.#left) ? await this.#take(free) : [];
      for (const attempt of taken) this.#begin(attempt);
      if (taken.length > 0 || this.#attempts.size > 0) quietSince = Date.now();
      else if (Date.now() - quietSince > this.#parts.budget.quietMs) break;
      if (taken.length === 0 || taken.length < free) await this.#pause();
    }
    await Promise.all(this.#attempts);
    await this.#reportAll();
    await this.#parts.doors.leave().catch((error) => this.#parts.log(`could not take leave: ${errorWords(error)}`));
  }

  async #take(free: number): Promise<Attempt[]> {
    const { doors, budget, log } = this.#parts;
    try {
      return await doors.claim(free, budget.each, STAYS_S);
    } catch (error) {
      log(`could not claim: ${errorWords(error)}`);
      await sleep(1_000);
      return [];
    }
  }

  #begin(attempt: Attempt): void {
    this.#left -= 1;
    const began = performance.now();
    const work = this.#parts
      .attempt(attempt)
      .catch((error: unknown): Outcome => {
        this.#parts.log(`an attempt broke off: ${errorWords(error)}`);
        return { error: 'internal' };
      })
      .then((outcome) => {
        const { delivery_id, claim } = attempt;
        this.#results.push({ delivery_id, claim, took_ms: Math.round(performance.now() - began), ...outcome });
        this.#attempts.delete(work);
        this.#report();
      });
    this.#attempts.add(work);
  }

  /** One report at a time; what comes in meanwhile goes with the next. */
  #report(): void {
    this.#reporting ??= this.#reportAll().finally(() => {
      this.#reporting = undefined;
      if (this.#results.length > 0) this.#report();
      this.#wake();
    });
  }

  async #reportAll(): Promise<void> {
    for (let failures = 0; this.#results.length > 0 && failures < 3; ) {
      const some = this.#results.splice(0, REPORT_MOST);
      try {
        await this.#parts.doors.report(some);
      } catch (error) {
        this.#parts.log(`could not report: ${errorWords(error)}`);
        this.#results.unshift(...some);
        failures += 1;
        await sleep(500);
      }
    }
    // The claims have run out by now, or soon will: their deliveries are made again.
    this.#results.length = 0;
  }

  #wake(): void {
    this.#news = true;
    this.#resume();
  }

  /** Until the next look is due or something happens; never so short that looking is all it does. */
  async #pause(): Promise<void> {
    await sleep(REST_MS);
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      this.#resume = resolve;
      if (this.#news) resolve();
      else timer = setTimeout(resolve, LOOK_MS - REST_MS);
    });
    clearTimeout(timer);
    this.#news = false;
  }
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
