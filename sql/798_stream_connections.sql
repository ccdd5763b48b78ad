-- The connections of the stream function over all its isolates. A connection is a lease that its
-- server renews, so the slots of a server that died become free. Role parallax_stream may
-- execute only the functions below.

create table stream.connections (
  connection_id uuid primary key,
  org_id uuid not null references account.organizations (org_id) on delete cascade,
  key_id uuid not null references account.keys (key_id) on delete cascade,
  server_id uuid not null,
  connected_at timestamptz not null default clock_timestamp(),
  lease_until timestamptz not null default clock_timestamp() + interval '40 seconds',
  lease interval not null default interval '40 seconds',
  node text
) with (fillfactor = 50);
comment on table stream.connections is
  'Connections of the stream function. A connection whose lease has expired does not count, even '
  'while its row exists.';
comment on column stream.connections.server_id is
  'The isolate that serves it. Only this isolate may renew or close it.';
comment on column stream.connections.lease is
  'Length of the lease. A node of Centrifugo asks for renewal every five minutes.';
comment on column stream.connections.node is
  'The node of Centrifugo that serves it; null for the stream function.';
create index connections_by_org on stream.connections (org_id);
create index connections_by_key on stream.connections (key_id);
create index connections_by_end on stream.connections (lease_until);
alter table stream.connections enable row level security;
alter table stream.connections force row level security;

create function stream.channel_positions(p_channels text[]) returns json
language sql stable security definer
set search_path = ''
as $$
  select coalesce(
    json_agg(json_build_object('channel', c.channel, 'epoch', c.epoch, 'offset', c.last_offset) order by c.channel),
    '[]'
  )
  from stream.channels c
  where c.channel = any (p_channels)
$$;
comment on function stream.channel_positions(text[]) is
  'The positions [{channel, epoch, offset}] of those channels that exist.';

create function stream.read_publications(p_channel text, p_epoch text, p_after bigint) returns json
language sql stable security definer
set search_path = ''
as $$
  select json_build_object(
    'epoch', r.epoch, 'top', r.top, 'recovered', r.recovered, 'upto', r.upto, 'frames', to_json(r.frames)
  )
  from stream.replay_publications(p_channel, p_epoch, p_after) r
$$;
comment on function stream.read_publications(text, text, bigint) is
  'stream.replay_publications as one JSON value, with frames as texts.';

create function stream.open_connection(p_ticket_hash bytea, p_connection uuid, p_server uuid) returns json
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_ticket stream.tickets;
  v_plan record;
  v_key account.keys;
begin
  -- The first use deletes the ticket, also when it fails: of two at once, the second finds none.
  delete from stream.tickets t
  where t.hash = p_ticket_hash
  returning t.* into v_ticket;
  if v_ticket.hash is null or base.is_over(v_ticket.expires_at, interval '120 seconds') then
    return json_build_object('refused', 'ticket');
  end if;
  select k.* into v_key from account.keys k where k.key_id = v_ticket.key_id;
  if v_key.revoked_at is not null or v_key.expires_at <= clock_timestamp() then
    return json_build_object('refused', 'key');
  end if;
  -- Connections of one organization are opened one after the other, up to the commit: else two at
  -- once could exceed the limit.
  perform pg_advisory_xact_lock(hashtextextended('stream.connections ' || v_ticket.org_id, 0));
  select s.status, t.stream_connections
  into v_plan
  from account.subscriptions s
  join account.tiers t on t.tier = s.tier
  where s.org_id = v_ticket.org_id;
  if v_plan.status is distinct from 'active' then
    return json_build_object('refused', 'plan');
  end if;
  -- Skips a row that its server is renewing and counts it: waiting for it could deadlock.
  delete from stream.connections c
  where c.connection_id in (
    select e.connection_id
    from stream.connections e
    where e.org_id = v_ticket.org_id
      and base.is_over(e.lease_until, e.lease)
    for update skip locked
  );
  if v_plan.stream_connections <= (select count(*) from stream.connections c where c.org_id = v_ticket.org_id) then
    return json_build_object('refused', 'cap', 'max_conns', v_plan.stream_connections);
  end if;
  insert into stream.connections (connection_id, org_id, key_id, server_id)
  values (p_connection, v_ticket.org_id, v_ticket.key_id, p_server);
  -- The channel must exist before its first frame, so that a client gets an epoch.
  insert into stream.channels (channel)
  values ('org:' || v_ticket.org_id)
  on conflict do nothing;
  return json_build_object(
    'org_id', v_ticket.org_id,
    'max_conns', v_plan.stream_connections,
    'channels', stream.channel_positions(stream.entitled_channels(v_ticket.org_id))
  );
