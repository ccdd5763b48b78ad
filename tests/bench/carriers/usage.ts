import { ownMemoryMb } from '../../support/process_memory.ts';
import { exactCpuTimeOf } from '../cpu_time.ts';

/** CPU time of processes, ms. */
export const cpuOf = (pids: readonly number[]) =>
  pids.reduce((sum, pid) => sum + (exactCpuTimeOf(pid) ?? Number.NaN), 0);

/** Anonymous memory of processes, MB. */
export const memoryOf = (pids: readonly number[]) =>
  pids.reduce((sum, pid) => sum + (ownMemoryMb(pid) ?? Number.NaN), 0);
