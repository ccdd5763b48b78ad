import type { Sql } from '../../local/platform/postgres/template.ts';
import type { Ledger } from './check/counts.ts';
import { wrongCount } from './check/counts.ts';
import { type DeliveryRow, type EndpointRow, wrongInDeliveries } from './check/deliveries.ts';
import { type LogRow, wrongInLog } from './check/log.ts';
import { type WindowRow, wrongInWindows } from './check/opportunities.ts';
import type { Findings } from './findings.ts';
import type { Hooks } from './load/webhooks.ts';

// What the database says at the end, held against the checkers.

export async function checkLog(sql: Sql, findings: Findings): Promise<void> {
  // One snapshot: between two statements a channel goes on.
  const rows = await sql<(LogRow & { top: string })[]>`
    select p.channel, p.last_offset::float8 as upto, cardinality(p.frames) as frames, c.last_offset::float8 as top
    from stream.publications p
    join stream.channels c on c.channel = p.channel
    order by p.channel, p.last_offset`;
  const tops = new Map(rows.map((row) => [row.channel, Number(row.top)]));
  findings.add('publications: a log without a hole', rows.length, wrongInLog(rows, tops));
}

export async function checkWindows(sql: Sql, findings: Findings): Promise<void> {
  const rows = await sql<(Omit<WindowRow, 'states'> & { states: number[] | null })[]>`
    select w.opportunity_id as id, w.pair_id as pair, extract(epoch from w.opened_at)::float8 * 1000 as from,
           case when w.closed_at = 'infinity' then 'infinity'::float8 else extract(epoch from w.closed_at)::float8 * 1000 end as until,
           w.retracted_at is not null as retracted,
           (select array_agg(extract(epoch from s.from_at)::float8 * 1000 order by s.state_no)
            from arb.opportunity_states s where s.opportunity_id = w.opportunity_id and not s.retracted) as states
    from arb.opportunities w`;
  const wrong = wrongInWindows(rows.map((row) => ({ ...row, states: row.states ?? [] })));
  findings.add('windows: states in order, none overlap', rows.length, wrong);
}

/** Windows that stand although a gate of their pair has closed. What is closed by a job a moment later is not told: asked again. */
export async function openOverClosed(sql: Sql): Promise<Set<string>> {
  const rows = await sql<{ id: string }[]>`
    select w.opportunity_id || ' ' || arb.gate_close_reason(w.pair_id) as id
    from arb.opportunities w
    where w.closed_at = 'infinity'
      and arb.gate_close_reason(w.pair_id) is not null`;
  return new Set(rows.map(({ id }) => id));
}

/** Those that were decided after `until` may still be under way. */
export async function checkDeliveries(sql: Sql, hooks: Hooks, until: Date, findings: Findings): Promise<void> {
  let [rows, endpoints]: [DeliveryRow[], EndpointRow[]] = [[], []];
  // Nothing may come while we look: it would be here and not there.
  for (let before = -1; before !== hooks.received; ) {
    before = hooks.received;
    [rows, endpoints] = await deliveries(sql, until);
  }
  const wrong = wrongInDeliveries(rows, endpoints, hooks.arrivals());
  findings.add('deliveries: none lost, none twice, counted right', rows.length, wrong);
  findings.add('deliveries: signatures verify', hooks.received, hooks.forged());
}

/** Both as of one moment. */
async function deliveries(sql: Sql, until: Date): Promise<[DeliveryRow[], EndpointRow[]]> {
  return await sql.begin(
    'isolation level repeatable read',
    async (one): Promise<[DeliveryRow[], EndpointRow[]]> => [
      await one<DeliveryRow[]>`
      select delivery_id as id, endpoint_id as endpoint, event, pair_id as pair, attempts, body,
             case when state = 'waiting' and created_at > ${until} then 'under way' else state end as state,
             to_char(finished_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') as finished
      from webhook.deliveries`,
      await one<EndpointRow[]>`
      select endpoint_id as id, failure_count as failures, disabled_at::text as disabled from webhook.endpoints`,
    ],
  );
}

export async function checkCounts(
  sql: Sql,
  ledgers: readonly Ledger[],
  deaths: readonly number[],
  findings: Findings,
): Promise<void> {
  for (const ledger of ledgers) {
    const [row] = await sql<{ used: number }[]>`
      select u.month_used as used
      from account.usage u
      join account.organizations o using (org_id)
      where o.name = ${ledger.org}`;
    const wrong = wrongCount(ledger, row?.used ?? 0, deaths);
    findings.add('counts: what was admitted, to the request', ledger.counted.length, wrong ? [wrong] : []);
  }
}

export type Kept = { upto: string; frames: number };

/** How many frames are there up to the newest number. */
export async function framesNow(sql: Sql): Promise<Kept> {
  const [row] = await sql<{ upto: string | null; frames: number }[]>`
    select max(update_no) as upto, count(*)::integer as frames from price.updates`;
  return { upto: row?.upto ?? '0', frames: row?.frames ?? 0 };
}

/** Frames of before a fault are still there after it. A number that was taken then may have been committed since: more is right. */
export async function checkKept(sql: Sql, before: Kept, what: string, findings: Findings): Promise<void> {
  const [row] = await sql<{ frames: number }[]>`
    select count(*)::integer as frames from price.updates where update_no <= ${before.upto}`;
  const wrong = (row?.frames ?? 0) < before.frames ? [`${what}: ${before.frames} before, ${row?.frames} after`] : [];
  findings.add('frames: none lost over a fault', before.frames, wrong);
}
