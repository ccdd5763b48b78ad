/** What `process.cpuUsage()` answers: microseconds since the process began, of all its threads. */
export type ReadCpu = () => { user: number; system: number };

/** The runtime's own answer where it has one. */
export const processCpu: ReadCpu | undefined = (() => {
  const { process } = globalThis as { process?: { cpuUsage?: ReadCpu } };
  return process?.cpuUsage && (() => process.cpuUsage?.() ?? { user: 0, system: 0 });
})();

/** A process that has used more than this before our first line holds other isolates as well: what it uses says nothing about ours. */
const OWN_PROCESS_BELOW_MS = 1_000;

export type CpuEstimate = {
  /** Until the function serves: modules, first connections. */
  bootMs: number;
  /** Each second that it lives. */
  secondMs: number;
};

/**
 * CPU that this isolate has used. Where the runtime can be asked about a process of our own it is measured; elsewhere (the hosted runtime
 * has no word about one isolate, and its process holds many) it is estimated from what was done, with figures on the safe side.
 */
export class CpuMeter {
  readonly #read: ReadCpu | undefined;
  readonly #estimate: CpuEstimate;
  readonly #now: () => number;
  readonly #startedAt: number;
  #chargedMs = 0;

  constructor(options: { read: ReadCpu | undefined; estimate: CpuEstimate; now: () => number }) {
    this.#estimate = options.estimate;
    this.#now = options.now;
    this.#startedAt = options.now();
    const first = readMs(options.read);
    this.#read = first !== undefined && first < OWN_PROCESS_BELOW_MS ? options.read : undefined;
  }

  get isMeasured(): boolean {
    return this.#read !== undefined;
  }

  /** Something was done that costs so much; counts where nothing can be measured. */
  charge(ms: number): void {
    this.#chargedMs += ms;
  }

  get usedMs(): number {
    const { bootMs, secondMs } = this.#estimate;
    const seconds = (this.#now() - this.#startedAt) / 1_000;
    return readMs(this.#read) ?? bootMs + seconds * secondMs + this.#chargedMs;
  }
}

/** Milliseconds; undefined where the runtime does not answer. */
function readMs(read: ReadCpu | undefined): number | undefined {
  try {
    const used = read?.();
    return used && (used.user + used.system) / 1_000;
  } catch {
    return undefined;
  }
}
