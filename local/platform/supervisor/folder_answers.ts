import { spawn } from 'node:child_process';
import { UserError } from '../user_error.ts';

/** Lists the folder, or the nearest one above it that exists, and reads the file that marks it. */
const lookAt = `
folder=$1
while [ ! -e "$folder" ] && [ "$folder" != / ]; do
  folder=\${folder%/*}
  folder=\${folder:-/}
done
ls -A -- "$folder"
cat -- "$1/parallax.json"
`;

/**
 * Resolves when the file system of the data folder answers, with or without an error. Throws
 * UserError after `timeoutMs`: a file system on a network, or one that a program serves, may never
 * answer, and a call of this process to it would never return.
 */
export async function untilFolderAnswers(folder: string, timeoutMs = 10_000): Promise<void> {
  const child = spawn('/bin/sh', ['-c', lookAt, 'sh', folder], { cwd: '/', detached: true, stdio: 'ignore' });
  let timer: NodeJS.Timeout | undefined;
  const hasAnswered = await Promise.race([
    new Promise<boolean>((resolve) => {
      child.once('exit', () => resolve(true));
      child.once('error', () => resolve(true));
    }),
    new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), timeoutMs);
    }),
  ]);
  clearTimeout(timer);
  if (hasAnswered) return;
  // A process that waits for such a file system may not end, so its end is not awaited.
  if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  child.unref();
  throw new UserError(
    `The file system of ${folder} does not answer within ${timeoutMs / 1000} s. Make it available again, or start with another --data.`,
  );
}
