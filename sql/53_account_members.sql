-- Users and their roles. An RPC that changes an organization first locks its row, for members with
-- account.lock_for_change. Changes of one organization are therefore serial, and two owners who
-- leave at once cannot both leave.
--
-- Order of locks: organization, usage, keys. Admission (54_account_admission.sql) locks usage,
-- keys.

create function account.require_user() returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  v_error text := account.session_error();
begin
  case v_error
    when 'session.none' then
      perform account.raise_error(401, v_error, 'Sign in first.');
    when 'session.ended' then
      perform account.raise_error(401, v_error, 'This session has ended. Sign in again.');
    when 'session.second_factor' then
      perform account.raise_error(403, v_error, 'Enter the code of your authenticator app first.');
    else
      return auth.uid();
  end case;
end
$$;
comment on function account.require_user() is
  'The signed-in user; an error (401, 403) when there is none, when the session has ended, or '
  'without a second factor that the user has set up. Every RPC calls it.';

create function account.require_role(p_org_id uuid) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_user uuid := account.require_user();
  v_role text;
begin
  select m.role into v_role from account.members m where m.org_id = p_org_id and m.user_id = v_user;
  if v_role is null then
    perform account.raise_error(
      404, 'organization.not_found', 'This organization does not exist, or you are not a member of it.'
    );
  end if;
  return v_role;
end
$$;
comment on function account.require_role(uuid) is
  'The role of the caller: owner or member. The error (404) is the same for an organization of '
  'other users and for one that does not exist.';

create function account.lock_for_change(p_org_id uuid, p_role text) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- The role is checked before the lock as well, so that a user without a role locks nothing.
  perform account.require_role(p_org_id);
  perform from account.organizations o where o.org_id = p_org_id for no key update;
  if account.require_role(p_org_id) <> 'owner' and p_role = 'owner' then
    perform account.raise_error(403, 'role.owner_needed', 'Only an owner of the organization can do this.');
  end if;
end
$$;
comment on function account.lock_for_change(uuid, text) is
  'Locks an organization for a change by the caller until this transaction ends. p_role owner: '
  'only an owner may change it (403).';

create function account.start_session(p_name text) returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user uuid := account.require_user();
  v_org uuid;
begin
  -- Two tabs of one user must not create two organizations.
  perform pg_advisory_xact_lock(hashtextextended('account.start_session ' || v_user, 0));
  if not exists (select from account.members m where m.user_id = v_user) then
    -- A user who deletes an organization gets a new month with the next one, so creating one is
    -- limited to ten times a day.
    if 10 <= (
      select count(*)
      from account.audit a
      where a.actor_id = v_user
        and a.action = 'organization.created'
        and base.is_within(a.at, interval '1 day')
    ) then
      perform account.raise_error(
        409, 'organization.limit', 'You created 10 organizations within a day, which is the limit. Try again tomorrow.'
      );
    end if;
    v_org := account.create_organization(
      account.clean_name(
        coalesce(
          nullif(btrim(p_name), ''),
          (
            select nullif(btrim(base.strip_invisible(left(split_part(u.email, '@', 1), 200))), '')
            from auth.users u
            where u.id = v_user
          ),
          'My organization'
        ),
        'organization', 200
      )
    );
    insert into account.members (org_id, user_id, role) values (v_org, v_user, 'owner');
  end if;
  return (
    select jsonb_build_object('org_id', o.org_id, 'name', o.name, 'role', m.role, 'tier', s.tier, 'status', s.status)
    from account.members m
    join account.organizations o on o.org_id = m.org_id
    join account.subscriptions s on s.org_id = m.org_id
    where m.user_id = v_user
    order by m.created_at, m.org_id
    limit 1
  );
end
$$;
comment on function account.start_session(text) is
  'The organization in which the caller has been a member longest: {org_id, name, role, tier, '
  'status}. Creates one for a caller without any, ten times a day at most (409).';

