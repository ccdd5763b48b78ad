-- Stages 4 and 5 of the match pass: which chosen pairs are new or changed, and their assessment.

create function catalog.collect_pair_facts(
  a venue.questions,
  b venue.questions,
  p_terms_a jsonb,
  p_terms_b jsonb,
  p_occasion text,
  p_round integer,
  p_wanted text,
  p_legs_a bigint,
  p_legs_b bigint,
  p_legs_both bigint
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'family', a.family,
    'scope',
    coalesce(
      a.identity ->> 'competition', a.institution, a.asset, a.location,
      concat_ws(' ', a.identity ->> 'country', a.indicator, a.basis)
    ),
    'a', p_terms_a,
    'b', p_terms_b,
    'read_by', coalesce(a.identity -> 'participants_by', '[]') || coalesce(b.identity -> 'participants_by', '[]'),
    'competition_by',
    case when b.identity ->> 'competition_by' = 'inferred' then 'inferred' when a.sport is not null then 'named' end,
    'occasion', case
      when p_occasion <> 'period' then p_occasion
      when 'inferred' in (b.identity ->> 'year_by', b.identity ->> 'meeting_by') then 'period_inferred'
      when 'end_date' in (b.identity ->> 'year_by', b.identity ->> 'meeting_by') then 'period_from_end'
      else 'period'
    end,
    'choice', case when p_round = 1 then 'first' else 'after_others' end,
    'outcomes', case
      when p_wanted in ('shared', 'sides')
        then case when p_legs_a = p_legs_both and p_legs_b = p_legs_both then 'equal' else 'shared' end
      when p_wanted = 'equal' then 'equal'
      when p_wanted = 'buckets' and p_legs_both = 0 then 'derived'
    end,
    'unconfirmed', case
      when coalesce(a.excluded_reason, b.excluded_reason) is null or p_occasion = 'confirmed_race' then null
      when 'unconfirmed_league' in (a.excluded_reason, b.excluded_reason) then 'unconfirmed_league'
      else 'unconfirmed_name'
    end,
    'whole', a.identity -> 'whole' = 'true' and b.identity -> 'whole' = 'true',
    'mirrored', a.identity -> 'mirrored',
    'touch', coalesce(a.basis = 'touch' or b.basis = 'touch', false),
    'kind', case when a.identity ->> 'kind' = 'person' then 'person' end
  );
end
$$;
comment on function catalog.collect_pair_facts(
  venue.questions, venue.questions, jsonb, jsonb, text, integer, text, bigint, bigint, bigint
) is
  'Part of catalog.run_match_pass: all facts from which signals, risks and the rule of a pair '
  'follow. It reads only what the digest of a kind in catalog.assess_pairs covers.';

