import type { Output } from '../command.ts';
import type { Sql } from '../platform/postgres/template.ts';

type Row = {
  family: string;
  competition: string | null;
  agreeing: number;
  diverging: number;
  bound_pct: string;
  state: string;
  pool: string | null;
};

/** Prints the state of every rule that has occasions, and each divergence. */
export async function printRules(sql: Sql, output: Output): Promise<void> {
  const rows = await sql<Row[]>`
    select r.family, r.competition, r.agreeing::integer as agreeing, r.diverging::integer as diverging,
           trim_scale(round(r.record_bound * 100, 2))::text as bound_pct, r.state,
           case when r.pool_rules is not null
             then format('%s rules, %s occasions, %s %%', r.pool_rules, r.pool_agreeing, trim_scale(round(r.pool_bound * 100, 2)))
           end as pool
    from catalog.rules r
    where r.agreeing + r.diverging > 0
    order by r.family, r.competition, r.agreeing desc`;
  output.table(
    rows.map((row) => ({
      family: row.family,
      competition: row.competition ?? '',
      agreeing: row.agreeing,
      diverging: row.diverging,
      'bound %': row.bound_pct,
      state: row.state,
      pool: row.pool ?? '',
    })),
  );
  const divergences = await sql<{ rule_id: string; event_a: string; event_b: string; paid: unknown }[]>`
    select d.rule_id, d.event_a, d.event_b, d.paid from catalog.divergences d order by d.settled_at desc limit 20`;
  for (const one of divergences)
    output.log(`diverged: ${one.event_a} and ${one.event_b} paid ${JSON.stringify(one.paid)}\n  ${one.rule_id}`);
  if (divergences.length > 0)
    output.log(
      "An operator decides: select catalog.review_rule('<rule_id>', 'keep' | 'dismiss' | 'refuse', 'name', 'why');",
    );
}
