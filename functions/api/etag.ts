import { ANY_VERSION, VERSION_PATTERN } from './database.ts';

// A tag is the version of the body; the gzipped bytes are other bytes, so a strong tag must differ.
const GZIP_SUFFIX = '-gz';

export function etagOf(version: string, zipped: boolean): string {
  return `"${version}${zipped ? GZIP_SUFFIX : ''}"`;
}

/** The versions in `If-None-Match`, of either encoding, at most 20; `*` alone is any. A tag that is not ours is one that the client does not hold. */
export function versionsIn(header: string | null | undefined): string[] {
  if (!header) return [];
  if (header.trim() === ANY_VERSION) return [ANY_VERSION];
  const versions = new Set<string>();
  for (const [, tag = ''] of header.slice(0, 4000).matchAll(/(?:W\/)?"([^"]*)"/g)) {
    const version = tag.endsWith(GZIP_SUFFIX) ? tag.slice(0, -GZIP_SUFFIX.length) : tag;
    if (VERSION_PATTERN.test(version)) versions.add(version);
    if (versions.size === 20) break;
  }
  return [...versions];
}
