-- Functions that write listings. Each takes a batch and writes only changed rows: an unchanged page
-- costs one comparison of hashes and updates seen_at only.

create function venue.upsert_series(p_venue venue.code, p_series jsonb) returns integer
language sql volatile security definer
set search_path = ''
as $$
  with put as (
    insert into venue.series as s (venue, series_id, title, category, fee, sources, payload, seen_at)
    select p_venue, r.series_id, r.title, r.category, r.fee, r.sources, r.payload, clock.now()
    from jsonb_to_recordset(p_series) as r(
      series_id text, title text, category text, fee jsonb, sources jsonb, payload jsonb
    )
    on conflict (venue, series_id) do update
    set title = excluded.title,
        category = excluded.category,
        fee = excluded.fee,
        sources = excluded.sources,
        payload = excluded.payload,
        seen_at = excluded.seen_at
    returning 1
  )
  select count(*)::integer
  from put
$$;
comment on function venue.upsert_series(venue.code, jsonb) is
  'p_series: [{series_id, title, category, fee, sources, payload}].';

create function venue.record_rejected_rows(p_venue venue.code, p_rows jsonb) returns void
language sql volatile security definer
set search_path = ''
as $$
  insert into venue.rejected_rows as s (venue, kind, native_id, code, detail, payload)
  select distinct on (r.kind, r.native_id, r.code) p_venue, r.kind, r.native_id, r.code, r.detail, r.payload
  from jsonb_to_recordset(p_rows) as r(kind text, native_id text, code text, detail text, payload jsonb)
  on conflict (venue, kind, native_id, code) do update
  set last_seen_at = clock_timestamp(),
      occurrences = s.occurrences + 1,
      detail = excluded.detail,
      payload = excluded.payload
$$;
comment on function venue.record_rejected_rows(venue.code, jsonb) is
  'p_rows: [{kind, native_id, code, detail, payload}]: rows that failed validation, with the '
  'reason.';

create function venue.upsert_listings(p_venue venue.code, p_sweep bigint, p_batch jsonb) returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_now timestamptz := clock.now();
  v_events integer;
  v_changed integer;
  v_questions integer;
