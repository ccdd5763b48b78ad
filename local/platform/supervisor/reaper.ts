import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Resources that must not outlive the supervisor. `pids` lead their own process groups. */
export type ReapedResources = { pids?: readonly number[]; postgres?: number; remove?: string };

/** The child that ends our other children when the supervisor is killed; see reaper.sh. */
export class Reaper {
  #child: ChildProcess;
  #last = '';
  #isFinished = false;
  readonly #onLost: (() => void) | undefined;

  /** `onLost` is called after the reaper was killed and replaced. */
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
      if (this.#isFinished) return;
      this.#child = this.#start();
      this.#child.stdin?.write(this.#last);
      this.#onLost?.();
    });
    // It must not keep the event loop alive.
    child.unref();
    return child;
  }

  /** Replaces the list of resources. */
  watch(resources: ReapedResources): void {
    this.#last = `pids ${(resources.pids ?? []).join(' ')}\npostgres ${resources.postgres ?? ''}\nremove ${resources.remove ?? ''}\n`;
    this.#child.stdin?.write(this.#last);
  }

  /** Everything was stopped in order, so the reaper exits. */
  async finish(): Promise<void> {
    this.#isFinished = true;
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.ref();
    child.stdin?.end('done\n');
    await gone;
  }
}
