import { readFileSync } from 'node:fs';

/** Ticks of the kernel's clock in /proc are hundredths of a second on every Linux that Deno runs on. */
const CLOCK_TICK_MS = 10;

/** CPU of a process since it began, user and system, all its threads; ms. Undefined when it is gone. */
export function cpuOf(pid: number): number | undefined {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name, in brackets, may hold blanks: count from behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * CLOCK_TICK_MS;
}

/**
 * Memory that is the process's own, MB: heap, buffers and stacks. Not what it maps of Deno's binary, which the platform's workers share.
 * Undefined when it is gone.
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
