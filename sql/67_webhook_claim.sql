-- Claiming deliveries: which sender attempts which delivery, with its signatures.

create type webhook.attempt as (
  delivery_id uuid,
  claim uuid,
  event text,
  body text,
  host text,
  port integer,
  target text,
  plain boolean,
  listed boolean,
  refused text,
  signed_at bigint,
  signature text,
  standard_signature text
);
comment on type webhook.attempt is
  'One attempt. plain: without TLS; listed: allowed at any address; refused: why the address may '
  'not receive deliveries now. Signatures are header values, two after a roll.';

create function webhook.sign_v1(p_secret text, p_at bigint, p_body text) returns text
language sql immutable
set search_path = ''
as $$
  select encode(
    extensions.hmac(convert_to(p_at || '.' || p_body, 'UTF8'), convert_to(p_secret, 'UTF8'), 'sha256'), 'hex'
  )
$$;
comment on function webhook.sign_v1(text, bigint, text) is
  'v1 of X-Svc-Signature. The key is the whole secret as text, with whsec_.';

create function webhook.sign_standard(p_secret text, p_id uuid, p_at bigint, p_body text) returns text
language sql immutable
set search_path = ''
as $$
  select 'v1,' || encode(
    extensions.hmac(
      convert_to(p_id || '.' || p_at || '.' || p_body, 'UTF8'), decode(substr(p_secret, 7), 'base64'), 'sha256'
    ), 'base64'
  )
$$;
comment on function webhook.sign_standard(text, uuid, bigint, text) is
  'webhook-signature of Standard Webhooks. The key is the 32 bytes of the secret.';

create function webhook.waiting_endpoints(p_limit integer) returns uuid[]
-- plpgsql, here and below, because it keeps its plans: claims run up to 20 times a second.
language plpgsql volatile
set search_path = ''
as $$
declare
  v_from uuid := gen_random_uuid();
  v_found uuid[];
begin
  -- Step from one endpoint to the next in the index, so that no delivery is read to find an
  -- endpoint. Start at a random id and wrap around, so that every endpoint is reached even when
  -- many wait.
  with recursive above as (
    (
      select d.endpoint_id, 1 as step
      from webhook.deliveries d
      where d.due_at is not null
        and d.endpoint_id > v_from
      order by 1
      limit 1
    )
    union all
    select (
             select d.endpoint_id
             from webhook.deliveries d
             where d.due_at is not null
               and d.endpoint_id > a.endpoint_id
             order by d.endpoint_id
             limit 1
           ), a.step + 1
    from above a
    where a.endpoint_id is not null
      and a.step < p_limit
  ), below as (
    (
      select d.endpoint_id, (select count(*)::integer from above) as step
      from webhook.deliveries d
      where d.due_at is not null
        and d.endpoint_id <= v_from
      order by 1
      limit 1
    )
    union all
    select (
             select d.endpoint_id
             from webhook.deliveries d
             where d.due_at is not null
               and d.endpoint_id > b.endpoint_id
               and d.endpoint_id <= v_from
             order by d.endpoint_id
             limit 1
           ), b.step + 1
    from below b
    where b.endpoint_id is not null
      and b.step < p_limit
  )
  select array_agg(w.endpoint_id)
  into v_found
  from (select a.endpoint_id from above a union all select b.endpoint_id from below b) w
  where w.endpoint_id is not null;
  return coalesce(v_found, '{}');
end
$$;
comment on function webhook.waiting_endpoints(integer) is
  'Up to about p_limit endpoints with waiting deliveries, including paused and disabled ones.';

create function webhook.bound_backlogs(p_endpoints uuid[]) returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_backlog integer := (select s.backlog from webhook.settings s);
  v_failed integer;
begin
  with beyond as materialized (
    select e.endpoint_id, w.waiting - v_backlog as surplus
    from unnest(p_endpoints) e (endpoint_id)
    cross join lateral (
      select count(*) as waiting from webhook.deliveries d where d.endpoint_id = e.endpoint_id and d.due_at is not null
    ) w
    where w.waiting > v_backlog
  ), oldest as materialized (
    select o.delivery_id
    from beyond y
    cross join lateral (
      select d.delivery_id
      from webhook.deliveries d
      where d.endpoint_id = y.endpoint_id
        and d.due_at is not null
        and d.claim is null
      -- Attempted deliveries last: they must finish their attempts, or no failure is ever counted.
      order by d.attempts > 0, d.due_at
      limit y.surplus
      for update skip locked
    ) o
  ), failed as (
    update webhook.deliveries d
    set state = 'failed',
        due_at = null,
        finished_at = clock_timestamp(),
        last_error = 'backlog'
    from oldest o
    where d.delivery_id = o.delivery_id
    returning 1
  )
  select count(*)::integer into v_failed
  from failed;
  return v_failed;
end
$$;
comment on function webhook.bound_backlogs(uuid[]) is
  'Fails the oldest deliveries of each endpoint above webhook.settings.backlog with last_error '
  'backlog. None counts in failure_count. Returns how many.';

create function webhook.reset_due_times() returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_now timestamptz := clock_timestamp();
  v_lease interval := (select s.lease from webhook.settings s);
  v_reset integer;
begin
  -- A retry waits 25 s at most, an attempt lasts one lease. An attempt in progress keeps its claim,
  -- so that its result still counts.
  update webhook.deliveries d
  set due_at = case when d.claim is null then v_now else v_now + v_lease end
  where d.due_at > v_now + v_lease + interval '1 minute';
  get diagnostics v_reset = row_count;
  return v_reset;