create function account.list_members(p_org_id uuid) returns table (user_id uuid, email text, role text, since text)
language plpgsql stable security definer
set search_path = ''
as $$
begin
  perform account.require_role(p_org_id);
  return query
  select m.user_id, u.email::text, m.role, base.format_time(m.created_at)
  from account.members m
  join auth.users u on u.id = m.user_id
  where m.org_id = p_org_id
  order by m.created_at, m.user_id;
end
$$;
comment on function account.list_members(uuid) is
  'The members of an organization of the caller, oldest first.';

create function account.check_role(p_role text) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if p_role is null or p_role not in ('owner', 'member') then
    perform account.raise_error(400, 'role.unknown', 'The role must be owner or member.');
  end if;
end
$$;
comment on function account.check_role(text) is 'Rejects (400) an unknown role.';

create function account.check_not_last_owner(p_org_id uuid, p_user uuid) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if not exists (
    select from account.members m where m.org_id = p_org_id and m.role = 'owner' and m.user_id <> p_user
  ) then
    perform account.raise_error(
      409, 'member.last_owner',
      'An organization needs an owner. Make another member an owner first, or delete the organization.'
    );
  end if;
end
$$;
comment on function account.check_not_last_owner(uuid, uuid) is
  'Rejects (409) when no other user than p_user owns the organization. Called under the lock of '
  'account.lock_for_change.';

create function account.get_member(p_org_id uuid, p_user uuid) returns account.members
language plpgsql stable
set search_path = ''
as $$
declare
  v_member account.members;
begin
  select m.* into v_member from account.members m where m.org_id = p_org_id and m.user_id = p_user;
  if v_member.user_id is null then
    perform account.raise_error(404, 'member.not_found', 'This user is not a member of the organization.');
  end if;
  return v_member;
end
$$;
comment on function account.get_member(uuid, uuid) is
  'One member; an error (404) when there is none.';

create function account.remove_member(p_org_id uuid, p_user uuid) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_leaves boolean := coalesce(p_user = auth.uid(), false);
  v_member account.members;
begin
  perform account.lock_for_change(p_org_id, case when v_leaves then 'member' else 'owner' end);
  v_member := account.get_member(p_org_id, p_user);
  if v_member.role = 'owner' then
    perform account.check_not_last_owner(p_org_id, p_user);
  end if;
  perform account.write_audit(
    p_org_id, case when v_leaves then 'member.left' else 'member.removed' end,
    (select u.email from auth.users u where u.id = p_user), jsonb_build_object('user_id', p_user, 'role', v_member.role)
  );
  delete from account.members m where m.org_id = p_org_id and m.user_id = p_user;
end
$$;
comment on function account.remove_member(uuid, uuid) is
  'An owner removes a member, or a member leaves. The last owner can do neither (409).';

create function account.set_member_role(p_org_id uuid, p_user uuid, p_role text) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_member account.members;
begin
  perform account.lock_for_change(p_org_id, 'owner');
  perform account.check_role(p_role);
  v_member := account.get_member(p_org_id, p_user);
  if v_member.role = p_role then
    return;
  end if;
  if v_member.role = 'owner' then
    perform account.check_not_last_owner(p_org_id, p_user);
  end if;
  perform account.check_change_limit(p_org_id);
  update account.members m
  set role = p_role
  where m.org_id = p_org_id
    and m.user_id = p_user;
  perform account.write_audit(
    p_org_id, 'member.role', (select u.email from auth.users u where u.id = p_user),
    jsonb_build_object('user_id', p_user, 'from', v_member.role, 'to', p_role)
  );
end
$$;
comment on function account.set_member_role(uuid, uuid, text) is
  'Makes a member an owner or an owner a member. The last owner stays one (409).';

revoke all on function
  account.require_user(),
  account.require_role(uuid),
  account.lock_for_change(uuid, text),
  account.check_role(text),
  account.check_not_last_owner(uuid, uuid),
  account.get_member(uuid, uuid)
from public;
grant execute on function
  account.start_session(text),
  account.list_members(uuid),
  account.remove_member(uuid, uuid),
  account.set_member_role(uuid, uuid, text)
to authenticated;
