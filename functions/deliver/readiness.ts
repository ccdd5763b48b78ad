import { checkDatabase, type FailingCondition } from '../_shared/container/health.ts';

/** The loop claims every 200 ms. A full worker claims again after the 5 s of an attempt. */
const MAX_AGE_MS = 15_000;
const PING_LIMIT_MS = 1_500;

/** `claimedAt`: when the database last answered a claim; null before the first time. */
export async function failingConditions(
  claimedAt: number | null,
  now: number,
  ping: (limitMs: number) => Promise<unknown>,
): Promise<FailingCondition[]> {
  if (claimedAt !== null && now - claimedAt <= MAX_AGE_MS) return [];
  const stalled = { code: 'loop.stalled', message: 'No deliveries were claimed in the last 15 s.' };
  return [stalled, ...(await checkDatabase(() => ping(PING_LIMIT_MS)))];
}
