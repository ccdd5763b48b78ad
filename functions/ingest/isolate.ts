import { describeError } from '../_shared/pool/error_fields.ts';
/** A shift as its isolate sees it. */
export type IsolateRun = {
  readonly heldLeases: string[];
  /** When it ends by itself, real epoch ms: earlier than it was told where its CPU is spent first. */
  readonly endsAt: number;
  stop(): void;
  run(): Promise<void>;
};

/** An orderly end takes some seconds: the last flush, and the leases given back. Of a short life, a quarter at most. */
const MAX_RESERVE_MS = 15_000;
const reserveOf = (lifeMs: number): number => Math.min(MAX_RESERVE_MS, lifeMs / 4);
/** Less time than this is not worth a warm-up. */
const MIN_RUN_MS = 30_000;
/** In the last seconds of a shift its successor warms up beside it (venue.claim_leases allows as much). */
const OVERLAP_MS = 20_000;

export type IsolateOptions = {
  wallClockSeconds: number;
  now(): number;
  /** A new shift that ends by itself at `endsAt` (real epoch ms); `requestId`: the call that begins it. */
  createRun(endsAt: number, requestId?: string): IsolateRun;
  log(line: string): void;
};

/** The shifts of one isolate: one at a time, but for the overlap of a hand-over. */
export class Isolate {
  readonly #options: IsolateOptions;
  readonly #bootedAt: number;
  readonly #runs = new Set<IsolateRun>();

  constructor(options: IsolateOptions) {
    this.#options = options;
    this.#bootedAt = options.now();
  }

  get heldLeases(): string[] {
    return [...this.#runs].flatMap((shift) => shift.heldLeases).sort();
  }

  /** Begins a shift if none runs that goes on; the promise ends with it. Null where one does. */
  start(requestId?: string): Promise<void> | null {
    const now = this.#options.now();
    if ([...this.#runs].some(({ endsAt }) => endsAt - now > OVERLAP_MS)) return null;
    const shift = this.#options.createRun(this.#endsAtFrom(now), requestId);
    this.#runs.add(shift);
    return shift
      .run()
      .catch((error) => this.#options.log(`the shift broke off: ${describeError(error)}`))
      .finally(() => this.#runs.delete(shift));
  }

  stop(): void {
    for (const shift of this.#runs) shift.stop();
  }

  /**
   * The platform counts from the isolate's start, not from the call that found it awake. Near that end, or past it where nobody keeps the
   * limit, a full shift begins all the same: if the isolate is taken away, `beforeunload` gives its leases back at once, and if it is not,
   * reading goes on without a gap.
   */
  #endsAtFrom(now: number): number {
    const whole = this.#options.wallClockSeconds * 1_000;
    const life = whole - reserveOf(whole);
    const ends = this.#bootedAt + life;
    return ends - now >= MIN_RUN_MS ? ends : now + life;
  }
}
