-- Registering, changing and deleting endpoints, for a key and for an owner on the dashboard. The
-- function api has validated the registration (functions/api/webhook_registration.ts). The address
-- is checked again for each attempt (webhook.parse_url).

create function webhook.new_secret() returns text
language sql volatile
set search_path = ''
-- 32 random bytes of the operating system: 256 bits, as many as the hash can use.
as $$ select 'whsec_' || encode(extensions.gen_random_bytes(32), 'base64') $$;
comment on function webhook.new_secret() is 'A signing secret.';

-- The caller has validated the registration and holds the lock on the row of account.usage, so two
-- registrations at once cannot both be the last that the plan allows.
create function webhook.register_endpoint(
  p_org_id uuid,
  p_url text,
  p_events text[],
  p_min_spread_pts numeric,
  p_actor text default null,
  p_min_edge_pct numeric default null,
  p_min_profit_usd numeric default null
)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_id uuid := gen_random_uuid();
  v_secret text := webhook.new_secret();
  v_endpoint webhook.endpoints;
begin
  if (select count(*) from webhook.endpoints e where e.org_id = p_org_id) >= (
    select t.webhook_endpoints
    from account.subscriptions s
    join account.tiers t on t.tier = s.tier
    where s.org_id = p_org_id
  ) then
    return '{"refused": "webhook.limit"}';
  end if;
  if account.is_over_change_limit(p_org_id) then
    return '{"refused": "change.limit"}';
  end if;
  -- Pairs that exist already must not fire pair.created for the new endpoint.
  perform webhook.fire_pair_created();
  insert into webhook.endpoints (
    endpoint_id, org_id, url, events, min_spread_pts, min_edge_pct, min_profit_usd, secret_id, secret_preview
  )
  values (
    v_id, p_org_id, p_url,
    array(select distinct e from unnest(p_events) e order by e),
    -- Spreads have four decimals; digits of a float after the sixth are noise.
    round(p_min_spread_pts, 6),
    round(p_min_edge_pct, 6),
    round(p_min_profit_usd, 6),
    vault.create_secret(v_secret, 'webhook:' || v_id, 'Signs the deliveries of a webhook endpoint.'),
    left(v_secret, 10)
  )
  returning * into v_endpoint;
  perform account.write_audit(
    p_org_id, 'webhook.registered', p_url,
    jsonb_build_object(
      'id', v_id, 'events', to_jsonb(v_endpoint.events), 'min_spread_pts', trim_scale(v_endpoint.min_spread_pts),
      'min_edge_pct', trim_scale(v_endpoint.min_edge_pct), 'min_profit_usd', trim_scale(v_endpoint.min_profit_usd)
    ), p_actor
  );
  return jsonb_build_object(
    'id', v_id, 'url', v_endpoint.url, 'events', to_jsonb(v_endpoint.events), 'min_spread_pts',
    trim_scale(v_endpoint.min_spread_pts), 'min_edge_pct', trim_scale(v_endpoint.min_edge_pct), 'min_profit_usd',
    trim_scale(v_endpoint.min_profit_usd), 'secret', v_secret, 'created_at', base.format_time(v_endpoint.created_at)
  );
end
$$;
comment on function webhook.register_endpoint(
  uuid, text, text[], numeric, text, numeric, numeric
) is
  'Returns a new endpoint (WebhookSecret of the API), or {refused: code} at the limit of the plan '
  'or of changes. The secret is returned only here.';

create function webhook.describe_endpoint(p_org_id uuid, p_id uuid) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'allowed', to_jsonb(webhook.allowed_receivers()), 'events', to_jsonb(e.events), 'min_spread_pts', e.min_spread_pts,
    'min_edge_pct', e.min_edge_pct, 'min_profit_usd', e.min_profit_usd
  )
  from webhook.endpoints e
  where e.endpoint_id = p_id
    and e.org_id = p_org_id
$$;
comment on function webhook.describe_endpoint(uuid, uuid) is
  'What functions/api needs to validate a change: allowed receivers, events and thresholds. Null '
  'when the organization has no such endpoint.';

create function webhook.apply_change(
  p_old webhook.endpoints, p_url text, p_events text[], p_thresholds jsonb, p_enable boolean
)
returns webhook.endpoints
language plpgsql volatile
set search_path = ''
as $$
declare
  v_new webhook.endpoints := p_old;
