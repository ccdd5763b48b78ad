-- All alerts. Each concern has a view of its own, so that EXPLAIN shows its cost; ops.alerts unites
-- them. On a healthy stack every view is empty. docs/operations.md describes what to do in more
-- detail.

create view ops.feed_alerts with (security_invoker = true) as
select 'feed.' || f.state as alert,
       f.last_message_at as since,
       f.venue::text as what,
       'last data ' || coalesce(base.format_time(f.last_message_at), 'never') as how_much,
       'Read the log of ingest for this venue, then the status page of the venue. Its prices are void until data '
       'arrives.' as next
from venue.feed_states() f
where f.state = 'down'
  -- lease.unheld is raised for a shard that stays unread.
  or f.state = 'stale' and not f.is_unread
union all
select 'venue.clock', f.last_alive_at, f.venue::text,
       'last sign of life ' || round(extract(epoch from f.last_alive_at - clock.now())) || ' s in the future',
       'The clock of this machine or of ingest is wrong: compare both with NTP. Price updates from the future block '
       'later ones.'
from venue.feeds f
where f.last_alive_at > clock.now() + interval '10 seconds'
union all
select 'venue.key', f.last_alive_at, f.venue::text, f.detail,
       'Renew the API key at the venue, or the attestation of its location, and set it. Books are polled without it '
       'meanwhile. The key is tried again every five minutes.'
from venue.feeds f
where f.detail ~ 'key (refused|unreadable)'
union all
select 'sweep.failing', s.last_error_at, s.venue::text, left(s.last_error, 200),
       'The listing sweep of this venue does not finish. The text is the error of ingest; see docs/operations.md.'
from venue.sweeps s
where s.last_error_at > clock_timestamp() - interval '15 minutes'
  and s.last_error_at > coalesce(s.finished_at, '-infinity');
comment on view ops.feed_alerts is
  'A venue that is silent, refuses our key, whose clock differs from ours, or whose listings '
  'cannot be read.';

create view ops.lease_alerts with (security_invoker = true) as
select 'lease.unheld' as alert, l.expires_at as since, l.name as what,
       coalesce(
         'since ' || round(extract(epoch from clock_timestamp() - l.expires_at)) || ' s', 'released and not claimed'
       ) as how_much,
       'No worker reads this shard. Check that ingest and its pg_cron job run, and that the Vault has project_url '
       'and cron_key.' as next
from venue.leases l
where (
  l.holder is null
  or l.expires_at not between clock_timestamp() - interval '30 seconds' and clock_timestamp() + l.ttl
)
  -- A shard that no worker has ever read raises no alert.
  and l.token > 0;
comment on view ops.lease_alerts is 'Shards that a worker once read and no worker reads now.';

create view ops.lateness_alerts with (security_invoker = true) as
select 'step.late' as alert, null::timestamptz as since, 'price.snapshot_state' as what,
       'at ' || base.format_time(s.step) || ', due '
         || base.format_time(price.step_at(clock.ago(interval '30 seconds'))) as how_much,
       'pipeline.refresh_snapshot() fails or waits: see ops.job_status() for parallax_advance, and pg_stat_activity '
       'for the holder of its locks.' as next
from price.snapshot_state s
where s.step > '-infinity'
  and s.step < price.step_at(clock.ago(interval '30 seconds'))
union all
select 'sampler.late', null, 'price.sampler_state',
       'sampled to ' || base.format_time(m.sampled_at) || ', snapshot at ' || base.format_time(s.step),
       'The sampler fills the gap in history when it runs: see ops.job_status() for parallax_history.'
from price.sampler_state m
cross join price.snapshot_state s
where s.step > '-infinity'
  and m.sampled_at > '-infinity'
  -- Market minutes may run fast, so the sampler gets half a real minute to run.
  and m.sampled_at < date_bin(
    interval '1 minute', s.step - (clock.now() - clock.ago(interval '30 seconds')), timestamptz 'epoch'
  ) - interval '1 minute'
union all
select 'census.late', null, 'census.reports',
       'taken ' || base.format_time(r.as_of),
       'See ops.job_status() for parallax_minute. GET /v2/coverage still serves the old census.'
from census.reports r
where r.as_of < clock.ago(interval '10 minutes') - interval '1 hour'
union all
-- Updates are kept for six hours: an hour that waits longer is lost for the export.
select 'export.late', min(s.due_at), 'export.slices', count(*) || ' parts of days are due',
       'The function export does not make its parts: read its log. Check that its secrets, the bucket exports and '
       'the Vault''s project_url and cron_key are there (docs/export.md).'
from export.slices s
where not s.done
  and s.due_at < clock.ago(interval '30 minutes')
having count(*) > 0
union all
select 'match.stuck', p.started_at, 'catalog.match_passes', 'pass ' || p.pass_id || ' has not ended',
       'A match pass died or waits for a lock. The next pass repairs it; if that fails too, read its error in the '
       'log of ingest.'
