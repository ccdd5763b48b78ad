import { EXPORT_BUCKET, type StorageAccess } from '../_shared/storage.ts';

const TIMEOUT_MS = 60_000;

/** Writes and deletes the files of exports. */
export class ExportBucket {
  readonly #access: StorageAccess;
  readonly #fetch: typeof fetch;

  constructor(access: StorageAccess, fetchWith: typeof fetch = fetch) {
    this.#access = access;
    this.#fetch = fetchWith;
  }

  /** Writes a file, over an older one of this path. */
  async upload(path: string, contentType: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    await this.#send('POST', `object/${EXPORT_BUCKET}/${path}`, bytes, {
      'content-type': contentType,
      'x-upsert': 'true',
    });
  }

  /** Deletes files. One that is missing is no error. */
  async remove(paths: readonly string[]): Promise<void> {
    await this.#send('DELETE', `object/${EXPORT_BUCKET}`, JSON.stringify({ prefixes: paths }), {
      'content-type': 'application/json',
    });
  }

  /** @throws Error with the status and the beginning of the response */
  async #send(
    method: string,
    path: string,
    body: Uint8Array<ArrayBuffer> | string,
    headers: Record<string, string>,
  ): Promise<void> {
    const { url, secretKey } = this.#access;
    const response = await this.#fetch(`${url}/${path}`, {
      method,
      body,
      headers: { ...headers, apikey: secretKey },
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`Storage answered ${response.status} to ${method} ${path}: ${text.slice(0, 200)}`);
  }
}
