-- How a pair is assessed: confidences from named signals, its resolution rule, its tags. The risks
-- are in 337_catalog_risks.sql. All of it follows from a few facts that thousands of pairs share,
-- so each combination of facts is assessed once.

create function catalog.compute_confidence(p_signals jsonb, p_about text) returns numeric
language sql immutable
set search_path = ''
as $$
  select greatest(0, 1 - coalesce(sum((s ->> 'weight')::numeric), 0))::numeric(4, 3)
  from jsonb_array_elements(p_signals) s
  where s ->> 'about' = p_about
$$;
comment on function catalog.compute_confidence(jsonb, text) is
  '1 minus the weights of the signals about entity or resolution.';

create function catalog.extract_terms(p_terms jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'rules', p_terms -> 'rules',
    'patience', case when p_terms -> 'waits' = 'true' then '"until_played"' else p_terms -> 'postponement_hours' end,
    'cancelled', p_terms -> 'cancelled',
    'tie', p_terms -> 'tie',
    'overtime', p_terms -> 'overtime',
    'walkover', p_terms -> 'walkover',
    'given_up', coalesce(nullif(p_terms -> 'retirement', 'null'), p_terms -> 'forfeit'),
    'no_contest', p_terms -> 'no_contest',
    -- In a race, a tie and a dead heat are the same case.
    'dead_heat', coalesce(nullif(p_terms -> 'dead_heat', 'null'), p_terms -> 'tie'),
    'abandoned', p_terms -> 'abandoned',
    'push', p_terms -> 'push',
    -- Marks a contest of persons. Walkovers and retirements are common only there.
    'persons',
    case when p_terms -> 'must_start' = 'true' or nullif(p_terms -> 'retirement', 'null') is not null then true end,
    'station', p_terms -> 'station',
    'station_by', p_terms -> 'station_by',
    -- The source of a print is the agency that publishes it.
    'source', coalesce(nullif(p_terms -> 'source', 'null'), p_terms -> 'agency'),
    'day', p_terms -> 'day',
    'index', p_terms -> 'index',
    'averaging', p_terms -> 'averaging',
    'comparison', p_terms -> 'comparison',
    'rounding', p_terms -> 'rounding',
    'revisions', p_terms -> 'revisions',
    'announcement', p_terms -> 'announcement',
    'emergency', p_terms -> 'emergency',
    'rate', p_terms -> 'rate',
    'missing', p_terms -> 'missing',
    'precision', p_terms -> 'precision',
    'adjustment', p_terms -> 'adjustment',
    'boundary', p_terms -> 'boundary',
    'contract', p_terms -> 'contract',
    'early_close', p_terms -> 'early_close',
    'death', p_terms #> '{death,pays}',
    'death_field', p_terms #> '{death,field}',
    'contest', p_terms -> 'contest',
    'outer', p_terms -> 'outer',
    'contradicted', p_terms -> 'fields_agree' = 'false',
    'unclear', nullif(p_terms -> 'conflicts', '[]'),
    'sources', coalesce(p_terms -> 'sources', '[]')
  ))
$$;
comment on function catalog.extract_terms(jsonb) is
  'The terms of one venue from which signals, risks and the rule follow, without those of a '
  'single listing. A term that the text does not mention is absent.';

create function catalog.comparable_terms() returns table (signal text, term text, families text[])
language sql immutable
set search_path = ''
as $$
  select c.signal, c.term, array_agg(f.family::text)
  from (
    values
      ('postponement', 'patience'),
      ('cancelled', 'cancelled'),
      ('tie', 'tie'),
      ('walkover', 'walkover'),
      ('given_up', 'given_up'),
      ('no_contest', 'no_contest'),
      ('dead_heat', 'dead_heat'),
      ('abandoned', 'abandoned'),
      ('push', 'push'),
      ('station', 'station'),
      ('source', 'source'),
      ('day', 'day'),
      ('index', 'index'),
      ('averaging', 'averaging'),
      ('comparison', 'comparison'),
      ('rounding', 'rounding'),
      ('revisions', 'revisions'),
      ('contract', 'contract'),
      ('print', 'revisions'),
      ('adjustment', 'adjustment'),
      ('missing', 'missing'),
      ('precision', 'precision'),
      ('boundary', 'boundary'),
      ('rate', 'rate'),
      ('emergency', 'emergency'),
      ('announcement', 'announcement')
  ) as c (signal, term)
  join catalog.market_families() f on c.signal = any (f.compared)
  group by c.signal, c.term
$$;
comment on function catalog.comparable_terms() is
  'The terms that signals compare, and in which families. catalog.signals_of compares overtime, '
  'where one silent text has weight when the other counts regulation time only.';

