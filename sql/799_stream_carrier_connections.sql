-- The connections of Centrifugo. A node asks functions/api at each connect, and again before the
-- connection expires. Centrifugo reports no end of a connection, so its slot stays taken for up to
-- the length of its lease. Where the limit is reached, functions/api asks the nodes which clients
-- are there and frees the slots of the others.

create function stream.carrier_node_id(p_node text) returns uuid
language sql immutable
set search_path = ''
return md5('node ' || p_node)::uuid;
comment on function stream.carrier_node_id(text) is
  'The server id of a node of Centrifugo in stream.connections.';

create function stream.carried_until(p_key_id uuid) returns timestamptz
language sql volatile
set search_path = ''
as $$
  select least(clock_timestamp() + s.carried_for, k.expires_at)
  from account.keys k
  cross join stream.settings s
  where k.key_id = p_key_id
$$;
comment on function stream.carried_until(uuid) is
  'When Centrifugo must ask again about a connection with this key.';

create function stream.org_connections(p_org_id uuid) returns json
language sql stable
set search_path = ''
as $$
  select coalesce(json_agg(json_build_object('id', c.connection_id, 'node', c.node) order by c.connected_at), '[]')
  from stream.connections c
  where c.org_id = p_org_id
    and c.node is not null
    -- A client is listed by its node some moments after the node has asked about it.
    and c.connected_at < clock_timestamp() - interval '5 seconds'
$$;
comment on function stream.org_connections(uuid) is
  'The connections [{id, node}] of an organization that may have ended without a report.';

-- p_absent: null at the first call for a ticket. Else the connections that have ended, which lose
-- their slots.
create function stream.open_carried_connection(
  p_ticket_hash bytea, p_connection uuid, p_node text, p_absent uuid[] default null
) returns json
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_org_id uuid := (select t.org_id from stream.tickets t where t.hash = p_ticket_hash);
  v_opened json;
  v_expires_at timestamptz;
begin
  delete from stream.connections c
  where c.org_id = v_org_id
    and c.connection_id = any (p_absent);
  begin
    v_opened := stream.open_connection(p_ticket_hash, p_connection, stream.carrier_node_id(p_node));
    if v_opened ->> 'refused' = 'cap' and p_absent is null then
      raise exception 'the ticket stays unused until the nodes have answered' using errcode = 'PX001';
    end if;
  exception
    when sqlstate 'PX001' then
      return json_build_object('refused', 'cap', 'org_id', v_org_id, 'others', stream.org_connections(v_org_id));
  end;
  if v_opened ->> 'refused' is not null then
    return v_opened;
  end if;
  -- Centrifugo keeps a connection for 60 s more when it gets no answer.
  update stream.connections c
  set node = p_node,
      lease = s.carried_for + interval '100 seconds',
      lease_until = clock_timestamp() + s.carried_for + interval '100 seconds'
  from stream.settings s
  where c.connection_id = p_connection
  returning stream.carried_until(c.key_id) into v_expires_at;
  perform stream.seed_carrier_channel('org:' || v_org_id);
  return json_build_object(
    'org_id', v_org_id,
    'expires_at', ceil(extract(epoch from v_expires_at)),
    'channels', (select json_agg(p.value ->> 'channel') from json_array_elements(v_opened -> 'channels') p)
  );
end
$$;
comment on function stream.open_carried_connection(bytea, uuid, text, uuid[]) is
  'Uses a ticket at a node: {org_id, expires_at (epoch seconds), channels} or {refused: ticket | '
  'key | plan | cap}. The first call that meets the limit keeps the ticket and returns others.';

create function stream.renew_carried_connection(p_connection uuid, p_node text) returns json
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_renewed json := stream.renew_connections(stream.carrier_node_id(p_node), array[p_connection]);
  v_connection json := v_renewed -> 'connections' -> 0;
begin
  if v_connection is null or v_connection ->> 'refused' is not null then
    delete from stream.connections c where c.connection_id = p_connection and c.node = p_node;
    return json_build_object('refused', coalesce(v_connection ->> 'refused', 'lease'));
  end if;
  return (
    select json_build_object('expires_at', ceil(extract(epoch from stream.carried_until(c.key_id))))
    from stream.connections c
    where c.connection_id = p_connection
  );
end
$$;
comment on function stream.renew_carried_connection(uuid, text) is
  'Renews the lease of a connection of a node: {expires_at (epoch seconds)} or {refused: lease | '
  'key | plan | cap}.';

