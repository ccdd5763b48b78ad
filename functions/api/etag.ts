import { anyVersion, versionShape } from './database.ts';

// A tag is the version of the body; the gzipped bytes are other bytes, so a strong tag must differ.
const zippedMark = '-gz';

export function etagOf(version: string, zipped: boolean): string {
  return `"${version}${zipped ? zippedMark : ''}"`;
}

/** The versions in `If-None-Match`, of either encoding, at most 20; `*` alone is any. A tag that is not ours is one that the client does not hold. */
export function versionsIn(header: string | null | undefined): string[] {
  if (!header) return [];
  if (header.trim() === anyVersion) return [anyVersion];
  const versions = new Set<string>();
  for (const [, tag = ''] of header.slice(0, 4000).matchAll(/(?:W\/)?"([^"]*)"/g)) {
    const version = tag.endsWith(zippedMark) ? tag.slice(0, -zippedMark.length) : tag;
    if (versionShape.test(version)) versions.add(version);
    if (versions.size === 20) break;
  }
  return [...versions];
}
