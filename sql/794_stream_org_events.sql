-- Publishes events of an organization on its channel. Schemas account and arb do not know schema
-- stream: triggers here read what they write, in the same transaction and order.

create function stream.publish_new_key() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform stream.publish_key_event(new.key_id, 'created');
  return null;
end
$$;
comment on function stream.publish_new_key() is 'Trigger: publishes a key frame for a new key.';
create trigger publish_new_key after insert on account.keys
  for each row execute function stream.publish_new_key();

create function stream.publish_audited_change() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if new.action = 'plan.changed' then
    perform stream.publish_plan_event(new.org_id);
  else
    perform stream.publish_key_event(k.key_id, split_part(new.action, '.', 2))
    from account.keys k
    where k.org_id = new.org_id
      and k.prefix = new.subject;
  end if;
  return null;
end
$$;
comment on function stream.publish_audited_change() is
  'Trigger: publishes a plan or key frame for an audited change.';
create trigger publish_audited_change after insert on account.audit
  for each row when (new.action in ('plan.changed', 'key.renamed', 'key.revoked', 'key.rotated'))
  execute function stream.publish_audited_change();

create function stream.publish_quota_mark() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform stream.publish_org_event(
    new.org_id, 'quota',
    jsonb_build_object(
      'percent', new.percent, 'used', new.used, 'quota', new.quota, 'month', to_char(new.month, 'YYYY-MM'),
      'resets_at', base.format_time((new.month + interval '1 month') at time zone 'UTC')
    )
  );
  return null;
end
$$;
comment on function stream.publish_quota_mark() is
  'Trigger: publishes a quota frame {percent, used, quota, month, resets_at} when usage reaches a '
  'mark.';
create trigger publish_quota_mark after insert on account.quota_notices
  for each row execute function stream.publish_quota_mark();

create function stream.publish_report_verdict() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform stream.publish_org_event(
    new.org_id, 'report',
    jsonb_build_object(
      'report_id', new.report_id, 'opp_id', new.opp_id, 'received_at', base.format_time(new.received_at), 'verdict',
      new.verdict, 'note', new.note, 'reviewed_at', base.format_time(new.reviewed_at)
    )
  );
  return null;
end
$$;
comment on function stream.publish_report_verdict() is
  'Trigger: publishes a report frame for a verdict.';
create trigger publish_report_verdict after update of verdict on arb.reports
  for each row when (old.verdict is null and new.verdict is not null)
  execute function stream.publish_report_verdict();

revoke all on function
  stream.publish_new_key(),
  stream.publish_audited_change(),
  stream.publish_quota_mark(),
  stream.publish_report_verdict()
from public;
