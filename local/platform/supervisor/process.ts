import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** True while a process has that number, whoever's it is. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives and belongs to somebody else.
    return typeof error === 'object' && error !== null && 'code' in error && error.code === 'EPERM';
  }
}

/** When a process began, in the system's own words: with its number it names one process for good. Undefined when it is gone. */
export function birthOf(pid: number): string | undefined {
  if (process.platform === 'linux') {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The second field is the name, in brackets, and may hold blanks: count from behind it. The start is field 22.
      return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    } catch {
      return undefined;
    }
  }
  const asked = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  return asked.status === 0 ? asked.stdout.trim() : undefined;
}

export const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
