/** Reads `process.cpuUsage()`: microseconds since the process started, over all threads. */
export type ReadCpu = () => { user: number; system: number };

/** `process.cpuUsage` of the runtime; undefined where the runtime has none. */
export const processCpu: ReadCpu | undefined = (() => {
  const { process } = globalThis as { process?: { cpuUsage?: ReadCpu } };
  return process?.cpuUsage && (() => process.cpuUsage?.() ?? { user: 0, system: 0 });
})();

/**
 * A process that used more CPU than this before our first line also runs other isolates. Its figure
 * does not measure this isolate.
 */
const OWN_PROCESS_BELOW_MS = 1_000;
/**
 * A process with a running event loop uses some CPU in this time. A reading that is the same as
 * this long ago measures nothing: `process.cpuUsage()` of the hosted runtime always returns zeros.
 */
const STANDSTILL_MS = 5_000;

/** The time of the trial below with Deno 2.1.4 where the figures were measured (2026-11-26). */
const REFERENCE_MS = 0.19;
const MAX_SLOWNESS = 3;

/**
 * Runs of the trial, 15 ms of CPU in all. The first thirty take a third longer, because their
 * memory is new, and twice as long on a busy machine.
 */
const TRIAL_RUNS = 60;

/**
 * How much slower this processor is than the one where the figures of the functions were measured:
 * 1 to 3. The trial parses and prints 36 KB of JSON, as the functions do; the shortest run is one
 * that was not interrupted.
 */
export function slownessOfMachine(now: () => number = () => performance.now()): number {
  const rows = Array.from({ length: 400 }, (_, n) => ({ id: `KX-${n}`, bid: n, ask: n + 1, text: 'x'.repeat(40) }));
  const text = JSON.stringify(rows);
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < TRIAL_RUNS; run += 1) {
    const startedAt = now();
    JSON.stringify(JSON.parse(text));
    least = Math.min(least, now() - startedAt);
  }
  return Math.min(MAX_SLOWNESS, Math.max(1, least / REFERENCE_MS));
}

export type CpuEstimate = {
  /** CPU until the function serves: modules and first connections. */
  bootMs: number;
  /** CPU for each second of the isolate's life. */
  secondMs: number;
};

/**
 * CPU that this isolate has used. The meter reads the process where the isolate has a process of
 * its own and the reading grows. Elsewhere it estimates from the work that was charged, with
 * figures on the safe side and the speed of the machine: the hosted runtime runs many isolates in
 * one process and reports no CPU for a single isolate.
 */
export class CpuMeter {
  readonly #estimate: CpuEstimate;
  readonly #now: () => number;
  readonly #startedAt: number;
  #read: ReadCpu | undefined;
  #readingMs = 0;
  #grewAt: number;
  #chargedMs = 0;
  readonly #trySlowness: () => number;
  #slowness: number | undefined;

  constructor(options: {
    read: ReadCpu | undefined;
    estimate: CpuEstimate;
    now: () => number;
    /** Factor of the estimate: see `slownessOfMachine`. Called once, when an estimate is needed. */
    slowness?: () => number;
  }) {
    this.#trySlowness = options.slowness ?? (() => 1);
    this.#estimate = options.estimate;
    this.#now = options.now;
    this.#startedAt = options.now();
    this.#grewAt = this.#startedAt;
    const first = readMs(options.read);
    if (first === undefined || first <= 0 || first >= OWN_PROCESS_BELOW_MS) return;
    this.#read = options.read;
    this.#readingMs = first;
  }

  get isMeasured(): boolean {
    return this.#read !== undefined;
  }

  /** Adds work that costs `ms` of CPU. Counts only where nothing is measured. */
  charge(ms: number): void {
    this.#chargedMs += ms;
  }

  get usedMs(): number {
    this.#takeReading();
    if (this.#read) return this.#readingMs;
    const { bootMs, secondMs } = this.#estimate;
    this.#slowness ??= this.#trySlowness();
    const seconds = (this.#now() - this.#startedAt) / 1_000;
    return Math.max(this.#readingMs, (bootMs + seconds * secondMs + this.#chargedMs) * this.#slowness);
  }

  /** Gives up measuring where the reading is missing or no longer grows. */
  #takeReading(): void {
    const now = this.#now();
    const reading = readMs(this.#read) ?? 0;
    if (reading > this.#readingMs) {
      this.#readingMs = reading;
      this.#grewAt = now;
    } else if (now - this.#grewAt >= STANDSTILL_MS) {
      this.#read = undefined;
    }
  }
}

/** Milliseconds; undefined where the runtime reports nothing. */
function readMs(read: ReadCpu | undefined): number | undefined {
  try {
    const used = read?.();
    return used && (used.user + used.system) / 1_000;
  } catch {
    return undefined;
  }
}