begin
  create temporary table if not exists batch_events (
    event_id text, series_id text, title text, url text, start_at timestamptz, start_source text, close_at timestamptz,
    volume numeric, payload jsonb, markets jsonb, questions jsonb
  ) on commit delete rows;
  delete from pg_temp.batch_events;
  insert into pg_temp.batch_events
  select distinct on (r.event_id) r.*
  from jsonb_to_recordset(p_batch -> 'events') as r(
    event_id text, series_id text, title text, url text, start_at timestamptz, start_source text, close_at timestamptz,
    volume numeric, payload jsonb, markets jsonb, questions jsonb
  )
  order by r.event_id;

  insert into venue.events as e (
    venue, event_id, series_id, title, url, start_at, start_source, close_at, volume, payload, payload_hash,
    first_seen_at, seen_at, changed_at, sweep
  )
  select p_venue, b.event_id, b.series_id, b.title, b.url, b.start_at, b.start_source, b.close_at,
         -- NaN counts as larger than every number. A false volume must not refuse the event.
         case when b.volume >= 0 and b.volume < 1e15 then b.volume end, b.payload,
         md5(b.payload::text || coalesce(b.start_at::text, '')), v_now, v_now, v_now, p_sweep
  from pg_temp.batch_events b
  on conflict (venue, event_id) do update
  set seen_at = excluded.seen_at,
      sweep = coalesce(excluded.sweep, e.sweep),
      series_id = excluded.series_id,
      title = excluded.title,
      url = excluded.url,
      start_at = excluded.start_at,
      start_source = excluded.start_source,
      close_at = excluded.close_at,
      volume = excluded.volume,
      payload = case when e.payload_hash = excluded.payload_hash then e.payload else excluded.payload end,
      payload_hash = excluded.payload_hash,
      changed_at = case when e.payload_hash = excluded.payload_hash then e.changed_at else excluded.changed_at end;
  get diagnostics v_events = row_count;

  with read as (
    select b.event_id, m.*
    from pg_temp.batch_events b
    cross join lateral jsonb_to_recordset(b.markets) as m(
      market_id text, title text, state text, open_at timestamptz, close_at timestamptz, expected_at timestamptz,
      settled_at timestamptz, payout numeric, ticks jsonb, min_order numeric, fee jsonb, match_delay_seconds numeric,
      exchange_index smallint, rules text, payload jsonb, contracts jsonb
    )
  ), put as (
    insert into venue.markets as t (
      venue, market_id, event_id, title, state, open_at, close_at, expected_at, settled_at, payout, tick_sizes,
      min_order, fee, match_delay_seconds, exchange_index, rules, payload, payload_hash, seen_at, changed_at
    )
    select distinct on (m.market_id) p_venue, m.market_id, m.event_id, m.title, m.state, m.open_at, m.close_at,
           m.expected_at, m.settled_at, m.payout, m.ticks, m.min_order, m.fee, m.match_delay_seconds,
           m.exchange_index, m.rules, m.payload,
           md5(concat_ws('|', m.payload::text, m.state, m.payout, m.fee::text, m.exchange_index, m.rules)), v_now, v_now
    from read m
    order by m.market_id
    on conflict (venue, market_id) do update
    set event_id = excluded.event_id,
        title = excluded.title,
        state = excluded.state,
        open_at = excluded.open_at,
        close_at = excluded.close_at,
        expected_at = excluded.expected_at,
        settled_at = excluded.settled_at,
        payout = excluded.payout,
        tick_sizes = excluded.tick_sizes,
        min_order = excluded.min_order,
        fee = excluded.fee,
        match_delay_seconds = excluded.match_delay_seconds,
        exchange_index = excluded.exchange_index,
        rules = excluded.rules,
        payload = excluded.payload,
        payload_hash = excluded.payload_hash,
        seen_at = excluded.seen_at,
        changed_at = excluded.changed_at
    where t.payload_hash is distinct from excluded.payload_hash
    returning t.market_id
  ), contracts as (
    insert into venue.contracts as c (venue, contract_id, market_id, ordinal, label)
    select distinct on (k.contract_id) p_venue, k.contract_id, m.market_id, k.ordinal, k.label
    from read m
    join put on put.market_id = m.market_id
    cross join lateral jsonb_to_recordset(m.contracts) as k(contract_id text, ordinal smallint, label text)
    order by k.contract_id
    on conflict (venue, contract_id) do update
    set market_id = excluded.market_id,
        ordinal = excluded.ordinal,
        label = excluded.label
  )
  select count(*) into v_changed
  from put;

  -- A market that its event no longer lists is gone, unless trading had ended. A market that is
  -- listed but could not be parsed keeps its state. The hash of a gone market is cleared: listed
  -- again without a change, the market must count as changed.
  update venue.markets t
  set state = 'gone',
      payload_hash = '',
      changed_at = v_now
  from pg_temp.batch_events b
  where t.venue = p_venue
    and t.event_id = b.event_id
    and t.state not in ('final', 'gone')
    and not exists (
      select from jsonb_array_elements(b.markets) m where m ->> 'market_id' = t.market_id
    )
    and not exists (
      select
      from jsonb_array_elements(p_batch -> 'rejected') s
      where s ->> 'kind' = 'market'
        and s ->> 'native_id' = t.market_id
    );

  v_questions := venue.upsert_questions(p_venue, v_now);

  if jsonb_array_length(coalesce(p_batch -> 'rejected', '[]')) > 0 then
    perform venue.record_rejected_rows(p_venue, p_batch -> 'rejected');
  end if;
  return jsonb_build_object('events', v_events, 'markets_changed', v_changed, 'questions_changed', v_questions);
