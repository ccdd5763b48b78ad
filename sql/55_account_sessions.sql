-- What a signed-in person does counts as well: else a session would be a key without limits.

create function account.raise_admission_error(p_in account.admission) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  case p_in.code
    when 'billing.inactive' then
      perform account.raise_error(402, p_in.code, 'The plan of your organization is not active.');
    when 'rate.window' then
      perform account.raise_error(
        429, p_in.code, format('Your organization has used its %s requests of this minute: try again in %s seconds.', p_in.window_quota, p_in.window_left_s)
      );
    else null;
  end case;
end
$$;
comment on function account.raise_admission_error(account.admission) is
  'What a page is told where the plan or the window keeps a signed-in person out (402, 429); nothing happens where they are let in.';
revoke all on function account.raise_admission_error(account.admission) from public;

create function account.admit_session(p_spends_window integer) returns uuid
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user uuid := account.require_user();
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
    perform account.raise_error(404, 'organization.none', 'You belong to no organization: sign in again to make one.');
  end if;
  v_in := account.count_request(v_org, false, p_spends_window, 0, null);
  if v_in.code = 'auth.revoked_key' then
    perform account.raise_error(404, 'organization.none', 'You belong to no organization: sign in again to make one.');
  end if;
  perform account.raise_admission_error(v_in);
  return v_org;
end
$$;
comment on function account.admit_session(integer) is
  'Lets a signed-in person read, or refuses (401, 402, 404, 429). Counts in the window of the organization, never in its month. Returns the organization that it counted for.';
revoke all on function account.admit_session(integer) from public;

create function account.admit_owner(p_user uuid, p_org_id uuid, p_spends_window integer, p_feature text) returns account.admission
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_in account.admission;
  v_refusal text;
  v_detail text;
begin
  -- auth.uid() is this person for the rest of the transaction, for row security and the audit alike.
  perform set_config('request.jwt.claims', jsonb_build_object('sub', p_user, 'role', 'authenticated')::text, true);
  begin
    perform account.lock_for_change(p_org_id, 'owner');
  exception
    -- account.raise_error. This caller is no page of PostgREST: it gets the code as an admission.
    when sqlstate 'PGRST' then
      get stacked diagnostics v_refusal = message_text, v_detail = pg_exception_detail;
      v_in.code := v_refusal::jsonb ->> 'code';
      v_in.status := v_detail::jsonb ->> 'status';
      return v_in;
  end;
  return account.count_request(p_org_id, false, p_spends_window, 0, p_feature);
end
$$;
comment on function account.admit_owner(uuid, uuid, integer, text) is
  'Lets an owner of an organization in, or says why not (401, 404, 403, 402, 403, 429 in this order). p_user: whose session the function api has checked with Auth; the rest as account.admit.';
revoke all on function account.admit_owner(uuid, uuid, integer, text) from public;
grant execute on function account.admit_owner(uuid, uuid, integer, text) to parallax_api;
