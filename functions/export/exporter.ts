import type { ClaimedPart, PartFile } from './database.ts';
import { toParquet } from './parquet.ts';

export type ExporterOptions = {
  queries: {
    claimPart(): Promise<ClaimedPart | undefined>;
    recordPart(part: ClaimedPart, files: readonly PartFile[]): Promise<boolean>;
    expiredFiles(): Promise<{ day: string; paths: string[] } | undefined>;
    forgetFiles(day: string, paths: readonly string[]): Promise<void>;
  };
  bucket: {
    upload(path: string, contentType: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
    remove(paths: readonly string[]): Promise<void>;
  };
  /** Whether this call may make one more part. */
  mayContinue(): boolean;
  log(line: string): void;
};

/**
 * Deletes the files of expired days and makes the parts that are due, one after the other. All
 * state is in the database: what a call leaves undone, the next one does.
 */
export class Exporter {
  readonly #options: ExporterOptions;
  parts = 0;

  constructor(options: ExporterOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { queries, mayContinue } = this.#options;
    await this.#removeExpired();
    while (mayContinue()) {
      const part = await queries.claimPart();
      if (part === undefined) return;
      await this.#make(part);
    }
  }

  async #make(part: ClaimedPart): Promise<void> {
    const { queries, log } = this.#options;
    const files = [
      await this.#store('parquet', `${part.path}.parquet`, new Uint8Array(toParquet(part.dataset, part.lines))),
      await this.#store('ndjson', `${part.path}.ndjson.gz`, await gzip(part.lines)),
    ];
    if (await queries.recordPart(part, files)) this.parts += 1;
    else log(`The claim of ${part.path} was over before it was stored.`);
  }

  async #store(format: PartFile['format'], path: string, bytes: Uint8Array<ArrayBuffer>): Promise<PartFile> {
    const type = format === 'parquet' ? 'application/vnd.apache.parquet' : 'application/gzip';
    await this.#options.bucket.upload(path, type, bytes);
    return { format, path, bytes: bytes.byteLength, sha256: await sha256(bytes) };
  }

  async #removeExpired(): Promise<void> {
    const { queries, bucket } = this.#options;
    const expired = await queries.expiredFiles();
    if (expired === undefined) return;
    if (expired.paths.length > 0) await bucket.remove(expired.paths);
    await queries.forgetFiles(expired.day, expired.paths);
  }
}

async function gzip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
