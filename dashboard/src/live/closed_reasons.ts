import type { ClosedOpportunities } from './frames.ts';

/** How many closed for each reason, the most frequent first. */
export function countedReasons(rows: ClosedOpportunities['opportunities']): [reason: string, times: number][] {
  const times = new Map<string, number>();
  for (const { close_reason } of rows) times.set(close_reason, (times.get(close_reason) ?? 0) + 1);
  return [...times].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
}
