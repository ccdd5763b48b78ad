-- The backtest: reads the settled history of every scope that has pairs, matches it like live
-- listings, and counts on how many occasions both venues paid the same. A worker with the lease
-- `backtest` calls the functions below. Each is one transaction, so a worker that dies loses at
-- most one page. A scope that is read again gives the same record.

create function catalog.scope_of(p_question venue.questions) returns text
language sql stable
set search_path = ''
as $$
  select coalesce(
    p_question.identity ->> 'competition', p_question.institution, p_question.asset, p_question.location,
    concat_ws(' ', p_question.identity ->> 'country', p_question.indicator, p_question.basis)
  )
$$;
comment on function catalog.scope_of(venue.questions) is
  'The scope of a rule: the competition of its pairs, or their institution, asset, place or '
  'indicator.';

create function catalog.due_backtest_sources()
returns table (scope text, venue venue.code, kind text, filter text)
language sql stable
set search_path = ''
as $$
  with listed as materialized (
    select catalog.scope_of(a) as scope, ea.series_id as series_a,
           eb.payload #>> '{series,0,id}' as series_b,
           -- The rarest tag of an event without a series: the others name whole categories.
           (
             select t ->> 'slug'
             from jsonb_array_elements(
               case jsonb_typeof(eb.payload -> 'tags') when 'array' then eb.payload -> 'tags' end
             )
               with ordinality as g (t, place)
             where t ->> 'slug' not in (
               'all', 'sports', 'games', 'crypto', 'weather', 'economy', 'politics', 'hide-from-new'
             )
             order by g.place desc
             limit 1
           ) as tag_b
    from catalog.pairs p
    join venue.questions a on a.question_id = p.question_a
    join venue.events ea on ea.venue = 'venue_a' and ea.event_id = p.event_a
    join venue.events eb on eb.venue = 'venue_b' and eb.event_id = p.event_b
    where p.withdrawn_at is null
      and p.stage = 'catalog'
  )
  select distinct l.scope, s.venue::venue.code, s.kind, s.filter
  from listed l
  cross join lateral (
    values
      ('venue_a', 'events', l.series_a),
      ('venue_a', 'historical', l.series_a),
      ('venue_b', case when l.series_b is null then 'tag' else 'series' end, coalesce(l.series_b, l.tag_b))
  ) as s (venue, kind, filter)
  where l.scope <> ''
    and s.filter <> ''
$$;
comment on function catalog.due_backtest_sources() is
  'The series of venue_a and the series or tags of venue_b that have pairs now, by scope.';

create function catalog.plan_backtests() returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_days integer := (select s.backtest_days from catalog.parity_settings s);
  v_added integer;
begin
  with due as materialized (
    select d.scope, d.venue, d.kind, d.filter from catalog.due_backtest_sources() d
  ), scopes as (
    insert into catalog.backtest_scopes (scope, days, requested_at)
    select distinct d.scope, v_days, clock.now()
    from due d
    on conflict (scope) do nothing
  ), added as (
    insert into catalog.backtest_sources (scope, venue, kind, filter)
    select d.scope, d.venue, d.kind, d.filter
    from due d
    on conflict (scope, venue, kind, filter) do nothing
    returning 1
  )
  select count(*) into v_added
  from added;
  -- A series that is new in a scope: its games are matched with all others of the scope.
  update catalog.backtest_scopes s
  set state = 'waiting'
  where s.state = 'done'
    and exists (select from catalog.backtest_sources o where o.scope = s.scope and not o.is_finished);
  return v_added;
end
$$;
comment on function catalog.plan_backtests() is
  'Adds the scopes and sources of new pairs. Returns the number of new sources.';

create function catalog.request_backtest(p_days integer default null) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_scopes integer;
begin
  update catalog.parity_settings set backtest_days = coalesce(p_days, backtest_days);
  perform catalog.plan_backtests();
  perform venue.clear_settled_listings();
  update catalog.backtest_sources set cursor = null, pages = 0, events = 0, is_finished = false;
  update catalog.backtest_scopes
  set state = 'waiting',
      days = coalesce(p_days, days),
      requested_at = clock.now(),
      started_at = null,
      finished_at = null,
      failures = 0,
      retry_at = null,
      last_error = null;
  get diagnostics v_scopes = row_count;
  return v_scopes;
