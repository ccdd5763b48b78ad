import { platformLimits } from '../../local/platform/limits/limits.ts';
import type { Sql } from '../../local/platform/postgres/template.ts';
import { holdsWithin, pause } from '../support/wait_until.ts';
import { memoryGrowthError, memoryLimitError } from './check/memory.ts';
import { checkCounts, checkDeliveries, checkLog, checkOpportunities, openDespiteClosedGate } from './database.ts';
import type { Findings } from './findings.ts';
import type { Listener } from './listener.ts';
import type { StreamFleet } from './load/stream_fleet.ts';
import type { WebhookReceivers } from './load/webhooks.ts';
import type { Processes } from './processes.ts';

/** What a run left behind. */
export type LoadEnd = {
  sql: Sql;
  fleet: StreamFleet;
  listener: Listener;
  receivers: WebhookReceivers;
  processes: Processes;
  ledgers: Parameters<typeof checkCounts>[1];
  postgresKills: readonly number[];
  findings: Findings;
};

/** Checks what must hold after the load: frames, log, deliveries, counts and memory. */
export async function checkEnd(end: LoadEnd): Promise<void> {
  const { sql, fleet, listener, processes, findings } = end;
  const tops = await sql<{ channel: string; top: string }[]>`
      select channel, last_offset as top from stream.channels where not starts_with(channel, 'org:')`;
  for (const { channel, top } of tops) {
    // No client has subscribed to the channel, or no frame was published since.
    if (fleet.reached(channel) === undefined) continue;
    const isComplete = await holdsWithin(async () => (fleet.reached(channel) ?? 0) >= Number(top), 60_000);
    const errors = isComplete ? [] : [`${channel}: a client is at ${fleet.reached(channel)}, not at ${top}`];
    findings.add('stream: every client received the last frame', fleet.clients, errors);
  }
  for (const error of listener.client.errors) findings.violate('stream: each offset once, in order', error);
  await listener.check(findings);
  await checkLog(sql, findings);
  await checkAfterPause(end);
  for (const series of processes.series.values()) {
    const growthError = memoryGrowthError(series);
    findings.add('memory is flat', 1, growthError ? [growthError] : []);
    if (series.name.startsWith('functions/')) {
      const limitError = memoryLimitError(series, platformLimits.memoryMb);
      findings.add('memory is below the platform’s limit', 1, limitError ? [limitError] : []);
    }
  }
}

/**
 * Checks what needs time after the load: jobs close opportunities, and deliveries are retried.
 */
async function checkAfterPause({ sql, ledgers, postgresKills, receivers, findings }: LoadEnd): Promise<void> {
  // Prices still cross thresholds. Stop new deliveries of these, so that the existing ones end.
  await sql`update webhook.endpoints set events = array['pair.created'], min_spread_pts = null`;
  const [now] = await sql<{ at: Date }[]>`select clock_timestamp() as at`;
  const open = await openDespiteClosedGate(sql);
  const outboxEmpty = holdsWithin(
    async () => (await sql`select from webhook.deliveries where state = 'waiting'`).length === 0,
    120_000,
  );
  await Promise.all([outboxEmpty, pause(15_000)]);
  const stillOpen = await openDespiteClosedGate(sql);
  findings.add(
    'opportunities: none open with a closed gate',
    1,
    [...open].filter((one) => stillOpen.has(one)),
  );
  await checkOpportunities(sql, findings);
  await checkCounts(sql, ledgers, postgresKills, findings);
  await checkDeliveries(sql, receivers, now?.at ?? new Date(), findings);
}
