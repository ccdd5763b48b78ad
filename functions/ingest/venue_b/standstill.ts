/**
 * Notices that the whole venue stopped: all sockets ended at once, or all of them are open and send
 * no changes although they did before. The matching engine may then be closed while REST goes on
 * answering with its last books (venues.md G4), so one connection's own snapshot proves nothing.
 */

/**
 * No change on any socket for this long is silence. Clients of this venue use about 30 s for one
 * connection (venues.md D); all connections together carry more.
 */
export const SILENCE_MS = 20_000;
/**
 * Silence counts only after this many changes within `CARRYING_SPAN_MS`: at that pace 20 s without
 * a change happen once in half a million times. A few quiet markets at night are no standstill.
 */
const CARRYING_CHANGES = 40;
const CARRYING_SPAN_MS = 60_000;
/** After such a pause of this process, messages wait to be read, and silence proves nothing. */
const MAX_TIMER_GAP_MS = 2_000;

export type StandstillReason = 'venue.disconnected' | 'venue.silent';
/** `began`: all books are invalid. `over`: the venue sends again, so fresh books can be read. */
export type StandstillChange = 'began' | 'over' | null;

export class Standstill {
  readonly #silenceMs: number;
  /** Real times of the latest changes, a ring. */
  readonly #changes: number[] = [];
  #next = 0;
  #changedAt = Number.NEGATIVE_INFINITY;
  #checkedAt = Number.NEGATIVE_INFINITY;
  /** Silence counts from this time at the earliest. */
  #countsFrom = Number.NEGATIVE_INFINITY;
  #wasOpen = false;
  #began = 0;
  reason: StandstillReason | null = null;
  /** Market time of the last change, epoch ms. */
  lastChangeAt: number | null = null;

  constructor(silenceMs = SILENCE_MS) {
    this.#silenceMs = silenceMs;
  }

  /** A change of a book arrived on any socket. A snapshot is none: a closed engine sends it too. */
  onChange(now: number, at: number): void {
    this.#changes[this.#next] = now;
    this.#next = (this.#next + 1) % CARRYING_CHANGES;
    this.#changedAt = now;
    this.lastChangeAt = at;
  }

  /** `open`: how many sockets are open. Called several times a second. */
  check(now: number, open: number): StandstillChange {
    const hasPaused = now - this.#checkedAt > MAX_TIMER_GAP_MS;
    this.#checkedAt = now;
    if (this.reason !== null) return this.#checkEnd(open);
    if (open === 0) return this.#wasOpen ? this.#begin('venue.disconnected', now) : null;
    this.#wasOpen = true;
    if (hasPaused) this.#countsFrom = now;
    const isSilent = this.#isCarrying && now - Math.max(this.#changedAt, this.#countsFrom) >= this.#silenceMs;
    return isSilent ? this.#begin('venue.silent', now) : null;
  }

  #checkEnd(open: number): StandstillChange {
    const isBack = this.reason === 'venue.disconnected' ? open > 0 : this.#changedAt > this.#began;
    if (!isBack) return null;
    this.reason = null;
    this.#wasOpen = open > 0;
    return 'over';
  }

  #begin(reason: StandstillReason, now: number): StandstillChange {
    this.reason = reason;
    this.#began = now;
    this.#wasOpen = false;
    // The pace after a standstill has to be measured first.
    this.#changes.length = 0;
    this.#next = 0;
    return 'began';
  }

  get #isCarrying(): boolean {
    const first = this.#changes[this.#next];
    return this.#changes.length === CARRYING_CHANGES && (first ?? 0) >= this.#changedAt - CARRYING_SPAN_MS;
  }
}
