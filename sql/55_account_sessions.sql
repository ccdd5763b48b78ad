-- What a signed-in person reads on the live pages counts as well: else a session would be a key without limits.

create function account.refuse_session(p_in account.admission) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  case p_in.code
    when 'billing.inactive' then
      perform account.refuse(402, p_in.code, 'The plan of your organization is not active.');
    when 'rate.window' then
      perform account.refuse(
        429, p_in.code, format('Your organization has used its %s requests of this minute: try again in %s seconds.', p_in.window_quota, p_in.window_left_s)
      );
    else null;
  end case;
end
$$;
comment on function account.refuse_session(account.admission) is
  'What a page is told where the plan or the window keeps a signed-in person out (402, 429); nothing happens where they are let in.';
revoke all on function account.refuse_session(account.admission) from public;

create function account.admit_session(p_spends_window integer) returns uuid
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user uuid := account.caller();
  v_org uuid;
  v_in account.admission;
begin
  -- Of several organizations the one whose plan gives most: a page shows the stream of that one, too.
  select m.org_id
  into v_org
  from account.members m
  join account.subscriptions s on s.org_id = m.org_id
  join account.tiers t on t.tier = s.tier
  where m.user_id = v_user
  order by s.status = 'active' desc, t.window_requests desc, m.created_at, m.org_id
  limit 1;
  if v_org is null then
    perform account.refuse(404, 'organization.none', 'You belong to no organization: sign in again to make one.');
  end if;
  v_in := account.count_in(v_org, false, p_spends_window, 0, null);
  if v_in.code = 'auth.revoked_key' then
    perform account.refuse(404, 'organization.none', 'You belong to no organization: sign in again to make one.');
  end if;
  perform account.refuse_session(v_in);
  return v_org;
end
$$;
comment on function account.admit_session(integer) is
  'Lets a signed-in person read, or refuses (401, 402, 404, 429). Counts in the window of the organization, never in its month. Returns the organization that it counted for.';
revoke all on function account.admit_session(integer) from public;
