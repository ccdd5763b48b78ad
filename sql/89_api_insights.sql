-- RPC of the page Insights: life times and hours of closed opportunities, and the delay of the
-- feeds. The other charts of that page read what their own pages read.

create function dashboard.lives_json(p_since timestamptz, p_step timestamptz) returns json
language sql stable
set search_path = ''
as $$
  with lives as (
    select extract(epoch from o.closed_at - o.opened_at) as seconds
    from arb.history h
    join arb.opportunities o on o.opportunity_id = h.opportunity_id
    where h.closed_at > p_since
      and h.closed_at <= p_step
  )
  select json_build_object(
    'closed', (select count(*) from lives),
    'median_s', (select percentile_cont(0.5) within group (order by l.seconds) from lives l),
    'p90_s', (select percentile_cont(0.9) within group (order by l.seconds) from lives l),
    'lives', json_agg(json_build_object('up_to_s', b.up_to, 'closed', b.closed) order by b.up_to nulls last)
  )
  from (
    select b.up_to, count(l.seconds) as closed
    from (
      values (0, 1), (1, 5), (5, 15), (15, 60), (60, 300), (300, 1800), (1800, null)
    ) b (over_s, up_to)
    left join lives l on l.seconds > b.over_s and (b.up_to is null or l.seconds <= b.up_to)
    group by b.up_to
  ) b
$$;
comment on function dashboard.lives_json(timestamptz, timestamptz) is
  'The life times of the opportunities that closed within a time: how many, median, 90th '
  'percentile, and how many in each class.';

create function dashboard.hours_json(p_since timestamptz, p_step timestamptz) returns json
language sql stable
set search_path = ''
as $$
  select coalesce(json_agg(json_build_object('league', c.league, 'hour', c.hour, 'opened', c.opened)), '[]')
  from (
    select coalesce(g.competition, g.sport, g.category) as league,
           extract(hour from o.opened_at at time zone 'UTC')::integer as hour, count(*) as opened
    from arb.history h
    join arb.opportunities o on o.opportunity_id = h.opportunity_id
    join arb.history_groups g on g.group_id = h.group_id
    where h.closed_at > p_since
      and h.closed_at <= p_step
    group by 1, 2
    order by 1, 2
  ) c
$$;
comment on function dashboard.hours_json(timestamptz, timestamptz) is
  'How many of the opportunities that closed within a time opened in each hour of the day (UTC), '
  'by competition, else sport, else category.';

create function dashboard.feed_delays_json() returns json
language sql stable
set search_path = ''
as $$
  select coalesce(
    json_agg(
      json_build_object('venue', d.venue, 'at', base.format_time(d.bin), 'p50_ms', d.p50_ms, 'p99_ms', d.p99_ms)
      order by d.venue, d.bin
    ), '[]'
  )
  from (
    select f.venue, date_bin(interval '5 minutes', f.at, timestamptz 'epoch') as bin,
           round(avg(f.p50_ms))::integer as p50_ms, max(f.p99_ms) as p99_ms
    from stream.feed_delays f
    where f.at > clock_timestamp() - interval '24 hours'
    group by 1, 2
  ) d
$$;
comment on function dashboard.feed_delays_json() is
  'The delay of both feeds in the last 24 hours by five minutes: the mean of the medians and the '
  'largest 99th percentile.';

create function dashboard.read_insights() returns json
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_step timestamptz;
  v_since timestamptz;
begin
  perform account.admit_session(1);
  perform pipeline.refresh_snapshot();
  select nullif(s.step, '-infinity') into v_step from price.snapshot_state s;
  v_since := v_step - interval '7 days';
  return json_build_object(
    'as_of', base.format_time(v_step), 'since', base.format_time(v_since),
    'opportunities', dashboard.lives_json(v_since, v_step), 'hours', dashboard.hours_json(v_since, v_step),
    'feed_delays', dashboard.feed_delays_json()
  );
end
$$;
comment on function dashboard.read_insights() is
  'The figures of the page Insights, with the delay of REST: {as_of, since, opportunities, hours, '
  'feed_delays}.';

create function api.read_insights() returns json
language sql volatile
set search_path = ''
as $$ select dashboard.read_insights() $$;
comment on function api.read_insights() is
  'Life times and hours of the opportunities that closed in seven days, and the delay of both '
  'feeds in 24 hours, for a member.';

revoke all on function
  dashboard.lives_json(timestamptz, timestamptz),
  dashboard.hours_json(timestamptz, timestamptz),
  dashboard.feed_delays_json(),
  dashboard.read_insights(),
  api.read_insights()
from public;
grant execute on function
  dashboard.read_insights(),
  api.read_insights()
to authenticated;
