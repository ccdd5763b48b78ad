-- Metrics for a scraper. They are read from the tables at each scrape, so all isolates return the
-- same values. A counter comes from a value that only grows (identities, offsets, months); a purged
-- table gives a gauge.

create function ops.streaming_standbys() returns table (lag_bytes numeric)
language sql volatile
set search_path = ''
as $$
  select pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_lsn(), r.replay_lsn)
  from pg_catalog.pg_stat_replication r
  left join pg_catalog.pg_replication_slots s on s.active_pid = r.pid
  -- Realtime and other readers of the log have a logical slot. A backup is not in this state.
  where r.state = 'streaming'
    and s.slot_type is distinct from 'logical'
$$;
comment on function ops.streaming_standbys() is
  'One row for each physical standby: the bytes of log that it has not replayed.';
revoke all on function ops.streaming_standbys() from public;

create view ops.metrics with (security_invoker = true) as
with figures(name, type, help, labels, value) as (
  select 'parallax_feed_up', 'gauge', '1 while the feed of a venue delivers data, 0 when it is stale or down.',
         jsonb_build_object('venue', f.venue), (f.state = 'up')::integer::numeric
  from venue.feed_states() f
  union all
  select 'parallax_feed_silence_seconds', 'gauge', 'Market seconds since the last data of a venue.',
         jsonb_build_object('venue', f.venue), round(extract(epoch from clock.now() - f.last_message_at), 3)
  from venue.feeds f
  where f.last_message_at is not null
  union all
  select 'parallax_lease_held', 'gauge', '1 while a worker holds the lease.',
         jsonb_build_object('lease', l.name), (l.holder is not null and not base.is_over(l.expires_at, l.ttl))::integer
  from venue.leases l
  union all
  select 'parallax_lease_handovers', 'counter', 'Times that a worker claimed the lease.',
         jsonb_build_object('lease', l.name), l.token
  from venue.leases l
  union all
  -- At most 201 names of each venue (venue.record_unknown_values).
  select 'parallax_venue_unknown', 'counter', 'Fields and values that a venue sent and the adapters do not know.',
         jsonb_build_object('venue', u.venue, 'what', u.what), u.occurrences
  from venue.unknown_values u
  union all
  select 'parallax_pairs', 'gauge', 'Pairs that are not withdrawn, by stage and status.',
         jsonb_build_object('stage', p.stage, 'status', p.status), count(*)
  from catalog.pairs p
  where p.withdrawn_at is null
  group by p.stage, p.status
  union all
  select 'parallax_match_passes', 'counter', 'Match passes started.', '{}', coalesce(max(p.pass_id), 0)
  from catalog.match_passes p
  union all
  select 'parallax_steps', 'counter', 'Steps of the snapshot that changed it.', '{}', s.change_no
  from price.snapshot_state s
  union all
  select 'parallax_step_lag_seconds', 'gauge', 'Market seconds between the snapshot and the step that is due.', '{}',
         round(greatest(extract(epoch from price.step_at(clock.now()) - s.step), 0), 3)
  from price.snapshot_state s
  where s.step > '-infinity'
  union all
  select 'parallax_step_rows', 'gauge', 'Rows that the last step rendered.', '{}', s.rows_written
  from price.snapshot_state s
  union all
  select 'parallax_step_seconds', 'gauge', 'Duration of the last step.', '{}',
         round(extract(epoch from s.render_time), 6)
  from price.snapshot_state s
  where s.render_time is not null
  union all
  select 'parallax_sampler_lag_seconds', 'gauge', 'Market seconds between history and the snapshot.', '{}',
         round(extract(epoch from s.step - m.sampled_at), 3)
  from price.snapshot_state s
  cross join price.sampler_state m
  where s.step > '-infinity' and m.sampled_at > '-infinity'
  union all
  select 'parallax_gate_shut', 'gauge', 'Trading pairs that a gate closes, at the last sample.',
         jsonb_build_object('gate', n.gate), n.closed_pairs
  from unnest(array['band', 'parity', 'risk', 'priced']) g(gate)
  -- One row by the key: a day of samples has 5,760 rows.
  cross join lateral (select m.* from ops.gate_samples m where m.gate = g.gate order by m.at desc limit 1) n
  union all
  select 'parallax_windows_open', 'gauge', 'Open opportunities.', '{}', count(*)
  from arb.opportunities w
  where w.closed_at = 'infinity'
  union all
  select 'parallax_census_age_seconds', 'gauge', 'Market seconds since the census.', '{}',
         round(extract(epoch from clock.now() - r.as_of), 3)
  from census.reports r
  union all
  -- The count of a month moves to account.monthly_usage when the next month begins, so the sum only
  -- grows until an organization is deleted. An open lease is counted in full and may be given back.
  select 'parallax_requests_with_data', 'counter', 'Requests that used quota, over all existing organizations.', '{}',
         coalesce((select sum(u.month_used) from account.usage u), 0)
           + coalesce((select sum(m.used) from account.monthly_usage m), 0)
           - coalesce(
             (select sum(l.granted) from account.request_leases l where account.is_lease_open(l.expires_at)), 0
           )
  union all
  select 'parallax_organizations', 'gauge', 'Organizations.', '{}', count(*)
  from account.organizations
  union all
  select 'parallax_deliveries_waiting', 'gauge', 'Deliveries that wait for an attempt.', '{}', count(*)
  from webhook.deliveries d
  where d.due_at is not null
  union all
  select 'parallax_delivery_oldest_seconds', 'gauge', 'Seconds since the oldest waiting delivery was due.', '{}',
         round(greatest(coalesce(extract(epoch from clock_timestamp() - min(d.due_at)), 0), 0), 3)
  from webhook.deliveries d
  where d.due_at is not null
  union all
  select 'parallax_endpoints', 'gauge', 'Webhook endpoints, by state.', jsonb_build_object('state', e.state), count(*)
  from (
    select case
      when n.disabled_at is not null then 'disabled'
      when n.is_responding then 'answers'
      else 'silent'
    end as state
    from webhook.endpoints n
  ) e
  group by e.state
  union all
  -- By kind of channel: one label for each organization would be unbounded.
  select 'parallax_stream_frames', 'counter', 'Frames published, by kind of channel.',
         jsonb_build_object('channel', split_part(c.channel, ':', 1)), sum(c.last_offset)
  from stream.channels c
  group by split_part(c.channel, ':', 1)
  union all
  select 'parallax_stream_connections', 'gauge', 'Client connections of the stream.', '{}', count(*)
  from stream.connections c
  where c.lease_until between clock_timestamp() and clock_timestamp() + c.lease
  union all
  -- Both only where Centrifugo carries the stream.
  select 'parallax_stream_relay_lag_seconds', 'gauge',
         'Seconds since the oldest frame was published that the broker of Centrifugo does not have.', '{}',
         round(
           greatest(
             coalesce(
               extract(epoch from clock_timestamp() - (select min(u.since) from stream.unrelayed_channels u)), 0
             ),
             0
           ),
           3
         )
  from stream.settings s
  where s.carrier <> 'embedded'
  union all
  select 'parallax_stream_commands_oldest_seconds', 'gauge',
         'Seconds since the oldest command to Centrifugo was written that no node has run.', '{}',
         round(
           greatest(
             coalesce(
               extract(
                 epoch from clock_timestamp()
                   - (select c.created_at from stream.carrier_commands c order by c.id limit 1)
               ),
               0
             ),
             0
           ),
           3
         )
  from stream.settings s
  where s.carrier <> 'embedded'
  union all
  select 'parallax_job_ok', 'gauge', '1 while the last run of a scheduled job succeeded.',
         jsonb_build_object('job', j.job), (j.failing_since is null)::integer
  from ops.job_status() j
  union all
  select 'parallax_alerts', 'gauge', 'Current alerts, by name (ops.alerts).', jsonb_build_object('alert', a.alert),
         count(*)
  from ops.alerts a
  group by a.alert
  union all
  select 'parallax_database_bytes', 'gauge', 'Size of the database.', '{}',
         pg_catalog.pg_database_size(current_database())
  union all
  select 'parallax_database_connections', 'gauge', 'Connections of our roles, by role.',
         jsonb_build_object('role', s.usename), count(*)
  from pg_catalog.pg_stat_activity s
  where s.datname = current_database() and s.usename like 'parallax\_%'
  group by s.usename
  union all
  select 'parallax_replicas', 'gauge', 'Physical standbys that stream from this database.', '{}', count(*)
  from ops.streaming_standbys() b
  union all
  select 'parallax_replica_lag_bytes', 'gauge', 'Log that the last of these standbys has not replayed.', '{}',
         max(b.lag_bytes)
  from ops.streaming_standbys() b
)
select f.name, f.type, f.help, f.labels::jsonb as labels, f.value::numeric as value
from figures f;
comment on view ops.metrics is
  'Metrics: name (without _total), type (gauge or counter), help, labels {name: value}, value. '
  'docs/operations.md lists when a counter falls.';

