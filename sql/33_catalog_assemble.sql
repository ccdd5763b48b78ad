-- What a chosen pair of questions becomes: the row as it will be written. Each combination of facts is judged once for all its pairs.

create function catalog.assemble_pairs() returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  drop table if exists pg_temp.chosen, pg_temp.verdicts, pg_temp.tagged, pg_temp.assembled;
  create temporary table chosen on commit drop as
  select r.*
  from (
    select a, b, f.review, f.outcomes as wanted, ma.rules as text_a, mb.rules as text_b,
           catalog.pair_id(a.family, a.key, catalog.occasion_of(a)) as pair_id,
           c.occasion, c.round, c.legs_a, c.legs_b, c.legs_both,
           jsonb_build_array(a.category, a.sport, a.competition, a.institution, a.asset, a.location, a.identity ->> 'award')
             || jsonb_path_query_array(eb.payload, '$.tags[*].slug ? (@.type() == "string")') as words,
           md5(concat_ws(
             '|', catalog.matcher_version(), a.content_hash, b.content_hash, c.occasion, c.round, c.legs_a, c.legs_b, c.legs_both,
             md5(ma.rules), md5(mb.rules), md5(eb.payload ->> 'tags')
           )) as read_hash
    from pg_temp.candidates c
    join venue.questions a on a.question_id = c.question_a
    join venue.questions b on b.question_id = c.question_b
    join venue.events eb on eb.venue = 'venue_b' and eb.event_id = b.event_id
    join catalog.families() f on f.family = c.family
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
  ) r
  -- What was made from the same readings stands as it is.
  where not exists (
    select from catalog.pairs p
    where p.pair_id = r.pair_id
      and p.withdrawn_at is null
      and p.read_hash = r.read_hash
  );
  analyze pg_temp.chosen;

  create temporary table verdicts on commit drop as
  with terms as (
    select distinct v.terms - 'scheduled_date' as terms
    from pg_temp.chosen c
    cross join lateral (values ((c.a).terms), ((c.b).terms)) as v (terms)
  ), read as (
    select t.terms, catalog.facts_of(t.terms) as facts from terms t
  ), facts as (
    select c.pair_id,
           jsonb_build_object(
             'family', (c.a).family,
             'scope', coalesce((c.a).identity ->> 'competition', (c.a).institution, (c.a).asset, (c.a).location),
             'a', ra.facts,
             'b', rb.facts,
             'read_by', coalesce((c.a).identity -> 'participants_by', '[]') || coalesce((c.b).identity -> 'participants_by', '[]'),
             'competition_by', case when (c.b).identity ->> 'competition_by' = 'inferred' then 'inferred' when (c.a).sport is not null then 'named' end,
             'occasion', case
               when c.occasion <> 'period' then c.occasion
               when 'inferred' in ((c.b).identity ->> 'year_by', (c.b).identity ->> 'meeting_by') then 'period_inferred'
               when 'end_date' in ((c.b).identity ->> 'year_by', (c.b).identity ->> 'meeting_by') then 'period_from_end'
               else 'period'
             end,
             'choice', case when c.round = 1 then 'first' else 'after_others' end,
             'outcomes', case
               when c.wanted = 'shared' then case when c.legs_a = c.legs_both and c.legs_b = c.legs_both then 'equal' else 'shared' end
               when c.wanted = 'equal' then 'equal'
             end,
             'whole', (c.a).identity -> 'whole' = 'true' and (c.b).identity -> 'whole' = 'true',
             'mirrored', (c.a).identity -> 'mirrored'
           ) as facts
    from pg_temp.chosen c
    join read ra on ra.terms = (c.a).terms - 'scheduled_date'
    join read rb on rb.terms = (c.b).terms - 'scheduled_date'
  ), judged as materialized (
    select d.facts, catalog.signals_of(d.facts) as signals, catalog.risks_of(d.facts) as risks, catalog.rule_of(d.facts) as rule_id
    from (select distinct f.facts from facts f) d
  ), weighed as materialized (
    select j.*, catalog.confidence(j.signals, 'entity') as entity, catalog.confidence(j.signals, 'resolution') as resolution
    from judged j
  )
  select f.pair_id, w.signals, w.risks, w.rule_id, w.entity, w.resolution,
         exists (
           select
           from jsonb_array_elements(w.signals) s
           where s ->> 'signal' in ('rules_a', 'rules_b', 'fields_a', 'fields_b')
             and s ->> 'state' <> 'read'
         ) as unread
  from facts f
  join weighed w on w.facts = f.facts;
  create temporary table tagged on commit drop as
  select d.words, catalog.tags_of(d.words) as tags
  from (select distinct c.words from pg_temp.chosen c) d;
  analyze pg_temp.verdicts;

  create temporary table assembled on commit drop as
  select c.pair_id,
         (c.b).event_id as slug,
         (c.a).question_id as question_a,
         (c.b).question_id as question_b,
         (c.a).key as key,
         (c.a).family as market_type,
         -- A family that stays in review is published if it is surely the same question and both its texts were read.
         case
           when least(v.entity, v.resolution) >= 0.95 then 'catalog'
           when c.review and v.entity >= 0.95 and not v.unread then 'catalog'
           else 'candidate'
         end as stage,
         case
           when c.review or least(v.entity, v.resolution) < 0.95 then 'REVIEW'
           when least(v.entity, v.resolution) >= 0.99 then 'EXACT'
           else 'HIGH'
         end as band,
         v.entity as entity_confidence,
         v.resolution as resolution_confidence,
         v.signals,
         v.rule_id,
         (c.a).category,
         (c.a).sport,
         (c.a).competition,
         (c.a).location,
         (c.a).asset,
         (c.a).indicator,
         case when (c.a).basis is distinct from (c.b).basis then concat_ws(' | ', (c.a).basis, (c.b).basis) else (c.a).basis end as basis,
         (c.a).institution,
         t.tags,
         (c.a).title,
         (c.a).home,
         (c.a).away,
         -- A start that venue_a's milestone gives comes first, then venue_b's game field, then the ticker's own clock.
         coalesce(
           case when (c.a).identity ->> 'start_source' = 'milestone' then (c.a).start_at end,
           (c.b).start_at, (c.a).start_at, least((c.a).close_at, (c.b).close_at),
           ((c.a).on_date + 1)::timestamp at time zone 'America/New_York', 'infinity'
         ) as start_time,
         coalesce((c.a).start_at, (c.b).start_at) is not null as scheduled,
         (c.a).line,
         case
           when (c.a).family = 'moneyline' then c.pair_id
           when (c.a).game_key is not null then catalog.pair_id('moneyline', (c.a).game_key, catalog.occasion_of(c.a))
         end as game_id,
         (c.a).close_at as closes_a,
         (c.b).close_at as closes_b,
         (c.a).identity -> 'left_out' as left_out_a,
         (c.b).identity -> 'left_out' as left_out_b,
         (c.a).url as url_a,
         (c.b).url as url_b,
         (c.a).event_id as event_a,
         (c.b).event_id as event_b,
         (c.b).event_id as slug_b,
         c.text_a,
         c.text_b,
         c.read_hash,
         c.wanted,
         -- Bands of two stations meet only where neither is known to be another than the other.
         not coalesce((c.a).terms ->> 'station' <> (c.b).terms ->> 'station', false) as same_station,
         (c.a).identity ->> 'kind' as kind_a,
         coalesce(((c.a).identity ->> 'grid')::numeric, ((c.b).identity ->> 'grid')::numeric, 0) as grid,
         v.risks
  from pg_temp.chosen c
  join pg_temp.verdicts v on v.pair_id = c.pair_id
  join pg_temp.tagged t on t.words = c.words;
  analyze pg_temp.assembled;
end
$$;
comment on function catalog.assemble_pairs() is
  'Part of catalog.match_pass: pg_temp.assembled, the row that each chosen pair becomes; pairs whose readings are unchanged are not in it.';
