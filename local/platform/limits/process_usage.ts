import { readFileSync } from 'node:fs';

/** The clock of /proc ticks in hundredths of a second on every Linux that Deno supports. */
const CLOCK_TICK_MS = 10;

/**
 * CPU time of a process since its start in ms: user and system, all threads. Undefined after its
 * end.
 */
export function cpuOf(pid: number): number | undefined {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name, in brackets, may contain spaces, so count from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * CLOCK_TICK_MS;
}

/**
 * Private memory of a process in MB: heap, buffers and stacks, without the mapped Deno binary,
 * which the platform's workers share. Undefined after its end.
 */
export function memoryOf(pid: number): number | undefined {
  const kilobytes = /^RssAnon:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`) ?? '')?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
