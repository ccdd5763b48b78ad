import { Pool } from '../_shared/pool/pool.ts';
import type { Answered } from './http_request.ts';

/** Two connections as a rule: one claims while the other reports. */
export function connect(url: string, log: (line: string) => void, most = 2, requestId?: string): Pool {
  return new Pool({ url, name: 'parallax deliver', most, limitMs: 7_000, log, requestId });
}

/** An attempt to make now (webhook.attempt in sql/67_webhook_claim.sql): signed, with the parts of the address as the database read them. */
export type Attempt = {
  delivery_id: string;
  claim: string;
  event: string;
  body: string;
  host: string;
  port: number;
  target: string;
  /** The operator allows this host, whatever it resolves to. */
  listed: boolean;
  /** Why it is not to be sent at all. */
  refused: string | null;
  signed_at: string;
  signature: string;
  standard_signature: string;
};

/** What came of an attempt: its answer, or why there was none. */
export type Outcome = Answered | { error: string };
export type Result = { delivery_id: string; claim: string; took_ms: number } & Outcome;

/** The doors of the database that a sender may use. */
export class Doors {
  private readonly pool: Pool;

  constructor(pool: Pool) {
    this.pool = pool;
  }

  async claim(most: number, each: number, staysSeconds: number): Promise<Attempt[]> {
    return await this.pool.sql<Attempt>`
      select * from webhook.claim(${most}, ${each}, ${`${staysSeconds} seconds`}::interval)`;
  }

  async report(results: readonly Result[]): Promise<void> {
    await this.pool.sql`select pipeline.record_results(${JSON.stringify(results)}::text::jsonb)`;
  }

  /** Those of the addresses that belong to the public Internet. */
  async publicAmong(addresses: readonly string[]): Promise<string[]> {
    const [row] = await this.pool.sql<{ found: string[] }>`
      select to_jsonb(webhook.public_among(array(select jsonb_array_elements_text(${JSON.stringify(addresses)}::text::jsonb)))) as found`;
    return row?.found ?? [];
  }

  async leave(): Promise<void> {
    await this.pool.sql`select webhook.leave()`;
  }

  async end(): Promise<void> {
    await this.pool.end(2_000);
  }
}
