-- Quota notices: an organization learns that 80 % or 100 % of its month is used.

create table account.quota_notices (
  org_id uuid not null references account.organizations (org_id) on delete cascade,
  month date not null,
  quota integer not null,
  percent smallint not null check (percent in (80, 100)),
  used integer not null,
  primary key (org_id, month, quota, percent)
);
comment on table account.quota_notices is
  'The quota frames that were published: each once a month for each limit, so that a plan that '
  'changes back and forth repeats none. Only a request that reaches a mark reads them.';
alter table account.quota_notices enable row level security;
alter table account.quota_notices force row level security;

create function account.publish_quota_notices(p_org_id uuid, p_month date, p_used integer, p_quota integer) returns void
language sql volatile
set search_path = ''
as $$
  insert into account.quota_notices (org_id, month, quota, percent, used)
  select p_org_id, p_month, p_quota, m.percent, p_used
  from (values (80::smallint), (100::smallint)) as m (percent)
  where p_used * 100::bigint >= p_quota * m.percent::bigint
  order by m.percent
  on conflict do nothing
$$;
comment on function account.publish_quota_notices(uuid, date, integer, integer) is
  'Records the marks of 80 and 100 % that p_used has reached, each once a month for each limit. A '
  'trigger of schema stream publishes them. Call it last in a transaction.';

revoke all on function account.publish_quota_notices(uuid, date, integer, integer) from public;
