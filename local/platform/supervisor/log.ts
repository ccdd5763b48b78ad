import { readFileSync } from 'node:fs';
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
export const logPath = (logs: string, name: string) => join(logs, `${name.replaceAll('/', '-')}.log`);

/** The last line of a service's log as the end of a sentence; '.' when there is none. */
export function lastOutput(logs: string, name: string): string {
  try {
    const last = readFileSync(logPath(logs, name), 'utf8').trim().split('\n').at(-1);
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
