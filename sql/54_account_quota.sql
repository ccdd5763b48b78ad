-- What an organization is told of its month: that most of it is used, and that all of it is.

create table account.quota_told (
  org_id uuid not null references account.organizations (org_id) on delete cascade,
  month date not null,
  quota integer not null,
  percent smallint not null check (percent in (80, 100)),
  primary key (org_id, month, quota, percent)
);
comment on table account.quota_told is
  'Which quota frames went out: each once a month for each limit, so that a plan that goes up and down again repeats nothing. Admission looks here only with the request that reaches a mark.';
alter table account.quota_told enable row level security;
alter table account.quota_told force row level security;

create function account.tell_quota(p_org_id uuid, p_month date, p_used integer, p_quota integer) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_percent smallint;
begin
  for v_percent in
    with told as (
      insert into account.quota_told as t (org_id, month, quota, percent)
      select p_org_id, p_month, p_quota, m.percent
      from (values (80::smallint), (100::smallint)) as m (percent)
      where p_used * 100::bigint >= p_quota * m.percent::bigint
      on conflict do nothing
      returning t.percent
    )
    select t.percent from told t order by t.percent
  loop
    perform stream.tell_org(
      p_org_id, 'quota',
      jsonb_build_object(
        'percent', v_percent, 'used', p_used, 'quota', p_quota, 'month', to_char(p_month, 'YYYY-MM'),
        'resets_at', base.format_time((p_month + interval '1 month') at time zone 'UTC')
      )
    );
  end loop;
end
$$;
comment on function account.tell_quota(uuid, date, integer, integer) is
  'Quota frames {percent, used, quota, month, resets_at} of the marks that this use has reached and that were not told of this limit this month. The last thing of a transaction.';

revoke all on function account.tell_quota(uuid, date, integer, integer) from public;
