import type { Runtime } from '../../functions/_shared/runtime.ts';
import { systemRuntime } from '../../functions/_shared/system_runtime.ts';
import { TokenBucket } from '../../functions/ingest/feeds/bucket.ts';
import { RestClient, type RestOptions } from '../../functions/ingest/feeds/rest.ts';

/** Requests of a probe are tried twice, and wait less than those of ingest. */
const ATTEMPTS = 2;
const TIMEOUT_MS = 15_000;

/** The REST clients of ingest for one probe. Remembers the status of the last response. */
export class Wire {
  lastStatus: number | null = null;
  readonly signal: AbortSignal;
  readonly runtime: Runtime;

  constructor(signal: AbortSignal) {
    this.signal = signal;
    this.runtime = {
      ...systemRuntime,
      fetch: async (input, init) => {
        const response = await systemRuntime.fetch(input, init);
        this.lastStatus = response.status;
        return response;
      },
    };
  }

  client(base: string, perSecond: number, burst: number, more: Partial<RestOptions> = {}): RestClient {
    return new RestClient({
      base,
      runtime: this.runtime,
      bucket: new TokenBucket(perSecond, burst, this.runtime),
      signal: this.signal,
      timeoutMs: TIMEOUT_MS,
      attempts: ATTEMPTS,
      ...more,
    });
  }
}