from (select * from catalog.match_passes q order by q.pass_id desc limit 1) p
where p.finished_at is null
  and p.started_at < clock.ago(interval '10 minutes');
comment on view ops.lateness_alerts is
  'Overdue work: the step of the snapshot, the sampler, the census, exports, the match pass.';

create view ops.outbox_alerts with (security_invoker = true) as
select 'outbox.old' as alert, o.due_at as since, 'webhook.deliveries' as what,
       'the oldest has been due for ' || round(extract(epoch from clock_timestamp() - o.due_at)) || ' s' as how_much,
       'deliver sends nothing: see ops.job_status() for parallax_deliver, its log, and the Vault''s project_url and '
       'cron_key.' as next
from (
  select d.due_at
  from webhook.deliveries d
  join webhook.endpoints e on e.endpoint_id = d.endpoint_id
  where d.due_at is not null
    -- Deliveries to an endpoint that does not respond are sent last, by design.
    and e.disabled_at is null
    and e.is_responding
  order by d.due_at
  limit 1
) o
where o.due_at < clock_timestamp() - interval '2 minutes'
union all
select 'endpoint.disabled', e.disabled_at, 'endpoint ' || e.endpoint_id,
       e.disabled_reason || ', ' || e.failure_count || ' failed',
       'The organization no longer receives its events. Contact it; it registers the endpoint again when its '
       'receiver works.'
from webhook.endpoints e
where e.disabled_at > clock_timestamp() - interval '1 day';
comment on view ops.outbox_alerts is
  'Deliveries that wait too long, and endpoints that were disabled within a day.';

create view ops.gate_alerts with (security_invoker = true) as
with latest as (
  select n.*
  from unnest(array['band', 'parity', 'risk', 'priced']) g (gate)
  cross join lateral (
    select m.*
    from ops.gate_samples m
    where m.gate = g.gate
      and m.at > clock_timestamp() - interval '10 minutes'
    order by m.at desc
    limit 1
  ) n
)
select 'gate.rising' as alert, l.at as since, l.gate as what,
       l.closed_pairs || ' of ' || l.pairs || ' pairs closed, ' || round((100 * h.mean)::numeric, 1)
         || ' % on average' as how_much,
       'select reason, count(*) from price.signal_gates group by 1 order by 2 desc: look for one dominant reason. '
       'priced: see feeds and leases; parity and risk: see catalog.rules and docs/guards.md.' as next
from latest l
cross join lateral (
  -- Floating point: with exact decimals a day of samples took as long as all other alerts together.
  select avg(n.closed_pairs::float8 / n.pairs) as mean,
         coalesce(stddev_pop(n.closed_pairs::float8 / n.pairs), 0) as deviation, count(*) as notes
  from ops.gate_samples n
  where n.gate = l.gate
    and n.at >= l.at - interval '1 day'
    and n.at < l.at - interval '10 minutes'
    and n.pairs > 0
) h
where h.notes >= 30
  and l.pairs >= 10
  -- A tenth of the pairs above the usual share, and outside of its normal variation.
  and l.closed_pairs::float8 / l.pairs > h.mean + greatest(0.10, 3 * h.deviation);
comment on view ops.gate_alerts is
  'Gates that close more pairs than over the last day, by a tenth of the pairs and three standard '
  'deviations. Needs half an hour of samples.';

create view ops.pair_alerts with (security_invoker = true) as
select 'pair.diverges' as alert, a.raised_at as since, 'pair ' || a.pair_id || ', ' || a.outcome_key as what,
       'mid prices ' || trim_scale(a.mid_a_usd6 / 1000000.0) || ' and ' || trim_scale(a.mid_b_usd6 / 1000000.0)
         || ' USD' as how_much,
       'Read both texts (npm run why). If both pay the same: catalog.review_alarm(pair, ''confirm'', your name, '
       'reason). Otherwise leave it in REVIEW and correct the match.' as next
from catalog.alarms a
-- Alarms of ended or withdrawn pairs do not matter.
join catalog.pairs p on p.pair_id = a.pair_id and p.withdrawn_at is null and p.status not in ('closed', 'settled')
where a.confirmed_at is null;
comment on view ops.pair_alerts is
  'Pairs that stay in REVIEW because their prices diverge, until an operator confirms them.';

create view ops.job_alerts with (security_invoker = true) as
select a.alert, a.since, j.job as what, a.how_much, a.next
from ops.job_status() j
cross join lateral (
  select 'job.failing', j.failing_since, j.last_message,
         'select * from cron.job_run_details order by start_time desc: run its command by hand to see the full error.'
  where j.failing_since is not null
  union all
  select 'job.off', null, 'not active', 'cron.alter_job(jobid, active := true), or jobs.install_schedules().'
  where not j.active
) a (alert, since, how_much, next);
comment on view ops.job_alerts is 'Scheduled jobs whose last run failed, or that are not active.';

