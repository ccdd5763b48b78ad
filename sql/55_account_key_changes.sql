-- What users change about keys and about the organization itself. Owners change, members read
-- (policies in 50_account.sql).

create function account.lock_own_key(p_key uuid) returns account.keys
language plpgsql volatile
set search_path = ''
as $$
declare
  v_key account.keys;
begin
  perform account.require_user();
  select k.* into v_key from account.keys k where k.key_id = p_key and k.org_id in (select account.current_user_orgs());
  if v_key.key_id is not null then
    perform account.lock_for_change(v_key.org_id, 'owner');
    -- Read again under the lock.
    select k.* into v_key from account.keys k where k.key_id = p_key;
  end if;
  if v_key.key_id is null then
    perform account.raise_error(
      404, 'key.not_found', 'This key does not exist, or it is not a key of your organizations.'
    );
  end if;
  return v_key;
end
$$;
comment on function account.lock_own_key(uuid) is
  'A key that the caller may change, with its organization locked. An error when the caller is no '
  'owner (403) or the key is not theirs (404).';

create function account.is_key_inactive(p_key account.keys) returns boolean
language sql volatile
set search_path = ''
as $$ select p_key.revoked_at is not null or coalesce(p_key.expires_at <= clock_timestamp(), false) $$;
comment on function account.is_key_inactive(account.keys) is 'Whether a key is revoked or expired.';

create function account.new_key_json(p_org_id uuid, p_name text, p_lifetime interval, p_scope text) returns jsonb
language plpgsql volatile
set search_path = ''
as $$
declare
  v_key text;
begin
  if account.count_active_keys(p_org_id) >= 1000 then
    perform account.raise_error(
      409, 'key.limit', 'This organization has 1,000 active keys, which is the limit. Revoke some first.'
    );
  end if;
  perform account.check_change_limit(p_org_id);
  v_key := account.insert_key(p_org_id, p_name, p_lifetime, p_scope);
  return (
    select jsonb_build_object(
      'org_id', k.org_id, 'key_id', k.key_id, 'prefix', k.prefix, 'name', k.name, 'scope', k.scope,
      'created_at', base.format_time(k.created_at), 'expires_at', base.format_time(k.expires_at), 'key', v_key
    )
    from account.keys k
    where k.hash = account.key_hash(v_key)
  );
end
$$;
comment on function account.new_key_json(uuid, text, interval, text) is
  'Creates a key: {org_id, key_id, prefix, name, scope, created_at, expires_at, key}. key is '
  'returned only once. Called under the lock of account.lock_for_change.';

create function account.mint_own_key(p_org_id uuid, p_name text, p_expires_at timestamptz, p_scope text) returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_new jsonb;
begin
  perform account.lock_for_change(p_org_id, 'owner');
  if p_scope is null or p_scope not in ('full', 'read_only') then
    perform account.raise_error(400, 'key.scope', 'The scope of a key must be full or read_only.');
  end if;
  v_new := account.new_key_json(
    p_org_id, account.clean_name(p_name, 'key', 100), account.lifetime_until(p_expires_at), p_scope
  );
  perform account.write_audit(p_org_id, 'key.minted', v_new ->> 'prefix', account.audited_key(v_new ->> 'key'));
  return v_new;
end
$$;
comment on function account.mint_own_key(uuid, text, timestamptz, text) is
  'Creates a key of an organization; at most 1,000 are active (409). p_expires_at null: it does '
  'not expire. p_scope: full or read_only.';

create function account.rename_key(p_key uuid, p_name text) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_key account.keys := account.lock_own_key(p_key);
  v_name text := account.clean_name(p_name, 'key', 100);
begin
  if v_key.name = v_name then
    return;
  end if;
  perform account.check_change_limit(v_key.org_id);
  update account.keys k
  set name = v_name
  where k.key_id = p_key;
  perform account.write_audit(
    v_key.org_id, 'key.renamed', v_key.prefix, jsonb_build_object('from', v_key.name, 'to', v_name)
  );
end
$$;
comment on function account.rename_key(uuid, text) is 'Renames a key.';

create function account.revoke_key(p_key uuid) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_key account.keys := account.lock_own_key(p_key);
begin
  if v_key.revoked_at is not null then
    return;
  end if;
  update account.keys k
  set revoked_at = clock_timestamp()
  where k.key_id = p_key;
  perform account.write_audit(v_key.org_id, 'key.revoked', v_key.prefix, jsonb_build_object('name', v_key.name));
end
$$;
comment on function account.revoke_key(uuid) is
  'Revokes a key: its next request gets a 401. Revoking it again changes nothing.';

create function account.rotate_key(p_key uuid, p_overlap_hours integer) returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_key account.keys := account.lock_own_key(p_key);
  v_ends timestamptz;
  v_new jsonb;
