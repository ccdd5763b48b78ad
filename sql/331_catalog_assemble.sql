-- Stages 4 to 6 of the match pass: which chosen pairs are new or changed, their assessment, and
-- their rows without outcomes.

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
           b.terms_hash as terms_b
    from unnest(p_candidates) c
    join venue.questions a on a.question_id = c.question_a
    join venue.questions b on b.question_id = c.question_b
    join (
      -- offset 0: the payload is decompressed once, not for each use of its tags.
      select e.event_id, e.payload -> 'tags' as tags from venue.events e where e.venue = 'venue_b' offset 0
    ) eb on eb.event_id = b.event_id
    join catalog.market_families() f on f.family = c.family
    left join lateral (
      select m.rules
      from venue.legs l
      join venue.markets m on m.venue = 'venue_a' and m.market_id = l.market_id
      where l.question_id = a.question_id
        and m.rules is not null
      order by l.ordinal
      limit 1
    ) ma on true
    left join lateral (
      select m.rules
      from venue.legs l
      join venue.markets m on m.venue = 'venue_b' and m.market_id = l.market_id
      where l.question_id = b.question_id
        and m.rules is not null
      order by l.ordinal
      limit 1
    ) mb on true
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
    join venue.questions a on a.question_id = c.question_a
    join venue.questions b on b.question_id = c.question_b
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

create function catalog.assemble_pairs(p_chosen catalog.chosen_pair[], p_assessed catalog.assessed_pairs[])
returns setof catalog.assembled_pair
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  return query
  with tagged as materialized (
    select d.words, catalog.tags_of(d.words) as tags
    from (select distinct c.words from unnest(p_chosen) c) d
  ), assessed as materialized (
    select k.pair_id, v.assessment_id, v.rule_id, v.entity, v.resolution, v.unread
    from unnest(p_assessed) v
    cross join lateral unnest(v.pair_ids) as k (pair_id)
  ), taken_back as materialized (
    select t.*
    from catalog.taken_back(array(select c.question_a from unnest(p_chosen) c)) t
  )
  select c.pair_id,
         b.event_id as slug,
         a.question_id as question_a,
         b.question_id as question_b,
         a.key as key,
         a.family as market_type,
         -- A review family is published when the entity is certain and both texts were read.
         case
           when m.pair_id is not null or k.question_a is not null then 'candidate'
           when least(v.entity, v.resolution) >= 0.95 then 'catalog'
           when c.review and v.entity >= 0.95 and not v.unread then 'catalog'
           else 'candidate'
         end as stage,
         case
           when m.pair_id is not null or k.question_a is not null then 'REVIEW'
           when c.review or least(v.entity, v.resolution) < 0.95 then 'REVIEW'
           -- Derived buckets: both venues ask about the same figure, but have no contract in
           -- common.
           when c.wanted = 'buckets' and c.legs_both = 0 then 'REVIEW'
           when least(v.entity, v.resolution) >= 0.99 then 'EXACT'
           else 'HIGH'
         end as band,
         v.entity as entity_confidence,
         v.resolution as resolution_confidence,
         v.assessment_id,
         v.rule_id,
         a.category,
         a.sport,
         a.competition,
         a.location,
         a.asset,
         a.indicator,
         case when a.basis is distinct from b.basis then concat_ws(' | ', a.basis, b.basis) else a.basis end as basis,
         a.institution,
         t.tags,
         a.title,
         a.home,
         a.away,
         -- The start comes from the milestone of venue_a, else from the game field of venue_b, else
         -- from the clock in the ticker of venue_a.
         coalesce(
           case when a.identity ->> 'start_source' = 'milestone' then a.start_at end,
           b.start_at, a.start_at, least(a.close_at, b.close_at),
           (a.on_date + 1)::timestamp at time zone 'America/New_York', 'infinity'
         ) as start_time,
         coalesce(a.start_at, b.start_at) is not null as has_scheduled_start,
         a.line,
         case
           when a.family = 'moneyline' then c.pair_id
           when a.game_key is not null
             then catalog.pair_id_of('moneyline', a.game_key, catalog.occasion_of(a.identity, a.on_date, a.game_no))
         end as game_id,
         a.close_at as closes_a,
         b.close_at as closes_b,
         a.identity -> 'left_out' as left_out_a,
         b.identity -> 'left_out' as left_out_b,
         a.url as url_a,
         b.url as url_b,
         a.event_id as event_a,
         b.event_id as event_b,
         b.event_id as slug_b,
         c.input_hash,
         c.text_a,
         c.text_b,
         c.wanted,
         -- Bands match unless the venues name two different stations.
         not coalesce(a.terms ->> 'station' <> b.terms ->> 'station', false) as same_station,
         a.identity ->> 'kind' as kind_a,
         coalesce((a.identity ->> 'grid')::numeric, (b.identity ->> 'grid')::numeric, 0) as grid
  from unnest(p_chosen) c
  join venue.questions a on a.question_id = c.question_a
  join venue.questions b on b.question_id = c.question_b
  join assessed v on v.pair_id = c.pair_id
  join tagged t on t.words = c.words
  -- An open alarm keeps a pair in REVIEW until an operator confirms the pair.
  left join catalog.alarms m on m.pair_id = c.pair_id and m.confirmed_at is null
  left join taken_back k on k.question_a = c.question_a and k.question_b = c.question_b;
end
$$;
comment on function catalog.assemble_pairs(catalog.chosen_pair[], catalog.assessed_pairs[]) is
  'Stage 6 of catalog.run_match_pass: the row of each chosen pair, without its outcomes.';
