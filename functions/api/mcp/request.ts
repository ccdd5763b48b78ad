import { hashKey } from '../../_shared/http/hash_key.ts';
import type { Services } from '../app_types.ts';
import type { ResponseRow } from '../database.ts';
import { ApiError } from '../http/errors.ts';
import { rateHeaders } from '../http/rate.ts';
import { refused, standingOf } from '../respond.ts';
import { type Fault, faultOf } from './tool_error.ts';

/** What a route of the API answered: the value of its JSON, or why there is none. */
export type Reply = { value: Record<string, unknown>; fault?: undefined } | { value?: undefined; fault: Fault };

/**
 * One HTTP request of MCP while it is answered. Whatever it asks is admitted and counted by the database like any request of REST, and
 * what is learnt of the organization's limits is kept for the headers. A message that asks nothing is admitted by itself (`admit`).
 */
export class Exchange {
  readonly requestId: string;
  readonly services: Services;
  readonly #key: string;
  /** `RateLimit` and `RateLimit-Policy`, once the database was asked. */
  limits: Record<string, string> = {};
  /** Whether admission has run, whatever it said. */
  asked = false;
  /** The answer is a stream of a call that is running: its headers wait for `admitted`. */
  streams = false;
  /** The key is nobody's: that is HTTP's 401 and not an answer of the protocol. */
  unknownKey: ApiError | undefined;
  /** Settles when admission has run, so that an answer which begins before its end can carry the right headers. */
  readonly admitted: Promise<void>;
  #tellAdmitted: () => void = () => {};

  constructor(key: string, services: Services, requestId: string) {
    this.#key = key;
    this.services = services;
    this.requestId = requestId;
    this.admitted = new Promise((resolve) => {
      this.#tellAdmitted = resolve;
    });
  }

  keyHash(): string {
    return hashKey(this.#key);
  }

  /** Admission alone, for what needs nothing of the markets: it counts in the window. Throws the ApiError of a refusal. */
  async admit(): Promise<void> {
    const caller = { keyHash: this.keyHash() };
    // api.act runs admission and nothing else for what it is told to be invalid: here, because there is nothing to run.
    await this.letIn(
      this.services.database.act({ requestId: this.requestId, caller, route: 'mcp', params: {}, invalid: true }),
    );
  }

  /** Asks a route of this API with the same key. */
  async ask(method: string, address: string, body?: object): Promise<Reply> {
    const request = new Request(`http://parallax/api${address}`, {
      method,
      headers: {
        Authorization: `Bearer ${this.#key}`,
        'X-Request-Id': this.requestId,
        ...(body ? { 'Content-Type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const answer = await this.services.ask(request);
    for (const name of ['RateLimit', 'RateLimit-Policy']) {
      const value = answer.headers.get(name);
      if (value !== null) this.limits[name] = value;
    }
    // What is refused before admission (no such route, a long address) has admitted nobody.
    if (this.limits.RateLimit !== undefined || answer.status === 401 || answer.status >= 500) this.#mark();
    const value: Record<string, unknown> = await answer.json();
    if (answer.ok) return { value };
    if (answer.status === 401) this.unknownKey = new ApiError('auth.revoked_key');
    return { fault: faultOf(value) };
  }

  /** Waits for a row of the database and keeps what it says of the organization. Throws the ApiError of a refusal or of an outage. */
  async letIn(asking: Promise<ResponseRow>): Promise<ResponseRow> {
    try {
      const row = await asking;
      const standing = standingOf(row);
      if (standing) this.limits = rateHeaders(standing);
      if (row.code === null) return row;
      const refusal = refused(row.code, standing);
      if (refusal instanceof ApiError && refusal.status === 401) this.unknownKey = refusal;
      throw refusal;
    } finally {
      // Last, since who waits for it reads the rest; and also in an outage: to ask again at once would only wait again.
      this.#mark();
    }
  }

  #mark(): void {
    this.asked = true;
    this.#tellAdmitted();
  }
}
