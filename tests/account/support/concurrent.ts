import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { repository } from '../../../local/platform/postgres/binaries.ts';
import { tsxArguments } from '../../../local/platform/supervisor/venues.ts';
import { collectLines } from '../../support/stack.ts';
import { waitUntil } from '../../support/wait_until.ts';

/**
 * Runs a program in several processes that begin at the same moment. Each prints "ready", waits for
 * a line on stdin, works, and prints one line of JSON. Returns the parsed lines.
 */
export async function runConcurrently(
  processes: number,
  program: string,
  args: (place: number) => string[],
): Promise<unknown[]> {
  const running = Array.from({ length: processes }, (_, place) => {
    const child: ChildProcess = spawn(process.execPath, [...tsxArguments, join(repository, program), ...args(place)], {
      cwd: repository,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    return { child, lines: collectLines(child), gone: new Promise((resolve) => child.once('close', resolve)) };
  });
  await waitUntil(() => running.every(({ lines }) => lines[0] === 'ready'), {
    what: `${processes} processes of ${program} are ready`,
    timeoutMs: 60_000,
    failed: () => running.some(({ child }) => child.exitCode !== null) && `${program} ended before it began`,
  });
  for (const { child } of running) child.stdin?.end('go\n');
  await Promise.all(running.map(({ gone }) => gone));
  return running.map(({ lines }) => JSON.parse(lines[1] ?? '{}'));
}