revoke all on function
  stream.carrier_node_id(text),
  stream.carried_until(uuid),
  stream.org_connections(uuid),
  stream.open_carried_connection(bytea, uuid, text, uuid[]),
  stream.renew_carried_connection(uuid, text)
from public;
grant execute on function
  stream.open_carried_connection(bytea, uuid, text, uuid[]),
  stream.renew_carried_connection(uuid, text)
to parallax_api;

-- Triggers: Centrifugo asks again only after minutes, so it is notified at once.

create function stream.end_carried_connections(p_org_id uuid, p_connections uuid[], p_code integer, p_reason text)
returns void
language sql volatile
set search_path = ''
as $$
  select stream.command_carrier(
    'disconnect',
    jsonb_build_object(
      'user', p_org_id, 'client', x, 'disconnect', jsonb_build_object('code', p_code, 'reason', p_reason)
    )
  )
  from unnest(p_connections) x
$$;
comment on function stream.end_carried_connections(uuid, uuid[], integer, text) is
  'Ends connections of an organization with a close code and a reason of at most 32 bytes.';

create function stream.apply_plan_to_carrier(p_org_id uuid) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_plan record;
  v_entitled text[] := stream.entitled_channels(p_org_id);
begin
  select s.status, t.stream_connections
  into v_plan
  from account.subscriptions s
  join account.tiers t on t.tier = s.tier
  where s.org_id = p_org_id;
  perform stream.end_carried_connections(
    p_org_id, array_agg(c.connection_id),
    case v_plan.status when 'active' then 4429 else 4503 end,
    case v_plan.status when 'active' then 'connection limit reached' else 'plan inactive' end
  )
  from (
    select x.connection_id, row_number() over (order by x.connected_at, x.connection_id) as place
    from stream.connections x
    where x.org_id = p_org_id
      and x.node is not null
  ) c
  where v_plan.status is distinct from 'active'
    or c.place > v_plan.stream_connections;
  perform stream.command_carrier(
    case when c.channel = any (v_entitled) then 'subscribe' else 'unsubscribe' end,
    jsonb_build_object('user', p_org_id, 'channel', c.channel)
  )
  from stream.channels c
  where not starts_with(c.channel, 'org:')
    and exists (select from stream.connections x where x.org_id = p_org_id and x.node is not null);
end
$$;
comment on function stream.apply_plan_to_carrier(uuid) is
  'Ends the connections that a changed plan no longer has, and changes the channels of the others.';

create function stream.notify_carrier_of_plan() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform stream.apply_plan_to_carrier(new.org_id);
  return null;
end
$$;
comment on function stream.notify_carrier_of_plan() is
  'Trigger: notifies Centrifugo of a changed plan.';
create trigger notify_carrier_of_plan after update on account.subscriptions
  for each row when ((old.tier, old.status) is distinct from (new.tier, new.status))
  execute function stream.notify_carrier_of_plan();

create function stream.notify_carrier_of_key() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform stream.end_carried_connections(
    new.org_id,
    array(select c.connection_id from stream.connections c where c.key_id = new.key_id and c.node is not null),
    4503, 'key revoked or expired'
  );
  return null;
end
$$;
comment on function stream.notify_carrier_of_key() is
  'Trigger: ends the connections of a revoked key in Centrifugo.';
create trigger notify_carrier_of_key after update of revoked_at on account.keys
  for each row when (old.revoked_at is null and new.revoked_at is not null)
  execute function stream.notify_carrier_of_key();

create function stream.notify_carrier_of_deletion() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform stream.command_carrier(
    'disconnect',
    jsonb_build_object(
      'user', old.org_id, 'disconnect', jsonb_build_object('code', 4503, 'reason', 'key revoked or expired')
    )
  );
  return null;
end
$$;
comment on function stream.notify_carrier_of_deletion() is
  'Trigger: ends the connections of a deleted organization in Centrifugo.';
create trigger notify_carrier_of_deletion after delete on account.organizations
  for each row execute function stream.notify_carrier_of_deletion();

revoke all on function
  stream.end_carried_connections(uuid, uuid[], integer, text),
  stream.apply_plan_to_carrier(uuid),
  stream.notify_carrier_of_plan(),
  stream.notify_carrier_of_key(),
  stream.notify_carrier_of_deletion()
from public;
