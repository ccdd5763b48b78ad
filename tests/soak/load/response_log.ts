import type { Findings } from '../findings.ts';

export type Asked = { at: number; ms: number; status: number };

/** Every answer of the run, for the plots and for the rule that no answer is a 5xx but 503. */
export class Answers {
  #recent: Asked[] = [];
  readonly statuses = new Map<string, number>();
  readonly #findings: Findings;
  readonly #killedAt: () => number;

  /** `killedAt`: when a process was last killed, real ms. */
  constructor(findings: Findings, killedAt: () => number) {
    this.#findings = findings;
    this.#killedAt = killedAt;
  }

  /** `code` is that of the error body; status 0 stands for no answer at all. */
  note(what: string, began: number, status: number, code = ''): void {
    const now = Date.now();
    this.#recent.push({ at: now, ms: now - began, status });
    const name = status === 0 ? 'no answer' : String(status);
    this.statuses.set(name, (this.statuses.get(name) ?? 0) + 1);
    this.#findings.looked('no 5xx but 503');
    if (status < 500 || status === 503) return;
    // The gateway's word for a worker that was killed under a request: nobody else could answer that one.
    if (status === 502 && code === 'worker.broken' && now - this.#killedAt() < 5_000) return;
    this.#findings.violate('no 5xx but 503', `${what}: ${status} ${code}`);
  }

  /** Those since the last call. */
  take(): Asked[] {
    return this.#recent.splice(0);
  }
}
