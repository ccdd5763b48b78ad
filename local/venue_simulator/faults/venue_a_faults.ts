import type { Clock } from '../core/clock.ts';

/** Faults of venue A's key, limits and status (venues.md G). They last for a real time. */
export const VENUE_A_FAULTS = [
  'no_status',
  'expired_key',
  'batch_refused',
  'item_billing',
  'throttled',
  'market_limit',
  'command_rate',
] as const;
export type VenueAFault = (typeof VENUE_A_FAULTS)[number];

export const VENUE_A_DEFAULT_MS: Record<VenueAFault, number> = {
  no_status: 60_000,
  expired_key: 60_000,
  batch_refused: 60_000,
  item_billing: 60_000,
  throttled: 3_000,
  market_limit: 60_000,
  command_rate: 20_000,
};

/** Mean seconds between two random faults. An expired key would stop the sockets for minutes. */
export const VENUE_A_RATES: Partial<Record<VenueAFault, number>> = {
  batch_refused: 900,
  item_billing: 900,
  throttled: 600,
  market_limit: 1_200,
  command_rate: 900,
};

/** Defaults of `how` where it is a number. */
const TOKENS_PER_BOOK = 10;
const MARKETS_PER_SUBSCRIPTION = 100;
const COMMANDS_PER_SECOND = 1;

const isVenueAFault = (fault: string): fault is VenueAFault => (VENUE_A_FAULTS as readonly string[]).includes(fault);

/** The state of these faults. */
export class VenueAFaults {
  readonly #clock: Clock;
  readonly #active = new Map<VenueAFault, { until: number; how: string | undefined }>();
  /** Exchange index → end of its pause; null for every index. */
  readonly #pauses = new Map<number | null, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Injects a fault. Null when it is another one, or `how` is no number where it must be. */
  apply({ fault, how }: { fault: string; how?: string }, forMs: number): { what: string } | null {
    const until = this.#clock.now() + forMs;
    if (fault === 'pause') {
      const index = how === undefined ? null : Number(how);
      if (index !== null && !Number.isInteger(index)) return null;
      this.#pauses.set(index, until);
      return { what: `venue_a ${index === null ? '' : `index ${index} `}is paused for ${forMs} ms` };
    }
    if (!isVenueAFault(fault)) return null;
    this.#active.set(fault, { until, how });
    return { what: `venue_a ${fault}${how === undefined ? '' : ` (${how})`} for ${forMs} ms` };
  }

  isActive(fault: VenueAFault): boolean {
    return this.#clock.now() < (this.#active.get(fault)?.until ?? 0);
  }

  isPaused(index: number): boolean {
    return this.#clock.now() < Math.max(this.#pauses.get(null) ?? 0, this.#pauses.get(index) ?? 0);
  }

  /** Whether the status has a row for this index. */
  hasStatusRow(index: number): boolean {
    const how = this.#howOf('no_status');
    return how === null || (how !== undefined && Number(how) !== index);
  }

  /** Whether a handshake with the expired key ends without an HTTP response. */
  resetsHandshakes(): boolean {
    return this.#howOf('expired_key') === 'reset';
  }

  /** Tokens of each book of a batch; null when a batch costs as much as any request. */
  tokensPerBook(): number | null {
    const how = this.#howOf('item_billing');
    return how === null ? null : Number(how) || TOKENS_PER_BOOK;
  }

  /** Whether `GET /account/endpoint_costs` lists what a book of a batch costs. */
  listsBookCost(): boolean {
    const how = this.#howOf('item_billing');
    return how !== null && how !== 'unlisted';
  }

  /** Markets that one subscription takes; null without a limit. */
  marketLimit(): number | null {
    const how = this.#howOf('market_limit');
    return how === null ? null : Number(how) || MARKETS_PER_SUBSCRIPTION;
  }

  /** Commands that one connection may send per second; null without a limit. */
  commandRate(): number | null {
    const how = this.#howOf('command_rate');
    return how === null ? null : Number(how) || COMMANDS_PER_SECOND;
  }

  /** `how` of an active fault; null while it is not active. */
  #howOf(fault: VenueAFault): string | undefined | null {
    return this.isActive(fault) ? this.#active.get(fault)?.how : null;
  }
}
