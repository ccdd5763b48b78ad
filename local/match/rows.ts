import type { Queries } from '../platform/postgres/template.ts';

/** One line of the match command's output: a pair or a rejected lookalike. */
export type MatchRow = { [key: string]: unknown };

/** Every active pair with the contracts of each outcome, ordered by id. */
export async function pairRows(sql: Queries): Promise<MatchRow[]> {
  const rows = await sql<{ row: MatchRow }[]>`
    select jsonb_build_object(
      'venue_a', jsonb_build_object('event_ticker', p.event_a, 'tickers', l.tickers),
      'venue_b', jsonb_build_object('event_slug', p.event_b, 'condition_ids', l.conditions, 'slugs', l.slugs),
      'market_type', p.market_type,
      'title', p.title,
      'stage', p.stage,
      'band', p.band,
      'line', p.line,
      'signal_gates', jsonb_build_object('band', g.band_ok, 'parity', g.parity_ok, 'risk', g.risk_ok, 'closed_because', g.reason),
      'confidence', jsonb_build_object('entity', p.entity_confidence, 'resolution', p.resolution_confidence),
      'signals', j.signals,
      'outcomes', l.outcomes,
      'factors', p.omitted_outcomes,
      'risks', coalesce((
        select jsonb_agg(jsonb_build_object('event', k.event, 'severity', k.severity, 'note', k.note) order by k.event)
        from catalog.pair_risks k
        where k.pair_id = p.pair_id
      ), '[]')
    ) as row
    from catalog.pairs p
    join catalog.match_gates g on g.pair_id = p.pair_id
    join catalog.assessments j on j.assessment_id = p.assessment_id
    cross join lateral (
      select jsonb_agg(distinct o.contract_a) filter (where o.contract_a is not null) as tickers,
             jsonb_agg(distinct o.market_b) filter (where o.market_b is not null) as conditions,
             jsonb_agg(distinct m.payload -> 'slug') filter (where m.payload ->> 'slug' is not null) as slugs,
             jsonb_agg(
               jsonb_build_object(
                 'key', o.key, 'name', o.name,
                 'venue_a', o.contract_a, 'venue_a_side', coalesce(o.side_a, 'yes'), 'venue_b', o.contract_b,
                 -- Outside of ladders, both contracts of a leg are the same statement.
                 'relation', coalesce(o.relation, case when o.contract_a is not null and o.contract_b is not null then 'EXACT' end),
                 'venue_a_span', o.span
               ) order by o.ordinal
             ) as outcomes
      from catalog.outcomes o
      left join venue.markets m on m.venue = 'venue_b' and m.market_id = o.market_b
      where o.pair_id = p.pair_id
    ) l
    where p.withdrawn_at is null
    order by p.market_type, p.event_a, p.pair_id`;
  return rows.map((one) => one.row);
}

/** Every rejected lookalike with its code and sentence. */
export async function rejectionRows(sql: Queries): Promise<MatchRow[]> {
  const rows = await sql<{ row: MatchRow }[]>`
    select jsonb_build_object(
      'refused', true,
      'code', r.code,
      'detail', r.detail,
      'market_type', a.family,
      'venue_a', jsonb_build_object('event_ticker', a.event_id, 'title', a.title),
      'venue_b', jsonb_build_object('event_slug', b.event_id, 'title', b.title),
      'evidence', r.evidence
    ) as row
    from catalog.rejections r
    join venue.questions a on a.question_id = r.question_a
    join venue.questions b on b.question_id = r.question_b
    order by a.event_id, b.event_id, r.code`;
  return rows.map((one) => one.row);
}