end
$$;
comment on function venue.upsert_listings(venue.code, bigint, jsonb) is
  'Writes one page of listings: {events: [{…, markets, questions: [{…, legs}]}], rejected}, as in '
  'functions/ingest/listing.ts. p_sweep is null for an event that is read outside of a sweep.';

create function venue.upsert_questions(p_venue venue.code, p_now timestamptz) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_changed integer;
begin
  create temporary table if not exists batch_questions (
    event_id text, question_id text, family text, key text, on_date date, game_no smallint, start_at timestamptz,
    close_at timestamptz, line numeric, game_key text, category text, sport text, competition text, location text,
    asset text, indicator text, basis text, institution text, title text, home text, away text, url text,
    exclusive boolean, excluded text, identity jsonb, terms jsonb, legs jsonb, content_hash text
  ) on commit delete rows;
  delete from pg_temp.batch_questions;
  insert into pg_temp.batch_questions
  select distinct on (q.question_id) b.event_id, q.*, md5(q::text)
  from pg_temp.batch_events b
  cross join lateral jsonb_to_recordset(b.questions) as q(
    question_id text, family text, key text, on_date date, game_no smallint, start_at timestamptz,
    close_at timestamptz, line numeric, game_key text, category text, sport text, competition text, location text,
    asset text, indicator text, basis text, institution text, title text, home text, away text, url text,
    exclusive boolean, excluded text, identity jsonb, terms jsonb, legs jsonb
  )
  order by q.question_id;

  delete from venue.questions t
  using pg_temp.batch_events b
  where t.venue = p_venue
    and t.event_id = b.event_id
    and not exists (select from pg_temp.batch_questions q where q.question_id = t.question_id);

  delete from pg_temp.batch_questions b
  using venue.questions t
  where t.question_id = b.question_id
    and t.content_hash = b.content_hash;
  get diagnostics v_changed = row_count;

  insert into venue.questions as t (
    question_id, venue, event_id, family, key, on_date, game_no, start_at, close_at, line, game_key, category, sport,
    competition, location, asset, indicator, basis, institution, title, home, away, url, exclusive, excluded_reason,
    identity, terms, content_hash, changed_at
  )
  select q.question_id, p_venue, q.event_id, q.family, q.key, q.on_date, q.game_no, q.start_at, q.close_at, q.line,
         q.game_key, q.category, q.sport, q.competition, q.location, q.asset, q.indicator, q.basis, q.institution,
         q.title, q.home, q.away, q.url, q.exclusive, q.excluded, q.identity, q.terms, q.content_hash, p_now
  from pg_temp.batch_questions q
  on conflict (question_id) do update
  set event_id = excluded.event_id,
      family = excluded.family,
      key = excluded.key,
      on_date = excluded.on_date,
      game_no = excluded.game_no,
      start_at = excluded.start_at,
      close_at = excluded.close_at,
      line = excluded.line,
      game_key = excluded.game_key,
      category = excluded.category,
      sport = excluded.sport,
      competition = excluded.competition,
      location = excluded.location,
      asset = excluded.asset,
      indicator = excluded.indicator,
      basis = excluded.basis,
      institution = excluded.institution,
      title = excluded.title,
      home = excluded.home,
      away = excluded.away,
      url = excluded.url,
      exclusive = excluded.exclusive,
      excluded_reason = excluded.excluded_reason,
      identity = excluded.identity,
      terms = excluded.terms,
      content_hash = excluded.content_hash,
      changed_at = excluded.changed_at;
  get diagnostics v_changed = row_count;

  delete from venue.legs l
  using pg_temp.batch_questions q
  where l.question_id = q.question_id;
  insert into venue.legs (question_id, ordinal, outcome_key, outcome_name, market_id, contract_id, side, detail)
  select q.question_id, l.ordinal, l.outcome_key, l.outcome_name, l.market_id, l.contract_id, l.side, l.detail
  from pg_temp.batch_questions q
  cross join lateral jsonb_to_recordset(q.legs) as l(
    ordinal smallint, outcome_key text, outcome_name text, market_id text, contract_id text, side text, detail jsonb
  );
  return v_changed;
