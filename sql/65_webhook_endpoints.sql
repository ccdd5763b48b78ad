-- Registering and deleting endpoints: the rules of spec.md, for a key over REST and for an owner on the page alike.

create function webhook.fault(p_loc jsonb, p_type text, p_msg text, p_input jsonb, p_ctx jsonb default '{}') returns jsonb
language sql immutable
set search_path = ''
as $$ select jsonb_build_object('loc', '["body"]'::jsonb || p_loc, 'msg', p_msg, 'type', p_type, 'input', p_input, 'ctx', p_ctx) $$;
comment on function webhook.fault(jsonb, text, text, jsonb, jsonb) is 'One fault of a registration, as spec.md''s Validation error has it.';

create function webhook.faults(p_url text, p_events text[], p_min_spread_pts numeric) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_all jsonb := '[]';
  v_read webhook.address;
  v_known constant text := '''pair.created'' or ''spread.threshold''';
  v_input jsonb := to_jsonb(p_min_spread_pts);
begin
  if p_url is null then
    v_all := v_all || webhook.fault('["url"]', 'missing', 'Field required', 'null');
  else
    v_read := webhook.read_url(p_url);
    if v_read.fault is not null then
      v_all := v_all || webhook.fault('["url"]', v_read.fault, v_read.msg, to_jsonb(left(p_url, 200)), v_read.ctx);
    end if;
  end if;
  if coalesce(cardinality(p_events), 0) = 0 then
    v_all := v_all || webhook.fault('["events"]', 'too_short', 'List should have at least 1 items', '[]', '{"min_length": 1}');
  end if;
  select v_all || coalesce(
    jsonb_agg(
      webhook.fault(
        jsonb_build_array('events', e.place - 1), 'enum', 'Input should be ' || v_known, to_jsonb(left(e.event, 200)),
        jsonb_build_object('expected', v_known)
      )
      order by e.place
    ),
    '[]'
  )
  into v_all
  -- Some are told, not thousands.
  from unnest(p_events[1:20]) with ordinality e (event, place)
  where e.event is null
    or e.event not in ('pair.created', 'spread.threshold');
  if cardinality(p_events) > 20 then
    v_all := v_all || webhook.fault('["events"]', 'too_long', 'List should have at most 20 items', 'null', '{"max_length": 20}');
  end if;
  if p_min_spread_pts is null then
    if 'spread.threshold' = any (p_events) then
      v_all := v_all || webhook.fault('["min_spread_pts"]', 'missing', 'Field required with the event ''spread.threshold''', 'null');
    end if;
  elsif not 'spread.threshold' = any (coalesce(p_events, '{}')) then
    v_all := v_all || webhook.fault('["min_spread_pts"]', 'extra_forbidden', 'Only for the event ''spread.threshold'': omit it otherwise', v_input);
  elsif p_min_spread_pts < 0.5 then
    v_all := v_all || webhook.fault('["min_spread_pts"]', 'greater_than_equal', 'Input should be greater than or equal to 0.5', v_input, '{"ge": 0.5}');
  elsif p_min_spread_pts > 50 then
    v_all := v_all || webhook.fault('["min_spread_pts"]', 'less_than_equal', 'Input should be less than or equal to 50', v_input, '{"le": 50}');
  end if;
  return v_all;
end
$$;
comment on function webhook.faults(text, text[], numeric) is 'What is wrong with a registration: the detail of a Validation error; an empty array where nothing is.';

create function webhook.register(p_org_id uuid, p_url text, p_events text[], p_min_spread_pts numeric, p_actor text default null)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_id uuid := gen_random_uuid();
  -- 32 bytes of the operating system's generator: 256 bits, as much as the hash can use.
  v_secret text := 'whsec_' || encode(extensions.gen_random_bytes(32), 'base64');
  v_made webhook.endpoints;
begin
  if (select count(*) from webhook.endpoints e where e.org_id = p_org_id) >= (
    select t.webhook_endpoints
    from account.subscriptions s
    join account.tiers t on t.tier = s.tier
    where s.org_id = p_org_id
  ) then
    return '{"refused": "webhook.limit"}';
  end if;
  if account.changes_too_much(p_org_id) then
    return '{"refused": "change.limit"}';
  end if;
  -- Pairs that are there already are no news to it.
  perform webhook.announce();
  insert into webhook.endpoints (endpoint_id, org_id, url, events, min_spread_pts, secret_id, secret_preview)
  values (
    v_id, p_org_id, p_url,
    array(select distinct e from unnest(p_events) e order by e),
    -- Gaps have four decimals; what a float adds behind the sixth says nothing.
    round(p_min_spread_pts, 6),
    vault.create_secret(v_secret, 'webhook:' || v_id, 'Signs the deliveries of a webhook endpoint.'),
    left(v_secret, 10)
  )
  returning * into v_made;
  perform account.note(
    p_org_id, 'webhook.registered', p_url,
    jsonb_build_object('id', v_id, 'events', to_jsonb(v_made.events), 'min_spread_pts', trim_scale(v_made.min_spread_pts)), p_actor
  );
  return jsonb_build_object(
    'id', v_id, 'url', v_made.url, 'events', to_jsonb(v_made.events), 'min_spread_pts', trim_scale(v_made.min_spread_pts),
    'secret', v_secret, 'created_at', base.format_time(v_made.created_at)
  );
end
$$;
comment on function webhook.register(uuid, text, text[], numeric, text) is
  'A new endpoint {id, url, events, min_spread_pts, secret, created_at}, the one time that its secret is told; {refused: code} where the organization has all that its plan allows, or was changed too often. Its caller has asked webhook.faults, and holds the organization''s row of account.usage: so two at once cannot both be the third.';

create function webhook.remove(p_org_id uuid, p_id uuid, p_actor text default null) returns boolean
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
  perform account.note(p_org_id, 'webhook.deleted', v_url, jsonb_build_object('id', p_id), p_actor);
  return true;
end
$$;
comment on function webhook.remove(uuid, uuid, text) is 'Deletes an endpoint of an organization with its secret and its deliveries. False where it has no such endpoint.';

create function webhook.key_actor(p_key_hash bytea) returns text
language sql stable security definer
set search_path = ''
as $$ select 'key ' || k.prefix from account.keys k where k.hash = p_key_hash $$;
comment on function webhook.key_actor(bytea) is 'Who did something over REST, for the audit: the key by its prefix.';

revoke all on function
  webhook.fault(jsonb, text, text, jsonb, jsonb),
  webhook.faults(text, text[], numeric),
  webhook.register(uuid, text, text[], numeric, text),
  webhook.remove(uuid, uuid, text),
  webhook.key_actor(bytea)
from public;
grant execute on function
  webhook.fault(jsonb, text, text, jsonb, jsonb),
  webhook.faults(text, text[], numeric),
  webhook.read_url(text),
  webhook.register(uuid, text, text[], numeric, text),
  webhook.remove(uuid, uuid, text),
  webhook.key_actor(bytea)
to parallax_api;
grant usage on type webhook.address to parallax_api;
