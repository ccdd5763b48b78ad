import { Pool } from '../_shared/pool/pool.ts';
import type { ReceiverResponse } from './http_request.ts';

/** Two connections by default: one claims deliveries while the other records results. */
export function connect(
  url: string,
  log: (line: string) => void,
  maxConnections = 2,
  requestId?: string,
  onQuery?: () => void,
): Pool {
  return new Pool({ url, name: 'parallax deliver', maxConnections, limitMs: 7_000, log, requestId, onQuery });
}

/**
 * One attempt to make now, a row of `webhook.attempt`: the signed body and the parsed parts of the
 * URL.
 */
export type Attempt = {
  delivery_id: string;
  claim: string;
  event: string;
  body: string;
  host: string;
  port: number;
  target: string;
  /** Without TLS: the inbox of `npm start`. */
  plain: boolean;
  /** The operator allows this host, so the addresses that it resolves to are not checked. */
  listed: boolean;
  /** Error code that prevents the request, or null. */
  refused: string | null;
  signed_at: string;
  signature: string;
  standard_signature: string;
};

/** The response of the receiver, or the error code that explains why there is none. */
export type AttemptOutcome = ReceiverResponse | { error: string };
export type AttemptResult = { delivery_id: string; claim: string; took_ms: number | null } & AttemptOutcome;

/** The SQL functions that the role parallax_deliver may execute, one method each. */
export class DeliveryQueries {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async claimDeliveries(maxDeliveries: number, maxPerEndpoint: number, activeSeconds: number): Promise<Attempt[]> {
    return await this.#pool.sql<Attempt>`
      select * from webhook.claim_deliveries(${maxDeliveries}, ${maxPerEndpoint}, ${`${activeSeconds} seconds`}::interval)`;
  }

  async recordResults(results: readonly AttemptResult[]): Promise<void> {
    await this.#pool.sql`select pipeline.record_results(${JSON.stringify(results)}::text::jsonb)`;
  }

  /** Returns the addresses that belong to the public Internet. */
  async filterPublicAddresses(addresses: readonly string[]): Promise<string[]> {
    const [row] = await this.#pool.sql<{ found: string[] }>`
      select to_jsonb(webhook.filter_public_addresses(array(select jsonb_array_elements_text(${JSON.stringify(addresses)}::text::jsonb)))) as found`;
    return row?.found ?? [];
  }

  /** Rejects where the database does not answer within `limitMs`. */
  async ping(limitMs: number): Promise<void> {
    await this.#pool.query('select 1', [], limitMs);
  }

  async releaseSender(): Promise<void> {
    await this.#pool.sql`select webhook.release_sender()`;
  }

  async end(): Promise<void> {
    await this.#pool.end(2_000);
  }
}
