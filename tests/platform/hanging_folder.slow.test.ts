import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { untilFolderAnswers } from '../../local/platform/supervisor/folder_answers.ts';
import { lonelyStack } from '../support/lonely_stack.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';

const parent = temporaryFolder('hanging');
const mountPoint = join(parent, 'mount');
mkdirSync(mountPoint);

/** A FUSE file system that nothing serves: every call to it waits. Only root may mount it. */
const mounting = `exec 3<>/dev/fuse && mount -i -t fuse -o fd=3,rootmode=40000,user_id=0,group_id=0 none "$1" && echo mounted && exec sleep 600`;
let holder: ChildProcess | undefined;
async function mountUnserved(): Promise<boolean> {
  if (!existsSync('/dev/fuse')) return false;
  const child = spawn('/bin/sh', ['-c', mounting, 'sh', mountPoint], { stdio: ['ignore', 'pipe', 'ignore'] });
  holder = child;
  return new Promise((resolve) => {
    child.stdout.once('data', () => resolve(true));
    child.once('close', () => resolve(false));
  });
}
const isMounted = await mountUnserved();
afterAll(() => {
  holder?.kill('SIGKILL');
  if (isMounted) spawnSync('umount', ['-l', mountPoint]);
  rmSync(parent, { recursive: true, force: true });
});

test('a data folder that does not answer is reported after the time limit, and one that answers is not', async () => {
  // Reading a pipe without a writer does not return, as with a file system that does not answer.
  const folder = join(parent, 'pipe');
  mkdirSync(folder);
  spawnSync('mkfifo', [join(folder, 'parallax.json')]);
  await expect(untilFolderAnswers(folder, 300)).rejects.toThrow(
    `The file system of ${folder} does not answer within 0.3 s. Make it available again, or start with another --data.`,
  );
  await untilFolderAnswers(parent, 5_000);
  await untilFolderAnswers(join(parent, 'not', 'yet'), 5_000);
  expect(existsSync(join(parent, 'not'))).toBe(false);
});

test.skipIf(!isMounted)(
  'npm start on a file system that does not answer ends with a sentence after 10 s (needs root and FUSE)',
  async () => {
    const began = performance.now();
    const stack = await lonelyStack(join(mountPoint, 'data'));
    expect(await stack.ended).toBe(1);
    expect(stack.lines).toEqual([expect.stringMatching(/^The file system of .* does not answer within 10 s\. /)]);
    expect(performance.now() - began).toBeLessThan(30_000);
  },
  60_000,
);

test.skipIf(!existsSync('/proc/self'))(
  'npm start on a folder in /proc, which holds no new one, ends at once',
  async () => {
    const stack = await lonelyStack('/proc/parallax/data');
    expect(await stack.ended).toBe(1);
    expect(stack.lines).toEqual([
      'The data folder /proc/parallax/data cannot be used (ENOENT). Choose another with --data.',
    ]);
  },
);
