-- How the two contracts of a pair may settle differently, from the terms in the text of each
-- listing.
--
-- The severity follows the expected loss of holding both contracts, per $1 of payout: how often the
-- case occurs times how far apart the payouts then are. high: from about a cent, which is what an
-- arbitrage earns. medium: from a tenth of a cent. low: less. critical: the contracts do not settle
-- by the same thing at all.
--   walkover of persons: 2.0 to 3.3 % of tennis markets settle at a fair price (venues.md C1,
--     secondary), up to 50 cents from 50-50: high.
--   retirement: about as common, $1 against a fair price: high.
--   a tie or a no contest in MMA: 1 to 2 % of bouts, 50 cents to $1: high.
--   a figure that is never published: one of some seventy monthly prints (October 2025, a
--     shutdown). The bucket of the month before is seldom the right one: medium, also where only
--     one text has a clause for it.
--   a rate that moves between two steps of 25 bp: of the listed banks only Japan's, in some two
--     hundred meetings since 2023: medium.
--   a game late by days or never played: a few in a thousand, up to 50 cents: medium.
--
-- void_pays_zero: one venue resolves every Yes contract of a game that is never played to No. It is
-- high, one step above its mean. The mean alone is medium: a few in a thousand times the stake on
-- that venue, 30 to 95 cents of a $1 pair, is two or three tenths of a cent. It differs in three
-- ways from a void that pays 50-50 (void_rule, medium):
--   1. It is never a gain. 50 cents against a fair price is above the stake as often as below it,
--     so over many pairs it averages out. $0 against a stake always loses the stake.
--   2. One case costs the profit of 20 to 60 pairs at 1.5 cents each.
--   3. It affects all games of a league at once, so more pairs do not spread the risk. In spring
--     2020 Ligue 1 left 101 of 380 games unplayed and the Eredivisie 74 of 306: about 1 % of all
--     their games of 25 seasons, half a cent or more per $1.
--
-- The signal arb promises a locked profit. One news item must not turn it into the loss of the
-- stakes of a whole weekend.
--
-- death_carve_out: critical, although a death is rare. The rules of the venues then settle one fact
-- differently, as on 2026-02-28 (docs/trading.md). The loss is up to the whole stake, and a rule's
-- settled history gives no warning of it.
--
-- Silence: a text without a clause for a case falls back on its own void clause
-- (catalog.clause_of), and the payouts are compared after that. Only the risks fall back. A rule_id
-- and the confidences contain what the texts state themselves.
--
-- Where neither text names the case, void_rule covers it. A walkover of persons is the exception:
-- it is common, so its severity is above that of void_rule.

