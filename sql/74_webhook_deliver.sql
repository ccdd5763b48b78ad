-- Sending: who takes which delivery, what its report changes, and how a sender is woken.

create table webhook.turns (
  one boolean primary key default true check (one),
  awake_until timestamptz not null default '-infinity'
) with (fillfactor = 20);
comment on table webhook.turns is 'The one row that says until when some sender surely looks for new deliveries by itself.';
insert into webhook.turns (one) values (true) on conflict do nothing;
alter table webhook.turns enable row level security;
alter table webhook.turns force row level security;

create sequence webhook.called;
comment on sequence webhook.called is 'Epoch milliseconds of the last call of the sender. A sequence, because it is outside of transactions: a row would make every flush wait for the one before it.';

create function webhook.call_sender() returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_now bigint := floor(extract(epoch from clock_timestamp()) * 1000);
begin
  if v_now - (select s.last_value from webhook.called s) < 1000 then
    return;
  end if;
  perform setval('webhook.called', v_now);
  perform jobs.call_function('deliver');
exception
  -- No pg_net, no Vault, no address in it: a price is not refused for that. A container (deno task deliver) needs none of them.
  when others then
    raise debug 'the sender was not called: %', sqlerrm;
end
$$;
comment on function webhook.call_sender() is 'Calls the function deliver once this transaction commits, at most once a second. Never fails.';

create function webhook.wake() returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- Two seconds: this transaction commits in less, so whoever is awake for longer sees it.
  if not exists (select from webhook.turns t where t.awake_until > clock_timestamp() + interval '2 seconds') then
    perform webhook.call_sender();
  end if;
end
$$;
comment on function webhook.wake() is 'There is something new to send: calls the sender unless one is awake.';

create function webhook.tick() returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  if exists (select from webhook.deliveries d where d.due_at < clock_timestamp() + interval '10 seconds') then
    perform webhook.wake();
  end if;
end
$$;
comment on function webhook.tick() is 'The safety net, called by pg_cron every 10 s: what is due, and whose wake was lost, is sent all the same.';

create type webhook.attempt as (
  delivery_id uuid,
  claim uuid,
  event text,
  body text,
  host text,
  port integer,
  target text,
  listed boolean,
  refused text,
  signed_at bigint,
  signature text,
  standard_signature text
);
comment on type webhook.attempt is
  'One attempt to make now. listed: the operator allows this host whatever it resolves to; refused: why its address may not be delivered to any more; signature and standard_signature: X-Svc-Signature''s v1 and webhook-signature.';

create function webhook.signature(p_secret text, p_at bigint, p_body text) returns text
language sql immutable
set search_path = ''
as $$ select encode(extensions.hmac(convert_to(p_at || '.' || p_body, 'UTF8'), convert_to(p_secret, 'UTF8'), 'sha256'), 'hex') $$;
comment on function webhook.signature(text, bigint, text) is 'v1 of X-Svc-Signature: the key is the whole secret, whsec_ and all.';

create function webhook.standard_signature(p_secret text, p_id uuid, p_at bigint, p_body text) returns text
language sql immutable
set search_path = ''
as $$
  select 'v1,' || encode(
    extensions.hmac(convert_to(p_id || '.' || p_at || '.' || p_body, 'UTF8'), decode(substr(p_secret, 7), 'base64'), 'sha256'), 'base64'
  )
$$;
comment on function webhook.standard_signature(text, uuid, bigint, text) is 'webhook-signature of Standard Webhooks: the key is the secret''s 32 bytes.';

create function webhook.claim(p_most integer, p_each integer, p_stays interval) returns setof webhook.attempt
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_now timestamptz := clock_timestamp();
  v_lease interval := (select s.lease from webhook.settings s);
