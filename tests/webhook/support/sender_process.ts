import type { ChildProcess } from 'node:child_process';
import type { TestDatabase } from '../../support/database.ts';
import { startFunction } from '../../support/function_process.ts';

/** `deno task deliver` as a process of its own on a test's database. */
export class SenderProcess {
  readonly #child: ChildProcess;
  readonly #gone: Promise<void>;
  output = '';

  constructor(db: TestDatabase, ca: string) {
    this.#child = startFunction('deliver', { DB_URL_DELIVER: db.url('parallax_deliver'), WEBHOOK_CA: ca });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (part: Buffer) => {
        this.output += part.toString();
      });
    this.#gone = new Promise((resolve) => this.#child.once('exit', () => resolve()));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.#child.kill(signal);
    // One that is caught in a loop hears no signal, and would go on after the tests.
    const last = setTimeout(() => this.#child.kill('SIGKILL'), 15_000);
    await this.#gone;
    clearTimeout(last);
  }
}
