-- Requests of signed-in users count too. Otherwise a session would be a key without limits.

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
        429, p_in.code,
        format(
          'Your organization has used its %s requests of this minute. Try again in %s seconds.', p_in.window_quota,
          p_in.window_left_s
        )
      );
    else null;
  end case;
end
$$;
comment on function account.raise_admission_error(account.admission) is
  'Ends an RPC with the error of a plan or rate limit (402, 429). Does nothing for an admitted '
  'user.';
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
  -- Of several organizations, the one whose plan allows most. A page also uses the stream of that
  -- one.
  select m.org_id
  into v_org
  from account.members m
  join account.subscriptions s on s.org_id = m.org_id
  join account.tiers t on t.tier = s.tier
  where m.user_id = v_user
  order by s.status = 'active' desc, t.window_requests desc, m.created_at, m.org_id
  limit 1;
  if v_org is null then
    perform account.raise_error(
      404, 'organization.none', 'You are not a member of an organization. Sign in again to create one.'
    );
  end if;
  v_in := account.count_request(v_org, false, p_spends_window, 0, null);
  if v_in.code = 'auth.revoked_key' then
    perform account.raise_error(
      404, 'organization.none', 'You are not a member of an organization. Sign in again to create one.'
    );
  end if;
  perform account.raise_admission_error(v_in);
  return v_org;
end
$$;
comment on function account.admit_session(integer) is
  'Admits a signed-in user, or raises an error (401, 402, 404, 429). Counts in the window of the '
  'organization, never in its month. Returns that organization.';
revoke all on function account.admit_session(integer) from public;

create function account.admit_owner(
  p_user uuid,
  p_org_id uuid,
  p_spends_window integer,
  p_feature text,
  p_session jsonb
) returns account.admission
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_in account.admission;
  v_error text;
  v_detail text;
begin
  -- auth.uid() is this user for the rest of the transaction, for row security and for the audit.
  perform set_config(
    'request.jwt.claims',
    jsonb_build_object(
      'sub', p_user, 'role', 'authenticated', 'session_id', p_session -> 'session_id', 'aal', p_session -> 'aal'
    )::text,
    true
  );
  begin
    perform account.lock_for_change(p_org_id, 'owner');
  exception
    -- An error of account.raise_error. This caller is not PostgREST, so it gets the code as an
    -- admission.
    when sqlstate 'PGRST' then
      get stacked diagnostics v_error = message_text, v_detail = pg_exception_detail;
      v_in.code := v_error::jsonb ->> 'code';
      v_in.status := v_detail::jsonb ->> 'status';
      return v_in;
  end;
  v_in := account.count_request(p_org_id, false, p_spends_window, 0, p_feature);
  if v_in.code is null then
    -- Row security shows the routes this organization alone, as with a key (account.admit).
    perform set_config('parallax.org', p_org_id::text, true);
  end if;
  return v_in;
end
$$;
comment on function account.admit_owner(uuid, uuid, integer, text, jsonb) is
  'Admits an owner, or returns the first error of 401, 404, 403, 402, 403, 429. p_user and '
  'p_session (session_id, aal): of a token that the function api has verified with Auth.';
revoke all on function account.admit_owner(uuid, uuid, integer, text, jsonb) from public;
grant execute on function account.admit_owner(uuid, uuid, integer, text, jsonb) to parallax_api;