end
$$;
comment on function venue.upsert_questions(venue.code, timestamptz) is
  'Part of venue.upsert_listings: writes the questions of the batch that changed.';

create function venue.resume_sweep(p_venue venue.code, p_rest interval default '0')
returns table (sweep bigint, cursor text, finished_at timestamptz, attempts integer)
language sql volatile security definer
set search_path = ''
as $$
  insert into venue.sweeps as s (venue, sweep, started_at, attempts)
  values (p_venue, 1, clock.now(), 1)
  on conflict (venue) do update
  set sweep = case when s.finished_at is null then s.sweep else s.sweep + 1 end,
      started_at = case when s.finished_at is null then s.started_at else clock.now() end,
      pages = case when s.finished_at is null then s.pages else 0 end,
      events = case when s.finished_at is null then s.events else 0 end,
      cursor = case when s.finished_at is null then s.cursor else null end,
      attempts = s.attempts + 1,
      finished_at = null
  where p_rest = '0' or coalesce(s.finished_at not between clock.now() - p_rest and clock.now(), true)
  returning s.sweep, s.cursor, s.finished_at, s.attempts
$$;
comment on function venue.resume_sweep(venue.code, interval) is
  'The current sweep with its cursor, or a new one (cursor null). No row when the last sweep '
  'ended less than p_rest ago, in market time. attempts: how often this page was started.';

create function venue.advance_sweep(p_venue venue.code, p_sweep bigint, p_cursor text, p_events integer) returns void
language sql volatile security definer
set search_path = ''
as $$
  update venue.sweeps s
  set cursor = p_cursor,
      pages = s.pages + 1,
      events = s.events + p_events,
      attempts = 0
  where s.venue = p_venue
    and s.sweep = p_sweep
$$;
comment on function venue.advance_sweep(venue.code, bigint, text, integer) is
  'Records that a page of the sweep was written, and the cursor of the next page.';

create function venue.finish_sweep(p_venue venue.code, p_sweep bigint) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_gone integer;
begin
  update venue.sweeps s
  set finished_at = clock.now(),
      cursor = null
  where s.venue = p_venue
    and s.sweep = p_sweep;
  -- Rows move between pages while they are read, so an event counts as gone after two full sweeps
  -- without it.
  update venue.markets m
  set state = 'gone',
      payload_hash = '',
      changed_at = clock.now()
  from venue.events e
  where e.venue = p_venue
    and e.sweep < p_sweep - 1
    and m.venue = e.venue
    and m.event_id = e.event_id
    and m.state in ('unopened', 'trading', 'paused');
  get diagnostics v_gone = row_count;
  return v_gone;
end
$$;
comment on function venue.finish_sweep(venue.code, bigint) is
  'Ends a sweep. Marks open markets of events that two full sweeps did not list as gone. Returns '
  'their number.';

create function venue.unsettled_events(p_venue venue.code, p_limit integer) returns table (event_id text)
language sql stable security definer
set search_path = ''
as $$
  select e.event_id
  from venue.markets m
  join venue.events e on e.venue = m.venue and e.event_id = m.event_id
  join venue.questions q on q.venue = m.venue and q.event_id = m.event_id and q.excluded_reason is null
  where m.venue = p_venue
    and (
      -- A futures market can be decided a year before its last day, so closed and gone ones are
      -- read too.
      m.state in ('closed', 'proposed', 'gone')
      or m.state in ('paused', 'trading') and coalesce(q.start_at, m.expected_at, m.close_at) < clock.now()
    )
    -- A pair that has no result 30 days after its close stays closed (contract.md).
    and coalesce(m.close_at, q.close_at, e.seen_at) > clock.now() - interval '30 days'
  group by e.event_id, e.seen_at
  -- Ordered by the event's time: a market's own time moves only when the market changes, so
  -- unchanged markets would be read again and again before all others.
  order by e.seen_at, e.event_id
  limit p_limit
