import { readFileSync } from 'node:fs';

/** Anonymous memory (RssAnon) of a process in MB. Undefined when it has ended, or not on Linux. */
export function ownMemoryMb(pid: number): number | undefined {
  try {
    const [, kb] = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kb === undefined ? undefined : Number(kb) / 1024;
  } catch {
    return undefined;
  }
}
