-- The routes of /v1/webhooks, and the webhook RPCs of the dashboard.

create function api.get_allowed_receivers() returns api.route_result
language plpgsql stable
set search_path = ''
as $$
declare
  v_answer api.route_result;
begin
  v_answer.status := 200;
  v_answer.body := to_json(webhook.allowed_receivers())::text;
  return v_answer;
end
$$;
comment on function api.get_allowed_receivers() is
  'For functions/api only: receivers (host:port) that may be registered with any address.';

create function api.answer_change(p_made jsonb, p_status integer) returns api.route_result
language plpgsql immutable
set search_path = ''
as $$
declare
  v_answer api.route_result;
begin
  v_answer.code := p_made ->> 'refused';
  v_answer.status := case
    when v_answer.code is null then p_status
    when v_answer.code like '%.not_found' then 404
    else 409
  end;
  v_answer.body := case when v_answer.code is null then p_made::text end;
  return v_answer;
end
$$;
comment on function api.answer_change(jsonb, integer) is
  'The result of a function of schema webhook that returns its body or {refused: code}.';

create function api.post_endpoint(p_org_id uuid, p_actor text, p_params jsonb) returns api.route_result
language plpgsql volatile
set search_path = ''
as $$
begin
  return api.answer_change(
    webhook.register_endpoint(
      p_org_id, p_params ->> 'url', array(select jsonb_array_elements_text(p_params -> 'events')),
      (p_params ->> 'min_spread_pts')::numeric, p_actor, (p_params ->> 'min_edge_pct')::numeric,
      (p_params ->> 'min_profit_usd')::numeric
    ), 201
  );
end
$$;
comment on function api.post_endpoint(uuid, text, jsonb) is
  'POST /v1/webhooks with a registration that functions/api has checked. 201; 409 for a fourth '
  'endpoint or too many changes. p_actor: for the audit; null: the signed-in person.';

create function api.get_endpoints() returns api.route_result
language plpgsql stable
set search_path = ''
as $$
declare
  v_answer api.route_result;
begin
  v_answer.status := 200;
  v_answer.body := (
    select json_build_object(
      'count', count(*),
      'webhooks', coalesce(json_agg(to_jsonb(s) - 'org_id' order by s.created_at, s.id), '[]')
    )::text
    from webhook.endpoint_summaries s
  );
  return v_answer;
end
$$;
comment on function api.get_endpoints() is
  'GET /v1/webhooks: {count, webhooks}, oldest first. Row-level security limits it to the '
  'admitted organization.';

create function api.delete_endpoint(p_org_id uuid, p_key_hash bytea, p_params jsonb) returns api.route_result
language plpgsql volatile
set search_path = ''
as $$
declare
  v_answer api.route_result;
begin
  v_answer.status := 204;
  if not webhook.delete_endpoint(p_org_id, (p_params ->> 'id')::uuid, webhook.key_actor_of(p_key_hash)) then
    v_answer.status := 404;
    v_answer.code := 'webhook.not_found';
  end if;
  return v_answer;
end
$$;
comment on function api.delete_endpoint(uuid, bytea, jsonb) is
  'DELETE /v1/webhooks/{id}: 204, or 404 if the organization has no such endpoint.';

create function api.roll_secret(p_org_id uuid, p_key_hash bytea, p_params jsonb) returns api.route_result
language plpgsql volatile
set search_path = ''
as $$
begin
  return api.answer_change(
    webhook.roll_secret(p_org_id, (p_params ->> 'id')::uuid, webhook.key_actor_of(p_key_hash)), 200
  );
end
$$;
comment on function api.roll_secret(uuid, bytea, jsonb) is
  'POST /v1/webhooks/{id}/roll: 200 with the new secret; 404, or 409 for too many changes.';

create function api.get_endpoint_to_change(p_org_id uuid, p_params jsonb) returns api.route_result
language plpgsql stable
set search_path = ''
as $$
begin
  return api.answer_change(
    coalesce(webhook.describe_endpoint(p_org_id, (p_params ->> 'id')::uuid), '{"refused": "webhook.not_found"}'), 200
  );
end
$$;
comment on function api.get_endpoint_to_change(uuid, jsonb) is
  'For functions/api only: what it needs to validate PATCH /v1/webhooks/{id}, or 404.';

create function api.patch_endpoint(p_org_id uuid, p_key_hash bytea, p_params jsonb) returns api.route_result
language plpgsql volatile
set search_path = ''
as $$
declare
  v_id uuid := (p_params ->> 'id')::uuid;
  v_answer api.route_result := api.answer_change(
    webhook.change_endpoint(
      p_org_id, v_id, p_params ->> 'url', array(select jsonb_array_elements_text(p_params -> 'events')),
      p_params -> 'thresholds', coalesce(p_params ->> 'status' = 'enabled', false), webhook.key_actor_of(p_key_hash)
    ), 200
  );
begin
  if v_answer.code is null then
    v_answer.body := (
      select (to_jsonb(s) - 'org_id')::text from webhook.endpoint_summaries s where s.id = v_id
    );
  end if;
  return v_answer;
end
$$;
comment on function api.patch_endpoint(uuid, bytea, jsonb) is
  'PATCH /v1/webhooks/{id} with a change that functions/api has checked: 200 with the endpoint as '
  'in the list; 404, or 409 for too many changes.';

create function api.test_endpoint(p_org_id uuid, p_params jsonb) returns api.route_result
language plpgsql volatile
set search_path = ''
as $$
begin
  return api.answer_change(webhook.test_endpoint(p_org_id, (p_params ->> 'id')::uuid), 202);
