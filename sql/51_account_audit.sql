-- The audit: each change of an organization and its actor, written in the transaction of the
-- change. Also how an RPC returns an error.

create table account.audit (
  audit_id bigint generated always as identity primary key,
  org_id uuid not null,
  at timestamptz not null default clock_timestamp(),
  actor text not null check (length(actor) between 1 and 320),
  actor_id uuid,
  action text not null check (action ~ '^[a-z]+\.[a-z]+$'),
  subject text,
  detail jsonb not null default '{}',
  request_id text default base.current_request_id()
);
comment on table account.audit is
  'One row for each change, kept for a year (account.purge_expired). No foreign keys: a row '
  'outlives its organization and users.';
comment on column account.audit.actor is
  'The e-mail of the user at that time; else operator, or the name of a billing system.';
comment on column account.audit.action is
  'organization.*, member.*, plan.changed, invitation.withdrawn, key.*, webhook.*: the sentences '
  'are in dashboard/src/account/audit_text.ts.';
comment on column account.audit.subject is
  'The object of the change in readable form: the prefix of a key, an e-mail, a name.';
comment on column account.audit.request_id is
  'The id of the request, as in the logs of the functions; null when no request made the change.';
create index audit_by_org on account.audit (org_id, audit_id desc);
create index audit_by_time on account.audit (at);
create index audit_by_maker on account.audit (actor_id, at) where action = 'organization.created';

alter table account.audit enable row level security;
alter table account.audit force row level security;
create policy "members read the audit of their organization" on account.audit
  for select to authenticated using (org_id = any (array(select account.current_user_orgs())));
grant select on account.audit to authenticated;

create function account.reject_audit_change() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if tg_op = 'DELETE' and old.at < clock_timestamp() - interval '1 year' then
    return old;
  end if;
  raise exception 'account.audit is append-only: rows do not change and can be deleted only after a year'
    using errcode = '42501';
end
$$;
comment on function account.reject_audit_change() is
  'A trigger, because no grant binds the owner of a table: not even a defect in one of our '
  'functions changes the audit.';
create trigger rows_are_kept before update or delete on account.audit
  for each row execute function account.reject_audit_change();
create trigger all_are_kept before truncate on account.audit
  for each statement execute function account.reject_audit_change();

create function account.current_actor() returns text
language sql stable
set search_path = ''
as $$
  select coalesce(
    (select coalesce(nullif(u.email, ''), u.id::text) from auth.users u where u.id = (select auth.uid())),
    'operator'
  )
$$;
comment on function account.current_actor() is
  'The e-mail of the signed-in user; operator when no user is signed in, because role postgres '
  'calls then.';

create function account.write_audit(
  p_org_id uuid,
  p_action text,
  p_subject text,
  p_detail jsonb default '{}',
  p_actor text default null
) returns void
language sql volatile
set search_path = ''
as $$
  insert into account.audit (org_id, actor, actor_id, action, subject, detail)
  values (p_org_id, coalesce(p_actor, account.current_actor()), (select auth.uid()), p_action, p_subject, p_detail)
$$;
comment on function account.write_audit(uuid, text, text, jsonb, text) is
  'Writes one audit row, in the transaction of the change.';

create function account.raise_error(p_status integer, p_code text, p_message text) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- The only form in which PostgREST returns our code unchanged: {code, message} with this HTTP
  -- status.
  raise sqlstate 'PGRST' using
    message = jsonb_build_object('code', p_code, 'message', p_message)::text,
    detail = jsonb_build_object('status', p_status, 'headers', '{}'::jsonb)::text;
end
$$;
comment on function account.raise_error(integer, text, text) is
  'Ends an RPC with an error: a stable code for programs and a sentence for the user.';

create function account.is_over_change_limit(p_org_id uuid) returns boolean
language sql stable
set search_path = ''
as $$
  select coalesce(
    (
      select base.is_within(a.at, interval '1 day')
      from account.audit a
      where a.org_id = p_org_id
      order by a.audit_id desc
      limit 1
      offset 999
    ),
    false
  )
$$;
comment on function account.is_over_change_limit(uuid) is
  'Whether an organization had 1,000 changes within a day. Each is a row for a year, so additions '
  'must wait. Removals are always allowed: a key can always be revoked.';

create function account.check_change_limit(p_org_id uuid) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if account.is_over_change_limit(p_org_id) then
    perform account.raise_error(
      409, 'change.limit',
      'This organization had 1,000 changes within a day, which is the limit. Try again tomorrow. You can still '
      'revoke keys and remove members and endpoints.'
    );
  end if;
end
$$;
comment on function account.check_change_limit(uuid) is
  'Rejects (409) additions to an organization at its change limit. Called under the lock of '
  'account.lock_for_change.';

create function account.clean_name(p_name text, p_what text, p_limit integer) returns text
language plpgsql volatile
set search_path = ''
as $$
declare
  v_name text := btrim(normalize(p_name, nfc));
begin
  if coalesce(v_name, '') !~ '[^[:space:]]' or length(v_name) > p_limit or v_name <> base.strip_invisible(v_name) then
    perform account.raise_error(
      400, p_what || '.name',
      format(
        'The name of this %s must have 1 to %s characters, and no line breaks or invisible characters.', p_what, p_limit
      )
    );
  end if;
  return v_name;
end
$$;
comment on function account.clean_name(text, text, integer) is
  'A name as a user typed it, trimmed and in the composed form of Unicode (NFC). An invalid name '
  'is an error (400, organization.name or key.name).';

revoke all on function
  account.reject_audit_change(),
  account.current_actor(),
  account.write_audit(uuid, text, text, jsonb, text),
  account.raise_error(integer, text, text),
  account.is_over_change_limit(uuid),
  account.check_change_limit(uuid),
  account.clean_name(text, text, integer)
from public;