end
$$;
comment on function catalog.request_backtest(integer) is
  'For operators: reads the settled history of all scopes again, p_days back (null: as before). '
  'Returns the number of scopes.';

create function catalog.start_backtest_scope() returns text
language plpgsql volatile
set search_path = ''
as $$
declare
  v_scope text;
begin
  -- Scopes whose pairs wait for parity alone come first, those with the most games first.
  with wanted as (
    select catalog.scope_of(a) as scope, count(distinct coalesce(p.game_id, p.pair_id)) as games
    from catalog.pairs p
    join catalog.match_gates g on g.pair_id = p.pair_id
    join venue.questions a on a.question_id = p.question_a
    where p.withdrawn_at is null
      and p.status in ('open', 'live')
      and g.band_ok
      and g.risk_ok
      and not g.parity_ok
    group by 1
  )
  select s.scope into v_scope
  from catalog.backtest_scopes s
  left join wanted w on w.scope = s.scope
  where s.state in ('waiting', 'failed')
    and coalesce(base.is_over(s.retry_at, interval '10 minutes'), true)
  order by w.games desc nulls last, s.scope
  limit 1;
  if v_scope is null then
    return null;
  end if;
  perform venue.clear_settled_listings();
  update catalog.backtest_sources o
  set cursor = null,
      pages = 0,
      events = 0,
      is_finished = false
  where o.scope = v_scope;
  update catalog.backtest_scopes s
  set state = 'reading',
      from_at = clock.now() - make_interval(days => s.days),
      until_at = clock.now(),
      started_at = clock_timestamp(),
      finished_at = null
  where s.scope = v_scope;
  return v_scope;
end
$$;
comment on function catalog.start_backtest_scope() is
  'Part of catalog.next_backtest_step: starts the most wanted waiting scope. Null: none waits.';

create function catalog.holds_backtest(p_token bigint) returns boolean
language sql stable
set search_path = ''
as $$
  select exists (select from venue.leases l where l.name = 'backtest' and l.token = p_token)
$$;
comment on function catalog.holds_backtest(bigint) is
  'Whether this is the current token of the lease. It locks nothing: a worker renews all its '
  'leases in one statement, which would wait for a step that takes long.';

create function catalog.next_backtest_step(p_token bigint, p_venue venue.code) returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_scope text;
  v_step jsonb;
begin
  if not catalog.holds_backtest(p_token) then
    return jsonb_build_object('step', 'lost');
  end if;
  select s.scope into v_scope from catalog.backtest_scopes s where s.state in ('reading', 'matching') limit 1;
  -- The reader of venue_a starts scopes and asks for the match; that of venue_b follows.
  if v_scope is null and p_venue = 'venue_a' then
    perform catalog.plan_backtests();
    v_scope := catalog.start_backtest_scope();
  end if;
  if v_scope is null then
    return jsonb_build_object('step', 'none', 'scopes', (select count(*) from catalog.backtest_scopes));
  end if;
  select jsonb_build_object(
    'step', 'read', 'scope', s.scope, 'venue', o.venue, 'kind', o.kind, 'filter', o.filter, 'cursor', o.cursor,
    'from_at', base.format_time(s.from_at), 'until_at', base.format_time(s.until_at)
  )
  into v_step
  from catalog.backtest_sources o
  join catalog.backtest_scopes s on s.scope = o.scope
  where o.scope = v_scope
    and o.venue = p_venue
    and not o.is_finished
  order by o.kind, o.filter
  limit 1;
  if v_step is null and (
    p_venue = 'venue_b'
    or exists (select from catalog.backtest_sources o where o.scope = v_scope and not o.is_finished)
  ) then
    return jsonb_build_object('step', 'wait');
  end if;
  if v_step is null then
    update catalog.backtest_scopes s set state = 'matching' where s.scope = v_scope;
    v_step := jsonb_build_object('step', 'match', 'scope', v_scope);
  end if;
  return v_step;
end
$$;
comment on function catalog.next_backtest_step(bigint, venue.code) is
  'The next step of the holder of the lease for one venue: {step: read, scope, venue, kind, '
  'filter, cursor, from_at, until_at}, {step: match, scope}, {step: none, scopes}, wait or lost.';

