-- What users do with their own account: sessions, and its deletion. Passwords and second factors
-- are changed at Auth itself.

create function account.list_sessions() returns table (
  session_id uuid,
  created_at text,
  last_used_at text,
  user_agent text,
  ip text,
  is_current boolean
)
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_user uuid := account.require_user();
begin
  return query
  select s.id,
         base.format_time(s.created_at),
         base.format_time(
           greatest(s.created_at, (r.of_session ->> 'refreshed_at')::timestamp at time zone 'UTC')
         ),
         left(r.of_session ->> 'user_agent', 500),
         r.of_session ->> 'ip',
         s.id::text = auth.jwt() ->> 'session_id'
  from auth.sessions s
  -- Versions of Auth differ in these three columns. A missing one is null.
  cross join lateral (select to_jsonb(s) as of_session) r
  where s.user_id = v_user
    and (s.not_after is null or s.not_after > clock_timestamp())
  order by 6 desc, 3 desc, s.id
  limit 100;
end
$$;
comment on function account.list_sessions() is
  'The sessions of the caller, the current one first, then the newest use: 100 at most. '
  'last_used_at: when its token was last renewed, about hourly.';

create function account.end_session(p_session uuid) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user uuid := account.require_user();
begin
  -- Its refresh tokens are deleted with it.
  delete from auth.sessions s where s.id = p_session and s.user_id = v_user;
  if not found then
    perform account.raise_error(404, 'session.not_found', 'This session has ended already.');
  end if;
end
$$;
comment on function account.end_session(uuid) is
  'Ends a session of the caller: its access token has no power from the next call on.';

create function account.deletion_outcomes(p_user uuid)
returns table (org_id uuid, name text, outcome text, members bigint, keys bigint)
language sql stable
set search_path = ''
as $$
  select m.org_id,
         o.name,
         case
           when m.role <> 'owner' or c.other_owners > 0 then 'leaves'
           when c.others = 0 then 'deletes'
           else 'blocks'
         end,
         c.others + 1,
         account.count_active_keys(m.org_id)
  from account.members m
  join account.organizations o on o.org_id = m.org_id
  cross join lateral (
    select count(*) as others, count(*) filter (where x.role = 'owner') as other_owners
    from account.members x
    where x.org_id = m.org_id
      and x.user_id <> p_user
  ) c
  where m.user_id = p_user
$$;
comment on function account.deletion_outcomes(uuid) is
  'What the deletion of a user does to each of their organizations: leaves; deletes, where no '
  'other member is left; blocks the deletion, where other members would be left without an owner.';

create function account.read_account() returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_user uuid := account.require_user();
begin
  return (
    select jsonb_build_object(
      'email', u.email,
      'created_at', base.format_time(u.created_at),
      'has_password', coalesce(u.encrypted_password, '') <> '',
      'has_factors', to_regclass('auth.mfa_factors') is not null,
      'organizations', (
        select coalesce(
          jsonb_agg(
            jsonb_build_object(
              'org_id', d.org_id, 'name', d.name, 'outcome', d.outcome, 'members', d.members, 'keys', d.keys
            )
            order by d.name, d.org_id
          ),
          '[]'
        )
        from account.deletion_outcomes(v_user) d
      )
    )
    from auth.users u
    where u.id = v_user
  );
end
$$;
comment on function account.read_account() is
  '{email, created_at, has_password, has_factors, organizations}. has_factors: Auth knows second '
  'factors. organizations: as account.deletion_outcomes.';

create function account.delete_account(p_email text) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user uuid := account.require_user();
  v_names text;
  v_org record;
begin
  if not exists (
    select
    from auth.sessions s
    where s.id = (auth.jwt() ->> 'session_id')::uuid
      -- Auth's own clock may be ahead a little.
      and s.created_at between clock_timestamp() - interval '10 minutes' and clock_timestamp() + interval '1 minute'
  ) then
    perform account.raise_error(
      403, 'session.not_recent', 'Sign in again first: an account can be deleted within 10 minutes of a sign-in.'
    );
  end if;
  if lower(btrim(p_email)) is distinct from lower(account.current_actor()) then
    perform account.raise_error(400, 'account.email', 'Type the e-mail address of your account to confirm.');
  end if;
  -- In one order, so that two owners who leave at once wait for each other.
  perform
  from account.organizations o
  where o.org_id in (select m.org_id from account.members m where m.user_id = v_user)
  order by o.org_id
  for no key update;
  select string_agg(left(d.name, 100), ', ' order by d.name)
  into v_names
  from account.deletion_outcomes(v_user) d
  where d.outcome = 'blocks';
  if v_names is not null then
    perform account.raise_error(
      409, 'account.last_owner',
      format('You are the last owner of %s. Make another member an owner, or delete the organization, first.', v_names)
    );
  end if;
  for v_org in select d.org_id, d.outcome from account.deletion_outcomes(v_user) d order by d.org_id loop
    if v_org.outcome = 'deletes' then
      perform account.drop_organization(v_org.org_id);
    else
      perform account.remove_member(v_org.org_id, v_user);
    end if;
  end loop;
  -- Auth deletes what it keeps about a user with the user.
  delete from auth.users u where u.id = v_user;
end
$$;
comment on function account.delete_account(text) is
  'Deletes the caller, all their sessions, and the organizations in which they are alone. Refused '
  'to the last owner of an organization with other members (409). p_email confirms it.';

revoke all on function
  account.list_sessions(),
  account.end_session(uuid),
  account.deletion_outcomes(uuid),
  account.read_account(),
  account.delete_account(text)
from public;
grant execute on function
  account.list_sessions(),
  account.end_session(uuid),
  account.read_account(),
  account.delete_account(text)
to authenticated;