create view ops.stream_alerts with (security_invoker = true) as
select 'stream.unpruned' as alert, null::timestamptz as since, 'stream.publications' as what,
       count(*) || ' partitions are past their retention, ' || min(c.relname) || ' the oldest' as how_much,
       'jobs.drop_expired_partitions() fails or waits: see ops.job_status() for parallax_partitions. The log grows '
       'by 230 MB an hour at most.' as next
from pg_catalog.pg_inherits i
join pg_catalog.pg_class c on c.oid = i.inhrelid
where i.inhparent = 'stream.publications'::regclass
  -- The job runs every ten minutes, so a delay of half an hour is a fault.
  and c.relname < 'publications_' || to_char(
    (clock_timestamp() - (select s.keep from stream.settings s) - interval '40 minutes') at time zone 'UTC',
    'YYYYMMDDHH24MI'
  )
having count(*) > 0
union all
select 'stream.unsent', null, c.channel, (c.last_offset - s.last_offset) || ' frames wait',
       'stream.broadcast_pending() fails or its quota is too small (stream.settings.messages_a_second): see '
       'ops.job_status() for parallax_stream.'
from stream.channels c
join stream.broadcast_positions s on s.channel = c.channel and s.epoch = c.epoch
where c.last_offset > s.last_offset
  and s.sent_at > '-infinity'
  and s.sent_at < clock_timestamp() - interval '1 minute'
union all
select 'stream.unjoinable', null, 'realtime.messages', 'private channels reject every join',
       'Run "select stream.install_realtime_policy()" in the SQL editor of the project, and read its warning.'
where not stream.has_realtime_policy();
comment on view ops.stream_alerts is
  'Channels whose publication log is not pruned or not broadcast, and the missing policy of '
  'Realtime.';

create view ops.carrier_alerts with (security_invoker = true) as
select 'stream.unrelayed' as alert, min(u.since) as since, min(u.channel) as what,
       sum(u.frames) || ' frames wait in ' || count(*) || ' channels' as how_much,
       'stream.relay_pending() fails or is not called: read the warnings of parallax_stream in the log of Postgres, '
       'and the hint of the error.' as next
from stream.unrelayed_channels u
where coalesce(u.since, '-infinity') < clock_timestamp() - interval '1 minute'
having count(*) > 0
union all
select 'stream.unconsumed', q.created_at, 'stream.carrier_commands',
       'the oldest waits for ' || round(extract(epoch from clock_timestamp() - q.created_at)) || ' s',
       'No node of Centrifugo runs the commands: read the logs of the nodes. Redis is down, or accepts no writes '
       'without a replica, or parallax_carrier cannot log in.'
from (select c.created_at from stream.carrier_commands c order by c.id limit 1) q
where q.created_at < clock_timestamp() - interval '1 minute';
comment on view ops.carrier_alerts is
  'Frames that the broker of Centrifugo does not get, and commands that its nodes do not run.';

create view ops.report_alerts with (security_invoker = true) as
select 'report.full' as alert, min(r.received_at) as since, 'organization ' || r.org_id as what,
       count(*) || ' reports wait for a verdict' as how_much,
       'It can file no report until some are reviewed (docs/operations.md). Dismiss a flood the same way.' as next
from arb.reports r
where r.verdict is null
group by r.org_id
having not arb.may_file_report(r.org_id);
comment on view ops.report_alerts is
  'Organizations that reached their limit of open reports, so that the next report is rejected.';

create view ops.unknown_alerts with (security_invoker = true) as
select 'venue.unknown' as alert, min(u.first_seen_at) as since, u.venue::text as what,
       count(*) || ' new: ' || left(
         -- Values first: a new value can change a decision, a new field changes none.
         string_agg(
           u.what || ' (' || u.occurrences || ')', ', '
           order by u.what not like '%=%', u.first_seen_at, u.what
         ),
         300
       ) as how_much,
       'select * from venue.unknown_values order by first_seen_at desc: read the venue''s changelog, run npm run '
       'probe, and see docs/operations.md.' as next
from venue.unknown_values u
where u.first_seen_at > clock_timestamp() - interval '1 day'
group by u.venue;
comment on view ops.unknown_alerts is
  'Fields and values that a venue sent for the first time within a day and docs/venues.md does '
  'not name.';

create view ops.alerts with (security_invoker = true) as
select * from ops.feed_alerts
union all
select * from ops.lease_alerts
union all
select * from ops.lateness_alerts
union all
select * from ops.outbox_alerts
union all
select * from ops.gate_alerts
union all
select * from ops.pair_alerts
union all
select * from ops.job_alerts
union all
select * from ops.stream_alerts
union all
select * from ops.carrier_alerts
union all
select * from ops.report_alerts
union all
select * from ops.unknown_alerts;
comment on view ops.alerts is
  'Conditions that need a person: alert (its name in docs/operations.md), since (null where '
  'unknown), what, how_much, next. Empty on a healthy stack.';