create function catalog.find_text_risks(p_facts jsonb) returns table (event text, severity text, note text)
language sql stable
set search_path = ''
as $$
  with venues as (
    select v.venue, v.facts from (values ('venue_a', p_facts -> 'a'), ('venue_b', p_facts -> 'b')) as v (venue, facts)
  )
  select 'rules_unread', 'high',
         string_agg(
           v.venue
             || case v.facts ->> 'rules'
               when 'unread' then '''s text does not say when it pays.'
               else ' lists no rules text.'
             end,
           ' ' order by v.venue
         ) || ' The whole stake is at risk.'
  from venues v
  where v.facts ->> 'rules' in ('none', 'unread')
  having count(*) > 0
  union all
  select 'unfilled_template', 'high',
         string_agg(v.venue || '''s rules are a template whose blanks were never filled in.', ' ' order by v.venue)
           || ' The whole stake is at risk.'
  from venues v
  where v.facts ->> 'rules' = 'unfilled'
  having count(*) > 0
  union all
  select 'rules_contradict_fields', 'high',
         string_agg(
           v.venue || '''s rules speak of something else than the fields of its listing.', ' ' order by v.venue
         )
           || ' The whole stake is at risk.'
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
         ) || ' What it pays in that case is open, up to $1 a contract.'
  from venues v
  where jsonb_typeof(v.facts -> 'unclear') = 'array'
  having count(*) > 0
$$;
comment on function catalog.find_text_risks(jsonb) is
  'Part of catalog.risks_of: defects of a text itself. Nothing is agreed in a text that cannot be '
  'read.';

create function catalog.lowest_rate_step_of(p_outer text) returns integer
language sql immutable
set search_path = ''
as $$
  select substring(p_outer from '\d+')::integer + case when p_outer like 'more than%' then 25 else 0 end
$$;
comment on function catalog.lowest_rate_step_of(text) is
  'The lowest rate step, in multiples of 25 bp, that "more than 25 bp" or "50 bp or more" '
  'includes.';

create function catalog.reading_risks(p_facts jsonb) returns table (event text, severity text, note text)
language sql stable
set search_path = ''
as $$
  with facts as (
    select p_facts -> 'a' as a, p_facts -> 'b' as b, p_facts ->> 'family' as family
  ), graded as (
    select g.event, g.opening, c.term, s.a -> c.term as term_a, s.b -> c.term as term_b,
           case
             -- A price that is touched within a day is often not the settlement price.
             when c.term = 'averaging'
               and d.state = 'differs'
               and '"daily_settlement"' in (s.a -> c.term, s.b -> c.term)
               then 'high'
             when d.state = 'differs' then g.differs
             when d.state = 'not_stated' and (c.term = 'station' or coalesce(s.a -> c.term, s.b -> c.term) is not null)
               then g.one_sided
           end as severity
    from facts s
    join catalog.comparable_terms() c on s.family = any (c.families)
    join catalog.risk_grades() g on g.signal = c.signal and g.opening is not null
    cross join lateral (select catalog.compare_term(s.a -> c.term, s.b -> c.term) as state) d
    -- catalog.decision_risks reports the rounding of a rate move with the outermost choices.
    where not (c.signal = 'rounding' and s.family in ('fed_decision', 'cb_decision'))
  )
  select g.event, g.severity,
         format(
           '%s: venue_a %s; venue_b %s: %s', g.opening, catalog.describe_term(g.term, g.term_a),
           catalog.describe_term(g.term, g.term_b),
           catalog.result_money()
         )
  from graded g
  where g.severity is not null
  union all
  select 'station_unread', 'high',
         format(
           'Station: the text of %s names none; %s is only the one that the venue is known to use: %s',
           concat_ws(
             ' and ', case when a ->> 'station_by' = 'registry' then 'venue_a' end,
             case when b ->> 'station_by' = 'registry' then 'venue_b' end
           ),
           a ->> 'station', catalog.result_money()
         )
  from facts
  where 'registry' in (a ->> 'station_by', b ->> 'station_by')
    and a -> 'station' = b -> 'station'
  union all
  select 'overtime_scope',
         case when catalog.compare_term(a -> 'overtime', b -> 'overtime') = 'differs' then 'high' else 'medium' end,
         format(
           'Overtime: venue_a %s; venue_b %s: %s',
           catalog.describe_term('overtime', a -> 'overtime'), catalog.describe_term('overtime', b -> 'overtime'),
           catalog.result_money()
         )
  from facts
  where catalog.compare_term(a -> 'overtime', b -> 'overtime') = 'differs'
    or (
      catalog.compare_term(a -> 'overtime', b -> 'overtime') = 'not_stated'
      and 'regulation' in (a ->> 'overtime', b ->> 'overtime')
    )
$$;
comment on function catalog.reading_risks(jsonb) is
  'Part of catalog.risks_of: how each contract reads the result, from its station to its decimals.';

create function catalog.decision_risks(p_facts jsonb) returns table (event text, severity text, note text)
language sql stable
set search_path = ''
as $$
  select 'rounding', 'medium',
         concat_ws(
           ' ',
           case
             when v.rounding
               then format(
                 'A move between two steps: venue_a %s; venue_b %s.',
                 catalog.describe_term('rounding', f.a -> 'rounding'),
                 catalog.describe_term('rounding', f.b -> 'rounding')
               )
           end,
           case
             when v.outer_choices
               then format(
                 'The outer choices: venue_a pays for %s; venue_b for %s, %s.', f.a ->> 'outer', f.b ->> 'outer',
                 case
                   when catalog.lowest_rate_step_of(f.a ->> 'outer') = catalog.lowest_rate_step_of(f.b ->> 'outer')
                     then 'the same while the bank moves in steps of 25 bp'
                   else 'not the same'
                 end
               )
           end,
           initcap(left(catalog.result_money(), 1)) || substr(catalog.result_money(), 2)
         )
  from (select p_facts -> 'a' as a, p_facts -> 'b' as b) f
  cross join lateral (
    select catalog.compare_term(f.a -> 'rounding', f.b -> 'rounding') <> 'same'
             and coalesce(f.a -> 'rounding', f.b -> 'rounding') is not null as rounding,
           coalesce(f.a -> 'outer' <> f.b -> 'outer', false) as outer_choices
  ) v
  where p_facts ->> 'family' in ('fed_decision', 'cb_decision')
    and (v.rounding or v.outer_choices)
$$;
comment on function catalog.decision_risks(jsonb) is
  'Part of catalog.risks_of: a rate move between two steps, and the outermost choices.';

create function catalog.listing_risks(p_facts jsonb) returns table (event text, severity text, note text)
language sql stable
set search_path = ''
as $$
  with facts as (
    select p_facts -> 'a' as a, p_facts -> 'b' as b, p_facts ->> 'family' as family, p_facts ->> 'scope' as scope
  )
  select 'settlement_source', 'low',
         format(
           'venue_a settles by %s; venue_b by %s: if they report different results, a $1 pair returns $0 or $2.',
           (select string_agg(catalog.source_name(s), ', ') from jsonb_array_elements_text(a -> 'sources') s),
           (select string_agg(catalog.source_name(s), ', ') from jsonb_array_elements_text(b -> 'sources') s)
         )
  from facts
  where jsonb_array_length(coalesce(a -> 'sources', '[]')) > 0
    and jsonb_array_length(coalesce(b -> 'sources', '[]')) > 0
    -- One source that both texts name is enough: it decides the result on both venues.
    and not exists (
      select
      from jsonb_array_elements_text(a -> 'sources') one
      cross join jsonb_array_elements_text(b -> 'sources') other
      where catalog.same_source(one, other, scope)
    )
    -- Both texts name the same agency.
    and not coalesce(family = 'econ_print' and a -> 'source' = b -> 'source', false)
  union all
  select 'early_close', 'low',
         format(
           'Only %s says that it pays as soon as the result is decided: both pay the same, but %s may hold your '
           'money longer.',
           case when a ->> 'early_close' = 'event' then 'venue_a' else 'venue_b' end,
           case when a ->> 'early_close' = 'event' then 'venue_b' else 'venue_a' end
         )
  from facts
  where coalesce(a ->> 'early_close' = 'event', false) <> coalesce(b ->> 'early_close' = 'event', false)
  union all
  select 'several_can_pay', 'high',
         format(
           'Each outcome on venue_a and venue_b is a level of its own%s: several can pay, or none. One of each does '
           'not return $1: it can return $0.',
           case when p_facts -> 'touch' = 'true' then ' that pays if the price touches it at any time' end
         )
  from facts
  where family = 'crypto_above'
  union all
  select 'partition_gap', 'high',
         'venue_a and venue_b do not both list every outcome that can come true. If one comes true that is not '
         'listed, one of each returns $0.'
  from facts
  where p_facts -> 'whole' is distinct from 'true'
    and family <> 'crypto_above'
  union all
  select 'mirrored_side', 'low',
         'venue_a lists the market of one team only; NO of it stands for the other and pays $1 whenever the listed '
         'team does not win.'
  where p_facts -> 'mirrored' = 'true'
$$;
comment on function catalog.listing_risks(jsonb) is
  'Part of catalog.risks_of: differing sources, an early close, and outcomes that do not exclude '
  'or complete each other.';

create function catalog.describe_death_clause(p_facts jsonb) returns text
language sql immutable
set search_path = ''
as $$
  select case p_facts ->> 'death'
    when 'last_price' then 'pays the last price before the death'
    when 'fair_price' then 'pays a fair market price'
    when 'any_last_price' then 'may pay the last price, because its text names one without a case'
    when 'split' then 'pays 50 cents on each side'
    when 'no' then 'resolves to No'
    when 'yes' then 'resolves to Yes'
    when 'counted' then 'counts the death as the event'
    when 'not_counted' then 'does not count the death as the event'
    when 'unclear' then 'has a clause for it whose payout could not be read'
    else 'has no clause for it and is resolved by its usual rules'
  end || coalesce(
    ' (' || case p_facts ->> 'death_field'
      when 'rules_primary' then 'its rules'
      when 'rules_secondary' then 'its secondary rules'
      when 'important_info' then 'the important information of its event'
      when 'question' then 'its title'
      when 'sub_title' then 'its title'
      else 'its ' || (p_facts ->> 'death_field')
    end || ')',
    ''
  )
$$;
comment on function catalog.describe_death_clause(jsonb) is
  'What the contract of one venue does when a person of the market dies, in words, and the field '
  'that states it.';

create function catalog.death_risks(p_facts jsonb) returns table (event text, severity text, note text)
language sql stable
set search_path = ''
as $$
  select 'death_carve_out', 'critical',
         format(
           'If a person of this market dies, venue_a %s; venue_b %s: %s', catalog.describe_death_clause(f.a),
           catalog.describe_death_clause(f.b),
           case
             when f.price_a and f.price_b then 'the two prices differ, so a $1 pair returns more or less than $1.'
             when f.price_a or f.price_b
               then format(
                 'a $1 pair returns the price of its %s side plus $0 or $1, so the whole stake on %s can be lost.',
                 case when f.price_a then 'venue_a' else 'venue_b' end,
                 case when f.price_a then 'venue_b' else 'venue_a' end
               )
             else catalog.result_money()
           end
         )
  from (
    select s.a, s.b, coalesce(s.a ->> 'death' = any (s.prices), false) as price_a,
           coalesce(s.b ->> 'death' = any (s.prices), false) as price_b
    from (
      select p_facts -> 'a' as a, p_facts -> 'b' as b, array['last_price', 'fair_price', 'any_last_price'] as prices
    ) s
  ) f
  where f.a ? 'death'
    or f.b ? 'death'
$$;
comment on function catalog.death_risks(jsonb) is
  'Part of catalog.risks_of: a contract about a person whose text settles the death of that '
  'person. The parsers set the term only for questions that name a person.';

create function catalog.risks_of(p_facts jsonb) returns jsonb
language sql stable
set search_path = ''
as $$
  with risks (event, severity, note) as (
    select *
    from catalog.find_text_risks(p_facts)
    union all
    select *
    from catalog.clause_risks(p_facts)
    union all
    select *
    from catalog.wait_risks(p_facts)
    union all
    select *
    from catalog.reading_risks(p_facts)
    union all
    select *
    from catalog.decision_risks(p_facts)
    union all
    select *
    from catalog.listing_risks(p_facts)
    union all
    select *
    from catalog.death_risks(p_facts)
    union all
    select *
    from catalog.contest_risks(p_facts)
  ), worst as (
    select distinct on (r.event) r.*
    from risks r
    order by r.event, catalog.severity_rank(r.severity), r.note desc
  )
  select coalesce(
    jsonb_agg(jsonb_build_object('event', event, 'severity', severity, 'note', note) order by event), '[]'
  )
  from worst
$$;
comment on function catalog.risks_of(jsonb) is
  'How the two contracts may settle differently: [{event, severity, note}], the worst of each '
  'event. Events that begin with cancel_ stay internal.';