create function ops.render_openmetrics() returns text
language plpgsql stable security definer
set search_path = ''
-- plpgsql keeps the plan for the session: planning these views takes longer than running them.
as $$
begin
  return (
    with labelled as (
      select m.name, m.type, m.help, m.value,
             coalesce('{' || (
               -- The three characters that the format escapes.
               select string_agg(
                 l.key || '="' || replace(replace(replace(l.value, '\', '\\'), '"', '\"'), e'\n', '\n') || '"', ','
                 order by l.key collate "C"
               )
               from jsonb_each_text(m.labels) l
             ) || '}', '') as labels
      from ops.metrics m
      where m.value is not null
    ), families as (
      select l.name,
             '# TYPE ' || l.name || ' ' || l.type || e'\n'
               || case when l.name like '%\_seconds' then '# UNIT ' || l.name || e' seconds\n'
                       when l.name like '%\_bytes' then '# UNIT ' || l.name || e' bytes\n'
                       else '' end
               || '# HELP ' || l.name || ' ' || l.help || e'\n'
               || string_agg(
                 l.name || case l.type when 'counter' then '_total' else '' end || l.labels || ' ' || l.value, e'\n'
                 order by l.labels collate "C"
               )
               || e'\n' as text
      from labelled l
      group by l.name, l.type, l.help
    )
    select coalesce(string_agg(f.text, '' order by f.name collate "C"), '') || e'# EOF\n'
    from families f
  );
end
$$;
comment on function ops.render_openmetrics() is
  'ops.metrics as OpenMetrics text 1.0, for GET /metrics. The caller checks a secret key of the '
  'platform first.';
revoke all on function ops.render_openmetrics() from public;
grant execute on function ops.render_openmetrics() to parallax_api;
