import { lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Which data folder the stack at a port works on: `npm run key -- --port N` need not be told the folder as well. */
const folder = join(tmpdir(), `parallax-stacks-${process.getuid?.() ?? 0}`);

/** The folder lies where everybody writes: it counts only while it is ours. */
function isOurs(): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === (process.getuid?.() ?? 0) && (found.mode & 0o077) === 0;
}

export function register(port: number, dataFolder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (isOurs()) writeFileSync(join(folder, String(port)), dataFolder, { mode: 0o600 });
}

export function unregister(port: number): void {
  if (isOurs()) rmSync(join(folder, String(port)), { force: true });
}

/** The data folder of the last stack that said it is at this port; whether it still runs is for its own lock to say. */
export function folderAt(port: number): string | undefined {
  try {
    return isOurs() ? readFileSync(join(folder, String(port)), 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