create function catalog.store_backtest_page(p_token bigint, p_source jsonb, p_batch jsonb, p_cursor text)
returns text
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_events integer;
begin
  if venue.lock_held_leases(jsonb_build_object('backtest', p_token)) = '{}' then
    return 'lost';
  end if;
  -- An operator may have asked for the whole backtest again while this page was read.
  perform
  from catalog.backtest_sources o
  join catalog.backtest_scopes s on s.scope = o.scope and s.state = 'reading'
  where o.scope = p_source ->> 'scope'
    and o.venue = p_source ->> 'venue'
    and o.kind = p_source ->> 'kind'
    and o.filter = p_source ->> 'filter'
    and o.cursor is not distinct from p_source ->> 'cursor'
    and not o.is_finished
  for update of o;
  if not found then
    return 'stale';
  end if;
  v_events := venue.store_settled_listings(p_source ->> 'venue', p_batch);
  if jsonb_array_length(coalesce(p_batch -> 'rejected', '[]')) > 0 then
    perform venue.record_rejected_rows(p_source ->> 'venue', p_batch -> 'rejected');
  end if;
  update catalog.backtest_sources o
  set cursor = p_cursor,
      pages = o.pages + 1,
      events = o.events + v_events,
      is_finished = p_cursor is null
  where o.scope = p_source ->> 'scope'
    and o.venue = p_source ->> 'venue'
    and o.kind = p_source ->> 'kind'
    and o.filter = p_source ->> 'filter';
  update catalog.backtest_scopes s
  set failures = 0,
      last_error = null
  where s.scope = p_source ->> 'scope'
    and s.last_error is not null;
  return 'stored';
end
$$;
comment on function catalog.store_backtest_page(bigint, jsonb, jsonb, text) is
  'Stores a page of settled listings and the cursor of the next one (null: the source is read). '
  'Returns stored, stale (the source is not at this page any more) or lost (the lease is).';

create function catalog.record_backtest_failure(p_token bigint, p_scope text, p_error text) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if venue.lock_held_leases(jsonb_build_object('backtest', p_token)) = '{}' then
    return;
  end if;
  -- After six failures in a row another scope gets its turn. The failed one starts again later.
  update catalog.backtest_scopes s
  set failures = s.failures + 1,
      last_error = left(p_error, 500),
      state = case when s.failures >= 5 then 'failed' else s.state end,
      retry_at = case when s.failures >= 5 then clock_timestamp() + interval '10 minutes' end
  where s.scope = p_scope;
end
$$;
comment on function catalog.record_backtest_failure(bigint, text, text) is
  'Records why a step failed. The worker repeats the step; a scope that fails six times waits ten '
  'minutes.';

create view catalog.backtest_progress with (security_invoker = true) as
select s.scope, s.state, s.days, s.pairs, s.unsettled, s.occasions, s.diverging,
       (select coalesce(sum(o.pages), 0) from catalog.backtest_sources o where o.scope = s.scope)::integer as pages,
       (
         select coalesce(sum(o.events), 0)
         from catalog.backtest_sources o
         where o.scope = s.scope and o.venue = 'venue_a'
       )::integer as listings_a,
       (
         select coalesce(sum(o.events), 0)
         from catalog.backtest_sources o
         where o.scope = s.scope and o.venue = 'venue_b'
       )::integer as listings_b,
       s.started_at, s.finished_at, s.last_error
from catalog.backtest_scopes s;
comment on view catalog.backtest_progress is
  'How far the backtest of each scope is, with its counts. Times are real time.';

revoke all on function
  catalog.scope_of(venue.questions),
  catalog.due_backtest_sources(),
  catalog.plan_backtests(),
  catalog.request_backtest(integer),
  catalog.start_backtest_scope(),
  catalog.holds_backtest(bigint),
  catalog.next_backtest_step(bigint, venue.code),
  catalog.store_backtest_page(bigint, jsonb, jsonb, text),
  catalog.record_backtest_failure(bigint, text, text)
from public;
grant execute on function
  catalog.next_backtest_step(bigint, venue.code),
  catalog.store_backtest_page(bigint, jsonb, jsonb, text),
  catalog.record_backtest_failure(bigint, text, text)
to parallax_ingest;
