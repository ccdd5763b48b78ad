-- Written by `npm run migration`: sql/ in order. Change sql/, never this file.

-- 00_base_roles.sql

-- The roles that the Edge Functions log in as. None may bypass row-level security: a missing policy
-- gives an empty result, never a row of another organization. LOGIN and the password are set at
-- deployment, never in a file.
do $$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'parallax_api') then
    create role parallax_api nologin;
  end if;
  if not exists (select from pg_catalog.pg_roles where rolname = 'parallax_ingest') then
    create role parallax_ingest nologin;
  end if;
  if not exists (select from pg_catalog.pg_roles where rolname = 'parallax_stream') then
    create role parallax_stream nologin;
  end if;
  if not exists (select from pg_catalog.pg_roles where rolname = 'parallax_deliver') then
    create role parallax_deliver nologin;
  end if;
end
$$;

comment on role parallax_api is
  'The api function. Reads the published snapshot, writes what a caller of the API may write.';
comment on role parallax_ingest is
  'The ingest function. Calls functions of the schemas venue and price. Reads no table.';
comment on role parallax_stream is
  'The stream function. Calls the functions that read the publication log and keep connections. '
  'Reads no table.';
comment on role parallax_deliver is
  'The deliver function. Claims deliveries and records their results. Reads no table and no '
  'secret.';

-- The functions give up after 5 s (functions/*/database.ts). A statement that runs longer would
-- only hold a connection and its locks.
alter role parallax_api set statement_timeout = '5s';
alter role parallax_stream set statement_timeout = '5s';
alter role parallax_deliver set statement_timeout = '5s';
-- A match pass over all listings is one statement.
alter role parallax_ingest set statement_timeout = '120s';
alter role parallax_api set idle_in_transaction_session_timeout = '10s';
alter role parallax_stream set idle_in_transaction_session_timeout = '10s';

-- Objects that postgres creates from here on grant nothing to public.
alter default privileges for role postgres revoke execute on functions from public;
alter default privileges for role postgres revoke usage on types from public;

create extension if not exists "uuid-ossp" with schema extensions;
create extension if not exists pgcrypto with schema extensions;
create extension if not exists pg_trgm with schema extensions;
create extension if not exists unaccent with schema extensions;

-- 02_base.sql

-- Schema base: helpers that every other schema may use.

create schema base;
revoke all on schema base from public;
grant usage on schema base to parallax_api, authenticated;
comment on schema base is
  'Helpers for every other schema: the request id, times on the wire, calls to Edge Functions.';

create function base.current_request_id() returns text
language sql stable parallel restricted
set search_path = ''
as $$ select substring(current_query() from '^/\* request_id=([A-Za-z0-9._:-]{1,128}) \*/') $$;
comment on function base.current_request_id() is
  'The request id from the leading comment of the statement '
  '(functions/_shared/http/request_id.ts). Null without one. A caller may have chosen it.';
revoke all on function base.current_request_id() from public;

create function base.format_time(p_at timestamptz) returns text
language plpgsql stable parallel safe
set search_path = ''
as $$
begin
  return to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
end
$$;
comment on function base.format_time(timestamptz) is
  'Formats a time for the wire: 2026-11-20T05:14:50.370Z. No other format is used there.';
grant execute on function base.format_time(timestamptz) to parallax_api, authenticated;

create function base.call_edge_function(p_name text, p_body jsonb default '{}') returns bigint
language plpgsql volatile
set search_path = ''
as $$
declare
  v_url text;
  v_secret text;
  v_request bigint;
begin
  if p_name !~ '^[a-z][a-z0-9-]*$' then
    raise exception 'no function can be called "%"', p_name using errcode = '22023';
  end if;
  select s.decrypted_secret into v_url from vault.decrypted_secrets s where s.name = 'project_url';
  select s.decrypted_secret into v_secret from vault.decrypted_secrets s where s.name = 'cron_secret_key';
  if v_url is null or v_secret is null then
    raise exception 'the Vault lacks %: functions cannot be called',
      case when v_url is null then 'project_url' else 'cron_secret_key' end
      using errcode = '55000',
      hint = 'select vault.create_secret(''https://<project>.supabase.co'', ''project_url''); and the secret key '
             'named cron as cron_secret_key.';
  end if;
  -- The timeout covers the network only. The Edge Function goes on after pg_net stops waiting.
  select net.http_post(
    url := rtrim(v_url, '/') || '/functions/v1/' || p_name,
    body := p_body,
    headers := jsonb_build_object('Content-Type', 'application/json', 'apikey', v_secret),
    timeout_milliseconds := 5000
  )
  into v_request;
  return v_request;
end
$$;
comment on function base.call_edge_function(text, jsonb) is
  'Posts p_body to an Edge Function with the secret key named cron. pg_net sends it after the '
  'commit. Returns the request id (net._http_response).';
revoke all on function base.call_edge_function(text, jsonb) from public;

-- 10_clock.sql

-- Schema clock: market time.
-- A hosted project has no segment, so market time is real time. A replay runs on the time of its
-- recording and a simulation may run fast. Without this schema their books would look stale.

create schema clock;
revoke all on schema clock from public;
grant usage on schema clock to parallax_api, parallax_ingest;

create table clock.segments (
  real_from timestamptz primary key,
  market_from timestamptz not null,
  rate numeric not null check (rate >= 0)
);
comment on table clock.segments is
  'Segments of market time. No row means real time. Only a replay or a simulation writes rows.';
alter table clock.segments enable row level security;
alter table clock.segments force row level security;
create policy "services read the clock" on clock.segments
  for select to parallax_api, parallax_ingest
  using (true);
grant select on clock.segments to parallax_api, parallax_ingest;

-- Every request calls both functions, so they are plpgsql: its plans live as long as the session.
-- An SQL function that cannot be inlined is planned again with each statement (69 against 12
-- microseconds). clock.to_market_time runs as its owner for the same reason: a plan that depends on
-- row-level security is made again whenever the role changes, and one request uses two roles.
create function clock.to_market_time(p_real timestamptz) returns timestamptz
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_market timestamptz;
begin
  select s.market_from + extract(epoch from p_real - s.real_from) * s.rate * interval '1 second'
  into v_market
  from clock.segments s
  where s.real_from <= p_real
  order by s.real_from desc
  limit 1;
  return coalesce(v_market, p_real);
end
$$;
comment on function clock.to_market_time(timestamptz) is
  'Market time at a real time. functions/ingest/clock.ts has the same rule in TypeScript.';

create function clock.now() returns timestamptz
language plpgsql volatile
set search_path = ''
as $$
begin
  return clock.to_market_time(clock_timestamp());
end
$$;
comment on function clock.now() is 'Market time now. Volatile: it advances within a transaction.';

create function clock.ago(p_real interval) returns timestamptz
language plpgsql volatile
set search_path = ''
as $$
begin
  -- Never before the first segment: earlier market time belongs to another run.
  return clock.to_market_time(greatest(
    clock_timestamp() - p_real,
    coalesce((select min(s.real_from) from clock.segments s), '-infinity')
  ));
end
$$;
comment on function clock.ago(interval) is
  'Market time p_real before now, in real time. Used to decide whether a process is still alive: '
  'processes run in real time, however fast market time runs.';

grant execute on function clock.to_market_time(timestamptz), clock.now(), clock.ago(interval)
to parallax_api, parallax_ingest;

-- 20_venue.sql

-- Schema venue: the listings of each venue, and the questions that the parsers make of them. Every
-- normalized row keeps its raw payload, so that a parsed value can be checked against its source.

create schema venue;
revoke all on schema venue from public;
grant usage on schema venue to parallax_api, parallax_ingest;

create domain venue.code as text check (value in ('venue_a', 'venue_b'));
comment on domain venue.code is 'The two venues by the only names that leave this service.';

-- catalog.market_families, which loads later, lists the families. A question of another family is
-- kept but never paired.
create domain venue.market_type as text check (value ~ '^[a-z][a-z_]{0,29}$');
comment on domain venue.market_type is 'The family of a question, market_type on the wire.';

create domain venue.market_state as text
  check (value in ('unopened', 'trading', 'paused', 'closed', 'proposed', 'final', 'gone'));
comment on domain venue.market_state is
  'unopened, trading, paused (may trade again), closed (trading ended), proposed (a result is '
  'proposed), final (paid), gone (no longer listed).';

create table venue.series (
  venue venue.code not null,
  series_id text not null,
  title text,
  category text,
  fee jsonb,
  sources jsonb,
  payload jsonb not null,
  seen_at timestamptz not null,
  primary key (venue, series_id)
);
comment on table venue.series is
  'Groups of events, as the venue defines them. On venue_a a series has the fees and settlement '
  'sources.';
comment on column venue.series.fee is
  'Fee schedule as parsed: {model, multiplier|rate, …}; null when the venue names no known model.';

create table venue.events (
  venue venue.code not null,
  event_id text not null,
  series_id text,
  title text not null,
  url text,
  start_at timestamptz,
  start_source text,
  close_at timestamptz,
  payload jsonb not null,
  payload_hash text not null,
  first_seen_at timestamptz not null,
  seen_at timestamptz not null,
  changed_at timestamptz not null,
  sweep bigint,
  primary key (venue, event_id)
);
comment on table venue.events is
  'Events as listed: event ticker on venue_a, event slug on venue_b. Without prices and volume.';
comment on column venue.events.start_source is
  'The field that start_at was read from (milestone, gameStartTime …). Venues may be wrong about '
  'it.';
create index events_by_sweep on venue.events (venue, sweep);

create table venue.markets (
  venue venue.code not null,
  market_id text not null,
  event_id text not null,
  title text,
  state venue.market_state not null,
  open_at timestamptz,
  close_at timestamptz,
  expected_at timestamptz,
  settled_at timestamptz,
  payout numeric(7, 6) check (payout between 0 and 1),
  tick_sizes jsonb,
  min_order numeric,
  fee jsonb,
  match_delay_seconds numeric,
  exchange_index smallint,
  rules text,
  payload jsonb not null,
  payload_hash text not null,
  seen_at timestamptz not null,
  changed_at timestamptz not null,
  primary key (venue, market_id),
  foreign key (venue, event_id) references venue.events (venue, event_id) on delete cascade
);
comment on table venue.markets is
  'One row for each ticker of venue_a and each condition of venue_b.';
comment on column venue.markets.payout is
  'USD that one YES contract (venue_b: one token of outcome 0) was paid; null until final.';
comment on column venue.markets.fee is
  'Fee schedule as parsed: {model, multiplier|rate, waived_until?, …}; null when it is unknown. '
  'Before waived_until the fee is zero.';
comment on column venue.markets.exchange_index is
  'The matching engine of venue_a that trades the market, which can be paused alone; null when it '
  'is not listed, and on venue_b.';
comment on column venue.markets.tick_sizes is
  'Tick sizes by price range: [{start, end, step}] as decimal strings.';
create index markets_by_event on venue.markets (venue, event_id);

create table venue.contracts (
  venue venue.code not null,
  contract_id text not null,
  market_id text not null,
  ordinal smallint not null,
  label text,
  primary key (venue, contract_id),
  foreign key (venue, market_id) references venue.markets (venue, market_id) on delete cascade
);
comment on table venue.contracts is
  'What an order names: the ticker on venue_a (ordinal 0), an outcome token on venue_b (ordinal 0 '
  'or 1).';
create index contracts_by_market on venue.contracts (venue, market_id);

create table venue.questions (
  question_id text primary key,
  venue venue.code not null,
  event_id text not null,
  family venue.market_type not null,
  key text not null,
  on_date date,
  game_no smallint,
  start_at timestamptz,
  close_at timestamptz,
  line numeric,
  game_key text,
  category text not null,
  sport text,
  competition text,
  location text,
  asset text,
  indicator text,
  basis text,
  institution text,
  title text not null,
  home text,
  away text,
  url text,
  exclusive boolean not null,
  excluded_reason text,
  identity jsonb not null,
  terms jsonb not null,
  terms_hash text not null generated always as (md5((terms - 'scheduled_date')::text)) stored,
  content_hash text not null,
  changed_at timestamptz not null,
  foreign key (venue, event_id) references venue.events (venue, event_id) on delete cascade
);
comment on table venue.questions is
  'The question that a listing asks, in canonical terms; one row for each possible market on the '
  'wire. Two venues ask the same question when family and key are equal and the times agree.';
comment on column venue.questions.question_id is
  'venue_a:<event ticker or ticker>, venue_b:<event slug or condition id>.';
comment on column venue.questions.key is
  'The parts of the identity that must be equal (league, stage, participants, scope, line …). The '
  'date is not in it, because the dates of the venues may differ by a day.';
comment on column venue.questions.on_date is
  'Calendar date (New York) in the listing; null where a date is not part of the identity.';
comment on column venue.questions.game_no is '1 or 2 in a doubleheader, else null.';
comment on column venue.questions.game_key is 'Key of the game that a total, spread … belongs to.';
comment on column venue.questions.excluded_reason is
  'Why the parser excludes this question from matching (placeholder, duplicate_listing, '
  'unknown_alias …); null when it may be matched.';
comment on column venue.questions.terms is
  'Settlement terms from texts and fields: {postponement_hours, overtime, void, source, '
  'comparison …}, each with the place where it was read.';
comment on column venue.questions.terms_hash is
  'Equal for all listings with the same wording: without the scheduled day, which belongs to one '
  'game.';
create index questions_by_key on venue.questions (family, key, venue);
create index questions_by_event on venue.questions (venue, event_id);

create table venue.legs (
  question_id text not null references venue.questions (question_id) on delete cascade,
  ordinal smallint not null,
  outcome_key text not null,
  outcome_name text not null,
  market_id text not null,
  contract_id text not null,
  side text check (side in ('yes', 'no')),
  detail jsonb,
  primary key (question_id, ordinal),
  unique (question_id, outcome_key)
);
comment on table venue.legs is
  'The contract that pays $1 when an outcome of the question happens. side is null for an outcome '
  'token.';
comment on column venue.legs.detail is
  'Bucket or threshold of a ladder leg: {low, high, comparison, unit …}.';
create index legs_by_contract on venue.legs (contract_id);

create table venue.rejected_rows (
  rejected_row_id bigint generated always as identity primary key,
  venue venue.code not null,
  kind text not null,
  native_id text not null,
  code text not null,
  detail text not null,
  payload jsonb,
  first_seen_at timestamptz not null default clock_timestamp(),
  last_seen_at timestamptz not null default clock_timestamp(),
  occurrences bigint not null default 1,
  unique (venue, kind, native_id, code)
);
comment on table venue.rejected_rows is
  'Rows of a venue that failed validation, with the reason and a count. The other rows are '
  'processed.';

create table venue.sweeps (
  venue venue.code primary key,
  sweep bigint not null default 0,
  cursor text,
  started_at timestamptz,
  finished_at timestamptz,
  pages integer not null default 0,
  events integer not null default 0,
  last_error text,
  last_error_at timestamptz
);
comment on table venue.sweeps is
  'Progress of the listing sweep of each venue, so that the next call continues where this one '
  'stopped.';

create table venue.feeds (
  venue venue.code primary key,
  source text not null check (source in ('live', 'simulated', 'replay')),
  last_message_at timestamptz,
  last_alive_at timestamptz,
  detail text
);
comment on table venue.feeds is
  'When each venue last sent a message with data, and when it last gave any sign of life.';
comment on column venue.feeds.detail is
  'How the books are read, and what is wrong with it: websocket, or polling, key refused (401). '
  'docs/operations.md lists all parts.';

create table venue.leases (
  name text primary key,
  holder uuid,
  token bigint not null default 0,
  expires_at timestamptz,
  handover_at timestamptz,
  successor uuid,
  successor_expires_at timestamptz
);
comment on table venue.leases is
  'The holder of each lease (listings:venue_a, books:0 …). token rises with each holder; a write '
  'with an older token is rejected (fencing).';
comment on column venue.leases.handover_at is
  'When the holder plans to stop. A successor may warm up from 20 s before.';

alter table venue.series enable row level security;
alter table venue.series force row level security;
alter table venue.events enable row level security;
alter table venue.events force row level security;
alter table venue.markets enable row level security;
alter table venue.markets force row level security;
alter table venue.contracts enable row level security;
alter table venue.contracts force row level security;
alter table venue.questions enable row level security;
alter table venue.questions force row level security;
alter table venue.legs enable row level security;
alter table venue.legs force row level security;
alter table venue.rejected_rows enable row level security;
alter table venue.rejected_rows force row level security;
alter table venue.sweeps enable row level security;
alter table venue.sweeps force row level security;
alter table venue.feeds enable row level security;
alter table venue.feeds force row level security;
alter table venue.leases enable row level security;
alter table venue.leases force row level security;

create policy "the api reads feed health" on venue.feeds
  for select to parallax_api
  using (true);
grant select on venue.feeds to parallax_api;

-- 22_venue_leases.sql

-- Leases: one holder for each shard, a warm successor before the holder stops, and a fencing token
-- that rejects late writes of the previous holder. All times are real time, because a lease belongs
-- to a process.

create function venue.claim_leases(
  p_holder uuid,
  p_prefix text,
  p_limit integer,
  p_ttl interval,
  p_ends_at timestamptz
) returns table (name text, token bigint, warm boolean)
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  return query
  with free as (
    select l.name
    from venue.leases l
    where l.name like p_prefix || '%'
      and (l.holder is null or l.expires_at < clock_timestamp())
    order by l.name
    limit p_limit
    for update skip locked
  ), taken as (
    update venue.leases l
    set holder = p_holder,
        token = l.token + 1,
        expires_at = clock_timestamp() + p_ttl,
        handover_at = p_ends_at,
        successor = null,
        successor_expires_at = null
    from free
    where l.name = free.name
    returning l.name, l.token, false as warm
  ), ending as (
    select l.name
    from venue.leases l
    where l.name like p_prefix || '%'
      and l.holder <> p_holder
      and l.expires_at >= clock_timestamp()
      and l.handover_at < clock_timestamp() + interval '20 seconds'
      and (l.successor is null or l.successor = p_holder or l.successor_expires_at < clock_timestamp())
      and l.name not in (select t.name from taken t)
    order by l.handover_at
    limit greatest(p_limit - (select count(*) from taken), 0)
    for update skip locked
  ), warming as (
    update venue.leases l
    set successor = p_holder,
        successor_expires_at = clock_timestamp() + interval '20 seconds'
    from ending
    where l.name = ending.name
    returning l.name, l.token, true as warm
  )
  select *
  from taken
  union all
  select *
  from warming;
end
$$;
comment on function venue.claim_leases(uuid, text, integer, interval, timestamptz) is
  'Claims up to p_limit free or expired leases (warm = false) and reserves leases whose holder '
  'stops within 20 s (warm = true: read next to the holder, then call venue.take_over_lease).';

create function venue.take_over_lease(p_holder uuid, p_name text, p_ttl interval, p_ends_at timestamptz) returns bigint
language sql volatile security definer
set search_path = ''
as $$
  update venue.leases l
  set holder = p_holder,
      token = l.token + 1,
      expires_at = clock_timestamp() + p_ttl,
      handover_at = p_ends_at,
      successor = null,
      successor_expires_at = null
  where l.name = p_name
    and (l.successor = p_holder or l.expires_at < clock_timestamp())
  returning l.token
$$;
comment on function venue.take_over_lease(uuid, text, interval, timestamptz) is
  'Makes the warm successor the holder. Returns the new token, or null when the caller is not the '
  'successor. Waits for a write of the previous holder that is in progress.';

create function venue.renew_leases(p_holder uuid, p_tokens jsonb, p_ttl interval) returns table (name text)
language sql volatile security definer
set search_path = ''
as $$
  update venue.leases l
  set expires_at = clock_timestamp() + p_ttl
  from jsonb_each_text(p_tokens) t
  where l.name = t.key
    and l.token = t.value::bigint
    and l.holder = p_holder
    -- Prices read under an expired lease are void or will be. Only a new claim sends all of them
    -- again.
    and l.expires_at > clock_timestamp()
  returning l.name
$$;
comment on function venue.renew_leases(uuid, jsonb, interval) is
  'p_tokens: {name: token}. Returns the leases that are still held. A missing one was taken over '
  'or expired: stop reading that shard, or claim the lease again.';

create sequence venue.ingest_called_ms;
comment on sequence venue.ingest_called_ms is
  'Epoch milliseconds of the last call to ingest. A sequence is outside of transactions: with a '
  'row, every release would wait for the release before it.';

create function venue.call_ingest() returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform setval('venue.ingest_called_ms', floor(extract(epoch from clock_timestamp()) * 1000)::bigint);
  perform base.call_edge_function('ingest');
exception
  -- A container (deno task ingest) needs no pg_net and no Vault, and pg_cron calls ingest every 10
  -- s.
  when others then
    raise debug 'ingest was not called: %', sqlerrm;
end
$$;
comment on function venue.call_ingest() is
  'Calls the Edge Function ingest after this transaction commits. Never raises.';

create function venue.announce_handover(p_holder uuid, p_tokens jsonb, p_ends_at timestamptz) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  update venue.leases l
  set handover_at = p_ends_at
  from jsonb_each_text(p_tokens) t
  where l.name = t.key
    and l.token = t.value::bigint
    and l.holder = p_holder;
  if exists (
    select
    from venue.leases l
    where l.holder = p_holder
      and p_tokens ? l.name
      and (l.successor is null or l.successor_expires_at < clock_timestamp())
  ) then
    perform venue.call_ingest();
  end if;
end
$$;
comment on function venue.announce_handover(uuid, jsonb, timestamptz) is
  'Announces that the holder stops at p_ends_at, and calls ingest where a lease has no successor. '
  'The holder repeats this until a successor has taken over each lease.';

create function venue.release_leases(p_holder uuid, p_tokens jsonb) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  update venue.leases l
  set holder = null,
      expires_at = null,
      handover_at = null
  from jsonb_each_text(p_tokens) t
  where l.name = t.key
    and l.token = t.value::bigint
    and l.holder = p_holder;
  if found
    and exists (select from venue.sweeps s where s.finished_at is null and p_tokens ? ('listings:' || s.venue))
    -- A worker usually releases the leases of both venues at once, and one successor claims both.
    and floor(extract(epoch from clock_timestamp()) * 1000)
    - (select c.last_value from venue.ingest_called_ms c) >= 500 then
    perform venue.call_ingest();
  end if;
end
$$;
comment on function venue.release_leases(uuid, jsonb) is
  'Releases leases, so that the next claim need not wait until they expire. Calls ingest when a '
  'listing lease is released in the middle of a sweep.';

create function venue.lock_held_leases(p_tokens jsonb) returns text[]
language sql volatile security definer
set search_path = ''
as $$
  select coalesce(array_agg(h.name), '{}')
  from (
    select l.name
    from venue.leases l
    join jsonb_each_text(p_tokens) t on l.name = t.key and l.token = t.value::bigint
    order by l.name
    for share of l
  ) h
$$;
comment on function venue.lock_held_leases(jsonb) is
  'Names of the {name: token} that are current. Locks them until the end of the transaction, so '
  'that no take-over happens between the check and the write.';

grant execute on function
  venue.claim_leases(uuid, text, integer, interval, timestamptz),
  venue.take_over_lease(uuid, text, interval, timestamptz),
  venue.renew_leases(uuid, jsonb, interval),
  venue.announce_handover(uuid, jsonb, timestamptz),
  venue.release_leases(uuid, jsonb)
to parallax_ingest;
revoke all on function venue.call_ingest() from public;

-- 24_venue_listings.sql

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
    payload jsonb, markets jsonb, questions jsonb
  ) on commit delete rows;
  delete from pg_temp.batch_events;
  insert into pg_temp.batch_events
  select distinct on (r.event_id) r.*
  from jsonb_to_recordset(p_batch -> 'events') as r(
    event_id text, series_id text, title text, url text, start_at timestamptz, start_source text, close_at timestamptz,
    payload jsonb, markets jsonb, questions jsonb
  )
  order by r.event_id;

  insert into venue.events as e (
    venue, event_id, series_id, title, url, start_at, start_source, close_at, payload, payload_hash,
    first_seen_at, seen_at, changed_at, sweep
  )
  select p_venue, b.event_id, b.series_id, b.title, b.url, b.start_at, b.start_source, b.close_at, b.payload,
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
returns table (sweep bigint, cursor text, finished_at timestamptz)
language sql volatile security definer
set search_path = ''
as $$
  insert into venue.sweeps as s (venue, sweep, started_at)
  values (p_venue, 1, clock.now())
  on conflict (venue) do update
  set sweep = case when s.finished_at is null then s.sweep else s.sweep + 1 end,
      started_at = case when s.finished_at is null then s.started_at else clock.now() end,
      pages = case when s.finished_at is null then s.pages else 0 end,
      events = case when s.finished_at is null then s.events else 0 end,
      cursor = case when s.finished_at is null then s.cursor else null end,
      finished_at = null
  where p_rest = '0' or coalesce(s.finished_at <= clock.now() - p_rest, true)
  returning s.sweep, s.cursor, s.finished_at
$$;
comment on function venue.resume_sweep(venue.code, interval) is
  'The current sweep with its cursor, or a new one (cursor null). No row when the last sweep '
  'ended less than p_rest ago, in market time.';

create function venue.advance_sweep(p_venue venue.code, p_sweep bigint, p_cursor text, p_events integer) returns void
language sql volatile security definer
set search_path = ''
as $$
  update venue.sweeps s
  set cursor = p_cursor,
      pages = s.pages + 1,
      events = s.events + p_events
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
      last_message_at = greatest(f.last_message_at, excluded.last_message_at),
      last_alive_at = greatest(f.last_alive_at, excluded.last_alive_at),
      detail = excluded.detail
$$;
comment on function venue.heartbeat(text, jsonb) is
  'Records signs of life: p_feeds: [{venue, last_message_ms, last_alive_ms, detail}], market time '
  'in epoch ms.';

create function venue.feed_states()
returns table (venue venue.code, state text, source text, last_message_at timestamptz, detail text)
language sql stable
set search_path = ''
as $$
  select f.venue,
         case
           when f.last_alive_at is null or f.last_alive_at < clock.ago(interval '30 seconds') then 'down'
           when f.last_message_at is null or f.last_message_at < clock.ago(interval '60 seconds') then 'stale'
           else 'up'
         end,
         f.source,
         f.last_message_at,
         f.detail
  from venue.feeds f
$$;
comment on function venue.feed_states() is
  'up: data within 60 s; stale: alive, but no data for 60 s; down: no sign of life for 30 s. Real '
  'seconds, also when market time runs fast.';

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

-- 25_venue_settled.sql

-- Settled listings that a backtest reads, in tables of their own. They have the columns of the live
-- tables, so that the same stages of the match pass can read them. They hold one scope at a time (a
-- competition, an asset, a city) and are emptied when it has been matched.

create table venue.settled_events (
  like venue.events including defaults including constraints including indexes
);
comment on table venue.settled_events is
  'Settled events of the scope that a backtest reads now, shaped like venue.events. Their payload '
  'keeps only the tags.';
create table venue.settled_markets (
  like venue.markets including defaults including constraints including indexes
);
comment on table venue.settled_markets is
  'Their markets, shaped like venue.markets, with payouts and texts and without payloads.';
create table venue.settled_contracts (
  like venue.contracts including defaults including constraints including indexes
);
comment on table venue.settled_contracts is 'Their contracts, shaped like venue.contracts.';
create table venue.settled_questions (
  like venue.questions including defaults including constraints including indexes including generated
);
comment on table venue.settled_questions is
  'Their questions, shaped like venue.questions. The parsers read each listing without its result.';
create table venue.settled_legs (
  like venue.legs including defaults including constraints including indexes
);
comment on table venue.settled_legs is 'Their legs, shaped like venue.legs.';

alter table venue.settled_events enable row level security;
alter table venue.settled_events force row level security;
alter table venue.settled_markets enable row level security;
alter table venue.settled_markets force row level security;
alter table venue.settled_contracts enable row level security;
alter table venue.settled_contracts force row level security;
alter table venue.settled_questions enable row level security;
alter table venue.settled_questions force row level security;
alter table venue.settled_legs enable row level security;
alter table venue.settled_legs force row level security;

create function venue.store_settled_listings(p_venue venue.code, p_batch jsonb) returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_now timestamptz := clock.now();
  v_ids text[];
  v_events integer;
begin
  -- A page that comes twice replaces its events. Without foreign keys, which cost as much as the
  -- rows themselves, each table is cleaned here.
  v_ids := array(select r ->> 'event_id' from jsonb_array_elements(p_batch -> 'events') r);
  delete from venue.settled_legs l
  using venue.settled_questions q
  where q.venue = p_venue
    and q.event_id = any (v_ids)
    and l.question_id = q.question_id;
  delete from venue.settled_questions q where q.venue = p_venue and q.event_id = any (v_ids);
  delete from venue.settled_contracts c
  using venue.settled_markets m
  where m.venue = p_venue
    and m.event_id = any (v_ids)
    and c.venue = m.venue
    and c.market_id = m.market_id;
  delete from venue.settled_markets m where m.venue = p_venue and m.event_id = any (v_ids);
  delete from venue.settled_events e where e.venue = p_venue and e.event_id = any (v_ids);
  with events as materialized (
    select distinct on (r.event_id) r.*
    from jsonb_to_recordset(p_batch -> 'events') as r(
      event_id text, series_id text, title text, url text, start_at timestamptz, start_source text,
      close_at timestamptz, payload jsonb, markets jsonb, questions jsonb
    )
  ), stored_events as (
    insert into venue.settled_events (
      venue, event_id, series_id, title, url, start_at, start_source, close_at, payload, payload_hash, first_seen_at,
      seen_at, changed_at
    )
    select p_venue, e.event_id, e.series_id, e.title, e.url, e.start_at, e.start_source, e.close_at,
           jsonb_build_object('tags', e.payload -> 'tags'), '', v_now, v_now, v_now
    from events e
    returning 1
  ), markets as materialized (
    select distinct on (m.market_id) e.event_id, m.*
    from events e
    cross join lateral jsonb_to_recordset(e.markets) as m(
      market_id text, title text, state text, open_at timestamptz, close_at timestamptz, settled_at timestamptz,
      payout numeric, rules text, contracts jsonb
    )
  ), stored_markets as (
    insert into venue.settled_markets (
      venue, market_id, event_id, title, state, open_at, close_at, settled_at, payout, rules, payload, payload_hash,
      seen_at, changed_at
    )
    select p_venue, m.market_id, m.event_id, m.title, m.state, m.open_at, m.close_at, m.settled_at, m.payout, m.rules,
           '{}', '', v_now, v_now
    from markets m
    on conflict (venue, market_id) do nothing
  ), stored_contracts as (
    insert into venue.settled_contracts (venue, contract_id, market_id, ordinal, label)
    select p_venue, k.contract_id, m.market_id, k.ordinal, k.label
    from markets m
    cross join lateral jsonb_to_recordset(m.contracts) as k(contract_id text, ordinal smallint, label text)
    on conflict (venue, contract_id) do nothing
  ), questions as materialized (
    select distinct on (q.question_id) e.event_id, q.*
    from events e
    cross join lateral jsonb_to_recordset(e.questions) as q(
      question_id text, family text, key text, on_date date, game_no smallint, start_at timestamptz,
      close_at timestamptz, line numeric, game_key text, category text, sport text, competition text, location text,
      asset text, indicator text, basis text, institution text, title text, home text, away text, url text,
      exclusive boolean, excluded text, identity jsonb, terms jsonb, legs jsonb
    )
  ), stored_questions as (
    insert into venue.settled_questions (
      question_id, venue, event_id, family, key, on_date, game_no, start_at, close_at, line, game_key, category, sport,
      competition, location, asset, indicator, basis, institution, title, home, away, url, exclusive, excluded_reason,
      identity, terms, content_hash, changed_at
    )
    select q.question_id, p_venue, q.event_id, q.family, q.key, q.on_date, q.game_no, q.start_at, q.close_at, q.line,
           q.game_key, q.category, q.sport, q.competition, q.location, q.asset, q.indicator, q.basis, q.institution,
           q.title, q.home, q.away, q.url, q.exclusive, q.excluded, q.identity, q.terms, '', v_now
    from questions q
    on conflict (question_id) do nothing
  ), stored_legs as (
    insert into venue.settled_legs (
      question_id, ordinal, outcome_key, outcome_name, market_id, contract_id, side, detail
    )
    select q.question_id, l.ordinal, l.outcome_key, l.outcome_name, l.market_id, l.contract_id, l.side, l.detail
    from questions q
    cross join lateral jsonb_to_recordset(q.legs) as l(
      ordinal smallint, outcome_key text, outcome_name text, market_id text, contract_id text, side text, detail jsonb
    )
    on conflict (question_id, ordinal) do nothing
  )
  select count(*)::integer into v_events
  from stored_events;
  return v_events;
end
$$;
comment on function venue.store_settled_listings(venue.code, jsonb) is
  'Stores a page of settled listings, shaped as for venue.upsert_listings. Returns the number of '
  'its events.';

create function venue.clear_settled_listings() returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- Only the backtest reads these tables. Deleting tens of thousands of rows took seconds a scope.
  truncate venue.settled_legs, venue.settled_questions, venue.settled_contracts, venue.settled_markets,
    venue.settled_events;
end
$$;
comment on function venue.clear_settled_listings() is
  'Deletes all settled listings: their scope was matched, or is read again from the start.';

revoke all on function
  venue.store_settled_listings(venue.code, jsonb),
  venue.clear_settled_listings()
from public;

-- 26_venue_unknown.sql

-- What a venue sends and docs/venues.md does not name: new fields, and new values of the fields on
-- which the adapters decide. Ingest counts them (functions/ingest/feeds/unknown.ts) and writes the
-- counts with its rejected rows.

create table venue.unknown_values (
  venue venue.code not null,
  what text not null check (length(what) between 1 and 120),
  occurrences bigint not null check (occurrences > 0),
  sample text check (length(sample) <= 300),
  first_seen_at timestamptz not null default clock_timestamp(),
  last_seen_at timestamptz not null default clock_timestamp(),
  primary key (venue, what)
);
comment on table venue.unknown_values is
  'Unknown fields (market.field:NAME) and values (market.status=VALUE) with their number; at most '
  '200 names a venue, further ones count as "other".';
comment on column venue.unknown_values.sample is
  'The record and the value of the first occurrence, as JSON text; cut.';
alter table venue.unknown_values enable row level security;
alter table venue.unknown_values force row level security;

create function venue.record_unknown_values(p_venue venue.code, p_rows jsonb) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- The limit of names holds for all workers together.
  perform pg_advisory_xact_lock(hashtextextended('venue.record_unknown_values', 0));
  with counted as (
    select left(r.what, 120) as what, sum(r.occurrences)::bigint as occurrences, left(min(r.sample), 300) as sample
    from jsonb_to_recordset(p_rows) as r(what text, occurrences bigint, sample text)
    where r.what <> ''
      and r.occurrences > 0
    group by left(r.what, 120)
  ), known as (
    select u.what
    from venue.unknown_values u
    where u.venue = p_venue
      and u.what <> 'other'
  ), named as (
    select case
             when k.what is not null
               or row_number() over (partition by k.what is null order by c.what)
               <= 200 - (select count(*) from known)
               then c.what
             else 'other'
           end as what,
           c.occurrences, c.sample
    from counted c
    left join known k on k.what = c.what
  )
  insert into venue.unknown_values as u (venue, what, occurrences, sample)
  select p_venue, n.what, sum(n.occurrences)::bigint, min(n.sample)
  from named n
  group by n.what
  on conflict (venue, what) do update
  set occurrences = u.occurrences + excluded.occurrences,
      last_seen_at = clock_timestamp();
end
$$;
comment on function venue.record_unknown_values(venue.code, jsonb) is
  'p_rows: [{what, occurrences, sample}]: adds the counts. A name above the limit of 200 counts '
  'as "other".';
revoke all on function venue.record_unknown_values(venue.code, jsonb) from public;
grant execute on function venue.record_unknown_values(venue.code, jsonb) to parallax_ingest;

-- 30_catalog.sql

-- Schema catalog: which listings of the two venues ask the same question, with which confidence,
-- and how the two contracts may settle differently.

create schema catalog;
revoke all on schema catalog from public;
grant usage on schema catalog to parallax_api, parallax_ingest;

create sequence catalog.change_numbers;
comment on sequence catalog.change_numbers is
  'Rises with every visible change of a pair. The snapshot renders the pairs with a newer number.';

create function catalog.severity_rank(p_severity text) returns integer
language sql immutable parallel safe
return array_position(array['critical', 'high', 'medium', 'low'], p_severity);
comment on function catalog.severity_rank(text) is
  'The order of severities: 1 for critical to 4 for low.';
revoke all on function catalog.severity_rank(text) from public;
grant execute on function catalog.severity_rank(text) to parallax_api;

create table catalog.assessments (
  assessment_id text primary key,
  signals jsonb not null check (jsonb_typeof(signals) = 'array'),
  risks jsonb not null check (
    jsonb_typeof(risks) = 'array'
    and not jsonb_path_exists(
      risks,
      '$[*] ? (!(@.severity == "low" || @.severity == "medium" || @.severity == "high" || @.severity == "critical"))'
    )
  ),
  blocking_risk text generated always as (coalesce(
    jsonb_path_query_first(risks, '$[*] ? (@.severity == "critical").event') #>> '{}',
    jsonb_path_query_first(risks, '$[*] ? (@.severity == "high").event') #>> '{}'
  )) stored
);
comment on table catalog.assessments is
  'Named signals [{signal, state, about, weight}] and settlement risks [{event, severity, note}]. '
  'Many pairs share one. The id is a digest of the content, so a row never changes.';
comment on column catalog.assessments.blocking_risk is
  'The first critical risk, else the first high one, internal risks included. Null opens the risk '
  'gate.';

create table catalog.pairs (
  pair_id uuid primary key,
  slug text,
  question_a text not null,
  question_b text not null,
  key text not null,
  market_type venue.market_type not null,
  stage text not null check (stage in ('catalog', 'candidate')),
  band text not null check (band in ('EXACT', 'HIGH', 'REVIEW')),
  entity_confidence numeric(4, 3) not null check (entity_confidence between 0 and 1),
  resolution_confidence numeric(4, 3) not null check (resolution_confidence between 0 and 1),
  assessment_id text not null references catalog.assessments (assessment_id),
  rule_id text not null,
  input_hash text not null,
  category text not null,
  sport text,
  competition text,
  location text,
  asset text,
  indicator text,
  basis text,
  institution text,
  tags text[] not null default '{}',
  title text not null,
  home text,
  away text,
  start_time timestamptz not null,
  has_scheduled_start boolean not null,
  status text not null default 'open' check (status in ('open', 'live', 'resolving', 'closed', 'settled')),
  line numeric,
  game_id uuid,
  closes_a timestamptz,
  closes_b timestamptz,
  omitted_outcomes jsonb,
  url_a text,
  url_b text,
  event_a text not null,
  event_b text not null,
  condition_b text,
  slug_b text,
  text_a text,
  text_b text,
  result jsonb,
  shard_key smallint not null,
  change_no bigint not null default nextval('catalog.change_numbers'),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  withdrawn_at timestamptz,
  withdrawn_code text
);
comment on table catalog.pairs is
  'One row for each market: a question of venue_a and the same question of venue_b. The id is '
  'derived from the question, so every pass finds the same row.';
comment on column catalog.pairs.stage is
  'catalog: published; candidate: listed with signal=candidates only.';
comment on column catalog.pairs.rule_id is
  'The resolution rule: family, competition and the terms of both venues. Parity is confirmed for '
  'a rule, never for a single pair.';
comment on column catalog.pairs.input_hash is
  'Digest of all inputs of the row. The match pass makes the row again only when it changes.';
comment on column catalog.pairs.has_scheduled_start is
  'False for futures and ladders, which are never live: their start_time is the earlier close.';
comment on column catalog.pairs.omitted_outcomes is
  'Outcomes that are not in the row: {left_out_a, left_out_b}, each with its name and the reason.';
comment on column catalog.pairs.shard_key is
  '0 to 63, never changed. The holder of shard (shard_key mod price.settings.shards) reads its '
  'books.';
comment on column catalog.pairs.change_no is 'catalog.change_numbers at the last visible change.';
comment on column catalog.pairs.updated_at is
  'Market time of the last identity change. A status change raises change_no only.';
comment on column catalog.pairs.withdrawn_at is
  'Set when the match no longer holds. Such a pair is in no response, and its id stays reserved.';
create index pairs_by_change on catalog.pairs (change_no);
create unique index pairs_one_for_a on catalog.pairs (question_a) where withdrawn_at is null;
create unique index pairs_one_for_b on catalog.pairs (question_b) where withdrawn_at is null;

create table catalog.outcomes (
  pair_id uuid not null references catalog.pairs (pair_id) on delete cascade,
  ordinal smallint not null,
  key text not null,
  name text not null,
  market_a text,
  contract_a text,
  side_a text check (side_a in ('yes', 'no')),
  market_b text,
  contract_b text,
  relation text check (relation in ('EXACT', 'OVERLAPS', 'DERIVED')),
  span text[],
  primary key (pair_id, ordinal),
  unique (pair_id, key)
);
comment on table catalog.outcomes is
  'The outcomes of a pair in published order, with the contract of each venue that pays for it.';
comment on column catalog.outcomes.contract_a is
  'Ticker; null where venue_a has no contract for exactly this outcome (OVERLAPS, DERIVED).';
comment on column catalog.outcomes.side_a is
  'Usually yes; no where venue_a lists a market for the other team only.';
comment on column catalog.outcomes.relation is 'Ladder families only; null elsewhere.';
comment on column catalog.outcomes.span is
  'For OVERLAPS: labels of the venue_a ranges that the venue_b range overlaps.';

create table catalog.strikes (
  pair_id uuid not null references catalog.pairs (pair_id) on delete cascade,
  ordinal smallint not null,
  label text not null,
  market_a text not null,
  contract_a text not null,
  primary key (pair_id, ordinal)
);
comment on table catalog.strikes is
  'All strikes of venue_a for a ladder pair, in order, with their YES contracts.';

create view catalog.pair_risks with (security_invoker = true) as
select p.pair_id, r.event, r.severity, r.note
from catalog.pairs p
join catalog.assessments j on j.assessment_id = p.assessment_id
cross join lateral jsonb_to_recordset(j.risks) as r (event text, severity text, note text);
comment on view catalog.pair_risks is
  'How the two contracts of a pair may settle differently. Events that begin with cancel_ count '
  'in the signal and are never published.';

create table catalog.rules (
  rule_id text primary key,
  description text not null,
  first_seen_at timestamptz not null,
  agreeing integer not null default 0 check (agreeing >= 0),
  diverging integer not null default 0 check (diverging >= 0),
  edge_cases integer not null default 0 check (edge_cases >= 0),
  confirmed_at timestamptz,
  confirmed_because text,
  withdrawn_at timestamptz,
  parity_change_no bigint,
  record_agreeing bigint not null default 0 check (record_agreeing >= 0),
  record_diverging bigint not null default 0 check (record_diverging >= 0),
  record_bound numeric(7, 6) not null default 1 check (record_bound between 0 and 1),
  family text not null generated always as (split_part(rule_id, ' / ', 1)) stored,
  competition text,
  scope text generated always as (
    case when split_part(rule_id, ' / ', 2) not like 'venue_a: %' then nullif(split_part(rule_id, ' / ', 2), '') end
  ) stored,
  state text not null default 'unconfirmed'
    check (state in ('confirmed', 'pooled', 'unconfirmed', 'withdrawn', 'refused')),
  first_at timestamptz,
  last_at timestamptz,
  pool_key text,
  pool_rules integer,
  pool_agreeing bigint,
  pool_bound numeric(7, 6)
);
create index rules_by_pool on catalog.rules (pool_key) where pool_key is not null;
comment on table catalog.rules is
  'Resolution rules with their record: occasions on which the venues paid the same or not. A rule '
  'is unconfirmed until enough occasions agree.';
comment on column catalog.rules.agreeing is
  'Occasions seen by this service, live or in the settled history of the venues, on which every '
  'settled pair of the rule paid the same on both venues.';
comment on column catalog.rules.competition is
  'The competition of its pairs by its name, as in /v2/markets; null outside sports.';
comment on column catalog.rules.scope is
  'The scope in its id: the code of a competition, or an institution, asset, place or indicator.';
comment on column catalog.rules.first_at is
  'Settlement of the first occasion of the record; last_at: of the last one.';
comment on column catalog.rules.pool_key is
  'Digest of the family, the terms and the forms of the texts. Rules with the same key may be '
  'pooled. Null while no settled text was read.';
comment on column catalog.rules.pool_rules is
  'Rules of its pool, with their occasions (pool_agreeing) and their bound. Null without a pool.';
comment on column catalog.rules.diverging is
  'Occasions on which a pair of the rule paid differently, including refunds at two prices.';
comment on column catalog.rules.edge_cases is
  'Agreeing occasions on which both venues paid the same amount other than $1 or $0.';
comment on column catalog.rules.confirmed_because is
  'The record and its bound in one sentence; also set for an unconfirmed rule.';
comment on column catalog.rules.parity_change_no is
  'catalog.change_numbers when parity was last confirmed or withdrawn. Older pairs are published '
  'again.';
comment on column catalog.rules.record_agreeing is
  'All agreeing occasions that count for parity: seen by this service or loaded from a backtest.';
comment on column catalog.rules.record_diverging is
  'All diverging occasions that count for parity, without those that a review dismissed.';
comment on column catalog.rules.record_bound is
  'One-sided upper bound of the divergence rate from this record; 1 without a record.';
comment on column catalog.rules.withdrawn_at is
  'When a divergence withdrew the confirmation. Stays set until an operator has reviewed it.';

create table catalog.rejections (
  question_a text not null,
  question_b text not null,
  code text not null,
  detail text not null,
  evidence jsonb,
  seen_at timestamptz not null,
  primary key (question_a, question_b, code)
);
comment on table catalog.rejections is
  'Look-alikes that were not paired, with a code and a sentence: evidence that a pair was '
  'considered.';
comment on column catalog.rejections.seen_at is
  'When this rejection was first made with this sentence. A rejection that no longer applies is '
  'deleted.';

create table catalog.match_passes (
  pass_id bigint generated always as identity primary key,
  started_at timestamptz not null,
  finished_at timestamptz,
  pairs integer,
  created integer,
  changed integer,
  withdrawn integer,
  refused integer
);
comment on table catalog.match_passes is
  'Each match pass that changed something, and the newest one that changed nothing.';

alter table catalog.assessments enable row level security;
alter table catalog.assessments force row level security;
alter table catalog.pairs enable row level security;
alter table catalog.pairs force row level security;
alter table catalog.outcomes enable row level security;
alter table catalog.outcomes force row level security;
alter table catalog.strikes enable row level security;
alter table catalog.strikes force row level security;
alter table catalog.rules enable row level security;
alter table catalog.rules force row level security;
alter table catalog.rejections enable row level security;
alter table catalog.rejections force row level security;
alter table catalog.match_passes enable row level security;
alter table catalog.match_passes force row level security;

create policy "the api reads pairs" on catalog.pairs for select to parallax_api using (true);
create policy "the api reads outcomes" on catalog.outcomes for select to parallax_api using (true);
create policy "the api reads strikes" on catalog.strikes for select to parallax_api using (true);
create policy "the api reads assessments" on catalog.assessments for select to parallax_api using (true);
create policy "the api reads rules" on catalog.rules for select to parallax_api using (true);
grant select on catalog.assessments, catalog.pairs, catalog.outcomes, catalog.strikes, catalog.pair_risks, catalog.rules
to parallax_api;

-- 31_catalog_stages.sql

-- The types that the stages of the match pass return and take. catalog.run_match_pass calls the
-- stages in order. Each stage is a function of arrays of these types and of the tables, so it can
-- be read and called alone.
--
-- Arrays instead of temporary tables: a session plans the query of a stage for the rows that it
-- gets, and nothing has to be analyzed or dropped. Each stage runs once in a pass, with a plan for
-- its own arrays (plan_cache_mode): a plan for arrays of unknown length joins 20,000 rows in nested
-- loops.

create type catalog.candidate as (
  question_a text,
  question_b text,
  family venue.market_type,
  wanted text,
  days integer,
  minutes numeric,
  rematch text,
  occasion text,
  legs_a bigint,
  legs_b bigint,
  legs_both bigint,
  rank numeric,
  rejected text,
  round integer
);
comment on type catalog.candidate is
  'Two questions with equal keys and near dates. rejected: the code of the failed rule; round: '
  'the round that chose the pair; both null: undecided.';

create type catalog.chosen_pair as (
  pair_id uuid,
  question_a text,
  question_b text,
  occasion text,
  round integer,
  legs_a bigint,
  legs_b bigint,
  legs_both bigint,
  review boolean,
  wanted text,
  words jsonb,
  input_hash text,
  text_a text,
  text_b text,
  terms_a text,
  terms_b text
);
comment on type catalog.chosen_pair is
  'A chosen candidate that is new, or whose listings changed since its pair was written.';

create type catalog.assessed_pairs as (
  pair_ids uuid[],
  assessment_id text,
  signals jsonb,
  risks jsonb,
  rule_id text,
  entity numeric,
  resolution numeric,
  unread boolean
);
comment on type catalog.assessed_pairs is
  'Chosen pairs of one kind, with the signals, risks, rule and confidences that they share.';

create type catalog.assembled_pair as (
  pair_id uuid,
  slug text,
  question_a text,
  question_b text,
  key text,
  market_type venue.market_type,
  stage text,
  band text,
  entity_confidence numeric,
  resolution_confidence numeric,
  assessment_id text,
  rule_id text,
  category text,
  sport text,
  competition text,
  location text,
  asset text,
  indicator text,
  basis text,
  institution text,
  tags text[],
  title text,
  home text,
  away text,
  start_time timestamptz,
  has_scheduled_start boolean,
  line numeric,
  game_id uuid,
  closes_a timestamptz,
  closes_b timestamptz,
  left_out_a jsonb,
  left_out_b jsonb,
  url_a text,
  url_b text,
  event_a text,
  event_b text,
  slug_b text,
  input_hash text,
  text_a text,
  text_b text,
  wanted text,
  same_station boolean,
  kind_a text,
  grid numeric
);
comment on type catalog.assembled_pair is
  'A chosen pair without its outcomes. wanted, same_station, kind_a and grid control how its legs '
  'are matched.';

create type catalog.pair_leg as (
  pair_id uuid,
  wanted text,
  key text,
  name text,
  ordinal_a smallint,
  market_a text,
  contract_a text,
  side_a text,
  ordinal_b smallint,
  market_b text,
  contract_b text,
  range_b numrange,
  may_be_twin boolean
);
comment on type catalog.pair_leg is
  'An outcome of either question of an assembled pair, with the contract of each venue that lists '
  'it.';

create type catalog.new_pair as (
  pair_id uuid,
  slug text,
  question_a text,
  question_b text,
  key text,
  market_type venue.market_type,
  stage text,
  band text,
  entity_confidence numeric,
  resolution_confidence numeric,
  assessment_id text,
  rule_id text,
  category text,
  sport text,
  competition text,
  location text,
  asset text,
  indicator text,
  basis text,
  institution text,
  tags text[],
  title text,
  home text,
  away text,
  start_time timestamptz,
  has_scheduled_start boolean,
  line numeric,
  game_id uuid,
  closes_a timestamptz,
  closes_b timestamptz,
  omitted_outcomes jsonb,
  url_a text,
  url_b text,
  event_a text,
  event_b text,
  condition_b text,
  slug_b text,
  text_a text,
  text_b text,
  input_hash text
);
comment on type catalog.new_pair is 'The columns of catalog.pairs that the match pass writes.';

create type catalog.changed_pair as (
  pair_id uuid,
  created boolean
);
comment on type catalog.changed_pair is 'A pair that is new or differs from its stored row.';

create type catalog.outcome_key as (
  pair_id uuid,
  match_key text,
  key text
);
comment on type catalog.outcome_key is 'A row of catalog.outcome_keys, which loads later.';

-- 31_catalog_weights.sql

-- Constants of the match pass: how each family is paired, the weight of each signal, and what an id
-- is derived from.

-- A new family needs a row here, a parser in functions/ingest/identity and tests. Texts that depend
-- on the family (a payout, the sentence of an instruction, a look-alike) have a default for the
-- others.
--   occasion   game, race or day: the unit that a settled pair counts as; families that share a
--              unit diverge together
--   day_slack  days by which the dates of the venues may differ (venue_b dates a night game in UTC,
--              a meeting lasts two days)
--   outcomes   equal; shared: a runner may be missing on one venue; bands, buckets: strikes of
--              venue_b; twins: strikes that both list; choices: the five of a rate decision
--   review     band REVIEW by the specification; published all the same
--   fields     the fields of a market beyond the common ones: none, line (with game_id) or strikes
--              (with closes)
--   facets     the contextual fields by which GET /v2/categories groups its markets
--   compared   the signals of catalog.comparable_terms that apply to the family
create function catalog.market_families() returns table (
  family venue.market_type,
  occasion text,
  day_slack integer,
  outcomes text,
  review boolean,
  fields text,
  facets text[],
  compared text[]
)
language sql immutable parallel safe
set search_path = ''
as $$
  values
    ('moneyline'::venue.market_type, 'game', 1, 'equal', false, 'none', array['sport', 'competition'],
      array['postponement', 'cancelled', 'tie', 'walkover', 'given_up', 'no_contest', 'abandoned']),
    ('total', 'game', 1, 'equal', false, 'line', array['sport', 'competition'],
      array['postponement', 'cancelled', 'walkover', 'given_up', 'no_contest', 'abandoned', 'push']),
    ('spread', 'game', 1, 'equal', false, 'line', array['sport', 'competition'],
      array['postponement', 'cancelled', 'walkover', 'given_up', 'abandoned', 'push']),
    ('team_total', 'game', 1, 'equal', false, 'line', array['sport', 'competition'],
      array['postponement', 'cancelled', 'walkover', 'given_up', 'abandoned', 'push']),
    ('advance', 'game', 1, 'equal', false, 'line', array['sport', 'competition'],
      array['postponement', 'cancelled', 'tie', 'walkover', 'given_up', 'abandoned']),
    ('outright', 'race', 0, 'shared', false, 'none', array['sport', 'competition'], array['dead_heat']),
    (
      'weather_high', 'day', 0, 'bands', false, 'strikes', array['location'],
      array['station', 'source', 'day', 'rounding', 'revisions']
    ),
    (
      'weather_low', 'day', 0, 'bands', false, 'strikes', array['location'],
      array['station', 'source', 'day', 'rounding', 'revisions']
    ),
    (
      'crypto_above', 'day', 0, 'twins', true, 'strikes', array['asset'],
      array['index', 'averaging', 'comparison', 'contract']
    ),
    ('fed_decision', 'day', 1, 'choices', true, 'strikes', array['institution'],
      array['cancelled', 'rounding', 'rate', 'emergency', 'announcement']),
    ('cb_decision', 'day', 1, 'choices', true, 'strikes', array['institution'],
      array['cancelled', 'rounding', 'rate', 'emergency', 'announcement']),
    ('econ_print', 'day', 0, 'buckets', false, 'strikes', array['indicator', 'basis'],
      array['source', 'rounding', 'print', 'adjustment', 'missing', 'precision', 'boundary'])
$$;
comment on function catalog.market_families() is
  'The families that are paired, with everything that differs between them. The comment above the '
  'function describes the columns.';
grant execute on function catalog.market_families() to parallax_api;

create function catalog.rate_decision_outcomes() returns table (key text, name text, ordinal integer)
language sql immutable
set search_path = ''
as $$
  values
    ('cut_more_25', 'Cut of more than 25 bp', 0),
    ('cut_25', 'Cut 25 bp', 1),
    ('no_change', 'No change', 2),
    ('hike_25', 'Hike 25 bp', 3),
    ('hike_more_25', 'Hike of more than 25 bp', 4)
$$;
comment on function catalog.rate_decision_outcomes() is
  'The five outcomes of a rate decision, in published order.';

create function catalog.signal_weights() returns table (signal text, about text, state text, weight numeric, why text)
language sql immutable
set search_path = ''
as $$
  values
    -- entity: is it the same question?
    ('participants', 'entity', 'read_twice', 0.00, 'label and code agree for every participant on both venues'),
    ('participants', 'entity', 'read_once', 0.01, 'some participant is known by its label or its code alone'),
    ('participants', 'entity', 'family_name', 0.01, 'a person goes by the family name that both venues print'),
    (
      'participants', 'entity', 'as_printed', 0.02,
      'a participant that the registry does not hold goes by its full name, the same on both venues'
    ),
    ('participants', 'entity', 'by_code', 0.06, 'a person goes by a ticker''s code in a closed list, and by no name'),
    ('participants', 'entity', 'by_elimination', 0.02, 'a participant is the other one of the title'),
    ('competition', 'entity', 'named', 0.00, 'both listings name the competition'),
    (
      'competition', 'entity', 'inferred', 0.06,
      'venue_b names no competition that is known; both sides are known together in one alone'
    ),
    ('occasion', 'entity', 'same_start', 0.00, 'starts within 15 minutes'),
    ('occasion', 'entity', 'near_start', 0.01, 'starts within the hours that a schedule moves'),
    ('occasion', 'entity', 'same_date', 0.01, 'same date, a start unknown'),
    ('occasion', 'entity', 'moved_start', 0.04, 'same date, starts hours apart'),
    ('occasion', 'entity', 'next_date', 0.03, 'dates a day apart, no start, teams that do not meet twice in a row'),
    (
      'occasion', 'entity', 'days_apart', 0.10,
      'the same two players two or three days apart, no text names another day'
    ),
    (
      'occasion', 'entity', 'short_name', 0.10,
      'the same family names and day, given names that may be short forms of each other'
    ),
    ('occasion', 'entity', 'period', 0.00, 'both name the same year or meeting'),
    ('occasion', 'entity', 'period_from_end', 0.02, 'the year of one comes from its end date'),
    ('occasion', 'entity', 'period_inferred', 0.10, 'one names no year; it is taken for the season that is on'),
    ('choice', 'entity', 'first', 0.00, 'each is the other''s best candidate'),
    ('choice', 'entity', 'after_others', 0.06, 'left over once better pairs were made'),
    ('outcomes', 'entity', 'equal', 0.00, 'the same outcomes on both venues'),
    ('outcomes', 'entity', 'shared', 0.01, 'some outcome is listed on one venue alone'),
    ('outcomes', 'entity', 'derived', 0.00, 'the same print, but no bucket has a twin: the row stays in REVIEW'),
    -- resolution: will both settle alike?
    ('rules_a', 'resolution', 'read', 0.00, null),
    ('rules_a', 'resolution', 'none', 0.06, 'venue_a''s listing carries no rules text'),
    ('rules_a', 'resolution', 'unfilled', 0.20, 'venue_a''s rules are a template whose blanks are open'),
    ('rules_a', 'resolution', 'unread', 0.06, 'no sentence of venue_a''s text pays what its fields name'),
    ('rules_b', 'resolution', 'read', 0.00, null),
    ('rules_b', 'resolution', 'none', 0.06, 'venue_b''s listing carries no rules text'),
    ('rules_b', 'resolution', 'unfilled', 0.20, 'venue_b''s rules are a template whose blanks are open'),
    ('rules_b', 'resolution', 'unread', 0.06, 'no sentence of venue_b''s text pays what its fields name'),
    ('fields_a', 'resolution', 'contradicted', 0.20, 'venue_a''s rules speak of something else than its fields'),
    ('fields_b', 'resolution', 'contradicted', 0.20, 'venue_b''s rules speak of something else than its fields'),
    ('fields_a', 'resolution', 'unclear', 0.20, 'venue_a''s rules give two answers to one question'),
    ('fields_b', 'resolution', 'unclear', 0.20, 'venue_b''s rules give two answers to one question'),
    ('postponement', 'resolution', 'same', 0.00, null),
    ('postponement', 'resolution', 'not_stated', 0.01, 'neither text mentions a postponed game'),
    ('postponement', 'resolution', 'one_sided', 0.02, 'one text does not mention a postponed game'),
    ('postponement', 'resolution', 'differs', 0.02, 'they wait for a postponed game for different times'),
    ('cancelled', 'resolution', 'same', 0.00, null),
    ('cancelled', 'resolution', 'not_stated', 0.00, 'neither text mentions a game that is never played'),
    ('cancelled', 'resolution', 'one_sided', 0.01, 'one text does not mention a game that is never played'),
    ('cancelled', 'resolution', 'differs', 0.01, 'they pay differently for a game that is never played'),
    ('tie', 'resolution', 'same', 0.00, null),
    ('tie', 'resolution', 'not_stated', 0.00, 'one text does not mention a tie'),
    ('tie', 'resolution', 'differs', 0.06, 'they pay differently for a tie'),
    (
      'tie', 'resolution', 'both_void', 0.01,
      'both give the stake back for a tie, one at a fair price and one half and half'
    ),
    ('overtime', 'resolution', 'same', 0.00, null),
    ('overtime', 'resolution', 'not_stated', 0.00, 'one text does not mention overtime'),
    ('overtime', 'resolution', 'one_sided', 0.02, 'one text counts regulation alone, the other mentions neither'),
    ('overtime', 'resolution', 'differs', 0.30, 'one counts overtime and the other does not'),
    ('walkover', 'resolution', 'same', 0.00, null),
    ('walkover', 'resolution', 'not_stated', 0.00, 'one text does not mention a side that does not start'),
    ('walkover', 'resolution', 'differs', 0.01, 'they pay differently where a side does not start'),
    ('given_up', 'resolution', 'same', 0.00, null),
    ('given_up', 'resolution', 'not_stated', 0.00, 'one text does not mention a side that gives up after the start'),
    (
      'given_up', 'resolution', 'both_void', 0.02,
      'both give the stake back where a side gives up, one at a fair price and one half and half'
    ),
    ('given_up', 'resolution', 'differs', 0.06, 'they pay differently where a side gives up after the start'),
    ('no_contest', 'resolution', 'same', 0.00, null),
    ('no_contest', 'resolution', 'not_stated', 0.00, 'one text does not mention a no contest'),
    (
      'no_contest', 'resolution', 'both_void', 0.01,
      'both give the stake back for a no contest, one at a fair price and one half and half'
    ),
    ('no_contest', 'resolution', 'differs', 0.06, 'they pay differently for a no contest'),
    ('dead_heat', 'resolution', 'same', 0.00, null),
    ('dead_heat', 'resolution', 'not_stated', 0.00, 'one text does not mention several winners'),
    ('dead_heat', 'resolution', 'differs', 0.03, 'they pay differently for several winners'),
    ('push', 'resolution', 'same', 0.00, null),
    ('push', 'resolution', 'not_stated', 0.00, 'one text does not mention a result on the line'),
    ('push', 'resolution', 'differs', 0.06, 'they pay differently for a result on the line'),
    ('station', 'resolution', 'same', 0.00, null),
    ('station', 'resolution', 'assumed', 0.06, 'a text names no station: it is the one that the venue is known to use'),
    ('station', 'resolution', 'not_stated', 0.06, 'a text names no station, or several'),
    ('station', 'resolution', 'differs', 0.50, 'they measure at different stations'),
    ('source', 'resolution', 'same', 0.00, null),
    ('source', 'resolution', 'not_stated', 0.02, 'one text names no source'),
    ('source', 'resolution', 'differs', 0.03, 'the same figure from different reports'),
    ('day', 'resolution', 'same', 0.00, null),
    ('day', 'resolution', 'not_stated', 0.00, 'one text does not state by which clock the day runs'),
    ('day', 'resolution', 'differs', 0.01, 'the day runs by different clocks'),
    ('index', 'resolution', 'same', 0.00, null),
    ('index', 'resolution', 'not_stated', 0.03, 'one text names no index'),
    ('index', 'resolution', 'differs', 0.03, 'different indices of the same price'),
    ('averaging', 'resolution', 'same', 0.00, null),
    ('averaging', 'resolution', 'not_stated', 0.00, 'one text does not state how the price is taken'),
    ('averaging', 'resolution', 'differs', 0.01, 'the price is taken differently'),
    ('comparison', 'resolution', 'same', 0.00, null),
    ('comparison', 'resolution', 'not_stated', 0.00, 'one text does not state what a price on the threshold means'),
    ('comparison', 'resolution', 'differs', 0.01, 'a price exactly on the threshold means different things'),
    ('rounding', 'resolution', 'same', 0.00, null),
    ('rounding', 'resolution', 'not_stated', 0.00, 'one text does not mention rounding'),
    ('rounding', 'resolution', 'differs', 0.02, 'they round differently'),
    ('revisions', 'resolution', 'same', 0.00, null),
    ('revisions', 'resolution', 'not_stated', 0.00, 'one text does not mention revised figures'),
    ('revisions', 'resolution', 'differs', 0.01, 'they treat revised figures differently'),
    ('announcement', 'resolution', 'same', 0.00, null),
    (
      'announcement', 'resolution', 'not_stated', 0.00,
      'one text does not state whether the announcement or the effect counts'
    ),
    ('announcement', 'resolution', 'differs', 0.03, 'one counts the announcement, the other the effect'),
    ('contract', 'resolution', 'same', 0.00, null),
    ('contract', 'resolution', 'not_stated', 0.00, 'one text names no futures contract'),
    ('contract', 'resolution', 'differs', 0.50, 'the prices of two futures contracts'),
    ('print', 'resolution', 'same', 0.00, null),
    ('print', 'resolution', 'not_stated', 0.00, 'one text does not state whether the first figure counts'),
    ('print', 'resolution', 'differs', 0.06, 'one counts the first figure, the other a later one'),
    ('adjustment', 'resolution', 'same', 0.00, null),
    ('adjustment', 'resolution', 'not_stated', 0.00, 'one text does not mention seasonal adjustment'),
    ('adjustment', 'resolution', 'differs', 0.50, 'one figure is seasonally adjusted, the other is not'),
    ('missing', 'resolution', 'same', 0.00, null),
    ('missing', 'resolution', 'not_stated', 0.00, 'one text does not mention a figure that does not come out'),
    ('missing', 'resolution', 'differs', 0.01, 'they pay differently for a figure that does not come out'),
    ('precision', 'resolution', 'same', 0.00, null),
    ('precision', 'resolution', 'not_stated', 0.00, 'one text does not mention decimals'),
    ('precision', 'resolution', 'differs', 0.02, 'they read the figure to different decimals'),
    ('boundary', 'resolution', 'same', 0.00, null),
    ('boundary', 'resolution', 'not_stated', 0.00, 'one text does not mention a figure on the edge of two buckets'),
    ('boundary', 'resolution', 'differs', 0.01, 'a figure on the edge of two buckets means different things'),
    ('rate', 'resolution', 'same', 0.00, null),
    ('rate', 'resolution', 'not_stated', 0.00, 'one text does not state which rate decides'),
    ('rate', 'resolution', 'differs', 0.06, 'they go by different rates of the bank'),
    ('emergency', 'resolution', 'same', 0.00, null),
    ('emergency', 'resolution', 'not_stated', 0.00, 'one text does not mention a decision between meetings'),
    ('emergency', 'resolution', 'differs', 0.01, 'one counts a decision between meetings'),
    ('side', 'resolution', 'mirrored', 0.01, 'venue_a lists one team''s market; its NO pays for the other team')
$$;
comment on function catalog.signal_weights() is
  'The weight of each state of a signal on its confidence (entity or resolution), and the reason. '
  'A confidence is 1 minus the weights. Below 0.95 only ladders of a review family are published.';

create function catalog.matcher_version() returns text
language sql immutable
set search_path = ''
as $$ select '6' $$;
comment on function catalog.matcher_version() is
  'Raise it with any change of weights, risks or the columns of a pair: the next pass makes every '
  'pair again.';

create function catalog.pair_id_of(p_family text, p_key text, p_occasion text) returns uuid
language plpgsql immutable
set search_path = ''
as $$
begin
  return extensions.uuid_generate_v5(
    '6f1d2c60-4f0e-5a53-9f6b-0d6a8f1c2b47'::uuid, p_family || '|' || p_key || '|' || coalesce(p_occasion, '')
  );
end
$$;
comment on function catalog.pair_id_of(text, text, text) is
  'The id of a question, from its family, its key and the occasion in the ticker of venue_a, '
  'which does not change when a game is moved. The game_id of a total is the id of its moneyline.';

create function catalog.occasion_of(p_identity jsonb, p_on_date date, p_game_no smallint) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return concat_ws('|', coalesce(p_identity ->> 'occasion', p_identity ->> 'settles_at', p_on_date::text), p_game_no);
end
$$;
comment on function catalog.occasion_of(jsonb, date, smallint) is
  'When a question is played or decided, as the ticker of venue_a states it. It keeps two games '
  'of the same teams apart in catalog.pair_id_of.';

create function catalog.format_terms(p_terms jsonb) returns text
language sql immutable
set search_path = ''
as $$
  select case p_terms ->> 'rules'
    when 'read' then concat_ws(
      ', ',
      case
        when p_terms -> 'patience' = '"until_played"' then 'waits'
        else (p_terms ->> 'patience') || ' h'
      end,
      'never played: ' || (p_terms ->> 'cancelled'),
      (
        select string_agg(replace(t.term, '_', ' ') || ': ' || (p_terms ->> t.term), ', ' order by t.place)
        from unnest(array[
          'tie', 'overtime', 'walkover', 'given_up', 'no_contest', 'abandoned', 'push', 'station', 'source', 'day',
          'index', 'averaging', 'comparison', 'rounding', 'revisions', 'announcement', 'emergency', 'rate', 'missing',
          'precision', 'adjustment', 'boundary', 'death'
        ]) with ordinality as t (term, place)
        where p_terms ? t.term
      )
    )
    else p_terms ->> 'rules'
  end
$$;
comment on function catalog.format_terms(jsonb) is
  'Terms of catalog.extract_terms in one line: the part of a rule_id that comes from one venue.';

create function catalog.compare_term(p_a jsonb, p_b jsonb) returns text
language sql immutable
set search_path = ''
as $$
  select case
    when coalesce(p_a, 'null') = 'null' or coalesce(p_b, 'null') = 'null' then 'not_stated'
    when p_a = p_b then 'same'
    else 'differs'
  end
$$;
comment on function catalog.compare_term(jsonb, jsonb) is
  'same, differs, or not_stated when either text does not mention the term. Silence is not '
  'agreement.';

-- 32_catalog_lookalikes.sql

-- Look-alikes that were not paired, each with a code and a sentence as evidence that they were
-- considered.

create function catalog.find_rejected_candidates(p_candidates catalog.candidate[])
returns table (question_a text, question_b text, code text, detail text, evidence jsonb)
language plpgsql volatile
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  return query
  select c.question_a, c.question_b, c.rejected,
         case c.rejected
           when 'other_date'
             then format(
               'Otherwise alike, %s apart.', case abs(c.days) when 1 then 'a day' else abs(c.days) || ' days' end
             )
           when 'rematch_next_day'
             then 'Same participants, a day apart, and they meet on consecutive days: without a start it is not '
                  'known which game it is.'
           when 'other_hour' then 'The same day, but another hour is decided upon.'
           when 'other_unit' then 'One ladder counts in other units than the other.'
           when 'other_competition' then 'The same sides and day, but each venue names another competition.'
           when 'other_person' then 'The same family names, but other given names.'
           when 'other_start' then format('Same participants, starts %s minutes apart.', round(abs(c.minutes)))
           when 'other_game' then 'Another game of a doubleheader.'
           when 'legs_differ'
             then format('%s outcomes against %s, of which %s are the same.', c.legs_a, c.legs_b, c.legs_both)
           when 'same_occasion' then 'Another listing of the same participants on the same occasion holds the place.'
           when 'duplicate_listing'
             then 'The same question is listed twice for this occasion; the earlier listing holds the place.'
           when 'better_partner' then 'One of the two has a partner with better evidence.'
           else 'Several listings fit equally well.'
         end,
         jsonb_strip_nulls(
           jsonb_build_object('days', c.days, 'minutes', round(c.minutes), 'legs_a', c.legs_a, 'legs_b', c.legs_b)
         )
  from unnest(p_candidates) c
  where c.rejected is not null;
end
$$;
comment on function catalog.find_rejected_candidates(catalog.candidate[]) is
  'Part of catalog.run_match_pass: questions with equal keys that a rule rejected.';

create function catalog.find_lookalike_games()
returns table (question_a text, question_b text, code text, detail text, evidence jsonb)
language sql stable
set search_path = ''
as $$
  -- The same two sides around the same day, but another kind of game: an exhibition, a part of a
  -- game (a half, a map, a set), or a series.
  select a.question_id, b.question_id,
         case
           when 'part_of_game' in (a.excluded_reason, b.excluded_reason) then 'part_of_game'
           when a.identity ->> 'stage' <> b.identity ->> 'stage' then 'other_stage'
           else 'other_scope'
         end,
         format(
           '%s, %s against %s, %s.', a.identity ->> 'stage', a.identity ->> 'scope', b.identity ->> 'stage',
           b.identity ->> 'scope'
         ),
         '{}'::jsonb
  from venue.questions a
  join venue.questions b
    on b.venue = 'venue_b'
    and b.identity -> 'participants' = a.identity -> 'participants'
    and b.sport = a.sport
    and (b.identity ->> 'stage' <> a.identity ->> 'stage' or b.identity ->> 'scope' <> a.identity ->> 'scope')
    and (b.family = a.family or (a.family in ('moneyline', 'advance') and b.family in ('moneyline', 'advance')))
    and (abs(b.on_date - a.on_date) <= 1 or a.on_date is null or b.on_date is null)
    and (b.excluded_reason is null or b.excluded_reason = 'part_of_game')
  where a.venue = 'venue_a'
    and a.family in ('moneyline', 'advance')
    and (a.excluded_reason is null or a.excluded_reason = 'part_of_game')
    and not (a.excluded_reason is not null and b.excluded_reason is not null)
$$;
comment on function catalog.find_lookalike_games() is
  'Part of catalog.run_match_pass: the same sides, but another stage, a part of the game, or a '
  'series.';

create function catalog.find_lookalike_names(p_candidates catalog.candidate[])
returns table (question_a text, question_b text, code text, detail text, evidence jsonb)
language plpgsql volatile
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  -- A person with two family names, of which each venue may print another. It may be the same
  -- match; only the registry can decide that.
  return query
  with called as (
    select q.venue, q.question_id, q.family, q.on_date, q.title, q.key, n.key as as_well
    from venue.questions q
    cross join lateral (
      select q.key
      union all
      select jsonb_array_elements_text(q.identity -> 'also')
    ) n
    where q.excluded_reason is null
      and q.family = 'moneyline'
      and q.sport in (select distinct o.sport from venue.questions o where o.identity ? 'also')
  )
  select distinct a.question_id, b.question_id, 'other_name',
         format('%s against %s: perhaps one person under two family names.', a.title, b.title), '{}'::jsonb
  from called a
  join called b on b.as_well = a.as_well
    and b.family = a.family
    and b.key <> a.key
    and b.venue = 'venue_b'
    and abs(b.on_date - a.on_date) <= 1
  where a.venue = 'venue_a'
    and not exists (select from unnest(p_candidates) c where c.round is not null and c.question_a = a.question_id)
    and not exists (select from unnest(p_candidates) c where c.round is not null and c.question_b = b.question_id);
end
$$;
comment on function catalog.find_lookalike_names(catalog.candidate[]) is
  'Part of catalog.run_match_pass: matches of persons who may be the same under another name. '
  'Never paired.';

create function catalog.find_lookalike_lines(p_candidates catalog.candidate[])
returns table (question_a text, question_b text, code text, detail text, evidence jsonb)
language plpgsql volatile
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  -- For a line without an equal line on the other venue: the nearest line of the same kind of the
  -- same game.
  return query
  select n.question_a, n.question_b, 'other_line', format('Line %s against %s.', n.line_a, n.line_b), '{}'::jsonb
  from (
    select distinct on (a.question_id) a.question_id as question_a, b.question_id as question_b, a.line as line_a,
           b.line as line_b
    from venue.questions a
    join venue.questions b
      on b.game_key = a.game_key
      and b.family = a.family
      and b.identity -> 'team' is not distinct from a.identity -> 'team'
      and b.line <> a.line
      and abs(b.on_date - a.on_date) <= 1
      and b.venue = 'venue_b'
      and b.excluded_reason is null
    where a.venue = 'venue_a'
      and a.excluded_reason is null
      and a.family in ('total', 'spread', 'team_total')
      and not exists (select from unnest(p_candidates) c where c.question_a = a.question_id)
    order by a.question_id, abs(b.line - a.line), b.question_id
  ) n;
end
$$;
comment on function catalog.find_lookalike_lines(catalog.candidate[]) is
  'Part of catalog.run_match_pass: for a line that the other venue does not list, its nearest '
  'line.';

create function catalog.find_lookalike_races()
returns table (question_a text, question_b text, code text, detail text, evidence jsonb)
language sql stable
set search_path = ''
as $$
  -- A division, a conference and a championship have the same runners, and so have two seasons.
  select a.question_id, b.question_id,
         case when a.identity ->> 'award' = b.identity ->> 'award' then 'other_year' else 'other_award' end,
         format(
           '%s %s against %s %s.', a.identity ->> 'award', a.identity ->> 'year', b.identity ->> 'award',
           b.identity ->> 'year'
         ), '{}'::jsonb
  from venue.questions a
  join venue.questions b
    on b.family = 'outright'
    and b.competition = a.competition
    and b.identity ->> 'kind' = a.identity ->> 'kind'
    and b.key <> a.key
    and (b.identity ->> 'award' = a.identity ->> 'award' or b.identity ->> 'year' = a.identity ->> 'year')
    and b.venue = 'venue_b'
    and b.excluded_reason is null
  where a.venue = 'venue_a'
    and a.excluded_reason is null
    and a.family = 'outright'
$$;
comment on function catalog.find_lookalike_races() is
  'Part of catalog.run_match_pass: the same runners, but another award or another season.';

create function catalog.period_start(p_period text) returns date
language sql immutable strict
set search_path = ''
as $$
  select case
    when p_period ~ '^20\d\d-(0[1-9]|1[0-2])$'
      then make_date(left(p_period, 4)::integer, right(p_period, 2)::integer, 1)
    when p_period ~ '^20\d\d-Q[1-4]$' then make_date(left(p_period, 4)::integer, 3 * right(p_period, 1)::integer - 2, 1)
    when p_period ~ '^20\d\d$' then make_date(p_period::integer, 1, 1)
  end
$$;
comment on function catalog.period_start(text) is
  'First day of 2026-07, 2026-Q2 or 2026; null for any other text.';

create function catalog.find_lookalike_ladders(p_candidates catalog.candidate[])
returns table (question_a text, question_b text, code text, detail text, evidence jsonb)
language plpgsql volatile
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  -- For a ladder without a pair: the look-alike of each kind that is nearest in time, such as the
  -- low and the high of a city, a touch and a level at an hour, a monthly and a yearly change, or
  -- another meeting.
  return query
  with ladders as (
    select q.venue, q.question_id, q.family, q.key, q.title, q.identity,
           case when q.family in ('weather_high', 'weather_low') then 'weather' else q.family::text end as kin,
           coalesce(q.location, q.asset, q.institution, q.identity ->> 'country') as about,
           coalesce(q.on_date, catalog.period_start(coalesce(q.identity ->> 'period', q.identity ->> 'meeting'))) as day
    from venue.questions q
    where q.excluded_reason is null
      and q.family in (select f.family from catalog.market_families() f where f.occasion = 'day')
  ), alike as (
    select a.question_id as question_a, b.question_id as question_b, a.title as title_a, b.title as title_b,
           abs(b.day - a.day) as days,
           case
             when a.family <> b.family then 'other_measure'
             when a.identity ->> 'kind' <> b.identity ->> 'kind' and a.family = 'crypto_above' then 'other_kind'
             when a.identity ->> 'indicator' <> b.identity ->> 'indicator' then null
             when (a.identity ->> 'basis', a.identity ->> 'core')
               is distinct from (b.identity ->> 'basis', b.identity ->> 'core')
               then 'other_basis'
             else 'other_period'
           end as code
    from ladders a
    join ladders b on b.kin = a.kin and b.about = a.about and b.key <> a.key and b.venue = 'venue_b'
    where a.venue = 'venue_a'
      and not exists (select from unnest(p_candidates) c where c.question_b = b.question_id and c.round is not null)
      and (a.kin <> 'weather' or b.day = a.day)
  )
  select distinct on (k.question_b, k.code) k.question_a, k.question_b, k.code,
         format('%s against %s.', k.title_a, k.title_b), '{}'::jsonb
  from alike k
  where k.code is not null
  order by k.question_b, k.code, k.days nulls last, k.question_a;
end
$$;
comment on function catalog.find_lookalike_ladders(catalog.candidate[]) is
  'Part of catalog.run_match_pass: ladders about the same city, asset, bank or country with '
  'another question.';

create function catalog.record_lookalikes(p_candidates catalog.candidate[]) returns integer
language plpgsql volatile
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  v_now timestamptz := clock.now();
  v_found catalog.rejections[];
  v_count integer;
begin
  v_found := array(
    select row(f.question_a, f.question_b, f.code, f.detail, f.evidence, v_now)::catalog.rejections
    from (
      select *
      from catalog.find_rejected_candidates(p_candidates)
      union all
      select *
      from catalog.find_lookalike_games()
      union all
      select *
      from catalog.find_lookalike_names(p_candidates)
      union all
      select *
      from catalog.find_lookalike_lines(p_candidates)
      union all
      select *
      from catalog.find_lookalike_races()
      union all
      select *
      from catalog.find_lookalike_ladders(p_candidates)
    ) f
  );

  delete from catalog.rejections r
  where not exists (
    select from unnest(v_found) n where n.question_a = r.question_a and n.question_b = r.question_b and n.code = r.code
  );
  insert into catalog.rejections as r (question_a, question_b, code, detail, evidence, seen_at)
  select distinct on (n.question_a, n.question_b, n.code) n.*
  from unnest(v_found) n
  on conflict (question_a, question_b, code) do update
  set detail = excluded.detail,
      evidence = excluded.evidence,
      seen_at = excluded.seen_at
  where (r.detail, r.evidence) is distinct from (excluded.detail, excluded.evidence);
  select count(*) into v_count from catalog.rejections;
  return v_count;
end
$$;
comment on function catalog.record_lookalikes(catalog.candidate[]) is
  'Stage 3 of catalog.run_match_pass: writes every rejected look-alike with code and sentence. '
  'Returns the number of current ones.';

-- 32_catalog_match.sql

-- The match pass: joins questions on identity, weighs named signals, pairs one to one, and writes
-- only changes.

create function catalog.moved_onto(a venue.questions, b venue.questions) returns boolean
language plpgsql stable
set search_path = ''
as $$
declare
  v_text_a date := a.terms ->> 'scheduled_date';
  v_text_b date := b.terms ->> 'scheduled_date';
  v_own_a date := coalesce(v_text_a, a.on_date);
  v_day_a date := (a.start_at at time zone 'America/New_York')::date;
  v_day_b date := (b.start_at at time zone 'America/New_York')::date;
  v_utc_b date := (b.start_at at time zone 'UTC')::date;
begin
  -- A text names the day that a game was listed for. A night game has its New York or its UTC date;
  -- a game with any other date was moved.
  if v_text_b is not null then
    if v_text_b <> v_own_a and v_text_b not in (v_day_b, v_utc_b) then
      return true;
    end if;
    return coalesce(v_own_a <> v_day_a and v_own_a <> v_text_b and v_text_b in (v_day_b, v_utc_b), false);
  end if;
  -- Without a date in a text, compare the dates of ticker and slug, if the other venue also lists
  -- the game of that day. No time zone dates a game before New York does; Asia dates it a day
  -- later.
  if b.on_date < v_day_b and b.on_date <> v_own_a then
    return exists (
      select
      from venue.questions q
      where q.venue = 'venue_a'
        and q.family = a.family
        and q.key = a.key
        and q.on_date = b.on_date
        and q.excluded_reason is null
    );
  end if;
  if v_own_a <> v_day_a and v_own_a <> b.on_date then
    return exists (
      select
      from venue.questions q
      where q.venue = 'venue_b'
        and q.family = b.family
        and q.key = b.key
        and q.on_date = v_own_a
        and q.excluded_reason is null
    );
  end if;
  return false;
end
$$;
comment on function catalog.moved_onto(venue.questions, venue.questions) is
  'Whether one of two questions with the same start was listed for another day and moved to this '
  'start. A postponed game is not the next day''s game, even if both begin together.';

create function catalog.evaluate_candidates() returns setof catalog.candidate
language plpgsql stable
set search_path = ''
as $$
begin
  -- Equal keys find candidates. Dates and starts separate the games of the same two teams.
  -- Look-alikes within two days are kept as rejections; the rest of the season is ignored.
  return query
  with near as (
    select a.question_id as question_a, b.question_id as question_b, f.family, f.day_slack, f.outcomes as wanted,
           b.on_date - a.on_date as days,
           extract(epoch from b.start_at - a.start_at) / 60 as minutes,
           a.game_no <> b.game_no as other_game,
           left(a.identity ->> 'settles_at', 13) <> left(b.identity ->> 'settles_at', 13) as other_hour,
           a.identity ->> 'unit' <> b.identity ->> 'unit' as other_unit,
           (
             a.identity -> 'prefixed' = 'true' and b.identity ->> 'competition_by' = 'prefix'
             and a.identity ->> 'competition' <> b.identity ->> 'competition'
           )
             -- The same sides in another format of the sport (T20, ODI).
             or coalesce(a.identity ->> 'format' <> b.identity ->> 'format', false) as other_competition,
           catalog.is_other_person(
             a.identity -> 'participants_full', b.identity -> 'participants_full'
           ) as other_person,
           catalog.short_name(a.identity -> 'participants_full', b.identity -> 'participants_full') as short_name,
           coalesce(a.identity ->> 'rematch', 'later') as rematch,
           -- A night game under its UTC date.
           b.start_at is null and (a.start_at at time zone 'UTC')::date = b.on_date as utc_date,
           -- Checked only for equal starts: only a game with the start of another game can have
           -- been moved onto it.
           case
             when abs(extract(epoch from b.start_at - a.start_at)) <= 900 then catalog.moved_onto(a, b)
             else false
           end as moved_onto,
           -- A tournament draw is played once, and rain delays a match by days. Such a pair is a
           -- candidate where no text names another day.
           a.sport = 'tennis'
             and a.terms ->> 'scheduled_date' is null
             and abs(b.on_date - a.on_date) <= 3 as rain_delay,
           case
             when a.identity ->> 'start_source' = 'ticker_time' then interval '3 hours'
             else interval '2 hours'
           end as schedule_moves,
           -- A ladder of ranges can match in full, a ladder of thresholds only supports bounds.
           case when a.identity ->> 'kind' = 'above' and f.outcomes = 'buckets' then 1 else 0 end as second_choice,
           -- Prefer a line of the main event to its copy under "More Markets".
           b.identity ->> 'sibling' is not null as copied
    from venue.questions a
    join catalog.market_families() f on f.family = a.family
    join venue.questions b on b.family = a.family
      and b.key = a.key
      and b.venue = 'venue_b'
      and b.excluded_reason is null
    where a.venue = 'venue_a'
      and a.excluded_reason is null
      and (
        a.on_date is null
        or b.on_date is null
        or abs(b.on_date - a.on_date) <= f.day_slack + case when a.sport is null then 1 else 2 end
        or abs(extract(epoch from b.start_at - a.start_at)) <= 900
      )
  ), dated as (
    select n.*,
           case
             when other_game then 'other_game'
             when other_person and (short_name is not true or days is distinct from 0) then 'other_person'
             when other_competition then 'other_competition'
             -- Equal starts mean the same game, with any day in either listing.
             when abs(minutes) <= 15 and not moved_onto and not coalesce(other_person, false) then 'same_start'
             when moved_onto then 'other_date'
             when other_person then 'short_name'
             when abs(days) > day_slack and rain_delay and rematch = 'later' then 'days_apart'
             when abs(days) > day_slack then 'other_date'
             when other_hour then 'other_hour'
             when other_unit then 'other_unit'
             when abs(minutes) * interval '1 minute' <= schedule_moves then 'near_start'
             when abs(minutes) > 1440 then 'other_start'
             when minutes is not null and rematch = 'same_day' then 'other_start'
             when minutes is not null and days = 0 then 'moved_start'
             when minutes is not null and rematch = 'later' then 'moved_start'
             when minutes is not null then 'other_start'
             when days = 0 then 'same_date'
             when days is null then 'period'
             when rematch = 'later' or (rematch = 'next_day' and utc_date) then 'next_date'
             else 'rematch_next_day'
           end as occasion
    from near n
  ), sizes as (
    select l.question_id, count(*) as legs
    from venue.legs l
    group by l.question_id
  ), shared as (
    select t.question_a, t.question_b, count(*) as legs
    from dated t
    join venue.legs l on l.question_id = t.question_a
    join venue.legs m on m.question_id = t.question_b and m.outcome_key = l.outcome_key
    group by t.question_a, t.question_b
  ), counted as (
    select t.*, coalesce(a.legs, 0) as legs_a, coalesce(b.legs, 0) as legs_b, coalesce(s.legs, 0) as legs_both
    from dated t
    left join sizes a on a.question_id = t.question_a
    left join sizes b on b.question_id = t.question_b
    left join shared s on s.question_a = t.question_a and s.question_b = t.question_b
  )
  select c.question_a, c.question_b, c.family, c.wanted, c.days, c.minutes, c.rematch, c.occasion, c.legs_a, c.legs_b,
         c.legs_both,
         case occasion
           when 'same_start' then 5
           when 'near_start' then 4
           when 'same_date' then 3
           when 'period' then 3
           when 'moved_start' then 2
           else 1
         end - second_choice
           -- Of two ladders that fit equally well, prefer the one with more shared strikes.
           + case when wanted = 'equal' then 0 else least(legs_both, 999) / 1000.0 end
           - case when copied then 0.0005 else 0 end as rank,
         case
           when occasion in (
             'other_game', 'other_person', 'other_competition', 'other_date', 'other_start', 'other_hour', 'other_unit',
             'rematch_next_day'
           ) then occasion
           when legs_a = 0 or legs_b = 0 then 'legs_differ'
           when wanted = 'equal' and (legs_both <> legs_a or legs_both <> legs_b) then 'legs_differ'
           when wanted in ('shared', 'twins', 'choices') and legs_both = 0 then 'legs_differ'
           when wanted = 'buckets' and second_choice = 0 and legs_both = 0 then 'legs_differ'
         end as rejected,
         null::integer as round
  from counted c;
end
$$;
comment on function catalog.evaluate_candidates() is
  'Stage 1 of catalog.run_match_pass: all pairs of questions with equal keys and near dates, with '
  'their shared occasion or the code of the rejection.';

create function catalog.best_partners(p_open catalog.candidate[], p_round integer) returns setof catalog.candidate
language sql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
  with ranked as (
    select o.*,
           rank() over (partition by o.question_a order by o.rank desc) as place_a,
           rank() over (partition by o.question_b order by o.rank desc) as place_b,
           count(*) over (partition by o.question_a, o.rank) as ties_a,
           count(*) over (partition by o.question_b, o.rank) as ties_b
    from unnest(p_open) o
  )
  select r.question_a, r.question_b, r.family, r.wanted, r.days, r.minutes, r.rematch, r.occasion, r.legs_a, r.legs_b,
         r.legs_both, r.rank, r.rejected, p_round
  from ranked r
  where r.place_a = 1
    and r.place_b = 1
    and r.ties_a = 1
    and r.ties_b = 1
$$;
comment on function catalog.best_partners(catalog.candidate[], integer) is
  'Undecided candidates whose two questions are each other''s strictly best partner. Two equally '
  'good partners give no pair.';

create function catalog.choose_pairs(p_candidates catalog.candidate[]) returns setof catalog.candidate
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  v_duplicates catalog.candidate[];
  v_open catalog.candidate[];
  v_picked catalog.candidate[];
  v_chosen catalog.candidate[] := '{}';
begin
  -- venue_b may list a game twice, with a number added to the second slug: keep the shorter,
  -- earlier one. Where the same sides can play twice in a day, only an equal start shows that it is
  -- one game.
  v_duplicates := array(
    select d.candidate
    from (
      select c as candidate,
             row_number() over (
               partition by c.question_a, c.rank, b.on_date, b.start_at, b.game_no
               order by length(b.event_id), b.event_id, b.question_id
             ) as place
      from unnest(p_candidates) c
      join venue.questions b on b.question_id = c.question_b
      where c.rejected is null
        and c.family in (select f.family from catalog.market_families() f where f.occasion = 'game')
        and b.on_date is not null
        and (c.rematch <> 'same_day' or b.start_at is not null)
    ) d
    where d.place > 1
  );
  v_open := array(
    select c
    from unnest(p_candidates) c
    where c.rejected is null
      and not exists (
        select from unnest(v_duplicates) d where d.question_a = c.question_a and d.question_b = c.question_b
      )
  );

  -- Questions that remain may pair in a later round, which lowers the confidence.
  for v_round in 1..3 loop
    v_picked := array(select b from catalog.best_partners(v_open, v_round) b);
    exit when v_picked = '{}';
    v_chosen := v_chosen || v_picked;
    v_open := array(
      select o
      from unnest(v_open) o
      where not exists (select from unnest(v_picked) c where c.question_a = o.question_a)
        and not exists (select from unnest(v_picked) c where c.question_b = o.question_b)
    );
  end loop;

  return query
  with chosen as materialized (
    select c.question_a, c.question_b, c.round,
           -- Two listings of one occasion (a game that is listed again next to its old listing)
           -- would get the same id and overwrite each other. The earlier listing keeps the id.
           row_number() over (
             partition by a.family, a.key, catalog.occasion_of(a.identity, a.on_date, a.game_no)
             order by a.start_at nulls last, a.question_id
           ) as place
    from unnest(v_chosen) c
    join venue.questions a on a.question_id = c.question_a
  )
  select c.question_a, c.question_b, c.family, c.wanted, c.days, c.minutes, c.rematch, c.occasion, c.legs_a, c.legs_b,
         c.legs_both, c.rank,
         case
           when c.rejected is not null then c.rejected
           when d.question_a is not null then 'duplicate_listing'
           when s.place > 1 then 'same_occasion'
           when s.place = 1 then null
           when c.question_a in (select x.question_a from chosen x)
             or c.question_b in (select x.question_b from chosen x)
             then 'better_partner'
           else 'ambiguous'
         end,
         case when s.place = 1 then s.round end
  from unnest(p_candidates) c
  left join unnest(v_duplicates) d on d.question_a = c.question_a and d.question_b = c.question_b
  left join chosen s on s.question_a = c.question_a and s.question_b = c.question_b;
end
$$;
comment on function catalog.choose_pairs(catalog.candidate[]) is
  'Stage 2 of catalog.run_match_pass: the same candidates, each chosen in a round or rejected. '
  'Pairs one to one by the best evidence; ties are ambiguous.';

create function catalog.analyze_changed_tables() returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_table regclass;
  v_rows bigint;
  v_measured integer := 0;
begin
  -- The first sweep fills these tables faster than autovacuum analyzes them. Planned for empty
  -- tables, a pass over 4,000 x 4,000 listings took 14 s instead of 3.5 s. Counting the rows takes
  -- milliseconds.
  foreach v_table in array array[
    'venue.events', 'venue.markets', 'venue.questions', 'venue.legs', 'catalog.pairs', 'catalog.outcomes',
    'catalog.rejections'
  ]::regclass[] loop
    execute format('select count(*) from %s', v_table) into v_rows;
    if abs(v_rows - (select c.reltuples from pg_catalog.pg_class c where c.oid = v_table)) > 100 + v_rows / 5 then
      execute format('analyze %s', v_table);
      v_measured := v_measured + 1;
    end if;
  end loop;
  return v_measured;
end
$$;
comment on function catalog.analyze_changed_tables() is
  'Part of catalog.run_match_pass: analyzes tables that grew or shrank by a fifth since the last '
  'analyze. Returns their number.';

create function catalog.run_match_pass() returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_started timestamptz := clock.now();
  v_candidates catalog.candidate[];
  v_chosen catalog.chosen_pair[];
  v_assessed catalog.assessed_pairs[];
  v_assembled catalog.assembled_pair[];
  v_legs catalog.pair_leg[];
  v_outcomes catalog.outcomes[];
  v_keys catalog.outcome_key[];
  v_strikes catalog.strikes[];
  v_pairs catalog.new_pair[];
  v_changed catalog.changed_pair[];
  v_refused integer;
  v_written jsonb;
begin
  -- One pass at a time: a second one would not see what the first has not committed.
  if not pg_try_advisory_xact_lock(hashtextextended('catalog.run_match_pass', 0)) then
    return jsonb_build_object('skipped', true);
  end if;
  perform catalog.analyze_changed_tables();
  v_candidates := array(select c from catalog.evaluate_candidates() c);
  v_candidates := array(select c from catalog.choose_pairs(v_candidates) c);
  v_refused := catalog.record_lookalikes(v_candidates);
  v_chosen := array(select c from catalog.changed_choices(v_candidates) c);
  v_assessed := array(select a from catalog.assess_pairs(v_chosen) a);
  v_assembled := array(select p from catalog.assemble_pairs(v_chosen, v_assessed) p);
  v_legs := array(select l from catalog.build_legs(v_assembled) l);
  v_outcomes := array(select o from catalog.build_outcomes(v_assembled, v_legs) o);
  v_keys := array(select k from catalog.outcome_keys_of(v_assembled, v_outcomes) k);
  v_outcomes := array(select o from catalog.name_outcomes(v_outcomes, v_keys) o);
  v_strikes := array(select s from catalog.build_strikes(v_assembled) s);
  v_pairs := array(select p from catalog.complete_pairs(v_assembled, v_legs, v_outcomes) p);
  v_changed := array(select c from catalog.changed_pairs(v_pairs, v_outcomes, v_strikes) c);
  v_written := catalog.write_pairs(v_candidates, v_assessed, v_pairs, v_changed);
  perform catalog.write_outcomes(v_changed, v_outcomes, v_keys, v_strikes);
  if (v_written ->> 'changed')::bigint > greatest(500, (v_written ->> 'pairs')::bigint / 5) then
    -- The rows written for the first time are read below, a hundred pairs at a time. Planned for
    -- empty tables, each hundred would scan all of them. For fewer than 500 pairs that costs less
    -- than an analyze.
    analyze catalog.pairs (
      pair_id, question_a, question_b, assessment_id, rule_id, stage, status, withdrawn_at, change_no
    );
    analyze catalog.outcomes (pair_id, ordinal);
    analyze catalog.strikes (pair_id, ordinal);
    analyze catalog.assessments (assessment_id);
    analyze catalog.rules (rule_id);
  end if;
  -- A settled pair that was made again may belong to another rule now.
  if exists (
    select from unnest(v_changed) m join catalog.pairs p on p.pair_id = m.pair_id where p.status = 'settled'
  ) then
    perform catalog.update_rule_parity();
  end if;

  -- Keep only the newest pass that changed nothing.
  delete from catalog.match_passes p
  where p.pass_id = (select max(l.pass_id) from catalog.match_passes l)
    and p.changed = 0;
  insert into catalog.match_passes (started_at, finished_at, pairs, created, changed, withdrawn, refused)
  values (
    v_started, clock.now(), (v_written ->> 'pairs')::integer, (v_written ->> 'created')::integer,
    (v_written ->> 'changed')::integer, (v_written ->> 'withdrawn')::integer, v_refused
  );
  return v_written || jsonb_build_object('refused', v_refused);
end
$$;
comment on function catalog.run_match_pass() is
  'Pairs the listings of both venues. Returns {pairs, created, changed, withdrawn, refused} '
  '(changed includes created and withdrawn), or {skipped: true} while another pass runs.';
revoke all on function catalog.run_match_pass() from public;

create view catalog.unpaired_questions with (security_invoker = true) as
-- Both lists are read once. An `or` over the two question ids would scan them for each question.
with paired as (
  select v.question_id
  from catalog.pairs p
  cross join lateral (values (p.question_a), (p.question_b)) as v (question_id)
  where p.withdrawn_at is null
), rejected as (
  select v.question_id, min(r.code) as code
  from catalog.rejections r
  cross join lateral (values (r.question_a), (r.question_b)) as v (question_id)
  group by v.question_id
)
select q.venue, q.question_id, q.family, q.competition, q.title, q.key, q.on_date, q.start_at,
       coalesce(
         q.excluded_reason,
         r.code,
         case
           when q.family in (select f.family from catalog.market_families() f) then 'no_counterpart'
           else 'family_not_paired'
         end
       ) as reason, q.event_id
from venue.questions q
left join rejected r on r.question_id = q.question_id
where not exists (select from paired p where p.question_id = q.question_id);
comment on view catalog.unpaired_questions is
  'Every question without a pair, with the reason: excluded by its parser, rejected as a '
  'look-alike, no counterpart listed, or a family that is not paired.';

-- 32_catalog_persons.sql

-- Whether two parsed listings of a match name the same persons.

create function catalog.is_other_person(p_a jsonb, p_b jsonb) returns boolean
language sql immutable strict
set search_path = ''
as $$
  -- Names are equal when one contains the other ("Ugo Carabelli", "Camilo Ugo Carabelli"), in any
  -- order, or when one has an initial for a first name. "Marina" is not "Aryna". A name of one word
  -- is no evidence.
  select exists (
    select
    from jsonb_each_text(p_a) a
    join jsonb_each_text(p_b) b on b.key = a.key
    cross join lateral (
      select regexp_split_to_array(trim(lower(a.value)), '[^[:alpha:]]+') as words_a,
             regexp_split_to_array(trim(lower(b.value)), '[^[:alpha:]]+') as words_b
    ) w
    where cardinality(words_a) > 1
      and cardinality(words_b) > 1
      and not words_a <@ words_b
      and not words_b <@ words_a
      and not starts_with(words_a[1], left(words_b[1], 2))
      and not starts_with(words_b[1], left(words_a[1], 2))
  )
$$;
comment on function catalog.is_other_person(jsonb, jsonb) is
  'Whether two parsed listings ({participant key: full name}) name two persons with one family '
  'name. Null or missing names are no evidence.';

create function catalog.short_name(p_a jsonb, p_b jsonb) returns boolean
language sql immutable strict
set search_path = ''
as $$
  -- The letters of "Kuba" occur in "Jakub". Names of siblings seldom pass this test, so it gives a
  -- candidate and nothing more.
  select coalesce(bool_and(
    least(length(given_a), length(given_b)) > 2
    and (position(left(given_a, 3) in given_b) > 0 or position(left(given_b, 3) in given_a) > 0)
  ), false)
  from (
    select split_part(a.value, ' ', 1) as given_a, split_part(b.value, ' ', 1) as given_b
    from jsonb_each_text(p_a) a
    join jsonb_each_text(p_b) b on b.key = a.key
    where catalog.is_other_person(jsonb_build_object(a.key, a.value), jsonb_build_object(b.key, b.value))
  ) d
$$;
comment on function catalog.short_name(jsonb, jsonb) is
  'For listings that catalog.is_other_person separates: whether each differing given name may be '
  'a short form of the other ("Kuba", "Jakub").';

-- 331_catalog_assemble.sql

-- Stages 4 to 6 of the match pass: which chosen pairs are new or changed, their assessment, and
-- their rows without outcomes.

create function catalog.collect_pair_facts(
  a venue.questions,
  b venue.questions,
  p_terms_a jsonb,
  p_terms_b jsonb,
  p_occasion text,
  p_round integer,
  p_wanted text,
  p_legs_a bigint,
  p_legs_b bigint,
  p_legs_both bigint
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'family', a.family,
    'scope',
    coalesce(
      a.identity ->> 'competition', a.institution, a.asset, a.location,
      concat_ws(' ', a.identity ->> 'country', a.indicator, a.basis)
    ),
    'a', p_terms_a,
    'b', p_terms_b,
    'read_by', coalesce(a.identity -> 'participants_by', '[]') || coalesce(b.identity -> 'participants_by', '[]'),
    'competition_by',
    case when b.identity ->> 'competition_by' = 'inferred' then 'inferred' when a.sport is not null then 'named' end,
    'occasion', case
      when p_occasion <> 'period' then p_occasion
      when 'inferred' in (b.identity ->> 'year_by', b.identity ->> 'meeting_by') then 'period_inferred'
      when 'end_date' in (b.identity ->> 'year_by', b.identity ->> 'meeting_by') then 'period_from_end'
      else 'period'
    end,
    'choice', case when p_round = 1 then 'first' else 'after_others' end,
    'outcomes', case
      when p_wanted = 'shared'
        then case when p_legs_a = p_legs_both and p_legs_b = p_legs_both then 'equal' else 'shared' end
      when p_wanted = 'equal' then 'equal'
      when p_wanted = 'buckets' and p_legs_both = 0 then 'derived'
    end,
    'whole', a.identity -> 'whole' = 'true' and b.identity -> 'whole' = 'true',
    'mirrored', a.identity -> 'mirrored',
    'touch', coalesce(a.basis = 'touch' or b.basis = 'touch', false),
    'kind', case when a.identity ->> 'kind' = 'person' then 'person' end
  );
end
$$;
comment on function catalog.collect_pair_facts(
  venue.questions, venue.questions, jsonb, jsonb, text, integer, text, bigint, bigint, bigint
) is
  'Part of catalog.run_match_pass: all facts from which signals, risks and the rule of a pair '
  'follow. It reads only what the digest of a kind in catalog.assess_pairs covers.';

create function catalog.changed_choices(p_candidates catalog.candidate[]) returns setof catalog.chosen_pair
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  return query
  select r.*
  from (
    select catalog.pair_id_of(a.family, a.key, catalog.occasion_of(a.identity, a.on_date, a.game_no)) as pair_id,
           c.question_a, c.question_b, c.occasion, c.round, c.legs_a, c.legs_b, c.legs_both, f.review, c.wanted,
           jsonb_build_array(
             a.category, a.sport, a.competition, a.institution, a.asset, a.location, a.identity ->> 'award'
           )
             || jsonb_path_query_array(eb.payload, '$.tags[*].slug ? (@.type() == "string")') as words,
           md5(concat_ws(
             '|', catalog.matcher_version(), a.content_hash, b.content_hash, c.occasion, c.round, c.legs_a, c.legs_b,
             c.legs_both, md5(ma.rules), md5(mb.rules), md5(eb.payload ->> 'tags')
           )) as input_hash,
           ma.rules as text_a, mb.rules as text_b,
           a.terms_hash as terms_a,
           b.terms_hash as terms_b
    from unnest(p_candidates) c
    join venue.questions a on a.question_id = c.question_a
    join venue.questions b on b.question_id = c.question_b
    join venue.events eb on eb.venue = 'venue_b' and eb.event_id = b.event_id
    join catalog.market_families() f on f.family = c.family
    left join lateral (
      select m.rules
      from venue.legs l
      join venue.markets m on m.venue = 'venue_a' and m.market_id = l.market_id
      where l.question_id = a.question_id
        and m.rules is not null
      order by l.ordinal
      limit 1
    ) ma on true
    left join lateral (
      select m.rules
      from venue.legs l
      join venue.markets m on m.venue = 'venue_b' and m.market_id = l.market_id
      where l.question_id = b.question_id
        and m.rules is not null
      order by l.ordinal
      limit 1
    ) mb on true
    where c.round is not null
  ) r
  -- A pair whose inputs are unchanged keeps its stored row.
  where not exists (
    select
    from catalog.pairs p
    where p.pair_id = r.pair_id
      and p.withdrawn_at is null
      and p.input_hash = r.input_hash
  );
end
$$;
comment on function catalog.changed_choices(catalog.candidate[]) is
  'Stage 4 of catalog.run_match_pass: chosen pairs that are new, or whose inputs changed since '
  'their row was written.';

create function catalog.assess_pairs(p_chosen catalog.chosen_pair[]) returns setof catalog.assessed_pairs
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  -- Thousands of pairs share their facts. Each distinct set of terms is extracted once, without the
  -- scheduled day, which belongs to one game. Each distinct combination of facts (a kind) is then
  -- assessed once, grouped by its digest.
  return query
  with distinct_terms as materialized (
    select t.hash, catalog.extract_terms(q.terms - 'scheduled_date') as facts
    from (
      select v.hash, min(v.question_id) as question_id
      from unnest(p_chosen) c
      cross join lateral (values (c.question_a, c.terms_a), (c.question_b, c.terms_b)) as v (question_id, hash)
      group by v.hash
    ) t
    join venue.questions q on q.question_id = t.question_id
  ), kinds as materialized (
    select c.pair_id,
           md5(concat_ws(
             '|', a.family, a.identity ->> 'competition', a.institution, a.asset, a.location, a.identity ->> 'country',
             a.indicator, a.basis, b.basis, c.terms_a, c.terms_b,
             a.identity ->> 'participants_by', b.identity ->> 'participants_by', b.identity ->> 'competition_by',
             c.occasion, b.identity ->> 'year_by', b.identity ->> 'meeting_by', c.round, c.wanted,
             c.legs_a = c.legs_both, c.legs_b = c.legs_both, c.legs_both = 0, a.identity ->> 'whole',
             b.identity ->> 'whole', a.identity ->> 'mirrored', a.identity ->> 'kind', a.sport is null
           )) as kind
    from unnest(p_chosen) c
    join venue.questions a on a.question_id = c.question_a
    join venue.questions b on b.question_id = c.question_b
  ), represented as materialized (
    -- One pair represents its kind. Materialized: in a single query the planner compared all pairs
    -- with all kinds.
    select k.pair_ids, c.*
    from (select array_agg(d.pair_id) as pair_ids from kinds d group by d.kind) k
    join unnest(p_chosen) c on c.pair_id = k.pair_ids[1]
  )
  select v.pair_ids, md5(v.signals::text || v.risks::text), v.signals, v.risks, v.rule_id,
         catalog.compute_confidence(v.signals, 'entity') as entity,
         catalog.compute_confidence(v.signals, 'resolution') as resolution,
         exists (
           select
           from jsonb_array_elements(v.signals) s
           where s ->> 'signal' in ('rules_a', 'rules_b', 'fields_a', 'fields_b')
             and s ->> 'state' <> 'read'
         ) as unread
  from (
    select f.pair_ids, catalog.signals_of(f.facts) as signals, catalog.risks_of(f.facts) as risks,
           catalog.rule_of(f.facts) as rule_id
    from (
      select c.pair_ids,
             catalog.collect_pair_facts(
               a, b, ra.facts, rb.facts, c.occasion, c.round, c.wanted, c.legs_a, c.legs_b, c.legs_both
             ) as facts
      from represented c
      join venue.questions a on a.question_id = c.question_a
      join venue.questions b on b.question_id = c.question_b
      join distinct_terms ra on ra.hash = c.terms_a
      join distinct_terms rb on rb.hash = c.terms_b
      offset 0
    ) f
    offset 0
  ) v;
end
$$;
comment on function catalog.assess_pairs(catalog.chosen_pair[]) is
  'Stage 5 of catalog.run_match_pass: signals, risks, rule and confidences, once for all pairs of '
  'one kind.';

create function catalog.assemble_pairs(p_chosen catalog.chosen_pair[], p_assessed catalog.assessed_pairs[])
returns setof catalog.assembled_pair
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  return query
  with tagged as materialized (
    select d.words, catalog.tags_of(d.words) as tags
    from (select distinct c.words from unnest(p_chosen) c) d
  ), assessed as materialized (
    select k.pair_id, v.assessment_id, v.rule_id, v.entity, v.resolution, v.unread
    from unnest(p_assessed) v
    cross join lateral unnest(v.pair_ids) as k (pair_id)
  )
  select c.pair_id,
         b.event_id as slug,
         a.question_id as question_a,
         b.question_id as question_b,
         a.key as key,
         a.family as market_type,
         -- A review family is published when the entity is certain and both texts were read.
         case
           when m.pair_id is not null then 'candidate'
           when least(v.entity, v.resolution) >= 0.95 then 'catalog'
           when c.review and v.entity >= 0.95 and not v.unread then 'catalog'
           else 'candidate'
         end as stage,
         case
           when m.pair_id is not null then 'REVIEW'
           when c.review or least(v.entity, v.resolution) < 0.95 then 'REVIEW'
           -- Derived buckets: both venues ask about the same figure, but have no contract in
           -- common.
           when c.wanted = 'buckets' and c.legs_both = 0 then 'REVIEW'
           when least(v.entity, v.resolution) >= 0.99 then 'EXACT'
           else 'HIGH'
         end as band,
         v.entity as entity_confidence,
         v.resolution as resolution_confidence,
         v.assessment_id,
         v.rule_id,
         a.category,
         a.sport,
         a.competition,
         a.location,
         a.asset,
         a.indicator,
         case when a.basis is distinct from b.basis then concat_ws(' | ', a.basis, b.basis) else a.basis end as basis,
         a.institution,
         t.tags,
         a.title,
         a.home,
         a.away,
         -- The start comes from the milestone of venue_a, else from the game field of venue_b, else
         -- from the clock in the ticker of venue_a.
         coalesce(
           case when a.identity ->> 'start_source' = 'milestone' then a.start_at end,
           b.start_at, a.start_at, least(a.close_at, b.close_at),
           (a.on_date + 1)::timestamp at time zone 'America/New_York', 'infinity'
         ) as start_time,
         coalesce(a.start_at, b.start_at) is not null as has_scheduled_start,
         a.line,
         case
           when a.family = 'moneyline' then c.pair_id
           when a.game_key is not null
             then catalog.pair_id_of('moneyline', a.game_key, catalog.occasion_of(a.identity, a.on_date, a.game_no))
         end as game_id,
         a.close_at as closes_a,
         b.close_at as closes_b,
         a.identity -> 'left_out' as left_out_a,
         b.identity -> 'left_out' as left_out_b,
         a.url as url_a,
         b.url as url_b,
         a.event_id as event_a,
         b.event_id as event_b,
         b.event_id as slug_b,
         c.input_hash,
         c.text_a,
         c.text_b,
         c.wanted,
         -- Bands match unless the venues name two different stations.
         not coalesce(a.terms ->> 'station' <> b.terms ->> 'station', false) as same_station,
         a.identity ->> 'kind' as kind_a,
         coalesce((a.identity ->> 'grid')::numeric, (b.identity ->> 'grid')::numeric, 0) as grid
  from unnest(p_chosen) c
  join venue.questions a on a.question_id = c.question_a
  join venue.questions b on b.question_id = c.question_b
  join assessed v on v.pair_id = c.pair_id
  join tagged t on t.words = c.words
  -- An open alarm keeps a pair in REVIEW until an operator confirms the pair.
  left join catalog.alarms m on m.pair_id = c.pair_id and m.confirmed_at is null;
end
$$;
comment on function catalog.assemble_pairs(catalog.chosen_pair[], catalog.assessed_pairs[]) is
  'Stage 6 of catalog.run_match_pass: the row of each chosen pair, without its outcomes.';

-- 332_catalog_signals.sql

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

-- 333_catalog_legs.sql

-- The outcomes of a pair, with the contract of each venue that pays for them. Contracts are matched
-- by outcome key, never by position, so sides cannot be swapped. An outcome of a strike ladder
-- without an equal contract on venue_a gets a relation (OVERLAPS, DERIVED) or null, and never an
-- invented price.

create function catalog.payout_range_of(p_detail jsonb) returns numrange
language sql immutable
set search_path = ''
as $$
  select case p_detail ->> 'comparison'
    when 'within' then numrange(
      (p_detail ->> 'low')::numeric, (p_detail ->> 'high')::numeric,
      case p_detail ->> 'high_included' when 'false' then '[)' else '[]' end
    )
    when 'equal' then numrange((p_detail ->> 'low')::numeric, (p_detail ->> 'low')::numeric, '[]')
    when 'above' then numrange((p_detail ->> 'low')::numeric, null, '()')
    when 'at_or_above' then numrange((p_detail ->> 'low')::numeric, null, '[)')
    when 'below' then numrange(null, (p_detail ->> 'high')::numeric, '()')
    when 'at_or_below' then numrange(null, (p_detail ->> 'high')::numeric, '(]')
  end
$$;
comment on function catalog.payout_range_of(jsonb) is
  'The values for which a strike pays, from its detail {low, high, comparison, high_included}. '
  'Null when they are not one range.';

create function catalog.round_range_to_grid(p_range numrange, p_grid numeric) returns numrange
language sql immutable
set search_path = ''
as $$
  select numrange(
    lower(p_range) + case when lower_inc(p_range) then 0 else p_grid end,
    upper(p_range) - case when upper_inc(p_range) then 0 else p_grid end,
    '[]'
  )
$$;
comment on function catalog.round_range_to_grid(numrange, numeric) is
  'The same range with both ends included, for values that are multiples of p_grid. With one '
  'decimal, above 4.2 becomes at least 4.3.';

create function catalog.build_legs(p_assembled catalog.assembled_pair[]) returns setof catalog.pair_leg
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  return query
  select p.pair_id, p.wanted, coalesce(a.outcome_key, b.outcome_key) as key,
         -- The longer name of a person or team. A strike ladder uses the labels of the venue that
         -- defines its outcomes.
         case
           when p.wanted in ('bands', 'buckets') then coalesce(b.outcome_name, a.outcome_name)
           when p.wanted = 'twins' then coalesce(a.outcome_name, b.outcome_name)
           when length(b.outcome_name) > length(a.outcome_name) then b.outcome_name
           else coalesce(a.outcome_name, b.outcome_name)
         end as name,
         a.ordinal as ordinal_a, a.market_id as market_a, a.contract_id as contract_a, a.side as side_a,
         b.ordinal as ordinal_b, b.market_id as market_b, b.contract_id as contract_b,
         case when b.detail ? 'comparison' then catalog.payout_range_of(b.detail) end as range_b,
         p.wanted <> 'bands' or p.same_station as may_be_twin
  from (
    select p.pair_id, l.*
    from unnest(p_assembled) p
    join venue.legs l on l.question_id = p.question_a
  ) a
  full join (
    select p.pair_id, l.*
    from unnest(p_assembled) p
    join venue.legs l on l.question_id = p.question_b
  ) b on b.pair_id = a.pair_id and b.outcome_key = a.outcome_key
  join unnest(p_assembled) p on p.pair_id = coalesce(a.pair_id, b.pair_id);
end
$$;
comment on function catalog.build_legs(catalog.assembled_pair[]) is
  'Stage 7 of catalog.run_match_pass: all legs of both venues. Legs with the same outcome key '
  'share a row.';

create function catalog.build_outcomes(p_assembled catalog.assembled_pair[], p_legs catalog.pair_leg[])
returns setof catalog.outcomes
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  return query
  select l.pair_id, (row_number() over (partition by l.pair_id order by l.ordinal_a) - 1)::smallint, l.key, l.name,
         l.market_a, l.contract_a, l.side_a, l.market_b, l.contract_b, case when l.wanted = 'twins' then 'EXACT' end,
         null::text[]
  from unnest(p_legs) l
  where l.wanted in ('equal', 'shared', 'twins')
    and l.ordinal_a is not null
    and l.ordinal_b is not null;
  return query select * from catalog.build_ladder_outcomes(p_assembled, p_legs);
end
$$;
comment on function catalog.build_outcomes(catalog.assembled_pair[], catalog.pair_leg[]) is
  'Stage 8 of catalog.run_match_pass: the outcomes of each pair with their match keys.';

create function catalog.build_strikes(p_assembled catalog.assembled_pair[]) returns setof catalog.strikes
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  return query
  select p.pair_id, l.ordinal, l.outcome_name, l.market_id, l.contract_id
  from unnest(p_assembled) p
  join venue.legs l on l.question_id = p.question_a
  where p.wanted in ('bands', 'buckets', 'choices', 'twins');
end
$$;
comment on function catalog.build_strikes(catalog.assembled_pair[]) is
  'Stage 10 of catalog.run_match_pass: all strikes of venue_a for the families that have them.';

create function catalog.build_ladder_outcomes(p_assembled catalog.assembled_pair[], p_legs catalog.pair_leg[])
returns setof catalog.outcomes
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  return query
  with legs_a as (
    select p.pair_id, p.grid, p.kind_a, l.ordinal, l.outcome_name as label, catalog.payout_range_of(l.detail) as range_a
    from unnest(p_assembled) p
    join venue.legs l on l.question_id = p.question_a
    where p.wanted in ('bands', 'buckets', 'choices')
  ), ladder_legs as (
    -- The legs of venue_b, or all five outcomes of a rate decision, listed or not.
    select l.pair_id, l.ordinal_b::integer as place, l.key, l.name, l.wanted, l.market_b, l.contract_b, l.range_b,
           case when l.may_be_twin then l.market_a end as market_a,
           case when l.may_be_twin then l.contract_a end as contract_a,
           case when l.may_be_twin then l.side_a end as side_a
    from unnest(p_legs) l
    where l.wanted in ('bands', 'buckets')
      and l.ordinal_b is not null
    union all
    select p.pair_id, c.ordinal, c.key, c.name, p.wanted, l.market_b, l.contract_b, l.range_b, l.market_a, l.contract_a,
           l.side_a
    from unnest(p_assembled) p
    cross join catalog.rate_decision_outcomes() c
    left join unnest(p_legs) l on l.pair_id = p.pair_id and l.key = c.key
    where p.wanted = 'choices'
  ), support as (
    select r.pair_id, r.key,
           array_agg(a.label order by a.ordinal) filter (where a.range_a && r.range_b) as span,
           -- Derived: both edges of the bucket are thresholds of the cumulative ladder of venue_a
           -- (an open end needs none). The edges are equal on the grid of the published figure, or
           -- equal as printed, where the venues count only the boundary value differently.
           bool_or(a.kind_a = 'above') and (
             (
               (
                 lower_inf(r.range_b)
                 or bool_or(
                   lower(catalog.round_range_to_grid(a.range_a, a.grid))
                     = lower(catalog.round_range_to_grid(r.range_b, a.grid))
                 )
               )
               and (
                 upper_inf(r.range_b)
                 or bool_or(
                   lower(catalog.round_range_to_grid(a.range_a, a.grid))
                     = upper(catalog.round_range_to_grid(r.range_b, a.grid)) + a.grid
                 )
               )
             ) or (
               lower(r.range_b) is distinct from upper(r.range_b)
               and (lower_inf(r.range_b) or bool_or(lower(a.range_a) = lower(r.range_b)))
               and (upper_inf(r.range_b) or bool_or(lower(a.range_a) = upper(r.range_b)))
             )
           ) as derived
    from ladder_legs r
    join legs_a a on a.pair_id = r.pair_id
    where r.contract_a is null
      and r.range_b is not null
    group by r.pair_id, r.key, r.range_b, a.grid
  )
  select r.pair_id, (row_number() over (partition by r.pair_id order by r.place) - 1)::smallint, r.key, r.name,
         r.market_a, r.contract_a, r.side_a, r.market_b, r.contract_b,
         case
           when r.contract_a is not null and r.contract_b is not null then 'EXACT'
           when r.contract_a is null and r.wanted = 'buckets' then case when s.derived then 'DERIVED' end
           when r.contract_a is null and s.span is not null then 'OVERLAPS'
         end,
         case when r.contract_a is null and r.wanted <> 'buckets' then s.span end
  from ladder_legs r
  left join support s on s.pair_id = r.pair_id and s.key = r.key;
end
$$;
comment on function catalog.build_ladder_outcomes(catalog.assembled_pair[], catalog.pair_leg[]) is
  'Part of catalog.build_outcomes: the bands or buckets of venue_b, or the five outcomes of a '
  'rate decision. Each is EXACT, OVERLAPS (with the span of venue_a), DERIVED or null.';

-- 334_catalog_outcome_keys.sql

-- The public key of an outcome. venue.legs.outcome_key matches contracts: it folds the spellings of
-- both venues and changes when a parser changes. A key that clients store must not change. It is
-- derived from the full name of the outcome when the pair is first written, and stays for the life
-- of the pair.

create table catalog.outcome_keys (
  pair_id uuid not null,
  match_key text not null,
  key text not null,
  primary key (pair_id, match_key),
  unique (pair_id, key)
);
comment on table catalog.outcome_keys is
  'The public key of each outcome that a pair has ever had, by its venue.legs.outcome_key. '
  'catalog.purge_withdrawn_pairs deletes it together with the pair.';
alter table catalog.outcome_keys enable row level security;
alter table catalog.outcome_keys force row level security;

-- plpgsql, here and below: it caches the plan, and a pass over 8,000 new pairs makes 24,000 calls.
create function catalog.slug_of(p_name text) returns text
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  return rtrim(left(btrim(regexp_replace(
    regexp_replace(
      lower(extensions.unaccent(
        'extensions.unaccent'::regdictionary,
        -- NFKD separates accents, which are removed here. unaccent maps the letters that do not
        -- decompose (ø, ł, ß).
        regexp_replace(normalize(p_name, nfkd), '[\u0300-\u036f]', '', 'g')
      )),
      '[''’‘`´.®™]', '', 'g'
    ),
    '[^a-z0-9]+', '-', 'g'
  ), '-'), 60), '-');
end
$$;
comment on function catalog.slug_of(text) is
  'A name in at most 60 lower-case ASCII letters, digits and dashes: felix-auger-aliassime for '
  '"Félix Auger-Aliassime". Empty without a Latin letter or digit.';

create function catalog.slug_of_outcome(p_market_type text, p_match_key text, p_name text) returns text
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  return coalesce(nullif(case
    when p_market_type in ('moneyline', 'outright', 'advance') then catalog.slug_of(p_name)
    -- The name ends in the handicap, which is also in the line of the market.
    when p_market_type = 'spread' and p_match_key like '%-cover'
      then nullif(catalog.slug_of(regexp_replace(p_name, '\s+[+-]?[0-9.]+$', '')), '') || '-cover'
  end, ''), p_match_key);
end
$$;
comment on function catalog.slug_of_outcome(text, text, text) is
  'The slug that the public key of an outcome starts from: the name of a person or team, else the '
  'match key (over, under, bands, choices).';

create function catalog.outcome_keys_of(p_assembled catalog.assembled_pair[], p_outcomes catalog.outcomes[])
returns setof catalog.outcome_key
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  v_keys catalog.outcome_key[];
  v_open catalog.outcome_key[];
  v_taken catalog.outcome_key[];
  v_one catalog.outcome_key;
  v_slug text;
  v_n integer;
begin
  v_keys := array(
    select row(k.*)::catalog.outcome_key
    from catalog.outcome_keys k
    where k.pair_id in (select o.pair_id from unnest(p_outcomes) o)
  );
  -- Outcomes that have no key yet, with the slug that each prefers.
  v_open := array(
    select row(o.pair_id, o.key, catalog.slug_of_outcome(p.market_type::text, o.key, o.name))::catalog.outcome_key
    from unnest(p_outcomes) o
    join unnest(p_assembled) p on p.pair_id = o.pair_id
    where not exists (select from unnest(v_keys) k where k.pair_id = o.pair_id and k.match_key = o.key)
  );
  v_keys := v_keys || array(
    select row(n.pair_id, n.match_key, n.key)::catalog.outcome_key
    from (select o.*, count(*) over (partition by o.pair_id, o.key) as claims from unnest(v_open) o) n
    where n.claims = 1
      and not exists (select from unnest(v_keys) k where k.pair_id = n.pair_id and k.key = n.key)
  );
  -- Two outcomes with one slug, or a slug that another outcome of the pair has had, get a number,
  -- in the order of the match keys.
  v_open := array(
    select o
    from unnest(v_open) o
    where not exists (select from unnest(v_keys) k where k.pair_id = o.pair_id and k.match_key = o.match_key)
    order by o.pair_id, o.match_key
  );
  v_taken := array(select k from unnest(v_keys) k where k.pair_id in (select o.pair_id from unnest(v_open) o));
  foreach v_one in array v_open loop
    v_slug := v_one.key;
    v_n := 1;
    while exists (select from unnest(v_taken) k where k.pair_id = v_one.pair_id and k.key = v_one.key) loop
      v_n := v_n + 1;
      v_one.key := v_slug || '-' || v_n;
    end loop;
    v_taken := v_taken || v_one;
    v_keys := v_keys || v_one;
  end loop;
  return query select * from unnest(v_keys);
end
$$;
comment on function catalog.outcome_keys_of(catalog.assembled_pair[], catalog.outcomes[]) is
  'Stage 9 of catalog.run_match_pass: the public keys of these pairs, stored ones and new ones.';

create function catalog.name_outcomes(p_outcomes catalog.outcomes[], p_keys catalog.outcome_key[])
returns setof catalog.outcomes
language sql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
  select o.pair_id, o.ordinal, k.key, o.name, o.market_a, o.contract_a, o.side_a, o.market_b, o.contract_b, o.relation,
         o.span
  from unnest(p_outcomes) o
  join unnest(p_keys) k on k.pair_id = o.pair_id and k.match_key = o.key
$$;
comment on function catalog.name_outcomes(catalog.outcomes[], catalog.outcome_key[]) is
  'Part of stage 9 of catalog.run_match_pass: the same outcomes with their public keys.';

revoke all on function
  catalog.slug_of(text),
  catalog.slug_of_outcome(text, text, text),
  catalog.outcome_keys_of(catalog.assembled_pair[], catalog.outcomes[]),
  catalog.name_outcomes(catalog.outcomes[], catalog.outcome_key[])
from public;

-- 335_catalog_payouts.sql

-- Sentences of risk notes: what each contract pays in an exceptional case, and what a $1 pair then
-- returns. "A $1 pair" is one contract of each outcome, some on venue_a and the others on venue_b.
-- It costs about $1 and returns $1 when both venues settle alike.

create function catalog.hours_text(p_hours integer) returns text
language sql immutable
set search_path = ''
as $$
  select case
    when p_hours > 48 and p_hours % 24 = 0 then format('%s days', p_hours / 24)
    when p_hours = 1 then '1 hour'
    else format('%s hours', p_hours)
  end
$$;
comment on function catalog.hours_text(integer) is
  'A duration in words: in days for whole days above 48 hours, else in hours.';

create function catalog.describe_waiting_period(p_patience jsonb) returns text
language sql immutable
set search_path = ''
as $$
  select case
    when coalesce(p_patience, 'null') = 'null' then 'does not say how long it waits'
    when p_patience = '"until_played"' then 'waits until it is played'
    else 'waits ' || catalog.hours_text((p_patience #>> '{}')::integer)
  end
$$;
comment on function catalog.describe_waiting_period(jsonb) is
  'How long a contract waits for a postponed game, in words.';

create function catalog.describe_payout(p_payout text) returns text
language sql immutable
set search_path = ''
as $$
  select case p_payout
    when 'fair_price' then 'pays a fair market price'
    when 'split' then 'pays 50 cents on each side'
    when 'zero' then 'pays $0 on every outcome'
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
comment on function catalog.describe_payout(text) is
  'What a contract pays in an exceptional case, in words. zero: No on each of several Yes '
  'contracts, so that no leg pays.';

create function catalog.clause_text(p_own boolean, p_payout text) returns text
language sql immutable
set search_path = ''
as $$
  select case
    when p_own or p_payout is null or p_payout = 'winner' then catalog.describe_payout(p_payout)
    else 'has no rule for that and by its void rule ' || catalog.describe_payout(p_payout)
  end
$$;
comment on function catalog.clause_text(boolean, text) is
  'catalog.describe_payout, with a note when the text has no clause of its own for the case and '
  'its void clause applies.';

create function catalog.case_text(p_term text, p_family text, p_persons boolean) returns text
language sql immutable
set search_path = ''
as $$
  with contest (name) as (
    select case when p_family = 'advance' then 'the series' when p_persons then 'the match' else 'the game' end
  )
  select case p_term
    when 'cancelled' then case
      when p_family in ('fed_decision', 'cb_decision') then 'no decision is announced'
      else name || ' is never played'
    end
    when 'abandoned' then name || ' is not finished'
    when 'tie' then name || ' ends in a tie'
    when 'walkover' then case when p_persons then 'a player does not start' else 'a team does not show up' end
    when 'given_up' then case when p_persons then 'a player retires' else 'a team forfeits after the start' end
    when 'no_contest' then name || ' has no result or is a no contest'
    when 'dead_heat' then 'there are several winners'
    when 'push' then 'the result is exactly on the line'
  end
  from contest
$$;
comment on function catalog.case_text(text, text, boolean) is
  'An exceptional case in words, to follow "If".';

create function catalog.pair_returns(p_a text, p_b text, p_two_sided boolean) returns text
language sql immutable
set search_path = ''
as $$
  with classes as (
    select coalesce(p_a, 'silent') as a, coalesce(p_b, 'silent') as b,
           case when p_b = 'fair_price' then 'venue_b' else 'venue_a' end as fair,
           case when p_b = 'zero' then 'venue_b' else 'venue_a' end as zero,
           case when p_a = 'winner' then 'venue_a' else 'venue_b' end as played
  ), pairs as (
    select c.*, array[a, b] as pays from classes c
  )
  select case
    when a = 'zero' and b = 'zero' then 'a $1 pair returns $0'
    when a = 'silent' and b = 'silent' then 'what a $1 pair returns then is open'
    when 'zero' = any (pays) and pays && array['fair_price', 'split', 'silent', 'if_decided']
      then format('the whole stake on %s is lost', zero)
    when 'zero' = any (pays) then 'a $1 pair returns $0 or $1'
    when 'silent' = any (pays)
      then format('the stake on %s is at risk', case when a = 'silent' then 'venue_a' else 'venue_b' end)
    when pays <@ array['fair_price', 'split'] and p_two_sided
      then format('a $1 pair returns 50 cents plus the fair price of its %s side, so it can lose up to 50 cents', fair)
    when pays <@ array['fair_price', 'split'] then 'the two differ by up to 50 cents a contract'
    when 'winner' = any (pays) and 'split' = any (pays) and p_two_sided then 'a $1 pair returns 50 cents or $1.50'
    when 'winner' = any (pays) and pays && array['fair_price', 'split', 'if_decided']
      then format('a $1 pair can lose its whole stake on %s', played)
    else 'the two can differ by up to $1 a contract'
  end
  from pairs
$$;
comment on function catalog.pair_returns(text, text, boolean) is
  'What a $1 pair returns when the venues pay p_a and p_b in an exceptional case. p_two_sided: '
  'the pair has one contract on each venue.';

create function catalog.result_money() returns text
language sql immutable
set search_path = ''
as $$ select 'where that changes which outcome pays, a $1 pair returns $0 or $2.'::text $$;
comment on function catalog.result_money() is
  'What a $1 pair returns when the venues read a result differently.';

create function catalog.source_name(p_source text) returns text
language sql immutable
set search_path = ''
as $$
  select regexp_replace(trim(p_source), '^(?:https?://)?(?:www\.)?([a-z0-9.-]+\.[a-z]{2,})(?:[/?#].*)?$', '\1', 'i')
$$;
comment on function catalog.source_name(text) is
  'A settlement source as a listing names it. A URL is reduced to its host.';

create function catalog.same_source(p_one text, p_other text, p_scope text) returns boolean
language sql immutable
set search_path = ''
as $$
  -- A listing names a league, an agency or a bank, or gives the address of its site: "MLS" and
  -- mlssoccer.com, "European Central Bank" and ecb.europa.eu. "The Governing League" is the league
  -- of the pair.
  with named (place, name) as (
    select v.place,
           lower(
             case
               when v.source ilike '%governing league%' and g.league is not null then g.league
               else catalog.source_name(v.source)
             end
           )
    from (values (1, p_one), (2, p_other)) as v (place, source)
    cross join (
      select case p_scope when 'EPL' then 'Premier League' when 'UCL' then 'UEFA' else p_scope end as league
    ) g
  ), keys as (
    select n.place, k.words,
           array_to_string(k.words, '') as squashed,
           (
             select string_agg(left(w.word, 1), '' order by w.at) from unnest(k.words) with ordinality as w (word, at)
           ) as initials,
           (
             select string_agg(left(w.word, 1), '' order by w.at)
             from unnest(k.words) with ordinality as w (word, at)
             where w.word not in ('of', 'the', 'for', 'and')
           ) as capitals
    from named n
    cross join lateral (
      select array_remove(regexp_split_to_array(
        case when n.name ~ '^[a-z0-9.-]+\.[a-z]{2,}$' then split_part(n.name, '.', 1) else n.name end, '[^a-z0-9]+'
      ), '') as words
    ) k
  )
  select coalesce(bool_or(
    x.squashed = y.squashed
    or (length(y.squashed) >= 3 and strpos(x.squashed, y.squashed) > 0)
    or (length(y.initials) >= 3 and starts_with(x.squashed, y.initials))
    or (length(y.capitals) >= 3 and starts_with(x.squashed, y.capitals))
  ), false)
  from keys x
  join keys y on y.place <> x.place
$$;
comment on function catalog.same_source(text, text, text) is
  'Whether two source names mean the same organization. p_scope: the competition of the pair.';

create function catalog.describe_source(p_source text) returns text
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
comment on function catalog.describe_source(text) is
  'The common name of a report, index, agency or rate.';

create function catalog.describe_term(p_term text, p_value jsonb) returns text
language sql immutable
set search_path = ''
as $$
  select case
    when coalesce(p_value, 'null') = 'null' then 'does not say'
    when p_term = 'comparison' then case p_value #>> '{}'
      when 'above' then 'pays strictly above the threshold'
      when 'at_or_above' then 'pays at the threshold or above'
      when 'below' then 'pays strictly below the threshold'
      when 'at_or_below' then 'pays at the threshold or below'
      else 'says ' || replace(p_value #>> '{}', '_', ' ')
    end
    when p_term in ('source', 'index', 'rate') then 'goes by ' || catalog.describe_source(p_value #>> '{}')
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
      catalog.describe_payout(p_value #>> '{}')
    )
  end
$$;
comment on function catalog.describe_term(text, jsonb) is
  'What the text of a contract states for a term, in words, for the note of a risk.';

-- 336_catalog_risk_clauses.sql

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

-- 337_catalog_risks.sql

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

-- 34_catalog_alarms.sql

-- Alarms: an independent check of published pairs. A pair with an open alarm is a candidate in
-- REVIEW until an operator confirms that it is right: catalog.assemble_pairs reads the open alarms.

create table catalog.alarm_settings (
  singleton boolean primary key default true check (singleton),
  gap_pts numeric not null default 25 check (gap_pts > 0),
  lasting interval not null default interval '5 minutes' check (lasting > interval '0')
);
comment on table catalog.alarm_settings is
  'The one settings row of the alarm price_divergence: how many points the mid prices of one '
  'outcome are apart, and for how long.';
insert into catalog.alarm_settings (singleton) values (true) on conflict do nothing;

create table catalog.alarms (
  alarm_id bigint generated always as identity primary key,
  pair_id uuid not null,
  reason text not null check (reason = 'price_divergence'),
  outcome_key text not null,
  mid_a_usd6 integer not null check (mid_a_usd6 between 0 and 1000000),
  mid_b_usd6 integer not null check (mid_b_usd6 between 0 and 1000000),
  raised_at timestamptz not null,
  stage_before text not null,
  band_before text not null,
  confirmed_at timestamptz,
  ended_at timestamptz
);
comment on table catalog.alarms is
  'All alarms about pairs. An alarm is open until catalog.review_alarm sets confirmed_at. It '
  'outlives its pair.';
comment on column catalog.alarms.mid_a_usd6 is
  'Mid price of the outcome on venue_a when the alarm was raised, in 1e-6 USD.';
comment on column catalog.alarms.ended_at is
  'When a confirmed divergence was first seen to be over, in market time. Until then the pair '
  'raises no other alarm.';
create unique index alarms_open on catalog.alarms (pair_id) where confirmed_at is null;
create index alarms_running on catalog.alarms (pair_id) where ended_at is null;

create table catalog.alarm_reviews (
  review_id bigint generated always as identity primary key,
  alarm_id bigint not null references catalog.alarms (alarm_id) on delete cascade,
  decision text not null check (decision in ('confirm', 'withdraw')),
  reviewer text not null check (trim(reviewer) <> ''),
  note text not null check (trim(note) <> ''),
  reviewed_at timestamptz not null
);
comment on table catalog.alarm_reviews is
  'Append-only: the decisions of operators about an alarm, with name and reason.';

alter table catalog.alarm_settings enable row level security;
alter table catalog.alarm_settings force row level security;
alter table catalog.alarms enable row level security;
alter table catalog.alarms force row level security;
alter table catalog.alarm_reviews enable row level security;
alter table catalog.alarm_reviews force row level security;
create policy "the api reads alarms" on catalog.alarms for select to parallax_api using (true);
grant select on catalog.alarms to parallax_api;

create function catalog.raise_alarm(p_pair_id uuid, p_outcome_key text, p_mid_a integer, p_mid_b integer)
returns boolean
language plpgsql volatile
set search_path = ''
as $$
begin
  -- Locks the pair, so that a match pass that writes it waits for this transaction.
  perform
  from catalog.pairs p
  where p.pair_id = p_pair_id and p.stage = 'catalog' and p.withdrawn_at is null
  for update;
  if not found then
    return false;
  end if;
  insert into catalog.alarms (
    pair_id, reason, outcome_key, mid_a_usd6, mid_b_usd6, raised_at, stage_before, band_before
  )
  select p.pair_id, 'price_divergence', p_outcome_key, p_mid_a, p_mid_b, clock.now(), p.stage, p.band
  from catalog.pairs p
  where p.pair_id = p_pair_id
  on conflict (pair_id) where confirmed_at is null do nothing;
  if not found then
    return false;
  end if;
  update catalog.pairs p
  set stage = 'candidate',
      band = 'REVIEW',
      updated_at = clock.now(),
      change_no = nextval('catalog.change_numbers')
  where p.pair_id = p_pair_id;
  return true;
end
$$;
comment on function catalog.raise_alarm(uuid, text, integer, integer) is
  'Opens a price_divergence alarm for a published pair and moves it to REVIEW; false when it is '
  'not published or has an open alarm. The caller publishes the change.';

create function catalog.alarm_summary(p_alarm_id bigint) returns jsonb
language sql stable
set search_path = ''
as $$
  select to_jsonb(a) || jsonb_build_object(
    'reviews', (
      select coalesce(jsonb_agg(to_jsonb(v) - 'alarm_id' order by v.review_id), '[]')
      from catalog.alarm_reviews v
      where v.alarm_id = a.alarm_id
    )
  )
  from catalog.alarms a
  where a.alarm_id = p_alarm_id
$$;
comment on function catalog.alarm_summary(bigint) is
  'An alarm with its reviews; null for an unknown id.';

create function catalog.review_alarm(p_pair_id uuid, p_decision text, p_reviewer text, p_note text) returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_alarm catalog.alarms;
begin
  perform from catalog.pairs p where p.pair_id = p_pair_id for update;
  select * into v_alarm from catalog.alarms a where a.pair_id = p_pair_id order by a.alarm_id desc limit 1;
  if v_alarm.alarm_id is null then
    raise exception 'pair % has no alarm', p_pair_id using errcode = '22023';
  end if;
  if (p_decision = 'confirm') = (v_alarm.confirmed_at is not null) then
    raise exception 'the alarm of pair % is %', p_pair_id,
      case when v_alarm.confirmed_at is null then 'open' else 'already confirmed' end
      using errcode = '22023';
  end if;
  insert into catalog.alarm_reviews (alarm_id, decision, reviewer, note, reviewed_at)
  values (v_alarm.alarm_id, p_decision, trim(p_reviewer), trim(p_note), clock.now());
  update catalog.alarms a
  set confirmed_at = case when p_decision = 'confirm' then clock.now() end,
      ended_at = null
  where a.alarm_id = v_alarm.alarm_id;
  -- The former stage and band apply at once. An empty input_hash makes the next match pass write
  -- the pair again from its listings.
  update catalog.pairs p
  set stage = case when p_decision = 'confirm' then v_alarm.stage_before else 'candidate' end,
      band = case when p_decision = 'confirm' then v_alarm.band_before else 'REVIEW' end,
      input_hash = '',
      updated_at = clock.now(),
      change_no = nextval('catalog.change_numbers')
  where p.pair_id = p_pair_id;
  return catalog.alarm_summary(v_alarm.alarm_id);
end
$$;
comment on function catalog.review_alarm(uuid, text, text, text) is
  'Stores and applies the decision of an operator about the newest alarm of a pair: confirm (the '
  'pair is right and published again) or withdraw (revokes the confirmation). Returns the alarm.';
revoke all on function catalog.raise_alarm(uuid, text, integer, integer), catalog.alarm_summary(bigint),
  catalog.review_alarm(uuid, text, text, text) from public;

-- 34_catalog_gates.sql

-- The gates of the signal. A function returns the reason why a gate is closed, and the view reads
-- it. The renderer, the watch list of the engine, opportunities and ops.explain read the view. Gate
-- 4 (price.judge_price) is decided when a row of the snapshot is rendered; price.signal_gates reads
-- it there.
--
-- The bodies are SQL expressions, not strings: they are bound when they are created, so they need
-- no search_path, and the planner inlines them. The watch list evaluates them for every pair twice
-- a second.

create function catalog.judge_band(p_stage text, p_band text, p_confidence numeric, p_alarm text) returns text
language sql immutable parallel safe
return case
  when p_alarm is not null then 'band.' || p_alarm
  when p_stage <> 'catalog' then 'band.candidate'
  when p_band not in ('EXACT', 'HIGH') then 'band.review'
  when p_confidence < 0.95 then 'band.confidence'
end;
comment on function catalog.judge_band(text, text, numeric, text) is
  'Gate 1: why it is uncertain that both listings ask the same question; null when it is certain. '
  'p_confidence: the lower one; p_alarm: the reason of an open alarm.';

create function catalog.judge_parity(p_confirmed_at timestamptz, p_withdrawn_at timestamptz) returns text
language sql immutable parallel safe
return case
  when p_withdrawn_at is not null then 'parity.withdrawn'
  when p_confirmed_at is null then 'parity.unconfirmed'
end;
comment on function catalog.judge_parity(timestamptz, timestamptz) is
  'Gate 2: why the parity of a rule is not confirmed; null when it is. Both times are columns of '
  'catalog.rules.';

create function catalog.judge_risk(p_blocking_risk text) returns text
language sql immutable parallel safe
return 'risk.' || p_blocking_risk;
comment on function catalog.judge_risk(text) is
  'Gate 3: the code of the high or critical risk of a pair, internal ones (cancel_*) included; '
  'null when there is none.';

create view catalog.match_gates with (security_invoker = true) as
select g.pair_id,
       g.band_reason is null as band_ok,
       g.parity_reason is null as parity_ok,
       g.risk_reason is null as risk_ok,
       concat_ws(', ', g.band_reason, g.parity_reason, g.risk_reason) as reason,
       g.band_reason,
       g.parity_reason,
       g.risk_reason,
       coalesce(g.band_reason, g.parity_reason, g.risk_reason) is null as all_open
from (
  select p.pair_id,
         catalog.judge_band(
           p.stage, p.band, least(p.entity_confidence, p.resolution_confidence), m.reason
         ) as band_reason,
         catalog.judge_parity(r.confirmed_at, r.withdrawn_at) as parity_reason,
         catalog.judge_risk(k.blocking_risk) as risk_reason
  from catalog.pairs p
  left join catalog.rules r on r.rule_id = p.rule_id
  left join catalog.alarms m on m.pair_id = p.pair_id and m.confirmed_at is null
  join catalog.assessments k on k.assessment_id = p.assessment_id
) g;
comment on view catalog.match_gates is
  'Gates 1 to 3 of the signal for each pair. Each *_reason is null when its gate is open. reason '
  'names all closed gates; all_open: none is closed.';
grant select on catalog.match_gates to parallax_api;

revoke all on function
  catalog.judge_band(text, text, numeric, text),
  catalog.judge_parity(timestamptz, timestamptz),
  catalog.judge_risk(text)
from public;
grant execute on function
  catalog.judge_band(text, text, numeric, text),
  catalog.judge_parity(timestamptz, timestamptz),
  catalog.judge_risk(text)
to parallax_api;

-- 35_catalog_write.sql

-- The last stages of the match pass: they complete the rows, compare them with the stored rows and
-- write the differences. Pairs are withdrawn first, so that a question is in at most one pair at a
-- time.

create function catalog.complete_pairs(
  p_assembled catalog.assembled_pair[],
  p_legs catalog.pair_leg[],
  p_outcomes catalog.outcomes[]
) returns setof catalog.new_pair
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  return query
  with missing as (
    -- An outcome that only one venue lists is named with a reason, never invented. Strike ladders
    -- publish the strikes of both venues anyway.
    select l.pair_id,
           jsonb_agg(jsonb_build_object('name', l.name, 'why', 'not_on_the_other_venue') order by l.ordinal_a)
             filter (where l.ordinal_b is null and l.wanted in ('equal', 'shared', 'twins')) as names_a,
           jsonb_agg(jsonb_build_object('name', l.name, 'why', 'not_on_the_other_venue') order by l.ordinal_b)
             filter (where l.ordinal_a is null and l.wanted in ('equal', 'shared', 'twins')) as names_b,
           case when min(l.market_b) = max(l.market_b) then min(l.market_b) end as condition_b
    from unnest(p_legs) l
    group by l.pair_id
  ), covered as (
    -- The share of the venue_b buckets that venue_a supports, by an equal contract or by thresholds
    -- that bound the bucket.
    select o.pair_id,
           round(count(*) filter (where o.relation is not null)::numeric / count(*), 4) as share,
           coalesce(jsonb_agg(o.name order by o.ordinal) filter (where o.relation is null), '[]') as uncovered
    from unnest(p_outcomes) o
    join unnest(p_assembled) p on p.pair_id = o.pair_id and p.wanted = 'buckets'
    group by o.pair_id
  )
  select p.pair_id, p.slug, p.question_a, p.question_b, p.key, p.market_type, p.stage, p.band, p.entity_confidence,
         p.resolution_confidence, p.assessment_id, p.rule_id, p.category, p.sport, p.competition, p.location, p.asset,
         p.indicator, p.basis, p.institution, p.tags, p.title, p.home, p.away, p.start_time, p.has_scheduled_start,
         p.line, p.game_id, p.closes_a, p.closes_b,
         nullif(
           jsonb_strip_nulls(jsonb_build_object(
             'left_out_a', nullif(coalesce(p.left_out_a, '[]') || coalesce(m.names_a, '[]'), '[]'),
             'left_out_b', nullif(coalesce(p.left_out_b, '[]') || coalesce(m.names_b, '[]'), '[]'),
             'poly_leg_coverage', v.share,
             'uncovered_legs', v.uncovered
           )),
           '{}'
         ) as omitted_outcomes,
         p.url_a, p.url_b, p.event_a, p.event_b, m.condition_b, p.slug_b, p.text_a, p.text_b, p.input_hash
  from unnest(p_assembled) p
  left join missing m on m.pair_id = p.pair_id
  left join covered v on v.pair_id = p.pair_id;

end
$$;
comment on function catalog.complete_pairs(
  catalog.assembled_pair[], catalog.pair_leg[], catalog.outcomes[]
) is
  'Stage 11 of catalog.run_match_pass: the rows of catalog.pairs, with the outcomes that each '
  'omits.';

create function catalog.changed_pairs(
  p_pairs catalog.new_pair[],
  p_outcomes catalog.outcomes[],
  p_strikes catalog.strikes[]
) returns setof catalog.changed_pair
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  return query
  -- Only a stored pair can be unchanged.
  with known as materialized (
    select p.pair_id from catalog.pairs p where p.pair_id in (select n.pair_id from unnest(p_pairs) n)
  ), outcomes as (
    select o.pair_id, jsonb_agg(to_jsonb(o) order by o.ordinal) as outcomes
    from unnest(p_outcomes) o
    where o.pair_id in (select k.pair_id from known k)
    group by o.pair_id
  ), ladders as (
    select l.pair_id, jsonb_agg(to_jsonb(l) order by l.ordinal) as ladder
    from unnest(p_strikes) l
    where l.pair_id in (select k.pair_id from known k)
    group by l.pair_id
  ), new_rows as (
    select n.pair_id, n.text_a, n.text_b, to_jsonb(n) - array['input_hash', 'text_a', 'text_b'] as row_json, o.outcomes,
           l.ladder
    from unnest(p_pairs) n
    left join outcomes o on o.pair_id = n.pair_id
    left join ladders l on l.pair_id = n.pair_id
  ), stored_rows as (
    select p.pair_id, p.withdrawn_at, p.text_a, p.text_b, to_jsonb(p) as row_json,
           (
             select jsonb_agg(to_jsonb(o) order by o.ordinal) from catalog.outcomes o where o.pair_id = p.pair_id
           ) as outcomes,
           (
             select jsonb_agg(to_jsonb(l) order by l.ordinal) from catalog.strikes l where l.pair_id = p.pair_id
           ) as ladder
    from catalog.pairs p
    join unnest(p_pairs) n on n.pair_id = p.pair_id
  )
  select n.pair_id, w.pair_id is null as created
  from new_rows n
  left join stored_rows w on w.pair_id = n.pair_id
  where w.pair_id is null
    or w.withdrawn_at is not null
    or (w.text_a, w.text_b) is distinct from (n.text_a, n.text_b)
    or not w.row_json @> n.row_json
    or w.outcomes is distinct from n.outcomes
    or w.ladder is distinct from n.ladder;
end
$$;
comment on function catalog.changed_pairs(
  catalog.new_pair[], catalog.outcomes[], catalog.strikes[]
) is
  'Stage 12 of catalog.run_match_pass: the pairs that are new, or differ from what is stored in '
  'their row, outcomes or strikes.';

create function catalog.write_pairs(
  p_candidates catalog.candidate[],
  p_assessed catalog.assessed_pairs[],
  p_pairs catalog.new_pair[],
  p_changed catalog.changed_pair[]
) returns jsonb
language plpgsql volatile
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  v_now timestamptz := clock.now();
  v_created integer;
  v_changed integer;
  v_withdrawn integer;
begin
  -- Withdraw first: pairs that were not chosen again, and pairs whose question changes its partner.
  -- A question is in one pair at a time.
  with ended as materialized (
    select p.pair_id, c.rejected
    from catalog.pairs p
    left join unnest(p_candidates) c on c.question_a = p.question_a and c.question_b = p.question_b
    where p.withdrawn_at is null
      and c.round is null
      -- A settled pair keeps its result when its listings disappear.
      and not (
        p.status in ('settled', 'closed')
        and (
          not exists (select from venue.questions q where q.question_id = p.question_a)
          or not exists (select from venue.questions q where q.question_id = p.question_b)
        )
      )
  ), gone as (
    update catalog.pairs p
    set withdrawn_at = v_now,
        withdrawn_code = catalog.withdrawal_code(p.question_a, p.question_b, e.rejected),
        updated_at = v_now,
        change_no = nextval('catalog.change_numbers')
    from ended e
    where p.pair_id = e.pair_id
      and p.withdrawn_at is null
    returning p.pair_id
  )
  select count(*) into v_withdrawn
  from gone
  where pair_id not in (select m.pair_id from unnest(p_changed) m);

  insert into catalog.rules (rule_id, description, first_seen_at, competition)
  select n.rule_id, n.rule_id, v_now, max(n.competition)
  from unnest(p_pairs) n
  join unnest(p_changed) m on m.pair_id = n.pair_id
  group by n.rule_id
  on conflict (rule_id) do nothing;

  insert into catalog.assessments (assessment_id, signals, risks)
  select distinct on (v.assessment_id) v.assessment_id, v.signals, v.risks
  from unnest(p_assessed) v
  on conflict (assessment_id) do nothing;
  insert into catalog.pairs as p (
    pair_id, slug, question_a, question_b, key, market_type, stage, band, entity_confidence, resolution_confidence,
    assessment_id, rule_id, category, sport, competition, location, asset, indicator, basis, institution, tags, title,
    home, away, start_time, has_scheduled_start, line, game_id, closes_a, closes_b, omitted_outcomes, url_a, url_b,
    event_a, event_b, condition_b, slug_b, text_a, text_b, input_hash, shard_key, created_at, updated_at
  )
  select n.*, (hashtextextended(n.pair_id::text, 0) & 63)::smallint, v_now, v_now
  from unnest(p_pairs) n
  join unnest(p_changed) m on m.pair_id = n.pair_id
  order by n.pair_id
  on conflict (pair_id) do update
  set (
    slug, question_a, question_b, key, market_type, stage, band, entity_confidence, resolution_confidence,
    assessment_id, rule_id, category, sport, competition, location, asset, indicator, basis, institution, tags, title,
    home, away, start_time, has_scheduled_start, line, game_id, closes_a, closes_b, omitted_outcomes, url_a, url_b,
    event_a, event_b, condition_b, slug_b, text_a, text_b, input_hash,
    updated_at, change_no, withdrawn_at, withdrawn_code
  ) = (
    excluded.slug, excluded.question_a, excluded.question_b, excluded.key, excluded.market_type, excluded.stage,
    excluded.band, excluded.entity_confidence, excluded.resolution_confidence, excluded.assessment_id, excluded.rule_id,
    excluded.category, excluded.sport, excluded.competition, excluded.location, excluded.asset, excluded.indicator,
    excluded.basis, excluded.institution, excluded.tags, excluded.title, excluded.home, excluded.away,
    excluded.start_time, excluded.has_scheduled_start, excluded.line, excluded.game_id,
    excluded.closes_a, excluded.closes_b, excluded.omitted_outcomes, excluded.url_a, excluded.url_b, excluded.event_a,
    excluded.event_b, excluded.condition_b, excluded.slug_b, excluded.text_a, excluded.text_b, excluded.input_hash,
    excluded.updated_at, nextval('catalog.change_numbers'), null, null
  );
  -- The inputs changed, but no column that a reader sees: store only the new digest.
  update catalog.pairs p
  set input_hash = n.input_hash
  from unnest(p_pairs) n
  where p.pair_id = n.pair_id
    and p.input_hash <> n.input_hash;

  select count(*) filter (where m.created), count(*) into v_created, v_changed from unnest(p_changed) m;
  return jsonb_build_object(
    'pairs', (select count(*) from catalog.pairs p where p.withdrawn_at is null),
    'created', v_created, 'changed', v_changed + v_withdrawn, 'withdrawn', v_withdrawn
  );
end
$$;
comment on function catalog.write_pairs(
  catalog.candidate[], catalog.assessed_pairs[], catalog.new_pair[], catalog.changed_pair[]
) is
  'Stage 13 of catalog.run_match_pass: writes the differences and withdraws pairs that were not '
  'chosen again. Returns {pairs, created, changed, withdrawn}.';

create function catalog.write_outcomes(
  p_changed catalog.changed_pair[],
  p_outcomes catalog.outcomes[],
  p_keys catalog.outcome_key[],
  p_strikes catalog.strikes[]
) returns void
language plpgsql volatile
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  insert into catalog.outcome_keys
  select k.*
  from unnest(p_keys) k
  join unnest(p_changed) m on m.pair_id = k.pair_id
  on conflict (pair_id, match_key) do nothing;
  delete from catalog.outcomes o using unnest(p_changed) m where o.pair_id = m.pair_id;
  insert into catalog.outcomes
  select o.*
  from unnest(p_outcomes) o
  join unnest(p_changed) m on m.pair_id = o.pair_id;
  delete from catalog.strikes l using unnest(p_changed) m where l.pair_id = m.pair_id;
  insert into catalog.strikes
  select l.*
  from unnest(p_strikes) l
  join unnest(p_changed) m on m.pair_id = l.pair_id;
end
$$;
comment on function catalog.write_outcomes(
  catalog.changed_pair[], catalog.outcomes[], catalog.outcome_key[], catalog.strikes[]
) is
  'Stage 14 of catalog.run_match_pass: replaces the stored outcomes and strikes of the changed '
  'pairs, and adds new keys.';

create function catalog.withdrawal_code(p_question_a text, p_question_b text, p_rejected text) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return coalesce(
    (
      select 'not_listed'
      where 2 > (select count(*) from venue.questions q where q.question_id in (p_question_a, p_question_b))
    ),
    (
      select q.excluded_reason
      from venue.questions q
      where q.question_id in (p_question_a, p_question_b) and q.excluded_reason is not null
      limit 1
    ),
    p_rejected,
    'identity_changed'
  );
end
$$;
comment on function catalog.withdrawal_code(text, text, text) is
  'Part of catalog.run_match_pass: why a pair is withdrawn. p_rejected: the code of its '
  'candidate, if it is still one.';

-- 36_catalog_status.sql

-- Market status, from the states of the contracts on both venues and from market time. A status
-- only moves forward, except when a game is postponed.

create function catalog.compare_payouts(p_outcomes catalog.outcomes[], p_strikes catalog.strikes[])
returns table (pair_id uuid, alike boolean, winners jsonb, whole_a boolean, whole_b boolean, final boolean, paid jsonb)
language sql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
  with payouts as (
    select o.pair_id, o.ordinal, o.key, o.name, o.span, o.market_a is not null and o.market_b is not null as both_list,
           -- payout is what YES (outcome 0) was paid. NO and the second token were paid the rest.
           case when o.side_a = 'no' then 1 - a.payout else a.payout end as paid_a,
           case when k.ordinal = 1 then 1 - b.payout else b.payout end as paid_b
    from unnest(p_outcomes) o
    left join venue.markets a on a.venue = 'venue_a' and a.market_id = o.market_a
    left join venue.markets b on b.venue = 'venue_b' and b.market_id = o.market_b
    left join venue.contracts k on k.venue = 'venue_b' and k.contract_id = o.contract_b
  ), compared as (
    select p.*,
           case
             when p.both_list then p.paid_a = p.paid_b
             -- The band of venue_b came true, so one of the venue_a bands that it overlaps must
             -- have paid.
             when p.span is not null and p.paid_b = 1 then (
               select bool_or(m.payout = 1)
               from unnest(p_strikes) l
               join venue.markets m on m.venue = 'venue_a' and m.market_id = l.market_a
               where l.pair_id = p.pair_id
                 and l.label = any (p.span)
             )
           end as alike
    from payouts p
  )
  select c.pair_id, bool_and(c.alike),
         coalesce(
           jsonb_agg(c.key order by c.key) filter (
             where coalesce(c.paid_a, c.paid_b) = 1
               and coalesce(c.paid_b, c.paid_a) = 1
           ),
           '[]'
         ),
         coalesce(bool_and(c.paid_a in (0, 1)), true), coalesce(bool_and(c.paid_b in (0, 1)), true),
         bool_and(not c.both_list or (c.paid_a is not null and c.paid_b is not null)),
         jsonb_agg(
           jsonb_build_object(
             'outcome', c.name, 'venue_a', trim_scale(c.paid_a)::text, 'venue_b', trim_scale(c.paid_b)::text
           )
           order by c.ordinal
         )
  from compared c
  group by c.pair_id
$$;
comment on function catalog.compare_payouts(catalog.outcomes[], catalog.strikes[]) is
  'Whether both venues paid the same where they can be compared (null: nowhere), the winners, '
  'whole payouts, whether all results are known, and what each outcome was paid.';

create function catalog.due_status_changes() returns table (pair_id uuid, status text, result jsonb)
language sql volatile
set search_path = ''
as $$
  with ranks as (
    select array['open', 'live', 'resolving', 'closed', 'settled'] as way, clock.now() as now_at
  ), contracts as (
    select o.pair_id, a.state as state_a, a.payout as payout_a, a.settled_at as settled_a,
           b.state as state_b, b.payout as payout_b, b.settled_at as settled_b
    from catalog.outcomes o
    join catalog.pairs p on p.pair_id = o.pair_id and p.withdrawn_at is null and p.status <> 'settled'
    left join venue.markets a on a.venue = 'venue_a' and a.market_id = o.market_a
    left join venue.markets b on b.venue = 'venue_b' and b.market_id = o.market_b
    union all
    -- For an outcome without a venue_a contract, the strikes of venue_a show whether the venue
    -- trades or has paid.
    select l.pair_id, m.state, m.payout, m.settled_at, null, null, null
    from catalog.strikes l
    join catalog.pairs p on p.pair_id = l.pair_id and p.withdrawn_at is null and p.status <> 'settled'
    join venue.markets m on m.venue = 'venue_a' and m.market_id = l.market_a
  ), seen as (
    -- A contract that the venue no longer lists (gone, or no row) does not trade, and does not keep
    -- the pair from being final.
    select c.pair_id,
           coalesce(
             bool_and(c.state_a = 'final' and c.payout_a is not null) filter (where c.state_a <> 'gone'), false
           ) as final_a,
           coalesce(
             bool_and(c.state_b = 'final' and c.payout_b is not null) filter (where c.state_b <> 'gone'), false
           ) as final_b,
           coalesce(bool_or(c.state_a in ('trading', 'unopened', 'paused')), false) as trades_a,
           coalesce(bool_or(c.state_b in ('trading', 'unopened', 'paused')), false) as trades_b,
           coalesce(bool_or(c.state_a = 'trading'), false) as open_a,
           coalesce(bool_or(c.state_b = 'trading'), false) as open_b,
           bool_and((c.state_a is null or c.state_a = 'gone') and (c.state_b is null or c.state_b = 'gone')) as gone,
           coalesce(bool_and(c.payout_a in (0, 1)), true) as whole_a,
           coalesce(bool_and(c.payout_b in (0, 1)), true) as whole_b,
           greatest(max(c.settled_a), max(c.settled_b)) as settled_at
    from contracts c
    group by c.pair_id
  ), target as (
    select s.*, p.status as was, r.way, r.now_at, p.has_scheduled_start, p.start_time,
           case
             when s.final_a and s.final_b then 'settled'
             when s.gone then 'closed'
             when not s.trades_a and not s.trades_b
               and coalesce(greatest(p.closes_a, p.closes_b), p.start_time) < r.now_at - interval '30 days'
               then 'closed'
             -- A runner that is out of a race settles alone. A venue has stopped when none of its
             -- contracts trades.
             when not s.trades_a or not s.trades_b then 'resolving'
             when p.has_scheduled_start and p.start_time <= r.now_at and s.open_a and s.open_b then 'live'
             else 'open'
           end as next
    from seen s
    join catalog.pairs p on p.pair_id = s.pair_id
    cross join ranks r
  ), moved as materialized (
    select t.*
    from target t
    where t.next <> t.was
      and (
        array_position(t.way, t.next) > array_position(t.way, t.was)
        -- Postponed: the start is in the future again and both venues trade.
        or (
          t.next = 'open'
          and t.was in ('live', 'resolving')
          and t.has_scheduled_start
          and t.start_time > t.now_at
          and t.open_a
          and t.open_b
        )
      )
  )
  select m.pair_id, m.next,
         case
           when m.next = 'settled' then jsonb_build_object(
             -- Both venues paid whole contracts: they agree or diverge. Anything else (a fair
             -- price, 50-50) is an edge case.
             'verdict',
             case
               when c.alike is null or not (m.whole_a and m.whole_b) then 'edge_case'
               when c.alike then 'agree'
               else 'diverge'
             end,
             'venues_agree', c.alike,
             'void', not m.whole_a and not m.whole_b,
             'winners', case when c.alike is false then '[]' else c.winners end,
             'paid', case when c.alike is false then c.paid end,
             'settled_at', to_char(coalesce(m.settled_at, m.now_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
           )
         end
  from moved m
  left join catalog.compare_payouts(
    array(select o from catalog.outcomes o join moved f on f.pair_id = o.pair_id and f.next = 'settled'),
    array(select l from catalog.strikes l join moved f on f.pair_id = l.pair_id and f.next = 'settled')
  ) c on c.pair_id = m.pair_id
$$;
comment on function catalog.due_status_changes() is
  'Pairs whose status is due to change, with the new status, and the result once both venues are '
  'final.';

create function catalog.refresh_statuses(out moved uuid[], out parity_moved boolean)
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_settled text[];
begin
  with updated as (
    update catalog.pairs p
    set status = n.status,
        result = coalesce(n.result, p.result),
        change_no = nextval('catalog.change_numbers')
    from catalog.due_status_changes() n
    where p.pair_id = n.pair_id
    returning p.pair_id, p.rule_id, p.status
  )
  select coalesce(array_agg(u.pair_id), '{}'), array_agg(distinct u.rule_id) filter (where u.status = 'settled')
  into moved, v_settled
  from updated u;
  -- In this transaction, so that no crash separates a result from the record of its rule.
  if v_settled is not null then
    perform catalog.update_rule_parity(v_settled);
  end if;
  parity_moved := catalog.publish_parity_changes() > 0;
end
$$;
comment on function catalog.refresh_statuses() is
  'Applies catalog.due_status_changes and counts the pairs that settled for their rules. Returns '
  'the changed pairs and whether a change of parity marked pairs.';
revoke all on function catalog.refresh_statuses() from public;

-- 371_catalog_backtest.sql

-- What a backtest keeps: how far it has read each scope, the occasions on which both venues
-- settled, and every divergence with its evidence.

create table catalog.backtest_scopes (
  scope text primary key,
  state text not null default 'waiting' check (state in ('waiting', 'reading', 'matching', 'done', 'failed')),
  days integer not null check (days between 1 and 4000),
  from_at timestamptz,
  until_at timestamptz,
  pairs integer not null default 0,
  unsettled integer not null default 0,
  occasions integer not null default 0,
  diverging integer not null default 0,
  requested_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  failures integer not null default 0,
  retry_at timestamptz,
  last_error text
);
comment on table catalog.backtest_scopes is
  'One row for each scope of a rule (a competition, an asset, a city, an institution) whose '
  'settled history is read, was read or waits.';
comment on column catalog.backtest_scopes.from_at is
  'Start of the history in market time. Listings that closed before it are left out.';
comment on column catalog.backtest_scopes.pairs is
  'Settled pairs that were compared at the last read; unsettled: pairs without both results.';
comment on column catalog.backtest_scopes.started_at is
  'Real time, as finished_at and retry_at: the rate of the backtest follows from them.';

create table catalog.backtest_sources (
  scope text not null references catalog.backtest_scopes (scope) on delete cascade,
  venue venue.code not null,
  kind text not null check (kind in ('events', 'historical', 'series', 'tag')),
  filter text not null check (filter <> ''),
  cursor text,
  pages integer not null default 0,
  events integer not null default 0,
  is_finished boolean not null default false,
  primary key (scope, venue, kind, filter)
);
comment on table catalog.backtest_sources is
  'The lists of settled listings that a scope reads, each with its cursor, so that the next call '
  'continues where this one stopped.';
comment on column catalog.backtest_sources.kind is
  'venue_a: events of a series, and its historical markets beyond the cutoff; venue_b: closed '
  'events of a series or of a tag.';

create table catalog.backtest_occasions (
  rule_id text not null references catalog.rules (rule_id),
  occasion text not null,
  diverged boolean not null,
  odd boolean not null,
  pairs integer not null check (pairs > 0),
  settled_at timestamptz not null,
  primary key (rule_id, occasion)
);
comment on table catalog.backtest_occasions is
  'Occasions on which both venues settled, as read from their own history. An occasion that this '
  'service also saw live has the same name there and counts once.';
comment on column catalog.backtest_occasions.odd is 'A venue paid an amount other than $1 or $0.';

create table catalog.backtest_divergences (
  rule_id text not null references catalog.rules (rule_id),
  pair_id uuid not null,
  occasion text not null,
  settled_at timestamptz not null,
  listing_a jsonb not null,
  listing_b jsonb not null,
  text_a text,
  text_b text,
  paid jsonb not null,
  primary key (rule_id, pair_id)
);
comment on table catalog.backtest_divergences is
  'Evidence of each divergence that a backtest found: both listings, both texts and both results. '
  'Rows are kept.';
comment on column catalog.backtest_divergences.paid is
  '[{outcome, venue_a, venue_b}]: what each outcome was paid, in USD for one contract.';

create table catalog.rule_texts (
  rule_id text not null references catalog.rules (rule_id),
  text_form text not null,
  primary key (rule_id, text_form)
);
comment on table catalog.rule_texts is
  'Digests of both texts of the settled pairs of a rule, without names, dates and numbers. Rules '
  'with the same forms may be pooled.';

alter table catalog.backtest_scopes enable row level security;
alter table catalog.backtest_scopes force row level security;
alter table catalog.backtest_sources enable row level security;
alter table catalog.backtest_sources force row level security;
alter table catalog.backtest_occasions enable row level security;
alter table catalog.backtest_occasions force row level security;
alter table catalog.backtest_divergences enable row level security;
alter table catalog.backtest_divergences force row level security;
alter table catalog.rule_texts enable row level security;
alter table catalog.rule_texts force row level security;

-- One worker runs the backtest at a time.
insert into venue.leases (name) values ('backtest') on conflict do nothing;

-- 37_catalog_rules.sql

-- Resolution rules measured against settled pairs: did both venues pay the same? Only its record,
-- or that of its pool, confirms the parity of a rule. The first divergence withdraws the parity
-- until an operator has reviewed it.
--
-- Statistics: when none of n occasions diverged, the divergence rate of the rule is below
-- 1 - 0.05^(1/n) with 95 % confidence, one-sided (about 3/n, the rule of three). With k
-- divergences, the bound is the rate at which k or fewer of n have a probability of 5 % (Clopper
-- and Pearson). A rule is confirmed while that bound is at most 1 %: 299 occasions without a
-- divergence, 473 with one that a reviewer keeps.
--
-- Why 1 %: an arbitrage locks one or two cents on the dollar. A divergence loses both legs or wins
-- both, so at the bound its expected cost is half a cent. The bound can be met: of 2,564 settled
-- sports pairs that a public monitor watched in October 2026, one diverged (venues.md, source R2),
-- a bound of 0.19 % at the same confidence.
--
-- A game counts once, with all its betting lines and mirrored markets, and so does a day of a
-- strike ladder: its pairs settle together.
--
-- A rule that is too rare for 299 occasions may be pooled with the rules of other competitions that
-- have the same family, terms and texts: docs/decisions/009-pooled-rules.md.

create table catalog.parity_settings (
  singleton boolean primary key default true check (singleton),
  max_divergence_rate numeric not null default 0.01 check (max_divergence_rate > 0 and max_divergence_rate < 1),
  confidence numeric not null default 0.95 check (confidence > 0 and confidence < 1),
  min_own_occasions integer not null default 30 check (min_own_occasions >= 0),
  min_pool_own_occasions integer not null default 10 check (min_pool_own_occasions > 0),
  backtest_days integer not null default 120 check (backtest_days between 1 and 4000)
);
comment on table catalog.parity_settings is 'The one settings row of the parity gate.';
comment on column catalog.parity_settings.max_divergence_rate is
  'A rule is confirmed while the upper bound of its divergence rate is at most this.';
comment on column catalog.parity_settings.confidence is 'One-sided confidence of that bound.';
comment on column catalog.parity_settings.min_own_occasions is
  'Agreeing occasions that this service must have read itself, live or in the settled history of '
  'the venues, however large the figures of an operator are.';
comment on column catalog.parity_settings.min_pool_own_occasions is
  'Agreeing occasions that a rule itself must have before a pool can confirm it.';
comment on column catalog.parity_settings.backtest_days is
  'Days of settled history that a backtest reads.';
insert into catalog.parity_settings (singleton) values (true) on conflict do nothing;

create table catalog.backtests (
  rule_id text not null references catalog.rules (rule_id),
  source text not null check (source <> ''),
  from_date date not null,
  until_date date not null,
  agreeing integer not null check (agreeing >= 0),
  diverging integer not null check (diverging >= 0),
  note text,
  loaded_at timestamptz not null,
  primary key (rule_id, source, from_date),
  check (from_date <= until_date)
);
comment on table catalog.backtests is
  'Settled history of a rule from before this service saw it, loaded by an operator, with its '
  'source. It counts for parity together with the own record, and is reported separately.';

create table catalog.rule_reviews (
  review_id bigint generated always as identity primary key,
  rule_id text not null references catalog.rules (rule_id),
  decision text not null check (decision in ('keep', 'dismiss', 'refuse')),
  reviewer text not null check (reviewer <> ''),
  note text not null check (note <> ''),
  diverging integer not null,
  reviewed_at timestamptz not null
);
comment on table catalog.rule_reviews is
  'Decisions of reviewers, never changed: keep (divergences count), dismiss (false pair or '
  'clerical error: they do not count), refuse (no parity until a later decision).';
comment on column catalog.rule_reviews.diverging is
  'Divergences known at the review, backtests included. The next divergence withdraws parity '
  'again.';
create index rule_reviews_by_rule on catalog.rule_reviews (rule_id, review_id);

create index pairs_settled_by_rule on catalog.pairs (rule_id) where status = 'settled';
-- For catalog.divergences: without it each request of /v2/rules reads every settled pair (34 ms
-- instead of 11 ms with 30,000 of them).
create index pairs_diverged on catalog.pairs (rule_id)
  where status = 'settled' and result -> 'venues_agree' = 'false';
create index pairs_active_by_rule on catalog.pairs (rule_id, change_no)
  where withdrawn_at is null and status in ('open', 'live', 'resolving');

alter table catalog.parity_settings enable row level security;
alter table catalog.parity_settings force row level security;
create policy "the api reads the parity settings" on catalog.parity_settings for select to parallax_api using (true);
grant select on catalog.parity_settings to parallax_api;
alter table catalog.backtests enable row level security;
alter table catalog.backtests force row level security;
alter table catalog.rule_reviews enable row level security;
alter table catalog.rule_reviews force row level security;

create function catalog.divergence_bound(p_diverging bigint, p_occasions bigint, p_confidence numeric) returns numeric
language plpgsql immutable
set search_path = ''
as $$
-- A probability, not money: the result needs six decimals, and doubles have fifteen.
declare
  v_low double precision := 0;
  v_high double precision := 1;
  v_rate double precision;
  v_term double precision;
  v_chance double precision;
begin
  if p_occasions <= 0 or p_diverging >= p_occasions then
    return 1;
  end if;
  for i in 1..50 loop
    v_rate := (v_low + v_high) / 2;
    -- The probability of at most p_diverging at this rate. Below e^-700 it counts as 0, because
    -- exp() would raise an error.
    v_chance := 0;
    if p_occasions * ln(1 - v_rate) > -700 then
      v_term := exp(p_occasions * ln(1 - v_rate));
      v_chance := v_term;
      for k in 1..p_diverging loop
        v_term := v_term * (p_occasions - k + 1) / k * v_rate / (1 - v_rate);
        v_chance := v_chance + v_term;
      end loop;
    end if;
    if v_chance > 1 - p_confidence then
      v_low := v_rate;
    else
      v_high := v_rate;
    end if;
  end loop;
  return round(v_high::numeric, 6);
end
$$;
comment on function catalog.divergence_bound(bigint, bigint, numeric) is
  'Upper bound of the true divergence rate with this one-sided confidence, when p_diverging of '
  'p_occasions diverged; 1 when nothing is known.';

create function catalog.settled_occasion_of(
  p_game_id uuid,
  p_market_type text,
  p_start_time timestamptz,
  p_event_a text
) returns text
language sql stable
set search_path = ''
as $$
  select case
    when p_game_id is not null then p_game_id::text
    when p_market_type in (select f.family from catalog.market_families() f where f.occasion = 'day')
      then (p_start_time at time zone 'America/New_York')::date::text
    else p_event_a
  end
$$;
comment on function catalog.settled_occasion_of(uuid, text, timestamptz, text) is
  'The occasion that a settled pair counts as for its rule: its game, its day or its event. Pairs '
  'of one occasion settle together, so they count once.';

create function catalog.count_rule_records(p_rules text[]) returns table (
  rule_id text, agreeing bigint, diverging bigint, edge_cases bigint, first_at timestamptz, last_at timestamptz,
  backtest_agreeing bigint, backtest_diverging bigint, reviewed bigint, dismissed bigint, refused boolean
)
language sql stable
set search_path = ''
as $$
  with live as (
    select p.rule_id,
           catalog.settled_occasion_of(p.game_id, p.market_type::text, p.start_time, p.event_a) as occasion,
           -- Payouts at two prices are a divergence, also for a refund: a holder of both sides
           -- loses or gains by it.
           bool_or(p.result -> 'venues_agree' = 'false') as diverged,
           bool_or(p.result ->> 'verdict' = 'edge_case') as odd,
           max((p.result ->> 'settled_at')::timestamptz) as settled_at
    from catalog.pairs p
    where p.status = 'settled'
      and p.withdrawn_at is null
      and p.stage = 'catalog'
      and p.result ->> 'venues_agree' is not null
      and (p_rules is null or p.rule_id = any (p_rules))
    group by 1, 2
  ), occasions as (
    -- An occasion that was seen live and read in the history again counts once.
    select u.rule_id, u.occasion, bool_or(u.diverged) as diverged, bool_or(u.odd) as odd,
           min(u.settled_at) as settled_at
    from (
      select l.rule_id, l.occasion, l.diverged, l.odd, l.settled_at
      from live l
      union all
      select b.rule_id, b.occasion, b.diverged, b.odd, b.settled_at
      from catalog.backtest_occasions b
      where p_rules is null or b.rule_id = any (p_rules)
    ) u
    group by u.rule_id, u.occasion
  ), own as (
    select o.rule_id,
           count(*) filter (where not o.diverged) as agreeing,
           count(*) filter (where o.diverged) as diverging,
           count(*) filter (where o.odd and not o.diverged) as edge_cases,
           min(o.settled_at) as first_at,
           max(o.settled_at) as last_at
    from occasions o
    group by o.rule_id
  ), backtested as (
    select b.rule_id, sum(b.agreeing)::bigint as agreeing, sum(b.diverging)::bigint as diverging
    from catalog.backtests b
    where p_rules is null or b.rule_id = any (p_rules)
    group by b.rule_id
  ), reviews as (
    select v.rule_id,
           (array_agg(v.diverging order by v.review_id desc))[1]::bigint as reviewed,
           max(v.diverging) filter (where v.decision = 'dismiss')::bigint as dismissed,
           (array_agg(v.decision order by v.review_id desc))[1] = 'refuse' as refused
    from catalog.rule_reviews v
    where p_rules is null or v.rule_id = any (p_rules)
    group by v.rule_id
  )
  select r.rule_id, coalesce(o.agreeing, 0), coalesce(o.diverging, 0), coalesce(o.edge_cases, 0),
         o.first_at, o.last_at, coalesce(b.agreeing, 0), coalesce(b.diverging, 0),
         coalesce(v.reviewed, 0), coalesce(v.dismissed, 0), coalesce(v.refused, false)
  from catalog.rules r
  left join own o on o.rule_id = r.rule_id
  left join backtested b on b.rule_id = r.rule_id
  left join reviews v on v.rule_id = r.rule_id
  where p_rules is null or r.rule_id = any (p_rules)
$$;
comment on function catalog.count_rule_records(text[]) is
  'The record of each rule (null: of all): occasions seen live or read in the settled history, '
  'figures of an operator, and the divergences that reviewers have seen.';

create function catalog.judge_rules(p_rules text[]) returns table (
  rule_id text, state text, agreeing bigint, diverging bigint, edge_cases bigint, first_at timestamptz,
  last_at timestamptz, all_agreeing bigint, counted bigint, bound numeric, pool_rules integer, pool_agreeing bigint,
  pool_bound numeric, because text
)
language sql stable
set search_path = ''
as $$
  with weighed as (
    select k.*, r.pool_key, k.agreeing + k.backtest_agreeing as all_agreeing,
           greatest(0, k.diverging + k.backtest_diverging - k.dismissed) as counted,
           k.refused or k.diverging + k.backtest_diverging > k.reviewed as is_withdrawn
    from catalog.count_rule_records(p_rules) k
    join catalog.rules r on r.rule_id = k.rule_id
  ), pools as (
    -- One divergence in any rule of a pool ends the pool, also a dismissed one.
    select w.pool_key, count(*)::integer as rules, sum(w.all_agreeing)::bigint as all_agreeing,
           sum(w.agreeing)::bigint as agreeing
    from weighed w
    where w.pool_key is not null
    group by w.pool_key
    having count(*) > 1 and not bool_or(w.is_withdrawn or w.diverging + w.backtest_diverging > 0)
  ), bounded as (
    select w.*, s.max_divergence_rate, s.confidence, o.rules as pool_rules, o.all_agreeing as pool_agreeing,
           catalog.divergence_bound(w.counted, w.all_agreeing + w.counted, s.confidence) as bound,
           case when o.rules is not null then catalog.divergence_bound(0, o.all_agreeing, s.confidence) end
             as pool_bound,
           w.agreeing >= s.min_own_occasions as seen_enough,
           w.agreeing >= s.min_pool_own_occasions and o.agreeing >= s.min_own_occasions as pool_seen_enough
    from weighed w
    cross join catalog.parity_settings s
    left join pools o on o.pool_key = w.pool_key
  ), decided as (
    select j.*, not j.is_withdrawn and j.seen_enough and j.bound <= j.max_divergence_rate as confirmed,
           coalesce(not j.is_withdrawn and j.pool_seen_enough and j.pool_bound <= j.max_divergence_rate, false)
             as pooled
    from bounded j
  )
  select d.rule_id,
         case
           when d.refused then 'refused'
           when d.is_withdrawn then 'withdrawn'
           when d.confirmed then 'confirmed'
           when d.pooled then 'pooled'
           else 'unconfirmed'
         end,
         d.agreeing, d.diverging, d.edge_cases, d.first_at, d.last_at, d.all_agreeing, d.counted, d.bound,
         d.pool_rules, case when d.pool_rules is not null then d.pool_agreeing end, d.pool_bound,
         format(
           '%s occasions agreed, %s diverged%s%s: at most %s %% diverge (%s %% confidence, one-sided), %s %% is '
           'allowed%s.%s',
           d.all_agreeing, d.counted,
           case
             when d.backtest_agreeing + d.backtest_diverging > 0
               then format(', %s of them from figures of an operator', d.backtest_agreeing + d.backtest_diverging)
           end,
           case when d.dismissed > 0 then format(', %s more dismissed in review', d.dismissed) end,
           trim_scale(round(d.bound * 100, 2)), trim_scale(d.confidence * 100),
           trim_scale(d.max_divergence_rate * 100),
           case when not d.seen_enough then ', and too few were seen by this service itself' end,
           case
             when d.pooled and not d.confirmed then format(
               ' Pooled with %s rules of equal terms and texts: %s occasions agreed, none diverged, so at most %s %% '
               'diverge.',
               d.pool_rules - 1, d.pool_agreeing, trim_scale(round(d.pool_bound * 100, 2))
             )
           end
         )
  from decided d
$$;
comment on function catalog.judge_rules(text[]) is
  'The state of each rule (null: of all) by its record, and by that of its pool. p_rules must '
  'hold all rules of a pool.';

create function catalog.update_rule_parity(p_rules text[] default null) returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_now timestamptz := clock.now();
  v_rules text[];
  v_changed integer;
begin
  -- A rule that changes also changes the rules of its pool.
  if p_rules is not null then
    v_rules := array(
      select r.rule_id
      from catalog.rules r
      where r.rule_id = any (p_rules)
        or r.pool_key in (select m.pool_key from catalog.rules m where m.rule_id = any (p_rules))
    );
  end if;
  -- Locks the rules before it counts: two transactions that settle pairs of one rule at once would
  -- each miss the pairs of the other.
  perform from catalog.rules r where v_rules is null or r.rule_id = any (v_rules) order by r.rule_id for update;
  with moved as (
    update catalog.rules r
    set state = d.state,
        agreeing = d.agreeing,
        diverging = d.diverging,
        edge_cases = d.edge_cases,
        first_at = d.first_at,
        last_at = d.last_at,
        confirmed_at = case when d.state in ('confirmed', 'pooled') then coalesce(r.confirmed_at, v_now) end,
        confirmed_because = d.because,
        record_agreeing = d.all_agreeing,
        record_diverging = d.counted,
        record_bound = d.bound,
        pool_rules = d.pool_rules,
        pool_agreeing = d.pool_agreeing,
        pool_bound = d.pool_bound,
        withdrawn_at = case when d.state in ('withdrawn', 'refused') then coalesce(r.withdrawn_at, v_now) end,
        parity_change_no = case
          when (d.state in ('confirmed', 'pooled')) <> (r.confirmed_at is not null and r.withdrawn_at is null)
            then nextval('catalog.change_numbers')
          else r.parity_change_no
        end
    from catalog.judge_rules(v_rules) d
    where d.rule_id = r.rule_id
      and (
        r.state, r.agreeing, r.diverging, r.edge_cases, r.first_at, r.last_at, r.confirmed_because, r.record_agreeing,
        r.record_diverging, r.record_bound, r.pool_rules, r.pool_agreeing, r.pool_bound,
        r.confirmed_at is not null, r.withdrawn_at is not null
      ) is distinct from (
        d.state, d.agreeing, d.diverging, d.edge_cases, d.first_at, d.last_at, d.because, d.all_agreeing,
        d.counted, d.bound, d.pool_rules, d.pool_agreeing, d.pool_bound,
        d.state in ('confirmed', 'pooled'), d.state in ('withdrawn', 'refused')
      )
    returning 1
  )
  select count(*) into v_changed
  from moved;
  return v_changed;
end
$$;
comment on function catalog.update_rule_parity(text[]) is
  'Counts the record of these rules and their pools (null: of all) from scratch and confirms or '
  'withdraws their parity. A second run changes nothing. Returns the number of changed rows.';

create function catalog.publish_parity_changes(p_limit integer default 2000) returns integer
language sql volatile
set search_path = ''
as $$
  with stale as (
    select p.pair_id
    from catalog.rules r
    join catalog.pairs p on p.rule_id = r.rule_id and p.change_no < r.parity_change_no
    where p.withdrawn_at is null
      and p.status in ('open', 'live', 'resolving')
    limit p_limit
  ), marked as (
    update catalog.pairs p
    set change_no = nextval('catalog.change_numbers')
    from stale s
    where p.pair_id = s.pair_id
    returning 1
  )
  select count(*)::integer
  from marked
$$;
comment on function catalog.publish_parity_changes(integer) is
  'Raises change_no of up to p_limit active pairs whose rule gained or lost parity since their '
  'last change. The next call continues. Returns how many.';

-- 37_catalog_rules_review.sql

-- How operators work with a resolution rule: read its record, review it, load settled history.

create function catalog.rule_summary(p_rule_id text) returns jsonb
language sql stable
set search_path = ''
as $$
  select to_jsonb(r) - 'parity_change_no' || jsonb_build_object(
    'parity', r.confirmed_at is not null and r.withdrawn_at is null,
    'backtests', (
      select coalesce(jsonb_agg(to_jsonb(b) - 'rule_id' order by b.from_date, b.source), '[]')
      from catalog.backtests b
      where b.rule_id = r.rule_id
    ),
    'reviews', (
      select coalesce(jsonb_agg(to_jsonb(v) - 'rule_id' order by v.review_id), '[]')
      from catalog.rule_reviews v
      where v.rule_id = r.rule_id
    )
  )
  from catalog.rules r
  where r.rule_id = p_rule_id
$$;
comment on function catalog.rule_summary(text) is
  'A rule with its own record, its backtests and its reviews; null for an unknown id.';

create function catalog.review_rule(p_rule_id text, p_decision text, p_reviewer text, p_note text) returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_diverging bigint;
begin
  perform from catalog.rules r where r.rule_id = p_rule_id for update;
  if not found then
    raise exception 'there is no rule "%"', p_rule_id
      using errcode = '22023', hint = 'ops.explain(<ticker or slug>) returns the rule_id of a pair.';
  end if;
  select k.diverging + k.backtest_diverging into v_diverging from catalog.count_rule_records(array[p_rule_id]) k;
  insert into catalog.rule_reviews (rule_id, decision, reviewer, note, diverging, reviewed_at)
  values (p_rule_id, p_decision, trim(p_reviewer), trim(p_note), v_diverging, clock.now());
  perform catalog.update_rule_parity(array[p_rule_id]);
  return catalog.rule_summary(p_rule_id);
end
$$;
comment on function catalog.review_rule(text, text, text, text) is
  'Stores the decision of an operator about a rule (keep, dismiss, refuse) and updates its '
  'parity. Returns catalog.rule_summary.';

create function catalog.load_backtest(p_rows jsonb) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_row record;
  v_rules text[] := '{}';
begin
  for v_row in
    select b.*, r.first_seen_at
    from jsonb_to_recordset(p_rows) as b (
      rule_id text, source text, from_date date, until_date date, agreeing integer, diverging integer, note text
    )
    left join catalog.rules r on r.rule_id = b.rule_id
  loop
    if v_row.first_seen_at is null then
      raise exception 'there is no rule "%"', v_row.rule_id using errcode = '22023';
    end if;
    -- Occasions that this service has seen itself would count twice.
    if v_row.until_date >= (v_row.first_seen_at at time zone 'UTC')::date then
      raise exception 'history of "%" must end before %, when this service first saw it', v_row.rule_id,
        v_row.first_seen_at::date
        using errcode = '22023';
    end if;
    insert into catalog.backtests as b (rule_id, source, from_date, until_date, agreeing, diverging, note, loaded_at)
    values (
      v_row.rule_id, trim(v_row.source), v_row.from_date, v_row.until_date, v_row.agreeing, v_row.diverging, v_row.note,
      clock.now()
    )
    on conflict (rule_id, source, from_date) do update
    set until_date = excluded.until_date,
        agreeing = excluded.agreeing,
        diverging = excluded.diverging,
        note = excluded.note,
        loaded_at = excluded.loaded_at;
    v_rules := v_rules || v_row.rule_id;
  end loop;
  perform catalog.update_rule_parity(v_rules);
  return cardinality(v_rules);
end
$$;
comment on function catalog.load_backtest(jsonb) is
  'Loads backtests [{rule_id, source, from_date, until_date, agreeing, diverging, note}], counted '
  'in occasions. A row with the same rule_id, source and from_date is replaced.';

-- 37_catalog_weakest_link.sql

-- The published risks of an opportunity, and how it is most likely to lose.

create function catalog.public_risks(p_assessment_id text) returns json
language sql stable
set search_path = ''
as $$
  select coalesce(
    json_agg(
      json_build_object('event', r.event, 'severity', r.severity, 'note', r.note)
      order by catalog.severity_rank(r.severity), r.event
    ),
    '[]'
  )
  from catalog.assessments j
  cross join lateral jsonb_to_recordset(j.risks) as r (event text, severity text, note text)
  where j.assessment_id = p_assessment_id
    and not starts_with(r.event, 'cancel_')
$$;
comment on function catalog.public_risks(text) is
  'The published risks of an assessment, worst first.';

create function catalog.weakest_link(p_risks json, p_rule catalog.rules) returns text
language sql stable
set search_path = ''
as $$
  select case
    when json_array_length(p_risks) > 0
      then initcap(p_risks #>> '{0,severity}') || ' risk: ' || (p_risks #>> '{0,note}')
    when p_rule.record_bound < 1 then format(
      'No difference between the two texts is known; %s of %s settled occasions of this rule diverged, so at most %s '
      '%% do by its bound.',
      p_rule.record_diverging, p_rule.record_agreeing + p_rule.record_diverging, trim_scale(p_rule.record_bound * 100)
    )
    else 'No difference between the two texts is known, and no settled occasion of this rule is known either.'
  end
$$;
comment on function catalog.weakest_link(json, catalog.rules) is
  'How a pair is most likely to fail, in one sentence: its worst risk (p_risks: worst first), '
  'else the record of its rule.';

grant execute on function catalog.public_risks(text), catalog.weakest_link(json, catalog.rules) to parallax_api;

-- 38_catalog_backtest.sql

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
    and coalesce(s.retry_at <= clock_timestamp(), true)
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

-- 38_catalog_backtest_match.sql

-- The last step of a backtest: pairs the settled listings of a scope with the stages of the match
-- pass, compares what both venues paid, and keeps the occasions and the divergences.

create type catalog.settled_pair as (
  pair_id uuid,
  rule_id text,
  occasion text,
  question_a text,
  question_b text,
  event_a text,
  event_b text,
  text_a text,
  text_b text,
  alike boolean,
  odd boolean,
  paid jsonb,
  settled_at timestamptz,
  competition text
);
comment on type catalog.settled_pair is
  'A settled pair of a backtest with its rule, its occasion and what both venues paid.';

-- The stages of the match pass for settled listings: copies of the same functions that read the
-- tables venue.settled_* instead. A stage with a parameter for the set of listings would not do:
-- its query would be a union of both tables, into which the planner pushes no condition. That took
-- 34 s for 4,400 questions; the copy takes 0.1 s.
do $$
declare
  v_stages text := 'moved_onto|evaluate_candidates|choose_pairs|collect_pair_facts|changed_choices|assess_pairs|'
                   'assemble_pairs|build_legs|build_outcomes|build_ladder_outcomes|build_strikes|compare_payouts';
  v_stage record;
begin
  -- In the order of their calls: the body of an SQL function is checked when it is created.
  for v_stage in
    select p.oid, p.proname, pg_get_functiondef(p.oid) as definition
    from pg_catalog.pg_proc p
    where p.pronamespace = 'catalog'::regnamespace
      and p.proname in (select regexp_split_to_table(v_stages, '\|'))
    order by p.oid
  loop
    execute regexp_replace(
      regexp_replace(
        v_stage.definition, '\mvenue\.(events|markets|contracts|questions|legs)\M', 'venue.settled_\1', 'g'
      ),
      '\mcatalog\.(' || v_stages || ')\M', 'catalog.settled_\1', 'g'
    );
    execute format(
      'comment on function %s is %L',
      (
        select n.oid::regprocedure
        from pg_catalog.pg_proc n
        where n.pronamespace = 'catalog'::regnamespace
          and n.proname = 'settled_' || v_stage.proname
      ),
      format('catalog.%s for settled listings: the same body with venue.settled_* for venue.*.', v_stage.proname)
    );
  end loop;
end
$$;

create function catalog.pair_settled_listings(out pairs catalog.settled_pair[], out unsettled integer)
language plpgsql volatile
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  v_candidates catalog.candidate[];
  v_chosen catalog.chosen_pair[];
  v_assessed catalog.assessed_pairs[];
  v_assembled catalog.assembled_pair[];
  v_legs catalog.pair_leg[];
  v_outcomes catalog.outcomes[];
  v_strikes catalog.strikes[];
begin
  -- The stages of catalog.run_match_pass. None of them reads a result: settled_compare_payouts is
  -- the first that does.
  v_candidates := array(select c from catalog.settled_evaluate_candidates() c);
  v_candidates := array(select c from catalog.settled_choose_pairs(v_candidates) c);
  v_chosen := array(select c from catalog.settled_changed_choices(v_candidates) c);
  v_assessed := array(select a from catalog.settled_assess_pairs(v_chosen) a);
  v_assembled := array(select p from catalog.settled_assemble_pairs(v_chosen, v_assessed) p where p.stage = 'catalog');
  v_legs := array(select l from catalog.settled_build_legs(v_assembled) l);
  v_outcomes := array(select o from catalog.settled_build_outcomes(v_assembled, v_legs) o);
  v_strikes := array(select s from catalog.settled_build_strikes(v_assembled) s);
  with compared as materialized (
    select c.* from catalog.settled_compare_payouts(v_outcomes, v_strikes) c
  ), settled as materialized (
    select o.pair_id, max(greatest(a.settled_at, b.settled_at)) as settled_at
    from unnest(v_outcomes) o
    left join venue.settled_markets a on a.venue = 'venue_a' and a.market_id = o.market_a
    left join venue.settled_markets b on b.venue = 'venue_b' and b.market_id = o.market_b
    group by o.pair_id
  )
  select
    coalesce(
      array_agg(
        row(
          p.pair_id, p.rule_id,
          catalog.settled_occasion_of(p.game_id, p.market_type::text, p.start_time, p.event_a),
          p.question_a, p.question_b, p.event_a, p.event_b, p.text_a, p.text_b, c.alike,
          not (c.whole_a and c.whole_b), c.paid, coalesce(t.settled_at, p.start_time), p.competition
        )::catalog.settled_pair
      ) filter (where c.final and c.alike is not null),
      '{}'
    ),
    count(*) filter (where not coalesce(c.final and c.alike is not null, false))
  into pairs, unsettled
  from unnest(v_assembled) p
  left join compared c on c.pair_id = p.pair_id
  left join settled t on t.pair_id = p.pair_id;
end
$$;
comment on function catalog.pair_settled_listings() is
  'Pairs the settled listings with the stages of the match pass and compares the payouts. '
  'unsettled: pairs that cannot be compared, because a result is missing.';

create function catalog.settled_listing(p_venue venue.code, p_event text, p_question text) returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object(
    'event', e.event_id, 'title', e.title, 'url', e.url,
    'markets', (
      select jsonb_agg(
        jsonb_build_object(
          'market', m.market_id, 'title', m.title, 'payout', trim_scale(m.payout)::text, 'settled_at', m.settled_at
        )
        order by m.market_id
      )
      from venue.settled_markets m
      where m.venue = p_venue
        and m.market_id in (select l.market_id from venue.settled_legs l where l.question_id = p_question)
    )
  )
  from venue.settled_events e
  where e.venue = p_venue
    and e.event_id = p_event
$$;
comment on function catalog.settled_listing(venue.code, text, text) is
  'A settled listing as evidence: {event, title, url, markets: [{market, title, payout, '
  'settled_at}]}.';

create function catalog.keep_settled_pairs(p_pairs catalog.settled_pair[]) returns text[]
language plpgsql volatile
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  insert into catalog.rules (rule_id, description, first_seen_at, competition)
  select p.rule_id, p.rule_id, clock.now(), max(p.competition)
  from unnest(p_pairs) p
  group by p.rule_id
  on conflict (rule_id) do nothing;
  insert into catalog.backtest_occasions as o (rule_id, occasion, diverged, odd, pairs, settled_at)
  select p.rule_id, p.occasion, bool_or(not p.alike), bool_or(p.odd), count(*), max(p.settled_at)
  from unnest(p_pairs) p
  group by p.rule_id, p.occasion
  on conflict (rule_id, occasion) do update
  set (diverged, odd, pairs, settled_at) = (excluded.diverged, excluded.odd, excluded.pairs, excluded.settled_at)
  where (o.diverged, o.odd, o.pairs, o.settled_at)
    is distinct from (excluded.diverged, excluded.odd, excluded.pairs, excluded.settled_at);
  insert into catalog.backtest_divergences (
    rule_id, pair_id, occasion, settled_at, listing_a, listing_b, text_a, text_b, paid
  )
  select p.rule_id, p.pair_id, p.occasion, p.settled_at,
         catalog.settled_listing('venue_a', p.event_a, p.question_a),
         catalog.settled_listing('venue_b', p.event_b, p.question_b), p.text_a, p.text_b, p.paid
  from unnest(p_pairs) p
  where not p.alike
  on conflict (rule_id, pair_id) do nothing;
  insert into catalog.rule_texts (rule_id, text_form)
  select distinct p.rule_id, md5(concat_ws('|', a.identity ->> 'text_form', b.identity ->> 'text_form'))
  from unnest(p_pairs) p
  join venue.settled_questions a on a.question_id = p.question_a and a.identity ? 'text_form'
  join venue.settled_questions b on b.question_id = p.question_b and b.identity ? 'text_form'
  on conflict (rule_id, text_form) do nothing;
  return array(select distinct p.rule_id from unnest(p_pairs) p);
end
$$;
comment on function catalog.keep_settled_pairs(catalog.settled_pair[]) is
  'Keeps the occasions, the evidence of divergences and the forms of the texts. The same pairs '
  'again change nothing. Returns their rules.';

create function catalog.set_pool_keys(p_rules text[]) returns void
language sql volatile
set search_path = ''
as $$
  -- The same family and terms, and the same set of texts apart from names, dates and numbers.
  update catalog.rules r
  set pool_key = f.pool_key
  from (
    select k.rule_id,
           md5(concat_ws(
             '|', k.family, substring(k.rule_id from 'venue_a: .*$'),
             (
               select string_agg(t.text_form, '|' order by t.text_form)
               from catalog.rule_texts t
               where t.rule_id = k.rule_id
             )
           )) as pool_key
    from catalog.rules k
    where k.rule_id = any (p_rules)
      and exists (select from catalog.rule_texts t where t.rule_id = k.rule_id)
  ) f
  where r.rule_id = f.rule_id
    and r.pool_key is distinct from f.pool_key
$$;
comment on function catalog.set_pool_keys(text[]) is
  'Part of catalog.match_backtest: sets catalog.rules.pool_key of these rules.';

create function catalog.match_backtest(p_token bigint, p_scope text) returns jsonb
language plpgsql volatile
set search_path = ''
as $$
declare
  v_read record;
  v_rules text[];
begin
  if not catalog.holds_backtest(p_token) then
    return null;
  end if;
  -- A worker that lost its lease may still be matching. Its successor waits: both would give the
  -- same record.
  if not pg_try_advisory_xact_lock(hashtextextended('catalog.match_backtest', 0)) then
    return jsonb_build_object('scope', p_scope, 'skipped', true);
  end if;
  perform from catalog.backtest_scopes s where s.scope = p_scope and s.state = 'matching';
  if not found then
    return jsonb_build_object('scope', p_scope, 'skipped', true);
  end if;
  analyze venue.settled_events, venue.settled_markets, venue.settled_contracts, venue.settled_questions,
    venue.settled_legs;
  select * into v_read from catalog.pair_settled_listings();
  v_rules := catalog.keep_settled_pairs(v_read.pairs);
  -- The pools of before and after.
  perform catalog.update_rule_parity(v_rules);
  perform catalog.set_pool_keys(v_rules);
  perform catalog.update_rule_parity(v_rules);
  perform venue.clear_settled_listings();
  update catalog.backtest_scopes s
  set state = 'done',
      pairs = cardinality(v_read.pairs),
      unsettled = v_read.unsettled,
      occasions = (select count(distinct p.occasion) from unnest(v_read.pairs) p),
      diverging = (select count(distinct p.occasion) from unnest(v_read.pairs) p where not p.alike),
      finished_at = clock_timestamp(),
      failures = 0,
      retry_at = null,
      last_error = null
  where s.scope = p_scope;
  return jsonb_build_object('scope', p_scope, 'pairs', cardinality(v_read.pairs), 'rules', cardinality(v_rules));
end
$$;
comment on function catalog.match_backtest(bigint, text) is
  'Matches the settled listings of a scope, keeps the record, updates parity, and empties the '
  'tables. Returns {scope, pairs, rules}; {scope, skipped} while another worker matches; or null.';

create view catalog.divergences with (security_invoker = true) as
select d.rule_id, d.occasion, 'backtest' as source, d.settled_at, d.listing_a ->> 'event' as event_a,
       d.listing_b ->> 'event' as event_b, d.listing_a ->> 'title' as title_a, d.listing_b ->> 'title' as title_b,
       d.text_a, d.text_b, d.paid
from catalog.backtest_divergences d
union all
select p.rule_id, catalog.settled_occasion_of(p.game_id, p.market_type::text, p.start_time, p.event_a), 'live',
       (p.result ->> 'settled_at')::timestamptz, p.event_a, p.event_b, p.title, p.title, p.text_a, p.text_b,
       p.result -> 'paid'
from catalog.pairs p
where p.status = 'settled'
  and p.withdrawn_at is null
  and p.stage = 'catalog'
  and p.result -> 'venues_agree' = 'false'
  -- A divergence that the history contains as well is listed once.
  and not exists (
    select from catalog.backtest_divergences d where d.rule_id = p.rule_id and d.pair_id = p.pair_id
  );
comment on view catalog.divergences is
  'Every divergence of a rule, seen live or in the settled history, with both texts and both '
  'results.';
create policy "the api reads divergences" on catalog.backtest_divergences for select to parallax_api using (true);
grant select on catalog.backtest_divergences, catalog.divergences to parallax_api;
grant execute on function catalog.settled_occasion_of(uuid, text, timestamptz, text) to parallax_api;

revoke all on function
  catalog.pair_settled_listings(),
  catalog.settled_listing(venue.code, text, text),
  catalog.keep_settled_pairs(catalog.settled_pair[]),
  catalog.set_pool_keys(text[]),
  catalog.match_backtest(bigint, text)
from public;

-- 38_catalog_explain.sql

-- For operators who ask why a listing is (not) in a pair: all that was parsed, assessed and
-- rejected about it. ops.explain combines these functions.

create function catalog.describe_exclusion(p_code text) returns text
language sql immutable
set search_path = ''
as $$
  select case p_code
    when 'unknown_alias' then 'A participant or entity is not in the registry. Names are never guessed.'
    when 'ambiguous_alias'
      then 'Several participants have this name, and the listing does not decide which one it means.'
    when 'contradictory' then 'The parts of the listing contradict each other.'
    when 'duplicate_listing' then 'The same question is listed in the main event.'
    when 'placeholder' then 'A placeholder of the venue, or a catch-all outcome.'
    when 'unreadable_date' then 'The question has no date that can be parsed.'
    when 'incomplete' then 'An outcome of the question is not listed.'
    when 'part_of_game' then 'A half, a set, a map or another part, not the whole game.'
    when 'payoff_contradicted' then 'The text or the title describes another payout than the fields.'
    when 'family_not_paired' then 'Questions of this family are not paired.'
    when 'no_counterpart' then 'The other venue lists no question with the same key.'
    else replace(p_code, '_', ' ')
  end
$$;
comment on function catalog.describe_exclusion(text) is
  'Why a question has no pair: the sentence for a code.';

create function catalog.find_questions(p_about text) returns setof text
language sql stable
set search_path = ''
as $$
  with input as (
    select trim(p_about) as about, upper(trim(p_about)) as ticker,
           case
             when trim(p_about) ~* '^(mkt_)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
               then regexp_replace(lower(trim(p_about)), '^mkt_', '')::uuid
           end as pair_id
  )
  select q.question_id
  from input a
  join venue.questions q on q.question_id = a.about or q.event_id in (a.about, a.ticker)
  union
  select l.question_id
  from input a
  join venue.legs l on l.market_id in (a.about, a.ticker) or l.contract_id in (a.about, a.ticker)
  union
  -- The slug of a market of venue_b, which may differ from that of its event.
  select l.question_id
  from input a
  join venue.markets m on m.venue = 'venue_b' and m.payload ->> 'slug' = a.about
  join venue.legs l on l.market_id = m.market_id
  union
  select q
  from input a
  join catalog.pairs p on p.pair_id = a.pair_id
  cross join lateral (values (p.question_a), (p.question_b)) as v (q)
$$;
comment on function catalog.find_questions(text) is
  'Part of ops.explain: the questions that a pair id, question id, event ticker, ticker, event or '
  'market slug, condition id or token id belongs to.';

create function catalog.explain_pair(p_pair_id uuid) returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object(
    'id', 'mkt_' || p.pair_id, 'questions', jsonb_build_array(p.question_a, p.question_b), 'title', p.title,
    'market_type', p.market_type, 'status', p.status, 'stage', p.stage, 'band', p.band, 'result', p.result,
    'withdrawn_at', p.withdrawn_at, 'withdrawn_code', p.withdrawn_code,
    'confidence', jsonb_build_object('entity', p.entity_confidence, 'resolution', p.resolution_confidence),
    'signals', (
      select coalesce(
        jsonb_agg(
          s || jsonb_strip_nulls(jsonb_build_object('why', w.why))
          order by (s ->> 'weight')::numeric desc, s ->> 'signal'
        ), '[]'
      )
      from jsonb_array_elements(j.signals) s
      left join catalog.signal_weights() w on w.signal = s ->> 'signal' and w.state = s ->> 'state'
    ),
    'risks', (
      select coalesce(
        jsonb_agg(
          jsonb_build_object(
            'event', k.event, 'severity', k.severity, 'note', k.note, 'internal', starts_with(k.event, 'cancel_')
          )
          order by catalog.severity_rank(k.severity), k.event
        ),
        '[]'
      )
      from catalog.pair_risks k
      where k.pair_id = p.pair_id
    ),
    'rule', catalog.rule_summary(p.rule_id),
    'outcomes', (
      select coalesce(jsonb_agg(jsonb_strip_nulls(to_jsonb(o) - 'pair_id') order by o.ordinal), '[]')
      from catalog.outcomes o
      where o.pair_id = p.pair_id
    )
  )
  from catalog.pairs p
  join catalog.assessments j on j.assessment_id = p.assessment_id
  where p.pair_id = p_pair_id
$$;
comment on function catalog.explain_pair(uuid) is
  'Part of ops.explain: a pair with all signals and their reasons, all risks (internal ones too) '
  'and the record of its rule.';

-- 38_catalog_unread.sql

-- Events of which no parser made a question, with the reason. The census counts them, and
-- ops.explain names the reason of one.

create view catalog.unread_events with (security_invoker = true) as
select e.venue, e.event_id, e.series_id, true as is_stored,
       case
         when not exists (select from venue.markets m where m.venue = e.venue and m.event_id = e.event_id)
           then coalesce(
             (
               select s.code
               from venue.rejected_rows s
               where s.venue = e.venue and s.kind = 'market' and s.payload ->> 'event_ticker' = e.event_id
               order by s.last_seen_at desc, s.code
               limit 1
             ),
             'no_market'
           )
         when not exists (
           select
           from venue.markets m
           where m.venue = e.venue and m.event_id = e.event_id and m.state in ('unopened', 'trading', 'paused')
         ) then 'markets_closed'
         else coalesce(
           (
             select s.code
             from venue.rejected_rows s
             where s.venue = e.venue and s.kind = 'question' and s.native_id = e.event_id
             order by s.last_seen_at desc, s.code
             limit 1
           ),
           -- A rejected market is no reason where no event of the series makes a question.
           case
             when (e.venue, e.series_id) in (
               select o.venue, o.series_id
               from venue.questions q
               join venue.events o on o.venue = q.venue and o.event_id = q.event_id
               where o.series_id is not null
             ) then coalesce(
               (
                 select s.code
                 from venue.rejected_rows s
                 where s.venue = e.venue
                   and s.kind = 'market'
                   and s.native_id = any (
                     array(select m.market_id from venue.markets m where m.venue = e.venue and m.event_id = e.event_id)
                   )
                 order by s.last_seen_at desc, s.code
                 limit 1
               ),
               'not_read'
             )
             else 'no_parser'
           end
         )
       end as code
from venue.events e
where not exists (select from venue.questions q where q.venue = e.venue and q.event_id = e.event_id)
union all
  (
    select distinct on (s.venue, s.native_id) s.venue, s.native_id,
           coalesce(s.payload ->> 'series_ticker', s.payload #>> '{series,0,slug}'), false, s.code
    from venue.rejected_rows s
    where s.kind = 'event'
      -- A milestone is recorded under its own id, which is no event.
      and not starts_with(s.code, 'milestone.')
      and not exists (select from venue.events e where e.venue = s.venue and e.event_id = s.native_id)
    order by s.venue, s.native_id, s.last_seen_at desc, s.code
  );
comment on view catalog.unread_events is
  'Every event without a question, with the code of the reason. is_stored is false for an event '
  'that was rejected as a whole.';

create function catalog.describe_unread(p_code text) returns text
language sql immutable
set search_path = ''
as $$
  select case p_code
    when 'no_market' then 'The event has no stored market.'
    when 'markets_closed' then 'Trading has ended in all markets of the event.'
    when 'no_parser' then 'No parser made a question of any event of this series.'
    when 'not_read' then 'A parser reads other events of this series, but made no question of this one.'
    else 'A row of the listing was rejected: ' || p_code || '.'
  end
$$;
comment on function catalog.describe_unread(text) is
  'Why no parser made a question of an event: the sentence for a code of catalog.unread_events.';

create function catalog.find_events(p_about text) returns table (venue venue.code, event_id text)
language sql stable
set search_path = ''
as $$
  with input as (
    select v as about
    from unnest(array[trim(p_about), upper(trim(p_about)), lower(trim(p_about))]) v
  )
  select e.venue, e.event_id
  from venue.events e
  where e.event_id in (select a.about from input a)
  union
  select m.venue, m.event_id
  from venue.markets m
  where m.market_id in (select a.about from input a)
    or (m.venue = 'venue_b' and m.payload ->> 'slug' in (select a.about from input a))
  union
  select m.venue, m.event_id
  from venue.contracts c
  join venue.markets m on m.venue = c.venue and m.market_id = c.market_id
  where c.contract_id in (select a.about from input a)
$$;
comment on function catalog.find_events(text) is
  'Part of ops.explain: the stored events that an event ticker, ticker, event or market slug, '
  'condition id or token id belongs to.';

create function catalog.explain_events(p_about text) returns jsonb
language sql stable
set search_path = ''
as $$
  select coalesce(
    jsonb_agg(
      jsonb_build_object(
        'venue', e.venue, 'event', e.event_id, 'series', e.series_id, 'title', e.title, 'url', e.url, 'start_at',
        e.start_at, 'first_seen_at', e.first_seen_at, 'seen_at', e.seen_at, 'markets', (
          select coalesce(jsonb_object_agg(c.state, c.markets), '{}')
          from (
            select m.state, count(*) as markets
            from venue.markets m
            where m.venue = e.venue and m.event_id = e.event_id
            group by m.state
          ) c
        ), 'questions', (
          select count(*) from venue.questions q where q.venue = e.venue and q.event_id = e.event_id
        ), 'unread', u.code, 'unread_because', case when u.code is not null then catalog.describe_unread(u.code) end
      )
      order by e.venue, e.event_id
    ), '[]'
  )
  from catalog.find_events(p_about) f
  join venue.events e on e.venue = f.venue and e.event_id = f.event_id
  left join catalog.unread_events u on u.venue = e.venue and u.event_id = e.event_id
$$;
comment on function catalog.explain_events(text) is
  'Part of ops.explain: the stored events of a listing, the states of their markets, and why an '
  'event has no question.';

create function catalog.explain_series(p_about text) returns jsonb
language sql stable
set search_path = ''
as $$
  with input as (
    select v as about
    from unnest(array[trim(p_about), upper(trim(p_about)), lower(trim(p_about))]) v
  ), found as (
    select s.venue, s.series_id
    from venue.series s
    where s.series_id in (select a.about from input a)
    union
    select e.venue, e.series_id
    from venue.events e
    where e.series_id in (select a.about from input a)
  )
  select coalesce(
    jsonb_agg(
      jsonb_build_object(
        'venue', f.venue, 'series', f.series_id, 'title', s.title, 'category', s.category, 'events', (
          select count(*) from venue.events e where e.venue = f.venue and e.series_id = f.series_id
        ), 'unread', (
          select coalesce(jsonb_object_agg(c.code, c.events), '{}')
          from (
            select u.code, count(*) as events
            from catalog.unread_events u
            where u.venue = f.venue and u.series_id = f.series_id
            group by u.code
          ) c
        )
      )
      order by f.venue, f.series_id
    ), '[]'
  )
  from found f
  left join venue.series s on s.venue = f.venue and s.series_id = f.series_id
$$;
comment on function catalog.explain_series(text) is
  'Part of ops.explain: a series by its id, how many of its events are stored, and how many have '
  'no question, by code.';

revoke all on function
  catalog.describe_unread(text),
  catalog.find_events(text),
  catalog.explain_events(text),
  catalog.explain_series(text)
from public;

-- 39_catalog_retention.sql

-- Retention of the schemas venue and catalog: listings that are over, withdrawn pairs, and
-- old diagnostics. Settled pairs stay (catalog.pairs, outcomes, strikes, rules), because records
-- and history refer to them.

create table catalog.retention_settings (
  singleton boolean primary key default true check (singleton),
  keep_listings interval not null default interval '30 days' check (keep_listings > interval '0'),
  keep_withdrawn interval not null default interval '30 days' check (keep_withdrawn > interval '0'),
  keep_passes interval not null default interval '7 days' check (keep_passes > interval '0'),
  keep_rejected_rows interval not null default interval '30 days' check (keep_rejected_rows > interval '0')
);
comment on table catalog.retention_settings is 'The one settings row of retention times.';
comment on column catalog.retention_settings.keep_listings is
  'Time since the venue last listed an event; 30 days is also how long a result is awaited '
  '(contract.md). Payloads, markets, contracts and questions are deleted with it.';
comment on column catalog.retention_settings.keep_withdrawn is
  'A withdrawn pair is in no response. If it is matched again, it returns under the same id.';
comment on column catalog.retention_settings.keep_rejected_rows is
  'Time since the venue last sent the rejected row, or the unknown field or value, in real time.';
insert into catalog.retention_settings (singleton) values (true) on conflict do nothing;
alter table catalog.retention_settings enable row level security;
alter table catalog.retention_settings force row level security;

create function catalog.purge_listings(p_limit integer default 2000) returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_before timestamptz := clock.now() - (select r.keep_listings from catalog.retention_settings r);
  v_gone integer;
begin
  with recursive links as materialized (
    -- Both events of a pair are deleted together. If one question were deleted first, the other
    -- could be paired again while the settled pair still refers to it.
    select p.event_a, p.event_b,
           p.status in ('open', 'live', 'resolving') or (
             p.status = 'closed' and coalesce(greatest(p.closes_a, p.closes_b), p.start_time) > v_before
           ) as waits
    from catalog.pairs p
    join venue.events a on a.venue = 'venue_a' and a.event_id = p.event_a
    join venue.events b on b.venue = 'venue_b' and b.event_id = p.event_b
    where p.withdrawn_at is null
  ), both_ways as materialized (
    select 'venue_a' as venue, l.event_a as event_id, 'venue_b' as other_venue, l.event_b as other_id, l.waits
    from links l
    union all
    select 'venue_b', l.event_b, 'venue_a', l.event_a, l.waits
    from links l
  ), over as materialized (
    select e.venue::text as venue, e.event_id, e.seen_at
    from venue.events e
    where e.seen_at < v_before
      and not exists (
        select
        from venue.markets m
        where m.venue = e.venue and m.event_id = e.event_id and m.state in ('unopened', 'trading', 'paused')
      )
  ), kept (venue, event_id) as (
    select w.venue, w.event_id
    from both_ways w
    where w.waits
      or not exists (select from over o where o.venue = w.venue and o.event_id = w.event_id)
    union
    select w.other_venue, w.other_id
    from kept k
    join both_ways w on w.venue = k.venue and w.event_id = k.event_id
  ), free as materialized (
    select o.*
    from over o
    where not exists (select from kept k where k.venue = o.venue and k.event_id = o.event_id)
  ), batch (venue, event_id) as (
    (select f.venue, f.event_id from free f order by f.seen_at, f.venue, f.event_id limit p_limit)
    union
    select w.other_venue, w.other_id
    from batch b
    join both_ways w on w.venue = b.venue and w.event_id = b.event_id
  )
  delete from venue.events e
  using batch b
  where e.venue = b.venue
    and e.event_id = b.event_id;
  get diagnostics v_gone = row_count;
  return v_gone;
end
$$;
comment on function catalog.purge_listings(integer) is
  'Deletes events that the venue has not listed for keep_listings, that cannot trade and that no '
  'pair waits for; about p_limit, the oldest first. Returns how many.';

create function catalog.purge_withdrawn_pairs(p_limit integer default 2000) returns integer
language sql volatile
set search_path = ''
as $$
  with gone as (
    delete from catalog.pairs p
    where p.pair_id in (
      select w.pair_id
      from catalog.pairs w
      where w.withdrawn_at < clock.now() - (select r.keep_withdrawn from catalog.retention_settings r)
      order by w.withdrawn_at
      limit p_limit
    )
    returning p.pair_id
  ), keys_gone as (
    delete from catalog.outcome_keys k
    using gone g
    where k.pair_id = g.pair_id
  )
  select count(*)::integer
  from gone
$$;
comment on function catalog.purge_withdrawn_pairs(integer) is
  'Deletes up to p_limit pairs that were withdrawn longer than keep_withdrawn ago, with their '
  'outcome keys. Returns how many.';

create function catalog.purge_notes(p_limit integer default 5000) returns integer
language sql volatile
set search_path = ''
as $$
  with passes as (
    delete from catalog.match_passes p
    where p.started_at < clock.now() - (select r.keep_passes from catalog.retention_settings r)
      and p.pass_id < (select max(n.pass_id) from catalog.match_passes n)
    returning 1
  ), rejected as (
    delete from venue.rejected_rows s
    where s.rejected_row_id in (
      select o.rejected_row_id
      from venue.rejected_rows o
      where o.last_seen_at < clock_timestamp() - (select r.keep_rejected_rows from catalog.retention_settings r)
      order by o.last_seen_at
      limit p_limit
    )
    returning 1
  ), unknown as (
    delete from venue.unknown_values u
    where u.last_seen_at < clock_timestamp() - (select r.keep_rejected_rows from catalog.retention_settings r)
    returning 1
  ), assessments as (
    delete from catalog.assessments j
    where not exists (select from catalog.pairs p where p.assessment_id = j.assessment_id)
    returning 1
  )
  select (
    (select count(*) from passes) + (select count(*) from rejected) + (select count(*) from unknown)
      + (select count(*) from assessments)
  )::integer
$$;
comment on function catalog.purge_notes(integer) is
  'Deletes old match passes (never the newest), rejected rows and unknown names that the venue '
  'stopped sending, and assessments that no pair uses. Returns how many rows.';

create function catalog.purge_expired() returns boolean
language plpgsql volatile
set search_path = ''
as $$
begin
  -- Not during a match pass, which reads all these rows and is about to use them.
  if not pg_try_advisory_xact_lock(hashtextextended('catalog.run_match_pass', 0)) then
    return false;
  end if;
  perform catalog.purge_listings();
  perform catalog.purge_withdrawn_pairs();
  perform catalog.purge_notes();
  return true;
end
$$;
comment on function catalog.purge_expired() is
  'Retention of the schemas venue and catalog. False while a match pass runs: the next call does '
  'it.';

revoke all on function
  catalog.purge_listings(integer),
  catalog.purge_withdrawn_pairs(integer),
  catalog.purge_notes(integer),
  catalog.purge_expired()
from public;

-- 40_price.sql

-- Schema price: the prices of both order books of each pair over time, and the delayed snapshot
-- that REST serves. Prices are integers of 1e-6 USD, sizes integers of 0.01 contract. Times are
-- market time, exact to the millisecond.

create schema price;
revoke all on schema price from public;
grant usage on schema price to parallax_api, parallax_ingest;

create domain price.usd6 as integer check (value between 0 and 1000000);
comment on domain price.usd6 is 'A price of one contract in 1e-6 USD.';

create table price.settings (
  singleton boolean primary key default true check (singleton),
  rest_delay interval not null default interval '120 seconds' check (rest_delay >= interval '0'),
  step interval not null default interval '5 seconds' check (step > interval '0'),
  shards smallint not null default 4 check (shards between 1 and 64),
  keep_updates interval not null default interval '6 hours'
);
comment on table price.settings is
  'The one settings row: delay and step of the REST snapshot, the number of shards, and how long '
  'price updates are kept.';
insert into price.settings (singleton) values (true) on conflict do nothing;

create type price.price_update as (
  pair_id uuid,
  priced_at timestamptz,
  update_no bigint,
  ask_a integer[],
  ask_b integer[],
  bid_a integer[],
  bid_b integer[],
  size_a bigint[],
  size_b bigint[],
  bid_size_a bigint[],
  bid_size_b bigint[],
  ladder_a integer[],
  read_a timestamptz,
  read_b timestamptz,
  spread_pts numeric(7, 4),
  void_reason text
);
comment on type price.price_update is
  'Asks, bids and sizes of a pair at one time, an element for each outcome in outcome order, null '
  'for an empty side. The tables below copy these columns in this order.';
comment on column price.price_update.priced_at is
  'When ingest read the change from a venue, or when a book became invalid. Never before read_a '
  'and read_b.';
comment on column price.price_update.update_no is 'Order of writing, assigned by price.updates.';
comment on column price.price_update.size_a is 'Size at the ask, in 0.01 contract.';
comment on column price.price_update.bid_size_a is
  'Size at the bid, in 0.01 contract; null when ingest sends no bid sizes.';
comment on column price.price_update.read_a is
  'When the venue_a books of this pair were last read.';
comment on column price.price_update.void_reason is
  'Why no price may be used from here on (feed.silent, book.crossed, price.inverted, '
  'lease.expired …); null for an update with prices.';

-- Code passes price.price_update and never the row type of a table: a row type locks its table, and
-- the session that creates the next partition holds a conflicting lock until it commits.

create table price.updates (
  like price.price_update,
  primary key (pair_id, priced_at, update_no),
  constraint updates_books_read_before check (greatest(read_a, read_b) <= priced_at)
) partition by range (priced_at);
alter table price.updates
  alter column update_no add generated always as identity,
  alter column ask_a set not null,
  alter column ask_b set not null,
  alter column bid_a set not null,
  alter column bid_b set not null,
  alter column size_a set not null,
  alter column size_b set not null;
comment on table price.updates is
  'Append-only: each price update that changes the offer of a pair. Hourly partitions, created '
  'when they are needed.';
create index updates_by_time on price.updates (priced_at);

create table price.latest_updates (
  like price.price_update,
  primary key (pair_id)
) with (fillfactor = 70);
comment on table price.latest_updates is 'The newest price update of each pair.';

-- One row for each update and no key: a step that sees the row sees the update of the same
-- transaction too, and inserts never wait for each other.
create table price.late_updates (
  pair_id uuid not null,
  update_no bigint not null
);
comment on table price.late_updates is
  'Updates that were written so late that their step may have been rendered without them. The '
  'next step renders these pairs again.';

alter table price.settings enable row level security;
alter table price.settings force row level security;
alter table price.updates enable row level security;
alter table price.updates force row level security;
alter table price.latest_updates enable row level security;
alter table price.latest_updates force row level security;
alter table price.late_updates enable row level security;
alter table price.late_updates force row level security;

create policy "the api reads settings" on price.settings for select to parallax_api using (true);
grant select on price.settings to parallax_api;

create function price.spread_pts(p_ask_a integer[], p_ask_b integer[]) returns numeric
language sql immutable parallel safe
set search_path = ''
as $$
  select max(abs(a - b))::numeric / 10000
  from unnest(p_ask_a, p_ask_b) as t(a, b)
$$;
comment on function price.spread_pts(integer[], integer[]) is
  'The largest gap between the two asks of one outcome, in points (hundredths of $1); null when '
  'no outcome has both.';

create function price.potential_arb_pct(p_ask_a integer[], p_ask_b integer[]) returns numeric
language sql immutable parallel safe
set search_path = ''
as $$
  select case
    when count(*) > 0 and bool_and(a is not null and b is not null) and sum(least(a, b)) > 0
      then round((1000000::numeric / sum(least(a, b)) - 1) * 100, 2)
  end
  from unnest(p_ask_a, p_ask_b) as t(a, b)
$$;
comment on function price.potential_arb_pct(integer[], integer[]) is
  '(1 / sum of the cheaper ask of each outcome - 1) * 100; null unless every outcome has both '
  'asks.';
grant execute on function price.spread_pts(integer[], integer[]), price.potential_arb_pct(integer[], integer[])
to parallax_api;

-- 42_price_apply.sql

-- How prices reach the tables: price.apply_flush writes a flush, fenced by leases. This file also
-- has the partitions of price.updates, the voids of shards without a holder, and the watch list.

create function price.create_partition(p_table text, p_name text, p_from timestamptz, p_until timestamptz) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- Not to_regclass: a session that waited for the lock still caches that the table is missing.
  if not exists (
    select from pg_catalog.pg_class c where c.relnamespace = 'price'::regnamespace and c.relname = p_name
  ) then
    execute format(
      'create table price.%I partition of price.%I for values from (%L) to (%L)', p_name, p_table, p_from, p_until
    );
    execute format('alter table price.%I enable row level security', p_name);
    execute format('alter table price.%I force row level security', p_name);
  end if;
end
$$;
comment on function price.create_partition(text, text, timestamptz, timestamptz) is
  'Creates a partition unless it exists. The caller holds the lock that keeps two sessions from '
  'creating it at once.';

create function price.list_partitions_before(p_table text, p_name text) returns setof text
language sql stable
set search_path = ''
as $$
  select c.relname::text
  from pg_catalog.pg_inherits i
  join pg_catalog.pg_class c on c.oid = i.inhrelid
  where i.inhparent = format('price.%I', p_table)::regclass
    and c.relname < p_name
  order by c.relname
$$;
comment on function price.list_partitions_before(text, text) is
  'The partitions of a table whose names sort before p_name, oldest first. A name ends in the '
  'time of its partition.';

create function price.ensure_partitions(p_times timestamptz[]) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_from timestamptz;
  v_name text;
begin
  for v_from in
    select distinct date_trunc('hour', t.at, 'UTC')
    from unnest(p_times) as t(at)
    order by 1
  loop
    v_name := 'updates_' || to_char(v_from at time zone 'UTC', 'YYYYMMDDHH24');
    continue when to_regclass('price.' || v_name) is not null;
    perform pg_advisory_xact_lock(hashtextextended('price.updates', 0));
    perform price.create_partition('updates', v_name, v_from, v_from + interval '1 hour');
  end loop;
end
$$;
comment on function price.ensure_partitions(timestamptz[]) is
  'Creates the missing partitions of price.updates for these times and no other, because market '
  'time may be any hour of a replay.';

create function price.drop_old_partitions() returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_name text;
  v_dropped integer := 0;
  v_oldest text := 'updates_' || to_char(
    (clock.now() - (select s.keep_updates from price.settings s)) at time zone 'UTC', 'YYYYMMDDHH24'
  );
begin
  for v_name in select price.list_partitions_before('updates', v_oldest) loop
    execute format('drop table price.%I', v_name);
    v_dropped := v_dropped + 1;
  end loop;
  return v_dropped;
end
$$;
comment on function price.drop_old_partitions() is
  'Retention: drops hours older than price.settings.keep_updates. Served prices stay, because '
  'they are in price.latest_updates and price.snapshot.';

create function price.record_late_updates(p_put price.price_update[]) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  -- The newest step that may be made before this transaction commits. Ingest ends a query after
  -- 15 s (functions/ingest/database.ts).
  v_step timestamptz := price.step_at(clock.to_market_time(clock_timestamp() + interval '15 seconds'));
begin
  insert into price.late_updates (pair_id, update_no)
  select f.pair_id, f.update_no
  from unnest(p_put) f
  where f.priced_at <= v_step;
end
$$;
comment on function price.record_late_updates(price.price_update[]) is
  'Part of price.apply_flush: records updates that may be too late for their step, as after an '
  'outage or with a delay of seconds.';
revoke all on function price.record_late_updates(price.price_update[]) from public;

create function price.read_update(p_payload jsonb) returns price.price_update
language plpgsql stable
set search_path = ''
as $$
declare
  v_update price.price_update := jsonb_populate_record(null::price.price_update, p_payload - array['read_a', 'read_b']);
  v_read_a numeric := (p_payload ->> 'read_a')::numeric;
  v_read_b numeric := (p_payload ->> 'read_b')::numeric;
begin
  v_update.pair_id := p_payload ->> 'pair';
  -- Never before one of its books was read. Ingest already ensures this.
  v_update.priced_at := to_timestamp(greatest((p_payload ->> 'at')::numeric, v_read_a, v_read_b) / 1000);
  v_update.read_a := to_timestamp(v_read_a / 1000);
  v_update.read_b := to_timestamp(v_read_b / 1000);
  v_update.void_reason := p_payload ->> 'void';
  v_update.update_no := null;
  v_update.spread_pts := case
    when v_update.void_reason is null then price.spread_pts(v_update.ask_a, v_update.ask_b)
  end;
  return v_update;
end
$$;
comment on function price.read_update(jsonb) is
  'Parses a price update as ingest sends it (see pipeline.apply_books). Fields that are named '
  'like columns of price.price_update are read as these.';

create function price.void_update(p_last price.price_update, p_at timestamptz, p_void text) returns price.price_update
language sql immutable
set search_path = ''
as $$
  select row(
    p_last.pair_id, p_at, null, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', null, p_last.read_a, p_last.read_b,
    null, p_void
  )::price.price_update
$$;
comment on function price.void_update(price.price_update, timestamptz, text) is
  'An update without prices that follows p_last, with the reason code.';

create function price.offer_of(p_update price.price_update) returns price.price_update
language plpgsql immutable strict
set search_path = ''
as $$
begin
  p_update.priced_at := null;
  p_update.update_no := null;
  p_update.read_a := null;
  p_update.read_b := null;
  p_update.spread_pts := null;
  return p_update;
end
$$;
comment on function price.offer_of(price.price_update) is
  'The offer of an update: it without times, number and spread. Two updates of a pair are the '
  'same when their offers are equal.';

create function price.store_latest(p_updates price.price_update[]) returns void
language sql volatile
set search_path = ''
as $$
  insert into price.latest_updates as l
  select distinct on (u.pair_id) u.*
  from unnest(p_updates) u
  order by u.pair_id, u.priced_at desc, u.update_no desc
  on conflict (pair_id) do update
  set priced_at = excluded.priced_at,
      update_no = excluded.update_no,
      ask_a = excluded.ask_a,
      ask_b = excluded.ask_b,
      bid_a = excluded.bid_a,
      bid_b = excluded.bid_b,
      size_a = excluded.size_a,
      size_b = excluded.size_b,
      bid_size_a = excluded.bid_size_a,
      bid_size_b = excluded.bid_size_b,
      ladder_a = excluded.ladder_a,
      read_a = excluded.read_a,
      read_b = excluded.read_b,
      spread_pts = excluded.spread_pts,
      void_reason = excluded.void_reason
$$;
comment on function price.store_latest(price.price_update[]) is
  'Stores the newest of these updates of each pair. A test compares its columns with '
  'price.price_update.';
revoke all on function
  price.read_update(jsonb),
  price.void_update(price.price_update, timestamptz, text),
  price.offer_of(price.price_update),
  price.store_latest(price.price_update[])
from public;

create function price.apply_flush(
  p_tokens jsonb, p_updates jsonb, out put price.price_update[], out seen jsonb, out held text[]
)
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_held text[] := venue.lock_held_leases(p_tokens);
  v_shards smallint := (select s.shards from price.settings s);
  v_read price.price_update[] := array(
    select price.read_update(f.payload)
    from jsonb_array_elements(p_updates) with ordinality as f (payload, ord)
    order by f.ord
  );
  v_put price.price_update[];
  v_seen jsonb;
begin
  perform price.ensure_partitions(array(select r.priced_at from unnest(v_read) r));

  with read as (
    select u.ord, u.price, nullif(p_updates -> (u.ord - 1) -> 'opp', 'null') as opp
    from (select r as price, (row_number() over ())::integer as ord from unnest(v_read) r) u
  ), allowed as (
    -- Drops updates of a shard whose lease is not held, and updates older than the stored one.
    select r.ord, r.price, r.opp, case when l.pair_id is not null then row(l.*)::price.price_update end as last
    from read r
    join catalog.pairs p on p.pair_id = (r.price).pair_id
    left join price.latest_updates l on l.pair_id = (r.price).pair_id
    where 'books:' || (p.shard_key % v_shards) = any (v_held)
      and (l.pair_id is null or (r.price).priced_at >= l.priced_at)
  ), changed as (
    select c.ord, c.price
    from (
      select a.ord, a.price,
             price.offer_of(a.price) is distinct from lag(price.offer_of(a.price), 1, price.offer_of(a.last)) over (
               partition by (a.price).pair_id order by (a.price).priced_at, a.ord
             ) as moved
      from allowed a
    ) c
    where c.moved
  ), put as (
    insert into price.updates as f overriding user value
    select (c.price).*
    from changed c
    order by c.ord
    returning row(f.*)::price.price_update as written
  )
  select (
           select array_agg(p.written order by (p.written).priced_at, (p.written).update_no)
           from put p
         ),
         (
           select jsonb_agg(
             jsonb_build_object(
               'pair_id', a.pair_id, 'at', a.priced_at, 'opp', a.opp, 'void', a.void_reason, 'read_a', a.read_a,
               'read_b', a.read_b
             )
             order by a.ord
           )
           -- Includes updates without a price change: an opportunity may end, or its deeper levels
           -- change, at equal best prices.
           from (select n.ord, n.opp, (n.price).* from allowed n) a
         )
  into v_put, v_seen;
  perform price.store_latest(v_put);
  perform price.record_late_updates(v_put);
  put := v_put;
  seen := v_seen;
  held := v_held;
end
$$;
comment on function price.apply_flush(jsonb, jsonb) is
  'Writes the price updates of one flush. put: the changed ones; seen: all under a lease, '
  '[{pair_id, at, opp, void, read_a, read_b}]; held: the leases that are held.';
revoke all on function price.apply_flush(jsonb, jsonb) from public;

create view price.unread_pairs
with (security_invoker = true)
as
select p.pair_id, w.expires_at
from catalog.pairs p
left join venue.leases w on w.name = 'books:' || (p.shard_key % (select s.shards from price.settings s))
where w.holder is null
  or w.expires_at < clock_timestamp();
comment on view price.unread_pairs is
  'Pairs whose shard has no live holder, and when its lease expired (null: it was released).';

-- REST is two minutes behind. While this runs within that delay, no step serves a price from after
-- the end of a lease.
create function price.void_unread_pairs() returns price.price_update[]
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_due price.price_update[];
  v_voided price.price_update[];
begin
  -- A shard without a live holder is not read, so its prices are unknown from the end of its lease.
  select array_agg(
    price.void_update(
      row(l.*)::price.price_update,
      greatest(clock.to_market_time(coalesce(u.expires_at, clock_timestamp())), l.priced_at),
      'lease.expired'
    )
  )
  into v_due
  from price.latest_updates l
  join price.unread_pairs u on u.pair_id = l.pair_id
  where l.void_reason is null;
  perform price.ensure_partitions(array(select d.priced_at from unnest(v_due) d));

  with put as (
    insert into price.updates as f overriding user value
    select d.*
    from unnest(v_due) d
    join price.latest_updates l on l.pair_id = d.pair_id and l.void_reason is null
    returning row(f.*)::price.price_update as written
  )
  select array_agg(p.written order by (p.written).priced_at, (p.written).update_no)
  into v_voided
  from put p;
  perform price.store_latest(v_voided);
  return v_voided;
end
$$;
comment on function price.void_unread_pairs() is
  'Voids the prices of all pairs whose shard has no live holder, from the end of its lease. '
  'Returns the void updates, for pipeline.void_unread_pairs.';

create view price.watched_outcomes
with (security_invoker = true)
as
select 'books:' || (p.shard_key % s.shards) as shard,
       p.pair_id,
       p.status = 'live' as live,
       p.start_time,
       g.all_open as arb,
       o.ordinal, o.key, o.contract_a, o.side_a, o.contract_b,
       a.fee as fee_a,
       b.fee as fee_b,
       ceil(a.min_order * 100)::bigint as min_a,
       ceil(b.min_order * 100)::bigint as min_b,
       b.match_delay_seconds as delay_b,
       a.exchange_index as index_a
from catalog.pairs p
cross join price.settings s
join catalog.match_gates g on g.pair_id = p.pair_id
join catalog.outcomes o on o.pair_id = p.pair_id
left join venue.markets a on a.venue = 'venue_a' and a.market_id = o.market_a
left join venue.markets b on b.venue = 'venue_b' and b.market_id = o.market_b
where p.withdrawn_at is null
  and p.status in ('open', 'live', 'resolving');
comment on view price.watched_outcomes is
  'Each outcome whose books are read, with the inputs of the engine. min_a, min_b in 0.01 '
  'contract; delay_b in seconds (null: not stated); arb: gates 1 to 3 are open.';

-- For 3,000 pairs this takes a third of the time of making the JSON of the list (32 against 96 ms,
-- 2026-11-20, two cores).
create function price.watch_list_version(p_names text[]) returns text
language sql stable security definer
set search_path = ''
as $$
  with listed as materialized (
    select * from price.watched_outcomes w where w.shard = any (p_names)
  )
  select md5(concat(
    (select string_agg(l::text, '|' order by l.pair_id, l.ordinal) from listed l),
    '|',
    (
      select string_agg(r::text, '|' order by r.pair_id, r.ordinal)
      from catalog.strikes r
      where r.pair_id in (select l.pair_id from listed l)
    )
  ))
$$;
comment on function price.watch_list_version(text[]) is
  'Fingerprint of the rows of price.watch_list. A worker compares it twice a second.';

create function price.watch_list(p_names text[]) returns table (
  shard text,
  pair_id uuid,
  outcomes jsonb,
  ladder jsonb,
  index_a smallint,
  arb boolean
)
language sql stable security definer
set search_path = ''
as $$
  select w.shard,
         w.pair_id,
         jsonb_agg(
           jsonb_build_object(
             'key', w.key, 'contract_a', w.contract_a, 'side_a', w.side_a, 'contract_b', w.contract_b,
             'fee_a', w.fee_a, 'fee_b', w.fee_b, 'min_a', w.min_a, 'min_b', w.min_b, 'delay_b', w.delay_b
           )
           order by w.ordinal
         ),
         (
           select jsonb_agg(l.contract_a order by l.ordinal)
           from catalog.strikes l
           where l.pair_id = w.pair_id
         ),
         -- The venue keeps all markets of an event on one index. Where a pair has contracts of
         -- several, its index counts as unknown: its books then depend on every index.
         case
           when count(*) filter (where w.contract_a is not null and w.index_a is null) = 0
             and min(w.index_a) = max(w.index_a)
             and not exists (
               select
               from catalog.strikes l
               left join venue.markets m on m.venue = 'venue_a' and m.market_id = l.market_a
               where l.pair_id = w.pair_id
                 and m.exchange_index is distinct from min(w.index_a)
             )
             then min(w.index_a)
         end,
         w.arb
  from price.watched_outcomes w
  where w.shard = any (p_names)
  group by w.shard, w.pair_id, w.live, w.start_time, w.arb
  order by w.live desc, w.start_time, w.pair_id
$$;
comment on function price.watch_list(text[]) is
  'The pairs of the named shards, live ones first: outcomes and ladder (venue_a tickers or null) '
  'in the order of the arrays of a price update, index_a (the exchange index of venue_a), arb.';

revoke all on function price.void_unread_pairs() from public;
grant execute on function price.watch_list_version(text[]), price.watch_list(text[]) to parallax_ingest;

create function price.set_shard_count(p_shards smallint) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  update price.settings set shards = p_shards;
  insert into venue.leases (name)
  select 'books:' || g
  from generate_series(0, p_shards - 1) g
  on conflict do nothing;
  delete from venue.leases l
  where l.name like 'books:%'
    and split_part(l.name, ':', 2)::integer >= p_shards;
end
$$;
comment on function price.set_shard_count(smallint) is
  'For operators: sets the number of shards. Holders notice it at their next renewal. A pair '
  'whose shard changed is void until the new holder has read its books.';

insert into venue.leases (name)
values ('listings:venue_a'), ('listings:venue_b')
on conflict do nothing;
select price.set_shard_count(shards) from price.settings;

-- 44_price_filters.sql

-- The filters by category and context. All lists of the API, the search and the MCP tools use these
-- functions.

create function price.short_names() returns table (filter text, name text, short text[])
language sql immutable parallel safe
set search_path = ''
as $$
  values
    ('asset', 'Bitcoin', '{btc}'::text[]),
    ('asset', 'Ethereum', '{eth,ether}'),
    ('asset', 'Solana', '{sol}'),
    ('asset', 'XRP', '{ripple}'),
    ('asset', 'Dogecoin', '{doge}'),
    ('asset', 'BNB', '{binance coin}'),
    ('asset', 'Hyperliquid', '{hype}'),
    ('asset', 'Zcash', '{zec}'),
    ('asset', 'Cardano', '{ada}'),
    ('asset', 'Litecoin', '{ltc}'),
    ('asset', 'Bitcoin Cash', '{bch}'),
    ('asset', 'Chainlink', '{link}'),
    ('asset', 'Avalanche', '{avax}'),
    ('asset', 'Polkadot', '{dot}'),
    ('asset', 'Shiba Inu', '{shib}'),
    ('asset', 'Toncoin', '{ton}'),
    ('asset', 'NEAR', '{near protocol}'),
    ('asset', 'Stellar', '{xlm}'),
    ('asset', 'Hedera', '{hbar}'),
    ('asset', 'TRON', '{trx}'),
    ('asset', 'Uniswap', '{uni}'),
    ('asset', 'Ethena', '{ena}'),
    ('asset', 'Monero', '{xmr}'),
    ('asset', 'WTI crude oil', '{wti,crude oil,cl,oil}'),
    ('asset', 'Brent crude oil', '{brent,brent oil,bz,brn}'),
    ('asset', 'Gold', '{xauusd,xau}'),
    ('asset', 'Gold futures', '{gc}'),
    ('asset', 'Silver', '{xagusd,xag}'),
    ('asset', 'Silver futures', '{si}'),
    ('asset', 'Copper', '{hg}'),
    ('asset', 'Natural gas', '{ng,natgas}'),
    ('asset', 'Platinum', '{xptusd,xpt}'),
    ('asset', 'Palladium', '{xpdusd,xpd}'),
    ('institution', 'Federal Reserve', '{fed,fomc}'),
    ('institution', 'European Central Bank', '{ecb}'),
    ('institution', 'Bank of England', '{boe}'),
    ('institution', 'Bank of Japan', '{boj}'),
    ('institution', 'Bank of Canada', '{boc}'),
    ('institution', 'Bank of Mexico', '{banxico}'),
    ('institution', 'Reserve Bank of Australia', '{rba}'),
    ('institution', 'Reserve Bank of New Zealand', '{rbnz}'),
    ('institution', 'Reserve Bank of India', '{rbi}'),
    ('institution', 'Bank of Korea', '{bok}'),
    ('institution', 'Bank of Russia', '{cbr}'),
    ('institution', 'Central Bank of Brazil', '{copom,bcb}'),
    ('institution', 'South African Reserve Bank', '{sarb}'),
    ('institution', 'Swiss National Bank', '{snb}'),
    ('institution', 'Sveriges Riksbank', '{riksbank}'),
    ('institution', 'National Bank of Poland', '{nbp}'),
    ('institution', 'Central Bank of Turkey', '{tcmb,cbrt}'),
    ('institution', 'People''s Bank of China', '{pboc}'),
    ('indicator', 'CPI', '{inflation}'),
    ('indicator', 'PCE price index', '{pce}'),
    ('indicator', 'Core PCE price index', '{core pce}'),
    ('indicator', 'Unemployment rate', '{unemployment,u3}'),
    ('indicator', 'Nonfarm payrolls', '{payrolls,nfp,jobs}'),
    ('indicator', 'ADP employment', '{adp}'),
    ('indicator', 'Real GDP growth', '{gdp}'),
    ('location', 'New York City', '{nyc,new york}'),
    ('location', 'Los Angeles', '{la}'),
    ('location', 'San Francisco', '{sf}'),
    ('location', 'Washington, D.C.', '{dc,washington,washington dc}')
$$;
comment on function price.short_names() is
  'Short names that a filter accepts for a name of the catalog, in lower case. A test compares '
  'the names with the registry of the parsers.';

create function price.filter_condition(p_filters jsonb) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_column text;
  v_given text;
  v_condition text := '';
begin
  foreach v_column in array array[
    'category', 'sport', 'competition', 'location', 'asset', 'indicator', 'basis', 'institution'
  ] loop
    v_given := lower(p_filters ->> v_column);
    continue when v_given is null;
    v_condition := v_condition || format(
      ' and lower(s.%I) = any (%L::text[])',
      v_column,
      array(
        select v_given
        union
        select lower(n.name)
        from price.short_names() n
        where n.filter = v_column and v_given = any (n.short)
      )
    );
  end loop;
  return v_condition;
end
$$;
comment on function price.filter_condition(jsonb) is
  'SQL that is true of a row s of price.snapshot that matches these filters {category, sport, …}, '
  'in any case and by short names; empty without filters. Values are quoted literals.';

-- price.search_snapshot also runs both, as the owner.
grant execute on function price.short_names(), price.filter_condition(jsonb) to parallax_api;

-- 44_price_snapshot.sql

-- The delayed snapshot that REST serves. It moves in whole steps. Within a step nothing in it
-- changes, so equal requests get equal bytes. A step renders only the rows that changed.

create type price.filter_columns as (
  stage text,
  category text,
  market_type text,
  sport text,
  competition text,
  location text,
  asset text,
  indicator text,
  basis text,
  institution text,
  status text,
  signal text,
  spread_pts numeric(7, 4),
  start_time timestamptz,
  game_id uuid
);
comment on type price.filter_columns is
  'The columns by which a list filters and sorts. price.snapshot has the current values, '
  'price.past_rows the former ones.';

create table price.snapshot_rows (
  pair_id uuid primary key,
  change_no bigint not null,
  stage text not null,
  band text not null,
  category text not null,
  market_type text not null,
  sport text,
  competition text,
  location text,
  asset text,
  indicator text,
  basis text,
  institution text,
  status text not null,
  signal text not null,
  spread_pts numeric(7, 4),
  start_time timestamptz not null,
  game_id uuid,
  entity_confidence numeric(4, 3) not null,
  resolution_confidence numeric(4, 3) not null,
  has_history boolean not null default false,
  priced boolean not null,
  price_update price.price_update,
  price_reason text,
  head text not null,
  outcomes text not null,
  outcomes_depth text not null,
  tail text not null,
  ids text,
  settlement text
) with (fillfactor = 70, toast_tuple_target = 4080);
comment on table price.snapshot_rows is
  'The rows of price.snapshot: columns to filter and sort by, the price update, and the JSON that '
  'was rendered when the row changed (price.market_json joins it).';
comment on column price.snapshot_rows.change_no is 'The catalog.pairs.change_no that was rendered.';
comment on column price.snapshot_rows.band is
  'catalog.pairs.band, match_band on the wire. Independent of stage: a published ladder may have '
  'the band REVIEW.';
comment on column price.snapshot_rows.priced is
  'Whether the row has prices: an update that is not void, with as many outcomes as the pair and '
  'at least one ask, in a market that still trades.';
comment on column price.snapshot_rows.price_update is
  'The update at the step, void or not; null when there is none. An identity change is rendered '
  'with it, not with price.latest_updates, which is ahead by the delay.';
comment on column price.snapshot_rows.price_reason is
  'Why gate 4 is closed, by price.judge_price; null when it is open.';
comment on column price.snapshot_rows.head is
  'JSON fields without braces: those of a Market before its outcomes.';
comment on column price.snapshot_rows.outcomes is
  'A JSON array. outcomes_depth also contains both books of each outcome.';
comment on column price.snapshot_rows.tail is
  'JSON fields without braces: those after the outcomes. ids and settlement are the fields that '
  'include=ids and include=settlement add.';

-- docs/decisions/001-snapshot-table.md explains why the view reads a table.
create view price.snapshot with (security_invoker = true) as
select r.*
from price.snapshot_rows r;
comment on view price.snapshot is
  'The delayed snapshot: each pair as REST serves it at price.snapshot_state.step.';

create function price.filter_columns_of(p_row price.snapshot) returns price.filter_columns
language plpgsql immutable
set search_path = ''
as $$
begin
  return row(
    p_row.stage, p_row.category, p_row.market_type, p_row.sport, p_row.competition, p_row.location, p_row.asset,
    p_row.indicator, p_row.basis, p_row.institution, p_row.status, p_row.signal, p_row.spread_pts, p_row.start_time,
    p_row.game_id
  )::price.filter_columns;
end
$$;
comment on function price.filter_columns_of(price.snapshot) is
  'The filter columns of a row of the snapshot; all null without a row.';
revoke all on function price.filter_columns_of(price.snapshot) from public;

-- The two orders of the default list. No index contains spread_pts: it changes with almost every
-- update, and an index on it would turn each of those writes into a new entry in every index of the
-- row. Sorting the open rows costs less (see 85_api_markets.sql).
create index snapshot_trading on price.snapshot_rows (stage, start_time, pair_id) where status in ('open', 'live');
create index snapshot_by_start on price.snapshot_rows (stage, status, start_time, pair_id);
create index snapshot_by_game on price.snapshot_rows (game_id) where game_id is not null;

create table price.snapshot_state (
  singleton boolean primary key default true check (singleton),
  step timestamptz not null default '-infinity',
  change_no bigint not null default 0,
  version text not null generated always as (
    case when isfinite(step) then (extract(epoch from step - timestamptz 'epoch') * 1000)::bigint else 0 end::text
      || '.' || change_no::text
  ) stored,
  rows_written integer not null default 0,
  render_time interval
);
comment on table price.snapshot_state is 'The one row with the state of the snapshot.';
comment on column price.snapshot_state.step is
  'Market time of the prices in price.snapshot; -infinity before the first step.';
comment on column price.snapshot_state.change_no is 'Increases with each step.';
comment on column price.snapshot_state.version is
  'Identifies one state of the snapshot: its step, and the number of steps made, because a replay '
  'may pass the same time again.';
comment on column price.snapshot_state.rows_written is
  'Rows that the last step rendered. render_time is the time that it took.';
insert into price.snapshot_state (singleton) values (true) on conflict do nothing;

alter table price.snapshot_rows enable row level security;
alter table price.snapshot_rows force row level security;
alter table price.snapshot_state enable row level security;
alter table price.snapshot_state force row level security;
create policy "the api reads the snapshot" on price.snapshot_rows for select to parallax_api using (true);
create policy "the api reads the step" on price.snapshot_state for select to parallax_api using (true);
grant select on price.snapshot, price.snapshot_rows, price.snapshot_state to parallax_api;

-- plpgsql where every request calls a function: see 10_clock.sql.
create function price.step_of(p_settings price.settings, p_at timestamptz) returns timestamptz
language plpgsql immutable
set search_path = ''
as $$
begin
  return date_bin(p_settings.step, p_at - p_settings.rest_delay, timestamptz 'epoch');
end
$$;
comment on function price.step_of(price.settings, timestamptz) is
  'The step that REST serves at a market time under these settings: floor((p_at - rest_delay) to '
  'step), counted from the epoch in UTC.';
revoke all on function price.step_of(price.settings, timestamptz) from public;

-- Runs as its owner, so that one plan serves every role: see 10_clock.sql.
create function price.step_at(p_at timestamptz) returns timestamptz
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return (select price.step_of(s, p_at) from price.settings s);
end
$$;
comment on function price.step_at(timestamptz) is 'price.step_of with the current settings.';

create function price.judge_price(p_priced boolean, p_complete boolean, p_update price.price_update) returns text
language sql immutable parallel safe
return case
  when (p_update).void_reason is not null then 'priced.' || (p_update).void_reason
  when (p_update).update_no is null then 'priced.never'
  when p_priced is not true then 'priced.not_trading'
  when p_complete is not true then 'priced.incomplete'
end;
comment on function price.judge_price(boolean, boolean, price.price_update) is
  'Gate 4: why a row has no price to trade on; null when it has one. p_priced: the row has '
  'prices; p_complete: each outcome has both asks and no crossed book.';

grant execute on function price.step_at(timestamptz) to parallax_api;

-- 44_price_snapshot_past.sql

-- Former states of the snapshot, for as long as a cursor works. Paging through a list keeps the
-- order and the rows of the snapshot in which it began, while the snapshot moves on. Each step
-- stores the former sort and filter columns of the rows that it changes. A paging that began at
-- change_no w reads, for each pair, its first former row that was replaced after w, or else the row
-- of price.snapshot.
--
-- Rejected: a keyset on the current spread_pts lost 19 to 27 rows of 500 in a paging over 12 steps.
-- A table with the ordered ids of each paging would let a caller fill it with pagings that never
-- finish. This costs the same for one caller or a thousand.

alter table price.settings add column keep_walks interval not null default interval '150 seconds'
  check (keep_walks >= interval '2 minutes');
comment on column price.settings.keep_walks is
  'Real time for which a cursor works after the step that ends the snapshot in which its paging '
  'began. The contract promises two minutes.';

create table price.past_steps (
  change_no bigint primary key,
  ended_at timestamptz not null
);
comment on table price.past_steps is
  'Former states of the snapshot in which a paging may have begun: '
  'price.snapshot_state.change_no, and when (real time) the next step ended it.';

create table price.past_rows (
  until_change_no bigint not null,
  pair_id uuid not null,
  like price.filter_columns,
  primary key (until_change_no, pair_id)
);
comment on table price.past_rows is
  'Former sort and filter columns of each row of price.snapshot that a step changed, added or '
  'removed. stage is null when the pair was not in the snapshot.';
comment on column price.past_rows.until_change_no is
  'The price.snapshot_state.change_no of the step that replaced these values.';

alter table price.past_steps enable row level security;
alter table price.past_steps force row level security;
alter table price.past_rows enable row level security;
alter table price.past_rows force row level security;
create policy "the api reads past steps" on price.past_steps for select to parallax_api using (true);
create policy "the api reads past rows" on price.past_rows for select to parallax_api using (true);
grant select on price.past_steps, price.past_rows to parallax_api;

create function price.end_step(p_change_no bigint) returns void
language sql volatile
set search_path = ''
as $$
  with over as (
    delete from price.past_steps p
    where p.ended_at < clock_timestamp() - (select s.keep_walks from price.settings s)
    returning p.change_no
  )
  -- A paging that began at w needs the rows that were replaced after w, so w + 1 at the earliest.
  delete from price.past_rows r
  where r.until_change_no <= (select max(o.change_no) + 1 from over o);

  insert into price.past_steps (change_no, ended_at) values (p_change_no, clock_timestamp());
$$;
comment on function price.end_step(bigint) is
  'Part of price.begin_step: keeps the state of this change_no for the pagings that began in it, '
  'and deletes those that are too old.';

create function price.is_cursor_valid(p_change_no bigint) returns boolean
language sql stable
set search_path = ''
as $$
  select exists (select from price.snapshot_state s where s.change_no = p_change_no)
    or exists (
      select
      from price.past_steps p
      where p.change_no = p_change_no
        and p.ended_at >= clock_timestamp() - (select s.keep_walks from price.settings s)
    )
$$;
comment on function price.is_cursor_valid(bigint) is
  'Whether a paging that began at this price.snapshot_state.change_no can continue.';

revoke all on function price.end_step(bigint) from public;
grant execute on function price.is_cursor_valid(bigint) to parallax_api;

-- 45_price_history.sql

-- Price history: the asks of both venues, minute by minute.
--
-- The sampler writes each minute to price.minute_samples (hourly partitions). When an hour is over,
-- it packs it into one row for each pair in price.hourly_history (daily partitions). Whole
-- partitions are dropped, so no single row is updated or deleted. A row a minute is 190 bytes with
-- its index entries, 810 MB a day for 3,000 pairs of two outcomes. An hour of them packed is 1.4
-- kB, 100 MB a day.

alter table price.settings add column keep_history interval not null default interval '90 days'
  check (keep_history >= interval '1 day');
comment on column price.settings.keep_history is 'How long price history is kept, in whole days.';

create table price.outcome_orders (
  order_no integer generated always as identity primary key,
  pair_id uuid not null,
  since timestamptz not null,
  keys text[] not null,
  names text[] not null,
  until timestamptz,
  unique (pair_id, since)
);
comment on table price.outcome_orders is
  'The outcomes of a pair, in the order of the arrays of its points, from since on. A pair whose '
  'outcomes change gets another row; its older points keep theirs.';
comment on column price.outcome_orders.since is
  'Price updates from here on have this order; -infinity for the first order of a pair.';
comment on column price.outcome_orders.names is
  'The names when the order was first seen. An outcome that still exists is served with its '
  'current name.';
comment on column price.outcome_orders.until is
  'The hour of the newest point of this order; null while it has none.';
create index outcome_orders_with_points on price.outcome_orders (pair_id) where until is not null;

create table price.minute_samples (
  pair_id uuid not null,
  t timestamptz not null,
  order_no integer not null,
  ask_a integer[] not null,
  ask_b integer[] not null,
  primary key (pair_id, t)
) partition by range (t);
comment on table price.minute_samples is
  'The price update that was current at each whole minute, for hours that are not packed yet: '
  'asks in 1e-6 USD, in the order of order_no. No row for a minute without prices.';
comment on column price.minute_samples.t is 'Start of the bucket, market time.';
create index minute_samples_by_time on price.minute_samples (t);

create table price.hourly_history (
  pair_id uuid not null,
  hour timestamptz not null,
  order_no integer not null,
  minutes smallint[] not null,
  ask_a integer[] not null,
  ask_b integer[] not null,
  primary key (pair_id, hour, order_no)
) partition by range (hour);
comment on table price.hourly_history is
  'An hour of price.minute_samples in one row: the minutes that have a point, and the asks for '
  'each of them.';
comment on column price.hourly_history.ask_a is 'Two dimensions: minute, outcome.';

create table price.sampler_state (
  singleton boolean primary key default true check (singleton),
  sampled_at timestamptz not null default '-infinity',
  change_no bigint not null default 0
);
comment on table price.sampler_state is 'The one row with the progress of the sampler.';
comment on column price.sampler_state.sampled_at is 'The newest minute that was sampled.';
comment on column price.sampler_state.change_no is
  'Increases when points are added or dropped. With a pair and a range it identifies one response.';
insert into price.sampler_state (singleton) values (true) on conflict do nothing;

alter table price.outcome_orders enable row level security;
alter table price.outcome_orders force row level security;
alter table price.minute_samples enable row level security;
alter table price.minute_samples force row level security;
alter table price.hourly_history enable row level security;
alter table price.hourly_history force row level security;
alter table price.sampler_state enable row level security;
alter table price.sampler_state force row level security;
create policy "the api reads outcome orders" on price.outcome_orders for select to parallax_api using (true);
create policy "the api reads samples" on price.minute_samples for select to parallax_api using (true);
create policy "the api reads history" on price.hourly_history for select to parallax_api using (true);
create policy "the api reads the sampler state" on price.sampler_state for select to parallax_api using (true);
grant select on price.outcome_orders, price.minute_samples, price.hourly_history, price.sampler_state to parallax_api;

create function price.pack_hours(p_before timestamptz) returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_hour timestamptz;
  v_name text;
  v_packed integer := 0;
begin
  for v_name in
    select price.list_partitions_before(
      'minute_samples', 'minute_samples_' || to_char(p_before at time zone 'UTC', 'YYYYMMDDHH24')
    )
  loop
    -- Readers lock the tables in this order too. Another order could deadlock with them.
    lock table price.minute_samples in access exclusive mode;
    v_hour := to_timestamp(right(v_name, 10), 'YYYYMMDDHH24')::timestamp at time zone 'UTC';
    perform price.create_partition(
      'hourly_history', 'hourly_history_' || to_char(v_hour at time zone 'UTC', 'YYYYMMDD'),
      date_trunc('day', v_hour, 'UTC'), date_trunc('day', v_hour, 'UTC') + interval '1 day'
    );
    with packed as (
      insert into price.hourly_history (pair_id, hour, order_no, minutes, ask_a, ask_b)
      select s.pair_id, v_hour, s.order_no,
             array_agg(extract(minute from s.t at time zone 'UTC')::smallint order by s.t),
             array_agg(s.ask_a order by s.t),
             array_agg(s.ask_b order by s.t)
      from price.minute_samples s
      where s.t >= v_hour
        and s.t < v_hour + interval '1 hour'
      group by s.pair_id, s.order_no
      on conflict (pair_id, hour, order_no) do nothing
      returning order_no
    )
    update price.outcome_orders o
    set until = v_hour
    from packed p
    where o.order_no = p.order_no;
    execute format('drop table price.%I', v_name);
    v_packed := v_packed + 1;
  end loop;
  return v_packed;
end
$$;
comment on function price.pack_hours(timestamptz) is
  'Part of price.sample_history: packs the hours of samples before p_before and drops their '
  'partitions, in the same transaction. Returns the number of hours.';

revoke all on function price.pack_hours(timestamptz) from public;

-- 46_price_render.sql

-- The JSON of a Market. It is rendered when the row changes, never when it is read.

create type price.render_input as (
  pair_id uuid,
  fresh boolean,
  price price.price_update
);
comment on type price.render_input is
  'A pair with the price update to render (null: none). fresh: its identity changed, so ids and '
  'settlement are rendered too.';

create function price.fields_of(p_object text) returns text
language sql immutable parallel safe
return substr(left(p_object, -1), 2);
comment on function price.fields_of(text) is
  'The fields of a JSON object that row_to_json wrote, without its braces. For objects whose '
  'fields come from several rows or are optional.';

create function price.market_json(p_head text, p_outcomes text, p_tail text, p_ids text, p_settlement text) returns text
language sql immutable parallel safe
return '{' || p_head || ',"outcomes":' || p_outcomes || ',' || p_tail || coalesce(',' || p_ids, '')
  || coalesce(',' || p_settlement, '') || '}';
comment on function price.market_json(text, text, text, text, text) is
  'A Market from the columns of a row of price.snapshot. p_ids and p_settlement are null when '
  'they are not included.';

-- A row stores its Market in parts, because REST includes three of them on request. The parts are
-- fields without braces: removing braces at each read doubled the time of a page (500 markets: 5.8
-- to 11.3 ms, 2026-11-24, 2 busy cores).
create function price.render_rows(p_inputs price.render_input[]) returns setof price.snapshot
language plpgsql stable
set search_path = ''
-- to_char formats the times in place: a call of base.format_time for each of them costs more than
-- everything else.
as $$
begin
  return query
  with inputs as materialized (
    select s.pair_id as input_id, s.fresh, s.price, (s.price).*
    from unnest(p_inputs) s
  ), legs as (
    select o.pair_id, o.ordinal, o.key, o.name, o.contract_a, coalesce(o.side_a, 'yes') as side_a, o.contract_b,
           o.relation, o.span, s.ask_a[o.n] as ask_a, s.ask_b[o.n] as ask_b, s.bid_a[o.n] as bid_a,
           s.bid_b[o.n] as bid_b, s.size_a[o.n] as size_a, s.size_b[o.n] as size_b,
           s.bid_size_a[o.n] as bid_size_a, s.bid_size_b[o.n] as bid_size_b,
           -- An update with another number of outcomes was read before the pair changed, so its
           -- positions no longer match.
           s.void_reason is null and cardinality(s.ask_a) = o.outcomes and cardinality(s.ask_b) = o.outcomes as fits
    from inputs s
    join (
      select c.*,
             row_number() over (partition by c.pair_id order by c.ordinal) as n,
             count(*) over (partition by c.pair_id) as outcomes
      from catalog.outcomes c
      where c.pair_id in (select x.input_id from inputs x)
    ) o on o.pair_id = s.input_id
  ), written as (
    select l.pair_id, l.ordinal, l.fits, l.ask_a, l.ask_b,
           l.ask_a is not null and l.ask_b is not null
             and (l.bid_a < l.ask_a) is not false and (l.bid_b < l.ask_b) is not false as complete,
           -- relation and venue_a_span are written only where they are not null.
           concat_ws(
             ',', price.fields_of(row_to_json(f)::text),
             nullif(price.fields_of(json_strip_nulls(row_to_json(r))::text), '')
           ) as fields,
           price.fields_of(row_to_json(b)::text) as books
    from legs l
    cross join lateral (
      select l.key, l.name,
             trim_scale(l.ask_a / 1000000.0) as venue_a,
             trim_scale(l.ask_b / 1000000.0) as venue_b,
             case when l.ask_a < l.ask_b then 'venue_a' when l.ask_b < l.ask_a then 'venue_b' end as cheaper
    ) f
    cross join lateral (select l.relation, l.span as venue_a_span) r
    cross join lateral (
      select trim_scale(l.ask_a / 1000000.0) as ask, trim_scale(l.bid_a / 1000000.0) as bid,
             trim_scale(l.size_a / 100.0) as depth, trim_scale(l.bid_size_a / 100.0) as bid_depth,
             l.contract_a as ticker, l.side_a as side
    ) book_a
    cross join lateral (
      select trim_scale(l.ask_b / 1000000.0) as ask, trim_scale(l.bid_b / 1000000.0) as bid,
             trim_scale(l.size_b / 100.0) as depth, trim_scale(l.bid_size_b / 100.0) as bid_depth,
             l.contract_b as token_id
    ) book_b
    cross join lateral (
      select case when l.contract_a is not null then row_to_json(book_a) end as venue_a_book,
             case when l.contract_b is not null then row_to_json(book_b) end as venue_b_book
    ) b
  ), outcomes as (
    select w.pair_id,
           bool_and(w.fits) as fits,
           bool_and(w.complete) as complete,
           -- The same as price.spread_pts, in one pass over the outcomes.
           max(abs(w.ask_a - w.ask_b)) / 10000.0 as gap,
           bool_or(w.ask_a is not null) as any_a,
           bool_or(w.ask_b is not null) as any_b,
           '[' || string_agg('{' || w.fields || '}', ',' order by w.ordinal) || ']' as plain,
           '[' || string_agg('{' || w.fields || ',' || w.books || '}', ',' order by w.ordinal) || ']' as depth
    from written w
    group by w.pair_id
  ), strikes as (
    select r.pair_id,
           bool_or(r.ask is not null) as any_a,
           array_to_json(array_agg(row_to_json(x) order by r.ordinal)) as ladder
    from (
      select l.pair_id, l.ordinal, l.label,
             case
               when p.status in ('open', 'live', 'resolving')
                 and s.void_reason is null
                 and cardinality(s.ladder_a) = count(*) over (partition by l.pair_id)
                 then s.ladder_a[row_number() over (partition by l.pair_id order by l.ordinal)]
             end as ask
      from inputs s
      join catalog.pairs p on p.pair_id = s.input_id
      join catalog.strikes l on l.pair_id = s.input_id
    ) r
    cross join lateral (select r.label, trim_scale(r.ask / 1000000.0) as venue_a) x
    group by r.pair_id
  ), risks as (
    select k.pair_id,
           array_to_json(array_agg(
             row_to_json(x) order by catalog.severity_rank(k.severity), k.event
           )) as risks
    from inputs s
    join catalog.pair_risks k on k.pair_id = s.input_id
    cross join lateral (select k.event, k.severity, k.note) x
    where s.fresh
      -- Cancellation risks count in the signal and are not published.
      and not starts_with(k.event, 'cancel_')
    group by k.pair_id
  ), known as (
    select s.fresh, s.price, p.*, o.plain, o.depth, o.any_b, r.ladder, r.any_a as any_strike, o.any_a as any_leg,
           g.parity_ok, k.risks, o.complete, o.gap as read_gap,
           g.all_open, f.fields,
           o.fits
             and p.status in ('open', 'live', 'resolving')
             and (o.any_a or o.any_b or coalesce(r.any_a, false)) as quoted
    from inputs s
    join catalog.pairs p on p.pair_id = s.input_id
    left join outcomes o on o.pair_id = s.input_id
    left join strikes r on r.pair_id = s.input_id
    left join risks k on k.pair_id = s.input_id
    left join catalog.match_gates g on g.pair_id = s.input_id
    left join catalog.market_families() f on f.family = p.market_type
    where p.withdrawn_at is null
  ), judged as materialized (
    select k.*,
           coalesce(k.quoted, false) as priced,
           case when k.quoted then k.read_gap end as gap,
           v.price_reason,
           case when k.all_open and v.price_reason is null then 'arb' else 'spread' end as signal
    from known k
    cross join lateral (select price.judge_price(k.quoted, k.complete, k.price) as price_reason) v
  )
  select j.pair_id, j.change_no, j.stage, j.band, j.category, j.market_type::text, j.sport, j.competition, j.location,
         j.asset, j.indicator, j.basis, j.institution, j.status, j.signal, j.gap::numeric(7, 4), j.start_time,
         j.game_id, j.entity_confidence, j.resolution_confidence,
         exists (select from price.outcome_orders x where x.pair_id = j.pair_id and x.until is not null), j.priced,
         j.price, j.price_reason,
         price.fields_of(row_to_json(head_fields)::text),
         case when j.priced then j.plain else '[]' end,
         case when j.priced then j.depth else '[]' end,
         concat_ws(
           ',',
           price.fields_of(row_to_json(tail_fields)::text),
           case j.fields
             when 'line' then price.fields_of(row_to_json(line_fields)::text)
             when 'strikes' then price.fields_of(row_to_json(strike_fields)::text)
           end,
           case when j.omitted_outcomes is not null then price.fields_of(row_to_json(factor_fields)::text) end
         ),
         case when j.fresh then (
           select price.fields_of(row_to_json(x)::text)
           from (
             select v as venues, c as confidence
             from (
               select a as venue_a, b as venue_b
               from (select j.event_a as event_ticker) a
               cross join (select j.condition_b as condition_id, j.slug_b as slug) b
             ) v
             cross join (
               select trim_scale(j.entity_confidence) as entity, trim_scale(j.resolution_confidence) as resolution
             ) c
           ) x
         ) end,
         case when j.fresh then (
           select price.fields_of(row_to_json(x)::text)
           from (
             select s as settlement
             from (
               select coalesce(j.parity_ok, false) as parity,
                      coalesce(j.risks, '[]') as risks,
                      j.text_a as venue_a_text,
                      j.text_b as venue_b_text,
                      j.result -> 'verdict' as verdict
             ) s
           ) x
         ) end
  from judged j
  cross join lateral (
    select j.priced and (j.any_leg or coalesce(j.any_strike, false)) as venue_a, j.priced and j.any_b as venue_b
  ) coverage
  cross join lateral (
    select 'mkt_' || j.pair_id as id,
           j.slug, j.category, j.market_type, j.sport, j.competition, j.location, j.asset, j.indicator, j.basis,
           j.institution, j.tags, j.title, j.home, j.away,
           to_char(j.start_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as start_time,
           j.status,
           case j.stage when 'catalog' then 'high_confidence' else 'review' end as match,
           j.signal,
           trim_scale(j.gap) as spread_pts,
           case
             when j.signal = 'arb' then trim_scale(price.potential_arb_pct((j.price).ask_a, (j.price).ask_b))
           end as potential_arb_pct,
           coverage
  ) head_fields
  cross join lateral (select j.url_a as venue_a, j.url_b as venue_b) links
  cross join lateral (
    select j.result - 'paid' as result,
           to_char(j.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at,
           to_char(
             case when j.priced then (j.price).priced_at else j.updated_at end at time zone 'UTC',
             'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
           ) as priced_at,
           links
  ) tail_fields
  cross join lateral (select trim_scale(j.line) as line, 'mkt_' || j.game_id as game_id) line_fields
  cross join lateral (select base.format_time(j.closes_a) as venue_a, base.format_time(j.closes_b) as venue_b) closes
  cross join lateral (select closes, coalesce(j.ladder, '[]') as venue_a_ladder) strike_fields
  cross join lateral (select j.omitted_outcomes as factors) factor_fields;
end
$$;
comment on function price.render_rows(price.render_input[]) is
  'Rows of price.snapshot for pairs with their price update. A row that is not fresh has no ids '
  'and settlement. A withdrawn or unknown pair has no row.';
grant execute on function price.fields_of(text), price.market_json(text, text, text, text, text) to parallax_api;

-- 47_price_sampler.sql

-- The sampler records which price update was current at each whole minute of market time, once the
-- snapshot has passed that minute.
--
-- 3,000 pairs of two outcomes with three updates a minute each (PostgreSQL 17, 2 busy cores,
-- 2026-11-20): 70 to 190 ms a minute, 650 ms for one that packs an hour. A step never waits for the
-- sampler: they only share rows of the snapshot, and the sampler skips those that a step has
-- locked.

-- A change of outcomes also changes updated_at, so updates before it belong to the former order.
create function price.record_outcome_orders(p_since timestamptz) returns void
language sql volatile
set search_path = ''
as $$
  insert into price.outcome_orders (pair_id, since, keys, names)
  select p.pair_id, case when k.since is null then timestamptz '-infinity' else p.updated_at end, n.keys, n.names
  from catalog.pairs p
  cross join lateral (
    select array_agg(o.key order by o.ordinal) as keys, array_agg(o.name order by o.ordinal) as names
    from catalog.outcomes o
    where o.pair_id = p.pair_id
  ) n
  left join lateral (
    select o.keys, o.since
    from price.outcome_orders o
    where o.pair_id = p.pair_id
    order by o.since desc
    limit 1
  ) k on true
  where (
    (p.withdrawn_at is null and p.status in ('open', 'live', 'resolving'))
    -- Settled before its first point was sampled.
    or p.pair_id in (select l.pair_id from price.latest_updates l where l.priced_at > p_since)
  )
    and n.keys is not null
    and k.keys is distinct from n.keys
    and (k.since is null or p.updated_at > k.since)
$$;
comment on function price.record_outcome_orders(timestamptz) is
  'Part of price.sample_history: records the outcome order of pairs that are new or whose '
  'outcomes changed. p_since: the last sampled minute.';

create function price.sample_bucket(p_since timestamptz, p_t timestamptz) returns integer
-- plpgsql makes its plans again when a partition is added. An SQL function keeps its plan for all
-- calls of a loop, and would not read what it wrote into an hour that began within the loop.
language plpgsql volatile
set search_path = ''
as $$
declare
  v_points integer;
begin
  with moved as materialized (
    select distinct on (f.pair_id) f.pair_id, f.priced_at, f.ask_a, f.ask_b, f.void_reason
    from price.updates f
    where f.priced_at > p_since
      and f.priced_at <= p_t
    order by f.pair_id, f.priced_at desc, f.update_no desc
  ), still as materialized (
    -- Pairs without an update in this minute.
    select l.pair_id, l.priced_at, l.ask_a, l.ask_b, l.void_reason
    from price.latest_updates l
    where not exists (select from moved m where m.pair_id = l.pair_id)
  ), current_prices as (
    select m.pair_id, m.priced_at, null::integer as order_no, m.ask_a, m.ask_b
    from moved m
    where m.void_reason is null
    union all
    -- The latest update is older and still current, also when its hour of price.updates has been
    -- dropped. The minute in which a pair stopped trading is unknown, so such a pair gets no point
    -- after its last update.
    select s.pair_id, s.priced_at, null, s.ask_a, s.ask_b
    from still s
    join catalog.pairs p on p.pair_id = s.pair_id
    where s.priced_at <= p_t
      and s.void_reason is null
      and p.withdrawn_at is null
      and p.status in ('open', 'live', 'resolving')
    union all
    -- The latest update is later than this minute: the point of the minute before is still current.
    select b.pair_id, null, b.order_no, b.ask_a, b.ask_b
    from price.minute_samples b
    join still s on s.pair_id = b.pair_id
    where b.t = p_since
      and s.priced_at > p_t
  ), put as (
    insert into price.minute_samples (pair_id, t, order_no, ask_a, ask_b)
    select s.pair_id, p_t, o.order_no, s.ask_a, s.ask_b
    from current_prices s
    cross join lateral (
      select r.order_no, r.keys
      from price.outcome_orders r
      where r.pair_id = s.pair_id
        and (r.order_no = s.order_no or (s.order_no is null and r.since <= s.priced_at))
      order by r.since desc
      limit 1
    ) o
    where cardinality(s.ask_a) = cardinality(o.keys)
      and cardinality(s.ask_b) = cardinality(o.keys)
      and array_remove(s.ask_a || s.ask_b, null) <> '{}'
    on conflict (pair_id, t) do nothing
    returning pair_id, order_no
  ), begun as (
    update price.outcome_orders o
    set until = date_trunc('hour', p_t, 'UTC')
    from put
    where o.order_no = put.order_no
      and o.until is null
    returning 1
  )
  select count(*) into v_points
  from put;
  return v_points;
end
$$;
comment on function price.sample_bucket(timestamptz, timestamptz) is
  'Part of price.sample_history: samples one minute. p_since: the minute before (-infinity: '
  'none). An update that is void or of another number of outcomes gives no point.';

create function price.update_has_history(p_since timestamptz) returns integer
language sql volatile
set search_path = ''
as $$
  -- Skips rows that a step has locked. The next call finds them, and a step never waits for this
  -- one.
  with due as (
    select s.pair_id
    from price.snapshot_rows s
    where not s.has_history
      and s.pair_id in (select o.pair_id from price.outcome_orders o where o.until >= p_since)
    for update skip locked
  ), marked as (
    update price.snapshot_rows s
    set has_history = true
    from due d
    where s.pair_id = d.pair_id
    returning 1
  )
  select count(*)::integer
  from marked
$$;
comment on function price.update_has_history(timestamptz) is
  'Part of price.sample_history: sets has_history of pairs in the snapshot with points since '
  'p_since. A row that enters the snapshot later is rendered with it.';

-- All points come from price.updates, so a call that was killed or missed loses nothing that is
-- still kept. pg_cron calls it, and so does each request for history.
create function price.sample_history(p_limit integer default 15) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_minute constant interval := interval '1 minute';
  v_upto timestamptz;
  v_last timestamptz;
  v_t timestamptz;
  v_points integer := 0;
begin
  -- Prices up to the step of the snapshot are final: later flushes are past it, and
  -- pipeline.refresh_snapshot has voided the prices of shards without a holder.
  select date_bin(v_minute, s.step, timestamptz 'epoch') into v_upto
  from price.snapshot_state s
  where s.step > '-infinity';
  select s.sampled_at into v_last from price.sampler_state s;
  if v_upto is null
    or v_last = v_upto
    or not pg_try_advisory_xact_lock(hashtextextended('price.sample_history', 0)) then
    return 0;
  end if;
  select s.sampled_at into v_last from price.sampler_state s;
  if v_last > v_upto then
    -- The market clock was set back: points after it are in the future now.
    delete from price.minute_samples s where s.t > v_upto;
    delete from price.hourly_history h where h.hour >= date_trunc('hour', v_upto, 'UTC');
    v_last := v_upto;
  end if;
  v_t := greatest(
    v_last + v_minute,
    v_upto - (select s.keep_updates from price.settings s),
    -- Nothing was sampled before: start after the oldest update.
    case when v_last = '-infinity' then (
      select coalesce(date_bin(v_minute, min(f.priced_at), timestamptz 'epoch') + v_minute, v_upto) from price.updates f
    ) end
  );
  v_t := date_bin(v_minute, v_t, timestamptz 'epoch');
  if v_t <= v_upto then
    perform price.record_outcome_orders(v_last);
  end if;
  while v_t <= v_upto and p_limit > 0 loop
    perform price.create_partition(
      'minute_samples', 'minute_samples_' || to_char(v_t at time zone 'UTC', 'YYYYMMDDHH24'),
      date_trunc('hour', v_t, 'UTC'), date_trunc('hour', v_t, 'UTC') + interval '1 hour'
    );
    -- After a gap that price.updates no longer covers, nothing is carried over.
    v_points := v_points
      + price.sample_bucket(case when v_t = v_last + v_minute then v_last else timestamptz '-infinity' end, v_t);
    v_last := v_t;
    v_t := v_t + v_minute;
    p_limit := p_limit - 1;
  end loop;
  perform price.pack_hours(date_trunc('hour', v_last, 'UTC'));
  update price.sampler_state s set sampled_at = v_last, change_no = s.change_no + 1;
  perform price.update_has_history(v_last - interval '3 hours');
  return v_points;
end
$$;
comment on function price.sample_history(integer) is
  'Samples every minute that the snapshot has passed since the last call, at most p_limit; the '
  'next call continues. Returns the number of points.';

revoke all on function
  price.record_outcome_orders(timestamptz),
  price.sample_bucket(timestamptz, timestamptz),
  price.update_has_history(timestamptz)
from public;
grant execute on function price.sample_history(integer) to parallax_api;

-- 47_price_search.sql

-- The texts by which a search finds a pair. A step that renders a changed identity writes them, so
-- the same words find the same rows within a step.

-- Declared immutable although unaccent is stable, since its dictionary could be edited. This
-- project never edits it.
create function price.fold_text(p_text text) returns text
language sql immutable parallel safe
set search_path = ''
as $$
  select lower(extensions.unaccent('extensions.unaccent'::regdictionary, normalize(p_text, nfkc)))
$$;
comment on function price.fold_text(text) is
  'Text in the form in which a search compares it: one form of Unicode, no accents, lower case.';

create table price.search_texts (
  pair_id uuid primary key,
  title text not null,
  names text not null,
  ids text not null,
  outcomes text not null
);
comment on table price.search_texts is
  'The texts of each pair of price.snapshot that a search reads, folded. A separate table, '
  'because it changes with the identity of a pair and the snapshot with its price.';
comment on column price.search_texts.names is
  'All names, labels, slugs and tickers of the pair, one a line, with a line feed before the '
  'first and after the last: a whole line is an exact name.';
comment on column price.search_texts.ids is
  'Condition and token ids, in the format of names. Not in names, because almost any few digits '
  'occur in them.';
comment on column price.search_texts.outcomes is
  'The outcomes as JSON without prices: [{key, name}].';
-- ids are not in the index: they would take longer to write (2.8 s for 20,000 pairs) than all names
-- (1.2 s). A word that looks like an id is searched by a scan of ids.
create index search_texts_by_trigram on price.search_texts using gin (names extensions.gin_trgm_ops);

alter table price.search_texts enable row level security;
alter table price.search_texts force row level security;
create policy "the api reads search texts" on price.search_texts for select to parallax_api using (true);
grant select on price.search_texts to parallax_api;

create function price.search_texts_of(p_pairs uuid[]) returns setof price.search_texts
language plpgsql stable
set search_path = ''
as $$
begin
  return query
  with wanted as materialized (
    select p.*
    from unnest(p_pairs) u (pair_id)
    join catalog.pairs p on p.pair_id = u.pair_id
  ), legs as materialized (
    select o.*
    from wanted w
    join catalog.outcomes o on o.pair_id = w.pair_id
  ), listed as materialized (
    select w.pair_id, q.question_id, q.venue, q.event_id, q.title, q.home, q.away
    from wanted w
    cross join lateral (values (w.question_a), (w.question_b)) as v (question_id)
    join venue.questions q on q.question_id = v.question_id
  ), listed_names as (
    -- The names that the two listings use: a user who comes from a venue types its names. A yes or
    -- a no is not a name.
    select n.pair_id, string_agg(distinct n.line, E'\n') filter (where lower(n.line) not in ('yes', 'no')) as lines
    from (
      select q.pair_id, v.line
      from listed q
      join venue.events e on e.venue = q.venue and e.event_id = q.event_id
      cross join lateral (values (q.title), (q.home), (q.away), (e.title)) as v (line)
      union all
      select q.pair_id, v.line
      from listed q
      join venue.legs l on l.question_id = q.question_id
      left join venue.contracts c on c.venue = q.venue and c.contract_id = l.contract_id
      cross join lateral (values (l.outcome_name), (c.label)) as v (line)
    ) n
    group by n.pair_id
  ), strikes as (
    select w.pair_id, string_agg(concat_ws(E'\n', r.label, r.contract_a), E'\n') as lines
    from wanted w
    join catalog.strikes r on r.pair_id = w.pair_id
    group by w.pair_id
  ), known_legs as (
    select l.pair_id,
           string_agg(concat_ws(E'\n', l.name, l.contract_a), E'\n' order by l.ordinal) as lines,
           string_agg(l.contract_b, E'\n' order by l.ordinal) as tokens,
           string_agg(distinct l.market_b, E'\n') as conditions,
           '['
             || string_agg('{"key":' || to_json(l.key) || ',"name":' || to_json(l.name) || '}', ',' order by l.ordinal)
             || ']' as json
    from legs l
    group by l.pair_id
  )
  select w.pair_id,
         price.fold_text(w.title),
         -- Folded once for the pair: a call for each line would cost four times as much.
         price.fold_text(concat_ws(
           E'\n', '', w.title, w.home, w.away, w.category, w.sport, w.competition, w.market_type, w.location, w.asset,
           w.indicator, w.basis, w.institution, array_to_string(w.tags, E'\n'), w.slug, nullif(w.slug_b, w.slug),
           w.event_a, nullif(w.event_b, w.slug_b), l.lines, r.lines, n.lines, ''
         )),
         lower(concat_ws(E'\n', '', w.condition_b, l.conditions, l.tokens, '')),
         coalesce(l.json, '[]')
  from wanted w
  left join known_legs l on l.pair_id = w.pair_id
  left join strikes r on r.pair_id = w.pair_id
  left join listed_names n on n.pair_id = w.pair_id;
end
$$;
comment on function price.search_texts_of(uuid[]) is
  'The rows of price.search_texts from the current catalog and listings.';

create function price.search_words(p_folded text) returns text[]
language sql immutable parallel safe
set search_path = ''
as $$
  select coalesce(array_agg(w.word order by length(w.word) desc, w.word), '{}')
  from (
    select distinct coalesce(nullif(btrim(r.word, '.,;:!?()[]"'), ''), r.word) as word
    from regexp_split_to_table(p_folded, '\s+') as r (word)
    where r.word <> ''
  ) w
$$;
comment on function price.search_words(text) is
  'The words of a folded search, the longest (which excludes most) first. Punctuation around a '
  'word is dropped: "vs." finds "vs".';

create function price.search_condition(p_words text[]) returns text
language sql immutable parallel safe
set search_path = ''
as $$
  select coalesce(
    string_agg(
      case
        -- An id matches from its beginning only: any few digits occur inside these long numbers.
        when w.word ~ '^(0x)?[0-9a-f]{6,}$'
          then format('(strpos(t.ids, %L) > 0 or t.names like %L)', E'\n' || w.word, w.pattern)
        else format('t.names like %L', w.pattern)
      end,
      ' and ' order by w.n
    ),
    'false'
  )
  from (
    select u.word, u.n, '%' || replace(replace(replace(u.word, '\', '\\'), '%', '\%'), '_', '\_') || '%' as pattern
    from unnest(p_words) with ordinality as u (word, n)
  ) w
$$;
comment on function price.search_condition(text[]) is
  'SQL that is true of a row t of price.search_texts where every word occurs in some field. '
  'Wildcards are literals. Without words: false.';

-- What api.get_search takes for 20,000 pairs, 19,311 of them open or live (PostgreSQL 17, 2 cores
-- under other load, 2026-11-20):
--   kxgame7-26nov15             0 found    3 ms   bitmap scan of the trigrams
--   nba                     2,414         17 ms   in no title, so nothing is compared
--   san josé sharks         1,112         30 ms
--   lakers                  2,751         38 ms   bitmap scan 9 ms, 2,751 titles compared 12 ms
--   zq                          0         13 ms   too short for trigrams: sequential scan of texts
--   a condition id              1         49 ms   sequential scan of texts and ids
--   vs, a, sports          19,311   67 to 77 ms   every row found and ordered (140 to 160 ms with
--                                                 every title compared)
--   fifteen single letters 18,589        116 ms   the slowest search of 100 characters found
--
-- Order of results: first a name, ticker or id that equals the whole p_query. Then, where the
-- longest word is in the title, the trigram similarity of p_query to the title. Then start and id.
--
-- security definer, because the functions of pg_trgm and unaccent are in a schema that parallax_api
-- may not use.
create function price.search_snapshot(
  p_query text,
  p_status text[],
  p_category text,
  p_sport text,
  p_limit bigint,
  p_offset bigint
) returns table (total bigint, pairs uuid[])
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_q text := btrim(regexp_replace(price.fold_text(p_query), '\s+', ' ', 'g'));
  v_words text[] := price.search_words(v_q);
begin
  return query execute format(
    $q$
      with found as materialized (
        select t.pair_id, s.start_time,
               strpos(t.names, %1$L) > 0 or strpos(t.ids, %1$L) > 0 as whole,
               -- word_similarity takes 5 us a row, most of a broad search, so it compares only
               -- titles with the longest word.
               case when strpos(t.title, %8$L) > 0 then extensions.word_similarity(%2$L, t.title) else 0 end as likeness
        from price.search_texts t
        join price.snapshot s on s.pair_id = t.pair_id
        where %3$s
          and s.status = any (%4$L::text[])%5$s
      )
      select (select count(*) from found),
             array(
               select f.pair_id
               from found f
               order by f.whole desc, f.likeness desc, f.start_time, f.pair_id
               limit %6$s
               offset %7$s
             )
    $q$,
    E'\n' || v_q || E'\n',
    v_q,
    price.search_condition(v_words),
    p_status,
    price.filter_condition(jsonb_build_object('category', p_category, 'sport', p_sport)),
    p_limit,
    p_offset,
    -- One or two letters have no trigrams to compare. A line feed is in no title.
    case when length(v_words[1]) >= 3 then v_words[1] else E'\n' end
  );
end
$$;
comment on function price.search_snapshot(text, text[], text, text, bigint, bigint) is
  'How many pairs of the snapshot a search finds, and one page of them, best first.';

revoke all on function price.fold_text(text), price.search_texts_of(uuid[]), price.search_words(text),
  price.search_condition(text[]) from public;
grant execute on function price.search_snapshot(text, text[], text, text, bigint, bigint) to parallax_api;

-- 48_price_refresh.sql

-- A step moves the snapshot from one state to the next.

create function price.render_step(p_old timestamptz, p_new timestamptz, p_change_no bigint) returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_rows integer;
begin
  with gone as (
    delete from price.snapshot_rows s
    where not exists (
      select from catalog.pairs p where p.pair_id = s.pair_id and p.withdrawn_at is null
    )
    returning s.pair_id, row(s.*)::price.snapshot as removed
  ), kept as (
    insert into price.past_rows
    select p_change_no, x.pair_id, (x.former).*
    from (select g.pair_id, price.filter_columns_of(g.removed) as former from gone g offset 0) x
  )
  delete from price.search_texts t
  using gone g
  where t.pair_id = g.pair_id;

  with seen as (
    delete from price.late_updates l returning l.pair_id
  ), late as (
    select distinct s.pair_id from seen s
  ), moved as (
    select distinct on (f.pair_id) f.pair_id, row(f.*)::price.price_update as price
    from price.updates f
    where f.priced_at > p_old
      and f.priced_at <= p_new
    order by f.pair_id, f.priced_at desc, f.update_no desc
  ), touched as materialized (
    -- Identity is compared row by row, not by the highest change_no: two transactions may commit in
    -- another order than their numbers.
    select p.pair_id, s.change_no is distinct from p.change_no as fresh,
           case
             when q.pair_id is not null then 'late'
             when m.pair_id is not null then 'moved'
             when s.pair_id is not null then 'kept'
             else 'entering'
           end as price_from
    from catalog.pairs p
    left join price.snapshot s on s.pair_id = p.pair_id
    left join moved m on m.pair_id = p.pair_id
    left join late q on q.pair_id = p.pair_id
    where p.withdrawn_at is null
      and (
        s.change_no is distinct from p.change_no
        or m.pair_id is not null
        or q.pair_id is not null
      )
  ), priced as (
    select t.pair_id, t.fresh, m.price
    from touched t
    join moved m on m.pair_id = t.pair_id
    where t.price_from = 'moved'
    union all
    select t.pair_id, t.fresh, s.price_update
    from touched t
    join price.snapshot s on s.pair_id = t.pair_id
    where t.price_from = 'kept'
    union all
    -- A pair that enters, or that has a late update, gets the last update up to the step. It may be
    -- older than what price.updates still keeps.
    select t.pair_id, t.fresh, b.price
    from touched t
    left join lateral (
      select e.price
      from (
        (
          select row(f.*)::price.price_update as price
          from price.updates f
          where f.pair_id = t.pair_id
            and f.priced_at <= p_new
          order by f.priced_at desc, f.update_no desc
          limit 1
        )
        union all
        select row(l.*)::price.price_update
        from price.latest_updates l
        where l.pair_id = t.pair_id
          and l.priced_at <= p_new
      ) e
      order by (e.price).priced_at desc, (e.price).update_no desc
      limit 1
    ) b on true
    where t.price_from in ('entering', 'late')
  ), searched as (
    insert into price.search_texts as x
    select n.*
    from price.search_texts_of(array(select t.pair_id from touched t where t.fresh)) n
    on conflict (pair_id) do update
    set title = excluded.title,
        names = excluded.names,
        ids = excluded.ids,
        outcomes = excluded.outcomes
    -- A status change does not change these texts, so it need not write the index.
    where (x.title, x.names, x.ids, x.outcomes)
      is distinct from (excluded.title, excluded.names, excluded.ids, excluded.outcomes)
  ), rendered as materialized (
    select r.pair_id, r as rendered
    from price.render_rows(
      array(
        select row(f.pair_id, f.fresh, f.price)::price.render_input
        from priced f
      )
    ) r
  ), kept as (
    -- Every part of this statement sees price.snapshot_rows as it was before.
    insert into price.past_rows
    select p_change_no, x.pair_id, (x.former).*
    from (
      select r.pair_id, price.filter_columns_of(s) as former, price.filter_columns_of(r.rendered) as present
      from rendered r
      left join price.snapshot s on s.pair_id = r.pair_id
      -- Computed once for a row, not once for each column.
      offset 0
    ) x
    where x.former is distinct from x.present
  )
  insert into price.snapshot_rows as s
  select (r.rendered).*
  from rendered r
  on conflict (pair_id) do update
  set change_no = excluded.change_no,
      stage = excluded.stage,
      band = excluded.band,
      category = excluded.category,
      market_type = excluded.market_type,
      sport = excluded.sport,
      competition = excluded.competition,
      location = excluded.location,
      asset = excluded.asset,
      indicator = excluded.indicator,
      basis = excluded.basis,
      institution = excluded.institution,
      status = excluded.status,
      signal = excluded.signal,
      spread_pts = excluded.spread_pts,
      start_time = excluded.start_time,
      game_id = excluded.game_id,
      entity_confidence = excluded.entity_confidence,
      resolution_confidence = excluded.resolution_confidence,
      priced = excluded.priced,
      price_update = excluded.price_update,
      price_reason = excluded.price_reason,
      head = excluded.head,
      outcomes = excluded.outcomes,
      outcomes_depth = excluded.outcomes_depth,
      tail = excluded.tail,
      -- A mere price change does not render these, so the old value stays where it is stored.
      ids = coalesce(excluded.ids, s.ids),
      settlement = coalesce(excluded.settlement, s.settlement);
  get diagnostics v_rows = row_count;
  return v_rows;
end
$$;
comment on function price.render_step(timestamptz, timestamptz, bigint) is
  'Part of price.finish_step: renders changes of identity, prices in (p_old, p_new], and late '
  'updates. Keeps replaced values under p_change_no. Returns the number of rows.';

create type price.step_change as (old_step timestamptz, new_step timestamptz, change_no bigint, began_at timestamptz);
comment on type price.step_change is
  'A step of the REST snapshot that is being made: the old and the new step, and its change '
  'number.';

create function price.begin_step() returns price.step_change
language plpgsql volatile
set search_path = ''
as $$
declare
  v_step price.step_change;
begin
  v_step.new_step := price.step_at(clock.now());
  select s.step into v_step.old_step from price.snapshot_state s;
  if v_step.old_step >= v_step.new_step and v_step.old_step < v_step.new_step + interval '1 minute' then
    return null;
  end if;
  -- One transaction makes the step, the others wait for it. A response with an older step than its
  -- own time would break the rule of equal bytes within a step.
  perform pg_advisory_xact_lock(hashtextextended('price.refresh_snapshot', 0));
  v_step.began_at := clock_timestamp();
  select s.step, s.change_no + 1 into v_step.old_step, v_step.change_no from price.snapshot_state s;
  if v_step.old_step >= v_step.new_step and v_step.old_step < v_step.new_step + interval '1 minute' then
    return null;
  end if;
  perform price.end_step(v_step.change_no - 1);
  if v_step.old_step > v_step.new_step then
    -- The market clock was set back (another replay on the same data): these rows are in the future
    -- now, and no paging can continue.
    delete from price.snapshot_rows s;
    delete from price.past_steps p;
    delete from price.past_rows r;
    v_step.old_step := '-infinity';
  end if;
  return v_step;
end
$$;
comment on function price.begin_step() is
  'Locks the REST snapshot for a new step and ends the old one. Null when no step is due, or when '
  'another transaction has just made it.';

create function price.finish_step(p_step price.step_change) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_rows integer := price.render_step(p_step.old_step, p_step.new_step, p_step.change_no);
begin
  update price.snapshot_state s
  set step = p_step.new_step,
      change_no = p_step.change_no,
      rows_written = v_rows,
      render_time = clock_timestamp() - p_step.began_at;
end
$$;
comment on function price.finish_step(price.step_change) is
  'Renders the rows of a step that price.begin_step began, and moves the REST snapshot to it.';

create type price.snapshot_position as (step timestamptz, version text, left_ms integer);
comment on type price.snapshot_position is
  'The position of the REST snapshot: its step, its version, and real milliseconds until the next '
  'step begins.';
grant usage on type price.snapshot_position to parallax_api;

create function price.unpriced_row_of(p_pair_id uuid) returns setof price.snapshot
language sql stable security definer
set search_path = ''
as $$
  select r.*
  from price.render_rows(array[row(p_pair_id, true, null)::price.render_input]) r
$$;
comment on function price.unpriced_row_of(uuid) is
  'A pair that is not in the snapshot yet, with its current identity and without prices. No row '
  'when it is unknown or withdrawn.';

create function price.is_snapshot_ready() returns boolean
language sql stable
set search_path = ''
as $$
  select count(*) > 0 and count(*) filter (where s.priced) >= 0.8 * count(*)
  from catalog.pairs p
  join price.latest_updates l on l.pair_id = p.pair_id
    and l.void_reason is null
    and array_remove(l.ask_a || l.ask_b, null) <> '{}'
  left join price.snapshot s on s.pair_id = p.pair_id
  where p.withdrawn_at is null
    and p.status in ('open', 'live')
$$;
comment on function price.is_snapshot_ready() is
  'Whether at least 80 % of the open and live pairs that have a price have it in the snapshot. A '
  'start waits for this.';

revoke all on function
  price.render_step(timestamptz, timestamptz, bigint),
  price.begin_step(),
  price.finish_step(price.step_change)
from public;
grant execute on function price.unpriced_row_of(uuid) to parallax_api;

-- 49_price_divergence.sql

-- The alarm price_divergence: mid prices of one outcome that stay far apart are evidence against
-- the pair, independent of its texts.

create function price.diverging(
  p_gap_pts numeric, p_ask_a integer[], p_bid_a integer[], p_ask_b integer[], p_bid_b integer[]
) returns table (ordinal integer, mid_a integer, mid_b integer)
language sql immutable
set search_path = ''
as $$
  select t.place::integer - 1, (t.ask_a + t.bid_a) / 2, (t.ask_b + t.bid_b) / 2
  from unnest(p_ask_a, p_bid_a, p_ask_b, p_bid_b) with ordinality as t (ask_a, bid_a, ask_b, bid_b, place)
  -- A crossed book has no mid price, and neither has one with an empty side.
  where t.ask_a > t.bid_a
    and t.ask_b > t.bid_b
    and abs((t.ask_a + t.bid_a) - (t.ask_b + t.bid_b)) >= p_gap_pts * 20000
$$;
comment on function price.diverging(numeric, integer[], integer[], integer[], integer[]) is
  'The outcomes of a price update whose mid prices (1e-6 USD) are at least p_gap_pts points '
  'apart. Both books need both sides.';

create function price.divergences() returns table (pair_id uuid, outcome_key text, mid_a integer, mid_b integer)
language sql stable
set search_path = ''
as $$
  -- Few pairs diverge now. Only their updates of the last minutes are read.
  select distinct on (p.pair_id) p.pair_id, o.key, d.mid_a, d.mid_b
  from catalog.alarm_settings s
  join price.latest_updates l on l.void_reason is null
  cross join lateral price.diverging(s.gap_pts, l.ask_a, l.bid_a, l.ask_b, l.bid_b) d
  join catalog.pairs p on p.pair_id = l.pair_id
    and p.stage = 'catalog'
    and p.withdrawn_at is null
    and p.status in ('open', 'live')
  join catalog.outcomes o on o.pair_id = p.pair_id and o.ordinal = d.ordinal
  -- Books without a live lease holder are no evidence.
  join venue.leases e on e.name = 'books:' || (p.shard_key % (select t.shards from price.settings t))
    and e.expires_at > clock_timestamp()
  where not exists (select from catalog.alarms a where a.pair_id = p.pair_id and a.ended_at is null)
    -- The update at the start of the period, and every one since, diverges in this outcome.
    and (
      select bool_and(f.void_reason is null and f.diverges)
      from (
        select f.void_reason,
               exists (
                 select
                 from price.diverging(s.gap_pts, f.ask_a, f.bid_a, f.ask_b, f.bid_b) x
                 where x.ordinal = d.ordinal
               ) as diverges
        from price.updates f
        where f.pair_id = p.pair_id
          and f.priced_at > clock.now() - s.lasting
        union all
        select b.void_reason,
               exists (
                 select
                 from price.diverging(s.gap_pts, b.ask_a, b.bid_a, b.ask_b, b.bid_b) x
                 where x.ordinal = d.ordinal
               )
        from (
          select f.*
          from (values (1)) as one (n)
          left join lateral (
            select f.void_reason, f.ask_a, f.bid_a, f.ask_b, f.bid_b
            from price.updates f
            where f.pair_id = p.pair_id
              and f.priced_at <= clock.now() - s.lasting
            order by f.priced_at desc, f.update_no desc
            limit 1
          ) f on true
        ) b
      ) f
    )
  order by p.pair_id, abs(d.mid_a - d.mid_b) desc, d.ordinal
$$;
comment on function price.divergences() is
  'Published pairs with an outcome whose mid prices were too far apart for the whole period of '
  'catalog.alarm_settings, with the outcome of the largest gap.';

create function price.watch_divergence() returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- A confirmed divergence is over when a valid update has none.
  update catalog.alarms a
  set ended_at = clock.now()
  from price.latest_updates l
  cross join catalog.alarm_settings s
  where a.confirmed_at is not null
    and a.ended_at is null
    and l.pair_id = a.pair_id
    and l.void_reason is null
    and not exists (select from price.diverging(s.gap_pts, l.ask_a, l.bid_a, l.ask_b, l.bid_b));
  return (
    select count(*) filter (where catalog.raise_alarm(d.pair_id, d.outcome_key, d.mid_a, d.mid_b))
    from price.divergences() d
  );
end
$$;
comment on function price.watch_divergence() is
  'Raises the alarms price_divergence that are due and ends those that are over. Returns how many '
  'it raised; pipeline.watch_divergence publishes them.';
revoke all on function price.watch_divergence(), price.divergences() from public;

-- 49_price_gates.sql

-- Why a row of the snapshot is an arb or not.

create view price.signal_gates
with (security_invoker = true)
as
select s.pair_id, s.signal, g.band_ok, g.parity_ok, g.risk_ok,
       s.price_reason is null as priced_ok,
       concat_ws(', ', nullif(g.reason, ''), s.price_reason) as reason,
       (s.price_update).void_reason,
       s.price_reason
from price.snapshot s
join catalog.match_gates g on g.pair_id = s.pair_id;
comment on view price.signal_gates is
  'The four gates of each row at the step of the snapshot. Its signal is arb when all are open; '
  'reason names all closed gates.';

-- 49_price_retention.sql

-- Retention of history, by the day, and of the latest updates of pairs that no longer trade.
-- price.drop_old_partitions drops the price updates.

create function price.drop_old_history() returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_oldest timestamptz := date_trunc('day', clock.now() - (select s.keep_history from price.settings s), 'UTC');
  v_name text;
  v_dropped integer := 0;
begin
  for v_name in
    select price.list_partitions_before(
      'hourly_history', 'hourly_history_' || to_char(v_oldest at time zone 'UTC', 'YYYYMMDD')
    )
  loop
    execute format('drop table price.%I', v_name);
    v_dropped := v_dropped + 1;
  end loop;
  -- Orders that never got a point are deleted when their pair no longer trades.
  delete from price.outcome_orders o
  where o.until is null
    and not exists (
      select
      from catalog.pairs p
      where p.pair_id = o.pair_id
        and p.withdrawn_at is null
        and p.status in ('open', 'live', 'resolving')
    );
  if v_dropped > 0 then
    delete from price.outcome_orders o where o.until < v_oldest;
    update price.sampler_state s set change_no = s.change_no + 1;
  end if;
  update price.snapshot_rows s
  set has_history = false
  from (
    select x.pair_id
    from price.snapshot_rows x
    where x.has_history
      and not exists (select from price.outcome_orders o where o.pair_id = x.pair_id and o.until is not null)
    for update skip locked
  ) gone
  where s.pair_id = gone.pair_id;
  return v_dropped;
end
$$;
comment on function price.drop_old_history() is
  'Retention: drops the days that are older than price.settings.keep_history. Returns how many.';

create function price.purge_closed_pairs(p_limit integer default 5000) returns integer
language sql volatile
set search_path = ''
as $$
  with over as (
    select l.pair_id
    from price.latest_updates l
    left join catalog.pairs p on p.pair_id = l.pair_id
    where l.priced_at < clock.now() - (select s.keep_updates from price.settings s)
      and (p.pair_id is null or p.withdrawn_at is not null or p.status in ('closed', 'settled'))
    limit p_limit
    for update of l skip locked
  ), gone as (
    delete from price.latest_updates l
    using over o
    where l.pair_id = o.pair_id
    returning 1
  )
  select count(*)::integer
  from gone
$$;
comment on function price.purge_closed_pairs(integer) is
  'Deletes the latest update of pairs that no longer trade, once it is older than '
  'price.settings.keep_updates: such a row has no prices. Returns how many.';

revoke all on function price.drop_old_history(), price.purge_closed_pairs(integer) from public;

-- 50_account.sql

-- Schema account: which organizations and keys may call, and how often. All times are real time: a
-- replayed market does not affect quotas.

create schema account;
revoke all on schema account from public;
grant usage on schema account to parallax_api, authenticated;

create domain account.key_prefix as text check (value ~ '^sk_live_[0-9A-Za-z]{8}$');
comment on domain account.key_prefix is
  'The public part of a key: sk_live_ and its id. After its creation, no other part of a key is '
  'returned.';

create table account.tiers (
  tier text primary key,
  window_requests integer not null check (window_requests > 0),
  month_requests integer not null check (month_requests > 0),
  stream_connections smallint not null check (stream_connections >= 0),
  webhook_endpoints smallint not null check (webhook_endpoints >= 0)
);
comment on table account.tiers is
  'The limits of each tier (spec.md, Limits). A window is 60 seconds, a month is a UTC calendar '
  'month.';
insert into account.tiers (tier, window_requests, month_requests, stream_connections, webhook_endpoints)
values
  ('free', 600, 10000, 1, 0),
  ('basic', 600, 1000000, 3, 3),
  ('premium', 1500, 5000000, 10, 3),
  ('pro', 1500, 5000000, 10, 3)
on conflict (tier) do update
set window_requests = excluded.window_requests,
    month_requests = excluded.month_requests,
    stream_connections = excluded.stream_connections,
    webhook_endpoints = excluded.webhook_endpoints;

create table account.organizations (
  org_id uuid primary key default gen_random_uuid(),
  name text not null check (length(btrim(name)) between 1 and 200),
  created_at timestamptz not null default clock_timestamp()
);
comment on table account.organizations is
  'The unit that is limited and billed. Names are labels and need not be unique.';
create index organizations_by_name on account.organizations (name);

create table account.members (
  org_id uuid not null references account.organizations (org_id) on delete cascade,
  user_id uuid not null references auth.users (id) on delete cascade,
  role text not null default 'member' check (role in ('owner', 'member')),
  created_at timestamptz not null default clock_timestamp(),
  primary key (org_id, user_id)
);
comment on table account.members is 'The users who belong to an organization.';
create index members_by_user on account.members (user_id);

create table account.subscriptions (
  org_id uuid primary key references account.organizations (org_id) on delete cascade,
  tier text not null default 'free' references account.tiers (tier),
  status text not null default 'active' check (status in ('active', 'inactive')),
  changed_at timestamptz not null default clock_timestamp()
);
comment on table account.subscriptions is
  'The plan of an organization. inactive: every call gets a 402 until the plan is paid.';
create index subscriptions_by_tier on account.subscriptions (tier);

create table account.keys (
  key_id uuid primary key default gen_random_uuid(),
  org_id uuid not null references account.organizations (org_id) on delete cascade,
  prefix account.key_prefix not null unique,
  hash bytea not null unique check (length(hash) = 32),
  name text not null default 'key' check (length(btrim(name)) between 1 and 100),
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
) with (fillfactor = 80);
comment on table account.keys is
  'API keys: the prefix and the SHA-256 of the whole key, nothing else of it.';
comment on column account.keys.hash is
  'SHA-256 of the ASCII text of the key. With 190 bits of randomness, a fast hash is enough.';
comment on column account.keys.last_used_at is
  'To the minute, so that a busy key is written once a minute and not with each request.';
create index keys_by_org on account.keys (org_id);

create table account.usage (
  org_id uuid primary key references account.organizations (org_id) on delete cascade,
  window_began_at timestamptz not null default '-infinity',
  window_used integer not null default 0,
  month date not null default date_trunc('month', clock_timestamp() at time zone 'UTC')::date,
  month_used integer not null default 0
) with (fillfactor = 50);
comment on table account.usage is
  'The current window and month of each organization over all its keys; the one row that '
  'admission locks. Half-empty pages keep its updates in place.';

create table account.monthly_usage (
  org_id uuid not null references account.organizations (org_id) on delete cascade,
  month date not null,
  used integer not null,
  primary key (org_id, month)
);
comment on table account.monthly_usage is
  'Requests that carried data in each past month, written with the first request of a later month.';

alter table account.tiers enable row level security;
alter table account.tiers force row level security;
alter table account.organizations enable row level security;
alter table account.organizations force row level security;
alter table account.members enable row level security;
alter table account.members force row level security;
alter table account.subscriptions enable row level security;
alter table account.subscriptions force row level security;
alter table account.keys enable row level security;
alter table account.keys force row level security;
alter table account.usage enable row level security;
alter table account.usage force row level security;
alter table account.monthly_usage enable row level security;
alter table account.monthly_usage force row level security;

create function account.current_org() returns uuid
language sql stable
set search_path = ''
as $$ select nullif(current_setting('parallax.org', true), '')::uuid $$;
comment on function account.current_org() is
  'The organization that account.admit admitted, for the rest of this transaction; null before '
  'admission. No other code sets it.';

create function account.current_user_orgs() returns setof uuid
language sql stable security definer rows 2
set search_path = ''
as $$
  select m.org_id
  from account.members m
  where m.user_id = (select auth.uid())
$$;
comment on function account.current_user_orgs() is
  'The organizations of the signed-in user. security definer, because a policy on members cannot '
  'read members.';

-- any (array(select …)) and not in (select …): the first uses the index on org_id, the second reads
-- the row of every organization.
create policy "everyone signed in reads the limits" on account.tiers
  for select to parallax_api, authenticated using (true);

create policy "the admitted organization reads itself" on account.organizations
  for select to parallax_api using (org_id = (select account.current_org()));
create policy "members read their organization" on account.organizations
  for select to authenticated using (org_id = any (array(select account.current_user_orgs())));

create policy "members read the members of their organization" on account.members
  for select to authenticated using (org_id = any (array(select account.current_user_orgs())));

create policy "the admitted organization reads its plan" on account.subscriptions
  for select to parallax_api using (org_id = (select account.current_org()));
create policy "members read their plan" on account.subscriptions
  for select to authenticated using (org_id = any (array(select account.current_user_orgs())));

create policy "the admitted organization reads its keys" on account.keys
  for select to parallax_api using (org_id = (select account.current_org()));
create policy "members read their keys" on account.keys
  for select to authenticated using (org_id = any (array(select account.current_user_orgs())));

create policy "the admitted organization reads its usage" on account.usage
  for select to parallax_api using (org_id = (select account.current_org()));
create policy "members read their usage" on account.usage
  for select to authenticated using (org_id = any (array(select account.current_user_orgs())));

create policy "the admitted organization reads its months" on account.monthly_usage
  for select to parallax_api using (org_id = (select account.current_org()));
create policy "members read their months" on account.monthly_usage
  for select to authenticated using (org_id = any (array(select account.current_user_orgs())));

grant select on account.tiers, account.organizations, account.subscriptions, account.usage, account.monthly_usage
to parallax_api, authenticated;
grant select on account.members to authenticated;
-- No function or view returns the hash, not even to the owner of the key.
grant select (key_id, org_id, prefix, name, created_at, expires_at, revoked_at, last_used_at) on account.keys
to parallax_api, authenticated;
grant execute on function account.current_org() to parallax_api;
grant execute on function account.current_user_orgs() to authenticated;

create function account.create_organization(p_name text, p_tier text default 'free') returns uuid
language plpgsql volatile
set search_path = ''
as $$
declare
  v_org uuid;
begin
  insert into account.organizations (name) values (btrim(p_name)) returning org_id into v_org;
  insert into account.subscriptions (org_id, tier) values (v_org, p_tier);
  insert into account.usage (org_id) values (v_org);
  perform account.write_audit(v_org, 'organization.created', btrim(p_name), jsonb_build_object('tier', p_tier));
  return v_org;
end
$$;
comment on function account.create_organization(text, text) is
  'Creates an organization with its plan and its usage row. Each organization has exactly one of '
  'both.';
revoke all on function account.create_organization(text, text) from public;

-- 51_account_audit.sql

-- The audit: each change of an organization and its actor, written in the transaction of the
-- change. Also how an RPC returns an error.

create table account.audit (
  audit_id bigint generated always as identity primary key,
  org_id uuid not null,
  at timestamptz not null default clock_timestamp(),
  actor text not null check (length(actor) between 1 and 320),
  actor_id uuid,
  action text not null check (action ~ '^[a-z]+\.[a-z]+$'),
  subject text,
  detail jsonb not null default '{}',
  request_id text default base.current_request_id()
);
comment on table account.audit is
  'One row for each change, kept for a year (account.purge_expired). No foreign keys: a row '
  'outlives its organization and users.';
comment on column account.audit.actor is
  'The e-mail of the user at that time; else operator, or the name of a billing system.';
comment on column account.audit.action is
  'organization.created|renamed|deleted, member.invited|joined|removed|left|role, plan.changed, '
  'invitation.withdrawn, key.minted|renamed|revoked|rotated, webhook.registered|deleted|disabled.';
comment on column account.audit.subject is
  'The object of the change in readable form: the prefix of a key, an e-mail, a name.';
comment on column account.audit.request_id is
  'The id of the request, as in the logs of the functions; null when no request made the change.';
create index audit_by_org on account.audit (org_id, audit_id desc);
create index audit_by_time on account.audit (at);
create index audit_by_maker on account.audit (actor_id, at) where action = 'organization.created';

alter table account.audit enable row level security;
alter table account.audit force row level security;
create policy "members read the audit of their organization" on account.audit
  for select to authenticated using (org_id = any (array(select account.current_user_orgs())));
grant select on account.audit to authenticated;

create function account.reject_audit_change() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if tg_op = 'DELETE' and old.at < clock_timestamp() - interval '1 year' then
    return old;
  end if;
  raise exception 'account.audit is append-only: rows do not change and can be deleted only after a year'
    using errcode = '42501';
end
$$;
comment on function account.reject_audit_change() is
  'A trigger, because no grant binds the owner of a table: not even a defect in one of our '
  'functions changes the audit.';
create trigger rows_are_kept before update or delete on account.audit
  for each row execute function account.reject_audit_change();
create trigger all_are_kept before truncate on account.audit
  for each statement execute function account.reject_audit_change();

create function account.current_actor() returns text
language sql stable
set search_path = ''
as $$
  select coalesce(
    (select coalesce(nullif(u.email, ''), u.id::text) from auth.users u where u.id = (select auth.uid())),
    'operator'
  )
$$;
comment on function account.current_actor() is
  'The e-mail of the signed-in user; operator when no user is signed in, because role postgres '
  'calls then.';

create function account.write_audit(
  p_org_id uuid,
  p_action text,
  p_subject text,
  p_detail jsonb default '{}',
  p_actor text default null
) returns void
language sql volatile
set search_path = ''
as $$
  insert into account.audit (org_id, actor, actor_id, action, subject, detail)
  values (p_org_id, coalesce(p_actor, account.current_actor()), (select auth.uid()), p_action, p_subject, p_detail)
$$;
comment on function account.write_audit(uuid, text, text, jsonb, text) is
  'Writes one audit row, in the transaction of the change.';

create function account.raise_error(p_status integer, p_code text, p_message text) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- The only form in which PostgREST returns our code unchanged: {code, message} with this HTTP
  -- status.
  raise sqlstate 'PGRST' using
    message = jsonb_build_object('code', p_code, 'message', p_message)::text,
    detail = jsonb_build_object('status', p_status, 'headers', '{}'::jsonb)::text;
end
$$;
comment on function account.raise_error(integer, text, text) is
  'Ends an RPC with an error: a stable code for programs and a sentence for the user.';

create function account.is_over_change_limit(p_org_id uuid) returns boolean
language sql stable
set search_path = ''
as $$
  select coalesce(
    (
      select a.at > clock_timestamp() - interval '1 day'
      from account.audit a
      where a.org_id = p_org_id
      order by a.audit_id desc
      limit 1
      offset 999
    ),
    false
  )
$$;
comment on function account.is_over_change_limit(uuid) is
  'Whether an organization had 1,000 changes within a day. Each is a row for a year, so additions '
  'must wait. Removals are always allowed: a key can always be revoked.';

create function account.check_change_limit(p_org_id uuid) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if account.is_over_change_limit(p_org_id) then
    perform account.raise_error(
      409, 'change.limit',
      'This organization had 1,000 changes within a day, which is the limit. Try again tomorrow. You can still '
      'revoke keys and remove members and endpoints.'
    );
  end if;
end
$$;
comment on function account.check_change_limit(uuid) is
  'Rejects (409) additions to an organization at its change limit. Called under the lock of '
  'account.lock_for_change.';

create function account.clean_name(p_name text, p_what text, p_limit integer) returns text
language plpgsql volatile
set search_path = ''
as $$
declare
  v_name text := btrim(p_name);
begin
  if coalesce(v_name, '') !~ '[^[:space:]]' or length(v_name) > p_limit or v_name ~ '[[:cntrl:]]' then
    perform account.raise_error(
      400, p_what || '.name',
      format('The name of this %s must have 1 to %s characters and no line breaks.', p_what, p_limit)
    );
  end if;
  return v_name;
end
$$;
comment on function account.clean_name(text, text, integer) is
  'A name as a user typed it, trimmed. An invalid name is an error (400, organization.name or '
  'key.name).';

revoke all on function
  account.reject_audit_change(),
  account.current_actor(),
  account.write_audit(uuid, text, text, jsonb, text),
  account.raise_error(integer, text, text),
  account.is_over_change_limit(uuid),
  account.check_change_limit(uuid),
  account.clean_name(text, text, integer)
from public;

-- 51_account_plan.sql

-- Operators or a billing system change plans (docs/billing.md). Only role postgres may call these
-- functions.

create function account.find_organization(p_org_id text) returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  v_org uuid;
  v_found bigint;
begin
  select min(o.org_id::text)::uuid, count(*)
  into v_org, v_found
  from account.organizations o
  where o.org_id::text = lower(btrim(p_org_id))
    or o.name = btrim(p_org_id);
  if v_found = 1 then
    return v_org;
  elsif v_found > 1 then
    raise exception '% organizations have the name "%". Give the id instead.', v_found, btrim(p_org_id)
      using errcode = '22023';
  end if;
  raise exception 'There is no organization "%".', btrim(p_org_id) using errcode = '22023';
end
$$;
comment on function account.find_organization(text) is
  'The organization with this id or name; an error when there is none or more than one.';

create function account.check_tier(p_tier text) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if not exists (select from account.tiers t where t.tier = p_tier) then
    raise exception 'There is no tier "%". There are: %.',
      p_tier,
      (select string_agg(t.tier, ', ' order by t.month_requests, t.window_requests, t.tier) from account.tiers t)
      using errcode = '22023';
  end if;
end
$$;
comment on function account.check_tier(text) is
  'Raises an error that lists the tiers when p_tier is not one of them.';

create function account.set_plan(p_org_id uuid, p_tier text, p_status text, p_actor text default 'operator')
returns boolean
language plpgsql volatile
set search_path = ''
as $$
declare
  v_was account.subscriptions;
  v_month date := date_trunc('month', clock_timestamp() at time zone 'UTC')::date;
begin
  perform account.check_tier(p_tier);
  if p_status is null or p_status not in ('active', 'inactive') then
    raise exception 'A plan is "active" or "inactive", not "%".', p_status using errcode = '22023';
  end if;
  if coalesce(btrim(p_actor), '') = '' then
    raise exception 'Give the name of the actor who changes the plan.' using errcode = '22023';
  end if;
  perform from account.organizations o where o.org_id = p_org_id for no key update;
  select s.* into v_was from account.subscriptions s where s.org_id = p_org_id for no key update;
  if v_was.org_id is null then
    raise exception 'There is no organization %.', p_org_id using errcode = '22023';
  end if;
  if (v_was.tier, v_was.status) = (p_tier, p_status) then
    return false;
  end if;
  update account.subscriptions s
  set tier = p_tier,
      status = p_status,
      changed_at = clock_timestamp()
  where s.org_id = p_org_id;
  perform account.write_audit(
    p_org_id, 'plan.changed', p_tier,
    jsonb_build_object(
      'from', jsonb_build_object('tier', v_was.tier, 'status', v_was.status),
      'to', jsonb_build_object('tier', p_tier, 'status', p_status)
    ),
    btrim(p_actor)
  );
  -- After a downgrade, the usage may already be above a mark of the new quota, which then no
  -- request will reach.
  perform account.publish_quota_notices(p_org_id, v_month, u.month_used, t.month_requests)
  from account.usage u
  join account.tiers t on t.tier = p_tier
  where u.org_id = p_org_id
    and u.month = v_month;
  return true;
end
$$;
comment on function account.set_plan(uuid, text, text, text) is
  'Sets tier and status of an organization, from its next request on. Usage counts stay. p_actor: '
  'the name for the audit. Returns whether anything changed.';

revoke all on function
  account.find_organization(text),
  account.check_tier(text),
  account.set_plan(uuid, text, text, text)
from public;

-- 52_account_keys.sql

-- API keys: sk_live_ + 8 characters of public id + _ + 32 random characters + 6 characters of
-- CRC-32, all base62.
--
-- Alphabet: 0-9 A-Z a-z, in this order. The checksum is CRC-32 (ISO 3309: reflected, polynomial
-- 0xEDB88320, initial value and final xor 0xFFFFFFFF) of the 49 ASCII characters before it, as a
-- base62 number of exactly 6 digits, most significant first, zero-padded (62^6 > 2^32). The
-- database stores the SHA-256 of all 55 characters. functions/api/http/keys.ts has the same rules;
-- tests/account/key_vectors.json tests both.
--
-- 32 characters of 62 are 32 * log2(62) = 190 bits. No search finds them, so a fast hash is enough.
-- The public id is random and unique: it identifies a key and reveals nothing. The checksum rejects
-- typing errors before any query.

create function account.base62(p_value bigint, p_digits integer) returns text
language sql immutable parallel safe
set search_path = ''
as $$
  select string_agg(
    substr(
      '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
      (p_value / (62::numeric ^ i)::bigint % 62)::integer + 1, 1
    ),
    '' order by i desc
  )
  from generate_series(0, p_digits - 1) i
$$;
comment on function account.base62(bigint, integer) is
  'p_value in base62 with exactly p_digits digits, most significant first.';

create function account.random_base62(p_length integer) returns text
language plpgsql volatile
set search_path = ''
as $$
declare
  v_text text := '';
begin
  -- 248 = 4 * 62. Bytes from 248 on are skipped: 256 is no multiple of 62, so the first 8 digits
  -- would be more frequent.
  while length(v_text) < p_length loop
    v_text := v_text || coalesce(
      (
        select string_agg(account.base62(b.byte % 62, 1), '' order by b.n)
        from (
          select g.n, get_byte(r.bytes, g.n) as byte
          from (select extensions.gen_random_bytes(64) as bytes) r
          cross join generate_series(0, 63) g(n)
        ) b
        where b.byte < 248
      ),
      ''
    );
  end loop;
  return left(v_text, p_length);
end
$$;
comment on function account.random_base62(integer) is
  'Base62 characters with equal probabilities, from the random generator of the operating system.';

create function account.crc32(p_text text) returns bigint
language plpgsql immutable parallel safe
set search_path = ''
as $$
declare
  v_bytes bytea := convert_to(p_text, 'UTF8');
  v_crc bigint := 4294967295;
begin
  for i in 0 .. length(v_bytes) - 1 loop
    v_crc := v_crc # get_byte(v_bytes, i);
    for j in 1 .. 8 loop
      v_crc := (v_crc >> 1) # case when v_crc & 1 = 1 then 3988292384 else 0 end;
    end loop;
  end loop;
  return v_crc # 4294967295;
end
$$;
comment on function account.crc32(text) is
  'CRC-32 as in zip and png. crc32(''123456789'') = 3421780262. (PostgreSQL 18 has its own.)';

create function account.key_checksum(p_body text) returns text
language sql immutable parallel safe
set search_path = ''
as $$ select account.base62(account.crc32(p_body), 6) $$;
comment on function account.key_checksum(text) is
  'The last six characters of a key, from the 49 before them.';

create function account.key_hash(p_key text) returns bytea
language sql immutable parallel safe
set search_path = ''
as $$ select sha256(convert_to(p_key, 'UTF8')) $$;
comment on function account.key_hash(text) is
  'The stored hash of a key. Only the prefix is stored next to it.';

create function account.count_active_keys(p_org_id uuid) returns bigint
language sql stable
set search_path = ''
as $$
  select count(*)
  from account.keys k
  where k.org_id = p_org_id
    and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > clock_timestamp())
$$;
comment on function account.count_active_keys(uuid) is
  'The number of active keys of an organization. The limit is 1,000: enough for a key on each '
  'machine, few enough to list.';

create function account.insert_key(p_org_id uuid, p_name text, p_expires_at timestamptz default null) returns text
language plpgsql volatile
set search_path = ''
as $$
declare
  v_prefix text := 'sk_live_' || account.random_base62(8);
  v_body text := v_prefix || '_' || account.random_base62(32);
  v_key text := v_body || account.key_checksum(v_body);
begin
  insert into account.keys (org_id, prefix, hash, name, expires_at)
  values (p_org_id, v_prefix, account.key_hash(v_key), btrim(p_name), p_expires_at);
  return v_key;
end
$$;
comment on function account.insert_key(uuid, text, timestamptz) is
  'Creates a key of an organization and returns its full text, which is stored nowhere.';

create function account.mint_key(p_org_name text, p_tier text) returns text
language plpgsql volatile
set search_path = ''
as $$
declare
  v_name text := btrim(p_org_name);
  v_org uuid;
  v_found bigint;
  v_key text;
begin
  if coalesce(v_name, '') = '' or length(v_name) > 200 then
    raise exception 'An organization needs a name of 1 to 200 characters.' using errcode = '22023';
  end if;
  perform account.check_tier(p_tier);
  -- Two concurrent calls would create two organizations with one name.
  perform pg_advisory_xact_lock(hashtextextended('account.mint_key ' || v_name, 0));
  select min(o.org_id::text)::uuid, count(*)
  into v_org, v_found
  from account.organizations o
  where o.org_id::text = lower(v_name)
    -- Users choose the names of their organizations. Such a name must not receive a key or a tier
    -- that was meant for another organization.
    or (o.name = v_name and not exists (select from account.members m where m.org_id = o.org_id));
  if v_found > 1 then
    raise exception '% organizations have the name "%". Give the id instead.', v_found, v_name using errcode = '22023';
  end if;
  if v_org is null then
    v_org := account.create_organization(v_name, p_tier);
  else
    perform account.set_plan(v_org, p_tier, 'active');
    if account.count_active_keys(v_org) >= 1000 then
      raise exception '"%" has 1,000 active keys, which is the limit. Revoke some first.', v_name
        using errcode = '22023';
    end if;
  end if;
  v_key := account.insert_key(v_org, 'minted by an operator');
  perform account.write_audit(v_org, 'key.minted', left(v_key, 16), '{"name": "minted by an operator"}');
  return v_key;
end
$$;
comment on function account.mint_key(text, text) is
  'For operators (role postgres): returns a new key of the organization, with this tier. Creates '
  'it when no organization without members has the name; with members, only its id matches.';

revoke all on function
  account.base62(bigint, integer),
  account.random_base62(integer),
  account.crc32(text),
  account.key_checksum(text),
  account.key_hash(text),
  account.count_active_keys(uuid),
  account.insert_key(uuid, text, timestamptz),
  account.mint_key(text, text)
from public;

-- 53_account_members.sql

-- Users and their roles. An RPC that changes an organization first locks its row, for members with
-- account.lock_for_change. Changes of one organization are therefore serial, and two owners who
-- leave at once cannot both leave.
--
-- Order of locks: organization, usage, keys. Admission (54_account_admission.sql) locks usage,
-- keys.

create function account.require_user() returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  v_user uuid := auth.uid();
begin
  -- A session may outlive its user by up to an hour.
  if v_user is null or not exists (select from auth.users u where u.id = v_user) then
    perform account.raise_error(401, 'session.none', 'Sign in first.');
  end if;
  return v_user;
end
$$;
comment on function account.require_user() is
  'The signed-in user; an error (401) when there is none.';

create function account.require_role(p_org_id uuid) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_user uuid := account.require_user();
  v_role text;
begin
  select m.role into v_role from account.members m where m.org_id = p_org_id and m.user_id = v_user;
  if v_role is null then
    perform account.raise_error(
      404, 'organization.not_found', 'This organization does not exist, or you are not a member of it.'
    );
  end if;
  return v_role;
end
$$;
comment on function account.require_role(uuid) is
  'The role of the caller: owner or member. The error (404) is the same for an organization of '
  'other users and for one that does not exist.';

create function account.lock_for_change(p_org_id uuid, p_role text) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- The role is checked before the lock as well, so that a user without a role locks nothing.
  perform account.require_role(p_org_id);
  perform from account.organizations o where o.org_id = p_org_id for no key update;
  if account.require_role(p_org_id) <> 'owner' and p_role = 'owner' then
    perform account.raise_error(403, 'role.owner_needed', 'Only an owner of the organization can do this.');
  end if;
end
$$;
comment on function account.lock_for_change(uuid, text) is
  'Locks an organization for a change by the caller until this transaction ends. p_role owner: '
  'only an owner may change it (403).';

create function account.start_session(p_name text) returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user uuid := account.require_user();
  v_org uuid;
begin
  -- Two tabs of one user must not create two organizations.
  perform pg_advisory_xact_lock(hashtextextended('account.start_session ' || v_user, 0));
  if not exists (select from account.members m where m.user_id = v_user) then
    -- A user who deletes an organization gets a new month with the next one, so creating one is
    -- limited to ten times a day.
    if 10 <= (
      select count(*)
      from account.audit a
      where a.actor_id = v_user
        and a.action = 'organization.created'
        and a.at > clock_timestamp() - interval '1 day'
    ) then
      perform account.raise_error(
        409, 'organization.limit', 'You created 10 organizations within a day, which is the limit. Try again tomorrow.'
      );
    end if;
    v_org := account.create_organization(
      account.clean_name(
        coalesce(
          nullif(btrim(p_name), ''),
          (
            select nullif(regexp_replace(left(split_part(u.email, '@', 1), 200), '[[:cntrl:]]', '', 'g'), '')
            from auth.users u
            where u.id = v_user
          ),
          'My organization'
        ),
        'organization', 200
      )
    );
    insert into account.members (org_id, user_id, role) values (v_org, v_user, 'owner');
  end if;
  return (
    select jsonb_build_object('org_id', o.org_id, 'name', o.name, 'role', m.role, 'tier', s.tier, 'status', s.status)
    from account.members m
    join account.organizations o on o.org_id = m.org_id
    join account.subscriptions s on s.org_id = m.org_id
    where m.user_id = v_user
    order by m.created_at, m.org_id
    limit 1
  );
end
$$;
comment on function account.start_session(text) is
  'The organization in which the caller has been a member longest: {org_id, name, role, tier, '
  'status}. Creates one for a caller without any, ten times a day at most (409).';

create function account.list_members(p_org_id uuid) returns table (user_id uuid, email text, role text, since text)
language plpgsql stable security definer
set search_path = ''
as $$
begin
  perform account.require_role(p_org_id);
  return query
  select m.user_id, u.email::text, m.role, base.format_time(m.created_at)
  from account.members m
  join auth.users u on u.id = m.user_id
  where m.org_id = p_org_id
  order by m.created_at, m.user_id;
end
$$;
comment on function account.list_members(uuid) is
  'The members of an organization of the caller, oldest first.';

create function account.check_role(p_role text) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if p_role is null or p_role not in ('owner', 'member') then
    perform account.raise_error(400, 'role.unknown', 'The role must be owner or member.');
  end if;
end
$$;
comment on function account.check_role(text) is 'Rejects (400) an unknown role.';

create function account.check_not_last_owner(p_org_id uuid, p_user uuid) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if not exists (
    select from account.members m where m.org_id = p_org_id and m.role = 'owner' and m.user_id <> p_user
  ) then
    perform account.raise_error(
      409, 'member.last_owner',
      'An organization needs an owner. Make another member an owner first, or delete the organization.'
    );
  end if;
end
$$;
comment on function account.check_not_last_owner(uuid, uuid) is
  'Rejects (409) when no other user than p_user owns the organization. Called under the lock of '
  'account.lock_for_change.';

create function account.get_member(p_org_id uuid, p_user uuid) returns account.members
language plpgsql stable
set search_path = ''
as $$
declare
  v_member account.members;
begin
  select m.* into v_member from account.members m where m.org_id = p_org_id and m.user_id = p_user;
  if v_member.user_id is null then
    perform account.raise_error(404, 'member.not_found', 'This user is not a member of the organization.');
  end if;
  return v_member;
end
$$;
comment on function account.get_member(uuid, uuid) is
  'One member; an error (404) when there is none.';

create function account.remove_member(p_org_id uuid, p_user uuid) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_leaves boolean := coalesce(p_user = auth.uid(), false);
  v_member account.members;
begin
  perform account.lock_for_change(p_org_id, case when v_leaves then 'member' else 'owner' end);
  v_member := account.get_member(p_org_id, p_user);
  if v_member.role = 'owner' then
    perform account.check_not_last_owner(p_org_id, p_user);
  end if;
  perform account.write_audit(
    p_org_id, case when v_leaves then 'member.left' else 'member.removed' end,
    (select u.email from auth.users u where u.id = p_user), jsonb_build_object('user_id', p_user, 'role', v_member.role)
  );
  delete from account.members m where m.org_id = p_org_id and m.user_id = p_user;
end
$$;
comment on function account.remove_member(uuid, uuid) is
  'An owner removes a member, or a member leaves. The last owner can do neither (409).';

create function account.set_member_role(p_org_id uuid, p_user uuid, p_role text) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_member account.members;
begin
  perform account.lock_for_change(p_org_id, 'owner');
  perform account.check_role(p_role);
  v_member := account.get_member(p_org_id, p_user);
  if v_member.role = p_role then
    return;
  end if;
  if v_member.role = 'owner' then
    perform account.check_not_last_owner(p_org_id, p_user);
  end if;
  perform account.check_change_limit(p_org_id);
  update account.members m
  set role = p_role
  where m.org_id = p_org_id
    and m.user_id = p_user;
  perform account.write_audit(
    p_org_id, 'member.role', (select u.email from auth.users u where u.id = p_user),
    jsonb_build_object('user_id', p_user, 'from', v_member.role, 'to', p_role)
  );
end
$$;
comment on function account.set_member_role(uuid, uuid, text) is
  'Makes a member an owner or an owner a member. The last owner stays one (409).';

revoke all on function
  account.require_user(),
  account.require_role(uuid),
  account.lock_for_change(uuid, text),
  account.check_role(text),
  account.check_not_last_owner(uuid, uuid),
  account.get_member(uuid, uuid)
from public;
grant execute on function
  account.start_session(text),
  account.list_members(uuid),
  account.remove_member(uuid, uuid),
  account.set_member_role(uuid, uuid, text)
to authenticated;

-- 53_account_members_invited.sql

-- Invitations: a user becomes a member with a code that an owner passes on.

create table account.invitations (
  invitation_id uuid primary key default gen_random_uuid(),
  org_id uuid not null references account.organizations (org_id) on delete cascade,
  hash bytea not null unique check (length(hash) = 32),
  role text not null check (role in ('owner', 'member')),
  invited_by uuid references auth.users (id) on delete set null,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null default clock_timestamp() + interval '7 days'
);
comment on table account.invitations is
  'Codes that each admit one user. A row is deleted when its code is used or withdrawn.';
comment on column account.invitations.hash is
  'SHA-256 of the ASCII text of the code: 32 characters of base62 are 190 bits.';
create index invitations_by_org on account.invitations (org_id);
create index invitations_by_inviter on account.invitations (invited_by);

alter table account.invitations enable row level security;
alter table account.invitations force row level security;
create policy "members read the invitations of their organization" on account.invitations
  for select to authenticated using (org_id = any (array(select account.current_user_orgs())));
grant select (invitation_id, org_id, role, created_at, expires_at) on account.invitations to authenticated;

create function account.invite_member(p_org_id uuid, p_role text) returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_code text := account.random_base62(32);
  v_made account.invitations;
begin
  perform account.lock_for_change(p_org_id, 'owner');
  perform account.check_role(p_role);
  if (select count(*) from account.invitations i where i.org_id = p_org_id and i.expires_at > clock_timestamp())
    >= 100 then
    perform account.raise_error(
      409, 'invitation.limit', 'There are 100 open invitations, which is the limit. Withdraw some first.'
    );
  end if;
  perform account.check_change_limit(p_org_id);
  insert into account.invitations (org_id, hash, role, invited_by)
  values (p_org_id, account.key_hash(v_code), p_role, auth.uid())
  returning * into v_made;
  perform account.write_audit(
    p_org_id, 'member.invited', null, jsonb_build_object('role', p_role, 'invitation_id', v_made.invitation_id)
  );
  return jsonb_build_object(
    'invitation_id', v_made.invitation_id, 'code', v_code, 'role', p_role, 'expires_at',
    base.format_time(v_made.expires_at)
  );
end
$$;
comment on function account.invite_member(uuid, text) is
  'Creates a code that admits one user within 7 days: {invitation_id, code, role, expires_at}. '
  'The code is returned only once.';

create function account.withdraw_invitation(p_invitation uuid) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_org uuid;
begin
  perform account.require_user();
  select i.org_id into v_org
  from account.invitations i
  where i.invitation_id = p_invitation
    and i.org_id in (select account.current_user_orgs());
  if v_org is not null then
    perform account.lock_for_change(v_org, 'owner');
    delete from account.invitations i where i.invitation_id = p_invitation returning i.org_id into v_org;
  end if;
  if v_org is null then
    perform account.raise_error(
      404, 'invitation.not_found', 'This invitation does not exist, was used or withdrawn, or has expired.'
    );
  end if;
  perform account.write_audit(v_org, 'invitation.withdrawn', null, jsonb_build_object('invitation_id', p_invitation));
end
$$;
comment on function account.withdraw_invitation(uuid) is
  'Withdraws an invitation that was not used.';

create function account.accept_invitation(p_code text) returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user uuid := account.require_user();
  v_code bytea := account.key_hash(btrim(p_code, E' \t\r\n'));
  v_found account.invitations;
begin
  select i.* into v_found from account.invitations i where i.hash = v_code and i.expires_at > clock_timestamp();
  -- Locks the organization before the invitation, as every RPC does: a deletion of the organization
  -- deletes both in this order.
  perform from account.organizations o where o.org_id = v_found.org_id for no key update;
  if exists (select from account.members m where m.org_id = v_found.org_id and m.user_id = v_user) then
    perform account.raise_error(
      409, 'member.already',
      'You are already a member of this organization. The invitation remains valid for another person.'
    );
  end if;
  if (select count(*) from account.members m where m.org_id = v_found.org_id) >= 1000 then
    perform account.raise_error(
      409, 'member.limit', 'This organization has 1,000 members, which is the limit. An owner can remove some.'
    );
  end if;
  delete from account.invitations i
  where i.invitation_id = v_found.invitation_id
    and i.expires_at > clock_timestamp();
  if not found then
    perform account.raise_error(
      404, 'invitation.not_found', 'This invitation does not exist, was used or withdrawn, or has expired.'
    );
  end if;
  insert into account.members (org_id, user_id, role) values (v_found.org_id, v_user, v_found.role);
  perform account.write_audit(
    v_found.org_id, 'member.joined', account.current_actor(),
    jsonb_build_object('role', v_found.role, 'invitation_id', v_found.invitation_id)
  );
  return (
    select jsonb_build_object('org_id', o.org_id, 'name', o.name, 'role', v_found.role)
    from account.organizations o
    where o.org_id = v_found.org_id
  );
end
$$;
comment on function account.accept_invitation(text) is
  'Makes the caller a member: {org_id, name, role}, one of at most 1,000 (409). An unknown, used '
  'or expired code gives one error (404).';

grant execute on function
  account.invite_member(uuid, text),
  account.withdraw_invitation(uuid),
  account.accept_invitation(text)
to authenticated;

-- 54_account_admission.sql

-- Admission: key → organization → plan → window → month, exact with concurrent requests.
--
-- A request calls admission twice in its one transaction. The first call spends nothing: it only
-- checks, so a rejection costs no write and no lock. The last call spends, when it is known whether
-- the response carries data. Only that call locks the usage row of the organization, and the commit
-- that follows releases it. So requests of one organization that render 500 rows each do not wait
-- for each other. The second call may reject what the first allowed. Then the work is wasted, and
-- the limit is exact to the request.

create type account.admission as (
  status smallint,
  code text,
  org_id uuid,
  tier text,
  window_quota integer,
  window_used integer,
  window_left_s integer,
  month_quota integer,
  month_used integer,
  month_ends_at timestamptz
);
comment on type account.admission is
  'status and code are null for an admitted caller, else the API error. The counts are those '
  'after this request. window_left_s: whole seconds until the window ends (60 before one begins).';

create function account.count_request(
  p_org_id uuid,
  p_needs_month boolean,
  p_spends_window integer,
  p_spends_month integer,
  p_feature text
) returns account.admission
language plpgsql volatile
set search_path = ''
as $$
declare
  v_plan record;
  v_usage account.usage;
  v_in account.admission;
  v_now timestamptz := clock_timestamp();
  v_month date;
  v_running boolean;
  v_before integer;
  v_set text;
begin
  select s.tier, s.status, t.window_requests, t.month_requests, t.webhook_endpoints
  into v_plan
  from account.subscriptions s
  join account.tiers t on t.tier = s.tier
  where s.org_id = p_org_id;
  if p_spends_window = 0 and p_spends_month = 0 then
    select u.* into v_usage from account.usage u where u.org_id = p_org_id;
  else
    -- A crash may lose the last second of counts. Waiting for the disk on each request would cost
    -- far more. An assignment instead of perform, here and in account.admit, needs no executor.
    v_set := set_config('synchronous_commit', 'off', true);
    select u.* into v_usage from account.usage u where u.org_id = p_org_id for update;
    v_now := clock_timestamp();
  end if;
  -- The organization was deleted, perhaps while this request waited for the lock.
  if not found then
    v_in.status := 401;
    v_in.code := 'auth.revoked_key';
    return v_in;
  end if;
  v_month := date_trunc('month', v_now at time zone 'UTC')::date;
  v_running := coalesce(v_usage.window_began_at > v_now - interval '60 seconds', false);

  v_in.org_id := p_org_id;
  v_in.tier := v_plan.tier;
  v_in.window_quota := v_plan.window_requests;
  v_in.month_quota := v_plan.month_requests;
  v_in.month_ends_at := (v_month + interval '1 month') at time zone 'UTC';
  v_in.window_used := case when v_running then v_usage.window_used else 0 end;
  v_in.window_left_s := case
    when v_running then ceil(extract(epoch from v_usage.window_began_at + interval '60 seconds' - v_now))
    else 60
  end;
  v_in.month_used := case when v_usage.month = v_month then v_usage.month_used else 0 end;

  if v_plan.status <> 'active' then
    v_in.status := 402;
    v_in.code := 'billing.inactive';
  elsif p_feature = 'webhook' and v_plan.webhook_endpoints = 0 then
    v_in.status := 403;
    v_in.code := 'webhook.tier';
  elsif v_in.window_used + greatest(p_spends_window, 1) > v_plan.window_requests then
    v_in.status := 429;
    v_in.code := 'rate.window';
  elsif p_needs_month and v_in.month_used + greatest(p_spends_month, 1) > v_plan.month_requests then
    v_in.status := 429;
    v_in.code := 'rate.quota';
  end if;
  if v_in.code is not null or (p_spends_window = 0 and p_spends_month = 0) then
    return v_in;
  end if;

  if v_usage.month <> v_month then
    insert into account.monthly_usage (org_id, month, used)
    values (p_org_id, v_usage.month, v_usage.month_used)
    on conflict (org_id, month) do update
    set used = excluded.used;
  end if;
  update account.usage u
  set window_began_at = case when v_running then u.window_began_at else v_now end,
      window_used = v_in.window_used + p_spends_window,
      month = v_month,
      month_used = v_in.month_used + p_spends_month
  where u.org_id = p_org_id;
  v_in.window_used := v_in.window_used + p_spends_window;
  v_in.month_used := v_in.month_used + p_spends_month;
  -- Two comparisons for each request. Only a request that reaches 80 % or 100 % costs more.
  v_before := v_in.month_used - p_spends_month;
  if (v_in.month_used >= v_in.month_quota and v_before < v_in.month_quota)
    or (
      v_in.month_used * 5::bigint >= v_in.month_quota * 4::bigint
      and v_before * 5::bigint < v_in.month_quota * 4::bigint
    ) then
    perform account.publish_quota_notices(p_org_id, v_month, v_in.month_used, v_in.month_quota);
  end if;
  return v_in;
end
$$;
comment on function account.count_request(uuid, boolean, integer, integer, text) is
  'The part of admission that a key and a session share: checks plan, window and month of an '
  'organization, and counts what the request spends.';
revoke all on function account.count_request(uuid, boolean, integer, integer, text) from public;

-- p_needs_month: the route carries data, so an exhausted month rejects the request. p_spends_window
-- and p_spends_month: what this request counts. p_feature webhook: the tier must include webhooks.
create function account.admit(
  p_key_hash bytea,
  p_needs_month boolean,
  p_spends_window integer,
  p_spends_month integer,
  p_feature text default null
) returns account.admission
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_key account.keys;
  v_in account.admission;
  v_now timestamptz := clock_timestamp();
  v_set text;
begin
  select k.* into v_key from account.keys k where k.hash = p_key_hash;
  -- One response for a key that is unknown, revoked, expired or of a deleted organization, so that
  -- trying keys reveals nothing.
  if v_key.key_id is null or v_key.revoked_at <= v_now or v_key.expires_at <= v_now then
    v_in.status := 401;
    v_in.code := 'auth.revoked_key';
    return v_in;
  end if;
  v_in := account.count_request(v_key.org_id, p_needs_month, p_spends_window, p_spends_month, p_feature);
  if v_in.code is not null then
    return v_in;
  end if;
  v_set := set_config('parallax.org', v_key.org_id::text, true);
  if p_spends_window + p_spends_month > 0
    and (v_key.last_used_at is null or v_key.last_used_at < date_trunc('minute', v_now)) then
    update account.keys k
    set last_used_at = date_trunc('minute', v_now)
    where k.key_id = v_key.key_id
      and (k.last_used_at is null or k.last_used_at < date_trunc('minute', v_now));
  end if;
  return v_in;
end
$$;
comment on function account.admit(bytea, boolean, integer, integer, text) is
  'Admits the holder of a key, or returns the first error of 401, 402, 403, 429. A call that '
  'spends 0 and 0 only checks.';

grant usage on type account.admission to parallax_api;
grant execute on function account.admit(bytea, boolean, integer, integer, text) to parallax_api;

-- 54_account_quota.sql

-- Quota notices: an organization learns that 80 % or 100 % of its month is used.

create table account.quota_notices (
  org_id uuid not null references account.organizations (org_id) on delete cascade,
  month date not null,
  quota integer not null,
  percent smallint not null check (percent in (80, 100)),
  used integer not null,
  primary key (org_id, month, quota, percent)
);
comment on table account.quota_notices is
  'The quota frames that were published: each once a month for each limit, so that a plan that '
  'changes back and forth repeats none. Only a request that reaches a mark reads them.';
alter table account.quota_notices enable row level security;
alter table account.quota_notices force row level security;

create function account.publish_quota_notices(p_org_id uuid, p_month date, p_used integer, p_quota integer) returns void
language sql volatile
set search_path = ''
as $$
  insert into account.quota_notices (org_id, month, quota, percent, used)
  select p_org_id, p_month, p_quota, m.percent, p_used
  from (values (80::smallint), (100::smallint)) as m (percent)
  where p_used * 100::bigint >= p_quota * m.percent::bigint
  order by m.percent
  on conflict do nothing
$$;
comment on function account.publish_quota_notices(uuid, date, integer, integer) is
  'Records the marks of 80 and 100 % that p_used has reached, each once a month for each limit. A '
  'trigger of schema stream publishes them. Call it last in a transaction.';

revoke all on function account.publish_quota_notices(uuid, date, integer, integer) from public;

-- 55_account_key_changes.sql

-- What users change about keys and about the organization itself. Owners change, members read
-- (policies in 50_account.sql).

create function account.lock_own_key(p_key uuid) returns account.keys
language plpgsql volatile
set search_path = ''
as $$
declare
  v_key account.keys;
begin
  perform account.require_user();
  select k.* into v_key from account.keys k where k.key_id = p_key and k.org_id in (select account.current_user_orgs());
  if v_key.key_id is not null then
    perform account.lock_for_change(v_key.org_id, 'owner');
    -- Read again under the lock.
    select k.* into v_key from account.keys k where k.key_id = p_key;
  end if;
  if v_key.key_id is null then
    perform account.raise_error(
      404, 'key.not_found', 'This key does not exist, or it is not a key of your organizations.'
    );
  end if;
  return v_key;
end
$$;
comment on function account.lock_own_key(uuid) is
  'A key that the caller may change, with its organization locked. An error when the caller is no '
  'owner (403) or the key is not theirs (404).';

create function account.is_key_inactive(p_key account.keys) returns boolean
language sql volatile
set search_path = ''
as $$ select p_key.revoked_at is not null or coalesce(p_key.expires_at <= clock_timestamp(), false) $$;
comment on function account.is_key_inactive(account.keys) is 'Whether a key is revoked or expired.';

create function account.new_key_json(p_org_id uuid, p_name text) returns jsonb
language plpgsql volatile
set search_path = ''
as $$
declare
  v_key text;
begin
  if account.count_active_keys(p_org_id) >= 1000 then
    perform account.raise_error(
      409, 'key.limit', 'This organization has 1,000 active keys, which is the limit. Revoke some first.'
    );
  end if;
  perform account.check_change_limit(p_org_id);
  v_key := account.insert_key(p_org_id, p_name);
  return (
    select jsonb_build_object(
      'org_id', k.org_id, 'key_id', k.key_id, 'prefix', k.prefix, 'name', k.name, 'created_at',
      base.format_time(k.created_at), 'key', v_key
    )
    from account.keys k
    where k.hash = account.key_hash(v_key)
  );
end
$$;
comment on function account.new_key_json(uuid, text) is
  'Creates a key: {org_id, key_id, prefix, name, created_at, key}. key is returned only once. '
  'Called under the lock of account.lock_for_change.';

create function account.mint_own_key(p_org_id uuid, p_name text) returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_new jsonb;
begin
  perform account.lock_for_change(p_org_id, 'owner');
  v_new := account.new_key_json(p_org_id, account.clean_name(p_name, 'key', 100));
  perform account.write_audit(p_org_id, 'key.minted', v_new ->> 'prefix', jsonb_build_object('name', v_new -> 'name'));
  return v_new;
end
$$;
comment on function account.mint_own_key(uuid, text) is
  'Creates a key of an organization; at most 1,000 are active (409).';

create function account.rename_key(p_key uuid, p_name text) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_key account.keys := account.lock_own_key(p_key);
  v_name text := account.clean_name(p_name, 'key', 100);
begin
  if v_key.name = v_name then
    return;
  end if;
  perform account.check_change_limit(v_key.org_id);
  update account.keys k
  set name = v_name
  where k.key_id = p_key;
  perform account.write_audit(
    v_key.org_id, 'key.renamed', v_key.prefix, jsonb_build_object('from', v_key.name, 'to', v_name)
  );
end
$$;
comment on function account.rename_key(uuid, text) is 'Renames a key.';

create function account.revoke_key(p_key uuid) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_key account.keys := account.lock_own_key(p_key);
begin
  if v_key.revoked_at is not null then
    return;
  end if;
  update account.keys k
  set revoked_at = clock_timestamp()
  where k.key_id = p_key;
  perform account.write_audit(v_key.org_id, 'key.revoked', v_key.prefix, jsonb_build_object('name', v_key.name));
end
$$;
comment on function account.revoke_key(uuid) is
  'Revokes a key: its next request gets a 401. Revoking it again changes nothing.';

create function account.rotate_key(p_key uuid, p_overlap_hours integer) returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_key account.keys := account.lock_own_key(p_key);
  v_ends timestamptz;
  v_new jsonb;
begin
  if p_overlap_hours is null or p_overlap_hours not between 0 and 72 then
    perform account.raise_error(400, 'key.overlap', 'The old key can stay valid for 0 to 72 hours.');
  end if;
  if account.is_key_inactive(v_key) then
    perform account.raise_error(409, 'key.over', 'This key is revoked or has expired. Create a new one.');
  end if;
  update account.keys k
  set expires_at = least(k.expires_at, clock_timestamp() + make_interval(hours => p_overlap_hours))
  where k.key_id = p_key
  returning k.expires_at into v_ends;
  v_new := account.new_key_json(v_key.org_id, v_key.name);
  perform account.write_audit(
    v_key.org_id, 'key.rotated', v_key.prefix,
    jsonb_build_object('to', v_new -> 'prefix', 'expires_at', base.format_time(v_ends))
  );
  return v_new || jsonb_build_object('replaces', p_key, 'old_expires_at', base.format_time(v_ends));
end
$$;
comment on function account.rotate_key(uuid, integer) is
  'Creates a key of the same name: {org_id, key_id, prefix, name, created_at, key, replaces, '
  'old_expires_at}. The old key expires after p_overlap_hours (0: now).';

create function account.rename_organization(p_org_id uuid, p_name text) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_before text;
  v_name text;
begin
  perform account.lock_for_change(p_org_id, 'owner');
  v_name := account.clean_name(p_name, 'organization', 200);
  select o.name into v_before from account.organizations o where o.org_id = p_org_id;
  if v_before = v_name then
    return;
  end if;
  perform account.check_change_limit(p_org_id);
  update account.organizations o
  set name = v_name
  where o.org_id = p_org_id;
  perform account.write_audit(
    p_org_id, 'organization.renamed', v_name, jsonb_build_object('from', v_before, 'to', v_name)
  );
end
$$;
comment on function account.rename_organization(uuid, text) is 'Renames an organization.';

create function account.delete_organization(p_org_id uuid) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform account.lock_for_change(p_org_id, 'owner');
  -- Locks usage before the keys are deleted: a request that is being counted holds this row and
  -- then needs the row of its key.
  perform from account.usage u where u.org_id = p_org_id for update;
  perform account.write_audit(
    p_org_id, 'organization.deleted', o.name,
    jsonb_build_object(
      'tier', s.tier, 'keys', account.count_active_keys(p_org_id), 'month', u.month, 'month_used', u.month_used
    )
  )
  from account.organizations o
  join account.subscriptions s on s.org_id = o.org_id
  join account.usage u on u.org_id = o.org_id
  where o.org_id = p_org_id;
  delete from account.organizations o where o.org_id = p_org_id;
end
$$;
comment on function account.delete_organization(uuid) is
  'Deletes an organization with all its data. Its keys get a 401 from the next request on. Only '
  'the audit keeps a trace of it.';

create function account.purge_expired(p_limit integer default 10000) returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_gone integer;
begin
  with old as (
    select a.audit_id
    from account.audit a
    where a.at < clock_timestamp() - interval '1 year'
    order by a.at
    limit p_limit
  )
  delete from account.audit a
  using old
  where a.audit_id = old.audit_id;
  get diagnostics v_gone = row_count;
  delete from account.invitations i where i.expires_at < clock_timestamp();
  delete from account.quota_notices q where q.month < date_trunc('month', clock_timestamp() at time zone 'UTC')::date;
  delete from account.keys k where least(k.revoked_at, k.expires_at) < clock_timestamp() - interval '1 year';
  return v_gone;
end
$$;
comment on function account.purge_expired(integer) is
  'Retention of schema account: audit rows and inactive keys after a year, expired invitations, '
  'quota notices of past months. Returns the number of deleted audit rows.';

revoke all on function
  account.lock_own_key(uuid),
  account.is_key_inactive(account.keys),
  account.new_key_json(uuid, text),
  account.purge_expired(integer)
from public;
grant execute on function
  account.mint_own_key(uuid, text),
  account.rename_key(uuid, text),
  account.revoke_key(uuid),
  account.rotate_key(uuid, integer),
  account.rename_organization(uuid, text),
  account.delete_organization(uuid)
to authenticated;

-- 55_account_sessions.sql

-- Requests of signed-in users count too. Otherwise a session would be a key without limits.

create function account.raise_admission_error(p_in account.admission) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  case p_in.code
    when 'billing.inactive' then
      perform account.raise_error(402, p_in.code, 'The plan of your organization is not active.');
    when 'rate.window' then
      perform account.raise_error(
        429, p_in.code,
        format(
          'Your organization has used its %s requests of this minute. Try again in %s seconds.', p_in.window_quota,
          p_in.window_left_s
        )
      );
    else null;
  end case;
end
$$;
comment on function account.raise_admission_error(account.admission) is
  'Ends an RPC with the error of a plan or rate limit (402, 429). Does nothing for an admitted '
  'user.';
revoke all on function account.raise_admission_error(account.admission) from public;

create function account.admit_session(p_spends_window integer) returns uuid
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user uuid := account.require_user();
  v_org uuid;
  v_in account.admission;
begin
  -- Of several organizations, the one whose plan allows most. A page also uses the stream of that
  -- one.
  select m.org_id
  into v_org
  from account.members m
  join account.subscriptions s on s.org_id = m.org_id
  join account.tiers t on t.tier = s.tier
  where m.user_id = v_user
  order by s.status = 'active' desc, t.window_requests desc, m.created_at, m.org_id
  limit 1;
  if v_org is null then
    perform account.raise_error(
      404, 'organization.none', 'You are not a member of an organization. Sign in again to create one.'
    );
  end if;
  v_in := account.count_request(v_org, false, p_spends_window, 0, null);
  if v_in.code = 'auth.revoked_key' then
    perform account.raise_error(
      404, 'organization.none', 'You are not a member of an organization. Sign in again to create one.'
    );
  end if;
  perform account.raise_admission_error(v_in);
  return v_org;
end
$$;
comment on function account.admit_session(integer) is
  'Admits a signed-in user, or raises an error (401, 402, 404, 429). Counts in the window of the '
  'organization, never in its month. Returns that organization.';
revoke all on function account.admit_session(integer) from public;

create function account.admit_owner(p_user uuid, p_org_id uuid, p_spends_window integer, p_feature text)
returns account.admission
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_in account.admission;
  v_error text;
  v_detail text;
begin
  -- auth.uid() is this user for the rest of the transaction, for row security and for the audit.
  perform set_config('request.jwt.claims', jsonb_build_object('sub', p_user, 'role', 'authenticated')::text, true);
  begin
    perform account.lock_for_change(p_org_id, 'owner');
  exception
    -- An error of account.raise_error. This caller is not PostgREST, so it gets the code as an
    -- admission.
    when sqlstate 'PGRST' then
      get stacked diagnostics v_error = message_text, v_detail = pg_exception_detail;
      v_in.code := v_error::jsonb ->> 'code';
      v_in.status := v_detail::jsonb ->> 'status';
      return v_in;
  end;
  return account.count_request(p_org_id, false, p_spends_window, 0, p_feature);
end
$$;
comment on function account.admit_owner(uuid, uuid, integer, text) is
  'Admits an owner of an organization, or returns the first error of 401, 404, 403, 402, 403, '
  '429. p_user: the user whose session the function api has verified with Auth.';
revoke all on function account.admit_owner(uuid, uuid, integer, text) from public;
grant execute on function account.admit_owner(uuid, uuid, integer, text) to parallax_api;

-- 56_arb.sql

-- Schema arb: opportunities, in which one contract of every outcome, bought across both venues,
-- costs less than the $1 that one of them pays, fees included. The engine (functions/ingest/engine)
-- finds what the books offer. This schema applies the gates, keeps every state of an opportunity,
-- and records why it ended. Prices are integers of 1e-6 USD, sizes of 0.01 contract, times are
-- market time.

create schema arb;
revoke all on schema arb from public;
grant usage on schema arb to parallax_api;

create table arb.settings (
  singleton boolean primary key default true check (singleton),
  keep_opportunities interval not null default interval '30 days',
  keep_rejections interval not null default interval '7 days',
  keep_reports interval not null default interval '180 days',
  max_open_reports integer not null default 100 check (max_open_reports > 0),
  max_open_report_bytes bigint not null default 16777216 check (max_open_report_bytes > 0)
);
comment on table arb.settings is
  'The one row of settings: retention of closed opportunities, rejections and reports, and how '
  'many reports (and bytes) of an organization may wait for a verdict.';
insert into arb.settings (singleton) values (true) on conflict do nothing;

create table arb.opportunities (
  opportunity_id uuid primary key,
  pair_id uuid not null,
  opened_at timestamptz not null,
  closed_at timestamptz not null default 'infinity',
  close_reason text,
  last_update_at timestamptz not null,
  recorded_at timestamptz not null default clock_timestamp(),
  retracted_at timestamptz,
  check (closed_at > opened_at or retracted_at is not null),
  check ((closed_at = 'infinity') = (close_reason is null))
);
comment on table arb.opportunities is
  'One row for each opportunity from open to close. The id is derived from the pair and '
  'opened_at, so a flush that is written twice makes no second row.';
comment on column arb.opportunities.closed_at is
  'infinity while it is open. When a book became invalid, the last time at which it was valid.';
comment on column arb.opportunities.close_reason is
  'edge.gone, or a code of a book guard (book.gap, lease.expired …), of a rejection '
  '(size.below_minimum …), of a gate (parity.withdrawn …) or of the pair (pair.resolving …).';
comment on column arb.opportunities.last_update_at is
  'Market time of the newest price update that was applied. Older ones are ignored.';
comment on column arb.opportunities.recorded_at is
  'Real time at which the opening was written. Its distance from opened_at is the whole detection '
  'time.';
comment on column arb.opportunities.retracted_at is
  'Set when it opened on a book that was already invalid. It is never served.';
create unique index opportunities_open on arb.opportunities (pair_id) where closed_at = 'infinity';
create index opportunities_by_pair on arb.opportunities (pair_id, opened_at);
create index opportunities_by_close on arb.opportunities (closed_at);

create table arb.opportunity_states (
  opportunity_id uuid not null references arb.opportunities (opportunity_id) on delete cascade,
  state_no bigint generated always as identity,
  from_at timestamptz not null,
  priced_at timestamptz not null,
  cost integer not null check (cost between 1 and 999999),
  size bigint not null check (size > 0),
  total_cost bigint not null check (total_cost = ceil(cost * size::numeric / 100)),
  legs jsonb not null check (jsonb_typeof(legs) = 'array'),
  size_curve jsonb not null check (jsonb_typeof(size_curve) = 'array'),
  read_a timestamptz,
  read_b timestamptz,
  retracted boolean not null default false,
  primary key (opportunity_id, state_no)
);
comment on table arb.opportunity_states is
  'The terms of an opportunity from from_at on. Every change is kept, so that any past moment can '
  'be served.';
comment on column arb.opportunity_states.priced_at is
  'When its selected asks or its size last changed. Deeper levels of the size curve change '
  'from_at only.';
comment on column arb.opportunity_states.total_cost is 'cost · size in 1e-6 USD, rounded up.';
comment on column arb.opportunity_states.legs is
  'In outcome order: [{key, venue, side, contract, ask, fee, stake, size, delay, label, '
  'question}]. ask, fee, stake in 1e-6, size in 0.01 contract, delay in seconds.';
comment on column arb.opportunity_states.size_curve is
  '[{size, cost}]: the exact cost of buying from the books, 1e-8 USD as a decimal string.';
comment on column arb.opportunity_states.retracted is
  'Computed from a book that was already invalid. Never served.';

create table arb.rejections (
  pair_id uuid not null,
  stage text not null check (stage in ('decision', 'serving')),
  reason text not null,
  subject text,
  first_at timestamptz not null,
  last_at timestamptz not null,
  occurrences bigint not null default 1,
  primary key (pair_id, stage, reason)
);
comment on table arb.rejections is
  'Possible opportunities that failed a rule. stage decision: there was an edge, and a rule of '
  'the arithmetic failed; serving: an open one that could not be served.';
create index rejections_by_time on arb.rejections (last_at);

create table arb.reports (
  report_id uuid primary key default gen_random_uuid(),
  org_id uuid not null references account.organizations (org_id) on delete cascade,
  key_id uuid references account.keys (key_id) on delete set null,
  opp_id text,
  opportunity_id uuid,
  reason text,
  sport text,
  market text,
  detail text,
  extra_fields jsonb,
  evidence jsonb,
  received_at timestamptz not null default clock_timestamp(),
  verdict text check (verdict in ('upheld', 'dismissed')),
  note text,
  reviewed_at timestamptz,
  request_id text default base.current_request_id(),
  check ((verdict is null) = (reviewed_at is null))
);
comment on table arb.reports is
  'Reports of users that an opportunity was none, for review. Real time, like everything that '
  'people do.';
comment on column arb.reports.opportunity_id is
  'The opportunity of opp_id; null when there is none.';
comment on column arb.reports.evidence is
  'The opportunity with its states, pair, gates and risks at the time of the report, because '
  'their rows are purged.';
comment on column arb.reports.verdict is
  'Of an operator (arb.review_report). upheld: it was no arbitrage; dismissed: it was one. Null '
  'until a review.';
comment on column arb.reports.note is 'The answer of the operator to the organization.';
comment on column arb.reports.extra_fields is 'Other fields of the body, as they were sent.';
comment on column arb.reports.request_id is
  'The request of the report, as in the logs of the functions.';
create index reports_by_org on arb.reports (org_id, received_at);
create index reports_waiting on arb.reports (org_id) where verdict is null;
create index reports_by_key on arb.reports (key_id);
create index reports_by_time on arb.reports (received_at);

alter table arb.settings enable row level security;
alter table arb.settings force row level security;
alter table arb.opportunities enable row level security;
alter table arb.opportunities force row level security;
alter table arb.opportunity_states enable row level security;
alter table arb.opportunity_states force row level security;
alter table arb.rejections enable row level security;
alter table arb.rejections force row level security;
alter table arb.reports enable row level security;
alter table arb.reports force row level security;

create policy "the api reads opportunities" on arb.opportunities for select to parallax_api using (true);
create policy "the api reads opportunity states" on arb.opportunity_states for select to parallax_api using (true);
create policy "an organization reads its own reports" on arb.reports
  for select to parallax_api
  using (org_id = (select account.current_org()));
grant select on arb.opportunities, arb.opportunity_states, arb.reports to parallax_api;

create function arb.purge_expired(p_limit integer default 2000) returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_deleted integer;
begin
  with old as (
    select o.opportunity_id
    from arb.opportunities o
    cross join arb.settings s
    where o.closed_at < clock.now() - s.keep_opportunities
    order by o.closed_at
    limit p_limit
  )
  delete from arb.opportunities o
  using old
  where o.opportunity_id = old.opportunity_id;
  get diagnostics v_deleted = row_count;
  delete from arb.rejections r
  using arb.settings s
  where r.last_at < clock.now() - s.keep_rejections;
  delete from arb.reports r
  using arb.settings s
  where r.received_at < clock_timestamp() - s.keep_reports;
  return v_deleted;
end
$$;
comment on function arb.purge_expired(integer) is
  'Retention: deletes expired opportunities (at most p_limit), rejections and reports. Returns '
  'the number of opportunities.';

-- 56_arb_track_records.sql

-- The track record: every opportunity that was served, with its terms at that moment, and what its
-- contracts paid in the end. An opportunity is served when the stream publishes it
-- (stream.opportunity_frames) or REST returns it (arb.list_servable), whichever comes first. Both
-- call arb.record_served in the transaction that serves, so a crash loses neither or both.
--
-- The record has no foreign key to opportunities and pairs, because they are purged and it is kept.
-- It takes results from the contracts and not from the pair: an opportunity counts also when its
-- pair is withdrawn afterwards. Otherwise a wrong match would disappear from the record.

create table arb.track_records (
  opportunity_id uuid primary key,
  pair_id uuid not null,
  family text not null,
  competition text,
  title text not null,
  opened_at timestamptz not null,
  closed_at timestamptz not null,
  served_at timestamptz not null,
  size bigint not null check (size > 0),
  total_cost bigint not null check (total_cost > 0),
  paid numeric(20, 2) check (paid >= 0),
  settled_at timestamptz,
  amended_at timestamptz,
  without_result_at timestamptz,
  watched_until timestamptz not null default 'infinity',
  month date not null generated always as (date_trunc('month', opened_at at time zone 'UTC')::date) stored,
  promised bigint not null generated always as (size * 10000) stored,
  profit numeric(20, 2) generated always as (paid - total_cost) stored,
  outcome text generated always as (
    case when paid >= size * 10000 then 'as_promised' when paid >= total_cost then 'less' when paid >= 0 then 'loss' end
  ) stored,
  check ((paid is null) = (settled_at is null)),
  check (paid is null or without_result_at is null)
);
comment on table arb.track_records is
  'One row for each opportunity that was served, kept for good. Sizes are 0.01 contract of each '
  'leg, money is 1e-6 USD, times are market time.';
comment on column arb.track_records.served_at is
  'When it was first served. size, total_cost and legs are the terms of that moment: what a '
  'reader who acts at once gets.';
comment on column arb.track_records.total_cost is 'Cost of all legs at this size, fees included.';
comment on column arb.track_records.promised is '$1 for each contract: exactly one leg pays it.';
comment on column arb.track_records.paid is
  'What the legs paid together, exact; null until every leg is final. A void at a fair price or '
  '50-50 counts as it was paid.';
comment on column arb.track_records.outcome is
  'as_promised: paid at least promised; less: at least the cost; loss: less than the cost.';
comment on column arb.track_records.amended_at is
  'When a venue last changed a result that was already counted.';
comment on column arb.track_records.without_result_at is
  'When its pair was closed without a result, or a contract was no longer stored. A later result '
  'still settles it.';
comment on column arb.track_records.watched_until is
  'Until then arb.settle_track_records compares it with the results of the venues.';
create index track_records_by_pair on arb.track_records (pair_id);
create index track_records_watched on arb.track_records (watched_until);

create table arb.track_record_legs (
  opportunity_id uuid not null references arb.track_records (opportunity_id) on delete cascade,
  ordinal smallint not null,
  key text not null,
  venue venue.code not null,
  contract_id text not null,
  side text check (side in ('yes', 'no')),
  ask integer not null,
  fee integer not null,
  payout numeric(7, 6) check (payout between 0 and 1),
  primary key (opportunity_id, ordinal)
);
comment on table arb.track_record_legs is
  'The contracts of a row of arb.track_records, in outcome order. ask and fee of one contract in '
  '1e-6 USD; side is null for an outcome token of venue_b.';
comment on column arb.track_record_legs.payout is
  'USD that one contract of this side or token was paid; null until its venue is final.';

create table arb.track_record_state (
  singleton boolean primary key default true check (singleton),
  report_no bigint not null,
  updated_at timestamptz not null,
  since timestamptz not null,
  built_at timestamptz not null default clock_timestamp(),
  build_time interval not null,
  fingerprint text not null,
  rows jsonb not null check (jsonb_typeof(rows) = 'array')
);
comment on table arb.track_record_state is
  'The one row with the tallies of GET /v2/track-record. A request reads this row only, because '
  'everyone may send requests.';
comment on column arb.track_record_state.updated_at is
  'Market time of the change. built_at is real time, build_time how long the tallies took.';
comment on column arb.track_record_state.fingerprint is
  'Counts and sums of the records that the tallies were made from.';
comment on column arb.track_record_state.rows is
  '[{level, month, family, competition, tally}]. level: the bits of what is summed over (4 month, '
  '2 family, 1 competition). tally: JSON text, so that no decimal changes.';

alter table arb.track_records enable row level security;
alter table arb.track_records force row level security;
alter table arb.track_record_legs enable row level security;
alter table arb.track_record_legs force row level security;
alter table arb.track_record_state enable row level security;
alter table arb.track_record_state force row level security;

create policy "the api reads the tallies of the track record" on arb.track_record_state
  for select to parallax_api
  using (true);
grant select on arb.track_record_state to parallax_api;

create function arb.record_served(p_opportunity_id uuid, p_state_no bigint) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- Nearly always: it was served before, with the terms that count.
  if exists (select from arb.track_records r where r.opportunity_id = p_opportunity_id) then
    return;
  end if;
  insert into arb.track_records (
    opportunity_id, pair_id, family, competition, title, opened_at, closed_at, served_at, size, total_cost
  )
  select o.opportunity_id, o.pair_id, p.market_type, p.competition, p.title, o.opened_at, o.closed_at, clock.now(),
         s.size, s.total_cost
  from arb.opportunities o
  join arb.opportunity_states s on s.opportunity_id = o.opportunity_id and s.state_no = p_state_no
  join catalog.pairs p on p.pair_id = o.pair_id
  where o.opportunity_id = p_opportunity_id
  on conflict (opportunity_id) do nothing;
  if not found then
    return;
  end if;
  insert into arb.track_record_legs (opportunity_id, ordinal, key, venue, contract_id, side, ask, fee)
  select s.opportunity_id, l.place - 1, l.key, l.venue, l.contract, l.side, l.ask, l.fee
  from arb.opportunity_states s
  cross join rows from (
    jsonb_to_recordset(s.legs) as (key text, venue text, side text, contract text, ask integer, fee integer)
  ) with ordinality as l (key, venue, side, contract, ask, fee, place)
  where s.opportunity_id = p_opportunity_id
    and s.state_no = p_state_no;
end
$$;
comment on function arb.record_served(uuid, bigint) is
  'Adds an opportunity to the track record with the terms of this state. Does nothing when it was '
  'served before.';
revoke all on function arb.record_served(uuid, bigint) from public;

-- 57_arb_lifecycle.sql

-- Opens, updates and closes opportunities by price updates with results of the engine.
-- pipeline.apply_books calls it in the transaction of the flush, fenced and in the order of the
-- price updates.

create function arb.gate_close_reason(p_pair_id uuid) returns text
language sql stable
set search_path = ''
as $$
  select case
    when p.pair_id is null or p.withdrawn_at is not null then 'pair.withdrawn'
    when p.status not in ('open', 'live') then 'pair.' || p.status
    else coalesce(g.band_reason, g.parity_reason, g.risk_reason)
  end
  from (select p_pair_id as pair_id) k
  left join catalog.pairs p on p.pair_id = k.pair_id
  left join catalog.match_gates g on g.pair_id = k.pair_id
$$;
comment on function arb.gate_close_reason(uuid) is
  'Why a pair may have no opportunity now (pair.withdrawn, pair.resolving, band.*, parity.*, '
  'risk.*); null when gates 1 to 3 are open.';

create function arb.record_rejection(p_pair_id uuid, p_stage text, p_reason text, p_about text, p_at timestamptz)
returns void
language sql volatile
set search_path = ''
as $$
  insert into arb.rejections as r (pair_id, stage, reason, subject, first_at, last_at)
  values (p_pair_id, p_stage, p_reason, p_about, p_at, p_at)
  on conflict (pair_id, stage, reason) do update
  set subject = excluded.subject,
      last_at = greatest(r.last_at, excluded.last_at),
      occurrences = r.occurrences + 1
$$;
comment on function arb.record_rejection(uuid, text, text, text, timestamptz) is
  'Records a rejection: one row with a count for each pair, stage and reason.';

-- REST is two minutes late. A guard detects an invalid book sooner, so REST never serves a
-- retracted opportunity.
create function arb.close_opportunity(p_pair_id uuid, p_at timestamptz, p_reason text, p_since timestamptz default null)
returns integer
language sql volatile
set search_path = ''
as $$
  -- A book is valid up to its last sign of life (p_since) and invalid after it.
  with valid as (
    select least(p_at, coalesce(p_since, p_at)) as until
  ), ended as (
    update arb.opportunities o
    set closed_at = greatest(v.until, o.opened_at),
        close_reason = p_reason,
        last_update_at = greatest(o.last_update_at, p_at),
        retracted_at = case when o.opened_at >= v.until then p_at end
    from valid v
    where o.pair_id = p_pair_id
      and o.closed_at > v.until
      and o.retracted_at is null
    returning o.opportunity_id, o.closed_at
  ), states as (
    update arb.opportunity_states s
    set retracted = true
    from ended e
    where s.opportunity_id = e.opportunity_id
      and s.from_at > e.closed_at
    returning 1
  ), records as (
    update arb.track_records r
    set closed_at = e.closed_at
    from ended e
    where r.opportunity_id = e.opportunity_id
  )
  select count(*)::integer
  from ended
$$;
comment on function arb.close_opportunity(uuid, timestamptz, text, timestamptz) is
  'Closes at p_at. p_since: a book is invalid since then, so opportunities end there, closed ones '
  'too, and later ones are retracted. Returns how many.';

create function arb.append_state(
  p_opportunity arb.opportunities, p_at timestamptz, p_opp jsonb, p_read_a timestamptz, p_read_b timestamptz
) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_last arb.opportunity_states;
begin
  select s.* into v_last
  from arb.opportunity_states s
  where s.opportunity_id = p_opportunity.opportunity_id
  order by s.state_no desc
  limit 1;
  if v_last.legs = p_opp -> 'legs'
    and v_last.size_curve = p_opp -> 'ladder'
    and v_last.size = (p_opp ->> 'size')::bigint then
    return;
  end if;
  insert into arb.opportunity_states (
    opportunity_id, from_at, priced_at, cost, size, total_cost, legs, size_curve, read_a, read_b
  )
  values (
    p_opportunity.opportunity_id, p_at,
    case
      when v_last.legs = p_opp -> 'legs' and v_last.size = (p_opp ->> 'size')::bigint then v_last.priced_at
      else p_at
    end,
    (p_opp ->> 'cost')::integer, (p_opp ->> 'size')::bigint, (p_opp ->> 'wager')::bigint, p_opp -> 'legs',
    p_opp -> 'ladder', p_read_a, p_read_b
  );
  update arb.opportunities o
  set last_update_at = greatest(o.last_update_at, p_at)
  where o.opportunity_id = p_opportunity.opportunity_id;
end
$$;
comment on function arb.append_state(
  arb.opportunities, timestamptz, jsonb, timestamptz, timestamptz
) is 'Adds a state to an opportunity if its terms have changed.';

-- p_updates: as price.apply_flush returns them in seen. opp is the result of the engine:
-- {cost, size, wager, legs, ladder}, {refused, about, since} or null.
create function arb.apply_updates(p_updates jsonb) returns uuid[]
language plpgsql volatile
set search_path = ''
as $$
declare
  v_update record;
  v_opportunity arb.opportunities;
  v_newest timestamptz;
  v_is_open boolean;
  v_reason text;
  v_pairs uuid[] := '{}';
begin
  for v_update in
    select u.*
    from (
      select r.*, s.ord, bool_or(r.opp is not null) over (partition by r.pair_id) as has_result
      from jsonb_array_elements(p_updates) with ordinality as s (price_update, ord)
      cross join lateral jsonb_to_record(s.price_update) as r(
        pair_id uuid, at timestamptz, opp jsonb, void text, read_a timestamptz, read_b timestamptz
      )
    ) u
    -- All updates of a pair that has a result in this flush: an opportunity may open and close
    -- within one flush.
    where u.has_result
      or exists (select from arb.opportunities o where o.pair_id = u.pair_id and o.closed_at = 'infinity')
    order by u.ord
  loop
    v_pairs := v_pairs || v_update.pair_id;
    select max(o.last_update_at) into v_newest from arb.opportunities o where o.pair_id = v_update.pair_id;
    -- A flush is repeated when its commit is uncertain. Updates that were applied before are
    -- ignored.
    continue when v_update.at < v_newest;
    v_is_open := coalesce(v_update.opp ? 'cost', false) and v_update.void is null;
    v_reason := coalesce(
      case when not v_is_open then coalesce(v_update.void, v_update.opp ->> 'refused') end,
      arb.gate_close_reason(v_update.pair_id),
      case when not v_is_open then 'edge.gone' end
    );
    if not v_is_open and v_update.opp ? 'refused' and v_reason !~ '^(book|feed|venue|lease)\.' then
      perform arb.record_rejection(v_update.pair_id, 'decision', v_reason, v_update.opp ->> 'about', v_update.at);
    end if;
    if v_reason is not null then
      perform arb.close_opportunity(
        v_update.pair_id, v_update.at, v_reason, to_timestamp((v_update.opp ->> 'since')::numeric / 1000)
      );
      continue;
    end if;
    select o.* into v_opportunity
    from arb.opportunities o
    where o.pair_id = v_update.pair_id and o.closed_at = 'infinity';
    if v_opportunity.opportunity_id is null then
      insert into arb.opportunities (opportunity_id, pair_id, opened_at, last_update_at)
      values (
        extensions.uuid_generate_v5(v_update.pair_id, (extract(epoch from v_update.at) * 1000)::bigint::text),
        v_update.pair_id, v_update.at, v_update.at
      )
      on conflict (opportunity_id) do nothing
      returning * into v_opportunity;
      continue when v_opportunity.opportunity_id is null;
    end if;
    perform arb.append_state(
      v_opportunity, v_update.at,
      v_update.opp || jsonb_build_object('legs', arb.name_contracts(v_update.opp -> 'legs')), v_update.read_a,
      v_update.read_b
    );
  end loop;
  return array(select distinct p from unnest(v_pairs) p);
end
$$;
comment on function arb.apply_updates(jsonb) is
  'Opens, updates and closes opportunities by price updates, in order. Returns the pairs that '
  'have a result of the engine or an open opportunity.';

create function arb.close_opportunities(p_pairs uuid[], p_ats timestamptz[], p_reason text) returns integer
language sql volatile
set search_path = ''
as $$
  select coalesce(sum(arb.close_opportunity(c.pair_id, clock.now(), p_reason, c.at)), 0)::integer
  from unnest(p_pairs, p_ats) as c (pair_id, at)
  where exists (select from arb.opportunities o where o.pair_id = c.pair_id and o.closed_at > c.at)
$$;
comment on function arb.close_opportunities(uuid[], timestamptz[], text) is
  'arb.close_opportunity for several pairs, each from its own time. Returns how many '
  'opportunities ended.';

create function arb.close_ineligible() returns uuid[]
language sql volatile security definer
set search_path = ''
as $$
  select coalesce(array_agg(e.pair_id), '{}')
  from (
    select r.pair_id, arb.close_opportunity(r.pair_id, clock.now(), r.reason) as closed
    from (
      select o.pair_id, arb.gate_close_reason(o.pair_id) as reason
      from arb.opportunities o
      where o.closed_at = 'infinity'
      -- Skips an opportunity that a flush is updating: the next step closes it if the flush did
      -- not.
      for update skip locked
    ) r
    where r.reason is not null
  ) e
  where e.closed > 0
$$;
comment on function arb.close_ineligible() is
  'Closes open opportunities whose pair is withdrawn, does not trade, or has a closed gate. '
  'Called with each step; returns their pairs, to be published.';

-- 581_arb_serve.sql

-- Which opportunities may be served: those that were open at the step of the REST snapshot, each
-- checked again against the present pair.

create function arb.invalid_state_reason(p_state arb.opportunity_states) returns text
language sql immutable
set search_path = ''
as $$
  select case
    when count(*) < 2 then 'state.too_few_legs'
    when count(distinct l.venue) < 2 then 'state.one_venue'
    when sum(l.ask + l.fee) is distinct from p_state.cost::bigint then 'state.cost'
    when sum(l.stake) is distinct from 1000000::bigint then 'state.stakes'
    when not bool_and(coalesce(
      l.ask between 1 and 1000000
      and l.fee >= 0
      and l.stake > 0
      and l.size >= p_state.size
      and l.contract <> ''
      and l.key <> ''
      and (l.venue = 'venue_b') = (l.side is null),
      false
    )) then 'state.leg'
  end
  from jsonb_to_recordset(p_state.legs) as l (
    key text, venue text, side text, contract text, ask bigint, fee bigint, stake bigint, size bigint
  )
$$;
comment on function arb.invalid_state_reason(arb.opportunity_states) is
  'What is inconsistent in a state; null when it is consistent.';

create function arb.has_changed_legs(p_pair_id uuid, p_legs jsonb) returns boolean
language sql stable
set search_path = ''
as $$
  select (select array_agg(o.key order by o.ordinal) from catalog.outcomes o where o.pair_id = p_pair_id)
    is distinct from (
      select array_agg(l.leg ->> 'key' order by l.place)
      from jsonb_array_elements(p_legs) with ordinality as l(leg, place)
    )
    or exists (
      select
      from jsonb_to_recordset(p_legs) as l (key text, venue text, side text, contract text)
      where not exists (
        select
        from catalog.outcomes o
        where o.pair_id = p_pair_id
          and case
            when l.venue = 'venue_b' then o.key = l.key and o.contract_b = l.contract
            when o.key = l.key then o.contract_a = l.contract and o.side_a = l.side
            -- The opposite side of the other outcome's contract, in a pair with two outcomes.
            else o.contract_a = l.contract and o.side_a <> l.side and jsonb_array_length(p_legs) = 2
          end
      )
    )
$$;
comment on function arb.has_changed_legs(uuid, jsonb) is
  'Whether the legs of a state are no longer those of its pair: another set of outcomes, or '
  'another contract of an outcome.';

create function arb.unservable_reason(p_pair_id uuid, p_state arb.opportunity_states) returns text
language sql stable
set search_path = ''
as $$
  select coalesce(
    arb.gate_close_reason(p_pair_id),
    case when p_state.retracted then 'state.retracted' end,
    arb.invalid_state_reason(p_state),
    case when arb.has_changed_legs(p_pair_id, p_state.legs) then 'legs.changed' end
  )
$$;
comment on function arb.unservable_reason(uuid, arb.opportunity_states) is
  'Why a state of an open opportunity may not be served now, by REST or on the stream; null when '
  'it may.';

-- With 3,000 pairs, 21,000 closed and 400 open opportunities and 214,000 states, far more than
-- there are: 28 ms, nearly all for the checks, 65 us each (explain analyze, PostgreSQL 17, 2 busy
-- cores, 2026-11-20). Closed opportunities cost nothing, because the index scan begins at the step.
--
--   Nested Loop (rows=400)
--     -> Index Scan using opportunities_by_close on opportunities o (rows=400)
--          Index Cond: (closed_at > step), Filter: (opened_at <= step, not retracted)
--     -> Limit -> Index Scan Backward using opportunity_states_pkey (rows=1, loops=400)
--          Index Cond: (opportunity_id = o.opportunity_id)
create function arb.list_open_at(p_step timestamptz) returns table (
  pair_id uuid, opportunity_id uuid, opened_at timestamptz, state arb.opportunity_states, refused text
)
language sql stable security definer
set search_path = ''
as $$
  select o.pair_id, o.opportunity_id, o.opened_at, s.state,
         arb.unservable_reason(o.pair_id, s.state)
  from arb.opportunities o
  cross join lateral (
    select t as state
    from arb.opportunity_states t
    where t.opportunity_id = o.opportunity_id
      and t.from_at <= p_step
    order by t.state_no desc
    limit 1
  ) s
  where o.closed_at > p_step
    and o.opened_at <= p_step
    and o.retracted_at is null
$$;
comment on function arb.list_open_at(timestamptz) is
  'Opportunities that were open at a market time, with their state at that time. refused: why it '
  'may not be served now, else null.';

create function arb.list_servable(p_step timestamptz)
returns table (pair_id uuid, opportunity_id uuid, opened_at timestamptz, state arb.opportunity_states)
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_one record;
begin
  for v_one in select * from arb.list_open_at(p_step) loop
    if v_one.refused is null then
      perform arb.record_served(v_one.opportunity_id, (v_one.state).state_no);
      pair_id := v_one.pair_id;
      opportunity_id := v_one.opportunity_id;
      opened_at := v_one.opened_at;
      state := v_one.state;
      return next;
    else
      perform arb.record_rejection(v_one.pair_id, 'serving', v_one.refused, v_one.opportunity_id::text, p_step);
    end if;
  end loop;
end
$$;
comment on function arb.list_servable(timestamptz) is
  'Opportunities of this step that may be served now, which adds them to the track record. '
  'Records in arb.rejections why the others may not.';

grant execute on function arb.list_servable(timestamptz) to parallax_api;

-- 582_arb_instructions.sql

-- What to buy, in one sentence: the contract, its side and the outcome on which it pays. REST, the
-- stream, MCP and the dashboard use this sentence and make none of their own.

create function arb.name_contracts(p_legs jsonb) returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_agg(
    l.leg || jsonb_strip_nulls(jsonb_build_object(
      'label', case l.leg ->> 'venue' when 'venue_a' then coalesce(c.label, m.title) else c.label end,
      'question', case l.leg ->> 'venue' when 'venue_b' then m.title end
    ))
    order by l.place
  )
  from jsonb_array_elements(p_legs) with ordinality as l (leg, place)
  left join venue.contracts c on c.venue = l.leg ->> 'venue' and c.contract_id = l.leg ->> 'contract'
  left join venue.markets m on m.venue = c.venue and m.market_id = c.market_id
$$;
comment on function arb.name_contracts(jsonb) is
  'Adds the venue''s names to each leg of a state: label, and on venue_b the question of the '
  'market. A closed opportunity keeps them.';

create function arb.contract_label(p_label text, p_question text) returns text
language sql immutable
set search_path = ''
as $$
  -- The label of a token alone ("Yes", "Under") does not identify a contract: many markets have it.
  select case
    when p_question is null then p_label
    when p_label is null then p_question
    when p_question like '%?' then p_question || ' ' || p_label
    else p_question || ': ' || p_label
  end
$$;
comment on function arb.contract_label(text, text) is
  'The venue''s own name of a contract: the label on venue_a, question and token label on '
  'venue_b. Null when the venue gives none.';

create function arb.shorten(p_text text, p_limit integer) returns text
language sql immutable
set search_path = ''
as $$ select case when length(p_text) > p_limit then left(p_text, p_limit - 1) || '…' else p_text end $$;
comment on function arb.shorten(text, integer) is
  'A name of at most p_limit characters, so that a long name does not hide the payoff at the end '
  'of the sentence.';

create function arb.pays_when(p_pair catalog.pairs, p_key text, p_name text) returns text
language sql immutable
set search_path = ''
as $$
  select case
    when p_pair.market_type = 'moneyline' and p_key = 'draw' then 'if it is a draw'
    when p_pair.market_type = 'moneyline' then 'if ' || n.name || ' wins'
    when p_pair.market_type = 'advance' then 'if ' || n.name || ' wins the series'
    when p_pair.market_type = 'spread' then 'if ' || n.name || ' covers'
    when p_pair.market_type = 'total' and p_key in ('over', 'under') and p_pair.line is not null
      then 'if the total is ' || p_key || ' ' || trim_scale(p_pair.line)
    -- For the other families the title states the condition; a generated phrase might be wrong.
    else 'on "' || n.name || '" in "' || arb.shorten(p_pair.title, 120) || '"'
  end
  from (select arb.shorten(coalesce(p_name, p_key), 80) as name) n
$$;
comment on function arb.pays_when(catalog.pairs, text, text) is
  'When an outcome of this pair pays, to follow "Pays $1". It names outcome and market when no '
  'plain phrase is certain to be right.';

create function arb.instruction(
  p_venue text, p_side text, p_contract text, p_label text, p_question text, p_pays_when text
) returns text
language sql immutable
set search_path = ''
as $$
  select 'Buy ' || case
    when p_venue = 'venue_a' then upper(p_side) || ' on ' || p_contract || coalesce(' (' || n.label || ')', '')
    when n.label is null then 'token ' || n.token
    else n.label || coalesce(' on "' || n.question || '"', '') || ' (token ' || n.token || ')'
  end || '. Pays $1 ' || p_pays_when
  from (
    select case when lower(p_label) in ('yes', 'no') then upper(p_label) else arb.shorten(p_label, 80) end as label,
           arb.shorten(p_question, 120) as question,
           case
             when length(p_contract) > 24 then left(p_contract, 8) || '…' || right(p_contract, 4)
             else p_contract
           end as token
  ) n
$$;
comment on function arb.instruction(text, text, text, text, text, text) is
  'The sentence that states what to buy: the contract by label and id, YES or NO, and when it '
  'pays $1. Names are the text of the venues.';

grant execute on function
  arb.contract_label(text, text),
  arb.shorten(text, integer),
  arb.pays_when(catalog.pairs, text, text),
  arb.instruction(text, text, text, text, text, text)
to parallax_api;

-- 595_arb_track_record.sql

-- Settles the rows of arb.track_records by what the venues paid, and counts them.
--
-- Everything is computed from data: a record is due when a leg was paid another amount than it
-- holds. So a run that was lost is made up by the next one, and a second run changes nothing.

create view arb.paid_legs with (security_invoker = true) as
select l.opportunity_id, l.ordinal, l.payout as counted,
       -- markets.payout is what YES (outcome 0) was paid. NO and the second token were paid the
       -- rest of the $1.
       case when l.side = 'no' or c.ordinal = 1 then 1 - m.payout else m.payout end as payout,
       m.settled_at
from arb.track_record_legs l
join venue.contracts c on c.venue = l.venue and c.contract_id = l.contract_id
join venue.markets m on m.venue = c.venue and m.market_id = c.market_id
where m.state = 'final'
  and m.payout is not null;
comment on view arb.paid_legs is
  'A leg of the track record whose market is final: what its contract was paid, and what the '
  'record holds (counted).';

-- A venue may amend a result. Its market is then not final for a while: the leg keeps what it was
-- paid until the venue pays again.
create function arb.settle_legs(p_due uuid[]) returns void
language sql volatile
set search_path = ''
as $$
  update arb.track_record_legs l
  set payout = p.payout
  from arb.paid_legs p
  where l.opportunity_id = any (p_due)
    and p.opportunity_id = l.opportunity_id
    and p.ordinal = l.ordinal
    and l.payout is distinct from p.payout
$$;
comment on function arb.settle_legs(uuid[]) is
  'Part of arb.settle_track_records: writes what the contracts of these records were paid.';

create function arb.mark_without_result(p_pairs uuid[], p_limit integer) returns integer
language sql volatile
set search_path = ''
as $$
  with over as (
    select r.opportunity_id
    from arb.track_records r
    where r.watched_until = 'infinity'
      and r.paid is null
      and (p_pairs is null or r.pair_id = any (p_pairs))
      and (
        exists (
          select
          from catalog.pairs p
          where p.pair_id = r.pair_id and p.status = 'closed' and p.withdrawn_at is null
        )
        -- catalog.purge_listings deletes a market that the venue no longer lists and that no pair
        -- waits for.
        or exists (
          select
          from arb.track_record_legs l
          where l.opportunity_id = r.opportunity_id
            and l.payout is null
            and not exists (
              select
              from venue.contracts c
              where c.venue = l.venue and c.contract_id = l.contract_id
            )
        )
      )
    limit p_limit
    for update of r skip locked
  ), marked as (
    update arb.track_records r
    set without_result_at = clock.now(),
        watched_until = clock.now() + interval '30 days'
    from over o
    where r.opportunity_id = o.opportunity_id
    returning 1
  )
  select count(*)::integer
  from marked
$$;
comment on function arb.mark_without_result(uuid[], integer) is
  'Part of arb.settle_track_records: marks records whose pair closed without a result, or whose '
  'contract is no longer stored. Returns how many.';

-- Each record that is watched costs two index lookups a leg: 0.3 s for 4,000 watched records, 1 s
-- for 24,000 (100,000 records, 200,000 markets, 2 cores busy with other work, 2026-11-24).
create function arb.settle_track_records(p_pairs uuid[] default null, p_limit integer default 500) returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_now timestamptz := clock.now();
  v_due uuid[];
  v_settled integer;
begin
  select array_agg(d.opportunity_id) into v_due
  from (
    select r.opportunity_id
    from arb.track_records r
    where r.watched_until > v_now
      and (p_pairs is null or r.pair_id = any (p_pairs))
      and exists (
        select
        from arb.paid_legs p
        where p.opportunity_id = r.opportunity_id and p.payout is distinct from p.counted
      )
    limit p_limit
    -- Another run settles the rows that it has locked.
    for update of r skip locked
  ) d;
  perform arb.settle_legs(v_due);
  update arb.track_records r
  set paid = n.paid,
      settled_at = coalesce(n.settled_at, v_now),
      amended_at = case when r.paid is null then r.amended_at else v_now end,
      without_result_at = null,
      -- A venue may amend a result for some time. 30 days is how long its listing is kept.
      watched_until = v_now + interval '30 days'
  from (
    select l.opportunity_id, sum(s.size * l.payout * 10000) as paid, max(p.settled_at) as settled_at
    from arb.track_record_legs l
    join arb.track_records s on s.opportunity_id = l.opportunity_id
    left join arb.paid_legs p on p.opportunity_id = l.opportunity_id and p.ordinal = l.ordinal
    where l.opportunity_id = any (v_due)
    group by l.opportunity_id
    having bool_and(l.payout is not null)
  ) n
  where r.opportunity_id = n.opportunity_id
    and r.paid is distinct from n.paid;
  get diagnostics v_settled = row_count;
  perform arb.mark_without_result(p_pairs, p_limit);
  return v_settled;
end
$$;
comment on function arb.settle_track_records(uuid[], integer) is
  'Computes what at most p_limit records (null: of all pairs) paid at the served size, from the '
  'results of both venues. A second run changes nothing. Returns how many records changed.';

create function arb.count_track_records() returns jsonb
language sql stable
set search_path = ''
as $$
  with tallies as (
    select grouping(r.month, r.family, lower(r.competition)) as level,
           to_char(r.month, 'YYYY-MM') as month, r.family, max(r.competition) as competition,
           count(*) as shown,
           count(distinct r.pair_id) as markets,
           count(r.paid) as settled,
           count(*) filter (where r.outcome = 'as_promised') as paid_as_promised,
           count(*) filter (where r.outcome in ('less', 'loss')) as paid_less,
           count(*) filter (where r.outcome = 'loss') as lost,
           count(r.without_result_at) as without_result,
           trim_scale(min(r.profit) * 0.000001) as worst_case_usd,
           trim_scale(round(
             (
               percentile_cont(0.5) within group (order by extract(epoch from r.closed_at - r.opened_at))
                 filter (where r.closed_at < 'infinity')
             )::numeric,
             3
           )) as median_life_s,
           trim_scale(coalesce(sum(r.total_cost) filter (where r.paid is not null), 0) * 0.000001) as cost_usd,
           trim_scale(coalesce(sum(r.promised) filter (where r.paid is not null), 0) * 0.000001) as promised_usd,
           trim_scale(coalesce(sum(r.paid), 0) * 0.000001) as paid_usd
    from arb.track_records r
    group by cube (r.month, r.family, lower(r.competition))
  )
  select coalesce(
    jsonb_agg(
      jsonb_build_object(
        'level', t.level, 'month', t.month, 'family', t.family, 'competition',
        case when t.level & 1 = 0 then t.competition end, 'tally',
        -- The fields of the tally, without the braces.
        btrim(row_to_json(f)::text, '{}')
      )
      order by t.month desc, t.family collate "C", t.competition collate "C" nulls last
    ),
    '[]'
  )
  from tallies t
  cross join lateral (
    select t.shown, t.markets, t.settled, t.paid_as_promised, t.paid_less, t.lost, t.without_result,
           t.worst_case_usd, t.median_life_s, t.cost_usd, t.promised_usd, t.paid_usd
  ) f
$$;
comment on function arb.count_track_records() is
  'The tallies of all records, for every combination of month, family and competition: '
  'arb.track_record_state.rows. Medians cannot be added, so each combination has its own.';

create function arb.fingerprint_track_records() returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(
    ' ', count(*), sum(extract(epoch from r.closed_at)) filter (where r.closed_at < 'infinity'), count(r.paid),
    sum(r.paid), sum(extract(epoch from r.amended_at)), count(r.without_result_at)
  )
  from arb.track_records r
$$;
comment on function arb.fingerprint_track_records() is
  'Changes when a record is added, closed, settled, amended or left without a result. Far cheaper '
  'than the tallies.';

-- The tallies of 100,000 records take 3 s (2 cores busy with other work, 2026-11-24). A pause of
-- twenty times the last duration keeps them below a twentieth of one core however many there are.
create function arb.update_track_record() returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_settled integer := arb.settle_track_records();
  v_started timestamptz := clock_timestamp();
  v_state arb.track_record_state;
  v_fingerprint text;
  v_rows jsonb;
begin
  select s.* into v_state from arb.track_record_state s;
  if v_started < v_state.built_at + 20 * v_state.build_time then
    return v_settled;
  end if;
  v_fingerprint := arb.fingerprint_track_records();
  if v_fingerprint = v_state.fingerprint then
    return v_settled;
  end if;
  v_rows := arb.count_track_records();
  insert into arb.track_record_state as s (report_no, updated_at, since, build_time, fingerprint, rows)
  select 1, clock.now(), r.since, clock_timestamp() - v_started, v_fingerprint, v_rows
  from (select min(t.opened_at) as since from arb.track_records t) r
  where r.since is not null
  on conflict (singleton) do update
  set report_no = s.report_no + 1,
      updated_at = excluded.updated_at,
      since = excluded.since,
      built_at = excluded.built_at,
      build_time = excluded.build_time,
      fingerprint = excluded.fingerprint,
      rows = excluded.rows;
  return v_settled;
end
$$;
comment on function arb.update_track_record() is
  'Settles due records and renews the tallies when a record has changed. pg_cron calls it each '
  'minute. Returns how many records were settled.';

revoke all on arb.paid_legs from public;
revoke all on function
  arb.settle_legs(uuid[]),
  arb.mark_without_result(uuid[], integer),
  arb.settle_track_records(uuid[], integer),
  arb.count_track_records(),
  arb.fingerprint_track_records(),
  arb.update_track_record()
from public;

-- 59_arb_explain.sql

-- Why a pair is or is not an opportunity: for ops.explain and for the market page of the dashboard.

create function arb.member_risk_reason(p_pair_id uuid) returns text
language sql stable
set search_path = ''
as $$
  -- Members may read the severity of an internal risk (cancel_*), and not its event.
  select 'risk.' || case when starts_with(k.event, 'cancel_') then k.severity else k.event end
  from catalog.pair_risks k
  where k.pair_id = p_pair_id
    and catalog.severity_rank(k.severity) <= catalog.severity_rank('high')
  order by starts_with(k.event, 'cancel_'), catalog.severity_rank(k.severity), k.event
  limit 1
$$;
comment on function arb.member_risk_reason(uuid) is
  'The worst high or critical risk of a pair for members: a published one, else the severity of '
  'an internal one.';

create function arb.gates_of(p_pair_id uuid, p_member boolean) returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_agg(
    jsonb_build_object(
      'gate', v.gate, 'open', v.open, 'reason',
      case
        when v.open then null
        when v.gate = 'risk' and p_member then arb.member_risk_reason(p_pair_id)
        else v.reason
      end
    )
    order by v.place
  )
  from catalog.match_gates g
  left join price.signal_gates p on p.pair_id = g.pair_id
  cross join lateral (
    select r.place, r.gate, r.reason, r.reason is null as open
    from (
      values (1, 'band', g.band_reason),
             (2, 'parity', g.parity_reason),
             (3, 'risk', g.risk_reason),
             -- A pair that is not in the REST snapshot yet.
             (4, 'priced', case when p.pair_id is null then 'priced.never' else p.price_reason end)
    ) as r (place, gate, reason)
  ) v
  where g.pair_id = p_pair_id
$$;
comment on function arb.gates_of(uuid, boolean) is
  'The four gates of a pair in order, [{gate, open, reason}], priced at the step of the REST '
  'snapshot. p_member: without names of internal risks.';

create function arb.member_reason(p_reason text) returns text
language sql immutable
set search_path = ''
as $$ select case when starts_with(p_reason, 'risk.cancel_') then 'risk.high' else p_reason end $$;
comment on function arb.member_reason(text) is
  'A close or rejection reason without the name of an internal risk.';

-- code: pair.*, opportunity.open, the rejection that is current since p_priced_at, or edge.none;
-- null when a gate is closed.
create function arb.after_gates(p_pair_id uuid, p_upto timestamptz, p_priced_at timestamptz, p_priced boolean)
returns jsonb
language sql stable
set search_path = ''
as $$
  with newest as materialized (
    select o.opportunity_id, o.opened_at,
           case when c.over then o.closed_at end as closed_at,
           case when c.over then arb.member_reason(o.close_reason) end as close_reason
    from arb.opportunities o
    cross join lateral (select o.closed_at < 'infinity' and o.closed_at <= p_upto as over) c
    where o.pair_id = p_pair_id
      and o.opened_at <= p_upto
      and o.retracted_at is null
    order by o.opened_at desc
    limit 1
  ), rejected as materialized (
    select r.stage, arb.member_reason(r.reason) as reason, r.subject, r.first_at, least(r.last_at, p_upto) as last_at,
           r.occurrences,
           -- No later price update had another result.
           coalesce(least(r.last_at, p_upto) >= p_priced_at, false) as is_current
    from arb.rejections r
    where r.pair_id = p_pair_id
      and r.first_at <= p_upto
    order by r.last_at desc, r.reason
    limit 10
  )
  select jsonb_build_object(
    'code', case
      when c.reason like 'pair.%' then c.reason
      when c.reason is null then coalesce(
        (select 'opportunity.open' from newest o where o.closed_at is null),
        (select r.reason from rejected r where r.is_current order by r.last_at desc, r.reason limit 1),
        case when p_priced then 'edge.none' end
      )
    end,
    'opportunity', (
      select jsonb_build_object(
        'id', 'opp_' || o.opportunity_id, 'opened_at', base.format_time(o.opened_at), 'closed_at',
        base.format_time(o.closed_at), 'reason', o.close_reason
      )
      from newest o
    ),
    'refused', (
      select coalesce(
        jsonb_agg(
          jsonb_build_object(
            'stage', r.stage, 'reason', r.reason, 'about', r.subject, 'first_at', base.format_time(r.first_at),
            'last_at', base.format_time(r.last_at), 'times', r.occurrences, 'is_current', r.is_current
          )
          order by r.last_at desc, r.reason
        ),
        '[]'
      )
      from rejected r
    )
  )
  from (select arb.gate_close_reason(p_pair_id) as reason) c
$$;
comment on function arb.after_gates(uuid, timestamptz, timestamptz, boolean) is
  'Results of a pair after its gates, up to a market time: {code, opportunity: the newest, '
  'refused: the last rejections}.';

revoke all on function
  arb.member_risk_reason(uuid),
  arb.gates_of(uuid, boolean),
  arb.member_reason(text),
  arb.after_gates(uuid, timestamptz, timestamptz, boolean)
from public;

-- 59_arb_render.sql

-- The JSON of an opportunity, as REST, the stream and MCP send it.

create function arb.opportunity_json(
  p_pair catalog.pairs, p_opportunity_id uuid, p_opened_at timestamptz, p_state arb.opportunity_states
) returns text
language sql stable
set search_path = ''
as $$
  select row_to_json(x)::text
  from (
    select 'opp_' || p_opportunity_id as id,
           'mkt_' || p_pair.pair_id as market_id,
           p_pair.title, p_pair.category, p_pair.market_type, p_pair.sport, p_pair.competition, p_pair.location,
           p_pair.asset, p_pair.indicator, p_pair.basis, p_pair.institution, p_pair.tags,
           base.format_time(p_pair.start_time) as start_time,
           trim_scale((1000000 - p_state.cost) / 10000.0) as edge_pct,
           -- Rounded down, so that the stated return is reached.
           trim_scale(trunc((p_state.size * 10000 - p_state.total_cost) * 100.0 / p_state.total_cost, 4)) as roi_pct,
           -- A divergence at worst turns the $1 payout into $0, so the bound costs its own share of
           -- $1.
           trim_scale((1000000 - p_state.cost) / 10000.0 - coalesce(r.record_bound, 1) * 100) as edge_after_bound_pct,
           true as fees_included,
           'conservative_per_contract' as fee_model,
           trim_scale(p_state.cost / 1000000.0) as cost_per_payout_usd,
           trim_scale(p_state.size / 100.0) as max_contracts,
           trim_scale(p_state.total_cost / 1000000.0) as max_wager_usd,
           trim_scale(least(p_pair.entity_confidence, p_pair.resolution_confidence)) as confidence,
           base.format_time(p_opened_at) as detected_at,
           base.format_time(p_state.priced_at) as priced_at,
           (
             select ('[' || string_agg(
               case
                 when l.delay > 0 then
                   left(j.leg, -1) || ',"match_delay_seconds":' || trim_scale(l.delay) || ',"match_delay_ms":'
                   || trim_scale(l.delay * 1000) || '}'
                 else j.leg
               end,
               ',' order by l.place
             ) || ']')::json
             from rows from (
               jsonb_to_recordset(p_state.legs) as (
                 key text, venue text, side text, ask numeric, fee numeric, stake numeric, size numeric, contract text,
                 delay numeric, label text,
                 question text
               )
             ) with ordinality as l (key, venue, side, ask, fee, stake, size, contract, delay, label, question, place)
             left join catalog.outcomes o on o.pair_id = p_pair.pair_id and o.key = l.key
             cross join lateral (
               select json_build_object(
                 'outcome', l.key,
                 'outcome_name', o.name,
                 'venue', l.venue,
                 'side', l.side,
                 'ask_usd', trim_scale(l.ask / 1000000.0),
                 'fee_usd', trim_scale(l.fee / 1000000.0),
                 'stake_fraction', trim_scale(l.stake / 1000000.0),
                 'available_contracts', trim_scale(l.size / 100.0),
                 'contract_id', l.contract,
                 'contract_label', arb.contract_label(l.label, l.question),
                 'instruction',
                 arb.instruction(
                   l.venue, l.side, l.contract, l.label, l.question, arb.pays_when(p_pair, l.key, o.name)
                 ),
                 'url', case l.venue when 'venue_a' then p_pair.url_a else p_pair.url_b end
               )::text as leg
             ) j
           ) as legs,
           (
             select json_agg(
               json_build_object(
                 'contracts', trim_scale(s.size / 100),
                 'cost_usd', trim_scale(s.cost / 100000000),
                 'edge_pct', trim_scale(trunc(100 - s.cost / s.size / 10000, 4))
               )
               order by s.size
             )
             from jsonb_to_recordset(p_state.size_curve) as s (size numeric, cost numeric)
           ) as ladder,
           k.risks,
           json_build_object(
             'agreeing', coalesce(r.record_agreeing, 0), 'diverging', coalesce(r.record_diverging, 0),
             'bound_pct', trim_scale(coalesce(r.record_bound, 1) * 100)
           ) as rule,
           catalog.weakest_link(k.risks, r) as weakest_link
    from catalog.public_risks(p_pair.assessment_id) as k (risks)
    left join catalog.rules r on r.rule_id = p_pair.rule_id
  ) x
$$;
comment on function arb.opportunity_json(
  catalog.pairs, uuid, timestamptz, arb.opportunity_states
) is 'An Opportunity; docs/trading.md explains its fields.';
revoke all on function arb.opportunity_json(catalog.pairs, uuid, timestamptz, arb.opportunity_states) from public;
grant execute on function arb.opportunity_json(catalog.pairs, uuid, timestamptz, arb.opportunity_states)
to parallax_api;

-- 59_arb_reports.sql

-- POST /v2/report-bad-arb: stores a report with its evidence for review by an operator.

create function arb.collect_evidence(p_opportunity_id uuid) returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object(
    'window', to_jsonb(o),
    'states',
    (
      select coalesce(jsonb_agg(to_jsonb(s) - 'opportunity_id' order by s.state_no), '[]')
      from arb.opportunity_states s
      where s.opportunity_id = o.opportunity_id
    ),
    'pair', (select to_jsonb(p) from catalog.pairs p where p.pair_id = o.pair_id),
    'outcomes',
    (
      select coalesce(jsonb_agg(to_jsonb(c) - 'pair_id' order by c.ordinal), '[]')
      from catalog.outcomes c
      where c.pair_id = o.pair_id
    ),
    'gates', (select to_jsonb(g) - 'pair_id' from catalog.match_gates g where g.pair_id = o.pair_id),
    'risks', (
      select coalesce(jsonb_agg(to_jsonb(k) - 'pair_id' order by k.event), '[]')
      from catalog.pair_risks k
      where k.pair_id = o.pair_id
    )
  )
  from arb.opportunities o
  where o.opportunity_id = p_opportunity_id
$$;
comment on function arb.collect_evidence(uuid) is
  'All data of an opportunity now, to be stored in a report; null for an unknown one.';

create function arb.find_opportunity(p_opp_id text) returns uuid
language sql stable
set search_path = ''
as $$
  select o.opportunity_id
  from arb.opportunities o
  where p_opp_id ~* '^(opp_)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    and o.opportunity_id = (
      case when p_opp_id ~* '^(opp_)?[0-9a-f-]{36}$' then regexp_replace(lower(p_opp_id), '^opp_', '') end
    )::uuid
$$;
comment on function arb.find_opportunity(text) is
  'The opportunity of an id, with or without opp_; null for any other text.';

create function arb.may_file_report(p_org_id uuid) returns boolean
language sql volatile
set search_path = ''
as $$
  select count(r.report_id) < s.max_open_reports
    and coalesce(
      sum(
        coalesce(pg_column_size(r.evidence), 0) + coalesce(pg_column_size(r.extra_fields), 0)
          + coalesce(pg_column_size(r.detail), 0)
      ), 0
    ) < s.max_open_report_bytes
  from arb.settings s
  left join arb.reports r on r.org_id = p_org_id and r.verdict is null
  group by s.singleton
$$;
comment on function arb.may_file_report(uuid) is
  'Whether an organization may file a report: those without a verdict are limited in number and '
  'in stored bytes, because evidence may be large.';

-- The caller holds the lock on the row of account.usage, so that two reports at once are not both
-- the last that is allowed.
create function arb.file_report(p_org_id uuid, p_key_hash bytea, p_report jsonb) returns uuid
language sql volatile security definer
set search_path = ''
as $$
  insert into arb.reports (
    org_id, key_id, opp_id, opportunity_id, reason, sport, market, detail, extra_fields, evidence
  )
  select p_org_id,
         (select k.key_id from account.keys k where k.hash = p_key_hash and k.org_id = p_org_id),
         p_report ->> 'opp_id', o.opportunity_id, p_report ->> 'reason', p_report ->> 'sport', p_report ->> 'market',
         p_report ->> 'detail',
         nullif(p_report - array['opp_id', 'reason', 'sport', 'market', 'detail'], '{}'),
         arb.collect_evidence(o.opportunity_id)
  from (select arb.find_opportunity(p_report ->> 'opp_id') as opportunity_id) o
  where arb.may_file_report(p_org_id)
  returning report_id
$$;
comment on function arb.file_report(uuid, bytea, jsonb) is
  'Stores a report {opp_id, reason, sport, market, detail, …} with the evidence of its '
  'opportunity. Returns null when too many reports wait for a verdict.';
revoke all on function arb.may_file_report(uuid) from public;
grant execute on function arb.file_report(uuid, bytea, jsonb) to parallax_api;

create function arb.review_report(p_report_id uuid, p_verdict text, p_note text default null) returns boolean
language plpgsql volatile
set search_path = ''
as $$
declare
  v_note text := nullif(btrim(p_note), '');
  v_report arb.reports;
begin
  if p_verdict is null or p_verdict not in ('upheld', 'dismissed') then
    raise exception 'The verdict must be "upheld" or "dismissed", not "%".', p_verdict using errcode = '22023';
  end if;
  if length(v_note) > 2000 then
    raise exception 'A note has at most 2,000 characters, not %.', length(v_note) using errcode = '22023';
  end if;
  select r.* into v_report from arb.reports r where r.report_id = p_report_id for update;
  if v_report.report_id is null then
    raise exception 'There is no report %.', p_report_id using errcode = '22023';
  end if;
  if v_report.verdict is not null then
    if v_report.verdict <> p_verdict then
      raise exception 'Report % was already % on %.', p_report_id, v_report.verdict,
        base.format_time(v_report.reviewed_at) using errcode = '22023';
    end if;
    return false;
  end if;
  update arb.reports r
  set verdict = p_verdict,
      note = v_note,
      reviewed_at = clock_timestamp()
  where r.report_id = p_report_id;
  return true;
end
$$;
comment on function arb.review_report(uuid, text, text) is
  'Stores an operator''s verdict and note, which the organization receives in a report frame. '
  'Repeating it returns false; another verdict or an unknown report is an error.';
revoke all on function arb.review_report(uuid, text, text) from public;

-- 60_census.sql

-- Schema census: once an hour, which series of venue_a are paired, supported, or unknown.

create schema census;
revoke all on schema census from public;
grant usage on schema census to parallax_api;

create domain census.status as text check (value in ('aggregated', 'pending', 'quiet', 'venue_a_only', 'dormant'));
comment on domain census.status is
  'aggregated: paired; pending: supported, without a counterpart or confirmation; quiet: '
  'supported, nothing open; venue_a_only: open, not supported; dormant: neither.';

create table census.series (
  series_id text primary key,
  league text,
  sport text,
  wired_at timestamptz,
  last_pass_at timestamptz,
  open_events integer not null default 0,
  paired integer not null default 0,
  status census.status not null
);
comment on table census.series is
  'Each series of venue_a at the last census. A series stays known after its listings are purged, '
  'so an off-season is quiet and not dormant.';
comment on column census.series.wired_at is
  'The first census at which a parser had read a question of it that may be paired; null: never.';
comment on column census.series.last_pass_at is
  'The newest match pass before the census that read a listing of it.';

create table census.reports (
  singleton boolean primary key default true check (singleton),
  report_no bigint not null,
  as_of timestamptz not null,
  body text not null
);
comment on table census.reports is 'The current census as JSON. No row before the first one.';

alter table census.series enable row level security;
alter table census.series force row level security;
alter table census.reports enable row level security;
alter table census.reports force row level security;
create policy "the api reads the census" on census.reports for select to parallax_api using (true);
grant select on census.reports to parallax_api;

create function census.count_series(p_now timestamptz) returns void
language sql volatile
set search_path = ''
as $$
  with listed as (
    select s.series_id
    from venue.series s
    where s.venue = 'venue_a'
    union
    select e.series_id
    from venue.events e
    where e.venue = 'venue_a' and e.series_id is not null
    union
    select s.series_id
    from census.series s
  ), read as (
    select e.series_id,
           mode() within group (order by q.competition) as league,
           mode() within group (order by q.sport) as sport,
           -- A placeholder or a contradictory listing is the fault of that listing. A name that the
           -- registry lacks, or a part of a game, means that this kind is not supported.
           bool_or(
             q.family in (select f.family from catalog.market_families() f)
             and coalesce(q.excluded_reason, '') not in ('unknown_alias', 'part_of_game')
           ) as wired
    from venue.questions q
    join venue.events e on e.venue = q.venue and e.event_id = q.event_id
    where q.venue = 'venue_a'
      and e.series_id is not null
    group by e.series_id
  ), open_events as (
    select e.series_id, count(*) as events
    from venue.events e
    where e.venue = 'venue_a'
      and exists (
        select
        from venue.markets m
        where m.venue = e.venue and m.event_id = e.event_id and m.state in ('trading', 'paused')
      )
    group by e.series_id
  ), paired as (
    select e.series_id, count(*) as pairs
    from catalog.pairs p
    join venue.events e on e.venue = 'venue_a' and e.event_id = p.event_a
    where p.withdrawn_at is null
      and p.stage = 'catalog'
      and p.status in ('open', 'live', 'resolving')
    group by e.series_id
  ), known as (
    select l.series_id, coalesce(r.league, s.league) as league, coalesce(r.sport, s.sport) as sport,
           coalesce(s.wired_at, case when r.wired then p_now end) as wired_at,
           case
             when r.wired then (select max(p.finished_at) from catalog.match_passes p)
             else s.last_pass_at
           end as last_pass_at,
           coalesce(o.events, 0)::integer as open_events, coalesce(p.pairs, 0)::integer as paired
    from listed l
    left join census.series s on s.series_id = l.series_id
    left join read r on r.series_id = l.series_id
    left join open_events o on o.series_id = l.series_id
    left join paired p on p.series_id = l.series_id
  )
  insert into census.series as s (series_id, league, sport, wired_at, last_pass_at, open_events, paired, status)
  select k.*,
         case
           when k.paired > 0 then 'aggregated'
           when k.wired_at is not null and k.open_events > 0 then 'pending'
           when k.wired_at is not null then 'quiet'
           when k.open_events > 0 then 'venue_a_only'
           else 'dormant'
         end
  from known k
  on conflict (series_id) do update
  set league = excluded.league,
      sport = excluded.sport,
      wired_at = excluded.wired_at,
      last_pass_at = excluded.last_pass_at,
      open_events = excluded.open_events,
      paired = excluded.paired,
      status = excluded.status
  where to_jsonb(s) is distinct from to_jsonb(excluded)
$$;
comment on function census.count_series(timestamptz) is
  'Part of census.rebuild: every series of venue_a, in one statement.';

create function census.count_fixtures() returns table (sport text, fixtures integer, paired integer)
language sql stable
set search_path = ''
as $$
  select q.sport, count(*)::integer,
         count(*) filter (
           where exists (
             select
             from catalog.pairs p
             where p.question_b = q.question_id and p.withdrawn_at is null and p.stage = 'catalog'
           )
         )::integer
  from venue.questions q
  where q.venue = 'venue_b'
    and q.family = 'moneyline'
    and q.excluded_reason is null
    and q.sport is not null
    and exists (
      select
      from venue.markets m
      where m.venue = q.venue and m.event_id = q.event_id and m.state in ('unopened', 'trading', 'paused')
    )
  group by q.sport
$$;
comment on function census.count_fixtures() is
  'Current games of venue_b by sport, and how many have a counterpart. Only the moneyline of a '
  'game counts.';

revoke all on function
  census.count_series(timestamptz),
  census.count_fixtures()
from public;

-- 61_census_events.sql

-- The part of the census that counts every listed event of both venues exactly once: paired,
-- candidate, unpaired with a code, or unread with a code.

create view census.event_states with (security_invoker = true) as
with read as (
  select q.venue, q.event_id, min(q.category) as category, min(q.sport) as sport,
         min(coalesce(q.start_at, q.on_date::timestamp at time zone 'UTC')) as start_at
  from venue.questions q
  group by q.venue, q.event_id
), paired as (
  select q.venue, q.event_id, bool_or(p.stage = 'catalog') as is_published
  from catalog.pairs p
  cross join lateral (values (p.question_a), (p.question_b)) as v (question_id)
  join venue.questions q on q.question_id = v.question_id
  where p.withdrawn_at is null
  group by q.venue, q.event_id
), unpaired as (
  -- The most frequent code of the questions of an event; of equals the first by name.
  select u.venue, u.event_id, mode() within group (order by u.reason) as code
  from catalog.unpaired_questions u
  group by u.venue, u.event_id
), listed as (
  select e.venue, e.event_id, e.series_id, case when e.series_id is null then e.payload #>> '{tags,0,slug}' end as tag,
         e.start_at
  from venue.events e
  union all
  select u.venue, u.event_id, u.series_id, null, null
  from catalog.unread_events u
  where not u.is_stored
)
select l.venue, l.event_id, l.series_id, l.tag,
       coalesce(r.category, replace(lower(s.category), ' ', '_')) as category, r.sport,
       coalesce(l.start_at, r.start_at) as start_at,
       case
         when p.is_published then 'paired'
         when p.is_published is not null then 'candidate'
         when u.code is not null then 'unpaired'
         else 'unread'
       end as state,
       case when p.is_published is null then coalesce(u.code, x.code) end as code
from listed l
left join read r on r.venue = l.venue and r.event_id = l.event_id
left join paired p on p.venue = l.venue and p.event_id = l.event_id
left join unpaired u on u.venue = l.venue and u.event_id = l.event_id
left join catalog.unread_events x on x.venue = l.venue and x.event_id = l.event_id
left join venue.series s on s.venue = l.venue and s.series_id = l.series_id;
comment on view census.event_states is
  'Each listed event of both venues with its state: paired, candidate, unpaired or unread. code '
  'is the reason why an event has no pair or no question.';

create function census.render_events(p_now timestamptz) returns text
language sql stable
set search_path = ''
as $$
  with states as materialized (
    select s.*,
           case
             when s.start_at < date_trunc('week', p_now at time zone 'UTC') at time zone 'UTC' - interval '8 weeks'
               then 'earlier'
             when s.start_at >= date_trunc('week', p_now at time zone 'UTC') at time zone 'UTC' + interval '27 weeks'
               then 'later'
             else to_char(s.start_at at time zone 'UTC', 'IYYY-"W"IW')
           end as week
    from census.event_states s
  ), counted as (
    select s.venue, s.series_id, s.tag, s.state, s.code, count(*)::integer as events, min(s.category) as min_category,
           max(s.category) as max_category, min(s.sport) as min_sport, max(s.sport) as max_sport
    from states s
    group by s.venue, s.series_id, s.tag, s.state, s.code
  ), series as (
    select c.venue, c.series_id as series, c.tag,
           case when min(c.min_category) = max(c.max_category) then min(c.min_category) end as category,
           case when min(c.min_sport) = max(c.max_sport) then min(c.min_sport) end as sport, sum(c.events) as events,
           coalesce(sum(c.events) filter (where c.state = 'paired'), 0) as paired,
           coalesce(sum(c.events) filter (where c.state = 'candidate'), 0) as candidate,
           coalesce(
             json_object_agg(c.code, c.events order by c.code) filter (where c.state = 'unpaired'), '{}'
           ) as unpaired,
           coalesce(json_object_agg(c.code, c.events order by c.code) filter (where c.state = 'unread'), '{}') as unread
    from counted c
    group by c.venue, c.series_id, c.tag
  ), largest as (
    select s.*
    from series s
    order by s.events desc, s.venue, s.series collate "C", s.tag collate "C"
    limit 4000
  ), weeks as (
    select s.category, s.week, count(*) filter (where s.state = 'paired') as paired,
           count(*) filter (where s.state = 'candidate') as candidate,
           count(*) filter (where s.state not in ('paired', 'candidate')) as other
    from states s
    group by s.category, s.week
  )
  select '"events_by_series_count":' || (select count(*) from series) || ',"events_by_series":[' || coalesce(
    (
      select string_agg(
        row_to_json(l)::text, ',' order by l.venue, l.series collate "C", l.tag collate "C"
      )
      from largest l
    ),
    ''
  ) || '],"events_by_week":[' || coalesce(
    (
      select string_agg(row_to_json(w)::text, ',' order by w.category collate "C", w.week collate "C")
      from weeks w
    ),
    ''
  ) || ']'
$$;
comment on function census.render_events(timestamptz) is
  'Part of census.rebuild: the fields events_by_series_count, events_by_series and events_by_week '
  'of the body.';

revoke all on function census.render_events(timestamptz) from public;

-- 62_census_rebuild.sql

-- Takes the census once an hour: counts, renders the body of GET /v2/coverage, and stores it.

create function census.rebuild() returns bigint
language plpgsql volatile
set search_path = ''
as $$
declare
  v_now timestamptz := clock.now();
  v_number bigint;
begin
  perform census.count_series(v_now);
  with fixtures as materialized (
    select * from census.count_fixtures()
  ), rows as (
    select s.*, coalesce(f.fixtures, 0) as fixtures
    from census.series s
    left join fixtures f on f.sport = s.sport
  )
  insert into census.reports as r (report_no, as_of, body)
  -- row_to_json writes no spaces, json_build_object does: 100 kB for 4,000 series.
  select 1, v_now,
         '{"as_of":"' || base.format_time(v_now) || '","counts":{' || (
           select string_agg(
             '"' || w.status || '":' || (select count(*) from rows s where s.status = w.status), ',' order by w.n
           )
           from unnest(array['aggregated', 'pending', 'quiet', 'venue_a_only', 'dormant']) with ordinality w(status, n)
         ) || '},"series":[' || coalesce(
           (
             select string_agg(row_to_json(x)::text, ',' order by x.series_ticker collate "C")
             from (
               select s.series_id as series_ticker, s.league, s.sport, s.wired_at is not null as wired, s.status,
                      s.open_events as venue_a_open_events, s.paired, s.fixtures as sport_venue_b_fixtures,
                      base.format_time(s.last_pass_at) as last_pass_at
               from rows s
             ) x
           ),
           ''
         ) || '],"venue_b_unpaired":[' || coalesce(
           (
             select string_agg(row_to_json(x)::text, ',' order by x.sport collate "C")
             from (
               select f.sport, f.fixtures, f.paired, f.fixtures - f.paired as unpaired
               from fixtures f
             ) x
           ),
           ''
         ) || '],' || census.render_events(v_now) || '}'
  on conflict (singleton) do update
  set report_no = r.report_no + 1,
      as_of = excluded.as_of,
      body = excluded.body
  returning r.report_no into v_number;
  return v_number;
end
$$;
comment on function census.rebuild() is 'Takes the census now and returns its number.';

create function census.rebuild_if_due() returns bigint
language plpgsql volatile
set search_path = ''
as $$
declare
  v_as_of timestamptz := (select r.as_of from census.reports r);
  v_now timestamptz := clock.now();
begin
  -- A census younger than an hour stays, unless the market clock was set back before it.
  if v_as_of <= v_now and v_as_of > v_now - interval '1 hour' then
    return null;
  end if;
  -- An unfinished sweep would count unread series as dormant.
  if 2 > (select count(*) from venue.sweeps s where s.finished_at is not null or s.sweep > 1)
    or not exists (select from catalog.match_passes p where p.finished_at is not null)
    or not pg_try_advisory_xact_lock(hashtextextended('census', 0)) then
    return null;
  end if;
  return census.rebuild();
end
$$;
comment on function census.rebuild_if_due() is
  'Takes the census when the last one is an hour old (market time), after a full sweep and match '
  'pass. Returns its number, or null. Called by pg_cron.';

revoke all on function
  census.rebuild(),
  census.rebuild_if_due()
from public;

-- 64_webhook.sql

-- Schema webhook: signed POSTs to the endpoints of organizations, and the history of deliveries.
-- Endpoints and deliveries use real time. Prices decide when an event fires, so that is market time
-- (66_webhook_triggers.sql).

create schema webhook;
revoke all on schema webhook from public;
grant usage on schema webhook to parallax_api, authenticated;

create table webhook.settings (
  singleton boolean primary key default true check (singleton),
  allowed_hosts text[] not null default '{}',
  keep interval not null default interval '7 days',
  inline_deliveries integer not null default 500 check (inline_deliveries >= 0),
  lease interval not null default interval '15 seconds' check (lease > interval '5 seconds'),
  backlog integer not null default 1000 check (backlog > 0)
);
comment on table webhook.settings is 'The one row of settings.';
comment on column webhook.settings.allowed_hosts is
  'host:port of receivers without a public address, for npm start -- --webhook-allow. Nothing '
  'else relaxes the address check. Empty when hosted.';
comment on column webhook.settings.inline_deliveries is
  'Deliveries that the firing transaction writes itself, about 0.05 ms each. The senders write '
  'the rest (webhook.fan_out_events).';
comment on column webhook.settings.backlog is
  'Deliveries that may wait for one endpoint. The oldest above it fail with last_error backlog '
  '(webhook.bound_backlogs).';
comment on column webhook.settings.lease is
  'How long a sender holds a claimed delivery: 5 s for the attempt, the rest for its result. '
  'Without a result it is sent again.';
insert into webhook.settings (singleton) values (true) on conflict do nothing;

create table webhook.endpoints (
  endpoint_id uuid primary key default gen_random_uuid(),
  org_id uuid not null references account.organizations (org_id) on delete cascade,
  url text not null,
  events text[] not null check (cardinality(events) > 0 and events <@ array['pair.created', 'spread.threshold']),
  min_spread_pts numeric check (min_spread_pts between 0.5 and 50),
  secret_id uuid not null,
  secret_preview text not null,
  failure_count integer not null default 0 check (failure_count >= 0),
  last_success_at timestamptz,
  last_failure_at timestamptz,
  disabled_at timestamptz,
  disabled_reason text check ((disabled_reason is null) = (disabled_at is null)),
  is_responding boolean not null default true,
  created_at timestamptz not null default clock_timestamp(),
  check (('spread.threshold' = any (events)) = (min_spread_pts is not null))
) with (fillfactor = 50);
comment on table webhook.endpoints is
  'Receivers of deliveries. A disabled endpoint stays until it is deleted, and counts in the '
  'limit of the plan.';
comment on column webhook.endpoints.secret_id is
  'Id of the signing secret in the Vault. Only the response to the registration contains the '
  'secret; signatures are made in SQL.';
comment on column webhook.endpoints.failure_count is
  'Deliveries that failed since the last success. At 20 the endpoint is disabled.';
comment on column webhook.endpoints.is_responding is
  'Whether the last attempt got a 2xx response. Otherwise it gets fewer deliveries at once '
  '(webhook.claim_deliveries).';
create index endpoints_by_org on webhook.endpoints (org_id);
create index endpoints_by_threshold on webhook.endpoints (min_spread_pts, endpoint_id)
  where disabled_at is null and min_spread_pts is not null;
create index endpoints_newest on webhook.endpoints (created_at)
  where disabled_at is null and min_spread_pts is not null;

create table webhook.deliveries (
  delivery_id uuid primary key default gen_random_uuid(),
  endpoint_id uuid not null references webhook.endpoints (endpoint_id) on delete cascade,
  event text not null check (event in ('pair.created', 'spread.threshold', 'ping')),
  pair_id uuid,
  body text not null,
  state text not null default 'waiting' check (state in ('waiting', 'delivered', 'failed', 'dropped')),
  attempts smallint not null default 0,
  due_at timestamptz default clock_timestamp() check ((due_at is not null) = (state = 'waiting')),
  claim uuid,
  last_status smallint,
  last_error text,
  last_answer text,
  last_took_ms integer,
  created_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz
) with (fillfactor = 70);
comment on table webhook.deliveries is
  'The outbox and the delivery history, kept for webhook.settings.keep. A row is written in the '
  'transaction that fires the event, with the bytes of every attempt.';
comment on column webhook.deliveries.state is
  'waiting: for an attempt or its result; delivered; failed: after four attempts, or backlog; '
  'dropped: the endpoint was disabled or paused meanwhile.';
comment on column webhook.deliveries.attempts is
  'Attempts with a result. The attempt of a sender that died is not counted and is repeated.';
comment on column webhook.deliveries.due_at is
  'When the next attempt is due; during an attempt, when its lease expires.';
comment on column webhook.deliveries.claim is
  'The attempt in progress. A result with another claim is late and changes nothing.';
comment on column webhook.deliveries.last_status is
  'HTTP status of the last attempt; null when it got no response (last_error has the reason).';
comment on column webhook.deliveries.last_answer is
  'The first 200 characters of the last response body, which is foreign text; null without one.';
create index deliveries_due on webhook.deliveries (endpoint_id, due_at) include (claim) where due_at is not null;
create index deliveries_to_retry on webhook.deliveries (endpoint_id, due_at) where due_at is not null and attempts > 0;
create index deliveries_by_due on webhook.deliveries (due_at) where due_at is not null;
create index deliveries_by_endpoint on webhook.deliveries (endpoint_id, created_at desc);
create index deliveries_by_age on webhook.deliveries (created_at) where due_at is null;

alter table webhook.settings enable row level security;
alter table webhook.settings force row level security;
alter table webhook.endpoints enable row level security;
alter table webhook.endpoints force row level security;
alter table webhook.deliveries enable row level security;
alter table webhook.deliveries force row level security;
create policy "the admitted organization reads its endpoints" on webhook.endpoints
  for select to parallax_api using (org_id = (select account.current_org()));
create policy "members read their endpoints" on webhook.endpoints
  for select to authenticated using (org_id in (select account.current_user_orgs()));
-- The policies of webhook.endpoints apply in the subquery, so each role counts only deliveries of
-- its own endpoints.
create policy "readers of an endpoint count its deliveries" on webhook.deliveries
  for select to parallax_api, authenticated using (endpoint_id in (select e.endpoint_id from webhook.endpoints e));
grant select (endpoint_id, due_at) on webhook.deliveries to parallax_api, authenticated;
grant select (
  endpoint_id, org_id, url, events, min_spread_pts, secret_preview, failure_count, last_success_at, last_failure_at,
  disabled_at, disabled_reason, created_at
) on webhook.endpoints to parallax_api, authenticated;

create function webhook.delete_secret() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  delete from vault.secrets s where s.id = old.secret_id;
  return null;
end
$$;
comment on function webhook.delete_secret() is
  'Trigger: deletes the secret of a deleted endpoint. A trigger, because endpoints are also '
  'deleted with their organization.';
create trigger delete_secret after delete on webhook.endpoints
  for each row execute function webhook.delete_secret();
revoke all on function webhook.delete_secret() from public;

create view webhook.endpoint_summaries with (security_invoker = true) as
select e.org_id,
       e.endpoint_id as id,
       e.url,
       e.events,
       e.min_spread_pts::float8 as min_spread_pts,
       e.secret_preview,
       case
         when e.disabled_at is not null then 'disabled'
         -- Not stored, because it follows from the plan.
         when t.webhook_endpoints = 0 or s.status <> 'active' then 'paused'
         else 'enabled'
       end as status,
       e.disabled_reason,
       e.failure_count,
       -- Deliveries that wait for an attempt or for its result.
       (
         select count(*)::integer from webhook.deliveries d where d.endpoint_id = e.endpoint_id and d.due_at is not null
       ) as pending,
       base.format_time(e.last_success_at) as last_success_at,
       base.format_time(e.last_failure_at) as last_failure_at,
       base.format_time(e.created_at) as created_at
from webhook.endpoints e
join account.subscriptions s on s.org_id = e.org_id
join account.tiers t on t.tier = s.tier;
comment on view webhook.endpoint_summaries is
  'Endpoints as their organization reads them. paused: the plan has no webhooks or is not active; '
  'deliveries continue when it has them again.';
grant select on webhook.endpoint_summaries to parallax_api, authenticated;

-- 64_webhook_address.sql

-- Which addresses may receive deliveries. For each attempt the sender connects to the host, port
-- and path that webhook.parse_url returns, and checks the resolved addresses with
-- webhook.filter_public_addresses. functions/api/webhook_url.ts applies the same rules at
-- registration and returns the error; a test compares the two.

create type webhook.parsed_url as (host text, port integer, target text, fault text);
comment on type webhook.parsed_url is
  'The parts of an https address: host in lower case, IPv6 without brackets; target is path and '
  'query. fault: type of the validation error, else null.';

create function webhook.is_public_address(p_address inet) returns boolean
language sql immutable parallel safe
set search_path = ''
-- IANA special-purpose registries, 2026-11. IPv4: everything that is not globally reachable, and
-- multicast. IPv6: only global unicast (2000::/3) without its special blocks, so mapped, NAT64,
-- local and multicast addresses are not public.
as $$
  select case family(p_address)
    when 4 then not p_address <<= any (array[
      '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24',
      '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24',
      '224.0.0.0/4', '240.0.0.0/4'
    ]::inet[])
    else p_address <<= '2000::/3' and not p_address <<= any (array[
      '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'
    ]::inet[])
  end
$$;
comment on function webhook.is_public_address(inet) is
  'False for loopback, private, link-local, shared (CGNAT), multicast, reserved, documentation, '
  'mapped and translated addresses.';

create function webhook.filter_public_addresses(p_addresses text[]) returns text[]
language sql stable security definer
set search_path = ''
as $$
  select array(
    select a
    from unnest(p_addresses) a
    -- The cast is inside of the case, because Postgres may evaluate another condition first.
    where case
      when pg_input_is_valid(a, 'inet')
        then webhook.is_public_address(a::inet) and masklen(a::inet) = case family(a::inet) when 4 then 32 else 128 end
    end
  )
$$;
comment on function webhook.filter_public_addresses(text[]) is
  'Returns those texts that are addresses of the public Internet. A sender passes the result of a '
  'DNS lookup.';

create function webhook.may_be_public(p_host text) returns boolean
language sql immutable
set search_path = ''
as $$
  select case
    when p_host like '%:%' then
      -- case and not and, because the cast must not run first.
      case when pg_input_is_valid(p_host, 'inet') then webhook.is_public_address(p_host::inet) else false end
    -- Browsers and resolvers read these as numbers: 127.1, 0177.0.0.1, 0x7f.0.0.1. Only four plain
    -- decimal numbers are accepted.
    when p_host ~ '(^|\.)([0-9]+|0x[0-9a-f]*)$' then
      case
        when p_host !~ '^(0|[1-9][0-9]{0,2})(\.(0|[1-9][0-9]{0,2})){3}$' or not pg_input_is_valid(p_host, 'inet')
          then false
        else webhook.is_public_address(p_host::inet)
      end
    else p_host ~ '\.' and p_host !~ '(^|\.)(localhost|local|internal|home\.arpa)$'
  end
$$;
comment on function webhook.may_be_public(text) is
  'Whether the text of a host (lower case, without brackets) may be a public one. It does not '
  'resolve names.';

create function webhook.is_allowed_host(p_host text, p_port integer) returns boolean
language sql stable security definer
set search_path = ''
as $$ select exists (select from webhook.settings s where p_host || ':' || p_port = any (s.allowed_hosts)) $$;
comment on function webhook.is_allowed_host(text, integer) is
  'Whether the operator allows this receiver at any address (webhook.settings.allowed_hosts).';

create function webhook.allowed_receivers() returns text[]
language sql stable security definer
set search_path = ''
as $$ select s.allowed_hosts from webhook.settings s $$;
comment on function webhook.allowed_receivers() is
  'The receivers that the operator allows at any address (webhook.settings.allowed_hosts).';

create function webhook.parse_url(p_url text) returns webhook.parsed_url
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_label constant text := '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
  v_read webhook.parsed_url;
  v_parts text[];
begin
  v_read.fault := case
    when length(p_url) > 2048 then 'string_too_long'
    when p_url ~ '[^!-~]' then 'url_parsing'
    when p_url !~* '^https://' then 'url_scheme'
    when p_url ~ '#' then 'url_fragment'
    when p_url ~ '["<>\\^`{|}]' then 'url_parsing'
  end;
  if v_read.fault is not null then
    return v_read;
  end if;

  v_parts := regexp_match(substr(p_url, length('https://') + 1), '^([^/?]*)(.*)$');
  v_read.target := case when v_parts[2] like '/%' then v_parts[2] else '/' || v_parts[2] end;
  if v_parts[1] ~ '@' then
    v_read.fault := 'url_credentials';
    return v_read;
  end if;
  v_parts := regexp_match(
    lower(v_parts[1]), '^(?:\[([0-9a-f:.]+)\]|(' || v_label || '(?:\.' || v_label || ')*))(:.*)?$'
  );
  v_read.host := coalesce(v_parts[1], v_parts[2]);
  v_read.port := case
    when v_parts[3] is null then 443
    when v_parts[3] ~ '^:[1-9][0-9]{0,4}$' then substr(v_parts[3], 2)::integer
  end;
  v_read.fault := case
    when v_read.host is null or length(v_read.host) > 253 then 'url_parsing'
    -- 25 and 587 are mail. The platform blocks them.
    when v_read.port is null or v_read.port > 65535 or v_read.port in (25, 587) then 'url_port'
    when not webhook.is_allowed_host(v_read.host, v_read.port) and webhook.may_be_public(v_read.host) is not true
      then 'url_private_host'
  end;
  return v_read;
end
$$;
comment on function webhook.parse_url(text) is
  'Parses an https address, or returns why it may not receive deliveries. Allowed hosts '
  '(webhook.settings) pass at any address. Names are resolved at each attempt.';

revoke all on function
  webhook.is_public_address(inet),
  webhook.filter_public_addresses(text[]),
  webhook.may_be_public(text),
  webhook.is_allowed_host(text, integer),
  webhook.allowed_receivers(),
  webhook.parse_url(text)
from public;
grant execute on function webhook.allowed_receivers() to parallax_api;

-- 65_webhook_dashboard_rpc.sql

-- RPCs of the dashboard for endpoints. These functions check the rights; functions in schema api
-- give them their names for PostgREST. An endpoint is registered over REST, with a key or with the
-- session of an owner (account.admit_owner).

create function webhook.admit_owner(p_org_id uuid) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_in account.admission;
begin
  perform account.lock_for_change(p_org_id, 'owner');
  -- Counts a request of the organization, which also locks its row of account.usage (see
  -- webhook.register_endpoint).
  v_in := account.count_request(p_org_id, false, 1, 0, 'webhook');
  if v_in.code = 'auth.revoked_key' then
    perform account.raise_error(
      404, 'organization.not_found', 'You are not a member of this organization, or it does not exist.'
    );
  elsif v_in.code = 'webhook.tier' then
    perform account.raise_error(
      403, v_in.code, 'Your tier does not include webhooks. Basic, Premium and Pro include them.'
    );
  end if;
  perform account.raise_admission_error(v_in);
end
$$;
comment on function webhook.admit_owner(uuid) is
  'Admits an owner to the webhooks of an organization, like a key; raises 401, 402, 403, 404 or '
  '429.';

create function webhook.require_own_endpoint(p_id uuid, p_role text) returns webhook.endpoints
language plpgsql volatile
set search_path = ''
as $$
declare
  v_user uuid := account.require_user();
  v_endpoint webhook.endpoints;
begin
  select e.* into v_endpoint
  from webhook.endpoints e
  join account.members m on m.org_id = e.org_id and m.user_id = v_user
  where e.endpoint_id = p_id
    and (p_role = 'member' or m.role = 'owner');
  if v_endpoint.endpoint_id is null then
    if exists (
      select
      from webhook.endpoints e
      join account.members m on m.org_id = e.org_id and m.user_id = v_user
      where e.endpoint_id = p_id
    ) then
      perform account.raise_error(403, 'role.owner_needed', 'Only an owner of the organization can do this.');
    end if;
    perform account.raise_error(404, 'webhook.not_found', 'Your organizations have no webhook endpoint with this id.');
  end if;
  return v_endpoint;
end
$$;
comment on function webhook.require_own_endpoint(uuid, text) is
  'Returns an endpoint of an organization of the caller, who must be an owner unless p_role is '
  'member. Raises 403 or 404.';

create function webhook.dashboard_delete(p_id uuid) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_endpoint webhook.endpoints := webhook.require_own_endpoint(p_id, 'owner');
begin
  -- Also on a plan without webhooks, so that paused endpoints can be deleted.
  perform webhook.delete_endpoint(v_endpoint.org_id, p_id);
end
$$;
comment on function webhook.dashboard_delete(uuid) is
  'DELETE /v1/webhooks/{id} for an owner, on every plan.';

create function webhook.dashboard_deliveries(p_id uuid, p_state text, p_before uuid) returns table (
  delivery_id uuid,
  event text,
  pair_id text,
  body text,
  state text,
  attempts integer,
  last_status integer,
  last_error text,
  last_answer text,
  last_took_ms integer,
  created_at text,
  next_attempt_at text,
  finished_at text
)
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform webhook.require_own_endpoint(p_id, 'member');
  if p_state not in ('waiting', 'delivered', 'failed', 'dropped') then
    perform account.raise_error(422, 'delivery.state', 'The state must be waiting, delivered, failed or dropped.');
  end if;
  return query
  select d.delivery_id, d.event, 'mkt_' || d.pair_id, d.body, d.state, d.attempts::integer, d.last_status::integer,
         d.last_error, d.last_answer, d.last_took_ms, base.format_time(d.created_at),
         -- During an attempt due_at is the end of its lease.
         case when d.claim is null then base.format_time(d.due_at) end, base.format_time(d.finished_at)
  from webhook.deliveries d
  where d.endpoint_id = p_id
    and d.created_at > clock_timestamp() - (select s.keep from webhook.settings s)
    and (p_state is null or d.state = p_state)
    and (
      p_before is null
      or (d.created_at, d.delivery_id) < (
        select b.created_at, b.delivery_id
        from webhook.deliveries b
        where b.delivery_id = p_before and b.endpoint_id = p_id
      )
    )
  order by d.created_at desc, d.delivery_id desc
  limit 100;
end
$$;
comment on function webhook.dashboard_deliveries(uuid, text, uuid) is
  'Deliveries of an endpoint within seven days, newest first, 100 a page, with the sent body. '
  'p_state: null for all; p_before: the last one of the previous page.';

create function webhook.dashboard_test(p_id uuid) returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_endpoint webhook.endpoints := webhook.require_own_endpoint(p_id, 'owner');
  v_delivery uuid;
begin
  perform webhook.admit_owner(v_endpoint.org_id);
  if v_endpoint.disabled_at is not null then
    perform account.raise_error(409, 'webhook.disabled', 'This endpoint is disabled. Delete it and register it again.');
  end if;
  -- Under the lock of webhook.admit_owner, so two clicks send one test.
  if exists (
    select from webhook.deliveries d where d.endpoint_id = p_id and d.event = 'ping' and d.due_at is not null
  ) then
    perform account.raise_error(409, 'webhook.busy', 'The last test of this endpoint is still under way.');
  end if;
  if 100 <= (
    select count(*)
    from webhook.deliveries d
    where d.endpoint_id = p_id
      and d.event = 'ping'
      and d.created_at > clock_timestamp() - interval '1 day'
  ) then
    perform account.raise_error(
      409, 'webhook.tests', 'This endpoint had 100 tests within a day, which is the limit. Test it again tomorrow.'
    );
  end if;
  v_delivery := webhook.send_ping(p_id);
  return jsonb_build_object('delivery_id', v_delivery);
end
$$;
comment on function webhook.dashboard_test(uuid) is
  'Sends a ping and returns {delivery_id}; its row in webhook_deliveries gets the result. One at '
  'a time, 100 a day (409).';

create function webhook.dashboard_replay(p_id uuid) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_endpoint webhook.endpoints;
  v_delivery webhook.deliveries;
begin
  perform account.require_user();
  select d.* into v_delivery
  from webhook.deliveries d
  join webhook.endpoints e on e.endpoint_id = d.endpoint_id
  where d.delivery_id = p_id
    and e.org_id in (select account.current_user_orgs());
  if v_delivery.delivery_id is null then
    perform account.raise_error(404, 'delivery.not_found', 'Your organizations have no delivery with this id.');
  end if;
  v_endpoint := webhook.require_own_endpoint(v_delivery.endpoint_id, 'owner');
  perform webhook.admit_owner(v_endpoint.org_id);
  if v_endpoint.disabled_at is not null then
    perform account.raise_error(409, 'webhook.disabled', 'This endpoint is disabled. Delete it and register it again.');
  end if;
  if not webhook.replay_delivery(p_id) then
    perform account.raise_error(409, 'delivery.not_failed', 'Only failed and dropped deliveries can be sent again.');
  end if;
end
$$;
comment on function webhook.dashboard_replay(uuid) is
  'Sends a failed or dropped delivery again, with the same id and body.';

revoke all on function
  webhook.admit_owner(uuid),
  webhook.require_own_endpoint(uuid, text),
  webhook.dashboard_delete(uuid),
  webhook.dashboard_deliveries(uuid, text, uuid),
  webhook.dashboard_test(uuid),
  webhook.dashboard_replay(uuid)
from public;
grant execute on function
  webhook.dashboard_delete(uuid),
  webhook.dashboard_deliveries(uuid, text, uuid),
  webhook.dashboard_test(uuid),
  webhook.dashboard_replay(uuid)
to authenticated;

-- 65_webhook_endpoints.sql

-- Registering and deleting endpoints, for a key and for an owner on the dashboard. The function api
-- has validated the registration (functions/api/webhook_registration.ts). The address is checked
-- again for each attempt (webhook.parse_url).

-- The caller has validated the registration and holds the lock on the row of account.usage, so two
-- registrations at once cannot both be the last that the plan allows.
create function webhook.register_endpoint(
  p_org_id uuid, p_url text, p_events text[], p_min_spread_pts numeric, p_actor text default null
)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_id uuid := gen_random_uuid();
  -- 32 random bytes of the operating system: 256 bits, as many as the hash can use.
  v_secret text := 'whsec_' || encode(extensions.gen_random_bytes(32), 'base64');
  v_endpoint webhook.endpoints;
begin
  if (select count(*) from webhook.endpoints e where e.org_id = p_org_id) >= (
    select t.webhook_endpoints
    from account.subscriptions s
    join account.tiers t on t.tier = s.tier
    where s.org_id = p_org_id
  ) then
    return '{"refused": "webhook.limit"}';
  end if;
  if account.is_over_change_limit(p_org_id) then
    return '{"refused": "change.limit"}';
  end if;
  -- Pairs that exist already must not fire pair.created for the new endpoint.
  perform webhook.fire_pair_created();
  insert into webhook.endpoints (endpoint_id, org_id, url, events, min_spread_pts, secret_id, secret_preview)
  values (
    v_id, p_org_id, p_url,
    array(select distinct e from unnest(p_events) e order by e),
    -- Spreads have four decimals; digits of a float after the sixth are noise.
    round(p_min_spread_pts, 6),
    vault.create_secret(v_secret, 'webhook:' || v_id, 'Signs the deliveries of a webhook endpoint.'),
    left(v_secret, 10)
  )
  returning * into v_endpoint;
  perform account.write_audit(
    p_org_id, 'webhook.registered', p_url,
    jsonb_build_object(
      'id', v_id, 'events', to_jsonb(v_endpoint.events), 'min_spread_pts', trim_scale(v_endpoint.min_spread_pts)
    ), p_actor
  );
  return jsonb_build_object(
    'id', v_id, 'url', v_endpoint.url, 'events', to_jsonb(v_endpoint.events), 'min_spread_pts',
    trim_scale(v_endpoint.min_spread_pts), 'secret', v_secret, 'created_at', base.format_time(v_endpoint.created_at)
  );
end
$$;
comment on function webhook.register_endpoint(uuid, text, text[], numeric, text) is
  'Returns a new endpoint {id, url, events, min_spread_pts, secret, created_at}, or {refused: '
  'code} at the limit of the plan or of changes. The secret is returned only here.';

create function webhook.delete_endpoint(p_org_id uuid, p_id uuid, p_actor text default null) returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_url text;
begin
  delete from webhook.endpoints e
  where e.endpoint_id = p_id
    and e.org_id = p_org_id
  returning e.url into v_url;
  if v_url is null then
    return false;
  end if;
  perform account.write_audit(p_org_id, 'webhook.deleted', v_url, jsonb_build_object('id', p_id), p_actor);
  return true;
end
$$;
comment on function webhook.delete_endpoint(uuid, uuid, text) is
  'Deletes an endpoint with its secret and its deliveries. Returns false when the organization '
  'has no such endpoint.';

create function webhook.key_actor_of(p_key_hash bytea) returns text
language sql stable security definer
set search_path = ''
as $$ select 'key ' || k.prefix from account.keys k where k.hash = p_key_hash $$;
comment on function webhook.key_actor_of(bytea) is
  'The actor of a change over REST for the audit: the key, by its prefix.';

revoke all on function
  webhook.register_endpoint(uuid, text, text[], numeric, text),
  webhook.delete_endpoint(uuid, uuid, text),
  webhook.key_actor_of(bytea)
from public;
grant execute on function
  webhook.register_endpoint(uuid, text, text[], numeric, text),
  webhook.delete_endpoint(uuid, uuid, text),
  webhook.key_actor_of(bytea)
to parallax_api;

-- 66_webhook_fan_out.sql

-- Fan-out: from one fired event to its deliveries. A pair may concern thousands of endpoints, and
-- thousands of pairs may be created at once. The firing transaction writes a bounded number of
-- deliveries, and one row of webhook.fired_events for the rest, which the senders expand. So no
-- event is lost, and no flush waits for the fan-out. With 9,000 endpoints of one threshold
-- (2026-11-20), a flush in which 10 pairs crossed it took 25 ms, and 3.3 s when it wrote all
-- deliveries itself.

create table webhook.fired_events (
  decision_no bigint generated always as identity primary key,
  event text not null check (event in ('pair.created', 'spread.threshold')),
  pair_id uuid not null,
  pair_json jsonb not null,
  previous_spread_pts numeric,
  spread_pts numeric,
  endpoints_created_before timestamptz not null,
  last_endpoint_id uuid,
  last_threshold_pts numeric,
  fired_at timestamptz not null default clock_timestamp(),
  check ((event = 'spread.threshold') = (spread_pts is not null))
);
comment on table webhook.fired_events is
  'Events that fired and do not have a delivery for each of their endpoints yet.';
comment on column webhook.fired_events.pair_json is
  'The fields of the pair in the body, as they were when the event fired.';
comment on column webhook.fired_events.previous_spread_pts is
  'The spread before; spread_pts is the one that crossed. The event is for thresholds above the '
  'first and up to the second.';
comment on column webhook.fired_events.endpoints_created_before is
  'The event is for endpoints that were registered before this time.';
comment on column webhook.fired_events.last_endpoint_id is
  'The last endpoint with a delivery, in order of threshold (spread.threshold only) and id; null '
  'before the first. last_threshold_pts is its threshold.';
create index fired_events_in_order on webhook.fired_events ((event = 'pair.created'), decision_no);
create index fired_events_by_pair on webhook.fired_events (pair_id);
alter table webhook.fired_events enable row level security;
alter table webhook.fired_events force row level security;

create function webhook.insert_deliveries(
  p_event webhook.fired_events, p_limit integer, out seen integer, out last_endpoint_id uuid,
  out last_threshold_pts numeric
)
language plpgsql volatile
set search_path = ''
as $$
declare
  v_endpoints uuid[];
begin
  -- In index order, so that the next endpoints are found without reading the others. Paused
  -- endpoints are filtered out below.
  if p_event.event = 'pair.created' then
    v_endpoints := array(
      select e.endpoint_id
      from webhook.endpoints e
      where e.disabled_at is null
        and 'pair.created' = any (e.events)
        and e.created_at < p_event.endpoints_created_before
        and e.endpoint_id > coalesce(p_event.last_endpoint_id, '00000000-0000-0000-0000-000000000000')
      order by e.endpoint_id
      limit p_limit
    );
  else
    select coalesce(array_agg(w.endpoint_id order by w.min_spread_pts, w.endpoint_id), '{}'), max(w.min_spread_pts)
    into v_endpoints, last_threshold_pts
    from (
      select e.endpoint_id, e.min_spread_pts
      from webhook.endpoints e
      where e.disabled_at is null
        and (e.min_spread_pts, e.endpoint_id) > (
          coalesce(p_event.last_threshold_pts, p_event.previous_spread_pts),
          coalesce(p_event.last_endpoint_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        )
        and e.min_spread_pts <= p_event.spread_pts
        and e.created_at < p_event.endpoints_created_before
      order by e.min_spread_pts, e.endpoint_id
      limit p_limit
    ) w;
  end if;
  seen := cardinality(v_endpoints);
  last_endpoint_id := case when seen >= p_limit then v_endpoints[seen] end;
  if seen = 0 then
    return;
  end if;
  with present as materialized (
    -- Skips an endpoint that is being deleted: a flush must not fail because of it, nor deadlock.
    select e.endpoint_id, e.min_spread_pts
    from webhook.endpoints e
    where e.endpoint_id in (
      select l.endpoint_id from webhook.active_endpoints l where l.endpoint_id = any (v_endpoints)
    )
    order by e.endpoint_id
    for key share skip locked
  ), recorded as (
    insert into webhook.threshold_firings as f (endpoint_id, pair_id, fired_at)
    select p.endpoint_id, p_event.pair_id, (p_event.pair_json ->> 'observed_at')::timestamptz
    from present p
    where p_event.event = 'spread.threshold'
    order by p.endpoint_id
    on conflict (endpoint_id, pair_id) do update
    set fired_at = excluded.fired_at
    where excluded.fired_at >= f.fired_at + interval '30 minutes'
      -- The market clock was set back: another replay.
      or excluded.fired_at < f.fired_at
    returning f.endpoint_id
  )
  insert into webhook.deliveries (endpoint_id, event, pair_id, body)
  select p.endpoint_id, p_event.event, p_event.pair_id, webhook.render_body(p_event, p.endpoint_id, p.min_spread_pts)
  from present p
  where p_event.event = 'pair.created'
    or p.endpoint_id in (select r.endpoint_id from recorded r)
  order by p.endpoint_id;
end
$$;
comment on function webhook.insert_deliveries(webhook.fired_events, integer) is
  'Writes deliveries of a fired event for its next p_limit endpoints, except where it fired '
  'within 30 minutes. seen: endpoints that it read; last_endpoint_id: null at the end.';

create function webhook.render_body(p_event webhook.fired_events, p_endpoint uuid, p_threshold numeric) returns text
language sql stable
set search_path = ''
as $$
  select case p_event.event
    when 'pair.created' then (
      select row_to_json(b)
      from (
        select p_event.event, p_endpoint as endpoint_id, 'mkt_' || p_event.pair_id as pair_id, t.slug, t.title, t.sport,
               t.category, t.status, t.created_at
        from jsonb_to_record(p_event.pair_json) as t (
          slug text, title text, sport text, category text, status text, created_at text
        )
      ) b
    )
    else (
      select row_to_json(b)
      from (
        select p_event.event, p_endpoint as endpoint_id, 'mkt_' || p_event.pair_id as pair_id, t.slug, t.title,
               trim_scale(p_event.spread_pts) as spread_pts, trim_scale(p_threshold) as threshold_pts, t.observed_at
        from jsonb_to_record(p_event.pair_json) as t (slug text, title text, observed_at text)
      ) b
    )
  end::text
$$;
comment on function webhook.render_body(webhook.fired_events, uuid, numeric) is
  'The body of a delivery (docs/webhooks.md).';

create function webhook.record_fired_event(p_event webhook.fired_events) returns void
language sql volatile
set search_path = ''
as $$
  insert into webhook.fired_events (
    event, pair_id, pair_json, previous_spread_pts, spread_pts, endpoints_created_before, last_endpoint_id,
    last_threshold_pts
  )
  values (
    p_event.event, p_event.pair_id, p_event.pair_json, p_event.previous_spread_pts, p_event.spread_pts,
    p_event.endpoints_created_before, p_event.last_endpoint_id,
    p_event.last_threshold_pts
  )
$$;
comment on function webhook.record_fired_event(webhook.fired_events) is
  'Stores a fired event for webhook.fan_out_events.';

create function webhook.fan_out_events(p_limit integer) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_one webhook.fired_events;
  v_out record;
  v_seen integer := 0;
begin
  -- One at a time: events of a pair must be expanded in order, or its 30 minutes would start at the
  -- wrong one.
  if not exists (select from webhook.fired_events)
    or not pg_try_advisory_xact_lock(hashtext('webhook.fan_out_events')) then
    return 0;
  end if;
  for v_one in
    -- Spreads first: a new pair may be announced a moment later.
    select e.*
    from webhook.fired_events e
    order by e.event = 'pair.created', e.decision_no
  loop
    exit when v_seen >= p_limit;
    v_out := webhook.insert_deliveries(v_one, p_limit - v_seen);
    -- An event without endpoints counts as work too.
    v_seen := v_seen + greatest(v_out.seen, 1);
    if v_out.last_endpoint_id is null then
      delete from webhook.fired_events e where e.decision_no = v_one.decision_no;
    else
      update webhook.fired_events e
      set last_endpoint_id = v_out.last_endpoint_id,
          last_threshold_pts = v_out.last_threshold_pts
      where e.decision_no = v_one.decision_no;
    end if;
  end loop;
  return v_seen;
end
$$;
comment on function webhook.fan_out_events(integer) is
  'Expands fired events into about p_limit deliveries. Each claim calls it; 0 when none is left '
  'or another call runs. Returns the number of endpoints it read.';

revoke all on function
  webhook.insert_deliveries(webhook.fired_events, integer),
  webhook.render_body(webhook.fired_events, uuid, numeric),
  webhook.record_fired_event(webhook.fired_events),
  webhook.fan_out_events(integer)
from public;

-- 66_webhook_triggers.sql

-- When an event fires, decided in the transaction of the change.
--
-- spread.threshold has a state for each endpoint and pair: armed or not. Nearly all of it follows
-- from one number, the previous spread of the pair. An endpoint is armed for a pair when that
-- spread is below its threshold. So an event fires when the previous spread was below the
-- threshold, the new one is not, and the last event is 30 minutes old. A crossing within the 30
-- minutes fires nothing, and after it the spread has to fall below the threshold first as well.
-- The tables store the spread of each pair and the time of the last event of each endpoint and
-- pair. The 30 minutes are market time: the same prices fire the same events at any speed.

create table webhook.observed_spreads (
  pair_id uuid primary key,
  spread_pts numeric(7, 4) not null,
  seen_at timestamptz not null default clock_timestamp()
) with (fillfactor = 70);
comment on table webhook.observed_spreads is
  'The spread of each pair when it last changed its side of any threshold. A spread that moves '
  'between the same two thresholds is not written.';
comment on column webhook.observed_spreads.seen_at is
  'Real time. An endpoint that was registered later has no previous spread of this pair: its '
  'first observation fires nothing.';

create table webhook.threshold_firings (
  endpoint_id uuid not null references webhook.endpoints (endpoint_id) on delete cascade,
  pair_id uuid not null,
  fired_at timestamptz not null,
  primary key (endpoint_id, pair_id)
);
comment on table webhook.threshold_firings is
  'Market time at which spread.threshold last fired for an endpoint and a pair.';

create table webhook.announced_pairs (
  pair_id uuid primary key,
  at timestamptz not null default clock_timestamp()
);
comment on table webhook.announced_pairs is
  'Pairs that have been visible in the catalog. pair.created fires for others only: a withdrawn '
  'pair that returns keeps its id. Purged when the pair is over.';

alter table webhook.observed_spreads enable row level security;
alter table webhook.observed_spreads force row level security;
alter table webhook.threshold_firings enable row level security;
alter table webhook.threshold_firings force row level security;
alter table webhook.announced_pairs enable row level security;
alter table webhook.announced_pairs force row level security;

create view webhook.active_endpoints with (security_invoker = true) as
select e.*
from webhook.endpoints e
join account.subscriptions s on s.org_id = e.org_id and s.status = 'active'
join account.tiers t on t.tier = s.tier and t.webhook_endpoints > 0
where e.disabled_at is null;
comment on view webhook.active_endpoints is 'Endpoints that are neither disabled nor paused.';

create function webhook.detect_crossings(p_updates price.price_update[]) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_newest timestamptz;
  v_one record;
  v_limit integer := (select s.inline_deliveries from webhook.settings s);
  v_left integer := v_limit;
begin
  select max(e.created_at) into v_newest
  from webhook.endpoints e
  where e.disabled_at is null
    and e.min_spread_pts is not null;
  if v_newest is null then
    return;
  end if;
  for v_one in
    with steps as (
      select u.pair_id, u.priced_at, u.update_no, u.spread_pts, o.seen_at,
             lag(u.spread_pts, 1, o.spread_pts) over w as previous_pts,
             row_number() over w = 1 as first,
             row_number() over (partition by u.pair_id order by u.priced_at desc, u.update_no desc) = 1 as last
      from unnest(p_updates) u
      left join webhook.observed_spreads o on o.pair_id = u.pair_id
      where u.spread_pts is not null
      window w as (partition by u.pair_id order by u.priced_at, u.update_no)
    ), gaps as materialized (
      -- Whether any threshold is between the two spreads: one index lookup for each update, for any
      -- number of endpoints (50 updates without a crossing: 1 ms for 12 endpoints and for 90,000.
      -- Reading the list of all thresholds took 32 ms of a flush, 2026-11-20).
      select s.*,
             exists (
               select
               from webhook.endpoints e
               where e.disabled_at is null
                 and e.min_spread_pts > least(s.previous_pts, s.spread_pts)
                 and e.min_spread_pts <= greatest(s.previous_pts, s.spread_pts)
             ) as crosses
      from steps s
    ), kept as (
      insert into webhook.observed_spreads as o (pair_id, spread_pts)
      select g.pair_id, g.spread_pts
      from gaps g
      where g.last
        and (
          g.seen_at is null
          or g.seen_at < v_newest
          or exists (select from gaps n where n.pair_id = g.pair_id and n.crosses)
        )
      order by g.pair_id
      on conflict (pair_id) do update
      set spread_pts = excluded.spread_pts,
          seen_at = excluded.seen_at
    )
    select g.pair_id, g.previous_pts, g.spread_pts, g.priced_at,
           case when g.first then g.seen_at else clock_timestamp() end as endpoints_created_before
    from gaps g
    where g.crosses
      and g.spread_pts > g.previous_pts
    order by g.pair_id, g.priced_at, g.update_no
  loop
    v_left := v_left
      - webhook.fire_threshold(
        v_one.pair_id, v_one.previous_pts, v_one.spread_pts, v_one.priced_at, v_one.endpoints_created_before, v_left
      );
  end loop;
  if v_left < v_limit then
    perform webhook.wake_sender();
  end if;
end
$$;
comment on function webhook.detect_crossings(price.price_update[]) is
  'Part of pipeline.apply_books: fires spread.threshold for the price updates that cross a '
  'threshold. Updates without a spread change nothing.';

-- p_created_before: for endpoints that were registered before this time; null: for none. Fires
-- nothing for a pair that is not in the catalog. webhook.fan_out_events writes the deliveries after
-- p_limit.
create function webhook.fire_threshold(
  p_pair uuid, p_previous_pts numeric, p_spread_pts numeric, p_at timestamptz, p_created_before timestamptz,
  p_limit integer
)
returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_event webhook.fired_events;
  v_out record;
begin
  select 'spread.threshold', p.pair_id,
         jsonb_build_object('slug', p.slug, 'title', p.title, 'observed_at', base.format_time(p_at)), p_previous_pts,
         p_spread_pts,
         p_created_before
  into v_event.event, v_event.pair_id, v_event.pair_json, v_event.previous_spread_pts, v_event.spread_pts,
       v_event.endpoints_created_before
  from catalog.pairs p
  where p.pair_id = p_pair
    and p.stage = 'catalog'
    and p.withdrawn_at is null;
  if v_event.pair_id is null or p_created_before is null then
    return 0;
  end if;
  -- After the stored events of this pair that are not expanded yet.
  if p_limit <= 0 or exists (select from webhook.fired_events d where d.pair_id = p_pair) then
    perform webhook.record_fired_event(v_event);
    return 1;
  end if;
  v_out := webhook.insert_deliveries(v_event, p_limit);
  if v_out.last_endpoint_id is not null then
    v_event.last_endpoint_id := v_out.last_endpoint_id;
    v_event.last_threshold_pts := v_out.last_threshold_pts;
    perform webhook.record_fired_event(v_event);
  end if;
  return v_out.seen;
end
$$;
comment on function webhook.fire_threshold(
  uuid, numeric, numeric, timestamptz, timestamptz, integer
) is
  'Part of webhook.detect_crossings: fires for thresholds above p_previous_pts and up to '
  'p_spread_pts. Writes at most p_limit deliveries. Returns the number of endpoints it read.';

create function webhook.fire_pair_created() returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  with announced as (
    insert into webhook.announced_pairs (pair_id)
    select p.pair_id
    from catalog.pairs p
    where p.stage = 'catalog'
      and p.withdrawn_at is null
      -- A pair that was over before it was first visible is not announced.
      and p.status not in ('closed', 'settled')
      and not exists (select from webhook.announced_pairs a where a.pair_id = p.pair_id)
    order by p.pair_id
    on conflict (pair_id) do nothing
    returning pair_id
  )
  insert into webhook.fired_events (event, pair_id, pair_json, endpoints_created_before)
  select 'pair.created', p.pair_id,
         jsonb_build_object(
           'slug', p.slug, 'title', p.title, 'sport', p.sport, 'category', p.category, 'status', p.status, 'created_at',
           base.format_time(p.created_at)
         ),
         clock_timestamp()
  from announced f
  join catalog.pairs p on p.pair_id = f.pair_id
  where exists (select from webhook.active_endpoints e where 'pair.created' = any (e.events))
  order by p.start_time, p.pair_id;
  if not found then
    return;
  end if;
  perform webhook.fan_out_events((select s.inline_deliveries from webhook.settings s));
  perform webhook.wake_sender();
end
$$;
comment on function webhook.fire_pair_created() is
  'Fires pair.created for pairs that are visible for the first time. Also called before an '
  'endpoint is registered, which gets later pairs only.';

create function webhook.send_ping(p_endpoint uuid) returns uuid
language plpgsql volatile
set search_path = ''
as $$
declare
  v_delivery uuid;
begin
  insert into webhook.deliveries (endpoint_id, event, body)
  select p_endpoint, 'ping', row_to_json(b)::text
  from (select 'ping' as event, p_endpoint as endpoint_id, base.format_time(clock_timestamp()) as created_at) b
  returning delivery_id into v_delivery;
  perform webhook.wake_sender();
  return v_delivery;
end
$$;
comment on function webhook.send_ping(uuid) is
  'A test of an endpoint: a delivery that never counts as a failure.';

create function webhook.replay_delivery(p_delivery uuid) returns boolean
language plpgsql volatile
set search_path = ''
as $$
begin
  update webhook.deliveries d
  set state = 'waiting',
      attempts = 0,
      due_at = clock_timestamp(),
      claim = null,
      finished_at = null
  where d.delivery_id = p_delivery
    and d.state in ('failed', 'dropped');
  if not found then
    return false;
  end if;
  perform webhook.wake_sender();
  return true;
end
$$;
comment on function webhook.replay_delivery(uuid) is
  'Makes a failed or dropped delivery due again, with all its attempts. Returns false for any '
  'other.';

revoke all on function
  webhook.detect_crossings(price.price_update[]),
  webhook.fire_threshold(uuid, numeric, numeric, timestamptz, timestamptz, integer),
  webhook.fire_pair_created(),
  webhook.send_ping(uuid),
  webhook.replay_delivery(uuid)
from public;

-- 67_webhook_claim.sql

-- Claiming deliveries: which sender attempts which delivery, with its signatures.

create type webhook.attempt as (
  delivery_id uuid,
  claim uuid,
  event text,
  body text,
  host text,
  port integer,
  target text,
  listed boolean,
  refused text,
  signed_at bigint,
  signature text,
  standard_signature text
);
comment on type webhook.attempt is
  'One attempt. listed: the operator allows the host at any address; refused: why the address may '
  'not receive deliveries now. The signatures are header values.';

create function webhook.sign_v1(p_secret text, p_at bigint, p_body text) returns text
language sql immutable
set search_path = ''
as $$
  select encode(
    extensions.hmac(convert_to(p_at || '.' || p_body, 'UTF8'), convert_to(p_secret, 'UTF8'), 'sha256'), 'hex'
  )
$$;
comment on function webhook.sign_v1(text, bigint, text) is
  'v1 of X-Svc-Signature. The key is the whole secret as text, with whsec_.';

create function webhook.sign_standard(p_secret text, p_id uuid, p_at bigint, p_body text) returns text
language sql immutable
set search_path = ''
as $$
  select 'v1,' || encode(
    extensions.hmac(
      convert_to(p_id || '.' || p_at || '.' || p_body, 'UTF8'), decode(substr(p_secret, 7), 'base64'), 'sha256'
    ), 'base64'
  )
$$;
comment on function webhook.sign_standard(text, uuid, bigint, text) is
  'webhook-signature of Standard Webhooks. The key is the 32 bytes of the secret.';

create function webhook.waiting_endpoints(p_limit integer) returns uuid[]
-- plpgsql, here and below, because it keeps its plans: claims run up to 20 times a second.
language plpgsql volatile
set search_path = ''
as $$
declare
  v_from uuid := gen_random_uuid();
  v_found uuid[];
begin
  -- Step from one endpoint to the next in the index, so that no delivery is read to find an
  -- endpoint. Start at a random id and wrap around, so that every endpoint is reached even when
  -- many wait.
  with recursive above as (
    (
      select d.endpoint_id, 1 as step
      from webhook.deliveries d
      where d.due_at is not null
        and d.endpoint_id > v_from
      order by 1
      limit 1
    )
    union all
    select (
             select d.endpoint_id
             from webhook.deliveries d
             where d.due_at is not null
               and d.endpoint_id > a.endpoint_id
             order by d.endpoint_id
             limit 1
           ), a.step + 1
    from above a
    where a.endpoint_id is not null
      and a.step < p_limit
  ), below as (
    (
      select d.endpoint_id, (select count(*)::integer from above) as step
      from webhook.deliveries d
      where d.due_at is not null
        and d.endpoint_id <= v_from
      order by 1
      limit 1
    )
    union all
    select (
             select d.endpoint_id
             from webhook.deliveries d
             where d.due_at is not null
               and d.endpoint_id > b.endpoint_id
               and d.endpoint_id <= v_from
             order by d.endpoint_id
             limit 1
           ), b.step + 1
    from below b
    where b.endpoint_id is not null
      and b.step < p_limit
  )
  select array_agg(w.endpoint_id)
  into v_found
  from (select a.endpoint_id from above a union all select b.endpoint_id from below b) w
  where w.endpoint_id is not null;
  return coalesce(v_found, '{}');
end
$$;
comment on function webhook.waiting_endpoints(integer) is
  'Up to about p_limit endpoints with waiting deliveries, including paused and disabled ones.';

create function webhook.bound_backlogs(p_endpoints uuid[]) returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_backlog integer := (select s.backlog from webhook.settings s);
  v_failed integer;
begin
  with beyond as materialized (
    select e.endpoint_id, w.waiting - v_backlog as surplus
    from unnest(p_endpoints) e (endpoint_id)
    cross join lateral (
      select count(*) as waiting from webhook.deliveries d where d.endpoint_id = e.endpoint_id and d.due_at is not null
    ) w
    where w.waiting > v_backlog
  ), oldest as materialized (
    select o.delivery_id
    from beyond y
    cross join lateral (
      select d.delivery_id
      from webhook.deliveries d
      where d.endpoint_id = y.endpoint_id
        and d.due_at is not null
        and d.claim is null
      -- Attempted deliveries last: they must finish their attempts, or no failure is ever counted.
      order by d.attempts > 0, d.due_at
      limit y.surplus
      for update skip locked
    ) o
  ), failed as (
    update webhook.deliveries d
    set state = 'failed',
        due_at = null,
        finished_at = clock_timestamp(),
        last_error = 'backlog'
    from oldest o
    where d.delivery_id = o.delivery_id
    returning 1
  )
  select count(*)::integer into v_failed
  from failed;
  return v_failed;
end
$$;
comment on function webhook.bound_backlogs(uuid[]) is
  'Fails the oldest deliveries of each endpoint above webhook.settings.backlog with last_error '
  'backlog. None counts in failure_count. Returns how many.';

create function webhook.claim_deliveries(p_limit integer, p_each integer, p_stays interval)
returns setof webhook.attempt
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_now timestamptz;
  v_lease interval := (select s.lease from webhook.settings s);
  v_endpoints uuid[];
begin
  perform webhook.fan_out_events(500);
  -- Read now, so that the deliveries of the fan-out above are due.
  v_now := clock_timestamp();
  update webhook.sender_state t
  set awake_until = v_now + p_stays
  where t.awake_until < v_now + p_stays - interval '1 second';
  -- 38 ms when 2,000 endpoints wait (2026-11-20, two cores). A busy sender claims up to 20 times a
  -- second.
  v_endpoints := webhook.waiting_endpoints(400);
  perform webhook.bound_backlogs(v_endpoints);
  return query
  with capacity as materialized (
    select e.endpoint_id,
           e.org_id,
           e.is_responding,
           (
             select count(*)
             from webhook.deliveries d
             where d.endpoint_id = e.endpoint_id and d.due_at > v_now and d.claim is not null
           ) as running
    from webhook.active_endpoints e
    where e.endpoint_id = any (v_endpoints)
  ), retries as materialized (
    -- Retries go before first attempts. Otherwise the deliveries of an endpoint that never responds
    -- wait behind its new ones, none of them finishes, and the endpoint is never disabled.
    select d.delivery_id, d.due_at, r.endpoint_id, r.org_id
    from capacity r
    cross join lateral (
      select n.delivery_id, n.due_at
      from webhook.deliveries n
      where n.endpoint_id = r.endpoint_id
        and n.due_at <= v_now
        and n.attempts > 0
      order by n.due_at
      limit greatest(p_each - r.running, 0)
      for update skip locked
    ) d
  ), firsts as materialized (
    select d.delivery_id, d.due_at, r.org_id
    from capacity r
    cross join lateral (
      select n.delivery_id, n.due_at
      from webhook.deliveries n
      where n.endpoint_id = r.endpoint_id
        and n.due_at <= v_now
        and n.attempts = 0
      order by n.due_at
      -- An endpoint that does not respond gets a first attempt only while fewer than two attempts
      -- run: each lasts the full five seconds. With its retries, three run on average.
      limit greatest(
        case when r.is_responding then p_each else least(p_each, 2) end - r.running
          - (select count(*) from retries t where t.endpoint_id = r.endpoint_id),
        0
      )
      for update skip locked
    ) d
  ), taken as materialized (
    -- In turns: the oldest of each organization, then the second oldest of each.
    select d.delivery_id
    from (
      select t.delivery_id, t.due_at, t.org_id
      from retries t
      union all
      select f.delivery_id, f.due_at, f.org_id
      from firsts f
    ) d
    order by row_number() over (partition by d.org_id order by d.due_at), d.due_at
    limit p_limit
  ), claimed as (
    update webhook.deliveries d
    set claim = gen_random_uuid(),
        due_at = v_now + v_lease
    from taken t
    where d.delivery_id = t.delivery_id
    returning d.*
  ), senders as materialized (
    -- The secret is a subquery, because a join may decrypt every secret of the Vault.
    select e.endpoint_id,
           (select s.decrypted_secret from vault.decrypted_secrets s where s.id = e.secret_id) as secret,
           webhook.parse_url(e.url) as address
    from webhook.endpoints e
    where e.endpoint_id in (select c.endpoint_id from claimed c)
  )
  select c.delivery_id, c.claim, c.event, c.body, (s.address).host, (s.address).port, (s.address).target,
         coalesce(webhook.is_allowed_host((s.address).host, (s.address).port), false),
         case when s.secret is null then 'secret.missing' when (s.address).fault is not null then 'address.refused' end,
         n.at, webhook.sign_v1(s.secret, n.at, c.body), webhook.sign_standard(s.secret, c.delivery_id, n.at, c.body)
  from claimed c
  join senders s on s.endpoint_id = c.endpoint_id
  cross join (select floor(extract(epoch from v_now))::bigint as at) n;
end
$$;
comment on function webhook.claim_deliveries(integer, integer, interval) is
  'Claims at most p_limit due deliveries, at most p_each of an endpoint, of organizations in '
  'turn, retries first. p_stays: how long the caller goes on claiming.';

revoke all on function
  webhook.sign_v1(text, bigint, text),
  webhook.sign_standard(text, uuid, bigint, text),
  webhook.waiting_endpoints(integer),
  webhook.bound_backlogs(uuid[]),
  webhook.claim_deliveries(integer, integer, interval)
from public;
grant usage on schema webhook to parallax_deliver;
grant execute on function
  webhook.claim_deliveries(integer, integer, interval),
  webhook.filter_public_addresses(text[])
to parallax_deliver;

-- 67_webhook_results.sql

-- Results of attempts: what a result changes in its delivery and its endpoint.

create function webhook.record_results(p_results jsonb, out known integer, out disabled uuid[])
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_one record;
begin
  known := 0;
  disabled := '{}';
  -- Locks all endpoints first and in one order, so that two calls cannot deadlock.
  perform
  from webhook.endpoints e
  where e.endpoint_id in (
    select d.endpoint_id
    from jsonb_array_elements(p_results) r
    join webhook.deliveries d on d.delivery_id = (r ->> 'delivery_id')::uuid
  )
  order by e.endpoint_id
  for no key update;
  for v_one in
    select d.delivery_id, d.endpoint_id, d.claim, r.status, r.error, r.answer, r.took_ms,
           coalesce(r.status between 200 and 299, false) as ok
    from jsonb_array_elements(p_results) with ordinality as a (result, place)
    cross join lateral jsonb_to_record(a.result) as r (
      delivery_id uuid, claim uuid, status smallint, error text, answer text, took_ms integer
    )
    join webhook.deliveries d on d.delivery_id = r.delivery_id and d.claim = r.claim
    order by a.place
  loop
    known := known + 1;
    if webhook.apply_result(
      v_one.delivery_id, v_one.claim, v_one.ok, v_one.status, v_one.error, v_one.answer, v_one.took_ms
    ) then
      disabled := disabled || v_one.endpoint_id;
    end if;
  end loop;
end
$$;
comment on function webhook.record_results(jsonb) is
  'Records results in order: [{delivery_id, claim, status, error, answer, took_ms}]. A result '
  'with an old claim changes nothing. known: results that counted.';

create function webhook.apply_result(
  p_delivery uuid,
  p_claim uuid,
  p_ok boolean,
  p_status smallint,
  p_error text,
  p_answer text,
  p_took_ms integer
) returns boolean
language plpgsql volatile
set search_path = ''
as $$
declare
  -- After the first, second and third failed attempt. The fourth is the last.
  v_waits constant interval[] := array['1 second', '5 seconds', '25 seconds'];
  v_now timestamptz := clock_timestamp();
  v_endpoint webhook.endpoints;
  v_delivery webhook.deliveries;
begin
  select e.* into v_endpoint
  from webhook.endpoints e
  where e.endpoint_id = (select d.endpoint_id from webhook.deliveries d where d.delivery_id = p_delivery);
  update webhook.deliveries d
  set attempts = d.attempts + 1,
      claim = null,
      state = case
        when p_ok then 'delivered'
        when d.attempts >= 3 then 'failed'
        when v_endpoint.disabled_at is not null then 'dropped'
        else 'waiting'
      end,
      due_at = case
        when not p_ok and d.attempts < 3 and v_endpoint.disabled_at is null then v_now + v_waits[d.attempts + 1]
      end,
      finished_at = case when p_ok or d.attempts >= 3 or v_endpoint.disabled_at is not null then v_now end,
      last_status = p_status,
      last_error = case when p_ok then null else left(coalesce(p_error, 'status.' || p_status), 200) end,
      last_answer = nullif(left(p_answer, 200), ''),
      last_took_ms = p_took_ms
  where d.delivery_id = p_delivery
    and d.claim = p_claim
  returning * into v_delivery;
  if not found or v_endpoint.disabled_at is not null then
    return false;
  end if;
  if p_ok then
    update webhook.endpoints e
    set failure_count = 0,
        last_success_at = v_now,
        is_responding = true
    where e.endpoint_id = v_endpoint.endpoint_id;
    return false;
  end if;
  if v_delivery.state <> 'failed' or v_delivery.event = 'ping' then
    if v_endpoint.is_responding then
      update webhook.endpoints e
      set is_responding = false
      where e.endpoint_id = v_endpoint.endpoint_id;
    end if;
    return false;
  end if;
  update webhook.endpoints e
  set failure_count = e.failure_count + 1,
      last_failure_at = v_now,
      is_responding = false,
      disabled_at = case when e.failure_count + 1 >= 20 then v_now end,
      disabled_reason = case when e.failure_count + 1 >= 20 then 'delivery_failures' end
  where e.endpoint_id = v_endpoint.endpoint_id
  returning * into v_endpoint;
  if v_endpoint.disabled_at is null then
    return false;
  end if;
  -- Attempts in progress may still be delivered. The other deliveries are dropped.
  update webhook.deliveries d
  set state = 'dropped',
      due_at = null,
      finished_at = v_now,
      last_error = 'endpoint.disabled'
  where d.endpoint_id = v_endpoint.endpoint_id
    and d.due_at is not null
    and d.claim is null;
  perform account.write_audit(
    v_endpoint.org_id, 'webhook.disabled', v_endpoint.url,
    jsonb_build_object('id', v_endpoint.endpoint_id, 'reason', v_endpoint.disabled_reason), 'delivery'
  );
  return true;
end
$$;
comment on function webhook.apply_result(uuid, uuid, boolean, smallint, text, text, integer) is
  'Part of webhook.record_results: applies one result to its delivery and endpoint '
  '(docs/webhooks.md, Delivery). Returns whether it disabled the endpoint.';

revoke all on function
  webhook.record_results(jsonb),
  webhook.apply_result(uuid, uuid, boolean, smallint, text, text, integer)
from public;

-- 67_webhook_sender.sql

-- Runs of the sender: the database calls it when there is something to send, it claims on its own
-- while it is awake, and it reports when it stops. And retention.

create table webhook.sender_state (
  singleton boolean primary key default true check (singleton),
  awake_until timestamptz not null default '-infinity'
) with (fillfactor = 20);
comment on table webhook.sender_state is
  'One row: until when a sender is awake and claims new deliveries on its own.';
insert into webhook.sender_state (singleton) values (true) on conflict do nothing;
alter table webhook.sender_state enable row level security;
alter table webhook.sender_state force row level security;

create sequence webhook.deliver_called_ms;
comment on sequence webhook.deliver_called_ms is
  'Epoch milliseconds of the last call to deliver. A sequence is outside of transactions: with a '
  'row, every flush would wait for the one before.';

create function webhook.call_deliver() returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_now bigint := floor(extract(epoch from clock_timestamp()) * 1000);
begin
  if v_now - (select s.last_value from webhook.deliver_called_ms s) < 1000 then
    return;
  end if;
  perform setval('webhook.deliver_called_ms', v_now);
  perform base.call_edge_function('deliver');
exception
  -- Without pg_net, the Vault or an address in it, prices are written all the same. A container
  -- (deno task deliver) needs none of them.
  when others then
    raise debug 'the sender was not called: %', sqlerrm;
end
$$;
comment on function webhook.call_deliver() is
  'Calls the function deliver when this transaction commits, at most once a second. Never fails.';

create function webhook.wake_sender() returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- Two seconds: this transaction commits sooner, so a sender that is awake for longer finds the
  -- delivery.
  if not exists (select from webhook.sender_state t where t.awake_until > clock_timestamp() + interval '2 seconds') then
    perform webhook.call_deliver();
  end if;
end
$$;
comment on function webhook.wake_sender() is
  'Calls deliver for a new delivery unless a sender is awake.';

create function webhook.wake_if_due() returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  if exists (select from webhook.deliveries d where d.due_at < clock_timestamp() + interval '10 seconds')
    or exists (select from webhook.fired_events) then
    perform webhook.wake_sender();
  end if;
end
$$;
comment on function webhook.wake_if_due() is
  'pg_cron calls it every 10 s: wakes the sender when deliveries are due and its call was lost.';

create function webhook.release_sender() returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  update webhook.sender_state t set awake_until = '-infinity';
  if exists (select from webhook.deliveries d where d.due_at < clock_timestamp())
    or exists (select from webhook.fired_events) then
    perform webhook.call_deliver();
  end if;
end
$$;
comment on function webhook.release_sender() is
  'A sender stops at the limit of its call. Calls the next one at once when deliveries are due.';

create function webhook.purge_expired(p_limit integer default 50000) returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_deleted integer;
begin
  -- Deliveries of paused and disabled endpoints are old when the plan is active again.
  update webhook.deliveries d
  set state = 'dropped',
      due_at = null,
      claim = null,
      finished_at = clock_timestamp(),
      last_error = 'endpoint.paused'
  where d.due_at < clock_timestamp()
    and not exists (select from webhook.active_endpoints e where e.endpoint_id = d.endpoint_id);
  delete from webhook.deliveries d
  where d.delivery_id in (
    select o.delivery_id
    from webhook.deliveries o
    where o.created_at < clock_timestamp() - (select s.keep from webhook.settings s)
      and o.due_at is null
    order by o.created_at
    limit p_limit
  );
  get diagnostics v_deleted = row_count;
  -- Fired events that no sender has expanded within that time.
  delete from webhook.fired_events d where d.fired_at < clock_timestamp() - (select s.keep from webhook.settings s);
  -- The 30 minutes are over while market time runs forward. Where it was set back, an old row has
  -- no effect (webhook.insert_deliveries).
  delete from webhook.threshold_firings f where f.fired_at < clock.now() - interval '1 day';
  delete from webhook.observed_spreads o
  where not exists (select from catalog.pairs p where p.pair_id = o.pair_id and p.status not in ('closed', 'settled'));
  delete from webhook.announced_pairs a
  where not exists (select from catalog.pairs p where p.pair_id = a.pair_id and p.status not in ('closed', 'settled'));
  return v_deleted;
end
$$;
comment on function webhook.purge_expired(integer) is
  'Retention: deliveries after webhook.settings.keep, spreads of pairs that are over; drops what '
  'waits for inactive endpoints. Returns the number of deleted deliveries.';

revoke all on function
  webhook.call_deliver(),
  webhook.wake_sender(),
  webhook.wake_if_due(),
  webhook.release_sender(),
  webhook.purge_expired(integer)
from public;
grant execute on function webhook.release_sender() to parallax_deliver;

-- 75_stream.sql

-- Schema stream: the publication log of each channel, and who may read which channel. A frame is
-- written in the transaction of the change that it publishes. Nothing is delayed: REST returns a
-- price two minutes late, the stream publishes it when it is committed. Times of the log are real
-- time, so that retention also holds where market time is fast or stopped.

create schema stream;
revoke all on schema stream from public;
grant usage on schema stream to parallax_ingest, authenticated;

create table stream.settings (
  singleton boolean primary key default true check (singleton),
  keep interval not null default interval '60 minutes' check (keep >= interval '60 minutes'),
  broadcast_bytes integer not null default 190000 check (broadcast_bytes between 1000 and 195000),
  messages_a_second numeric not null default 80 check (messages_a_second > 0),
  listeners integer not null default 1 check (listeners >= 0),
  beacon_every interval not null default interval '5 seconds',
  max_broadcast_delay interval not null default interval '30 seconds',
  quote_repeat_interval interval not null default interval '3 minutes' check (quote_repeat_interval >= interval '0'),
  sample_markets smallint not null default 20 check (sample_markets between 0 and 20)
);
comment on table stream.settings is
  'The one row of settings: how long the log is kept, and what broadcasts may use.';
comment on column stream.settings.broadcast_bytes is
  'Bytes of frames in one broadcast, which stays under 200 KB with its envelope. Realtime takes '
  'messages of up to 256 KB on the Free plan.';
comment on column stream.settings.messages_a_second is
  'Messages a second that broadcasts may use of the plan''s quota (Free 100, Pro 500). Joins and '
  'other messages of the project use the rest.';
comment on column stream.settings.listeners is
  'Estimated subscribers of each broadcast. Realtime counts one message for the send and one for '
  'each delivery.';
comment on column stream.settings.max_broadcast_delay is
  'An older frame is not broadcast. The next offset shows the gap, and the client reads it from '
  'the log.';
comment on column stream.settings.quote_repeat_interval is
  'A quote published longer ago is due again when its reader repeats it, which the reader does '
  'every two minutes. So each quote is published at least every five minutes.';
insert into stream.settings (singleton) values (true) on conflict do nothing;

create table stream.channels (
  channel text primary key check (
    channel in ('markets:all', 'sample', 'status', 'quotes:all')
    or channel ~ '^candidates:.'
    or channel ~ '^org:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
  ),
  epoch text not null default left(replace(gen_random_uuid()::text, '-', ''), 12),
  last_offset bigint not null default 0 check (last_offset >= 0)
) with (fillfactor = 50);
comment on table stream.channels is
  'The epoch and offset of each channel. An append locks the row to the commit: offset order is '
  'commit order, and a rollback leaves no gap.';
comment on column stream.channels.epoch is
  'Changes when the log was lost and offsets began at 1 again.';
comment on column stream.channels.last_offset is 'Offset of the newest frame; 0 before the first.';
insert into stream.channels (channel)
values ('markets:all'), ('sample'), ('status'), ('quotes:all')
on conflict do nothing;

-- A row of 50 frames is compressed to 63 bytes a frame: 230 MB an hour at 1,000 frames a second
-- (measured 2026-11-20). One row for each frame would take 400 bytes.
create table stream.publications (
  channel text not null,
  last_offset bigint not null,
  at timestamptz not null default clock_timestamp(),
  frames text[] not null check (cardinality(frames) > 0),
  primary key (channel, last_offset, at)
) partition by range (at);
comment on table stream.publications is
  'The publication log: what one transaction published on one channel, in one or several rows. '
  'Partitions of ten minutes, dropped after stream.settings.keep.';
comment on column stream.publications.last_offset is
  'Offset of the last frame; the first has last_offset - cardinality(frames) + 1.';
comment on column stream.publications.frames is 'JSON texts, type first, as they are sent.';

create table stream.published_markets (
  pair_id uuid primary key,
  channel text not null,
  change_no bigint not null,
  status text not null,
  signal text not null,
  priced boolean not null,
  published_at timestamptz not null default clock_timestamp()
) with (fillfactor = 70);
comment on table stream.published_markets is
  'The last market frame of each pair. A frame is due when the pair differs from it, whichever '
  'writer changed the pair: the next call repairs what a writer did not publish.';
comment on column stream.published_markets.change_no is
  'catalog.pairs.change_no when it was published.';
comment on column stream.published_markets.priced is
  'Whether the frame had outcomes. A Market without prices has none, so a new frame with their '
  'names is due when prices return.';

create table stream.published_opportunities (
  opportunity_id uuid primary key,
  pair_id uuid not null,
  state_no bigint not null,
  change_no bigint not null
);
comment on table stream.published_opportunities is
  'Opportunities published as open, with the state and the catalog.pairs.change_no that were last '
  'published.';
create index published_opportunities_by_pair on stream.published_opportunities (pair_id);

alter table stream.settings enable row level security;
alter table stream.settings force row level security;
alter table stream.channels enable row level security;
alter table stream.channels force row level security;
alter table stream.publications enable row level security;
alter table stream.publications force row level security;
alter table stream.published_markets enable row level security;
alter table stream.published_markets force row level security;
alter table stream.published_opportunities enable row level security;
alter table stream.published_opportunities force row level security;

create function stream.ensure_partition(p_at timestamptz) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_from timestamptz := date_bin(interval '10 minutes', p_at, timestamptz 'epoch');
  v_name text := 'publications_' || to_char(v_from at time zone 'UTC', 'YYYYMMDDHH24MI');
begin
  if to_regclass('stream.' || v_name) is not null then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('stream.publications', 0));
  -- Reads the catalog: after the wait for the lock, to_regclass still returns its cached null.
  if exists (
    select from pg_catalog.pg_class c where c.relnamespace = 'stream'::regnamespace and c.relname = v_name
  ) then
    return;
  end if;
  -- Created apart, then attached: "create table … partition of" would lock out every reader and
  -- writer of the log until the commit.
  execute format('create table stream.%I (like stream.publications including defaults including constraints)', v_name);
  execute format('alter table stream.%I enable row level security', v_name);
  execute format('alter table stream.%I force row level security', v_name);
  execute format(
    'alter table stream.publications attach partition stream.%I for values from (%L) to (%L)', v_name, v_from,
    v_from + interval '10 minutes'
  );
end
$$;
comment on function stream.ensure_partition(timestamptz) is
  'Creates the partition of this time unless it exists. stream.broadcast_pending creates the next '
  'one ten minutes ahead.';

create function stream.drop_old_partitions() returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_oldest text := 'publications_' || to_char(
    (clock_timestamp() - (select s.keep from stream.settings s) - interval '10 minutes') at time zone 'UTC',
    'YYYYMMDDHH24MI'
  );
  v_name text;
  v_dropped integer := 0;
begin
  for v_name in
    select c.relname
    from pg_catalog.pg_inherits i
    join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'stream.publications'::regclass
      and c.relname <= v_oldest
    order by c.relname
  loop
    execute format('drop table stream.%I', v_name);
    v_dropped := v_dropped + 1;
  end loop;
  return v_dropped;
end
$$;
comment on function stream.drop_old_partitions() is
  'Retention: drops the partitions that ended longer ago than stream.settings.keep. Returns how '
  'many.';

create function stream.append_publication(p_channel text, p_frames text[]) returns bigint
language plpgsql volatile
set search_path = ''
as $$
declare
  v_row_frames constant integer := 200;
  v_top bigint;
  v_at timestamptz;
begin
  if coalesce(cardinality(p_frames), 0) = 0 then
    return (select c.last_offset from stream.channels c where c.channel = p_channel);
  end if;
  insert into stream.channels as c (channel, last_offset)
  values (p_channel, cardinality(p_frames))
  on conflict (channel) do update
  set last_offset = c.last_offset + excluded.last_offset
  returning c.last_offset into v_top;
  v_at := clock_timestamp();
  perform stream.ensure_partition(v_at);
  -- Several rows, so that a reader of few frames does not decompress a whole match pass.
  insert into stream.publications (channel, last_offset, at, frames)
  select p_channel,
         v_top - cardinality(p_frames) + least(g + v_row_frames - 1, cardinality(p_frames)),
         v_at,
         p_frames[g : g + v_row_frames - 1]
  from generate_series(1, cardinality(p_frames), v_row_frames) g;
  return v_top;
end
$$;
comment on function stream.append_publication(text, text[]) is
  'Appends frames and returns the last offset. Locks the channel to the end of the transaction: '
  'call it last, and take several channels in the order of their names.';

create function stream.reset_channel(p_channel text) returns text
language plpgsql volatile
set search_path = ''
as $$
declare
  v_epoch text;
begin
  update stream.channels c
  set epoch = default,
      last_offset = 0
  where c.channel = p_channel
  returning c.epoch into v_epoch;
  delete from stream.publications p where p.channel = p_channel;
  return v_epoch;
end
$$;
comment on function stream.reset_channel(text) is
  'Starts a channel again at offset 0 under another epoch (for operators, after a log was lost). '
  'Returns the epoch.';

create function stream.replay_publications(p_channel text, p_epoch text, p_after bigint, p_limit integer default 500)
returns table (
  epoch text,
  top bigint,
  recovered boolean,
  upto bigint,
  frames text[]
)
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_max_bytes constant integer := 256 * 1024;
  v_limit integer := least(greatest(coalesce(p_limit, 500), 1), 500);
  v_row record;
  v_size bigint := 0;
begin
  select c.epoch, c.last_offset into epoch, top from stream.channels c where c.channel = p_channel;
  recovered := epoch is not null and p_epoch = epoch and p_after between 0 and top;
  frames := '{}';
  upto := p_after;
  if epoch is not null and recovered then
    for v_row in
      select f.frame, p.before + f.place as at_offset
      from (
        -- cardinality() decompresses a long row. offset 0 makes it run once a row: once a frame
        -- took 300 ms a page.
        select p.last_offset - cardinality(p.frames) as before, p.frames
        from stream.publications p
        where p.channel = p_channel
          and p.last_offset > p_after
          and p.last_offset < p_after + v_limit + 201
        offset 0
      ) p
      cross join lateral unnest(p.frames) with ordinality as f (frame, place)
      where p.before + f.place > p_after
      order by p.before, f.place
      limit v_limit
    loop
      -- A gap before the first frame: the log no longer reaches back to this offset.
      if v_row.at_offset <> upto + 1 then
        recovered := false;
        exit;
      end if;
      v_size := v_size + octet_length(v_row.frame) + 1;
      exit when v_size > v_max_bytes and cardinality(frames) > 0;
      frames := frames || v_row.frame;
      upto := v_row.at_offset;
    end loop;
    recovered := recovered and (upto > p_after or p_after = top);
  end if;
  return next;
end
$$;
comment on function stream.replay_publications(text, text, bigint, integer) is
  'At most p_limit (500) frames or 256 KiB after an offset; upto is the offset of the last. Not '
  'recovered when the epoch differs or the log no longer has them: read the state again.';

revoke all on function
  stream.ensure_partition(timestamptz),
  stream.drop_old_partitions(),
  stream.append_publication(text, text[]),
  stream.reset_channel(text),
  stream.replay_publications(text, text, bigint, integer)
from public;

-- 76_stream_publish.sql

-- What is published: the difference between the published state and the present state.
--
-- A writer calls stream.publish_changes once, as the last call of its transaction. The function
-- takes the publication lock, which covers all market channels, and keeps it to the commit. So each
-- frame is rendered from everything that was committed before it, and offset order is commit order.
-- One lock for all channels: a flush appends to several, and with a lock for each, two flushes
-- could deadlock. Frames are rendered under it (figures: docs/measurements/2026-11-20-stream.md).

create type stream.frame as (channel text, pair_id uuid, json text);
comment on type stream.frame is
  'A frame before it is appended: its channel, its pair (null: none) and its text.';

create function stream.market_channel_of(p_stage text, p_sport text, p_category text) returns text
language sql immutable
set search_path = ''
as $$ select case p_stage when 'catalog' then 'markets:all' else 'candidates:' || coalesce(p_sport, p_category) end $$;
comment on function stream.market_channel_of(text, text, text) is
  'The channel of a market. Candidates have a channel for each sport, outside sports for each '
  'category.';

create function stream.market_json(p_row price.snapshot, p_read_a timestamptz, p_read_b timestamptz) returns text
language plpgsql stable
set search_path = ''
-- plpgsql, with its times formatted in place: a SQL function with its own search_path is
-- initialized for each row. Four nested ones took a quarter of a match pass.
as $$
begin
  return price.market_json(
    p_row.head,
    p_row.outcomes,
    p_row.tail,
    p_row.ids,
    (
      select price.fields_of(row_to_json(x)::text)
      from (
        -- Without the rule texts, which are megabytes for a thousand markets. REST has them.
        select (('{' || p_row.settlement || '}')::jsonb -> 'settlement')
                 - array['venue_a_text', 'venue_b_text'] as settlement, t as books_read_at
        from (
          select to_char(p_read_a at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as venue_a,
                 to_char(p_read_b at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as venue_b
        ) t
      ) x
    )
  );
end
$$;
comment on function stream.market_json(price.snapshot, timestamptz, timestamptz) is
  'A Market as REST renders it, with ids, its settlement without rule texts, and books_read_at, '
  'exact to the millisecond. p_row must be rendered with p_fresh.';

create function stream.market_frame(p_row price.snapshot, p_read_a timestamptz, p_read_b timestamptz) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return '{"type":"market",' || price.fields_of(stream.market_json(p_row, p_read_a, p_read_b)) || '}';
end
$$;
comment on function stream.market_frame(price.snapshot, timestamptz, timestamptz) is
  'A market frame: type, then the Market.';

create function stream.removed_frame(p_pair_id uuid, p_reason text) returns text
language sql stable
set search_path = ''
as $$ select '{"type":"market_removed","id":"mkt_' || p_pair_id || '","reason":' || to_json(p_reason) || '}' $$;
comment on function stream.removed_frame(uuid, text) is
  'A market leaves its channel, with the reason: withdrawn, moved between candidates and catalog, '
  'or no longer in the sample.';

create function stream.render_markets(p_updates price.price_update[], p_fresh boolean) returns price.snapshot[]
language plpgsql stable
set search_path = ''
as $$
begin
  return array(
    select r::price.snapshot
    from price.render_rows(array(
      select row(u.pair_id, p_fresh, u)::price.render_input
      from unnest(p_updates) u
    )) r
  );
end
$$;
comment on function stream.render_markets(price.price_update[], boolean) is
  'Renders the REST rows of pairs for these price updates, one update a pair. p_fresh: with ids '
  'and settlement.';

create function stream.latest_updates_of(p_pairs uuid[]) returns price.price_update[]
language sql stable
set search_path = ''
as $$
  select array(
    select case
      when l.pair_id is not null then row(l.*)::price.price_update
      else jsonb_populate_record(null::price.price_update, jsonb_build_object('pair_id', x.pair_id))
    end
    from unnest(p_pairs) as x (pair_id)
    left join price.latest_updates l on l.pair_id = x.pair_id
  )
$$;
comment on function stream.latest_updates_of(uuid[]) is
  'The newest price update of each pair; one with nulls when the pair has none.';

-- p_updates: one update a pair; p_rows: their rows. p_fresh: the rows have ids and settlement; else
-- the rows of the due pairs are rendered here.
create function stream.market_frames(
  p_updates price.price_update[], p_rows price.snapshot[], p_fresh boolean default false
) returns setof stream.frame
language plpgsql volatile
set search_path = ''
-- published_markets is read pair by pair (lateral, offset 0). The first match pass of a database
-- plans this query while the table is empty, and a join then read all of it for each 100 pairs.
as $$
declare
  v_due price.price_update[];
  v_rows price.snapshot[];
begin
  -- The pairs that differ from their published state. A pair that is over and was never published
  -- stays unpublished.
  select array_agg(u)
  into v_due
  from unnest(p_updates) u
  join unnest(p_rows) r on r.pair_id = u.pair_id
  left join lateral (select m.* from stream.published_markets m where m.pair_id = u.pair_id offset 0) t on true
  where case
    when t.pair_id is null then r.status not in ('closed', 'settled')
    -- A price frame publishes that prices are gone. Their return needs a market frame with the
    -- names of the outcomes if the market was published without them.
    else (t.change_no, t.signal) is distinct from (r.change_no, r.signal) or (r.priced and not t.priced)
  end;
  return query
  with gone as (
    delete from stream.published_markets t
    where t.pair_id = any (array(
      select u.pair_id
      from unnest(p_updates) u
      left join lateral (select c.* from catalog.pairs c where c.pair_id = u.pair_id offset 0) p on true
      where p.pair_id is null
        or p.withdrawn_at is not null
    ))
    returning t.channel, t.pair_id
  )
  select g.channel, g.pair_id, stream.removed_frame(g.pair_id, coalesce(p.withdrawn_code, 'not_listed'))
  from gone g
  left join catalog.pairs p on p.pair_id = g.pair_id;
  if v_due is null then
    return;
  end if;
  v_rows := case when p_fresh then p_rows else stream.render_markets(v_due, true) end;
  return query
  with due as materialized (
    select r::price.snapshot as market, stream.market_channel_of(r.stage, r.sport, r.category) as channel, u.read_a,
           u.read_b, t.channel as channel_was, t.status as status_was
    from unnest(v_rows) r
    join unnest(v_due) u on u.pair_id = r.pair_id
    left join lateral (select m.* from stream.published_markets m where m.pair_id = r.pair_id offset 0) t on true
  ), written as (
    insert into stream.published_markets as t (pair_id, channel, change_no, status, signal, priced)
    select (d.market).pair_id, d.channel, (d.market).change_no, (d.market).status, (d.market).signal, (d.market).priced
    from due d
    on conflict (pair_id) do update
    set channel = excluded.channel,
        change_no = excluded.change_no,
        status = excluded.status,
        signal = excluded.signal,
        priced = excluded.priced,
        published_at = excluded.published_at
  )
  select s.*
  from due d
  cross join lateral (
    select d.channel_was, (d.market).pair_id, stream.removed_frame((d.market).pair_id, 'channel_changed')
    where d.channel_was <> d.channel
    union all
    select d.channel, (d.market).pair_id, stream.market_frame(d.market, d.read_a, d.read_b)
    union all
    select 'status', null,
           '{"type":"market_status","id":"mkt_' || (d.market).pair_id || '","from":"' || d.status_was || '","to":"'
             || (d.market).status || '"}'
    where d.status_was <> (d.market).status
      and d.channel = 'markets:all'
  ) s;
end
$$;
comment on function stream.market_frames(price.price_update[], price.snapshot[], boolean) is
  'Part of stream.publish_changes: market, market_status and market_removed frames of the pairs '
  'that differ from their published state, which it updates.';

create function stream.price_frames(p_updates price.price_update[], p_rows price.snapshot[]) returns setof stream.frame
language sql stable
set search_path = ''
-- Times are formatted in place, as in price.render_rows: a call of base.format_time for each one
-- costs more than all the rest.
as $$
  select t.channel,
         r.pair_id,
         '{' || concat_ws(
           ',', price.fields_of(row_to_json(frame)::text),
           case when u.void_reason is not null then '"void":' || to_json(u.void_reason) end
         ) || '}'
  from unnest(p_updates) u
  join unnest(p_rows) r on r.pair_id = u.pair_id
  -- No price of a market that was never published, because it was over before.
  join stream.published_markets t on t.pair_id = u.pair_id
  cross join lateral (
    select to_char(u.read_a at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as venue_a,
           to_char(u.read_b at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as venue_b
  ) read
  cross join lateral (
    select 'price' as type,
           'mkt_' || r.pair_id as id,
           to_char(u.priced_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as priced_at,
           read as books_read_at,
           trim_scale(r.spread_pts) as spread_pts,
           case
             when r.signal = 'arb'
               then trim_scale(price.potential_arb_pct((r.price_update).ask_a, (r.price_update).ask_b))
           end as potential_arb_pct,
           r.signal,
           (
             select coalesce(array_to_json(array_agg(row_to_json(x) order by o.ordinality)), '[]')
             from json_array_elements(r.outcomes_depth::json) with ordinality o
             cross join lateral (
               select o.value -> 'key' as key, o.value -> 'venue_a' as venue_a, o.value -> 'venue_b' as venue_b,
                      o.value -> 'venue_a_book' -> 'side' as side
             ) x
           ) as outcomes
  ) frame
  order by u.priced_at, u.update_no
$$;
comment on function stream.price_frames(price.price_update[], price.snapshot[]) is
  'Part of stream.publish_changes: one price frame for each update, with its row of '
  'price.render_rows. void is the reason why the update has no usable price.';

create function stream.append_frames(p_frames stream.frame[]) returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_channel record;
begin
  for v_channel in
    select f.channel, array_agg(f.json order by f.ordinality) as frames
    from unnest(p_frames) with ordinality f
    group by f.channel
    order by f.channel
  loop
    perform stream.append_publication(v_channel.channel, v_channel.frames);
  end loop;
  return cardinality(p_frames);
end
$$;
comment on function stream.append_frames(stream.frame[]) is
  'Part of stream.publish_changes: appends frames to their channels, in the order of the channel '
  'names. Returns how many.';

-- p_pairs: pairs whose identity, status, gates or opportunities may have changed. p_updates:
-- updates that were just written, each of which is published. p_quotes, p_readers: as in
-- stream.quote_frames.
create function stream.publish_changes(
  p_pairs uuid[],
  p_updates price.price_update[] default '{}',
  p_quotes jsonb default '[]',
  p_readers jsonb default '{}'
) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  -- Pairs that are rendered at a time. Right after a match pass the planner has no statistics of
  -- the new rows, so joins that are quadratic in the number of pairs must stay small.
  v_round_pairs constant integer := 100;
  -- Frames that are collected before an append. An array of all frames of a match pass (70 MB for
  -- 20,000 pairs) was copied in each round: quadratic as well.
  v_append_frames constant integer := 200;
  v_frames stream.frame[] := '{}';
  v_round price.price_update[];
  v_rows price.snapshot[];
  v_pairs uuid[];
  v_count integer := 0;
begin
  if coalesce(cardinality(p_pairs), 0) + coalesce(cardinality(p_updates), 0) + jsonb_array_length(p_quotes) = 0 then
    return 0;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('stream.publish_changes', 0));
  -- Pairs without an update in this call.
  select array_agg(distinct x) into v_pairs
  from unnest(p_pairs) x
  where x not in (select f.pair_id from unnest(p_updates) f);
  for v_first in 1 .. coalesce(cardinality(v_pairs), 0) by v_round_pairs loop
    v_round := stream.latest_updates_of(v_pairs[v_first : v_first + v_round_pairs - 1]);
    -- Most of these pairs have a frame due, so all are rendered with ids and settlement.
    v_rows := stream.render_markets(v_round, true);
    v_frames := v_frames || array(select m::stream.frame from stream.market_frames(v_round, v_rows, true) m);
    if cardinality(v_frames) >= v_append_frames then
      v_count := v_count
        + stream.append_frames(v_frames || array(select s::stream.frame from stream.sample_frames(v_frames) s));
      v_frames := '{}';
    end if;
  end loop;
  -- A pair may have several updates in one flush, and each is published. Rendering takes one update
  -- a pair, so each round has at most one.
  for v_round in
    select array_agg(p.price_update order by (p.price_update).priced_at, (p.price_update).update_no)
    from (
      select f.*,
             (row_number() over (partition by f.n order by (f.price_update).priced_at, (f.price_update).update_no) - 1)
               / v_round_pairs as part
      from (
        select g as price_update, row_number() over (partition by g.pair_id order by g.priced_at, g.update_no) as n
        from unnest(p_updates) g
      ) f
    ) p
    group by p.n, p.part
    order by p.n, p.part
  loop
    v_rows := stream.render_markets(v_round, false);
    v_frames := v_frames || array(select m::stream.frame from stream.market_frames(v_round, v_rows) m);
    -- A statement of its own, so that it reads the markets that the one before has published.
    v_frames := v_frames || array(select m::stream.frame from stream.price_frames(v_round, v_rows) m);
  end loop;
  select array_agg(distinct x) into v_pairs
  from (select unnest(p_pairs) union all select f.pair_id from unnest(p_updates) f) as t (x);
  v_frames := v_frames || array(select o::stream.frame from stream.opportunity_frames(v_pairs) o);
  v_frames := v_frames || array(select s::stream.frame from stream.sample_frames(v_frames) s);
  if jsonb_array_length(p_quotes) > 0 then
    v_frames := v_frames || array(select q::stream.frame from stream.quote_frames(p_quotes, p_readers) q);
  end if;
  -- A reader's flush ends no quotes: its pairs are read, and the writer that removed a leg from a
  -- pair has ended its quote.
  if p_readers = '{}' then
    v_frames := v_frames || array(select q::stream.frame from stream.closing_quotes(v_pairs) q);
  end if;
  return v_count + stream.append_frames(v_frames);
end
$$;
comment on function stream.publish_changes(uuid[], price.price_update[], jsonb, jsonb) is
  'Publishes what changed and returns the number of frames. Call it last: it keeps the '
  'publication lock to the end of the transaction.';

create function stream.unpublished_pairs() returns uuid[]
language plpgsql stable
set search_path = ''
-- plpgsql, because stream.stale_quote_pairs loads after this file.
as $$
begin
  return array(
    select coalesce(p.pair_id, t.pair_id)
    from catalog.pairs p
    full join stream.published_markets t on t.pair_id = p.pair_id
    where case
      when t.pair_id is null then p.withdrawn_at is null and p.status not in ('closed', 'settled')
      else p.pair_id is null or p.withdrawn_at is not null or t.change_no <> p.change_no
    end
    union
    select o.pair_id
    from stream.published_opportunities t
    full join (select o.opportunity_id, o.pair_id from arb.opportunities o where o.closed_at = 'infinity') o
      on o.opportunity_id = t.opportunity_id
    where t.opportunity_id is null
    union
    select t.pair_id
    from stream.published_opportunities t
    left join arb.opportunities o on o.opportunity_id = t.opportunity_id
    where o.opportunity_id is null
      or o.closed_at < 'infinity'
      or arb.gate_close_reason(t.pair_id) is not null
    union
    select q
    from stream.stale_quote_pairs() q
  );
end
$$;
comment on function stream.unpublished_pairs() is
  'Pairs that differ from their published state: for writers that change many pairs, and for '
  'stream.broadcast_pending, which repairs what a writer did not publish.';

revoke all on function
  stream.market_frames(price.price_update[], price.snapshot[], boolean),
  stream.append_frames(stream.frame[]),
  stream.publish_changes(uuid[], price.price_update[], jsonb, jsonb),
  stream.unpublished_pairs()
from public;

-- 77_stream_opportunities.sql

-- Opportunities on the stream. As in REST, arb.unservable_reason decides which may be published,
-- here for the present moment.

create function stream.opportunity_frame(
  p_state text, p_opportunity arb.opportunities, p_terms arb.opportunity_states, p_reason text default null
) returns text
language sql stable
set search_path = ''
as $$
  select '{"type":"opportunity","state":"' || p_state
    || '","opportunity":' || arb.opportunity_json(p, p_opportunity.opportunity_id, p_opportunity.opened_at, p_terms)
    || case
      when p_state = 'closed' then
        ',"closed_at":"' || base.format_time(least(p_opportunity.closed_at, clock.now())) || '","reason":'
        || to_json(p_reason)
        || ',"retracted":' || (p_opportunity.retracted_at is not null)
      else ''
    end
    || '}'
  from catalog.pairs p
  where p.pair_id = p_opportunity.pair_id
$$;
comment on function stream.opportunity_frame(
  text, arb.opportunities, arb.opportunity_states, text
) is
  'An opportunity frame. A closed one also has closed_at, reason and retracted (it opened on a '
  'book that was already invalid).';

create function stream.opportunity_frames(p_pairs uuid[]) returns setof stream.frame
language plpgsql volatile
set search_path = ''
as $$
declare
  v_one record;
begin
  -- An opportunity that was purged cannot be rendered.
  delete from stream.published_opportunities t
  where t.pair_id = any (p_pairs)
    and not exists (select from arb.opportunities o where o.opportunity_id = t.opportunity_id);
  for v_one in
    select o as opportunity, s.state, t.state_no as published_no, t.change_no as published_change, p.change_no,
           (
             select x
             from arb.opportunity_states x
             where x.opportunity_id = t.opportunity_id and x.state_no = t.state_no
           ) as published,
           case
             when o.closed_at < 'infinity' then o.close_reason
             else arb.unservable_reason(o.pair_id, s.state)
           end as end_reason
    from arb.opportunities o
    left join catalog.pairs p on p.pair_id = o.pair_id
    left join stream.published_opportunities t on t.opportunity_id = o.opportunity_id
    left join lateral (
      select x as state
      from arb.opportunity_states x
      where x.opportunity_id = o.opportunity_id
      order by x.state_no desc
      limit 1
    ) s on true
    where o.pair_id = any (p_pairs)
      and (
        t.opportunity_id is not null
        or o.closed_at = 'infinity'
        -- Opened and closed within this flush. REST returns it for that moment, so it is published
        -- as well.
        or (o.recorded_at >= now() and o.retracted_at is null)
      )
    -- The old opportunity of a pair closes before the new one opens.
    order by o.opened_at, o.opportunity_id
  loop
    continue when v_one.state is null;
    if v_one.published_no is null and v_one.end_reason is not null then
      continue when (v_one.opportunity).closed_at = 'infinity'
        or arb.unservable_reason((v_one.opportunity).pair_id, v_one.state) is not null;
      perform arb.record_served((v_one.opportunity).opportunity_id, (v_one.state).state_no);
      return next row(
        'markets:all', (v_one.opportunity).pair_id, stream.opportunity_frame('opened', v_one.opportunity, v_one.state)
      )::stream.frame;
      return next row(
        'markets:all', (v_one.opportunity).pair_id,
        stream.opportunity_frame('closed', v_one.opportunity, v_one.state, v_one.end_reason)
      )::stream.frame;
    elsif v_one.end_reason is not null then
      delete from stream.published_opportunities t where t.opportunity_id = (v_one.opportunity).opportunity_id;
      return next row(
        'markets:all', (v_one.opportunity).pair_id,
        stream.opportunity_frame('closed', v_one.opportunity, coalesce(v_one.published, v_one.state), v_one.end_reason)
      )::stream.frame;
    elsif (v_one.published_no, v_one.published_change) is distinct from ((v_one.state).state_no, v_one.change_no) then
      perform arb.record_served((v_one.opportunity).opportunity_id, (v_one.state).state_no);
      -- Also when only the pair changed: an Opportunity has its title and start.
      insert into stream.published_opportunities as t (opportunity_id, pair_id, state_no, change_no)
      values ((v_one.opportunity).opportunity_id, (v_one.opportunity).pair_id, (v_one.state).state_no, v_one.change_no)
      on conflict (opportunity_id) do update
      set state_no = excluded.state_no,
          change_no = excluded.change_no;
      return next row(
        'markets:all', (v_one.opportunity).pair_id,
        stream.opportunity_frame(
          case when v_one.published_no is null then 'opened' else 'updated' end, v_one.opportunity, v_one.state
        )
      )::stream.frame;
    end if;
  end loop;
end
$$;
comment on function stream.opportunity_frames(uuid[]) is
  'Part of stream.publish_changes: opened, updated and closed frames; of several states within '
  'one flush, the last. Also closes what arb.close_ineligible has not closed yet.';

revoke all on function stream.opportunity_frames(uuid[]) from public;

-- 77_stream_quotes.sql

-- Quotes of each leg as its book changes: channel quotes:all. The log has each change once, in the
-- order of its reader. When a leg has no live reader, an empty quote follows.

create view stream.quotable_legs
with (security_invoker = true)
as
select p.pair_id, 'venue_a' as venue, o.contract_a as contract_id, coalesce(o.side_a, 'yes') as side
from catalog.pairs p
join catalog.outcomes o on o.pair_id = p.pair_id and o.contract_a is not null
where p.withdrawn_at is null
  and p.status in ('open', 'live', 'resolving')
union all
select p.pair_id, 'venue_b', o.contract_b, 'token'
from catalog.pairs p
join catalog.outcomes o on o.pair_id = p.pair_id and o.contract_b is not null
where p.withdrawn_at is null
  and p.status in ('open', 'live', 'resolving')
union all
select p.pair_id, 'venue_a', l.contract_a, 'yes'
from catalog.pairs p
join catalog.strikes l on l.pair_id = p.pair_id
where p.withdrawn_at is null
  and p.status in ('open', 'live', 'resolving');
comment on view stream.quotable_legs is
  'What may be quoted now: each side of a contract of a market or of its strikes, some twice. A '
  'contract of venue_b has side token.';

-- No index on a column that changes, and half-empty pages: an update stays in its page.
create table stream.published_quotes (
  pair_id uuid not null,
  venue venue.code not null,
  contract_id text not null,
  side text not null check (side in ('yes', 'no', 'token')),
  bid integer,
  ask integer,
  bid_size bigint,
  ask_size bigint,
  venue_time timestamptz,
  read_at timestamptz,
  reader text not null,
  quote_no bigint not null,
  published_at timestamptz not null default clock_timestamp(),
  primary key (pair_id, venue, contract_id, side)
) with (fillfactor = 50);
comment on table stream.published_quotes is
  'The last quote of each leg: prices in 1e-6 USD, sizes in 0.01 contract, nulls when its book is '
  'empty.';
comment on column stream.published_quotes.reader is
  'Lease and token of the reader. Another token is another reader, whose quote is newer, '
  'regardless of its time and quote_no.';
comment on column stream.published_quotes.published_at is
  'Real time at which it was last published; -infinity when the leg was always empty.';
comment on column stream.published_quotes.quote_no is
  'Number of the quote at its reader. An abandoned flush that arrives after a later one changes '
  'nothing.';
alter table stream.published_quotes enable row level security;
alter table stream.published_quotes force row level security;

create type stream.leg_quote as (
  pair_id uuid,
  venue text,
  contract_id text,
  side text,
  bid integer,
  ask integer,
  bid_size bigint,
  ask_size bigint,
  venue_time timestamptz,
  read_at timestamptz,
  void_reason text,
  repeated boolean
);
comment on type stream.leg_quote is
  'A quote before it is rendered, in the units of stream.published_quotes. void_reason: why '
  'nothing is quoted; repeated: unchanged since it was last published.';

create function stream.render_quotes(p_quotes stream.leg_quote[]) returns setof stream.frame
language sql stable
set search_path = ''
-- Times and numbers are formatted in place, as in stream.price_frames. The frames have no pair_id,
-- because the sample has no quotes.
as $$
  select 'quotes:all',
         null::uuid,
         '{"type":"quote","venue":"' || q.venue
           || '","contract_id":' || to_json(q.contract_id)::text
           || ',"side":' || case q.side when 'token' then 'null' else '"' || q.side || '"' end
           || ',"bid":' || coalesce(trim_scale(q.bid * 0.000001)::text, 'null')
           || ',"ask":' || coalesce(trim_scale(q.ask * 0.000001)::text, 'null')
           || ',"bid_size":' || coalesce(trim_scale(q.bid_size * 0.01)::text, 'null')
           || ',"ask_size":' || coalesce(trim_scale(q.ask_size * 0.01)::text, 'null')
           || ',"venue_time":'
           || coalesce(to_char(q.venue_time at time zone 'UTC', '"\""YYYY-MM-DD"T"HH24:MI:SS.MS"Z\""'), 'null')
           || ',"read_at":'
           || coalesce(to_char(q.read_at at time zone 'UTC', '"\""YYYY-MM-DD"T"HH24:MI:SS.MS"Z\""'), 'null')
           || ',"market_id":"mkt_' || q.pair_id || '"'
           || case when q.void_reason is null then '' else ',"void":' || to_json(q.void_reason)::text end
           || case when q.repeated then ',"repeated":true' else '' end
           || '}'
  from unnest(p_quotes) with ordinality as q (
    pair_id, venue, contract_id, side, bid, ask, bid_size, ask_size, venue_time, read_at, void_reason, repeated, place
  )
  order by q.place
$$;
comment on function stream.render_quotes(stream.leg_quote[]) is
  'Quote frames, in the given order. void and repeated are fields only when they are set.';

create function stream.quote_frames(p_quotes jsonb, p_readers jsonb) returns setof stream.frame
language plpgsql volatile
set search_path = ''
as $$
declare
  v_shards smallint := (select s.shards from price.settings s);
  v_repeat_before timestamptz := (select clock_timestamp() - s.quote_repeat_interval from stream.settings s);
  v_due stream.leg_quote[];
begin
  with given as (
    select distinct on (q.pair, q.venue, q.contract, q.side)
           q.pair as pair_id, q.venue, q.contract as contract_id, coalesce(q.side, 'token') as side, q.bid, q.ask,
           q.bid_size, q.ask_size, to_timestamp(q.venue_time / 1000) as venue_time,
           to_timestamp(q.read_at / 1000) as read_at, q.void, q.no,
           r.key || '#' || r.value as reader
    from jsonb_to_recordset(p_quotes) as q (
      pair uuid, venue text, contract text, side text, bid integer, ask integer, bid_size bigint, ask_size bigint,
      venue_time numeric, read_at numeric, void text, no bigint
    )
    join catalog.pairs p on p.pair_id = q.pair
    -- Fenced like price updates: drops the quotes of shards whose lease the caller does not hold.
    join jsonb_each_text(p_readers) r on r.key = 'books:' || (p.shard_key % v_shards)
    order by q.pair, q.venue, q.contract, q.side, q.no desc
  ), newer as materialized (
    select g.*, c.changed, t.published_at as published_before,
           -- An empty quote is published only for a leg that is in the table.
           case
             when c.changed then t.pair_id is not null or c.has_price
             else c.has_price and t.published_at < v_repeat_before
           end as due
    from given g
    left join stream.published_quotes t
      on t.pair_id = g.pair_id and t.venue = g.venue and t.contract_id = g.contract_id and t.side = g.side
    cross join lateral (
      select t.pair_id is null
               or (t.bid, t.ask, t.bid_size, t.ask_size)
               is distinct from (g.bid, g.ask, g.bid_size, g.ask_size) as changed,
             coalesce(g.bid, g.ask) is not null as has_price
    ) c
    -- The list of a reader may be half a second old, so it may still quote a closed market or a
    -- removed leg. Looked up one by one (limit prevents a join): a join with all legs took 14 ms
    -- for 50 quotes instead of 1 ms.
    cross join lateral (
      select
      from stream.quotable_legs l
      where l.pair_id = g.pair_id
        and l.venue = g.venue
        and l.contract_id = g.contract_id
        and l.side = g.side
      limit 1
    ) leg
    where t.reader is distinct from g.reader
      or t.quote_no < g.no
  ), written as (
    -- Unchanged quotes too: their number rejects an older quote that arrives late.
    insert into stream.published_quotes as t (
      pair_id, venue, contract_id, side, bid, ask, bid_size, ask_size, venue_time, read_at, reader, quote_no,
      published_at
    )
    select n.pair_id, n.venue, n.contract_id, n.side, n.bid, n.ask, n.bid_size, n.ask_size, n.venue_time, n.read_at,
           n.reader, n.no,
           case when n.due then clock_timestamp() else coalesce(n.published_before, '-infinity') end
    from newer n
    on conflict (pair_id, venue, contract_id, side) do update
    set bid = excluded.bid,
        ask = excluded.ask,
        bid_size = excluded.bid_size,
        ask_size = excluded.ask_size,
        venue_time = excluded.venue_time,
        read_at = excluded.read_at,
        reader = excluded.reader,
        quote_no = excluded.quote_no,
        published_at = excluded.published_at
  )
  select array_agg(
    row(
      n.pair_id, n.venue, n.contract_id, n.side, n.bid, n.ask, n.bid_size, n.ask_size, n.venue_time, n.read_at, n.void,
      not n.changed
    )::stream.leg_quote
    order by n.no
  )
  into v_due
  from newer n
  where n.due;
  return query select * from stream.render_quotes(v_due);
end
$$;
comment on function stream.quote_frames(jsonb, jsonb) is
  'Part of stream.publish_changes: quotes that differ from the published ones, or repeat one that '
  'is quote_repeat_interval old. p_readers: {lease: token} of the held leases.';

revoke all on function
  stream.render_quotes(stream.leg_quote[]),
  stream.quote_frames(jsonb, jsonb)
from public;

-- 77_stream_quotes_stale.sql

-- Published quotes that are no longer valid: the market is over, the contract is no leg any more,
-- or the shard has no live reader.

create function stream.stale_quotes(p_pairs uuid[])
returns table (leg stream.published_quotes, reason text, gone boolean)
language sql stable
set search_path = ''
as $$
  select t, coalesce(
           case when not l.found then
                  case when p.pair_id is null or p.withdrawn_at is not null then 'pair.withdrawn'
                       when p.status in ('closed', 'settled') then 'pair.' || p.status
                       else 'legs.changed'
                  end
           end,
           'lease.expired'
         ),
         not l.found
  from stream.published_quotes t
  left join catalog.pairs p on p.pair_id = t.pair_id
  cross join lateral (
    select exists (
      select
      from stream.quotable_legs x
      where x.pair_id = t.pair_id
        and x.venue = t.venue
        and x.contract_id = t.contract_id
        and x.side = t.side
    ) as found
  ) l
  where t.pair_id = any (p_pairs)
    and (
      not l.found
      or (coalesce(t.bid, t.ask) is not null and exists (select from price.unread_pairs u where u.pair_id = t.pair_id))
    )
$$;
comment on function stream.stale_quotes(uuid[]) is
  'Stale quotes of these pairs, with the reason: not a leg of a market that trades (gone), or '
  'without a live reader.';

create function stream.closing_quotes(p_pairs uuid[]) returns setof stream.frame
language sql volatile
set search_path = ''
as $$
  with over as materialized (
    select u.leg, u.reason, u.gone, (u.leg).pair_id, (u.leg).venue, (u.leg).contract_id, (u.leg).side
    from stream.stale_quotes(p_pairs) u
  ), dropped as (
    delete from stream.published_quotes t
    using over o
    where o.gone
      and (t.pair_id, t.venue, t.contract_id, t.side) = (o.pair_id, o.venue, o.contract_id, o.side)
  ), emptied as (
    update stream.published_quotes t
    set bid = null,
        ask = null,
        bid_size = null,
        ask_size = null,
        venue_time = null,
        published_at = clock_timestamp()
    from over o
    where not o.gone
      and (t.pair_id, t.venue, t.contract_id, t.side) = (o.pair_id, o.venue, o.contract_id, o.side)
  )
  select f.*
  from stream.render_quotes(array(
    select row(
      o.pair_id, o.venue, o.contract_id, o.side, null, null, null, null, null, (o.leg).read_at, o.reason, false
    )::stream.leg_quote
    from over o
    where coalesce((o.leg).bid, (o.leg).ask) is not null
    order by o.pair_id, o.venue, o.contract_id, o.side
  )) f
$$;
comment on function stream.closing_quotes(uuid[]) is
  'Part of stream.publish_changes: an empty quote for each stale leg of these pairs that has a '
  'price. Deletes the legs that are gone.';

create function stream.stale_quote_pairs() returns setof uuid
language sql stable
set search_path = ''
as $$
  select q.pair_id
  from (select distinct t.pair_id from stream.published_quotes t) q
  left join catalog.pairs p on p.pair_id = q.pair_id
    and p.withdrawn_at is null
    and p.status in ('open', 'live', 'resolving')
  where p.pair_id is null
  union all
  select distinct t.pair_id
  from stream.published_quotes t
  join price.unread_pairs u on u.pair_id = t.pair_id
  where coalesce(t.bid, t.ask) is not null
$$;
comment on function stream.stale_quote_pairs() is
  'Part of stream.unpublished_pairs: pairs with published quotes that are over or have no live '
  'reader.';

revoke all on function
  stream.stale_quotes(uuid[]),
  stream.closing_quotes(uuid[]),
  stream.stale_quote_pairs()
from public;

-- 78_stream_sample.sql

-- The sample (plan Free), and the state of both feeds. They change with time and not with a
-- transaction, so stream.broadcast_pending publishes them.

create table stream.sample_markets (
  pair_id uuid primary key,
  published_at timestamptz not null default '-infinity',
  update_no bigint
);
comment on table stream.sample_markets is
  'The markets of channel sample, with the last price update that was published for each.';
comment on column stream.sample_markets.published_at is
  'Real time of that price update: at most one a second for each market.';

create table stream.published_feeds (
  venue venue.code primary key,
  state text not null check (state in ('up', 'stale', 'down'))
);
comment on table stream.published_feeds is 'The last published state of the feed of each venue.';

create table stream.flush_state (
  singleton boolean primary key default true check (singleton),
  sample_hour timestamptz not null default '-infinity',
  repaired_at timestamptz not null default '-infinity',
  tokens numeric not null default 0,
  refilled_at timestamptz not null default clock_timestamp()
) with (fillfactor = 50);
comment on table stream.flush_state is
  'One row, the state of stream.broadcast_pending: the hour of the sample, the last repair of '
  'missed publications, and what is left of the message quota.';
insert into stream.flush_state (singleton) values (true) on conflict do nothing;

alter table stream.sample_markets enable row level security;
alter table stream.sample_markets force row level security;
alter table stream.published_feeds enable row level security;
alter table stream.published_feeds force row level security;
alter table stream.flush_state enable row level security;
alter table stream.flush_state force row level security;

create function stream.sample_frames(p_frames stream.frame[]) returns setof stream.frame
language sql stable
set search_path = ''
as $$
  select 'sample', f.pair_id, f.json
  from unnest(p_frames) with ordinality as f (channel, pair_id, json, place)
  join stream.sample_markets s on s.pair_id = f.pair_id
  where f.channel = 'markets:all'
    -- stream.publish_sample_prices publishes prices, at most one a second.
    and not starts_with(f.json, '{"type":"price"')
  order by f.place
$$;
comment on function stream.sample_frames(stream.frame[]) is
  'Part of stream.publish_changes: those of these frames that channel sample has too.';

create function stream.select_sample(p_limit integer) returns setof uuid
language sql stable
set search_path = ''
as $$
  with priced as (
    select p.pair_id, p.status, p.start_time, coalesce(p.sport, p.category) as kind,
           -- Value at the asks of the thinner venue in 1e-8 USD. Price updates have no deeper
           -- levels.
           (
             select min(q.dollars)
             from (
               select sum(a * n) as dollars
               from unnest(l.ask_a, l.size_a) as t (a, n)
               union all
               select sum(b * n)
               from unnest(l.ask_b, l.size_b) as t (b, n)
             ) q
           ) as depth
    from catalog.pairs p
    join price.latest_updates l on l.pair_id = p.pair_id and l.void_reason is null and l.spread_pts is not null
    where p.withdrawn_at is null
      and p.stage = 'catalog'
      and p.status in ('open', 'live')
  ), placed as (
    select r.*,
           row_number() over (
             partition by r.kind
             order by r.status = 'live' desc, r.start_time < clock.now() + interval '1 day' desc,
                      r.depth desc nulls last, r.pair_id
           ) as n
    from priced r
  )
  select p.pair_id
  from placed p
  -- The first of each sport, then the second of each.
  order by p.n, p.status = 'live' desc, p.start_time < clock.now() + interval '1 day' desc, p.depth desc nulls last,
           p.pair_id
  limit p_limit
$$;
comment on function stream.select_sample(integer) is
  'Chooses the markets of the sample: live before starting within a day, deep books before thin '
  'ones, the sports in turn.';

create function stream.replace_sample() returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_chosen uuid[] := array(select stream.select_sample((select s.sample_markets from stream.settings s)));
  v_gone uuid[];
  v_new uuid[];
begin
  perform pg_advisory_xact_lock(hashtextextended('stream.publish_changes', 0));
  with gone as (
    delete from stream.sample_markets s where s.pair_id <> all (v_chosen) returning s.pair_id
  )
  select array_agg(g.pair_id) into v_gone
  from gone g;
  with new as (
    insert into stream.sample_markets (pair_id)
    select c
    from unnest(v_chosen) c
    on conflict do nothing
    returning pair_id
  )
  select array_agg(n.pair_id) into v_new
  from new n;
  perform stream.append_publication(
    'sample', array(select stream.removed_frame(g, 'sample_changed') from unnest(v_gone) g)
  );
  perform stream.append_publication('sample', array(
    select stream.market_frame(r, l.read_a, l.read_b)
    from unnest(stream.render_markets(stream.latest_updates_of(v_new), true)) r
    left join price.latest_updates l on l.pair_id = r.pair_id
  ));
  perform stream.append_publication('sample', array(
    select stream.opportunity_frame('opened', o, s)
    from stream.published_opportunities t
    join arb.opportunities o on o.opportunity_id = t.opportunity_id
    join arb.opportunity_states s on s.opportunity_id = t.opportunity_id and s.state_no = t.state_no
    where t.pair_id = any (v_new)
  ));
  update stream.flush_state
  set sample_hour = case when v_chosen = '{}' then '-infinity' else date_trunc('hour', clock_timestamp(), 'UTC') end;
  return cardinality(v_chosen);
end
$$;
comment on function stream.replace_sample() is
  'Chooses the sample again and publishes what leaves and what joins. Once an hour; sooner while '
  'it is empty.';

create function stream.publish_sample_prices() returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_due price.price_update[];
  v_frames text[];
begin
  if not exists (
    select
    from stream.sample_markets s
    join price.latest_updates l on l.pair_id = s.pair_id and l.update_no is distinct from s.update_no
    where s.published_at <= clock_timestamp() - interval '1 second'
  ) then
    return 0;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('stream.publish_changes', 0));
  select array_agg(u)
  into v_due
  from unnest(
    stream.latest_updates_of(
      array(
        select s.pair_id from stream.sample_markets s where s.published_at <= clock_timestamp() - interval '1 second'
      )
    )
  ) u
  join stream.sample_markets s on s.pair_id = u.pair_id and s.update_no is distinct from u.update_no;
  v_frames := array(select p.json from stream.price_frames(v_due, stream.render_markets(v_due, false)) p);
  update stream.sample_markets s
  set published_at = clock_timestamp(),
      update_no = u.update_no
  from unnest(v_due) u
  where s.pair_id = u.pair_id;
  perform stream.append_publication('sample', v_frames);
  return cardinality(v_frames);
end
$$;
comment on function stream.publish_sample_prices() is
  'Publishes the newest price of each sample market, at most one a second. A change within the '
  'second follows at its end. Returns how many.';

create function stream.publish_feeds() returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_frames text[];
begin
  if not exists (
    select
    from venue.feed_states() f
    left join stream.published_feeds t on t.venue = f.venue
    where t.state is distinct from f.state
  ) then
    return 0;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('stream.publish_changes', 0));
  with changed as (
    insert into stream.published_feeds as t (venue, state)
    select f.venue, f.state
    from venue.feed_states() f
    on conflict (venue) do update
    set state = excluded.state
    where t.state <> excluded.state
    returning t.venue, t.state
  )
  select array_agg(
    '{"type":"feed","venue":"' || c.venue || '","state":"' || c.state
      || '","last_message_at":' || coalesce('"' || base.format_time(f.last_message_at) || '"', 'null') || '}'
    order by c.venue
  )
  into v_frames
  from changed c
  join venue.feeds f on f.venue = c.venue;
  perform stream.append_publication('status', v_frames);
  return cardinality(v_frames);
end
$$;
comment on function stream.publish_feeds() is
  'Publishes a feed frame for each venue whose feed state changed. Silence makes a feed stale '
  'without a transaction. Returns how many.';

revoke all on function
  stream.replace_sample(),
  stream.publish_sample_prices(),
  stream.publish_feeds()
from public;

-- 791_stream_broadcast.sql

-- Sends committed frames of the log as broadcasts on the private Realtime topic of the same name.
--
-- ingest calls stream.broadcast_pending right after each flush, in a transaction of its own,
-- because an offset is final only after the commit. pg_cron calls it every 5 s for all other
-- writers. realtime.send writes a row, so the broadcast and the stored position are one commit:
-- after a crash a frame is sent once, or is lost in Realtime, and then the next offset shows the
-- gap.

create table stream.broadcast_positions (
  channel text primary key references stream.channels (channel) on delete cascade,
  epoch text not null,
  last_offset bigint not null,
  sent_at timestamptz not null default '-infinity',
  beacon_at timestamptz not null default '-infinity'
) with (fillfactor = 50);
comment on table stream.broadcast_positions is
  'The position up to which each channel was broadcast. A table of its own, because writers lock '
  'rows of stream.channels.';
alter table stream.broadcast_positions enable row level security;
alter table stream.broadcast_positions force row level security;

create function stream.send_broadcast(p_channel text, p_epoch text, p_offset bigint, p_frames text[] default '{}')
returns void
language sql volatile
set search_path = ''
as $$
  select realtime.send(
    jsonb_build_object('channel', p_channel, 'epoch', p_epoch, 'offset', p_offset)
      || case
        when p_frames = '{}' then '{}'
        else jsonb_build_object('frames', ('[' || array_to_string(p_frames, ',') || ']')::jsonb)
      end,
    'frames',
    p_channel,
    true
  )
$$;
comment on function stream.send_broadcast(text, text, bigint, text[]) is
  'Sends {channel, epoch, offset, frames} as event frames. offset is that of the last frame. '
  'Without frames it is a position beacon.';

create function stream.broadcast_channel(p_channel text, p_limit integer) returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_bytes integer;
  v_since timestamptz;
  v_channel record;
  v_one record;
  v_batch text[] := '{}';
  v_size integer := 0;
  v_upto bigint;
  v_sent integer := 0;
begin
  select s.broadcast_bytes, clock_timestamp() - s.max_broadcast_delay into v_bytes, v_since from stream.settings s;
  select c.epoch, c.last_offset, case when s.epoch = c.epoch then s.last_offset else 0 end as sent
  into v_channel
  from stream.channels c
  left join stream.broadcast_positions s on s.channel = c.channel
  where c.channel = p_channel;
  v_upto := v_channel.sent;
  for v_one in
    select f.frame, octet_length(f.frame) + 2 as size, p.before + f.place as at_offset
    from (
      -- cardinality() runs once a row, as in stream.replay_publications.
      select p.last_offset - cardinality(p.frames) as before, p.frames
      from stream.publications p
      where p.channel = p_channel
        and p.last_offset > v_channel.sent
        and p.last_offset <= v_channel.last_offset
        and p.at > v_since
      offset 0
    ) p
    cross join lateral unnest(p.frames) with ordinality as f (frame, place)
    where p.before + f.place > v_channel.sent
    order by p.before, f.place
  loop
    if v_batch <> '{}' and (v_size + v_one.size > v_bytes or v_one.at_offset <> v_upto + 1) then
      perform stream.send_broadcast(p_channel, v_channel.epoch, v_upto, v_batch);
      v_sent := v_sent + 1;
      v_batch := '{}';
      v_size := 0;
      exit when v_sent >= p_limit;
    end if;
    v_upto := v_one.at_offset;
    -- A frame too large for a message is not sent. The next offset shows the gap, and the client
    -- reads it from the log.
    continue when v_one.size > v_bytes;
    v_batch := v_batch || v_one.frame;
    v_size := v_size + v_one.size;
  end loop;
  if v_batch <> '{}' then
    perform stream.send_broadcast(p_channel, v_channel.epoch, v_upto, v_batch);
    v_sent := v_sent + 1;
  end if;
  if v_sent < p_limit then
    v_upto := v_channel.last_offset;
  end if;
  insert into stream.broadcast_positions as s (channel, epoch, last_offset, sent_at)
  values (p_channel, v_channel.epoch, v_upto, clock_timestamp())
  on conflict (channel) do update
  set epoch = excluded.epoch,
      last_offset = excluded.last_offset,
      sent_at = excluded.sent_at;
  return v_sent;
end
$$;
comment on function stream.broadcast_channel(text, integer) is
  'Part of stream.broadcast_pending: broadcasts the new frames of a channel in at most p_limit '
  'messages. Returns how many.';

create function stream.send_position_beacons() returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_count integer;
begin
  with due as materialized (
    select c.channel, c.epoch, c.last_offset
    from stream.channels c
    left join stream.broadcast_positions s on s.channel = c.channel
    cross join stream.settings e
    where c.channel <> 'quotes:all'
      -- A tenth less, because pg_cron is not exact: with the full 5 s a beacon could wait 10 s.
      and coalesce(s.beacon_at, '-infinity') <= clock_timestamp() - e.beacon_every * 0.9
      -- There are many organizations, mostly silent: beacons only for a minute after a broadcast.
      and (not starts_with(c.channel, 'org:') or s.sent_at > clock_timestamp() - interval '1 minute')
  ), written as (
    insert into stream.broadcast_positions as s (channel, epoch, last_offset, beacon_at)
    select d.channel, d.epoch, 0, clock_timestamp()
    from due d
    order by d.channel
    on conflict (channel) do update
    set beacon_at = excluded.beacon_at
  )
  select count(stream.send_broadcast(d.channel, d.epoch, d.last_offset)) into v_count
  from due d;
  return v_count;
end
$$;
comment on function stream.send_position_beacons() is
  'Part of stream.broadcast_pending: sends the position of each channel, so that a client that '
  'lost the last broadcast notices. Returns how many messages.';

create function stream.broadcast_pending() returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_state stream.flush_state;
  v_rate numeric;
  v_cost numeric;
  v_tokens numeric;
  v_channel text;
  v_messages integer;
  v_sent integer := 0;
begin
  -- One at a time, and no call is skipped: this call sends what the one before could not see yet.
  perform pg_advisory_xact_lock(hashtextextended('stream.broadcast_pending', 0));
  select * into v_state from stream.flush_state;
  if v_state.repaired_at < clock_timestamp() - interval '4.5 seconds' then
    perform stream.publish_changes(stream.unpublished_pairs());
    if v_state.sample_hour < date_trunc('hour', clock_timestamp(), 'UTC') then
      perform stream.replace_sample();
    end if;
    update stream.flush_state set repaired_at = clock_timestamp();
  end if;
  perform stream.publish_feeds();
  perform stream.publish_sample_prices();

  -- Realtime counts messages over a minute. A call may use the quota of five seconds at once.
  select s.messages_a_second, 1 + s.listeners into v_rate, v_cost from stream.settings s;
  v_tokens := least(v_rate * 5, v_state.tokens + v_rate * extract(epoch from clock_timestamp() - v_state.refilled_at));
  v_tokens := v_tokens - v_cost * stream.send_position_beacons();
  -- Longest wait first, so that a busy channel does not block the others when messages run short.
  for v_channel in
    select c.channel
    from stream.channels c
    left join stream.broadcast_positions s on s.channel = c.channel
    where c.channel <> 'quotes:all'
      and c.last_offset > 0
      and (s.channel is null or s.epoch <> c.epoch or s.last_offset < c.last_offset)
    order by s.sent_at nulls first, c.channel
  loop
    exit when v_tokens < v_cost;
    v_messages := stream.broadcast_channel(v_channel, floor(v_tokens / v_cost)::integer);
    v_tokens := v_tokens - v_cost * v_messages;
    v_sent := v_sent + v_messages;
  end loop;
  update stream.flush_state set tokens = v_tokens, refilled_at = clock_timestamp();
  -- Last: writers take the partition lock while they hold the publication lock, so a call that
  -- holds the partition lock must not wait for the publication lock.
  perform stream.ensure_partition(clock_timestamp() + interval '10 minutes');
  return v_sent;
end
$$;
comment on function stream.broadcast_pending() is
  'Broadcasts what was committed since the last call, within the message quota; publishes feeds, '
  'sample and beacons. Returns the number of messages with frames.';
grant execute on function stream.broadcast_pending() to parallax_ingest;

create function stream.purge_expired(p_limit integer default 50000) returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_deleted integer;
begin
  -- Realtime delivers a row within moments of its commit, but would keep it for three days.
  delete from realtime.messages m
  where (m.id, m.inserted_at) in (
    select o.id, o.inserted_at
    from realtime.messages o
    where o.inserted_at < (clock_timestamp() - interval '1 hour') at time zone 'UTC'
      and o.extension = 'broadcast'
      and o.private
      and o.topic in (select c.channel from stream.channels c)
    limit p_limit
  );
  get diagnostics v_deleted = row_count;
  -- Without a published state, the next change of a settled market is not published.
  delete from stream.published_markets t
  where t.status = 'settled'
    and t.published_at < clock_timestamp() - interval '1 day';
  -- Channels of deleted organizations, once their last frame was broadcast and purged above.
  delete from stream.channels c
  using stream.broadcast_positions s
  where s.channel = c.channel
    and starts_with(c.channel, 'org:')
    and s.last_offset >= c.last_offset
    and s.sent_at < clock_timestamp() - interval '2 hours'
    and not exists (select from account.organizations o where c.channel = 'org:' || o.org_id);
  return v_deleted;
end
$$;
comment on function stream.purge_expired(integer) is
  'Retention: at most p_limit broadcasts older than an hour, states of settled markets, channels '
  'of deleted organizations. Returns how many broadcasts.';

revoke all on function
  stream.send_broadcast(text, text, bigint, text[]),
  stream.broadcast_channel(text, integer),
  stream.send_position_beacons(),
  stream.broadcast_pending(),
  stream.purge_expired(integer)
from public;

-- 792_stream_entitlements.sql

-- Who may read which channel. Realtime checks it at each join and at each change of token, by row
-- security on realtime.messages. The stream function checks it with stream.entitled_channels.

create table stream.entitlements (
  tier text not null references account.tiers (tier),
  channel text not null,
  primary key (tier, channel)
);
comment on table stream.entitlements is
  'The channels of each tier. A name that ends in * is a prefix. The members of an organization '
  'always have its channel org:{id}.';
insert into stream.entitlements (tier, channel)
values
  ('free', 'status'),
  ('free', 'sample'),
  ('basic', 'status'),
  ('basic', 'markets:all'),
  ('premium', 'status'),
  ('premium', 'markets:all'),
  ('pro', 'status'),
  ('pro', 'markets:all'),
  ('pro', 'candidates:*'),
  ('pro', 'quotes:all')
on conflict do nothing;
alter table stream.entitlements enable row level security;
alter table stream.entitlements force row level security;

create function stream.is_entitled(p_org_id uuid, p_channel text) returns boolean
language sql stable
set search_path = ''
as $$
  select p_channel = 'org:' || p_org_id or exists (
    select
    from account.subscriptions s
    join stream.entitlements e on e.tier = s.tier
    where s.org_id = p_org_id
      and s.status = 'active'
      and case
        when right(e.channel, 1) = '*'
          then starts_with(p_channel, left(e.channel, -1)) and length(p_channel) >= length(e.channel)
        else e.channel = p_channel
      end
  )
$$;
comment on function stream.is_entitled(uuid, text) is
  'An organization always has its own channel, so that it learns when its plan is active again. '
  'The others depend on its tier, while its plan is active.';

create function stream.entitled_channels(p_org_id uuid) returns text[]
language sql stable
set search_path = ''
as $$
  select array(
    select c.channel
    from (
      select k.channel
      from stream.channels k
      where not starts_with(k.channel, 'org:')
      union
      select 'org:' || p_org_id
      where exists (select from account.organizations o where o.org_id = p_org_id)
    ) c
    where stream.is_entitled(p_org_id, c.channel)
    order by c.channel
  )
$$;
comment on function stream.entitled_channels(uuid) is
  'The existing channels that an organization may read now.';

create function stream.caller_orgs() returns setof uuid
language sql stable
set search_path = ''
as $$
  select m.org_id
  from account.members m
  where m.user_id = (select auth.uid())
  union all
  -- A stream token: no person, one organization. A session has a sub. It cannot have this claim,
  -- which only our signing key puts at the top level.
  select o.org_id
  from account.organizations o
  where (select auth.jwt()) ->> 'sub' is null
    and o.org_id::text = (select auth.jwt()) ->> 'org'
$$;
comment on function stream.caller_orgs() is
  'The organizations of the caller of Realtime: those of the signed-in person, or the one of a '
  'stream token.';

create function stream.is_caller_entitled(p_topic text) returns boolean
language sql stable
set search_path = ''
as $$
  select coalesce(p_topic <> 'quotes:all', false)
    and exists (select from stream.caller_orgs() o where stream.is_entitled(o, p_topic))
$$;
comment on function stream.is_caller_entitled(text) is
  'Whether an organization of the caller may read a topic. quotes:all is read from the log and '
  'never broadcast.';

create function stream.may_join_topic(p_topic text) returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- Only a stream token has join slots. A session lasts an hour, and the database cannot
  -- distinguish its reconnections from new sockets.
  return stream.is_caller_entitled(p_topic) and (auth.jwt() ->> 'sub' is not null or stream.take_join_slot(p_topic));
end
$$;
comment on function stream.may_join_topic(text) is
  'Whether the caller may join a private topic; Realtime asks at a join and at a change of token. '
  'Takes a join slot of a stream token.';
revoke all on function
  stream.is_entitled(uuid, text),
  stream.entitled_channels(uuid),
  stream.caller_orgs(),
  stream.is_caller_entitled(text),
  stream.may_join_topic(text)
from public;
grant execute on function stream.may_join_topic(text) to authenticated;

-- A function, because migrations are written from a comparison that leaves out the tables of the
-- platform.
create function stream.install_realtime_policy() returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  if exists (
    select
    from pg_catalog.pg_policy p
    where p.polrelid = 'realtime.messages'::regclass
      and p.polname = 'organizations read the channels of their plan'
  ) then
    return;
  end if;
  -- There is no policy for insert: only the database sends.
  create policy "organizations read the channels of their plan" on realtime.messages
    for select to authenticated
    using (extension = 'broadcast' and (select stream.may_join_topic((select realtime.topic()))));
  comment on policy "organizations read the channels of their plan" on realtime.messages is
    'Realtime evaluates it at each join, with the topic and the claims only.';
end
$$;
comment on function stream.install_realtime_policy() is
  'Creates the policy on realtime.messages unless it exists. jobs.install_schedules calls it '
  'after each migration.';
revoke all on function stream.install_realtime_policy() from public;
select stream.install_realtime_policy();

create function stream.publish_org_event(p_org_id uuid, p_type text, p_fields jsonb default '{}') returns bigint
language sql volatile
set search_path = ''
as $$
  select stream.append_publication(
    'org:' || p_org_id,
    array[
      '{"type":' || to_json(p_type)
        || case when p_fields = '{}' then '' else ',' || substr(p_fields::text, 2, length(p_fields::text) - 2) end
        || '}'
    ]
  )
  from account.organizations o
  where o.org_id = p_org_id
$$;
comment on function stream.publish_org_event(uuid, text, jsonb) is
  'Publishes a key, quota, plan, webhook or report frame to an organization. Call it last. '
  'Returns null when the organization does not exist.';

create function stream.publish_plan_event(p_org_id uuid) returns bigint
language sql volatile
set search_path = ''
as $$
  select stream.publish_org_event(
    p_org_id, 'plan',
    jsonb_build_object('tier', s.tier, 'status', s.status, 'changed_at', base.format_time(s.changed_at))
  )
  from account.subscriptions s
  where s.org_id = p_org_id
$$;
comment on function stream.publish_plan_event(uuid) is
  'Publishes a plan frame {tier, status, changed_at}, for each change of account.subscriptions.';

create function stream.publish_key_event(p_key_id uuid, p_event text) returns bigint
language sql volatile
set search_path = ''
as $$
  select stream.publish_org_event(
    k.org_id, 'key',
    jsonb_build_object(
      'event', p_event, 'key_id', k.key_id, 'prefix', k.prefix, 'name', k.name, 'expires_at',
      base.format_time(k.expires_at)
    )
  )
  from account.keys k
  where k.key_id = p_key_id
$$;
comment on function stream.publish_key_event(uuid, text) is
  'Publishes a key frame {event, key_id, prefix, name, expires_at}; event: created, renamed, '
  'revoked, rotated. Never the key or its hash.';
revoke all on function
  stream.publish_org_event(uuid, text, jsonb),
  stream.publish_plan_event(uuid),
  stream.publish_key_event(uuid, text)
from public;

-- 793_stream_market_watch.sql

-- The MCP tool watch_markets: frames of a few markets for a few seconds, read from the log. It
-- reads the channels that the organization is entitled to, from the offset at the start. It needs
-- no broadcast and no connection.

grant usage on schema stream to parallax_api;

create function stream.watch_channel_of(p_org_id uuid, p_pair catalog.pairs) returns text
language sql stable
set search_path = ''
as $$
  select c.channel
  from (
    values
      (1, stream.market_channel_of(p_pair.stage, p_pair.sport, p_pair.category)),
      (2, case when exists (select from stream.sample_markets s where s.pair_id = p_pair.pair_id) then 'sample' end)
  ) as c (place, channel)
  where c.channel is not null
    and stream.is_entitled(p_org_id, c.channel)
  order by c.place
  limit 1
$$;
comment on function stream.watch_channel_of(uuid, catalog.pairs) is
  'The channel from which an organization reads a market: its own, else the sample if it is in '
  'it; null when the plan includes neither.';

create function stream.start_watch(p_org_id uuid, p_pairs uuid[]) returns json
language sql stable security definer
set search_path = ''
-- One statement, so one snapshot: the prices are those at the returned offsets. json and not jsonb,
-- which would reorder the fields of a frame; type is first.
as $$
  with requested as (
    select r.pair_id, r.place, p.pair_id is not null as found,
           case when p.pair_id is not null then stream.watch_channel_of(p_org_id, p) end as channel
    from unnest(p_pairs) with ordinality as r (pair_id, place)
    left join catalog.pairs p on p.pair_id = r.pair_id and p.withdrawn_at is null
  ), latest as materialized (
    select stream.latest_updates_of(
      array(select r.pair_id from requested r where r.channel is not null order by r.place)
    ) as updates
  )
  select json_build_object(
    'watched',
    (
      select coalesce(json_agg('mkt_' || r.pair_id order by r.place), '[]') from requested r where r.channel is not null
    ),
    'unheard', (
      select coalesce(
        json_agg(
          json_build_object(
            'id', 'mkt_' || r.pair_id, 'code', case when r.found then 'stream.tier' else 'pair.not_found' end
          )
          order by r.place
        ),
        '[]'
      )
      from requested r
      where r.channel is null
    ),
    'places', (
      select coalesce(
        json_agg(json_build_object('channel', c.channel, 'epoch', c.epoch, 'after', c.last_offset) order by c.channel),
        '[]'
      )
      from stream.channels c
      where c.channel in (select r.channel from requested r)
        or (c.channel = 'status' and stream.is_entitled(p_org_id, 'status'))
    ),
    'now', (
      select coalesce(json_agg(f.json::json order by f.pair_id), '[]')
      from latest l
      cross join lateral stream.price_frames(l.updates, stream.render_markets(l.updates, true)) f
    )
  )
$$;
comment on function stream.start_watch(uuid, uuid[]) is
  'Starts a watch: {watched: ids, unheard: [{id, code}], places: [{channel, epoch, after}], now: '
  'price frames}. stream.read_watch reads on from places.';

create function stream.market_id_of(p_frame text) returns text
language sql immutable parallel safe
set search_path = ''
-- Most frames are of other markets, so they are compared as text: parsing JSON, or a regular
-- expression, takes ten times as long. No other text can match: inside a JSON string, quotes have a
-- backslash before them.
as $$
  select left(
    split_part(
      p_frame, case when starts_with(p_frame, '{"type":"opportunity"') then '"market_id":"' else '"id":"' end, 2
    ), 40
  )
$$;
comment on function stream.market_id_of(text) is
  'The id of the market of a frame, mkt_ and a uuid; other text for a frame without a market.';

create function stream.read_watch(p_org_id uuid, p_pairs uuid[], p_places jsonb) returns json
language plpgsql stable security definer
set search_path = ''
-- Not stream.replay_publications, which measures each frame: here few of many frames are wanted.
-- The half second between two calls has at most 500 frames: 2.5 ms. 10,000 frames of 400 bytes take
-- 44 ms, for one market or for 20 (PostgreSQL 17, 2026-11-20).
as $$
declare
  -- Rows of the log, of at most 200 frames each. The next call reads the rest.
  v_max_rows constant integer := 2000;
  v_ids constant text[] := array(select 'mkt_' || p from unnest(p_pairs) p);
  v_place record;
  v_now record;
  v_read record;
  v_places jsonb := '[]';
  v_frames text[] := '{}';
  v_lost boolean := false;
begin
  for v_place in
    select x.channel, x.epoch, x.after
    from jsonb_to_recordset(p_places) as x (channel text, epoch text, after bigint)
    order by x.channel
    limit 30
  loop
    if not stream.is_entitled(p_org_id, v_place.channel) then
      return json_build_object('ended', 'stream.tier');
    end if;
    select c.epoch, c.last_offset into v_now from stream.channels c where c.channel = v_place.channel;
    with read as materialized (
      select p.last_offset, p.frames, p.last_offset - cardinality(p.frames) as before
      from stream.publications p
      where p.channel = v_place.channel
        and p.last_offset > v_place.after
        and v_now.epoch = v_place.epoch
      order by p.last_offset
      limit v_max_rows
    )
    select (select min(r.before) from read r) as reaches,
           (select max(r.last_offset) from read r) as last_offset,
           array(
             select f.frame
             from read r
             cross join lateral unnest(r.frames) with ordinality as f (frame, place)
             where r.before + f.place > v_place.after
               and stream.market_id_of(f.frame) = any (v_ids)
             order by r.before + f.place
           ) as frames
    into v_read;
    if v_now.epoch = v_place.epoch and (v_read.reaches <= v_place.after or v_place.after = v_now.last_offset) then
      v_frames := v_frames || v_read.frames;
      v_now.last_offset := coalesce(v_read.last_offset, v_place.after);
    else
      -- The epoch changed, or the log no longer reaches back: continue at the present offset and
      -- report lost.
      v_lost := true;
    end if;
    v_places := v_places
      || jsonb_build_object('channel', v_place.channel, 'epoch', v_now.epoch, 'after', v_now.last_offset);
  end loop;
  return json_build_object(
    'frames', ('[' || array_to_string(v_frames, ',') || ']')::json, 'places', v_places, 'lost', v_lost
  );
end
$$;
comment on function stream.read_watch(uuid, uuid[], jsonb) is
  'Frames of these markets after places: {frames, places, lost}, or {ended: code} when the '
  'organization is no longer entitled to a channel.';

revoke all on function
  stream.watch_channel_of(uuid, catalog.pairs),
  stream.market_id_of(text),
  stream.start_watch(uuid, uuid[]),
  stream.read_watch(uuid, uuid[], jsonb)
from public;
grant execute on function
  stream.start_watch(uuid, uuid[]),
  stream.read_watch(uuid, uuid[], jsonb)
to parallax_api;

-- 794_stream_org_events.sql

-- Publishes events of an organization on its channel. Schemas account and arb do not know schema
-- stream: triggers here read what they write, in the same transaction and order.

create function stream.publish_new_key() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform stream.publish_key_event(new.key_id, 'created');
  return null;
end
$$;
comment on function stream.publish_new_key() is 'Trigger: publishes a key frame for a new key.';
create trigger publish_new_key after insert on account.keys
  for each row execute function stream.publish_new_key();

create function stream.publish_audited_change() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if new.action = 'plan.changed' then
    perform stream.publish_plan_event(new.org_id);
  else
    perform stream.publish_key_event(k.key_id, split_part(new.action, '.', 2))
    from account.keys k
    where k.org_id = new.org_id
      and k.prefix = new.subject;
  end if;
  return null;
end
$$;
comment on function stream.publish_audited_change() is
  'Trigger: publishes a plan or key frame for an audited change.';
create trigger publish_audited_change after insert on account.audit
  for each row when (new.action in ('plan.changed', 'key.renamed', 'key.revoked', 'key.rotated'))
  execute function stream.publish_audited_change();

create function stream.publish_quota_mark() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform stream.publish_org_event(
    new.org_id, 'quota',
    jsonb_build_object(
      'percent', new.percent, 'used', new.used, 'quota', new.quota, 'month', to_char(new.month, 'YYYY-MM'),
      'resets_at', base.format_time((new.month + interval '1 month') at time zone 'UTC')
    )
  );
  return null;
end
$$;
comment on function stream.publish_quota_mark() is
  'Trigger: publishes a quota frame {percent, used, quota, month, resets_at} when usage reaches a '
  'mark.';
create trigger publish_quota_mark after insert on account.quota_notices
  for each row execute function stream.publish_quota_mark();

create function stream.publish_report_verdict() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform stream.publish_org_event(
    new.org_id, 'report',
    jsonb_build_object(
      'report_id', new.report_id, 'opp_id', new.opp_id, 'received_at', base.format_time(new.received_at), 'verdict',
      new.verdict, 'note', new.note, 'reviewed_at', base.format_time(new.reviewed_at)
    )
  );
  return null;
end
$$;
comment on function stream.publish_report_verdict() is
  'Trigger: publishes a report frame for a verdict.';
create trigger publish_report_verdict after update of verdict on arb.reports
  for each row when (old.verdict is null and new.verdict is not null)
  execute function stream.publish_report_verdict();

revoke all on function
  stream.publish_new_key(),
  stream.publish_audited_change(),
  stream.publish_quota_mark(),
  stream.publish_report_verdict()
from public;

-- 795_stream_join_counters.sql

-- Limits how many sockets one Realtime token opens. Realtime evaluates a policy at each join and at
-- each change of token, in a transaction that it always rolls back, and passes the topic and the
-- claims only. So no row can be counted there, and a socket has no name. A sequence keeps its value
-- through a rollback, and a socket joins a topic at most once. So each topic of a token has a
-- sequence, and as many joins succeed as the organization may have connections. Realtime does not
-- report a leave: a socket that reconnects takes another join slot, and the next token, at most two
-- minutes later, starts at zero.

create table stream.join_counters (
  counter_no integer generated always as identity primary key,
  free_at timestamptz not null default '-infinity'
);
comment on table stream.join_counters is
  'Sequences stream.join_count_<counter_no>, each assigned to one topic of one Realtime token '
  'until free_at.';
alter table stream.join_counters enable row level security;
alter table stream.join_counters force row level security;

create function stream.allocate_join_counters(p_count integer) returns integer[]
language plpgsql volatile
set search_path = ''
as $$
declare
  -- Longer than the life of a token, even if the clock of the signing host is off.
  v_free_at timestamptz := clock_timestamp() + interval '5 minutes';
  v_counters integer[];
  v_new integer;
begin
  with free as (
    select c.counter_no
    from stream.join_counters c
    where c.free_at < clock_timestamp()
    order by c.counter_no
    limit p_count
    for update skip locked
  ), assigned as (
    update stream.join_counters c
    set free_at = v_free_at
    from free f
    where c.counter_no = f.counter_no
    returning c.counter_no
  )
  select coalesce(array_agg(a.counter_no), '{}') into v_counters
  from assigned a;
  perform setval(format('stream.join_count_%s', n)::regclass, 1, false) from unnest(v_counters) n;
  while cardinality(v_counters) < p_count loop
    insert into stream.join_counters (free_at) values (v_free_at) returning counter_no into v_new;
    execute format('create sequence stream.join_count_%s', v_new);
    v_counters := v_counters || v_new;
  end loop;
  return v_counters;
end
$$;
comment on function stream.allocate_join_counters(integer) is
  'Assigns p_count unused counters, each at zero. Creates new ones when too few are free.';

create function stream.take_join_slot(p_topic text) returns boolean
language plpgsql volatile
set search_path = ''
as $$
declare
  v_claims jsonb := auth.jwt();
  v_counter integer;
  v_slots integer;
begin
  -- Realtime may evaluate the policy for several rows in the transaction of one join.
  if current_setting('stream.joined_topic', true) = p_topic then
    return true;
  end if;
  select g.counters[array_position(g.topics, p_topic)], t.stream_connections
  into v_counter, v_slots
  from stream.realtime_grants g
  join account.subscriptions s on s.org_id = g.org_id
  join account.tiers t on t.tier = s.tier
  where g.grant_id::text = v_claims ->> 'jti'
    and g.org_id::text = v_claims ->> 'org';
  -- Unknown token, or a channel to which the organization had no right when it was signed.
  if v_counter is null then
    return false;
  end if;
  if nextval(format('stream.join_count_%s', v_counter)::regclass) > v_slots then
    return false;
  end if;
  perform set_config('stream.joined_topic', p_topic, true);
  return true;
end
$$;
comment on function stream.take_join_slot(text) is
  'Whether the token of the caller may join this topic once more: at most max_conns times. The '
  'count survives the rollback.';

revoke all on function
  stream.allocate_join_counters(integer),
  stream.take_join_slot(text)
from public;

-- 796_stream_channel_state.sql

-- The present state of a channel, for a client that has not read it from its first frame.

create function stream.channel_state_of(p_channel text) returns json
language sql stable
set search_path = ''
-- One statement, so one snapshot: the changes, the offset and the published state of a writer are
-- one commit, and are seen together or not at all.
as $$
  with published as materialized (
    select t.pair_id
    from stream.published_markets t
    where case p_channel
      when 'sample' then t.pair_id in (select s.pair_id from stream.sample_markets s)
      else t.channel = p_channel
    end
      and t.status in ('open', 'live', 'resolving')
  ), latest as materialized (
    select stream.latest_updates_of(array(select s.pair_id from published s)) as updates
  )
  select json_build_object(
    'channel', c.channel,
    'epoch', c.epoch,
    'offset', c.last_offset,
    'markets', (
      select coalesce(
        json_agg(stream.market_json(r::price.snapshot, u.read_a, u.read_b)::json order by r.start_time, r.pair_id), '[]'
      )
      from latest l
      cross join lateral unnest(stream.render_markets(l.updates, true)) r
      join lateral unnest(l.updates) u on u.pair_id = r.pair_id
    ),
    'opportunities', (
      select coalesce(
        json_agg(arb.opportunity_json(p, o.opportunity_id, o.opened_at, s)::json order by s.cost, o.opportunity_id),
        '[]'
      )
      from stream.published_opportunities t
      join arb.opportunities o on o.opportunity_id = t.opportunity_id
      join arb.opportunity_states s on s.opportunity_id = t.opportunity_id and s.state_no = t.state_no
      join catalog.pairs p on p.pair_id = t.pair_id
      where t.pair_id in (select x.pair_id from published x)
    ),
    'feeds', case when p_channel = 'status' then (
      select coalesce(
        json_agg(
          json_build_object('venue', t.venue, 'state', t.state, 'last_message_at', base.format_time(f.last_message_at))
          order by t.venue
        ), '[]'
      )
      from stream.published_feeds t
      left join venue.feeds f on f.venue = t.venue
    ) end
  )
  from stream.channels c
  where c.channel = p_channel
$$;
comment on function stream.channel_state_of(text) is
  'State of a channel at its offset, of markets that are not over: {channel, epoch, offset, '
  'markets, opportunities, feeds}. Null when the channel does not exist.';
revoke all on function stream.channel_state_of(text) from public;

-- 797_stream_tickets.sql

-- How a client with an API key gets to the stream: a ticket for the stream function, or a token for
-- Realtime. All times are real time, as in schema account.

create table stream.tickets (
  hash bytea primary key check (length(hash) = 32),
  org_id uuid not null references account.organizations (org_id) on delete cascade,
  key_id uuid not null references account.keys (key_id) on delete cascade,
  expires_at timestamptz not null default clock_timestamp() + interval '120 seconds'
);
comment on table stream.tickets is
  'Unused tickets. A ticket is deleted when it is presented, so a used, an expired and an unknown '
  'ticket are all unknown.';
comment on column stream.tickets.hash is
  'SHA-256 of the ticket. 32 characters of 62 have 190 bits of randomness, so a fast hash is '
  'enough (52_account_keys.sql).';
comment on column stream.tickets.key_id is
  'The key that minted it. Revoking the key also ends the connections of its tickets.';
create index tickets_by_org on stream.tickets (org_id);
create index tickets_by_key on stream.tickets (key_id);
create index tickets_by_end on stream.tickets (expires_at);

create table stream.realtime_grants (
  grant_id uuid primary key default gen_random_uuid(),
  org_id uuid not null references account.organizations (org_id) on delete cascade,
  expires_at timestamptz not null default clock_timestamp() + interval '120 seconds',
  topics text[] not null default '{}',
  counters integer[] not null default '{}',
  check (cardinality(topics) = cardinality(counters))
);
comment on table stream.realtime_grants is
  'Realtime tokens that were issued and have not expired. Realtime has no limit of connections '
  'for an organization, so joins are limited instead.';
comment on column stream.realtime_grants.counters is
  'For each topic, the sequence that counts its joins (stream.join_counters).';
create index realtime_grants_by_org on stream.realtime_grants (org_id, expires_at);
create index realtime_grants_by_end on stream.realtime_grants (expires_at);

alter table stream.tickets enable row level security;
alter table stream.tickets force row level security;
alter table stream.realtime_grants enable row level security;
alter table stream.realtime_grants force row level security;

create function stream.take_realtime_grant(p_org_id uuid, p_limit integer) returns uuid
language plpgsql volatile
set search_path = ''
as $$
declare
  v_grant uuid;
  v_topics text[];
begin
  -- A token with at most 45 s left does not count: its holder needs the next one before it
  -- ends, and Realtime checks it with each heartbeat, every 25 s.
  if p_limit > (
    select count(*)
    from stream.realtime_grants g
    where g.org_id = p_org_id
      and g.expires_at > clock_timestamp() + interval '45 seconds'
  ) then
    v_topics := array_remove(stream.entitled_channels(p_org_id), 'quotes:all');
    insert into stream.realtime_grants (org_id, topics, counters)
    values (p_org_id, v_topics, stream.allocate_join_counters(cardinality(v_topics)))
    returning grant_id into v_grant;
  end if;
  return v_grant;
end
$$;
comment on function stream.take_realtime_grant(uuid, integer) is
  'Permission for one more Realtime token of 120 s; null while p_limit are alive. The caller '
  'holds a lock on the row of account.usage, so two calls do not count at once.';

-- For the organization and the key that account.admit has admitted.
create function stream.mint_ticket(p_key_hash bytea) returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_org_id uuid := account.current_org();
  v_ticket text := 'st_' || account.random_base62(32);
  v_limit integer;
begin
  select t.stream_connections
  into strict v_limit
  from account.subscriptions s
  join account.tiers t on t.tier = s.tier
  where s.org_id = v_org_id;
  insert into stream.tickets (hash, org_id, key_id)
  select sha256(convert_to(v_ticket, 'UTF8')), k.org_id, k.key_id
  from account.keys k
  where k.hash = p_key_hash
    and k.org_id = v_org_id;
  if not found then
    raise exception 'the key that requests a ticket was not admitted' using errcode = '42501';
  end if;
  return jsonb_build_object(
    'ticket', v_ticket,
    'expires_in', 120,
    'allowed', jsonb_build_object('channels', stream.entitled_channels(v_org_id), 'max_conns', v_limit),
    'org_id', v_org_id,
    'grant_id', stream.take_realtime_grant(v_org_id, v_limit)
  );
end
$$;
comment on function stream.mint_ticket(bytea) is
  'A ticket of 120 s: {ticket, expires_in, allowed: {channels, max_conns}, org_id, grant_id}. '
  'grant_id: permission to sign one Realtime token, else null.';

-- For the organization that account.admit has admitted.
create function stream.replay_for_caller(p_channel text, p_epoch text, p_after bigint) returns json
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_log record;
begin
  if not stream.is_entitled(account.current_org(), p_channel) then
    return null;
  end if;
  select * into v_log from stream.replay_publications(p_channel, p_epoch, p_after);
  if v_log.epoch is null then
    return null;
  end if;
  return json_build_object(
    'channel', p_channel,
    'epoch', v_log.epoch,
    'recovered', v_log.recovered,
    'offset', case when v_log.recovered then v_log.upto else v_log.top end,
    'top', v_log.top,
    'frames', case when v_log.recovered then to_json(v_log.frames) else '[]' end
  );
end
$$;
comment on function stream.replay_for_caller(text, text, bigint) is
  'Frames of a channel after an offset: {channel, epoch, recovered, offset, top, frames}, frames '
  'as texts. Null when it is not in the plan or does not exist.';

revoke all on function
  stream.take_realtime_grant(uuid, integer),
  stream.mint_ticket(bytea),
  stream.replay_for_caller(text, text, bigint)
from public;
grant usage on schema stream to parallax_api;
grant execute on function
  stream.mint_ticket(bytea),
  stream.replay_for_caller(text, text, bigint)
to parallax_api;

-- 798_stream_connections.sql

-- The connections of the stream function over all its isolates. A connection is a lease of 40 s
-- that its server renews, so the slots of a server that died become free. Role parallax_stream may
-- execute only the functions below.

create table stream.connections (
  connection_id uuid primary key,
  org_id uuid not null references account.organizations (org_id) on delete cascade,
  key_id uuid not null references account.keys (key_id) on delete cascade,
  server_id uuid not null,
  connected_at timestamptz not null default clock_timestamp(),
  lease_until timestamptz not null default clock_timestamp() + interval '40 seconds'
) with (fillfactor = 50);
comment on table stream.connections is
  'Connections of the stream function. A connection whose lease has expired does not count, even '
  'while its row exists.';
comment on column stream.connections.server_id is
  'The isolate that serves it. Only this isolate may renew or close it.';
create index connections_by_org on stream.connections (org_id);
create index connections_by_key on stream.connections (key_id);
create index connections_by_end on stream.connections (lease_until);
alter table stream.connections enable row level security;
alter table stream.connections force row level security;

create function stream.channel_positions(p_channels text[]) returns json
language sql stable security definer
set search_path = ''
as $$
  select coalesce(
    json_agg(json_build_object('channel', c.channel, 'epoch', c.epoch, 'offset', c.last_offset) order by c.channel),
    '[]'
  )
  from stream.channels c
  where c.channel = any (p_channels)
$$;
comment on function stream.channel_positions(text[]) is
  'The positions [{channel, epoch, offset}] of those channels that exist.';

create function stream.read_publications(p_channel text, p_epoch text, p_after bigint) returns json
language sql stable security definer
set search_path = ''
as $$
  select json_build_object(
    'epoch', r.epoch, 'top', r.top, 'recovered', r.recovered, 'upto', r.upto, 'frames', to_json(r.frames)
  )
  from stream.replay_publications(p_channel, p_epoch, p_after) r
$$;
comment on function stream.read_publications(text, text, bigint) is
  'stream.replay_publications as one JSON value, with frames as texts.';

create function stream.open_connection(p_ticket_hash bytea, p_connection uuid, p_server uuid) returns json
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_ticket stream.tickets;
  v_plan record;
  v_key account.keys;
begin
  -- The first use deletes the ticket, also when it fails: of two at once, the second finds none.
  delete from stream.tickets t
  where t.hash = p_ticket_hash
  returning t.* into v_ticket;
  if v_ticket.hash is null or v_ticket.expires_at <= clock_timestamp() then
    return json_build_object('refused', 'ticket');
  end if;
  select k.* into v_key from account.keys k where k.key_id = v_ticket.key_id;
  if least(v_key.revoked_at, v_key.expires_at) <= clock_timestamp() then
    return json_build_object('refused', 'key');
  end if;
  -- Connections of one organization are opened one after the other, up to the commit: else two at
  -- once could exceed the limit.
  perform pg_advisory_xact_lock(hashtextextended('stream.connections ' || v_ticket.org_id, 0));
  select s.status, t.stream_connections
  into v_plan
  from account.subscriptions s
  join account.tiers t on t.tier = s.tier
  where s.org_id = v_ticket.org_id;
  if v_plan.status is distinct from 'active' then
    return json_build_object('refused', 'plan');
  end if;
  -- Skips a row that its server is renewing and counts it: waiting for it could deadlock.
  delete from stream.connections c
  where c.connection_id in (
    select e.connection_id
    from stream.connections e
    where e.org_id = v_ticket.org_id
      and e.lease_until <= clock_timestamp()
    for update skip locked
  );
  if v_plan.stream_connections <= (select count(*) from stream.connections c where c.org_id = v_ticket.org_id) then
    return json_build_object('refused', 'cap', 'max_conns', v_plan.stream_connections);
  end if;
  insert into stream.connections (connection_id, org_id, key_id, server_id)
  values (p_connection, v_ticket.org_id, v_ticket.key_id, p_server);
  -- The channel must exist before its first frame, so that a client gets an epoch.
  insert into stream.channels (channel)
  values ('org:' || v_ticket.org_id)
  on conflict do nothing;
  return json_build_object(
    'org_id', v_ticket.org_id,
    'max_conns', v_plan.stream_connections,
    'channels', stream.channel_positions(stream.entitled_channels(v_ticket.org_id))
  );
end
$$;
comment on function stream.open_connection(bytea, uuid, uuid) is
  'Uses a ticket: {org_id, max_conns, channels: [{channel, epoch, offset}]} or {refused: ticket | '
  'key | plan | cap}. The limit is exact over all isolates.';

-- refused: null, plan, key, or cap: the plan has fewer connections now, and the newest are closed.
create function stream.renew_connections(p_server uuid, p_connections uuid[]) returns json
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_connections json;
  v_orgs json;
begin
  -- Renews an expired lease too, unless stream.open_connection has deleted it for its slot.
  with own as materialized (
    select c.connection_id
    from stream.connections c
    where c.server_id = p_server
      and c.connection_id = any (p_connections)
    order by c.connection_id
    for update
  ), renewed as (
    update stream.connections c
    set lease_until = clock_timestamp() + interval '40 seconds'
    from own o
    where o.connection_id = c.connection_id
    returning c.connection_id, c.org_id, c.key_id
  ), ranked as materialized (
    select c.connection_id, row_number() over (partition by c.org_id order by c.connected_at, c.connection_id) as place
    from stream.connections c
    where c.org_id in (select r.org_id from renewed r)
      and c.lease_until > clock_timestamp()
  ), checked as materialized (
    select r.connection_id, r.org_id,
           case
             when s.status is distinct from 'active' then 'plan'
             when least(k.revoked_at, k.expires_at) <= clock_timestamp() then 'key'
             when p.place > t.stream_connections then 'cap'
           end as reason
    from renewed r
    join account.keys k on k.key_id = r.key_id
    left join account.subscriptions s on s.org_id = r.org_id
    left join account.tiers t on t.tier = s.tier
    left join ranked p on p.connection_id = r.connection_id
  )
  select json_agg(json_build_object('id', c.connection_id, 'org_id', c.org_id, 'refused', c.reason)),
         (
           select json_object_agg(o.org_id, stream.entitled_channels(o.org_id))
           from (select distinct x.org_id from checked x where x.reason is null) o
         )
  into v_connections, v_orgs
  from checked c;
  return json_build_object('connections', coalesce(v_connections, '[]'), 'orgs', coalesce(v_orgs, '{}'));
end
$$;
comment on function stream.renew_connections(uuid, uuid[]) is
  'Renews leases and checks plans and keys: {connections: [{id, org_id, refused}], orgs: {org_id: '
  '[channel, …]}}. A missing connection has lost its lease.';

create function stream.close_connections(p_server uuid, p_connections uuid[]) returns void
language sql volatile security definer
set search_path = ''
as $$
  delete from stream.connections c
  where c.server_id = p_server
    and c.connection_id = any (p_connections)
$$;
comment on function stream.close_connections(uuid, uuid[]) is
  'Frees the slots of connections that have ended.';

create function stream.purge_tickets() returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_deleted integer;
begin
  delete from stream.tickets t where t.expires_at <= clock_timestamp();
  get diagnostics v_deleted = row_count;
  delete from stream.realtime_grants g where g.expires_at <= clock_timestamp();
  delete from stream.connections c where c.lease_until <= clock_timestamp() - interval '10 minutes';
  return v_deleted;
end
$$;
comment on function stream.purge_tickets() is
  'Retention: expired tickets, grants and leases. Returns the number of tickets, none of which '
  'was presented.';

revoke all on function
  stream.channel_positions(text[]),
  stream.read_publications(text, text, bigint),
  stream.open_connection(bytea, uuid, uuid),
  stream.renew_connections(uuid, uuid[]),
  stream.close_connections(uuid, uuid[]),
  stream.purge_tickets()
from public;
grant usage on schema stream to parallax_stream;
grant execute on function
  stream.channel_positions(text[]),
  stream.read_publications(text, text, bigint),
  stream.open_connection(bytea, uuid, uuid),
  stream.renew_connections(uuid, uuid[]),
  stream.close_connections(uuid, uuid[])
to parallax_stream;

-- 799_stream_dashboard_rpc.sql

-- RPCs of the live pages of the dashboard. They run as their owner, because people have no policies
-- on what they read, and each one admits its caller first (account.admit_session). Functions in
-- schema api give them their names for PostgREST.

create function stream.dashboard_channel_state(p_channel text) returns json
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_state json;
begin
  perform account.admit_session(1);
  -- The same error for a channel that the plan does not include, of another organization, or that
  -- does not exist.
  if stream.is_caller_entitled(p_channel) then
    v_state := stream.channel_state_of(p_channel);
  end if;
  if v_state is null then
    perform account.raise_error(
      404, 'channel.not_found',
      'Your plan does not include this channel, or it does not exist. See /usage for your channels.'
    );
  end if;
  return v_state;
end
$$;
comment on function stream.dashboard_channel_state(text) is
  'State of a channel that the caller may read: {channel, epoch, offset, markets, opportunities, '
  'feeds}. Frames with higher offsets follow over Realtime.';

create function stream.dashboard_report(p_opp_id text, p_reason text, p_detail text) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_org uuid := account.admit_session(1);
begin
  if coalesce(btrim(p_reason), '') = ''
    or length(p_reason) > 200
    or length(p_detail) > 10000
    or length(p_opp_id) > 200 then
    perform account.raise_error(
      400, 'report.empty', 'The reason must have 1 to 200 characters, and the detail at most 10,000.'
    );
  end if;
  if arb.file_report(
    v_org, null,
    jsonb_strip_nulls(jsonb_build_object(
      'opp_id', nullif(btrim(p_opp_id), ''), 'reason', btrim(p_reason), 'detail', nullif(btrim(p_detail), '')
    ))
  ) is null then
    perform account.raise_error(
      409, 'report.limit',
      'Too many reports of your organization wait for review. Send the next one when some are reviewed.'
    );
  end if;
end
$$;
comment on function stream.dashboard_report(text, text, text) is
  'POST /v2/report-bad-arb for a signed-in person. The report is stored with the evidence of the '
  'opportunity.';

revoke all on function
  stream.dashboard_channel_state(text),
  stream.dashboard_report(text, text, text)
from public;
grant execute on function
  stream.dashboard_channel_state(text),
  stream.dashboard_report(text, text, text)
to authenticated;

-- 80_pipeline.sql

-- Schema pipeline: the order of one unit of work across the schemas, in one transaction. Functions
-- of the earlier schemas return what changed.

create schema pipeline;
revoke all on schema pipeline from public;
grant usage on schema pipeline to parallax_api, parallax_ingest, parallax_deliver;
comment on schema pipeline is
  'The order of one unit of work: listings, match, publish; books, price, arb, webhook, stream; '
  'the step of the snapshot.';

create function pipeline.match_listings() returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_pass jsonb := catalog.run_match_pass();
begin
  if (v_pass ->> 'changed')::integer > 0 then
    perform webhook.fire_pair_created();
    perform stream.publish_changes(stream.unpublished_pairs());
  end if;
  return v_pass;
end
$$;
comment on function pipeline.match_listings() is
  'Pairs the listings of both venues and publishes the changes. Returns {pairs, created, changed, '
  'withdrawn, refused}, or {skipped: true} while another pass runs.';

create function pipeline.refresh_statuses() returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_moved record;
begin
  select * into v_moved from catalog.refresh_statuses();
  perform arb.settle_track_records(v_moved.moved);
  -- A change of parity also changes pairs that did not move.
  perform stream.publish_changes(case when v_moved.parity_moved then stream.unpublished_pairs() else v_moved.moved end);
  return cardinality(v_moved.moved);
end
$$;
comment on function pipeline.refresh_statuses() is
  'Updates the status of every pair, settles their track records and publishes the changes. '
  'Returns the number of changed pairs.';

create function pipeline.match_backtest(p_token bigint, p_scope text) returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_matched jsonb := catalog.match_backtest(p_token, p_scope);
begin
  if catalog.publish_parity_changes() > 0 then
    perform stream.publish_changes(stream.unpublished_pairs());
  end if;
  return v_matched;
end
$$;
comment on function pipeline.match_backtest(bigint, text) is
  'Matches the settled listings of a scope (catalog.match_backtest) and publishes the pairs whose '
  'rule gained or lost parity.';

create function pipeline.watch_divergence() returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_raised integer := price.watch_divergence();
begin
  if v_raised > 0 then
    perform stream.publish_changes(stream.unpublished_pairs());
  end if;
  return v_raised;
end
$$;
comment on function pipeline.watch_divergence() is
  'Raises due alarms price_divergence and publishes their pairs. pg_cron calls it each minute. '
  'Returns the number raised.';

create function pipeline.review_alarm(p_pair_id uuid, p_decision text, p_reviewer text, p_note text) returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_alarm jsonb := catalog.review_alarm(p_pair_id, p_decision, p_reviewer, p_note);
begin
  perform stream.publish_changes(stream.unpublished_pairs());
  return v_alarm;
end
$$;
comment on function pipeline.review_alarm(uuid, text, text, text) is
  'For operators: catalog.review_alarm, then publishes the change of the pair.';

revoke all on function
  pipeline.match_listings(),
  pipeline.refresh_statuses(),
  pipeline.match_backtest(bigint, text),
  pipeline.watch_divergence(),
  pipeline.review_alarm(uuid, text, text, text)
from public;
grant execute on function
  pipeline.match_listings(),
  pipeline.refresh_statuses(),
  pipeline.match_backtest(bigint, text)
to parallax_ingest;

-- 81_pipeline_books.sql

-- One flush of price updates: prices, opportunities, webhook events, publications.

create function pipeline.apply_books(p_tokens jsonb, p_frames jsonb, p_quotes jsonb default '[]') returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_applied record;
  v_pairs uuid[] := '{}';
begin
  select * into v_applied from price.apply_flush(p_tokens, p_frames);
  if v_applied.seen is not null then
    v_pairs := arb.apply_updates(v_applied.seen);
  end if;
  perform webhook.detect_crossings(v_applied.put);
  -- Last: the lock of stream.publish_changes is held until the commit.
  perform stream.publish_changes(
    v_pairs,
    v_applied.put,
    p_quotes,
    (
      select coalesce(jsonb_object_agg(t.key, t.value), '{}')
      from jsonb_each(p_tokens) t
      where t.key = any (v_applied.held)
    )
  );
  return jsonb_build_object('applied', coalesce(cardinality(v_applied.put), 0), 'held', to_jsonb(v_applied.held));
end
$$;
-- p_tokens: {lease: token}. p_frames: price updates [{pair, at, ask_a[], ask_b[], bid_a[], bid_b[],
-- size_a[], size_b[], bid_size_a[], bid_size_b[], ladder_a[], read_a, read_b, void, opp}], times in
-- epoch ms, prices in 1e-6 USD, sizes in 0.01 contract. A price update is dropped when its shard is
-- not held, or when it is older than or equal to the newest update of its pair. opp goes to
-- arb.apply_updates. p_quotes: [{pair, venue, contract, side, bid, ask, bid_size, ask_size,
-- venue_time, read_at, void, no}] in the same units, the newest of each leg, under the same fence.
comment on function pipeline.apply_books(jsonb, jsonb, jsonb) is
  'Applies one flush of price updates and quotes in one transaction: price, arb, webhook, stream. '
  'Returns {applied, held}.';

revoke all on function pipeline.apply_books(jsonb, jsonb, jsonb) from public;
grant execute on function pipeline.apply_books(jsonb, jsonb, jsonb) to parallax_ingest;

create function pipeline.record_results(p_results jsonb) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_report record;
begin
  select * into v_report from webhook.record_results(p_results);
  -- Last, in the order of the organizations: each append locks its channel until the commit.
  perform stream.publish_org_event(
    e.org_id, 'webhook',
    jsonb_build_object(
      'event', 'disabled', 'id', e.endpoint_id, 'url', e.url, 'disabled_reason', e.disabled_reason, 'failure_count',
      e.failure_count
    )
  )
  from (select * from webhook.endpoints x where x.endpoint_id = any (v_report.disabled) order by x.org_id) e;
  return v_report.known;
end
$$;
comment on function pipeline.record_results(jsonb) is
  'Records results of delivery attempts (webhook.record_results) and publishes which endpoints '
  'they disabled. Returns the number of results that counted.';
revoke all on function pipeline.record_results(jsonb) from public;
grant execute on function pipeline.record_results(jsonb) to parallax_deliver;

-- 82_pipeline_snapshot.sql

-- The step of the REST snapshot: voids prices that no worker reads, checks opportunities, renders
-- the rows and publishes the changes.

create function pipeline.void_unread_pairs() returns price.price_update[]
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_voided price.price_update[] := price.void_unread_pairs();
begin
  perform arb.close_opportunities(
    array(select (f).pair_id from unnest(v_voided) f), array(select (f).priced_at from unnest(v_voided) f),
    'lease.expired'
  );
  return v_voided;
end
$$;
comment on function pipeline.void_unread_pairs() is
  'Ends prices and opportunities of pairs that no worker reads, as of the end of their lease. '
  'Returns the void price updates, not yet published.';

create function pipeline.refresh_snapshot() returns timestamptz
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_step price.step_change := price.begin_step();
  v_voided price.price_update[];
  v_ended uuid[];
begin
  if v_step is null then
    return (select s.step from price.snapshot_state s);
  end if;
  v_voided := pipeline.void_unread_pairs();
  v_ended := arb.close_ineligible();
  perform price.finish_step(v_step);
  -- Last: it blocks every flush until this transaction ends. Mostly there is nothing to publish.
  perform stream.publish_changes(v_ended, v_voided);
  return v_step.new_step;
end
$$;
comment on function pipeline.refresh_snapshot() is
  'Moves price.snapshot to the current step and returns it; does nothing within a step. Called by '
  'pg_cron and by every request that reads the snapshot.';

create function pipeline.ensure_snapshot() returns price.snapshot_position
language plpgsql volatile security definer
set search_path = ''
-- Every request calls this first. It reads one row when no step is due.
as $$
declare
  v_real timestamptz := clock_timestamp();
  v_market timestamptz := clock.to_market_time(v_real);
  -- Market time may run fast, slow or not at all: this is how much of it passes in the next real
  -- second.
  v_rate numeric := extract(epoch from clock.to_market_time(v_real + interval '1 second') - v_market);
  v_at record;
begin
  for v_look in 1..2 loop
    select s.step, s.version, price.step_of(t, v_market) as due, t.rest_delay, t.step as length
    into v_at
    from price.snapshot_state s
    cross join price.settings t;
    exit when v_at.step = v_at.due;
    perform pipeline.refresh_snapshot();
  end loop;
  return (
    v_at.step,
    v_at.version,
    case
      when v_rate <= 0 then extract(epoch from v_at.length) * 1000
      else least(
        extract(epoch from v_at.length) * 1000,
        greatest(extract(epoch from v_at.due + v_at.rest_delay + v_at.length - v_market) * 1000 / v_rate, 0)
      )
    end::integer
  );
end
$$;
comment on function pipeline.ensure_snapshot() is
  'Moves the snapshot to the current step (pipeline.refresh_snapshot) and returns its position. '
  'left_ms is a full step while the market clock is stopped.';

revoke all on function pipeline.void_unread_pairs(), pipeline.refresh_snapshot(), pipeline.ensure_snapshot()
from public;
grant execute on function pipeline.refresh_snapshot(), pipeline.ensure_snapshot() to parallax_api;

-- 83_api.sql

-- Schema api: the JSON on the wire. One call for each request: admission, the step of the snapshot,
-- the endpoint. These functions run with the rights of the caller (parallax_api) under row-level
-- security; only account.admit and functions of schema price behind them have more. Parameters
-- arrive validated (functions/api/routes). Free text of a caller reaches SQL only as a quoted
-- literal or inside jsonb.

create schema api;
revoke all on schema api from public;
grant usage on schema api to parallax_api;

create type api.route_result as (
  status smallint,
  code text,
  version text,
  body text,
  step timestamptz
);
comment on type api.route_result is
  'The result of a route. version names the state that the body was made from: equal version and '
  'parameters give equal bytes. step: the step in the body, if it has one.';
grant usage on type api.route_result to parallax_api;

create type api.call_response as (
  status smallint,
  code text,
  version text,
  body text,
  as_of text,
  max_age_ms integer,
  tier text,
  window_quota integer,
  window_used integer,
  window_left_s integer,
  month_quota integer,
  month_used integer,
  month_ends_at text,
  month_left_s integer
);
comment on type api.call_response is
  'The response: the result of a route or the error of admission, and the rate state of the '
  'organization.';
grant usage on type api.call_response to parallax_api;

create function api.build_response(
  p_in account.admission, p_answer api.route_result, p_step timestamptz, p_left_ms integer
) returns api.call_response
language plpgsql volatile
set search_path = ''
as $$
begin
  return (
    coalesce(p_in.status, p_answer.status),
    coalesce(p_in.code, p_answer.code),
    case when p_in.code is null then p_answer.version end,
    case when p_in.code is null then p_answer.body end,
    base.format_time(coalesce(p_answer.step, p_step)),
    p_left_ms,
    p_in.tier,
    p_in.window_quota,
    p_in.window_used,
    p_in.window_left_s,
    p_in.month_quota,
    p_in.month_used,
    base.format_time(p_in.month_ends_at),
    ceil(extract(epoch from p_in.month_ends_at - clock_timestamp()))::integer
  )::api.call_response;
end
$$;
comment on function api.build_response(account.admission, api.route_result, timestamptz, integer) is
  'A route result with its admission. p_step: used when the result has no step of its own; '
  'p_left_ms: until the next step.';
grant execute on function api.build_response(account.admission, api.route_result, timestamptz, integer) to parallax_api;

create function api.call_data_route(
  p_key_hash bytea,
  p_route text,
  p_params jsonb,
  p_invalid boolean,
  p_held text,
  p_seen text[],
  p_head boolean default false
) returns api.call_response
language plpgsql volatile
set search_path = ''
as $$
declare
  v_in account.admission;
  v_answer api.route_result;
  v_at price.snapshot_position;
begin
  if p_invalid then
    v_answer.status := 422;
  else
    v_at := pipeline.ensure_snapshot();
    case p_route
      when 'get_pair' then v_answer.version := api.pair_version(p_params);
      when 'get_history' then v_answer.version := api.history_version(p_params);
      when 'get_coverage' then v_answer.version := api.coverage_version();
      when 'get_rules' then v_answer.version := api.rules_version();
      else v_answer.version := v_at.version;
    end case;
    if v_answer.version = any (p_seen) or (v_answer.version is not null and '*' = any (p_seen)) then
      v_answer.status := 304;
    elsif v_answer.version = p_held then
      v_answer.status := 200;
    elsif v_answer.version is null then
      v_answer.status := 404;
      v_answer.code := 'pair.not_found';
    else
      -- Only here can a request cause expensive work, so only here admission comes first.
      v_in := account.admit(p_key_hash, true, 0, 0);
      if v_in.code is null then
        -- One statement for each route instead of one expression: plpgsql plans only the statement
        -- that runs.
        case p_route
          when 'get_markets' then v_answer := api.get_markets(p_params);
          when 'get_pair' then v_answer := api.get_pair(p_params);
          when 'get_arbitrage' then v_answer := api.get_arbitrage(p_params);
          when 'get_spreads' then v_answer := api.get_spreads(p_params);
          when 'get_history' then v_answer := api.get_history(p_params);
          when 'get_search' then v_answer := api.get_search(p_params);
          when 'get_categories' then v_answer := api.get_categories(p_params);
          when 'get_leagues' then v_answer := api.get_leagues(p_params);
          when 'get_coverage' then v_answer := api.get_coverage(p_params);
          when 'get_rules' then v_answer := api.get_rules(p_params);
        end case;
      end if;
    end if;
  end if;
  if v_in.code is null then
    -- Quota counts responses that carry data. A 304, 404 or 422 and a HEAD count in the rate-limit
    -- window only. An exhausted quota rejects all of them.
    v_in := account.admit(p_key_hash, true, 1, (v_answer.status = 200 and not p_head)::integer);
  end if;
  return api.build_response(v_in, v_answer, v_at.step, v_at.left_ms);
end
$$;
comment on function api.call_data_route(bytea, text, jsonb, boolean, text, text[], boolean) is
  'One data request. p_invalid: only admission runs; p_held: the version that the isolate caches; '
  'p_seen: If-None-Match; p_head: HEAD. 200 without a body: send the cached bytes.';
grant execute on function api.call_data_route(bytea, text, jsonb, boolean, text, text[], boolean) to parallax_api;

create function api.call_action_route(p_key_hash bytea, p_route text, p_params jsonb, p_invalid boolean)
returns api.call_response
language plpgsql volatile
set search_path = ''
as $$
declare
  v_in account.admission;
  v_answer api.route_result;
begin
  -- These requests carry no market data, so they count in the rate-limit window only, and an
  -- exhausted quota does not stop them. get_allowed_receivers is read before a registration and
  -- does not count; the registration does.
  v_in := account.admit(
    p_key_hash, false, (p_route <> 'get_allowed_receivers')::integer, 0,
    case
      when p_route in ('get_allowed_receivers', 'post_endpoint', 'get_endpoints', 'delete_endpoint') then 'webhook'
    end
  );
  if v_in.code is null then
    if p_invalid then
      v_answer.status := 422;
    else
      case p_route
        when 'post_report' then v_answer := api.post_report(v_in.org_id, p_key_hash, p_params);
        when 'get_account' then v_answer := api.get_account(v_in);
        when 'post_stream_token' then v_answer := api.post_stream_token(p_key_hash);
        when 'get_stream_replay' then v_answer := api.get_stream_replay(p_params);
        when 'get_allowed_receivers' then v_answer := api.get_allowed_receivers();
        when 'post_endpoint' then
          v_answer := api.post_endpoint(v_in.org_id, webhook.key_actor_of(p_key_hash), p_params);
        when 'get_endpoints' then v_answer := api.get_endpoints();
        when 'delete_endpoint' then v_answer := api.delete_endpoint(v_in.org_id, p_key_hash, p_params);
      end case;
    end if;
  end if;
  return api.build_response(v_in, v_answer, null, null);
end
$$;
comment on function api.call_action_route(bytea, text, jsonb, boolean) is
  'One request that changes something or concerns the caller only, admitted before anything else. '
  'Never cached. p_invalid: validation failed, so only admission runs.';
grant execute on function api.call_action_route(bytea, text, jsonb, boolean) to parallax_api;

create function api.act_as_owner(p_user uuid, p_org_id uuid, p_route text, p_params jsonb, p_invalid boolean)
returns api.call_response
language plpgsql volatile
set search_path = ''
as $$
declare
  v_in account.admission := account.admit_owner(
    p_user, p_org_id, (p_route <> 'get_allowed_receivers')::integer, 'webhook'
  );
  v_answer api.route_result;
begin
  if v_in.code is null then
    if p_invalid then
      v_answer.status := 422;
    else
      case p_route
        when 'get_allowed_receivers' then v_answer := api.get_allowed_receivers();
        when 'post_endpoint' then v_answer := api.post_endpoint(p_org_id, null, p_params);
      end case;
    end if;
  end if;
  return api.build_response(v_in, v_answer, null, null);
end
$$;
comment on function api.act_as_owner(uuid, uuid, text, jsonb, boolean) is
  'POST /v1/webhooks with the session of an owner, like api.call_action_route with a key. No '
  'other route takes a session.';
grant execute on function api.act_as_owner(uuid, uuid, text, jsonb, boolean) to parallax_api;

create function api.get_health() returns table (now text, venues jsonb)
language sql volatile
set search_path = ''
as $$
  select base.format_time(clock.now()),
         (
           select jsonb_object_agg(
             f.venue,
             jsonb_build_object(
               'state', f.state, 'source', f.source, 'last_message_at', base.format_time(f.last_message_at),
               'detail', f.detail
             )
           )
           from venue.feed_states() f
         )
$$;
comment on function api.get_health() is
  'Market time and {venue: {state, source, last_message_at, detail}} of each venue with a sign of '
  'life.';
grant execute on function api.get_health() to parallax_api;

-- 84_api_account.sql

-- What the dashboard calls over PostgREST, as role authenticated. These functions and views run
-- with the rights of the caller: policies decide which rows are visible, functions of schema
-- account make the changes. anon has no right here. An error is {code, message} with its HTTP
-- status, from account.raise_error. Times are texts of base.format_time.

grant usage on schema api to authenticated;

create function api.start_session(p_name text default null) returns jsonb
language sql volatile
set search_path = ''
as $$ select account.start_session(p_name) $$;
comment on function api.start_session(text) is
  'Called after sign-in: {org_id, name, role, tier, status}. Creates an organization the first '
  'time.';

create function api.rename_organization(p_org_id uuid, p_name text) returns void
language sql volatile
set search_path = ''
as $$ select account.rename_organization(p_org_id, p_name) $$;
comment on function api.rename_organization(uuid, text) is
  'Owners: renames the organization, 1 to 200 characters.';

create function api.delete_organization(p_org_id uuid) returns void
language sql volatile
set search_path = ''
as $$ select account.delete_organization(p_org_id) $$;
comment on function api.delete_organization(uuid) is
  'Owners: deletes the organization with its keys, members and usage, at once and for good.';

create function api.list_members(p_org_id uuid) returns table (user_id uuid, email text, role text, since text)
language sql stable
set search_path = ''
as $$ select * from account.list_members(p_org_id) $$;
comment on function api.list_members(uuid) is 'The members of an organization of the caller.';

create function api.invite_member(p_org_id uuid, p_role text default 'member') returns jsonb
language sql volatile
set search_path = ''
as $$ select account.invite_member(p_org_id, p_role) $$;
comment on function api.invite_member(uuid, text) is
  'Owners: {invitation_id, code, role, expires_at}; the code is returned once.';

create function api.withdraw_invitation(p_invitation uuid) returns void
language sql volatile
set search_path = ''
as $$ select account.withdraw_invitation(p_invitation) $$;
comment on function api.withdraw_invitation(uuid) is
  'Owners: makes the code of an invitation invalid.';

create function api.accept_invitation(p_code text) returns jsonb
language sql volatile
set search_path = ''
as $$ select account.accept_invitation(p_code) $$;
comment on function api.accept_invitation(text) is 'Joins an organization: {org_id, name, role}.';

create function api.remove_member(p_org_id uuid, p_user uuid) returns void
language sql volatile
set search_path = ''
as $$ select account.remove_member(p_org_id, p_user) $$;
comment on function api.remove_member(uuid, uuid) is
  'Owners: removes a member. Every member may remove themselves.';

create function api.leave_organization(p_org_id uuid) returns void
language sql volatile
set search_path = ''
as $$ select account.remove_member(p_org_id, (select auth.uid())) $$;
comment on function api.leave_organization(uuid) is
  'Ends the membership of the caller. 409 for the last owner.';

create function api.set_member_role(p_org_id uuid, p_user uuid, p_role text) returns void
language sql volatile
set search_path = ''
as $$ select account.set_member_role(p_org_id, p_user, p_role) $$;
comment on function api.set_member_role(uuid, uuid, text) is
  'Owners: sets a role, owner or member.';

create function api.mint_key(p_org_id uuid, p_name text) returns jsonb
language sql volatile
set search_path = ''
as $$ select account.mint_own_key(p_org_id, p_name) $$;
comment on function api.mint_key(uuid, text) is
  'Owners: {org_id, key_id, prefix, name, created_at, key}; the key is returned once.';

create function api.rename_key(p_key uuid, p_name text) returns void
language sql volatile
set search_path = ''
as $$ select account.rename_key(p_key, p_name) $$;
comment on function api.rename_key(uuid, text) is 'Owners: renames a key, 1 to 100 characters.';

create function api.revoke_key(p_key uuid) returns void
language sql volatile
set search_path = ''
as $$ select account.revoke_key(p_key) $$;
comment on function api.revoke_key(uuid) is
  'Owners: revokes a key. The next request with it gets 401.';

create function api.rotate_key(p_key uuid, p_overlap_hours integer) returns jsonb
language sql volatile
set search_path = ''
as $$ select account.rotate_key(p_key, p_overlap_hours) $$;
comment on function api.rotate_key(uuid, integer) is
  'Owners: the result of mint_key with {replaces, old_expires_at}. The old key works for another '
  '0 to 72 hours.';

create view api.my_organizations with (security_invoker = true) as
select o.org_id, o.name, m.role, s.tier, s.status, base.format_time(o.created_at) as created_at
from account.members m
join account.organizations o on o.org_id = m.org_id
join account.subscriptions s on s.org_id = m.org_id
where m.user_id = (select auth.uid());
comment on view api.my_organizations is 'The organizations of the caller, with role and plan.';

create view api.my_keys with (security_invoker = true) as
select k.org_id, k.key_id, k.prefix::text as prefix, k.name,
       base.format_time(k.created_at) as created_at,
       base.format_time(k.expires_at) as expires_at,
       base.format_time(k.revoked_at) as revoked_at,
       base.format_time(k.last_used_at) as last_used_at
from account.keys k;
comment on view api.my_keys is
  'Keys of the caller''s organizations; inactive ones stay for a year.';

create view api.my_invitations with (security_invoker = true) as
select i.org_id, i.invitation_id, i.role, base.format_time(i.created_at) as created_at,
       base.format_time(i.expires_at) as expires_at
from account.invitations i
where i.expires_at > clock_timestamp();
comment on view api.my_invitations is 'Open invitations to the caller''s organizations.';

-- The same arithmetic as account.admit; a test compares them.
create view api.my_usage with (security_invoker = true) as
select u.org_id, s.tier, s.status,
       t.window_requests as window_quota,
       case when w.runs then u.window_used else 0 end as window_used,
       case when w.runs then base.format_time(u.window_began_at + interval '60 seconds') end as window_ends_at,
       t.month_requests as month_quota,
       case when u.month = n.month then u.month_used else 0 end as month_used,
       base.format_time((n.month + interval '1 month') at time zone 'UTC') as month_ends_at,
       t.stream_connections,
       t.webhook_endpoints
from account.usage u
join account.subscriptions s on s.org_id = u.org_id
join account.tiers t on t.tier = s.tier
cross join lateral (select u.window_began_at > clock_timestamp() - interval '60 seconds' as runs) w
cross join lateral (select date_trunc('month', clock_timestamp() at time zone 'UTC')::date as month) n;
comment on view api.my_usage is
  'Rate-limit window and month of the caller''s organizations as the next request would find '
  'them; window_ends_at is null without a current window.';

create view api.my_monthly_usage with (security_invoker = true) as
select m.org_id, m.month::text as month, m.used
from account.monthly_usage m;
comment on view api.my_monthly_usage is 'Requests with data in past months.';

create view api.my_audit with (security_invoker = true) as
select a.audit_id, a.org_id, base.format_time(a.at) as at, a.actor, a.action, a.subject, a.detail
from account.audit a;
comment on view api.my_audit is
  'Changes in the caller''s organizations and who made them. Kept for a year.';

create view api.tiers with (security_invoker = true) as
select t.tier, t.window_requests, t.month_requests, t.stream_connections, t.webhook_endpoints
from account.tiers t;
comment on view api.tiers is 'The features of each tier.';

create function api.reject_view_write() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  raise exception 'this view is read-only' using errcode = '42501';
end
$$;
comment on function api.reject_view_write() is
  'Rejects a write with 42501. Without it Postgres raises 55000 for a view with joins before it '
  'checks rights, which is a 500 over REST.';
create trigger reading_only instead of insert or update or delete on api.my_organizations
  for each row execute function api.reject_view_write();
create trigger reading_only instead of insert or update or delete on api.my_usage
  for each row execute function api.reject_view_write();

grant select on api.my_organizations, api.my_keys, api.my_invitations, api.my_usage, api.my_monthly_usage, api.my_audit,
  api.tiers to authenticated;
grant execute on function
  api.start_session(text),
  api.rename_organization(uuid, text),
  api.delete_organization(uuid),
  api.list_members(uuid),
  api.invite_member(uuid, text),
  api.withdraw_invitation(uuid),
  api.accept_invitation(text),
  api.remove_member(uuid, uuid),
  api.leave_organization(uuid),
  api.set_member_role(uuid, uuid, text),
  api.mint_key(uuid, text),
  api.rename_key(uuid, text),
  api.revoke_key(uuid),
  api.rotate_key(uuid, integer)
to authenticated;

create function api.get_account(p_in account.admission) returns api.route_result
language plpgsql stable
set search_path = ''
as $$
declare
  v_answer api.route_result;
begin
  v_answer.status := 200;
  v_answer.body := (
    select json_build_object(
      'organization', json_build_object('id', o.org_id, 'name', o.name),
      'tier', s.tier,
      'status', s.status,
      'window', json_build_object(
        'quota', p_in.window_quota, 'used', p_in.window_used, 'seconds', 60,
        'resets_at', base.format_time(u.window_began_at + interval '60 seconds')
      ),
      'month',
      json_build_object(
        'quota', p_in.month_quota, 'used', p_in.month_used, 'resets_at', base.format_time(p_in.month_ends_at)
      ),
      'stream_connections', t.stream_connections,
      'webhook_endpoints', t.webhook_endpoints
    )::text
    from account.organizations o
    join account.subscriptions s on s.org_id = o.org_id
    join account.tiers t on t.tier = s.tier
    join account.usage u on u.org_id = o.org_id
    where o.org_id = p_in.org_id
  );
  return v_answer;
end
$$;
comment on function api.get_account(account.admission) is
  'GET /v1/account: the organization, its plan and its rate state, this request included. Part of '
  'api.call_action_route.';
grant execute on function api.get_account(account.admission) to parallax_api;

-- 85_api_markets.sql

-- GET /v2/markets
--
-- The statement is built from the filters that are present, so each combination gets its own plan.
-- The default request reads stage = 'catalog' and status in (open, live) and market_type in
-- (moneyline, outright) order by start_time, pair_id limit 501 from an index scan of
-- snapshot_trading, and the texts of that page by an index scan of snapshot_pkey. With 3,000 open
-- pairs, a third of them changed by each of 30 steps (PostgreSQL 17, 2 cores under other load,
-- 2026-11-23), a page of 50 / 500 takes: first page 1.5 / 7 ms, by -spread_pts 8 / 20 ms; a page of
-- a paging that began in this step 8 / 19 and 14 / 28 ms; one that began 28 steps ago, over 28,000
-- former rows, 41 / 74 and 72 / 94 ms. The index has open and live rows only, in the requested
-- order, so settled rows cost nothing. sort=-spread_pts has no index on purpose
-- (44_price_snapshot.sql): a sequential scan and a top-501 heapsort.

create function api.markets_version() returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return (select s.version from price.snapshot_state s);
end
$$;
comment on function api.markets_version() is
  'The version of every list: all lists change with the step.';

-- A cursor names the state of the snapshot in which its paging began
-- (price.snapshot_state.change_no). Order and membership come from that state (price.past_rows);
-- the contents of a row are current, as snapshot_at states. has_history is current too: the sampler
-- sets it between steps, and a row that gains or loses its history enters or leaves the list at
-- once.

create function api.markets_where(p_params jsonb) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_where text := format(
    's.stage = %L', case p_params ->> 'signal' when 'candidates' then 'candidate' else 'catalog' end
  );
begin
  v_where := v_where
    || format(' and s.status = any (%L::text[])', array(select jsonb_array_elements_text(p_params -> 'status')))
    || price.filter_condition(p_params);
  if p_params ? 'market_type' then
    v_where := v_where || format(
      ' and s.market_type = any (%L::text[])', array(select jsonb_array_elements_text(p_params -> 'market_type'))
    );
  end if;
  if p_params ->> 'signal' = 'spread' then
    v_where := v_where || ' and s.signal = ''spread''';
  end if;
  if p_params ? 'game_id' then
    -- A game_id that is no id arrives as null and matches nothing.
    v_where := v_where || format(' and s.game_id = %L', (p_params ->> 'game_id')::uuid);
  end if;
  if (p_params ->> 'has_history')::boolean then
    -- Only closed and settled markets, with any status in the request.
    v_where := v_where || ' and s.has_history and s.status in (''closed'', ''settled'')';
  end if;
  return v_where;
end
$$;
comment on function api.markets_where(jsonb) is
  'SQL condition on a row s of the snapshot, from the parameters of api.get_markets.';

create function api.markets_from(p_change_no bigint) returns text
language sql immutable
set search_path = ''
as $$
  select case
    when p_change_no is null then 'price.snapshot s'
    else format(
      $q$(
          with was as materialized (
            select r.*
            from (
              select f.pair_id, min(f.until_change_no) as until_change_no
              from price.past_rows f
              where f.until_change_no > %1$s
              group by f.pair_id
            ) f
            join price.past_rows r on r.until_change_no = f.until_change_no and r.pair_id = f.pair_id
          )
          select n.pair_id, n.stage, n.category, n.market_type, n.sport, n.competition, n.location,
                 n.asset, n.indicator, n.basis, n.institution, n.status, n.signal,
                 n.spread_pts, n.start_time, n.game_id, n.has_history
          from price.snapshot n
          where not exists (select from was w where w.pair_id = n.pair_id)
          union all
          select w.pair_id, w.stage, w.category, w.market_type, w.sport, w.competition, w.location,
                 w.asset, w.indicator, w.basis, w.institution, w.status, w.signal,
                 w.spread_pts, w.start_time, w.game_id, n.has_history
          from was w
          join price.snapshot n on n.pair_id = w.pair_id
        ) s$q$,
      p_change_no
    )
  end
$$;
comment on function api.markets_from(bigint) is
  'SQL source of rows s: the current snapshot, or the one in which a paging began without the '
  'rows that left since.';

create type api.page_order as (order_by text, key text, after text);
comment on type api.page_order is
  'SQL of a total order of rows s: order by, the sort key of a row as text, and the condition for '
  'rows after a cursor.';

create function api.markets_order(p_sort text, p_after jsonb) returns api.page_order
language plpgsql stable
set search_path = ''
as $$
declare
  v_order api.page_order;
  v_at text;
begin
  -- Every order ends with the id, so it is total.
  if p_sort = '-spread_pts' then
    v_order := (
      's.spread_pts desc nulls last, s.pair_id',
      's.spread_pts::text',
      case
        when p_after ->> 'key' is null then ' and s.spread_pts is null and s.pair_id > %2$L::uuid'
        else ' and (s.spread_pts < %1$s or s.spread_pts is null or (s.spread_pts = %1$s and s.pair_id > %2$L::uuid))'
      end
    );
    v_at := format('%L::numeric', p_after ->> 'key');
  else
    v_order := (
      case p_sort when '-start_time' then 's.start_time desc, s.pair_id' else 's.start_time, s.pair_id' end,
      '(extract(epoch from s.start_time) * 1000000)::bigint::text',
      case p_sort
        when '-start_time' then ' and (s.start_time < %1$s or (s.start_time = %1$s and s.pair_id > %2$L::uuid))'
        else ' and (s.start_time, s.pair_id) > (%1$s, %2$L::uuid)'
      end
    );
    v_at := format('(timestamptz ''epoch'' + %L::bigint * interval ''1 microsecond'')', p_after ->> 'key');
  end if;
  v_order.after := case when p_after is null then '' else format(v_order.after, v_at, p_after ->> 'id') end;
  return v_order;
end
$$;
comment on function api.markets_order(text, jsonb) is
  'The order of a sort, and the condition for rows after {key, id}, the last row of the previous '
  'page; null for no condition.';

create function api.encode_cursor(p_view text, p_key text, p_id text, p_change_no bigint) returns text
language sql stable parallel safe
set search_path = ''
as $$
  select translate(
    encode(convert_to(json_build_array(p_view, p_key, p_id, p_change_no)::text, 'UTF8'), 'base64'), E'+/=\n', '-_'
  )
$$;
comment on function api.encode_cursor(text, text, text, bigint) is
  'base64url of [view, sort key, id, change_no]: the last row of a page and the start of the '
  'paging. functions/api/cursor.ts parses it.';

create function api.get_markets(p_params jsonb) returns api.route_result
language plpgsql volatile
set search_path = ''
as $$
declare
  v_limit integer := (p_params ->> 'limit')::integer;
  v_began bigint := (p_params #>> '{after,change_no}')::bigint;
  v_order api.page_order := api.markets_order(p_params ->> 'sort', p_params -> 'after');
  v_rows record;
  v_answer api.route_result;
begin
  execute format(
    $q$
      with page as materialized (
        select s.pair_id, %1$s as key
        from %2$s
        where %3$s%4$s
        order by %5$s
        limit %6$s
        offset %7$s
      ), numbered as (
        select p.*, row_number() over () as n
        from page p
      )
      select count(*) as found,
             string_agg(price.market_json(s.head, s.%8$I, s.tail, %9$s), ',' order by p.n)
               filter (where p.n <= %10$s) as markets,
             max(p.key) filter (where p.n = %10$s) as last_key,
             max(p.pair_id::text) filter (where p.n = %10$s) as last_id,
             -- Read in the statement of the rows: another session may make the next step meanwhile.
             api.markets_version() as version,
             (select t.step from price.snapshot_state t) as step,
             (select t.change_no from price.snapshot_state t) as change_no,
             %11$s as lives
      from numbered p
      join price.snapshot s on s.pair_id = p.pair_id
    $q$,
    v_order.key,
    api.markets_from(v_began),
    api.markets_where(p_params),
    v_order.after,
    v_order.order_by,
    v_limit + 1,
    ((p_params ->> 'page')::bigint - 1) * v_limit,
    case when p_params -> 'include' ? 'depth' then 'outcomes_depth' else 'outcomes' end,
    case when p_params -> 'include' ? 'ids' then 's.ids, ' else 'null, ' end
      || case when p_params -> 'include' ? 'settlement' then 's.settlement' else 'null' end,
    v_limit,
    case when v_began is null then 'true' else format('price.is_cursor_valid(%s)', v_began) end
  )
  into v_rows;
  if not v_rows.lives then
    v_answer.status := 422;
    v_answer.body := json_build_array(json_build_object(
      'loc', array['query', 'cursor'],
      'msg',
      'Value error, this walk has ended: a cursor works for at least two minutes after the first page. Begin again '
      'without it',
      'type', 'cursor.expired',
      'input', p_params ->> 'cursor',
      'ctx', json_build_object()
    ));
    return v_answer;
  end if;

  v_answer.status := 200;
  v_answer.version := v_rows.version;
  v_answer.step := v_rows.step;
  v_answer.body := '{"count":' || least(v_rows.found, v_limit)
    || ',"category":' || coalesce(to_json(p_params ->> 'category')::text, 'null')
    || ',"sport":' || coalesce(to_json(p_params ->> 'sport')::text, 'null')
    || ',"has_more":' || case when v_rows.found > v_limit then 'true' else 'false' end
    || ',"next_cursor":' || case
      when v_rows.found > v_limit then
        to_json(
          api.encode_cursor(p_params ->> 'view', v_rows.last_key, v_rows.last_id, coalesce(v_began, v_rows.change_no))
        )::text
      else 'null'
    end
    || ',"snapshot_at":"' || base.format_time(v_rows.step)
    || '","delay_seconds":' || (select trim_scale(extract(epoch from s.rest_delay)) from price.settings s)
    || ',"markets":[' || coalesce(v_rows.markets, '') || ']}';
  return v_answer;
end
$$;
comment on function api.get_markets(jsonb) is
  'The list. p_params, from functions/api/routes/get_markets.ts: present filters, status[], '
  'market_type[], signal, sort, include[], page, limit, cursor {key, id, change_no}, view.';

grant usage on type api.page_order to parallax_api;
grant execute on function
  api.markets_version(),
  api.markets_where(jsonb),
  api.markets_from(bigint),
  api.markets_order(text, jsonb),
  api.encode_cursor(text, text, text, bigint),
  api.get_markets(jsonb)
to parallax_api;

-- 86_api_history.sql

-- GET /v2/pairs/{market_id}/history
--
-- A response has at most 20,160 points: a week of two outcomes, about 1 MB. If the range has more,
-- the newest stay and "from" is their start, so that a client can continue with to = from - 60000.
--
-- A week of two outcomes among 300 pairs (explain analyze, PostgreSQL 17, 2026-11-20, both cores
-- under load): Aggregate (actual rows=1, 989 kB; execution 187 ms, 100 to 200 ms in all runs)
--     -> GroupAggregate -> Sort (rows=20160, 2 MB)
--       -> Hash Join with places (actual time=0.078..46.2 rows=20160)
--         -> Nested Loop (actual time=0.035..41.6 rows=20160)
--           -> Append: the open hour, and a bitmap scan of each day in range (0.017..0.61 rows=169)
--           -> Function Scan on unnest (rows=119 loops=169)
-- Most of the time goes into writing 40,000 numbers as text. An isolate caches the response until
-- the next minute.

create function api.history_state(p_params jsonb) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    -- Two numbers, like every version (functions/api/database.ts). The second is the bucket in
    -- minutes followed by ten digits of how often history was written.
    select p.change_no || '.'
      || coalesce(floor(extract(epoch from nullif(t.step, '-infinity')) / 60)::bigint, 0)
      || lpad(s.change_no::text, 10, '0')
    from catalog.pairs p
    cross join price.sampler_state s
    cross join price.snapshot_state t
    where p.pair_id = (p_params ->> 'id')::uuid
      and p.withdrawn_at is null
  );
end
$$;
comment on function api.history_state(jsonb) is
  'The identity of a pair, how often its history was written, and the newest bucket that REST may '
  'serve; null for an unknown or withdrawn id.';

create function api.history_version(p_params jsonb) returns text
language plpgsql volatile
set search_path = ''
as $$
begin
  -- The first request after a step samples the buckets that the step has passed, so that no
  -- response lags its snapshot by more than a bucket. Longer gaps are left to pg_cron: a request
  -- has no time for them.
  perform price.sample_history(5);
  return api.history_state(p_params);
end
$$;
comment on function api.history_version(jsonb) is
  'api.history_state after the sampler has caught up.';

create function api.history_series(p_pair_id uuid, p_first timestamptz, p_last timestamptz) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    with points as (
      select s.order_no, s.t, u.n as place, u.ask_a, u.ask_b
      from price.minute_samples s
      cross join lateral unnest(s.ask_a, s.ask_b) with ordinality u(ask_a, ask_b, n)
      where s.pair_id = p_pair_id
        and s.t between p_first and p_last
      union all
      -- One pass over each array: access to an element of a two-dimensional array counts from the
      -- first element, so single accesses are quadratic.
      select h.order_no, h.hour + h.minutes[(u.n - 1) / w.outcomes + 1] * interval '1 minute',
             (u.n - 1) % w.outcomes + 1, u.ask_a, u.ask_b
      from price.hourly_history h
      cross join lateral (select array_length(h.ask_a, 2) as outcomes) w
      cross join lateral unnest(h.ask_a, h.ask_b) with ordinality u(ask_a, ask_b, n)
      where h.pair_id = p_pair_id
        and h.hour between date_trunc('hour', p_first, 'UTC') and p_last
        and h.hour + h.minutes[(u.n - 1) / w.outcomes + 1] * interval '1 minute' between p_first and p_last
    ), places as materialized (
      select o.order_no, k.place, k.key, coalesce(c.name, k.name) as name, c.ordinal
      from price.outcome_orders o
      cross join lateral unnest(o.keys, o.names) with ordinality k(key, name, place)
      left join catalog.outcomes c on c.pair_id = o.pair_id and c.key = k.key
      where o.pair_id = p_pair_id
    ), series as (
      -- Current outcomes come first, in the order of the pair. Former outcomes follow with their
      -- points.
      select min(l.ordinal) as ordinal, min(l.order_no) as order_no, min(l.place) as place,
             '{"outcome":' || to_json(l.key) || ',"name":' || to_json((array_agg(l.name order by l.order_no desc))[1])
               || ',"points":['
               || string_agg(
                 '{"t":' || (extract(epoch from p.t) * 1000)::bigint
                   || ',"venue_a":' || coalesce(trim_scale(p.ask_a / 1000000.0)::text, 'null')
                   || ',"venue_b":' || coalesce(trim_scale(p.ask_b / 1000000.0)::text, 'null') || '}',
                 ',' order by p.t
               ) || ']}' as one
      from points p
      join places l on l.order_no = p.order_no and l.place = p.place
      where p.ask_a is not null or p.ask_b is not null
      group by l.key
    )
    select coalesce(string_agg(s.one, ',' order by s.ordinal nulls last, s.order_no, s.place), '')
    from series s
  );
end
$$;
comment on function api.history_series(uuid, timestamptz, timestamptz) is
  'Part of api.get_history: a series for each outcome with a point in the range, without points '
  'that have no ask on either venue.';

create function api.get_history(p_params jsonb) returns api.route_result
-- Stable: all its statements read one snapshot of the database, so the version matches the bytes.
language plpgsql stable
set search_path = ''
as $$
declare
  v_most constant integer := 20160;
  v_minute constant interval := interval '1 minute';
  v_id uuid := (p_params ->> 'id')::uuid;
  v_step timestamptz := (select s.step from price.snapshot_state s);
  v_from timestamptz := timestamptz 'epoch' + (p_params ->> 'from')::bigint * interval '1 millisecond';
  v_to timestamptz := timestamptz 'epoch' + (p_params ->> 'to')::bigint * interval '1 millisecond';
  v_outcomes integer;
  v_first timestamptz;
  v_last timestamptz;
  v_answer api.route_result;
begin
  select count(distinct k.key)
  into v_outcomes
  from price.outcome_orders o
  cross join lateral unnest(o.keys) k(key)
  where o.pair_id = v_id
    and o.until is not null;
  -- Not later than the snapshot. The sampler stays behind it, unless the market clock was set back.
  v_last := date_bin(v_minute, least(v_to, v_step), timestamptz 'epoch');
  v_first := greatest(
    date_bin(v_minute, v_from + interval '59.999 seconds', timestamptz 'epoch'),
    v_last - (v_most / greatest(v_outcomes, 1) - 1) * v_minute,
    case when v_from is null then v_last - interval '7 days' + v_minute end
  );

  v_answer.version := api.history_state(p_params);
  if v_answer.version is null then
    v_answer.status := 404;
    v_answer.code := 'pair.not_found';
    return v_answer;
  end if;
  v_answer.status := 200;
  v_answer.step := v_step;
  v_answer.body := '{"id":"mkt_' || v_id || '","bucket_seconds":60,"delay_seconds":'
    || (select trim_scale(extract(epoch from s.rest_delay)) from price.settings s)
    || ',"from":' || (extract(epoch from v_first) * 1000)::bigint
    || ',"to":' || (extract(epoch from v_last) * 1000)::bigint
    || ',"series":[' || case when v_outcomes > 0 then api.history_series(v_id, v_first, v_last) else '' end || ']}';
  return v_answer;
end
$$;
comment on function api.get_history(jsonb) is
  'Asks of both venues by the minute, oldest first. p_params: {id, from, to: epoch ms or absent '
  '(the last 7 days)}. 404 pair.not_found for an unknown or withdrawn id.';

grant execute on function
  api.history_state(jsonb),
  api.history_version(jsonb),
  api.history_series(uuid, timestamptz, timestamptz),
  api.get_history(jsonb)
to parallax_api;

-- 86_api_pair.sql

-- GET /v2/pairs/{market_id}

create function api.pair_version(p_params jsonb) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_id uuid := (p_params ->> 'id')::uuid;
begin
  -- A pair that was matched after the last step exists, but has no price yet.
  return coalesce(
    (select s.change_no || '.' || coalesce((s.price_update).update_no, 0) from price.snapshot s where s.pair_id = v_id),
    (select p.change_no || '.0' from catalog.pairs p where p.pair_id = v_id and p.withdrawn_at is null)
  );
end
$$;
comment on function api.pair_version(jsonb) is
  'The identity and price update of the market; null for an unknown or withdrawn id.';

create function api.get_pair(p_params jsonb) returns api.route_result
language plpgsql volatile
set search_path = ''
as $$
declare
  v_id uuid := (p_params ->> 'id')::uuid;
  v_row price.snapshot;
  v_answer api.route_result;
begin
  select s.* into v_row from price.snapshot s where s.pair_id = v_id;
  if not found then
    select u.* into v_row from price.unpriced_row_of(v_id) u;
  end if;
  if not found then
    v_answer.status := 404;
    v_answer.code := 'pair.not_found';
    return v_answer;
  end if;
  v_answer.status := 200;
  v_answer.version := v_row.change_no || '.' || coalesce((v_row.price_update).update_no, 0);
  v_answer.body := price.market_json(
    v_row.head,
    case when p_params -> 'include' ? 'depth' then v_row.outcomes_depth else v_row.outcomes end,
    v_row.tail,
    case when p_params -> 'include' ? 'ids' then v_row.ids end,
    case when p_params -> 'include' ? 'settlement' then v_row.settlement end
  );
  return v_answer;
end
$$;
comment on function api.get_pair(jsonb) is
  'One market. p_params: {id: uuid, include[]}; 404 pair.not_found for an unknown or withdrawn id.';

grant execute on function api.pair_version(jsonb), api.get_pair(jsonb) to parallax_api;

-- 87_api_discovery.sql

-- GET /v2/categories and GET /v2/leagues: the filters that return something. Both count published
-- rows (stage catalog), as /v2/markets lists by default. Candidates are left out: a league with
-- candidates only would be an empty list.
--
-- Each is one sequential scan of the snapshot and a hash or sort of some dozens of groups, once for
-- each step: 2.2 ms (categories) and 1.7 ms (leagues) at 3,000 pairs, 25 ms each at 20,000
-- (PostgreSQL 17, 2 cores, 2026-11-20). An index on nine columns, which the status changes, would
-- cost every step more.

create function api.facet_keys(p_market_type text) returns text[]
language sql immutable parallel safe
set search_path = ''
as $$
  select f.facets from catalog.market_families() f where f.family = p_market_type
$$;
comment on function api.facet_keys(text) is
  'The contextual fields that distinguish markets of a type; the other fields are null.';

create function api.get_categories(p_params jsonb) returns api.route_result
language plpgsql volatile
set search_path = ''
as $$
declare
  v_answer api.route_result;
begin
  with counted as materialized (
    select s.category, s.market_type, s.sport, s.competition, s.location, s.asset, s.indicator, s.basis, s.institution,
           count(*) as rows,
           count(*) filter (where s.status = 'open') as open,
           count(*) filter (where s.status = 'live') as live,
           count(*) filter (where s.status = 'settled') as settled
    from price.snapshot s
    where s.stage = 'catalog'
    group by s.category, s.market_type, s.sport, s.competition, s.location, s.asset, s.indicator, s.basis, s.institution
  ), keyed as (
    select c.category, c.market_type, c.rows, f.context, f.facets_json
    from counted c
    cross join lateral (
      select array_agg(k.value order by k.n) as context,
             string_agg(
               format(',"%s":%s', k.key, coalesce(to_json(k.value)::text, 'null')), '' order by k.n
             ) as facets_json
      from (
        select u.key, u.n,
               case u.key
                 when 'sport' then c.sport
                 when 'competition' then c.competition
                 when 'location' then c.location
                 when 'asset' then c.asset
                 when 'indicator' then c.indicator
                 when 'basis' then c.basis
                 when 'institution' then c.institution
               end as value
        from unnest(api.facet_keys(c.market_type)) with ordinality as u (key, n)
      ) k
    ) f
  ), facets as (
    select k.category, k.market_type, k.context,
           '{"market_type":' || to_json(k.market_type) || k.facets_json || ',"count":' || sum(k.rows) || '}' as json
    from keyed k
    group by k.category, k.market_type, k.context, k.facets_json
  ), categories as (
    select c.category,
           to_json(array_agg(distinct c.market_type order by c.market_type)) as market_types,
           sum(c.rows) as rows, sum(c.open) as open, sum(c.live) as live, sum(c.settled) as settled
    from counted c
    group by c.category
  )
  select 200, api.markets_version(), (select t.step from price.snapshot_state t),
         '{"categories":[' || coalesce(string_agg(
           '{"category":' || to_json(c.category) || ',"market_types":' || c.market_types
             || ',"facets":['
             || (
               select string_agg(f.json, ',' order by f.market_type, f.context)
               from facets f
               where f.category = c.category
             )
             || '],"count":' || c.rows || ',"open":' || c.open || ',"live":' || c.live || ',"settled":' || c.settled
             || '}',
           ',' order by c.category
         ), '') || ']}'
  into v_answer.status, v_answer.version, v_answer.step, v_answer.body
  from categories c;
  return v_answer;
end
$$;
comment on function api.get_categories(jsonb) is
  'Every combination of category, market type and context of published rows. count includes all '
  'statuses; open, live and settled are parts of it. Facets add up to count.';

create function api.get_leagues(p_params jsonb) returns api.route_result
language plpgsql volatile
set search_path = ''
as $$
declare
  v_answer api.route_result;
begin
  select 200, api.markets_version(), (select t.step from price.snapshot_state t),
         '{"sports":[' || coalesce(string_agg(
           -- The form that old clients expect: every market counts as open.
           '{"sport":' || to_json(l.sport) || ',"leagues":' || l.leagues
             || ',"count":' || l.rows || ',"open":' || l.rows || ',"live":0,"settled":0}',
           ',' order by l.sport
         ), '') || ']}'
  into v_answer.status, v_answer.version, v_answer.step, v_answer.body
  from (
    select s.sport, count(*) as rows,
           coalesce(
             to_json(array_agg(distinct s.competition order by s.competition) filter (where s.competition is not null)),
             '[]'
           ) as leagues
    from price.snapshot s
    where s.stage = 'catalog'
      and s.status in ('open', 'live')
      and s.sport is not null
    group by s.sport
  ) l;
  return v_answer;
end
$$;
comment on function api.get_leagues(jsonb) is
  'Deprecated, use /v2/categories. Leagues of each sport among open or live published rows; count '
  'includes rows without a league.';

grant execute on function api.facet_keys(text), api.get_categories(jsonb), api.get_leagues(jsonb) to parallax_api;

-- 87_api_search.sql

-- GET /v2/search

create function api.get_search(p_params jsonb) returns api.route_result
language plpgsql volatile
set search_path = ''
as $$
declare
  v_page bigint := (p_params ->> 'page')::bigint;
  v_size bigint := (p_params ->> 'page_size')::bigint;
  v_rows record;
  v_answer api.route_result;
begin
  select f.total, m.row_count, m.markets,
         -- Read in the statement of the rows: another session may make the next step meanwhile.
         api.markets_version() as version,
         (select x.step from price.snapshot_state x) as step
  into v_rows
  from price.search_snapshot(
    p_params ->> 'q',
    array(select jsonb_array_elements_text(p_params -> 'status')),
    p_params ->> 'category',
    p_params ->> 'sport',
    v_size,
    (v_page - 1) * v_size
  ) f
  cross join lateral (
    select count(*) as row_count, string_agg(j.json, ',' order by p.n) as markets
    from unnest(f.pairs) with ordinality as p (pair_id, n)
    join price.snapshot s on s.pair_id = p.pair_id
    join price.search_texts t on t.pair_id = p.pair_id
    cross join lateral (select ('{' || s.head || '}')::json as head) h
    cross join lateral (
      select row_to_json(x)::text as json
      from (
        select h.head -> 'id' as id, h.head -> 'category' as category, h.head -> 'market_type' as market_type,
               h.head -> 'sport' as sport, h.head -> 'competition' as competition, h.head -> 'tags' as tags,
               h.head -> 'title' as title, h.head -> 'start_time' as start_time, h.head -> 'status' as status,
               h.head -> 'signal' as signal, t.outcomes::json as outcomes, h.head -> 'coverage' as coverage
      ) x
    ) j
  ) m;

  v_answer.status := 200;
  v_answer.version := v_rows.version;
  v_answer.step := v_rows.step;
  v_answer.body := '{"q":' || to_json(p_params ->> 'q')
    || ',"category":' || coalesce(to_json(p_params ->> 'category')::text, 'null')
    || ',"sport":' || coalesce(to_json(p_params ->> 'sport')::text, 'null')
    || ',"page":' || v_page
    || ',"page_size":' || v_size
    || ',"count":' || v_rows.row_count
    || ',"total":' || v_rows.total
    || ',"has_more":' || case when v_rows.total > v_page * v_size then 'true' else 'false' end
    || ',"markets":[' || coalesce(v_rows.markets, '') || ']}';
  return v_answer;
end
$$;
comment on function api.get_search(jsonb) is
  'Free-text search over rows of both stages, identity only. p_params, from '
  'functions/api/routes/get_search.ts: q, status[], category, sport, page, page_size.';

grant execute on function api.get_search(jsonb) to parallax_api;

-- 87_api_spreads.sql

-- GET /v2/spreads
--
-- An observation is published when it is certainly the same question on both venues (both
-- confidences at least 0.95), is no arb, and both venues quote different prices now. The band does
-- not matter: a ladder that its family keeps in REVIEW is listed with its match_band. Candidates
-- never qualify: it is not certain that they ask the same question, and 331_catalog_assemble.sql
-- makes one of every pair with a confidence below 0.95.
--
-- 3,000 pairs of which 2,597 qualify (explain analyze, PostgreSQL 17, 2 cores, 2026-11-20): 5.0 ms
-- for the 100 widest (176 KB), 17 ms for 500 (880 KB): CTE widest -> Limit -> Sort (top-N heapsort,
-- 37 kB) -> Seq Scan on snapshot s (rows=2597) Nested Loop -> CTE Scan on widest w, Index Scan
-- using snapshot_pkey on snapshot s (rows=100) Only id and spread are sorted: with the texts of
-- every row in the sort the same took 25 and 45 ms. spread_pts has no index
-- (44_price_snapshot.sql).

create function api.get_spreads(p_params jsonb) returns api.route_result
language plpgsql volatile
set search_path = ''
as $$
declare
  v_named constant text[] := array[
    'category', 'sport', 'competition', 'location', 'asset', 'indicator', 'basis', 'institution'
  ];
  v_where text := price.filter_condition(p_params);
  v_echo text := '';
  v_column text;
  v_rows record;
  v_answer api.route_result;
begin
  foreach v_column in array v_named loop
    v_echo := v_echo || format('"%s":%s,', v_column, coalesce(to_json(p_params ->> v_column)::text, 'null'));
  end loop;
  if p_params ->> 'min_gap' is not null then
    v_where := v_where || format(' and s.spread_pts >= %L::numeric', p_params ->> 'min_gap');
  end if;

  execute format(
    $q$
      with widest as materialized (
        select s.pair_id, s.spread_pts
        from price.snapshot s
        where s.stage = 'catalog'
          and s.status in ('open', 'live')
          and s.signal = 'spread'
          and s.priced
          and s.spread_pts > 0
          and s.entity_confidence >= 0.95
          and s.resolution_confidence >= 0.95%1$s
        order by s.spread_pts desc, s.pair_id
        limit %2$s
      )
      select count(*) as found,
             string_agg(
               '{' || price.fields_of(j.json) || ',' || s.settlement || '}',
               ',' order by w.spread_pts desc, w.pair_id
             ) as spreads,
             -- Read in the statement of the rows: another session may make the next step meanwhile.
             api.markets_version() as version,
             (select t.step from price.snapshot_state t) as step
      from widest w
      join price.snapshot s on s.pair_id = w.pair_id
      cross join lateral (
        select row_to_json(x)::text as json
        from (
          select 'mkt_' || s.pair_id as id, s.category, s.market_type, s.sport, s.competition,
                 ('{' || s.head || '}')::json -> 'title' as title,
                 s.status, s.signal, trim_scale(s.spread_pts) as spread_pts, s.band as match_band
        ) x
      ) j
    $q$,
    v_where,
    (p_params ->> 'limit')::integer
  )
  into v_rows;

  v_answer.status := 200;
  v_answer.version := v_rows.version;
  v_answer.step := v_rows.step;
  v_answer.body := '{' || v_echo
    || '"min_gap":' || coalesce(p_params ->> 'min_gap', 'null')
    || ',"count":' || v_rows.found
    || ',"spreads":[' || coalesce(v_rows.spreads, '') || ']}';
  return v_answer;
end
$$;
comment on function api.get_spreads(jsonb) is
  'Spread observations, widest first. p_params, from functions/api/routes/get_spreads.ts: present '
  'filters, min_gap (number or null), limit.';

grant execute on function api.get_spreads(jsonb) to parallax_api;

-- 88_api_arbitrage.sql

-- GET /v2/arbitrage, POST /v2/report-bad-arb
--
-- Runs once for each step and isolate. With the data of 581_arb_serve.sql (400 open opportunities):
-- 40 ms for 100 rows, 61 ms for 400. With the usual four or five it takes less than a millisecond.

create function api.get_arbitrage(p_params jsonb) returns api.route_result
language plpgsql volatile
set search_path = ''
as $$
declare
  v_answer api.route_result;
  v_rows record;
begin
  select t.step, api.markets_version() as version into v_rows from price.snapshot_state t;
  v_answer.step := v_rows.step;
  v_answer.version := v_rows.version;
  v_answer.status := 200;
  select '{"as_of":' || coalesce('"' || base.format_time(max((o.state).priced_at)) || '"', 'null')
    || ',"delay_seconds":' || (select trim_scale(extract(epoch from s.rest_delay)) from price.settings s)
    || ',"count":' || count(*)
    || ',"opportunities":[' || coalesce(string_agg(o.json, ',' order by (o.state).cost, o.opportunity_id), '') || ']}'
  into v_answer.body
  from (
    select w.opportunity_id, w.state, arb.opportunity_json(p, w.opportunity_id, w.opened_at, w.state) as json
    from arb.list_servable(v_rows.step) w
    join catalog.pairs p on p.pair_id = w.pair_id
    where p_params ->> 'sport' is null
      or lower(p.sport) = lower(p_params ->> 'sport')
    order by (w.state).cost, w.opportunity_id
    limit (p_params ->> 'limit')::integer
  ) o;
  return v_answer;
end
$$;
comment on function api.get_arbitrage(jsonb) is
  'Opportunities that are open at the step and still valid now, largest edge first. p_params: '
  '{sport, limit}. The others are left out and recorded in arb.rejections.';

create function api.post_report(p_org_id uuid, p_key_hash bytea, p_params jsonb) returns api.route_result
language plpgsql volatile
set search_path = ''
as $$
declare
  v_answer api.route_result;
begin
  if arb.file_report(p_org_id, p_key_hash, p_params) is null then
    v_answer.status := 409;
    v_answer.code := 'report.limit';
    return v_answer;
  end if;
  v_answer.status := 202;
  v_answer.body := '{"status":"received"}';
  return v_answer;
end
$$;
comment on function api.post_report(uuid, bytea, jsonb) is
  'Files a report. p_params: the body with its five fields trimmed, without blank and null ones. '
  '202; 409 with too many open reports.';

grant execute on function
  api.get_arbitrage(jsonb),
  api.post_report(uuid, bytea, jsonb)
to parallax_api;

-- 88_api_coverage.sql

-- GET /v2/coverage: the rendered census, one row by its key.

create function api.coverage_version() returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return coalesce(
    (select r.report_no || '.' || (extract(epoch from r.as_of) * 1000)::bigint from census.reports r), '0.0'
  );
end
$$;
comment on function api.coverage_version() is
  'The number and the time of the census; 0.0 before the first one.';

create function api.get_coverage(p_params jsonb) returns api.route_result
-- Stable, so that version and body come from one snapshot of the database.
language plpgsql stable
set search_path = ''
as $$
declare
  v_answer api.route_result;
begin
  v_answer.status := 200;
  v_answer.version := api.coverage_version();
  v_answer.body := coalesce(
    (select r.body from census.reports r),
    '{"as_of":null,"counts":{"aggregated":0,"pending":0,"quiet":0,"venue_a_only":0,"dormant":0},'
    '"series":[],"venue_b_unpaired":[],"events_by_series_count":0,"events_by_series":[],"events_by_week":[]}'
  );
  return v_answer;
end
$$;
comment on function api.get_coverage(jsonb) is
  'The census. Before the first one as_of is null and all lists are empty.';

grant execute on function api.coverage_version(), api.get_coverage(jsonb) to parallax_api;

-- 88_api_rules.sql

-- GET /v2/rules: the record of each resolution rule against the limit of the parity gate.

create function api.rules_version() returns text
language plpgsql stable
set search_path = ''
as $$
begin
  -- Two numbers, like every version (functions/api/database.ts).
  return (
    select concat_ws(
      '.',
      (select mod(abs(coalesce(sum(hashtextextended(r::text, 0)), 0)), 1e18) from catalog.rules r),
      (
        select mod(abs(sum(hashtextextended(o.state, 0))), 1e18)
        from (
          select d::text as state
          from catalog.divergences d
          union all
          select s::text
          from catalog.parity_settings s
        ) o
      )
    )
  );
end
$$;
comment on function api.rules_version() is
  'Hashes of the rules, and of the divergences with the parity settings.';

create function api.bounded_text(p_text text, p_limit integer) returns text
language sql immutable parallel safe
set search_path = ''
as $$ select case when length(p_text) > p_limit then left(p_text, p_limit - 1) || '…' else p_text end $$;
comment on function api.bounded_text(text, integer) is
  'Text of a venue, cut to p_limit characters. A venue sets no limit, and a body has one.';

create function api.divergences_of(p_rule_id text, p_limit integer) returns json
language sql stable
set search_path = ''
as $$
  select coalesce(
    json_agg(
      json_build_object(
        'occasion', api.bounded_text(d.occasion, 200),
        'source', d.source,
        'settled_at', base.format_time(d.settled_at),
        'venue_a', json_build_object(
          'event', api.bounded_text(d.event_a, 200), 'title', api.bounded_text(d.title_a, 300),
          'text', api.bounded_text(d.text_a, 6000), 'paid', p.venue_a
        ),
        'venue_b', json_build_object(
          'event', api.bounded_text(d.event_b, 200), 'title', api.bounded_text(d.title_b, 300),
          'text', api.bounded_text(d.text_b, 6000), 'paid', p.venue_b
        )
      )
      order by d.settled_at desc nulls last, d.occasion
    ),
    '[]'
  )
  from (
    select v.*
    from catalog.divergences v
    where v.rule_id = p_rule_id
    order by v.settled_at desc nulls last, v.occasion
    limit p_limit
  ) d
  cross join lateral (
    select coalesce(
             json_agg(
               json_build_object(
                 'outcome', api.bounded_text(o.leg ->> 'outcome', 200), 'usd', (o.leg ->> 'venue_a')::numeric
               )
               order by o.place
             ),
             '[]'
           ) as venue_a,
           coalesce(
             json_agg(
               json_build_object(
                 'outcome', api.bounded_text(o.leg ->> 'outcome', 200), 'usd', (o.leg ->> 'venue_b')::numeric
               )
               order by o.place
             ),
             '[]'
           ) as venue_b
    from jsonb_array_elements(d.paid) with ordinality as o (leg, place)
    where o.place <= 50
  ) p
$$;
comment on function api.divergences_of(text, integer) is
  'The newest p_limit divergences of a rule with the texts and the payouts of both venues.';

create function api.rules_json(p_rules text[], p_members integer, p_divergences integer)
returns table (rule_id text, body text)
language sql stable
set search_path = ''
as $$
  with wanted as materialized (
    select r.*
    from catalog.rules r
    where r.rule_id = any (p_rules)
  ), pools as materialized (
    select m.pool_key, array_agg(m.rule_id order by m.rule_id) as members
    from catalog.rules m
    where m.pool_bound is not null
      and m.pool_key in (select w.pool_key from wanted w)
    group by m.pool_key
  )
  select w.rule_id,
         left(
           json_build_object(
             'rule_id', w.rule_id,
             'family', w.family,
             'competition', coalesce(w.competition, w.scope),
             'agreeing', w.record_agreeing,
             'diverging', w.record_diverging,
             'bound_pct', trim_scale(w.record_bound * 100),
             'state', w.state,
             'first_at', base.format_time(w.first_at),
             'last_at', base.format_time(w.last_at),
             'pool', case
               when w.pool_bound is not null then json_build_object(
                 'count', w.pool_rules,
                 'members', to_json(p.members[:p_members]),
                 'agreeing', w.pool_agreeing,
                 'bound_pct', trim_scale(w.pool_bound * 100)
               )
             end
           )::text,
           -1
         )
           || case
             when p_divergences > 0 then
               ',"divergences_count":' || (select count(*) from catalog.divergences d where d.rule_id = w.rule_id)
               || ',"divergences":' || api.divergences_of(w.rule_id, p_divergences)
             else ''
           end
           || '}'
  from wanted w
  left join pools p on p.pool_key = w.pool_key
$$;
comment on function api.rules_json(text[], integer, integer) is
  'Rules as GET /v2/rules returns them, each with at most p_members of its pool and, unless it is '
  '0, its p_divergences newest divergences.';

create function api.parity_limits_json() returns text
language sql stable
set search_path = ''
as $$
  select '"limit_pct":' || trim_scale(s.max_divergence_rate * 100)
    || ',"confidence_pct":' || trim_scale(s.confidence * 100)
  from catalog.parity_settings s
$$;
comment on function api.parity_limits_json() is
  'The limit of a bound and the confidence of all bounds, as members of a JSON object.';

create function api.rules_after(p_params jsonb, p_limit integer) returns text[]
language sql stable
set search_path = ''
as $$
  -- The order never changes: a rule keeps its id, its family and its scope. So a walk by the last
  -- row of each page repeats no rule and skips none.
  with places as (
    select r.rule_id, r.state, r.family, r.scope, coalesce(r.competition, r.scope) as competition,
           md5(r.rule_id)::uuid as id,
           (r.scope is null, coalesce(r.scope, ''), r.family, r.rule_id) as place
    from catalog.rules r
  )
  select coalesce(array_agg(f.rule_id order by f.place), '{}')
  from (
    select p.rule_id, p.place
    from places p
    where (not p_params ? 'state' or p_params -> 'state' ? p.state)
      and (not p_params ? 'family' or p_params -> 'family' ? p.family)
      and (
        not p_params ? 'competition'
        or lower(p_params ->> 'competition') in (lower(p.competition), lower(p.scope))
      )
      and (
        not p_params ? 'after'
        or p.place > (select l.place from places l where l.id = (p_params ->> 'after')::uuid)
      )
    order by p.place
    limit p_limit
  ) f
$$;
comment on function api.rules_after(jsonb, integer) is
  'The ids of the next p_limit rules by scope, family and id. p_params as in api.get_rules; '
  'after: md5 of the last rule_id.';

create function api.get_rules(p_params jsonb) returns api.route_result
-- Stable, so that version and body come from one snapshot of the database.
language plpgsql stable
set search_path = ''
as $$
declare
  v_with_divergences boolean := coalesce(p_params -> 'include' ? 'divergences', false);
  -- 50 rules with 20 divergences of 12,000 characters are 12 MB at worst.
  v_limit integer := least((p_params ->> 'limit')::integer, case when v_with_divergences then 50 end);
  v_rules text[] := api.rules_after(p_params, v_limit + 1);
  v_answer api.route_result;
begin
  v_answer.status := 200;
  v_answer.version := api.rules_version();
  v_answer.body := '{' || api.parity_limits_json()
    || ',"count":' || least(cardinality(v_rules), v_limit)
    || ',"has_more":' || (cardinality(v_rules) > v_limit)::text
    || ',"next_cursor":' || case
      when cardinality(v_rules) > v_limit then
        to_json(api.encode_cursor(p_params ->> 'view', null, md5(v_rules[v_limit])::uuid::text, 0))::text
      else 'null'
    end
    || ',"rules":['
    || coalesce(
      (
        select string_agg(j.body, ',' order by array_position(v_rules, j.rule_id))
        from api.rules_json(v_rules[:v_limit], 20, case when v_with_divergences then 20 else 0 end) j
      ),
      ''
    )
    || ']}';
  return v_answer;
end
$$;
comment on function api.get_rules(jsonb) is
  'Rules by competition and family. p_params, from functions/api/routes/get_rules.ts: family[], '
  'competition, state[], include[], limit, view, after.';

grant execute on function
  api.rules_version(),
  api.bounded_text(text, integer),
  api.divergences_of(text, integer),
  api.rules_json(text[], integer, integer),
  api.parity_limits_json(),
  api.rules_after(jsonb, integer),
  api.get_rules(jsonb)
to parallax_api;

-- 88_api_track_record.sql

-- GET /v2/track-record: the tallies, one row by its key. Everyone may send this request, so there
-- is no admission. Each isolate calls this function at most once in some seconds
-- (functions/api/track_record.ts).

create function api.get_track_record(
  p_held text, out version text, out source text, out updated_at text, out since text, out rows text
)
language plpgsql stable
set search_path = ''
as $$
declare
  v_state arb.track_record_state;
begin
  select t.* into v_state from arb.track_record_state t;
  -- One simulated venue makes the whole record a simulated one.
  select case
    when bool_or(f.source = 'simulated') then 'simulated'
    when bool_or(f.source = 'replay') then 'replay'
    when bool_or(f.source = 'live') then 'live'
  end
  into source
  from venue.feeds f;
  -- The source is in every response, so a change of it is another version.
  version := coalesce(v_state.report_no, 0) * 4
    + coalesce(array_position(array['live', 'replay', 'simulated'], source), 0)
    || '.'
    || coalesce((extract(epoch from v_state.updated_at) * 1000)::bigint, 0);
  updated_at := base.format_time(v_state.updated_at);
  since := base.format_time(v_state.since);
  rows := case when version is distinct from p_held then coalesce(v_state.rows, '[]')::text end;
end
$$;
comment on function api.get_track_record(text) is
  'The tallies of the track record as JSON text (null when p_held is their version), and the '
  'source of the feeds: null before their first message.';
grant execute on function api.get_track_record(text) to parallax_api;

-- 89_api_dashboard.sql

-- RPCs of the live pages of the dashboard. Functions of schema dashboard run as their owner,
-- because people have no policies on what they read; each admits the session first
-- (account.admit_session). Functions of schema api run as the caller and give them a name in
-- PostgREST.

create schema dashboard;
revoke all on schema dashboard from public;
grant usage on schema dashboard to authenticated;
comment on schema dashboard is
  'Functions behind the RPCs of the dashboard that run as their owner.';

create function dashboard.parse_market_id(p_id text) returns uuid
language plpgsql volatile
set search_path = ''
as $$
begin
  if p_id ~* '^(mkt_)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    return regexp_replace(lower(p_id), '^mkt_', '')::uuid;
  end if;
  perform dashboard.raise_market_not_found();
end
$$;
comment on function dashboard.parse_market_id(text) is
  'Parses a market id, with or without mkt_, to its uuid. Null for anything else.';

create function dashboard.raise_market_not_found() returns void
language sql volatile
set search_path = ''
as $$ select account.raise_error(404, 'pair.not_found', 'This market does not exist or was withdrawn.') $$;
comment on function dashboard.raise_market_not_found() is 'Raises 404 for an id of no market.';

create function dashboard.market_detail(p_id text) returns json
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_pair uuid;
  v_answer api.route_result;
begin
  perform account.admit_session(1);
  v_pair := dashboard.parse_market_id(p_id);
  perform pipeline.refresh_snapshot();
  v_answer := api.get_pair(
    jsonb_build_object('id', v_pair, 'include', jsonb_build_array('ids', 'settlement', 'depth'))
  );
  if v_answer.status <> 200 then
    perform dashboard.raise_market_not_found();
  end if;
  return v_answer.body::json;
end
$$;
comment on function dashboard.market_detail(text) is
  'GET /v2/pairs/{id} with everything included, with the delay of REST. Its gates: '
  'api.explain_market.';

create function dashboard.market_history(p_id text) returns json
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_params jsonb;
  v_answer api.route_result;
begin
  perform account.admit_session(1);
  v_params := jsonb_build_object('id', dashboard.parse_market_id(p_id));
  perform pipeline.refresh_snapshot();
  perform api.history_version(v_params);
  v_answer := api.get_history(v_params);
  if v_answer.status <> 200 then
    perform dashboard.raise_market_not_found();
  end if;
  return v_answer.body::json;
end
$$;
comment on function dashboard.market_history(text) is
  'GET /v2/pairs/{id}/history of the last seven days.';

create function dashboard.explain_market(p_id text) returns json
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_pair uuid;
  v_step timestamptz;
  v_priced_at timestamptz;
  v_priced boolean;
begin
  perform account.admit_session(1);
  v_pair := dashboard.parse_market_id(p_id);
  perform pipeline.refresh_snapshot();
  select t.step, (s.price_update).priced_at, g.priced_ok
  into v_step, v_priced_at, v_priced
  from price.snapshot s
  join price.signal_gates g on g.pair_id = s.pair_id
  cross join price.snapshot_state t
  join catalog.pairs p on p.pair_id = s.pair_id and p.withdrawn_at is null
  where s.pair_id = v_pair;
  if not found then
    perform dashboard.raise_market_not_found();
  end if;
  return json_build_object(
    'id', 'mkt_' || v_pair, 'as_of', base.format_time(v_step),
    'gates', arb.gates_of(v_pair, true), 'after', arb.after_gates(v_pair, v_step, v_priced_at, v_priced)
  );
end
$$;
comment on function dashboard.explain_market(text) is
  'ops.explain for members: {id, as_of, gates: [{gate, open, reason}], after}, with the delay of '
  'REST.';

create function dashboard.open_opportunities() returns json
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform account.admit_session(1);
  perform pipeline.refresh_snapshot();
  return (
    select json_build_object('count', (a.body::json ->> 'count')::integer, 'as_of', base.format_time(a.step))
    from api.get_arbitrage('{"limit": 500}') a
  );
end
$$;
comment on function dashboard.open_opportunities() is
  'Number of opportunities that GET /v2/arbitrage lists now: {count, as_of}.';

create function api.get_channel_state(p_channel text) returns json
language sql volatile
set search_path = ''
as $$ select stream.dashboard_channel_state(p_channel) $$;
comment on function api.get_channel_state(text) is
  'Channel state of an entitled channel, to start from: {channel, epoch, offset, markets, '
  'opportunities, feeds}.';

create function api.get_market_detail(p_id text) returns json
language sql volatile
set search_path = ''
as $$ select dashboard.market_detail(p_id) $$;
comment on function api.get_market_detail(text) is 'GET /v2/pairs/{id} with everything included.';

create function api.get_market_history(p_id text) returns json
language sql volatile
set search_path = ''
as $$ select dashboard.market_history(p_id) $$;
comment on function api.get_market_history(text) is
  'GET /v2/pairs/{id}/history of the last seven days.';

create function api.report_bad_arb(p_opp_id text, p_reason text default null, p_detail text default null) returns void
language sql volatile
set search_path = ''
as $$ select stream.dashboard_report(p_opp_id, p_reason, p_detail) $$;
comment on function api.report_bad_arb(text, text, text) is 'POST /v2/report-bad-arb.';

create function api.explain_market(p_id text) returns json
language sql volatile
set search_path = ''
as $$ select dashboard.explain_market(p_id) $$;
comment on function api.explain_market(text) is
  'Why a market is (not) an opportunity: all four gates and later rejections.';

create function api.open_opportunities() returns json
language sql volatile
set search_path = ''
as $$ select dashboard.open_opportunities() $$;
comment on function api.open_opportunities() is
  'Number of opportunities that GET /v2/arbitrage lists now, for a member on any plan: {count, '
  'as_of}.';

revoke all on function
  dashboard.parse_market_id(text),
  dashboard.raise_market_not_found(),
  dashboard.market_detail(text),
  dashboard.market_history(text),
  dashboard.explain_market(text),
  dashboard.open_opportunities(),
  api.get_channel_state(text),
  api.get_market_detail(text),
  api.get_market_history(text),
  api.report_bad_arb(text, text, text),
  api.explain_market(text),
  api.open_opportunities()
from public;
grant execute on function
  dashboard.market_detail(text),
  dashboard.market_history(text),
  dashboard.explain_market(text),
  dashboard.open_opportunities(),
  api.get_channel_state(text),
  api.get_market_detail(text),
  api.get_market_history(text),
  api.report_bad_arb(text, text, text),
  api.explain_market(text),
  api.open_opportunities()
to authenticated;

-- 89_api_record.sql

-- RPCs of the page Record: the rules of GET /v2/rules for a member, and the progress of the
-- backtest.

create function dashboard.backtest_json() returns json
language sql stable
set search_path = ''
as $$
  select json_build_object(
    'scopes', count(*),
    'done', count(*) filter (where b.state = 'done'),
    'failed', count(*) filter (where b.state = 'failed'),
    'running', count(*) filter (where b.state in ('reading', 'matching')),
    'listings', coalesce(sum(b.listings_a + b.listings_b), 0),
    'occasions', coalesce(sum(b.occasions), 0),
    'diverging', coalesce(sum(b.diverging), 0),
    'finished_at', case
      when bool_and(b.state in ('done', 'failed')) then base.format_time(max(b.finished_at))
    end
  )
  from catalog.backtest_progress b
$$;
comment on function dashboard.backtest_json() is
  'Progress of the backtest over all scopes. finished_at: null while a scope waits or is read.';

create function dashboard.list_rules(p_after text) returns json
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  -- 1,000 rules take 0.5 MB: one page, also for a catalog of every competition.
  v_limit constant integer := 1000;
  v_rules text[];
begin
  perform account.admit_session(1);
  v_rules := api.rules_after(
    case when p_after is null then '{}' else jsonb_build_object('after', md5(p_after)::uuid) end, v_limit + 1
  );
  return (
    '{' || api.parity_limits_json()
      || ',"has_more":' || (cardinality(v_rules) > v_limit)::text
      || ',"backtest":' || dashboard.backtest_json()
      || ',"rules":['
      || coalesce(
        (
          select string_agg(j.body, ',' order by array_position(v_rules, j.rule_id))
          from api.rules_json(v_rules[:v_limit], 0, 0) j
        ),
        ''
      )
      || ']}'
  )::json;
end
$$;
comment on function dashboard.list_rules(text) is
  'The rules after rule p_after (null: from the first one), as GET /v2/rules has them, without '
  'members of pools: {limit_pct, confidence_pct, has_more, backtest, rules}.';

create function dashboard.read_rule(p_rule_id text) returns json
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_rule text;
begin
  perform account.admit_session(1);
  select j.body into v_rule from api.rules_json(array[p_rule_id], 500, 100) j;
  if v_rule is null then
    perform account.raise_error(404, 'rule.not_found', 'This rule does not exist.');
  end if;
  return v_rule::json;
end
$$;
comment on function dashboard.read_rule(text) is
  'One rule as GET /v2/rules has it, with 500 members of its pool and its 100 newest divergences.';

create function api.list_rules(p_after text default null) returns json
language sql volatile
set search_path = ''
as $$ select dashboard.list_rules(p_after) $$;
comment on function api.list_rules(text) is
  'Resolution rules with their record and the progress of the backtest, for a member. p_after: '
  'the last rule_id of the previous page.';

create function api.read_rule(p_rule_id text) returns json
language sql volatile
set search_path = ''
as $$ select dashboard.read_rule(p_rule_id) $$;
comment on function api.read_rule(text) is
  'One resolution rule with its pool and its divergences, for a member.';

revoke all on function
  dashboard.backtest_json(),
  dashboard.list_rules(text),
  dashboard.read_rule(text),
  api.list_rules(text),
  api.read_rule(text)
from public;
grant execute on function
  dashboard.list_rules(text),
  dashboard.read_rule(text),
  api.list_rules(text),
  api.read_rule(text)
to authenticated;

-- 89_api_stream.sql

-- POST /v1/stream/token, GET /v1/stream/replay, and the calls of the MCP tool watch_markets.

create function api.start_market_watch(p_key_hash bytea, p_pairs uuid[], p_invalid boolean) returns api.call_response
language plpgsql volatile
set search_path = ''
as $$
declare
  v_in account.admission;
  v_answer api.route_result;
  v_state json;
begin
  if p_invalid then
    v_answer.status := 422;
  else
    v_in := account.admit(p_key_hash, true, 0, 0);
    if v_in.code is null then
      v_state := stream.start_watch(v_in.org_id, p_pairs);
      if json_array_length(v_state -> 'watched') > 0 then
        v_answer.status := 200;
        v_answer.body := v_state::text;
      elsif jsonb_path_exists(v_state::jsonb, '$.unheard[*] ? (@.code == "stream.tier")') then
        v_answer.status := 403;
        v_answer.code := 'stream.tier';
      else
        v_answer.status := 404;
        v_answer.code := 'pair.not_found';
      end if;
    end if;
  end if;
  if v_in.code is null then
    v_in := account.admit(p_key_hash, true, 1, (v_answer.status = 200)::integer);
  end if;
  return api.build_response(v_in, v_answer, null, null);
end
$$;
comment on function api.start_market_watch(bytea, uuid[], boolean) is
  'Starts watch_markets: one request, admitted and counted like one that carries data. Body as in '
  'stream.start_watch. 403 stream.tier without a channel, 404 without a market.';

create function api.continue_market_watch(p_key_hash bytea, p_pairs uuid[], p_places jsonb) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_in account.admission := account.admit(p_key_hash, false, 0, 0);
begin
  -- A full rate-limit window stops new requests, not a running watch. A revoked key and an inactive
  -- plan stop both.
  if v_in.status <> 429 then
    return json_build_object('ended', v_in.code);
  end if;
  return stream.read_watch(v_in.org_id, p_pairs, p_places);
end
$$;
comment on function api.continue_market_watch(bytea, uuid[], jsonb) is
  'Updates since the last call, for a running watch_markets; not counted. As stream.read_watch.';

create function api.post_stream_token(p_key_hash bytea) returns api.route_result
language plpgsql volatile
set search_path = ''
as $$
declare
  v_answer api.route_result;
begin
  v_answer.status := 200;
  v_answer.body := stream.mint_ticket(p_key_hash);
  return v_answer;
end
$$;
comment on function api.post_stream_token(bytea) is
  'POST /v1/stream/token: the ticket of stream.mint_ticket; functions/api adds addresses and '
  'signature. Part of api.call_action_route.';

create function api.get_stream_replay(p_params jsonb) returns api.route_result
language plpgsql volatile
set search_path = ''
as $$
declare
  v_answer api.route_result;
begin
  v_answer.body := stream.replay_for_caller(
    p_params ->> 'channel', p_params ->> 'epoch', (p_params ->> 'after')::bigint
  );
  v_answer.status := case when v_answer.body is null then 404 else 200 end;
  v_answer.code := case when v_answer.body is null then 'channel.not_found' end;
  return v_answer;
end
$$;
comment on function api.get_stream_replay(jsonb) is
  'GET /v1/stream/replay of {channel, epoch, after}. Part of api.call_action_route.';

revoke all on function
  api.start_market_watch(bytea, uuid[], boolean),
  api.continue_market_watch(bytea, uuid[], jsonb),
  api.post_stream_token(bytea),
  api.get_stream_replay(jsonb)
from public;
grant execute on function
  api.start_market_watch(bytea, uuid[], boolean),
  api.continue_market_watch(bytea, uuid[], jsonb),
  api.post_stream_token(bytea),
  api.get_stream_replay(jsonb)
to parallax_api;

-- 89_api_webhooks.sql

-- POST, GET and DELETE /v1/webhooks, and the webhook RPCs of the dashboard.

create function api.get_allowed_receivers() returns api.route_result
language plpgsql stable
set search_path = ''
as $$
declare
  v_answer api.route_result;
begin
  v_answer.status := 200;
  v_answer.body := to_json(webhook.allowed_receivers())::text;
  return v_answer;
end
$$;
comment on function api.get_allowed_receivers() is
  'For functions/api only: receivers (host:port) that may be registered with any address.';

create function api.post_endpoint(p_org_id uuid, p_actor text, p_params jsonb) returns api.route_result
language plpgsql volatile
set search_path = ''
as $$
declare
  v_answer api.route_result;
  v_made jsonb := webhook.register_endpoint(
    p_org_id, p_params ->> 'url', array(select jsonb_array_elements_text(p_params -> 'events')),
    (p_params ->> 'min_spread_pts')::numeric, p_actor
  );
begin
  v_answer.code := v_made ->> 'refused';
  v_answer.status := case when v_answer.code is null then 201 else 409 end;
  v_answer.body := case when v_answer.code is null then v_made::text end;
  return v_answer;
end
$$;
comment on function api.post_endpoint(uuid, text, jsonb) is
  'POST /v1/webhooks with a registration that functions/api has checked. 201; 409 for a fourth '
  'endpoint or too many changes. p_actor: for the audit; null: the signed-in person.';

create function api.get_endpoints() returns api.route_result
language plpgsql stable
set search_path = ''
as $$
declare
  v_answer api.route_result;
begin
  v_answer.status := 200;
  v_answer.body := (
    select json_build_object(
      'count', count(*),
      'webhooks', coalesce(json_agg(to_jsonb(s) - 'org_id' order by s.created_at, s.id), '[]')
    )::text
    from webhook.endpoint_summaries s
  );
  return v_answer;
end
$$;
comment on function api.get_endpoints() is
  'GET /v1/webhooks: {count, webhooks}, oldest first. Row-level security limits it to the '
  'admitted organization.';

create function api.delete_endpoint(p_org_id uuid, p_key_hash bytea, p_params jsonb) returns api.route_result
language plpgsql volatile
set search_path = ''
as $$
declare
  v_answer api.route_result;
begin
  v_answer.status := 204;
  if not webhook.delete_endpoint(p_org_id, (p_params ->> 'id')::uuid, webhook.key_actor_of(p_key_hash)) then
    v_answer.status := 404;
    v_answer.code := 'webhook.not_found';
  end if;
  return v_answer;
end
$$;
comment on function api.delete_endpoint(uuid, bytea, jsonb) is
  'DELETE /v1/webhooks/{id}: 204, or 404 if the organization has no such endpoint.';

revoke all on function
  api.get_allowed_receivers(),
  api.post_endpoint(uuid, text, jsonb),
  api.get_endpoints(),
  api.delete_endpoint(uuid, bytea, jsonb)
from public;
grant execute on function
  api.get_allowed_receivers(),
  api.post_endpoint(uuid, text, jsonb),
  api.get_endpoints(),
  api.delete_endpoint(uuid, bytea, jsonb)
to parallax_api;

create view api.my_webhooks with (security_invoker = true) as
select s.* from webhook.endpoint_summaries s;
comment on view api.my_webhooks is
  'Endpoints of the caller''s organizations, as in GET /v1/webhooks.';
grant select on api.my_webhooks to authenticated;

create function api.delete_webhook(p_id uuid) returns void
language sql volatile
set search_path = ''
as $$ select webhook.dashboard_delete(p_id) $$;
comment on function api.delete_webhook(uuid) is
  'Owners: deletes the endpoint; it receives nothing from then on.';

create function api.list_webhook_deliveries(p_id uuid, p_state text default null, p_before uuid default null)
returns table (
  delivery_id uuid,
  event text,
  pair_id text,
  body text,
  state text,
  attempts integer,
  last_status integer,
  last_error text,
  last_answer text,
  last_took_ms integer,
  created_at text,
  next_attempt_at text,
  finished_at text
)
language sql volatile
set search_path = ''
as $$ select * from webhook.dashboard_deliveries(p_id, p_state, p_before) $$;
comment on function api.list_webhook_deliveries(uuid, text, uuid) is
  'Deliveries of an endpoint in seven days, newest first, 100 at once. p_state: waiting, '
  'delivered, failed or dropped; p_before: the last delivery_id of the previous page.';

create function api.test_webhook(p_id uuid) returns jsonb
language sql volatile
set search_path = ''
as $$ select webhook.dashboard_test(p_id) $$;
comment on function api.test_webhook(uuid) is 'Owners: sends a ping; {delivery_id}.';

create function api.replay_delivery(p_id uuid) returns void
language sql volatile
set search_path = ''
as $$ select webhook.dashboard_replay(p_id) $$;
comment on function api.replay_delivery(uuid) is
  'Owners: sends a failed or dropped delivery again.';

grant execute on function
  api.delete_webhook(uuid),
  api.list_webhook_deliveries(uuid, text, uuid),
  api.test_webhook(uuid),
  api.replay_delivery(uuid)
to authenticated;

-- 90_ops.sql

-- Schema ops: statements, metrics and alerts for operators. Nothing here changes a decision.
-- Everything is read from the other schemas at the time of the query, except the samples of the
-- gates, which need a history.

create schema ops;
revoke all on schema ops from public;
grant usage on schema ops to parallax_api;
comment on schema ops is
  'Statements, metrics and alerts for operators. Only postgres may use it, except the text of GET '
  '/metrics.';

create function ops.read_statements() returns table (
  role text,
  query text,
  calls bigint,
  total_ms double precision,
  mean_ms double precision,
  max_ms double precision,
  "rows" bigint,
  read_blocks bigint,
  temp_blocks bigint
)
language plpgsql stable
set search_path = ''
as $$
declare
  v_schema name := (
    select n.nspname
    from pg_catalog.pg_extension e
    join pg_catalog.pg_namespace n on n.oid = e.extnamespace
    where e.extname = 'pg_stat_statements'
  );
begin
  if v_schema is null then
    raise notice 'pg_stat_statements is missing: create extension pg_stat_statements with schema extensions.';
    return;
  end if;
  -- The schema of the extension: extensions on a hosted project, any other on another Postgres.
  return query execute format(
    'select r.rolname::text, s.query, s.calls, s.total_exec_time, s.mean_exec_time, s.max_exec_time, s.rows,
            s.shared_blks_read, s.temp_blks_written
     from %I.pg_stat_statements s
     join pg_catalog.pg_roles r on r.oid = s.userid
     where s.dbid = (select d.oid from pg_catalog.pg_database d where d.datname = current_database())',
    v_schema
  );
exception
  when object_not_in_prerequisite_state then
    raise notice 'pg_stat_statements is not loaded: add it to shared_preload_libraries.';
end
$$;
comment on function ops.read_statements() is
  'Part of ops.statements. Returns no row, and raises a notice with the reason, where '
  'pg_stat_statements is missing or not loaded.';

create view ops.statements with (security_invoker = true) as
select s.role, regexp_replace(s.query, '^/\* request_id=[^*]* \*/ ', '') as query, s.calls, s.total_ms, s.mean_ms,
       s.max_ms, s."rows", s.read_blocks, s.temp_blocks,
       round((100 * s.total_ms / nullif(sum(s.total_ms) over (), 0))::numeric, 1) as share_pct
from ops.read_statements() s
where s.role like 'parallax\_%' or s.role = 'postgres';
comment on view ops.statements is
  'Statements of our roles since the last reset of the statistics: calls, milliseconds, rows and '
  'share of the total time (order by total_ms desc). Without constants.';

create table ops.gate_samples (
  at timestamptz not null,
  gate text not null check (gate in ('band', 'parity', 'risk', 'priced')),
  closed_pairs integer not null,
  pairs integer not null,
  primary key (gate, at)
);
comment on table ops.gate_samples is
  'Once a minute: how many of the trading pairs each signal gate closes. Real time, kept for a '
  'day.';
alter table ops.gate_samples enable row level security;
alter table ops.gate_samples force row level security;

create view ops.gate_counts with (security_invoker = true) as
select g.gate, count(*) filter (where not g.open)::integer as closed_pairs, count(*)::integer as pairs
from price.snapshot s
join catalog.match_gates c on c.pair_id = s.pair_id
cross join lateral (
  values ('band', c.band_ok), ('parity', c.parity_ok), ('risk', c.risk_ok),
         ('priced', (s.price_update).void_reason is null and s.priced)
) g(gate, open)
where s.stage = 'catalog'
  and s.status in ('open', 'live')
group by g.gate;
comment on view ops.gate_counts is
  'How many of the trading pairs each gate closes at the current step. priced counts guards that '
  'void a price; a side without an ask is not counted.';

create function ops.sample_gates() returns void
language sql volatile
set search_path = ''
as $$
  insert into ops.gate_samples (at, gate, closed_pairs, pairs)
  select date_trunc('minute', clock_timestamp()), g.gate, g.closed_pairs, g.pairs
  from ops.gate_counts g
  on conflict (gate, at) do nothing
$$;
comment on function ops.sample_gates() is 'Samples the gates of this minute. Called by pg_cron.';

create function ops.purge_expired() returns void
language sql volatile
set search_path = ''
as $$ delete from ops.gate_samples n where n.at < clock_timestamp() - interval '25 hours' $$;
comment on function ops.purge_expired() is 'Deletes samples older than the day that alerts read.';

create function ops.job_status()
returns table (
  job text, active boolean, last_status text, last_message text, last_end timestamptz, failing_since timestamptz
)
language plpgsql stable
set search_path = ''
as $$
begin
  -- Dynamic SQL, because this file also loads where pg_cron is missing.
  if to_regclass('cron.job_run_details') is null then
    return;
  end if;
  -- The extension has no index by job. One hour of runs is read once, and again only for a failing
  -- job.
  return query
  with ends as materialized (
    select d.jobid, max(d.runid) as last_run, max(d.runid) filter (where d.status = 'succeeded') as last_good
    from cron.job_run_details d
    where d.status in ('succeeded', 'failed')
    group by d.jobid
  )
  select j.jobname::text, j.active, l.status::text, left(l.return_message, 200), l.end_time,
         case
           when l.status = 'failed' then (
             select min(d.start_time)
             from cron.job_run_details d
             where d.jobid = j.jobid
               and d.status = 'failed'
               and d.runid > coalesce(e.last_good, 0)
           )
         end
  from cron.job j
  left join ends e on e.jobid = j.jobid
  left join cron.job_run_details l on l.runid = e.last_run
  where j.jobname like 'parallax\_%';
end
$$;
comment on function ops.job_status() is
  'Our scheduled jobs: the result of the last run of each, and since when none has succeeded '
  '(null after a success). No row without pg_cron.';

revoke all on function ops.read_statements(), ops.sample_gates(), ops.purge_expired(), ops.job_status() from public;

-- 91_ops_alerts.sql

-- All alerts. Each concern has a view of its own, so that EXPLAIN shows its cost; ops.alerts unites
-- them. On a healthy stack every view is empty. docs/operations.md describes what to do in more
-- detail.

create view ops.feed_alerts with (security_invoker = true) as
select 'feed.' || f.state as alert,
       f.last_message_at as since,
       f.venue::text as what,
       'last data ' || coalesce(base.format_time(f.last_message_at), 'never') as how_much,
       'Read the log of ingest for this venue, then the status page of the venue. Its prices are void until data '
       'arrives.' as next
from venue.feed_states() f
where f.state <> 'up'
union all
select 'venue.clock', f.last_alive_at, f.venue::text,
       'last sign of life ' || round(extract(epoch from f.last_alive_at - clock.now())) || ' s in the future',
       'The clock of this machine or of ingest is wrong: compare both with NTP. Price updates from the future block '
       'later ones.'
from venue.feeds f
where f.last_alive_at > clock.now() + interval '10 seconds'
union all
select 'venue.key', f.last_alive_at, f.venue::text, f.detail,
       'Renew the API key at the venue, or the attestation of its location, and set it. Books are polled without it '
       'meanwhile. The key is tried again every five minutes.'
from venue.feeds f
where f.detail ~ 'key (refused|unreadable)'
union all
select 'sweep.failing', s.last_error_at, s.venue::text, left(s.last_error, 200),
       'The listing sweep of this venue does not finish. The text is the error of ingest; see docs/operations.md.'
from venue.sweeps s
where s.last_error_at > clock_timestamp() - interval '15 minutes'
  and s.last_error_at > coalesce(s.finished_at, '-infinity');
comment on view ops.feed_alerts is
  'A venue that is silent, refuses our key, whose clock differs from ours, or whose listings '
  'cannot be read.';

create view ops.lease_alerts with (security_invoker = true) as
select 'lease.unheld' as alert, l.expires_at as since, l.name as what,
       coalesce(
         'since ' || round(extract(epoch from clock_timestamp() - l.expires_at)) || ' s', 'released and not claimed'
       ) as how_much,
       'No worker reads this shard. Check that ingest and its pg_cron job run, and that the Vault has project_url '
       'and cron_secret_key.' as next
from venue.leases l
where (l.holder is null or l.expires_at < clock_timestamp() - interval '30 seconds')
  -- A shard that no worker has ever read raises no alert.
  and l.token > 0;
comment on view ops.lease_alerts is 'Shards that a worker once read and no worker reads now.';

create view ops.lateness_alerts with (security_invoker = true) as
select 'step.late' as alert, null::timestamptz as since, 'price.snapshot_state' as what,
       'at ' || base.format_time(s.step) || ', due '
         || base.format_time(price.step_at(clock.ago(interval '30 seconds'))) as how_much,
       'pipeline.refresh_snapshot() fails or waits: see ops.job_status() for parallax_advance, and pg_stat_activity '
       'for the holder of its locks.' as next
from price.snapshot_state s
where s.step > '-infinity'
  and s.step < price.step_at(clock.ago(interval '30 seconds'))
union all
select 'sampler.late', null, 'price.sampler_state',
       'sampled to ' || base.format_time(m.sampled_at) || ', snapshot at ' || base.format_time(s.step),
       'The sampler fills the gap in history when it runs: see ops.job_status() for parallax_history.'
from price.sampler_state m
cross join price.snapshot_state s
where s.step > '-infinity'
  and m.sampled_at > '-infinity'
  -- Market minutes may run fast, so the sampler gets half a real minute to run.
  and m.sampled_at < date_bin(
    interval '1 minute', s.step - (clock.now() - clock.ago(interval '30 seconds')), timestamptz 'epoch'
  ) - interval '1 minute'
union all
select 'census.late', null, 'census.reports',
       'taken ' || base.format_time(r.as_of),
       'See ops.job_status() for parallax_minute. GET /v2/coverage still serves the old census.'
from census.reports r
where r.as_of < clock.ago(interval '10 minutes') - interval '1 hour'
union all
select 'match.stuck', p.started_at, 'catalog.match_passes', 'pass ' || p.pass_id || ' has not ended',
       'A match pass died or waits for a lock. The next pass repairs it; if that fails too, read its error in the '
       'log of ingest.'
from (select * from catalog.match_passes q order by q.pass_id desc limit 1) p
where p.finished_at is null
  and p.started_at < clock.ago(interval '10 minutes');
comment on view ops.lateness_alerts is
  'Overdue work: the step of the snapshot, the sampler, the census, the match pass.';

create view ops.outbox_alerts with (security_invoker = true) as
select 'outbox.old' as alert, o.due_at as since, 'webhook.deliveries' as what,
       'the oldest has been due for ' || round(extract(epoch from clock_timestamp() - o.due_at)) || ' s' as how_much,
       'deliver sends nothing: see ops.job_status() for parallax_deliver, its log, and the Vault''s project_url and '
       'cron_secret_key.' as next
from (
  select d.due_at
  from webhook.deliveries d
  join webhook.endpoints e on e.endpoint_id = d.endpoint_id
  where d.due_at is not null
    -- Deliveries to an endpoint that does not respond are sent last, by design.
    and e.disabled_at is null
    and e.is_responding
  order by d.due_at
  limit 1
) o
where o.due_at < clock_timestamp() - interval '2 minutes'
union all
select 'endpoint.disabled', e.disabled_at, 'endpoint ' || e.endpoint_id,
       e.disabled_reason || ', ' || e.failure_count || ' failed',
       'The organization no longer receives its events. Contact it; it registers the endpoint again when its '
       'receiver works.'
from webhook.endpoints e
where e.disabled_at > clock_timestamp() - interval '1 day';
comment on view ops.outbox_alerts is
  'Deliveries that wait too long, and endpoints that were disabled within a day.';

create view ops.gate_alerts with (security_invoker = true) as
with latest as (
  select n.*
  from unnest(array['band', 'parity', 'risk', 'priced']) g (gate)
  cross join lateral (
    select m.*
    from ops.gate_samples m
    where m.gate = g.gate
      and m.at > clock_timestamp() - interval '10 minutes'
    order by m.at desc
    limit 1
  ) n
)
select 'gate.rising' as alert, l.at as since, l.gate as what,
       l.closed_pairs || ' of ' || l.pairs || ' pairs closed, ' || round((100 * h.mean)::numeric, 1)
         || ' % on average' as how_much,
       'select reason, count(*) from price.signal_gates group by 1 order by 2 desc: look for one dominant reason. '
       'priced: see feeds and leases; parity and risk: see catalog.rules and docs/guards.md.' as next
from latest l
cross join lateral (
  -- Floating point: with exact decimals a day of samples took as long as all other alerts together.
  select avg(n.closed_pairs::float8 / n.pairs) as mean,
         coalesce(stddev_pop(n.closed_pairs::float8 / n.pairs), 0) as deviation, count(*) as notes
  from ops.gate_samples n
  where n.gate = l.gate
    and n.at >= l.at - interval '1 day'
    and n.at < l.at - interval '10 minutes'
    and n.pairs > 0
) h
where h.notes >= 30
  and l.pairs >= 10
  -- A tenth of the pairs above the usual share, and outside of its normal variation.
  and l.closed_pairs::float8 / l.pairs > h.mean + greatest(0.10, 3 * h.deviation);
comment on view ops.gate_alerts is
  'Gates that close more pairs than over the last day, by a tenth of the pairs and three standard '
  'deviations. Needs half an hour of samples.';

create view ops.pair_alerts with (security_invoker = true) as
select 'pair.diverges' as alert, a.raised_at as since, 'pair ' || a.pair_id || ', ' || a.outcome_key as what,
       'mid prices ' || trim_scale(a.mid_a_usd6 / 1000000.0) || ' and ' || trim_scale(a.mid_b_usd6 / 1000000.0)
         || ' USD' as how_much,
       'Read both texts (npm run why). If both pay the same: catalog.review_alarm(pair, ''confirm'', your name, '
       'reason). Otherwise leave it in REVIEW and correct the match.' as next
from catalog.alarms a
-- Alarms of ended or withdrawn pairs do not matter.
join catalog.pairs p on p.pair_id = a.pair_id and p.withdrawn_at is null and p.status not in ('closed', 'settled')
where a.confirmed_at is null;
comment on view ops.pair_alerts is
  'Pairs that stay in REVIEW because their prices diverge, until an operator confirms them.';

create view ops.job_alerts with (security_invoker = true) as
select a.alert, a.since, j.job as what, a.how_much, a.next
from ops.job_status() j
cross join lateral (
  select 'job.failing', j.failing_since, j.last_message,
         'select * from cron.job_run_details order by start_time desc: run its command by hand to see the full error.'
  where j.failing_since is not null
  union all
  select 'job.off', null, 'not active', 'cron.alter_job(jobid, active := true), or jobs.install_schedules().'
  where not j.active
) a (alert, since, how_much, next);
comment on view ops.job_alerts is 'Scheduled jobs whose last run failed, or that are not active.';

create view ops.stream_alerts with (security_invoker = true) as
select 'stream.unpruned' as alert, null::timestamptz as since, 'stream.publications' as what,
       count(*) || ' partitions are past their retention, ' || min(c.relname) || ' the oldest' as how_much,
       'jobs.drop_expired_partitions() fails or waits: see ops.job_status() for parallax_partitions. The log grows '
       'by 230 MB an hour at most.' as next
from pg_catalog.pg_inherits i
join pg_catalog.pg_class c on c.oid = i.inhrelid
where i.inhparent = 'stream.publications'::regclass
  -- The job runs every ten minutes, so a delay of half an hour is a fault.
  and c.relname < 'publications_' || to_char(
    (clock_timestamp() - (select s.keep from stream.settings s) - interval '40 minutes') at time zone 'UTC',
    'YYYYMMDDHH24MI'
  )
having count(*) > 0
union all
select 'stream.unsent', null, c.channel, (c.last_offset - s.last_offset) || ' frames wait',
       'stream.broadcast_pending() fails or its quota is too small (stream.settings.messages_a_second): see '
       'ops.job_status() for parallax_stream.'
from stream.channels c
join stream.broadcast_positions s on s.channel = c.channel and s.epoch = c.epoch
where c.last_offset > s.last_offset
  and s.sent_at > '-infinity'
  and s.sent_at < clock_timestamp() - interval '1 minute';
comment on view ops.stream_alerts is
  'Channels whose publication log is not pruned or not broadcast.';

create view ops.report_alerts with (security_invoker = true) as
select 'report.full' as alert, min(r.received_at) as since, 'organization ' || r.org_id as what,
       count(*) || ' reports wait for a verdict' as how_much,
       'It can file no report until some are reviewed (docs/operations.md). Dismiss a flood the same way.' as next
from arb.reports r
where r.verdict is null
group by r.org_id
having not arb.may_file_report(r.org_id);
comment on view ops.report_alerts is
  'Organizations that reached their limit of open reports, so that the next report is rejected.';

create view ops.unknown_alerts with (security_invoker = true) as
select 'venue.unknown' as alert, min(u.first_seen_at) as since, u.venue::text as what,
       count(*) || ' new: ' || left(
         -- Values first: a new value can change a decision, a new field changes none.
         string_agg(
           u.what || ' (' || u.occurrences || ')', ', '
           order by u.what not like '%=%', u.first_seen_at, u.what
         ),
         300
       ) as how_much,
       'select * from venue.unknown_values order by first_seen_at desc: read the venue''s changelog, run npm run '
       'probe, and see docs/operations.md.' as next
from venue.unknown_values u
where u.first_seen_at > clock_timestamp() - interval '1 day'
group by u.venue;
comment on view ops.unknown_alerts is
  'Fields and values that a venue sent for the first time within a day and docs/venues.md does '
  'not name.';

create view ops.alerts with (security_invoker = true) as
select * from ops.feed_alerts
union all
select * from ops.lease_alerts
union all
select * from ops.lateness_alerts
union all
select * from ops.outbox_alerts
union all
select * from ops.gate_alerts
union all
select * from ops.pair_alerts
union all
select * from ops.job_alerts
union all
select * from ops.stream_alerts
union all
select * from ops.report_alerts
union all
select * from ops.unknown_alerts;
comment on view ops.alerts is
  'Conditions that need a person: alert (its name in docs/operations.md), since (null where '
  'unknown), what, how_much, next. Empty on a healthy stack.';

-- 92_ops_metrics.sql

-- Metrics for a scraper. They are read from the tables at each scrape, so all isolates return the
-- same values. A counter comes from a value that only grows (identities, offsets, months); a purged
-- table gives a gauge.

create view ops.metrics with (security_invoker = true) as
with figures(name, type, help, labels, value) as (
  select 'parallax_feed_up', 'gauge', '1 while the feed of a venue delivers data, 0 when it is stale or down.',
         jsonb_build_object('venue', f.venue), (f.state = 'up')::integer::numeric
  from venue.feed_states() f
  union all
  select 'parallax_feed_silence_seconds', 'gauge', 'Market seconds since the last data of a venue.',
         jsonb_build_object('venue', f.venue), round(extract(epoch from clock.now() - f.last_message_at), 3)
  from venue.feeds f
  where f.last_message_at is not null
  union all
  select 'parallax_lease_held', 'gauge', '1 while a worker holds the lease.',
         jsonb_build_object('lease', l.name), (l.holder is not null and l.expires_at > clock_timestamp())::integer
  from venue.leases l
  union all
  select 'parallax_lease_handovers', 'counter', 'Times that a worker claimed the lease.',
         jsonb_build_object('lease', l.name), l.token
  from venue.leases l
  union all
  -- At most 201 names of each venue (venue.record_unknown_values).
  select 'parallax_venue_unknown', 'counter', 'Fields and values that a venue sent and the adapters do not know.',
         jsonb_build_object('venue', u.venue, 'what', u.what), u.occurrences
  from venue.unknown_values u
  union all
  select 'parallax_pairs', 'gauge', 'Pairs that are not withdrawn, by stage and status.',
         jsonb_build_object('stage', p.stage, 'status', p.status), count(*)
  from catalog.pairs p
  where p.withdrawn_at is null
  group by p.stage, p.status
  union all
  select 'parallax_match_passes', 'counter', 'Match passes started.', '{}', coalesce(max(p.pass_id), 0)
  from catalog.match_passes p
  union all
  select 'parallax_steps', 'counter', 'Steps of the snapshot that changed it.', '{}', s.change_no
  from price.snapshot_state s
  union all
  select 'parallax_step_lag_seconds', 'gauge', 'Market seconds between the snapshot and the step that is due.', '{}',
         round(greatest(extract(epoch from price.step_at(clock.now()) - s.step), 0), 3)
  from price.snapshot_state s
  where s.step > '-infinity'
  union all
  select 'parallax_step_rows', 'gauge', 'Rows that the last step rendered.', '{}', s.rows_written
  from price.snapshot_state s
  union all
  select 'parallax_step_seconds', 'gauge', 'Duration of the last step.', '{}',
         round(extract(epoch from s.render_time), 6)
  from price.snapshot_state s
  where s.render_time is not null
  union all
  select 'parallax_sampler_lag_seconds', 'gauge', 'Market seconds between history and the snapshot.', '{}',
         round(extract(epoch from s.step - m.sampled_at), 3)
  from price.snapshot_state s
  cross join price.sampler_state m
  where s.step > '-infinity' and m.sampled_at > '-infinity'
  union all
  select 'parallax_gate_shut', 'gauge', 'Trading pairs that a gate closes, at the last sample.',
         jsonb_build_object('gate', n.gate), n.closed_pairs
  from unnest(array['band', 'parity', 'risk', 'priced']) g(gate)
  -- One row by the key: a day of samples has 5,760 rows.
  cross join lateral (select m.* from ops.gate_samples m where m.gate = g.gate order by m.at desc limit 1) n
  union all
  select 'parallax_windows_open', 'gauge', 'Open opportunities.', '{}', count(*)
  from arb.opportunities w
  where w.closed_at = 'infinity'
  union all
  select 'parallax_census_age_seconds', 'gauge', 'Market seconds since the census.', '{}',
         round(extract(epoch from clock.now() - r.as_of), 3)
  from census.reports r
  union all
  -- The count of a month moves to account.monthly_usage when the next month begins, so the sum only
  -- grows until an organization is deleted.
  select 'parallax_requests_with_data', 'counter', 'Requests that used quota, over all existing organizations.', '{}',
         coalesce((select sum(u.month_used) from account.usage u), 0)
           + coalesce((select sum(m.used) from account.monthly_usage m), 0)
  union all
  select 'parallax_organizations', 'gauge', 'Organizations.', '{}', count(*)
  from account.organizations
  union all
  select 'parallax_deliveries_waiting', 'gauge', 'Deliveries that wait for an attempt.', '{}', count(*)
  from webhook.deliveries d
  where d.due_at is not null
  union all
  select 'parallax_delivery_oldest_seconds', 'gauge', 'Seconds since the oldest waiting delivery was due.', '{}',
         round(greatest(coalesce(extract(epoch from clock_timestamp() - min(d.due_at)), 0), 0), 3)
  from webhook.deliveries d
  where d.due_at is not null
  union all
  select 'parallax_endpoints', 'gauge', 'Webhook endpoints, by state.', jsonb_build_object('state', e.state), count(*)
  from (
    select case
      when n.disabled_at is not null then 'disabled'
      when n.is_responding then 'answers'
      else 'silent'
    end as state
    from webhook.endpoints n
  ) e
  group by e.state
  union all
  -- By kind of channel: one label for each organization would be unbounded.
  select 'parallax_stream_frames', 'counter', 'Frames published, by kind of channel.',
         jsonb_build_object('channel', split_part(c.channel, ':', 1)), sum(c.last_offset)
  from stream.channels c
  group by split_part(c.channel, ':', 1)
  union all
  select 'parallax_stream_connections', 'gauge', 'Connections of the stream function.', '{}', count(*)
  from stream.connections c
  where c.lease_until > clock_timestamp()
  union all
  select 'parallax_job_ok', 'gauge', '1 while the last run of a scheduled job succeeded.',
         jsonb_build_object('job', j.job), (j.failing_since is null)::integer
  from ops.job_status() j
  union all
  select 'parallax_alerts', 'gauge', 'Current alerts, by name (ops.alerts).', jsonb_build_object('alert', a.alert),
         count(*)
  from ops.alerts a
  group by a.alert
  union all
  select 'parallax_database_bytes', 'gauge', 'Size of the database.', '{}',
         pg_catalog.pg_database_size(current_database())
  union all
  select 'parallax_database_connections', 'gauge', 'Connections of our roles, by role.',
         jsonb_build_object('role', s.usename), count(*)
  from pg_catalog.pg_stat_activity s
  where s.datname = current_database() and s.usename like 'parallax\_%'
  group by s.usename
)
select f.name, f.type, f.help, f.labels::jsonb as labels, f.value::numeric as value
from figures f;
comment on view ops.metrics is
  'Metrics: name (without _total), type (gauge or counter), help, labels {name: value}, value. '
  'docs/operations.md lists when a counter falls.';

create function ops.render_openmetrics() returns text
language plpgsql stable security definer
set search_path = ''
-- plpgsql keeps the plan for the session: planning these views takes longer than running them.
as $$
begin
  return (
    with labelled as (
      select m.name, m.type, m.help, m.value,
             coalesce('{' || (
               -- The three characters that the format escapes.
               select string_agg(
                 l.key || '="' || replace(replace(replace(l.value, '\', '\\'), '"', '\"'), e'\n', '\n') || '"', ','
                 order by l.key collate "C"
               )
               from jsonb_each_text(m.labels) l
             ) || '}', '') as labels
      from ops.metrics m
      where m.value is not null
    ), families as (
      select l.name,
             '# TYPE ' || l.name || ' ' || l.type || e'\n'
               || case when l.name like '%\_seconds' then '# UNIT ' || l.name || e' seconds\n'
                       when l.name like '%\_bytes' then '# UNIT ' || l.name || e' bytes\n'
                       else '' end
               || '# HELP ' || l.name || ' ' || l.help || e'\n'
               || string_agg(
                 l.name || case l.type when 'counter' then '_total' else '' end || l.labels || ' ' || l.value, e'\n'
                 order by l.labels collate "C"
               )
               || e'\n' as text
      from labelled l
      group by l.name, l.type, l.help
    )
    select coalesce(string_agg(f.text, '' order by f.name collate "C"), '') || e'# EOF\n'
    from families f
  );
end
$$;
comment on function ops.render_openmetrics() is
  'ops.metrics as OpenMetrics text 1.0, for GET /metrics. The caller checks a secret key of the '
  'platform first.';
revoke all on function ops.render_openmetrics() from public;
grant execute on function ops.render_openmetrics() to parallax_api;

-- 93_ops_explain.sql

-- Why a listing is (not) a pair, and why a pair is (not) an opportunity. `npm run why` and the
-- market page read it.

create function ops.summarize_explanation(p_known jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$
  select jsonb_build_object('code', c.code, 'because', c.because)
  from (
    select 1 as rank, 'paired' as code, 'The listing is in a published pair.' as because
    from jsonb_array_elements(p_known -> 'pairs') p
    where p ->> 'stage' = 'catalog' and p ->> 'withdrawn_at' is null
    union all
    select 2, 'candidate', 'The listing is in a candidate pair, which is not published as confirmed.'
    from jsonb_array_elements(p_known -> 'pairs') p
    where p ->> 'stage' = 'candidate' and p ->> 'withdrawn_at' is null
    union all
    select 3, q ->> 'unmatched', q ->> 'unmatched_because'
    from jsonb_array_elements(p_known -> 'questions') q
    where q ->> 'unmatched' is not null
    union all
    select 4, e ->> 'unread', e ->> 'unread_because'
    from jsonb_array_elements(p_known -> 'events') e
    where e ->> 'unread' is not null
    union all
    -- The event has questions, and the market that was asked about is in none of them.
    select 5, 'not_in_question', 'A parser read the event, but this market is in none of its questions.'
    from jsonb_array_elements(p_known -> 'events') e
    where e ->> 'unread' is null
    union all
    select 6, r ->> 'code', 'The row was rejected: ' || (r ->> 'because')
    from jsonb_array_elements(p_known -> 'rejected_rows') r
    union all
    select 7, 'withdrawn', 'The pair was withdrawn.'
    from jsonb_array_elements(p_known -> 'pairs') p
    union all
    select 8, case when (s ->> 'events')::bigint = 0 then 'series_without_event' else 'series' end,
           case
             when (s ->> 'events')::bigint = 0 then 'This is a series. No event of it is stored.'
             else 'This is a series. Its stored events are counted, and the unread ones by code.'
           end
    from jsonb_array_elements(p_known -> 'series') s
    union all
    select 9, 'unlisted', 'No sweep listed it: no series, event, market, contract, pair or rejected row has this id.'
  ) c
  order by c.rank, c.code
  limit 1
$$;
comment on function ops.summarize_explanation(jsonb) is
  'Part of ops.explain: one code and one sentence, from the strongest fact known of the listing.';

create function ops.explain(p_about text) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  with about as materialized (
    select distinct a.question_id from catalog.find_questions(p_about) as a (question_id)
  ), questions as (
    select jsonb_build_object(
             'question_id', q.question_id, 'venue', q.venue, 'event', q.event_id, 'family', q.family, 'key', q.key,
             'title', q.title, 'on_date', q.on_date, 'start_at', q.start_at, 'identity', q.identity, 'terms', q.terms,
             'excluded', q.excluded_reason, 'excluded_because', catalog.describe_exclusion(q.excluded_reason),
             'unmatched', u.reason, 'unmatched_because', catalog.describe_exclusion(u.reason),
             'legs', (
               select coalesce(jsonb_agg(jsonb_strip_nulls(to_jsonb(l) - 'question_id') order by l.ordinal), '[]')
               from venue.legs l
               where l.question_id = q.question_id
             )
           ) as question, q.question_id
    from about a
    join venue.questions q on q.question_id = a.question_id
    left join catalog.unpaired_questions u on u.question_id = q.question_id
  ), pairs as (
    select catalog.explain_pair(p.pair_id) || jsonb_build_object(
             'gates', arb.gates_of(p.pair_id, false),
             'after', arb.after_gates(p.pair_id, 'infinity', l.priced_at, coalesce(g.priced_ok, false))
           ) as pair, p.withdrawn_at, p.pair_id
    from catalog.pairs p
    left join price.latest_updates l on l.pair_id = p.pair_id
    left join price.signal_gates g on g.pair_id = p.pair_id
    where exists (select from about a where a.question_id in (p.question_a, p.question_b))
  ), rejections as (
    select jsonb_build_object(
             'question_a', r.question_a, 'question_b', r.question_b, 'code', r.code, 'because', r.detail, 'evidence',
             r.evidence, 'since', r.seen_at
           ) as rejection, r.seen_at, r.code
    from catalog.rejections r
    where exists (select from about a where a.question_id in (r.question_a, r.question_b))
    order by r.seen_at desc, r.code
    limit 50
  ), rejected as (
    select jsonb_build_object(
      'venue', s.venue, 'kind', s.kind, 'native_id', s.native_id, 'code', s.code, 'because', s.detail, 'last_seen_at',
      s.last_seen_at
    ) as row
    from venue.rejected_rows s
    where s.native_id in (trim(p_about), upper(trim(p_about)), lower(trim(p_about)))
      or s.native_id in (select f.event_id from catalog.find_events(p_about) f)
    order by s.last_seen_at desc
    limit 50
  ), known as (
    select (select coalesce(jsonb_agg(q.question order by q.question_id), '[]') from questions q) as questions,
           (
             select coalesce(jsonb_agg(p.pair order by p.withdrawn_at nulls first, p.pair_id), '[]') from pairs p
           ) as pairs,
           (
             select coalesce(jsonb_agg(r.rejection order by r.seen_at desc, r.code), '[]') from rejections r
           ) as rejections,
           (select coalesce(jsonb_agg(s.row), '[]') from rejected s) as rejected_rows,
           catalog.explain_events(p_about) as events, catalog.explain_series(p_about) as series
  )
  select jsonb_build_object('about', trim(p_about)) || ops.summarize_explanation(to_jsonb(k)) || to_jsonb(k)
  from known k
$$;
comment on function ops.explain(text) is
  'For operators: {about, code, because, questions, pairs, rejections, rejected_rows, events, '
  'series} of an id, ticker, slug or token. Each pair has its gates and later rejections.';

revoke all on function
  ops.summarize_explanation(jsonb),
  ops.explain(text)
from public;

-- 95_jobs.sql

-- Schema jobs: the schedules. pg_cron calls SQL, and through pg_net the Edge Functions; URL and
-- secret come from the Vault. Objects are named inside plpgsql only, so that this file loads where
-- the extensions are missing.

create schema jobs;
revoke all on schema jobs from public;
comment on schema jobs is
  'Schedules and what they call. Only postgres may use it: its functions use a secret key.';

create function jobs.start_ingest() returns bigint
language sql volatile
set search_path = ''
as $$ select base.call_edge_function('ingest') $$;
comment on function jobs.start_ingest() is 'Starts ingest now instead of at the next schedule.';

create function jobs.purge_expired() returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- One line for each schema, in bounded batches of rows. Dropping a table locks it until the end
  -- of the transaction, so jobs.drop_expired_partitions does that.
  perform catalog.purge_expired();
  perform price.purge_closed_pairs();
  perform arb.purge_expired();
  perform account.purge_expired();
  perform stream.purge_expired();
  perform stream.purge_tickets();
  perform webhook.purge_expired();
  perform ops.purge_expired();
  -- Jobs that run every 5 s write 35,000 rows of run details a day.
  if to_regclass('cron.job_run_details') is not null then
    delete from cron.job_run_details d where d.end_time < clock_timestamp() - interval '1 hour';
  end if;
  if to_regclass('net._http_response') is not null then
    delete from net._http_response r where r.created < clock_timestamp() - interval '1 hour';
  end if;
end
$$;
comment on function jobs.purge_expired() is
  'Deletes what is past its retention, one purge_expired() for each schema; docs/operations.md '
  'lists the periods. Settled pairs, rules, organizations and monthly usage stay.';

create function jobs.drop_expired_partitions() returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform price.drop_old_partitions();
  perform price.drop_old_history();
  perform stream.drop_old_partitions();
end
$$;
comment on function jobs.drop_expired_partitions() is
  'Drops expired partitions of price updates, history and the publication log. Separate from '
  'jobs.purge_expired, because it blocks flushes and steps until it commits.';

create function jobs.install_schedules() returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_extension text;
  v_job record;
  v_slow text[] := '{}';
begin
  perform stream.install_realtime_policy();
  foreach v_extension in array array['pg_cron', 'pg_net', 'supabase_vault'] loop
    if exists (select from pg_catalog.pg_available_extensions e where e.name = v_extension)
      and not exists (select from pg_catalog.pg_extension e where e.extname = v_extension) then
      execute format(
        'create extension if not exists %I with schema %I', v_extension,
        case v_extension when 'pg_cron' then 'pg_catalog' when 'pg_net' then 'extensions' else 'vault' end
      );
    end if;
  end loop;
  if to_regprocedure('cron.schedule(text, text, text)') is null then
    raise warning 'pg_cron is missing, so no job is scheduled. pipeline.refresh_snapshot() still runs with each '
                  'request. Start ingest by hand.';
    return;
  end if;
  for v_job in
    select *
    from (
      values
        ('parallax_advance', '5 seconds', 'select pipeline.refresh_snapshot()'),
        ('parallax_stream', '5 seconds', 'select stream.broadcast_pending()'),
        ('parallax_history', '5 seconds', 'select price.sample_history()'),
        -- The platform recommends at most eight jobs at once, so work that is due each minute
        -- shares one.
        (
          'parallax_minute', '* * * * *',
          'select census.rebuild_if_due(), pipeline.watch_divergence(), arb.update_track_record(), ops.sample_gates()'
        ),
        ('parallax_ingest', '10 seconds', 'select base.call_edge_function(''ingest'')'),
        ('parallax_deliver', '10 seconds', 'select webhook.wake_if_due()'),
        ('parallax_retention', '*/10 * * * *', 'select jobs.purge_expired()'),
        ('parallax_partitions', '5-59/10 * * * *', 'select jobs.drop_expired_partitions()')
    ) j(name, schedule, command)
  loop
    begin
      perform cron.schedule(v_job.name, v_job.schedule, v_job.command);
    exception
      when invalid_parameter_value then
        -- pg_cron before 1.5 has no schedules in seconds. Each of these jobs catches up, so once a
        -- minute is late but loses nothing.
        if v_job.schedule !~ ' seconds$' then
          raise;
        end if;
        perform cron.schedule(v_job.name, '* * * * *', v_job.command);
        v_slow := v_slow || v_job.name::text;
    end;
  end loop;
  if v_slow <> '{}' then
    raise warning 'This pg_cron has no schedules in seconds (1.5 has them). These jobs run once a minute: %.',
      array_to_string(v_slow, ', ');
  end if;
end
$$;
comment on function jobs.install_schedules() is
  'Creates or renews all schedules by name, and the policy on realtime.messages. Idempotent. Each '
  'migration calls it last, since schedules are data.';

revoke all on function jobs.start_ingest(), jobs.purge_expired(), jobs.drop_expired_partitions(),
  jobs.install_schedules() from public;

-- Schedules are rows, not schema: put in place after every migration.
do $$
begin
  if to_regprocedure('jobs.install_schedules()') is not null then
    execute 'select jobs.install_schedules()';
  end if;
end
$$;
