import type { Sql } from '../../local/platform/postgres/template.ts';

/**
 * Inserts this many two-way pairs of several sports at once, numbered as in uuidOf. One in ten is a
 * candidate; half of them are under a confirmed rule.
 */
export async function putPairs(sql: Sql, pairs: number): Promise<void> {
  await sql`
    insert into catalog.rules (rule_id, description, first_seen_at, confirmed_at)
    values ('rule confirmed', 'of a test', '2026-01-01Z', '2026-02-01Z'), ('rule unconfirmed', 'of a test', '2026-01-01Z', null)
    on conflict do nothing`;
  await sql`insert into catalog.assessments (assessment_id, signals, risks) values ('calm', '[]', '[]') on conflict do nothing`;
  await sql`
    insert into catalog.pairs (
      pair_id, slug, question_a, question_b, key, market_type, stage, band, entity_confidence, resolution_confidence, assessment_id, rule_id,
      input_hash, category, sport, competition, tags, title, home, away, start_time, has_scheduled_start, status, event_a, event_b, shard_key, created_at,
      updated_at
    )
    select ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'pair-' || n, 'venue_a:Q' || n, 'venue_b:q' || n, 'key ' || n,
           'moneyline', case when n % 10 = 9 then 'candidate' else 'catalog' end, 'EXACT', 0.99, 0.97, 'calm',
           case when n % 2 = 0 then 'rule confirmed' else 'rule unconfirmed' end, 'read ' || n, 'sports',
           (array['basketball', 'baseball', 'hockey', 'soccer'])[n % 4 + 1], 'League ' || n % 4, array['tag'], 'Title ' || n, 'Home', 'Away',
           clock.now() + n * interval '1 minute', true, 'open', 'KXEVENT-' || n, 'event-' || n, n % 64, clock.now(), clock.now()
    from generate_series(1, ${pairs}::integer) n`;
  await sql`
    insert into catalog.outcomes (pair_id, ordinal, key, name, contract_a, side_a, contract_b)
    select p.pair_id, o.ordinal, o.key, upper(o.key), 'KX-' || right(p.slug, -5) || '-' || o.key, 'yes', right(p.slug, -5) || '00' || o.ordinal
    from catalog.pairs p
    cross join (values (0, 'home'), (1, 'away')) as o (ordinal, key)
    on conflict do nothing`;
  await sql.unsafe('analyze catalog.pairs; analyze catalog.outcomes').simple();
}