create function catalog.changed_choices(p_candidates catalog.candidate[]) returns setof catalog.chosen_pair
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  return query
  -- The text of a question is the first text of its markets: nearly always that of its first leg.
  -- Read once for all questions: a lookup for each pair costs three times as much.
  with texts as materialized (
    select l.question_id,
           coalesce(
             m.rules,
             (
               select o.rules
               from venue.legs k
               join venue.markets o on o.venue = q.venue and o.market_id = k.market_id
               where k.question_id = l.question_id
                 and o.rules is not null
               order by k.ordinal
               limit 1
             )
           ) as rules
    from venue.questions q
    join venue.legs l on l.question_id = q.question_id and l.ordinal = 0
    left join venue.markets m on m.venue = q.venue and m.market_id = l.market_id
  )
  select r.*
  from (
    select catalog.pair_id_of(a.family, a.key, catalog.occasion_of(a.identity, a.on_date, a.game_no)) as pair_id,
           c.question_a, c.question_b, c.occasion, c.round, c.legs_a, c.legs_b, c.legs_both, f.review, c.wanted,
           jsonb_build_array(
             a.category, a.sport, a.competition, a.institution, a.asset, a.location, a.identity ->> 'award'
           )
             || coalesce(jsonb_path_query_array(eb.tags, '$[*].slug ? (@.type() == "string")'), '[]') as words,
           md5(concat_ws(
             '|', catalog.matcher_version(), a.content_hash, b.content_hash, c.occasion, c.round, c.legs_a, c.legs_b,
             c.legs_both, md5(ma.rules), md5(mb.rules), md5(eb.tags #>> '{}')
           )) as input_hash,
           ma.rules as text_a, mb.rules as text_b,
           a.terms_hash as terms_a,
           b.terms_hash as terms_b,
           a.family as market_type,
           -- Bands match unless the venues name two different stations.
           not coalesce(a.terms ->> 'station' <> b.terms ->> 'station', false) as same_station,
           a.identity ->> 'kind' as kind_a,
           coalesce((a.identity ->> 'grid')::numeric, (b.identity ->> 'grid')::numeric, 0) as grid
    from unnest(p_candidates) c
    join venue.questions a on a.venue = 'venue_a' and a.question_id = c.question_a
    join venue.questions b on b.venue = 'venue_b' and b.question_id = c.question_b
    join (
      -- offset 0: the payload is decompressed once, not for each use of its tags.
      select e.event_id, e.payload -> 'tags' as tags from venue.events e where e.venue = 'venue_b' offset 0
    ) eb on eb.event_id = b.event_id
    join catalog.market_families() f on f.family = c.family
    left join texts ma on ma.question_id = c.question_a
    left join texts mb on mb.question_id = c.question_b
    where c.round is not null
    -- Computed once for a pair, not again for the comparison below.
    offset 0
  ) r
  -- A pair whose inputs are unchanged keeps its stored row.
  where not exists (
    select
    from catalog.pairs p
    where p.pair_id = r.pair_id
      and p.withdrawn_at is null
      and p.input_hash = r.input_hash
  );
end
$$;
comment on function catalog.changed_choices(catalog.candidate[]) is
  'Stage 4 of catalog.run_match_pass: chosen pairs that are new, or whose inputs changed since '
  'their row was written.';

create function catalog.assess_pairs(p_chosen catalog.chosen_pair[]) returns setof catalog.assessed_pairs
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  -- Thousands of pairs share their facts. Each distinct set of terms is extracted once, without the
  -- scheduled day, which belongs to one game. Each distinct combination of facts (a kind) is then
  -- assessed once, grouped by its digest.
  return query
  with distinct_terms as materialized (
    select t.hash, catalog.extract_terms(q.terms - 'scheduled_date') as facts
    from (
      select v.hash, min(v.question_id) as question_id
      from unnest(p_chosen) c
      cross join lateral (values (c.question_a, c.terms_a), (c.question_b, c.terms_b)) as v (question_id, hash)
      group by v.hash
    ) t
    join venue.questions q on q.question_id = t.question_id
  ), kinds as materialized (
    select c.pair_id,
           md5(concat_ws(
             '|', a.family, a.identity ->> 'competition', a.institution, a.asset, a.location, a.identity ->> 'country',
             a.indicator, a.basis, b.basis, c.terms_a, c.terms_b,
             a.identity ->> 'participants_by', b.identity ->> 'participants_by', b.identity ->> 'competition_by',
             c.occasion, b.identity ->> 'year_by', b.identity ->> 'meeting_by', c.round, c.wanted,
             c.legs_a = c.legs_both, c.legs_b = c.legs_both, c.legs_both = 0, a.identity ->> 'whole',
             b.identity ->> 'whole', a.identity ->> 'mirrored', a.identity ->> 'kind', a.sport is null,
             a.excluded_reason, b.excluded_reason
           )) as kind
    from unnest(p_chosen) c
    join venue.questions a on a.venue = 'venue_a' and a.question_id = c.question_a
    join venue.questions b on b.venue = 'venue_b' and b.question_id = c.question_b
  ), represented as materialized (
    -- One pair represents its kind. Materialized: in a single query the planner compared all pairs
    -- with all kinds.
    select k.pair_ids, c.*
    from (select array_agg(d.pair_id) as pair_ids from kinds d group by d.kind) k
    join unnest(p_chosen) c on c.pair_id = k.pair_ids[1]
  )
  select v.pair_ids, md5(v.signals::text || v.risks::text), v.signals, v.risks, v.rule_id,
         catalog.compute_confidence(v.signals, 'entity') as entity,
         catalog.compute_confidence(v.signals, 'resolution') as resolution,
         exists (
           select
           from jsonb_array_elements(v.signals) s
           where s ->> 'signal' in ('rules_a', 'rules_b', 'fields_a', 'fields_b')
             and s ->> 'state' <> 'read'
         ) as unread
  from (
    select f.pair_ids, catalog.signals_of(f.facts) as signals, catalog.risks_of(f.facts) as risks,
           catalog.rule_of(f.facts) as rule_id
    from (
      select c.pair_ids,
             catalog.collect_pair_facts(
               a, b, ra.facts, rb.facts, c.occasion, c.round, c.wanted, c.legs_a, c.legs_b, c.legs_both
             ) as facts
      from represented c
      join venue.questions a on a.question_id = c.question_a
      join venue.questions b on b.question_id = c.question_b
      join distinct_terms ra on ra.hash = c.terms_a
      join distinct_terms rb on rb.hash = c.terms_b
      offset 0
    ) f
    offset 0
  ) v;
end
$$;
comment on function catalog.assess_pairs(catalog.chosen_pair[]) is
  'Stage 5 of catalog.run_match_pass: signals, risks, rule and confidences, once for all pairs of '
  'one kind.';
