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
      and (l.holder is null or base.is_over(l.expires_at, l.ttl))
    order by l.name
    limit p_limit
    for update skip locked
  ), taken as (
    update venue.leases l
    set holder = p_holder,
        token = l.token + 1,
        claimed_at = clock_timestamp(),
        expires_at = clock_timestamp() + p_ttl,
        ttl = p_ttl,
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
      and not base.is_over(l.expires_at, l.ttl)
      and l.handover_at < clock_timestamp() + interval '20 seconds'
      and (
        l.successor is null
        or l.successor = p_holder
        or base.is_over(l.successor_expires_at, interval '20 seconds')
      )
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
      ttl = p_ttl,
      handover_at = p_ends_at,
      successor = null,
      successor_expires_at = null
  where l.name = p_name
    and (l.successor = p_holder or base.is_over(l.expires_at, l.ttl))
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
  set expires_at = clock_timestamp() + p_ttl,
      ttl = p_ttl
  from jsonb_each_text(p_tokens) t
  where l.name = t.key
    and l.token = t.value::bigint
    and l.holder = p_holder
    -- Prices read under an expired lease are void or will be. Only a new claim sends all of them
    -- again.
    and not base.is_over(l.expires_at, l.ttl)
  returning l.name
$$;
comment on function venue.renew_leases(uuid, jsonb, interval) is
  'p_tokens: {name: token}. Returns the leases that are still held. A missing one was taken over '
  'or expired: stop reading that shard, or claim the lease again.';

create function venue.call_ingest() returns void
language plpgsql volatile
set search_path = ''
as $$
begin
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
      and (l.successor is null or base.is_over(l.successor_expires_at, interval '20 seconds'))
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
    -- One call for each release: a limited call reads one venue, so two calls that end in the same
    -- moment need two successors. Without its own, a venue waits for pg_cron.
    and exists (
      select from venue.sweeps s where s.finished_at is null and p_tokens ? ('listings:' || s.venue)
    ) then
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
