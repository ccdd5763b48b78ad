-- On the platform, supautils lets postgres run create, alter and drop policy on realtime.messages
-- without owning the table. It is a hook in C; this stand-in makes postgres the owner for the
-- duration of one of these statements. Everything else fails as it does there: comment on policy
-- (which supautils knows from 3.4.0 on), alter table, create index, create trigger … One statement
-- passes here and not there: alter policy … rename.

-- Older data folders have this grant.
revoke supabase_realtime_admin from postgres;

-- A direct update, because `alter table … owner to` rewrites the access list. If the statement
-- fails, its rollback restores the owner.
create function _realtime.lend_messages() returns event_trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  update pg_catalog.pg_class c
  set relowner = (case tg_event when 'ddl_command_start' then 'postgres' else 'supabase_realtime_admin' end)::regrole
  where c.oid = pg_catalog.to_regclass('realtime.messages');
end
$$;
revoke all on function _realtime.lend_messages() from public;

create event trigger lend_messages_before_policy on ddl_command_start
  when tag in ('CREATE POLICY', 'ALTER POLICY', 'DROP POLICY')
  execute function _realtime.lend_messages();
create event trigger take_messages_after_policy on ddl_command_end
  when tag in ('CREATE POLICY', 'ALTER POLICY', 'DROP POLICY')
  execute function _realtime.lend_messages();