end
$$;
comment on function webhook.reset_due_times() is
  'Deliveries that are due later than any can be, because the clock was set back, are due now; '
  'attempts in progress after one lease. Returns how many.';

create function webhook.claim_deliveries(p_limit integer, p_each integer, p_stays interval)
returns setof webhook.attempt
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_now timestamptz;
  v_lease interval := (select s.lease from webhook.settings s);
  v_endpoints uuid[];
begin
  perform webhook.fan_out_events(500);
  perform webhook.reset_due_times();
  -- Read now, so that the deliveries of the fan-out above are due.
  v_now := clock_timestamp();
  update webhook.sender_state t
  set awake_until = v_now + p_stays
  where t.awake_until < v_now + p_stays - interval '1 second'
    or t.awake_until > v_now + interval '10 minutes';
  -- 38 ms when 2,000 endpoints wait (2026-11-20, two cores). A busy sender claims up to 20 times a
  -- second.
  v_endpoints := webhook.waiting_endpoints(400);
  perform webhook.bound_backlogs(v_endpoints);
  return query
  with capacity as materialized (
    select e.endpoint_id,
           e.org_id,
           e.is_responding,
           (
             select count(*)
             from webhook.deliveries d
             where d.endpoint_id = e.endpoint_id and d.due_at > v_now and d.claim is not null
           ) as running
    from webhook.active_endpoints e
    where e.endpoint_id = any (v_endpoints)
  ), retries as materialized (
    -- Retries go before first attempts. Otherwise the deliveries of an endpoint that never responds
    -- wait behind its new ones, none of them finishes, and the endpoint is never disabled.
    select d.delivery_id, d.due_at, r.endpoint_id, r.org_id
    from capacity r
    cross join lateral (
      select n.delivery_id, n.due_at
      from webhook.deliveries n
      where n.endpoint_id = r.endpoint_id
        and n.due_at <= v_now
        and n.attempts > 0
      order by n.due_at
      limit greatest(p_each - r.running, 0)
      for update skip locked
    ) d
  ), firsts as materialized (
    select d.delivery_id, d.due_at, r.org_id
    from capacity r
    cross join lateral (
      select n.delivery_id, n.due_at
      from webhook.deliveries n
      where n.endpoint_id = r.endpoint_id
        and n.due_at <= v_now
        and n.attempts = 0
      order by n.due_at
      -- An endpoint that does not respond gets a first attempt only while fewer than two attempts
      -- run: each lasts the full five seconds. With its retries, three run on average.
      limit greatest(
        case when r.is_responding then p_each else least(p_each, 2) end - r.running
          - (select count(*) from retries t where t.endpoint_id = r.endpoint_id),
        0
      )
      for update skip locked
    ) d
  ), taken as materialized (
    -- In turns: the oldest of each organization, then the second oldest of each.
    select d.delivery_id
    from (
      select t.delivery_id, t.due_at, t.org_id
      from retries t
      union all
      select f.delivery_id, f.due_at, f.org_id
      from firsts f
    ) d
    order by row_number() over (partition by d.org_id order by d.due_at), d.due_at
    limit p_limit
  ), claimed as (
    update webhook.deliveries d
    set claim = gen_random_uuid(),
        due_at = v_now + v_lease
    from taken t
    where d.delivery_id = t.delivery_id
    returning d.*
  ), senders as materialized (
    -- The secret is a subquery, because a join may decrypt every secret of the Vault.
    select e.endpoint_id,
           (select s.decrypted_secret from vault.decrypted_secrets s where s.id = e.secret_id) as secret,
           case
             when e.previous_secret_until > v_now then
               (select s.decrypted_secret from vault.decrypted_secrets s where s.id = e.previous_secret_id)
           end as previous_secret,
           webhook.parse_url(e.url) as address
    from webhook.endpoints e
    where e.endpoint_id in (select c.endpoint_id from claimed c)
  )
  select c.delivery_id, c.claim, c.event, c.body, (s.address).host, (s.address).port, (s.address).target,
         coalesce((s.address).plain, false),
         coalesce((s.address).plain or webhook.is_allowed_host((s.address).host, (s.address).port), false),
         case when s.secret is null then 'secret.missing' when (s.address).fault is not null then 'address.refused' end,
         n.at,
         -- The sender writes t=<signed_at>,v1=<signature>.
         webhook.sign_v1(s.secret, n.at, c.body)
           || coalesce(',v1=' || webhook.sign_v1(s.previous_secret, n.at, c.body), ''),
         webhook.sign_standard(s.secret, c.delivery_id, n.at, c.body)
           || coalesce(' ' || webhook.sign_standard(s.previous_secret, c.delivery_id, n.at, c.body), '')
  from claimed c
  join senders s on s.endpoint_id = c.endpoint_id
  cross join (select floor(extract(epoch from v_now))::bigint as at) n;
end
$$;
comment on function webhook.claim_deliveries(integer, integer, interval) is
  'Claims at most p_limit due deliveries, at most p_each of an endpoint, of organizations in '
  'turn, retries first. p_stays: how long the caller goes on claiming.';

revoke all on function
  webhook.sign_v1(text, bigint, text),
  webhook.sign_standard(text, uuid, bigint, text),
  webhook.waiting_endpoints(integer),
  webhook.bound_backlogs(uuid[]),
  webhook.reset_due_times(),
  webhook.claim_deliveries(integer, integer, interval)
from public;
grant usage on schema webhook to parallax_deliver;
grant execute on function
  webhook.claim_deliveries(integer, integer, interval),
  webhook.filter_public_addresses(text[])
to parallax_deliver;
