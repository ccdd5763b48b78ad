-- How the two contracts of a pair may settle differently, from the terms that were read in each listing's own text.
-- A grade follows the money: what holding both contracts is expected to lose per $1 of payout in that case, which is how often the case
-- comes times how far apart the payouts then are. From about a cent: high, since that is what an arbitrage earns. A tenth of a cent:
-- medium. Less: low. critical: they do not settle by the same thing at all.
--   walkover of persons: 2.0 to 3.3 % of tennis markets settle at a fair price (venues.md C1, secondary), up to 50 cents from 50-50: high.
--   retirement: about as common, $1 against a fair price: high.
--   a tie or a no contest in the cage: 1 to 2 % of bouts, 50 cents to $1: high.
--   a game late by days or never played: a few in a thousand, up to 50 cents: medium.

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
    when 'yes' then 'resolves to Yes'
    when 'draw' then 'pays the draw'
    when 'own_outcome' then 'has a market of its own for it'
    when 'no_change' then 'resolves to no change'
    when 'winner' then 'pays the official winner or the side that goes on'
    when 'if_decided' then 'pays what is decided by then and a fair market price for the rest'
    when 'first_by_name' then 'pays the first name in the alphabet'
    when 'shared' then 'divides the payout'
    else coalesce('says ' || replace(p_payout, '_', ' '), 'does not say')
  end
$$;
comment on function catalog.payout_text(text) is 'What a contract pays in an odd case, in words, for a risk''s note.';