end
$$;
comment on function stream.open_connection(bytea, uuid, uuid) is
  'Uses a ticket: {org_id, max_conns, channels: [{channel, epoch, offset}]} or {refused: ticket | '
  'key | plan | cap}. The limit is exact over all isolates.';

-- refused: null, plan, key, or cap: the plan has fewer connections now, and the newest are closed.
create function stream.renew_connections(p_server uuid, p_connections uuid[]) returns json
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_connections json;
  v_orgs json;
begin
  -- Renews an expired lease too, unless stream.open_connection has deleted it for its slot.
  with own as materialized (
    select c.connection_id
    from stream.connections c
    where c.server_id = p_server
      and c.connection_id = any (p_connections)
    order by c.connection_id
    for update
  ), renewed as (
    update stream.connections c
    set lease_until = clock_timestamp() + c.lease
    from own o
    where o.connection_id = c.connection_id
    returning c.connection_id, c.org_id, c.key_id
  ), ranked as materialized (
    select c.connection_id, row_number() over (partition by c.org_id order by c.connected_at, c.connection_id) as place
    from stream.connections c
    where c.org_id in (select r.org_id from renewed r)
      and not base.is_over(c.lease_until, c.lease)
  ), checked as materialized (
    select r.connection_id, r.org_id,
           case
             when s.status is distinct from 'active' then 'plan'
             when k.revoked_at is not null or k.expires_at <= clock_timestamp() then 'key'
             when p.place > t.stream_connections then 'cap'
           end as reason
    from renewed r
    join account.keys k on k.key_id = r.key_id
    left join account.subscriptions s on s.org_id = r.org_id
    left join account.tiers t on t.tier = s.tier
    left join ranked p on p.connection_id = r.connection_id
  )
  select json_agg(json_build_object('id', c.connection_id, 'org_id', c.org_id, 'refused', c.reason)),
         (
           select json_object_agg(o.org_id, stream.entitled_channels(o.org_id))
           from (select distinct x.org_id from checked x where x.reason is null) o
         )
  into v_connections, v_orgs
  from checked c;
  return json_build_object('connections', coalesce(v_connections, '[]'), 'orgs', coalesce(v_orgs, '{}'));
end
$$;
comment on function stream.renew_connections(uuid, uuid[]) is
  'Renews leases and checks plans and keys: {connections: [{id, org_id, refused}], orgs: {org_id: '
  '[channel, …]}}. A missing connection has lost its lease.';

create function stream.close_connections(p_server uuid, p_connections uuid[]) returns void
language sql volatile security definer
set search_path = ''
as $$
  delete from stream.connections c
  where c.server_id = p_server
    and c.connection_id = any (p_connections)
$$;
comment on function stream.close_connections(uuid, uuid[]) is
  'Frees the slots of connections that have ended.';

create function stream.purge_tickets() returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_deleted integer;
begin
  delete from stream.tickets t where base.is_over(t.expires_at, interval '120 seconds');
  get diagnostics v_deleted = row_count;
  delete from stream.realtime_grants g where base.is_over(g.expires_at, interval '120 seconds');
  delete from stream.connections c where c.lease_until <= clock_timestamp() - interval '10 minutes';
  return v_deleted;
end
$$;
comment on function stream.purge_tickets() is
  'Retention: expired tickets, grants and leases. Returns the number of tickets, none of which '
  'was presented.';

revoke all on function
  stream.channel_positions(text[]),
  stream.read_publications(text, text, bigint),
  stream.open_connection(bytea, uuid, uuid),
  stream.renew_connections(uuid, uuid[]),
  stream.close_connections(uuid, uuid[]),
  stream.purge_tickets()
from public;
grant usage on schema stream to parallax_stream;
grant execute on function
  stream.channel_positions(text[]),
  stream.read_publications(text, text, bigint),
  stream.open_connection(bytea, uuid, uuid),
  stream.renew_connections(uuid, uuid[]),
  stream.close_connections(uuid, uuid[])
to parallax_stream;
