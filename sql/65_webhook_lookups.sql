-- The DNS for registrations on the page: PostgREST cannot ask it, so the sender does (functions/deliver), and the page comes again for the answer.

create table webhook.lookups (
  org_id uuid not null references account.organizations (org_id) on delete cascade,
  host text not null,
  asked_at timestamptz not null default clock_timestamp(),
  told jsonb,
  told_at timestamptz,
  primary key (org_id, host),
  check ((told is null) = (told_at is null))
);
comment on table webhook.lookups is 'Hosts that an owner wants to register on the page, and what the DNS said of them. An organization sees no question of another.';
comment on column webhook.lookups.told is '{addresses} or {silent}, as for POST /v1/webhooks (webhook.resolved_faults). Null while it is being asked.';
create index lookups_asked on webhook.lookups (asked_at) where told is null;
alter table webhook.lookups enable row level security;
alter table webhook.lookups force row level security;

create view webhook.asked with (security_invoker = true) as
select l.org_id, l.host
from webhook.lookups l
where l.told is null
  -- The sender needs two seconds at most for a DNS that is silent, and one to notice the question.
  and l.asked_at > clock_timestamp() - interval '4 seconds';
comment on view webhook.asked is 'Hosts that the DNS is being asked for now.';

create function webhook.is_looked_up(p_org uuid, p_host text) returns boolean
language sql volatile
set search_path = ''
as $$ select exists (select from webhook.asked a where a.org_id = p_org and a.host = p_host) $$;
comment on function webhook.is_looked_up(uuid, text) is 'Whether the DNS is being asked for this host now.';

create function webhook.told_of(p_org uuid, p_host text) returns jsonb
language plpgsql volatile
set search_path = ''
as $$
declare
  v_now timestamptz := clock_timestamp();
  v_found webhook.lookups;
begin
  select l.* into v_found
  from webhook.lookups l
  where l.org_id = p_org
    and l.host = p_host
    and coalesce(l.told_at, l.asked_at) > v_now - interval '15 seconds';
  if found then
    -- A sender that did not answer in time is like a DNS that is silent: nobody's fault, and each attempt asks again.
    return coalesce(v_found.told, '{"silent": true}');
  end if;
  insert into webhook.lookups as l (org_id, host)
  values (p_org, p_host)
  on conflict (org_id, host) do update
  set asked_at = excluded.asked_at,
      told = null,
      told_at = null;
  perform webhook.wake();
  return null;
end
$$;
comment on function webhook.told_of(uuid, text) is
  'What the DNS said of a host in the last 15 seconds, or {silent} where it was asked and nobody answered; null where it is asked only now, and the caller is to come again.';

create function webhook.hosts_to_look_up(p_most integer default 20) returns setof text
language sql volatile security definer
set search_path = ''
as $$ select distinct a.host from webhook.asked a limit p_most $$;
comment on function webhook.hosts_to_look_up(integer) is 'What the sender is to ask the DNS. Nothing is claimed: two that ask the same learn the same.';

create function webhook.tell_host(p_host text, p_told jsonb) returns void
language sql volatile security definer
set search_path = ''
as $$
  update webhook.lookups l
  set told = p_told,
      told_at = clock_timestamp()
  where l.host = p_host
    and l.told is null
$$;
comment on function webhook.tell_host(text, jsonb) is 'What the DNS said of a host: {addresses} or {silent}.';

revoke all on function
  webhook.is_looked_up(uuid, text),
  webhook.told_of(uuid, text),
  webhook.hosts_to_look_up(integer),
  webhook.tell_host(text, jsonb)
from public;
grant execute on function
  webhook.hosts_to_look_up(integer),
  webhook.tell_host(text, jsonb)
to parallax_deliver;
