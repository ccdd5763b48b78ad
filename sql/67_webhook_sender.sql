-- When a sender runs: it is called when something is to be sent, looks by itself while it is awake, and says when it goes. And what is kept.

create table webhook.sender_state (
  singleton boolean primary key default true check (singleton),
  awake_until timestamptz not null default '-infinity'
) with (fillfactor = 20);
comment on table webhook.sender_state is 'The one row that says until when some sender surely looks for new deliveries by itself.';
insert into webhook.sender_state (singleton) values (true) on conflict do nothing;
alter table webhook.sender_state enable row level security;
alter table webhook.sender_state force row level security;

create sequence webhook.deliver_called_ms;
comment on sequence webhook.deliver_called_ms is 'Epoch milliseconds of the last call of the sender. A sequence, because it is outside of transactions: a row would make every flush wait for the one before it.';

create function webhook.call_deliver() returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_now bigint := floor(extract(epoch from clock_timestamp()) * 1000);
begin
  if v_now - (select s.last_value from webhook.deliver_called_ms s) < 1000 then
    return;
  end if;
  perform setval('webhook.deliver_called_ms', v_now);
  perform base.call_edge_function('deliver');
exception
  -- No pg_net, no Vault, no address in it: a price is not refused for that. A container (deno task deliver) needs none of them.
  when others then
    raise debug 'the sender was not called: %', sqlerrm;
end
$$;
comment on function webhook.call_deliver() is 'Calls the function deliver once this transaction commits, at most once a second. Never fails.';

create function webhook.wake_sender() returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- Two seconds: this transaction commits in less, so whoever is awake for longer sees it.
  if not exists (select from webhook.sender_state t where t.awake_until > clock_timestamp() + interval '2 seconds') then
    perform webhook.call_deliver();
  end if;
end
$$;
comment on function webhook.wake_sender() is 'There is something new to send: calls the sender unless one is awake.';

create function webhook.wake_if_due() returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  if exists (select from webhook.deliveries d where d.due_at < clock_timestamp() + interval '10 seconds') or exists (select from webhook.fired_events) then
    perform webhook.wake_sender();
  end if;
end
$$;
comment on function webhook.wake_if_due() is 'The safety net, called by pg_cron every 10 s: what is due, and whose wake was lost, is sent all the same.';

create function webhook.release_sender() returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  update webhook.sender_state t set awake_until = '-infinity';
  if exists (select from webhook.deliveries d where d.due_at < clock_timestamp()) or exists (select from webhook.fired_events) then
    perform webhook.call_deliver();
  end if;
end
$$;
comment on function webhook.release_sender() is 'A sender goes (its call may take no more time): what is due now is for the next, who is called at once.';

create function webhook.purge_expired(p_limit integer default 50000) returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_gone integer;
begin
  -- Of endpoints that are paused or were disabled: by the time that the plan is active again this is no news.
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
  get diagnostics v_gone = row_count;
  -- Where nobody has sent for that long.
  delete from webhook.fired_events d where d.fired_at < clock_timestamp() - (select s.keep from webhook.settings s);
  -- The 30 minutes are over in any market time that runs on; where it was set back, an old one does not bind (webhook.fire_threshold).
  delete from webhook.threshold_firings f where f.fired_at < clock.now() - interval '1 day';
  delete from webhook.observed_spreads o
  where not exists (select from catalog.pairs p where p.pair_id = o.pair_id and p.status not in ('closed', 'settled'));
  delete from webhook.announced_pairs a
  where not exists (select from catalog.pairs p where p.pair_id = a.pair_id and p.status not in ('closed', 'settled'));
  return v_gone;
end
$$;
comment on function webhook.purge_expired(integer) is
  'Retention of this room: deliveries after seven days, states of pairs that are gone; what waits for an endpoint that receives nothing is dropped. Returns how many deliveries went.';

revoke all on function
  webhook.call_deliver(),
  webhook.wake_sender(),
  webhook.wake_if_due(),
  webhook.release_sender(),
  webhook.purge_expired(integer)
from public;
grant execute on function webhook.release_sender() to parallax_deliver;
