/** What was seen of an endpoint whose receiver hangs. Times in epoch ms. */
export type HangingEndpoint = {
  path: string;
  /** The deliveries that were enqueued at once, oldest first. */
  enqueued: readonly string[];
  /** Deliveries that failed with `backlog`. */
  backlog: readonly { id: string; attempts: number }[];
  /** `pending` of GET /v1/webhooks, read again and again from some seconds after the first. */
  pending: readonly number[];
  /** When the receiver got the attempts of each delivery. */
  arrivals: ReadonlyMap<string, readonly number[]>;
};

/** Waiting deliveries of one endpoint (contract.md, Hanging receivers). */
export const MAX_PENDING = 1_000;
/** Seconds from the first three failures to the retry. */
const RETRY_SECONDS = [1, 5, 25];
/** An attempt without an answer ends after this time. The next may wait for another attempt. */
const ATTEMPT_SECONDS = 5;
/** New deliveries between two claims of the sender exceed the limit until the next claim. */
const BETWEEN_CLAIMS = 20;

/**
 * How far the times of retries may be off. `early`: the five seconds of an attempt begin before the
 * receiver has read it, and a busy machine takes some of them for the handshake. `late`: beyond the
 * wait for one other attempt.
 */
export type RetrySlack = { earlySeconds: number; lateSeconds: number };

/** Compares an endpoint with the promise about hanging receivers. */
export function hangingErrors(one: HangingEndpoint, { earlySeconds, lateSeconds }: RetrySlack): string[] {
  const { path, enqueued, backlog, pending, arrivals } = one;
  const errors: string[] = [];
  const oldest = new Set(enqueued.slice(0, Math.max(0, enqueued.length - MAX_PENDING)));
  const failed = new Map(backlog.map((row) => [row.id, row.attempts]));
  const kept = [...oldest].filter((id) => !failed.has(id) && !arrivals.has(id));
  if (kept.length > 0) errors.push(`${path}: ${kept.length} of the ${oldest.size} oldest did not fail with backlog`);
  const attempted = [...failed.values()].filter((attempts) => attempts > 0).length;
  if (attempted > 0) errors.push(`${path}: ${attempted} failed with backlog after an attempt`);
  const most = Math.max(0, ...pending);
  if (most > MAX_PENDING + BETWEEN_CLAIMS) errors.push(`${path}: the list shows ${most} pending`);
  if (!pending.some((count) => count > 0)) errors.push(`${path}: the list shows no pending delivery`);
  if (arrivals.size === 0) errors.push(`${path}: no delivery was attempted`);
  for (const [id, times] of arrivals) {
    for (const [n, at] of times.slice(1).entries()) {
      const waited = (at - (times[n] ?? 0)) / 1_000 - ATTEMPT_SECONDS;
      const due = RETRY_SECONDS[n] ?? 0;
      if (waited < due - earlySeconds || waited > due + ATTEMPT_SECONDS + lateSeconds)
        errors.push(`${path}: retry ${n + 1} of ${id} came after ${waited.toFixed(1)} s, due after ${due} s`);
    }
  }
  return errors;
}
