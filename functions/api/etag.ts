import { ANY_VERSION, VERSION_PATTERN } from './database.ts';

// A tag is the version of the body. A strong tag must differ for the gzipped bytes.
const GZIP_SUFFIX = '-gz';

export function etagOf(version: string, isGzipped: boolean): string {
  return `"${version}${isGzipped ? GZIP_SUFFIX : ''}"`;
}

/**
 * The versions in `If-None-Match`, plain or gzipped, at most 20; `*` alone matches any. Tags of
 * another form are ignored.
 */
export function parseIfNoneMatch(header: string | null | undefined): string[] {
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
