-- Leases: one reader for each shard of the world, a warm successor before it ends, and a token that fences the old one off.
-- Real time, not market time: a lease is about processes.

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
  select * from taken
  union all
  select * from warming;
end
$$;
comment on function venue.claim_leases(uuid, text, integer, interval, timestamptz) is
  'Takes up to p_limit free or expired leases (warm = false: held now, with its new token) and reserves those whose holder ends within 20 s (warm = true: read beside it, then call venue.take_over_lease).';

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
  'The warm successor becomes the holder: the new token, or null when it is not the successor. Waits for a write of the old holder that is under way.';

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
    -- What was read under a lease that ran out is void, or about to be: only who claims it anew tells all of it again.
    and l.expires_at > clock_timestamp()
  returning l.name
$$;
comment on function venue.renew_leases(uuid, jsonb, interval) is 'p_tokens: {name: token}. Returns the leases still held; one that is missing was taken over or ran out: stop reading it, or claim it anew.';

create sequence venue.ingest_called_ms;
comment on sequence venue.ingest_called_ms is 'Epoch milliseconds of the last call of a reader. A sequence, because it is outside of transactions: a row would make every release wait for the one before it.';

create function venue.call_ingest() returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform setval('venue.ingest_called_ms', floor(extract(epoch from clock_timestamp()) * 1000)::bigint);
  perform base.call_edge_function('ingest');
exception
  -- No pg_net, no Vault, no address in it: a container (deno task ingest) needs none of them, and pg_cron calls a reader every 10 s.
  when others then
    raise debug 'no reader was called: %', sqlerrm;
end
$$;
comment on function venue.call_ingest() is 'Calls the function ingest once this transaction commits. Never fails.';

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
  'The holder of {name: token} stops at p_ends_at: a successor may warm up from 20 s before, and where there is none yet a reader is called. To be said again until somebody has taken over: several may end at once, and whoever is called takes one shard.';

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
    -- Both venues' are given back at once as a rule, and one reader takes both.
    and floor(extract(epoch from clock_timestamp()) * 1000) - (select c.last_value from venue.ingest_called_ms c) >= 500 then
    perform venue.call_ingest();
  end if;
end
$$;
comment on function venue.release_leases(uuid, jsonb) is
  'An orderly end: the next claim takes the lease at once instead of waiting for it to expire. Where listings are given back in the middle of a sweep, a reader is called to go on with them.';

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
  'Which of {name: token} are current, locked until the end of the transaction, so that no take-over can slip between the check and the write.';

grant execute on function
  venue.claim_leases(uuid, text, integer, interval, timestamptz),
  venue.take_over_lease(uuid, text, interval, timestamptz),
  venue.renew_leases(uuid, jsonb, interval),
  venue.announce_handover(uuid, jsonb, timestamptz),
  venue.release_leases(uuid, jsonb)
to parallax_ingest;
revoke all on function venue.call_ingest() from public;
