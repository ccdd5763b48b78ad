-- What both contracts pay in exceptional cases. 337_catalog_risks.sql explains the severities.

-- persons limits a row to contests of persons (true) or to all other contests (false).
create function catalog.risk_grades()
returns table (signal text, event text, persons boolean, differs text, one_sided text, opening text)
language sql immutable
set search_path = ''
as $$
  values
    ('postponement', 'postponement_window', null::boolean, 'medium', 'medium', null),
    ('cancelled', 'void_rule', null, 'medium', 'medium', null),
    ('cancelled', 'cancel_payout', null, 'medium', null, null),
    ('void_zero', 'void_pays_zero', null, 'high', 'high', null),
    ('tie', 'tie_handling', null, 'high', 'low', null),
    ('walkover', 'walkover', true, 'high', 'medium', null),
    ('walkover', 'walkover', false, 'medium', 'low', null),
    ('given_up', 'retirement', true, 'high', 'low', null),
    ('given_up', 'forfeit', false, 'medium', 'low', null),
    ('no_contest', 'no_contest', null, 'high', 'medium', null),
    ('dead_heat', 'dead_heat', null, 'medium', 'low', null),
    ('abandoned', 'abandoned', true, 'high', 'medium', null),
    ('abandoned', 'abandoned', false, 'medium', 'low', null),
    ('push', 'push_rule', null, 'high', 'medium', null),
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
  'The risk of each compared term. Its severity is differs or one_sided (one text is silent); '
  'null is no risk. opening is null where catalog.case_text words the case.';

create function catalog.clause_of(p_facts jsonb, p_term text) returns text
language sql immutable
set search_path = ''
as $$
  select c.clause
  from unnest(case p_term
    when 'cancelled' then array['cancelled', 'abandoned']
    when 'walkover' then array['walkover', 'cancelled', 'abandoned']
    when 'abandoned' then array['abandoned', 'cancelled']
    -- A walkover clause that pays the side that goes on applies after the start too.
    when 'given_up' then array['given_up', 'walkover', 'abandoned', 'cancelled']
    when 'no_contest' then array['no_contest', 'abandoned', 'cancelled']
    else array[p_term]
  end) with ordinality as c (clause, place)
  where p_facts ? c.clause
    and (p_term <> 'given_up' or c.clause <> 'walkover' or p_facts ->> 'walkover' = 'winner')
    -- A text that gives two answers to a case is not silent, so its void clause does not apply.
    and (
      c.place = 1
      or not coalesce(
        p_facts -> 'unclear' ?| case p_term when 'given_up' then array['retirement', 'forfeit'] else array[p_term] end,
        false
      )
    )
  order by c.place
  limit 1
$$;
comment on function catalog.clause_of(jsonb, text) is
  'The term whose clause decides a case in the text of one venue: its own clause, else the void '
  'clause. Null when the text has neither.';

create function catalog.clause_payout(p_facts jsonb, p_clause text, p_family text, p_mirrored boolean) returns text
language sql immutable
set search_path = ''
as $$
  select case
    -- No on the one contract of a mirrored pair or a betting line pays the other side, so it is not
    -- zero.
    when p_facts ->> p_clause = 'no'
      and p_clause = 'cancelled'
      and p_family in ('moneyline', 'advance')
      and not p_mirrored
      then 'zero'
    else p_facts ->> p_clause
  end
$$;
comment on function catalog.clause_payout(jsonb, text, text, boolean) is
  'What a clause pays. zero: No on each of several Yes contracts.';

