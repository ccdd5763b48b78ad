-- What was changed, by whom, in the transaction that changed it; and how a door says no.

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
  'One row a change, kept for a year (account.forget). No foreign keys: a row outlives its organization and its people.';
comment on column account.audit.actor is 'The e-mail of who did it, as it was then; operator, or what a billing system calls itself.';
comment on column account.audit.action is
  'organization.created|renamed|deleted, member.invited|joined|removed|left|role, invitation.withdrawn, key.minted|renamed|revoked|rotated, webhook.registered|deleted|disabled, plan.changed.';
comment on column account.audit.subject is 'What it was done to, as a person knows it: the prefix of a key, an e-mail, a name.';
comment on column account.audit.request_id is 'The request that it came with, as the logs of the functions name it; null where it came another way.';
create index audit_by_org on account.audit (org_id, audit_id desc);
create index audit_by_time on account.audit (at);
create index audit_by_maker on account.audit (actor_id, at) where action = 'organization.created';

alter table account.audit enable row level security;
alter table account.audit force row level security;
create policy "members read what was done in their organization" on account.audit
  for select to authenticated using (org_id = any (array(select account.my_orgs())));
grant select on account.audit to authenticated;

create function account.keep_audit() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if tg_op = 'DELETE' and old.at < clock_timestamp() - interval '1 year' then
    return old;
  end if;
  raise exception 'account.audit is only written and, after a year, forgotten' using errcode = '42501';
end
$$;
comment on function account.keep_audit() is
  'A trigger, since no grant binds the owner of a table: not even a mistake in a function of ours changes what was done.';
create trigger rows_are_kept before update or delete on account.audit
  for each row execute function account.keep_audit();
create trigger all_are_kept before truncate on account.audit
  for each statement execute function account.keep_audit();

create function account.actor() returns text
language sql stable
set search_path = ''
as $$
  select coalesce(
    (select coalesce(nullif(u.email, ''), u.id::text) from auth.users u where u.id = (select auth.uid())),
    'operator'
  )
$$;
comment on function account.actor() is 'The signed-in person''s e-mail; operator where nobody is signed in: then it is role postgres that calls.';

create function account.note(
  p_org uuid,
  p_action text,
  p_subject text,
  p_detail jsonb default '{}',
  p_actor text default null
) returns void
language sql volatile
set search_path = ''
as $$
  insert into account.audit (org_id, actor, actor_id, action, subject, detail)
  values (p_org, coalesce(p_actor, account.actor()), (select auth.uid()), p_action, p_subject, p_detail)
$$;
comment on function account.note(uuid, text, text, jsonb, text) is 'Writes down a change of an organization, in the transaction of the change.';

create function account.refuse(p_status integer, p_code text, p_message text) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- The one form in which PostgREST hands a code of ours to the page as it is: {code, message} with this HTTP status.
  raise sqlstate 'PGRST' using
    message = jsonb_build_object('code', p_code, 'message', p_message)::text,
    detail = jsonb_build_object('status', p_status, 'headers', '{}'::jsonb)::text;
end
$$;
comment on function account.refuse(integer, text, text) is
  'Ends a call of a signed-in person: code is stable and for programs, message a sentence for the person.';

create function account.changes_too_much(p_org uuid) returns boolean
language sql stable
set search_path = ''
as $$
  select coalesce(
    (
      select a.at > clock_timestamp() - interval '1 day'
      from account.audit a
      where a.org_id = p_org
      order by a.audit_id desc
      limit 1 offset 999
    ),
    false
  )
$$;
comment on function account.changes_too_much(uuid) is
  'Whether an organization has been changed 1,000 times within a day: each change is a row that is kept for a year, so what adds one waits. Not what ends something: a key can always be revoked.';

create function account.check_pace(p_org uuid) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if account.changes_too_much(p_org) then
    perform account.refuse(
      409, 'change.limit',
      'This organization was changed 1,000 times within a day, which is the most. Keys can be revoked all the same, members and endpoints removed.'
    );
  end if;
end
$$;
comment on function account.check_pace(uuid) is 'Refuses (409) what would add to an organization that was changed too often. Under the lock of account.act_in.';

create function account.name_of(p_name text, p_what text, p_most integer) returns text
language plpgsql volatile
set search_path = ''
as $$
declare
  v_name text := btrim(p_name);
begin
  if coalesce(v_name, '') !~ '[^[:space:]]' or length(v_name) > p_most or v_name ~ '[[:cntrl:]]' then
    perform account.refuse(400, p_what || '.name', format('The name of this %s must have 1 to %s characters and no line breaks.', p_what, p_most));
  end if;
  return v_name;
end
$$;
comment on function account.name_of(text, text, integer) is 'A name as a person typed it, trimmed; refused (400, organization.name or key.name) where it is none.';

revoke all on function
  account.keep_audit(),
  account.actor(),
  account.note(uuid, text, text, jsonb, text),
  account.refuse(integer, text, text),
  account.changes_too_much(uuid),
  account.check_pace(uuid),
  account.name_of(text, text, integer)
from public;
