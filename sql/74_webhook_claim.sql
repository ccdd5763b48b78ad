-- Sending: who takes which delivery, signed.

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
  v_now timestamptz;
  v_lease interval := (select s.lease from webhook.settings s);
  v_from uuid := gen_random_uuid();
  -- How many endpoints it looks at: 38 ms where 2,000 wait (2026-11-20, two cores); a sender that is busy asks 20 times a second at most.
  v_looks constant integer := 400;
begin
  perform webhook.fan_out(500);
  -- Only now: what has just been written out is due already.
  v_now := clock_timestamp();
  update webhook.turns t
  set awake_until = v_now + p_stays
  where t.awake_until < v_now + p_stays - interval '1 second';
  return query
  -- From one endpoint to the next through the index, so that what waits for one does not have to be read to find another: so many of them
  -- and no more, whoever waits, from somewhere in the middle on and then from the first, so that each has its turn.
  with recursive above as (
    (select d.endpoint_id, 1 as step from webhook.deliveries d where d.due_at is not null and d.endpoint_id > v_from order by 1 limit 1)
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
      and a.step < v_looks
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
      and b.step < v_looks
  ), room as materialized (
    select e.endpoint_id,
           e.org_id,
           -- One that does not answer is not given all it could take: its attempts last the whole five seconds.
           case when e.answers then p_each else least(p_each, 2) end - (
             select count(*) from webhook.deliveries d where d.endpoint_id = e.endpoint_id and d.due_at > v_now and d.claim is not null
           ) as free
    from (select a.endpoint_id from above a union all select b.endpoint_id from below b) p
    join webhook.live e on e.endpoint_id = p.endpoint_id
  ), due as materialized (
    select d.delivery_id, d.due_at, r.org_id
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
  ), taken as materialized (
    -- In turns: the oldest of each organization, then the second of each.
    select d.delivery_id
    from due d
    order by row_number() over (partition by d.org_id order by d.due_at), d.due_at
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
         coalesce(webhook.is_listed((s.address).host, (s.address).port), false),
         case when s.secret is null then 'secret.missing' when (s.address).fault is not null then 'address.refused' end,
         n.at, webhook.signature(s.secret, n.at, c.body), webhook.standard_signature(s.secret, c.delivery_id, n.at, c.body)
  from claimed c
  join senders s on s.endpoint_id = c.endpoint_id
  cross join (select floor(extract(epoch from v_now))::bigint as at) n;
end
$$;
comment on function webhook.claim(integer, integer, interval) is
  'Takes at most p_most due deliveries for the caller to attempt at once, of organizations in turn, so that no endpoint has more than p_each under way (2 while it does not answer). Writes out some of what was decided before (webhook.fan_out). p_stays: how long the caller will go on asking. What it does not report within the lease is due again.';

revoke all on function
  webhook.signature(text, bigint, text),
  webhook.standard_signature(text, uuid, bigint, text),
  webhook.claim(integer, integer, interval)
from public;
grant usage on schema webhook to parallax_deliver;
grant execute on function
  webhook.claim(integer, integer, interval),
  webhook.public_among(text[])
to parallax_deliver;