create function catalog.clause_risks(p_facts jsonb) returns table (event text, severity text, note text)
language sql stable
set search_path = ''
as $$
  with facts as (
    select p_facts -> 'a' as a, p_facts -> 'b' as b, p_facts ->> 'family' as family,
           coalesce(p_facts #> '{a,persons}', p_facts #> '{b,persons}', 'false') = 'true' as persons,
           coalesce(p_facts ->> 'kind' = 'person', false) as of_persons,
           coalesce(p_facts -> 'mirrored' = 'true', false) as mirrored
  ), cases as (
    select c.signal, c.term, s.*, catalog.clause_of(s.a, c.term) as clause_a, catalog.clause_of(s.b, c.term) as clause_b
    from facts s
    join catalog.comparable_terms() c on s.family = any (c.families)
    where c.term in ('cancelled', 'tie', 'walkover', 'given_up', 'no_contest', 'dead_heat', 'abandoned', 'push')
  ), paid as (
    select c.*, catalog.clause_payout(c.a, c.clause_a, c.family, c.mirrored) as pays_a,
           catalog.clause_payout(c.b, c.clause_b, c.family, false) as pays_b
    from cases c
    where c.a ? c.term
      or c.b ? c.term
      or (c.term = 'walkover' and c.persons and c.clause_a is not null and c.clause_b is not null)
  ), graded as (
    select g.event, p.*,
           case
             when g.signal = 'void_zero' then g.differs
             when p.pays_a = p.pays_b then null
             when g.differs = 'high'
               and p.term in ('tie', 'no_contest')
               and catalog.both_refund_stake(to_jsonb(p.pays_a), to_jsonb(p.pays_b))
               then 'medium'
             when p.pays_a <> p.pays_b then g.differs
             -- Where the tie is a market of its own, the other text need not mention it.
             when p.term = 'tie' and coalesce(p.pays_a, p.pays_b) = 'own_outcome' then null
             when coalesce(p.pays_a, p.pays_b) is not null then g.one_sided
           end as severity
    from paid p
    join catalog.risk_grades() g
      on g.signal = case when p.term = 'cancelled' and 'zero' in (p.pays_a, p.pays_b) then 'void_zero' else p.signal end
      and coalesce(g.persons = p.persons, true)
  )
  select g.event, g.severity,
         format(
           'If %s, venue_a %s; venue_b %s: %s.', catalog.case_text(g.term, g.family, g.persons or g.of_persons),
           catalog.clause_text(g.a ? g.term, g.pays_a), catalog.clause_text(g.b ? g.term, g.pays_b),
           catalog.pair_returns(
             g.pays_a, g.pays_b,
             g.family in (select f.family from catalog.market_families() f where f.occasion = 'game')
               and not coalesce('own_outcome' in (g.a ->> 'tie', g.b ->> 'tie'), false)
           )
         )
  from graded g
  where g.severity is not null
$$;
comment on function catalog.clause_risks(jsonb) is
  'Part of catalog.risks_of: what both contracts pay in exceptional cases, by their own clause or '
  'by their void clause.';

create function catalog.wait_risks(p_facts jsonb) returns table (event text, severity text, note text)
language sql stable
set search_path = ''
as $$
  with waits as (
    select f.a -> 'patience' as a, f.b -> 'patience' as b,
           case f.a ->> 'patience' when 'until_played' then 'infinity' else f.a ->> 'patience' end::numeric as hours_a,
           case f.b ->> 'patience' when 'until_played' then 'infinity' else f.b ->> 'patience' end::numeric as hours_b,
           catalog.compare_term(f.a -> 'patience', f.b -> 'patience') as state
    from (select p_facts -> 'a' as a, p_facts -> 'b' as b, p_facts ->> 'family' as family) f
    join catalog.comparable_terms() c on c.signal = 'postponement' and f.family = any (c.families)
  )
  select g.event, case w.state when 'differs' then g.differs else g.one_sided end,
         format(
           'If the game is postponed, venue_a %s; venue_b %s: if one voids and the other waits for the result, a $1 '
           'pair can lose its whole stake on %s.',
           catalog.describe_waiting_period(w.a), catalog.describe_waiting_period(w.b),
           case
             when w.hours_a > w.hours_b then 'venue_a'
             when w.hours_b > w.hours_a then 'venue_b'
             else 'the venue that waits'
           end
         )
  from waits w
  join catalog.risk_grades() g on g.signal = 'postponement'
  where w.state = 'differs'
    or (w.state = 'not_stated' and coalesce(w.hours_a, w.hours_b) is not null)
$$;
comment on function catalog.wait_risks(jsonb) is
  'Part of catalog.risks_of: how long each contract waits for a postponed game.';
