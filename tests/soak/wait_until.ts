import { sleep } from '../../local/platform/supervisor/process.ts';

/** Whether `look` came true in time; a failure of looking counts as not yet. */
export async function comes(look: () => Promise<boolean>, withinMs: number): Promise<boolean> {
  for (const end = Date.now() + withinMs; Date.now() < end; await sleep(250)) {
    if (await look().catch(() => false)) return true;
  }
  return false;
}
