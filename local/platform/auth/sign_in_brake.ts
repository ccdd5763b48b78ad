/** Tries of a password for one e-mail address within the window. A right one ends the count. */
const MAX_TRIES = 10;
const WINDOW_MS = 60_000;
/** Addresses that are remembered. The one that was tried first is forgotten first. */
const MAX_ADDRESSES = 10_000;

/**
 * Slows guesses of a password: after ten tries for one address without the right one it refuses
 * more of them for the rest of a minute. Callers are not distinguished, because all of them are on
 * this machine.
 */
export class SignInBrake {
  readonly #tries = new Map<string, { count: number; since: number }>();
  readonly #now: () => number;

  /** `now`: monotonic milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Counts a try before its outcome is known, so that tries at the same time count as well. */
  admits(email: string): boolean {
    const key = keyOf(email);
    const found = this.#tries.get(key);
    if (found && this.#now() - found.since < WINDOW_MS) return ++found.count <= MAX_TRIES;
    // Deleted first, so that it becomes the newest.
    this.#tries.delete(key);
    this.#tries.set(key, { count: 1, since: this.#now() });
    const [oldest] = this.#tries.keys();
    if (this.#tries.size > MAX_ADDRESSES && oldest !== undefined) this.#tries.delete(oldest);
    return true;
  }

  /** The password was right. */
  succeeded(email: string): void {
    this.#tries.delete(keyOf(email));
  }
}

const keyOf = (email: string) => email.trim().toLowerCase();
