-- RPCs of the dashboard for endpoints. These functions check the rights; functions in schema api
-- give them their names for PostgREST. An endpoint is registered and changed over REST, with a key
-- or with the session of an owner (account.admit_owner).

create function webhook.admit_owner(p_org_id uuid) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_in account.admission;
begin
  perform account.lock_for_change(p_org_id, 'owner');
  -- Counts a request of the organization, which also locks its row of account.usage (see
  -- webhook.register_endpoint).
  v_in := account.count_request(p_org_id, false, 1, 0, 'webhook');
  if v_in.code = 'auth.revoked_key' then
    perform account.raise_error(
      404, 'organization.not_found', 'You are not a member of this organization, or it does not exist.'
    );
  elsif v_in.code = 'webhook.tier' then
    perform account.raise_error(
      403, v_in.code, 'Your tier does not include webhooks. Basic, Premium and Pro include them.'
    );
  end if;
  perform account.raise_admission_error(v_in);
end
$$;
comment on function webhook.admit_owner(uuid) is
  'Admits an owner to the webhooks of an organization, like a key; raises 401, 402, 403, 404 or '
  '429.';

create function webhook.require_own_endpoint(p_id uuid, p_role text) returns webhook.endpoints
language plpgsql volatile
set search_path = ''
as $$
declare
  v_user uuid := account.require_user();
  v_endpoint webhook.endpoints;
begin
  select e.* into v_endpoint
  from webhook.endpoints e
  join account.members m on m.org_id = e.org_id and m.user_id = v_user
  where e.endpoint_id = p_id
    and (p_role = 'member' or m.role = 'owner');
  if v_endpoint.endpoint_id is null then
    if exists (
      select
      from webhook.endpoints e
      join account.members m on m.org_id = e.org_id and m.user_id = v_user
      where e.endpoint_id = p_id
    ) then
      perform account.raise_error(403, 'role.owner_needed', 'Only an owner of the organization can do this.');
    end if;
    perform account.raise_error(404, 'webhook.not_found', 'Your organizations have no webhook endpoint with this id.');
  end if;
  return v_endpoint;
end
$$;
comment on function webhook.require_own_endpoint(uuid, text) is
  'Returns an endpoint of an organization of the caller, who must be an owner unless p_role is '
  'member. Raises 403 or 404.';

create function webhook.raise_refusal(p_made jsonb) returns jsonb
language plpgsql volatile
set search_path = ''
as $$
declare
  v_code text := p_made ->> 'refused';
begin
  if v_code is not null then
    perform account.raise_error(
      409, v_code,
      case v_code
        when 'webhook.disabled' then 'This endpoint is disabled. Enable it first.'
        when 'webhook.busy' then 'The last test of this endpoint is still under way.'
        when 'webhook.tests' then
          'This endpoint had 100 tests within a day, which is the limit. Test it again tomorrow.'
        when 'delivery.not_failed' then 'Only failed and dropped deliveries can be sent again.'
      end
    );
  end if;
  return p_made;
end
$$;
comment on function webhook.raise_refusal(jsonb) is
  'Raises the 409 of {refused: code}, and returns anything else.';

create function webhook.dashboard_delete(p_id uuid) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_endpoint webhook.endpoints := webhook.require_own_endpoint(p_id, 'owner');
begin
  -- Also on a plan without webhooks, so that paused endpoints can be deleted.
  perform webhook.delete_endpoint(v_endpoint.org_id, p_id);
end
$$;
comment on function webhook.dashboard_delete(uuid) is
  'DELETE /v1/webhooks/{id} for an owner, on every plan.';

create function webhook.dashboard_roll(p_id uuid) returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_endpoint webhook.endpoints := webhook.require_own_endpoint(p_id, 'owner');
begin
  perform webhook.admit_owner(v_endpoint.org_id);
  perform account.check_change_limit(v_endpoint.org_id);
  return webhook.roll_secret(v_endpoint.org_id, p_id);
end
$$;
comment on function webhook.dashboard_roll(uuid) is
  'POST /v1/webhooks/{id}/roll for an owner: {id, secret, previous_secret_until}.';

create function webhook.dashboard_deliveries(p_id uuid, p_state text, p_before uuid) returns table (
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
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform webhook.require_own_endpoint(p_id, 'member');
  if p_state not in ('waiting', 'delivered', 'failed', 'dropped') then
    perform account.raise_error(422, 'delivery.state', 'The state must be waiting, delivered, failed or dropped.');
  end if;
  return query select * from webhook.list_deliveries(p_id, p_state, p_before, 100);
end
$$;
comment on function webhook.dashboard_deliveries(uuid, text, uuid) is
  'Deliveries of an endpoint within seven days, newest first, 100 a page, with the sent body. '
  'p_state: null for all; p_before: the last one of the previous page.';

create function webhook.dashboard_test(p_id uuid) returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_endpoint webhook.endpoints := webhook.require_own_endpoint(p_id, 'owner');
begin
  perform webhook.admit_owner(v_endpoint.org_id);
  return webhook.raise_refusal(webhook.start_test(v_endpoint));
end
$$;
comment on function webhook.dashboard_test(uuid) is
  'Sends a ping and returns {delivery_id}; its row in webhook_deliveries gets the result. One at '
  'a time, 100 a day (409).';

create function webhook.dashboard_replay(p_id uuid) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_endpoint webhook.endpoints;
  v_delivery webhook.deliveries;
begin
  perform account.require_user();
  select d.* into v_delivery
  from webhook.deliveries d
  join webhook.endpoints e on e.endpoint_id = d.endpoint_id
  where d.delivery_id = p_id
    and e.org_id in (select account.current_user_orgs());
  if v_delivery.delivery_id is null then
    perform account.raise_error(404, 'delivery.not_found', 'Your organizations have no delivery with this id.');
  end if;
  v_endpoint := webhook.require_own_endpoint(v_delivery.endpoint_id, 'owner');
  perform webhook.admit_owner(v_endpoint.org_id);
  perform webhook.raise_refusal(webhook.retry_delivery(v_endpoint, p_id));
end
$$;
comment on function webhook.dashboard_replay(uuid) is
  'Sends a failed or dropped delivery again, with the same id and body.';

revoke all on function
  webhook.admit_owner(uuid),
  webhook.require_own_endpoint(uuid, text),
  webhook.raise_refusal(jsonb),
  webhook.dashboard_delete(uuid),
  webhook.dashboard_roll(uuid),
  webhook.dashboard_deliveries(uuid, text, uuid),
  webhook.dashboard_test(uuid),
  webhook.dashboard_replay(uuid)
from public;
grant execute on function
  webhook.dashboard_delete(uuid),
  webhook.dashboard_roll(uuid),
  webhook.dashboard_deliveries(uuid, text, uuid),
  webhook.dashboard_test(uuid),
  webhook.dashboard_replay(uuid)
to authenticated;
