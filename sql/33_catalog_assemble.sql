-- What a chosen pair of questions becomes: confidences from named signals, settlement risks, and the row as it will be written.

create function catalog.patience(p_terms jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$ select case when (p_terms -> 'waits')::text = 'true' then '"until_played"' else p_terms -> 'postponement_hours' end $$;
comment on function catalog.patience(jsonb) is 'How long a contract waits for a postponed game: hours, "until_played", or null when its text does not say.';

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

create function catalog.tags_of(a venue.questions, p_tags_b jsonb) returns text[]
language sql stable
set search_path = ''
as $$
  select coalesce(array_agg(t.tag order by t.tag), '{}')
  from (
    select distinct trim(both '-' from regexp_replace(lower(w.word), '[^a-z0-9]+', '-', 'g')) as tag
    from (
      values (a.category), (a.sport), (a.competition), (a.institution), (a.asset), (a.location), (a.identity ->> 'award')
      union all
      select s.tag ->> 'slug'
      from jsonb_array_elements(case when jsonb_typeof(p_tags_b) = 'array' then p_tags_b else '[]' end) as s (tag)
    ) as w (word)
    where w.word is not null
    limit 24
  ) t
  where t.tag <> ''
$$;
comment on function catalog.tags_of(venue.questions, jsonb) is 'Normalized discovery hints: the question''s own context and venue_b''s tags.';

create function catalog.signals_of(a venue.questions, b venue.questions, p_occasion text, p_round integer, p_legs_equal boolean) returns jsonb
language sql stable
set search_path = ''
as $$
  with readings as (
    select coalesce(a.identity -> 'participants_by', '[]') || coalesce(b.identity -> 'participants_by', '[]') as by
  ), seen (signal, state) as (
    select 'participants',
           case
             when r.by ? 'elimination' then 'by_elimination'
             when r.by ? 'label' or r.by ? 'code' then 'read_once'
             when jsonb_array_length(r.by) > 0 then 'read_twice'
           end
    from readings r
    union all
    select 'competition', case when b.identity ->> 'competition_by' = 'inferred' then 'inferred' when a.sport is not null then 'named' end
    union all
    select 'occasion',
           case
             when p_occasion <> 'period' then p_occasion
             when 'inferred' in (b.identity ->> 'year_by', b.identity ->> 'meeting_by') then 'period_inferred'
             when 'end_date' in (b.identity ->> 'year_by', b.identity ->> 'meeting_by') then 'period_from_end'
             else 'period'
           end
    union all
    select 'choice', case when p_round = 1 then 'first' else 'after_others' end
    union all
    select 'outcomes', case when p_legs_equal then 'equal' else 'shared' end
    union all
    select 'rules_a', a.terms ->> 'rules'
    union all
    select 'rules_b', b.terms ->> 'rules'
    union all
    select 'fields_a', case when a.terms -> 'fields_agree' = 'false' then 'contradicted' end
    union all
    select 'fields_b', case when b.terms -> 'fields_agree' = 'false' then 'contradicted' end
    union all
    select 'postponement', catalog.difference(catalog.patience(a.terms), catalog.patience(b.terms)) where a.family = 'moneyline'
    union all
    select 'cancelled', catalog.difference(a.terms -> 'cancelled', b.terms -> 'cancelled') where a.family in ('moneyline', 'fed_decision')
    union all
    select 'tie', catalog.difference(a.terms -> 'tie', b.terms -> 'tie') where a.family = 'moneyline'
    union all
    select 'overtime',
           case
             when catalog.difference(a.terms -> 'overtime', b.terms -> 'overtime') = 'unsaid'
               and 'regulation' in (a.terms ->> 'overtime', b.terms ->> 'overtime') then 'half_said'
             else catalog.difference(a.terms -> 'overtime', b.terms -> 'overtime')
           end
    where a.family = 'moneyline'
    union all
    select 'side', case when (a.identity -> 'mirrored')::boolean then 'mirrored' end
  )
  select jsonb_agg(jsonb_build_object('signal', s.signal, 'state', s.state, 'about', w.about, 'weight', w.weight) order by w.about, s.signal)
  from seen s
  join catalog.weights() w on w.signal = s.signal and w.state = s.state
$$;
comment on function catalog.signals_of(venue.questions, venue.questions, text, integer, boolean) is
  'Every named signal of a pair with its state and what that takes off which confidence.';

create function catalog.risks_of(a venue.questions, b venue.questions) returns table (event text, severity text, note text)
language sql stable
set search_path = ''
as $$
  with said as (
    select a.terms as ta, b.terms as tb, catalog.patience(a.terms) as pa, catalog.patience(b.terms) as pb,
           a.family in ('moneyline', 'fed_decision') as settles_by_terms
  )
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
  where 'false' in ((ta -> 'fields_agree')::text, (tb -> 'fields_agree')::text)
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
  where settles_by_terms
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
  where not coalesce((a.identity ->> 'whole')::boolean and (b.identity ->> 'whole')::boolean, false)
  union all
  select 'rounding', 'medium', 'venue_a''s outer choices are "more than 25 bp", venue_b''s are 50 bp after rounding up to the nearest 25: the same only on a 25 bp grid.'
  where a.family = 'fed_decision'
  union all
  select 'mirrored_side', 'low', 'venue_a lists the market of one team only; NO of it stands for the other.'
  where (a.identity -> 'mirrored')::boolean
$$;
comment on function catalog.risks_of(venue.questions, venue.questions) is
  'How the two contracts may settle differently, from the terms that were read in each listing''s own text. cancel_* stays internal.';

create function catalog.assemble_pairs() returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  drop table if exists pg_temp.assembled;
  create temporary table assembled on commit drop as
  with chosen as (
    select r.a, r.b, r.text_a, r.text_b, r.tags, r.review, r.read_hash,
           catalog.signals_of(r.a, r.b, r.occasion, r.round, r.legs_a = r.legs_both and r.legs_b = r.legs_both) as signals
    from (
      select a, b, c.*, f.review, ma.rules as text_a, mb.rules as text_b, eb.payload -> 'tags' as tags,
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
      where p.question_a = r.question_a
        and p.question_b = r.question_b
        and p.withdrawn_at is null
        and p.read_hash = r.read_hash
    )
  ), weighed as (
    select c.*, catalog.confidence(c.signals, 'entity') as entity, catalog.confidence(c.signals, 'resolution') as resolution
    from chosen c
  ), timed as (
    select w.*,
           -- A start that venue_a's milestone gives comes first, then venue_b's game field, then the ticker's own clock.
           case when (w.a).identity ->> 'start_source' = 'milestone' then (w.a).start_at end as by_milestone
    from weighed w
  )
  select catalog.pair_id((t.a).family, (t.a).key, concat_ws('|', coalesce((t.a).identity ->> 'occasion', (t.a).on_date::text), (t.a).game_no)) as pair_id,
         (t.b).event_id as slug,
         (t.a).question_id as question_a,
         (t.b).question_id as question_b,
         (t.a).key as key,
         (t.a).family as market_type,
         case when t.review or least(t.entity, t.resolution) >= 0.95 then 'catalog' else 'candidate' end as stage,
         case
           when t.review or least(t.entity, t.resolution) < 0.95 then 'REVIEW'
           when least(t.entity, t.resolution) >= 0.99 then 'EXACT'
           else 'HIGH'
         end as band,
         t.entity as entity_confidence,
         t.resolution as resolution_confidence,
         t.signals,
         concat_ws(
           ' / ', (t.a).family, coalesce((t.a).identity ->> 'competition', (t.a).institution, (t.a).asset, (t.a).location),
           'venue_a: ' || coalesce(nullif(catalog.terms_text((t.a).terms), ''), 'says nothing'),
           'venue_b: ' || coalesce(nullif(catalog.terms_text((t.b).terms), ''), 'says nothing')
         ) as rule_id,
         (t.a).category,
         (t.a).sport,
         (t.a).competition,
         (t.a).location,
         (t.a).asset,
         (t.a).indicator,
         case when (t.a).basis is distinct from (t.b).basis then concat_ws(' | ', (t.a).basis, (t.b).basis) else (t.a).basis end as basis,
         (t.a).institution,
         catalog.tags_of(t.a, t.tags) as tags,
         (t.a).title,
         (t.a).home,
         (t.a).away,
         coalesce(
           t.by_milestone, (t.b).start_at, (t.a).start_at, least((t.a).close_at, (t.b).close_at),
           ((t.a).on_date + 1)::timestamp at time zone 'America/New_York', 'infinity'
         ) as start_time,
         coalesce((t.a).start_at, (t.b).start_at) is not null as scheduled,
         (t.a).line,
         case
           when (t.a).family = 'moneyline' then catalog.pair_id((t.a).family, (t.a).key, concat_ws('|', coalesce((t.a).identity ->> 'occasion', (t.a).on_date::text), (t.a).game_no))
           when (t.a).game_key is not null then catalog.pair_id('moneyline', (t.a).game_key, concat_ws('|', coalesce((t.a).identity ->> 'occasion', (t.a).on_date::text), (t.a).game_no))
         end as game_id,
         (t.a).close_at as closes_a,
         (t.b).close_at as closes_b,
         (t.a).url as url_a,
         (t.b).url as url_b,
         (t.a).event_id as event_a,
         (t.b).event_id as event_b,
         (t.b).event_id as slug_b,
         t.text_a,
         t.text_b,
         t.read_hash,
         t.a as asked_a,
         t.b as asked_b
  from timed t;
end
$$;
comment on function catalog.assemble_pairs() is 'Part of catalog.match_pass: pg_temp.assembled, the row that each chosen pair becomes (those whose readings are unchanged apart), with both questions beside it.';
