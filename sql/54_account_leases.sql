-- Request leases: an isolate of the API takes a part of the window and of the month of a large
-- organization at once, counts its requests itself, and gives back what it did not use.
--
-- A lease is counted when it is granted. So the counts never fall below what was served, and all
-- isolates together never serve more than the limits. An isolate that dies leaves its lease
-- counted. Only organizations with a lease_percent above 0 take leases; account.admit counts all
-- others.

create table account.request_leases (
  lease_id uuid primary key default gen_random_uuid(),
  org_id uuid not null references account.organizations (org_id) on delete cascade,
  window_began_at timestamptz not null,
  month date not null,
  key_id uuid not null,
  day date not null,
  granted integer not null check (granted > 0),
  expires_at timestamptz not null
);
comment on table account.request_leases is
  'Leases that were granted and not returned. granted is counted in the window that began at '
  'window_began_at and in the month.';
create index request_leases_by_org on account.request_leases (org_id);
alter table account.request_leases enable row level security;
alter table account.request_leases force row level security;

create type account.request_lease as (
  lease_id uuid,
  granted integer,
  valid_ms integer,
  window_left_ms integer,
  admission account.admission
);
comment on type account.request_lease is
  'A lease of granted requests for valid_ms, with the admission after it was counted. Without a '
  'lease_id nothing was counted; admission.code names the API error, if there is one.';
grant usage on type account.request_lease to parallax_api;

create function account.is_lease_open(p_expires_at timestamptz) returns boolean
language sql volatile
set search_path = ''
as $$ select not base.is_over(p_expires_at + interval '1 minute', interval '2 minutes') $$;
comment on function account.is_lease_open(timestamptz) is
  'Whether a lease can still be returned: until a minute after its end. Then the isolate is dead '
  'and its lease was used.';
revoke all on function account.is_lease_open(timestamptz) from public;

create function account.lease_requests(p_key_hash bytea, p_wanted integer) returns account.request_lease
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_lease account.request_lease;
  v_in account.admission := account.admit(p_key_hash, true, 0, 0);
  v_commit text := current_setting('synchronous_commit');
  v_set text;
  v_granted integer;
  v_usage account.usage;
  v_expires_at timestamptz;
  v_key_id uuid;
begin
  -- At most a quarter of what is left, so that several isolates share it. Near a limit there is no
  -- lease: account.admit counts the last requests one by one.
  v_granted := least(
    p_wanted, v_in.lease_limit, (v_in.window_quota - v_in.window_used) / 4, (v_in.month_quota - v_in.month_used) / 4
  );
  if v_in.code is null and v_granted >= 16 then
    v_in := account.admit(p_key_hash, true, v_granted, v_granted);
  end if;
  v_lease.admission := v_in;
  if v_in.code is not null or v_granted < 16 then
    return v_lease;
  end if;
  -- Admission does not wait for the disk. A lease does: after a crash the isolate still spends it.
  v_set := set_config('synchronous_commit', v_commit, true);
  select u.* into v_usage from account.usage u where u.org_id = v_in.org_id;
  select least(
           clock_timestamp() + interval '1 second', v_usage.window_began_at + interval '60 seconds', v_in.month_ends_at,
           k.expires_at
         ), k.key_id
  into v_expires_at, v_key_id
  from account.keys k
  where k.hash = p_key_hash;
  insert into account.request_leases (org_id, window_began_at, month, key_id, day, granted, expires_at)
  values (
    v_in.org_id, v_usage.window_began_at, v_usage.month, v_key_id, v_usage.day, v_granted, v_expires_at
  )
  returning lease_id into v_lease.lease_id;
  v_lease.granted := v_granted;
  v_lease.valid_ms := greatest(floor(extract(epoch from v_expires_at - clock_timestamp()) * 1000), 0);
  v_lease.window_left_ms := greatest(
    extract(epoch from v_usage.window_began_at + interval '60 seconds' - clock_timestamp()) * 1000, 0
  );
  return v_lease;
end
$$;
comment on function account.lease_requests(bytea, integer) is
  'Checks the key as account.admit does and counts up to p_wanted requests at once, for at most a '
  'second and never past the window, the month or the key.';

create function account.return_requests(p_lease_id uuid, p_unused_window integer, p_unused_month integer) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_lease account.request_leases;
  v_window integer;
  v_month integer;
begin
  select l.* into v_lease from account.request_leases l where l.lease_id = p_lease_id;
  -- The order of locks is that of admission and of a deletion: usage first.
  perform from account.usage u where u.org_id = v_lease.org_id for update;
  delete from account.request_leases l
  where l.lease_id = p_lease_id
  returning l.* into v_lease;
  if not found or not account.is_lease_open(v_lease.expires_at) then
    return;
  end if;
  v_window := least(greatest(p_unused_window, 0), v_lease.granted);
  v_month := least(greatest(p_unused_month, 0), v_lease.granted);
  update account.usage u
  set window_used = case
        when u.window_began_at = v_lease.window_began_at then greatest(u.window_used - v_window, 0)
        else u.window_used
      end,
      month_used = case when u.month = v_lease.month then greatest(u.month_used - v_month, 0) else u.month_used end
  where u.org_id = v_lease.org_id;
  -- The month of the lease is over.
  update account.monthly_usage m
  set used = greatest(m.used - v_month, 0)
  where m.org_id = v_lease.org_id
    and m.month = v_lease.month;
  perform account.uncount_key_day(v_lease.org_id, v_lease.key_id, v_lease.day, v_window);
end
$$;
comment on function account.return_requests(uuid, integer, integer) is
  'Ends a lease and takes what was not used out of the counts of its own window, month and day. A '
  'second call changes nothing.';

revoke all on function
  account.lease_requests(bytea, integer),
  account.return_requests(uuid, integer, integer)
from public;
grant execute on function
  account.lease_requests(bytea, integer),
  account.return_requests(uuid, integer, integer)
to parallax_api;
