import type { Signer } from './sign.ts';

/** A refused key is tried again after this time: the cause may be at the venue. */
export const KEY_RETRY_MS = 300_000;

export type AccessKeyOptions = {
  sign: Signer;
  /** Real time, epoch ms. */
  now(): number;
  retryMs?: number;
};

/** Where the venue refused the key: at a WebSocket, or for a signed REST request. */
export type KeyUse = 'socket' | 'rest';

/**
 * The API key of venue_a and whether the venue refuses it. A key can expire
 * (`api_key_region_expiration_ts`, venues.md G3). The venue then refuses each handshake and may
 * answer 401 to each signed request, also where it would accept an unsigned one. So requests are
 * unsigned while the key is refused.
 */
export class AccessKey {
  readonly sign: Signer;
  readonly retryMs: number;
  readonly #now: () => number;
  #refused: { reason: string; use: KeyUse; retryAt: number } | null = null;

  constructor({ sign, now, retryMs = KEY_RETRY_MS }: AccessKeyOptions) {
    this.sign = sign;
    this.#now = now;
    this.retryMs = retryMs;
  }

  /** Why the venue refuses the key (`401`, `error 9`). Null while it accepts the key. */
  get refusal(): string | null {
    return this.#refused?.reason ?? null;
  }

  /** Whether requests are signed: the key is accepted, or due to be tried again. */
  get isUsable(): boolean {
    return this.#refused === null || this.#now() >= this.#refused.retryAt;
  }

  /** The headers of a REST request. None while the key is refused. */
  headers(method: string, path: string): Promise<Record<string, string>> {
    return this.isUsable ? this.sign(method, path) : Promise.resolve({});
  }

  /** A refused handshake counts until one is accepted; an accepted REST request does not end it. */
  refuse(reason: string, by: KeyUse): void {
    const use = this.#refused?.use === 'socket' ? 'socket' : by;
    this.#refused = { reason, use, retryAt: this.#now() + this.retryMs };
  }

  /**
   * The venue accepted the key. A public REST endpoint may accept a request without checking its
   * signature, so REST does not overrule the refusal of a handshake.
   */
  accept(use: KeyUse): void {
    if (use === 'socket' || this.#refused?.use === 'rest') this.#refused = null;
  }
}
