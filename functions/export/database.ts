import { Pool } from '../_shared/pool/pool.ts';
import type { Dataset } from './columns.ts';

export function connect(url: string, log: (line: string) => void, requestId?: string, onQuery?: () => void): Pool {
  return new Pool({ url, name: 'parallax export', maxConnections: 1, limitMs: 40_000, log, requestId, onQuery });
}

/** A part to make: a row of export.claim_part. */
export type ClaimedPart = {
  claim: string;
  dataset: Dataset;
  /** Path of its files in the bucket, without the ending. */
  path: string;
  /** NDJSON. */
  lines: string;
  row_count: number;
  last_key: unknown;
  has_more: boolean;
};

export type PartFile = { format: 'ndjson' | 'parquet'; path: string; bytes: number; sha256: string };

/** The SQL functions that the role parallax_export may execute, one method each. */
export class ExportQueries {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async claimPart(): Promise<ClaimedPart | undefined> {
    const [part] = await this.#pool.sql<ClaimedPart>`
      select c.claim, c.dataset, c.path, c.lines, c.row_count, c.last_key, c.has_more from export.claim_part() c`;
    return part;
  }

  /** False where the claim is over: another worker makes this part. */
  async recordPart(part: ClaimedPart, files: readonly PartFile[]): Promise<boolean> {
    const lastKey = part.last_key === null ? null : JSON.stringify(part.last_key);
    const [row] = await this.#pool.sql<{ recorded: boolean }>`
      select export.record_part(${part.claim}::uuid, ${part.row_count}, ${JSON.stringify(files)}::text::jsonb,
        ${lastKey}::text::jsonb, ${part.has_more}) as recorded`;
    return row?.recorded === true;
  }

  /** Files of an expired day; undefined without one. */
  async expiredFiles(): Promise<{ day: string; paths: string[] } | undefined> {
    const [row] = await this.#pool.sql<{ day: string; paths: string[] }>`
      select e.day::text as day, e.paths from export.expired_files() e`;
    return row;
  }

  async forgetFiles(day: string, paths: readonly string[]): Promise<void> {
    await this.#pool.sql`select export.forget_files(${day}::date, ${JSON.stringify(paths)}::text::jsonb)`;
  }

  async end(): Promise<void> {
    await this.#pool.end(2_000);
  }
}
