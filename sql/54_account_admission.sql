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
  month_ends_at timestamptz,
  lease_limit integer
);
comment on type account.admission is
  'code: the API error, null for an admitted caller. The counts include this request. '
  'window_left_s: until the window ends. lease_limit: the largest request lease, 0 for none.';

create function account.count_request(
  p_org_id uuid,
  p_needs_month boolean,
  p_spends_window integer,
  p_spends_month integer,
  p_feature text,
  p_key_id uuid default '00000000-0000-0000-0000-000000000000'
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
  v_at integer;
begin
  select s.tier, s.status, s.lease_percent, t.window_requests, t.month_requests, t.webhook_endpoints, t.exports
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
  v_running := coalesce(
    v_usage.window_began_at > v_now - interval '60 seconds' and v_usage.window_began_at <= v_now, false
  );

  v_in.org_id := p_org_id;
  v_in.tier := v_plan.tier;
  v_in.window_quota := v_plan.window_requests;
  v_in.month_quota := v_plan.month_requests;
  v_in.lease_limit := (v_plan.window_requests * v_plan.lease_percent::bigint / 100)::integer;
  v_in.month_ends_at := (v_month + interval '1 month') at time zone 'UTC';
  v_in.window_used := case when v_running then v_usage.window_used else 0 end;
  v_in.window_left_s := case
    when v_running then ceil(extract(epoch from v_usage.window_began_at + interval '60 seconds' - v_now))
    else 60
  end;
  if v_usage.month = v_month then
    v_in.month_used := v_usage.month_used;
  else
    -- Nothing is stored for a month that begins, but for one to which the clock was set back.
    select coalesce(max(m.used), 0)
    into v_in.month_used
    from account.monthly_usage m
    where m.org_id = p_org_id and m.month = v_month;
  end if;

  if v_plan.status <> 'active' then
    v_in.status := 402;
    v_in.code := 'billing.inactive';
  elsif p_feature = 'webhook' and v_plan.webhook_endpoints = 0 then
    v_in.status := 403;
    v_in.code := 'webhook.tier';
  elsif p_feature = 'export' and not v_plan.exports then
    v_in.status := 403;
    v_in.code := 'export.tier';
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
    delete from account.monthly_usage m where m.org_id = p_org_id and m.month = v_month;
  end if;
  -- The null of another day is the slow path as well, so a request of a known key costs one
  -- expression and one element of an array.
  v_at := case
    when v_usage.day = (v_now at time zone 'UTC')::date then array_position(v_usage.day_keys, p_key_id)
  end;
  if v_at is null then
    v_at := account.place_key(p_org_id, p_key_id, (v_now at time zone 'UTC')::date);
  end if;
  update account.usage u
  set window_began_at = case when v_running then u.window_began_at else v_now end,
      window_used = v_in.window_used + p_spends_window,
      month = v_month,
      month_used = v_in.month_used + p_spends_month,
      day_requests[v_at] = u.day_requests[v_at] + p_spends_window
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
comment on function account.count_request(uuid, boolean, integer, integer, text, uuid) is
  'The part of admission that a key and a session share: checks plan, window and month of an '
  'organization, and counts what the request spends. p_key_id: for account.key_days.';
revoke all on function account.count_request(uuid, boolean, integer, integer, text, uuid) from public;

-- p_needs_month: the route carries data, so an exhausted month rejects the request. p_spends_window
-- and p_spends_month: what this request counts. p_feature webhook or export: the tier must include
-- it. p_writes: the request changes something, so the scope of the key must be full.
create function account.admit(
  p_key_hash bytea,
  p_needs_month boolean,
  p_spends_window integer,
  p_spends_month integer,
  p_feature text default null,
  p_writes boolean default false
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
  -- One response for a key that is unknown, revoked or of a deleted organization. Only the holder
  -- of all 55 characters can learn that a key has expired, so trying keys reveals nothing.
  -- Revoked for good, also when the clock is before the revocation.
  if v_key.key_id is null or v_key.revoked_at is not null or v_key.expires_at <= v_now then
    v_in.status := 401;
    v_in.code := case when v_key.revoked_at is null and v_key.expires_at <= v_now
                        then 'auth.expired_key' else 'auth.revoked_key' end;
    return v_in;
  end if;
  v_in := account.count_request(
    v_key.org_id, p_needs_month, p_spends_window, p_spends_month, p_feature, v_key.key_id
  );
  if v_in.code is not null then
    return v_in;
  end if;
  if p_writes and v_key.scope <> 'full' then
    v_in.status := 403;
    v_in.code := 'auth.read_only_key';
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
comment on function account.admit(bytea, boolean, integer, integer, text, boolean) is
  'Admits the holder of a key, or returns the first error of 401, 402, 403, 429. A call that '
  'spends 0 and 0 only checks.';

grant usage on type account.admission to parallax_api;
grant execute on function account.admit(bytea, boolean, integer, integer, text, boolean) to parallax_api;

-- The API asks this once for each key that an isolate has not met, for many keys at a time. So a
-- stranger with random keys costs a part of one index scan and no place of a customer.
create function account.find_key_orgs(p_hashes text[]) returns table (hash text, org_id uuid)
language sql stable security definer
set search_path = ''
as $$
  select encode(k.hash, 'hex'), k.org_id
  from unnest(p_hashes) h (hex)
  join account.keys k on k.hash = decode(h.hex, 'hex')
  where k.revoked_at is null
$$;
comment on function account.find_key_orgs(text[]) is
  'The organizations of the keys with these hashes (lower-case hex), without unknown and revoked '
  'keys. Only account.admit decides who is admitted.';
revoke all on function account.find_key_orgs(text[]) from public;
grant execute on function account.find_key_orgs(text[]) to parallax_api;
