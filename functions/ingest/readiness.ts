import { checkDatabase, type FailingCondition } from '../_shared/container/health.ts';

export type IngestFacts = {
  /** When the leases were last renewed and claimed. Null before the first time. */
  maintainedAt: number | null;
  /** Since when updates wait for a flush that succeeds. Null: none waits. */
  pendingSince: number | null;
};

/** A lease lasts 10 s, and updates that wait for longer are old. */
const MAX_AGE_MS = 10_000;
const PING_LIMIT_MS = 1_500;

/**
 * A worker that waits for leases of others is ready: it renews and claims every 3 s. The database
 * is asked only where that stops, because long statements may use all the other connections.
 */
export async function failingConditions(
  { maintainedAt, pendingSince }: IngestFacts,
  now: number,
  ping: (limitMs: number) => Promise<unknown>,
): Promise<FailingCondition[]> {
  const failing: FailingCondition[] = [];
  if (maintainedAt === null || now - maintainedAt > MAX_AGE_MS) {
    failing.push({ code: 'leases.stale', message: 'No lease was renewed or claimed in the last 10 s.' });
    failing.push(...(await checkDatabase(() => ping(PING_LIMIT_MS))));
  }
  if (pendingSince !== null && now - pendingSince > MAX_AGE_MS)
    failing.push({ code: 'flush.stalled', message: 'Price updates wait for more than 10 s to be written.' });
  return failing;
}
