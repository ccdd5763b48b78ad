-- What an organization is told of its month: that most of it is used, and that all of it is.

create table account.quota_notices (
  org_id uuid not null references account.organizations (org_id) on delete cascade,
  month date not null,
  quota integer not null,
  percent smallint not null check (percent in (80, 100)),
  used integer not null,
  primary key (org_id, month, quota, percent)
);
comment on table account.quota_notices is
  'Which quota frames went out: each once a month for each limit, so that a plan that goes up and down again repeats nothing. Admission looks here only with the request that reaches a mark.';
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
  'Records the marks of 80 and 100 % that this use has reached, each once a month for each limit. A trigger of room stream publishes them. The last thing of a transaction.';

revoke all on function account.publish_quota_notices(uuid, date, integer, integer) from public;
