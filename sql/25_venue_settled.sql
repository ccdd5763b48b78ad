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
