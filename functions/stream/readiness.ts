import { checkDatabase, type FailingCondition } from '../_shared/container/health.ts';

const LIMIT_MS = 1_500;
const UNREADABLE = { code: 'log.unreadable', message: 'The publication log cannot be read.' };
const FULL = { code: 'connections.full', message: 'STREAM_MOST_CONNECTIONS is reached.' };

export async function failingConditions(
  queries: { checkLog(limitMs: number): Promise<void> },
  isFull: boolean,
): Promise<FailingCondition[]> {
  return [...(await checkDatabase(() => queries.checkLog(LIMIT_MS), UNREADABLE)), ...(isFull ? [FULL] : [])];
}
