-- How the two contracts of a pair may settle differently, from the terms that were read in each listing's own text.
-- A grade follows the money: what holding both contracts is expected to lose per $1 of payout in that case, which is how often the case
-- comes times how far apart the payouts then are. From about a cent: high, since that is what an arbitrage earns. A tenth of a cent:
-- medium. Less: low. critical: they do not settle by the same thing at all.
--   walkover of persons: 2.0 to 3.3 % of tennis markets settle at a fair price (venues.md C1, secondary), up to 50 cents from 50-50: high.
--   retirement: about as common, $1 against a fair price: high.
--   a tie or a no contest in the cage: 1 to 2 % of bouts, 50 cents to $1: high.
--   a figure that never comes out: one of some seventy monthly prints (October 2025, a shutdown), and the bucket of the month before is
--     seldom the one that would have come true: medium, also where only one text says what is done then.
--   a rate that moves between two steps of 25 bp: of the banks listed, Japan's alone in some two hundred meetings since 2023: medium.
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
    when 'one_side' then 'pays one side in full'
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

create function catalog.source_words(p_source text) returns text
language sql immutable
set search_path = ''
as $$
  select case p_source
    when 'nws_climatological_report' then 'the NWS climatological report'
    when 'weather_company' then 'The Weather Company'
    when 'wunderground' then 'Wunderground'
    when 'noaa' then 'NOAA'
    when 'hong_kong_observatory' then 'the Hong Kong Observatory'
    when 'cf_benchmarks' then 'CF Benchmarks'
    when 'federal_funds_upper_bound' then 'the upper bound of the federal funds target'
    when 'overnight_target' then 'the target for the overnight rate'
    when 'deposit_facility' then 'the deposit facility rate'
    when 'main_refinancing' then 'the main refinancing rate'
    when 'bank_rate' then 'Bank Rate'
    when 'overnight_call' then 'the overnight call rate'
    when 'selic' then 'the Selic rate'
    when 'cash_rate' then 'the cash rate'
    when 'repo' then 'the repo rate'
    when 'census' then 'the Census Bureau'
    when 'eurostat' then 'Eurostat'
    else case when length(p_source) <= 3 then upper(p_source) else initcap(replace(p_source, '_', ' ')) end
  end
