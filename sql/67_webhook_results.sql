-- Results of attempts: what a result changes in its delivery and its endpoint.

create function webhook.record_results(p_results jsonb, out known integer, out disabled uuid[])
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_one record;
begin
  known := 0;
  disabled := '{}';
  -- Locks all endpoints first and in one order, so that two calls cannot deadlock.
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
    select d.delivery_id, d.endpoint_id, d.claim, r.status, r.error, r.answer, r.took_ms,
           coalesce(r.status between 200 and 299, false) as ok
    from jsonb_array_elements(p_results) with ordinality as a (result, place)
    cross join lateral jsonb_to_record(a.result) as r (
      delivery_id uuid, claim uuid, status smallint, error text, answer text, took_ms integer
    )
    join webhook.deliveries d on d.delivery_id = r.delivery_id and d.claim = r.claim
    order by a.place
  loop
    known := known + 1;
    if webhook.apply_result(
      v_one.delivery_id, v_one.claim, v_one.ok, v_one.status, v_one.error, v_one.answer, v_one.took_ms
    ) then
      disabled := disabled || v_one.endpoint_id;
    end if;
  end loop;
end
$$;
comment on function webhook.record_results(jsonb) is
  'Records results in order: [{delivery_id, claim, status, error, answer, took_ms}]. A result '
  'with an old claim changes nothing. known: results that counted.';

create function webhook.apply_result(
  p_delivery uuid,
  p_claim uuid,
  p_ok boolean,
  p_status smallint,
  p_error text,
  p_answer text,
  p_took_ms integer
) returns boolean
language plpgsql volatile
set search_path = ''
as $$
declare
  -- After the first, second and third failed attempt. The fourth is the last.
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
      due_at = case
        when not p_ok and d.attempts < 3 and v_endpoint.disabled_at is null then v_now + v_waits[d.attempts + 1]
      end,
      finished_at = case when p_ok or d.attempts >= 3 or v_endpoint.disabled_at is not null then v_now end,
      last_status = p_status,
      last_error = case when p_ok then null else left(coalesce(p_error, 'status.' || p_status), 200) end,
      last_answer = nullif(left(p_answer, 200), ''),
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
        is_responding = true
    where e.endpoint_id = v_endpoint.endpoint_id;
    return false;
  end if;
  if v_delivery.state <> 'failed' or v_delivery.event = 'ping' then
    if v_endpoint.is_responding then
      update webhook.endpoints e
      set is_responding = false
      where e.endpoint_id = v_endpoint.endpoint_id;
    end if;
    return false;
  end if;
  update webhook.endpoints e
  set failure_count = e.failure_count + 1,
      last_failure_at = v_now,
      is_responding = false,
      disabled_at = case when e.failure_count + 1 >= 20 then v_now end,
      disabled_reason = case when e.failure_count + 1 >= 20 then 'delivery_failures' end
  where e.endpoint_id = v_endpoint.endpoint_id
  returning * into v_endpoint;
  if v_endpoint.disabled_at is null then
    return false;
  end if;
  -- Attempts in progress may still be delivered. The other deliveries are dropped.
  update webhook.deliveries d
  set state = 'dropped',
      due_at = null,
      finished_at = v_now,
      last_error = 'endpoint.disabled'
  where d.endpoint_id = v_endpoint.endpoint_id
    and d.due_at is not null
    and d.claim is null;
  perform account.write_audit(
    v_endpoint.org_id, 'webhook.disabled', v_endpoint.url,
    jsonb_build_object('id', v_endpoint.endpoint_id, 'reason', v_endpoint.disabled_reason), 'delivery'
  );
  return true;
end
$$;
comment on function webhook.apply_result(uuid, uuid, boolean, smallint, text, text, integer) is
  'Part of webhook.record_results: applies one result to its delivery and endpoint '
  '(docs/webhooks.md, Delivery). Returns whether it disabled the endpoint.';

revoke all on function
  webhook.record_results(jsonb),
  webhook.apply_result(uuid, uuid, boolean, smallint, text, text, integer)
from public;
