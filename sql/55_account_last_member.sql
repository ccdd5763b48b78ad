-- An organization ends with its last member, however the member goes. Without members, no person
-- could revoke its keys.

create function account.drop_left_organization() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  -- Of two members who go at once, the second waits here until it sees that the first is gone. Not
  -- the row of the organization: account.remove_member locks it before the row of a member, and
  -- this transaction already holds such a row.
  perform pg_advisory_xact_lock(hashtextextended('account.members ' || old.org_id, 0));
  if exists (select from account.members m where m.org_id = old.org_id) then
    return null;
  end if;
  perform from account.organizations o where o.org_id = old.org_id for update;
  -- A deleted organization is not found. Read again under the lock: a person may have joined.
  if found and not exists (select from account.members m where m.org_id = old.org_id) then
    perform account.drop_organization(old.org_id, 'last_member_left');
  end if;
  return null;
end
$$;
comment on function account.drop_left_organization() is
  'Trigger: deletes an organization whose last member was deleted. security definer, because Auth '
  'deletes a user, and the members with it, under a role of its own.';
create trigger drop_left_organization after delete on account.members
  for each row execute function account.drop_left_organization();
revoke all on function account.drop_left_organization() from public;
