import { type RunningStack, type StackPlace, startStack } from './stack.ts';
import { waitUntil } from './wait_until.ts';

/**
 * The stack that the files of a run share: `npm start` on simulated venues. The REST delay is
 * short, so that the snapshot is soon past the fast-forward at the start. The log is complete, for
 * the test that no secret is in it.
 */
export async function startSharedStack(): Promise<{ facts: StackPlace; stop(): Promise<void> }> {
  const stack = await startStack({ env: { REST_DELAY_SECONDS: '10', LOG_LEVEL: 'debug' } });
  try {
    await endBacktest(stack);
  } catch (error) {
    await stack.stop();
    throw error;
  }
  return { facts: stack.place, stop: () => stack.stop() };
}

/**
 * After the first rule with parity, without which no opportunity opens, the settled history of
 * thirty more competitions would take half of the CPU of the stack. No test reads it, so
 * another worker holds the lease of the backtest.
 */
async function endBacktest({ sql }: RunningStack): Promise<void> {
  await waitUntil(
    async () => (await sql`select from catalog.rules where state in ('confirmed', 'pooled')`).length > 0,
    { what: 'a rule has parity' },
  );
  await sql`
    update venue.leases
    set holder = gen_random_uuid(), token = token + 1, ttl = '1 day', expires_at = clock_timestamp() + interval '23 hours'
    where name = 'backtest'`;
}
