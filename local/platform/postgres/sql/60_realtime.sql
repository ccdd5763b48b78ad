-- Stand-in for the database part of Realtime: the table that messages pass through and the
-- functions that insert them. local/platform/realtime delivers committed rows. As on the platform,
-- only supabase_admin may create objects in schema realtime.

create schema realtime;
grant usage on schema realtime to anon, authenticated, service_role, supabase_realtime_admin;
grant usage on schema realtime to postgres with grant option;

create table realtime.messages (
  topic text not null,
  extension text not null,
  payload jsonb,
  event text,
  private boolean default false,
  updated_at timestamp without time zone not null default now(),
  inserted_at timestamp without time zone not null default now(),
  id uuid not null default gen_random_uuid(),
  binary_payload bytea,
  primary key (id, inserted_at),
  constraint messages_payload_exclusive check (payload is null or binary_payload is null)
) partition by range (inserted_at);
comment on table realtime.messages is
  'Stand-in for Realtime: messages to deliver. Its policies decide who may join a private topic '
  '(select) and send to it (insert).';
comment on column realtime.messages.inserted_at is
  'Start of its transaction, UTC. The partition is of that day.';
alter table realtime.messages owner to supabase_realtime_admin;
alter table realtime.messages enable row level security;

-- Read by a replay: the newest private messages of a topic.
create index messages_inserted_at_topic_idx on realtime.messages (inserted_at desc, topic)
  where extension = 'broadcast' and private is true;

grant select, insert, update on realtime.messages to anon, authenticated, service_role;
grant all on realtime.messages to postgres;

create function realtime.topic() returns text
language sql stable
as $$
  select nullif(current_setting('realtime.topic', true), '')
$$;
comment on function realtime.topic() is
  'For policies: the topic of the check, without the prefix of the protocol.';
alter function realtime.topic() owner to supabase_realtime_admin;

-- Runs with the caller's rights, so row security applies. Errors become warnings, so that a
-- broadcast never fails the change that it reports. Therefore, as on the platform, a caller without
-- BYPASSRLS loses its message without an error.
create function realtime.send(payload jsonb, event text, topic text, private boolean default true) returns void
language plpgsql
as $$
declare
  message_id uuid := gen_random_uuid();
  body jsonb := send.payload;
begin
  if not coalesce(body ? 'id', false) then
    body := jsonb_set(body, '{id}', to_jsonb(message_id));
  end if;
  -- Stays set until the end of the transaction.
  perform set_config('realtime.topic', send.topic, true);
  insert into realtime.messages (id, payload, event, topic, private, extension)
  values (message_id, body, send.event, send.topic, send.private, 'broadcast');
exception
  when others then
    raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$$;
comment on function realtime.send(jsonb, text, text, boolean) is
  'Broadcasts an object to a topic after the commit. Adds the id of the row to a payload '
  'without one. Errors are warnings.';

create function realtime.send_binary(payload bytea, event text, topic text, private boolean default true) returns void
language plpgsql
as $$
begin
  perform set_config('realtime.topic', send_binary.topic, true);
  insert into realtime.messages (binary_payload, event, topic, private, extension)
  values (send_binary.payload, send_binary.event, send_binary.topic, send_binary.private, 'broadcast');
exception
  when others then
    raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$$;
comment on function realtime.send_binary(bytea, text, text, boolean) is
  'As realtime.send, for bytes. Clients of protocol 1.0.0 do not receive them.';

create function realtime.broadcast_changes(
  topic_name text,
  event_name text,
  operation text,
  table_name text,
  table_schema text,
  new record,
  old record,
  level text default 'ROW'
) returns void
language plpgsql
as $$
begin
  if level = 'STATEMENT' then
    raise exception 'broadcast_changes needs a trigger "for each row"';
  end if;
  perform realtime.send(
    jsonb_build_object(
      'old_record', old,
      'record', new,
      'operation', operation,
      'table', table_name,
      'schema', table_schema
    ),
    event_name,
    topic_name
  );
end
$$;
comment on function realtime.broadcast_changes(
  text, text, text, text, text, record, record, text
) is
  'For a row trigger: broadcasts the change of a row to a private topic. Unlike realtime.send, '
  'it raises on invalid calls.';

-- On the platform, Realtime does this from outside. Here the stand-in calls a function.
create schema _realtime;
comment on schema _realtime is
  'Stand-in for Realtime: functions that a hosted database does not have.';

-- It locks the table for a moment. It fails instead of waiting behind a long transaction, where it
-- would block all others, and is called again.
create function _realtime.keep_partitions() returns void
language plpgsql
set search_path = ''
set lock_timeout = '2s'
as $$
declare
  today date := (clock_timestamp() at time zone 'UTC')::date;
  day date;
  old record;
begin
  -- Two concurrent calls would both create the partition.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('_realtime.keep_partitions'));
  for offset_days in -1..3 loop
    day := today + offset_days;
    if pg_catalog.to_regclass('realtime.' || pg_catalog.to_char(day, '"messages_"YYYY_MM_DD')) is null then
      execute pg_catalog.format(
        'create table realtime.%I partition of realtime.messages for values from (%L) to (%L)',
        pg_catalog.to_char(day, '"messages_"YYYY_MM_DD'), day, day + 1
      );
    end if;
  end loop;
  for old in
    select c.relname
    from pg_catalog.pg_inherits i
    join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'realtime.messages'::regclass
      and c.relname < pg_catalog.to_char(today - 3, '"messages_"YYYY_MM_DD')
  loop
    execute pg_catalog.format('drop table realtime.%I', old.relname);
  end loop;
end
$$;
comment on function _realtime.keep_partitions() is
  'Creates the partitions from yesterday to three days ahead, and drops those of days that '
  'ended 72 hours ago. UTC.';
revoke all on function _realtime.keep_partitions() from public;

-- Without a partition, realtime.send fails with only a warning. Created here, so that tests of SQL
-- need no running Realtime.
select _realtime.keep_partitions();
