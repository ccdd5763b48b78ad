import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve, sep } from 'node:path';
import type { App } from '@supabase/lite';

/** The part of `@supabase/lite` that keeps the bytes of Storage. The package exports none. */
type Adapter = NonNullable<App['_storageAdapter']>;
type Metadata = Awaited<ReturnType<Adapter['headObject']>>;
type StoredMetadata = Omit<Metadata, 'lastModified'> & { lastModified: string };

/** Keeps objects as files of a folder, with their metadata in a JSON file next to each. */
export class FolderAdapter implements Adapter {
  readonly driver: unknown;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = resolve(folder);
  }

  async uploadObject(
    ...[bucket, key, , body, mimetype, cacheControl]: Parameters<Adapter['uploadObject']>
  ): Promise<Metadata> {
    const bytes = new Uint8Array(await new Response(body as BodyInit).arrayBuffer());
    const lastModified = new Date();
    const size = bytes.byteLength;
    const eTag = `"${lastModified.getTime().toString(16)}-${size.toString(16)}"`;
    const metadata = { cacheControl, contentLength: size, size, mimetype, lastModified, eTag, httpStatusCode: 200 };
    const path = this.#path(bucket, key);
    await mkdir(dirname(path), { recursive: true });
    await writeAtomically(path, bytes);
    await writeAtomically(metadataPath(path), JSON.stringify(metadata));
    return metadata;
  }

  async headObject(...[bucket, key]: Parameters<Adapter['headObject']>): Promise<Metadata> {
    const text = await readFile(metadataPath(this.#path(bucket, key)), 'utf8');
    const stored = JSON.parse(text) as StoredMetadata;
    return { ...stored, lastModified: new Date(stored.lastModified) };
  }

  async getObject(...[bucket, key, version]: Parameters<Adapter['getObject']>) {
    const metadata = await this.headObject(bucket, key, version);
    return { metadata, httpStatusCode: 200, body: await readFile(this.#path(bucket, key)) };
  }

  async deleteObject(...[bucket, key]: Parameters<Adapter['deleteObject']>): Promise<void> {
    const path = this.#path(bucket, key);
    await rm(path, { force: true });
    await rm(metadataPath(path), { force: true });
  }

  async deleteObjects(...[bucket, keys]: Parameters<Adapter['deleteObjects']>): Promise<void> {
    for (const key of keys) await this.deleteObject(bucket, key, undefined);
  }

  async copyObject(
    ...[bucket, key, version, toBucket, toKey, toVersion]: Parameters<Adapter['copyObject']>
  ): ReturnType<Adapter['copyObject']> {
    const { body, metadata } = await this.getObject(bucket, key, version);
    const { mimetype, cacheControl } = metadata;
    return await this.uploadObject(toBucket, toKey, toVersion, body, mimetype, cacheControl);
  }

  async privateAssetUrl(...[bucket, key]: Parameters<Adapter['privateAssetUrl']>): Promise<string> {
    return `file://${this.#path(bucket, key)}`;
  }

  /** @throws Error for a key that leads out of the folder */
  #path(bucket: string, key: string): string {
    const path = resolve(this.#folder, bucket, key);
    if (!path.startsWith(`${this.#folder}${sep}`)) throw new Error('The path of the object is not in the folder.');
    return path;
  }
}

const metadataPath = (path: string): string => `${path}.metadata`;

async function writeAtomically(path: string, content: Uint8Array | string): Promise<void> {
  await writeFile(`${path}.new`, content);
  await rename(`${path}.new`, path);
}
