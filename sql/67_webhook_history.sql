-- Tests, the delivery history and retries of an endpoint, for a key and for a member on the
-- dashboard (65_webhook_dashboard_rpc.sql). The caller has checked the rights.

create function webhook.start_test(p_endpoint webhook.endpoints) returns jsonb
language plpgsql volatile
set search_path = ''
as $$
begin
  if p_endpoint.disabled_at is not null then
    return '{"refused": "webhook.disabled"}';
  end if;
  -- The caller holds the lock of the admission, so two requests at once send one test.
  if exists (
    select
    from webhook.deliveries d
    where d.endpoint_id = p_endpoint.endpoint_id and d.event = 'ping' and d.due_at is not null
  ) then
    return '{"refused": "webhook.busy"}';
  end if;
  if 100 <= (
    select count(*)
    from webhook.deliveries d
    where d.endpoint_id = p_endpoint.endpoint_id
      and d.event = 'ping'
      and base.is_within(d.created_at, interval '1 day')
  ) then
    return '{"refused": "webhook.tests"}';
  end if;
  return jsonb_build_object('delivery_id', webhook.send_ping(p_endpoint.endpoint_id));
end
$$;
comment on function webhook.start_test(webhook.endpoints) is
  'Sends a ping: {delivery_id}, or {refused: code}. One at a time, 100 a day.';

create function webhook.retry_delivery(p_endpoint webhook.endpoints, p_delivery uuid) returns jsonb
language plpgsql volatile
set search_path = ''
as $$
begin
  if not exists (
    select
    from webhook.deliveries d
    where d.delivery_id = p_delivery and d.endpoint_id = p_endpoint.endpoint_id
  ) then
    return '{"refused": "delivery.not_found"}';
  elsif p_endpoint.disabled_at is not null then
    return '{"refused": "webhook.disabled"}';
  elsif not webhook.replay_delivery(p_delivery) then
    return '{"refused": "delivery.not_failed"}';
  end if;
  return jsonb_build_object('delivery_id', p_delivery);
end
$$;
comment on function webhook.retry_delivery(webhook.endpoints, uuid) is
  'Sends a failed or dropped delivery of the endpoint again: {delivery_id}, or {refused: code}.';

create function webhook.own_endpoint(p_org_id uuid, p_id uuid) returns webhook.endpoints
language sql stable
set search_path = ''
as $$ select e.* from webhook.endpoints e where e.endpoint_id = p_id and e.org_id = p_org_id $$;
comment on function webhook.own_endpoint(uuid, uuid) is
  'The endpoint if the organization has it, else null.';

create function webhook.test_endpoint(p_org_id uuid, p_id uuid) returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_endpoint webhook.endpoints := webhook.own_endpoint(p_org_id, p_id);
begin
  if v_endpoint.endpoint_id is null then
    return '{"refused": "webhook.not_found"}';
  end if;
  return webhook.start_test(v_endpoint);
end
$$;
comment on function webhook.test_endpoint(uuid, uuid) is
  'webhook.start_test for an endpoint of the organization.';

create function webhook.retry_own_delivery(p_org_id uuid, p_id uuid, p_delivery uuid) returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_endpoint webhook.endpoints := webhook.own_endpoint(p_org_id, p_id);
begin
  if v_endpoint.endpoint_id is null then
    return '{"refused": "webhook.not_found"}';
  end if;
  return webhook.retry_delivery(v_endpoint, p_delivery);
end
$$;
comment on function webhook.retry_own_delivery(uuid, uuid, uuid) is
  'webhook.retry_delivery for an endpoint of the organization.';

create function webhook.list_deliveries(p_endpoint uuid, p_state text, p_before uuid, p_limit integer) returns table (
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
language sql stable
set search_path = ''
as $$
  select d.delivery_id, d.event, 'mkt_' || d.pair_id, d.body, d.state, d.attempts::integer, d.last_status::integer,
         d.last_error, d.last_answer, d.last_took_ms, base.format_time(d.created_at),
         -- During an attempt due_at is the end of its lease.
         case when d.claim is null then base.format_time(d.due_at) end, base.format_time(d.finished_at)
  from webhook.deliveries d
  where d.endpoint_id = p_endpoint
    and d.created_at > clock_timestamp() - (select s.keep from webhook.settings s)
    and (p_state is null or d.state = p_state)
    and (
      p_before is null
      or (d.created_at, d.delivery_id) < (
        select b.created_at, b.delivery_id
        from webhook.deliveries b
        where b.delivery_id = p_before and b.endpoint_id = p_endpoint
      )
    )
  order by d.created_at desc, d.delivery_id desc
  limit p_limit
$$;
comment on function webhook.list_deliveries(uuid, text, uuid, integer) is
  'Deliveries of an endpoint within seven days, newest first, with the sent body. p_state: null '
  'for all; p_before: the last one of the previous page.';

create function webhook.page_deliveries(p_org_id uuid, p_id uuid, p_state text, p_before uuid, p_limit integer)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_rows jsonb;
  v_page jsonb;
begin
  if not exists (select from webhook.endpoints e where e.endpoint_id = p_id and e.org_id = p_org_id) then
    return '{"refused": "webhook.not_found"}';
  end if;
  if p_before is not null
    and not exists (
      select from webhook.deliveries d where d.delivery_id = p_before and d.endpoint_id = p_id
    ) then
    return '{"refused": "cursor.expired"}';
  end if;
  -- One row more than the page, which shows whether another page follows.
  select coalesce(jsonb_agg(to_jsonb(l) - 'place' order by l.place), '[]') into v_rows
  from (
    select d.*, row_number() over () as place
    from webhook.list_deliveries(p_id, p_state, p_before, p_limit + 1) d
  ) l;
  v_page := v_rows - p_limit;
  return jsonb_build_object(
    'count', jsonb_array_length(v_page),
    'has_more', jsonb_array_length(v_rows) > p_limit,
    'next_cursor', case when jsonb_array_length(v_rows) > p_limit then v_page -> -1 -> 'delivery_id' end,
    'deliveries', v_page
  );
end
$$;
comment on function webhook.page_deliveries(uuid, uuid, text, uuid, integer) is
  'A page of webhook.list_deliveries: {count, has_more, next_cursor, deliveries}, or {refused: '
  'code} when the endpoint or the cursor is not there.';

revoke all on function
  webhook.start_test(webhook.endpoints),
  webhook.retry_delivery(webhook.endpoints, uuid),
  webhook.own_endpoint(uuid, uuid),
  webhook.test_endpoint(uuid, uuid),
  webhook.retry_own_delivery(uuid, uuid, uuid),
  webhook.list_deliveries(uuid, text, uuid, integer),
  webhook.page_deliveries(uuid, uuid, text, uuid, integer)
from public;
grant execute on function
  webhook.test_endpoint(uuid, uuid),
  webhook.retry_own_delivery(uuid, uuid, uuid),
  webhook.page_deliveries(uuid, uuid, text, uuid, integer)
to parallax_api;
