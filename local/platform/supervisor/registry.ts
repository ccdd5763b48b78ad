import { lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The data folder of the stack at each port, so that `npm run key -- --port N` needs no folder. */
const folder = join(tmpdir(), `parallax-stacks-${process.getuid?.() ?? 0}`);

/** Every user may write to the parent folder, so this folder counts only if we own it. */
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

/**
 * The data folder of the last stack at this port. Its lock decides whether the stack still runs.
 */
export function folderAt(port: number): string | undefined {
  try {
    return isOurs() ? readFileSync(join(folder, String(port)), 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