create function catalog.term_words(p_term text, p_value jsonb) returns text
language sql immutable
set search_path = ''
as $$
  select case
    when coalesce(p_value, 'null') = 'null' then 'does not say'
    when p_term = 'patience' then catalog.patience_text(p_value)
    when p_term = 'comparison' then case p_value #>> '{}'
      when 'above' then 'pays strictly above the threshold'
      when 'at_or_above' then 'pays at the threshold or above'
      when 'below' then 'pays strictly below the threshold'
      when 'at_or_below' then 'pays at the threshold or below'
      else 'says ' || replace(p_value #>> '{}', '_', ' ')
    end
    when p_term in (
      'station', 'source', 'index', 'averaging', 'day', 'rounding', 'revisions', 'announcement', 'contract', 'adjustment', 'missing', 'precision',
      'boundary', 'rate'
    )
      then 'goes by ' || replace(p_value #>> '{}', '_', ' ')
    when p_term = 'emergency' then case p_value #>> '{}' when 'excluded' then 'leaves it out' else 'counts it' end
    else catalog.payout_text(p_value #>> '{}')
  end
$$;
comment on function catalog.term_words(text, jsonb) is 'What a contract''s text says of a term, in words, for a risk''s note.';

create function catalog.risk_grades() returns table (signal text, event text, persons boolean, differs text, half_said text, opening text)
language sql immutable
set search_path = ''
as $$
  values
    ('postponement', 'postponement_window', null::boolean, 'medium', 'medium', 'A postponed game'),
    ('cancelled', 'void_rule', null, 'medium', 'medium', 'Never played or held'),
    ('cancelled', 'cancel_payout', null, 'medium', null, 'Never played or held'),
    ('tie', 'tie_handling', null, 'high', 'low', 'A tie'),
    ('walkover', 'walkover', true, 'high', 'medium', 'A side that does not start'),
    ('walkover', 'walkover', false, 'medium', 'low', 'A side that does not start'),
    ('given_up', 'retirement', true, 'high', 'low', 'A side that gives up after the start'),
    ('given_up', 'forfeit', false, 'medium', 'low', 'A side that gives up after the start'),
    ('no_contest', 'no_contest', null, 'high', 'medium', 'A no contest'),
    ('dead_heat', 'dead_heat', null, 'medium', 'low', 'Several winners'),
    ('abandoned', 'abandoned', true, 'high', 'medium', 'A match that is not finished'),
    ('abandoned', 'abandoned', false, 'medium', 'low', 'A game that is not finished'),
    ('push', 'push_rule', null, 'high', 'medium', 'A result exactly on the line'),
    ('station', 'station_mismatch', null, 'critical', null, 'Station'),
    ('station', 'station_unread', null, null, 'high', 'Station'),
    ('source', 'settlement_source', null, 'high', 'medium', 'Source'),
    ('index', 'settlement_source', null, 'high', 'medium', 'Index'),
    ('averaging', 'settlement_time', null, 'medium', 'medium', 'Moment and averaging'),
    ('day', 'settlement_time', null, 'medium', 'low', 'The day that counts'),
    ('comparison', 'threshold_comparison', null, 'medium', 'medium', 'Comparison'),
    ('rounding', 'rounding', null, 'medium', 'low', 'Rounding'),
    ('revisions', 'revised_figures', null, 'medium', 'low', 'Figures revised later'),
    ('contract', 'contract_month', null, 'critical', 'low', 'Futures contract'),
    ('print', 'revised_figures', null, 'high', 'low', 'Which figure counts'),
    ('adjustment', 'seasonal_adjustment', null, 'critical', 'low', 'Seasonal adjustment'),
    ('missing', 'missing_figure', null, 'medium', 'low', 'A figure that does not come out'),
    ('precision', 'rounding', null, 'medium', 'low', 'Decimals'),
    ('boundary', 'threshold_comparison', null, 'medium', 'low', 'A figure on the edge of two buckets'),
    ('rate', 'settlement_source', null, 'high', 'low', 'Which rate'),
    ('emergency', 'emergency_decision', null, 'medium', 'low', 'A decision between meetings'),
    ('announcement', 'announcement_vs_effect', null, 'medium', 'low', 'What counts')
$$;
comment on function catalog.risk_grades() is
  'The risk of each compared term and its severity: where the texts say different things (differs) and where only one speaks (half_said); null is no risk. persons: only where the contest is, or is not, one of persons.';

create function catalog.text_risks(p_facts jsonb) returns table (event text, severity text, note text)
language sql stable
set search_path = ''
as $$
  with venues as (
    select v.venue, v.facts from (values ('venue_a', p_facts -> 'a'), ('venue_b', p_facts -> 'b')) as v (venue, facts)
  )
  select 'rules_unread', 'high',
         string_agg(
           v.venue || case v.facts ->> 'rules' when 'unread' then '''s text does not say when it pays.' else ' lists no rules text.' end,
           ' ' order by v.venue
         )
  from venues v
  where v.facts ->> 'rules' in ('none', 'unread')
  having count(*) > 0
  union all
  select 'unfilled_template', 'high',
         string_agg(v.venue || '''s rules are a template whose blanks were never filled in.', ' ' order by v.venue)
  from venues v
  where v.facts ->> 'rules' = 'unfilled'
  having count(*) > 0
  union all
  select 'rules_contradict_fields', 'high',
         string_agg(v.venue || '''s rules speak of something else than the fields of its listing.', ' ' order by v.venue)
  from venues v
  where v.facts -> 'contradicted' = 'true'
  having count(*) > 0
  union all
  select 'rules_conflict', 'high',
         string_agg(
           format(
             '%s''s rules give two answers (%s).', v.venue,
             (select string_agg(replace(c, '_', ' '), ', ') from jsonb_array_elements_text(v.facts -> 'unclear') c)
           ),
           ' ' order by v.venue
         )
  from venues v
  where jsonb_typeof(v.facts -> 'unclear') = 'array'
  having count(*) > 0
$$;
comment on function catalog.text_risks(jsonb) is 'Part of catalog.risks_of: what is wrong with a text itself. Nothing is agreed where it cannot be read.';

create function catalog.risks_of(p_facts jsonb) returns jsonb
language sql stable
set search_path = ''
as $$
  with said as (
    select p_facts -> 'a' as a, p_facts -> 'b' as b, p_facts ->> 'family' as family,
           coalesce(p_facts #> '{a,persons}', p_facts #> '{b,persons}', 'false') = 'true' as persons
  ), compared as (
    select c.signal, c.term, s.a -> c.term as says_a, s.b -> c.term as says_b, s.persons,
           catalog.difference(s.a -> c.term, s.b -> c.term) as state
    from said s
    join catalog.compared_terms() c on s.family = any (c.families)
  ), graded as (
    select g.event, g.opening, c.term, c.says_a, c.says_b,
           case
             when g.differs = 'high' and c.term in ('tie', 'no_contest', 'given_up') and catalog.both_void(c.says_a, c.says_b) then 'medium'
             when c.state = 'differs' then g.differs
             when c.state = 'unsaid' and (c.term = 'station' or coalesce(c.says_a, c.says_b) is not null) then g.half_said
           end as severity
    from compared c
    join catalog.risk_grades() g on g.signal = c.signal and coalesce(g.persons = c.persons, true)
    -- A tie that is a market of its own needs no word in the others.
    where not (c.state = 'unsaid' and c.term = 'tie' and coalesce(c.says_a, c.says_b) = '"own_outcome"')
  ), risks (event, severity, note) as (
    select t.event, t.severity, t.note from catalog.text_risks(p_facts) t
    union all
    select g.event, g.severity,
           format('%s: venue_a %s; venue_b %s.', g.opening, catalog.term_words(g.term, g.says_a), catalog.term_words(g.term, g.says_b))
    from graded g
    where g.severity is not null
    union all
    select 'station_unread', 'high',
           format(
             'Station: the text of %s names none; %s is only the one that the venue is known to use.',
             concat_ws(' and ', case when a ->> 'station_by' = 'registry' then 'venue_a' end, case when b ->> 'station_by' = 'registry' then 'venue_b' end),
             a ->> 'station'
           )
    from said
    where 'registry' in (a ->> 'station_by', b ->> 'station_by')
      and a -> 'station' = b -> 'station'
    union all
    select 'overtime_scope', case when catalog.difference(a -> 'overtime', b -> 'overtime') = 'differs' then 'high' else 'medium' end,
           format('Overtime: venue_a %s; venue_b %s.', coalesce(a ->> 'overtime', 'does not say'), coalesce(b ->> 'overtime', 'does not say'))
    from said
    where catalog.difference(a -> 'overtime', b -> 'overtime') = 'differs'
      or (catalog.difference(a -> 'overtime', b -> 'overtime') = 'unsaid' and 'regulation' in (a ->> 'overtime', b ->> 'overtime'))
    union all
    select 'settlement_source', 'low',
           format(
             'venue_a settles by %s; venue_b by %s.',
             (select string_agg(s, ', ') from jsonb_array_elements_text(a -> 'sources') s),
             (select string_agg(s, ', ') from jsonb_array_elements_text(b -> 'sources') s)
           )
    from said
    where jsonb_array_length(coalesce(a -> 'sources', '[]')) > 0
      and jsonb_array_length(coalesce(b -> 'sources', '[]')) > 0
      and a -> 'sources' <> b -> 'sources'
    union all
    select 'early_close', 'low', 'One venue stops trading and pays as soon as it is decided; the other does not say so.'
    from said
    where coalesce(a ->> 'early_close' = 'event', false) <> coalesce(b ->> 'early_close' = 'event', false)
    union all
    select 'partition_gap', 'high', 'Something other than the listed outcomes can come true: buying all of them is not safe.'
    where p_facts -> 'whole' is distinct from 'true'
    union all
    select 'rounding', 'medium', 'venue_a''s outer choices are "more than 25 bp", venue_b''s are 50 bp after rounding up to the nearest 25: the same only on a 25 bp grid.'
    where p_facts ->> 'family' = 'fed_decision'
    union all
    select 'mirrored_side', 'low', 'venue_a lists the market of one team only; NO of it stands for the other.'
    where p_facts -> 'mirrored' = 'true'
  ), worst as (
    select distinct on (r.event) r.*
    from risks r
    order by r.event, array_position(array['critical', 'high', 'medium', 'low'], r.severity), r.note desc
  )
  select coalesce(jsonb_agg(jsonb_build_object('event', event, 'severity', severity, 'note', note) order by event), '[]')
  from worst
$$;
comment on function catalog.risks_of(jsonb) is
  'How the two contracts may settle differently: [{event, severity, note}], one an event. cancel_* stays internal.';
