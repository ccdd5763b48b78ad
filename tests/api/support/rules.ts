import { randomUUID } from 'node:crypto';
import type postgres from 'postgres';

type Sql = postgres.Sql;

export type SeedRule = {
  family?: string;
  /** The scope in the rule_id; empty for a rule without one. */
  competition?: string;
  /** The name of the competition, where it differs from the scope. */
  name?: string;
  /** Terms of each venue, as catalog.format_terms writes them. */
  terms_a?: string;
  terms_b?: string;
  agreeing?: number;
  /** When the first occasion settled. The next one follows a day later. */
  from?: string;
  /** Digest of the texts, for a pool. */
  text_form?: string;
  divergences?: SeedDivergence[];
};

export type SeedDivergence = {
  occasion: string;
  settled_at: string;
  title?: string;
  text_a?: string | null;
  text_b?: string | null;
  paid?: { outcome: string; venue_a: string; venue_b: string }[];
};

export const ruleIdOf = ({ family = 'moneyline', competition = 'NFL', terms_a, terms_b }: SeedRule): string =>
  [
    family,
    ...(competition === '' ? [] : [competition]),
    `venue_a: ${terms_a ?? '48 h, never played: fair_price'}`,
    `venue_b: ${terms_b ?? 'waits, never played: split'}`,
  ].join(' / ');

/**
 * Stores rules with their occasions as a backtest does, and lets the parity gate judge them.
 * Returns their ids.
 */
export async function putRules(sql: Sql, rules: readonly SeedRule[]): Promise<string[]> {
  const ids = rules.map(ruleIdOf);
  for (const [at, rule] of rules.entries()) await putRecord(sql, ids[at] ?? '', rule);
  await sql`select catalog.set_pool_keys(${ids})`;
  await sql`select catalog.update_rule_parity()`;
  return ids;
}

async function putRecord(sql: Sql, id: string, rule: SeedRule): Promise<void> {
  await sql`
    insert into catalog.rules (rule_id, description, first_seen_at, competition)
    values (${id}, ${id}, '2026-01-01Z', ${rule.name ?? null})
    on conflict do nothing`;
  await sql`
    insert into catalog.backtest_occasions (rule_id, occasion, diverged, odd, pairs, settled_at)
    select ${id}, 'occasion ' || n, false, false, 1, ${rule.from ?? '2025-10-01Z'}::timestamptz + n * interval '1 day'
    from generate_series(0, ${rule.agreeing ?? 0} - 1) n`;
  if (rule.text_form) await sql`insert into catalog.rule_texts (rule_id, text_form) values (${id}, ${rule.text_form})`;
  for (const divergence of rule.divergences ?? []) await putDivergence(sql, id, divergence);
}

async function putDivergence(sql: Sql, id: string, divergence: SeedDivergence): Promise<void> {
  const { occasion, settled_at, title = 'Chicago Bears vs Green Bay Packers' } = divergence;
  const { text_a = 'If Chicago wins, Yes.', text_b = 'A tie resolves 50-50.' } = divergence;
  const paid = divergence.paid ?? [
    { outcome: 'chicago-bears', venue_a: '0.26', venue_b: '1' },
    { outcome: 'green-bay-packers', venue_a: '0.74', venue_b: '0' },
  ];
  await sql`
    insert into catalog.backtest_occasions (rule_id, occasion, diverged, odd, pairs, settled_at)
    values (${id}, ${occasion}, true, true, 1, ${settled_at})
    on conflict do nothing`;
  await sql`
    insert into catalog.backtest_divergences ${sql({
      ...{ rule_id: id, pair_id: randomUUID(), occasion, settled_at, text_a, text_b },
      listing_a: sql.json({ event: `KXEVENT-${occasion}`, title }),
      listing_b: sql.json({ event: `event-${occasion}`, title: `${title}?` }),
      paid: sql.json(paid),
    })}`;
}
