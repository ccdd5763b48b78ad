import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from '../../local/platform/postgres/postgres.ts';

/**
 * CPU time of a process in ms, from ticks of 10 ms. It does not depend on other work on the
 * machine, as a rate does.
 */
type CpuTimes = { own: number; children: number; parent: number };

function timesOf(pid: number | string): CpuTimes | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Skip the name, which may contain any character. The 4th field of the line is the parent, the
    // 14th to 17th are utime, stime, and those of ended children.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = (first: number) => (Number(fields[first]) + Number(fields[first + 1])) * 10;
    return { own: ticks(11), children: ticks(13), parent: Number(fields[1]) };
  } catch {
    return undefined;
  }
}

/** The CPU time of one process. Undefined when it has ended, or without /proc. */
export function cpuTimeOf(pid: number): number | undefined {
  return timesOf(pid)?.own;
}

/**
 * The CPU time of this process with its ended children, the server with all backends, and `others`.
 * NaN without /proc.
 */
export function cpuTimeOfAll(cluster: Cluster, others: readonly number[]): number {
  return [process.pid, ...others].reduce((sum, pid) => sum + totalOf(pid), cpuTimeOfPostgres(cluster));
}

/** The CPU time of a server with all its backends, also the ended ones. NaN without /proc. */
export function cpuTimeOfPostgres(cluster: Cluster): number {
  if (!existsSync('/proc/self/stat')) return Number.NaN;
  const server = Number(readFileSync(join(cluster.folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(timesOf)
    .filter((times) => times?.parent === server)
    .reduce((sum, times) => sum + (times?.own ?? 0), totalOf(server));
}

function totalOf(pid: number): number {
  const times = timesOf(pid);
  return times === undefined ? 0 : times.own + times.children;
}

/**
 * The CPU time of one process in ms, to the microsecond: the sum over its threads. A thread that
 * ended is not counted. Without the kernel's statistics of the scheduler, the ticks of 10 ms.
 */
export function exactCpuTimeOf(pid: number): number | undefined {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6)
      .reduce((sum, ms) => sum + ms, 0);
  } catch {
    return cpuTimeOf(pid);
  }
}