create function catalog.both_refund_stake(p_a jsonb, p_b jsonb) returns boolean
language sql immutable
set search_path = ''
as $$
  select coalesce(p_a <> p_b and p_a in ('"fair_price"', '"split"') and p_b in ('"fair_price"', '"split"'), false)
$$;
comment on function catalog.both_refund_stake(jsonb, jsonb) is
  'Whether both venues refund the stake, one at a fair price and the other 50-50. The payouts '
  'differ by the distance of the price from 50 cents, never by a dollar.';

create function catalog.signals_of(p_facts jsonb) returns jsonb
language sql stable
set search_path = ''
as $$
  with facts as (
    select p_facts as f, p_facts -> 'a' as a, p_facts -> 'b' as b, p_facts -> 'read_by' as read_by,
           p_facts ->> 'family' as family
  ), seen (signal, state) as (
    select 'participants',
           case
             when read_by ? 'elimination' then 'by_elimination'
             when read_by ? 'code' and f ->> 'kind' = 'person' then 'by_code'
             when read_by ? 'as_printed' then 'as_printed'
             when read_by ? 'family_name' then 'family_name'
             when read_by ? 'label' or read_by ? 'code' then 'read_once'
             when jsonb_array_length(read_by) > 0 then 'read_twice'
           end
    from facts
    union all
    select 'competition', f ->> 'competition_by'
    from facts
    union all
    select 'occasion', f ->> 'occasion'
    from facts
    union all
    select 'choice', f ->> 'choice'
    from facts
    union all
    select 'outcomes', f ->> 'outcomes'
    from facts
    union all
    select f ->> 'unconfirmed', 'text'
    from facts
    union all
    select 'rules_a', a ->> 'rules'
    from facts
    union all
    select 'rules_b', b ->> 'rules'
    from facts
    union all
    select 'fields_a', case when a -> 'contradicted' = 'true' then 'contradicted' when a ? 'unclear' then 'unclear' end
    from facts
    union all
    select 'fields_b', case when b -> 'contradicted' = 'true' then 'contradicted' when b ? 'unclear' then 'unclear' end
    from facts
    union all
    select c.signal,
           case
             -- A station that comes from the registry is one that the venue is known to use; its
             -- text names none.
             when c.signal = 'station'
               and 'registry' in (a ->> 'station_by', b ->> 'station_by')
               and a -> 'station' = b -> 'station'
               then 'assumed'
             -- When only one text states the term, the venues may differ as much as when both texts
             -- do.
             when c.signal in ('postponement', 'cancelled')
               and catalog.compare_term(a -> c.term, b -> c.term) = 'not_stated'
               and coalesce(a -> c.term, b -> c.term) is not null
               then 'one_sided'
             when c.signal in ('tie', 'no_contest', 'given_up') and catalog.both_refund_stake(a -> c.term, b -> c.term)
               then 'both_void'
             else catalog.compare_term(a -> c.term, b -> c.term)
           end
    from facts
    join catalog.comparable_terms() c on family = any (c.families)
    union all
    select 'overtime',
           case
             when catalog.compare_term(a -> 'overtime', b -> 'overtime') = 'not_stated'
               and 'regulation' in (a ->> 'overtime', b ->> 'overtime')
               then 'one_sided'
             else catalog.compare_term(a -> 'overtime', b -> 'overtime')
           end
    from facts
    where family in (select p.family from catalog.market_families() p where p.occasion = 'game')
    union all
    select 'side', case when f -> 'mirrored' = 'true' then 'mirrored' end
    from facts
  )
  select jsonb_agg(
    jsonb_build_object('signal', s.signal, 'state', s.state, 'about', w.about, 'weight', w.weight)
    order by w.about, s.signal
  )
  from seen s
  join catalog.signal_weights() w on w.signal = s.signal and w.state = s.state
$$;
comment on function catalog.signals_of(jsonb) is
  'All named signals of the facts of a pair: the state of each, and the weight that it subtracts '
  'from one of the confidences (about).';

create function catalog.rule_of(p_facts jsonb) returns text
language sql immutable
set search_path = ''
as $$
  select concat_ws(
    ' / ', p_facts ->> 'family', p_facts ->> 'scope',
    'venue_a: ' || coalesce(nullif(catalog.format_terms(p_facts -> 'a'), ''), 'says nothing'),
    'venue_b: ' || coalesce(nullif(catalog.format_terms(p_facts -> 'b'), ''), 'says nothing')
  )
$$;
comment on function catalog.rule_of(jsonb) is
  'The resolution rule of a pair: family, scope (such as the competition) and the terms of both '
  'venues.';

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
comment on function catalog.tags_of(jsonb) is
  'Normalized discovery tags, from the first 32 words of both listings.';
