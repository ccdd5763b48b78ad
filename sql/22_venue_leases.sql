-- Leases: one holder for each shard, a warm successor before the holder stops, and a fencing token
-- that rejects late writes of the previous holder. All times are real time, because a lease belongs
-- to a process.

-- The worker that has too little takes, because it alone knows when it has read the books. A holder
-- that gave back would leave the shard unread until the next claim. A move needs a difference of
-- two, so that it always makes the distribution better: it ends, and it never goes back and forth.
create function venue.excess_leases(p_holder uuid) returns table (name text)
language sql volatile
set search_path = ''
as $$
  with live as (
    select l.name, l.holder,
           case
             when l.successor <> p_holder and not base.is_over(l.successor_expires_at, interval '20 seconds')
               then l.successor
             else l.holder
           end as owner,
           coalesce(l.successor = p_holder, false) as is_reserved
    from venue.leases l
    where l.name like 'books:%'
      and l.holder is not null
      and not base.is_over(l.expires_at, l.ttl)
  ), ranked as (
    -- Leases that their owner still warms up cannot move again. They rank first, but they count.
    -- Those that the caller has reserved rank last, so that the next call returns the same ones.
    select l.name, l.owner, l.owner = l.holder as is_movable, l.is_reserved,
           row_number() over (
             partition by l.owner order by l.owner = l.holder, l.is_reserved, l.name
           ) as rank
    from live l
  ), movable as (
    -- The largest owners give first. The caller has one lease more with each turn.
    select r.name, r.rank, row_number() over (order by r.rank desc, r.is_reserved desc, r.name) as turn
    from ranked r
    where r.owner <> p_holder
      and r.is_movable
  )
  select m.name
  from movable m
  where m.rank - m.turn > (select count(*) from ranked r where r.owner = p_holder)
$$;
comment on function venue.excess_leases(uuid) is
  'Shards to move to this worker: each from an owner that has at least two more than it. The '
  'owner is the successor, where there is one. None once all owners differ by one at most.';

create function venue.is_reservable(p_lease venue.leases, p_holder uuid) returns boolean
language sql volatile
set search_path = ''
as $$
  select p_lease.holder <> p_holder
    and not base.is_over(p_lease.expires_at, p_lease.ttl)
    and (
      p_lease.successor is null
      or p_lease.successor = p_holder
      or base.is_over(p_lease.successor_expires_at, interval '20 seconds')
    )
$$;
comment on function venue.is_reservable(venue.leases, uuid) is
  'Whether another worker holds the lease and no third one is its successor.';

-- A holder locks its leases for most of the time on a busy machine: it flushes twenty times a
-- second. A claim that skipped them would reserve nothing, again and again, while the holder ends.
-- The wait is short, because the session of a lost machine may keep a lock.
create function venue.wait_for_leases(p_names text[]) returns void
language plpgsql volatile
set search_path = ''
set lock_timeout = '500ms'
as $$
begin
  perform
  from venue.leases l
  where l.name = any (p_names)
  order by l.name
  for update;
exception
  when lock_not_available then
    null;
end
$$;
comment on function venue.wait_for_leases(text[]) is
  'Locks these leases until the end of the transaction, as soon as a flush that holds them ends. '
  'Locks none where one takes longer than 500 ms.';

create function venue.claim_leases(
  p_holder uuid,
  p_prefix text,
  p_limit integer,
  p_ttl interval,
  p_ends_at timestamptz
) returns table (name text, token bigint, warm boolean, ends boolean)
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform venue.wait_for_leases(array(
    select l.name
    from venue.leases l
    where l.name like p_prefix || '%'
      and venue.is_reservable(l, p_holder)
      and (
        l.handover_at < clock_timestamp() + interval '20 seconds'
        or (p_ends_at is null and l.name in (select x.name from venue.excess_leases(p_holder) x))
      )
  ));
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
    returning l.name, l.token, false as warm, false as ends
  ), moving as (
    select l.name, coalesce(l.handover_at < clock_timestamp() + interval '20 seconds', false) as ends
    from venue.leases l
    where l.name like p_prefix || '%'
      and venue.is_reservable(l, p_holder)
      and (
        l.handover_at < clock_timestamp() + interval '20 seconds'
        -- Only a worker without an end evens out the shards: a call would move them every minute.
        -- Free leases come first; the counts are right with the next claim.
        or (
          p_ends_at is null
          and not exists (select from taken)
          and l.name in (select x.name from venue.excess_leases(p_holder) x)
        )
      )
      and l.name not in (select t.name from taken t)
    order by l.handover_at
    limit greatest(p_limit - (select count(*) from taken), 0)
    for update skip locked
  ), warming as (
    update venue.leases l
    set successor = p_holder,
        successor_expires_at = clock_timestamp() + interval '20 seconds'
    from moving
    where l.name = moving.name
    returning l.name, l.token, true as warm, moving.ends
  )
  select *
  from taken
  union all
  select *
  from warming;
end
$$;
comment on function venue.claim_leases(uuid, text, integer, interval, timestamptz) is
  'Claims free or expired leases (warm = false), reserves those of a holder that stops within 20 '
  's (ends) or has too many (warm = true: read next to the holder, then venue.take_over_lease).';

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

create function venue.announce_handover(p_holder uuid, p_tokens jsonb, p_ends_at timestamptz) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_unreserved integer;
begin
  update venue.leases l
  set handover_at = p_ends_at
  from jsonb_each_text(p_tokens) t
  where l.name = t.key
    and l.token = t.value::bigint
    and l.holder = p_holder;
  select count(*)::integer into v_unreserved
  from venue.leases l
  where l.holder = p_holder
    and p_tokens ? l.name
    and (l.successor is null or base.is_over(l.successor_expires_at, interval '20 seconds'));
  if v_unreserved > 0 then
    perform venue.call_ingest();
  end if;
  return v_unreserved;
end
$$;
comment on function venue.announce_handover(uuid, jsonb, timestamptz) is
  'Announces that the holder stops at p_ends_at, and calls ingest where a lease has no successor. '
  'Returns how many have none. The holder repeats this until others have taken over.';

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
revoke all on function
  venue.call_ingest(),
  venue.excess_leases(uuid),
  venue.is_reservable(venue.leases, uuid),
  venue.wait_for_leases(text[])
from public;
