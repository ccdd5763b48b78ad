import type { ChildProcess } from 'node:child_process';
import type { TestDatabase } from '../../support/database.ts';
import { startFunction } from '../../support/function_process.ts';

/** `deno task deliver` as a process of its own, on the database of a test. */
export class SenderProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  output = '';

  constructor(db: TestDatabase, ca: string) {
    this.#child = startFunction('deliver', { DB_URL_DELIVER: db.url('parallax_deliver'), WEBHOOK_CA: ca });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (part: Buffer) => {
        this.output += part.toString();
      });
    this.#exited = new Promise((resolve) => this.#child.once('exit', () => resolve()));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.#child.kill(signal);
    // A process that is caught in a loop handles no SIGTERM and would outlive the tests.
    const fallback = setTimeout(() => this.#child.kill('SIGKILL'), 15_000);
    await this.#exited;
    clearTimeout(fallback);
  }
}
