import { readFileSync } from 'node:fs';

/** A process's own memory (RssAnon), MB; undefined where the system does not say (Linux does) or the process has gone. */
export function ownMemoryMb(pid: number): number | undefined {
  try {
    const [, kb] = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kb === undefined ? undefined : Number(kb) / 1024;
  } catch {
    return undefined;
  }
}
