-- How a pair is judged: confidences from named signals, settlement risks, its resolution rule. All of it depends on a handful of
-- facts that thousands of pairs share, so that each combination of them is judged once.

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
    'sources', coalesce(p_terms -> 'sources', '[]')
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