begin
  update webhook.turns t
  set awake_until = v_now + p_stays
  where t.awake_until < v_now + p_stays - interval '1 second';
  return query
  with recursive pending as (
    -- From one endpoint to the next through the index, so that what waits for one does not have to be read to find another.
    (select d.endpoint_id from webhook.deliveries d where d.due_at is not null order by d.endpoint_id limit 1)
    union all
    select (
      select d.endpoint_id
      from webhook.deliveries d
      where d.due_at is not null
        and d.endpoint_id > p.endpoint_id
      order by d.endpoint_id
      limit 1
    )
    from pending p
    where p.endpoint_id is not null
  ), room as materialized (
    select e.endpoint_id,
           -- One that does not answer is not given all it could take: its attempts last the whole five seconds.
           case when e.answers then p_each else least(p_each, 2) end - (
             select count(*) from webhook.deliveries d where d.endpoint_id = e.endpoint_id and d.due_at > v_now and d.claim is not null
           ) as free
    from pending p
    join webhook.live e on e.endpoint_id = p.endpoint_id
  ), taken as materialized (
    select d.delivery_id
    from room r
    cross join lateral (
      select n.delivery_id, n.due_at
      from webhook.deliveries n
      where n.endpoint_id = r.endpoint_id
        and n.due_at <= v_now
      order by n.due_at
      limit greatest(r.free, 0)
      for update skip locked
    ) d
    order by d.due_at
    limit p_most
  ), claimed as (
    update webhook.deliveries d
    set claim = gen_random_uuid(),
        due_at = v_now + v_lease
    from taken t
    where d.delivery_id = t.delivery_id
    returning d.*
  ), senders as materialized (
    select e.endpoint_id, s.decrypted_secret as secret, webhook.read_url(e.url) as address
    from webhook.endpoints e
    left join vault.decrypted_secrets s on s.id = e.secret_id
    where e.endpoint_id in (select c.endpoint_id from claimed c)
  )
  select c.delivery_id, c.claim, c.event, c.body, (s.address).host, (s.address).port, (s.address).target,
         coalesce((s.address).host || ':' || (s.address).port = any (g.allowed), false),
         case when s.secret is null then 'secret.missing' when (s.address).fault is not null then 'address.refused' end,
         n.at, webhook.signature(s.secret, n.at, c.body), webhook.standard_signature(s.secret, c.delivery_id, n.at, c.body)
  from claimed c
  join senders s on s.endpoint_id = c.endpoint_id
  cross join webhook.settings g
  cross join (select floor(extract(epoch from v_now))::bigint as at) n;
end
$$;
comment on function webhook.claim(integer, integer, interval) is
  'Takes at most p_most due deliveries for the caller to attempt at once, so that no endpoint has more than p_each under way (2 while it does not answer). p_stays: how long the caller will go on asking. What it does not report within the lease is due again.';

create function webhook.report(p_results jsonb) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_one record;
  v_known integer := 0;
  v_disabled uuid[] := '{}';
begin
  -- All endpoints first and in one order: two reports that meet would otherwise hold what the other waits for.
  perform
  from webhook.endpoints e
  where e.endpoint_id in (
    select d.endpoint_id
    from jsonb_array_elements(p_results) r
    join webhook.deliveries d on d.delivery_id = (r ->> 'delivery_id')::uuid
  )
  order by e.endpoint_id
  for no key update;
  for v_one in
    select d.delivery_id, d.endpoint_id, d.claim, r.status, r.error, r.took_ms, coalesce(r.status between 200 and 299, false) as ok
    from jsonb_array_elements(p_results) with ordinality as a (result, place)
    cross join lateral jsonb_to_record(a.result) as r (delivery_id uuid, claim uuid, status smallint, error text, took_ms integer)
    join webhook.deliveries d on d.delivery_id = r.delivery_id and d.claim = r.claim
    order by a.place
  loop
    v_known := v_known + 1;
    if webhook.settle(v_one.delivery_id, v_one.claim, v_one.ok, v_one.status, v_one.error, v_one.took_ms) then
      v_disabled := v_disabled || v_one.endpoint_id;
    end if;
  end loop;
  -- Last, since a channel is locked from its append to the commit.
  perform stream.tell_org(
    e.org_id, 'webhook',
    jsonb_build_object('event', 'disabled', 'id', e.endpoint_id, 'url', e.url, 'disabled_reason', e.disabled_reason, 'failure_count', e.failure_count)
  )
  from (select * from webhook.endpoints x where x.endpoint_id = any (v_disabled) order by x.org_id) e;
  return v_known;
end
$$;
comment on function webhook.report(jsonb) is
  'What came of attempts, in order: [{delivery_id, claim, status, error, took_ms}]. An attempt whose lease another has taken over changes nothing. Returns how many counted.';

create function webhook.settle(p_delivery uuid, p_claim uuid, p_ok boolean, p_status smallint, p_error text, p_took_ms integer) returns boolean
language plpgsql volatile
set search_path = ''
as $$
declare
  -- After the first, second and third failed attempt; the fourth is the last.
  v_waits constant interval[] := array['1 second', '5 seconds', '25 seconds'];
  v_now timestamptz := clock_timestamp();
  v_endpoint webhook.endpoints;
  v_delivery webhook.deliveries;
