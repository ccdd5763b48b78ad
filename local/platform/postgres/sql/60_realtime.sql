-- Stand-in for Realtime's side of the database: the table that messages pass through, and the functions that put them there.
-- local/platform/realtime delivers what is committed here. As hosted, schema realtime is not ours: nobody but supabase_admin creates in it.

create schema realtime;
grant usage on schema realtime to postgres, anon, authenticated, service_role, supabase_realtime_admin;

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
  'Stand-in for Realtime: messages on their way. Its policies decide who may join a private topic (select) and send to it (insert).';
comment on column realtime.messages.inserted_at is 'When its transaction began, UTC; the partition is of that day.';
alter table realtime.messages owner to supabase_realtime_admin;
alter table realtime.messages enable row level security;

-- What a replay reads: the newest private messages of a topic.
create index messages_inserted_at_topic_idx on realtime.messages (inserted_at desc, topic)
  where extension = 'broadcast' and private is true;

grant select, insert, update on realtime.messages to anon, authenticated, service_role;
grant all on realtime.messages to postgres;

create function realtime.topic() returns text
language sql stable
as $$
  select nullif(current_setting('realtime.topic', true), '')
$$;
comment on function realtime.topic() is 'For policies: the topic that is being asked about, without the prefix of the wire.';
alter function realtime.topic() owner to supabase_realtime_admin;

-- It runs with the caller's rights, so row security applies; and whatever goes wrong becomes a warning, so that a broadcast never
-- fails the change that it tells of. Hence a caller without BYPASSRLS loses its message without an error, as hosted.
create function realtime.send(payload jsonb, event text, topic text, private boolean default true) returns void
language plpgsql
as $$
declare
  message_id uuid := gen_random_uuid();
  told jsonb := send.payload;
begin
  if not coalesce(told ? 'id', false) then
    told := jsonb_set(told, '{id}', to_jsonb(message_id));
  end if;
  -- Stays set until the transaction ends.
  perform set_config('realtime.topic', send.topic, true);
  insert into realtime.messages (id, payload, event, topic, private, extension)
  values (message_id, told, send.event, send.topic, send.private, 'broadcast');
exception
  when others then
    raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$$;
comment on function realtime.send(jsonb, text, text, boolean) is
  'Broadcasts an object to a topic once the transaction commits. The payload gets the row''s id unless it has one. Errors are warnings.';

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
  'As send, for bytes. Clients of protocol 1.0.0 never see them.';

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
    raise exception 'broadcast_changes tells of single rows: its trigger must be "for each row"';
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
comment on function realtime.broadcast_changes(text, text, text, text, text, record, record, text) is
  'For a row trigger: broadcasts the change of a row to a private topic. Unlike send it raises when it is called wrongly.';

-- Hosted, Realtime itself does this, from outside; what is left of it here is a function that the stand-in calls.
create schema _realtime;
comment on schema _realtime is 'Stand-in for Realtime: what has no counterpart in a hosted database.';

-- It locks the table for a moment: rather than queue behind a long transaction, and everybody behind it, it fails and is called again.
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
  -- Two at once would both find it missing.
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
  'Days from yesterday to three ahead have a partition; days that ended 72 hours ago lose theirs. UTC.';
revoke all on function _realtime.keep_partitions() from public;

-- A database whose Realtime has never run refuses messages, and realtime.send says so in a warning only. Tests of SQL need none to run.
select _realtime.keep_partitions();
