import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from '../../local/platform/postgres/postgres.ts';

/**
 * Milliseconds of processor that processes have had, in ticks of 10 ms. On a machine with other work a rate says how much of it there is;
 * this says what the thing itself costs.
 */
type Times = { own: number; children: number; parent: number };

function timesOf(pid: number | string): Times | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // What follows the name, which may hold anything: the 4th field is the parent, the 14th to 17th are utime, stime and those of children.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = (first: number) => (Number(fields[first]) + Number(fields[first + 1])) * 10;
    return { own: ticks(11), children: ticks(13), parent: Number(fields[1]) };
  } catch {
    return undefined;
  }
}

/** Of one process; undefined where it is gone, or where there is no /proc. */
export function processorOf(pid: number): number | undefined {
  return timesOf(pid)?.own;
}

/** Of this process, those that it ran to their end, the server with all its backends, and `others`; NaN where there is no /proc. */
export function processorOfAll(cluster: Cluster, others: readonly number[]): number {
  if (!existsSync('/proc/self/stat')) return Number.NaN;
  const server = Number(readFileSync(join(cluster.folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const whole = (pid: number) => {
    const times = timesOf(pid);
    return times === undefined ? 0 : times.own + times.children;
  };
  const backends = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(timesOf)
    .filter((times) => times?.parent === server)
    .reduce((sum, times) => sum + (times?.own ?? 0), 0);
  return [process.pid, server, ...others].reduce((sum, pid) => sum + whole(pid), backends);
}
