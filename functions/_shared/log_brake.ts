import type { Log } from './log.ts';

const INTERVAL_MS = 1_000;

type Line = Parameters<Log['write']>;

/**
 * Writes at most one line a second for each `key`, for events that a stranger can cause at will.
 * The first line is written at once. If more follow within the second, the last of them is written
 * at its end, with the number of the others in `suppressed`. The keys must be few.
 */
export function createLogBrake(log: Log, intervalMs = INTERVAL_MS): (key: string, ...line: Line) => void {
  const held = new Map<string, { last: Line; count: number } | undefined>();
  const write = (key: string, ...line: Line): void => {
    log.write(...line);
    held.set(key, undefined);
    setTimeout(() => {
      const more = held.get(key);
      held.delete(key);
      if (more === undefined) return;
      const [level, event, fields, requestId] = more.last;
      write(key, level, event, { ...fields, suppressed: more.count - 1 }, requestId);
    }, intervalMs);
  };
  return (key, ...line) => {
    if (!held.has(key)) write(key, ...line);
    else held.set(key, { last: line, count: (held.get(key)?.count ?? 0) + 1 });
  };
}
