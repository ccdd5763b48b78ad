-- Stage 10 of the match pass: the rows of the chosen pairs, with the outcomes that each omits.

create function catalog.compare_legs(
  p_chosen catalog.chosen_pair[],
  p_legs catalog.pair_leg[],
  p_outcomes catalog.outcomes[]
) returns table (
  pair_id uuid, omitted_a jsonb, omitted_b jsonb, condition_b text, share numeric, uncovered jsonb
)
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  return query
  with missing as (
    -- An outcome that only one venue lists is named with a reason, never invented. Strike ladders
    -- publish the strikes of both venues anyway.
    select l.pair_id,
           jsonb_agg(jsonb_build_object('name', l.name, 'why', 'not_on_the_other_venue') order by l.ordinal_a)
             filter (where l.ordinal_b is null and l.wanted in ('equal', 'shared', 'twins', 'sides')) as omitted_a,
           jsonb_agg(jsonb_build_object('name', l.name, 'why', 'not_on_the_other_venue') order by l.ordinal_b)
             filter (where l.ordinal_a is null and l.wanted in ('equal', 'shared', 'twins', 'sides')) as omitted_b,
           case when min(l.market_b) = max(l.market_b) then min(l.market_b) end as condition_b
    from unnest(p_legs) l
    group by l.pair_id
  ), covered as (
    -- The share of the venue_b buckets that venue_a supports, by an equal contract or by thresholds
    -- that bound the bucket.
    select o.pair_id,
           round(count(*) filter (where o.relation is not null)::numeric / count(*), 4) as share,
           coalesce(jsonb_agg(o.name order by o.ordinal) filter (where o.relation is null), '[]') as uncovered
    from unnest(p_outcomes) o
    join unnest(p_chosen) c on c.pair_id = o.pair_id and c.wanted = 'buckets'
    group by o.pair_id
  )
  select m.pair_id, m.omitted_a, m.omitted_b, m.condition_b, v.share, v.uncovered
  from missing m
  left join covered v on v.pair_id = m.pair_id;
end
$$;
comment on function catalog.compare_legs(
  catalog.chosen_pair[], catalog.pair_leg[], catalog.outcomes[]
) is
  'Part of catalog.assemble_pairs: the outcomes of each pair that only one venue lists, the share '
  'of the buckets that venue_a supports, and the condition if there is one.';

create function catalog.assemble_pairs(
  p_chosen catalog.chosen_pair[],
  p_assessed catalog.assessed_pairs[],
  p_legs catalog.pair_leg[],
  p_outcomes catalog.outcomes[]
) returns setof catalog.new_pair
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
         -- Most pairs omit nothing, so most build no object.
         case
           when coalesce(a.identity -> 'left_out', b.identity -> 'left_out', l.omitted_a, l.omitted_b, l.uncovered)
             is not null
             then nullif(
               jsonb_strip_nulls(jsonb_build_object(
                 'left_out_a', nullif(coalesce(a.identity -> 'left_out', '[]') || coalesce(l.omitted_a, '[]'), '[]'),
                 'left_out_b', nullif(coalesce(b.identity -> 'left_out', '[]') || coalesce(l.omitted_b, '[]'), '[]'),
                 'poly_leg_coverage', l.share,
                 'uncovered_legs', l.uncovered
               )),
               '{}'
             )
         end as omitted_outcomes,
         a.url as url_a,
         b.url as url_b,
         a.event_id as event_a,
         b.event_id as event_b,
         l.condition_b,
         b.event_id as slug_b,
         c.text_a,
         c.text_b,
         c.input_hash
  from unnest(p_chosen) c
  join venue.questions a on a.venue = 'venue_a' and a.question_id = c.question_a
  join venue.questions b on b.venue = 'venue_b' and b.question_id = c.question_b
  join assessed v on v.pair_id = c.pair_id
  join tagged t on t.words = c.words
  left join catalog.compare_legs(p_chosen, p_legs, p_outcomes) l on l.pair_id = c.pair_id
  -- An open alarm keeps a pair in REVIEW until an operator confirms the pair.
  left join catalog.alarms m on m.pair_id = c.pair_id and m.confirmed_at is null
  left join taken_back k on k.question_a = c.question_a and k.question_b = c.question_b;
end
$$;
comment on function catalog.assemble_pairs(
  catalog.chosen_pair[], catalog.assessed_pairs[], catalog.pair_leg[], catalog.outcomes[]
) is
  'Stage 10 of catalog.run_match_pass: the rows of catalog.pairs, with the outcomes that each '
  'omits.';
