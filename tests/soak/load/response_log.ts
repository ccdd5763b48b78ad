import type { Findings } from '../findings.ts';

/** A request that got a 5xx or no answer (status 0). `at`: when it was sent, epoch ms. */
export type FailedRequest = { at: number; request: string; status: number; code: string };
export type RequestRecord = { at: number; ms: number; status: number };

/** All answers of the run: for the plots, and to check that the only 5xx is 503. */
export class ResponseLog {
  #recent: RequestRecord[] = [];
  readonly statuses = new Map<string, number>();
  readonly failed: FailedRequest[] = [];
  readonly #findings: Findings;
  readonly #killedAt: () => number;

  /** `killedAt` returns the real time (ms) at which a process was last killed. */
  constructor(findings: Findings, killedAt: () => number) {
    this.#findings = findings;
    this.#killedAt = killedAt;
  }

  /** `code` is the code in the error body. Status 0 means no answer. */
  record(request: string, startedAt: number, status: number, code = ''): void {
    const now = Date.now();
    this.#recent.push({ at: now, ms: now - startedAt, status });
    const name = status === 0 ? 'no answer' : String(status);
    this.statuses.set(name, (this.statuses.get(name) ?? 0) + 1);
    if (status === 0 || status >= 500) this.failed.push({ at: startedAt, request, status, code });
    this.#findings.addChecks('no 5xx except 503');
    if (status < 500 || status === 503) return;
    // The gateway answers so for a request whose worker was killed.
    if (status === 502 && code === 'worker.broken' && now - this.#killedAt() < 5_000) return;
    this.#findings.violate('no 5xx except 503', `${request}: ${status} ${code}`);
  }

  /** Returns the requests since the last call. */
  take(): RequestRecord[] {
    return this.#recent.splice(0);
  }
}
