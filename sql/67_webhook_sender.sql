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
  -- A call in the future was made before the clock was set back.
  if v_now - (select s.last_value from webhook.deliver_called_ms s) between 0 and 999 then
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
  -- No sender stays for ten minutes (functions/deliver/settings.ts).
  if not exists (
    select
    from webhook.sender_state t
    where t.awake_until > clock_timestamp() + interval '2 seconds'
      and not base.is_over(t.awake_until, interval '10 minutes')
  ) then
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
  perform webhook.reset_due_times();
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
  perform webhook.drop_previous_secrets();
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
