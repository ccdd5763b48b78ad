import type { ChildProcess } from 'node:child_process';
import type { FailingCondition } from '../../functions/_shared/container/health.ts';
import { waitUntil } from '../support/wait_until.ts';

export type Probe = { status: number; codes: string[] };

/** A process that serves /healthz and /readyz on this port, of loopback by default. */
export class RunningContainer {
  readonly #child: ChildProcess;
  readonly base: string;
  /** The exit code; null after a kill. */
  readonly exited: Promise<number | null>;
  output = '';

  constructor(child: ChildProcess, port: number, address = '127.0.0.1') {
    this.#child = child;
    this.base = `http://${address}:${port}`;
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (part: Buffer) => {
        this.output += part.toString();
      });
    this.exited = new Promise((resolve) => child.once('exit', resolve));
  }

  async probe(path: '/healthz' | '/readyz'): Promise<Probe> {
    const response = await fetch(`${this.base}${path}`, { signal: AbortSignal.timeout(4_000) });
    const { failing = [] } = (await response.json()) as { failing?: FailingCondition[] };
    return { status: response.status, codes: failing.map(({ code }) => code) };
  }

  async untilReady(): Promise<void> {
    await waitUntil(async () => (await this.probe('/readyz')).status === 200, {
      what: `${this.base}/readyz answers 200`,
      timeoutMs: 40_000,
      failed: () => this.#child.exitCode !== null && `The process ended with ${this.#child.exitCode}`,
      evidence: () => this.output,
    });
  }

  async untilFailing(...codes: string[]): Promise<void> {
    await waitUntil(async () => (await this.probe('/readyz')).codes.join() === codes.join(), {
      what: `/readyz names ${codes.join(', ')}`,
      timeoutMs: 30_000,
      evidence: async () => `${JSON.stringify(await this.probe('/readyz'))}\n${this.output}`,
    });
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGKILL');
    await this.exited;
  }
}
