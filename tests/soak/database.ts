import type { Sql } from '../../local/platform/postgres/template.ts';
import type { Ledger } from './check/counts.ts';
import { countError } from './check/counts.ts';
import { type DeliveryRow, deliveryErrors, type EndpointRow } from './check/deliveries.ts';
import { type LogRow, logErrors } from './check/log.ts';
import { type OpportunityRow, opportunityErrors } from './check/opportunities.ts';
import type { Findings } from './findings.ts';
import type { WebhookReceivers } from './load/webhooks.ts';

// Reads the final state of the database and passes it to the checkers.

export async function checkLog(sql: Sql, findings: Findings): Promise<void> {
  // One statement, because the channels advance between two statements.
  const rows = await sql<(LogRow & { top: string })[]>`
    select p.channel, p.last_offset::float8 as upto, cardinality(p.frames) as frames, c.last_offset::float8 as top
    from stream.publications p
    join stream.channels c on c.channel = p.channel
    order by p.channel, p.last_offset`;
  const tops = new Map(rows.map((row) => [row.channel, Number(row.top)]));
  findings.add('publications: the log has no hole', rows.length, logErrors(rows, tops));
}

export async function checkOpportunities(sql: Sql, findings: Findings): Promise<void> {
  const rows = await sql<(Omit<OpportunityRow, 'states'> & { states: number[] | null })[]>`
    select w.opportunity_id as id, w.pair_id as pair, extract(epoch from w.opened_at)::float8 * 1000 as from,
           case when w.closed_at = 'infinity' then 'infinity'::float8 else extract(epoch from w.closed_at)::float8 * 1000 end as until,
           w.retracted_at is not null as retracted,
           (select array_agg(extract(epoch from s.from_at)::float8 * 1000 order by s.state_no)
            from arb.opportunity_states s where s.opportunity_id = w.opportunity_id and not s.retracted) as states
    from arb.opportunities w`;
  const errors = opportunityErrors(rows.map((row) => ({ ...row, states: row.states ?? [] })));
  findings.add('opportunities: states in order, none overlap', rows.length, errors);
}

/**
 * Open opportunities of pairs with a closed gate. A job closes them soon after the gate, so the
 * caller reads twice and compares.
 */
export async function openDespiteClosedGate(sql: Sql): Promise<Set<string>> {
  const rows = await sql<{ id: string }[]>`
    select w.opportunity_id || ' ' || arb.gate_close_reason(w.pair_id) as id
    from arb.opportunities w
    where w.closed_at = 'infinity'
      and arb.gate_close_reason(w.pair_id) is not null`;
  return new Set(rows.map(({ id }) => id));
}

/** Checks the deliveries. Those created after `until` may still wait. */
export async function checkDeliveries(
  sql: Sql,
  receivers: WebhookReceivers,
  until: Date,
  findings: Findings,
): Promise<void> {
  let [rows, endpoints]: [DeliveryRow[], EndpointRow[]] = [[], []];
  // Read again when a request arrived during the read, so that both sides have the same deliveries.
  for (let before = -1; before !== receivers.received; ) {
    before = receivers.received;
    [rows, endpoints] = await deliveries(sql, until);
  }
  const errors = deliveryErrors(rows, endpoints, receivers.arrivals());
  findings.add('deliveries: none lost, none twice, counted right', rows.length, errors);
  findings.add('deliveries: signatures verify', receivers.received, receivers.signatureErrors());
}

/** Deliveries and endpoints from one snapshot. */
async function deliveries(sql: Sql, until: Date): Promise<[DeliveryRow[], EndpointRow[]]> {
  return await sql.begin(
    'isolation level repeatable read',
    async (transaction): Promise<[DeliveryRow[], EndpointRow[]]> => [
      await transaction<DeliveryRow[]>`
      select delivery_id as id, endpoint_id as endpoint, event, pair_id as pair, attempts, body,
             case when state = 'waiting' and created_at > ${until} then 'under way' else state end as state,
             to_char(finished_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') as finished
      from webhook.deliveries`,
      await transaction<EndpointRow[]>`
      select endpoint_id as id, failure_count as failures, disabled_at::text as disabled from webhook.endpoints`,
    ],
  );
}

export async function checkCounts(
  sql: Sql,
  ledgers: readonly Ledger[],
  postgresKills: readonly number[],
  findings: Findings,
): Promise<void> {
  for (const ledger of ledgers) {
    const [row] = await sql<{ used: number }[]>`
      select u.month_used as used
      from account.usage u
      join account.organizations o using (org_id)
      where o.name = ${ledger.org}`;
    const error = countError(ledger, row?.used ?? 0, postgresKills);
    findings.add('counts: every admitted request', ledger.counted.length, error ? [error] : []);
  }
}

/** How many price updates exist up to the number `upto`. */
export type RetentionRow = { upto: string; updates: number };

/** Counts the price updates up to the newest number. */
export async function countUpdates(sql: Sql): Promise<RetentionRow> {
  const [row] = await sql<{ upto: string | null; updates: number }[]>`
    select max(update_no) as upto, count(*)::integer as updates from price.updates`;
  return { upto: row?.upto ?? '0', updates: row?.updates ?? 0 };
}

/**
 * Checks that the price updates from before a fault exist after it. More is valid: a transaction
 * that had a number at that time may have committed since.
 */
export async function checkRetained(sql: Sql, before: RetentionRow, fault: string, findings: Findings): Promise<void> {
  const [row] = await sql<{ updates: number }[]>`
    select count(*)::integer as updates from price.updates where update_no <= ${before.upto}`;
  const errors =
    (row?.updates ?? 0) < before.updates ? [`${fault}: ${before.updates} before, ${row?.updates} after`] : [];
  findings.add('price updates: none lost over a fault', before.updates, errors);
}
