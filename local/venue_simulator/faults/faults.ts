import type { Cancel, Clock } from '../core/clock.ts';
import { type HttpResponse, json } from '../core/http.ts';
import type { Runtime } from '../core/runtime.ts';
import { type HostileAnswer, isHostileAnswer } from './hostile_answer.ts';
import { VENUE_A_DEFAULT_MS, VENUE_A_FAULTS, VENUE_A_RATES, VenueAFaults } from './venue_a_faults.ts';

/**
 * The faults of venues.md D. A fault is either requested (POST /_sim/fault) or injected at random
 * at the rates below. Each acts where the real fault acts: on a connection, a book, a listing, or
 * the whole engine.
 */
export const FAULTS = [
  'gap',
  'silence',
  'cut',
  'duplicate',
  'reorder',
  'overflow',
  'late',
  'skew',
  'garbled',
  'scale',
  'crossed',
  'one_sided',
  'empty',
  'inverted',
  'ticks',
  'frozen',
  'frozen_both',
  'restart',
  'pause',
  'schema',
  'shift_rows',
  'late_market',
  'auth',
  'all_silent',
  'all_cut',
  'unknown_version',
  'null_flags',
  'new_delay',
  'no_resolution',
  'past_cut',
  'no_markets',
  'fee_waiver',
  'hostile_answer',
  'long_frame',
  ...VENUE_A_FAULTS,
] as const;
export type FaultName = (typeof FAULTS)[number];

/**
 * Mean seconds of real time between two faults of a kind, by set. A fault that is not listed is
 * never injected at random.
 */
const MILD_RATES: Partial<Record<FaultName, number>> = {
  gap: 180,
  cut: 900,
  duplicate: 300,
  one_sided: 120,
  empty: 240,
  crossed: 400,
};
const ALL_RATES: Partial<Record<FaultName, number>> = {
  gap: 40,
  silence: 180,
  cut: 240,
  duplicate: 40,
  reorder: 60,
  overflow: 400,
  late: 400,
  skew: 300,
  garbled: 120,
  scale: 900,
  crossed: 60,
  one_sided: 45,
  empty: 60,
  inverted: 120,
  ticks: 120,
  frozen: 90,
  frozen_both: 240,
  restart: 600,
  pause: 900,
  shift_rows: 60,
  schema: 600,
  ...VENUE_A_RATES,
  all_silent: 1_200,
  all_cut: 900,
  unknown_version: 900,
  null_flags: 900,
  new_delay: 900,
  no_resolution: 600,
};

/** A client's connection as a target of faults. */
export type FaultTarget = {
  readonly venue: 'a' | 'b';
  /** Whether books are sent to it. A fault of a connection without books would have no effect. */
  receivesBooks(): boolean;
  /** The tickers or tokens whose books it receives. */
  contracts(): readonly string[];
  inject(fault: FaultName, forMs: number, how?: string, onLoss?: OnLoss): void;
};

export type FaultRequest = {
  fault: FaultName;
  venue?: 'a' | 'b';
  ticker?: string;
  token_id?: string;
  slug?: string;
  for_ms?: number;
  how?: string;
};

/**
 * The target of a fault. `contracts`: the books that a connection under `silence` or `late` did not
 * receive in time, that `frozen` kept unchanged or a `gap` omitted, or the tokens that `inverted`
 * exchanged.
 */
export type FaultHit = { what: string; contracts?: readonly string[] };

/**
 * An injected fault, in real time. `for_ms` of a fault of a book or a market is market time; that
 * of a `gap` lasts from the lost message to the next about the same books, and is 0 until then.
 */
export type InjectedFault = {
  at: number;
  fault: FaultName;
  for_ms: number;
  hit: string;
  contracts?: readonly string[];
};

/** Injects a fault of the world. Returns null when there was no target. */
export type WorldFaults = (request: FaultRequest, forMs: number, random: () => number) => FaultHit | null;

export class Faults {
  readonly connections = new Set<FaultTarget>();
  readonly injected: InjectedFault[] = [];
  readonly venueA: VenueAFaults;
  /** Real time until which a venue's engine is restarting and its REST rejects requests. */
  readonly #downUntil = { a: 0, b: 0 };
  /** Until then, rows move between two pages. */
  #shiftingUntil = 0;
  /** Until then, venue A writes new subscriptions in the other price scale. */
  #mixingUntil = 0;
  /** Until then, requests for the settled past fail. */
  #pastFailsUntil = 0;
  #pastFailsWith: 'cut' | 503 = 'cut';
  /** Until then, all sockets of venue B are open and send nothing. */
  #allSilentUntil = 0;
  /** Until then, venue B's data API has no resolutions, or answers 503. */
  #noResolutionUntil = 0;
  #noResolutionAs: 'none' | '503' = 'none';
  /** Answers of `hostile_answer` that no request has got yet. */
  readonly #hostile: Record<'a' | 'b', HostileAnswer[]> = { a: [], b: [] };
  skewMs = 0;
  #skewUntil = 0;
  /** `late_market`: a new listing is 404 for this long. */
  newListingDelayMs: number;
  readonly #rates: Partial<Record<FaultName, number>>;
  readonly #worldFaults: WorldFaults;
  #stop: Cancel = () => {};
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #log: (message: string) => void;