$$;
comment on function catalog.source_words(text) is 'A report, index, agency or rate by the name that people know it by.';

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
    when p_term in ('source', 'index', 'rate') then 'goes by ' || catalog.source_words(p_value #>> '{}')
    when p_term in ('station', 'contract') then 'goes by ' || (p_value #>> '{}')
    when p_term = 'emergency' then case p_value #>> '{}' when 'excluded' then 'leaves it out' else 'counts it' end
    else coalesce(
      case p_term || ' ' || (p_value #>> '{}')
        when 'overtime regulation' then 'counts regulation time alone'
        when 'overtime included' then 'counts it'
        when 'averaging 60_seconds' then 'averages the 60 seconds before it'
        when 'averaging 1_minute_close' then 'takes the close of one minute''s candle'
        when 'averaging 1_minute_extreme' then 'takes the high or low of any one-minute candle'
        when 'averaging trimmed_mean' then 'takes a trimmed mean'
        when 'averaging daily_settlement' then 'takes the official settlement price'
        when 'day local_standard' then 'counts the day in local standard time'
        when 'day calendar' then 'counts all times of the calendar day'
        when 'rounding whole_degrees' then 'reads whole degrees'
        when 'rounding one_decimal' then 'reads tenths of a degree'
        when 'rounding up_to_25' then 'rounds up to the nearest 25 bp'
        when 'revisions ignored' then 'ignores them'
        when 'revisions latest' then 'takes the latest version'
        when 'revisions first' then 'counts the first figure'
        when 'revisions later' then 'counts a later estimate'
        when 'announcement announced' then 'counts what is announced'
        when 'announcement effective' then 'counts what is in force'
        when 'adjustment seasonal' then 'takes the seasonally adjusted figure'
        when 'adjustment unadjusted' then 'takes the figure before seasonal adjustment'
        when 'missing previous_print' then 'falls back on the figure of the period before'
        when 'missing waits' then 'waits for it'
        when 'precision one_decimal' then 'reads one decimal'
        when 'boundary higher' then 'gives it to the higher bucket'
      end,
      catalog.payout_text(p_value #>> '{}')
    )
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
    ('missing', 'missing_figure', null, 'medium', 'medium', 'A figure that does not come out'),
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

create function catalog.outer_step(p_outer text) returns integer
language sql immutable
set search_path = ''
as $$
  select substring(p_outer from '\d+')::integer + case when p_outer like 'more than%' then 25 else 0 end
$$;
comment on function catalog.outer_step(text) is 'The first step of 25 bp that "more than 25 bp" or "50 bp or more" takes in.';

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
             -- What a price touches within a day is often not where it settles.
             when c.term = 'averaging' and c.state = 'differs' and '"daily_settlement"' in (c.says_a, c.says_b) then 'high'
             when g.differs = 'high' and c.term in ('tie', 'no_contest', 'given_up') and catalog.both_void(c.says_a, c.says_b) then 'medium'
             when c.state = 'differs' then g.differs
             when c.state = 'unsaid' and (c.term = 'station' or coalesce(c.says_a, c.says_b) is not null) then g.half_said
           end as severity
    from compared c
    join catalog.risk_grades() g on g.signal = c.signal and coalesce(g.persons = c.persons, true)
    -- Rounding of a rate's move is told with the outer choices, below.
    where not (c.signal = 'rounding' and p_facts ->> 'family' in ('fed_decision', 'cb_decision'))
      -- A tie that is a market of its own needs no word in the others.
      and not (c.state = 'unsaid' and c.term = 'tie' and coalesce(c.says_a, c.says_b) = '"own_outcome"')
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
           format('Overtime: venue_a %s; venue_b %s.', catalog.term_words('overtime', a -> 'overtime'), catalog.term_words('overtime', b -> 'overtime'))
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
      -- One agency under its name and its address.
      and not coalesce(family = 'econ_print' and a -> 'source' = b -> 'source', false)
    union all
    select 'early_close', 'low',
           format(
             'Paid as soon as it is decided: %s says so; %s does not say.',
             case when a ->> 'early_close' = 'event' then 'venue_a' else 'venue_b' end,
             case when a ->> 'early_close' = 'event' then 'venue_b' else 'venue_a' end
           )
    from said
    where coalesce(a ->> 'early_close' = 'event', false) <> coalesce(b ->> 'early_close' = 'event', false)
    union all
    select 'partition_gap', 'high', 'venue_a and venue_b do not both list every outcome that can come true: buying all of them is not safe.'
    where p_facts -> 'whole' is distinct from 'true'
    union all
    select 'rounding', 'medium',
           concat_ws(
             ' ',
             case
               when catalog.difference(a -> 'rounding', b -> 'rounding') <> 'same' and coalesce(a -> 'rounding', b -> 'rounding') is not null
                 then format(
                   'A move between two steps: venue_a %s; venue_b %s.',
                   catalog.term_words('rounding', a -> 'rounding'), catalog.term_words('rounding', b -> 'rounding')
                 )
             end,
             case
               when a -> 'outer' <> b -> 'outer'
                 then format(
                   'The outer choices: venue_a pays for %s; venue_b for %s: %s.', a ->> 'outer', b ->> 'outer',
                   case
                     when catalog.outer_step(a ->> 'outer') = catalog.outer_step(b ->> 'outer') then 'the same while the bank moves in steps of 25 bp'
                     else 'not the same'
                   end
                 )
             end
           )
    from said
    where family in ('fed_decision', 'cb_decision')
      and (
        (catalog.difference(a -> 'rounding', b -> 'rounding') <> 'same' and coalesce(a -> 'rounding', b -> 'rounding') is not null)
        or coalesce(a -> 'outer' <> b -> 'outer', false)
      )
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