end
$$;
comment on function api.test_endpoint(uuid, jsonb) is
  'POST /v1/webhooks/{id}/test: 202 {delivery_id}; 404, or 409 (webhook.start_test).';

create function api.get_deliveries(p_org_id uuid, p_params jsonb) returns api.route_result
language plpgsql stable
set search_path = ''
as $$
declare
  v_answer api.route_result := api.answer_change(
    webhook.page_deliveries(
      p_org_id, (p_params ->> 'id')::uuid, p_params ->> 'state', (p_params ->> 'cursor')::uuid,
      (p_params ->> 'limit')::integer
    ), 200
  );
begin
  if v_answer.code = 'cursor.expired' then
    v_answer.code := null;
    v_answer.status := 422;
    v_answer.body := json_build_array(json_build_object(
      'loc', array['query', 'cursor'],
      'msg', 'Value error, this endpoint has no delivery with the id of the cursor any more. Begin again without it',
      'type', 'cursor.expired',
      'input', p_params ->> 'cursor',
      'ctx', json_build_object()
    ));
  end if;
  return v_answer;
end
$$;
comment on function api.get_deliveries(uuid, jsonb) is
  'GET /v1/webhooks/{id}/deliveries: 200 {count, has_more, next_cursor, deliveries}; 404; 422 for '
  'a cursor that is gone.';

create function api.retry_delivery(p_org_id uuid, p_params jsonb) returns api.route_result
language plpgsql volatile
set search_path = ''
as $$
begin
  return api.answer_change(
    webhook.retry_own_delivery(p_org_id, (p_params ->> 'id')::uuid, (p_params ->> 'delivery_id')::uuid), 202
  );
end
$$;
comment on function api.retry_delivery(uuid, jsonb) is
  'POST /v1/webhooks/{id}/deliveries/{delivery_id}/retry: 202 {delivery_id}; 404, or 409.';

revoke all on function
  api.get_endpoint_to_change(uuid, jsonb),
  api.patch_endpoint(uuid, bytea, jsonb),
  api.test_endpoint(uuid, jsonb),
  api.get_deliveries(uuid, jsonb),
  api.retry_delivery(uuid, jsonb),
  api.answer_change(jsonb, integer),
  api.roll_secret(uuid, bytea, jsonb),
  api.get_allowed_receivers(),
  api.post_endpoint(uuid, text, jsonb),
  api.get_endpoints(),
  api.delete_endpoint(uuid, bytea, jsonb)
from public;
grant execute on function
  api.get_endpoint_to_change(uuid, jsonb),
  api.patch_endpoint(uuid, bytea, jsonb),
  api.test_endpoint(uuid, jsonb),
  api.get_deliveries(uuid, jsonb),
  api.retry_delivery(uuid, jsonb),
  api.answer_change(jsonb, integer),
  api.roll_secret(uuid, bytea, jsonb),
  api.get_allowed_receivers(),
  api.post_endpoint(uuid, text, jsonb),
  api.get_endpoints(),
  api.delete_endpoint(uuid, bytea, jsonb)
to parallax_api;

create view api.my_webhooks with (security_invoker = true) as
select s.* from webhook.endpoint_summaries s;
comment on view api.my_webhooks is
  'Endpoints of the caller''s organizations, as in GET /v1/webhooks.';
grant select on api.my_webhooks to authenticated;

create function api.delete_webhook(p_id uuid) returns void
language sql volatile
set search_path = ''
as $$ select webhook.dashboard_delete(p_id) $$;
comment on function api.delete_webhook(uuid) is
  'Owners: deletes the endpoint; it receives nothing from then on.';

create function api.roll_webhook(p_id uuid) returns jsonb
language sql volatile
set search_path = ''
as $$ select webhook.dashboard_roll(p_id) $$;
comment on function api.roll_webhook(uuid) is
  'Owners: a new secret {id, secret, previous_secret_until}. The old one signs too for 24 hours.';

create function api.list_webhook_deliveries(p_id uuid, p_state text default null, p_before uuid default null)
returns table (
  delivery_id uuid,
  event text,
  pair_id text,
  body text,
  state text,
  attempts integer,
  last_status integer,
  last_error text,
  last_answer text,
  last_took_ms integer,
  created_at text,
  next_attempt_at text,
  finished_at text
)
language sql volatile
set search_path = ''
as $$ select * from webhook.dashboard_deliveries(p_id, p_state, p_before) $$;
comment on function api.list_webhook_deliveries(uuid, text, uuid) is
  'Deliveries of an endpoint in seven days, newest first, 100 at once. p_state: waiting, '
  'delivered, failed or dropped; p_before: the last delivery_id of the previous page.';

create function api.test_webhook(p_id uuid) returns jsonb
language sql volatile
set search_path = ''
as $$ select webhook.dashboard_test(p_id) $$;
comment on function api.test_webhook(uuid) is 'Owners: sends a ping; {delivery_id}.';

create function api.replay_delivery(p_id uuid) returns void
language sql volatile
set search_path = ''
as $$ select webhook.dashboard_replay(p_id) $$;
comment on function api.replay_delivery(uuid) is
  'Owners: sends a failed or dropped delivery again.';

grant execute on function
  api.delete_webhook(uuid),
  api.roll_webhook(uuid),
  api.list_webhook_deliveries(uuid, text, uuid),
  api.test_webhook(uuid),
  api.replay_delivery(uuid)
to authenticated;