$$;
comment on function venue.unsettled_events(venue.code, integer) is
  'Events that should have a result and have none. The worker reads them one by one: open sweeps '
  'omit them.';

create function venue.record_sweep_failure(p_venue venue.code, p_error text) returns void
language sql volatile security definer
set search_path = ''
as $$
  update venue.sweeps s
  set last_error = left(p_error, 500),
      last_error_at = clock_timestamp()
  where s.venue = p_venue
$$;
comment on function venue.record_sweep_failure(venue.code, text) is
  'Records the error that stopped a sweep. The next call retries the page.';

create function venue.heartbeat(p_source text, p_feeds jsonb) returns void
language sql volatile security definer
set search_path = ''
as $$
  insert into venue.feeds as f (venue, source, last_message_at, last_alive_at, detail)
  select r.venue, p_source, to_timestamp(r.last_message_ms / 1000.0), to_timestamp(r.last_alive_ms / 1000.0), r.detail
  from jsonb_to_recordset(p_feeds) as r(venue text, last_message_ms numeric, last_alive_ms numeric, detail text)
  on conflict (venue) do update
  set source = excluded.source,
      last_message_at = case
        when f.last_message_at > clock.horizon() then excluded.last_message_at
        else greatest(f.last_message_at, excluded.last_message_at)
      end,
      last_alive_at = case
        when f.last_alive_at > clock.horizon() then excluded.last_alive_at
        else greatest(f.last_alive_at, excluded.last_alive_at)
      end,
      detail = excluded.detail
$$;
comment on function venue.heartbeat(text, jsonb) is
  'Records signs of life: p_feeds: [{venue, last_message_ms, last_alive_ms, detail}], market time '
  'in epoch ms.';

-- All seconds are real seconds, also when market time runs fast. While a venue answers, its last
-- sign of life is at most some 16 s old: a socket pings every 10 s, and a limited worker sends its
-- heartbeat every 5 s.
create function venue.feed_states()
returns table (
  venue venue.code,
  state text,
  source text,
  last_message_at timestamptz,
  detail text,
  is_unread boolean
)
language sql stable security definer
set search_path = ''
as $$
  select f.venue,
         case
           when f.last_alive_at is null or f.last_alive_at < clock.ago(interval '30 seconds') then 'down'
           -- A time in the future proves nothing: a clock was ahead.
           when f.last_alive_at > clock.horizon() then 'down'
           when u.is_unread
             or f.last_alive_at < clock.ago(interval '20 seconds')
             or f.last_message_at is null
             or f.last_message_at < clock.ago(interval '60 seconds') then 'stale'
           else 'up'
         end,
         f.source,
         f.last_message_at,
         f.detail,
         u.is_unread
  from venue.feeds f
  cross join (
    select bool_or(l.holder is null or base.is_over(l.expires_at, l.ttl)) as is_free,
           clock.to_market_time(max(l.claimed_at) filter (where l.claimed_at <= clock_timestamp())) as claimed_at
    from venue.leases l
    where l.name like 'books:%'
      -- A shard that no worker has ever read has no prices.
      and l.token > 0
  ) s
  cross join lateral (
    select coalesce(s.is_free or f.last_message_at < s.claimed_at, false) as is_unread
  ) u
$$;
comment on function venue.feed_states() is
  'up; stale: no data for 60 s, no sign of life for 20 s, or is_unread (a worker died, and no '
  'data came since its lease ended); down: no sign of life for 30 s.';

grant execute on function
  venue.upsert_series(venue.code, jsonb),
  venue.record_rejected_rows(venue.code, jsonb),
  venue.upsert_listings(venue.code, bigint, jsonb),
  venue.resume_sweep(venue.code, interval),
  venue.advance_sweep(venue.code, bigint, text, integer),
  venue.finish_sweep(venue.code, bigint),
  venue.unsettled_events(venue.code, integer),
  venue.record_sweep_failure(venue.code, text),
  venue.heartbeat(text, jsonb)
to parallax_ingest;
grant execute on function venue.feed_states() to parallax_api, parallax_ingest;
