import { describeError } from '../_shared/pool/error_fields.ts';
import type { Attempt, AttemptOutcome, AttemptResult } from './database.ts';

/** Limits of the work that one run of the delivery worker takes on. */
export type WorkLimits = {
  /** Concurrent attempts, in total and for one endpoint. */
  maxConcurrent: number;
  maxPerEndpoint: number;
  /** Attempts of this run; the next run makes the others. Infinity without a CPU limit. */
  maxAttempts: number;
  /** How long the worker polls without finding a delivery before it ends, ms. */
  idleMs: number;
};

export type DeliveryWorkerOptions = {
  queries: {
    claimDeliveries(maxDeliveries: number, maxPerEndpoint: number, activeSeconds: number): Promise<Attempt[]>;
    recordResults(results: readonly AttemptResult[]): Promise<void>;
    releaseSender(): Promise<void>;
  };
  attempt(attempt: Attempt): Promise<AttemptOutcome>;
  limits: WorkLimits;
  /** The run must have ended at this time (epoch ms). */
  endsAt: number;
  /** Whether only the CPU for an orderly end is left. Always false without a CPU limit. */
  isCpuExhausted(): boolean;
  log(line: string): void;
};

/** Poll interval while nothing wakes the worker. */
const POLL_MS = 200;
/**
 * A claim scans every waiting endpoint (15 ms for 300, 2026-11-20). While many deliveries are due,
 * fewer and larger claims send more.
 */
const MIN_POLL_MS = 50;
const MIN_CLAIM = 16;
/**
 * How long the worker surely continues to poll; the database does not call the function in this
 * time.
 */
const ACTIVE_S = 5;
/**
 * One attempt and the record of its result fit in this time. The worker claims nothing that it
 * could not finish.
 */
const RESERVE_MS = 8_000;
/** A larger batch of results would lock the rows of the endpoints for longer. */
const MAX_RESULTS = 200;

/**
 * Claims due deliveries, sends them and records the results. Ends when it is stopped, when its time
 * or its limits are used up, or after `idleMs` without a delivery. All state is in the database:
 * the claims of a worker that dies expire.
 */
export class DeliveryWorker {
  readonly #options: DeliveryWorkerOptions;
  readonly #results: AttemptResult[] = [];
  readonly #attempts = new Set<Promise<void>>();
  #recording: Promise<void> | undefined;
  #attemptsLeft: number;
  #isStopped = false;
  #claimedAt: number | null = null;
  /** Something happened since the last poll. */
  #isWoken = false;
  #endPause: () => void = () => {};

  constructor(options: DeliveryWorkerOptions) {
    this.#options = options;
    this.#attemptsLeft = options.limits.maxAttempts;
  }

  /** The worker claims no more deliveries. */
  get isEnding(): boolean {
    const { endsAt, isCpuExhausted } = this.#options;
    return this.#isStopped || this.#attemptsLeft <= 0 || Date.now() > endsAt - RESERVE_MS || isCpuExhausted();
  }

  /** When the database last answered a claim, epoch ms. Null before the first time. */
  get claimedAt(): number | null {
    return this.#claimedAt;
  }

  /** Deliveries may be due now: poll at once. */
  wake(): void {
    this.#notify();
  }

  stop(): void {
    this.#isStopped = true;
    this.#notify();
  }

  async run(): Promise<void> {
    let quietSince = Date.now();
    while (!this.isEnding) {
      const freeSlots = Math.min(this.#options.limits.maxConcurrent - this.#attempts.size, this.#attemptsLeft);
      const claimed = freeSlots >= Math.min(MIN_CLAIM, this.#attemptsLeft) ? await this.#claim(freeSlots) : [];
      for (const attempt of claimed) this.#start(attempt);
      if (claimed.length > 0 || this.#attempts.size > 0) quietSince = Date.now();
      else if (Date.now() - quietSince > this.#options.limits.idleMs) break;
      if (claimed.length === 0 || claimed.length < freeSlots) await this.#pause();
    }
    await Promise.all(this.#attempts);
    await this.#recordAll();
    await this.#options.queries
      .releaseSender()
      .catch((error) => this.#options.log(`The sender was not released in the database: ${describeError(error)}.`));
  }

  async #claim(freeSlots: number): Promise<Attempt[]> {
    const { queries, limits, log } = this.#options;
    try {
      const claimed = await queries.claimDeliveries(freeSlots, limits.maxPerEndpoint, ACTIVE_S);
      this.#claimedAt = Date.now();
      return claimed;
    } catch (error) {
      log(`Deliveries were not claimed: ${describeError(error)}. The worker retries in 1 s.`);
      await sleep(1_000);
      return [];
    }
  }

  #start(attempt: Attempt): void {
    this.#attemptsLeft -= 1;
    const startedAt = performance.now();
    const task = this.#options
      .attempt(attempt)
      .catch((error: unknown): AttemptOutcome => {
        this.#options.log(`An attempt failed unexpectedly: ${describeError(error)}.`);
        return { error: 'internal' };
      })
      .then((outcome) => {
        const { delivery_id, claim } = attempt;
        // How long a connection took to fail would separate a closed port from a filtered one.
        const isUnconnected = 'error' in outcome && outcome.error === 'connection.failed';
        const took_ms = isUnconnected ? null : Math.round(performance.now() - startedAt);
        this.#results.push({ delivery_id, claim, took_ms, ...outcome });
        this.#attempts.delete(task);
        this.#record();
      });
    this.#attempts.add(task);
  }

  /** One call at a time. Results that arrive meanwhile go with the next call. */
  #record(): void {
    this.#recording ??= this.#recordAll().finally(() => {
      this.#recording = undefined;
      if (this.#results.length > 0) this.#record();
      this.#notify();
    });
  }

  async #recordAll(): Promise<void> {
    for (let failures = 0; this.#results.length > 0 && failures < 3; ) {
      const batch = this.#results.splice(0, MAX_RESULTS);
      try {
        await this.#options.queries.recordResults(batch);
      } catch (error) {
        this.#options.log(`The results of ${batch.length} attempts were not recorded: ${describeError(error)}.`);
        this.#results.unshift(...batch);
        failures += 1;
        await sleep(500);
      }
    }
    // The claims have expired or soon will, so these deliveries are made again.
    this.#results.length = 0;
  }

  #notify(): void {
    this.#isWoken = true;
    this.#endPause();
  }

  /**
   * Waits until the next poll is due or something happens, and at least MIN_POLL_MS, so that the
   * worker does not spend its CPU on polling.
   */
  async #pause(): Promise<void> {
    await sleep(MIN_POLL_MS);
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      this.#endPause = resolve;
      if (this.#isWoken) resolve();
      else timer = setTimeout(resolve, POLL_MS - MIN_POLL_MS);
    });
    clearTimeout(timer);
    this.#isWoken = false;
  }
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