begin
  v_new.url := coalesce(p_url, p_old.url);
  v_new.events := array(select distinct e from unnest(p_events) e order by e);
  v_new.min_spread_pts := round((p_thresholds ->> 'min_spread_pts')::numeric, 6);
  v_new.min_edge_pct := round((p_thresholds ->> 'min_edge_pct')::numeric, 6);
  v_new.min_profit_usd := round((p_thresholds ->> 'min_profit_usd')::numeric, 6);
  if p_enable then
    v_new.disabled_at := null;
    v_new.disabled_reason := null;
  end if;
  -- The failures were those of the old address, or the reason of the disabling.
  if (v_new.url, v_new.disabled_at) is distinct from (p_old.url, p_old.disabled_at) then
    v_new.failure_count := 0;
    v_new.is_responding := true;
  end if;
  if (v_new.events, v_new.min_spread_pts, v_new.min_edge_pct, v_new.min_profit_usd, v_new.disabled_at)
    is distinct from (p_old.events, p_old.min_spread_pts, p_old.min_edge_pct, p_old.min_profit_usd, p_old.disabled_at)
  then
    v_new.subscribed_at := clock_timestamp();
  end if;
  return v_new;
end
$$;
comment on function webhook.apply_change(
  webhook.endpoints, text, text[], jsonb, boolean
) is 'The endpoint after a change (webhook.change_endpoint), not stored yet.';

-- The caller has validated the change. p_url null: the address stays. Events and thresholds always
-- come together, so that two changes at once cannot mix.
create function webhook.change_endpoint(
  p_org_id uuid,
  p_id uuid,
  p_url text,
  p_events text[],
  p_thresholds jsonb,
  p_enable boolean,
  p_actor text default null
)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_old webhook.endpoints;
  v_new webhook.endpoints;
begin
  select e.* into v_old
  from webhook.endpoints e
  where e.endpoint_id = p_id
    and e.org_id = p_org_id
  for no key update;
  if v_old.endpoint_id is null then
    return '{"refused": "webhook.not_found"}';
  end if;
  v_new := webhook.apply_change(v_old, p_url, p_events, p_thresholds, p_enable);
  if v_new is not distinct from v_old then
    return jsonb_build_object('id', p_id);
  end if;
  if account.is_over_change_limit(p_org_id) then
    return '{"refused": "change.limit"}';
  end if;
  if v_new.subscribed_at <> v_old.subscribed_at then
    -- As at a registration: pairs that exist already fire nothing.
    perform webhook.fire_pair_created();
    v_new.subscribed_at := clock_timestamp();
  end if;
  update webhook.endpoints e
  set url = v_new.url,
      events = v_new.events,
      min_spread_pts = v_new.min_spread_pts,
      min_edge_pct = v_new.min_edge_pct,
      min_profit_usd = v_new.min_profit_usd,
      failure_count = v_new.failure_count,
      is_responding = v_new.is_responding,
      disabled_at = v_new.disabled_at,
      disabled_reason = v_new.disabled_reason,
      subscribed_at = v_new.subscribed_at
  where e.endpoint_id = p_id;
  perform account.write_audit(
    p_org_id, 'webhook.changed', v_new.url,
    jsonb_build_object(
      'id', p_id, 'from', v_old.url, 'events', to_jsonb(v_new.events), 'enabled',
      v_old.disabled_at is not null and v_new.disabled_at is null
    ) || p_thresholds,
    p_actor
  );
  return jsonb_build_object('id', p_id);
end
$$;
comment on function webhook.change_endpoint(
  uuid, uuid, text, text[], jsonb, boolean, text
) is
  'Changes an endpoint: {id}, or {refused: code}. p_enable: enables it when it is disabled. The '
  'audit has a row when anything changed.';

create function webhook.roll_secret(p_org_id uuid, p_id uuid, p_actor text default null) returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_secret text := webhook.new_secret();
  v_endpoint webhook.endpoints;
