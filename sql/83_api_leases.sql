-- What an isolate asks once a second for each key with a request lease, instead of a call for each
-- request (sql/54_account_leases.sql).

create type api.request_lease as (
  code text,
  lease_id uuid,
  granted integer,
  valid_ms integer,
  version text,
  as_of text,
  step_left_ms integer,
  tier text,
  window_quota integer,
  window_used integer,
  window_left_ms integer,
  month_quota integer,
  month_used integer,
  month_ends_at text,
  month_left_s integer,
  lease_limit integer
);
comment on type api.request_lease is
  'account.request_lease with the position of the snapshot. Without a lease_id the isolate sends '
  'each request to api.call_data_route.';
grant usage on type api.request_lease to parallax_api;

create function api.lease_requests(
  p_key_hash bytea,
  p_wanted integer,
  p_returned uuid default null,
  p_unused_window integer default 0,
  p_unused_month integer default 0
) returns api.request_lease
language plpgsql volatile
set search_path = ''
as $$
declare
  -- First: it may render a step, and a lease locks the usage of the organization.
  v_at price.snapshot_position := pipeline.ensure_snapshot();
  v_lease account.request_lease;
  v_in account.admission;
begin
  if p_returned is not null then
    perform account.return_requests(p_returned, p_unused_window, p_unused_month);
  end if;
  v_lease := account.lease_requests(p_key_hash, p_wanted);
  v_in := v_lease.admission;
  return (
    v_in.code,
    v_lease.lease_id,
    v_lease.granted,
    v_lease.valid_ms,
    v_at.version,
    base.format_time(v_at.step),
    v_at.left_ms,
    v_in.tier,
    v_in.window_quota,
    v_in.window_used,
    v_lease.window_left_ms,
    v_in.month_quota,
    v_in.month_used,
    base.format_time(v_in.month_ends_at),
    ceil(extract(epoch from v_in.month_ends_at - clock_timestamp()))::integer,
    v_in.lease_limit
  )::api.request_lease;
end
$$;
comment on function api.lease_requests(bytea, integer, uuid, integer, integer) is
  'Returns a lease that has ended, and grants the next one with the position of the snapshot. '
  'Another call for each of both would take another round trip a second.';
grant execute on function api.lease_requests(bytea, integer, uuid, integer, integer) to parallax_api;