begin
  select e.* into v_endpoint
  from webhook.endpoints e
  where e.endpoint_id = (select d.endpoint_id from webhook.deliveries d where d.delivery_id = p_delivery);
  update webhook.deliveries d
  set attempts = d.attempts + 1,
      claim = null,
      state = case
        when p_ok then 'delivered'
        when d.attempts >= 3 then 'failed'
        when v_endpoint.disabled_at is not null then 'dropped'
        else 'waiting'
      end,
      due_at = case when not p_ok and d.attempts < 3 and v_endpoint.disabled_at is null then v_now + v_waits[d.attempts + 1] end,
      finished_at = case when p_ok or d.attempts >= 3 or v_endpoint.disabled_at is not null then v_now end,
      last_status = p_status,
      last_error = case when p_ok then null else left(coalesce(p_error, 'status.' || p_status), 200) end,
      last_took_ms = p_took_ms
  where d.delivery_id = p_delivery
    and d.claim = p_claim
  returning * into v_delivery;
  if not found or v_endpoint.disabled_at is not null then
    return false;
  end if;
  if p_ok then
    update webhook.endpoints e
    set failure_count = 0,
        last_success_at = v_now,
        answers = true
    where e.endpoint_id = v_endpoint.endpoint_id;
    return false;
  end if;
  if v_delivery.state <> 'failed' or v_delivery.event = 'ping' then
    if v_endpoint.answers then
      update webhook.endpoints e
      set answers = false
      where e.endpoint_id = v_endpoint.endpoint_id;
    end if;
    return false;
  end if;
  update webhook.endpoints e
  set failure_count = e.failure_count + 1,
      last_failure_at = v_now,
      answers = false,
      disabled_at = case when e.failure_count + 1 >= 20 then v_now end,
      disabled_reason = case when e.failure_count + 1 >= 20 then 'delivery_failures' end
  where e.endpoint_id = v_endpoint.endpoint_id
  returning * into v_endpoint;
  if v_endpoint.disabled_at is null then
    return false;
  end if;
  -- What is under way may still arrive; the rest has nowhere to go.
  update webhook.deliveries d
  set state = 'dropped',
      due_at = null,
      finished_at = v_now,
      last_error = 'endpoint.disabled'
  where d.endpoint_id = v_endpoint.endpoint_id
    and d.due_at is not null
    and d.claim is null;
  perform account.note(
    v_endpoint.org_id, 'webhook.disabled', v_endpoint.url,
    jsonb_build_object('id', v_endpoint.endpoint_id, 'reason', v_endpoint.disabled_reason), 'delivery'
  );
  return true;
end
$$;
comment on function webhook.settle(uuid, uuid, boolean, smallint, text, integer) is
  'Part of webhook.report: what one attempt changes in its delivery and its endpoint (spec.md, Webhook endpoint). Returns whether it disabled the endpoint.';

create function webhook.leave() returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  update webhook.turns t set awake_until = '-infinity';
  if exists (select from webhook.deliveries d where d.due_at < clock_timestamp()) then
    perform webhook.call_sender();
  end if;
end
$$;
comment on function webhook.leave() is 'A sender goes (its call may take no more time): what is due now is for the next, who is called at once.';

create function webhook.retain(p_most integer default 50000) returns integer
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
    and not exists (select from webhook.live e where e.endpoint_id = d.endpoint_id);
  delete from webhook.deliveries d
  where d.delivery_id in (
    select o.delivery_id
    from webhook.deliveries o
    where o.created_at < clock_timestamp() - (select s.keep from webhook.settings s)
      and o.due_at is null
    order by o.created_at
    limit p_most
  );
  get diagnostics v_gone = row_count;
  -- The 30 minutes are over in any market time that runs on; where it was set back, an old one does not bind (webhook.fire).
  delete from webhook.firings f where f.fired_at < clock.now() - interval '1 day';
  delete from webhook.observed o
  where not exists (select from catalog.pairs p where p.pair_id = o.pair_id and p.withdrawn_at is null);
  delete from webhook.announced a
  where a.at < clock_timestamp() - interval '30 days'
    and not exists (select from catalog.pairs p where p.pair_id = a.pair_id);
  return v_gone;
end
$$;
comment on function webhook.retain(integer) is
  'Retention of this room: deliveries after seven days, states of pairs that are gone; what waits for an endpoint that receives nothing is dropped. Returns how many deliveries went.';

revoke all on function
  webhook.call_sender(),
  webhook.wake(),
  webhook.tick(),
  webhook.signature(text, bigint, text),
  webhook.standard_signature(text, uuid, bigint, text),
  webhook.claim(integer, integer, interval),
  webhook.report(jsonb),
  webhook.settle(uuid, uuid, boolean, smallint, text, integer),
  webhook.leave(),
  webhook.retain(integer)
from public;
grant usage on schema webhook to parallax_deliver;
grant execute on function
  webhook.claim(integer, integer, interval),
  webhook.report(jsonb),
  webhook.leave(),
  webhook.public_among(text[])
to parallax_deliver;
