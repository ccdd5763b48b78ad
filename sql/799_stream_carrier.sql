-- Centrifugo as the carrier of the stream, beyond one process (docs/scale.md). Its nodes ask the
-- API about connections (799_stream_carrier_connections.sql), take commands from the queue below,
-- and read frames from their broker (799_stream_carrier_relay.sql).

create table stream.carrier_commands (
  id bigint generated always as identity primary key,
  method text not null check (method in ('publish', 'disconnect', 'subscribe', 'unsubscribe')),
  payload jsonb not null,
  partition integer not null default 1 check (partition in (0, 1)),
  created_at timestamptz not null default clock_timestamp()
);
comment on table stream.carrier_commands is
  'Commands to Centrifugo, which runs those of a partition in order and deletes them. Its '
  'consumer prescribes the columns.';
comment on column stream.carrier_commands.partition is
  '0: frames for Redis, whose order must hold. 1: commands about connections.';
alter table stream.carrier_commands enable row level security;
alter table stream.carrier_commands force row level security;
create policy "Centrifugo reads its commands" on stream.carrier_commands
  for select to parallax_carrier
  using (true);
create policy "Centrifugo deletes the commands that it has run" on stream.carrier_commands
  for delete to parallax_carrier
  using (true);
grant usage on schema stream to parallax_carrier;
grant select, delete on stream.carrier_commands to parallax_carrier;

create table stream.relay_positions (
  channel text primary key references stream.channels (channel) on delete cascade,
  epoch text not null,
  last_offset bigint not null
) with (fillfactor = 50);
comment on table stream.relay_positions is
  'The position up to which each channel was given to the broker of Centrifugo.';
alter table stream.relay_positions enable row level security;
alter table stream.relay_positions force row level security;

create function stream.command_carrier(p_method text, p_payload jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  if (select s.carrier from stream.settings s) = 'embedded' then
    return;
  end if;
  insert into stream.carrier_commands (method, payload) values (p_method, p_payload);
  perform pg_notify('carrier_commands', '1');
end
$$;
comment on function stream.command_carrier(text, jsonb) is
  'Sends a command about connections to Centrifugo when this transaction commits. Does nothing '
  'where the stream function carries the stream.';

create function stream.use_carrier(p_carrier text) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- Neither the relay nor the consumer of Centrifugo runs meanwhile. The consumer would still
  -- publish what it has read. Its locks have these names in the source of Centrifugo.
  perform pg_advisory_xact_lock(hashtextextended('stream.relay_pending', 0));
  perform pg_advisory_xact_lock(hashtext('centrifugo_partition_lock_commands' || n)) from generate_series(0, 1) n;
  if p_carrier <> (select s.carrier from stream.settings s) then
    -- The relay seeds each channel again, from the frames that the log still has.
    delete from stream.relay_positions;
    delete from stream.carrier_commands;
    -- The other carrier would count them until their leases end, which takes minutes.
    delete from stream.connections c where c.node is not null;
    update stream.settings set carrier = p_carrier;
  end if;
  if p_carrier <> 'postgres' then
    return;
  end if;
  create schema if not exists centrifugo authorization parallax_carrier;
  grant usage on schema centrifugo to parallax_relay;
  grant select, insert, update, delete on all tables in schema centrifugo to parallax_relay;
  grant usage on all sequences in schema centrifugo to parallax_relay;
  -- Centrifugo makes its tables when it starts, and a partition each day.
  alter default privileges for role parallax_carrier in schema centrifugo
    grant select, insert, update, delete on tables to parallax_relay;
  alter default privileges for role parallax_carrier in schema centrifugo grant usage on sequences to parallax_relay;
end
$$;
comment on function stream.use_carrier(text) is
  'Chooses what carries the stream: embedded, postgres or redis. For operators, with the rights '
  'of postgres. Before redis, after_failover.sh --now must empty a Redis that was used before.';

revoke all on function stream.command_carrier(text, jsonb), stream.use_carrier(text) from public;
