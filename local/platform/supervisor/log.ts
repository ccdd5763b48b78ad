import { openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

const startedAt = performance.now();

/** Prints one line on the terminal. */
export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints the current step of the start. */
export function progress(line: string): void {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  printLine(`  … ${line} (${seconds} s)`);
}

/** Seconds since the start of this process, as text. */
export function elapsed(): string {
  return `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
}

/** The log file of a service, in `<data>/logs`. */
const logFile = (logs: string, name: string) => join(logs, `${name.replaceAll('/', '-')}.log`);

/** The last line of a service's log as the end of a sentence; '.' when there is none. */
export function lastOutput(logs: string, name: string): string {
  try {
    const last = readFileSync(logFile(logs, name), 'utf8').trim().split('\n').at(-1);
    return last ? `: ${readable(last).slice(0, 500)}` : '.';
  } catch {
    return '.';
  }
}

/** A JSON line of a function as `api  message`; any other line unchanged. */
export function readable(line: string): string {
  try {
    const { time, level, function: name, event, message, ...fields } = JSON.parse(line) as Record<string, unknown>;
    if (typeof time !== 'string' || typeof level !== 'string' || typeof name !== 'string') return line;
    const text = typeof message === 'string' ? message : String(event);
    const rest = Object.entries(fields).map(([field, value]) => ` ${field}=${String(value)}`);
    return `${name}  ${text}${rest.join('')}`;
  } catch {
    return line;
  }
}

/**
 * A file handle for the output of a child: `<folder>/logs/<name>.log`. At a start, a log over 8 MB
 * is renamed to .old.
 */
export function openLog(folder: string, name: string): number {
  const file = logFile(join(folder, 'logs'), name);
  try {
    if (statSync(file).size > 8 * 1024 * 1024) renameSync(file, `${file}.old`);
  } catch {
    // The log does not exist at the first start.
  }
  return openSync(file, 'a', 0o600);
}