begin
  if p_overlap_hours is null or p_overlap_hours not between 0 and 72 then
    perform account.raise_error(400, 'key.overlap', 'The old key can stay valid for 0 to 72 hours.');
  end if;
  if account.is_key_inactive(v_key) then
    perform account.raise_error(409, 'key.over', 'This key is revoked or has expired. Create a new one.');
  end if;
  update account.keys k
  set expires_at = least(k.expires_at, clock_timestamp() + make_interval(hours => p_overlap_hours))
  where k.key_id = p_key
  returning k.expires_at into v_ends;
  v_new := account.new_key_json(v_key.org_id, v_key.name, v_key.lifetime, v_key.scope);
  perform account.write_audit(
    v_key.org_id, 'key.rotated', v_key.prefix,
    jsonb_build_object(
      'to', v_new -> 'prefix', 'expires_at', base.format_time(v_ends), 'scope', v_key.scope,
      'to_expires_at', v_new -> 'expires_at'
    )
  );
  return v_new || jsonb_build_object('replaces', p_key, 'old_expires_at', base.format_time(v_ends));
end
$$;
comment on function account.rotate_key(uuid, integer) is
  'Creates a key of the same name, scope and lifetime (from now on): as new_key_json, with '
  '{replaces, old_expires_at}. The old key expires after p_overlap_hours (0: now).';

create function account.rename_organization(p_org_id uuid, p_name text) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_before text;
  v_name text;
begin
  perform account.lock_for_change(p_org_id, 'owner');
  v_name := account.clean_name(p_name, 'organization', 200);
  select o.name into v_before from account.organizations o where o.org_id = p_org_id;
  if v_before = v_name then
    return;
  end if;
  perform account.check_change_limit(p_org_id);
  update account.organizations o
  set name = v_name
  where o.org_id = p_org_id;
  perform account.write_audit(
    p_org_id, 'organization.renamed', v_name, jsonb_build_object('from', v_before, 'to', v_name)
  );
end
$$;
comment on function account.rename_organization(uuid, text) is 'Renames an organization.';

create function account.drop_organization(p_org_id uuid, p_reason text default null) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- Locks usage before the keys are deleted: a request that is being counted holds this row and
  -- then needs the row of its key.
  perform from account.usage u where u.org_id = p_org_id for update;
  perform account.write_audit(
    p_org_id, 'organization.deleted', o.name,
    jsonb_strip_nulls(
      jsonb_build_object(
        'tier', s.tier, 'keys', account.count_active_keys(p_org_id), 'month', u.month, 'month_used', u.month_used,
        'reason', p_reason
      )
    )
  )
  from account.organizations o
  join account.subscriptions s on s.org_id = o.org_id
  join account.usage u on u.org_id = o.org_id
  where o.org_id = p_org_id;
  delete from account.organizations o where o.org_id = p_org_id;
end
$$;
comment on function account.drop_organization(uuid, text) is
  'Deletes an organization and writes it to the audit, with p_reason when no user asked for it. '
  'Called with the lock of its row.';

create function account.delete_organization(p_org_id uuid) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform account.lock_for_change(p_org_id, 'owner');
  perform account.drop_organization(p_org_id);
end
$$;
comment on function account.delete_organization(uuid) is
  'Deletes an organization with all its data. Its keys get a 401 from the next request on. Only '
  'the audit keeps a trace of it.';

create function account.purge_expired(p_limit integer default 10000) returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_gone integer;
begin
  with old as (
    select a.audit_id
    from account.audit a
    where a.at < clock_timestamp() - interval '1 year'
    order by a.at
    limit p_limit
  )
  delete from account.audit a
  using old
  where a.audit_id = old.audit_id;
  get diagnostics v_gone = row_count;
  delete from account.invitations i where base.is_over(i.expires_at, interval '7 days');
  delete from account.quota_notices q where q.month < date_trunc('month', clock_timestamp() at time zone 'UTC')::date;
  delete from account.request_leases l where not account.is_lease_open(l.expires_at);
  delete from account.keys k where least(k.revoked_at, k.expires_at) < clock_timestamp() - interval '1 year';
  return v_gone;
end
$$;
comment on function account.purge_expired(integer) is
  'Retention of schema account: audit rows and inactive keys after a year, expired invitations '
  'and leases, quota notices of past months. Returns the number of deleted audit rows.';

revoke all on function
  account.lock_own_key(uuid),
  account.is_key_inactive(account.keys),
  account.new_key_json(uuid, text, interval, text),
  account.drop_organization(uuid, text),
  account.purge_expired(integer)
from public;
grant execute on function
  account.mint_own_key(uuid, text, timestamptz, text),
  account.rename_key(uuid, text),
  account.revoke_key(uuid),
  account.rotate_key(uuid, integer),
  account.rename_organization(uuid, text),
  account.delete_organization(uuid)
to authenticated;