begin
  select e.* into v_endpoint
  from webhook.endpoints e
  where e.endpoint_id = p_id
    and e.org_id = p_org_id
  for no key update;
  if v_endpoint.endpoint_id is null then
    return '{"refused": "webhook.not_found"}';
  end if;
  if account.is_over_change_limit(p_org_id) then
    return '{"refused": "change.limit"}';
  end if;
  -- Of two rolls within a day: deliveries have at most two signatures.
  delete from vault.secrets s where s.id = v_endpoint.previous_secret_id;
  update webhook.endpoints e
  set previous_secret_id = v_endpoint.secret_id,
      previous_secret_until = clock_timestamp() + interval '24 hours',
      -- The Vault holds each name once, and the old secret has the name without an id of its own.
      secret_id = vault.create_secret(
        v_secret, 'webhook:' || p_id || ':' || gen_random_uuid(), 'Signs the deliveries of a webhook endpoint.'
      ),
      secret_preview = left(v_secret, 10)
  where e.endpoint_id = p_id
  returning * into v_endpoint;
  perform account.write_audit(
    p_org_id, 'webhook.rolled', v_endpoint.url, jsonb_build_object('id', p_id), p_actor
  );
  return jsonb_build_object(
    'id', p_id, 'secret', v_secret, 'previous_secret_until', base.format_time(v_endpoint.previous_secret_until)
  );
end
$$;
comment on function webhook.roll_secret(uuid, uuid, text) is
  'Gives an endpoint a new secret: {id, secret, previous_secret_until}, or {refused: code}. The '
  'old one signs as well for 24 hours. The new one is returned only here.';

create function webhook.drop_previous_secrets() returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_secrets uuid[];
begin
  with over as (
    select e.endpoint_id, e.previous_secret_id
    from webhook.endpoints e
    where e.previous_secret_until < clock_timestamp()
    for no key update skip locked
  ), cleared as (
    update webhook.endpoints e
    set previous_secret_id = null,
        previous_secret_until = null
    from over o
    where e.endpoint_id = o.endpoint_id
    returning o.previous_secret_id
  )
  select array_agg(c.previous_secret_id) into v_secrets
  from cleared c;
  -- A database without the Vault has no secrets, and keeps its other retention.
  if v_secrets is not null then
    delete from vault.secrets s where s.id = any (v_secrets);
  end if;
end
$$;
comment on function webhook.drop_previous_secrets() is
  'Retention: deletes secrets that were replaced more than 24 hours ago.';

create function webhook.delete_endpoint(p_org_id uuid, p_id uuid, p_actor text default null) returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_url text;
begin
  delete from webhook.endpoints e
  where e.endpoint_id = p_id
    and e.org_id = p_org_id
  returning e.url into v_url;
  if v_url is null then
    return false;
  end if;
  perform account.write_audit(p_org_id, 'webhook.deleted', v_url, jsonb_build_object('id', p_id), p_actor);
  return true;
end
$$;
comment on function webhook.delete_endpoint(uuid, uuid, text) is
  'Deletes an endpoint with its secret and its deliveries. Returns false when the organization '
  'has no such endpoint.';

create function webhook.key_actor_of(p_key_hash bytea) returns text
language sql stable security definer
set search_path = ''
as $$ select 'key ' || k.prefix from account.keys k where k.hash = p_key_hash $$;
comment on function webhook.key_actor_of(bytea) is
  'The actor of a change over REST for the audit: the key, by its prefix.';

revoke all on function
  webhook.apply_change(webhook.endpoints, text, text[], jsonb, boolean),
  webhook.new_secret(),
  webhook.drop_previous_secrets(),
  webhook.describe_endpoint(uuid, uuid),
  webhook.change_endpoint(uuid, uuid, text, text[], jsonb, boolean, text),
  webhook.roll_secret(uuid, uuid, text),
  webhook.register_endpoint(uuid, text, text[], numeric, text, numeric, numeric),
  webhook.delete_endpoint(uuid, uuid, text),
  webhook.key_actor_of(bytea)
from public;
grant execute on function
  webhook.describe_endpoint(uuid, uuid),
  webhook.change_endpoint(uuid, uuid, text, text[], jsonb, boolean, text),
  webhook.roll_secret(uuid, uuid, text),
  webhook.register_endpoint(uuid, text, text[], numeric, text, numeric, numeric),
  webhook.delete_endpoint(uuid, uuid, text),
  webhook.key_actor_of(bytea)
to parallax_api;
