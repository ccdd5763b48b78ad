-- Invitations: a user becomes a member with a code that an owner passes on.

create table account.invitations (
  invitation_id uuid primary key default gen_random_uuid(),
  org_id uuid not null references account.organizations (org_id) on delete cascade,
  hash bytea not null unique check (length(hash) = 32),
  role text not null check (role in ('owner', 'member')),
  invited_by uuid references auth.users (id) on delete set null,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null default clock_timestamp() + interval '7 days'
);
comment on table account.invitations is
  'Codes that each admit one user. A row is deleted when its code is used or withdrawn.';
comment on column account.invitations.hash is
  'SHA-256 of the ASCII text of the code: 32 characters of base62 are 190 bits.';
create index invitations_by_org on account.invitations (org_id);
create index invitations_by_inviter on account.invitations (invited_by);

alter table account.invitations enable row level security;
alter table account.invitations force row level security;
create policy "members read the invitations of their organization" on account.invitations
  for select to authenticated using (org_id = any (array(select account.current_user_orgs())));
grant select (invitation_id, org_id, role, created_at, expires_at) on account.invitations to authenticated;

create function account.invite_member(p_org_id uuid, p_role text) returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_code text := account.random_base62(32);
  v_made account.invitations;
begin
  perform account.lock_for_change(p_org_id, 'owner');
  perform account.check_role(p_role);
  if (
    select count(*)
    from account.invitations i
    where i.org_id = p_org_id and not base.is_over(i.expires_at, interval '7 days')
  )
    >= 100 then
    perform account.raise_error(
      409, 'invitation.limit', 'There are 100 open invitations, which is the limit. Withdraw some first.'
    );
  end if;
  perform account.check_change_limit(p_org_id);
  insert into account.invitations (org_id, hash, role, invited_by)
  values (p_org_id, account.key_hash(v_code), p_role, auth.uid())
  returning * into v_made;
  perform account.write_audit(
    p_org_id, 'member.invited', null, jsonb_build_object('role', p_role, 'invitation_id', v_made.invitation_id)
  );
  return jsonb_build_object(
    'invitation_id', v_made.invitation_id, 'code', v_code, 'role', p_role, 'expires_at',
    base.format_time(v_made.expires_at)
  );
end
$$;
comment on function account.invite_member(uuid, text) is
  'Creates a code that admits one user within 7 days: {invitation_id, code, role, expires_at}. '
  'The code is returned only once.';

create function account.withdraw_invitation(p_invitation uuid) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_org uuid;
begin
  perform account.require_user();
  select i.org_id into v_org
  from account.invitations i
  where i.invitation_id = p_invitation
    and i.org_id in (select account.current_user_orgs());
  if v_org is not null then
    perform account.lock_for_change(v_org, 'owner');
    delete from account.invitations i where i.invitation_id = p_invitation returning i.org_id into v_org;
  end if;
  if v_org is null then
    perform account.raise_error(
      404, 'invitation.not_found', 'This invitation does not exist, was used or withdrawn, or has expired.'
    );
  end if;
  perform account.write_audit(v_org, 'invitation.withdrawn', null, jsonb_build_object('invitation_id', p_invitation));
end
$$;
comment on function account.withdraw_invitation(uuid) is
  'Withdraws an invitation that was not used.';

create function account.accept_invitation(p_code text) returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user uuid := account.require_user();
  v_code bytea := account.key_hash(btrim(p_code, E' \t\r\n'));
  v_found account.invitations;
begin
  select i.* into v_found
  from account.invitations i
  where i.hash = v_code and not base.is_over(i.expires_at, interval '7 days');
  -- Locks the organization before the invitation, as every RPC does: a deletion of the organization
  -- deletes both in this order.
  perform from account.organizations o where o.org_id = v_found.org_id for no key update;
  if exists (select from account.members m where m.org_id = v_found.org_id and m.user_id = v_user) then
    perform account.raise_error(
      409, 'member.already',
      'You are already a member of this organization. The invitation remains valid for another person.'
    );
  end if;
  if (select count(*) from account.members m where m.org_id = v_found.org_id) >= 1000 then
    perform account.raise_error(
      409, 'member.limit', 'This organization has 1,000 members, which is the limit. An owner can remove some.'
    );
  end if;
  delete from account.invitations i
  where i.invitation_id = v_found.invitation_id
    and not base.is_over(i.expires_at, interval '7 days');
  if not found then
    perform account.raise_error(
      404, 'invitation.not_found', 'This invitation does not exist, was used or withdrawn, or has expired.'
    );
  end if;
  insert into account.members (org_id, user_id, role) values (v_found.org_id, v_user, v_found.role);
  perform account.write_audit(
    v_found.org_id, 'member.joined', account.current_actor(),
    jsonb_build_object('role', v_found.role, 'invitation_id', v_found.invitation_id)
  );
  return (
    select jsonb_build_object('org_id', o.org_id, 'name', o.name, 'role', v_found.role)
    from account.organizations o
    where o.org_id = v_found.org_id
  );
end
$$;
comment on function account.accept_invitation(text) is
  'Makes the caller a member: {org_id, name, role}, one of at most 1,000 (409). An unknown, used '
  'or expired code gives one error (404).';

grant execute on function
  account.invite_member(uuid, text),
  account.withdraw_invitation(uuid),
  account.accept_invitation(text)
to authenticated;
