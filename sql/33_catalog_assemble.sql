-- What a chosen pair of questions becomes: confidences from named signals, settlement risks, and the row as it will be written.
-- Signals and risks depend on a handful of facts that thousands of pairs share: each combination is judged once.

create function catalog.patience_text(p_patience jsonb) returns text
language sql immutable
set search_path = ''
as $$
  select case
    when coalesce(p_patience, 'null') = 'null' then 'does not say'
    when p_patience = '"until_played"' then 'waits until it is played'
    else format('waits %s hours', p_patience)
  end
$$;
comment on function catalog.patience_text(jsonb) is 'A contract''s patience in words, for a risk''s note.';

create function catalog.payout_text(p_payout text) returns text
language sql immutable
set search_path = ''
as $$
  select case p_payout
    when 'fair_price' then 'pays a fair market price'
    when 'split' then 'pays 50-50'
    when 'no' then 'resolves to No'
    when 'own_outcome' then 'has a market of its own for it'
    when 'no_change' then 'resolves to no change'
    else 'does not say'
  end
$$;
comment on function catalog.payout_text(text) is 'What a contract pays in an odd case, in words, for a risk''s note.';

create function catalog.confidence(p_signals jsonb, p_about text) returns numeric
language sql immutable
set search_path = ''
as $$
  select greatest(0, 1 - coalesce(sum((s ->> 'weight')::numeric), 0))::numeric(4, 3)
  from jsonb_array_elements(p_signals) s
  where s ->> 'about' = p_about
$$;
comment on function catalog.confidence(jsonb, text) is '1 less the weights of the signals about entity or resolution.';

