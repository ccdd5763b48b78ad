-- The part of the census that counts every listed event of both venues exactly once: paired,
-- candidate, unpaired with a code, or unread with a code.

create view census.event_states with (security_invoker = true) as
with read as (
  select q.venue, q.event_id, min(q.category) as category, min(q.sport) as sport,
         min(coalesce(q.start_at, q.on_date::timestamp at time zone 'UTC')) as start_at
  from venue.questions q
  group by q.venue, q.event_id
), paired as (
  select q.venue, q.event_id, bool_or(p.stage = 'catalog') as is_published, bool_or(w.pair_id is not null) as waits
  from catalog.pairs p
  left join catalog.unconfirmed_pairs w on w.pair_id = p.pair_id
  cross join lateral (values (p.question_a), (p.question_b)) as v (question_id)
  join venue.questions q on q.question_id = v.question_id
  where p.withdrawn_at is null
  group by q.venue, q.event_id
), unpaired as (
  -- The most frequent code of the questions of an event; of equals the first by name.
  select u.venue, u.event_id, mode() within group (order by u.reason) as code
  from catalog.unpaired_questions u
  group by u.venue, u.event_id
), listed as (
  select e.venue, e.event_id, e.series_id, case when e.series_id is null then e.payload #>> '{tags,0,slug}' end as tag,
         e.start_at, e.volume
  from venue.events e
  union all
  select u.venue, u.event_id, u.series_id, null, null, null
  from catalog.unread_events u
  where not u.is_stored
)
select l.venue, l.event_id, l.series_id, l.tag,
       coalesce(r.category, replace(lower(s.category), ' ', '_')) as category, r.sport,
       coalesce(l.start_at, r.start_at) as start_at,
       case
         when p.is_published then 'paired'
         when p.is_published is not null then 'candidate'
         when u.code is not null then 'unpaired'
         else 'unread'
       end as state,
       case when p.is_published is null then coalesce(u.code, x.code) end as code,
       coalesce(p.waits and not p.is_published, false) as waits, l.volume
from listed l
left join read r on r.venue = l.venue and r.event_id = l.event_id
left join paired p on p.venue = l.venue and p.event_id = l.event_id
left join unpaired u on u.venue = l.venue and u.event_id = l.event_id
left join catalog.unread_events x on x.venue = l.venue and x.event_id = l.event_id
left join venue.series s on s.venue = l.venue and s.series_id = l.series_id;
comment on view census.event_states is
  'Each listed event of both venues with its state: paired, candidate, unpaired or unread. code '
  'is the reason why an event has no pair or no question. waits: its candidate waits for a review.';

create function census.week_of(p_start_at timestamptz, p_now timestamptz) returns text
language sql immutable
set search_path = ''
as $$
  select case
    when p_start_at < date_trunc('week', p_now at time zone 'UTC') at time zone 'UTC' - interval '8 weeks'
      then 'earlier'
    when p_start_at >= date_trunc('week', p_now at time zone 'UTC') at time zone 'UTC' + interval '27 weeks'
      then 'later'
    else to_char(p_start_at at time zone 'UTC', 'IYYY-"W"IW')
  end
$$;
comment on function census.week_of(timestamptz, timestamptz) is
  'The ISO week of a start in UTC, from 8 weeks before p_now to 26 after it; else earlier or '
  'later.';

create function census.volume_json(p_venue venue.code, p_volume numeric, p_events numeric) returns json
language sql immutable
set search_path = ''
as $$
  select row_to_json(v)
  from (
    select trim_scale(round(p_volume, 2)) as amount,
           case p_venue when 'venue_a' then 'contracts' else 'usd' end as unit, p_events as events
  ) v
  where p_volume is not null
$$;
comment on function census.volume_json(venue.code, numeric, numeric) is
  'The volume of p_events events in the unit of their venue; null when no event states it.';

create function census.describe_code(p_state text, p_code text) returns text
language sql immutable
set search_path = ''
as $$
  select case p_state when 'unread' then catalog.describe_unread(p_code) else catalog.describe_exclusion(p_code) end
$$;
comment on function census.describe_code(text, text) is
  'The sentence for a code of census.event_states.';

create function census.render_events(p_now timestamptz) returns text
language sql stable
set search_path = ''
as $$
  with states as materialized (
    select s.*, census.week_of(s.start_at, p_now) as week
    from census.event_states s
  ), counted as materialized (
    select s.venue, s.series_id, s.tag, s.state, s.code, count(*)::integer as events, min(s.category) as min_category,
           max(s.category) as max_category, min(s.sport) as min_sport, max(s.sport) as max_sport,
           count(*) filter (where s.waits) as waiting, sum(s.volume) as volume, count(s.volume) as volume_events
    from states s
    group by s.venue, s.series_id, s.tag, s.state, s.code
  ), series as (
    select c.venue, c.series_id as series, c.tag,
           case when min(c.min_category) = max(c.max_category) then min(c.min_category) end as category,
           case when min(c.min_sport) = max(c.max_sport) then min(c.min_sport) end as sport, sum(c.events) as events,
           coalesce(sum(c.events) filter (where c.state = 'paired'), 0) as paired,
           coalesce(sum(c.events) filter (where c.state = 'candidate'), 0) as candidate, sum(c.waiting) as waiting,
           coalesce(
             json_object_agg(c.code, c.events order by c.code) filter (where c.state = 'unpaired'), '{}'
           ) as unpaired,
           coalesce(
             json_object_agg(c.code, c.events order by c.code) filter (where c.state = 'unread'), '{}'
           ) as unread,
           census.volume_json(c.venue, sum(c.volume), sum(c.volume_events)) as volume
    from counted c
    group by c.venue, c.series_id, c.tag
  ), largest as (
    select s.*
    from series s
    order by s.events desc, s.venue, s.series collate "C", s.tag collate "C"
    limit 4000
  ), weeks as (
    select s.category, s.week, count(*) filter (where s.state = 'paired') as paired,
           count(*) filter (where s.state = 'candidate') as candidate,
           count(*) filter (where s.state not in ('paired', 'candidate')) as other
    from states s
    group by s.category, s.week
  ), reasons as (
    select c.code, min(census.describe_code(c.state, c.code)) as reason
    from counted c
    where c.code is not null
    group by c.code
  )
  select '"events_by_series_count":' || (select count(*) from series) || ',"events_by_series":[' || coalesce(
    (
      select string_agg(
        row_to_json(l)::text, ',' order by l.venue, l.series collate "C", l.tag collate "C"
      )
      from largest l
    ),
    ''
  ) || '],"reasons":{' || coalesce(
    (
      select string_agg(to_json(r.code) || ':' || to_json(r.reason), ',' order by r.code collate "C")
      from reasons r
    ),
    ''
  ) || '},"events_by_week":[' || coalesce(
    (
      select string_agg(row_to_json(w)::text, ',' order by w.category collate "C", w.week collate "C")
      from weeks w
    ),
    ''
  ) || ']'
$$;
comment on function census.render_events(timestamptz) is
  'Part of census.rebuild: the fields events_by_series_count, events_by_series, reasons and '
  'events_by_week of the body.';

revoke all on function
  census.week_of(timestamptz, timestamptz),
  census.volume_json(venue.code, numeric, numeric),
  census.describe_code(text, text),
  census.render_events(timestamptz)
from public;
