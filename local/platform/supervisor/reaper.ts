import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** What must not outlive us. `pids` lead process groups of their own. */
export type ReapedResources = { pids?: readonly number[]; postgres?: number; remove?: string };

/** The child that ends our other children when we are killed; reaper.sh says how. */
export class Reaper {
  #child: ChildProcess;
  #last = '';
  #finished = false;
  readonly #onLost: (() => void) | undefined;

  /** `onLost` is called when somebody killed the reaper itself; it has been replaced by then. */
  constructor(onLost?: () => void) {
    this.#onLost = onLost;
    this.#child = this.#start();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  #start(): ChildProcess {
    const child = spawn('/bin/sh', [fileURLToPath(new URL('reaper.sh', import.meta.url))], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
    });
    child.stdin?.on('error', () => {});
    child.once('exit', () => {
      if (this.#finished) return;
      this.#child = this.#start();
      this.#child.stdin?.write(this.#last);
      this.#onLost?.();
    });
    // It must not keep the event loop alive by itself.
    child.unref();
    return child;
  }

  /** Replaces the list of what is to be ended. */
  watch(charges: ReapedResources): void {
    this.#last = `pids ${(charges.pids ?? []).join(' ')}\npostgres ${charges.postgres ?? ''}\nremove ${charges.remove ?? ''}\n`;
    this.#child.stdin?.write(this.#last);
  }

  /** Everything was stopped in order; the reaper leaves. */
  async finish(): Promise<void> {
    this.#finished = true;
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.ref();
    child.stdin?.end('done\n');
    await gone;
  }
}