create function catalog.facts_of(p_terms jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$
  select jsonb_build_object(
    'rules', p_terms -> 'rules',
    'patience', case when p_terms -> 'waits' = 'true' then '"until_played"' else p_terms -> 'postponement_hours' end,
    'cancelled', p_terms -> 'cancelled',
    'tie', p_terms -> 'tie',
    'overtime', p_terms -> 'overtime',
    'rounding', p_terms -> 'rounding',
    'contradicted', p_terms -> 'fields_agree' = 'false',
    'sources', p_terms -> 'sources'
  )
$$;
comment on function catalog.facts_of(jsonb) is 'The terms of one venue that signals and risks are made of, without what belongs to one game alone.';

create function catalog.signals_of(p_facts jsonb) returns jsonb
language sql stable
set search_path = ''
as $$
  with facts as (
    select p_facts as f, p_facts -> 'a' as a, p_facts -> 'b' as b, p_facts -> 'read_by' as read_by, p_facts ->> 'family' as family
  ), seen (signal, state) as (
    select 'participants',
           case
             when read_by ? 'elimination' then 'by_elimination'
             when read_by ? 'label' or read_by ? 'code' then 'read_once'
             when jsonb_array_length(read_by) > 0 then 'read_twice'
           end
    from facts
    union all
    select 'competition', f ->> 'competition_by' from facts
    union all
    select 'occasion', f ->> 'occasion' from facts
    union all
    select 'choice', f ->> 'choice' from facts
    union all
    select 'outcomes', f ->> 'outcomes' from facts
    union all
    select 'rules_a', a ->> 'rules' from facts
    union all
    select 'rules_b', b ->> 'rules' from facts
    union all
    select 'fields_a', case when a -> 'contradicted' = 'true' then 'contradicted' end from facts
    union all
    select 'fields_b', case when b -> 'contradicted' = 'true' then 'contradicted' end from facts
    union all
    select 'postponement', catalog.difference(a -> 'patience', b -> 'patience') from facts where family = 'moneyline'
    union all
    select 'cancelled', catalog.difference(a -> 'cancelled', b -> 'cancelled') from facts where family in ('moneyline', 'fed_decision')
    union all
    select 'tie', catalog.difference(a -> 'tie', b -> 'tie') from facts where family = 'moneyline'
    union all
    select 'overtime',
           case
             when catalog.difference(a -> 'overtime', b -> 'overtime') = 'unsaid' and 'regulation' in (a ->> 'overtime', b ->> 'overtime')
               then 'half_said'
             else catalog.difference(a -> 'overtime', b -> 'overtime')
           end
    from facts
    where family = 'moneyline'
    union all
    select 'side', case when f -> 'mirrored' = 'true' then 'mirrored' end from facts
  )
  select jsonb_agg(jsonb_build_object('signal', s.signal, 'state', s.state, 'about', w.about, 'weight', w.weight) order by w.about, s.signal)
  from seen s
  join catalog.weights() w on w.signal = s.signal and w.state = s.state
$$;
comment on function catalog.signals_of(jsonb) is 'Every named signal of the facts of a pair, with its state and what that takes off which confidence.';

create function catalog.risks_of(p_facts jsonb) returns jsonb
language sql stable
set search_path = ''
as $$
  with said as (
    select p_facts -> 'a' as ta, p_facts -> 'b' as tb, p_facts #> '{a,patience}' as pa, p_facts #> '{b,patience}' as pb, p_facts ->> 'family' as family
  ), risks (event, severity, note) as (
    select 'rules_unread', 'high',
           concat_ws(' ', case when ta ->> 'rules' = 'none' then 'venue_a lists no rules text.' end, case when tb ->> 'rules' = 'none' then 'venue_b lists no rules text.' end)
    from said
    where 'none' in (ta ->> 'rules', tb ->> 'rules')
    union all
    select 'unfilled_template', 'high', 'The rules of one venue are a template whose blanks were never filled in.'
    from said
    where 'unfilled' in (ta ->> 'rules', tb ->> 'rules')
    union all
    select 'rules_contradict_fields', 'high', 'The rules of one venue speak of another day than the listing''s own fields.'
    from said
    where ta -> 'contradicted' = 'true'
      or tb -> 'contradicted' = 'true'
    union all
    select 'postponement_window', 'medium',
           format('A postponed game: venue_a %s; venue_b %s.', catalog.patience_text(pa), catalog.patience_text(pb))
    from said
    where catalog.difference(pa, pb) = 'differs'
      or (catalog.difference(pa, pb) = 'unsaid' and coalesce(pa, pb) is not null and coalesce(pa, pb) <> 'null')
    union all
    select r.event, 'medium',
           format('Never played: venue_a %s; venue_b %s.', catalog.payout_text(ta ->> 'cancelled'), catalog.payout_text(tb ->> 'cancelled'))
    from said
    cross join (values ('void_rule'), ('cancel_payout')) as r (event)
    where family in ('moneyline', 'fed_decision')
      and catalog.difference(ta -> 'cancelled', tb -> 'cancelled') = 'differs'
    union all
    select 'tie_handling', 'high',
           format('A tie: venue_a %s; venue_b %s.', catalog.payout_text(ta ->> 'tie'), catalog.payout_text(tb ->> 'tie'))
    from said
    where catalog.difference(ta -> 'tie', tb -> 'tie') = 'differs'
    union all
    select 'overtime_scope', case when catalog.difference(ta -> 'overtime', tb -> 'overtime') = 'differs' then 'high' else 'medium' end,
           format('Overtime: venue_a %s; venue_b %s.', coalesce(ta ->> 'overtime', 'does not say'), coalesce(tb ->> 'overtime', 'does not say'))
    from said
    where catalog.difference(ta -> 'overtime', tb -> 'overtime') = 'differs'
      or (catalog.difference(ta -> 'overtime', tb -> 'overtime') = 'unsaid' and 'regulation' in (ta ->> 'overtime', tb ->> 'overtime'))
    union all
    select 'settlement_source', 'low',
           format('venue_a settles by %s; venue_b by %s.',
             (select string_agg(s, ', ') from jsonb_array_elements_text(ta -> 'sources') s),
             (select string_agg(s, ', ') from jsonb_array_elements_text(tb -> 'sources') s))
    from said
    where jsonb_array_length(coalesce(ta -> 'sources', '[]')) > 0
      and jsonb_array_length(coalesce(tb -> 'sources', '[]')) > 0
      and ta -> 'sources' <> tb -> 'sources'
    union all
    select 'partition_gap', 'high', 'Something other than the listed outcomes can come true: buying all of them is not safe.'
    where p_facts -> 'whole' is distinct from 'true'
    union all
    select 'rounding', 'medium', 'venue_a''s outer choices are "more than 25 bp", venue_b''s are 50 bp after rounding up to the nearest 25: the same only on a 25 bp grid.'
    where p_facts ->> 'family' = 'fed_decision'
    union all
    select 'mirrored_side', 'low', 'venue_a lists the market of one team only; NO of it stands for the other.'
    where p_facts -> 'mirrored' = 'true'
  )
  select coalesce(jsonb_agg(jsonb_build_object('event', event, 'severity', severity, 'note', note) order by event), '[]')
  from risks
$$;
comment on function catalog.risks_of(jsonb) is
  'How the two contracts may settle differently, from the terms that were read in each listing''s own text: [{event, severity, note}]. cancel_* stays internal.';

create function catalog.rule_of(p_facts jsonb) returns text
language sql immutable
set search_path = ''
as $$
  select concat_ws(
    ' / ', p_facts ->> 'family', p_facts ->> 'scope',
    'venue_a: ' || coalesce(nullif(catalog.terms_text(p_facts -> 'a'), ''), 'says nothing'),
    'venue_b: ' || coalesce(nullif(catalog.terms_text(p_facts -> 'b'), ''), 'says nothing')
  )
$$;
comment on function catalog.rule_of(jsonb) is 'The resolution rule that a pair settles by: family, competition and both venues'' terms.';

create function catalog.tags_of(p_context jsonb) returns text[]
language sql immutable
set search_path = ''
as $$
  select coalesce(array_agg(distinct t.tag order by t.tag), '{}')
  from (
    select trim(both '-' from regexp_replace(lower(w.word), '[^a-z0-9]+', '-', 'g')) as tag
    from jsonb_array_elements_text(p_context) as w (word)
    limit 32
  ) t
  where t.tag <> ''
$$;
comment on function catalog.tags_of(jsonb) is 'Normalized discovery hints from words of both listings.';

create function catalog.assemble_pairs() returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  drop table if exists pg_temp.chosen, pg_temp.verdicts, pg_temp.tagged, pg_temp.assembled;
  create temporary table chosen on commit drop as
  select r.*
  from (
    select a, b, f.review, la.market_id as market_a, ma.rules as text_a, mb.rules as text_b,
           catalog.pair_id(a.family, a.key, concat_ws('|', coalesce(a.identity ->> 'occasion', a.on_date::text), a.game_no)) as pair_id,
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
    left join venue.legs la on la.question_id = a.question_id and la.ordinal = 0
    left join venue.markets ma on ma.venue = 'venue_a' and ma.market_id = la.market_id
    left join venue.legs lb on lb.question_id = b.question_id and lb.ordinal = 0
    left join venue.markets mb on mb.venue = 'venue_b' and mb.market_id = lb.market_id
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
             'outcomes', case when c.legs_a = c.legs_both and c.legs_b = c.legs_both then 'equal' else 'shared' end,
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
  select f.pair_id, w.signals, w.risks, w.rule_id, w.entity, w.resolution
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
         case when c.review or least(v.entity, v.resolution) >= 0.95 then 'catalog' else 'candidate' end as stage,
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
           when (c.a).game_key is not null then catalog.pair_id('moneyline', (c.a).game_key, concat_ws('|', coalesce((c.a).identity ->> 'occasion', (c.a).on_date::text), (c.a).game_no))
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
         c.review,
         v.risks
  from pg_temp.chosen c
  join pg_temp.verdicts v on v.pair_id = c.pair_id
  join pg_temp.tagged t on t.words = c.words;
  analyze pg_temp.assembled;
end
$$;
comment on function catalog.assemble_pairs() is
  'Part of catalog.match_pass: pg_temp.assembled, the row that each chosen pair becomes; pairs whose readings are unchanged are not in it.';
