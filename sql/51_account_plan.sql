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

create function account.set_operator(p_org_id uuid, p_is_operator boolean) returns boolean
language plpgsql volatile
set search_path = ''
as $$
begin
  update account.organizations o
  set is_operator = p_is_operator
  where o.org_id = p_org_id
    and o.is_operator <> p_is_operator;
  if not found then
    return false;
  end if;
  perform account.write_audit(p_org_id, 'organization.operator', case when p_is_operator then 'on' else 'off' end);
  return true;
end
$$;
comment on function account.set_operator(uuid, boolean) is
  'Whether the members of an organization decide the review queue. Returns whether it changed.';

create function account.set_lease_percent(p_org_id uuid, p_percent integer) returns boolean
language plpgsql volatile
set search_path = ''
as $$
begin
  if p_percent is null or p_percent not between 0 and 25 then
    raise exception 'A request lease holds 0 to 25 percent of the window, not %.', coalesce(p_percent::text, 'null')
      using errcode = '22023';
  end if;
  update account.subscriptions s
  set lease_percent = p_percent
  where s.org_id = p_org_id
    and s.lease_percent <> p_percent;
  if not found then
    return false;
  end if;
  perform account.write_audit(p_org_id, 'organization.leases', p_percent::text);
  return true;
end
$$;
comment on function account.set_lease_percent(uuid, integer) is
  'Sets how much of the window one request lease holds, 0 for none: from the next request on, at '
  'isolates that hold a lease within a second. Returns whether it changed.';

revoke all on function
  account.set_operator(uuid, boolean),
  account.set_lease_percent(uuid, integer),
  account.find_organization(text),
  account.check_tier(text),
  account.set_plan(uuid, text, text, text)
from public;