  constructor(set: string, onWorld: WorldFaults, { clock, random, log }: Runtime) {
    this.#worldFaults = onWorld;
    this.#clock = clock;
    this.#random = random;
    this.#log = log;
    this.venueA = new VenueAFaults(clock);
    this.#rates = ratesOf(set);
    this.newListingDelayMs = set === 'none' ? 0 : 2_000;
  }

  start(): void {
    this.#stop = this.#clock.every(1_000, () => {
      for (const [fault, seconds] of Object.entries(this.#rates) as [FaultName, number][]) {
        if (this.#random() < 1 / seconds) this.inject({ fault, ...(fault === 'pause' ? this.#pausedPart() : {}) });
      }
    });
  }

  /** One exchange index of venue A, or every one. */
  #pausedPart(): { how?: string } {
    const how = ['0', '2', '3'][Math.floor(this.#random() * 4)];
    return how === undefined ? {} : { how };
  }

  stop(): void {
    this.#stop();
  }

  isDown(venue: 'a' | 'b'): boolean {
    return this.#clock.now() < this.#downUntil[venue];
  }

  isShifting(): boolean {
    return this.#clock.now() < this.#shiftingUntil;
  }

  mixesScales(): boolean {
    return this.#clock.now() < this.#mixingUntil;
  }

  /** What a request for the settled past gets during the fault `past_cut`. */
  pastFailure(): 'cut' | HttpResponse | null {
    if (this.#clock.now() >= this.#pastFailsUntil) return null;
    return this.#pastFailsWith === 'cut' ? 'cut' : json({ error: 'service unavailable' }, 503);
  }

  /** How long a new socket of venue B sends nothing. */
  silentMs(): number {
    return Math.max(0, this.#allSilentUntil - this.#clock.now());
  }

  /** What a request for resolutions gets: no row, or a failure. */
  resolutionFailure(): 'none' | '503' | null {
    return this.#clock.now() < this.#noResolutionUntil ? this.#noResolutionAs : null;
  }

  /** The hostile answer that the next request of a venue gets. Each is sent once. */
  takeHostileAnswer(venue: 'a' | 'b'): HostileAnswer | undefined {
    return this.#hostile[venue].shift();
  }

  skew(): number {
    return this.#clock.now() < this.#skewUntil ? this.skewMs : 0;
  }

  /** Injects one fault. Returns its target. */
  inject(request: FaultRequest): string | null {
    const { fault } = request;
    const forMs = request.for_ms ?? DEFAULT_MS[fault] ?? 5_000;
    const record: InjectedFault = { at: this.#clock.now(), fault, for_ms: fault === 'gap' ? 0 : forMs, hit: '' };
    const hit = this.#apply(request, forMs, (contracts, at, lasted) => {
      Object.assign(record, { contracts, at, for_ms: lasted ?? 0 });
    });
    if (!hit) return null;
    const { what, contracts } = hit;
    record.hit = what;
    if (contracts) record.contracts = contracts;
    this.injected.push(record);
    if (this.injected.length > 500) this.injected.splice(0, 100);
    this.#log(`fault ${fault}: ${what}`);
    return what;
  }

  #apply(request: FaultRequest, forMs: number, onLoss: OnLoss): FaultHit | null {
    const { fault } = request;
    switch (fault) {
      case 'restart': {
        const venue = request.venue ?? (this.#random() < 0.5 ? 'a' : 'b');
        this.#downUntil[venue] = this.#clock.now() + forMs;
        for (const connection of this.connections) if (connection.venue === venue) connection.inject('cut', 0);
        return { what: `venue_${venue} engine for ${forMs} ms` };
      }
      case 'expired_key':
        if (request.how === 'closed' || request.how === 'reset')
          for (const connection of this.connections) if (connection.venue === 'a') connection.inject('cut', 0);
        return this.venueA.apply(request, forMs);
      case 'scale':
        this.#mixingUntil = this.#clock.now() + forMs;
        for (const connection of this.connections) if (connection.venue === 'a') connection.inject('cut', 0);
        return { what: `new subscriptions of venue_a in the other scale for ${forMs} ms` };
      case 'skew':
        this.skewMs = request.how === 'ahead' ? 7_000 : -7_000;
        this.#skewUntil = this.#clock.now() + forMs;
        return { what: `clock ${this.skewMs} ms` };
      case 'shift_rows':
        this.#shiftingUntil = this.#clock.now() + forMs;
        return { what: `pages for ${forMs} ms` };
      case 'past_cut':
        if (request.how === 'lift') {
          this.#pastFailsUntil = 0;
          return { what: 'the settled past is served again' };
        }
        this.#pastFailsWith = request.how === '503' ? 503 : 'cut';
        this.#pastFailsUntil = forMs === 0 ? Number.POSITIVE_INFINITY : this.#clock.now() + forMs;
        return { what: `the settled past fails for ${forMs === 0 ? 'good' : `${forMs} ms`}` };
      case 'all_silent':
        this.#allSilentUntil = this.#clock.now() + forMs;
        return this.#everySocketOfB('silence', forMs);
      case 'all_cut':
        return this.#everySocketOfB('cut', forMs);
      case 'no_resolution':
        this.#noResolutionAs = request.how === '503' ? '503' : 'none';
        this.#noResolutionUntil = this.#clock.now() + forMs;
        return { what: `no resolutions of venue_b for ${forMs} ms` };
      case 'hostile_answer': {
        const { venue, how } = request;
        if (!venue || !isHostileAnswer(how)) return null;
        this.#hostile[venue].push(how);
        return { what: `the next request of venue_${venue}: ${how}` };
      }
      case 'late_market':
        this.newListingDelayMs = forMs;
        return { what: `new markets are 404 for ${forMs} ms` };
      case 'gap':
      case 'silence':
      case 'cut':
      case 'duplicate':
      case 'reorder':
      case 'overflow':
      case 'late':
      case 'garbled':
      case 'long_frame':
      case 'auth': {
        const candidates = [...this.connections].filter(
          (one) => one.receivesBooks() && (!request.venue || one.venue === request.venue),
        );
        const eligible =
          fault === 'overflow' || fault === 'auth' ? candidates.filter((one) => one.venue === 'a') : candidates;
        const target = eligible[Math.floor(this.#random() * eligible.length)];
        if (!target) return null;
        const contracts = fault === 'silence' || fault === 'late' ? { contracts: target.contracts() } : {};
        target.inject(fault, forMs, request.how, onLoss);
        return { what: `a connection of venue_${target.venue}`, ...contracts };
      }
      default:
        return this.venueA.apply(request, forMs) ?? this.#worldFaults(request, forMs, this.#random);
    }
  }

  /** Null without a socket: at that time the fault would have no effect. */
  #everySocketOfB(fault: 'silence' | 'cut', forMs: number): FaultHit | null {
    const sockets = [...this.connections].filter((one) => one.venue === 'b' && one.receivesBooks());
    if (sockets.length === 0) return null;
    const contracts = sockets.flatMap((one) => one.contracts());
    for (const socket of sockets) socket.inject(fault, forMs);
    return { what: `all ${sockets.length} sockets of venue_b`, contracts };
  }
}

const DEFAULT_MS: Partial<Record<FaultName, number>> = {
  ...VENUE_A_DEFAULT_MS,
  no_markets: 60_000,
  fee_waiver: 600_000,
  silence: 45_000,
  late: 20_000,
  // How long a message waits for one that overtakes it. On a connection with few books there may be
  // none for seconds.
  reorder: 200,
  skew: 30_000,
  scale: 60_000,
  inverted: 60_000,
  pause: 60_000,
  crossed: 3_000,
  one_sided: 10_000,
  empty: 8_000,
  frozen: 60_000,
  frozen_both: 60_000,
  restart: 20_000,
  shift_rows: 10_000,
  late_market: 10_000,
  all_silent: 60_000,
  all_cut: 0,
  no_resolution: 60_000,
  past_cut: 30_000,
};

function ratesOf(set: string): Partial<Record<FaultName, number>> {
  if (set === 'none') return {};
  if (set === 'mild') return MILD_RATES;
  if (set === 'all') return ALL_RATES;
  const names = set.split(',').map((name) => name.trim());
  for (const name of names) {
    if (!(FAULTS as readonly string[]).includes(name))
      throw new Error(`unknown fault "${name}"; use all, none, mild or ${FAULTS.join(', ')}`);
  }
  return Object.fromEntries(names.map((name) => [name, ALL_RATES[name as FaultName] ?? 60]));
}

export function isFaultRequest(value: unknown): value is FaultRequest {
  return (
    typeof value === 'object' &&
    value !== null &&
    (FAULTS as readonly unknown[]).includes((value as { fault?: unknown }).fault)
  );
}

/**
 * Called when a message about books is lost, with its contracts; and again with the duration when
 * the next message names one of them.
 */
export type OnLoss = (contracts: readonly string[], at: number, forMs: number | null) => void;
