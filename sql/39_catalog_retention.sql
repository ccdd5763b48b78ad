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
  ), outcomes_gone as (
    delete from catalog.outcomes o
    using gone g
    where o.pair_id = g.pair_id
  ), strikes_gone as (
    delete from catalog.strikes l
    using gone g
    where l.pair_id = g.pair_id
  )
  select count(*)::integer
  from gone
$$;
comment on function catalog.purge_withdrawn_pairs(integer) is
  'Deletes up to p_limit pairs that were withdrawn longer than keep_withdrawn ago, with their '
  'outcomes, strikes and outcome keys. Returns how many.';

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
