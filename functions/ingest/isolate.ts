import { describeError } from '../_shared/pool/error_fields.ts';

/** A worker run as its isolate sees it. */
export type IsolateRun = {
  readonly heldLeases: string[];
  /** When the run stops by itself, real epoch ms. Earlier than planned when its CPU is used up. */
  readonly endsAt: number;
  stop(): void;
  run(): Promise<void>;
};

/**
 * The stop takes some seconds for the last flush and the release of the leases. A short life
 * reserves a quarter at most.
 */
const MAX_RESERVE_MS = 15_000;
const reserveOf = (lifeMs: number): number => Math.min(MAX_RESERVE_MS, lifeMs / 4);
/** A warm-up is not worth less time than this. */
const MIN_RUN_MS = 30_000;
/** In the last seconds of a run its successor warms up (venue.claim_leases allows as much). */
const OVERLAP_MS = 20_000;

export type IsolateOptions = {
  wallClockSeconds: number;
  now(): number;
  /**
   * Creates a worker run that stops at `endsAt` (real epoch ms). `requestId` is the call that
   * starts it.
   */
  createRun(endsAt: number, requestId?: string): IsolateRun;
  log(line: string): void;
};

/** The worker runs of one isolate: one at a time, except during a handover. */
export class Isolate {
  readonly #options: IsolateOptions;
  readonly #bootedAt: number;
  readonly #runs = new Set<IsolateRun>();

  constructor(options: IsolateOptions) {
    this.#options = options;
    this.#bootedAt = options.now();
  }

  get heldLeases(): string[] {
    return [...this.#runs].flatMap((run) => run.heldLeases).sort();
  }

  /**
   * Starts a run and returns a promise that ends with it. Null when a run goes on that is not about
   * to end.
   */
  start(requestId?: string): Promise<void> | null {
    const now = this.#options.now();
    if ([...this.#runs].some(({ endsAt }) => endsAt - now > OVERLAP_MS)) return null;
    const run = this.#options.createRun(this.#endsAtFrom(now), requestId);
    this.#runs.add(run);
    return run
      .run()
      .catch((error) => this.#options.log(`the worker failed: ${describeError(error)}`))
      .finally(() => this.#runs.delete(run));
  }

  stop(): void {
    for (const run of this.#runs) run.stop();
  }

  /**
   * The platform counts from the start of the isolate, not from the call that found it running.
   * Close to that end, or after it where the limit is not enforced, a full run starts anyway. If
   * the platform ends the isolate, `beforeunload` releases the leases at once. If not, the work
   * continues without a gap.
   */
  #endsAtFrom(now: number): number {
    const wallClockMs = this.#options.wallClockSeconds * 1_000;
    const lifeMs = wallClockMs - reserveOf(wallClockMs);
    const endsAt = this.#bootedAt + lifeMs;
    return endsAt - now >= MIN_RUN_MS ? endsAt : now + lifeMs;
  }
}
