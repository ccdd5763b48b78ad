-- An organization ends with its last member, however the member goes. Without members, no person
-- could revoke its keys.

create function account.drop_left_organizations() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  v_org uuid;
begin
  -- As text: the checkers of bodies do not know the table of deleted rows.
  for v_org in execute 'select distinct g.org_id from gone g order by 1' loop
    -- Of two members who go at once, the second waits here until it sees that the first is gone.
    -- Not the row of the organization: account.remove_member locks it before the row of a member,
    -- and this transaction already holds such a row.
    perform pg_advisory_xact_lock(hashtextextended('account.members ' || v_org, 0));
    if not exists (select from account.members m where m.org_id = v_org) then
      perform from account.organizations o where o.org_id = v_org for update;
      -- A deleted organization is not found. Read again under the lock: a person may have joined.
      if found and not exists (select from account.members m where m.org_id = v_org) then
        perform account.drop_organization(v_org, 'last_member_left');
      end if;
    end if;
  end loop;
  return null;
end
$$;
comment on function account.drop_left_organizations() is
  'Trigger: deletes each organization whose last member was deleted. security definer, because '
  'Auth deletes a user, and the members with it, under a role of its own.';
create trigger drop_left_organizations after delete on account.members
  referencing old table as gone
  for each statement execute function account.drop_left_organizations();
revoke all on function account.drop_left_organizations() from public;
